/* A program of DOCA 2.5, written by us: two RDMA contexts, buffers of maps, a remote event. The
 * test checks which kernels run, and the memory afterwards. */
#include <doca_buf_array.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>
#include <doca_version.h>

#include "doca2_5.h"
#include "doca_device.h"

#define OK DOCA_SUCCESS

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t operate, write_and_signal;

static struct doca_dev *dev;
static struct doca_dpa *dpa;
static struct doca_sync_event *done;
static uint64_t launches;

struct end {
    struct doca_rdma *rdma;
    struct doca_dpa_dev_rdma *handle;
    const void *details;
    size_t size;
    uint64_t words[8];
    struct doca_mmap *map;
    struct doca_buf_arr *array;
    struct doca_dpa_dev_buf_arr *buffers;
};

#define ACCESS                                                                                     \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static void end_open(struct end *e)
{
    CHECK(doca_rdma_create(dev, &e->rdma) == OK);
    struct doca_ctx *ctx = doca_rdma_as_ctx(e->rdma);
    CHECK(doca_rdma_set_permissions(e->rdma, ACCESS) == OK);
    CHECK(doca_rdma_set_grh_enabled(e->rdma, true) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_rdma_get_dpa_handle(e->rdma, &e->handle) == OK);
    CHECK(doca_rdma_export(e->rdma, &e->details, &e->size) == OK);
    CHECK(doca_mmap_create(&e->map) == OK && doca_mmap_add_dev(e->map, dev) == OK);
    CHECK(doca_mmap_set_permissions(e->map, ACCESS) == OK);
    CHECK(doca_mmap_set_memrange(e->map, e->words, sizeof e->words) == OK);
    CHECK(doca_mmap_start(e->map) == OK);
    CHECK(doca_buf_arr_create(e->map, &e->array) == OK);
    CHECK(doca_buf_arr_set_params(e->array, sizeof e->words, 1, 0) == OK);
    CHECK(doca_buf_arr_set_target_dpa(e->array, dpa) == OK && doca_buf_arr_start(e->array) == OK);
    CHECK(doca_buf_arr_get_dpa_handle(e->array, &e->buffers) == OK);
}

static void end_close(struct end *e)
{
    CHECK(doca_buf_arr_destroy(e->array) == OK && doca_mmap_destroy(e->map) == OK);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(e->rdma)) == OK && doca_rdma_destroy(e->rdma) == OK);
}

static struct doca_sync_event *event_new(bool remote)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK((remote ? doca_sync_event_add_publisher_location_remote_net(e)
                  : doca_sync_event_add_publisher_location_dpa(e, dpa)) == OK);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_start(e) == OK);
    return e;
}

/* One kernel, which has ended when it returns. */
static void run(uint32_t what, const struct end *mine, const struct end *theirs, uint64_t length)
{
    CHECK(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, 1, &operate, what,
                                            (uint64_t)mine->handle, (uint64_t)theirs->buffers,
                                            (uint64_t)mine->buffers, length) == OK);
    CHECK(doca_sync_event_wait_gt(done, launches++, UINT64_MAX) == OK);
}

static void operations(struct end *a, struct end *b)
{
    a->words[1] = 5;
    run(DO_WRITE, a, b, 8);
    CHECK(b->words[1] == 5 && b->words[0] == 0 && b->words[2] == 0);
    run(DO_ADD, a, b, 37);
    CHECK(b->words[1] == 42);
    run(DO_READ, a, b, 8);
    CHECK(a->words[1] == 42);
    run(DO_RECEIVE, b, a, 8);
    a->words[1] = 7;
    run(DO_SEND, a, b, 8);
    CHECK(b->words[1] == 7);
    a->words[1] = 9;
    run(DO_COPY, a, b, 8);
    CHECK(b->words[1] == 9);
    for (uint64_t i = 0; i < 8; i++)
        a->words[i] = i;
    run(DO_TRANSPOSE, a, b, 64); /* four rows of two become two of four */
    CHECK(b->words[1] == 2 && b->words[4] == 1 && b->words[7] == 7);
    run(DO_INCREMENT, a, b, 0);
    CHECK(a->words[1] == 1 + sizeof a->words);
}

