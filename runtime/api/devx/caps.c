/* Capabilities of the device, and its GIDs as the PRM has them. The values are those of ibv_query_device and of
 * net/queues. */
#include <string.h>

#include "api/verbs/verbs.h"
#include "net/queues/queues.h"
#include "queue.h"

#define LOG_QUEUES 17u /* numbers of queues, at least */

/* Capabilities follow the header of the answer. Offsets in bits are those of struct cmd_hca_cap. */
static void put_general(struct devx_out caps, const struct ibv_device_attr *a)
{
    const struct {
        uint16_t bit;
        uint8_t bits;
        uint32_t value;
    } fields[] = {
        {0x088, 8, DEVX_LOG_WORKS},       /* log_max_qp_sz */
        {0x09b, 5, LOG_QUEUES},           /* log_max_qp */
        {0x0c8, 8, DEVX_LOG_COMPLETIONS}, /* log_max_cq_sz */
        {0x0db, 5, LOG_QUEUES},           /* log_max_cq */
        {0x1b6, 2, 1},                    /* port_type: Ethernet */
        {0x1b8, 8, a->phys_port_cnt},     /* num_ports */
        {0x21d, 1, 1},                    /* roce */
        {0x21e, 1, 1},                    /* atomic */
        {0x220, 1, 1},                    /* cq_oi */
        {0x22c, 1, 1},                    /* cd: requests that wait for completions */
        {0x23f, 1, 1},                    /* rc */
        {0x290, 16, DPK_WQE_MAX / DPK_WQEBB * DPK_WQEBB}, /* max_wqe_sz_sq */
        {0x2b0, 16, DEVX_RECEIVE},                        /* max_wqe_sz_rq */
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        devx_put(caps, fields[i].bit, fields[i].bits, fields[i].value);
}

static void put_roce(struct devx_out caps)
{
    enum { V1_AND_V2 = 5 };
    devx_put(caps, 0x98, 8, V1_AND_V2);       /* roce_version */
    devx_put(caps, 0xb0, 16, 4791);           /* r_roce_dest_udp_port */
    devx_put(caps, 0xc0, 16, 0xffff);         /* r_roce_max_src_udp_port */
    devx_put(caps, 0xd0, 16, 0xc000);         /* r_roce_min_src_udp_port */
    devx_put(caps, 0xf0, 16, DPK_VERBS_GIDS); /* roce_address_table_size */
}

int devx_query_caps(const struct devx_command *c, struct ibv_context *context)
{
    enum { GENERAL, ROCE = 4, OPMOD = 0x30, SMALLEST = 0x100 / 8 + DEVX_HEADER };
    const unsigned kind =
        (unsigned)devx_get(c->in, OPMOD, 16) >> 1; /* bit 0: greatest or current */
    struct ibv_device_attr a;
    const int why = devx_check_sizes(c, DEVX_HEADER, SMALLEST);
    const struct devx_out caps = {c->out.bytes + DEVX_HEADER, why ? 0 : c->out.size - DEVX_HEADER};
    if (why)
        return why;
    if (kind != GENERAL && kind != ROCE)
        return devx_refuse(c, DEVX_BAD_PARAMETER,
                           "emulated devices have capabilities of type 0 (general) and 4 (RoCE), "
                           "not %u",
                           kind);
    if (kind == ROCE)
        put_roce(caps);
    else if (dpk_verbs_query_device(context, &a) == 0)
        put_general(caps, &a);
    else
        return devx_refuse(c, DEVX_NO_RESOURCES, "the device cannot be read");
    return 0;
}

int devx_query_roce_address(const struct devx_command *c, struct ibv_context *context)
{
    enum { INDEX = 0x40, COUNT = 0x60, ENTRY = 0x80, KIND = ENTRY + 0xd4, VERSION = ENTRY + 0xd8 };
    enum { SIZE = 48, IPV4 = 0, IPV6 = 1, V1 = 0, V2 = 2 };
    struct ibv_gid_entry gid;
    const uint32_t index = (uint32_t)devx_get(c->in, INDEX, 16);
    const int why = devx_check_sizes(c, DEVX_HEADER, SIZE);
    if (why)
        return why;
    if (index >= DPK_VERBS_GIDS)
        return devx_refuse(c, DEVX_BAD_PARAMETER, "the table of GIDs has no index %u", index);
    devx_put(c->out, COUNT, 16, 1);
    if (dpk_verbs_query_gid_ex(context, 1, index, &gid) != 0)
        return 0; /* an empty entry is all zeros */
    memcpy(c->out.bytes + ENTRY / 8, gid.gid.raw, sizeof gid.gid.raw);
    devx_put(c->out, KIND, 4, dpk_verbs_is_v4(&gid.gid) ? IPV4 : IPV6);
    devx_put(c->out, VERSION, 8, gid.gid_type == IBV_GID_TYPE_ROCE_V2 ? V2 : V1);
    return 0;
}
