/* Segregated fits: free blocks are in a bin for each power of two, used blocks in a hash table by
 * address. Every block knows its neighbours, so freeing joins them at once. */
#include "engine/proc/heap.h"

#include <stdlib.h>

#include "engine/sched/sched.h"

#define BINS 40
/* Limit of the part of a guarded heap that waits to be free. */
#define WAITING_PART 4

struct block {
    struct list neighbours; /* all blocks by address */
    struct list bin;        /* list of free blocks, or of blocks that wait to be free */
    struct block *chain;    /* of the hash table, used blocks */
    uint64_t address, size; /* multiples of HEAP_ALIGN */
    uint64_t requested;     /* 0 if free */
    bool waits;             /* freed, but not yet available */
};

struct heap {
    struct list blocks;
    struct list bins[BINS];
    struct block **table; /* by hash of the address */
    size_t table_size;    /* a power of two */
    size_t used_count;
    uint64_t total, taken, requested;
    uint64_t zone;       /* bytes after each allocation */
    struct list waiting; /* freed blocks, oldest first */
    uint64_t waiting_size;
};

static unsigned bin_of(uint64_t size)
{
    unsigned bin = 63u - (unsigned)__builtin_clzll(size / HEAP_ALIGN);
    return bin < BINS ? bin : BINS - 1;
}

static struct block **slot_of(const struct heap *h, uint64_t address)
{
    uint64_t hash = address / HEAP_ALIGN * 0x9e3779b97f4a7c15ull;
    return &h->table[(hash >> 32) & (h->table_size - 1)];
}

struct heap *proc_heap_create(uint64_t base, uint64_t size)
{
    struct heap *h = calloc(1, sizeof *h);
    struct block *all = calloc(1, sizeof *all);
    if (h)
        h->table = calloc(64, sizeof(struct block *));
    if (!h || !all || !h->table) {
        if (h)
            free(h->table);
        free(h);
        free(all);
        return NULL;
    }
    h->table_size = 64;
    h->total = size;
    list_init(&h->blocks);
    for (unsigned i = 0; i < BINS; i++)
        list_init(&h->bins[i]);
    all->address = base;
    all->size = size;
    list_init(&h->waiting);
    list_append(&h->blocks, &all->neighbours);
    list_append(&h->bins[bin_of(size)], &all->bin);
    return h;
}

void proc_heap_destroy(struct heap *h)
{
    if (!h)
        return;
    for (struct list *n = h->blocks.next, *next; n != &h->blocks; n = next) {
        next = n->next;
        free(owner_of(n, struct block, neighbours));
    }
    free(h->table);
    free(h);
}

/* The first block of the own bin that is large enough, else any of a higher bin. */
static struct block *find_block(struct heap *h, uint64_t size)
{
    for (unsigned bin = bin_of(size); bin < BINS; bin++)
        for (struct list *n = h->bins[bin].next; n != &h->bins[bin]; n = n->next) {
            struct block *b = owner_of(n, struct block, bin);
            if (b->size >= size)
                return b;
        }
    return NULL;
}

static void grow_table(struct heap *h)
{
    struct block **old = h->table;
    size_t old_size = h->table_size;
    struct block **table = calloc(old_size * 2, sizeof(struct block *));
    if (!table)
        return; /* longer chains still work */
    h->table = table;
    h->table_size = old_size * 2;
    for (size_t i = 0; i < old_size; i++)
        for (struct block *b = old[i], *next; b; b = next) {
            next = b->chain;
            struct block **slot = slot_of(h, b->address);
            b->chain = *slot;
            *slot = b;
        }
    free(old);
}

/* Splits off the part of `b` beyond `size` as a free block. */
static bool split(struct heap *h, struct block *b, uint64_t size)
{
    if (b->size == size)
        return true;
    struct block *rest = calloc(1, sizeof *rest);
    if (!rest)
        return false;
    rest->address = b->address + size;
    rest->size = b->size - size;
    b->size = size;
    list_append(b->neighbours.next, &rest->neighbours); /* before the next block, so after b */
    list_append(&h->bins[bin_of(rest->size)], &rest->bin);
    return true;
}

/* Joins `high` to its neighbour `low`. Neither is in a bin. */
static void absorb(struct block *low, struct block *high)
{
    low->size += high->size;
    list_remove(&high->neighbours);
}

