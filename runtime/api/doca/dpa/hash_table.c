/* Hash tables of DPA code, which its threads share: from keys to numbers. They are in host
 * memory. */
#include <doca_dpa.h>

#include "guest/abi/doca_calls.h"
#include "private.h"

#define ENTRIES_MAX (UINT32_C(1) << 20)

struct slot {
    uint64_t value;
    uint32_t key;
    bool used;
};

struct hash_table {
    struct dpk_object object; /* its lock guards all other members */
    struct dpk_dpa *dpa;      /* a reference */
    uint64_t run;
    uint32_t count, max;
    uint32_t mask; /* number of slots - 1: a power of two, more than twice the entries */
    struct slot *slots;
};

static void table_release(void *object)
{
    struct hash_table *t = object;
    dpk_object_drop(t->dpa);
    free(t->slots);
    free(t);
}
static const struct dpk_kind table_kind = {.release = table_release};

/* ---- Entries ---- */

static uint32_t home_of(const struct hash_table *t, uint32_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & t->mask;
}

/* Returns the slot of the key, or the slot where it would be added. */
static uint32_t place_of(const struct hash_table *t, uint32_t key)
{
    uint32_t place = home_of(t, key);
    while (t->slots[place].used && t->slots[place].key != key)
        place = (place + 1) & t->mask;
    return place;
}

/* Returns false if the table is full. */
static bool add(struct hash_table *t, uint32_t key, uint64_t value)
{
    struct slot *slot = &t->slots[place_of(t, key)];
    if (!slot->used && t->count == t->max)
        return false;
    t->count += !slot->used;
    *slot = (struct slot){.key = key, .value = value, .used = true};
    return true;
}

/* Later entries of the probe sequence move up, so that no entry has a gap before it. */
static void take_away(struct hash_table *t, uint32_t key)
{
    uint32_t gap = place_of(t, key);
    if (!t->slots[gap].used)
        return;
    for (uint32_t next = (gap + 1) & t->mask; t->slots[next].used; next = (next + 1) & t->mask) {
        const uint32_t home = home_of(t, t->slots[next].key);
        if (((next - home) & t->mask) < ((next - gap) & t->mask))
            continue; /* its home is after the gap */
        t->slots[gap] = t->slots[next];
        gap = next;
    }
    t->slots[gap].used = false;
    t->count--;
}

/* ---- Calls of DPA code ---- */

static bool table_call(struct hash_table *t, struct dpk_process *p, unsigned call,
                       const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    const uint32_t key = (uint32_t)args[1];
    if (call == DPA_DOCA_HASH_ADD)
        return add(t, key, args[2]) || dpk_dpa_call_fails(reason, size, "hash table: it is full");
    if (call == DPA_DOCA_HASH_REMOVE) {
        take_away(t, key);
        return true;
    }
    if (call != DPA_DOCA_HASH_FIND)
        return dpk_dpa_call_unknown(reason, size, call);
    const struct slot *slot = &t->slots[place_of(t, key)];
    *result = slot->used;
    return !slot->used ||
           dpk_copy_in(p, args[2], &slot->value, sizeof slot->value, NULL) == DPK_OK ||
           dpk_dpa_call_fails(reason, size, "hash table: no memory for the value");
}

static bool carry_out(void *context, struct dpk_caller *caller, unsigned call,
                      const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    struct hash_table *t = dpk_object_lock(dpk_pointer(args[0]), &table_kind);
    const bool known = t && t->run == d->run && dpk_dpa_base(t->dpa) == d;
    (void)caller;
    const bool good = known ? table_call(t, d->process->dpa, call, args, result, reason, size)
                            : dpk_dpa_call_fails(reason, size, "hash table: not a handle");
    dpk_object_unlock(t, DOCA_SUCCESS);
    return good;
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_HASH, .call = carry_out};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}

/* ---- The program's side ---- */

doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries,
                                        struct doca_dpa_hash_table **ht)
{
    struct dpk_dpa_call c;
    if (ht)
        *ht = NULL;
    if (ht && (num_entries == 0 || num_entries > ENTRIES_MAX))
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u entries are not within 1 to %u", num_entries, ENTRIES_MAX);
    const doca_error_t result = ht ? dpk_dpa_begin(dpa, &c) : DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    uint32_t slots = 4;
    while (slots <= 2 * num_entries)
        slots *= 2;
    struct hash_table *t = calloc(1, sizeof *t);
    if (t && !(t->slots = calloc(slots, sizeof *t->slots))) {
        free(t);
        t = NULL;
    }
    if (t) {
        t->mask = slots - 1;
        t->max = num_entries;
        t->run = dpk_dpa_base(c.dpa)->run;
        dpk_object_hold(t->dpa = c.dpa);
        *ht = dpk_object_enter(t, &table_kind);
    }
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, *ht ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht)
{
    return dpk_doca_destroy(ht, &table_kind, __func__);
}

doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht,
                                                doca_dpa_dev_hash_table_t *handle)
{
    struct hash_table *t = handle ? dpk_object_pin(ht, &table_kind) : NULL;
    doca_error_t result = t ? dpa_not_started() : DOCA_ERROR_INVALID_VALUE;
    if (t && dpk_dpa_enter(t->dpa, t->run)) {
        *handle = (uintptr_t)t->object.handle;
        dpk_dpa_leave(t->dpa);
        result = DOCA_SUCCESS;
    }
    dpk_object_drop(t);
    return dpk_doca_end(ht, __func__, result);
}
