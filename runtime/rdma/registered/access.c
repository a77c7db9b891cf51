/* The checker of bounds and rights, and the accesses that use it. */
#include <string.h>

#include "bus/exports/exports.h"
#include "engine/proc/proc.h"
#include "registry.h"

#define PART_SIZE   (UINT64_C(1) << 20) /* bytes of a single access of a copy */
#define BOUNCE_SIZE 4096u               /* used when neither end is memory of this process */

/* ---- The checker ---- */

enum dpk_memory_why registered_check(const struct dpk_memory *m, const struct dpk_memory_access *a)
{
    if (m->kind == DPK_MEMORY_NONE)
        return DPK_MEMORY_NO_KEY;
    if (!dpk_memory_is_in(m, a->domain))
        return DPK_MEMORY_OTHER_DOMAIN;
    if (a->rights == 0 || (m->rights & a->rights) != a->rights)
        return DPK_MEMORY_NO_RIGHT;
    if (a->address < m->address || a->size > m->size || a->address - m->address > m->size - a->size)
        return DPK_MEMORY_OUTSIDE;
    if (m->kind == DPK_MEMORY_REMOTE && !m->import)
        return DPK_MEMORY_ELSEWHERE;
    return DPK_MEMORY_ALLOWED;
}

static bool is_only_copied(const struct dpk_memory *m)
{
    return m->kind == DPK_MEMORY_REMOTE || m->kind == DPK_MEMORY_BUS;
}

/* Like dpk_memory_acquire, but also acquires memory that can only be copied. */
static const struct dpk_memory *acquire_any(const struct dpk_memory_access *a)
{
    struct slot *slot = registered_slot_pin(a->key);
    if (!slot)
        return NULL;
    const struct dpk_memory *m = &slot->memory;
    if (registered_check(m, a) == DPK_MEMORY_ALLOWED)
        return m;
    registered_slot_unpin(slot);
    return NULL;
}

const struct dpk_memory *dpk_memory_acquire(const struct dpk_memory_access *a)
{
    const struct dpk_memory *m = acquire_any(a);
    if (!m || !is_only_copied(m))
        return m;
    dpk_memory_release(m);
    return NULL;
}

void dpk_memory_release(const struct dpk_memory *m)
{
    registered_slot_unpin((struct slot *)m);
}

/* ---- Accesses ---- */

void *dpk_memory_of_process(const struct dpk_process *p, uint64_t address, uint64_t size,
                            bool written)
{
    return dpk_process_is_recorded(p) || dpk_process_buffers_stores(p)
               ? NULL
               : dpk_process_memory(p, address, size, written);
}

/* Plain accesses to memory that may have been unmapped. Call them within DPK_GUARDED. */
static void load_plain(void *to, const uint8_t *at, size_t size)
{
    if (size == sizeof(uint32_t) && (uintptr_t)at % size == 0) {
        uint32_t word = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
        memcpy(to, &word, sizeof word);
    } else if (size == sizeof(uint64_t) && (uintptr_t)at % size == 0) {
        uint64_t word = __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
        memcpy(to, &word, sizeof word);
    } else {
        memcpy(to, at, size);
    }
}

static void store_plain(uint8_t *at, const void *from, size_t size)
{
    if (size == sizeof(uint32_t) && (uintptr_t)at % size == 0) {
        uint32_t word;
        memcpy(&word, from, sizeof word);
        __atomic_store_n((uint32_t *)(void *)at, word, __ATOMIC_RELEASE);
    } else if (size == sizeof(uint64_t) && (uintptr_t)at % size == 0) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        __atomic_store_n((uint64_t *)(void *)at, word, __ATOMIC_RELEASE);
    } else {
        memcpy(at, from, size);
    }
}

static bool load(void *to, const uint8_t *at, size_t size)
{
    return DPK_GUARDED(at, at, size, load_plain(to, at, size));
}

static bool store(uint8_t *at, const void *from, size_t size)
{
    return DPK_GUARDED(at, at, size, store_plain(at, from, size));
}

bool dpk_memory_is_there(const struct dpk_memory_access *a)
{
    const struct dpk_memory *m = dpk_memory_acquire(a);
    if (!m)
        return false;
    bool good = m->host || NULL != dpk_process_memory(m->process, a->address, a->size,
                                                      (a->rights & DPK_MEMORY_WRITES) != 0);
    dpk_memory_release(m);
    return good;
}

bool dpk_memory_read(const struct dpk_memory_access *a, void *to)
{
    const struct dpk_memory *m = dpk_memory_acquire(a);
    bool good = true;
    if (!m)
        return false;
    if (m->host)
        good = load(to, dpk_memory_at(m, a->address), (size_t)a->size);
    else
        good = dpk_copy_out(m->process, to, a->address, a->size, NULL) == DPK_OK;
    dpk_memory_release(m);
    return good;
}

bool dpk_memory_write(const struct dpk_memory_access *a, const void *from)
{
    const struct dpk_memory *m = a->rights & DPK_MEMORY_WRITES ? dpk_memory_acquire(a) : NULL;
    bool good = true;
    if (!m)
        return false;
    if (m->host)
        good = store(dpk_memory_at(m, a->address), from, (size_t)a->size);
    else
        good = dpk_copy_in(m->process, a->address, from, a->size, NULL) == DPK_OK;
    dpk_memory_release(m);
    return good;
}

/* Acquires the memory of an atomic operation. *word is the word in host memory, or NULL for DPA
 * memory. */