static void signals(const struct end *a, struct end *b)
{
    struct doca_sync_event *e = event_new(true);
    struct doca_sync_event_remote_net *remote = NULL;
    doca_dpa_dev_sync_event_remote_net_t handle = 0;
    doca_dpa_dev_sync_event_t own = 0;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    CHECK(doca_sync_event_export_to_dpa(done, dpa, &own) == OK && own != 0);
    CHECK(doca_sync_event_export_to_remote_net(e, &bytes, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &remote) == OK);
    CHECK(doca_sync_event_remote_net_export_to_dpa(remote, dpa, &handle) == OK);
    b->words[3] = 0;
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, launches + 1, 1, &write_and_signal,
                                            (uint64_t)a->handle, (uint64_t)b->buffers,
                                            (uint64_t)a->buffers, sizeof a->words, handle,
                                            UINT64_C(3)) == OK);
    CHECK(doca_sync_event_wait_gt(e, 3, UINT64_MAX) == OK && b->words[3] == 3);
    /* It uses its RDMA until it ends. */
    CHECK(doca_sync_event_wait_gt(done, launches++, UINT64_MAX) == OK);
    CHECK(doca_sync_event_remote_net_destroy(remote) == OK && doca_sync_event_destroy(e) == OK);
}

#define INVALID DOCA_ERROR_INVALID_VALUE

/* Calls of DOCA 2.5 that say why they fail. */
static void refusals(struct end *e)
{
    const void *details = NULL;
    size_t size = 0;
    uint64_t handle = 0;
    struct doca_buf_arr *array = NULL;
    struct doca_sync_event *event = NULL;
    struct doca_rdma *idle = NULL;
    CHECK(doca_buf_arr_create(NULL, &array) == INVALID);
    CHECK(doca_buf_arr_set_params(e->array, 8, 0, 0) == INVALID);
    CHECK(doca_buf_arr_set_params(e->array, 8, UINT32_MAX, 0) == INVALID);
    CHECK(doca_buf_arr_set_params(e->array, 8, 1, 0) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_rdma_create(dev, &idle) == OK);
    CHECK(doca_rdma_export(idle, &details, &size) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_rdma_connect(idle, e->details, e->size) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_rdma_export(NULL, &details, &size) == INVALID);
    CHECK(doca_rdma_connect(NULL, e->details, e->size) == INVALID);
    CHECK(doca_rdma_connect(e->rdma, "of nobody", 9) == INVALID);
    CHECK(doca_rdma_destroy(idle) == OK && doca_sync_event_create(&event) == OK);
    CHECK(doca_sync_event_export_to_dpa(event, dpa, &handle) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_sync_event_remote_net_export_to_dpa(NULL, dpa, &handle) == INVALID);
    CHECK(doca_sync_event_destroy(event) == OK);
}

/* With any argument, calls are refused at the end. */
int main(int argc, char **argv)
{
    struct end a = {0}, b = {0};
    (void)argv;
    dev = open_device("mlx5_0");
    CHECK(doca_dpa_create(dev, dpa_sample_app, &dpa) == OK); /* starts it */
    CHECK(doca_dpa_start(dpa) == DOCA_ERROR_BAD_STATE);
    done = event_new(false);
    end_open(&a);
    end_open(&b);
    CHECK(doca_rdma_connect(a.rdma, b.details, b.size) == OK);
    CHECK(doca_rdma_connect(b.rdma, a.details, a.size) == OK);
    operations(&a, &b);
    signals(&a, &b);
    if (argc > 1)
        refusals(&a);
    end_close(&a);
    end_close(&b);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
    CHECK(doca_dev_close(dev) == OK);
    printf("DOCA %s, with %s\n", doca_version(), doca_version_runtime());
    return 0;
}
