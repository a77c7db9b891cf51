/* What DPA code asks of the DOCA libraries: its device, completions (runtime/guest/doca_calls.h). */
#include "calls.h"
#include "guest/doca_calls.h"

/* Another library's; it is not linked into this one. */
static _Atomic(dpk_device_call) others;

void dpk_doca_set_calls(dpk_device_call handler)
{
    atomic_store(&others, handler);
}

static bool complain(char *story, size_t size, const char *what)
{
    snprintf(story, size, "%s", what);
    return false;
}

/* The next completion of a queue goes to `to`. False: it cannot be written there. */
static bool take(struct dpk_waker *q, struct dpk_process *p, uint64_t to, uint64_t *found)
{
    *found = q->posted != q->taken;
    if (!*found)
        return true;
    const struct dpk_completion *c = &q->ring[q->taken % q->size];
    if (dpk_copy_in(p, to, c, sizeof *c, NULL) != DPK_OK)
        return false;
    q->taken++;
    return true;
}

/* With the queue's lock held. */
static bool queue_call(struct dpk_waker *q, struct dpk_process *p, unsigned call,
                       const uint64_t args[6], uint64_t *result, char *story, size_t size)
{
    switch (call) {
    case DPA_DOCA_GET_COMPLETION:
        return take(q, p, args[1], result) ||
               complain(story, size, "completion: no memory for the element");
    case DPA_DOCA_COMPLETION_ACK:
        if (args[1] > q->taken - q->acknowledged)
            return complain(story, size, "completion: acknowledges more than it got");
        q->acknowledged += (uint32_t)args[1];
        return true;
    default:
        dpk_trigger_arm(q->trigger, q->taken);
        return true;
    }
}

static bool call_on_queue(struct dpk_dpa *d, unsigned call, const uint64_t args[6],
                          uint64_t *result, char *story, size_t size)
{
    struct dpk_waker *q = dpk_object_pin(dpk_pointer(args[0]), &dpk_completion_kind);
    bool good = false;
    if (q)
        pthread_mutex_lock(&q->object.lock);
    if (!q || !q->trigger || q->run != d->run || dpk_dpa_base(q->dpa) != d)
        complain(story, size, "completion: not a handle, or not started");
    else
        good = queue_call(q, dpk_host_process(d->process), call, args, result, story, size);
    if (q)
        pthread_mutex_unlock(&q->object.lock);
    dpk_object_drop(q);
    return good;
}

bool dpk_doca_call(void *context, struct dpk_caller *caller, unsigned call, const uint64_t args[6],
                   uint64_t *result, char *story, size_t size)
{
    struct dpk_dpa *d = context;
    *result = 0;
    switch (call) {
    case DPA_DOCA_DEVICE_SET:
        if (!dpk_dpa_has_number(d, args[0]))
            return complain(story, size, "doca_dpa_dev_device_set: not a handle");
        caller->state[DPK_CALLER_DEVICE] = args[0];
        return true;
    case DPA_DOCA_GET_COMPLETION:
    case DPA_DOCA_COMPLETION_ACK:
    case DPA_DOCA_REQUEST_NOTIFICATION:
        if (!call_on_queue(d, call, args, result, story, size))
            return false;
        caller->polls = call == DPA_DOCA_GET_COMPLETION && *result == 0;
        return true;
    case DPA_DOCA_EXTERNAL_POINTER:
        return dpk_external_pointer(d, args[0], args[1], result, story, size);
    default:
        break;
    }
    dpk_device_call other = call >= DPK_DOCA_CALL_OTHERS ? atomic_load(&others) : NULL;
    if (other)
        return other(context, caller, call, args, result, story, size);
    return complain(story, size, "a call that no DOCA library carries out");
}
