/* libibverbs.so.1: devices, memory, queues and queue pairs, both of emulated devices and of others.
 * Calls through a context in <infiniband/verbs.h> do not pass here (runtime/api/verbs). */
#include <infiniband/verbs.h>

#include "forward.h"

#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* True if a call is for an emulated device, or for NULL, which the engine refuses without a
 * crash. */
#define MINE(context) (dpk_context_is_emulated(context) || (!(context) && emulated()))
#define OF(object)    ((object) ? dpk_context_is_emulated((object)->context) : emulated() != NULL)

/* ---- Devices ---- */

FORWARD(__be64, 0, ibv_get_device_guid, (struct ibv_device * device), (device),
        dpk_device_is_emulated(device), emulated()->get_device_guid(device))
FORWARD(int, -1, ibv_get_device_index, (struct ibv_device * device), (device),
        dpk_device_is_emulated(device), -1)
FORWARD(struct ibv_context *, NULL, ibv_open_device, (struct ibv_device * device), (device),
        dpk_device_is_emulated(device), emulated()->open_device(device))
FORWARD(int, ENOSYS, ibv_close_device, (struct ibv_context * context), (context), MINE(context),
        emulated()->close_device(context))
FORWARD(int, ENOSYS, ibv_query_device,
        (struct ibv_context * context, struct ibv_device_attr *device_attr), (context, device_attr),
        MINE(context), emulated()->query_device(context, device_attr))
FORWARD(int, ENOSYS, ibv_query_port,
        (struct ibv_context * context, uint8_t port_num, struct _compat_ibv_port_attr *port_attr),
        (context, port_num, port_attr), MINE(context),
        emulated()->query_port(context, port_num, port_attr))
FORWARD(int, -1, ibv_get_async_event, (struct ibv_context * context, struct ibv_async_event *event),
        (context, event), MINE(context), emulated()->get_async_event(context, event))

/* ---- Addresses ---- */

FORWARD(int, -1, ibv_query_gid,
        (struct ibv_context * context, uint8_t port_num, int index, union ibv_gid *gid),
        (context, port_num, index, gid), MINE(context),
        emulated()->query_gid(context, port_num, index, gid))
FORWARD(int, -1, ibv_query_pkey,
        (struct ibv_context * context, uint8_t port_num, int index, __be16 *pkey),
        (context, port_num, index, pkey), MINE(context),
        emulated()->query_pkey(context, port_num, index, pkey))

static int pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
{
    __be16 first;
    return emulated()->query_pkey(context, port_num, 0, &first) == 0 && first == pkey ? 0 : -1;
}
FORWARD(int, -1, ibv_get_pkey_index, (struct ibv_context * context, uint8_t port_num, __be16 pkey),
        (context, port_num, pkey), MINE(context), pkey_index(context, port_num, pkey))

static int gid_entry(struct ibv_context *context, uint32_t port_num, uint32_t index,
                     struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
    if (flags || !entry || entry_size < sizeof *entry)
        return EINVAL;
    memset(entry, 0, entry_size);
    return emulated()->query_gid_ex(context, port_num, index, entry);
}
FORWARD(int, ENOSYS, _ibv_query_gid_ex,
        (struct ibv_context * context, uint32_t port_num, uint32_t gid_index,
         struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size),
        (context, port_num, gid_index, entry, flags, entry_size), MINE(context),
        gid_entry(context, port_num, gid_index, entry, flags, entry_size))

/* The first empty entry ends the table. */
static ssize_t gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
                         size_t max_entries, uint32_t flags, size_t entry_size)
{
    struct ibv_gid_entry one;
    uint32_t i = 0;
    int why = 0;
    if (!entries || flags || entry_size < sizeof one)
        return -EINVAL;
    while ((why = emulated()->query_gid_ex(context, 1, i, &one)) == 0) {
        if (i == max_entries)
            return -EINVAL;
        uint8_t *to = (uint8_t *)entries + i++ * entry_size;
        memset(to, 0, entry_size);
        memcpy(to, &one, sizeof one);
    }
    return why == ENODATA || i > 0 ? (ssize_t)i : -why;
}
FORWARD(ssize_t, -ENOSYS, _ibv_query_gid_table,
        (struct ibv_context * context, struct ibv_gid_entry *entries, size_t max_entries,
         uint32_t flags, size_t entry_size),
        (context, entries, max_entries, flags, entry_size), MINE(context),
        gid_table(context, entries, max_entries, flags, entry_size))

/* rdma-core's programs call this function, but no header declares it. */
enum { SYSFS_ROCE_V1, SYSFS_ROCE_V2 };
int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num, unsigned index, int *type);

