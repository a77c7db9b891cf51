/*
 * Flow steering: rules take frames that arrive at the port of an emulated device to receive queues
 * (flexio_rq_get_tir). Matched are addresses and type of Ethernet; of IPv4 without options its
 * protocol, addresses and ports. What else a mask asks for is EOPNOTSUPP, as are NIC_TX and RDMA
 * domains.
 *
 * A rule counts from its creation on, whichever table it is in: jumps between tables (dest_table)
 * must match everything and are only remembered. So are rules of an FDB domain that lead to the
 * uplink, since what is sent leaves the port anyway.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "port/port.h"
#include "verbs/verbs.h"

#define UPLINK         0xffffu
#define CRITERIA_OUTER 1u

/* Each object starts with its address: no object of rdma-core's libmlx5 does. */
static const char tag;

struct mlx5dv_dr_domain {
    const void *tag;
    struct ibv_context *context;
    enum mlx5dv_dr_domain_type type;
    unsigned users;
};
struct mlx5dv_dr_table {
    const void *tag;
    struct mlx5dv_dr_domain *domain;
    unsigned users;
};
struct mlx5dv_dr_matcher {
    const void *tag;
    struct mlx5dv_dr_table *table;
    uint16_t priority;
    uint8_t mask[DPK_MATCH_BYTES]; /* as programs lay it out */
    unsigned users;
};
struct mlx5dv_dr_action {
    const void *tag;
    struct mlx5dv_devx_obj *tir; /* NULL: a port or a table */
    bool jumps;
    unsigned users;
};
struct mlx5dv_dr_rule {
    const void *tag;
    struct mlx5dv_dr_matcher *matcher;
    struct mlx5dv_dr_action *action;
    uint64_t id;            /* 0: only remembered */
    struct dpk_queues *nic; /* the receive queue may go first */
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

/* ---- What is matched ---- */

/* Fields of fte_match_set_lyr_2_4, in bytes, and where a frame has them. */
static const struct field {
    unsigned at, size, in_frame;
    bool ipv4; /* a header of 20 bytes */
} fields[] = {
    {0, 6, 6, false},  /* source MAC */
    {6, 2, 12, false}, /* ethertype */
    {8, 6, 0, false},  /* destination MAC */
    {16, 1, 23, true}, /* IP protocol */
    {20, 4, 34, true}, /* TCP ports */
    {28, 4, 34, true}, /* UDP ports */
    {44, 4, 26, true}, /* source IPv4 address */
    {60, 4, 30, true}, /* destination IPv4 address */
};

/* The byte with the IP version, in bits 1 to 4. */
#define VERSION_HIGH 18

static bool field_of(unsigned byte, const struct field **out)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (byte >= fields[i].at && byte - fields[i].at < fields[i].size) {
            *out = &fields[i];
            return true;
        }
    return false;
}

static uint8_t version_of(const uint8_t *match)
{
    return (uint8_t)((match[VERSION_HIGH] & 0x1e) << 3);
}

/* Whether frames can be told apart by this mask. */
static bool mask_is_known(const uint8_t *mask)
{
    const struct field *f;
    for (unsigned i = 0; i < DPK_MATCH_BYTES; i++)
        if (mask[i] && !field_of(i, &f) && !(i == VERSION_HIGH && (mask[i] & ~0x1eu) == 0))
            return false;
    return true;
}

static void want(struct dpk_rule *rule, unsigned byte, uint8_t mask, uint8_t value)
{
    rule->mask[byte] |= mask;
    rule->value[byte] = (uint8_t)(rule->value[byte] | (value & mask));
}

static void rule_of(const uint8_t *mask, const uint8_t *value, struct dpk_rule *rule)
{
    const struct field *f;
    bool ipv4 = false;
    for (unsigned i = 0; i < DPK_MATCH_BYTES; i++) {
        if (!mask[i] || !field_of(i, &f))
            continue;
        want(rule, f->in_frame + (i - f->at), mask[i], value[i]);
        ipv4 = ipv4 || f->ipv4;
    }
    want(rule, 14, version_of(mask), version_of(value));
    if (ipv4) {
        want(rule, 12, 0xff, 0x08);
        want(rule, 13, 0xff, 0x00);
        want(rule, 14, 0xff, 0x45);
    }
}

/* The bytes of a match that there are; false: it says something about more than that. */
static bool match_bytes(const struct mlx5dv_flow_match_parameters *p, uint8_t out[DPK_MATCH_BYTES])
{
    const uint8_t *from = p ? (const uint8_t *)p->match_buf : NULL;
    size_t size = p ? p->match_sz : 0;
    memset(out, 0, DPK_MATCH_BYTES);
    if (size > 0)
        memcpy(out, from, size < DPK_MATCH_BYTES ? size : DPK_MATCH_BYTES);
    for (size_t i = DPK_MATCH_BYTES; i < size; i++)
        if (from[i])
            return false;
    return true;
}

static bool is_empty(const uint8_t mask[DPK_MATCH_BYTES])
{
    static const uint8_t nothing[DPK_MATCH_BYTES];
    return memcmp(mask, nothing, DPK_MATCH_BYTES) == 0;
}

