/*
 * verbs: the verbs of emulated devices, in libdpakit-engine.so. Each function does the same as
 * rdma-core's function of that name. The other libraries call them through one table. Programs reach
 * the table through our libibverbs.so.1 and libmlx5.so.1 (runtime/api/forward). FlexIO and DOCA use its
 * symbol directly, so that a libibverbs of the program cannot intervene.
 *
 *     struct ibv_device **devices = dpk_emulated_11.get_device_list(&count);
 *     struct ibv_context *context = dpk_emulated_11.open_device(devices[0]);
 */
#ifndef DPK_API_VERBS_VERBS_H
#define DPK_API_VERBS_VERBS_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rdma/registered/registered.h"

/* An emulated device has no files in /sys. This path distinguishes it from other devices. */
#define DPK_EMULATED_PATH "dpakit/"

static inline bool dpk_device_is_emulated(const struct ibv_device *device)
{
    return device && strncmp(device->dev_path, DPK_EMULATED_PATH, strlen(DPK_EMULATED_PATH)) == 0;
}

static inline bool dpk_context_is_emulated(const struct ibv_context *context)
{
    return context && dpk_device_is_emulated(context->device);
}

/* ---- libibverbs ---- */

struct ibv_device **dpk_verbs_get_device_list(int *num_devices);
void dpk_verbs_free_device_list(struct ibv_device **list);
__be64 dpk_verbs_get_device_guid(struct ibv_device *device);
struct ibv_context *dpk_verbs_open_device(struct ibv_device *device);
int dpk_verbs_close_device(struct ibv_context *context);
int dpk_verbs_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr);
/* Writes the first version of the struct, which ends before port_cap_flags2. */
int dpk_verbs_query_port(struct ibv_context *context, uint8_t port_num,
                         struct _compat_ibv_port_attr *port_attr);
#define DPK_VERBS_GIDS 255 /* entries of the table of a port */
/* An empty entry gives 0 and a GID of zeros. */
int dpk_verbs_query_gid(struct ibv_context *context, uint8_t port_num, int index,
                        union ibv_gid *gid);
/* Returns an errno: EINVAL if the index is outside the table, ENODATA if this entry and all later
 * entries are empty. */
int dpk_verbs_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t index,
                           struct ibv_gid_entry *entry);
/* Returns whether a GID is an IPv4 address (::ffff:a.b.c.d). */
bool dpk_verbs_is_v4(const union ibv_gid *gid);
/* Returns true if a GID belongs to another machine that this device may reach: the device has a fabric, and the GID
 * is an IP address that no interface of this machine has. */
bool dpk_verbs_is_far(struct ibv_context *context, const union ibv_gid *gid);
/* Gets the address of the device's fabric. Returns false if it has no fabric, or if no interface of this machine
 * has the address. */
bool dpk_verbs_fabric(struct ibv_context *context, union ibv_gid *out);
int dpk_verbs_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey);
struct ibv_pd *dpk_verbs_alloc_pd(struct ibv_context *context);
int dpk_verbs_dealloc_pd(struct ibv_pd *pd);
struct ibv_mr *dpk_verbs_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *dpk_verbs_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                     int access);
struct ibv_mr *dpk_verbs_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                      unsigned int access);
/* Lets programs register memory of a GPU by its address for kernels. `bus` returns the address by which devices
 * reach it, and other addresses unchanged. */
void dpk_verbs_set_gpu(void *(*bus)(const void *at));
/* Registers memory of a memory file, which stands for a DMA buffer: that of memory of the emulated GPU
 * (doca_gpu_dmabuf_fd). Errors: EBADF, EINVAL if the file is of another kind or too short. */
struct ibv_mr *dpk_verbs_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
                                       uint64_t iova, int fd, int access);
int dpk_verbs_dereg_mr(struct ibv_mr *mr);
/* Changes a region but not its keys. After an error, even one that is not IBV_REREG_MR_ERR_INPUT,
 * the region is unchanged. */
int dpk_verbs_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
                       int access);
struct ibv_comp_channel *dpk_verbs_create_comp_channel(struct ibv_context *context);
int dpk_verbs_destroy_comp_channel(struct ibv_comp_channel *channel);
struct ibv_cq *dpk_verbs_create_cq(struct ibv_context *context, int cqe, void *cq_context,
                                   struct ibv_comp_channel *channel, int comp_vector);
int dpk_verbs_destroy_cq(struct ibv_cq *cq);
int dpk_verbs_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context);
struct ibv_srq *dpk_verbs_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int dpk_verbs_destroy_srq(struct ibv_srq *srq);
int dpk_verbs_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int dpk_verbs_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
/* Address handles of peers for datagrams (UD). The header of a received datagram (`grh`) names its
 * sender. */
