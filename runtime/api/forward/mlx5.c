/* libmlx5.so.1: registered host memory and flow steering, both of emulated devices and of cards. */
#include <infiniband/mlx5dv.h>
#include <stdio.h>

#include "forward.h"

/* No object is ours before the engine is loaded. */
static bool is_ours(const void *object)
{
    const struct dpk_emulated *e = dpk_forward_emulated(false);
    return e && (!object || e->is_ours(object)); /* the engine refuses NULL without a crash */
}

static bool is_our_umem(const struct mlx5dv_devx_umem *umem)
{
    const struct dpk_emulated *e = dpk_forward_emulated(false);
    return e && (!umem || e->is_our_umem(umem));
}

/* A receive queue of FlexIO, or what a command made; rdma-core's objects start with their context,
 * too. */
static bool is_our_devx(struct mlx5dv_devx_obj *object)
{
    struct ibv_context *context = NULL;
    if (object)
        memcpy(&context, object, sizeof context);
    return object ? dpk_context_is_emulated(context) : emulated() != NULL;
}

FORWARD(bool, false, mlx5dv_is_supported, (struct ibv_device * device), (device),
        !device || dpk_device_is_emulated(device), device != NULL)

/* Emulated devices ignore the attributes, because DevX is always available. */
FORWARD(struct ibv_context *, NULL, mlx5dv_open_device,
        (struct ibv_device * device, struct mlx5dv_context_attr *attr), (device, attr),
        dpk_device_is_emulated(device), emulated()->open_device(device))

/* Answers the parts of comp_mask that emulated devices support. A value that every card reports,
 * and that emulated devices lack, is 0. Other parts are not answered, as on cards. */
