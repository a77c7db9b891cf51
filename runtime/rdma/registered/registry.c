/* The registry: a table of slots that never move, so that a key is found without a lock. */
#include "registry.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* A key is the index of a slot and, in its low bits, the generation of the slot. */
#define GENERATION_BITS 12
#define INDEXES_MAX     (UINT32_C(1) << (32 - GENERATION_BITS))
/* This many free slots stay unused, so that a key is not used again soon. */
#define REST 128u
/* Chunk k of the table has FIRST_CHUNK << k slots. */
#define FIRST_CHUNK 64u
#define CHUNKS      15

static struct {
    pthread_mutex_t lock; /* for all members; finding a key does not need it */
    struct slot *_Atomic chunks[CHUNKS];
    uint32_t count;                      /* slots that were ever used, plus index 0, which is
                                          * unused */
    struct slot *first_free, *last_free; /* a queue: the slot that was freed first is used first */
    uint32_t free_count;
    uint32_t shared; /* keys whose memory RDMA peers may read directly */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1};

/* ---- Slots ---- */

static unsigned chunk_of(uint32_t index)
{
    return (unsigned)(__builtin_clz(FIRST_CHUNK) - __builtin_clz(index + FIRST_CHUNK));
}

/* Returns the slot with that index, or NULL if its chunk was never used. */
static struct slot *slot_at(uint32_t index)
{
    const unsigned k = chunk_of(index);
    struct slot *chunk =
        k < CHUNKS ? atomic_load_explicit(&table.chunks[k], memory_order_acquire) : NULL;
    return chunk ? &chunk[index + FIRST_CHUNK - (FIRST_CHUNK << k)] : NULL;
}

/* Takes a slot that was never used. Returns NULL if no memory or no index is left. Call this with
 * the lock. */
static struct slot *new_slot(void)
{
    const unsigned k = chunk_of(table.count);
    if (table.count == INDEXES_MAX - 1)
        return NULL;
    if (!atomic_load(&table.chunks[k])) {
        struct slot *chunk = calloc(FIRST_CHUNK << k, sizeof *chunk);
        if (!chunk)
            return NULL;
        atomic_store_explicit(&table.chunks[k], chunk, memory_order_release);
    }
    struct slot *slot = slot_at(table.count);
    slot->index = table.count++;
    return slot;
}

/* Takes a free slot, or returns NULL. Call this with the lock. */
static struct slot *old_slot(void)
{
    struct slot *slot = table.first_free;
    if (slot) {
        table.first_free = slot->next_free;
        table.free_count--;
    }
    return slot;
}

/* Releases the import and the domains of a slot. Call this with the lock. */
static void empty_slot(struct slot *slot)
{
    dpk_import_close(slot->memory.import);
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX && slot->memory.domains[i]; i++)
        atomic_fetch_sub(&slot->memory.domains[i]->keys, 1);
}

/* Call this with the lock. */
static void free_slot(struct slot *slot)
{
    atomic_store_explicit(&slot->key, 0, memory_order_relaxed);
    empty_slot(slot);
    slot->next_free = NULL;
    if (table.first_free)
        table.last_free->next_free = slot;
    else
        table.first_free = slot;
    table.last_free = slot;
    table.free_count++;
}

/* ---- Keys ---- */

struct slot *registered_slot_pin(uint32_t key)
{
    struct slot *slot = slot_at(key >> GENERATION_BITS);
    if (key == 0 || !slot || atomic_load_explicit(&slot->key, memory_order_acquire) != key ||
        !dpk_pin(&slot->pins))
        return NULL;
    /* The slot may have got another key before it was pinned. */
    if (atomic_load_explicit(&slot->key, memory_order_acquire) == key)
        return slot;
    dpk_unpin(&slot->pins);
    return NULL;
}

void registered_slot_unpin(struct slot *slot)
{
    dpk_unpin(&slot->pins);
}

/* Call this with the lock. */
static void fill_slot(struct slot *slot, const struct dpk_memory *m)
{
    slot->memory = *m;
    for (size_t i = 0; i < DPK_MEMORY_DOMAINS_MAX && m->domains[i]; i++)
        atomic_fetch_add(&m->domains[i]->keys, 1);
    dpk_pins_open(&slot->pins);
}

/* Call this with the lock. */
static uint32_t open_slot(struct slot *slot, const struct dpk_memory *m)
{
    const uint32_t generation = ++slot->generation & ((1u << GENERATION_BITS) - 1);
    const uint32_t key = slot->index << GENERATION_BITS | generation;
    slot->exported = slot->shared = slot->keeps_out = slot->ends = false;
    fill_slot(slot, m);
    atomic_store_explicit(&slot->key, key, memory_order_release);
    return key;
}

