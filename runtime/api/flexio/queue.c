/* Queues of a process: functions for queues of all kinds, and calls of the device on queues. */
#include "queue.h"

#include "guest/abi/flexio_abi.h"

struct dpk_queue_place libflexio_queue_place(struct queue_memory *out,
                                             struct flexio_process *process,
                                             const struct flexio_qmem *from)
{
    const bool own = process->dumem_id != 0 && from->umem_id == process->dumem_id;
    *out = (struct queue_memory){.ops = libflexio_queue_memory_ops,
                                 .process = process,
                                 .host = from->memtype == FLEXIO_MEMTYPE_HOST && !own,
                                 .umem = from->umem_id};
    return (struct dpk_queue_place){.memory = out,
                                    .address = out->host ? from->humem_offset : from->daddr,
                                    .process = out->host ? NULL : process->dpa};
}

/* With the lock. */
static struct flexio_queue *find_queue(struct flexio_process *p, uint32_t number)
{
    struct flexio_queue *q = p->numbered[number % NUMBERED_QUEUES];
    while (q && dpk_queue_number(q->q) != number)
        q = q->next_numbered;
    return q;
}

static struct flexio_queue **numbered_of(struct flexio_queue *queue)
{
    return &queue->process->numbered[dpk_queue_number(queue->q) % NUMBERED_QUEUES];
}

/* Call this with the lock. */
static void give_number(struct flexio_queue *queue)
{
    struct flexio_queue **first = numbered_of(queue);
    queue->next_numbered = *first;
    *first = queue;
}

/* Hides the queue from the device, whose doorbells for it are ignored from now on. Call this with
 * the lock. */
static void take_number(struct flexio_queue *queue)
{
    struct flexio_process *p = queue->process;
    struct flexio_queue **at = numbered_of(queue);
    while (*at != queue)
        at = &(*at)->next_numbered;
    *at = queue->next_numbered;
    p->destroyed[p->destroyed_count++ % DESTROYED_QUEUES] = dpk_queue_number(queue->q);
}

struct flexio_queue *libflexio_queue_of_process(struct flexio_process *p, uint32_t number,
                                                enum dpk_queue_kind kind)
{
    pthread_mutex_lock(&p->objects_lock);
    struct flexio_queue *q = find_queue(p, number);
    if (q && q->kind != kind)
        q = NULL;
    pthread_mutex_unlock(&p->objects_lock);
    return q;
}

static void release(struct flexio_queue *queue)
{
    dpk_trigger_destroy(queue->trigger);
    free(queue->shown);
    free(queue);
}

flexio_status libflexio_queue_add(const char *call, struct flexio_queue *queue, uint32_t uar,
                                  const struct dpk_queue_options *options)
{
    struct flexio_process *p = queue->process;
    struct dpk_error err = {0};
    queue->kind = options->kind;
    queue->uar = libflexio_uar_page(p, uar);
    queue->listener = libflexio_queue_listener;
    if (dpk_queue_create(p->nic, options, &queue->q, &err) != DPK_OK) {
        release(queue);
        return libflexio_failed(call, &err);
    }
    if (options->kind == DPK_SQ || options->kind == DPK_QP)
        dpk_process_has_doorbells(p->dpa);
    pthread_mutex_lock(&p->objects_lock);
    queue->next = p->queues;
    p->queues = queue;
    give_number(queue);
    pthread_mutex_unlock(&p->objects_lock);
    return FLEXIO_STATUS_SUCCESS;
}

static void forget(struct flexio_queue *queue)
{
    struct flexio_process *p = queue->process;
    pthread_mutex_lock(&p->objects_lock);
    struct flexio_queue **at = &p->queues;
    while (*at != queue)
        at = &(*at)->next;
    *at = queue->next;
    take_number(queue);
    pthread_mutex_unlock(&p->objects_lock);
}

/* Moves a queue after its users in the list. A queue with users does not use other queues. */
static void list_last(struct flexio_queue *queue)
{
    struct flexio_process *p = queue->process;
    pthread_mutex_lock(&p->objects_lock);
    struct flexio_queue **at = &p->queues;
    while (*at)
        at = &(*at)->next;
    *at = queue;
    queue->next = NULL;
    give_number(queue);
    pthread_mutex_unlock(&p->objects_lock);
}

