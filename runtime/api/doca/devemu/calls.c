/* Calls of DPA code (guest/abi/devemu_calls.h). */
#include "guest/abi/devemu_calls.h"

#include "guest/abi/dpa_abi.h"
#include "private.h"

/* ---- Doorbells ---- */

/* Returns a doorbell of a process, pinned, or NULL if the handle is not a doorbell. */
static struct doorbell *pin_doorbell(struct dpk_dpa *d, uint64_t handle)
{
    struct doorbell *b = dpk_object_pin(dpk_pointer(handle), &devemu_doorbell_kind);
    if (b && b->queue->run == d->run && dpk_dpa_base(b->queue->dpa) == d)
        return b;
    dpk_object_drop(b);
    return NULL;
}

static uint64_t call_locked(struct doorbell *b, unsigned call, uint64_t completion)
{
    const bool of_it = dpk_pointer(completion) == b->completion->object.handle;
    switch (call) {
    case DPA_DEVEMU_BIND:
    case DPA_DEVEMU_UNBIND:
        if (!of_it || b->bound == (call == DPA_DEVEMU_BIND))
            return 0;
        b->bound = call == DPA_DEVEMU_BIND;
        return 1;
    case DPA_DEVEMU_REQUEST:
        b->asked = true;
        return 0;
    default:
        return b->value;
    }
}

static bool call_on_doorbell(struct dpk_dpa *d, unsigned call, uint64_t completion, uint64_t handle,
                             uint64_t *result, char *reason, size_t size)
{
    struct doorbell *b = pin_doorbell(d, handle);
    if (!b)
        return dpk_dpa_call_fails(reason, size, "devemu: not a handle of a doorbell");
    pthread_mutex_lock(&b->dev->listener.lock);
    *result = call_locked(b, call, completion);
    devemu_doorbell_tell(b);
    pthread_mutex_unlock(&b->dev->listener.lock);
    dpk_object_drop(b);
    return true;
}

/* ---- Completions ---- */

/* Which doorbell has a place, and its user data. */
static void find_doorbell(struct db_completion *k, uint64_t place, uint64_t found[2])
{
    struct doorbell *b = NULL;
    pthread_mutex_lock(&k->object.lock);
    if (k->doorbells && place < k->max)
        b = dpk_object_pin(k->doorbells[place], &devemu_doorbell_kind);
    pthread_mutex_unlock(&k->object.lock);
    found[0] = b ? (uintptr_t)b->object.handle : 0;
    found[1] = b ? b->user_data : 0;
    dpk_object_drop(b);
}

static bool tell_properties(struct dpk_dpa *d, const uint64_t args[6], char *reason, size_t size)
{
    uint64_t found[2];
    struct db_completion *k = dpk_object_pin(dpk_pointer(args[0]), &devemu_db_completion_kind);
    if (!k)
        return dpk_dpa_call_fails(reason, size, "devemu: not a handle of a doorbell completion");
    find_doorbell(k, args[1], found);
    dpk_object_drop(k);
    struct dpk_process *p = dpk_dpa_enter(d, d->run);
    const bool good = p && dpk_copy_in(p, args[2], found, sizeof found, NULL) == DPK_OK;
    if (p)
        dpk_dpa_leave(d);
    return good || dpk_dpa_call_fails(reason, size, "devemu: no memory for the properties");
}

/* ---- Vectors ---- */

static bool call_on_vector(struct dpk_dpa *d, unsigned call, uint64_t handle, uint64_t *result,
                           char *reason, size_t size)
{
    struct vector *v = dpk_object_pin(dpk_pointer(handle), &devemu_vector_kind);
    const bool good = v && dpk_dpa_base(v->dpa) == d;
    if (good && call == DPA_DEVEMU_RAISE)
        dpk_pci_raise(v->dev->f, v->vector);
    else if (good)
        *result = v->user_data;
    dpk_object_drop(v);
    return good || dpk_dpa_call_fails(reason, size, "devemu: not a handle of a vector");
}

static bool devemu_call(void *context, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    (void)caller;
    switch (call) {
    case DPA_DEVEMU_BIND:
    case DPA_DEVEMU_UNBIND:
        return call_on_doorbell(context, call, args[0], args[1], result, reason, size);
    case DPA_DEVEMU_PROPERTIES:
        return tell_properties(context, args, reason, size);
    case DPA_DEVEMU_RAISE:
    case DPA_DEVEMU_DATA:
        return call_on_vector(context, call, args[0], result, reason, size);
    case DPA_DEVEMU_REQUEST:
    case DPA_DEVEMU_VALUE:
        return call_on_doorbell(context, call, 0, args[0], result, reason, size);
    default:
        return dpk_dpa_call_unknown(reason, size, call);
    }
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_DEVEMU, .call = devemu_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
