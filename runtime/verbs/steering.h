/* Objects of flow steering. Private to verbs. */
#ifndef DPK_VERBS_STEERING_H
#define DPK_VERBS_STEERING_H

#include <infiniband/mlx5dv.h>
#include <stdatomic.h>

#include "port/port.h"

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
    struct dpk_flow_target targets[DPK_FLOW_TARGETS];
    unsigned count;
    struct mlx5dv_dr_action *parts[DPK_FLOW_TARGETS]; /* of an array, those that are ours */
    const struct ibv_context *context;                /* of the device that it is for */
    struct mlx5dv_dr_domain *domain;                  /* NULL: of a receive queue */
    struct mlx5dv_dr_table *table;                    /* that it leads to */
    struct devx *object;                              /* that it is made of */
    atomic_uint users;
};
struct mlx5dv_dr_rule {
    const void *tag;
    struct mlx5dv_dr_matcher *matcher;
    struct mlx5dv_dr_action *action;
    struct dpk_flow_rule *rule;
};

/* calloc, with the tag. NULL: errno says so. */
void *steering_new(size_t size);
/* NULL, with this errno. */
void *steering_refuse(int why);

/* What an action does, ours or one that dpk_mlx5_dr_action_note knows. 0: it is neither. */
unsigned action_targets(const struct mlx5dv_dr_action *action,
                        struct dpk_flow_target targets[DPK_FLOW_TARGETS]);

#endif
