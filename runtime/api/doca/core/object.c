/* The table of all objects. */
#include <stdlib.h>

#include "api/doca/core/object.h"

/* A handle has a mark that no address of a program has, the generation of its place in the table,
 * and the index of the place. */
#define MARK            UINT64_C(0xd0ca)
#define PLACE_BITS      20
#define PLACES_MAX      (UINT32_C(1) << PLACE_BITS)
#define GENERATION_MASK ((UINT64_C(1) << (48 - PLACE_BITS)) - 1)

struct handle_slot {
    struct dpk_object *object; /* NULL: free */
    uint64_t generation;       /* counts the uses of the place */
    uint32_t next_free;
};

/* The process has one table, because programs pass only handles to the API. The place that was
 * freed first is reused first, so that generations grow slowly. */
static struct {
    pthread_mutex_t lock;
    struct handle_slot *places;
    uint32_t count, capacity;
    uint32_t first_free, last_free; /* PLACES_MAX: no free place */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .first_free = PLACES_MAX, .last_free = PLACES_MAX};

static uint64_t handle_of(uint32_t place)
{
    return MARK << 48 | (table.places[place].generation & GENERATION_MASK) << PLACE_BITS | place;
}

/* The place of a handle that is in use; NULL: it is not. With the lock held. */
static struct handle_slot *find_place(const void *handle)
{
    uint32_t place = (uint32_t)((uintptr_t)handle & (PLACES_MAX - 1));
    if (place >= table.count || !table.places[place].object ||
        handle_of(place) != (uintptr_t)handle)
        return NULL;
    return &table.places[place];
}

static bool grow(void)
{
    uint32_t capacity = table.capacity ? 2 * table.capacity : 64;
    if (capacity > PLACES_MAX)
        return false;
    struct handle_slot *more = reallocarray(table.places, capacity, sizeof *more);
    if (!more)
        return false;
    table.places = more;
    table.capacity = capacity;
    return true;
}

/* Returns a free place, or PLACES_MAX. */
static uint32_t take_place(void)
{
    uint32_t place = table.first_free;
    if (place != PLACES_MAX) {
        table.first_free = table.places[place].next_free;
        if (table.first_free == PLACES_MAX)
            table.last_free = PLACES_MAX;
        return place;
    }
    if (table.count == table.capacity && !grow())
        return PLACES_MAX;
    table.places[table.count] = (struct handle_slot){.generation = 1};
    return table.count++;
}

static void free_place(struct handle_slot *p)
{
    uint32_t place = (uint32_t)(p - table.places);
    p->object = NULL;
    p->generation++;
    p->next_free = PLACES_MAX;
    if (table.last_free == PLACES_MAX)
        table.first_free = place;
    else
        table.places[table.last_free].next_free = place;
    table.last_free = place;
}

/* Calls of other threads may still hold the object. `gone` prevents them from making new uses. */
static void leave(struct dpk_object *o)
{
    pthread_mutex_lock(&o->lock);
    o->gone = true;
    pthread_mutex_unlock(&o->lock);
    if (o->kind->left)
        o->kind->left(o);
}

static void release(struct dpk_object *o)
{
    pthread_mutex_destroy(&o->lock);
    o->kind->release(o);
}

void *dpk_pointer(uint64_t number)
{
    /* The conversion is intended. NOLINTNEXTLINE(performance-no-int-to-ptr) */
    return (void *)(uintptr_t)number;
}

void *dpk_object_enter(void *object, const struct dpk_kind *kind)
{
    struct dpk_object *o = object;
    o->kind = kind;
    atomic_init(&o->references, 1);
    atomic_init(&o->users, 0);
    pthread_mutex_init(&o->lock, NULL);
    pthread_mutex_lock(&table.lock);
    uint32_t place = take_place();
    if (place != PLACES_MAX) {
        table.places[place].object = o;
        /* The handle is a number in the type of a pointer; it is never dereferenced. */
        o->handle = dpk_pointer(handle_of(place));
    }
    pthread_mutex_unlock(&table.lock);
    if (place != PLACES_MAX)
        return o->handle;
    leave(o);
    release(o);
    return NULL;
}

static void *pin(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_object *o = NULL;
    pthread_mutex_lock(&table.lock);
    struct handle_slot *p = find_place(handle);
    if (p && (kind ? p->object->kind == kind : p->object->kind->is_ctx)) {
        o = p->object;
        atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&table.lock);
    return o;
}

void *dpk_object_pin(const void *handle, const struct dpk_kind *kind)
{
    return pin(handle, kind);
}

void *dpk_object_pin_ctx(const void *handle)
{
    return pin(handle, NULL);
}

void dpk_object_hold(void *object)
{
    struct dpk_object *o = object;
    atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed);
}

void dpk_object_drop(void *object)
{
    struct dpk_object *o = object;
    if (o && atomic_fetch_sub_explicit(&o->references, 1, memory_order_acq_rel) == 1)
        release(o);
}

void *dpk_object_lock(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_object *o = dpk_object_pin(handle, kind);
    if (o)
        pthread_mutex_lock(&o->lock);
    return o;
}

doca_error_t dpk_object_unlock(void *object, doca_error_t result)
{
    struct dpk_object *o = object;
    if (!o)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&o->lock);
    dpk_object_drop(o);
    return result;
}

void dpk_object_use(void *object)
{
    struct dpk_object *o = object;
    dpk_object_hold(o);
    atomic_fetch_add(&o->users, 1);
}

void dpk_object_end_use(void *object)
{
    struct dpk_object *o = object;
    if (o)
        atomic_fetch_sub(&o->users, 1);
}

void dpk_object_unuse(void *object)
{
    dpk_object_end_use(object);
    dpk_object_drop(object);
}

doca_error_t dpk_object_leave(const void *handle, const struct dpk_kind *kind, void **object)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&table.lock);
    struct handle_slot *p = find_place(handle);
    if (!p || p->object->kind != kind) {
        result = DOCA_ERROR_INVALID_VALUE;
    } else if (atomic_load(&p->object->users) != 0) {
        result = DOCA_ERROR_IN_USE;
    } else {
        *object = p->object;
        free_place(p);
    }
    pthread_mutex_unlock(&table.lock);
    if (result == DOCA_SUCCESS)
        leave(*object);
    return result;
}

doca_error_t dpk_object_destroy(const void *handle, const struct dpk_kind *kind)
{
    void *object = NULL;
    doca_error_t result = dpk_object_leave(handle, kind, &object);
    dpk_object_drop(object);
    return result;
}