static int query_device(const struct ibv_context *context, struct mlx5dv_context *out)
{
    if (!context || !out)
        return EINVAL;
    const uint64_t asked = out->comp_mask;
#define TELL(bit, member, ...)                                                                     \
    if (asked & MLX5DV_CONTEXT_MASK_##bit)                                                         \
    out->member = (__typeof__(out->member))__VA_ARGS__, out->comp_mask |= MLX5DV_CONTEXT_MASK_##bit
    out->version = 0;
    out->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1;
    out->comp_mask = 0;
    TELL(CQE_COMPRESION, cqe_comp_caps, {0});
    TELL(SWP, sw_parsing_caps, {0});
    TELL(STRIDING_RQ, striding_rq_caps, {0});
    TELL(TUNNEL_OFFLOADS, tunnel_offloads_caps, 0);
    TELL(DYN_BFREGS, max_dynamic_bfregs, DPK_VERBS_UARS);
    TELL(FLOW_ACTION_FLAGS, flow_action_flags, 0);
    TELL(DC_ODP_CAPS, dc_odp_caps, 0);
#undef TELL
    return 0;
}

FORWARD(int, ENOSYS, mlx5dv_query_device,
        (struct ibv_context * ctx_in, struct mlx5dv_context *attrs_out), (ctx_in, attrs_out),
        dpk_context_is_emulated(ctx_in) || !ctx_in, query_device(ctx_in, attrs_out))

/* ---- Memory ---- */

FORWARD(struct mlx5dv_devx_umem *, NULL, mlx5dv_devx_umem_reg,
        (struct ibv_context * ctx, void *addr, size_t size, uint32_t access),
        (ctx, addr, size, access), dpk_context_is_emulated(ctx) || (!ctx && emulated()),
        emulated()->devx_umem_reg(ctx, addr, size, access))
FORWARD(int, ENOSYS, mlx5dv_devx_umem_dereg, (struct mlx5dv_devx_umem * umem), (umem),
        is_our_umem(umem), emulated()->devx_umem_dereg(umem))

/* ---- UARs ---- */

/* Defines a function that runs `ours` if `mine`, else the system's function. */
#define FORWARD_VOID(name, parameters, arguments, mine, ours)                                      \
    void name parameters                                                                           \
    {                                                                                              \
        if (mine) {                                                                                \
            ours;                                                                                  \
            return;                                                                                \
        }                                                                                          \
        __typeof__(&name) system_function = SYSTEM(name);                                          \
        if (system_function)                                                                       \
            system_function arguments;                                                             \
    }

FORWARD(struct mlx5dv_devx_uar *, NULL, mlx5dv_devx_alloc_uar,
        (struct ibv_context * context, uint32_t flags), (context, flags),
        dpk_context_is_emulated(context) || (!context && emulated()),
        emulated()->devx_alloc_uar(context, flags))
FORWARD_VOID(mlx5dv_devx_free_uar, (struct mlx5dv_devx_uar * uar), (uar),
             (!uar || uar->mmap_off == DPK_VERBS_UAR_OFFSET) && emulated(),
             emulated()->devx_free_uar(uar))

/* ---- Commands ---- */

FORWARD(struct mlx5dv_devx_obj *, NULL, mlx5dv_devx_obj_create,
        (struct ibv_context * context, const void *in, size_t inlen, void *out, size_t outlen),
        (context, in, inlen, out, outlen),
        dpk_context_is_emulated(context) || (!context && emulated()),
        emulated()->devx_obj_create(context, in, inlen, out, outlen))
FORWARD(int, ENOSYS, mlx5dv_devx_obj_modify,
        (struct mlx5dv_devx_obj * obj, const void *in, size_t inlen, void *out, size_t outlen),
        (obj, in, inlen, out, outlen), is_our_devx(obj),
        emulated()->devx_obj_modify(obj, in, inlen, out, outlen))
FORWARD(int, ENOSYS, mlx5dv_devx_obj_query,
        (struct mlx5dv_devx_obj * obj, const void *in, size_t inlen, void *out, size_t outlen),
        (obj, in, inlen, out, outlen), is_our_devx(obj),
        emulated()->devx_obj_query(obj, in, inlen, out, outlen))
FORWARD(int, ENOSYS, mlx5dv_devx_general_cmd,
        (struct ibv_context * context, const void *in, size_t inlen, void *out, size_t outlen),
        (context, in, inlen, out, outlen),
        dpk_context_is_emulated(context) || (!context && emulated()),
        emulated()->devx_general_cmd(context, in, inlen, out, outlen))
FORWARD(int, ENOSYS, mlx5dv_devx_obj_destroy, (struct mlx5dv_devx_obj * obj), (obj),
        is_our_devx(obj), emulated()->devx_obj_destroy(obj))

/* Emulated devices have one event queue, which no program sees. */
static int query_eqn(const struct ibv_context *context, uint32_t vector, uint32_t *eqn)
{
    if (!eqn || vector >= (uint32_t)context->num_comp_vectors)
        return EINVAL;
    *eqn = 0;
    return 0;
}
FORWARD(int, ENOSYS, mlx5dv_devx_query_eqn,
        (struct ibv_context * context, uint32_t vector, uint32_t *eqn), (context, vector, eqn),
        dpk_context_is_emulated(context), query_eqn(context, vector, eqn))

/* ---- Completion queues ---- */

/* If one object of a call belongs to an emulated device, all of them do. */
static bool has_ours(const struct mlx5dv_obj *obj, uint64_t type)
{
#define OURS(kind, member)                                                                         \
    (type & MLX5DV_OBJ_##kind && obj->member.in && dpk_context_is_emulated(obj->member.in->context))
    return obj && (OURS(CQ, cq) || OURS(PD, pd) || OURS(AH, ah));
}
FORWARD(int, ENOSYS, mlx5dv_init_obj, (struct mlx5dv_obj * obj, uint64_t obj_type), (obj, obj_type),
        has_ours(obj, obj_type), emulated()->init_obj(obj, obj_type))

/* ---- Flow steering ---- */

FORWARD(struct mlx5dv_dr_domain *, NULL, mlx5dv_dr_domain_create,
        (struct ibv_context * ctx, enum mlx5dv_dr_domain_type type), (ctx, type),
        dpk_context_is_emulated(ctx) || (!ctx && emulated()),
        emulated()->dr_domain_create(ctx, type))
FORWARD(int, ENOSYS, mlx5dv_dr_domain_sync, (struct mlx5dv_dr_domain * domain, uint32_t flags),
        (domain, flags), is_ours(domain), emulated()->dr_domain_sync(domain))
FORWARD(int, ENOSYS, mlx5dv_dr_matcher_set_layout,
        (struct mlx5dv_dr_matcher * matcher, struct mlx5dv_dr_matcher_layout *layout),
        (matcher, layout), is_ours(matcher), matcher ? 0 : EINVAL)
FORWARD(int, ENOSYS, mlx5dv_dr_domain_destroy, (struct mlx5dv_dr_domain * domain), (domain),
        is_ours(domain), emulated()->dr_domain_destroy(domain))
FORWARD(struct mlx5dv_dr_table *, NULL, mlx5dv_dr_table_create,
        (struct mlx5dv_dr_domain * domain, uint32_t level), (domain, level), is_ours(domain),
        emulated()->dr_table_create(domain, level))
FORWARD(int, ENOSYS, mlx5dv_dr_table_destroy, (struct mlx5dv_dr_table * table), (table),
        is_ours(table), emulated()->dr_table_destroy(table))
FORWARD(struct mlx5dv_dr_matcher *, NULL, mlx5dv_dr_matcher_create,
        (struct mlx5dv_dr_table * table, uint16_t priority, uint8_t criteria,
         struct mlx5dv_flow_match_parameters *mask),
        (table, priority, criteria, mask), is_ours(table),
        emulated()->dr_matcher_create(table, priority, criteria, mask))
FORWARD(int, ENOSYS, mlx5dv_dr_matcher_destroy, (struct mlx5dv_dr_matcher * matcher), (matcher),
        is_ours(matcher), emulated()->dr_matcher_destroy(matcher))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_dest_devx_tir,
        (struct mlx5dv_devx_obj * tir), (tir), is_our_devx(tir),
        emulated()->dr_action_create_dest_devx_tir(tir))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_dest_vport,
        (struct mlx5dv_dr_domain * domain, uint32_t vport), (domain, vport), is_ours(domain),
        emulated()->dr_action_create_dest_vport(domain, vport))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_dest_table,
        (struct mlx5dv_dr_table * table), (table), is_ours(table),
        emulated()->dr_action_create_dest_table(table))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_dest_array,
        (struct mlx5dv_dr_domain * domain, size_t count,
         struct mlx5dv_dr_action_dest_attr *destinations[]),
        (domain, count, destinations), is_ours(domain),
        emulated()->dr_action_create_dest_array(domain, count, destinations))

