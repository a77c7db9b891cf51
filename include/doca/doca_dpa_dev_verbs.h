/*
 * doca_dpa_dev_verbs: work requests of DPA code, on queue pairs, shared receive queues and Ethernet
 * queues of doca_verbs with an external data path. Link the program with -ldoca_dpa_dev_verbs.
 *
 *     struct doca_dpa_dev_verbs_sge at = {.addr = address, .length = 8, .lkey = memory};
 *     struct doca_dpa_dev_verbs_send_wr wr = {0};
 *     doca_dpa_dev_verbs_send_wr_set_sg_list(&wr, &at);
 *     doca_dpa_dev_verbs_send_wr_set_sg_num_sge(&wr, 1);
 *     doca_dpa_dev_verbs_send_wr_set_opcode(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_SEND);
 *     doca_dpa_dev_verbs_send_wr_set_send_flags(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_FLAGS_SIGNALED);
 *     doca_dpa_dev_verbs_send_wr_set_fence_mode(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_FM_NO_FENCE);
 *     doca_dpa_dev_verbs_qp_post_send_wr(qp, &wr);
 *     doca_dpa_dev_verbs_qp_commit_send(qp);                    // starts the posted work
 *     while (!doca_dpa_dev_get_completion(queue, &element))
 *         ;
 *
 * Posting copies the work request at once. The memory that it names is accessed when the work runs.
 * Keys are handles of doca_mmap_dev_get_dpa_handle; a remote key is a handle of the peer. A bad handle
 * faults the thread.
 *
 * Rings and doorbell records are DPA memory. Receives lie in their rings as a card's WQEs; the ring of
 * sends of a queue pair stays empty: the library keeps its works. Commits write doorbell records, and only
 * they start works: a program that writes a record of a queue pair itself starts nothing.
 */
#ifndef DOCA_DPA_DEV_VERBS_H
#define DOCA_DPA_DEV_VERBS_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

__dpa_global__ typedef uint64_t doca_dpa_dev_verbs_qp_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_verbs_srq_t;

__dpa_global__ typedef uint64_t doca_dpa_dev_verbs_eth_sq_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_verbs_eth_rq_t;

/* Work requests. Their members are private to the library. A new work request need not be cleared:
 * members that its operation does not need are ignored. */
struct doca_dpa_dev_verbs_send_wr {
    uint64_t reserved[8];
};
struct doca_dpa_dev_verbs_recv_wr {
    uint64_t reserved[2];
};

enum doca_dpa_dev_verbs_send_wr_opcode {
    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_WRITE = 0x8,
    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_WRITE_WITH_IMM = 0x9,
    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_SEND = 0xA,
    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_SEND_WITH_IMM = 0xB,
    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_READ = 0x10,
    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_ATOMIC_FETCH_ADD = 0x12, /* 8 bytes, aligned */
};

/* Bits. SIGNALED: success is reported, too. SOLICITED: the peer's completion is an event for waiters of
 * solicited events. */
enum doca_dpa_dev_verbs_send_wr_flags {
    DOCA_DPA_DEV_VERBS_SEND_WR_FLAGS_SIGNALED = 1 << 1,
    DOCA_DPA_DEV_VERBS_SEND_WR_FLAGS_SOLICITED = 1 << 2,
};

/* The type of a shared receive queue, as the host created it. LINKED_LIST: a receive occupies its place
 * until DPA code acknowledges its completion (doca_dpa_dev_verbs_srq_linked_list_ack_wr). CONTIGUOUS: a
 * receive occupies its place until it has ended; places are used in order, so the queue is full while
 * the next place is occupied. */
enum doca_dpa_dev_verbs_srq_type {
    DOCA_DPA_DEV_VERBS_SRQ_TYPE_LINKED_LIST = 0,
    DOCA_DPA_DEV_VERBS_SRQ_TYPE_CONTIGUOUS = 1,
};

/* Fences: the work waits for nothing, or for earlier reads and atomic operations. Here the works of a
 * queue pair always run in order. */
enum doca_dpa_dev_verbs_send_wr_fm {
    DOCA_DPA_DEV_VERBS_SEND_WR_FM_NO_FENCE = 0,
    DOCA_DPA_DEV_VERBS_SEND_WR_FM_INITIATOR_SMALL_FENCE,
    DOCA_DPA_DEV_VERBS_SEND_WR_FM_FENCE,
    DOCA_DPA_DEV_VERBS_SEND_WR_FM_STRONG_ORDERING_FENCE,
    DOCA_DPA_DEV_VERBS_SEND_WR_FM_FENCE_AND_INITIATOR_SMALL_FENCE,
};

