/* Objects of flow steering. Private to verbs. */
#ifndef DPK_API_VERBS_STEERING_H
#define DPK_API_VERBS_STEERING_H

#include <infiniband/mlx5dv.h>
#include <stdatomic.h>

#include "net/queues/queues.h"

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
/* A change, or one or several destinations. */
struct mlx5dv_dr_action {
    const void *tag;
    bool changes;
    struct dpk_flow_change change;
    void *data; /* memory of the change */
    struct dpk_flow_target targets[DPK_FLOW_TARGETS];
    unsigned count;
    struct mlx5dv_dr_action *parts[2 * DPK_FLOW_TARGETS]; /* our actions of an array */
    unsigned part_count;
    const struct ibv_context *context; /* the device that it is for */
    struct mlx5dv_dr_domain *domain;   /* NULL if it is made from an object */
    struct mlx5dv_dr_table *table;     /* the table that it leads to */
    struct devx *object;               /* the object that it is made from */
    atomic_uint users;
};

struct mlx5dv_dr_rule {
    const void *tag;
    struct mlx5dv_dr_matcher *matcher;
    struct dpk_flow_rule *rule;
    size_t count;
    struct mlx5dv_dr_action *actions[]; /* NULL: an action of the system's library */
};

/* Like calloc; also sets the tag. Returns NULL and sets errno if memory is exhausted. */
void *verbs_steering_new(size_t size);
/* Sets errno and returns NULL. */
void *verbs_steering_refuse(int why);

/* Creates an empty action. `domain` may be NULL. Returns NULL and sets errno if memory is exhausted. */
struct mlx5dv_dr_action *verbs_action_new(const struct ibv_context *context,
                                          struct mlx5dv_dr_domain *domain);
/* Adds an action: ours, or an action that dpk_mlx5_dr_action_note recorded. Returns false if it is
 * neither, or if there is no room. */
bool verbs_action_add(const struct mlx5dv_dr_action *action, struct dpk_flow_actions *to);
/* Returns true if an object of the action was destroyed. */
bool verbs_action_has_lost_object(const struct mlx5dv_dr_action *action);

#endif