static const struct dpk_memory *acquire_word(const struct dpk_memory_access *a, uint64_t **word)
{
    const bool good = a->size == sizeof **word && a->rights & DPK_MEMORY_REMOTE_ATOMIC;
    const struct dpk_memory *m = good ? dpk_memory_acquire(a) : NULL;
    *word = NULL;
    if (!m || !m->host)
        return m;
    void *at = dpk_memory_at(m, a->address);
    if ((uintptr_t)at % sizeof **word == 0) {
        *word = at;
        return m;
    }
    dpk_memory_release(m);
    return NULL;
}

bool dpk_memory_fetch_add(const struct dpk_memory_access *a, uint64_t value, uint64_t *before)
{
    uint64_t *word;
    const struct dpk_memory *m = acquire_word(a, &word);
    bool good = true;
    if (!m)
        return false;
    if (word)
        good = DPK_GUARDED(word, word, sizeof *word,
                           *before = __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST));
    else
        good = dpk_fetch_add(m->process, a->address, value, before, NULL) == DPK_OK;
    dpk_memory_release(m);
    return good;
}

bool dpk_memory_compare_swap(const struct dpk_memory_access *a, uint64_t compare, uint64_t value,
                             uint64_t *before)
{
    uint64_t *word;
    const struct dpk_memory *m = acquire_word(a, &word);
    bool good = true;
    if (!m)
        return false;
    *before = compare;
    if (word)
        good = DPK_GUARDED(word, word, sizeof *word,
                           __atomic_compare_exchange_n(word, before, value, false, __ATOMIC_SEQ_CST,
                                                       __ATOMIC_SEQ_CST));
    else
        good = dpk_compare_swap(m->process, a->address, compare, value, before, NULL) == DPK_OK;
    dpk_memory_release(m);
    return good;
}

/* ---- Copies ---- */

static bool get(const struct dpk_memory *m, uint64_t address, void *to, size_t size)
{
    if (m->host)
        return load(to, dpk_memory_at(m, address), size);
    if (m->import)
        return dpk_import_read(m->import, address, to, size);
    if (m->bus)
        return m->bus->read(m->bus_context, address, to, size);
    return dpk_copy_out(m->process, to, address, size, NULL) == DPK_OK;
}

static bool put(const struct dpk_memory *m, uint64_t address, const void *from, size_t size)
{
    if (m->host)
        return store(dpk_memory_at(m, address), from, size);
    if (m->import)
        return dpk_import_write(m->import, address, from, size);
    if (m->bus)
        return m->bus->write(m->bus_context, address, from, size);
    return dpk_copy_in(m->process, address, from, size, NULL) == DPK_OK;
}

static bool bounce(const struct dpk_memory *to, uint64_t target, const struct dpk_memory *from,
                   uint64_t source, size_t size)
{
    uint8_t bytes[BOUNCE_SIZE];
    bool good = true;
    for (size_t at = 0; at < size && good; at += BOUNCE_SIZE) {
        const size_t n = size - at < BOUNCE_SIZE ? size - at : BOUNCE_SIZE;
        good = get(from, source + at, bytes, n) && put(to, target + at, bytes, n);
    }
    return good;
}

/* Copies a word in one access (load, store), and host memory without a buffer. */
static bool move(const struct dpk_memory *to, uint64_t target, const struct dpk_memory *from,
                 uint64_t source, size_t size)
{
    if (size <= sizeof(uint64_t) || (!to->host && !from->host))
        return bounce(to, target, from, source, size);
    if (!to->host)
        return put(to, target, dpk_memory_at(from, source), size);
    if (!from->host)
        return get(from, source, dpk_memory_at(to, target), size);
    uint8_t *at = dpk_memory_at(to, target);
    const uint8_t *of = dpk_memory_at(from, source);
    return DPK_GUARDED(at, of, size, memmove(at, of, size));
}

bool dpk_memory_fetch(const struct dpk_memory_access *to, const struct dpk_import *from,
                      uint64_t address)
{
    const struct dpk_memory other = {.kind = DPK_MEMORY_REMOTE, .import = (void *)(uintptr_t)from};
    const struct dpk_memory *m = to->rights & DPK_MEMORY_WRITES ? dpk_memory_acquire(to) : NULL;
    if (!m)
        return false;
    const bool good = move(m, to->address, &other, address, (size_t)to->size);
    dpk_memory_release(m);
    return good;
}

/* Returns the part of an access that begins at an offset. */
static struct dpk_memory_access part_of(const struct dpk_memory_access *a, uint64_t at)
{
    struct dpk_memory_access part = *a;
    part.address += at;
    part.size = a->size - at < PART_SIZE ? a->size - at : PART_SIZE;
    return part;
}

static bool copy_part(const struct dpk_memory_access *to, const struct dpk_memory_access *from)
{
    const struct dpk_memory *t = to->rights & DPK_MEMORY_WRITES ? acquire_any(to) : NULL;
    const struct dpk_memory *f = t ? acquire_any(from) : NULL;
    const bool good = f && move(t, to->address, f, from->address, (size_t)to->size);
    if (f)
        dpk_memory_release(f);
    if (t)
        dpk_memory_release(t);
    return good;
}

/* Returns whether a copy that needs several accesses could begin. */
static bool is_reachable(const struct dpk_memory_access *a)
{
    const struct dpk_memory *m = acquire_any(a);
    if (m)
        dpk_memory_release(m);
    return m != NULL;
}

bool dpk_memory_copy(const struct dpk_memory_access *to, const struct dpk_memory_access *from)
{
    if (from->size != to->size)
        return false;
    if (to->size > PART_SIZE && (!is_reachable(to) || !is_reachable(from)))
        return false;
    for (uint64_t at = 0; at < to->size; at += PART_SIZE) {
        const struct dpk_memory_access target = part_of(to, at), source = part_of(from, at);
        if (!copy_part(&target, &source) || !dpk_call_worked(target.size))
            return false;
    }
    return true;
}
