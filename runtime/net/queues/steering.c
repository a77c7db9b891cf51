/* Flow tables of ConnectX devices. walk.c passes frames through them. */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "steering.h"

struct dpk_steering *dpk_steering_new(void)
{
    struct dpk_steering *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    TAILQ_INIT(&s->listed);
    TAILQ_INIT(&s->rqts);
    TAILQ_INIT(&s->tirs);
    for (unsigned i = 0; i < DPK_FLOW_DOMAINS; i++)
        queues_rules_init(&s->roots[i]);
    return s;
}

void dpk_steering_free(struct dpk_steering *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void queues_steering_attach(struct dpk_steering *s, struct dpk_queues *nic)
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
    queues_rules_init(&t->own);
    t->rules = root ? &s->roots[domain] : &t->own;
    return t;
}

void dpk_flow_table_free(struct dpk_flow_table *table)
{
    free(table);
}

/* Notes that receive queues get frames by a target, or no longer do. Call this with the lock. */
static void lead(const struct dpk_flow_target *t, bool leads)
{
    if (t->kind == DPK_FLOW_TIR)
        queues_tir_lead(t->tir, leads);
    else if (t->queue && leads)
        t->queue->leads++;
    else if (t->queue)
        t->queue->leads--;
}

/* Creates a rule without a table. Returns NULL if memory is exhausted. */
static struct dpk_flow_rule *rule_of(const struct dpk_flow_actions *actions)
{
    const unsigned changes = actions->change_count, targets = actions->target_count;
    if (changes > DPK_FLOW_CHANGES || targets > DPK_FLOW_TARGETS)
        return NULL;
    const size_t size = changes * sizeof *actions->changes;
    struct dpk_flow_rule *r = calloc(1, sizeof *r + size + targets * sizeof *actions->targets);
    if (!r)
        return NULL;
    r->changes = (struct dpk_flow_change *)(r + 1);
    r->targets = (struct dpk_flow_target *)(r->changes + changes);
    memcpy(r->changes, actions->changes, size);
    memcpy(r->targets, actions->targets, targets * sizeof *actions->targets);
    r->change_count = changes;
    r->count = targets;
    return r;
}

struct dpk_flow_rule *dpk_flow_rule_new(struct dpk_flow_table *table, const struct dpk_match *match,
                                        unsigned priority, const struct dpk_flow_actions *actions)
{
    struct dpk_steering *s = table->steering;
    struct dpk_flow_rule *r = rule_of(actions);
    if (!r)
        return NULL;
    r->table = table;
    r->listed = true;
    pthread_mutex_lock(&s->lock);
    if (!queues_rules_add(table->rules, r, match, priority)) {
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
        dpk_queues_kick(nic, NULL); /* frames may wait for this rule */
    return r;
}

/* Call this with the lock. */
static void unlist(struct dpk_flow_rule *rule)
{
    if (!rule->listed)
        return;
    rule->listed = false;
    queues_rules_remove(rule->table->rules, rule);
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

/* ---- Receive queues of rules ---- */

bool queues_steering_is_heard(struct dpk_steering *s)
{
    const struct dpk_queue *q;
    bool heard = false;
    pthread_mutex_lock(&s->lock);
    q = queues_rules_are_none(&s->roots[DPK_FLOW_RX]) ? NULL : TAILQ_FIRST(&s->nic->queues);
    for (; q && !heard; q = TAILQ_NEXT(q, in_nic))
        heard = q->leads > 0 && q->nic->ops->listens(q->options.receive_cq->options.user);
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
        if (r->targets[i].kind == DPK_FLOW_QUEUE && r->targets[i].queue == rq)
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

/* Call this with the lock. */
static void forget_target(struct dpk_flow_rule *r, const struct dpk_queue *rq)
{
    unsigned left = 0;
    for (unsigned i = 0; i < r->count; i++)
        if (r->targets[i].kind != DPK_FLOW_QUEUE || r->targets[i].queue != rq)
            r->targets[left++] = r->targets[i];
        else
            lead(&r->targets[i], false);
    r->count = left;
    if (left == 0)
        unlist(r);
}

void queues_steering_forget(struct dpk_steering *s, const struct dpk_queue *rq)
{
    struct dpk_flow_rule *r, *next;
    pthread_mutex_lock(&s->lock);
    queues_rss_forget(s, rq);
    for (r = TAILQ_FIRST(&s->listed); r; r = next) {
        next = TAILQ_NEXT(r, in_steering);
        forget_target(r, rq);
    }
    pthread_mutex_unlock(&s->lock);
}