/* Removes the block at `node` from its bin and returns it, or NULL if it is not free. */
static struct block *free_neighbour(struct heap *h, struct list *node)
{
    if (node == &h->blocks)
        return NULL;
    struct block *b = owner_of(node, struct block, neighbours);
    if (b->requested)
        return NULL;
    list_remove(&b->bin);
    return b;
}

/* Frees a block that is only in the list of neighbours. */
static void give_back(struct heap *h, struct block *b)
{
    b->requested = 0;
    b->waits = false;
    struct block *above = free_neighbour(h, b->neighbours.next);
    struct block *below = free_neighbour(h, b->neighbours.prev);
    struct block *whole = below ? below : b;
    if (above)
        absorb(b, above);
    if (below)
        absorb(below, b);
    list_append(&h->bins[bin_of(whole->size)], &whole->bin);
    free(above);
    if (below)
        free(b);
}

/* Frees the oldest waiting blocks until at most `most` bytes wait. */
static void release(struct heap *h, uint64_t most)
{
    while (h->waiting_size > most) {
        struct block *b = owner_of(h->waiting.next, struct block, bin);
        list_remove(&b->bin);
        h->waiting_size -= b->size;
        give_back(h, b);
    }
}

enum dpk_status proc_heap_alloc(struct heap *h, uint64_t size, uint64_t *address,
                                struct dpk_error *err)
{
    *address = 0;
    if (size == 0)
        return dpk_fail(err, DPK_ERR_RANGE, "heap: an allocation of 0 bytes");
    struct block *b = NULL;
    uint64_t rounded = 0;
    if (size <= h->total) {
        rounded = (size + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN + h->zone;
        b = find_block(h, rounded);
        if (!b && h->waiting_size) {
            release(h, 0);
            b = find_block(h, rounded);
        }
    }
    if (!b)
        return dpk_fail(err, DPK_ERR_NOMEM, "heap: no room for %llu bytes, %llu of %llu in use",
                        (unsigned long long)size, (unsigned long long)h->taken,
                        (unsigned long long)h->total);
    list_remove(&b->bin);
    if (!split(h, b, rounded)) {
        list_append(&h->bins[bin_of(b->size)], &b->bin);
        return dpk_fail_nomem(err);
    }
    if (++h->used_count > h->table_size)
        grow_table(h);
    struct block **slot = slot_of(h, b->address);
    b->chain = *slot;
    *slot = b;
    b->requested = size;
    h->requested += size;
    h->taken += b->size;
    *address = b->address;
    return DPK_OK;
}

enum dpk_status proc_heap_free(struct heap *h, uint64_t address, struct dpk_error *err)
{
    struct block **slot = slot_of(h, address);
    while (*slot && (*slot)->address != address)
        slot = &(*slot)->chain;
    struct block *b = *slot;
    if (!b)
        return dpk_fail(err, DPK_ERR_RANGE, "heap: 0x%llx is not the start of an allocation",
                        (unsigned long long)address);
    *slot = b->chain;
    h->used_count--;
    h->requested -= b->requested;
    h->taken -= b->size;
    if (h->zone == 0) {
        give_back(h, b);
        return DPK_OK;
    }
    b->waits = true;
    list_append(&h->waiting, &b->bin);
    h->waiting_size += b->size;
    release(h, h->total / WAITING_PART);
    return DPK_OK;
}

void proc_heap_guard(struct heap *h)
{
    h->zone = HEAP_ALIGN;
}

/* Returns the distance of an address from a block's bytes. */
static uint64_t distance(const struct block *b, uint64_t address)
{
    const uint64_t end = b->address + b->requested;
    return address < b->address ? b->address - address : address < end ? 0 : address - end + 1;
}

uint64_t proc_heap_size_at(const struct heap *h, uint64_t address)
{
    const struct block *b = *slot_of(h, address);
    while (b && b->address != address)
        b = b->chain;
    return b ? b->requested : 0;
}

bool proc_heap_find(const struct heap *h, uint64_t address, struct heap_place *out)
{
    uint64_t least = UINT64_MAX;
    for (const struct list *n = h->blocks.next; n != &h->blocks; n = n->next) {
        const struct block *b = owner_of(n, struct block, neighbours);
        if (b->requested == 0 || distance(b, address) >= least)
            continue;
        least = distance(b, address);
        *out = (struct heap_place){b->address, b->requested, b->waits};
    }
    return least != UINT64_MAX;
}

uint64_t proc_heap_requested(const struct heap *h)
{
    return h->requested;
}

uint64_t proc_heap_taken(const struct heap *h)
{
    return h->taken;
}
