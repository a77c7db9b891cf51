/* Actions of steering rules that change frames, or count them. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/verbs/verbs.h"
#include "devx.h"
#include "match.h"
#include "steering.h"

#define MODIFICATIONS_MAX 128u
#define HEADER_MAX        132u /* maximum bytes that a packet_reformat puts before a frame */
#define ETHERNET          14u
enum { CUSTOMER_TAG = 0x8100, SERVICE_TAG = 0x88a8 };

/* Returns NULL with errno on failure. Takes ownership of `data`, which is freed with the action. */
static struct mlx5dv_dr_action *change_new(const struct ibv_context *context,
                                           struct mlx5dv_dr_domain *domain,
                                           struct dpk_flow_change change, void *data)
{
    struct mlx5dv_dr_action *a = verbs_action_new(context, domain);
    if (!a) {
        free(data);
        return NULL;
    }
    a->changes = true;
    a->change = change;
    a->data = data;
    return a;
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_flow_counter(struct mlx5dv_devx_obj *devx_obj,
                                                                uint32_t offset)
{
    static const char call[] = "mlx5dv_dr_action_create_flow_counter";
    struct devx *counters = verbs_devx_of(devx_obj, DEVX_COUNTERS);
    if (!counters)
        return verbs_steering_refuse(
            verbs_match_refuse(EINVAL, call, "the object has no flow counters"));
    if (offset >= counters->counter_count)
        return verbs_steering_refuse(verbs_match_refuse(
            EINVAL, call, "the object has %u counters, none %u", counters->counter_count, offset));
    struct mlx5dv_dr_action *a = change_new(
        devx_obj->context, NULL,
        (struct dpk_flow_change){.kind = DPK_FLOW_COUNT, .counter = &counters->counters[offset]},
        NULL);
    if (a) {
        a->object = counters;
        atomic_fetch_add(&counters->users, 1);
    }
    return a;
}

static int check_flags(const char *call, uint32_t flags)
{
    if ((flags & ~(uint32_t)MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL) == 0)
        return 0;
    return verbs_match_refuse(EINVAL, call, "there are no flags 0x%x", flags);
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_modify_header(struct mlx5dv_dr_domain *domain,
                                                                 uint32_t flags, size_t actions_sz,
                                                                 __be64 actions[])
{
    static const char call[] = "mlx5dv_dr_action_create_modify_header";
    const size_t count = actions_sz / sizeof *actions;
    struct dpk_error err = {0};
    if (!domain || !actions || check_flags(call, flags))
        return verbs_steering_refuse(EINVAL);
    if (count == 0 || count > MODIFICATIONS_MAX || actions_sz % sizeof *actions)
        return verbs_steering_refuse(verbs_match_refuse(
            EINVAL, call, "%zu bytes, not 8 for each of 1 to %u", actions_sz, MODIFICATIONS_MAX));
    struct dpk_flow_modification *list = calloc(count, sizeof *list);
    if (!list)
        return verbs_steering_refuse(ENOMEM);
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; status == DPK_OK && i < count; i++) {
        uint8_t action[8];
        memcpy(action, &actions[i], sizeof action);
        status = dpk_flow_modification_parse(action, &list[i], &err);
    }
    if (status != DPK_OK) {
        free(list);
        return verbs_steering_refuse(verbs_match_refuse(
            status == DPK_ERR_RANGE ? EINVAL : EOPNOTSUPP, call, "%s", err.message));
    }
    return change_new(
        domain->context, domain,
        (struct dpk_flow_change){.kind = DPK_FLOW_MODIFY, .modifications = list, .size = count},
        list);
}

struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_push_vlan(struct mlx5dv_dr_domain *domain,
                                                             __be32 vlan_hdr)
{
    const uint32_t tag = be32toh(vlan_hdr), type = tag >> 16;
    if (!domain)
        return verbs_steering_refuse(EINVAL);
    if (type != CUSTOMER_TAG && type != SERVICE_TAG)
        return verbs_steering_refuse(verbs_match_refuse(EINVAL, "mlx5dv_dr_action_create_push_vlan",
                                                        "0x%04x is not a type of VLAN tags", type));
    return change_new(domain->context, domain,
                      (struct dpk_flow_change){.kind = DPK_FLOW_PUSH_VLAN, .value = tag}, NULL);
}

/* Checks that rules of the domain can use the action. Returns 0 or an errno. */
static int check_reformat(const struct mlx5dv_dr_domain *domain,
                          enum mlx5dv_flow_action_packet_reformat_type type, size_t size)
{
    static const char call[] = "mlx5dv_dr_action_create_packet_reformat";
    switch (type) {
    case MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2:
        if (domain->kind == DPK_FLOW_TX)
            return verbs_match_refuse(EINVAL, call, "L2_TUNNEL_TO_L2 is not for NIC_TX domains");
        return size == 0 ? 0 : verbs_match_refuse(EINVAL, call, "L2_TUNNEL_TO_L2 has no data");
    case MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL:
        if (domain->kind == DPK_FLOW_RX)
            return verbs_match_refuse(EINVAL, call, "L2_TO_L2_TUNNEL is not for NIC_RX domains");
        if (size < ETHERNET || size > HEADER_MAX)
            return verbs_match_refuse(EINVAL, call, "%zu bytes of headers, not %u to %u", size,
                                      ETHERNET, HEADER_MAX);
        return 0;
    case MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2:
        return verbs_match_refuse(EOPNOTSUPP, call, "emulated devices do not have L3_TUNNEL_TO_L2");
    case MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL:
        return verbs_match_refuse(EOPNOTSUPP, call, "emulated devices do not have L2_TO_L3_TUNNEL");
    }
    return verbs_match_refuse(EINVAL, call, "there is no type %d", (int)type);
}

struct mlx5dv_dr_action *
dpk_mlx5_dr_action_create_packet_reformat(struct mlx5dv_dr_domain *domain, uint32_t flags,
                                          enum mlx5dv_flow_action_packet_reformat_type type,
                                          size_t data_sz, void *data)
{
    if (!domain || (data_sz > 0) != (data != NULL) ||
        check_flags("mlx5dv_dr_action_create_packet_reformat", flags))
        return verbs_steering_refuse(EINVAL);
    const int why = check_reformat(domain, type, data_sz);
    if (why)
        return verbs_steering_refuse(why);
    if (data_sz == 0)
        return change_new(domain->context, domain,
                          (struct dpk_flow_change){.kind = DPK_FLOW_UNWRAP}, NULL);
    uint8_t *header = malloc(data_sz);
    if (!header)
        return verbs_steering_refuse(ENOMEM);
    memcpy(header, data, data_sz);
    return change_new(
        domain->context, domain,
        (struct dpk_flow_change){.kind = DPK_FLOW_WRAP, .header = header, .size = data_sz}, header);
}
