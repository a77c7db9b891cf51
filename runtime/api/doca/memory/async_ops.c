/* Copies and waits that DPA code posts. Completions report their ends. */
#include <doca_dpa.h>
#include <doca_dpa_dev.h>

#include "guest/abi/doca_calls.h"
#include "memory.h"

#define QUEUE_SIZE_MAX   65536u
#define LOCAL_PROTECTION 0x04 /* MLX5_CQE_SYNDROME_LOCAL_PROT_ERR */

/* An operation that waits for earlier operations. The first of them is a wait. */
struct pending {
    struct pending *next;
    bool waits;
    struct dpa_async_copy copy;
    struct dpk_event_condition until;
};

struct async_ops {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint32_t queue_size;
    uint64_t user_data;
    struct dpk_dpa_completion *queue; /* a reference, and a use while started; or NULL */
    uint64_t run;                     /* run of the context; 0: not started */
    uint32_t posted;
    struct pending *first, **last;
    uint32_t pending;
    struct dpk_event_watch *watch; /* of the first operation; has a reference */
};

/* ---- Life ---- */

static void take_first(struct async_ops *o)
{
    struct pending *p = o->first;
    o->first = p->next;
    if (!o->first)
        o->last = &o->first;
    o->pending--;
    free(p);
}

/* Drops pending operations. Call this with the lock held, and another reference. */
static void forget_pending(struct async_ops *o)
{
    if (o->watch && dpk_event_unwatch(o->watch))
        dpk_object_drop(o);
    o->watch = NULL;
    while (o->first)
        take_first(o);
}

static doca_error_t not_running(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the DPA context is not running, or was stopped");
}

/* Call this with the lock held. If the context was stopped, this returns an error but releases the
 * queue. */
static doca_error_t stop(struct async_ops *o)
{
    if (o->run == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the operations are not started");
    forget_pending(o);
    const bool lives = dpk_dpa_enter(o->dpa, o->run) != NULL;
    if (lives)
        dpk_dpa_leave(o->dpa);
    if (o->queue)
        dpk_object_unuse(o->queue);
    o->run = 0;
    return lives ? DOCA_SUCCESS : not_running();
}

static void ops_left(void *object)
{
    struct async_ops *o = object;
    pthread_mutex_lock(&o->object.lock);
    stop(o);
    pthread_mutex_unlock(&o->object.lock);
}

static void ops_release(void *object)
{
    struct async_ops *o = object;
    dpk_object_drop(o->queue);
    dpk_object_drop(o->dpa);
    free(o);
}
static const struct dpk_kind ops_kind = {.left = ops_left, .release = ops_release};

doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
                                       uint64_t user_data, struct doca_dpa_async_ops **async_ops)
{
    if (async_ops)
        *async_ops = NULL;
    if (!async_ops)
        return dpk_doca_no_object(__func__);
    if (queue_size == 0 || queue_size > QUEUE_SIZE_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "a queue of %u operations, not of 1 to %u", queue_size,
                                    QUEUE_SIZE_MAX);
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return dpk_doca_end(dpa, __func__, DOCA_ERROR_INVALID_VALUE);
    struct async_ops *o = calloc(1, sizeof *o);
    if (o) {
        o->dpa = d; /* keeps the pin as its reference */
        o->queue_size = queue_size;
        o->user_data = user_data;
        o->last = &o->first;
        *async_ops = dpk_object_enter(o, &ops_kind);
    } else {
        dpk_object_drop(d);
    }
    return dpk_doca_end(dpa, __func__, *async_ops ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops)
{
    return dpk_doca_destroy(async_ops, &ops_kind, __func__);
}

/* ---- By handle ---- */

doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops,
                                               unsigned int *queue_size)
{
    struct async_ops *o = queue_size ? dpk_object_lock(async_ops, &ops_kind) : NULL;
    if (o)
        *queue_size = o->queue_size;
    return dpk_doca_end(async_ops, __func__, dpk_object_unlock(o, DOCA_SUCCESS));
}

doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops,
                                              uint64_t *user_data)
{
    struct async_ops *o = user_data ? dpk_object_lock(async_ops, &ops_kind) : NULL;
    if (o)
        *user_data = o->user_data;
    return dpk_doca_end(async_ops, __func__, dpk_object_unlock(o, DOCA_SUCCESS));
}

doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops,
                                       struct doca_dpa_completion *dpa_comp)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_dpa_completion *q = dpk_object_pin(dpa_comp, &dpk_completion_kind);
    struct async_ops *o = dpk_object_lock(async_ops, &ops_kind);
    struct dpk_dpa_completion *unused = q;
    if (o && q && dpk_dpa_base(q->dpa) == dpk_dpa_base(o->dpa))
        result = o->run != 0 ? dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                "the operations are started, and must not be")
                             : DOCA_SUCCESS;
    else if (o && q)
        dpk_doca_because(result, "the completion queue is of another DPA context");
    if (result == DOCA_SUCCESS) {
        unused = o->queue;
        o->queue = q;
    }
    result = dpk_object_unlock(o, result);
    dpk_object_drop(unused);
    return dpk_doca_end(async_ops, __func__, result);
}

doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops)
{
    struct async_ops *o = dpk_object_lock(async_ops, &ops_kind);
    if (!o || o->run != 0)
        return dpk_doca_end(
            async_ops, __func__,
            dpk_object_unlock(o, !o ? DOCA_ERROR_INVALID_VALUE
                                    : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                       "the operations are started already")));
    if (!o->queue)
        return dpk_doca_end(async_ops, __func__,
                            dpk_object_unlock(o, dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                                                  "no completion queue is attached "
                                                                  "(doca_dpa_async_ops_attach)")));
    if (!dpk_dpa_enter(o->dpa, 0))
        return dpk_doca_end(async_ops, __func__, dpk_object_unlock(o, not_running()));
    o->run = dpk_dpa_base(o->dpa)->run;
    o->posted = 0;
    dpk_object_use(o->queue);
    dpk_dpa_leave(o->dpa);
    return dpk_doca_end(async_ops, __func__, dpk_object_unlock(o, DOCA_SUCCESS));
}

doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops)
{
    struct async_ops *o = dpk_object_lock(async_ops, &ops_kind);
    return dpk_doca_end(async_ops, __func__,
                        dpk_object_unlock(o, o ? stop(o) : DOCA_ERROR_INVALID_VALUE));
}

doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops,
                                               doca_dpa_dev_async_ops_t *handle)
{
    struct async_ops *o = handle ? dpk_object_lock(async_ops, &ops_kind) : NULL;
    if (!o || o->run == 0)
        return dpk_doca_end(
            async_ops, __func__,
            dpk_object_unlock(
                o, !o ? DOCA_ERROR_INVALID_VALUE
                      : dpk_doca_because(DOCA_ERROR_BAD_STATE, "the operations are not started")));
    if (!dpk_dpa_enter(o->dpa, o->run))
        return dpk_doca_end(async_ops, __func__, dpk_object_unlock(o, not_running()));
    *handle = (uintptr_t)o->object.handle;
    dpk_dpa_leave(o->dpa);
    return dpk_doca_end(async_ops, __func__, dpk_object_unlock(o, DOCA_SUCCESS));
}

/* ---- Operations: with the lock held, so that completions keep their order ---- */

static void complete(struct async_ops *o, bool good, uint64_t report)
{
    const uint32_t index = o->posted++;
    const struct dpk_completion completion = {.type = good ? DOCA_DPA_DEV_COMP_SEND
                                                           : DOCA_DPA_DEV_COMP_SEND_ERR,
                                              .user_data = (uint32_t)o->user_data,
                                              .wqe_counter = index,
                                              .syndrome = good ? 0 : LOCAL_PROTECTION};
    if (good && report == DPA_COPY_REPORT_IF_ROOM)
        dpk_completion_offer(o->queue, &completion);
    else if (!good || report != DPA_COPY_SILENT)
        dpk_completion_post(o->queue, &completion);
}