/* ---- Domains, tables, matchers ---- */

struct mlx5dv_dr_domain *dpk_mlx5_dr_domain_create(struct ibv_context *ctx,
                                                   enum mlx5dv_dr_domain_type type)
{
    if (!ctx)
        return refuse(EINVAL);
    if (type != MLX5DV_DR_DOMAIN_TYPE_NIC_RX && type != MLX5DV_DR_DOMAIN_TYPE_FDB)
        return refuse(EOPNOTSUPP);
    struct mlx5dv_dr_domain *d = new_object(sizeof *d);
    if (d) {
        d->context = ctx;
        d->type = type;
    }
    return d;
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
    (void)level;
    if (!domain)
        return refuse(EINVAL);
    struct mlx5dv_dr_table *t = new_object(sizeof *t);
    if (t) {
        t->domain = domain;
        domain->users++;
    }
    return t;
}

int dpk_mlx5_dr_table_destroy(struct mlx5dv_dr_table *table)
{
    if (!table || table->users > 0)
        return table ? EBUSY : EINVAL;
    table->domain->users--;
    free(table);
    return 0;
}

struct mlx5dv_dr_matcher *dpk_mlx5_dr_matcher_create(struct mlx5dv_dr_table *table,
                                                     uint16_t priority,
                                                     uint8_t match_criteria_enable,
                                                     struct mlx5dv_flow_match_parameters *mask)
{
    uint8_t bytes[DPK_MATCH_BYTES];
    if (!table)
        return refuse(EINVAL);
    if (!match_bytes(mask, bytes) || !mask_is_known(bytes) ||
        (match_criteria_enable & ~CRITERIA_OUTER))
        return refuse(EOPNOTSUPP);
    struct mlx5dv_dr_matcher *m = new_object(sizeof *m);
    if (!m)
        return NULL;
    m->table = table;
    m->priority = priority;
    if (match_criteria_enable)
        memcpy(m->mask, bytes, sizeof bytes);
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

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *devx_obj)
{
    if (!devx_obj)
        return refuse(EINVAL);
    struct mlx5dv_dr_action *a = new_object(sizeof *a);
    if (a)
        a->tir = devx_obj;
    return a;
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_vport(struct mlx5dv_dr_domain *domain,
                                                              uint32_t vport)
{
    if (!domain || domain->type != MLX5DV_DR_DOMAIN_TYPE_FDB)
        return refuse(EINVAL);
    return vport == UPLINK ? new_object(sizeof(struct mlx5dv_dr_action)) : refuse(EOPNOTSUPP);
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_table(struct mlx5dv_dr_table *table)
{
    if (!table)
        return refuse(EINVAL);
    struct mlx5dv_dr_action *a = new_object(sizeof *a);
    if (a)
        a->jumps = true;
    return a;
}

int dpk_mlx5_dr_action_destroy(struct mlx5dv_dr_action *action)
{
    if (!action || action->users > 0)
        return action ? EBUSY : EINVAL;
    free(action);
    return 0;
}

/* ---- Rules ---- */

/* What a rule with this action needs; 0 or an errno. */
static int check_rule(const struct mlx5dv_dr_matcher *m, const struct mlx5dv_dr_action *a)
{
    const bool receives = m->table->domain->type == MLX5DV_DR_DOMAIN_TYPE_NIC_RX;
    if (a->tir)
        return !receives ? EINVAL : a->tir->context != m->table->domain->context ? EINVAL : 0;
    if (a->jumps)
        return is_empty(m->mask) ? 0 : EOPNOTSUPP;
    return receives ? EINVAL : 0;
}

struct mlx5dv_dr_rule *dpk_mlx5_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
                                               struct mlx5dv_flow_match_parameters *value,
                                               size_t num_actions,
                                               struct mlx5dv_dr_action *actions[])
{
    uint8_t bytes[DPK_MATCH_BYTES];
    if (!matcher || num_actions == 0 || !actions || !actions[0] || !match_bytes(value, bytes))
        return refuse(EINVAL);
    if (num_actions > 1)
        return refuse(EOPNOTSUPP);
    int why = check_rule(matcher, actions[0]);
    if (why)
        return refuse(why);
    struct mlx5dv_dr_rule *r = new_object(sizeof *r);
    if (!r)
        return NULL;
    r->matcher = matcher;
    r->action = actions[0];
    const struct mlx5dv_devx_obj *tir = r->action->tir;
    struct dpk_rule rule = {.priority = matcher->priority};
    rule_of(matcher->mask, bytes, &rule);
    if (tir && !(r->id = dpk_rule_add(tir->receiver, &rule))) {
        free(r);
        return refuse(ENOMEM);
    }
    r->nic = tir ? tir->nic : NULL;
    matcher->users++;
    r->action->users++;
    return r;
}

int dpk_mlx5_dr_rule_destroy(struct mlx5dv_dr_rule *rule)
{
    if (!rule)
        return EINVAL;
    if (rule->id)
        dpk_rule_remove(rule->nic, rule->id);
    rule->matcher->users--;
    rule->action->users--;
    free(rule);
    return 0;
}
