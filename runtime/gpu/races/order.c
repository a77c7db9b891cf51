/* What orders accesses: barriers, fences and atomic variables. */
#include "private.h"

#include <stdlib.h>

static void advance(struct dpk_gpu_races_block *b)
{
    if (++b->now == UINT32_MAX)
        b->grid->off = true;
}

static void note_failure(struct dpk_gpu_races_block *b, bool failed)
{
    if (failed)
        b->grid->off = true;
}

/* ---- Atomic variables ---- */

/* Memory of the next block may have the addresses of a block's shared memory. */
static uintptr_t key_of(const struct dpk_gpu_races_block *b, uintptr_t address)
{
    const bool shared = address - b->where.shared < b->where.shared_size;
    return shared ? address ^ (uintptr_t)((b->where.block + 1) * UINT64_C(0xbf58476d1ce4e5b9))
                  : address;
}

/* The caller holds the lock. */
static struct object *object_of(struct dpk_gpu_races *r, uintptr_t key, bool make)
{
    struct object **bucket = &r->objects[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
    struct object *o = *bucket;
    while (o && o->key != key)
        o = o->next;
    if (o || !make)
        return o;
    if (r->object_count == OBJECTS_MAX || !(o = calloc(1, sizeof *o))) {
        r->off = true;
        return NULL;
    }
    *o = (struct object){.next = *bucket, .key = key};
    *bucket = o;
    r->object_count++;
    return o;
}

/* Returns what a thread knows now, and its own accesses. */
static struct races_known *know(struct dpk_gpu_races_block *b, uint32_t thread)
{
    struct thread *t = &b->threads[thread];
    bool failed = false;
    struct races_times *own =
        races_times_own(races_times_keep(t->own), t->own ? b->where.threads : thread + 1, &failed);
    struct races_known *all = races_known_keep(t->others);
    if (!failed) {
        own->base = b->base;
        own->at[thread] = b->now;
        all = races_known_add(all, b->where.block, own, &failed);
    }
    races_times_drop(own);
    advance(b);
    note_failure(b, failed);
    return all;
}

static void give(struct dpk_gpu_races_block *b, uintptr_t address, struct races_known *known)
{
    bool failed = false;
    pthread_mutex_lock(&b->grid->lock);
    struct object *o = object_of(b->grid, key_of(b, address), true);
    if (o)
        o->known = races_known_join(o->known, known, &failed);
    pthread_mutex_unlock(&b->grid->lock);
    note_failure(b, failed);
}

static void learn(struct dpk_gpu_races_block *b, uint32_t thread, struct races_known *known)
{
    struct thread *t = &b->threads[thread];
    bool failed = false;
    t->others = races_known_join(t->others, known, &failed);
    t->own = races_times_join(t->own, races_known_of(known, b->where.block), &failed);
    note_failure(b, failed);
}

/* Returns what the object gives. */
static struct races_known *known_at(struct dpk_gpu_races_block *b, uintptr_t address)
{
    pthread_mutex_lock(&b->grid->lock);
    const struct object *o = object_of(b->grid, key_of(b, address), false);
    struct races_known *known = o ? races_known_keep(o->known) : NULL;
    pthread_mutex_unlock(&b->grid->lock);
    return known;
}

static void await(struct dpk_gpu_races_block *b, uint32_t thread, uintptr_t address)
{
    struct thread *t = &b->threads[thread];
    bool failed = false;
    struct races_known *known = known_at(b, address);
    t->pending = races_known_join(t->pending, known, &failed);
    races_known_drop(known);
    note_failure(b, failed);
}

/* Lets `pending` have what the variables give that the thread has read. */
static void forget_recent(struct dpk_gpu_races_block *b, uint32_t thread)
{
    struct thread *t = &b->threads[thread];
    for (unsigned i = 0; i < RECENT; i++) {
        if (t->recent[i])
            await(b, thread, t->recent[i]);
        t->recent[i] = 0;
    }
}

void dpk_gpu_races_store(struct dpk_gpu_races_block *b, uint32_t thread, uintptr_t address,
                         bool ordered)
{
    struct races_known *known =
        ordered ? know(b, thread) : races_known_keep(b->threads[thread].released);
    if (known)
        give(b, address, known);
    races_known_drop(known);
}

void dpk_gpu_races_load(struct dpk_gpu_races_block *b, uint32_t thread, uintptr_t address,
                        bool ordered)
{
    struct thread *t = &b->threads[thread];
    if (ordered) {
        struct races_known *known = known_at(b, address);
        learn(b, thread, known);
        races_known_drop(known);
        return;
    }
    for (unsigned i = 0; i < RECENT; i++)
        if (t->recent[i] == address)
            return;
    uintptr_t *place = &t->recent[t->recent_at++ % RECENT];
    if (*place)
        await(b, thread, *place);
    *place = address;
}

void dpk_gpu_races_fence(struct dpk_gpu_races_block *b, uint32_t thread, bool releases,
                         bool acquires)
{
    struct thread *t = &b->threads[thread];
    if (acquires) {
        forget_recent(b, thread);
        learn(b, thread, t->pending);
        races_known_drop(t->pending);
        t->pending = NULL;
    }
    if (!releases)
        return;
    races_known_drop(t->released);
    t->released = know(b, thread);
}

/* ---- Barriers ---- */

/* What threads at a barrier know. A fence before the barrier orders what a thread at it writes to an
 * atomic variable after it; and a fence after it, what a thread at it has read before. */
struct common {
    struct races_known *others, *released, *pending;
};

static void take_from(struct dpk_gpu_races_block *b, uint32_t thread, struct common *all,
                      bool *failed)
{
    struct thread *t = &b->threads[thread];
    forget_recent(b, thread);
    all->others = races_known_join(all->others, t->others, failed);
    all->released = races_known_join(all->released, t->released, failed);
    all->pending = races_known_join(all->pending, t->pending, failed);
    races_known_drop(t->others);
    races_known_drop(t->released);
    races_known_drop(t->pending);
}

static void give_to(struct thread *t, const struct common *all)
{
    t->others = races_known_keep(all->others);
    t->released = races_known_keep(all->released);
    t->pending = races_known_keep(all->pending);
}

static void drop(const struct common *all)
{
    races_known_drop(all->others);
    races_known_drop(all->released);
    races_known_drop(all->pending);
}

void dpk_gpu_races_barrier(struct dpk_gpu_races_block *b)
{
    struct common all = {0};
    bool failed = false;
    for (uint32_t i = 0; i < b->where.threads; i++) {
        take_from(b, i, &all, &failed);
        races_times_drop(b->threads[i].own);
        b->threads[i].own = NULL;
    }
    for (uint32_t i = 0; i < b->where.threads; i++)
        give_to(&b->threads[i], &all);
    drop(&all);
    b->base = b->now;
    advance(b);
    note_failure(b, failed);
}

void dpk_gpu_races_meet(struct dpk_gpu_races_block *b, const uint32_t *threads, uint32_t count)
{
    struct common all = {0};
    struct races_times *own = NULL;
    bool failed = false;
    for (uint32_t i = 0; i < count; i++) {
        struct thread *t = &b->threads[threads[i]];
        take_from(b, threads[i], &all, &failed);
        if (own) {
            own = races_times_join(own, t->own, &failed);
            races_times_drop(t->own);
        } else {
            own = t->own;
        }
    }
    own = races_times_own(own, b->where.threads, &failed);
    for (uint32_t i = 0; i < count; i++) {
        b->threads[threads[i]].own = races_times_keep(own);
        give_to(&b->threads[threads[i]], &all);
        if (own && !failed)
            own->at[threads[i]] = b->now;
    }
    races_times_drop(own);
    drop(&all);
    advance(b);
    note_failure(b, failed);
}

void dpk_gpu_races_grid_arrive(struct dpk_gpu_races_block *b)
{
    pthread_mutex_lock(&b->grid->lock);
    if (b->now > b->grid->latest)
        b->grid->latest = b->now;
    pthread_mutex_unlock(&b->grid->lock);
}

void dpk_gpu_races_grid_meet(struct dpk_gpu_races_block *b)
{
    pthread_mutex_lock(&b->grid->lock);
    b->grid->base = b->grid->latest;
    pthread_mutex_unlock(&b->grid->lock);
}

void dpk_gpu_races_grid_leave(struct dpk_gpu_races_block *b)
{
    b->base = b->grid->base;
    b->now = b->base;
    advance(b);
}