struct ibv_ah *dpk_verbs_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int dpk_verbs_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
                              struct ibv_grh *grh, struct ibv_ah_attr *attr);
struct ibv_ah *dpk_verbs_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
                                           struct ibv_grh *grh, uint8_t port_num);
int dpk_verbs_destroy_ah(struct ibv_ah *ah);
/* Creates a queue pair: reliable connected (RC), unreliable connected (UC) or datagram (UD). Errors:
 * EOPNOTSUPP for other types. */
struct ibv_qp *dpk_verbs_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
/* Makes a work request of a queue pair of the host that waits until the completion queue with that
 * number has had more than `produced` completions, in 24 bits. It completes with IBV_WC_DRIVER1. */
static inline void dpk_verbs_set_wait(struct ibv_send_wr *wr, uint32_t cqn, uint32_t produced)
{
    *wr = (struct ibv_send_wr){.opcode = IBV_WR_DRIVER1,
                               .wr.rdma = {.remote_addr = cqn, .rkey = produced}};
}
int dpk_verbs_destroy_qp(struct ibv_qp *qp);
int dpk_verbs_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int dpk_verbs_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
                       struct ibv_qp_init_attr *init_attr);
/* Returns NULL if the queue pair was made without send_ops_flags. */
struct ibv_qp_ex *dpk_verbs_qp_to_qp_ex(struct ibv_qp *qp);
int dpk_verbs_get_async_event(struct ibv_context *context, struct ibv_async_event *event);
/* Puts an empty completion into a queue of ibv_create_cq. Returns false if the opened device has no
 * queue with that number (from mlx5dv_init_obj). */
bool dpk_verbs_complete(struct ibv_context *context, uint32_t number);
/* Numbers that libflexio's queues do not have. */
#define DPK_VERBS_FIRST_CQ 0x600000u
#define DPK_VERBS_LAST_CQ  0x7fffffu

/* ---- libmlx5 ---- */

struct mlx5dv_devx_umem *dpk_mlx5_devx_umem_reg(struct ibv_context *ctx, void *addr, size_t size,
                                                uint32_t access);
int dpk_mlx5_devx_umem_dereg(struct mlx5dv_devx_umem *dv_devx_umem);
/* Return true if these functions made the umem, or the object of flow steering. */
bool dpk_mlx5_is_our_umem(const struct mlx5dv_devx_umem *umem);
bool dpk_mlx5_is_ours(const void *steering_object);

/* Commands of the ConnectX PRM that make, change and ask objects: queues and capabilities (api/devx), indirection
 * tables, receivers, flow counters, transport domains. If a device refuses a command, `out` has its status, and errno is
 * EREMOTEIO. Commands that emulated devices lack set EOPNOTSUPP. Queries and changes return the
 * errno. */
struct mlx5dv_devx_obj *dpk_mlx5_devx_obj_create(struct ibv_context *context, const void *in,
                                                 size_t inlen, void *out, size_t outlen);
int dpk_mlx5_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                             size_t outlen);
int dpk_mlx5_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                            size_t outlen);
int dpk_mlx5_devx_general_cmd(struct ibv_context *context, const void *in, size_t inlen, void *out,
                              size_t outlen);
/* Also destroys the object of a receive queue (flexio_rq_get_tir): no new actions can use it.
 * Errors: EBUSY if a rule leads to the object, or a receiver has the table. */
int dpk_mlx5_devx_obj_destroy(struct mlx5dv_devx_obj *obj);
struct mlx5dv_devx_uar *dpk_mlx5_devx_alloc_uar(struct ibv_context *context, uint32_t flags);
void dpk_mlx5_devx_free_uar(struct mlx5dv_devx_uar *devx_uar);
/* The offset of the page of our UARs. A card's UAR has an offset that is not negative. */
#define DPK_VERBS_UAR_OFFSET (-1)

/* Describes completion queues, protection domains and address handles. Errors: EOPNOTSUPP for other types. */
int dpk_mlx5_init_obj(struct mlx5dv_obj *obj, uint64_t obj_type);

struct mlx5dv_dr_domain *dpk_mlx5_dr_domain_create(struct ibv_context *ctx,
                                                   enum mlx5dv_dr_domain_type type);
