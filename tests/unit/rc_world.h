/* Two ends of a connection, for tests of the NIC: in one process, or as two processes would have
 * them, by shared memory. Each has one piece of memory, and keeps what is told to it. */
#ifndef DPK_TEST_NIC_WORLD_H
#define DPK_TEST_NIC_WORLD_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rc/rc.h"

#include <cmocka.h>

#define MEMORY (1u << 20)
#define KEY    7u
#define BASE   0x10000u /* address of the first byte */
#define ALL_REMOTE                                                                                 \
    (1u << DPK_RC_REMOTE_READ | 1u << DPK_RC_REMOTE_WRITE | 1u << DPK_RC_REMOTE_ATOMIC)
#define TOLD_MAX 4096

/* Guards what is told and memory of all sides: what is told at one of them happened at the other
 * before, and this lock is what ThreadSanitizer sees of that. */
static pthread_mutex_t world_lock = PTHREAD_MUTEX_INITIALIZER;

struct side {
    struct dpk_rc *rc;
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    struct dpk_buf address;
    uint8_t *memory;
    unsigned permissions; /* of the memory, 1 << enum dpk_rc_access */
    uint64_t event;       /* the one that has key 5 */
    struct dpk_rc_completion told[TOLD_MAX];
    size_t count;
};

/* ---- What the NIC asks ---- */

static inline uint8_t *find_memory(struct side *s, const struct dpk_rc_range *r,
                                   enum dpk_rc_access access)
{
    if (r->key != KEY || !(s->permissions & 1u << access) || r->size > MEMORY ||
        r->address < BASE || r->address - BASE > MEMORY - r->size)
        return NULL;
    return s->memory + (r->address - BASE);
}

static inline bool side_has(void *context, const struct dpk_rc_range *r, enum dpk_rc_access access)
{
    return find_memory(context, r, access) != NULL;
}

static inline bool side_out(void *context, const struct dpk_rc_range *r, enum dpk_rc_access access,
                            void *to)
{
    const uint8_t *at = find_memory(context, r, access);
    pthread_mutex_lock(&world_lock);
    if (at)
        memcpy(to, at, r->size);
    pthread_mutex_unlock(&world_lock);
    return at != NULL;
}

static inline bool side_in(void *context, const struct dpk_rc_range *r, enum dpk_rc_access access,
                           const void *from)
{
    uint8_t *at = find_memory(context, r, access);
    pthread_mutex_lock(&world_lock);
    if (at)
        memcpy(at, from, r->size);
    pthread_mutex_unlock(&world_lock);
    return at != NULL;
}

static inline bool side_add(void *context, const struct dpk_rc_range *r, uint64_t value,
                            uint64_t *before)
{
    uint8_t *at = find_memory(context, r, DPK_RC_REMOTE_ATOMIC);
    if (!at)
        return false;
    pthread_mutex_lock(&world_lock);
    memcpy(before, at, sizeof *before);
    value += *before;
    memcpy(at, &value, sizeof value);
    pthread_mutex_unlock(&world_lock);
    return true;
}

static inline bool side_swap(void *context, const struct dpk_rc_range *r, uint64_t compare,
                             uint64_t value, uint64_t *before)
{
    uint8_t *at = find_memory(context, r, DPK_RC_REMOTE_ATOMIC);
    if (!at)
        return false;
    pthread_mutex_lock(&world_lock);
    memcpy(before, at, sizeof *before);
    if (*before == compare)
        memcpy(at, &value, sizeof value);
    pthread_mutex_unlock(&world_lock);
    return true;
}

static inline bool side_signal(void *context, uint64_t key, uint64_t value, bool adds)
{
    struct side *s = context;
    if (key != 5)
        return false;
    pthread_mutex_lock(&world_lock);
    s->event = adds ? s->event + value : value;
    pthread_mutex_unlock(&world_lock);
    return true;
}

static inline bool side_complete(void *context, const struct dpk_rc_completion *c)
{
    struct side *s = context;
    pthread_mutex_lock(&world_lock);
    assert_true(s->count < TOLD_MAX);
    s->told[s->count++] = *c;
    pthread_mutex_unlock(&world_lock);
    return true;
}

static const struct dpk_rc_ops side_ops = {.has = side_has,
                                           .copy_out = side_out,
                                           .copy_in = side_in,
                                           .add = side_add,
                                           .swap = side_swap,
                                           .signal = side_signal,
                                           .complete = side_complete};

/* ---- Making ---- */

static inline void must(enum dpk_status status, const struct dpk_error *err)
{
    if (status != DPK_OK)
        fail_msg("%s", err->message);
}

static inline struct dpk_rc *nic_new(void)
{
    struct dpk_rc *rc;
    struct dpk_uuid identity;
    struct dpk_error err = {0};
    dpk_uuid_new_time(&identity);
    must(dpk_rc_open(&identity, &rc, &err), &err);
    return rc;
}

