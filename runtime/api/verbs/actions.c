/* Actions of steering rules. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/verbs/verbs.h"
#include "devx.h"
#include "match.h"
#include "steering.h"

#define UPLINK   0xffffu
#define MANAGER  0u
#define TAG_MASK 0xffffffu /* bits of the tag that a completion has */

struct mlx5dv_dr_action *verbs_action_new(const struct ibv_context *context,
                                          struct mlx5dv_dr_domain *domain)
{
    struct mlx5dv_dr_action *a = verbs_steering_new(sizeof *a);
    if (!a)
        return NULL;
    a->context = context;
    a->domain = domain;
    if (domain)
        domain->users++;
    return a;
}

static struct mlx5dv_dr_action *destination_new(const struct ibv_context *context,
                                                struct mlx5dv_dr_domain *domain,
                                                struct dpk_flow_target target)
{
    struct mlx5dv_dr_action *a = verbs_action_new(context, domain);
    if (a)
        a->targets[a->count++] = target;
    return a;
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *devx_obj)
{
    struct devx *tir = verbs_devx_of(devx_obj, DEVX_TIR);
    if (!devx_obj || (!devx_obj->receiver && !tir))
        return verbs_steering_refuse(EINVAL);
    struct mlx5dv_dr_action *a =
        destination_new(devx_obj->context, NULL,
                        (struct dpk_flow_target){.kind = tir ? DPK_FLOW_TIR : DPK_FLOW_QUEUE,
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
        return verbs_steering_refuse(EINVAL);
    if (domain->kind != DPK_FLOW_FDB)
        return verbs_steering_refuse(
            verbs_match_refuse(EOPNOTSUPP, call, "the domain is not the FDB"));
    if (vport != UPLINK && vport != MANAGER)
        return verbs_steering_refuse(
            verbs_match_refuse(EINVAL, call,
                               "no vport %u: emulated devices have 0, themselves, and 0x%x, "
                               "the uplink",
                               vport, UPLINK));
    return destination_new(
        domain->context, domain,
        (struct dpk_flow_target){.kind = vport == UPLINK ? DPK_FLOW_UPLINK : DPK_FLOW_MANAGER});
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_table(struct mlx5dv_dr_table *table)
{
    if (!table)
        return verbs_steering_refuse(EINVAL);
    if (table->root)
        return verbs_steering_refuse(verbs_match_refuse(EINVAL,
                                                        "mlx5dv_dr_action_create_dest_table",
                                                        "no rule leads to a root table (level 0)"));
    struct mlx5dv_dr_action *a =
        destination_new(table->domain->context, table->domain,
                        (struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = table->table});
    if (a) {
        a->table = table;
        table->users++;
    }
    return a;
}

/* ---- Actions without a device, which the system's library makes ---- */

struct note {
    struct note *next;
    const struct mlx5dv_dr_action *action;
    enum dpk_mlx5_noted kind;
    uint32_t value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct note *notes;

/* Returns the link to the note of an action. *link is NULL if there is no note. Call this with the
 * lock. */
static struct note **find_note(const struct mlx5dv_dr_action *action)
{
    struct note **at = &notes;
    while (*at && (*at)->action != action)
        at = &(*at)->next;
    return at;
}

void dpk_mlx5_dr_action_note(const struct mlx5dv_dr_action *action, enum dpk_mlx5_noted kind,
                             uint32_t value)
{
    struct note *n = malloc(sizeof *n);
    if (!n)
        return; /* rules then refuse the action */
    pthread_mutex_lock(&lock);
    *n = (struct note){notes, action, kind, value};
    notes = n;
    pthread_mutex_unlock(&lock);
}

void dpk_mlx5_dr_action_forget(const struct mlx5dv_dr_action *action)
{
    pthread_mutex_lock(&lock);
    struct note **at = find_note(action), *n = *at;
    if (n)
        *at = n->next;
    pthread_mutex_unlock(&lock);
    free(n);
}

static bool add_change(const struct dpk_flow_change *change, struct dpk_flow_actions *to)
{
    if (to->change_count >= DPK_FLOW_CHANGES)
        return false;
    to->changes[to->change_count++] = *change;
    return true;
}

static bool add_target(struct dpk_flow_target target, struct dpk_flow_actions *to)
{
    if (to->target_count >= DPK_FLOW_TARGETS)
        return false;
    to->targets[to->target_count++] = target;
    return true;
}

static bool add_noted(const struct note *n, struct dpk_flow_actions *to)
{
    switch (n->kind) {
    case DPK_MLX5_DROPS:
        return add_target((struct dpk_flow_target){.kind = DPK_FLOW_DROP}, to);
    case DPK_MLX5_MISSES:
        return add_target((struct dpk_flow_target){.kind = DPK_FLOW_MISS}, to);
    case DPK_MLX5_TAGS:
        return add_change(
            &(struct dpk_flow_change){.kind = DPK_FLOW_TAG, .value = n->value & TAG_MASK}, to);
    case DPK_MLX5_POPS_VLAN:
        return add_change(&(struct dpk_flow_change){.kind = DPK_FLOW_POP_VLAN}, to);
    }
    return false;
}

bool verbs_action_add(const struct mlx5dv_dr_action *action, struct dpk_flow_actions *to)
{
    if (dpk_mlx5_is_ours(action)) {
        bool added = !action->changes || add_change(&action->change, to);
        for (unsigned i = 0; added && i < action->count; i++)
            added = add_target(action->targets[i], to);
        return added;
    }
    pthread_mutex_lock(&lock);
    const struct note *n = *find_note(action);
    const bool added = n && add_noted(n, to);
    pthread_mutex_unlock(&lock);
    return added;
}

bool verbs_action_has_lost_object(const struct mlx5dv_dr_action *action)
{
    bool lost = action->object && atomic_load(&action->object->gone);
    for (unsigned i = 0; i < action->part_count; i++)
        lost = lost || verbs_action_has_lost_object(action->parts[i]);
    return lost;
}

/* ---- Arrays ---- */

static const char array_call[] = "mlx5dv_dr_action_create_dest_array";

/* Takes an action into an array. Returns 0 or an errno. */
static int hold_part(struct mlx5dv_dr_action *array, struct mlx5dv_dr_action *part)
{
    if (!dpk_mlx5_is_ours(part))
        return 0; /* it is valid in all domains */
    if (part->context != array->context ||
        (part->domain ? part->domain->kind : DPK_FLOW_RX) != array->domain->kind)
        return verbs_match_refuse(EINVAL, array_call, "a destination is for another domain");
    array->parts[array->part_count++] = part;
    part->users++;
    return 0;
}

/* Adds a destination to an array. Returns 0 or an errno. */
static int add_part(struct mlx5dv_dr_action *array, const struct mlx5dv_dr_action_dest_attr *dest)
{
    const bool reformats = dest && dest->type == MLX5DV_DR_ACTION_DEST_REFORMAT;
    if (!dest || (reformats && !dest->dest_reformat))
        return EINVAL;
    if (!reformats && dest->type != MLX5DV_DR_ACTION_DEST)
        return verbs_match_refuse(EOPNOTSUPP, array_call, "there is no type %d of destinations",
                                  (int)dest->type);
    struct mlx5dv_dr_action *to = reformats ? dest->dest_reformat->dest : dest->dest,
                            *reformat = reformats ? dest->dest_reformat->reformat : NULL;
    struct dpk_flow_actions does = {.change_count = 0};
    if (!verbs_action_add(to, &does) || does.target_count != 1 || does.change_count != 0)
        return verbs_match_refuse(EOPNOTSUPP, array_call,
                                  "emulated devices lack a destination's kind");
    if (reformat && (!dpk_mlx5_is_ours(reformat) || (reformat->change.kind != DPK_FLOW_WRAP &&
                                                     reformat->change.kind != DPK_FLOW_UNWRAP)))
        return verbs_match_refuse(EOPNOTSUPP, array_call, "a reformat is not a packet_reformat");
    int why = hold_part(array, to);
    if (!why && reformat)
        why = hold_part(array, reformat);
    does.targets[0].change = reformat ? &reformat->change : NULL;
    array->targets[array->count++] = does.targets[0];
    return why;
}

struct mlx5dv_dr_action *
dpk_mlx5_dr_action_create_dest_array(struct mlx5dv_dr_domain *domain, size_t num_dest,
                                     struct mlx5dv_dr_action_dest_attr *dests[])
{
    if (!domain || !dests || num_dest < 2)
        return verbs_steering_refuse(EINVAL);
    if (num_dest > DPK_FLOW_TARGETS)
        return verbs_steering_refuse(verbs_match_refuse(EOPNOTSUPP, array_call,
                                                        "%zu destinations, not at most %d",
                                                        num_dest, DPK_FLOW_TARGETS));
    struct mlx5dv_dr_action *a = verbs_action_new(domain->context, domain);
    if (!a)
        return NULL;
    int why = 0;
    for (size_t i = 0; !why && i < num_dest; i++)
        why = add_part(a, dests[i]);
    if (!why)
        return a;
    dpk_mlx5_dr_action_destroy(a);
    return verbs_steering_refuse(why);
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
        verbs_devx_release(action->object);
    for (unsigned i = 0; i < action->part_count; i++)
        action->parts[i]->users--;
    free(action->data);
    free(action);
    return 0;
}
