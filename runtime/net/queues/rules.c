/* Rules of a flow table. Rules with the same mask and priority form a group, which is a hash table:
 * a frame costs one lookup for each group, however many rules the groups have. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_LOG 4u /* of a group's number of buckets */

struct group {
    TAILQ_ENTRY(group) in_rules;
    unsigned priority;
    struct words mask;
    uint8_t used[MATCH_WORDS]; /* the words in which the mask has bits */
    unsigned used_count;
    unsigned log_buckets;
    size_t count;
    struct rule_list *buckets; /* in each bucket the oldest rule is first */
};

void queues_rules_init(struct rules *rules)
{
    TAILQ_INIT(&rules->groups);
}

bool queues_rules_are_none(const struct rules *rules)
{
    return TAILQ_EMPTY(&rules->groups);
}

/* ---- Buckets ---- */

/* Fields may lie in the upper bits of a word. */
uint64_t queues_rules_mix(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static size_t bucket_of(const struct group *g, const struct words *headers)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < g->used_count; i++) {
        const unsigned at = g->used[i];
        hash = queues_rules_mix(hash ^ (headers->at[at] & g->mask.at[at]));
    }
    return (size_t)(hash & ((UINT64_C(1) << g->log_buckets) - 1));
}

static struct rule_list *buckets_new(unsigned log)
{
    const size_t count = (size_t)1 << log;
    struct rule_list *buckets = malloc(count * sizeof *buckets);
    for (size_t i = 0; buckets && i < count; i++)
        TAILQ_INIT(&buckets[i]);
    return buckets;
}

/* Rules with the same value stay in the same bucket, in their order. Without memory the buckets
 * just get longer. */
static void grow(struct group *g)
{
    const size_t before = (size_t)1 << g->log_buckets;
    struct rule_list *old = g->buckets, *buckets = buckets_new(g->log_buckets + 1);
    if (!buckets)
        return;
    g->buckets = buckets;
    g->log_buckets++;
    for (size_t i = 0; i < before; i++) {
        for (struct dpk_flow_rule *r; (r = TAILQ_FIRST(&old[i]));) {
            TAILQ_REMOVE(&old[i], r, in_bucket);
            TAILQ_INSERT_TAIL(&buckets[bucket_of(g, &r->value)], r, in_bucket);
        }
    }
    free(old);
}

/* ---- Groups ---- */

static struct group *group_new(const struct words *mask, unsigned priority)
{
    struct group *g = calloc(1, sizeof *g);
    if (!g || !(g->buckets = buckets_new(FIRST_LOG))) {
        free(g);
        return NULL;
    }
    g->log_buckets = FIRST_LOG;
    g->priority = priority;
    g->mask = *mask;
    for (unsigned i = 0; i < MATCH_WORDS; i++)
        if (mask->at[i])
            g->used[g->used_count++] = (uint8_t)i;
    return g;
}

/* Returns the group of a mask and priority; creates a missing group. Returns NULL if memory is
 * exhausted. */
static struct group *group_for(struct rules *rules, const struct words *mask, unsigned priority)
{
    struct group *g, *made;
    TAILQ_FOREACH(g, &rules->groups, in_rules)
    if (g->priority > priority ||
        (g->priority == priority && memcmp(&g->mask, mask, sizeof *mask) == 0))
        break;
    if (g && g->priority == priority)
        return g;
    if (!(made = group_new(mask, priority)))
        return NULL;
    if (g)
        TAILQ_INSERT_BEFORE(g, made, in_rules);
    else
        TAILQ_INSERT_TAIL(&rules->groups, made, in_rules);
    return made;
}

bool queues_rules_add(struct rules *rules, struct dpk_flow_rule *rule,
                      const struct dpk_match *match, unsigned priority)
{
    struct words mask;
    memcpy(&mask, match->mask, sizeof mask);
    memcpy(&rule->value, match->value, sizeof rule->value);
    for (unsigned i = 0; i < MATCH_WORDS; i++)
        rule->value.at[i] &= mask.at[i];
    struct group *g = group_for(rules, &mask, priority);
    if (!g)
        return false;
    if (++g->count > (size_t)1 << g->log_buckets)
        grow(g);
    rule->group = g;
    rule->order = ++rules->last_order;
    TAILQ_INSERT_TAIL(&g->buckets[bucket_of(g, &rule->value)], rule, in_bucket);
    return true;
}

void queues_rules_remove(struct rules *rules, struct dpk_flow_rule *rule)
{
    struct group *g = rule->group;
    TAILQ_REMOVE(&g->buckets[bucket_of(g, &rule->value)], rule, in_bucket);
    rule->group = NULL;
    if (--g->count > 0)
        return;
    TAILQ_REMOVE(&rules->groups, g, in_rules);
    free(g->buckets);
    free(g);
}

/* ---- Finding ---- */

static bool matches(const struct group *g, const struct dpk_flow_rule *r,
                    const struct words *headers)
{
    for (unsigned i = 0; i < g->used_count; i++) {
        const unsigned at = g->used[i];
        if ((headers->at[at] & g->mask.at[at]) != r->value.at[at])
            return false;
    }
    return true;
}

/* Returns the oldest rule of a group that matches. */
static const struct dpk_flow_rule *find_in(const struct group *g, const struct words *headers)
{
    const struct dpk_flow_rule *r = TAILQ_FIRST(&g->buckets[bucket_of(g, headers)]);
    while (r && !matches(g, r, headers))
        r = TAILQ_NEXT(r, in_bucket);
    return r;
}

const struct dpk_flow_rule *queues_rules_find(const struct rules *rules,
                                              const struct words *headers)
{
    const struct dpk_flow_rule *found = NULL;
    const struct group *g;
    TAILQ_FOREACH(g, &rules->groups, in_rules)
    {
        if (found && g->priority != found->group->priority)
            break;
        const struct dpk_flow_rule *r = find_in(g, headers);
        if (r && (!found || r->order < found->order))
            found = r;
    }
    return found;
}
