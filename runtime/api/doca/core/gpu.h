/*
 * gpu: the GPUs of DOCA programs, for libraries that put their queues on one. libdoca_gpunetio makes
 * the objects, and gives functions for their memory, so that other libraries need no CUDA.
 *
 *     struct dpk_gpu *g = dpk_object_pin(gpu_dev, &dpk_gpu_kind);    // NULL: not a GPU
 *     void *ring = g->ops->alloc(4096);
 *     server = dpk_gpu_server_start(&ring->bell, serve, queue);  // a thread that executes what is posted
 *     dpk_gpu_server_end(server);
 *     g->ops->free(ring);
 */
#ifndef DPK_API_DOCA_CORE_GPU_H
#define DPK_API_DOCA_CORE_GPU_H

#include <doca_gpunetio_def.h>
#include <sys/queue.h>

#include "api/doca/core/object.h"

struct doca_gpu;

struct dpk_gpu_ops {
    /* Returns zeroed memory that kernels, devices and this process reach by the same address, or NULL.
     * It begins at a page. */
    void *(*alloc)(size_t size);
    void (*free)(void *at);
    /* Returns the address by which devices of this process reach `at`: another one if `at` is memory
     * of a GPU that the CPU cannot read. */
    void *(*bus)(const void *at);
    /* Returns true if the range is in one allocation that kernels reach. */
    bool (*has)(const void *at, size_t size);
    /* Returns true while kernels run. */
    bool (*runs)(void);
};

struct dpk_gpu {
    struct dpk_object object;
    const struct dpk_gpu_ops *ops;
};
extern const struct dpk_kind dpk_gpu_kind;

/* Makes an object of a GPU. `ops` must be the same in each call of a process. Errors: NO_MEMORY. */
doca_error_t dpk_gpu_new(const struct dpk_gpu_ops *ops, struct doca_gpu **out);
/* Returns the address by which devices reach `at`, which a program named: `at` itself if no GPU was
 * made. */
void *dpk_gpu_bus(void *at);
/* Returns true while kernels run. */
bool dpk_gpu_runs(void);

/* Judges a call that gets a handle for kernels: of an object whose data path is on a GPU, or not, and `handle`
 * is NULL unless it is running. `what` names the object. Errors, with the reason: NOT_SUPPORTED, BAD_STATE. */
doca_error_t dpk_gpu_judge_handle(bool on_gpu, const void *handle, const char *what);

struct dpk_gpu_server;
/* Starts a thread of the NIC, which calls `serve` after each ring of the bell: one call may stand for several
 * rings. A call must return soon when *ends is true. `bell` and `context` must outlive the thread. Returns
 * NULL without memory or threads. */
struct dpk_gpu_server *dpk_gpu_server_start(struct doca_gpu_bell *bell,
                                            void (*serve)(void *context, const atomic_bool *ends),
                                            void *context);
/* Ends the thread, and waits for its end. NULL is ignored. */
void dpk_gpu_server_end(struct dpk_gpu_server *server);
/* Rings the bell from the CPU. */
void dpk_gpu_ring(struct doca_gpu_bell *bell);

/* Doorbells that kernels write to memory. One thread of the NIC looks at all of them: soon after a ring of the
 * bell of dpk_gpu_doorbells, and again and again while kernels run. */
struct dpk_gpu_doorbell {
    LIST_ENTRY(dpk_gpu_doorbell) link;
    /* Looks at the doorbell, and carries out what it asks for. Returns true if it was rung. */
    bool (*look)(void *context);
    void *context;
};
struct doca_gpu_bell *dpk_gpu_doorbells(void);
/* Returns false if the thread cannot be started. */
bool dpk_gpu_doorbell_add(struct dpk_gpu_doorbell *d);
/* Looks at the doorbell once more, because a card takes a doorbell long before it takes a command. After this call,
 * nothing looks at the doorbell. The caller must not hold a lock that `look` takes. */
void dpk_gpu_doorbell_remove(struct dpk_gpu_doorbell *d);

/* The NIC's side of a queue of operations (doca_gpunetio_def.h). The owner of the queue has the entries. */
struct dpk_gpu_queue {
    struct dpk_gpu *gpu;        /* set while it is open: a reference of the owner */
    struct doca_gpu_ring *ring; /* in memory of the GPU, which kernels write: not trusted */
    void *written;
    unsigned long long taken; /* number of places */
    uint32_t depth;
};
/* Sets up an empty queue of `depth` entries, a power of two, in `ring`. dpk_gpu_queue_close frees what the queue
 * has beside the ring; it does nothing if the queue is not open. Errors: NO_MEMORY. */
doca_error_t dpk_gpu_queue_open(struct dpk_gpu_queue *q, struct dpk_gpu *gpu,
                                struct doca_gpu_ring *ring, struct doca_gpu_bell *bell,
                                uint32_t depth);
void dpk_gpu_queue_close(struct dpk_gpu_queue *q);
/* Takes the next entry that is posted, by its index. Returns false if there is none. */
bool dpk_gpu_queue_take(struct dpk_gpu_queue *q, uint32_t *index);
/* Gives one more entry back to kernels. Only one thread calls this at a time. */
void dpk_gpu_queue_give(struct dpk_gpu_queue *q);
/* An operation of the queue has failed: kernels post no more. */
void dpk_gpu_queue_fail(struct dpk_gpu_queue *q);
/* Returns true after dpk_gpu_queue_fail. */
bool dpk_gpu_queue_has_failed(const struct dpk_gpu_queue *q);

#endif
