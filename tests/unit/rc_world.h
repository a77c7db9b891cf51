/* Two ends of a connection, for tests of the NIC: in one process, or as two processes would have
 * them, by shared memory, or as two machines would have them, by UCX. Each end has a piece of
 * memory, and keeps its completions and reports. */
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

#include "rdma/pairs/transport.h"
#include "skip.h"

#include <cmocka.h>

#define MEMORY     (1u << 20)
#define KEY        7u       /* of the memory of a side; its number is put in where it is posted */
#define BASE       0x10000u /* address of the first byte */
#define ALL_REMOTE (DPK_MEMORY_REMOTE_READ | DPK_MEMORY_REMOTE_WRITE | DPK_MEMORY_REMOTE_ATOMIC)
#define TOLD_MAX   4096

/* Guards the completions and reports of all sides. */
static pthread_mutex_t world_lock = PTHREAD_MUTEX_INITIALIZER;

struct side {
    struct dpk_rc *rc;
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    struct dpk_buf address;
    uint8_t *memory;
    struct dpk_memory_domain domain;
    uint32_t key;      /* of the memory */
    struct side *peer; /* whose memory is named, NULL: one like this */
    uint64_t event;    /* the memory with key 5 */
    struct dpk_rc_completion told[TOLD_MAX];
    size_t count;
    char reason[DPK_RC_REASON_MAX]; /* of the last failure that has one */
};

/* ---- What rc asks ---- */

static inline bool side_signal(void *context, uint64_t key, uint64_t value, bool adds,
                               uint64_t *before)
{
    struct side *s = context;
    if (key != 5)
        return false;
    pthread_mutex_lock(&world_lock);
    *before = s->event;
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
    if (c->why)
        dpk_rc_reason(c->status, c->why, s->reason);
    pthread_mutex_unlock(&world_lock);
    return true;
}

static const struct dpk_rc_ops side_ops = {.signal = side_signal, .complete = side_complete};

/* ---- Making ---- */

/* Fabric of the device of sides that are made, which reach each other by it; NULL: none. */
static const char *side_fabric;
/* Directory where numbers of queue pairs are published; NULL: they are not published. */
static const char *side_directory;

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
    rc->fabric_first = side_fabric != NULL;
    if (side_directory)
        must(dpk_rc_publish(rc, side_directory, &err), &err);
    return rc;
}

/* Registers its memory anew, with these rights. */
static inline void side_register(struct side *s, unsigned rights)
{
    struct dpk_error err = {0};
    dpk_memory_remove(s->key);
    must(dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                             .rights = rights,
                                             .address = BASE,
                                             .size = MEMORY,
                                             .host = s->memory,
                                             .domains = {&s->domain}},
                        &s->key, &err),
         &err);
}

/* Directory of the device of sides that are made; NULL: of none. */
static const char *side_device;

/* An end with one queue pair, and its address. */
static inline void side_begin(struct side *s, struct dpk_rc *rc, unsigned permissions)
{
    struct dpk_error err = {0};
    const struct dpk_rc_end_options options = {.ops = &side_ops,
                                               .context = s,
                                               .domain = &s->domain,
                                               .permissions = permissions,
                                               .sends = 64,
                                               .receives = 64};
    memset(s, 0, sizeof *s);
    s->domain.device = side_device;
    s->domain.fabric = side_fabric;
    s->rc = rc;
    s->memory = calloc(1, MEMORY);
    side_register(s, ~0u);
    must(dpk_rc_end_create(rc, &options, &s->end, &err), &err);
    must(dpk_rc_qp_create(s->end, 3, &s->qp, &err), &err);
    must(dpk_rc_qp_address(s->qp, &s->address, &err), &err);
}

static inline void side_end(struct side *s)
{
    if (s->end)
        dpk_rc_end_destroy(s->end);
    s->end = NULL;
    dpk_memory_remove(s->key);
    dpk_buf_free(&s->address);
    free(s->memory);
    s->memory = NULL;
}

static inline void side_connect(struct side *s, struct side *to)
{
    struct dpk_error err = {0};
    s->peer = to;
    must(dpk_rc_qp_connect(s->qp, to->address.data, to->address.size, &err), &err);
}

/* The state of a test: whether its two sides are those of two processes, or of two machines. */
static const bool modes[3] = {false, true, true};
#define ON_FABRIC (&modes[2])
struct world {
    bool apart;
    struct dpk_rc *nics[2];
    struct side a, b;
};

static inline struct world *world_with(void **state, unsigned permissions)
{
    static struct world worlds[2];
    struct world *w = &worlds[*(bool *)*state];
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (*state == ON_FABRIC)
        skip_because("UCX is not built with the sanitizer");
#endif
    side_fabric = *state == ON_FABRIC ? "ucx:127.0.0.1" : NULL;
    w->apart = *(bool *)*state;
    w->nics[0] = nic_new();
    w->nics[1] = w->apart ? nic_new() : NULL;
    side_begin(&w->a, w->nics[0], permissions);
    side_begin(&w->b, w->nics[w->apart], permissions);
    w->a.peer = &w->b;
    w->b.peer = &w->a;
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
    side_fabric = NULL;
}

/* ---- Using ---- */

static inline struct dpk_memory_access span(uint64_t offset, uint64_t size)
{
    return (struct dpk_memory_access){.key = KEY, .address = BASE + offset, .size = size};
}

static inline struct dpk_rc_work with_keys(const struct side *s, struct dpk_rc_work w)
{
    if (w.local.key == KEY)
        w.local.key = s->key;
    if ((uint32_t)w.key == KEY)
        w.key += (s->peer ? s->peer->key : s->key) - KEY;
    return w;
}

/* What the threads of both sides did happened before what this one does next. ThreadSanitizer does
 * not see that by the rings that two processes share. */
static inline void side_sync(const struct side *s)
{
    const struct side *const sides[] = {s, s->peer};
    for (int i = 0; i < 2; i++)
        if (sides[i] && sides[i]->end) {
            dpk_rc_lock(sides[i]->rc);
            dpk_rc_unlock(sides[i]->rc);
        }
}

static inline void post(struct side *s, struct dpk_rc_work w)
{
    side_sync(s);
    w = with_keys(s, w);
    assert_true(dpk_rc_post(s->qp, &w));
}

static inline void post_receive(struct side *s, uint64_t offset, uint64_t size)
{
    struct dpk_rc_receive r = {.buffer = span(offset, size)};
    r.buffer.key = s->key;
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
    dpk_rc_lock(s->rc);
    uint8_t byte = s->memory[offset];
    dpk_rc_unlock(s->rc);
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
    side_sync(s);
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

/* Checks that no more reports came, after messages in flight had time to arrive. */
static inline void silence(struct world *w, struct side *s, size_t n)
{
    if (w->apart)
        usleep(3000);
    assert_int_equal(told(s), n);
}

/* ---- Every test three times ---- */

#define LOCAL(f)                                                                                   \
    {                                                                                              \
        "local_" #f, f, NULL, NULL, (void *)(uintptr_t)&modes[0]                                   \
    }
#define PROCESSES(f)                                                                               \
    {                                                                                              \
        "processes_" #f, f, NULL, NULL, (void *)(uintptr_t)&modes[1]                               \
    }
#define FABRIC(f)                                                                                  \
    {                                                                                              \
        "fabric_" #f, f, NULL, NULL, (void *)(uintptr_t)ON_FABRIC                                  \
    }
#define TEST(f) LOCAL(f), PROCESSES(f), FABRIC(f)

#endif