/* An empty entry is RoCE v1, as in rdma-core. */
static int gid_type(struct ibv_context *context, uint8_t port_num, unsigned index, int *type)
{
    struct ibv_gid_entry entry = {.gid_type = IBV_GID_TYPE_ROCE_V1};
    const int why = type ? emulated()->query_gid_ex(context, port_num, index, &entry) : EINVAL;
    if (why && why != ENODATA) {
        errno = why;
        return -1;
    }
    *type = entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? SYSFS_ROCE_V2 : SYSFS_ROCE_V1;
    return 0;
}
FORWARD(int, -1, ibv_query_gid_type,
        (struct ibv_context * context, uint8_t port_num, unsigned index, int *type),
        (context, port_num, index, type), MINE(context), gid_type(context, port_num, index, type))

FORWARD(int, -1, ibv_init_ah_from_wc,
        (struct ibv_context * context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh,
         struct ibv_ah_attr *ah_attr),
        (context, port_num, wc, grh, ah_attr), MINE(context),
        emulated()->init_ah_from_wc(context, port_num, wc, grh, ah_attr))
FORWARD(int, -1, ibv_resolve_eth_l2_from_gid,
        (struct ibv_context * context, struct ibv_ah_attr *attr, uint8_t eth_mac[6], uint16_t *vid),
        (context, attr, eth_mac, vid), MINE(context), (dpk_forward_refuse(), -1))

/* ---- Protection domains and memory ---- */

FORWARD(struct ibv_pd *, NULL, ibv_alloc_pd, (struct ibv_context * context), (context),
        MINE(context), emulated()->alloc_pd(context))
FORWARD(int, ENOSYS, ibv_dealloc_pd, (struct ibv_pd * pd), (pd), OF(pd), emulated()->dealloc_pd(pd))
FORWARD(struct ibv_mr *, NULL, ibv_reg_mr,
        (struct ibv_pd * pd, void *addr, size_t length, int access), (pd, addr, length, access),
        OF(pd), emulated()->reg_mr(pd, addr, length, access))
FORWARD(struct ibv_mr *, NULL, ibv_reg_mr_iova,
        (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, int access),
        (pd, addr, length, iova, access), OF(pd),
        emulated()->reg_mr_iova(pd, addr, length, iova, access))
FORWARD(struct ibv_mr *, NULL, ibv_reg_mr_iova2,
        (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, unsigned int access),
        (pd, addr, length, iova, access), OF(pd),
        emulated()->reg_mr_iova2(pd, addr, length, iova, access))
FORWARD(struct ibv_mr *, NULL, ibv_reg_dmabuf_mr,
        (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access),
        (pd, offset, length, iova, fd, access), OF(pd),
        emulated()->reg_dmabuf_mr(pd, offset, length, iova, fd, access))
FORWARD(int, ENOSYS, ibv_rereg_mr,
        (struct ibv_mr * mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access),
        (mr, flags, pd, addr, length, access), OF(mr),
        emulated()->rereg_mr(mr, flags, pd, addr, length, access))
FORWARD(int, ENOSYS, ibv_dereg_mr, (struct ibv_mr * mr), (mr), OF(mr), emulated()->dereg_mr(mr))
FORWARD(struct ibv_pd *, NULL, ibv_import_pd, (struct ibv_context * context, uint32_t pd_handle),
        (context, pd_handle), MINE(context), dpk_forward_refuse())
FORWARD(struct ibv_mr *, NULL, ibv_import_mr, (struct ibv_pd * pd, uint32_t mr_handle),
        (pd, mr_handle), OF(pd), dpk_forward_refuse())
FORWARD(struct ibv_dm *, NULL, ibv_import_dm, (struct ibv_context * context, uint32_t dm_handle),
        (context, dm_handle), MINE(context), dpk_forward_refuse())

/* ---- Completion queues ---- */

FORWARD(struct ibv_comp_channel *, NULL, ibv_create_comp_channel, (struct ibv_context * context),
        (context), MINE(context), emulated()->create_comp_channel(context))
FORWARD(int, ENOSYS, ibv_destroy_comp_channel, (struct ibv_comp_channel * channel), (channel),
        OF(channel), emulated()->destroy_comp_channel(channel))
FORWARD(struct ibv_cq *, NULL, ibv_create_cq,
        (struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
         int comp_vector),
        (context, cqe, cq_context, channel, comp_vector), MINE(context),
        emulated()->create_cq(context, cqe, cq_context, channel, comp_vector))
