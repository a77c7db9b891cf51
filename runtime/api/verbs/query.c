/* Properties of emulated devices: limits, ports, keys. */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/verbs/verbs.h"
#include "context.h"
#include "device/state/state.h"
#include "gids.h"
#include "link.h"
#include "qp.h"

#define MELLANOX 0x15b3

__be64 dpk_verbs_get_device_guid(struct ibv_device *device)
{
    return device ? htobe64(verbs_gids_guid(device)) : 0;
}

/* Describes a BlueField-3, except for mr and pd, which are those of `memory`. Attributes that are 0
 * do not exist: multicast groups, memory windows, raw queue pairs. */
static void describe(struct ibv_context *context, struct ibv_device_attr *out)
{
    const struct ibv_device *device = context->device;
    *out = (struct ibv_device_attr){
        .fw_ver = "dpakit",
        .node_guid = htobe64(verbs_gids_guid(device)),
        .sys_image_guid = htobe64(verbs_gids_card_guid(device)),
        .max_mr_size = UINT64_MAX,
        .page_size_cap = ~UINT64_C(0xfff),
        .vendor_id = MELLANOX,
        .vendor_part_id = context_of(context)->device.id,
        .max_qp = 131072,
        .max_qp_wr = QP_WR_MAX,
        .device_cap_flags = IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
                            IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_CURR_QP_STATE_MOD,
        .max_ah = INT32_MAX,
        .max_sge = QP_SGE_MAX,
        .max_sge_rd = QP_SGE_MAX,
        .max_mr = (1 << 20) - 2,
        .max_pd = 1 << 24,
        .max_cq = 1 << 21,
        .max_cqe = (1 << 22) - 1,
        .max_qp_rd_atom = QP_READS_MAX,
        .max_res_rd_atom = 131072 * QP_READS_MAX,
        .max_qp_init_rd_atom = QP_READS_MAX,
        .atomic_cap = IBV_ATOMIC_HCA,
        .max_srq = 1 << 23,
        .max_srq_wr = QP_WR_MAX - 1,
        .max_srq_sge = QP_SGE_MAX,
        .max_pkeys = 1,
        .local_ca_ack_delay = 16,
        .phys_port_cnt = 1,
    };
}

int dpk_verbs_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr)
{
    if (!context || !device_attr)
        return EINVAL;
    describe(context, device_attr);
    return 0;
}

/* `attr_size`: size of the program's structure, which may be older or newer. */
int verbs_query_device_ex(struct ibv_context *context,
                          const struct ibv_query_device_ex_input *input,
                          struct ibv_device_attr_ex *attr, size_t attr_size)
{
    struct ibv_device_attr_ex all = {.phys_port_cnt_ex = 1};
    if (!context || !attr || (input && input->comp_mask) || attr_size < sizeof all.orig_attr)
        return EINVAL;
    describe(context, &all.orig_attr);
    all.device_cap_flags_ex = all.orig_attr.device_cap_flags;
    memset(attr, 0, attr_size);
    memcpy(attr, &all, attr_size < sizeof all ? attr_size : sizeof all);
    return 0;
}

int verbs_query_port_ex(struct ibv_context *context, uint8_t port_num,
                        struct ibv_port_attr *port_attr, size_t size)
{
    struct ibv_port_attr attr = {
        .gid_tbl_len = DPK_VERBS_GIDS,
        .port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS,
        .max_msg_sz = QP_MESSAGE_MAX,
        .pkey_tbl_len = 1,
        .link_layer = IBV_LINK_LAYER_ETHERNET,
        .flags = IBV_QPF_GRH_REQUIRED,
    };
    if (!context || !port_attr || port_num != 1)
        return EINVAL;
    verbs_link_describe(&context_of(context)->device, &attr);
    memset(port_attr, 0, size);
    memcpy(port_attr, &attr, size < sizeof attr ? size : sizeof attr);
    return 0;
}

int dpk_verbs_query_port(struct ibv_context *context, uint8_t port_num,
                         struct _compat_ibv_port_attr *port_attr)
{
    /* Older programs have a structure that ends before port_cap_flags2. */
    return verbs_query_port_ex(context, port_num, (struct ibv_port_attr *)port_attr,
                               offsetof(struct ibv_port_attr, port_cap_flags2));
}

#define DEFAULT_PKEY 0xffff

int dpk_verbs_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
    if (!context || !pkey || port_num != 1 || index != 0) {
        errno = EINVAL;
        return -1;
    }
    *pkey = htobe16(DEFAULT_PKEY);
    return 0;
}
