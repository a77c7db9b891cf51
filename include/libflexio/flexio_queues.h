/*
 * Queues of a DPA process: rings of work queue elements (WQEs) and completions (CQEs), which the
 * program's DPA side fills and reads (libflexio-dev/flexio_dev_queue_access.h): big endian, as mlx5
 * devices have them. Part of flexio.h, which includes it.
 *
 *     struct flexio_cq_attr cq_attr = {.log_cq_depth = 5, .thread = thread, ...};
 *     struct flexio_wq_attr rq_attr = {.log_wq_depth = 5, .wq_ring_qmem.daddr = ring, ...};
 *     flexio_cq_create(process, NULL, &cq_attr, &cq);
 *     flexio_rq_create(process, NULL, flexio_cq_get_cq_num(cq), &rq_attr, &rq);
 *     action = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(rq));
 *     flexio_rq_destroy(rq);  flexio_cq_destroy(cq);
 *
 * When a doorbell is rung, the emulated device processes frames of Ethernet send queues, which a
 * steering rule (mlx5dv_dr_*, flexio_rq_get_tir) leads to a receive queue; sends, RDMA writes and reads
 * and atomics of reliable connected queue pairs, with a queue pair of the same process, or of another
 * process of the same user on this machine.
 *
 * Queue pairs find each other by their numbers, which are unique among such processes. A request to a
 * peer that does not exist or is not connected waits for ten seconds. It ends with syndrome 0x15 after
 * that time, or at once if the peer has ended or is connected to another queue pair.
 *
 * The peer may be a connection of DOCA RDMA, whose number is in bytes 24 to 27, big endian, of the
 * details that doca_rdma_export gives. The DOCA program calls doca_rdma_connect with eight bytes:
 * "DPKN", then the number of the queue pair, big endian. Keys are interchangeable: the handle of a
 * doca_mmap is its key, and doca_mmap_create_from_export takes a key of libflexio
 * (flexio_device_mkey_create, ibv_reg_mr) as 24 bytes, all big endian: "DPKM", the key (4 bytes),
 * the first address (8) and the number of bytes (8).
 *
 * A send waits for a receive without a limit. Frames also wait for a receive, and for room in the
 * completion queue, which they do not overrun. Doorbell records report receives and room; the device
 * checks them at least every millisecond.
 *
 * A frame that is longer than its receive is dropped, and the receive ends in an error completion
 * (syndrome 0x01); the queue goes on. A WQE that is not valid puts its queue into the error state, and
 * a line on stderr names the WQE and the reason; later WQEs end with syndrome 0x05. The index in a
 * control segment of a flexio_sq is ignored: a program may write its WQEs once.
 *
 * A multi-packet WQE has a control segment (MLX5_CTRL_SEG_OPCODE_ENHANCED_MPSW), an Ethernet segment
 * without inline headers, and for each frame a data segment or inline data. It has one completion. If
 * one frame is too short or too long, no frame is sent.
 *
 * A large send (LSO, opcode 0x0e of mlx5) of a flexio_sq is segmented into frames: its Ethernet segment
 * has an MSS and the inline headers of Ethernet, IP and TCP. At most 256 KiB of data follow. Otherwise
 * the queue enters the error state (syndrome 0x02, or 0x01 for too much data).
 *
 * Frames: when a context's first queue is created, the port is plugged into the wire of the device
 * (`dpadev wire`), or of DPAKIT_WIRE_<device> (dpa-network(7)). By default that is the port itself:
 * sent frames return to the port.
 *
 * A DPA thread can wake a host thread that waits in ibv_get_cq_event: by flexio_dev_msix_send with the
 * number of a CQ of ibv_create_cq (from mlx5dv_init_obj).
 *
 * Features that the emulated device lacks, and the resulting error:
 *     MSI-X of emulated PCI devices  flexio_cq_create fails
 *     compressed, collapsed CQEs     flexio_cq_create fails
 *     local DMA, transpose           the WQE ends in an error completion (syndrome 0x02)
 *     transports but RC              flexio_qp_create fails
 *     congestion control             flexio_process_create, flexio_outbox_create fail (en_pcc); its
 *                                    doorbell and table fault
 *     counters of the port, device emulation contexts: their calls on the DPA fault
 * The report of a fault names the missing feature.
 *
 * flexio_process_destroy destroys the remaining queues of the process. Do not use them afterwards.
 */
