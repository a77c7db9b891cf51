/*
 * Flow steering: rules choose what becomes of frames (port.h), as rdma-core's mlx5dv_dr has them on
 * a card. What comes in passes the tables of NIC_RX and reaches receive queues
 * (flexio_rq_get_tir); what is sent passes those of NIC_TX and FDB. The vports of the FDB are the
 * uplink and the device itself.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "match.h"

#define UPLINK  0xffffu
#define MANAGER 0u

/* Each object starts with its address: no object of rdma-core's libmlx5 does. */
static const char tag;

struct mlx5dv_dr_domain {
    const void *tag;
    struct ibv_context *context;
    enum dpk_flow_domain kind;
    atomic_uint users;
};
struct mlx5dv_dr_table {
    const void *tag;
    struct mlx5dv_dr_domain *domain;
    struct dpk_flow_table *table;
    bool root;
    atomic_uint users;
};
struct mlx5dv_dr_matcher {
    const void *tag;
    struct mlx5dv_dr_table *table;
    uint16_t priority;
    uint8_t criteria;
    uint8_t mask[DPK_MATCH_BYTES];
    atomic_uint users;
};
struct mlx5dv_dr_action {
    const void *tag;
    struct dpk_flow_target target;
    const struct ibv_context *context; /* of the device that it is for */
    struct mlx5dv_dr_domain *domain;   /* NULL: of a receive queue */
    struct mlx5dv_dr_table *table;     /* that it leads to */
    atomic_uint users;
};
struct mlx5dv_dr_rule {
    const void *tag;
    struct mlx5dv_dr_matcher *matcher;
    struct mlx5dv_dr_action *action;
    struct dpk_flow_rule *rule;
};

static void *refuse(int why)
{
    errno = why;
    return NULL;
}

static void *new_object(size_t size)
{
    void *object = calloc(1, size);
    const void *ours = &tag;
    if (object)
        memcpy(object, &ours, sizeof ours);
    else
        errno = ENOMEM;
    return object;
}

bool dpk_mlx5_is_ours(const void *steering_object)
{
    const void *first = NULL;
    if (steering_object)
        memcpy(&first, steering_object, sizeof first);
    return first == &tag;
}

/* ---- Domains, tables, matchers ---- */

struct mlx5dv_dr_domain *dpk_mlx5_dr_domain_create(struct ibv_context *ctx,
                                                   enum mlx5dv_dr_domain_type type)
{
    static const enum dpk_flow_domain kinds[] = {[MLX5DV_DR_DOMAIN_TYPE_NIC_RX] = DPK_FLOW_RX,
                                                 [MLX5DV_DR_DOMAIN_TYPE_NIC_TX] = DPK_FLOW_TX,
                                                 [MLX5DV_DR_DOMAIN_TYPE_FDB] = DPK_FLOW_FDB};
    if (!ctx)
        return refuse(EINVAL);
    if ((size_t)type >= sizeof kinds / sizeof *kinds)
        return refuse(
            match_refuse(EINVAL, "mlx5dv_dr_domain_create", "there is no domain %d", (int)type));
    struct mlx5dv_dr_domain *d = new_object(sizeof *d);
    if (d) {
        d->context = ctx;
        d->kind = kinds[type];
    }
    return d;
}

int dpk_mlx5_dr_domain_sync(const struct mlx5dv_dr_domain *domain)
{
    return domain ? 0 : EINVAL; /* a rule counts from its creation on */
}

int dpk_mlx5_dr_domain_destroy(struct mlx5dv_dr_domain *domain)
{
    if (!domain || domain->users > 0)
        return domain ? EBUSY : EINVAL;
    free(domain);
    return 0;
}

struct mlx5dv_dr_table *dpk_mlx5_dr_table_create(struct mlx5dv_dr_domain *domain, uint32_t level)
{
    if (!domain)
        return refuse(EINVAL);
    struct mlx5dv_dr_table *t = new_object(sizeof *t);
    if (!t)
        return NULL;
    t->root = level == 0;
    t->table =
        dpk_flow_table_new(dpk_verbs_device(domain->context)->steering, domain->kind, t->root);
    if (!t->table) {
        free(t);
        return refuse(ENOMEM);
    }
    t->domain = domain;
    domain->users++;
    return t;
}

int dpk_mlx5_dr_table_destroy(struct mlx5dv_dr_table *table)
{
    if (!table || table->users > 0)
        return table ? EBUSY : EINVAL;
    table->domain->users--;
    dpk_flow_table_free(table->table);
    free(table);
    return 0;
}

struct mlx5dv_dr_matcher *dpk_mlx5_dr_matcher_create(struct mlx5dv_dr_table *table,
                                                     uint16_t priority,
                                                     uint8_t match_criteria_enable,
                                                     struct mlx5dv_flow_match_parameters *mask)
{
    uint8_t bits[DPK_MATCH_BYTES];
    if (!table)
        return refuse(EINVAL);
    int why = match_mask(match_criteria_enable, mask, bits);
    if (why)
        return refuse(why);
    struct mlx5dv_dr_matcher *m = new_object(sizeof *m);
    if (!m)
        return NULL;
    m->table = table;
    m->priority = priority;
    m->criteria = match_criteria_enable;
    memcpy(m->mask, bits, sizeof bits);
    table->users++;
    return m;
}

