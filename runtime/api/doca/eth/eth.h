/*
 * eth: queues of frames for DOCA programs: a driver of a receive or send queue of the port (queues.h),
 * with rings in this process's own memory.
 *
 * The lock of the context guards its rings. The port takes its own lock inside of it, and its calls to
 * us (struct dpk_nic_listener) take none.
 */
#ifndef DPK_API_DOCA_ETH_ETH_H
#define DPK_API_DOCA_ETH_ETH_H

#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio_eth_def.h>

#include "api/doca/memory/memory.h"
#include "api/nic/nic.h"
#include "net/frame/frame.h"

#define ETH_DEPTH_MAX 32768u /* entries of a ring: the port's counters have 16 bits */
#define ETH_GPU_MAX   65536u /* of a receive queue of kernels, which posts at most 65,535 of them */
#define ETH_LIST_MAX  16u    /* buffers in a list: segments of a receive */
#define ETH_SEGMENT   16u    /* bytes of a segment of a WQE */

/* ---- Rings: ring.c ---- */

/* Memory that the port accesses by its ops. */
struct eth_memory {
    struct dpk_nic_memory ops; /* first */
    uint8_t *bytes;
    size_t size;
    struct dpk_gpu *gpu; /* whose memory it is: a reference; NULL: the heap's */
};

/* A receive or send queue with its completion queue. */
struct eth_rings {
    struct dpk_nic_listener listener; /* first */
    struct dpk_ctx *ctx;
    struct dpk_gpu *gpu; /* set before the rings are opened: they are in memory for kernels */
    bool timed,
        silent; /* as well: sends may wait for a time; kernels look for completions themselves */
    struct dpk_queue *queue, *cq; /* NULL: not open */
    struct dpk_queues *nic;
    struct eth_memory ring, completions, record, consumed_record;
    unsigned log_depth, log_size; /* log2 of the number of entries, and of the bytes per entry */
    _Atomic uint32_t consumed;    /* completions, which wrap */
    uint16_t posted, released;    /* entries: written, and announced to the port */
};

/* The contents of a completion. */
struct eth_completion {
    uint16_t index; /* of the entry */
    bool failed, flushed;
    bool l3_ok, l4_ok;
    uint32_t size, hash, tag, metadata;
    uint64_t time;
};

/* Opens the rings of a queue of that kind. Call this with the lock of its context. Errors:
 * INVALID_VALUE if the port does not support the depth, NO_MEMORY, OPERATING_SYSTEM if the port does
 * not work. */
doca_error_t eth_rings_open(struct eth_rings *r, struct dpk_dev_ctx *ctx, enum dpk_queue_kind kind,
                            uint32_t entries, unsigned log_size);
/* Destroys the queues if they are open. Their memory stays until eth_rings_free, since a thread of a
 * progress engine may read it. */
void eth_rings_close(struct eth_rings *r);
void eth_rings_free(struct eth_rings *r);
/* Returns the bytes of an entry, by its counter. */
uint8_t *eth_entry(const struct eth_rings *r, uint16_t index);
/* Announces all written entries to the port. */
void eth_rings_release(struct eth_rings *r);
/* Takes the next completion. Returns false if there is none. */
bool eth_rings_poll(struct eth_rings *r, struct eth_completion *out);
/* Returns true if at least `count` completions exist. Needs no lock. */
bool eth_rings_have(const struct eth_rings *r, uint32_t count);
/* Writes a segment that points to data. */
void eth_write_pointer(uint8_t *segment, const struct dpk_memory_access *at);

/* Store the reason of a call's failure: a number outside of a range; a queue that does not run; a queue
 * that cannot get an id now. */
doca_error_t eth_outside(unsigned number, unsigned least, unsigned most);
doca_error_t eth_not_running(void);
doca_error_t eth_no_id(const struct dpk_ctx *ctx, bool has_id);

/* ---- Receiving ---- */

