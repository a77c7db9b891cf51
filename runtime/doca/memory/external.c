/*
 * Registered host memory that DPA code loads and stores (doca_dpa_dev_external_ptr_get). The upper
 * 16 bits of such an address say which memory, the others are its address on the host. What may be
 * reached is looked up at every access.
 */
#include "guest/doca_calls.h"
#include "memory.h"
#include "rv64/rv64.h"

#define HOST_BITS  48
#define FIRST_SLOT (RV64_OUTSIDE >> HOST_BITS)
#define SLOTS_MAX  ((UINT64_C(1) << (64 - HOST_BITS)) - FIRST_SLOT)

static bool covers(const struct dpk_memory *m, uint64_t address, uint64_t size)
{
    return address >= m->address && size <= m->size && address - m->address <= m->size - size;
}

/* Host memory of a number, pinned in *map. False: there is none, or not so much. */
static bool pin_host_memory(uint32_t key, uint64_t address, uint64_t size, struct dpk_memory *m,
                            void **map)
{
    if (!dpk_memory_of_key(key, m, map))
        return false;
    if (m->place == DPK_MEMORY_HOST && covers(m, address, size))
        return true;
    dpk_mmap_leave(*map);
    return false;
}

static bool is_dead(uint32_t key)
{
    struct dpk_memory m;
    void *map;
    if (!dpk_memory_of_key(key, &m, &map))
        return true;
    dpk_mmap_leave(map);
    return false;
}

/* The slot that has the key, else one whose memory is gone, else a new one; SLOTS_MAX: none. With
 * the lock held. */
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

/* Gives DPA code an address for loads and stores of registered host memory. */
static bool external_pointer(struct dpk_dpa *d, uint64_t address, uint64_t memory, uint64_t *result,
                             char *story, size_t size)
{
    struct dpk_memory m;
    void *map;
    bool known = memory <= UINT32_MAX && address >> HOST_BITS == 0 &&
                 pin_host_memory((uint32_t)memory, address, 1, &m, &map);
    bool ours = known && dpk_memory_is_on(map, d->dev); /* for as long as the number means it */
    if (known)
        dpk_mmap_leave(map);
    if (!ours) {
        snprintf(story, size, "external pointer: not registered host memory%s",
                 known ? " of this device" : "");
        return false;
    }
    pthread_mutex_lock(&d->externals.lock);
    uint64_t slot = slot_of(&d->externals, (uint32_t)memory);
    pthread_mutex_unlock(&d->externals.lock);
    *result = (FIRST_SLOT + slot) << HOST_BITS | address;
    if (slot == SLOTS_MAX)
        snprintf(story, size, "external pointer: to too many memories, or out of memory");
    return slot < SLOTS_MAX;
}

static void *find(void *context, const struct dpk_caller *caller, uint64_t address, unsigned size,
                  bool write, void **pinned)
{
    struct dpk_externals *e = &((struct dpk_dpa *)context)->externals;
    const uint64_t slot = (address >> HOST_BITS) - FIRST_SLOT;
    const uint64_t host = address & ((UINT64_C(1) << HOST_BITS) - 1);
    struct dpk_memory m;
    (void)caller;
    pthread_mutex_lock(&e->lock);
    const uint32_t key = slot < e->count ? e->keys[slot] : 0; /* no memory has 0 */
    pthread_mutex_unlock(&e->lock);
    if (!pin_host_memory(key, host, size, &m, pinned))
        return NULL;
    if (write && !(m.permissions & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)) {
        dpk_mmap_leave(*pinned);
        return NULL;
    }
    return dpk_pointer(host);
}

static void release(void *context, void *pinned)
{
    (void)context;
    dpk_mmap_leave(pinned);
}

static void attach(struct dpk_dpa *d)
{
    dpk_process_set_external_memory(
        dpk_host_process(d->process),
        &(struct dpk_external_memory){.find = find, .release = release, .context = d});
}

static bool call_external(void *context, struct dpk_caller *caller, unsigned call,
                          const uint64_t args[6], uint64_t *result, char *story, size_t size)
{
    (void)caller;
    (void)call;
    return external_pointer(context, args[0], args[1], result, story, size);
}

static struct dpk_dpa_calls calls = {.first = DPA_DOCA_EXTERNAL_POINTER,
                                     .last = DPA_DOCA_EXTERNAL_POINTER,
                                     .call = call_external,
                                     .attach = attach};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