int dpk_mlx5_dr_domain_sync(const struct mlx5dv_dr_domain *domain);
int dpk_mlx5_dr_domain_destroy(struct mlx5dv_dr_domain *domain);
struct mlx5dv_dr_table *dpk_mlx5_dr_table_create(struct mlx5dv_dr_domain *domain, uint32_t level);
int dpk_mlx5_dr_table_destroy(struct mlx5dv_dr_table *table);
struct mlx5dv_dr_matcher *dpk_mlx5_dr_matcher_create(struct mlx5dv_dr_table *table,
                                                     uint16_t priority,
                                                     uint8_t match_criteria_enable,
                                                     struct mlx5dv_flow_match_parameters *mask);
int dpk_mlx5_dr_matcher_destroy(struct mlx5dv_dr_matcher *matcher);
struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *devx_obj);
struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_vport(struct mlx5dv_dr_domain *domain,
                                                              uint32_t vport);
struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_dest_table(struct mlx5dv_dr_table *table);
struct mlx5dv_dr_action *
dpk_mlx5_dr_action_create_dest_array(struct mlx5dv_dr_domain *domain, size_t num_dest,
                                     struct mlx5dv_dr_action_dest_attr *dests[]);
struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_flow_counter(struct mlx5dv_devx_obj *devx_obj,
                                                                uint32_t offset);
struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_modify_header(struct mlx5dv_dr_domain *domain,
                                                                 uint32_t flags, size_t actions_sz,
                                                                 __be64 actions[]);
struct mlx5dv_dr_action *dpk_mlx5_dr_action_create_push_vlan(struct mlx5dv_dr_domain *domain,
                                                             __be32 vlan_hdr);
struct mlx5dv_dr_action *
dpk_mlx5_dr_action_create_packet_reformat(struct mlx5dv_dr_domain *domain, uint32_t flags,
                                          enum mlx5dv_flow_action_packet_reformat_type type,
                                          size_t data_sz, void *data);
/* Records an action of the system's library, which belongs to no device, so that rules of emulated
 * devices can have it until it is destroyed. `value` is the value of a tag. */
enum dpk_mlx5_noted { DPK_MLX5_DROPS, DPK_MLX5_MISSES, DPK_MLX5_TAGS, DPK_MLX5_POPS_VLAN };
void dpk_mlx5_dr_action_note(const struct mlx5dv_dr_action *action, enum dpk_mlx5_noted kind,
                             uint32_t value);
void dpk_mlx5_dr_action_forget(const struct mlx5dv_dr_action *action);
int dpk_mlx5_dr_action_destroy(struct mlx5dv_dr_action *action);
struct mlx5dv_dr_rule *dpk_mlx5_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
                                               struct mlx5dv_flow_match_parameters *value,
                                               size_t num_actions,
                                               struct mlx5dv_dr_action *actions[]);
int dpk_mlx5_dr_rule_destroy(struct mlx5dv_dr_rule *rule);

/* ---- The table; libibverbs.so.1 and libmlx5.so.1 look for it by its name ---- */

#define DPK_EMULATED_TABLE "dpk_emulated_11" /* another number with every change of the struct */

#define DPK_EMULATED_VERBS(F)                                                                      \
    F(get_device_list)                                                                             \
    F(free_device_list)                                                                            \
    F(get_device_guid)                                                                             \
    F(open_device)                                                                                 \
    F(close_device)                                                                                \
    F(query_device)                                                                                \
    F(query_port)                                                                                  \
    F(query_gid)                                                                                   \
    F(query_gid_ex)                                                                                \
    F(is_far)                                                                                      \
    F(fabric)                                                                                      \
    F(query_pkey)                                                                                  \
    F(alloc_pd)                                                                                    \
    F(dealloc_pd)                                                                                  \
    F(reg_mr)                                                                                      \
    F(reg_mr_iova)                                                                                 \
    F(reg_mr_iova2)                                                                                \
    F(reg_dmabuf_mr)                                                                               \
    F(set_gpu)                                                                                     \
    F(dereg_mr)                                                                                    \
    F(rereg_mr)                                                                                    \
    F(create_comp_channel)                                                                         \
    F(destroy_comp_channel)                                                                        \
    F(create_cq)                                                                                   \
    F(destroy_cq)                                                                                  \
    F(create_srq)                                                                                  \
    F(destroy_srq)                                                                                 \
    F(modify_srq)                                                                                  \
    F(query_srq)                                                                                   \
    F(create_ah)                                                                                   \
    F(init_ah_from_wc)                                                                             \
    F(create_ah_from_wc)                                                                           \
    F(destroy_ah)                                                                                  \
    F(create_qp)                                                                                   \
    F(destroy_qp)                                                                                  \
    F(modify_qp)                                                                                   \
    F(query_qp)                                                                                    \
    F(qp_to_qp_ex)                                                                                 \
    F(get_async_event)                                                                             \
    F(get_cq_event)                                                                                \
    F(complete)                                                                                    \
    F(write_files)
