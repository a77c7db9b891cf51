/* Undocumented behaviour on which programs for a card rely. */
#include <doca_rdma.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include "doca3_world.h"
#include "entries.h"

static void half_slots_and_structures_arrive_whole(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct big one = {.first = 1, .small = 20, .bytes[59] = 50}, two = {.last = 7, .bytes[0] = 3};
    uint64_t result = 0;
    /* int literals for uint32_t, a 64-bit value for one of 32: as programs write it */
    CHECK(doca_dpa_rpc(dpa, &small_arguments, &result, UINT64_C(1) << 40, 7, -3, (size_t)5) == OK);
    CHECK(result == (UINT64_C(1) << 40) + 9);
    CHECK(doca_dpa_rpc(dpa, two_structures, &result, UINT64_C(100000), one, two) == OK);
    CHECK(result == 100000 + 1 + 20 + 50 + 7000 + 3);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void thirteen_arguments_arrive(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *done = event_new(dpa, DPA, CPU);
    doca_dpa_dev_uintptr_t p = 0;
    uint64_t sum = 0, one = 1;
    CHECK(doca_dpa_mem_alloc(dpa, 8, &p) == OK);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &many_arguments, p, one, one,
                                            1u, one, one, 1, one, one, one, one, one, one) == OK);
    wait_above(done, 0);
    CHECK(doca_dpa_d2h_memcpy(dpa, &sum, p, 8) == OK && sum == 78);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
}

static void locations_do_not_restrict(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, CPU, DPA); /* and the DPA updates, the host waits */
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, &add_to_event,
                                            handle_of(e, dpa), UINT64_C(5)) == OK);
    wait_above(e, 4);
    CHECK(doca_sync_event_update_set(e, 0) == OK && value_of(e) == 0);
    CHECK(doca_sync_event_destroy(e) == OK && doca_dpa_destroy(dpa) == OK);
}

/* ---- Objects are freed ---- */

struct connected {
    struct doca_dpa_completion *queue;
    struct doca_rdma *rdma;
    struct doca_rdma_connection *connection;
    const void *details;
    size_t size;
};

static struct connected rdma_new(struct doca_dpa *dpa)
{
    struct connected c = {0};
    CHECK(doca_dpa_completion_create(dpa, 8, &c.queue) == OK);
    CHECK(doca_dpa_completion_start(c.queue) == OK && doca_rdma_create(dev, &c.rdma) == OK);
    struct doca_ctx *ctx = doca_rdma_as_ctx(c.rdma);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa) == OK);
    CHECK(doca_rdma_dpa_completion_attach(c.rdma, c.queue) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_rdma_export(c.rdma, &c.details, &c.size, &c.connection) == OK);
    return c;
}

/* A receive and a send are still posted when the first end goes. */
static void use_rdma(struct doca_dpa *dpa, struct doca_sync_event *e)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    uint64_t handle = 0, result = 0;
    struct doca_sync_event_remote_net *remote = NULL;
    struct connected a = rdma_new(dpa), b = rdma_new(dpa);
    CHECK(doca_rdma_connect(a.rdma, b.details, b.size, a.connection) == OK);
    CHECK(doca_rdma_connect(b.rdma, a.details, a.size, b.connection) == OK);
    CHECK(doca_rdma_get_dpa_handle(a.rdma, &handle) == OK);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, handle, RDMA_RECEIVE, 0u, UINT64_C(0), UINT64_C(0),
                       UINT64_C(0), UINT64_C(0), 0u) == OK);
    CHECK(doca_dpa_rpc(dpa, &rdma_one, &result, handle, RDMA_SEND, 0u, UINT64_C(0), UINT64_C(0),
                       UINT64_C(0), UINT64_C(0), 0u) == OK);
    CHECK(doca_sync_event_export_to_remote_net(e, &bytes, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &remote) == OK);
    CHECK(doca_rdma_destroy(a.rdma) == OK && doca_ctx_stop(doca_rdma_as_ctx(b.rdma)) == OK);
    CHECK(doca_sync_event_remote_net_destroy(remote) == OK && doca_rdma_destroy(b.rdma) == OK);
    CHECK(doca_dpa_completion_destroy(a.queue) == OK && doca_dpa_completion_destroy(b.queue) == OK);
}

