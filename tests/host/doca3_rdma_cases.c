/* DOCA RDMA: states and arguments; one-sided operations and events, with permissions. */
#include <doca_rdma.h>
#include <malloc.h>
#include <sys/resource.h>

#include "doca3_world.h"
#include "held.h"

enum { DONE = 0, WRITTEN = 1, SEND_FAILED = 0xd };
#define NONE UINT64_MAX

struct end {
    struct doca_dpa_completion *queue;
    struct doca_rdma *rdma;
    uint64_t queue_handle, handle;
};

static struct end end_new(struct doca_dpa *dpa, uint32_t permissions)
{
    struct end e = {0};
    CHECK(doca_dpa_completion_create(dpa, 64, &e.queue) == OK);
    CHECK(doca_dpa_completion_start(e.queue) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(e.queue, &e.queue_handle) == OK);
    CHECK(doca_rdma_create(dev, &e.rdma) == OK);
    struct doca_ctx *ctx = doca_rdma_as_ctx(e.rdma);
    CHECK(doca_rdma_set_permissions(e.rdma, permissions) == OK);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa) == OK);
    CHECK(doca_rdma_dpa_completion_attach(e.rdma, e.queue) == OK);
    CHECK(doca_ctx_start(ctx) == OK && doca_rdma_get_dpa_handle(e.rdma, &e.handle) == OK);
    return e;
}

static void end_destroy(struct end *e)
{
    CHECK(doca_dpa_completion_stop(e->queue) == IN_USE);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(e->rdma)) == OK);
    CHECK(doca_rdma_destroy(e->rdma) == OK && doca_rdma_destroy(e->rdma) == INVALID);
    CHECK(doca_dpa_completion_destroy(e->queue) == OK);
}

static void connect_ends(struct end *a, struct end *b)
{
    struct doca_rdma_connection *c, *d, *more;
    const void *x, *y, *second;
    size_t n, m;
    uint32_t id = 7;
    CHECK(doca_rdma_export(a->rdma, &x, &n, &c) == OK);
    CHECK(doca_rdma_export(b->rdma, &y, &m, &d) == OK);
    second = y;
    CHECK(doca_rdma_export(b->rdma, &y, &m, &more) == DOCA_ERROR_FULL && !more);
    CHECK(doca_rdma_export(b->rdma, NULL, &m, &more) == INVALID);
    CHECK(doca_rdma_connect(b->rdma, x, n - 1, d) == INVALID);
    CHECK(doca_rdma_connect(b->rdma, NULL, n, d) == INVALID);
    CHECK(doca_rdma_connect(b->rdma, x, n, c) == INVALID); /* not its connection */
    CHECK(doca_rdma_connect(b->rdma, x, n, d) == OK);
    CHECK(doca_rdma_connect(b->rdma, x, n, d) == BAD_STATE);
    CHECK(doca_rdma_connection_get_id(d, &id) == OK && id == 0);
    CHECK(doca_rdma_connect(a->rdma, second, m, c) == OK);
}

/* ---- Operations ---- */

struct memory {
    struct doca_mmap *map;
    uint32_t handle;
};

/* A map of host memory (`dpa` NULL) or of DPA memory. */
static struct memory memory_on(struct doca_dev *device, struct doca_dpa *dpa, uint64_t address,
                               uint32_t permissions)
{
    struct memory m = {0};
    CHECK(doca_mmap_create(&m.map) == OK);
    CHECK(doca_mmap_set_permissions(m.map, permissions) == OK);
    if (dpa)
        CHECK(doca_mmap_set_dpa_memrange(m.map, dpa, address, 64) == OK);
    else
        CHECK(doca_mmap_set_memrange(m.map, (void *)(uintptr_t)address, 64) == OK);
    CHECK(doca_mmap_add_dev(m.map, device) == OK && doca_mmap_start(m.map) == OK);
    CHECK(doca_mmap_dev_get_dpa_handle(m.map, device, &m.handle) == OK);
    return m;
}

static struct memory memory_new(struct doca_dpa *dpa, uint64_t address, uint32_t permissions)
{
    return memory_on(dev, dpa, address, permissions);
}

static uint64_t next(struct doca_dpa *dpa, const struct end *e)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &rdma_next, &result, e->queue_handle) == OK);
    return result;
}

