/* Flow tables, as ConnectX devices have them, and what becomes of a frame by them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "rules.h"

#define TABLES_MAX 64u /* that a frame passes; tables may lead to each other */

struct dpk_flow_table {
    struct dpk_steering *steering;
    enum dpk_flow_domain domain;
    bool root;
    struct rules own;
    struct rules *rules; /* `own`, or those that all root tables of the domain share */
};

struct dpk_steering {
    pthread_mutex_t lock; /* inside of that of the queues */
    struct rules roots[DPK_FLOW_DOMAINS];
    struct rule_list listed;
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
        rules_init(&s->roots[i]);
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
    rules_init(&t->own);
    t->rules = root ? &s->roots[domain] : &t->own;
    return t;
}

void dpk_flow_table_free(struct dpk_flow_table *table)
{
    free(table);
}

/* With the lock: whether a receive queue gets frames by the rule, or does not any more. */
static void lead(const struct dpk_flow_target *t, bool leads)
{
    if (t->queue && leads)
        t->queue->leads++;
    else if (t->queue)
        t->queue->leads--;
}

struct dpk_flow_rule *dpk_flow_rule_new(struct dpk_flow_table *table, const struct dpk_match *match,
                                        unsigned priority, const struct dpk_flow_target *targets,
                                        unsigned count)
{
    struct dpk_steering *s = table->steering;
    struct dpk_flow_rule *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct dpk_flow_rule){.table = table,
                                .count = count < DPK_FLOW_TARGETS ? count : DPK_FLOW_TARGETS,
                                .listed = true};
    memcpy(r->targets, targets, r->count * sizeof *targets);
    pthread_mutex_lock(&s->lock);
    if (!rules_add(table->rules, r, match, priority)) {
        pthread_mutex_unlock(&s->lock);
        free(r);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&s->listed, r, in_steering);
    for (unsigned i = 0; i < r->count; i++)
        lead(&r->targets[i], true);
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
    rules_remove(rule->table->rules, rule);
    TAILQ_REMOVE(&rule->table->steering->listed, rule, in_steering);
    for (unsigned i = 0; i < rule->count; i++)
        lead(&rule->targets[i], false);
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

struct outcome {
    struct sent sent;
    bool goes_on; /* to the next domain */
    unsigned count;
    struct dpk_queue *queues[DPK_FLOW_TARGETS];
};

static void miss(enum dpk_flow_domain domain, bool root, struct outcome *out)
{
    out->goes_on = out->goes_on || domain == DPK_FLOW_TX;
    out->sent.leaves = out->sent.leaves || (domain == DPK_FLOW_FDB && root);
    out->sent.comes_in = out->sent.comes_in || (domain == DPK_FLOW_FDB && !root);
}

static void reach(const struct dpk_flow_target *t, enum dpk_flow_domain domain, bool root,
                  struct outcome *out)
{
    switch (t->kind) {
    case DPK_FLOW_MISS:
        miss(domain, root, out);
        break;
    case DPK_FLOW_QUEUE:
        if (out->count < DPK_FLOW_TARGETS)
            out->queues[out->count++] = t->queue;
        break;
    case DPK_FLOW_UPLINK:
        out->sent.leaves = true;
        break;
    case DPK_FLOW_MANAGER:
        out->sent.comes_in = true;
        break;
    case DPK_FLOW_DROP:
    case DPK_FLOW_TABLE:
        break;
    }
}

/* Where a frame gets by the tables of a domain. */
static struct outcome walk(const struct dpk_steering *s, enum dpk_flow_domain domain,
                           const uint8_t headers[DPK_MATCH_BYTES])
{
    struct outcome out = {.count = 0};
    struct words words;
    memcpy(&words, headers, sizeof words);
    const struct rules *tables[TABLES_MAX] = {&s->roots[domain]};
    for (unsigned i = 0, count = 1; i < count; i++) {
        const struct dpk_flow_rule *r = rules_find(tables[i], &words);
        if (!r)
            miss(domain, i == 0, &out);
        for (unsigned t = 0; r && t < r->count; t++) {
            if (r->targets[t].kind != DPK_FLOW_TABLE)
                reach(&r->targets[t], domain, i == 0, &out);
            else if (count < TABLES_MAX)
                tables[count++] = r->targets[t].table->rules;
        }
    }
    return out;
}

