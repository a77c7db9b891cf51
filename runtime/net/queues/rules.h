/* The rules of a flow table, found by hash. Private to this room. */
#ifndef DPK_NET_QUEUES_RULES_H
#define DPK_NET_QUEUES_RULES_H

#include <sys/queue.h>

#include "queues.h"

#define MATCH_WORDS (DPK_MATCH_BYTES / sizeof(uint64_t))

/* Headers, a mask or a value, in words: bytes are compared, so their order does not matter. */
struct words {
    uint64_t at[MATCH_WORDS];
};

struct group;
TAILQ_HEAD(rule_list, dpk_flow_rule);

/* Groups of rules that have the same mask and priority, in the order of priorities. */
struct rules {
    TAILQ_HEAD(, group) groups;
    uint64_t last_order;
};

struct dpk_flow_rule {
    TAILQ_ENTRY(dpk_flow_rule) in_bucket, in_steering;
    struct dpk_flow_table *table;
    struct group *group;
    struct words value;
    uint64_t order; /* older rules have lower numbers */
    struct dpk_flow_change *changes;
    unsigned change_count;
    struct dpk_flow_target *targets;
    unsigned count;
    bool listed; /* it has a target that is not destroyed */
};

/* Mixes a number: every bit of the result depends on every bit of `x`. */
uint64_t queues_rules_mix(uint64_t x);

void queues_rules_init(struct rules *rules);
bool queues_rules_are_none(const struct rules *rules);
/* Adds a rule. Returns false if memory is exhausted. */
bool queues_rules_add(struct rules *rules, struct dpk_flow_rule *rule,
                      const struct dpk_match *match, unsigned priority);
void queues_rules_remove(struct rules *rules, struct dpk_flow_rule *rule);
/* Returns the rule for these headers: the lowest priority number, and among those the oldest rule. */
const struct dpk_flow_rule *queues_rules_find(const struct rules *rules,
                                              const struct words *headers);

#endif