static void copy(struct async_ops *o, const struct dpa_async_copy *c)
{
    const struct dpk_memory_domain *domain = o->dpa->dev->domain;
    const struct dpk_memory_access to = {c->to, DPK_MEMORY_WRITE, c->to_address, c->length, domain},
                                   from = {c->from, DPK_MEMORY_READ, c->from_address, c->length,
                                           domain};
    char why[DPK_MEMORY_REASON_MAX];
    const bool good = dpk_memory_copy(&to, &from);
    if (!good)
        dpk_doca_refuse_call(o, DOCA_ERROR_IO_FAILED, "posted copy",
                             "%llu bytes from 0x%llx to 0x%llx: %s", (unsigned long long)c->length,
                             (unsigned long long)c->from_address, (unsigned long long)c->to_address,
                             dpk_memory_explain_copy(&to, &from, why));
    complete(o, good, c->report);
}

static void met(void *context, struct dpk_event_watch *watch);

/* Carries out pending operations up to a wait that is not over. The caller has entered `p`. */
static void go_on(struct async_ops *o, struct dpk_process *p)
{
    while (o->first) {
        const struct pending *next = o->first;
        if (!next->waits) {
            copy(o, &next->copy);
        } else {
            dpk_object_hold(o);
            const enum dpk_status status =
                dpk_event_watch(p, &next->until, met, o, &o->watch, NULL);
            if (o->watch)
                return;
            dpk_object_drop(o);
            complete(o, status == DPK_OK, DPA_COPY_REPORT);
        }
        take_first(o);
    }
}

static void met(void *context, struct dpk_event_watch *watch)
{
    struct async_ops *o = context;
    pthread_mutex_lock(&o->object.lock);
    if (o->watch == watch) {
        o->watch = NULL;
        struct dpk_process *p = dpk_dpa_enter(o->dpa, o->run);
        if (p) {
            complete(o, true, DPA_COPY_REPORT);
            take_first(o);
            go_on(o, p);
            dpk_dpa_leave(o->dpa);
        }
    }
    pthread_mutex_unlock(&o->object.lock);
    dpk_object_drop(o);
}

/* Returns NULL, or why the operation cannot be posted. */
static const char *post(struct async_ops *o, struct dpk_process *p, const struct pending *operation)
{
    if (!o->first && !operation->waits) {
        copy(o, &operation->copy);
        return NULL;
    }
    if (o->pending == o->queue_size)
        return "more operations wait than the queue_size of doca_dpa_async_ops_create";
    struct pending *own = malloc(sizeof *own);
    if (!own)
        return "the host has no memory left";
    *own = *operation;
    own->next = NULL;
    *o->last = own;
    o->last = &own->next;
    if (o->pending++ == 0)
        go_on(o, p);
    return NULL;
}

static bool call_post(void *context, struct dpk_caller *caller, unsigned call,
                      const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    struct pending operation = {
        .waits = call == DPA_DOCA_ASYNC_WAIT,
        .until = {.event = args[1], .value = args[2], .differs = args[3] != 0}};
    const char *problem = "asynchronous operation: not a handle, or not started";
    (void)caller;
    (void)result;
    if (call != DPA_DOCA_ASYNC_COPY && call != DPA_DOCA_ASYNC_WAIT)
        return dpk_dpa_call_unknown(reason, size, call);
    if (!operation.waits && dpk_copy_out(d->process->dpa, &operation.copy, args[1],
                                         sizeof operation.copy, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "copy: no memory where it is described");
    struct async_ops *o = dpk_object_lock(dpk_pointer(args[0]), &ops_kind);
    if (o && o->run != 0 && o->run == d->run && dpk_dpa_base(o->dpa) == d)
        problem = post(o, d->process->dpa, &operation);
    dpk_object_unlock(o, DOCA_SUCCESS);
    return !problem || dpk_dpa_call_fails(reason, size, problem);
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_ASYNC, .call = call_post};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