static uint64_t last(struct doca_dpa *dpa)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &bytes_and_syndrome, &result) == OK);
    return result;
}

#define ALL                                                                                        \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* Between host memory and DPA memory, in both directions. */
static void one_sided_operations_reach_host_and_dpa_memory(void)
{
    uint64_t host[8] = {5, 6}, result = 0, there = 0;
    doca_dpa_dev_uintptr_t at = 0;
    struct doca_dpa *dpa = dpa_new();
    struct end a = end_new(dpa, ALL), b = end_new(dpa, ALL);
    connect_ends(&a, &b);
    CHECK(doca_dpa_mem_alloc(dpa, 64, &at) == OK && doca_dpa_memset(dpa, at, 0, 64) == OK);
    struct memory h = memory_new(NULL, (uintptr_t)host, ALL), d = memory_new(dpa, at, ALL);
    const uint64_t from = (uintptr_t)host;
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_WRITE, h.handle, from,
                       (uint64_t)d.handle, at, UINT64_C(8), 1u) == OK);
    CHECK(next(dpa, &a) == DONE);
    CHECK(doca_dpa_d2h_memcpy(dpa, &there, at, 8) == OK && there == 5);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_ADD, 0u, UINT64_C(0),
                       (uint64_t)d.handle, at, UINT64_C(37), 1u) == OK);
    CHECK(next(dpa, &a) == DONE);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_READ, h.handle, from + 8,
                       (uint64_t)d.handle, at, UINT64_C(8), 3u) == OK);
    CHECK(next(dpa, &a) == NONE && host[1] == 42); /* not to be reported */
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, b.handle, RDMA_RECEIVE, 0u, UINT64_C(0),
                       UINT64_C(0), UINT64_C(0), UINT64_C(0), 0u) == OK);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_WRITE_IMMEDIATE, h.handle, from,
                       (uint64_t)d.handle, at + 8, UINT64_C(8), 1u) == OK);
    CHECK(next(dpa, &b) == (UINT64_C(99) << 32 | WRITTEN) && last(dpa) == UINT64_C(8) << 32);
    CHECK(next(dpa, &a) == DONE);
    end_destroy(&a);
    end_destroy(&b);
    CHECK(doca_mmap_destroy(h.map) == OK && doca_mmap_destroy(d.map) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void memory_of_peers_is_used_as_permitted(void)
{
    uint64_t host[8] = {5}, other[8] = {0}, result = 0;
    struct doca_dpa *dpa = dpa_new();
    struct memory h = memory_new(NULL, (uintptr_t)host, ALL);
    struct memory r =
        memory_new(NULL, (uintptr_t)other, ALL & ~(uint32_t)DOCA_ACCESS_FLAG_RDMA_WRITE);
    struct end a = end_new(dpa, ALL), b = end_new(dpa, ALL);
    connect_ends(&a, &b);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_WRITE, h.handle,
                       (uint64_t)(uintptr_t)host, (uint64_t)r.handle, (uint64_t)(uintptr_t)other,
                       UINT64_C(8), 3u) == OK);
    CHECK(next(dpa, &a) == SEND_FAILED && other[0] == 0); /* reported although it was not to be */
    CHECK((uint32_t)last(dpa) == 0x13);                   /* MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR */
    end_destroy(&a);
    end_destroy(&b);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_SEND, h.handle, UINT64_C(0),
                       UINT64_C(0), UINT64_C(0), UINT64_C(8), 1u) == BAD_STATE); /* a dead handle */
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE);
    CHECK(doca_mmap_destroy(h.map) == OK && doca_mmap_destroy(r.map) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* Writes 8 bytes to a peer; what completes. */
static uint64_t write_once(struct doca_dpa *dpa, const struct memory *from, const uint64_t *source,
                           const struct memory *to, uint64_t *target)
{
    uint64_t result = 0;
    struct end a = end_new(dpa, ALL), b = end_new(dpa, ALL);
    connect_ends(&a, &b);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_WRITE, from->handle,
                       (uint64_t)(uintptr_t)source, (uint64_t)to->handle,
                       (uint64_t)(uintptr_t)target, UINT64_C(8), 1u) == OK);
    result = next(dpa, &a);
    end_destroy(&a);
    end_destroy(&b);
    return result;
}

