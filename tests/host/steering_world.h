/* Flow steering by mlx5dv_dr, of frames of libflexio's queues. */
#ifndef TESTS_STEERING_WORLD_H
#define TESTS_STEERING_WORLD_H

#include "queue_world.h"

#include <errno.h>

/* The parameters of a matcher or a rule: 64 bytes of each part of the match. */
struct parameters {
    size_t size;
    uint8_t bytes[256];
};
#define P(p) ((struct mlx5dv_flow_match_parameters *)(void *)&(p))

/* A domain with a root table and a second one. */
struct tables {
    struct mlx5dv_dr_domain *domain;
    struct mlx5dv_dr_table *root, *next;
};

static inline struct tables tables(enum mlx5dv_dr_domain_type type)
{
    struct tables t = {.domain = mlx5dv_dr_domain_create(context, type)};
    CHECK(t.domain && mlx5dv_dr_domain_sync(t.domain, 0) == 0);
    CHECK((t.root = mlx5dv_dr_table_create(t.domain, 0)));
    CHECK((t.next = mlx5dv_dr_table_create(t.domain, 1)));
    CHECK(mlx5dv_dr_domain_destroy(t.domain) == EBUSY);
    return t;
}

static inline void tables_end(struct tables *t)
{
    CHECK(mlx5dv_dr_table_destroy(t->next) == 0 && mlx5dv_dr_table_destroy(t->root) == 0);
    CHECK(mlx5dv_dr_domain_destroy(t->domain) == 0);
}

static inline struct mlx5dv_dr_matcher *matcher(struct mlx5dv_dr_table *table,
                                                struct parameters *mask)
{
    struct mlx5dv_dr_matcher *m = mlx5dv_dr_matcher_create(table, 0, 1, P(*mask));
    CHECK(m);
    return m;
}

static inline struct mlx5dv_dr_rule *rule(struct mlx5dv_dr_matcher *m, struct parameters *value,
                                          struct mlx5dv_dr_action *action)
{
    struct mlx5dv_dr_rule *r = mlx5dv_dr_rule_create(m, P(*value), 1, &action);
    CHECK(r);
    return r;
}

/* Sends the header and some bytes. Returns true if the frame came back. */
static inline bool comes_back(struct set *s, const uint8_t *header, size_t size)
{
    static uint64_t receives;
    static struct set *last;
    uint8_t bytes[60] = {0};
    if (last != s)
        receives = 0;
    last = s;
    memcpy(bytes, header, size);
    CHECK(flexio_host2dev_memcpy(s->p, bytes, sizeof bytes, s->q.data + DEPTH * BUFFER) == OK);
    CHECK(call2(s->p, &frame, s->at, 60) >> 56 == 0);
    CHECK(receives < DEPTH);
    /* The owner bit of an unwritten completion is 1. */
    if (call1(s->p, &peek, s->q.receive_cq + receives * 64 + 56) >> 56 & 1)
        return false;
    CHECK(call1(s->p, &next_received, s->at) == OUTCOME(2, 0, receives, 60u));
    receives++;
    return true;
}

/* ---- Commands, as drivers build them ---- */

enum { RQT_BYTES = 32 + 240 + 2 * 4, TIR_BYTES = 32 + 240, ANSWER = 16 };

static inline void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void put24(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 16);
    put16(at + 1, value);
}

static inline uint32_t number_in(const uint8_t answer[ANSWER])
{
    return (uint32_t)answer[9] << 16 | (uint32_t)answer[10] << 8 | answer[11];
}

static inline struct mlx5dv_devx_obj *made(const uint8_t *in, size_t size, uint8_t answer[ANSWER])
{
    struct mlx5dv_devx_obj *obj = mlx5dv_devx_obj_create(context, in, size, answer, ANSWER);
    CHECK(obj && answer[0] == 0);
    return obj;
}

/* True if a call fails with this errno. */
#define REFUSED(call, why) (errno = 0, !(call) && errno == (why))

#endif
