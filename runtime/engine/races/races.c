#include "engine/races/races.h"

#include <pthread.h>
#include <stdlib.h>

#include "engine/races/clock.h"
#include "engine/races/shadow.h"

enum { BUCKETS = 4096, OBJECTS_MAX = 65536 }; /* for atomic variables and other objects that are
                                               * acquired */
enum { PAIRS_MAX = 256, RECENT = 8, PAGE = 4096 };
/* Larger writes from outside are data, for which no thread polls. */
enum { OUTSIDE_MAX = 4096 };

struct object {
    struct object *next;
    uint64_t key;
    struct clock clock;
};

struct thread {
    struct clock clock;
    struct clock released;   /* clock at its last release fence */
    struct clock pending;    /* clock that an acquire fence acquires */
    uint64_t recent[RECENT]; /* addresses loaded since the last acquire fence, or 0 */
    unsigned recent_at;
};

struct races {
    pthread_mutex_t lock;
    struct shadow *shadow;
    struct thread threads[RACES_THREADS];
    struct object *objects[BUCKETS];
    unsigned object_count;
    struct {
        uint32_t a, b;
    } pairs[PAIRS_MAX];
    unsigned pair_count;
    unsigned turn; /* cell to give up next */
};

struct races *races_create(void)
{
    struct races *r = calloc(1, sizeof *r);
    if (!r || !(r->shadow = races_shadow_create())) {
        free(r);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void races_destroy(struct races *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < RACES_THREADS; i++) {
        races_clock_free(&r->threads[i].clock);
        races_clock_free(&r->threads[i].released);
        races_clock_free(&r->threads[i].pending);
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct object *o = r->objects[i], *next; o; o = next) {
            next = o->next;
            races_clock_free(&o->clock);
            free(o);
        }
    races_shadow_free(r->shadow);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* ---- Clocks ---- */

static struct thread *thread_of(struct races *r, unsigned thread)
{
    struct thread *t = &r->threads[thread];
    if (clock_of(&t->clock, thread) == 0)
        (void)races_clock_tick(&t->clock, thread); /* 0 means before everything */
    return t;
}

static struct object *object_of(struct races *r, uint64_t key, bool make)
{
    struct object **bucket = &r->objects[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
    struct object *o = *bucket;
    while (o && o->key != key)
        o = o->next;
    if (!o && make && r->object_count < OBJECTS_MAX && (o = calloc(1, sizeof *o))) {
        o->key = key;
        o->next = *bucket;
        *bucket = o;
        r->object_count++;
    }
    return o;
}

static void release(struct races *r, unsigned thread, uint64_t key)
{
    struct thread *t = thread_of(r, thread);
    struct object *o = object_of(r, key, true);
    if (o && races_clock_join(&o->clock, &t->clock))
        (void)races_clock_tick(&t->clock, thread);
}

static void acquire(struct races *r, struct clock *to, uint64_t key)
{
    const struct object *o = object_of(r, key, false);
    if (o)
        (void)races_clock_join(to, &o->clock);
}

void races_release(struct races *r, unsigned thread, uint64_t key)
{
    pthread_mutex_lock(&r->lock);
    release(r, thread, key);
    pthread_mutex_unlock(&r->lock);
}

void races_acquire(struct races *r, unsigned thread, uint64_t key)
{
    pthread_mutex_lock(&r->lock);
    acquire(r, &thread_of(r, thread)->clock, key);
    pthread_mutex_unlock(&r->lock);
}

void races_store(struct races *r, unsigned thread, uint64_t address, bool ordered)
{
    pthread_mutex_lock(&r->lock);
    const struct thread *t = thread_of(r, thread);
    if (ordered) {
        release(r, thread, address);
    } else if (t->released.count) {
        struct object *o = object_of(r, address, true);
        if (o)
            (void)races_clock_join(&o->clock, &t->released);
    }
    pthread_mutex_unlock(&r->lock);
}

void races_load(struct races *r, unsigned thread, uint64_t address, bool ordered)
{
    pthread_mutex_lock(&r->lock);
    struct thread *t = thread_of(r, thread);
    acquire(r, ordered ? &t->clock : &t->pending, address);
    pthread_mutex_unlock(&r->lock);
}

void races_load_soon(struct races *r, unsigned thread, uint64_t address)
{
    pthread_mutex_lock(&r->lock);
    struct thread *t = thread_of(r, thread);
    unsigned i = 0;
    while (i < RECENT && t->recent[i] != address)
        i++;
    if (i == RECENT)
        t->recent[t->recent_at++ % RECENT] = address;
    pthread_mutex_unlock(&r->lock);
}

void races_fence(struct races *r, unsigned thread, bool releases, bool acquires)
{
    pthread_mutex_lock(&r->lock);
    struct thread *t = thread_of(r, thread);
    for (unsigned i = 0; acquires && i < RECENT; i++) {
        if (t->recent[i])
            acquire(r, &t->clock, t->recent[i]);
        t->recent[i] = 0;
    }
    if (acquires)
        (void)races_clock_join(&t->clock, &t->pending);
    if (releases && races_clock_join(&t->released, &t->clock))
        (void)races_clock_tick(&t->clock, thread);
    pthread_mutex_unlock(&r->lock);
}

/* ---- Accesses ---- */

/* Returns a bit for each byte of the granule that is in the range. */
static uint8_t bytes_of(uint64_t granule, uint64_t begin, uint64_t end)
{
    const unsigned first = begin > granule ? (unsigned)(begin - granule) : 0;
    const unsigned behind = end < granule + GRANULE ? (unsigned)(end - granule) : GRANULE;
    return (uint8_t)((0xffu << first) & (0xffu >> (GRANULE - behind)));
}

/* Returns whether a pair of places is new, and adds it. */
static bool is_new_pair(struct races *r, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (unsigned i = 0; i < r->pair_count; i++)
        if (r->pairs[i].a == low && r->pairs[i].b == high)
            return false;
    if (r->pair_count == PAIRS_MAX)
        return false;
    r->pairs[r->pair_count].a = low;
    r->pairs[r->pair_count++].b = high;
    return true;
}

/* Returns whether a thread with this clock knows of the access. */
static bool is_before(const struct cell *c, const struct clock *clock)
{
    return c->clock <= clock_of(clock, c->thread);
}

static bool conflict(const struct cell *a, const struct cell *b)
{
    return (a->bytes & b->bytes) && ((a->how | b->how) & RACES_WRITES) &&
           !(a->how & b->how & RACES_ATOMIC);
}

/* Returns whether `now` makes an earlier access redundant. */
static bool replaces(const struct cell *now, const struct cell *old, bool before)
{
    return before && !(old->bytes & ~now->bytes) &&
           (old->how & RACES_WRITES) <= (now->how & RACES_WRITES) &&
           (!(now->how & RACES_ATOMIC) || (old->how & RACES_ATOMIC));
}

/* Chooses the cell to give up: preferably a load, since writes race with more accesses. */
static struct cell *give_up(struct races *r, struct cell cells[CELLS])
{
    const unsigned first = r->turn++;
    for (unsigned i = 0; i < CELLS; i++)
        if (!(cells[(first + i) % CELLS].how & RACES_WRITES))
            return &cells[(first + i) % CELLS];
    return &cells[first % CELLS];
}

/* Notes an access to a granule. Returns an earlier access that races with it, or a cell without
 * bytes. */
static struct cell note(struct races *r, struct cell cells[CELLS], const struct cell *now,
                        struct clock *clock)
{
    struct cell found = {0}, *place = NULL;
    for (unsigned i = 0; i < CELLS; i++) {
        struct cell *c = &cells[i];
        if (c->how & CELL_OUTSIDE && c->bytes & now->bytes)
            acquire(r, clock, RACES_OUTSIDE);
        const bool free = c->clock == 0,
                   before = free || c->how & CELL_OUTSIDE || is_before(c, clock);
        if (!before && c->thread != now->thread && conflict(c, now))
            found = *c;
        if (free || replaces(now, c, before)) {
            if (place)
                *c = (struct cell){0};
            else
                place = c;
        }
    }
    if (!place)
        place = give_up(r, cells);
    *place = *now;
    return found;
}

static bool is_inside(uint64_t address, uint64_t size)
{
    return address < RACES_END && size <= RACES_END - address && size > 0;
}

bool races_access(struct races *r, const struct races_access *a, struct race *out)
{
    bool raced = false;
    if (!is_inside(a->address, a->size))
        return false;
    pthread_mutex_lock(&r->lock);
    struct thread *t = thread_of(r, a->thread);
    const uint64_t end = a->address + a->size;
    struct cell now = {.place = a->place, .thread = (uint16_t)a->thread, .how = (uint8_t)a->how};
    now.clock = clock_of(&t->clock, a->thread);
    for (uint64_t g = a->address & ~(uint64_t)(GRANULE - 1); g < end; g += GRANULE) {
        struct cell *cells = races_shadow_at(r->shadow, g, true);
        if (!cells)
            break;
        now.bytes = bytes_of(g, a->address, end);
        const struct cell before = note(r, cells, &now, &t->clock);
        if (!before.bytes || raced || !is_new_pair(r, a->place, before.place))
            continue;
        raced = true;
        *out = (struct race){.address = g, .now = *a};
        out->before = (struct races_access){.thread = before.thread,
                                            .address = g + (unsigned)__builtin_ctz(before.bytes),
                                            .size = (unsigned)__builtin_popcount(before.bytes),
                                            .how = before.how,
                                            .place = before.place};
    }
    pthread_mutex_unlock(&r->lock);
    return raced;
}

/* ---- Accesses from outside ---- */

/* Calls `each` for the granules of a range that were accessed or, with `make`, for all granules. */
static void walk(struct races *r, uint64_t address, uint64_t size, bool make,
                 void (*each)(struct races *r, struct cell cells[CELLS], uint8_t bytes))
{
    if (!is_inside(address, size))
        return;
    pthread_mutex_lock(&r->lock);
    for (uint64_t g = address & ~(uint64_t)(GRANULE - 1); g < address + size;) {
        struct cell *cells = races_shadow_at(r->shadow, g, make);
        if (cells)
            each(r, cells, bytes_of(g, address, address + size));
        g = cells ? g + GRANULE : (g / PAGE + 1) * PAGE;
    }
    pthread_mutex_unlock(&r->lock);
}

static void forget(struct races *r, struct cell cells[CELLS], uint8_t bytes)
{
    (void)r;
    for (unsigned i = 0; i < CELLS; i++) {
        cells[i].bytes &= (uint8_t)~bytes;
        if (!cells[i].bytes)
            cells[i] = (struct cell){0};
    }
}

static void write_outside(struct races *r, struct cell cells[CELLS], uint8_t bytes)
{
    forget(r, cells, bytes);
    unsigned i = 0;
    while (i < CELLS - 1 && cells[i].clock)
        i++;
    cells[i] = (struct cell){.clock = 1, .bytes = bytes, .how = RACES_WRITES | CELL_OUTSIDE};
}

static void read_outside(struct races *r, struct cell cells[CELLS], uint8_t bytes)
{
    const struct object *o = object_of(r, RACES_OUTSIDE, true);
    for (unsigned i = 0; o && i < CELLS; i++)
        if (cells[i].bytes & bytes && cells[i].thread && cells[i].how & RACES_WRITES &&
            !is_before(&cells[i], &o->clock))
            release(r, cells[i].thread, RACES_OUTSIDE);
}

void races_written_outside(struct races *r, uint64_t address, uint64_t size)
{
    const bool small = size <= OUTSIDE_MAX;
    walk(r, address, size, small, small ? write_outside : forget);
}

void races_read_outside(struct races *r, uint64_t address, uint64_t size)
{
    walk(r, address, size, false, read_outside);
}

void races_forget(struct races *r, uint64_t address, uint64_t size)
{
    walk(r, address, size, false, forget);
}
