#include "private.h"

#include <stdlib.h>

struct dpk_gpu_races *dpk_gpu_races_new(void)
{
    struct dpk_gpu_races *r = calloc(1, sizeof *r);
    if (!r || !(r->pages = races_pages_new())) {
        free(r);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void dpk_gpu_races_free(struct dpk_gpu_races *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct object *o = r->objects[i], *next; o; o = next) {
            next = o->next;
            races_known_drop(o->known);
            free(o);
        }
    races_pages_free(r->pages);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

bool dpk_gpu_races_is_partial(const struct dpk_gpu_races *r)
{
    return r->off || r->partial;
}

struct dpk_gpu_races_block *dpk_gpu_races_begin(struct dpk_gpu_races *r,
                                                const struct dpk_gpu_races_where *where)
{
    struct dpk_gpu_races_block *b = calloc(1, sizeof *b + where->threads * sizeof(struct thread));
    if (!b) {
        r->off = true;
        return NULL;
    }
    b->grid = r;
    b->where = *where;
    b->now = 1; /* 0 means before everything */
    return b;
}

void dpk_gpu_races_end(struct dpk_gpu_races_block *b)
{
    for (uint32_t i = 0; b && i < b->where.threads; i++) {
        races_times_drop(b->threads[i].own);
        races_known_drop(b->threads[i].others);
        races_known_drop(b->threads[i].pending);
        races_known_drop(b->threads[i].released);
    }
    free(b);
}

/* ---- Accesses ---- */

/* Returns a bit for each byte of the granule that is in the range. */
static uint8_t bytes_of(uintptr_t granule, uintptr_t begin, uintptr_t end)
{
    const unsigned first = begin > granule ? (unsigned)(begin - granule) : 0;
    const unsigned behind =
        end - granule < RACES_GRANULE ? (unsigned)(end - granule) : RACES_GRANULE;
    return (uint8_t)((0xffu << first) & (0xffu >> (RACES_GRANULE - behind)));
}

static bool conflict(const struct races_cell *a, const struct races_cell *b)
{
    return (a->bytes & b->bytes) && ((a->how | b->how) & DPK_GPU_RACES_WRITES) &&
           !(a->how & b->how & DPK_GPU_RACES_ATOMIC);
}

/* Returns whether the access in the cell happened before an access of the thread. */
static bool is_before(const struct dpk_gpu_races_block *b, uint32_t thread,
                      const struct races_cell *c)
{
    const struct thread *t = &b->threads[thread];
    if (c->time <= b->grid->base)
        return true;
    if (c->block != b->where.block)
        return c->time <= races_times_of(races_known_of(t->others, c->block), c->thread);
    return c->thread == thread || c->time <= b->base ||
           c->time <= races_times_of(t->own, c->thread);
}

/* Returns whether `now` makes an earlier access redundant. */
static bool replaces(const struct races_cell *now, const struct races_cell *old, bool before)
{
    return before && !(old->bytes & ~now->bytes) &&
           (old->how & DPK_GPU_RACES_WRITES) <= (now->how & DPK_GPU_RACES_WRITES) &&
           (!(now->how & DPK_GPU_RACES_ATOMIC) || (old->how & DPK_GPU_RACES_ATOMIC));
}

/* Chooses the cell to give up: preferably a load, since writes race with more accesses. */
static struct races_cell *give_up(struct races_cell cells[RACES_CELLS], uint32_t turn)
{
    for (unsigned i = 0; i < RACES_CELLS; i++)
        if (!(cells[(turn + i) % RACES_CELLS].how & DPK_GPU_RACES_WRITES))
            return &cells[(turn + i) % RACES_CELLS];
    return &cells[turn % RACES_CELLS];
}

/* Notes an access to a granule. Returns an earlier access that races with it, or a cell without
 * bytes. */
static struct races_cell note(struct dpk_gpu_races_block *b, struct races_cell cells[RACES_CELLS],
                              const struct races_cell *now, bool shared)
{
    struct races_cell found = {0}, *place = NULL;
    for (unsigned i = 0; i < RACES_CELLS; i++) {
        struct races_cell *c = &cells[i];
        /* An earlier block may have had this shared memory. */
        const bool free = c->time == 0 || (shared && c->block != b->where.block);
        const bool before = free || is_before(b, now->thread, c);
        if (!before && conflict(c, now))
            found = *c;
        if (free || replaces(now, c, before)) {
            if (place)
                *c = (struct races_cell){0};
            else
                place = c;
        }
    }
    if (!place)
        place = give_up(cells, now->thread);
    *place = *now;
    return found;
}

static struct dpk_gpu_races_access access_of(const struct races_cell *c, uintptr_t granule)
{
    return (struct dpk_gpu_races_access){.block = c->block,
                                         .thread = c->thread,
                                         .how = c->how,
                                         .address = granule + (unsigned)__builtin_ctz(c->bytes),
                                         .size = (size_t)__builtin_popcount(c->bytes),
                                         .place = c->place};
}

bool dpk_gpu_races_access(struct dpk_gpu_races_block *b, const struct dpk_gpu_races_access *access,
                          struct dpk_gpu_race *out)
{
    const bool shared = access->address - b->where.shared < b->where.shared_size;
    bool raced = false;
    if (!access->size || access->address > UINTPTR_MAX - access->size - RACES_GRANULE ||
        access->thread >= b->where.threads || b->grid->off)
        return false;
    const uintptr_t end = access->address + access->size;
    struct races_cell now = {.block = b->where.block,
                             .place = access->place,
                             .time = b->now,
                             .thread = (uint16_t)access->thread,
                             .how = (uint8_t)access->how};
    for (uintptr_t g = access->address & ~(uintptr_t)(RACES_GRANULE - 1); g < end;
         g += RACES_GRANULE) {
        struct races_cell *cells = races_pages_lock(b->grid->pages, g, true);
        if (!cells) {
            b->grid->partial = true;
            break;
        }
        now.bytes = bytes_of(g, access->address, end);
        const struct races_cell before = note(b, cells, &now, shared);
        races_pages_unlock(b->grid->pages, g);
        if (!before.bytes || raced)
            continue;
        raced = true;
        *out = (struct dpk_gpu_race){
            .now = *access, .before = access_of(&before, g), .shared = shared};
        out->now.block = b->where.block;
    }
    return raced;
}

void dpk_gpu_races_forget(struct dpk_gpu_races_block *b, uintptr_t address, size_t size)
{
    for (uintptr_t g = address & ~(uintptr_t)(RACES_GRANULE - 1); g < address + size;
         g += RACES_GRANULE) {
        struct races_cell *cells = races_pages_lock(b->grid->pages, g, false);
        for (unsigned i = 0; cells && i < RACES_CELLS; i++)
            cells[i] = (struct races_cell){0};
        if (cells)
            races_pages_unlock(b->grid->pages, g);
    }
}
