/*
 * doca_gpunetio_def: what the CPU and kernels know of queues and buffers on a GPU, as they are in memory.
 * Programs use them by functions alone.
 */
#ifndef DOCA_GPUNETIO_DEF_H
#define DOCA_GPUNETIO_DEF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The doorbell of the NIC's thread for a queue. */
struct doca_gpu_bell {
    uint32_t rings;  /* number of rings, which wraps */
    uint32_t asleep; /* the thread must be woken */
};

/* A queue of operations, which kernels write and the NIC's thread executes. Places count up for ever: place i
 * is entry i % depth. */
struct doca_gpu_ring {
    struct doca_gpu_bell *bell;
    unsigned long long *written; /* for each entry: the place that was written there, plus 1 */
    unsigned long long reserved; /* number of places that are taken */
    unsigned long long posted;   /* number of places that the NIC may execute */
    unsigned long long done;    /* number of places that it has executed: they may be taken again */
    unsigned long long commits; /* number of commits */
    unsigned long long awaited; /* number of commits, or of places, that a thread has waited for */
    uint32_t depth;             /* a power of two */
    uint32_t failed;            /* an operation has failed */
};

/* A buffer of an array (doca_buf_arr_get_gpu_handle). */
struct doca_gpu_buf {
    uint64_t address, size;
    uint32_t mkey; /* big-endian */
};

/* An array of buffers. */
struct doca_gpu_buf_arr {
    struct doca_gpu_buf *bufs;
    uint64_t count;
};

/* A copy of a queue of DMA. Keys are big-endian. */
struct doca_gpu_dma_copy {
    uint64_t from, to, size;
    uint32_t from_key, to_key;
};

/* A queue of DMA (doca_dma_get_gpu_handle). */
struct doca_gpu_dma {
    struct doca_gpu_ring ring;
    struct doca_gpu_dma_copy *copies;
};

/* An operation of a connection of RDMA. Keys are big-endian. */
enum {
    DOCA_GPU_RDMA_OP_SEND = 0,
    DOCA_GPU_RDMA_OP_WRITE = 1,
    DOCA_GPU_RDMA_OP_READ = 2,
    DOCA_GPU_RDMA_INLINE_MAX = 64 /* bytes */
};
struct doca_gpu_rdma_op {
    uint64_t remote, local, size;
    uint32_t remote_key, local_key;
    uint32_t immediate; /* as the program gave it */
    uint8_t kind, has_immediate, is_inline;
    uint8_t bytes[DOCA_GPU_RDMA_INLINE_MAX]; /* of an inline operation, in place of `local` */
};

/* The operations of a connection. */
struct doca_gpu_rdma_sends {
    struct doca_gpu_ring ring;
    struct doca_gpu_rdma_op *ops;
};

/* Memory for a message. */
struct doca_gpu_rdma_receive {
    uint64_t address, size; /* size 0: no memory */
    uint32_t key;           /* big-endian */
};

/* A receive that has ended. */
struct doca_gpu_rdma_received {
    uint64_t size;                  /* bytes of the message */
    uint32_t immediate, connection; /* the immediate as its sender gave it */
    uint32_t failed, opcode;        /* the operation of the peer: an enum doca_rdma_opcode */
};

/* The receives of all connections of a context (doca_gpu_dev_rdma_get_recv). */
struct doca_gpu_dev_rdma_r {
    struct doca_gpu_ring ring;
    struct doca_gpu_rdma_receive *buffers;
    struct doca_gpu_rdma_received *results;
};

/* A context of RDMA (doca_rdma_get_gpu_handle). */
struct doca_gpu_dev_rdma {
    struct doca_gpu_rdma_sends **connections; /* by their index; NULL: there is none yet */
    uint32_t count;                           /* of them */
    struct doca_gpu_dev_rdma_r receives;
};

#ifdef __cplusplus
}
#endif

#endif