/* Imports memory of another process, if that process allows it. */
static enum dpk_status import(struct dpk_memory *m, struct dpk_error *err)
{
    struct dpk_export what = {.key = m->exported_key, .address = m->address, .size = m->size};
    m->import = NULL;
    if (m->kind != DPK_MEMORY_REMOTE || m->exporter.process == 0)
        return DPK_OK;
    enum dpk_status status = dpk_import_open(&m->exporter, &what, &m->import, err);
    m->rights &= what.rights;
    return status;
}

enum dpk_status dpk_memory_add(const struct dpk_memory *memory, uint32_t *key,
                               struct dpk_error *err)
{
    struct dpk_memory all = *memory, *m = &all;
    if (!registered_is_present(m))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "0x%" PRIx64 ", %" PRIu64 " bytes: no memory with that access", m->address,
                        m->size);
    if (m->kind == DPK_MEMORY_HOST)
        dpk_guard_begin();
    enum dpk_status status = import(m, err);
    if (status != DPK_OK)
        return status;
    pthread_mutex_lock(&table.lock);
    struct slot *slot = table.free_count > REST ? old_slot() : new_slot();
    if (!slot)
        slot = old_slot();
    if (slot)
        *key = open_slot(slot, m);
    pthread_mutex_unlock(&table.lock);
    if (slot)
        return DPK_OK;
    dpk_import_close(m->import);
    return dpk_fail_nomem(err);
}

enum dpk_status dpk_memory_export(uint32_t key, const struct dpk_uuid *identity,
                                  struct dpk_exporter *who, struct dpk_error *err)
{
    enum dpk_status status = DPK_ERR_NOT_FOUND;
    struct slot *slot = registered_slot_pin(key);
    const struct dpk_memory *m = slot ? &slot->memory : NULL;
    if (!m || m->kind != DPK_MEMORY_HOST || m->address != (uintptr_t)m->host) {
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "no memory of the host");
    } else {
        const struct dpk_export what = {
            .key = key,
            .rights = m->rights & (DPK_MEMORY_EXPORT_READ | DPK_MEMORY_EXPORT_WRITE),
            .address = m->address,
            .size = m->size};
        pthread_mutex_lock(&table.lock);
        status = dpk_export_add(identity, &what, who, err);
        slot->exported = slot->exported || status == DPK_OK;
        pthread_mutex_unlock(&table.lock);
    }
    if (slot)
        registered_slot_unpin(slot);
    return status;
}

/* Limit of shared keys: exports need entries of the same table, too. */
#define SHARED_MAX 1024u

/* Call this with the lock. */
static enum dpk_status share(struct slot *slot, uint32_t key, const struct dpk_uuid *identity,
                             struct dpk_memory_share *out)
{
    struct dpk_error err = {0};
    const struct dpk_memory *m = &slot->memory;
    if (m->kind != DPK_MEMORY_HOST || slot->keeps_out)
        return DPK_ERR_NOT_FOUND;
    if (!slot->shared && table.shared == SHARED_MAX)
        return DPK_ERR_NOMEM;
    *out = (struct dpk_memory_share){
        .what = {.key = key, .address = (uintptr_t)m->host, .size = m->size}, .base = m->address};
    const enum dpk_status status = dpk_export_add(identity, &out->what, &out->who, &err);
    table.shared += status == DPK_OK && !slot->shared;
    slot->shared = slot->shared || status == DPK_OK;
    return status;
}

enum dpk_status dpk_memory_share(uint32_t key, const struct dpk_uuid *identity,
                                 struct dpk_memory_share *out)
{
    struct slot *slot = registered_slot_pin(key);
    if (!slot)
        return DPK_ERR_NOT_FOUND;
    pthread_mutex_lock(&table.lock);
    const enum dpk_status status = share(slot, key, identity, out);
    pthread_mutex_unlock(&table.lock);
    registered_slot_unpin(slot);
    return status;
}

/* Returns whether peers may be using the memory. Then the export must end, which waits for them.
 * Call this with the lock. */
static bool is_out(const struct slot *slot)
{
    return slot && (slot->exported || slot->shared);
}

