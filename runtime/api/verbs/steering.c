/* Flow steering: rules decide about frames (queues.h), like rdma-core's mlx5dv_dr on a card.
 * Received frames pass tables of NIC_RX and reach receive queues (flexio_rq_get_tir). Sent frames
 * pass tables of NIC_TX and FDB. The vports of the FDB are the uplink and the device itself. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "match.h"
#include "steering.h"

/* Each object starts with the address of this tag, unlike objects of rdma-core's libmlx5. */
static const char tag;

void *verbs_steering_refuse(int why)
{
    errno = why;
    return NULL;
}

void *verbs_steering_new(size_t size)
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
        return verbs_steering_refuse(EINVAL);
    if ((size_t)type >= sizeof kinds / sizeof *kinds)
        return verbs_steering_refuse(verbs_match_refuse(EINVAL, "mlx5dv_dr_domain_create",
                                                        "there is no domain %d", (int)type));
    struct mlx5dv_dr_domain *d = verbs_steering_new(sizeof *d);
    if (d) {
        d->context = ctx;
        d->kind = kinds[type];
    }
    return d;
}

int dpk_mlx5_dr_domain_sync(const struct mlx5dv_dr_domain *domain)
{
    return domain ? 0 : EINVAL; /* rules take effect when they are created */
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
        return verbs_steering_refuse(EINVAL);
    struct mlx5dv_dr_table *t = verbs_steering_new(sizeof *t);
    if (!t)
        return NULL;
    t->root = level == 0;
    t->table =
        dpk_flow_table_new(dpk_verbs_device(domain->context)->steering, domain->kind, t->root);
    if (!t->table) {
        free(t);
        return verbs_steering_refuse(ENOMEM);
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
        return verbs_steering_refuse(EINVAL);
    int why = verbs_match_mask(match_criteria_enable, mask, bits);
    if (why)
        return verbs_steering_refuse(why);
    struct mlx5dv_dr_matcher *m = verbs_steering_new(sizeof *m);
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
