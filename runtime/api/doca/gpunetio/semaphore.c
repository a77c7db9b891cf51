/* Semaphores: lists of items, in memory that kernels and the CPU share. */
#include "gpunetio.h"

#define INFO_ALIGN 16u

struct semaphore {
    struct dpk_object object;
    struct dpk_gpu *gpu; /* a use */
    enum doca_gpu_mem_type type, info_type;
    uint32_t count, info_size;
    bool started;
    struct gpunetio_memory items, info, handle; /* while it is started */
};

static void free_memory(struct semaphore *s)
{
    struct gpunetio_memory *const all[] = {&s->items, &s->info, &s->handle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->gpu)
            gpunetio_memory_free(all[i]->gpu);
        *all[i] = (struct gpunetio_memory){0};
    }
    s->started = false;
}

static void semaphore_left(void *object)
{
    dpk_object_end_use(((struct semaphore *)object)->gpu);
}

static void semaphore_release(void *object)
{
    struct semaphore *s = object;
    free_memory(s);
    dpk_object_drop(s->gpu);
    free(s);
}
static const struct dpk_kind semaphore_kind = {.left = semaphore_left,
                                               .release = semaphore_release};

doca_error_t doca_gpu_semaphore_create(struct doca_gpu *gpu_dev,
                                       struct doca_gpu_semaphore **semaphore)
{
    if (semaphore)
        *semaphore = NULL;
    struct dpk_gpu *g = semaphore ? dpk_object_pin(gpu_dev, &dpk_gpu_kind) : NULL;
    if (!g)
        return dpk_doca_no_object(__func__);
    struct semaphore *s = calloc(1, sizeof *s);
    if (s) {
        dpk_object_use(s->gpu = g);
        *semaphore = dpk_object_enter(s, &semaphore_kind);
    }
    dpk_object_drop(g);
    return dpk_doca_end(gpu_dev, __func__, *semaphore ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_gpu_semaphore_destroy(struct doca_gpu_semaphore *semaphore)
{
    return dpk_doca_destroy(semaphore, &semaphore_kind, __func__);
}

/* ---- Settings ---- */

/* Returns the semaphore, locked. *result is a success if `good` and it is stopped. */
static struct semaphore *begin_change(struct doca_gpu_semaphore *semaphore, bool good,
                                      doca_error_t *result)
{
    struct semaphore *s = dpk_object_lock(semaphore, &semaphore_kind);
    *result = s && good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (s && !good)
        dpk_doca_because(*result, "the number is 0, or the type of memory is unknown");
    else if (s && s->started)
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the semaphore is started");
    return s;
}

doca_error_t doca_gpu_semaphore_set_memory_type(struct doca_gpu_semaphore *semaphore,
                                                enum doca_gpu_mem_type mtype)
{
    doca_error_t result;
    struct semaphore *s = begin_change(semaphore, gpunetio_is_type(mtype), &result);
    if (result == DOCA_SUCCESS)
        s->type = mtype;
    return dpk_doca_end(semaphore, __func__, dpk_object_unlock(s, result));
}

doca_error_t doca_gpu_semaphore_set_items_num(struct doca_gpu_semaphore *semaphore,
                                              uint32_t num_items)
{
    doca_error_t result;
    struct semaphore *s = begin_change(semaphore, num_items > 0, &result);
    if (result == DOCA_SUCCESS)
        s->count = num_items;
    return dpk_doca_end(semaphore, __func__, dpk_object_unlock(s, result));
}

doca_error_t doca_gpu_semaphore_set_custom_info(struct doca_gpu_semaphore *semaphore,
                                                uint32_t nbytes, enum doca_gpu_mem_type mtype)
{
    doca_error_t result;
    struct semaphore *s = begin_change(semaphore, nbytes > 0 && gpunetio_is_type(mtype), &result);
    if (result == DOCA_SUCCESS) {
        s->info_size = nbytes;
        s->info_type = mtype;
    }
    return dpk_doca_end(semaphore, __func__, dpk_object_unlock(s, result));
}

/* ---- Start and stop ---- */

static size_t info_step(const struct semaphore *s)
{
    return ((size_t)s->info_size + INFO_ALIGN - 1) / INFO_ALIGN * INFO_ALIGN;
}

static doca_error_t make_memory(struct semaphore *s)
{
    doca_error_t result = gpunetio_memory_new(s->count * sizeof(struct doca_gpu_semaphore_item), 1,
                                              s->type, &s->items);
    if (result == DOCA_SUCCESS && s->info_size > 0)
        result = gpunetio_memory_new(s->count * info_step(s), 1, s->info_type, &s->info);
    if (result == DOCA_SUCCESS)
        result = gpunetio_memory_new(sizeof(struct doca_gpu_semaphore_gpu), 1,
                                     DOCA_GPU_MEM_TYPE_GPU, &s->handle);
    if (result != DOCA_SUCCESS)
        return result;
    const struct doca_gpu_semaphore_gpu handle = {
        .items = s->items.gpu, .info = s->info.gpu, .info_step = info_step(s), .count = s->count};
    memcpy(s->handle.bus, &handle, sizeof handle);
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_semaphore_start(struct doca_gpu_semaphore *semaphore)
{
    doca_error_t result;
    struct semaphore *s = begin_change(semaphore, true, &result);
    if (result == DOCA_SUCCESS && s->count == 0)
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                  "it has no items (doca_gpu_semaphore_set_items_num)");
    if (result == DOCA_SUCCESS) {
        result = make_memory(s);
        if (result == DOCA_SUCCESS)
            s->started = true;
        else
            free_memory(s);
    }
    return dpk_doca_end(semaphore, __func__, dpk_object_unlock(s, result));
}

static doca_error_t not_started(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the semaphore is not started");
}

doca_error_t doca_gpu_semaphore_stop(struct doca_gpu_semaphore *semaphore)
{
    struct semaphore *s = dpk_object_lock(semaphore, &semaphore_kind);
    doca_error_t result = s && s->started ? DOCA_SUCCESS : not_started();
    if (result == DOCA_SUCCESS)
        free_memory(s);
    return dpk_doca_end(semaphore, __func__, dpk_object_unlock(s, result));
}

doca_error_t doca_gpu_semaphore_get_gpu_handle(struct doca_gpu_semaphore *semaphore_cpu,
                                               struct doca_gpu_semaphore_gpu **semaphore_gpu)
{
    if (semaphore_gpu)
        *semaphore_gpu = NULL;
    struct semaphore *s = semaphore_gpu ? dpk_object_lock(semaphore_cpu, &semaphore_kind) : NULL;
    doca_error_t result = s && s->started ? DOCA_SUCCESS : not_started();
    if (result == DOCA_SUCCESS)
        *semaphore_gpu = s->handle.gpu;
    return dpk_doca_end(semaphore_cpu, __func__, dpk_object_unlock(s, result));
}

/* ---- Items ---- */

/* Returns the semaphore, locked, for an access of the CPU to an item whose memory has the type `type`. */
static struct semaphore *begin_access(struct doca_gpu_semaphore *semaphore, uint32_t idx,
                                      bool of_info, doca_error_t *result)
{
    struct semaphore *s = dpk_object_lock(semaphore, &semaphore_kind);
    *result = DOCA_ERROR_INVALID_VALUE;
    if (!s)
        return NULL;
    const struct gpunetio_memory *m = of_info ? &s->info : &s->items;
    if (!s->started)
        *result = not_started();
    else if (idx >= s->count)
        dpk_doca_because(*result, "the semaphore has %u items, not one of index %u", s->count, idx);
    else if (of_info && !m->gpu)
        dpk_doca_because(*result, "its items have no information of their own "
                                  "(doca_gpu_semaphore_set_custom_info)");
    else if (!m->cpu)
        *result =
            dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                             "this is GPU memory (DOCA_GPU_MEM_TYPE_GPU): the CPU cannot read "
                             "or write it");
    else
        *result = DOCA_SUCCESS;
    return s;
}

static struct doca_gpu_semaphore_item *item_of(const struct semaphore *s, uint32_t idx)
{
    return (struct doca_gpu_semaphore_item *)s->items.cpu + idx;
}

doca_error_t doca_gpu_semaphore_get_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status *status)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct semaphore *s = status ? begin_access(semaphore_cpu, idx, false, &result) : NULL;
    if (result == DOCA_SUCCESS)
        *status = (enum doca_gpu_semaphore_status)__atomic_load_n(&item_of(s, idx)->status,
                                                                  __ATOMIC_ACQUIRE);
    return dpk_doca_end(semaphore_cpu, __func__, dpk_object_unlock(s, result));
}

doca_error_t doca_gpu_semaphore_set_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status status)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    const bool known = status <= DOCA_GPU_SEMAPHORE_STATUS_EXIT;
    struct semaphore *s = known ? begin_access(semaphore_cpu, idx, false, &result) : NULL;
    if (result == DOCA_SUCCESS)
        __atomic_store_n(&item_of(s, idx)->status, (uint32_t)status, __ATOMIC_RELEASE);
    return dpk_doca_end(semaphore_cpu, __func__, dpk_object_unlock(s, result));
}

doca_error_t doca_gpu_semaphore_get_custom_info_addr(struct doca_gpu_semaphore *semaphore_cpu,
                                                     uint32_t idx, void **custom_info)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct semaphore *s = custom_info ? begin_access(semaphore_cpu, idx, true, &result) : NULL;
    if (result == DOCA_SUCCESS)
        *custom_info = (uint8_t *)s->info.cpu + idx * info_step(s);
    return dpk_doca_end(semaphore_cpu, __func__, dpk_object_unlock(s, result));
}