/* The system's library makes actions that do not belong to a device. Emulated devices know them by
 * address. */
static struct mlx5dv_dr_action *noted(struct mlx5dv_dr_action *action, enum dpk_mlx5_noted kind,
                                      uint32_t value)
{
    const struct dpk_emulated *e = dpk_forward_emulated(false);
    if (e && action)
        e->dr_action_note(action, kind, value);
    return action;
}

static bool forgotten(const struct mlx5dv_dr_action *action)
{
    const struct dpk_emulated *e = dpk_forward_emulated(false);
    if (e)
        e->dr_action_forget(action);
    return true;
}

#define NOTED(name, parameters, arguments, kind, value)                                            \
    struct mlx5dv_dr_action *name parameters                                                       \
    {                                                                                              \
        __typeof__(&name) create = SYSTEM(name);                                                   \
        return create ? noted(create arguments, kind, value) : dpk_forward_refuse();               \
    }

NOTED(mlx5dv_dr_action_create_drop, (void), (), DPK_MLX5_DROPS, 0)
NOTED(mlx5dv_dr_action_create_default_miss, (void), (), DPK_MLX5_MISSES, 0)
NOTED(mlx5dv_dr_action_create_tag, (uint32_t tag), (tag), DPK_MLX5_TAGS, tag)
NOTED(mlx5dv_dr_action_create_pop_vlan, (void), (), DPK_MLX5_POPS_VLAN, 0)

FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_flow_counter,
        (struct mlx5dv_devx_obj * counters, uint32_t offset), (counters, offset),
        is_our_devx(counters), emulated()->dr_action_create_flow_counter(counters, offset))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_modify_header,
        (struct mlx5dv_dr_domain * domain, uint32_t flags, size_t size, __be64 actions[]),
        (domain, flags, size, actions), is_ours(domain),
        emulated()->dr_action_create_modify_header(domain, flags, size, actions))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_push_vlan,
        (struct mlx5dv_dr_domain * domain, __be32 header), (domain, header), is_ours(domain),
        emulated()->dr_action_create_push_vlan(domain, header))
FORWARD(struct mlx5dv_dr_action *, NULL, mlx5dv_dr_action_create_packet_reformat,
        (struct mlx5dv_dr_domain * domain, uint32_t flags,
         enum mlx5dv_flow_action_packet_reformat_type type, size_t size, void *data),
        (domain, flags, type, size, data), is_ours(domain),
        emulated()->dr_action_create_packet_reformat(domain, flags, type, size, data))

FORWARD(int, ENOSYS, mlx5dv_dr_action_destroy, (struct mlx5dv_dr_action * action), (action),
        is_ours(action) || !forgotten(action), emulated()->dr_action_destroy(action))
FORWARD(struct mlx5dv_dr_rule *, NULL, mlx5dv_dr_rule_create,
        (struct mlx5dv_dr_matcher * matcher, struct mlx5dv_flow_match_parameters *value,
         size_t num_actions, struct mlx5dv_dr_action *actions[]),
        (matcher, value, num_actions, actions), is_ours(matcher),
        emulated()->dr_rule_create(matcher, value, num_actions, actions))
