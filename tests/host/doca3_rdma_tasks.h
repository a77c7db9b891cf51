/* DOCA RDMA on the host: two contexts of this process, for the files that test tasks and the connection
 * manager. */
#ifndef DOCA3_RDMA_TASKS_H
#define DOCA3_RDMA_TASKS_H

#include <doca_pe.h>
#include <doca_rdma.h>
#include <endian.h>

#include "doca3_world.h"

#define ALL                                                                                        \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define TASKS 4u
#define PORT  21575u

/* A context with memory for its peer, and the results of its callbacks. */
struct end {
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_rdma_connection *connection;
    struct doca_mmap *map, *theirs;
    struct doca_buf_inventory *inventory;
    uint64_t memory[32];
    unsigned completed, failed;
    uint32_t length; /* of the data that a task fetched last */
    doca_error_t status;
    struct doca_rdma_task_receive *received;
    unsigned asked, established, refused, left; /* by the connection manager */
    bool rejects;
};

static inline void note(struct doca_task *task, union doca_data ctx_data, bool good)
{
    struct end *e = ctx_data.ptr;
    e->completed += good;
    e->failed += !good;
    e->status = doca_task_get_status(task);
    doca_task_free(task);
    CHECK(doca_task_get_status(task) == e->status); /* until the callback returns */
    CHECK(doca_task_submit(task) == INVALID);
}