/* Ends the export. Call this with the lock, which is released while it waits. */
static bool take_back(struct slot *slot, uint32_t key)
{
    pthread_mutex_unlock(&table.lock);
    const bool alone = dpk_export_remove(key); /* waits for peers */
    pthread_mutex_lock(&table.lock);
    if (atomic_load(&slot->key) == key && slot->shared) {
        slot->shared = false;
        table.shared--;
    }
    return alone;
}

/* Prevents new accesses and waits for those in progress. Releases the lock while it waits. */
static void await_accesses(struct slot *slot)
{
    slot->removers++;
    pthread_mutex_unlock(&table.lock);
    dpk_pins_close(&slot->pins);
    pthread_mutex_lock(&table.lock);
    slot->removers--;
}

/* Several threads may remove or replace the same key; the last of them frees the slot. */
static void remove_locked(struct slot *slot)
{
    slot->ends = true;
    await_accesses(slot);
    if (slot->removers == 0)
        free_slot(slot);
}

/* Returns the slot of a registered key, or NULL. Call this with the lock. */
static struct slot *registered(uint32_t key)
{
    struct slot *slot = slot_at(key >> GENERATION_BITS);
    return key != 0 && slot && atomic_load(&slot->key) == key ? slot : NULL;
}

static enum dpk_status no_key(uint32_t key, struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "0x%x: no key of host memory alone", key);
}

/* Prevents peers from reading the old memory of a key. The key may be removed meanwhile. Call this
 * with the lock. */
static enum dpk_status keep_out(struct slot *slot, uint32_t key, struct dpk_error *err)
{
    slot->keeps_out = true; /* peers may still use the old meaning of the key */
    if (slot->shared && !take_back(slot, key))
        return dpk_fail(err, DPK_ERR_TIMEOUT, "0x%x: a process is stopped while it copies", key);
    return registered(key) == slot ? DPK_OK : no_key(key, err);
}

/* Of several threads, the last fills the slot, or frees it if one of them removes the key. Call this
 * with the lock. */
static enum dpk_status replace_locked(struct slot *slot, uint32_t key, const struct dpk_memory *m,
                                      struct dpk_error *err)
{
    await_accesses(slot);
    if (slot->removers == 0 && slot->ends) {
        free_slot(slot);
    } else if (slot->removers == 0) {
        empty_slot(slot);
        fill_slot(slot, m);
    }
    return slot->ends ? no_key(key, err) : DPK_OK;
}

enum dpk_status dpk_memory_replace(uint32_t key, const struct dpk_memory *m, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (!registered_is_present(m))
        return dpk_fail(err, DPK_ERR_RANGE, "no memory with that access");
    pthread_mutex_lock(&table.lock);
    struct slot *slot = registered(key);
    if (!slot || slot->exported || slot->memory.kind != DPK_MEMORY_HOST)
        status = no_key(key, err);
    else if ((status = keep_out(slot, key, err)) == DPK_OK)
        status = replace_locked(slot, key, m, err);
    pthread_mutex_unlock(&table.lock);
    return status;
}

bool dpk_memory_remove(uint32_t key)
{
    bool alone = true;
    pthread_mutex_lock(&table.lock);
    struct slot *slot = registered(key);
    if (slot)
        slot->keeps_out = true;
    if (is_out(slot)) {
        alone = take_back(slot, key);
        slot = registered(key);
    }
    if (slot)
        remove_locked(slot);
    pthread_mutex_unlock(&table.lock);
    return alone;
}

void dpk_memory_remove_process(const struct dpk_process *process)
{
    pthread_mutex_lock(&table.lock);
    for (uint32_t i = 1; process && i < table.count; i++) {
        struct slot *slot = slot_at(i);
        if (atomic_load(&slot->key) != 0 && slot->memory.process == process)
            remove_locked(slot);
    }
    pthread_mutex_unlock(&table.lock);
}

bool registered_key_was_given(uint32_t key)
{
    const uint32_t mask = (1u << GENERATION_BITS) - 1;
    pthread_mutex_lock(&table.lock);
    const struct slot *slot = slot_at(key >> GENERATION_BITS);
    /* Generation 0 comes last: after all others of the slot. */
    const bool given = slot && (slot->generation > mask ||
                                ((key & mask) != 0 && (key & mask) <= slot->generation));
    pthread_mutex_unlock(&table.lock);
    return given;
}

bool dpk_memory_describe(uint32_t key, struct dpk_memory *out)
{
    struct slot *slot = registered_slot_pin(key);
    if (!slot)
        return false;
    *out = slot->memory;
    registered_slot_unpin(slot);
    return true;
}
