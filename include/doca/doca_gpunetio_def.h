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

#ifdef __cplusplus
}
#endif

#endif