/* The callbacks of a type of task, and its configuration. */
#define TYPE(name) TYPE_OF_LENGTH(name, 0)
/* For a task that fetches bytes: also their number. */
#define TYPE_OF_LENGTH(name, told)                                                                 \
    static inline void name##_completed(struct doca_rdma_task_##name *task, union doca_data data,  \
                                        union doca_data ctx_data)                                  \
    {                                                                                              \
        CHECK(data.u64 == 5);                                                                      \
        ((struct end *)ctx_data.ptr)->length = told;                                               \
        note(doca_rdma_task_##name##_as_task(task), ctx_data, true);                               \
    }                                                                                              \
    static inline void name##_failed(struct doca_rdma_task_##name *task, union doca_data data,     \
                                     union doca_data ctx_data)                                     \
    {                                                                                              \
        CHECK(data.u64 == 5);                                                                      \
        note(doca_rdma_task_##name##_as_task(task), ctx_data, false);                              \
    }                                                                                              \
    static inline void name##_set_up(struct doca_rdma *r)                                          \
    {                                                                                              \
        CHECK(doca_rdma_task_##name##_set_conf(r, NULL, name##_failed, 1) == INVALID);             \
        CHECK(doca_rdma_task_##name##_set_conf(r, name##_completed, name##_failed, 0) == INVALID); \
        CHECK(doca_rdma_task_##name##_set_conf(r, name##_completed, name##_failed, TASKS) == OK);  \
    }
TYPE(send)
TYPE(send_imm)
TYPE_OF_LENGTH(read, doca_rdma_task_read_get_result_len(task))
TYPE(write)
TYPE(write_imm)
TYPE(atomic_cmp_swp)
TYPE(atomic_fetch_add)
TYPE_OF_LENGTH(remote_net_sync_event_get,
               doca_rdma_task_remote_net_sync_event_get_get_result_len(task))
TYPE(remote_net_sync_event_notify_set)
TYPE(remote_net_sync_event_notify_add)

static inline void on_received(struct doca_rdma_task_receive *task, union doca_data data,
                               union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    CHECK(data.u64 == 5);
    e->completed++;
    e->received = task; /* the test reads and frees it */
}

static inline void on_receive_failed(struct doca_rdma_task_receive *task, union doca_data data,
                                     union doca_data ctx_data)
{
    CHECK(data.u64 == 5);
    note(doca_rdma_task_receive_as_task(task), ctx_data, false);
}

static const union doca_data five = {.u64 = 5};

static inline void map_memory(struct end *e)
{
    CHECK(doca_mmap_create(&e->map) == OK && doca_mmap_set_permissions(e->map, ALL) == OK);
    CHECK(doca_mmap_set_memrange(e->map, e->memory, sizeof e->memory) == OK);
    CHECK(doca_mmap_add_dev(e->map, dev) == OK && doca_mmap_start(e->map) == OK);
    CHECK(doca_buf_inventory_create(32, &e->inventory) == OK);
    CHECK(doca_buf_inventory_start(e->inventory) == OK);
}

static inline struct end *end_idle(uint32_t permissions)
{
    struct end *e = calloc(1, sizeof *e);
    CHECK(e && doca_pe_create(&e->pe) == OK && doca_rdma_create(dev, &e->rdma) == OK);
    e->ctx = doca_rdma_as_ctx(e->rdma);
    CHECK(doca_rdma_set_permissions(e->rdma, permissions) == OK);
    CHECK(doca_ctx_set_user_data(e->ctx, (union doca_data){.ptr = e}) == OK);
    CHECK(doca_ctx_start(e->ctx) == DOCA_ERROR_BAD_CONFIG); /* no engine */
    CHECK(doca_pe_connect_ctx(e->pe, e->ctx) == OK);
    CHECK(doca_rdma_task_receive_set_conf(e->rdma, on_received, on_receive_failed, TASKS) == OK);
    send_set_up(e->rdma);
    send_imm_set_up(e->rdma);
    read_set_up(e->rdma);
    write_set_up(e->rdma);
    write_imm_set_up(e->rdma);
    atomic_cmp_swp_set_up(e->rdma);
    atomic_fetch_add_set_up(e->rdma);
    remote_net_sync_event_get_set_up(e->rdma);
    remote_net_sync_event_notify_set_set_up(e->rdma);
    remote_net_sync_event_notify_add_set_up(e->rdma);
    map_memory(e);
    return e;
}

static inline void turn(struct end *a, struct end *b)
{
    if (doca_pe_progress(a->pe) + (b ? doca_pe_progress(b->pe) : 0) == 0)
        pause_ms(1);
}

static inline void end_destroy(struct end *e)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    doca_ctx_stop(e->ctx);
    while (doca_ctx_get_state(e->ctx, &state) == OK && state != DOCA_CTX_STATE_IDLE)
        turn(e, NULL);
    CHECK(doca_rdma_destroy(e->rdma) == OK && doca_pe_destroy(e->pe) == OK);
    CHECK(doca_buf_inventory_destroy(e->inventory) == OK);
    if (e->theirs)
        CHECK(doca_mmap_destroy(e->theirs) == OK);
    CHECK(doca_mmap_destroy(e->map) == OK);
    free(e);
}

/* Imports the exports of the other context. */
static inline void import(struct end *e, const struct end *from)
{
    const void *bytes;
    size_t size;
    CHECK(doca_mmap_export_rdma(from->map, dev, &bytes, &size) == OK);
    CHECK(doca_mmap_create_from_export(NULL, bytes, size, dev, &e->theirs) == OK);
}

static inline void connect_ends(struct end *a, struct end *b)
{
    const void *x, *y;
    size_t n, m;
    CHECK(doca_ctx_start(a->ctx) == OK && doca_ctx_start(b->ctx) == OK);
    CHECK(doca_rdma_export(a->rdma, &x, &n, &a->connection) == OK);
    CHECK(doca_rdma_export(b->rdma, &y, &m, &b->connection) == OK);
    CHECK(doca_rdma_connect(a->rdma, y, m, a->connection) == OK);
    CHECK(doca_rdma_connect(b->rdma, x, n, b->connection) == OK);
    import(a, b);
    import(b, a);
}

/* A buffer of words, the first ones of which are data. */
static inline struct doca_buf *buf(struct end *e, struct doca_mmap *map, void *at, size_t words,
                                   size_t data)
{
    struct doca_buf *b = NULL;
    CHECK(doca_buf_inventory_buf_get_by_args(e->inventory, map, at, words * 8, at, data * 8, &b) ==
          OK);
    return b;
}

static inline size_t data_of(struct doca_buf *b)
{
    size_t size = 0;
    CHECK(doca_buf_get_data_len(b, &size) == OK);
    return size / 8;
}

static inline void drop(struct doca_buf *b)
{
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
}

static inline void await(struct end *a, struct end *b, const unsigned *what, unsigned count)
{
    while (*what < count)
        turn(a, b);
    CHECK(*what == count);
}

static inline void receive(struct end *e, struct doca_buf *into)
{
    struct doca_rdma_task_receive *task;
    CHECK(doca_rdma_task_receive_allocate_init(e->rdma, into, five, &task) == OK);
    CHECK(doca_rdma_task_receive_get_dst_buf(task) == into);
    CHECK(doca_task_submit(doca_rdma_task_receive_as_task(task)) == OK);
}

/* Checks the results of an ended receive. */
static inline void received(struct end *e, enum doca_rdma_opcode opcode, uint32_t immediate)
{
    CHECK(e->received);
    CHECK(doca_rdma_task_receive_get_result_opcode(e->received) == opcode);
    CHECK(doca_rdma_task_receive_get_result_immediate_data(e->received) == immediate);
    CHECK(doca_rdma_task_receive_get_result_rdma_connection(e->received) == e->connection);
    doca_task_free(doca_rdma_task_receive_as_task(e->received));
    e->received = NULL;
}

#endif