int dpk_mlx5_dr_matcher_destroy(struct mlx5dv_dr_matcher *matcher)
{
    if (!matcher || matcher->users > 0)
        return matcher ? EBUSY : EINVAL;
    matcher->table->users--;
    free(matcher);
    return 0;
}

/* ---- Actions ---- */

static struct mlx5dv_dr_action *action_new(const struct ibv_context *context,
                                           struct mlx5dv_dr_domain *domain,
                                           struct mlx5dv_dr_table *table,
                                           const struct dpk_flow_target *target)
{
    struct mlx5dv_dr_action *a = new_object(sizeof *a);
    if (!a)
        return NULL;
    a->context = context;
    a->domain = domain;
    a->table = table;
    a->target = *target;
    if (domain)
        domain->users++;
    if (table)
        table->users++;
    return a;
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *devx_obj)
{
    if (!devx_obj)
        return refuse(EINVAL);
    return action_new(
        devx_obj->context, NULL, NULL,
        &(struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = devx_obj->receiver});
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_vport(struct mlx5dv_dr_domain *domain,
                                                              uint32_t vport)
{
    static const char call[] = "mlx5dv_dr_action_create_dest_vport";
    if (!domain)
        return refuse(EINVAL);
    if (domain->kind != DPK_FLOW_FDB)
        return refuse(match_refuse(EOPNOTSUPP, call, "the domain is not the FDB"));
    if (vport != UPLINK && vport != MANAGER)
        return refuse(match_refuse(EINVAL, call,
                                   "no vport %u: emulated devices have 0, themselves, and 0x%x, "
                                   "the uplink",
                                   vport, UPLINK));
    return action_new(
        domain->context, domain, NULL,
        &(struct dpk_flow_target){.kind = vport == UPLINK ? DPK_FLOW_UPLINK : DPK_FLOW_MANAGER});
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_table(struct mlx5dv_dr_table *table)
{
    if (!table)
        return refuse(EINVAL);
    if (table->root)
        return refuse(match_refuse(EINVAL, "mlx5dv_dr_action_create_dest_table",
                                   "no rule leads to a root table (level 0)"));
    return action_new(table->domain->context, table->domain, table,
                      &(struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = table->table});
}

int dpk_mlx5_dr_action_destroy(struct mlx5dv_dr_action *action)
{
    if (!action || action->users > 0)
        return action ? EBUSY : EINVAL;
    if (action->domain)
        action->domain->users--;
    if (action->table)
        action->table->users--;
    free(action);
    return 0;
}

/* ---- Rules ---- */

/* Whether rules of the matcher may have these actions; 0 or an errno. */
static int check_actions(const struct mlx5dv_dr_matcher *m, size_t count,
                         struct mlx5dv_dr_action *actions[])
{
    static const char call[] = "mlx5dv_dr_rule_create";
    const struct mlx5dv_dr_domain *domain = m->table->domain;
    for (size_t i = 0; i < count; i++)
        if (!dpk_mlx5_is_ours(actions[i]))
            return match_refuse(EOPNOTSUPP, call,
                                "action %zu is none that emulated devices have: dest_devx_tir, "
                                "dest_vport, dest_table",
                                i);
    if (count > 1)
        return match_refuse(EOPNOTSUPP, call, "%zu destinations, not 1", count);
    const struct mlx5dv_dr_action *a = actions[0];
    if (a->context != domain->context)
        return match_refuse(EINVAL, call, "the action is another device's");
    if (!a->domain && domain->kind != DPK_FLOW_RX)
        return match_refuse(EINVAL, call, "dest_devx_tir is for NIC_RX domains");
    if (a->domain && a->domain->kind != domain->kind)
        return match_refuse(EINVAL, call, "the action is for another kind of domain");
    return 0;
}

struct mlx5dv_dr_rule *dpk_mlx5_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
                                               struct mlx5dv_flow_match_parameters *value,
                                               size_t num_actions,
                                               struct mlx5dv_dr_action *actions[])
{
    struct dpk_match match;
    if (!matcher || num_actions == 0 || !actions)
        return refuse(EINVAL);
    int why = check_actions(matcher, num_actions, actions);
    if (!why)
        why = match_value(matcher->criteria, matcher->mask, value, &match);
    if (why)
        return refuse(why);
    struct mlx5dv_dr_rule *r = new_object(sizeof *r);
    if (!r)
        return NULL;
    r->matcher = matcher;
    r->action = actions[0];
    r->rule =
        dpk_flow_rule_new(matcher->table->table, &match, matcher->priority, &r->action->target);
    if (!r->rule) {
        free(r);
        return refuse(ENOMEM);
    }
    matcher->users++;
    r->action->users++;
    return r;
}

int dpk_mlx5_dr_rule_destroy(struct mlx5dv_dr_rule *rule)
{
    if (!rule)
        return EINVAL;
    dpk_flow_rule_free(rule->rule);
    rule->matcher->users--;
    rule->action->users--;
    free(rule);
    return 0;
}
