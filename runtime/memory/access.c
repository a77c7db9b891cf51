/* The checker of bounds and rights, and the accesses that use it. */
#include <string.h>

#include "proc/proc.h"
#include "registry.h"

#define PART_SIZE 4096u

/* ---- The checker ---- */

static bool permits(const struct dpk_memory *m, const struct dpk_memory_access *a)
{
    return (m->kind == DPK_MEMORY_HOST || m->kind == DPK_MEMORY_DPA) && a->rights != 0 &&
           (m->rights & a->rights) == a->rights && dpk_memory_is_in(m, a->domain) &&
           a->address >= m->address && a->size <= m->size &&
           a->address - m->address <= m->size - a->size;
}

const struct dpk_memory *dpk_memory_acquire(const struct dpk_memory_access *a)
{
    struct slot *slot = slot_pin(a->key);
    if (!slot)
        return NULL;
    if (permits(&slot->memory, a))
        return &slot->memory;
    slot_unpin(slot);
    return NULL;
}

void dpk_memory_release(const struct dpk_memory *m)
{
    slot_unpin((struct slot *)m);
}

/* ---- Accesses ---- */

void *dpk_memory_of_process(const struct dpk_process *p, uint64_t address, uint64_t size,
                            bool written)
{
    return dpk_process_memory(p, address, size, written);
}

static void load(void *to, const uint8_t *at, size_t size)
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

static void store(uint8_t *at, const void *from, size_t size)
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
        load(to, dpk_memory_at(m, a->address), (size_t)a->size);
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
        store(dpk_memory_at(m, a->address), from, (size_t)a->size);
    else
        good = dpk_copy_in(m->process, a->address, from, a->size, NULL) == DPK_OK;
    dpk_memory_release(m);
    return good;
}

/* Acquires the memory of an atomic operation. *word: the word, if it is host memory; NULL: it is
 * DPA memory. */
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
        *before = __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
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
        __atomic_compare_exchange_n(word, before, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    else
        good = dpk_compare_swap(m->process, a->address, compare, value, before, NULL) == DPK_OK;
    dpk_memory_release(m);
    return good;
}

/* The part of an access from an offset on. */
static struct dpk_memory_access part_of(const struct dpk_memory_access *a, uint64_t at,
                                        uint64_t size)
{
    struct dpk_memory_access part = *a;
    part.address += at;
    part.size = size;
    return part;
}

bool dpk_memory_copy(const struct dpk_memory_access *to, const struct dpk_memory_access *from)
{
    uint8_t bytes[PART_SIZE];
    if (from->size != to->size || !dpk_memory_is_there(to) || !dpk_memory_is_there(from))
        return false;
    for (uint64_t at = 0; at < to->size; at += PART_SIZE) {
        const uint64_t size = to->size - at < PART_SIZE ? to->size - at : PART_SIZE;
        const struct dpk_memory_access source = part_of(from, at, size),
                                       target = part_of(to, at, size);
        if (!dpk_memory_read(&source, bytes) || !dpk_memory_write(&target, bytes))
            return false;
    }
    return true;
}