#ifndef LIBFLEXIO_FLEXIO_QUEUES_H
#define LIBFLEXIO_FLEXIO_QUEUES_H

#include "flexio.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flexio_cq;
struct flexio_eq; /* flexio_eq.h */
struct flexio_rq;
struct flexio_rmp;
struct flexio_sq;
struct flexio_qp;

enum flexio_memtype {
    FLEXIO_MEMTYPE_DPA = 0,
    FLEXIO_MEMTYPE_HOST = 1,
};

/* ---- Memory ---- */

/* Memory of a queue: at least the ring's size, aligned to 64 bytes (a doorbell record: 8 bytes). In
 * host memory it is registered with mlx5dv_devx_umem_reg, with IBV_ACCESS_LOCAL_WRITE for completions;
 * if the memory of a ring is deregistered, its queue ends with errors. */
struct flexio_qmem {
    enum flexio_memtype memtype;
    union {
        flexio_uintptr_t daddr; /* DPA memory */
        uint64_t humem_offset;  /* bytes, in host memory */
    };
    uint32_t umem_id; /* of mlx5dv_devx_umem_reg, for host memory */
};

/* ---- Completion queues ---- */

/* The receiver of a CQ's events: a DPA thread; an event queue of the process (flexio_eq.h) with the
 * number emulated_eqn; none, if completions are polled. Emulated PCI devices are not supported:
 * FAILED. */
#define FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD           0
#define FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ               2
#define FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ           8
#define FLEXIO_CQ_ELEMENT_TYPE_DPA_MSIX_EMULATED_CQ 9

enum flexio_cqe_comp_type {
    FLEXIO_CQE_COMP_NONE = 0, /* the others: FAILED */
    FLEXIO_CQE_COMP_BASIC = 1,
    FLEXIO_CQE_COMP_ENH = 2,
    FLEXIO_CQE_COMP_ENHANCED = FLEXIO_CQE_COMP_ENH,
};

enum flexio_cq_period_mode {
    FLEXIO_CQ_PERIOD_MODE_EVENT = 0,
    FLEXIO_CQ_PERIOD_MODE_CQE = 1,
};

struct flexio_cq_attr {
    uint8_t log_cq_depth; /* completions, at most 22 */
    uint8_t element_type;
    union {
        uint32_t emulated_eqn;        /* number of an event queue */
        struct flexio_thread *thread; /* of flexio_event_handler_get_thread */
    };
    uint32_t uar_id;     /* of flexio_uar_get_id, or the page_id of mlx5dv_devx_alloc_uar; 0: the
                        process's own */
    void *uar_base_addr; /* not used by the emulated device */
    enum flexio_cqe_comp_type cqe_comp_type;
    enum flexio_cq_period_mode cq_period_mode; /* stored; events are not delayed */
    uint16_t cq_period;
    uint16_t cq_max_count;
    bool no_arm;            /* if false, the CQ is armed from the start */
    bool cc;                /* collapsed completions: FAILED */
    uint8_t overrun_ignore; /* the consumer index is ignored */
    uint8_t always_armed;   /* each completion is an event */
    struct flexio_qmem cq_ring_qmem;
    flexio_uintptr_t cq_dbr_daddr; /* 8 bytes: the consumer index, 24 bits, big endian */
};

/*
 * Creates a completion queue. The owner bit of its n-th CQE is bit log_cq_depth of n: fill the ring
 * with CQEs with owner bit 1 before.
 *   ibv_ctx  [in]   NULL, or the process's device
 *   cq       [out]  free it with flexio_cq_destroy; NULL on failure
 * FAILED: the memory is invalid or not writable, the thread or event queue is of another process, or a
 * feature is not emulated. A CQ that overruns enters the error state with its queues, and a warning is
 * written to stderr.
 */
flexio_status flexio_cq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               const struct flexio_cq_attr *fattr, struct flexio_cq **cq);
/* FAILED: queues use it. NULL is ignored. */
flexio_status flexio_cq_destroy(struct flexio_cq *cq);
/* Its number; UINT32_MAX for NULL. */
uint32_t flexio_cq_get_cq_num(struct flexio_cq *cq);
flexio_status flexio_cq_query_moderation(struct flexio_cq *cq, uint16_t *max_count,
                                         uint16_t *period, uint16_t *mode);
