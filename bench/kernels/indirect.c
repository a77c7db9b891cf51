/* Objects that are called through tables of functions: indirect calls with changing targets. */
#include "kernel.h"

enum { ROUNDS = 72000, OBJECTS = 512, KINDS = 6 };

struct object;
struct methods {
    uint64_t (*handle)(struct object *object, uint64_t event);
    bool (*wants)(const struct object *object, uint64_t event);
};
struct object {
    const struct methods *methods;
    uint64_t state, count;
};

static uint64_t handle_add(struct object *o, uint64_t event)
{
    return o->state += event;
}

static uint64_t handle_mix(struct object *o, uint64_t event)
{
    return o->state = (o->state ^ event) * 0x9e3779b1u;
}

static uint64_t handle_largest(struct object *o, uint64_t event)
{
    return o->state = event > o->state ? event : o->state - 1;
}

static uint64_t handle_rotate(struct object *o, uint64_t event)
{
    return o->state = (o->state << 5 | o->state >> 59) + event;
}

static uint64_t handle_average(struct object *o, uint64_t event)
{
    return o->state = (o->state + event) >> 1;
}

static uint64_t handle_count(struct object *o, uint64_t event)
{
    return o->count += event & 3;
}

static bool wants_all(const struct object *o, uint64_t event)
{
    (void)o, (void)event;
    return true;
}

static bool wants_some(const struct object *o, uint64_t event)
{
    return ((o->state ^ event) & 3) != 0;
}

static const struct methods kinds[KINDS] = {
    {handle_add, wants_all},     {handle_mix, wants_some},    {handle_largest, wants_all},
    {handle_rotate, wants_some}, {handle_average, wants_all}, {handle_count, wants_some},
};
static struct object objects[OBJECTS];

/* All it knows of an object is its table. */
static __attribute__((noinline)) uint64_t deliver(struct object *object, uint64_t event)
{
    return object->methods->wants(object, event) ? object->methods->handle(object, event) : 1;
}

uint64_t kernel(void)
{
    uint64_t seed = 10, sum = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        objects[i].methods = &kinds[(next_number(&seed) >> 33) % KINDS];
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < OBJECTS; i++)
            sum += deliver(&objects[i], sum ^ i);
    return sum;
}
