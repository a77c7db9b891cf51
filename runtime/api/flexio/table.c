/* Tables of objects that the device names by number: windows, outboxes, UARs. */
#include "private.h"

uint32_t libflexio_table_add(struct flexio_process *p, struct object_table *t, void *object)
{
    uint32_t i = 0;
    pthread_mutex_lock(&p->objects_lock);
    while (i < t->count && t->objects[i])
        i++;
    if (i == t->count && i < UINT16_MAX) {
        void **more = reallocarray(t->objects, t->count + 1, sizeof *more);
        if (more) {
            t->objects = more;
            t->count++;
        }
    }
    bool room = i < t->count;
    if (room)
        t->objects[i] = object;
    pthread_mutex_unlock(&p->objects_lock);
    return room ? i + 1 : 0;
}

void libflexio_table_remove(struct flexio_process *p, struct object_table *t, uint32_t id)
{
    pthread_mutex_lock(&p->objects_lock);
    t->objects[id - 1] = NULL;
    pthread_mutex_unlock(&p->objects_lock);
}

void *libflexio_table_find(const struct object_table *t, uint64_t id)
{
    return id >= 1 && id <= t->count ? t->objects[id - 1] : NULL;
}

bool libflexio_table_has(struct flexio_process *p, const struct object_table *t, uint64_t id)
{
    pthread_mutex_lock(&p->objects_lock);
    bool there = libflexio_table_find(t, id) != NULL;
    pthread_mutex_unlock(&p->objects_lock);
    return there;
}