#define DPK_EMULATED_MLX5(F)                                                                       \
    F(devx_umem_reg)                                                                               \
    F(devx_umem_dereg)                                                                             \
    F(is_our_umem)                                                                                 \
    F(is_ours)                                                                                     \
    F(devx_obj_create)                                                                             \
    F(devx_obj_modify)                                                                             \
    F(devx_obj_query)                                                                              \
    F(devx_general_cmd)                                                                            \
    F(devx_obj_destroy)                                                                            \
    F(devx_alloc_uar)                                                                              \
    F(devx_free_uar)                                                                               \
    F(init_obj)                                                                                    \
    F(dr_domain_create)                                                                            \
    F(dr_domain_sync)                                                                              \
    F(dr_domain_destroy)                                                                           \
    F(dr_table_create)                                                                             \
    F(dr_table_destroy)                                                                            \
    F(dr_matcher_create)                                                                           \
    F(dr_matcher_destroy)                                                                          \
    F(dr_action_create_dest_devx_tir)                                                              \
    F(dr_action_create_dest_vport)                                                                 \
    F(dr_action_create_dest_table)                                                                 \
    F(dr_action_create_dest_array)                                                                 \
    F(dr_action_create_flow_counter)                                                               \
    F(dr_action_create_modify_header)                                                              \
    F(dr_action_create_push_vlan)                                                                  \
    F(dr_action_create_packet_reformat)                                                            \
    F(dr_action_note)                                                                              \
    F(dr_action_forget)                                                                            \
    F(dr_action_destroy)                                                                           \
    F(dr_rule_create)                                                                              \
    F(dr_rule_destroy)

/* Writes the files of all emulated devices below a folder of this user, which the function returns in
 * `root`, absolute and without links: the file /sys/... of a card is root/sys/... there. Files that are
 * already right are not written again. Returns false if that is impossible. */
bool dpk_verbs_write_files(char root[PATH_MAX]);

struct dpk_emulated {
#define DPK_MEMBER(name) __typeof__(dpk_verbs_##name) *name;
    DPK_EMULATED_VERBS(DPK_MEMBER)
#undef DPK_MEMBER
#define DPK_MEMBER(name) __typeof__(dpk_mlx5_##name) *name;
    DPK_EMULATED_MLX5(DPK_MEMBER)
#undef DPK_MEMBER
};
extern const struct dpk_emulated dpk_emulated_11;

/* ---- For queue pairs that are not of the host ---- */

struct dpk_rc_qp; /* rdma/pairs/pairs.h */
/* Check, store and apply a change to a queue pair. The first returns 0 or an errno: ETIMEDOUT if no
 * device has the peer's GID. The second stores the attributes of the mask. The third sets rc's
 * retries and timeouts from them. */
int dpk_verbs_check_change(struct ibv_context *context, enum ibv_qp_type type,
                           enum ibv_qp_state from, const struct ibv_qp_attr *a, int mask);
void dpk_verbs_keep_change(struct ibv_qp_attr *to, const struct ibv_qp_attr *a, int mask);
void dpk_verbs_set_patience(struct dpk_rc_qp *pair, const struct ibv_qp_attr *a);
/* Connects a queue pair for the change to RTR: to the number and the GID of `a`, on this machine, or on another
 * machine if the GID is not of this machine and the device has a fabric. Errors: as of
 * dpk_rc_qp_connect_number and dpk_rc_qp_connect_far. */
enum dpk_status dpk_verbs_connect(struct ibv_context *context, enum ibv_qp_type type,
                                  struct dpk_rc_qp *pair, const struct ibv_qp_attr *a,
                                  struct dpk_error *err);

/* ---- For libflexio ---- */

struct dpk_queue; /* net/queues/queues.h */
struct dpk_steering;

/* Returns the domain of the keys of our protection domain, valid until that is deallocated. */
struct dpk_memory_domain *dpk_verbs_domain(struct ibv_pd *pd);
/* Returns the number of a protection domain in commands. */
uint32_t dpk_verbs_pd_number(const struct ibv_pd *pd);
/* Returns the protection domain of a device by this number, and counts a use of it, or returns NULL. */
struct ibv_pd *dpk_verbs_use_pd_number(struct ibv_context *context, uint32_t number);
/* Count an object of the protection domain, or end it. A protection domain with objects cannot be
 * deallocated. */