flexio_status libflexio_queue_remove(const char *call, struct flexio_queue *queue)
{
    struct dpk_error err = {0};
    if (!queue)
        return FLEXIO_STATUS_SUCCESS;
    /* The device must not find the queue while it is destroyed, but must find it again if that
     * fails. */
    forget(queue);
    if (dpk_queue_destroy(queue->q, &err) != DPK_OK) {
        list_last(queue);
        return libflexio_failed(call, &err);
    }
    release(queue);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t libflexio_queue_number(const struct flexio_queue *queue)
{
    return queue ? dpk_queue_number(queue->q) : UINT32_MAX;
}

void libflexio_queues_kick(struct flexio_process *p)
{
    if (p->nic)
        dpk_queues_kick(p->nic, NULL);
}

/* Takes only the first queue, because the device may still look for the others. */
static struct flexio_queue *take_first(struct flexio_process *p)
{
    pthread_mutex_lock(&p->objects_lock);
    struct flexio_queue *first = p->queues;
    if (first) {
        p->queues = first->next;
        take_number(first);
    }
    pthread_mutex_unlock(&p->objects_lock);
    return first;
}

/* Frees all queues in the order of the list, which has the users of a queue before it. */
void libflexio_queues_free(struct flexio_process *p)
{
    for (struct flexio_queue *q; (q = take_first(p));) {
        dpk_queue_destroy(q->q, NULL);
        release(q);
    }
}

/* ---- Calls of the device ---- */

/* Arms the thread of a CQ. The consumer index has 24 bits. If it is ahead of the producer, all
 * completions were consumed. */
static void arm(const struct flexio_queue *q, uint32_t consumed)
{
    /* The thread has posted receives, and ends if no frame comes, so frames are delivered now. */
    dpk_queues_kick(q->process->nic, q->q);
    uint32_t produced = dpk_cq_produced(q->q), unseen = (produced - consumed) & 0xffffff;
    dpk_trigger_arm(q->trigger, produced - (unseen < 0x800000 ? unseen : 0));
}

/* Returns false if neither the process, nor for an empty completion its device, has a queue of that
 * kind and number. */
static bool report(struct flexio_process *p, unsigned call, uint32_t number, uint32_t consumed)
{
    pthread_mutex_lock(&p->objects_lock);
    const struct flexio_queue *q = find_queue(p, number);
    const bool is = q && q->kind == (call == DPA_FLEXIO_EQ_CONSUMED ? DPK_EQ : DPK_CQ);
    if (is && call == DPA_FLEXIO_COMPLETE)
        dpk_cq_complete(q->q);
    else if (is && q->trigger)
        arm(q, consumed);
    else if (is)
        dpk_queue_consumed(q->q, consumed);
    pthread_mutex_unlock(&p->objects_lock);
    return is || (call == DPA_FLEXIO_COMPLETE && dpk_emulated_11.complete(p->context, number));
}

/* As on a card, a doorbell of a destroyed queue has no effect: the host may take it down while a
 * thread runs. */
static bool was_there(struct flexio_process *p, uint32_t number)
{
    bool was = false;
    pthread_mutex_lock(&p->objects_lock);
    for (uint64_t i = 0; i < p->destroyed_count && i < DESTROYED_QUEUES && !was; i++)
        was = p->destroyed[i] == number;
    pthread_mutex_unlock(&p->objects_lock);
    return was;
}

/* The numbers are those of enum _flexio_dev_missing in the device's header. */
static const char *missing_name(uint64_t what)
{
    static const char *const names[] = {"device emulation contexts", "congestion control",
                                        "counters of the port"};
    return what < sizeof names / sizeof *names ? names[what] : "such hardware";
}

static const char *kind_name(enum dpk_queue_kind kind)
{
    return kind == DPK_CQ ? "completion queue" : kind == DPK_EQ ? "event queue" : "send queue";
}

/* Returns false, with a reason, if the queue of that number has another UAR than the outbox. */
static bool reaches(struct flexio_process *p, uint32_t number, uint32_t page, char *reason,
                    size_t size)
{
    pthread_mutex_lock(&p->objects_lock);
    const struct flexio_queue *q = find_queue(p, number);
    const enum dpk_queue_kind kind = q ? q->kind : DPK_SQ;
    const uint32_t uar = q ? q->uar : page;
    pthread_mutex_unlock(&p->objects_lock);
    if (uar == page)
        return true;
    if (page == 0)
        snprintf(reason, size, "doorbell: the outbox is destroyed, or its UAR is");
    else
        snprintf(reason, size,
                 "doorbell: %s 0x%x has UAR 0x%x, and the outbox reaches those of UAR 0x%x: create "
                 "both with one UAR",
                 kind_name(kind), number, uar, page);
    return false;
}

static bool ring(struct flexio_process *p, struct dpk_caller *caller, uint32_t number,
                 uint16_t posted)
{
    dpk_doorbell_begin(caller);
    const bool rung = p->nic && dpk_queue_ring_number(p->nic, number, p, posted);
    dpk_doorbell_end();
    return rung || was_there(p, number);
}

bool libflexio_queue_call(struct flexio_process *p, struct dpk_caller *caller, unsigned call,
                          const uint64_t *args, uint32_t page, char *reason, size_t size)
{
    const uint32_t number = (uint32_t)args[0];
    const bool rings = call == DPA_FLEXIO_RING || call == DPA_FLEXIO_ARM ||
                       call == DPA_FLEXIO_COMPLETE || call == DPA_FLEXIO_EQ_CONSUMED;
    if (rings && !reaches(p, number, page, reason, size))
        return false;
    switch (call) {
    case DPA_FLEXIO_RING:
        if (ring(p, caller, number, (uint16_t)args[1]))
            return true;
        snprintf(reason, size, "doorbell: the process has no send queue 0x%x", number);
        return false;
    case DPA_FLEXIO_ARM:
    case DPA_FLEXIO_COMPLETE:
    case DPA_FLEXIO_EQ_CONSUMED:
        if (report(p, call, number, (uint32_t)args[1]) || was_there(p, number))
            return true;
        snprintf(reason, size, "doorbell: the process has no %s queue 0x%x",
                 call == DPA_FLEXIO_EQ_CONSUMED ? "event" : "completion", number);
        return false;
    case DPA_FLEXIO_ACTIVATE:
        if (libflexio_event_handler_activate(p, args[0]))
            return true;
        snprintf(reason, size, "the process has no event handler %u", number);
        return false;
    case DPA_FLEXIO_POSTED:
        libflexio_queues_kick(p);
        return true;
    case DPA_FLEXIO_NO_HARDWARE:
        snprintf(reason, size, "the emulated device has no %s", missing_name(args[0]));
        return false;
    default:
        snprintf(reason, size, "unknown call of libflexio");
        return false;
    }
}