static void memory_is_used_through_its_devices(void)
{
    uint64_t host[8] = {5}, other[8] = {0};
    struct doca_dev *again = NULL; /* the same device is the same, however often it is open */
    CHECK(doca_dev_open(doca_dev_as_devinfo(dev), &again) == OK);
    struct doca_dpa *dpa = dpa_new();
    struct memory from = memory_new(NULL, (uintptr_t)host, ALL);
    struct memory to = memory_on(again, NULL, (uintptr_t)other, ALL);
    struct memory far_from = memory_on(other_dev, NULL, (uintptr_t)host, ALL);
    struct memory far_to = memory_on(other_dev, NULL, (uintptr_t)other, ALL);
    CHECK(write_once(dpa, &far_from, host, &to, other) == SEND_FAILED);
    CHECK(write_once(dpa, &from, host, &far_to, other) == SEND_FAILED && other[0] == 0);
    CHECK(write_once(dpa, &from, host, &to, other) == DONE && other[0] == 5);
    struct memory *const all[] = {&from, &to, &far_from, &far_to};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(doca_mmap_destroy(all[i]->map) == OK);
    CHECK(doca_dev_close(again) == OK && doca_dpa_destroy(dpa) == OK);
}

static void peers_signal_events(void)
{
    const uint8_t *data;
    size_t size;
    uint64_t handle = 0, result = 0;
    struct doca_sync_event_remote_net *remote;
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, REMOTE, CPU);
    struct end a = end_new(dpa, 0), b = end_new(dpa, 0);
    connect_ends(&a, &b);
    CHECK(doca_sync_event_export_to_remote_net(e, &data, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, data, size, &remote) == OK);
    CHECK(doca_sync_event_remote_net_get_dpa_handle(remote, dpa, &handle) == OK);
    for (uint32_t what = RDMA_SIGNAL_SET; what >= RDMA_SIGNAL_ADD; what--)
        CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, what, 0u, UINT64_C(0), handle,
                           UINT64_C(0), UINT64_C(20), 0u) == OK);
    wait_above(e, 39);
    CHECK(value_of(e) == 40 && next(dpa, &a) == NONE);
    CHECK(doca_sync_event_destroy(e) == OK);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, a.handle, RDMA_SIGNAL_ADD, 0u, UINT64_C(0), handle,
                       UINT64_C(0), UINT64_C(20), 0u) == OK);
    CHECK(next(dpa, &a) == SEND_FAILED); /* it is gone */
    CHECK(doca_sync_event_remote_net_destroy(remote) == OK);
    end_destroy(&a);
    end_destroy(&b);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

struct signals {
    struct doca_dpa *dpa;
    struct end *from;
    uint64_t event;
};

/* Until the event is gone. */
static int signal_on_and_on(void *argument)
{
    const struct signals *s = argument;
    uint64_t result = 0, ended;
    do
        CHECK(doca_dpa_rpc(s->dpa, &rdma_one, &result, s->from->handle, RDMA_SIGNAL_ADD, 0u,
                           UINT64_C(0), s->event, UINT64_C(0), UINT64_C(1), 0u) == OK);
    while ((ended = next(s->dpa, s->from)) == NONE);
    return ended == SEND_FAILED ? OK : DOCA_ERROR_UNEXPECTED;
}

