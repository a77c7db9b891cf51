/* Protection domains, memory regions, and the keys of both host and DPA memory. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context.h"
#include "verbs/verbs.h"

#define KEYS_MAX (1u << 24)
#define KEYS_FEW 256u

/* ---- Protection domains ---------------------------------------------------------------------- */

struct domain {
    struct ibv_pd ib; /* first: programs hold a pointer to it */
    atomic_uint regions;
};

struct ibv_pd *dpk_verbs_alloc_pd(struct ibv_context *context)
{
    struct domain *d = context ? calloc(1, sizeof *d) : NULL;
    if (!d) {
        errno = context ? ENOMEM : EINVAL;
        return NULL;
    }
    d->ib.context = context;
    d->ib.handle = atomic_fetch_add(&context_of(context)->pds, 1);
    return &d->ib;
}

int dpk_verbs_dealloc_pd(struct ibv_pd *pd)
{
    if (!pd)
        return EINVAL;
    if (atomic_load(&((struct domain *)pd)->regions) > 0)
        return EBUSY;
    atomic_fetch_sub(&context_of(pd->context)->pds, 1);
    free(pd);
    return 0;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* With the lock: a free index that was free for long, 0: none. */
static uint32_t old_index(struct context *c)
{
    for (uint32_t i = 1; i < c->key_count; i++) {
        c->last_key = c->last_key + 1 < c->key_count ? c->last_key + 1 : 1;
        if (!c->keys[c->last_key]->key.pd)
            return c->last_key;
    }
    return 0;
}

/* With the lock: an index that nobody had, 0: no memory for more. */
static uint32_t new_index(struct context *c)
{
    if (c->key_count == c->key_capacity) {
        uint32_t capacity = c->key_capacity ? c->key_capacity * 2 : 16;
        struct slot **keys =
            capacity <= KEYS_MAX ? realloc(c->keys, capacity * sizeof(struct slot *)) : NULL;
        if (!keys)
            return 0;
        c->keys = keys;
        c->key_capacity = capacity;
    }
    if (c->key_count == 0)
        c->keys[c->key_count++] = NULL;
    struct slot *slot = calloc(1, sizeof *slot);
    if (!slot)
        return 0;
    c->keys[c->key_count] = slot;
    return c->key_count++;
}

/* With the lock; 0: none is free. A number comes back after 256 turns of its index, so there are
 * many of these, and each has its turn. */
static uint32_t free_index(struct context *c)
{
    uint32_t index = c->key_count > KEYS_FEW ? old_index(c) : 0;
    if (!index)
        index = new_index(c);
    return index ? index : old_index(c);
}

uint32_t ibv_dpakit_key_add(const struct dpk_host_key *key)
{
    struct context *c = context_of(key->pd->context);
    uint32_t number = 0;
    pthread_rwlock_wrlock(&c->keys_lock);
    uint32_t index = free_index(c);
    if (index) {
        struct slot *slot = c->keys[index];
        slot->key = *key;
        dpk_pins_open(&slot->pins);
        slot->generation++; /* what used the index before is no key for this */
        number = index << 8 | slot->generation;
        atomic_fetch_add(&((struct domain *)key->pd)->regions, 1);
    }
    pthread_rwlock_unlock(&c->keys_lock);
    return number;
}

static struct slot *find(const struct context *c, uint32_t number)
{
    uint32_t index = number >> 8;
    struct slot *slot = index > 0 && index < c->key_count ? c->keys[index] : NULL;
    return slot && slot->key.pd && slot->generation == (uint8_t)number ? slot : NULL;
}

/* Gives the number back once nobody holds it; somebody else may have done so meanwhile. */
static void remove_key(struct context *c, struct slot *slot, uint32_t number)
{
    dpk_pins_close(&slot->pins);
    pthread_rwlock_wrlock(&c->keys_lock);
    if (find(c, number) == slot) {
        atomic_fetch_sub(&((struct domain *)slot->key.pd)->regions, 1);
        slot->key = (struct dpk_host_key){0};
    }
    pthread_rwlock_unlock(&c->keys_lock);
}

void ibv_dpakit_key_remove(struct ibv_context *context, uint32_t number)
{
    struct context *c = context_of(context);
    pthread_rwlock_rdlock(&c->keys_lock);
    struct slot *slot = find(c, number);
    pthread_rwlock_unlock(&c->keys_lock);
    if (slot)
        remove_key(c, slot, number);
}

/* The first slot from *index on with memory that `owner` has, and its number; NULL: none. */
static struct slot *find_owned(struct context *c, uint32_t *index, const void *owner,
                               uint32_t *number)
{
    struct slot *slot = NULL;
    pthread_rwlock_rdlock(&c->keys_lock);
    for (; *index < c->key_count && !slot; ++*index) {
        slot = c->keys[*index];
        if (!slot->key.pd || slot->key.owner != owner)
            slot = NULL;
        else
            *number = *index << 8 | slot->generation;
    }
    pthread_rwlock_unlock(&c->keys_lock);
    return slot;
}

void ibv_dpakit_keys_forget(struct ibv_context *context, const void *owner)
{
    struct context *c = context_of(context);
    struct slot *slot;
    for (uint32_t index = 1, number = 0; (slot = find_owned(c, &index, owner, &number));)
        remove_key(c, slot, number);
}

void *ibv_dpakit_attached(struct ibv_context *context, void *(*make)(struct ibv_context *context),
                          void (*end)(void *attached))
{
    struct context *c = context_of(context);
    pthread_mutex_lock(&c->ib.mutex);
    if (!c->attached) {
        c->attached = make(context);
        c->end_attached = end;
    }
    void *attached = c->attached;
    pthread_mutex_unlock(&c->ib.mutex);
    return attached;
}

const struct dpk_host_key *ibv_dpakit_key_acquire(struct ibv_context *context, uint32_t number)
{
    struct context *c = context_of(context);
    pthread_rwlock_rdlock(&c->keys_lock);
    struct slot *slot = find(c, number);
    bool held = slot && dpk_pin(&slot->pins);
    pthread_rwlock_unlock(&c->keys_lock);
    return held ? &slot->key : NULL;
}

void ibv_dpakit_key_release(const struct dpk_host_key *key)
{
    dpk_unpin(&((struct slot *)key)->pins);
}

/* ---- Memory regions -------------------------------------------------------------------------- */

/* Brings memory in, as a device that pins it would; false if it is not there, or not with `how`. */
static bool populate(const void *addr, size_t length, int how)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)addr % page;
    return madvise((char *)addr - before, length + before, how) == 0;
}

