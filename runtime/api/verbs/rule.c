/* Steering rules: matching and actions. */
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "match.h"
#include "steering.h"

static const char call[] = "mlx5dv_dr_rule_create";

/* Checks that rules of a domain can use the action, which is ours. Returns 0 or an errno. */
static int check_ours(const struct mlx5dv_dr_domain *domain, const struct mlx5dv_dr_action *a)
{
    struct dpk_steering *s = dpk_verbs_device(domain->context)->steering;
    if (a->context != domain->context)
        return verbs_match_refuse(EINVAL, call, "the action is another device's");
    for (unsigned i = 0; i < a->count; i++)
        if (a->targets[i].kind == DPK_FLOW_QUEUE && !dpk_flow_has_queue(s, a->targets[i].queue))
            return verbs_match_refuse(EINVAL, call,
                                      "the receive queue of the action was destroyed");
    if (verbs_action_has_lost_object(a))
        return verbs_match_refuse(EINVAL, call, "the %s of the action was destroyed",
                                  a->changes ? "counter" : "receiver");
    if (!a->domain && !a->changes && domain->kind != DPK_FLOW_RX)
        return verbs_match_refuse(EINVAL, call, "dest_devx_tir is for NIC_RX domains");
    if (a->domain && a->domain->kind != domain->kind)
        return verbs_match_refuse(EINVAL, call, "the action is for another kind of domain");
    return 0;
}

static int refuse_action(const struct dpk_flow_actions *does)
{
    if (does->change_count == DPK_FLOW_CHANGES)
        return verbs_match_refuse(EOPNOTSUPP, call, "more than %d changes of a frame",
                                  DPK_FLOW_CHANGES);
    return verbs_match_refuse(EOPNOTSUPP, call,
                              "emulated devices lack this action; they have dest_devx_tir, "
                              "dest_vport, dest_table, dest_array, drop, default_miss, tag, "
                              "flow_counter, modify_header, push_vlan, pop_vlan, packet_reformat");
}

/* Adds an action. Returns 0 or an errno. */
static int add_action(const struct mlx5dv_dr_domain *domain, const struct mlx5dv_dr_action *a,
                      struct dpk_flow_actions *does)
{
    const bool ours = dpk_mlx5_is_ours(a);
    const unsigned changes = does->change_count;
    int why = ours ? check_ours(domain, a) : 0;
    if (why)
        return why;
    /* As in rdma-core, only counters may follow a destination. */
    if (does->target_count > 0 && !(ours && a->changes && a->change.kind == DPK_FLOW_COUNT))
        return verbs_match_refuse(EOPNOTSUPP, call,
                                  "another action than a counter after a destination");
    if (!verbs_action_add(a, does))
        return refuse_action(does);
    if (does->change_count > changes && domain->kind != DPK_FLOW_RX &&
        does->changes[changes].kind == DPK_FLOW_TAG)
        return verbs_match_refuse(EOPNOTSUPP, call, "tag is for NIC_RX domains");
    return 0;
}

/* Adds all actions of a rule; 0 or an errno. A rule without a destination only changes the frame,
 * as if no rule had matched. */
static int add_actions(const struct mlx5dv_dr_domain *domain, size_t count,
                       struct mlx5dv_dr_action *actions[], struct dpk_flow_actions *does)
{
    int why = 0;
    *does = (struct dpk_flow_actions){.change_count = 0};
    for (size_t i = 0; !why && i < count; i++)
        why = add_action(domain, actions[i], does);
    if (!why && does->target_count == 0)
        does->targets[does->target_count++] = (struct dpk_flow_target){.kind = DPK_FLOW_MISS};
    return why;
}

static void use(const struct mlx5dv_dr_rule *r, int more)
{
    r->matcher->users += (unsigned)more;
    for (size_t i = 0; i < r->count; i++)
        if (r->actions[i])
            r->actions[i]->users += (unsigned)more;
}

struct mlx5dv_dr_rule *dpk_mlx5_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
                                               struct mlx5dv_flow_match_parameters *value,
                                               size_t num_actions,
                                               struct mlx5dv_dr_action *actions[])
{
    struct dpk_match match;
    struct dpk_flow_actions does;
    if (!matcher || num_actions == 0 || !actions)
        return verbs_steering_refuse(EINVAL);
    int why = add_actions(matcher->table->domain, num_actions, actions, &does);
    if (!why)
        why = verbs_match_value(matcher->criteria, matcher->mask, value, &match);
    if (why)
        return verbs_steering_refuse(why);
    struct mlx5dv_dr_rule *r = verbs_steering_new(sizeof *r + num_actions * sizeof(void *));
    if (!r)
        return NULL;
    r->matcher = matcher;
    r->count = num_actions;
    for (size_t i = 0; i < num_actions; i++)
        r->actions[i] = dpk_mlx5_is_ours(actions[i]) ? actions[i] : NULL;
    r->rule = dpk_flow_rule_new(matcher->table->table, &match, matcher->priority, &does);
    if (!r->rule) {
        free(r);
        return verbs_steering_refuse(ENOMEM);
    }
    use(r, 1);
    return r;
}

int dpk_mlx5_dr_rule_destroy(struct mlx5dv_dr_rule *rule)
{
    if (!rule)
        return EINVAL;
    dpk_flow_rule_free(rule->rule);
    use(rule, -1);
    free(rule);
    return 0;
}