void dpk_verbs_use_pd(struct ibv_pd *pd);
void dpk_verbs_leave_pd(struct ibv_pd *pd);
/* Gives a protection domain that has no memory yet another domain than its own. */
void dpk_verbs_join_domain(struct ibv_pd *pd, struct dpk_memory_domain *domain);
#define DPK_VERBS_UARS      512u
#define DPK_VERBS_FIRST_UAR 0x1000u /* larger than those of processes (flexio_uar_get_id) */

/* Data of a device for libflexio's queues, until the device is closed. */
struct dpk_verbs_device {
    struct dpk_memory_domain umems; /* memory for queues alone; offsets are its addresses */
    struct dpk_steering *steering;
    char directory[PATH_MAX]; /* of the device */
    unsigned id;              /* of its type, on PCI */
    uint32_t dma_max;         /* bytes of one task of DMA */
    char *wire;               /* the wire of the port, from the device's state */
    char *fabric;             /* the same for its fabric; NULL: there is none */
    struct dpk_port *port;    /* settings of the port; NULL: there are none */
    /* Returns the bits per second of the link; 0: the link is down. */
    uint64_t (*rate)(const struct dpk_verbs_device *device);
    atomic_uint_least32_t flow_counters;        /* number of counters that were ever made */
    _Atomic(const void *) uars[DPK_VERBS_UARS]; /* by mlx5dv_devx_alloc_uar; NULL: free */
};
const struct dpk_verbs_device *dpk_verbs_device(struct ibv_context *context);
/* Returns true if mlx5dv_devx_alloc_uar returned that page_id. */
static inline bool dpk_verbs_has_uar(const struct dpk_verbs_device *device, uint32_t page_id)
{
    const uint32_t place = page_id - DPK_VERBS_FIRST_UAR;
    return place < DPK_VERBS_UARS && atomic_load(&device->uars[place]) != NULL;
}
/* Returns the page_id of a UAR of mlx5dv_devx_alloc_uar, or 0 if it is not of the device. */
static inline uint32_t dpk_verbs_uar_page(const struct dpk_verbs_device *device, const void *devx)
{
    for (uint32_t place = 0; devx && place < DPK_VERBS_UARS; place++)
        if (atomic_load(&device->uars[place]) == devx)
            return DPK_VERBS_FIRST_UAR + place;
    return 0;
}

/* Returns the rights (DPK_MEMORY_...) for IBV_ACCESS_.... */
static inline unsigned dpk_verbs_rights(int access)
{
    return DPK_MEMORY_READ | (access & IBV_ACCESS_LOCAL_WRITE ? DPK_MEMORY_WRITE : 0u) |
           (access & IBV_ACCESS_REMOTE_READ ? DPK_MEMORY_REMOTE_READ : 0u) |
           (access & IBV_ACCESS_REMOTE_WRITE ? DPK_MEMORY_REMOTE_WRITE : 0u) |
           (access & IBV_ACCESS_REMOTE_ATOMIC ? DPK_MEMORY_REMOTE_ATOMIC : 0u);
}

/* Returns the object of a library for an opened device. The first call creates it with `make`;
 * `end` gets it when the device is closed. Returns NULL if `make` returned NULL. */
void *dpk_verbs_attached(struct ibv_context *context, void *(*make)(struct ibv_context *context),
                         void (*end)(void *attached));

/* The object between flexio_rq_get_tir and flow steering: a receive queue, or an object that a command
 * made. */
enum dpk_devx_maker {
    DPK_DEVX_OF_QUEUE,    /* a receive queue made it */
    DPK_DEVX_OF_STEERING, /* dpk_verbs_devx_create */
    DPK_DEVX_OF_COMMAND,  /* api/devx */
};
struct mlx5dv_devx_obj {
    struct ibv_context *context;
    struct dpk_queue *receiver; /* NULL: destroyed, or not a receive queue */
    enum dpk_devx_maker maker;
};

/* The commands of steering among those of mlx5dv_devx_obj_create and its kin, likewise: all commands that api/devx
 * does not know. `obj` is not of DPK_DEVX_OF_COMMAND. */
struct mlx5dv_devx_obj *dpk_verbs_devx_create(struct ibv_context *context, const void *in,
                                              size_t inlen, void *out, size_t outlen);
int dpk_verbs_devx_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                          size_t outlen);
int dpk_verbs_devx_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                         size_t outlen);
int dpk_verbs_devx_destroy(struct mlx5dv_devx_obj *obj);

#endif