/* An end with one queue pair, and its address. */
static inline void side_begin(struct side *s, struct dpk_rc *rc, unsigned permissions)
{
    struct dpk_error err = {0};
    const struct dpk_rc_end_options options = {
        .ops = &side_ops, .context = s, .permissions = permissions, .sends = 64, .receives = 64};
    memset(s, 0, sizeof *s);
    s->rc = rc;
    s->memory = calloc(1, MEMORY);
    s->permissions = ~0u;
    must(dpk_rc_end_create(rc, &options, &s->end, &err), &err);
    must(dpk_rc_qp_create(s->end, 3, &s->qp, &err), &err);
    must(dpk_rc_qp_address(s->qp, &s->address, &err), &err);
}

static inline void side_end(struct side *s)
{
    if (s->end)
        dpk_rc_end_destroy(s->end);
    s->end = NULL;
    dpk_buf_free(&s->address);
    free(s->memory);
    s->memory = NULL;
}

static inline void side_connect(struct side *s, const struct side *to)
{
    struct dpk_error err = {0};
    must(dpk_rc_qp_connect(s->qp, to->address.data, to->address.size, &err), &err);
}

/* The state of a test: whether its two sides are those of two processes. */
struct world {
    bool apart;
    struct dpk_rc *nics[2];
    struct side a, b;
};

static inline struct world *world_with(void **state, unsigned permissions)
{
    static struct world worlds[2];
    struct world *w = &worlds[*(bool *)*state];
    w->apart = *(bool *)*state;
    w->nics[0] = nic_new();
    w->nics[1] = w->apart ? nic_new() : NULL;
    side_begin(&w->a, w->nics[0], permissions);
    side_begin(&w->b, w->nics[w->apart], permissions);
    return w;
}

static inline struct world *world(void **state)
{
    struct world *w = world_with(state, ALL_REMOTE);
    side_connect(&w->a, &w->b);
    side_connect(&w->b, &w->a);
    return w;
}

static inline void world_end(struct world *w)
{
    side_end(&w->a);
    side_end(&w->b);
    dpk_rc_close(w->nics[0]);
    dpk_rc_close(w->nics[1]);
}

/* ---- Using ---- */

static inline struct dpk_rc_range span(uint64_t offset, uint64_t size)
{
    return (struct dpk_rc_range){KEY, BASE + offset, size};
}

static inline void post(struct side *s, struct dpk_rc_work w)
{
    assert_true(dpk_rc_post(s->qp, &w));
}

static inline void post_receive(struct side *s, uint64_t offset, uint64_t size)
{
    const struct dpk_rc_range r = span(offset, size);
    assert_true(dpk_rc_post_receive(s->end, &r));
}

static inline size_t told(struct side *s)
{
    pthread_mutex_lock(&world_lock);
    size_t n = s->count;
    pthread_mutex_unlock(&world_lock);
    return n;
}

static inline uint8_t peek(const struct side *s, size_t offset)
{
    pthread_mutex_lock(&world_lock);
    uint8_t byte = s->memory[offset];
    pthread_mutex_unlock(&world_lock);
    return byte;
}

/* Completion `n` of a side, for which it waits, for a minute at least. */
static inline struct dpk_rc_completion told_at(struct side *s, size_t n)
{
    for (int i = 0; i < 600000 && told(s) <= n; i++)
        usleep(100);
    assert_true(told(s) > n);
    pthread_mutex_lock(&world_lock);
    struct dpk_rc_completion c = s->told[n];
    pthread_mutex_unlock(&world_lock);
    return c;
}

static inline void await_event(struct side *s, size_t n, enum dpk_rc_event event)
{
    assert_int_equal(told_at(s, n).event, event);
}

/* Lets each end write to the other, and forgets it: both have heard of each other then. */
static inline void introduce(struct world *w)
{
    struct side *const sides[] = {&w->a, &w->b};
    for (int i = 0; i < 2; i++) {
        post(sides[i],
             (struct dpk_rc_work){
                 .opcode = DPK_RC_WRITE, .local = span(0, 1), .key = KEY, .address = BASE});
        await_event(sides[i], 0, DPK_RC_DONE);
        pthread_mutex_lock(&world_lock);
        sides[i]->count = 0;
        pthread_mutex_unlock(&world_lock);
    }
}

/* Nothing more was told; messages under way have had their time. */
static inline void silence(struct world *w, struct side *s, size_t n)
{
    if (w->apart)
        usleep(3000);
    assert_int_equal(told(s), n);
}

/* ---- Every test twice ---- */

static const bool modes[2] = {false, true};

#define TEST(f)                                                                                    \
    {"local_" #f, f, NULL, NULL, (void *)(uintptr_t)&modes[0]},                                    \
    {                                                                                              \
        "processes_" #f, f, NULL, NULL, (void *)(uintptr_t)&modes[1]                               \
    }

#endif
