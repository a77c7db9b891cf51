/* Completion queues on the DPA that objects of other rooms own. */
#include <doca_dpa.h>

#include "private.h"

/* If the DPA context was stopped, the memory no longer exists. */
static void free_memory(const struct dpk_dpa_queue *q)
{
    struct dpk_error err = {0};
    struct dpk_process *p = q->memory ? dpk_dpa_enter(q->queue->dpa, q->queue->run) : NULL;
    if (!p)
        return;
    dpk_heap_free(p, q->memory, &err);
    dpk_dpa_leave(q->queue->dpa);
}

void dpk_dpa_queue_end(struct dpk_dpa_queue *q)
{
    free_memory(q);
    if (q->handle)
        (void)dpk_doca_inner(doca_dpa_completion_destroy(q->handle));
    dpk_object_drop(q->queue);
    *q = (struct dpk_dpa_queue){0};
}

doca_error_t dpk_dpa_queue_start(struct dpk_dpa_queue *q, struct doca_dpa_thread *thread,
                                 uint32_t elements, size_t memory_size)
{
    struct doca_dpa *dpa = dpk_dpa_of_thread(thread);
    if (!dpa)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the thread was destroyed");
    doca_dpa_dev_uintptr_t memory = 0;
    doca_error_t result = dpk_doca_inner(doca_dpa_completion_create(dpa, elements, &q->handle));
    if (result != DOCA_SUCCESS)
        return result;
    q->queue = dpk_object_pin(q->handle, &dpk_completion_kind);
    result = dpk_doca_inner(doca_dpa_completion_set_thread(q->handle, thread));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_dpa_completion_start(q->handle));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_dpa_mem_alloc(dpa, memory_size, &memory));
    if (result == DOCA_SUCCESS)
        q->memory = memory;
    else
        dpk_dpa_queue_end(q);
    return result;
}