flexio_status flexio_cq_modify_moderation(struct flexio_cq *cq, uint16_t max_count, uint16_t period,
                                          uint16_t mode);

/* The parameters of an event queue that a DPA thread needs. */
struct flexio_hw_eq {
    uint32_t eq_num;
    uint32_t log_eq_ring_depth;
    flexio_uintptr_t eq_ring_addr;
};

/* ---- Work queues of Ethernet, shared receives ---- */

enum flexio_wq_type {
    FLEXIO_WQ_TYPE_LINKED_LIST = 0,
    FLEXIO_WQ_TYPE_CYCLIC = 1,
};

struct flexio_wq_sq_attr {
    uint8_t
        allow_multi_pkt_send_wqe; /* 1: enhanced MPSW, a WQE of many frames; else such a WQE ends
                                         in an error completion */
};

struct flexio_wq_rq_attr {
    enum flexio_wq_type wq_type; /* of an RMP; an RQ is always cyclic */
};

struct flexio_wq_attr {
    uint8_t log_wq_stride; /* bytes of a receive, 4 to 8; 0: 4. Sends take blocks of 64 bytes */
    uint8_t log_wq_depth;  /* receives, or blocks; at most 15 */
    uint32_t uar_id;       /* 0: the process's own */
    uint32_t user_index;   /* 24 bits, in completions */
    struct ibv_pd *pd;     /* of its memory keys; NULL: the process's */
    union {
        struct flexio_wq_sq_attr sq;
        struct flexio_wq_rq_attr rq;
    };
    struct flexio_qmem wq_ring_qmem;
    struct flexio_qmem wq_dbr_qmem; /* 8 bytes, big endian: receives posted (16 bits), sends
                                       posted. An SQ's record is ignored: its doorbell has the
                                       number */
};

/*
 * Make an Ethernet receive queue, a receive queue for queue pairs to share, an Ethernet send queue.
 *   cq_num  [in]   a CQ of the process
 *   out     [out]  free it with ..._destroy; NULL on failure
 */
flexio_status flexio_rq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               uint32_t cq_num, const struct flexio_wq_attr *fattr,
                               struct flexio_rq **out);
flexio_status flexio_rmp_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                const struct flexio_wq_attr *fattr, struct flexio_rmp **out);
flexio_status flexio_sq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               uint32_t cq_num, const struct flexio_wq_attr *fattr,
                               struct flexio_sq **out);
/* Destroy a queue in any state. NULL is ignored. FAILED: a queue pair uses the RMP. */
flexio_status flexio_rq_destroy(struct flexio_rq *rq);
flexio_status flexio_rmp_destroy(struct flexio_rmp *rmp);
flexio_status flexio_sq_destroy(struct flexio_sq *sq);
/* Their numbers; UINT32_MAX for NULL. */
uint32_t flexio_rq_get_wq_num(struct flexio_rq *rq);
uint32_t flexio_rmp_get_wq_num(struct flexio_rmp *rmp);
uint32_t flexio_sq_get_wq_num(struct flexio_sq *sq);
/* Sets the error state: posted receives end with syndrome 0x05, and no more frames arrive. */
flexio_status flexio_rq_set_err_state(struct flexio_rq *rq);
/* Returns the object for mlx5dv_dr_action_create_dest_devx_tir; it lives as long as the RQ. NULL for
 * NULL. */
struct mlx5dv_devx_obj *flexio_rq_get_tir(struct flexio_rq *rq);

/* ---- Queue pairs ---- */

/* Transports. Only FLEXIO_QPC_ST_RC is supported. */
enum flexio_qp_transport_type {
    FLEXIO_QPC_ST_RC = 0x0,
    FLEXIO_QPC_ST_UC = 0x1,
    FLEXIO_QPC_ST_UD = 0x2,
    FLEXIO_QPC_ST_XRC = 0x3,
    FLEXIO_QPC_ST_IBL2 = 0x4,
    FLEXIO_QPC_ST_DCI = 0x5,
    FLEXIO_QPC_ST_QP0 = 0x7,
    FLEXIO_QPC_ST_QP1 = 0x8,
    FLEXIO_QPC_ST_RAW_DATAGRAM = 0x9,
    FLEXIO_QPC_ST_REG_UMR = 0xc,
    FLEXIO_QPC_ST_DC_CNAK = 0x10,
};

