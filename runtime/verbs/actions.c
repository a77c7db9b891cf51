/* Actions of steering rules. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "devx.h"
#include "match.h"
#include "steering.h"
#include "verbs/verbs.h"

#define UPLINK  0xffffu
#define MANAGER 0u

static struct mlx5dv_dr_action *action_new(const struct ibv_context *context,
                                           struct mlx5dv_dr_domain *domain,
                                           struct mlx5dv_dr_table *table,
                                           const struct dpk_flow_target *target)
{
    struct mlx5dv_dr_action *a = steering_new(sizeof *a);
    if (!a)
        return NULL;
    a->context = context;
    a->domain = domain;
    a->table = table;
    a->targets[0] = *target;
    a->count = 1;
    if (domain)
        domain->users++;
    if (table)
        table->users++;
    return a;
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *devx_obj)
{
    struct devx *tir = devx_of(devx_obj, DEVX_TIR);
    if (!devx_obj || (!devx_obj->receiver && !tir))
        return steering_refuse(EINVAL);
    struct mlx5dv_dr_action *a =
        action_new(devx_obj->context, NULL, NULL,
                   &(struct dpk_flow_target){.kind = tir ? DPK_FLOW_TIR : DPK_FLOW_QUEUE,
                                             .queue = devx_obj->receiver,
                                             .tir = tir ? tir->tir : NULL});
    if (a && tir) {
        a->object = tir;
        atomic_fetch_add(&tir->users, 1);
    }
    return a;
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_vport(struct mlx5dv_dr_domain *domain,
                                                              uint32_t vport)
{
    static const char call[] = "mlx5dv_dr_action_create_dest_vport";
    if (!domain)
        return steering_refuse(EINVAL);
    if (domain->kind != DPK_FLOW_FDB)
        return steering_refuse(match_refuse(EOPNOTSUPP, call, "the domain is not the FDB"));
    if (vport != UPLINK && vport != MANAGER)
        return steering_refuse(
            match_refuse(EINVAL, call,
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
        return steering_refuse(EINVAL);
    if (table->root)
        return steering_refuse(match_refuse(EINVAL, "mlx5dv_dr_action_create_dest_table",
                                            "no rule leads to a root table (level 0)"));
    return action_new(table->domain->context, table->domain, table,
                      &(struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = table->table});
}

/* ---- Actions of no device: the system's library makes them ---- */

struct note {
    struct note *next;
    const struct mlx5dv_dr_action *action;
    enum dpk_flow_kind kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct note *notes;

/* With the lock. The place of the note of an action; *place is NULL: there is none. */
static struct note **find(const struct mlx5dv_dr_action *action)
{
    struct note **at = &notes;
    while (*at && (*at)->action != action)
        at = &(*at)->next;
    return at;
}

void dpk_mlx5_dr_action_note(const struct mlx5dv_dr_action *action, bool drops)
{
    struct note *n = malloc(sizeof *n);
    if (!n)
        return; /* rules refuse it */
    pthread_mutex_lock(&lock);
    *n = (struct note){notes, action, drops ? DPK_FLOW_DROP : DPK_FLOW_MISS};
    notes = n;
    pthread_mutex_unlock(&lock);
}

void dpk_mlx5_dr_action_forget(const struct mlx5dv_dr_action *action)
{
    pthread_mutex_lock(&lock);
    struct note **at = find(action), *n = *at;
    if (n)
        *at = n->next;
    pthread_mutex_unlock(&lock);
    free(n);
}

unsigned action_targets(const struct mlx5dv_dr_action *action,
                        struct dpk_flow_target targets[DPK_FLOW_TARGETS])
{
    if (dpk_mlx5_is_ours(action)) {
        memcpy(targets, action->targets, sizeof action->targets);
        return action->count;
    }
    pthread_mutex_lock(&lock);
    const struct note *n = *find(action);
    targets[0] = (struct dpk_flow_target){.kind = n ? n->kind : DPK_FLOW_DROP};
    pthread_mutex_unlock(&lock);
    return n ? 1 : 0;
}

/* ---- Arrays ---- */

/* Adds what a destination does to an array; 0 or an errno. */
static int add_part(struct mlx5dv_dr_action *array, const struct mlx5dv_dr_action_dest_attr *dest)
{
    static const char call[] = "mlx5dv_dr_action_create_dest_array";
    struct dpk_flow_target targets[DPK_FLOW_TARGETS];
    if (!dest)
        return EINVAL;
    if (dest->type != MLX5DV_DR_ACTION_DEST)
        return match_refuse(EOPNOTSUPP, call, "emulated devices reformat no packets");
    struct mlx5dv_dr_action *part = dest->dest;
    const unsigned count = action_targets(part, targets);
    if (count != 1)
        return match_refuse(EOPNOTSUPP, call, "a destination is none that emulated devices have");
    if (dpk_mlx5_is_ours(part)) {
        const struct mlx5dv_dr_domain *domain = array->domain;
        if (part->context != array->context ||
            (part->domain ? part->domain->kind : DPK_FLOW_RX) != domain->kind)
            return match_refuse(EINVAL, call, "a destination is for another domain");
        array->parts[array->count] = part;
        part->users++;
    }
    array->targets[array->count++] = targets[0];
    return 0;
}

struct mlx5dv_dr_action *
dpk_mlx5_dr_action_create_dest_array(struct mlx5dv_dr_domain *domain, size_t num_dest,
                                     struct mlx5dv_dr_action_dest_attr *dests[])
{
    if (!domain || !dests || num_dest < 2)
        return steering_refuse(EINVAL);
    if (num_dest > DPK_FLOW_TARGETS)
        return steering_refuse(match_refuse(EOPNOTSUPP, "mlx5dv_dr_action_create_dest_array",
                                            "%zu destinations, not at most %d", num_dest,
                                            DPK_FLOW_TARGETS));
    struct mlx5dv_dr_action *a =
        action_new(domain->context, domain, NULL, &(struct dpk_flow_target){.queue = NULL});
    if (!a)
        return NULL;
    a->count = 0;
    int why = 0;
    for (size_t i = 0; !why && i < num_dest; i++)
        why = add_part(a, dests[i]);
    if (!why)
        return a;
    dpk_mlx5_dr_action_destroy(a);
    return steering_refuse(why);
}

int dpk_mlx5_dr_action_destroy(struct mlx5dv_dr_action *action)
{
    if (!action || action->users > 0)
        return action ? EBUSY : EINVAL;
    if (action->domain)
        action->domain->users--;
    if (action->table)
        action->table->users--;
    if (action->object)
        devx_release(action->object);
    for (unsigned i = 0; i < action->count; i++)
        if (action->parts[i])
            action->parts[i]->users--;
    free(action);
    return 0;
}