static void use_once(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *peers = event_new(dpa, REMOTE, CPU);
    struct doca_sync_event *e = event_new(dpa, CPU, DPA);
    struct doca_dpa_thread *t = NULL;
    struct doca_mmap *mmap = NULL;
    doca_dpa_dev_uintptr_t p = 0;
    const void *bytes = NULL;
    size_t size = 0;
    CHECK(doca_dpa_mem_alloc(dpa, 100, &p) == OK);
    CHECK(doca_dpa_thread_create(dpa, &t) == OK && doca_mmap_create(&mmap) == OK);
    CHECK(doca_dpa_thread_set_func_arg(t, &spin, 0) == OK && doca_dpa_thread_start(t) == OK);
    CHECK(doca_mmap_add_dev(mmap, dev) == OK &&
          doca_mmap_set_dpa_memrange(mmap, dpa, p, 100) == OK);
    CHECK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_WRITE) == OK);
    CHECK(doca_mmap_start(mmap) == OK && doca_mmap_export_rdma(mmap, dev, &bytes, &size) == OK);
    use_rdma(dpa, peers);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, e, 0, e, 1, 1, &spin) == OK);
    CHECK(doca_sync_event_destroy(peers) == OK && doca_mmap_destroy(mmap) == OK &&
          doca_sync_event_destroy(e) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_thread_destroy(t) == OK);
}

static void a_thousand_contexts_leave_nothing_behind(void)
{
    for (int i = 0; i < 300; i++) /* caches grow until then */
        use_once();
    struct mallinfo2 before = mallinfo2(), after;
    unsigned fds = entries("/proc/self/fd"), threads = entries("/proc/self/task");
    for (int i = 0; i < 1000; i++)
        use_once();
    after = mallinfo2();
    CHECK(entries("/proc/self/fd") == fds);
    while (entries("/proc/self/task") > threads) /* the kernel shows a joined one for a moment */
        pause_ms(1);
    CHECK(after.uordblks < before.uordblks + 1000 * 32); /* less than one object for each */
}

/* ---- Many threads ---- */

static struct doca_dpa *shared;
static struct doca_sync_event *shared_event;

static void *use_shared(void *nothing)
{
    for (int i = 0; i < 50; i++) {
        doca_dpa_dev_uintptr_t p = 0;
        uint64_t result = 0;
        CHECK(doca_dpa_mem_alloc(shared, 64, &p) == OK && doca_dpa_memset(shared, p, i, 64) == OK);
        CHECK(doca_dpa_kernel_launch_update_add(shared, NULL, 0, shared_event, 1, 2, &add_to_event,
                                                handle_of(shared_event, shared),
                                                UINT64_C(0)) == OK);
        CHECK(doca_dpa_rpc(shared, &no_arguments, &result) == OK && result == 42);
        CHECK(doca_sync_event_update_add(shared_event, 1, NULL) == OK);
        CHECK(doca_dpa_mem_free(shared, p) == OK);
        struct doca_sync_event *own = event_new(shared, CPU, CPU);
        CHECK(doca_sync_event_destroy(own) == OK);
    }
    return nothing;
}

static void host_threads_share_a_context(void)
{
    pthread_t threads[4];
    shared = dpa_new();
    shared_event = event_new(shared, DPA, CPU);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, use_shared, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    wait_above(shared_event, 399);
    CHECK(value_of(shared_event) == 400);
    CHECK(doca_sync_event_destroy(shared_event) == OK && doca_dpa_destroy(shared) == OK);
}

static void *use_until_gone(void *dpa)
{
    uint64_t result = 0;
    doca_error_t r = OK;
    while (r == OK)
        r = doca_dpa_rpc(dpa, &no_arguments, &result);
    CHECK(r == BAD_STATE || r == INVALID);
    return NULL;
}

static void a_context_is_destroyed_under_its_users(void)
{
    for (int round = 0; round < 10; round++) {
        pthread_t threads[3];
        struct doca_dpa *dpa = dpa_new();
        for (int i = 0; i < 3; i++)
            CHECK(pthread_create(&threads[i], NULL, use_until_gone, dpa) == 0);
        pause_ms(2);
        CHECK(doca_dpa_destroy(dpa) == OK);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    }
}

const struct test_case trap_cases[] = {
    CASE(half_slots_and_structures_arrive_whole),
    CASE(thirteen_arguments_arrive),
    CASE(locations_do_not_restrict),
    CASE(a_thousand_contexts_leave_nothing_behind),
    CASE(host_threads_share_a_context),
    CASE(a_context_is_destroyed_under_its_users),
    {0},
};