/* Whether the program has this memory, and may write it if that is wanted. A kernel that cannot
 * tell (before 5.14) refuses for our own stack as well: then the program is believed. */
static bool is_mapped(const void *addr, size_t length, int access)
{
    int how = access & IBV_ACCESS_LOCAL_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    return populate(addr, length, how) || !populate(&how, sizeof how, how);
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                             int access)
{
    const int remote_writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if (!pd || length == 0 || length > UINTPTR_MAX - (uintptr_t)addr ||
        length > UINT64_MAX - iova ||
        (access & remote_writes && !(access & IBV_ACCESS_LOCAL_WRITE))) {
        errno = EINVAL;
        return NULL;
    }
    if (!is_mapped(addr, length, access)) {
        errno = EFAULT;
        return NULL;
    }
    struct ibv_mr *mr = calloc(1, sizeof *mr);
    if (!mr)
        return NULL;
    *mr = (struct ibv_mr){.context = pd->context, .pd = pd, .addr = addr, .length = length};
    mr->lkey = ibv_dpakit_key_add(&(struct dpk_host_key){
        .pd = pd, .address = iova, .length = length, .access = (unsigned)access, .memory = addr});
    mr->rkey = mr->lkey;
    mr->handle = mr->lkey >> 8;
    if (mr->lkey == 0) {
        free(mr);
        errno = ENOMEM;
        return NULL;
    }
    return mr;
}

struct ibv_mr *dpk_verbs_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    return reg_mr(pd, addr, length, (uintptr_t)addr, access);
}

struct ibv_mr *dpk_verbs_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                     int access)
{
    return reg_mr(pd, addr, length, iova, access);
}

struct ibv_mr *dpk_verbs_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                      unsigned int access)
{
    return reg_mr(pd, addr, length, iova, (int)access);
}

int dpk_verbs_dereg_mr(struct ibv_mr *mr)
{
    if (!mr)
        return EINVAL;
    ibv_dpakit_key_remove(mr->context, mr->lkey);
    free(mr);
    return 0;
}
