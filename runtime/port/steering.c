/*
 * Flow tables, as ConnectX devices have them. A table has its rules in the order in which they are
 * asked. Another way to find them (a hash for each mask) would change find() alone.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define JUMPS_MAX 64u /* after which a frame is dropped: tables may lead to each other */

TAILQ_HEAD(rules, dpk_flow_rule);

struct dpk_flow_table {
    struct dpk_steering *steering;
    enum dpk_flow_domain domain;
    bool root;
    struct rules own;
    struct rules *rules; /* `own`, or those that all root tables of the domain share */
};

struct dpk_flow_rule {
    TAILQ_ENTRY(dpk_flow_rule) in_table, in_steering;
    struct dpk_flow_table *table;
    struct dpk_match match;
    unsigned priority;
    struct dpk_flow_target target;
    bool listed; /* its receive queue is not destroyed */
};

struct dpk_steering {
    pthread_mutex_t lock; /* inside of that of the queues */
    struct rules roots[DPK_FLOW_DOMAINS];
    struct rules listed;
    struct dpk_queues *nic; /* NULL: it has none yet */
};

struct dpk_steering *dpk_steering_new(void)
{
    struct dpk_steering *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    TAILQ_INIT(&s->listed);
    for (unsigned i = 0; i < DPK_FLOW_DOMAINS; i++)
        TAILQ_INIT(&s->roots[i]);
    return s;
}

void dpk_steering_free(struct dpk_steering *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void steering_attach(struct dpk_steering *s, struct dpk_queues *nic)
{
    pthread_mutex_lock(&s->lock);
    s->nic = nic;
    pthread_mutex_unlock(&s->lock);
}

/* ---- Tables and rules ---- */

struct dpk_flow_table *dpk_flow_table_new(struct dpk_steering *s, enum dpk_flow_domain domain,
                                          bool root)
{
    struct dpk_flow_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (struct dpk_flow_table){.steering = s, .domain = domain, .root = root};
    TAILQ_INIT(&t->own);
    t->rules = root ? &s->roots[domain] : &t->own;
    return t;
}

void dpk_flow_table_free(struct dpk_flow_table *table)
{
    free(table);
}

static void list(struct rules *rules, struct dpk_flow_rule *rule)
{
    struct dpk_flow_rule *after = TAILQ_LAST(rules, rules);
    while (after && after->priority > rule->priority)
        after = TAILQ_PREV(after, rules, in_table);
    if (after)
        TAILQ_INSERT_AFTER(rules, after, rule, in_table);
    else
        TAILQ_INSERT_HEAD(rules, rule, in_table);
}

struct dpk_flow_rule *dpk_flow_rule_new(struct dpk_flow_table *table, const struct dpk_match *match,
                                        unsigned priority, const struct dpk_flow_target *target)
{
    struct dpk_steering *s = table->steering;
    struct dpk_flow_rule *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct dpk_flow_rule){
        .table = table, .match = *match, .priority = priority, .target = *target, .listed = true};
    for (unsigned i = 0; i < DPK_MATCH_BYTES; i++)
        r->match.value[i] &= r->match.mask[i];
    pthread_mutex_lock(&s->lock);
    list(table->rules, r);
    TAILQ_INSERT_TAIL(&s->listed, r, in_steering);
    struct dpk_queues *nic = s->nic;
    pthread_mutex_unlock(&s->lock);
    if (nic)
        dpk_queues_kick(nic); /* frames wait for their rule */
    return r;
}

/* With the lock. */
static void unlist(struct dpk_flow_rule *rule)
{
    if (!rule->listed)
        return;
    rule->listed = false;
    TAILQ_REMOVE(rule->table->rules, rule, in_table);
    TAILQ_REMOVE(&rule->table->steering->listed, rule, in_steering);
}

void dpk_flow_rule_free(struct dpk_flow_rule *rule)
{
    struct dpk_steering *s = rule->table->steering;
    pthread_mutex_lock(&s->lock);
    unlist(rule);
    pthread_mutex_unlock(&s->lock);
    free(rule);
}