enum flexio_qp_op_types {
    FLEXIO_QP_WR_RDMA_WRITE = 0x4,
    FLEXIO_QP_WR_RDMA_READ = 0x8,
    FLEXIO_QP_WR_ATOMIC_CMP_AND_SWAP = 0x10,
};

/* Attributes that flexio_qp_modify changes besides the state. */
struct flexio_qp_attr_opt_param_mask {
    bool qp_access_mask;
    bool min_rnr_nak_timer;
};
typedef struct flexio_qp_attr_opt_param_mask flexio_qp_attr_opt_param_mask;

enum flexio_qp_qpc_mtu {
    FLEXIO_QP_QPC_MTU_BYTES_256 = 1,
    FLEXIO_QP_QPC_MTU_BYTES_512 = 2,
    FLEXIO_QP_QPC_MTU_BYTES_1K = 3,
    FLEXIO_QP_QPC_MTU_BYTES_2K = 4,
    FLEXIO_QP_QPC_MTU_BYTES_4K = 5,
};

enum {
    FLEXIO_QP_QPC_RQ_TYPE_REGULAR = 0,
    FLEXIO_QP_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ = 1, /* receives of an RMP */
    FLEXIO_QP_QPC_RQ_TYPE_ZERO_SIZE_RQ = 3,
};

enum flexio_qp_state {
    FLEXIO_QP_STATE_RST = 0,
    FLEXIO_QP_STATE_INIT = 1,
    FLEXIO_QP_STATE_RTR = 2,
    FLEXIO_QP_STATE_RTS = 3,
    FLEXIO_QP_STATE_ERR = 6,
};

struct flexio_qp_attr {
    uint32_t transport_type; /* FLEXIO_QPC_ST_RC */
    uint32_t uar_id;         /* 0: the process's own */
    uint32_t user_index;     /* 24 bits, in completions */
    int qp_access_mask;      /* IBV_ACCESS_REMOTE_*: permissions of the peer */
    int ops_flag;            /* not used */
    struct ibv_pd *pd;       /* NULL: the process's */
    int log_sq_depth;        /* blocks of 64 bytes, at most 15 */
    int no_sq;
    uint32_t sq_cqn;
    int log_rq_depth; /* receives of 16 bytes, at most 15 */
    int rq_type;
    uint32_t rq_cqn;
    uint32_t rmpqn;
    struct flexio_qmem qp_wq_buff_qmem; /* receives (if not shared), then sends */
    struct flexio_qmem qp_wq_dbr_qmem;
    /* For flexio_qp_modify. The emulated device finds the peer by its number. If the device has a fabric, and
     * rgid_or_rip is the IP address of another machine, the peer is there (dpa-network(7), FABRIC). The
     * device ignores the rest of the path. Sends wait without a limit for receives, and for a peer that is not connected yet. */
    enum flexio_qp_state next_state;
    uint32_t remote_qp_num; /* used for the change to RTR */
    uint8_t gid_table_index;
    uint8_t fl;
    uint8_t *dest_mac;
    union ibv_gid rgid_or_rip;
    uint16_t rlid;
    uint32_t min_rnr_nak_timer;
    enum flexio_qp_qpc_mtu path_mtu;
    uint8_t retry_count;
    uint8_t vhca_port_num;
    uint32_t next_rcv_psn;
    uint32_t next_send_psn;
    uint16_t udp_sport;
    uint8_t grh;
    uint8_t log_rra_max;
    uint8_t log_sra_max;
    uint8_t isolate_vl_tc;
};

/* Makes a queue pair in state RST; free it with flexio_qp_destroy; NULL on failure. */
flexio_status flexio_qp_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_qp_attr *qp_fattr, struct flexio_qp **qp);
/* Changes the state: RST, INIT, RTR, RTS in this order; RST and ERR from any state. FAILED: the change
 * is not permitted. */
flexio_status flexio_qp_modify(struct flexio_qp *qp, struct flexio_qp_attr *fattr,
                               struct flexio_qp_attr_opt_param_mask *mask);
/* In any state; NULL is ignored. */
flexio_status flexio_qp_destroy(struct flexio_qp *qp);
/* UINT32_MAX for NULL. */
uint32_t flexio_qp_get_qp_num(struct flexio_qp *qp);
/* ERR for NULL. */
enum flexio_qp_state flexio_qp_state_get(struct flexio_qp *qp);

#ifdef __cplusplus
}
#endif

#endif