static void events_go_while_peers_signal_them(void)
{
    const uint8_t *data;
    size_t size;
    struct doca_sync_event_remote_net *remote;
    struct doca_dpa *dpa = dpa_new();
    for (int i = 0; i < 20; i++) {
        struct doca_sync_event *e = event_new(dpa, REMOTE, CPU);
        struct end a = end_new(dpa, 0), b = end_new(dpa, 0);
        struct signals s = {dpa, &a, 0};
        struct call signalling;
        connect_ends(&a, &b);
        CHECK(doca_sync_event_export_to_remote_net(e, &data, &size) == OK);
        CHECK(doca_sync_event_remote_net_create_from_export(dev, data, size, &remote) == OK);
        CHECK(doca_sync_event_remote_net_get_dpa_handle(remote, dpa, &s.event) == OK);
        call_begin(&signalling, signal_on_and_on, &s);
        wait_above(e, 2);
        CHECK((i % 2 ? doca_sync_event_stop(e) : doca_sync_event_destroy(e)) == OK);
        CHECK(call_end(&signalling) == OK);
        CHECK(i % 2 == 0 || doca_sync_event_destroy(e) == OK);
        CHECK(doca_sync_event_remote_net_destroy(remote) == OK);
        end_destroy(&a);
        end_destroy(&b);
    }
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- States and arguments ---- */

static void rdma_functions_check_their_arguments(void)
{
    struct doca_rdma *r = NULL;
    uint64_t handle;
    uint32_t n = 0;
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    CHECK(doca_rdma_create(NULL, &r) == INVALID && doca_rdma_create(dev, NULL) == INVALID);
    CHECK(doca_rdma_cap_task_send_is_supported(NULL) == INVALID);
    CHECK(doca_rdma_cap_task_send_is_supported(info) == OK);
    CHECK(doca_rdma_cap_get_max_recv_queue_size(info, &n) == OK && n >= 1024);
    uint32_t untouched = 77;
    CHECK(doca_rdma_cap_get_max_recv_queue_size(NULL, &untouched) == INVALID && untouched == 77);
    CHECK(doca_rdma_cap_get_max_send_queue_size(NULL, &untouched) == INVALID && untouched == 77);
    CHECK(doca_rdma_create(dev, &r) == OK);
    CHECK(doca_rdma_set_permissions(r, DOCA_ACCESS_FLAG_PCI_READ_ONLY) == INVALID);
    CHECK(doca_rdma_set_recv_queue_size(r, n + 1) == INVALID);
    CHECK(doca_rdma_set_send_queue_size(r, 0) == INVALID);
    CHECK(doca_rdma_set_recv_queue_size(r, 9) == OK);
    CHECK(doca_rdma_get_recv_queue_size(r, &n) == OK && n == 9);
    CHECK(doca_rdma_set_max_num_connections(r, 0) == INVALID);
    CHECK(doca_rdma_task_receive_set_dst_buf_list_len(r, 17) == INVALID);
    CHECK(doca_rdma_dpa_completion_attach(r, NULL) == INVALID);
    CHECK(doca_rdma_get_dpa_handle(r, &handle) == BAD_STATE);
    CHECK(doca_rdma_as_ctx(NULL) == NULL);
    CHECK(doca_rdma_set_gid_index((struct doca_rdma *)(void *)dev, 1) == INVALID);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(r)) == OK);
    CHECK(doca_rdma_destroy(r) == OK && doca_rdma_set_gid_index(r, 1) == INVALID);
}

/* Without a descriptor for the process's socket. */
static void exports_that_fail_leave_nothing(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct end a = end_new(dpa, ALL);
    struct doca_rdma_connection *c;
    const void *details;
    size_t size, held = 0;
    struct rlimit before, none;
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = before;
    none.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    for (int i = 0; i < 20; i++) {
        CHECK(doca_rdma_export(a.rdma, &details, &size, &c) == DOCA_ERROR_IO_FAILED && !c);
        if (i == 0)
            held = mallinfo2().uordblks;
    }
    CHECK(mallinfo2().uordblks < held + 20000); /* a send queue alone is that large */
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(doca_rdma_export(a.rdma, &details, &size, &c) == OK);
    end_destroy(&a);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void rdma_contexts_are_destroyed_while_they_run(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct end a = end_new(dpa, 0), b = end_new(dpa, 0);
    CHECK(doca_rdma_set_permissions(a.rdma, 0) == BAD_STATE);
    CHECK(doca_rdma_dpa_completion_attach(a.rdma, b.queue) == BAD_STATE);
    connect_ends(&a, &b);
    CHECK(doca_rdma_destroy(a.rdma) == OK);
    CHECK(doca_dpa_completion_destroy(a.queue) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK); /* under the other */
    end_destroy(&b);
}

const struct test_case rdma_cases[] = {
    CASE(one_sided_operations_reach_host_and_dpa_memory),
    CASE(memory_of_peers_is_used_as_permitted),
    CASE(memory_is_used_through_its_devices),
    CASE(peers_signal_events),
    CASE(events_go_while_peers_signal_them),
    CASE(rdma_functions_check_their_arguments),
    CASE(exports_that_fail_leave_nothing),
    CASE(rdma_contexts_are_destroyed_while_they_run),
    {0},
};