/* ---- What becomes of a frame; with the lock ---- */

static const struct dpk_flow_rule *find(const struct rules *rules,
                                        const uint8_t headers[DPK_MATCH_BYTES])
{
    const struct dpk_flow_rule *r;
    TAILQ_FOREACH(r, rules, in_table)
    {
        unsigned i = 0;
        while (i < DPK_MATCH_BYTES && (headers[i] & r->match.mask[i]) == r->match.value[i])
            i++;
        if (i == DPK_MATCH_BYTES)
            return r;
    }
    return NULL;
}

static enum dpk_flow_kind on_miss(enum dpk_flow_domain domain, bool root)
{
    switch (domain) {
    case DPK_FLOW_RX:
        return DPK_FLOW_DROP;
    case DPK_FLOW_TX:
        return DPK_FLOW_MISS;
    case DPK_FLOW_FDB:
        return root ? DPK_FLOW_UPLINK : DPK_FLOW_MANAGER;
    }
    return DPK_FLOW_DROP;
}

static struct dpk_flow_target walk(const struct dpk_steering *s, enum dpk_flow_domain domain,
                                   const uint8_t headers[DPK_MATCH_BYTES])
{
    const struct rules *rules = &s->roots[domain];
    for (unsigned jumps = 0; jumps < JUMPS_MAX; jumps++) {
        const struct dpk_flow_rule *r = find(rules, headers);
        if (!r || r->target.kind == DPK_FLOW_MISS)
            return (struct dpk_flow_target){.kind = on_miss(domain, rules == &s->roots[domain])};
        if (r->target.kind != DPK_FLOW_TABLE)
            return r->target;
        rules = r->target.table->rules;
    }
    return (struct dpk_flow_target){.kind = DPK_FLOW_DROP};
}

enum dpk_flow_kind steering_send(struct dpk_steering *s, const uint8_t *frame, size_t size)
{
    uint8_t headers[DPK_MATCH_BYTES];
    enum dpk_flow_kind kind = DPK_FLOW_UPLINK;
    pthread_mutex_lock(&s->lock);
    if (!TAILQ_EMPTY(&s->roots[DPK_FLOW_TX]) || !TAILQ_EMPTY(&s->roots[DPK_FLOW_FDB])) {
        headers_match(frame, size, headers);
        kind = walk(s, DPK_FLOW_TX, headers).kind;
        if (kind == DPK_FLOW_MISS)
            kind = walk(s, DPK_FLOW_FDB, headers).kind;
    }
    pthread_mutex_unlock(&s->lock);
    return kind;
}

struct dpk_queue *steering_receive(struct dpk_steering *s, const uint8_t *frame, size_t size)
{
    uint8_t headers[DPK_MATCH_BYTES];
    headers_match(frame, size, headers);
    pthread_mutex_lock(&s->lock);
    struct dpk_queue *rq = walk(s, DPK_FLOW_RX, headers).queue;
    pthread_mutex_unlock(&s->lock);
    return rq;
}

/* ---- Receive queues of rules ---- */

bool steering_is_heard(struct dpk_steering *s)
{
    const struct dpk_flow_rule *r;
    bool heard = false;
    pthread_mutex_lock(&s->lock);
    TAILQ_FOREACH(r, &s->listed, in_steering)
    {
        const struct dpk_queue *rq = r->target.queue;
        heard = heard || (rq && rq->nic->ops->listens(rq->options.receive_cq->options.user));
    }
    pthread_mutex_unlock(&s->lock);
    return heard;
}

void steering_forget(struct dpk_steering *s, const struct dpk_queue *rq)
{
    struct dpk_flow_rule *r, *next;
    pthread_mutex_lock(&s->lock);
    for (r = TAILQ_FIRST(&s->listed); r; r = next) {
        next = TAILQ_NEXT(r, in_steering);
        if (r->target.queue == rq)
            unlist(r);
    }
    pthread_mutex_unlock(&s->lock);
}
