/* Registered host memory that DPA code loads and stores (doca_dpa_dev_external_ptr_get). The upper
 * 16 bits of an external address are the number of the memory, the others are the host address.
 * Each access looks the memory up and checks its rights. */
#include <inttypes.h>

#include "engine/rv64/rv64.h"
#include "guest/abi/doca_calls.h"
#include "memory.h"

#define HOST_BITS  48
#define FIRST_SLOT (RV64_EXTERNAL_BASE >> HOST_BITS)
#define SLOTS_MAX  ((UINT64_C(1) << (64 - HOST_BITS)) - FIRST_SLOT)

/* Acquires host memory that the caller's device may access. Otherwise returns NULL, with a reason
 * in `reason`. */
static const struct dpk_memory *acquire(const struct dpk_memory_access *a, char *reason,
                                        size_t room)
{
    char why[DPK_MEMORY_REASON_MAX] = "it is memory of the DPA: use its address there";
    const struct dpk_memory *m = dpk_memory_acquire(a);
    if (m && m->host)
        return m;
    if (m)
        dpk_memory_release(m);
    else
        dpk_memory_explain(a, why);
    snprintf(reason, room, "external pointer to host address 0x%" PRIx64 ": %s", a->address, why);
    return NULL;
}

static bool is_dead(uint32_t key)
{
    struct dpk_memory m;
    return !dpk_memory_describe(key, &m);
}

/* Returns the slot of the key, else a slot whose memory is gone, else a new slot. Returns SLOTS_MAX
 * if there is no slot. Call this with the lock held. */
static uint64_t slot_of(struct dpk_externals *e, uint32_t key)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->keys[i] == key)
            return i;
    for (uint32_t i = 0; i < e->count; i++)
        if (is_dead(e->keys[i])) {
            e->keys[i] = key;
            return i;
        }
    uint32_t *more =
        e->count < SLOTS_MAX ? reallocarray(e->keys, e->count + 1, sizeof *more) : NULL;
    if (!more)
        return SLOTS_MAX;
    e->keys = more;
    e->keys[e->count] = key;
    return e->count++;
}

/* Returns true for memory of the process itself, which needs no external address. */
static bool is_own(const struct dpk_dpa *d, const struct dpk_memory_domain *domain, uint32_t key,
                   uint64_t address)
{
    const struct dpk_memory *m =
        dpk_memory_acquire(&(struct dpk_memory_access){key, DPK_MEMORY_READ, address, 1, domain});
    const bool own = m && m->kind == DPK_MEMORY_DPA && m->process == d->process->dpa;
    if (m)
        dpk_memory_release(m);
    return own;
}

/* Gives DPA code an address for loads and stores of registered host memory. */
static bool external_pointer(struct dpk_dpa *d, const struct dpk_memory_domain *domain,
                             uint64_t address, uint64_t memory, uint64_t *result, char *reason,
                             size_t size)
{
    if (memory <= UINT32_MAX && is_own(d, domain, (uint32_t)memory, address)) {
        *result = address;
        return true;
    }
    if (memory > UINT32_MAX || address >> HOST_BITS != 0) {
        snprintf(reason, size,
                 "external pointer: 0x%" PRIx64 " is not a handle of memory, or 0x%" PRIx64
                 " no address of the host",
                 memory, address);
        return false;
    }
    const struct dpk_memory *m =
        acquire(&(struct dpk_memory_access){(uint32_t)memory, DPK_MEMORY_READ, address, 1, domain},
                reason, size);
    if (!m)
        return false;
    dpk_memory_release(m);
    pthread_mutex_lock(&d->externals.lock);
    uint64_t slot = slot_of(&d->externals, (uint32_t)memory);
    pthread_mutex_unlock(&d->externals.lock);
    *result = (FIRST_SLOT + slot) << HOST_BITS | address;
    if (slot == SLOTS_MAX)
        snprintf(reason, size, "external pointer: to too many memories, or out of memory");
    return slot < SLOTS_MAX;
}

static void *find_memory(void *context, const struct dpk_caller *caller, uint64_t address,
                         unsigned size, bool write, void **pinned, char *reason)
{
    struct dpk_dpa *d = context;
    struct dpk_externals *e = &d->externals;
    const uint64_t slot = (address >> HOST_BITS) - FIRST_SLOT;
    const uint64_t host = address & ((UINT64_C(1) << HOST_BITS) - 1);
    pthread_mutex_lock(&e->lock);
    const uint32_t key = slot < e->count ? e->keys[slot] : 0; /* 0 is not a key */
    pthread_mutex_unlock(&e->lock);
    const struct dpk_memory *m =
        acquire(&(struct dpk_memory_access){key, write ? DPK_MEMORY_WRITE : DPK_MEMORY_READ, host,
                                            size, dpk_dpa_domain(d, caller)},
                reason, DPK_FAULT_REASON_MAX);
    *pinned = (void *)m;
    return m ? dpk_memory_at(m, host) : NULL;
}

static void release(void *context, void *pinned)
{
    (void)context;
    dpk_memory_release(pinned);
}

static void attach(struct dpk_dpa *d)
{
    dpk_process_set_external_memory(
        d->process->dpa,
        &(struct dpk_external_memory){.find = find_memory, .release = release, .context = d});
}

static bool call_external(void *context, struct dpk_caller *caller, unsigned call,
                          const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    (void)call;
    return external_pointer(context, dpk_dpa_domain(context, caller), args[0], args[1], result,
                            reason, size);
}

static struct dpk_dpa_calls calls = {
    .room = DPA_ROOM_EXTERNAL, .call = call_external, .attach = attach};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
