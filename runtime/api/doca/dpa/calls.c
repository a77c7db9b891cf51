/* Calls of DPA code. Each room registers its calls. This file has the calls on the caller's device
 * and on completion queues (guest/abi/doca_calls.h). */
#include "guest/abi/doca_calls.h"
#include "guest/abi/dpa_abi.h"
#include "private.h"

/* The rooms, which constructors register; constant afterwards. */
static struct dpk_dpa_calls *registered;

void dpk_dpa_register_calls(struct dpk_dpa_calls *calls)
{
    calls->next = registered;
    registered = calls;
}

bool dpk_dpa_call_fails(char *reason, size_t size, const char *what)
{
    snprintf(reason, size, "%s", what);
    return false;
}

bool dpk_dpa_call_unknown(char *reason, size_t size, unsigned call)
{
    snprintf(reason, size, "call 0x%02x is unknown to the room that has its number", call);
    return false;
}

/* Passes a call to its room. */
static bool carry_out(void *context, struct dpk_caller *caller, unsigned call,
                      const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    const enum dpa_doca_room room = dpa_doca_room_of(call);
    *result = 0;
    for (const struct dpk_dpa_calls *c = registered; c && room != DPA_ROOM_NONE; c = c->next)
        if (c->room == room)
            return c->call(context, caller, call, args, result, reason, size);
    return dpk_dpa_call_fails(reason, size, "a call that no DOCA library carries out");
}

void dpa_calls_attach(struct dpk_dpa *d)
{
    dpk_process_set_calls(d->process->dpa, DPA_SYS_FAMILY_DOCA, carry_out, d);
    for (const struct dpk_dpa_calls *c = registered; c; c = c->next)
        if (c->attach)
            c->attach(d);
}

/* ---- Completion queues ---- */

_Static_assert(sizeof(struct dpk_completion) == sizeof(struct dpa_doca_completion) &&
                   offsetof(struct dpk_completion, syndrome) ==
                       offsetof(struct dpa_doca_completion, syndrome),
               "device code reads it as the host writes it");

/* The next completion of a queue gets its place in DPA memory, and that address goes to `to`. False: it
 * cannot be written there. */
static bool take(struct dpk_dpa_completion *q, struct dpk_process *p, uint64_t to, uint64_t *found)
{
    *found = q->posted != q->taken;
    if (!*found)
        return true;
    const struct dpk_completion *c = &q->ring[q->taken % q->size];
    const uint64_t at = q->elements + q->taken % q->size * (uint64_t)sizeof *c;
    if (dpk_copy_in(p, at, c, sizeof *c, NULL) != DPK_OK ||
        dpk_copy_in(p, to, &at, sizeof at, NULL) != DPK_OK)
        return false;
    q->taken++;
    return true;
}

/* Call this with the queue's lock held. */
static bool queue_call(struct dpk_dpa_completion *q, struct dpk_process *p, unsigned call,
                       const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    switch (call) {
    case DPA_DOCA_GET_COMPLETION:
        return take(q, p, args[1], result) ||
               dpk_dpa_call_fails(reason, size, "completion: no memory for the element");
    case DPA_DOCA_COMPLETION_ACK:
        if (args[1] > q->taken - q->acknowledged)
            return dpk_dpa_call_fails(reason, size, "completion: acknowledges more than it got");
        q->acknowledged += (uint32_t)args[1];
        return true;
    case DPA_DOCA_REQUEST_NOTIFICATION:
        dpk_trigger_arm(q->trigger, q->taken);
        return true;
    default:
        return dpk_dpa_call_unknown(reason, size, call);
    }
}

static bool call_on_queue(struct dpk_dpa *d, unsigned call, const uint64_t args[6],
                          uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa_completion *q = dpk_object_pin(dpk_pointer(args[0]), &dpk_completion_kind);
    bool good = false;
    if (q)
        pthread_mutex_lock(&q->object.lock);
    if (!q || !q->trigger || q->run != d->run || dpk_dpa_base(q->dpa) != d)
        dpk_dpa_call_fails(reason, size, "completion: not a handle, or not started");
    else
        good = queue_call(q, d->process->dpa, call, args, result, reason, size);
    if (q)
        pthread_mutex_unlock(&q->object.lock);
    dpk_object_drop(q);
    return good;
}

/* ---- Calls of this room ---- */

static bool dpa_call(void *context, struct dpk_caller *caller, unsigned call,
                     const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    if (call == DPA_DOCA_DEVICE_SET) {
        const struct dpk_memory_domain *domain = dpk_dpa_domain_of_number(d, args[0]);
        if (!domain)
            return dpk_dpa_call_fails(reason, size, "doca_dpa_dev_device_set: not a handle");
        caller->state[DPK_CALLER_DEVICE] = (uintptr_t)domain;
        return true;
    }
    if (!call_on_queue(d, call, args, result, reason, size))
        return false;
    caller->polls = call == DPA_DOCA_GET_COMPLETION && *result == 0;
    return true;
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_DPA, .call = dpa_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