FORWARD(int, ENOSYS, mlx5dv_dr_rule_destroy, (struct mlx5dv_dr_rule * rule), (rule), is_ours(rule),
        emulated()->dr_rule_destroy(rule))

/* Both settings concern only a card's memory, and merging of rules. */
FORWARD_VOID(mlx5dv_dr_domain_set_reclaim_device_memory,
             (struct mlx5dv_dr_domain * domain, bool enable), (domain, enable), is_ours(domain),
             (void)0)
FORWARD_VOID(mlx5dv_dr_domain_allow_duplicate_rules, (struct mlx5dv_dr_domain * domain, bool allow),
             (domain, allow), is_ours(domain), (void)0)

/* ---- Unsupported on emulated devices ---- */

static void *not_emulated(const char *call)
{
    fprintf(stderr, "-E- %s: emulated devices do not have it\n", call);
    return dpk_forward_refuse();
}

#define REFUSE(type, name, parameters, arguments, mine)                                            \
    FORWARD(type, NULL, name, parameters, arguments, mine, not_emulated(#name))
#define REFUSE_ACTION(name, parameters, arguments, mine)                                           \
    REFUSE(struct mlx5dv_dr_action *, name, parameters, arguments, mine)
#define REFUSE_INT(name, parameters, arguments, mine)                                              \
    FORWARD(int, ENOSYS, name, parameters, arguments, mine, (not_emulated(#name), EOPNOTSUPP))

REFUSE_ACTION(mlx5dv_dr_action_create_dest_ib_port,
              (struct mlx5dv_dr_domain * domain, uint32_t ib_port), (domain, ib_port),
              domain &&is_ours(domain))
REFUSE_ACTION(mlx5dv_dr_action_create_dest_root_table,
              (struct mlx5dv_dr_table * table, uint16_t priority), (table, priority),
              table &&is_ours(table))
REFUSE_ACTION(mlx5dv_dr_action_create_aso,
              (struct mlx5dv_dr_domain * domain, struct mlx5dv_devx_obj *object, uint32_t offset,
               uint32_t flags, uint8_t return_reg_c),
              (domain, object, offset, flags, return_reg_c), domain &&is_ours(domain))
REFUSE_ACTION(mlx5dv_dr_action_create_flow_meter, (struct mlx5dv_dr_flow_meter_attr * attr), (attr),
              attr && attr->next_table && is_ours(attr->next_table))
REFUSE_ACTION(mlx5dv_dr_action_create_flow_sampler, (struct mlx5dv_dr_flow_sampler_attr * attr),
              (attr), attr && attr->default_next_table && is_ours(attr->default_next_table))

REFUSE_INT(mlx5dv_dump_dr_domain, (FILE * out, struct mlx5dv_dr_domain *domain), (out, domain),
           domain &&is_ours(domain))
REFUSE_INT(mlx5dv_dump_dr_table, (FILE * out, struct mlx5dv_dr_table *table), (out, table),
           table &&is_ours(table))
REFUSE_INT(mlx5dv_dump_dr_matcher, (FILE * out, struct mlx5dv_dr_matcher *matcher), (out, matcher),
           matcher &&is_ours(matcher))
REFUSE_INT(mlx5dv_dump_dr_rule, (FILE * out, struct mlx5dv_dr_rule *rule), (out, rule),
           rule &&is_ours(rule))

REFUSE_INT(mlx5dv_devx_obj_query_async,
           (struct mlx5dv_devx_obj * obj, const void *in, size_t inlen, size_t outlen,
            uint64_t wr_id, struct mlx5dv_devx_cmd_comp *completions),
           (obj, in, inlen, outlen, wr_id, completions), is_our_devx(obj))
REFUSE(struct mlx5dv_devx_cmd_comp *, mlx5dv_devx_create_cmd_comp, (struct ibv_context * context),
       (context), dpk_context_is_emulated(context))
REFUSE(struct mlx5dv_devx_event_channel *, mlx5dv_devx_create_event_channel,
       (struct ibv_context * context, enum mlx5dv_devx_create_event_channel_flags flags),
       (context, flags), dpk_context_is_emulated(context))

/* comp_mask is set for memory that is not the program's (dmabuf). */
FORWARD(struct mlx5dv_devx_umem *, NULL, mlx5dv_devx_umem_reg_ex,
        (struct ibv_context * ctx, struct mlx5dv_devx_umem_in *in), (ctx, in),
        dpk_context_is_emulated(ctx),
        !in || in->comp_mask ? not_emulated("mlx5dv_devx_umem_reg_ex")
                             : emulated()->devx_umem_reg(ctx, in->addr, in->size, in->access))
