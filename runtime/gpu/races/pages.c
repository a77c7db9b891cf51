#include "pages.h"

#include <pthread.h>
#include <stdlib.h>

/* A page of cells takes 48 KiB: at most 1.5 GiB of the host, for 128 MiB of the GPU. */
enum { PAGE = 4096, PAGES_MAX = 32768, BUCKETS = 16384, LOCKS = 64 };

struct page {
    struct page *next;
    uintptr_t number;
    struct races_cell cells[PAGE / RACES_GRANULE][RACES_CELLS];
};

struct races_pages {
    struct page *buckets[BUCKETS]; /* each is read and written under its lock */
    pthread_mutex_t locks[LOCKS];
    _Atomic unsigned count;
};

struct races_pages *races_pages_new(void)
{
    struct races_pages *s = calloc(1, sizeof *s);
    for (unsigned i = 0; s && i < LOCKS; i++)
        pthread_mutex_init(&s->locks[i], NULL);
    return s;
}

void races_pages_free(struct races_pages *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct page *p = s->buckets[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&s->locks[i]);
    free(s);
}

static unsigned bucket_of(uintptr_t address)
{
    return (unsigned)((address / PAGE * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % BUCKETS;
}

struct races_cell *races_pages_lock(struct races_pages *s, uintptr_t address, bool make)
{
    const unsigned bucket = bucket_of(address);
    const uintptr_t number = address / PAGE;
    pthread_mutex_lock(&s->locks[bucket % LOCKS]);
    struct page *p = s->buckets[bucket];
    while (p && p->number != number)
        p = p->next;
    if (!p && make && atomic_load(&s->count) < PAGES_MAX && (p = calloc(1, sizeof *p))) {
        atomic_fetch_add(&s->count, 1);
        p->number = number;
        p->next = s->buckets[bucket];
        s->buckets[bucket] = p;
    }
    if (!p) {
        pthread_mutex_unlock(&s->locks[bucket % LOCKS]);
        return NULL;
    }
    return p->cells[address % PAGE / RACES_GRANULE];
}

void races_pages_unlock(struct races_pages *s, uintptr_t address)
{
    pthread_mutex_unlock(&s->locks[bucket_of(address) % LOCKS]);
}