/* The lkey of a segment that ends the list of a receive. */
#ifndef DOCA_DPA_DEV_VERBS_SGE_TERMINATING_LKEY
#define DOCA_DPA_DEV_VERBS_SGE_TERMINATING_LKEY 0x100
#endif

/* A range of memory. */
struct doca_dpa_dev_verbs_sge {
    uint64_t addr;
    uint32_t length; /* bytes */
    uint32_t lkey;
};

/* ---- Send work requests ---- */

void doca_dpa_dev_verbs_send_wr_set_sg_list(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                            struct doca_dpa_dev_verbs_sge *sg_list);
struct doca_dpa_dev_verbs_sge *
doca_dpa_dev_verbs_send_wr_get_sg_list(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_sg_num_sge(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                               uint32_t num_sge);
uint32_t doca_dpa_dev_verbs_send_wr_get_sg_num_sge(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_opcode(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                           enum doca_dpa_dev_verbs_send_wr_opcode opcode);
enum doca_dpa_dev_verbs_send_wr_opcode
doca_dpa_dev_verbs_send_wr_get_opcode(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_send_flags(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                               unsigned int send_flags);
unsigned int doca_dpa_dev_verbs_send_wr_get_send_flags(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_fence_mode(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                               enum doca_dpa_dev_verbs_send_wr_fm fence_mode);
enum doca_dpa_dev_verbs_send_wr_fm
doca_dpa_dev_verbs_send_wr_get_fence_mode(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_imm_data(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                             uint32_t imm_data);
uint32_t doca_dpa_dev_verbs_send_wr_get_imm_data(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_rdma_remote_addr(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                                     uint64_t remote_addr);
uint64_t
doca_dpa_dev_verbs_send_wr_get_rdma_remote_addr(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_rdma_rkey(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                              uint32_t rkey);
uint32_t doca_dpa_dev_verbs_send_wr_get_rdma_rkey(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_atomic_remote_addr(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                                       uint64_t remote_addr);
uint64_t
doca_dpa_dev_verbs_send_wr_get_atomic_remote_addr(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_atomic_rkey(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                                uint32_t rkey);
uint32_t doca_dpa_dev_verbs_send_wr_get_atomic_rkey(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_atomic_compare_add(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                                       uint64_t compare_add);
uint64_t
doca_dpa_dev_verbs_send_wr_get_atomic_compare_add(struct doca_dpa_dev_verbs_send_wr *send_wr);
void doca_dpa_dev_verbs_send_wr_set_atomic_swap(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                                uint64_t swap);
uint64_t doca_dpa_dev_verbs_send_wr_get_atomic_swap(struct doca_dpa_dev_verbs_send_wr *send_wr);

/* The key of a send that invalidates a key of the peer: it is kept, but no operation uses it. */
void doca_dpa_dev_verbs_send_wr_set_invalidate_rkey(struct doca_dpa_dev_verbs_send_wr *send_wr,
                                                    uint32_t invalidate_rkey);
uint32_t doca_dpa_dev_verbs_send_wr_get_invalidate_rkey(struct doca_dpa_dev_verbs_send_wr *send_wr);

/* ---- Receive work requests ---- */

void doca_dpa_dev_verbs_recv_wr_set_sg_list(struct doca_dpa_dev_verbs_recv_wr *recv_wr,
                                            struct doca_dpa_dev_verbs_sge *sg_list);
struct doca_dpa_dev_verbs_sge *
doca_dpa_dev_verbs_recv_wr_get_sg_list(struct doca_dpa_dev_verbs_recv_wr *recv_wr);
void doca_dpa_dev_verbs_recv_wr_set_sg_num_sge(struct doca_dpa_dev_verbs_recv_wr *recv_wr,
                                               uint32_t num_sge);
uint32_t doca_dpa_dev_verbs_recv_wr_get_sg_num_sge(struct doca_dpa_dev_verbs_recv_wr *recv_wr);

/* ---- Queue pairs ---- */

/* Post a work request. Return the number of posted requests including this request, which equals
 * doca_dpa_dev_completion_element_get_wqe_counter of its completion. Return 0 if the queue is full (a
 * place is free when its work is done, polled or not), if the work request has more segments than the
 * queue permits, or if receives are shared. */
uint32_t doca_dpa_dev_verbs_qp_post_send_wr(doca_dpa_dev_verbs_qp_t verbs_qp,
                                            struct doca_dpa_dev_verbs_send_wr *send_wr);
/* Posts a work queue element (WQE) that the program made, in the layout of infiniband/mlx5dv.h: a
 * control segment with the number of segments, then the segments of the operation, and data. Data may
 * be inline up to the size of doca_verbs_qp_init_attr_set_max_inline_data; work requests have no inline
 * data. The index in the control segment is ignored. A damaged WQE fails as a work does. Returns as
 * doca_dpa_dev_verbs_qp_post_send_wr, and 0 also if there is too much inline data. */
uint32_t doca_dpa_dev_verbs_qp_post_send_raw_wqe(doca_dpa_dev_verbs_qp_t verbs_qp, void *wqe);
uint32_t doca_dpa_dev_verbs_qp_post_recv_wr(doca_dpa_dev_verbs_qp_t verbs_qp,
                                            struct doca_dpa_dev_verbs_recv_wr *recv_wr);
/* Posts a receive that the program made as a WQE of `wqe_size` bytes: data segments of 16 bytes (struct
 * mlx5_wqe_data_seg of infiniband/mlx5dv.h). Returns as doca_dpa_dev_verbs_qp_post_recv_wr. */
uint32_t doca_dpa_dev_verbs_qp_post_recv_raw_wqe(doca_dpa_dev_verbs_qp_t verbs_qp, void *wqe,
                                                 uint64_t wqe_size);
/* Start all work posted since the last commit. The lw functions leave fences to the program; here
 * fences are not needed. */
void doca_dpa_dev_verbs_qp_commit_send(doca_dpa_dev_verbs_qp_t verbs_qp);
void doca_dpa_dev_verbs_qp_lw_commit_send(doca_dpa_dev_verbs_qp_t verbs_qp);
void doca_dpa_dev_verbs_qp_commit_recv(doca_dpa_dev_verbs_qp_t verbs_qp);
void doca_dpa_dev_verbs_qp_lw_commit_recv(doca_dpa_dev_verbs_qp_t verbs_qp);
/* Posts the next `num_wr` receives as they are in the ring, where an earlier post or the program wrote
 * them, and makes all posted receives available. Returns the count of the last receive, or 0 if the ring
 * has no room for so many, or if receives are shared. */
uint32_t doca_dpa_dev_verbs_qp_post_recv_raw_ack(doca_dpa_dev_verbs_qp_t verbs_qp, uint64_t num_wr);
/* The rings: addresses, numbers of sends and receives, and the bytes of a receive. The record has the
 * numbers of committed receives and sends: 16 bits each of two big endian words. */
void doca_dpa_dev_verbs_qp_get_wq(doca_dpa_dev_verbs_qp_t verbs_qp, uintptr_t *sq_buf,
                                  uint32_t *sq_num_entries, uintptr_t *rq_buf,
                                  uint32_t *rq_num_entries, uint32_t *rwqe_size_bytes);
uint32_t *doca_dpa_dev_verbs_qp_get_dbr_addr(doca_dpa_dev_verbs_qp_t verbs_qp);
/* Return the queue pair's number, and the number of doca_verbs_qp_init_attr_set_user_index. */
uint32_t doca_dpa_dev_verbs_qp_get_qpn(doca_dpa_dev_verbs_qp_t verbs_qp);
uint32_t doca_dpa_dev_verbs_qp_get_user_index(doca_dpa_dev_verbs_qp_t verbs_qp);

/* ---- Shared receive queues ---- */

/* Posts a receive and returns its count, which equals doca_dpa_dev_completion_element_get_wqe_counter
 * of its completion. The completion goes to the receive completion queue of the queue pair that took
 * the receive. The count is the number of the receive's place, from 1, in a linked list, and otherwise
 * the number of posted receives. Returns 0 if the queue is full or the work request has too many
 * segments. A type that differs from the queue's type faults the thread. */
uint32_t doca_dpa_dev_verbs_srq_post_recv_wr(doca_dpa_dev_verbs_srq_t verbs_srq,
                                             enum doca_dpa_dev_verbs_srq_type srq_type,
                                             struct doca_dpa_dev_verbs_recv_wr *recv_wr);
/* Posts a receive that the program made: data segments, as doca_dpa_dev_verbs_qp_post_recv_raw_wqe. In a
 * linked list, the segment with the number of the next receive belongs to the library. Returns as
 * doca_dpa_dev_verbs_srq_post_recv_wr. */
uint32_t doca_dpa_dev_verbs_srq_post_recv_raw_wqe(doca_dpa_dev_verbs_srq_t verbs_srq,
                                                  enum doca_dpa_dev_verbs_srq_type srq_type,
                                                  void *wqe, uint64_t wqe_size);
/* Makes all receives posted since the last commit available. */
void doca_dpa_dev_verbs_srq_commit_recv(doca_dpa_dev_verbs_srq_t verbs_srq);
void doca_dpa_dev_verbs_srq_lw_commit_recv(doca_dpa_dev_verbs_srq_t verbs_srq);
/* Frees the place of a receive of a linked list, by its count. A receive that has not ended faults the
 * thread. */
void doca_dpa_dev_verbs_srq_linked_list_ack_wr(doca_dpa_dev_verbs_srq_t verbs_srq,
                                               uint32_t wr_count);
/* The ring: its address, its number of receives, and the bytes of a receive, which begins with a segment of
 * the library in a linked list. The record has the number of committed receives. */
void doca_dpa_dev_verbs_srq_get_wq(doca_dpa_dev_verbs_srq_t verbs_srq, uintptr_t *srq_buf,
                                   uint32_t *srq_num_entries, uint32_t *rwqe_size_bytes);
uint32_t *doca_dpa_dev_verbs_srq_get_dbr_addr(doca_dpa_dev_verbs_srq_t verbs_srq);
/* As doca_verbs_srq_get_srqn. */
uint32_t doca_dpa_dev_verbs_srq_get_srqn(doca_dpa_dev_verbs_srq_t verbs_srq);

/* ---- Ethernet send queues ---- */

/* Posts a frame: the segments of a work request with the operation SEND, from the Ethernet header on,
 * without the checksum of Ethernet. Frames are sent by the next commit. Returns the count of the request
 * as doca_dpa_dev_verbs_qp_post_send_wr, or 0 if the queue is full (the place of a sent frame is free) or
 * the request has too many segments. Another operation faults the thread. */
uint32_t doca_dpa_dev_verbs_eth_sq_post_send_wr(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq,
                                                struct doca_dpa_dev_verbs_send_wr *send_wr);
/* Send all frames posted since the last commit. Without lw, the memory that the thread has stored is
 * fenced before. */
void doca_dpa_dev_verbs_eth_sq_commit_send(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq);
void doca_dpa_dev_verbs_eth_sq_lw_commit_send(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq);
/* The ring: its address, and its number of entries of 64 bytes. A commit sends posted frames only. */
void doca_dpa_dev_verbs_eth_sq_get_wq(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq, uintptr_t *sq_buf,
                                      uint32_t *sq_num_entries);
/* As doca_verbs_eth_sq_get_sq_hw_number, and the number of doca_verbs_eth_sq_init_attr_set_user_index. */
uint32_t doca_dpa_dev_verbs_eth_sq_get_sqn(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq);
uint32_t doca_dpa_dev_verbs_eth_sq_get_user_index(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq);

/* ---- Ethernet receive queues ---- */

/* Posts a buffer of one or more segments for a frame, and returns its count, as
 * doca_dpa_dev_verbs_qp_post_recv_wr does. */
uint32_t doca_dpa_dev_verbs_eth_rq_post_recv_wr(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq,
                                                struct doca_dpa_dev_verbs_recv_wr *recv_wr);
/* Posts the next `num_wr` receives as they are in the ring, where an earlier post or the program wrote
 * them, and makes all posted receives available. Returns the count of the last receive, or 0 if the ring
 * has no room for so many. */
uint32_t doca_dpa_dev_verbs_eth_rq_post_recv_raw_ack(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq,
                                                     uint64_t num_wr);
/* Make all receives available that were posted since the last commit. Without lw, the memory that the
 * thread has stored is fenced before. */
void doca_dpa_dev_verbs_eth_rq_commit_recv(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq);
void doca_dpa_dev_verbs_eth_rq_lw_commit_recv(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq);
/* The ring: its address, its number of receives, and the bytes of a receive: data segments of 16 bytes
 * (struct mlx5_wqe_data_seg of infiniband/mlx5dv.h). */
void doca_dpa_dev_verbs_eth_rq_get_wq(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq, uintptr_t *rq_buf,
                                      uint32_t *rq_num_entries, uint32_t *rwqe_size_bytes);
/* The address of the doorbell record: the number of receives ever posted, 16 bits of a big endian word,
 * which a commit writes. */
uintptr_t doca_dpa_dev_verbs_eth_rq_get_dbr_addr(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq);
/* As doca_verbs_eth_rq_get_rq_hw_number, and the number of doca_verbs_eth_rq_init_attr_set_user_index. */
uint32_t doca_dpa_dev_verbs_eth_rq_get_rqn(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq);
uint32_t doca_dpa_dev_verbs_eth_rq_get_user_index(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq);

#ifdef __cplusplus
}
#endif

#endif