struct receive_task {
    struct dpk_task task;
    struct doca_buf *pkt;
    struct eth_completion came;
    bool has_come; /* `came` is of its last run */
};

#define EVENT_MAX 128u /* frames of a batch */

/* The frames that an event is about, while its callback runs. */
struct receive_event {
    struct dpk_object object;
    struct dpk_ctx *ctx;
    unsigned count; /* 0: the event is not valid now */
    doca_error_t status;
    uint8_t l3_ok[EVENT_MAX], l4_ok[EVENT_MAX];
    uint32_t metadata[EVENT_MAX], tag[EVENT_MAX], hash[EVENT_MAX];
    uint64_t time[EVENT_MAX];
};

struct rxq {
    struct dpk_dev_ctx base;
    struct eth_rings rings;
    enum doca_eth_rxq_type type;
    uint32_t burst, packet, list_max;
    uint8_t metadata_num;
    bool tells_tag, tells_hash, tells_time;
    uint16_t headroom, tailroom;
    bool has_id;
    uint16_t id;
    struct dpk_task_pool tasks;
    struct receive_task **in_flight; /* by index of the ring; of a regular queue */
    /* Of a managed queue. */
    struct doca_mmap *mmap;
    uint32_t mmap_offset;
    uint32_t mmap_len;
    struct doca_buf_pool *pool;
    struct doca_buf **posted; /* by index of the ring */
    bool drained;             /* the queue stops, and posted buffers were released */
    union doca_data event_data;
    doca_eth_rxq_event_managed_recv_handler_cb_t came, failed;
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t batch_came, batch_failed;
    unsigned batch_max, batch_min;
    struct receive_event *event;     /* a reference */
    struct doca_gpu_eth_rxq *handle; /* of a queue of kernels: in memory of the GPU; NULL: none */
};
extern const struct dpk_kind eth_rxq_kind;

/* ---- receive.c ---- */
bool eth_rxq_progress(struct dpk_ctx *ctx);
bool eth_rxq_is_ready(const struct dpk_ctx *ctx);
/* ---- managed.c ---- */
extern const struct dpk_kind eth_receive_event_kind, eth_receive_batch_kind;
doca_error_t eth_rxq_pool_open(struct rxq *q);
/* Closes the pool. Errors: IN_USE if the program holds buffers. */
doca_error_t eth_rxq_pool_close(struct rxq *q);
bool eth_rxq_progress_managed(struct rxq *q, bool stops);

/* ---- Sending ---- */

/* The data of a frame to send. */
struct send_frame {
    const struct doca_buf *pkt;
    const struct doca_gather_list *headers; /* NULL: the data is not segmented */
    uint32_t metadata;
    uint16_t mss;
    uint16_t flags;
};

struct send_item {
    struct dpk_task *task;
    uint16_t place;  /* in a batch */
    uint16_t blocks; /* number of blocks; set by eth_txq_post */
};

/* An event of packets that kernels sent, for the CPU. */
struct send_events {
    struct send_event *event; /* a reference; NULL: not registered */
    union {
        doca_eth_txq_gpu_event_error_send_packet_cb_t failed;
        doca_eth_txq_gpu_event_notify_send_packet_cb_t sent;
    } cb;
    union doca_data user_data;
};

struct txq {
    struct dpk_dev_ctx base;
    struct eth_rings rings;
    uint32_t burst, list_max;
    uint16_t mss, headers_max;
    uint8_t metadata_num;
    bool l3, l4; /* compute checksums */
    bool has_id;
    uint16_t id;
    struct dpk_task_pool sends, large_sends, batches, large_batches;
    uint16_t batch_max, large_batch_max;
    struct send_item *in_flight; /* by index of the ring: the first block of each */
    uint16_t done;               /* blocks whose task has ended */
    /* Of a queue of kernels. */
    bool timed, completes_on_gpu, rings_on_cpu;
    struct doca_gpu_eth_txq *handle; /* in memory of the GPU; NULL: none */
    struct dpk_gpu_server *server;   /* executes what kernels post */
    unsigned long long executed;     /* by the server: sends since the start */
    struct send_events failure, notice;
    atomic_bool stalls; /* the server waits for room for completions, and for a ring of its bell */
};
extern const struct dpk_kind eth_txq_kind;

