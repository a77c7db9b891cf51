/*
 * doca_gpunetio_eth_def: what the CPU and kernels know of Ethernet queues on a GPU: options of the
 * functions of kernels (doca_gpunetio_dev_eth_rxq.cuh, doca_gpunetio_dev_eth_txq.cuh), and the queues as
 * they are in memory. Programs use the queues by functions alone.
 */
#ifndef DOCA_GPUNETIO_ETH_DEF_H
#define DOCA_GPUNETIO_ETH_DEF_H

#include <limits.h>
#include <stdint.h>

#include "doca_gpunetio_def.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a warp. */
#define DOCA_GPUNETIO_ETH_WARP_SIZE 32

/* The index of a sent packet in its queue, which counts up for ever. */
typedef uint64_t doca_gpu_dev_eth_ticket_t;

/* Bits: whether a packet has a completion when it was sent. A packet that fails always has one. */
enum doca_gpu_eth_send_flags {
    DOCA_GPUNETIO_ETH_SEND_FLAG_NONE = 0,
    DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY = 1 << 0,
};

/* Whether a function waits for completions, or looks once. */
enum doca_gpu_dev_eth_wait_flags {
    DOCA_GPUNETIO_ETH_WAIT_FLAG_NB = 0,
    DOCA_GPUNETIO_ETH_WAIT_FLAG_B = 1,
};

/* Which threads call a function together: one, all of a warp, or all of a block. */
enum doca_gpu_dev_eth_exec_scope {
    DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD = 0,
    DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP,
    DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK,
};

/* Who sees writes in order. The emulated GPU orders them for the whole machine in each case. */
enum doca_gpu_dev_eth_sync_scope {
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_SYS = 0,
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU = 1,
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA = 2,
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_MAX = INT_MAX
};

/* Who else uses the queue: nobody, threads of the block, or threads of other blocks. The emulated GPU
 * permits all of them in each case. */
enum doca_gpu_dev_eth_resource_sharing_mode {
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE = 0,
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA = 1,
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU = 2,
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_MAX = INT_MAX
};

/* Who rings the doorbell of the NIC: as the queue was set up (doca_eth_txq_gpu_set_uar_on_cpu), the CPU
 * for the kernel, or the kernel. The queue's setting counts in each case. */
enum doca_gpu_dev_eth_nic_handler {
    DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO = 0,
    DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY = 1,
    DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB = 2,
    DOCA_GPUNETIO_ETH_NIC_HANDLER_TYPE_MAX,
};

/* The attributes of each packet that a receive returns. The emulated GPU returns size and time of arrival
 * for TS and for ALL. DOCA 3.3 has these names. */
enum doca_gpu_dev_eth_rxq_attr_type {
    DOCA_GPUNETIO_ETH_RX_ATTR_NONE = 0,
    DOCA_GPUNETIO_ETH_RX_ATTR_TS,
    DOCA_GPUNETIO_ETH_RX_ATTR_ALL,
};

/* Which of several completions are looked at. */
enum doca_gpu_dev_eth_cq_poll_mode {
    DOCA_GPUNETIO_ETH_CQ_POLL_ALL = 0,
    DOCA_GPUNETIO_ETH_CQ_POLL_LAST = 1,
};

/* Whether received packets are made visible by an extra operation. The emulated GPU never needs it. */
enum doca_gpu_dev_eth_mcst_mode {
    DOCA_GPUNETIO_ETH_MCST_DISABLED = 0,
    DOCA_GPUNETIO_ETH_MCST_ENABLED,
    DOCA_GPUNETIO_ETH_MCST_AUTO,
};

/* A received packet: its size, and its time of arrival in nanoseconds of CLOCK_MONOTONIC. */
struct doca_gpu_dev_eth_rxq_attr {
    uint32_t bytes;
    uint64_t timestamp_ns;
};

/* A place for a send in the ring of a queue. */
struct doca_gpu_dev_eth_txq_wqe {
    uint64_t words[8];
};

/* A receive queue. Packet `i` is at packets + (i % depth) * stride, its completion at
 * completions + (i % depth) * 64. The words that the NIC reads are big-endian. */
struct doca_gpu_eth_rxq {
    uint64_t packets;
    unsigned char *completions;
    uint32_t *posted,
        *consumed;          /* packets that the NIC may write, and completions that were read */
    uint64_t next;          /* index of the next packet */
    uint32_t depth, stride; /* depth: a power of two */
    uint32_t mkey;          /* big-endian */
};

/* The doorbell of a send queue. */
struct doca_gpu_eth_bell {
    unsigned long long posted;  /* sends that the NIC may execute */
    unsigned long long proxied; /* sends that the CPU shall post for kernels */
    unsigned long long done;    /* sends that the NIC has executed, at least */
    struct doca_gpu_bell bell;
};

/* A send queue. Send `i` is at wqes + i % depth, completion `i` at completions + (i % depth) * 64. */
struct doca_gpu_eth_txq {
    struct doca_gpu_dev_eth_txq_wqe *wqes;
    unsigned char *completions;
    uint32_t *consumed; /* completions that were read; big-endian, for the NIC */
    struct doca_gpu_eth_bell *bell;
    unsigned long long reserved, ready; /* sends whose place is taken, and sends that are written */
    unsigned long long polled;          /* completions that threads wait for, or have seen */
    uint32_t depth;                     /* a power of two */
    uint32_t number;                    /* of the queue on the NIC, times 256 */
    uint32_t checksums;                 /* checksums that the NIC computes: bits of a send */
    uint8_t timed, on_cpu;              /* sends may wait for a time; the CPU rings the doorbell */
};

#ifdef __cplusplus
}
#endif

#endif