struct sent steering_send(struct dpk_steering *s, const uint8_t headers[DPK_MATCH_BYTES])
{
    struct sent sent = {.leaves = true};
    pthread_mutex_lock(&s->lock);
    if (!rules_are_none(&s->roots[DPK_FLOW_TX]) || !rules_are_none(&s->roots[DPK_FLOW_FDB])) {
        sent.leaves = false;
        if (walk(s, DPK_FLOW_TX, headers).goes_on)
            sent = walk(s, DPK_FLOW_FDB, headers).sent;
    }
    pthread_mutex_unlock(&s->lock);
    return sent;
}

unsigned steering_receive(struct dpk_steering *s, const uint8_t headers[DPK_MATCH_BYTES],
                          struct dpk_queue *queues[DPK_FLOW_TARGETS])
{
    pthread_mutex_lock(&s->lock);
    const struct outcome out = walk(s, DPK_FLOW_RX, headers);
    pthread_mutex_unlock(&s->lock);
    memcpy(queues, out.queues, sizeof out.queues);
    return out.count;
}

/* ---- Receive queues of rules ---- */

bool steering_is_heard(struct dpk_steering *s)
{
    const struct dpk_queue *q;
    bool heard = false;
    pthread_mutex_lock(&s->lock);
    if (!rules_are_none(&s->roots[DPK_FLOW_RX]))
        TAILQ_FOREACH(q, &s->nic->queues, in_nic)
    heard = heard || (q->leads > 0 && q->nic->ops->listens(q->options.receive_cq->options.user));
    pthread_mutex_unlock(&s->lock);
    return heard;
}

bool dpk_flow_has_queue(struct dpk_steering *s, const struct dpk_queue *rq)
{
    const struct dpk_queue *q = NULL;
    pthread_mutex_lock(&s->lock);
    struct dpk_queues *nic = s->nic;
    pthread_mutex_unlock(&s->lock);
    if (!nic)
        return false;
    dpk_rc_lock(nic->rc);
    TAILQ_FOREACH(q, &nic->queues, in_nic)
    if (q == rq && q->options.kind == DPK_RQ)
        break;
    dpk_rc_unlock(nic->rc);
    return q != NULL;
}

static bool has_target(const struct dpk_flow_rule *r, const struct dpk_queue *rq)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->targets[i].queue == rq)
            return true;
    return false;
}

bool dpk_flow_leads_to(struct dpk_steering *s, const struct dpk_queue *rq)
{
    const struct dpk_flow_rule *r;
    pthread_mutex_lock(&s->lock);
    TAILQ_FOREACH(r, &s->listed, in_steering)
    if (has_target(r, rq))
        break;
    pthread_mutex_unlock(&s->lock);
    return r != NULL;
}

/* With the lock. */
static void forget_target(struct dpk_flow_rule *r, const struct dpk_queue *rq)
{
    unsigned left = 0;
    for (unsigned i = 0; i < r->count; i++)
        if (r->targets[i].queue != rq)
            r->targets[left++] = r->targets[i];
        else
            lead(&r->targets[i], false);
    r->count = left;
    if (left == 0)
        unlist(r);
}

void steering_forget(struct dpk_steering *s, const struct dpk_queue *rq)
{
    struct dpk_flow_rule *r, *next;
    pthread_mutex_lock(&s->lock);
    for (r = TAILQ_FIRST(&s->listed); r; r = next) {
        next = TAILQ_NEXT(r, in_steering);
        forget_target(r, rq);
    }
    pthread_mutex_unlock(&s->lock);
}