/* Returns the number of 64-byte blocks for one frame. */
uint32_t eth_txq_blocks(uint32_t list_max, uint16_t headers_max);

/* ---- send.c ---- */
bool eth_txq_progress(struct dpk_ctx *ctx);
bool eth_txq_is_ready(const struct dpk_ctx *ctx);
void eth_txq_flush(struct dpk_ctx *ctx);
/* Writes the WQE of a frame. Call this with the lock. */
doca_error_t eth_txq_post(struct txq *q, const struct send_frame *frame, struct send_item item);
/* Raises the number of tasks of a pool, given by its offset in struct txq. */
doca_error_t eth_txq_expand(struct doca_eth_txq *eth_txq, size_t pool, uint32_t by);
/* Ends a frame of a batch. Returns true after the last frame, with the status of the batch in
 * *status. */
bool eth_batch_ended(struct dpk_task *task, uint16_t place, doca_error_t *status);
bool eth_is_batch(const struct dpk_task *task);

/* ---- Queues of kernels: gpu_rxq.c, gpu_txq.c; gpu_calls.c has the calls of programs ---- */

/* Returns the GPU of the queue's data path, or NULL. */
static inline struct dpk_gpu *eth_gpu(const struct dpk_dev_ctx *ctx)
{
    return ctx->ctx.datapath;
}
/* Returns the bytes from one buffer of the queue's own memory to the next. */
static inline uint64_t eth_slot_size(uint32_t head, uint32_t packet, uint32_t tail)
{
    return ((uint64_t)head + packet + tail + DPK_WQEBB - 1) & ~(uint64_t)(DPK_WQEBB - 1);
}
/* Start and stop the parts of a queue whose data path is on a GPU, with the lock of its context. */
doca_error_t eth_gpu_rxq_start(struct rxq *q);
void eth_gpu_rxq_stop(struct rxq *q);
doca_error_t eth_gpu_txq_start(struct txq *q);
void eth_gpu_txq_stop(struct txq *q);

/* ---- Events of send queues of kernels: gpu_events.c ---- */

/* Judges the events of a queue that starts. Errors: BAD_CONFIG. */
doca_error_t eth_txq_events_check(const struct txq *q);
/* Returns true if the CPU takes the completions of a queue of kernels. */
bool eth_txq_reports(const struct txq *q);
/* Calls the callback of one completion. Returns false if there is none. */
bool eth_txq_progress_events(struct txq *q);
/* Gives an idle queue, which is locked, one of its events, q->failure or q->notice. Errors: BAD_STATE,
 * NO_MEMORY. */
doca_error_t eth_txq_events_add(struct txq *q, struct send_events *events);
/* Frees the events of a queue that is destroyed. */
void eth_txq_events_end(struct txq *q);

/* ---- Doorbells of kernels: server.c ---- */

/* Executes what kernels have posted to a send queue, a struct txq: for dpk_gpu_server_start. */
void eth_txq_serve(void *context, const atomic_bool *ends);

/* ---- Capabilities of devices ---- */

/* Defines a capability that is equal for all devices. */
#define ETH_CAP(getter, type, value)                                                               \
    doca_error_t getter(const struct doca_devinfo *devinfo, type *out)                             \
    {                                                                                              \
        doca_error_t result =                                                                      \
            dpk_devinfo_answer(devinfo, out ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);            \
        if (result == DOCA_SUCCESS)                                                                \
            *out = (value);                                                                        \
        return dpk_doca_end(devinfo, __func__, result);                                            \
    }

#endif