FORWARD(int, ENOSYS, ibv_destroy_cq, (struct ibv_cq * cq), (cq), OF(cq), emulated()->destroy_cq(cq))
FORWARD(int, -1, ibv_get_cq_event,
        (struct ibv_comp_channel * channel, struct ibv_cq **cq, void **cq_context),
        (channel, cq, cq_context), OF(channel), emulated()->get_cq_event(channel, cq, cq_context))

FORWARD(int, ENOSYS, ibv_resize_cq, (struct ibv_cq * cq, int cqe), (cq, cqe), OF(cq),
        cq ? EOPNOTSUPP : EINVAL)

/* ---- Queue pairs ---- */

FORWARD(struct ibv_srq *, NULL, ibv_create_srq,
        (struct ibv_pd * pd, struct ibv_srq_init_attr *attr), (pd, attr), OF(pd),
        emulated()->create_srq(pd, attr))
FORWARD(int, ENOSYS, ibv_destroy_srq, (struct ibv_srq * srq), (srq), OF(srq),
        emulated()->destroy_srq(srq))
FORWARD(int, ENOSYS, ibv_modify_srq, (struct ibv_srq * srq, struct ibv_srq_attr *attr, int mask),
        (srq, attr, mask), OF(srq), emulated()->modify_srq(srq, attr, mask))
FORWARD(int, ENOSYS, ibv_query_srq, (struct ibv_srq * srq, struct ibv_srq_attr *attr), (srq, attr),
        OF(srq), emulated()->query_srq(srq, attr))
FORWARD(struct ibv_qp *, NULL, ibv_create_qp, (struct ibv_pd * pd, struct ibv_qp_init_attr *attr),
        (pd, attr), OF(pd), emulated()->create_qp(pd, attr))
FORWARD(int, ENOSYS, ibv_destroy_qp, (struct ibv_qp * qp), (qp), OF(qp), emulated()->destroy_qp(qp))
FORWARD(int, ENOSYS, ibv_modify_qp, (struct ibv_qp * qp, struct ibv_qp_attr *attr, int attr_mask),
        (qp, attr, attr_mask), OF(qp), emulated()->modify_qp(qp, attr, attr_mask))
FORWARD(int, ENOSYS, ibv_query_qp,
        (struct ibv_qp * qp, struct ibv_qp_attr *attr, int attr_mask,
         struct ibv_qp_init_attr *init_attr),
        (qp, attr, attr_mask, init_attr), OF(qp),
        emulated()->query_qp(qp, attr, attr_mask, init_attr))
FORWARD(struct ibv_qp_ex *, NULL, ibv_qp_to_qp_ex, (struct ibv_qp * qp), (qp), OF(qp),
        emulated()->qp_to_qp_ex(qp))
/* Messages are written in order from the first byte. */
FORWARD(int, 0, ibv_query_qp_data_in_order,
        (struct ibv_qp * qp, enum ibv_wr_opcode op, uint32_t flags), (qp, op, flags), OF(qp),
        qp &&flags == 0)

/* ---- Address handles ---- */

FORWARD(struct ibv_ah *, NULL, ibv_create_ah, (struct ibv_pd * pd, struct ibv_ah_attr *attr),
        (pd, attr), OF(pd), emulated()->create_ah(pd, attr))
FORWARD(struct ibv_ah *, NULL, ibv_create_ah_from_wc,
        (struct ibv_pd * pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num),
        (pd, wc, grh, port_num), OF(pd), emulated()->create_ah_from_wc(pd, wc, grh, port_num))
FORWARD(int, ENOSYS, ibv_destroy_ah, (struct ibv_ah * ah), (ah), OF(ah), emulated()->destroy_ah(ah))

/* ---- Unsupported on emulated devices: multicast, ECE ---- */

FORWARD(int, ENOSYS, ibv_attach_mcast, (struct ibv_qp * qp, const union ibv_gid *gid, uint16_t lid),
        (qp, gid, lid), OF(qp), qp ? EOPNOTSUPP : EINVAL)
FORWARD(int, ENOSYS, ibv_detach_mcast, (struct ibv_qp * qp, const union ibv_gid *gid, uint16_t lid),
        (qp, gid, lid), OF(qp), qp ? EOPNOTSUPP : EINVAL)
FORWARD(int, ENOSYS, ibv_query_ece, (struct ibv_qp * qp, struct ibv_ece *ece), (qp, ece), OF(qp),
        qp ? EOPNOTSUPP : EINVAL)
FORWARD(int, ENOSYS, ibv_set_ece, (struct ibv_qp * qp, struct ibv_ece *ece), (qp, ece), OF(qp),
        qp ? EOPNOTSUPP : EINVAL)
