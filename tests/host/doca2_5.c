/* A program of DOCA 2.5, written by us: two RDMA contexts, buffers of maps, a remote event. The
 * test checks which kernels run, and the memory afterwards. */
#include <doca_buf_array.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_log.h>
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

/* `srq`: the shared queue of its receives, or NULL. */
static void end_open(struct end *e, struct doca_rdma_srq *srq)
{
    if (srq)
        CHECK(doca_rdma_create_with_srq(dev, srq, &e->rdma) == OK);
    else
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

static void start(uint32_t what, uint64_t handle, const struct end *mine, const struct end *theirs,
                  uint64_t length)
{
    CHECK(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, 1, &operate, what, handle,
                                            (uint64_t)theirs->buffers, (uint64_t)mine->buffers,
                                            length) == OK);
}

/* One kernel, which has ended when it returns. */
static void run(uint32_t what, const struct end *mine, const struct end *theirs, uint64_t length)
{
    start(what, (uint64_t)mine->handle, mine, theirs, length);
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

/* ---- Shared receive queues ---- */

#define INVALID DOCA_ERROR_INVALID_VALUE

static void connect(const struct end *a, const struct end *b)
{
    CHECK(doca_rdma_connect(a->rdma, b->details, b->size) == OK);
    CHECK(doca_rdma_connect(b->rdma, a->details, a->size) == OK);
}

/* Posts a receive of `length` bytes into the second word of an end. */
static void post_shared(struct doca_dpa_dev_rdma_srq *queue, struct end *into, uint64_t length)
{
    into->words[1] = 0;
    start(DO_SHARED_RECEIVE, (uint64_t)(uintptr_t)queue, into, into, length);
    CHECK(doca_sync_event_wait_gt(done, launches++, UINT64_MAX) == OK);
}

static struct doca_rdma_srq *queue_new(void)
{
    struct doca_rdma_srq *srq = NULL;
    struct doca_rdma *rdma = NULL;
    enum doca_rdma_srq_type type = DOCA_RDMA_SRQ_TYPE_LINKED_LIST;
    uint32_t number = 0;
    CHECK(doca_rdma_srq_create(dev, &srq) == OK);
    struct doca_ctx *ctx = doca_rdma_srq_as_ctx(srq);
    CHECK(doca_rdma_srq_set_shared_recv_queue_size(srq, 0) == INVALID);
    CHECK(doca_rdma_srq_set_shared_recv_queue_size(srq, 2) == OK);
    CHECK(doca_rdma_srq_get_shared_recv_queue_size(srq, &number) == OK && number == 2);
    CHECK(doca_rdma_srq_set_type(srq, DOCA_RDMA_SRQ_TYPE_CYCLIC) == OK);
    CHECK(doca_rdma_srq_get_type(srq, &type) == OK && type == DOCA_RDMA_SRQ_TYPE_CYCLIC);
    CHECK(doca_rdma_srq_set_type(srq, type + 1) == INVALID);
    CHECK(doca_rdma_srq_task_receive_set_dst_buf_list_len(srq, 3) == OK);
    CHECK(doca_rdma_srq_task_receive_get_dst_buf_list_len(srq, &number) == OK && number == 3);
    CHECK(doca_rdma_srq_task_receive_set_dst_buf_list_len(srq, 17) == INVALID);
    CHECK(doca_rdma_create_with_srq(dev, srq, &rdma) == DOCA_ERROR_BAD_STATE && !rdma);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_NOT_SUPPORTED); /* only DPA code posts */
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_rdma_srq_set_shared_recv_queue_size(srq, 4) == DOCA_ERROR_BAD_STATE);
    return srq;
}

/* Calls with NULL and with objects of other kinds. */
static void shared_refusals(void)
{
    struct doca_rdma_srq *no_queue = (struct doca_rdma_srq *)dev;
    struct doca_rdma_srq *srq = NULL;
    struct doca_rdma *rdma = NULL;
    struct doca_dpa_dev_rdma_srq *queue = NULL;
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    enum doca_rdma_srq_type type;
    uint32_t number = 0;
    CHECK(doca_rdma_srq_cap_get_max_shared_recv_queue_size(info, &number) == OK && number == 32768);
    CHECK(doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(info, &number) == OK &&
          number == 16);
    CHECK(doca_rdma_srq_cap_get_max_shared_recv_queue_size(info, NULL) == INVALID);
    CHECK(doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(NULL, &number) == INVALID);
    CHECK(doca_rdma_srq_create(NULL, &srq) == INVALID &&
          doca_rdma_srq_create(dev, NULL) == INVALID);
    CHECK(doca_rdma_srq_destroy(NULL) == INVALID && doca_rdma_srq_destroy(no_queue) == INVALID);
    CHECK(!doca_rdma_srq_as_ctx(NULL) && !doca_rdma_srq_as_ctx(no_queue));
    CHECK(doca_rdma_srq_set_shared_recv_queue_size(no_queue, 4) == INVALID);
    CHECK(doca_rdma_srq_get_shared_recv_queue_size(no_queue, &number) == INVALID);
    CHECK(doca_rdma_srq_set_type(NULL, DOCA_RDMA_SRQ_TYPE_CYCLIC) == INVALID);
    CHECK(doca_rdma_srq_get_type(NULL, &type) == INVALID);
    CHECK(doca_rdma_srq_task_receive_set_dst_buf_list_len(NULL, 1) == INVALID);
    CHECK(doca_rdma_srq_task_receive_get_dst_buf_list_len(NULL, &number) == INVALID);
    CHECK(doca_rdma_srq_get_dpa_handle(no_queue, &queue) == INVALID);
    CHECK(doca_rdma_create_with_srq(dev, no_queue, &rdma) == INVALID && !rdma);
}

/* Messages of two peers take receives of one queue, in the order of posting. */
static void shared(bool overfill)
{
    struct end to[2] = {0}, from[2] = {0}, other = {0};
    struct doca_dpa_dev_rdma_srq *queue = NULL;
    struct doca_rdma_srq *srq = queue_new();
    CHECK(doca_rdma_srq_get_dpa_handle(srq, &queue) == OK);
    for (unsigned i = 0; i < 2; i++) {
        end_open(&to[i], srq);
        end_open(&from[i], NULL);
        connect(&from[i], &to[i]);
        from[i].words[1] = 10 + i;
    }
    end_open(&other, NULL);
    CHECK(doca_ctx_stop(doca_rdma_srq_as_ctx(srq)) == DOCA_ERROR_IN_USE);
    CHECK(doca_rdma_srq_destroy(srq) == DOCA_ERROR_IN_USE);

    post_shared(queue, &other, 8);
    post_shared(queue, &to[0], 8);
    run(DO_SEND, &from[1], &to[1], 8);
    CHECK(other.words[1] == 11 && to[0].words[1] == 0);
    run(DO_SEND, &from[0], &to[0], 8);
    CHECK(to[0].words[1] == 10);

    /* Both messages wait for receives; a kernel ends with its message. */
    for (unsigned i = 0; i < 2; i++)
        start(DO_SEND, (uint64_t)from[i].handle, &from[i], &to[i], 8);
    post_shared(queue, &other, 8); /* counts one of three ends */
    post_shared(queue, &to[0], 8);
    CHECK(doca_sync_event_wait_gt(done, launches + 1, UINT64_MAX) == OK);
    launches += 2;
    CHECK(other.words[1] + to[0].words[1] == 21);

    /* The end of one connection leaves the receives to the others. */
    post_shared(queue, &other, 8);
    end_close(&from[0]);
    end_close(&to[0]);
    run(DO_SEND, &from[1], &to[1], 8);
    CHECK(other.words[1] == 11);
    if (overfill)
        for (unsigned i = 0; i < 3; i++) /* the queue has room for two: the third faults */
            post_shared(queue, &other, 8);
    end_close(&from[1]);
    end_close(&to[1]);
    end_close(&other);
    CHECK(doca_ctx_stop(doca_rdma_srq_as_ctx(srq)) == OK);
    CHECK(doca_rdma_srq_get_dpa_handle(srq, &queue) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_rdma_srq_destroy(srq) == OK);
}

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

static void keep(char *lines)
{
    (void)lines;
}

/* Names that 2.5 alone has. */
static void names(void)
{
    char name[32], lines[64];
    size_t size = sizeof name;
    struct doca_log_backend *log = NULL;
    CHECK(doca_dpa_app_name_get(dpa_sample_app, name, &size) == OK);
    CHECK(size == sizeof "dpa_sample_app" && strcmp(name, "dpa_sample_app") == 0);
    size = 4;
    CHECK(doca_dpa_app_name_get(dpa_sample_app, name, &size) == INVALID && size > 4);
    CHECK(doca_dpa_app_name_get(dpa_sample_app, name, NULL) == INVALID);
    CHECK(doca_devinfo_get_is_dpa_supported(doca_dev_as_devinfo(dev)) == OK);
    CHECK(doca_devinfo_get_is_dpa_supported(NULL) == INVALID);
    CHECK(doca_log_backend_create_with_buffer(lines, sizeof lines, keep, &log) == OK && log);
    CHECK(doca_log_backend_create_with_buffer(NULL, sizeof lines, keep, &log) == INVALID);
    CHECK(doca_log_backend_create_with_buffer_sdk(lines, 1, keep, &log) == INVALID);
}

/* With an argument, calls are refused at the end; "full": a shared queue of receives overflows. */
int main(int argc, char **argv)
{
    struct end a = {0}, b = {0};
    dev = open_device("mlx5_0");
    CHECK(doca_dpa_create(dev, dpa_sample_app, &dpa) == OK); /* starts it */
    CHECK(doca_dpa_start(dpa) == DOCA_ERROR_BAD_STATE);
    done = event_new(false);
    end_open(&a, NULL);
    end_open(&b, NULL);
    connect(&a, &b);
    operations(&a, &b);
    signals(&a, &b);
    names();
    shared(argc > 1 && strcmp(argv[1], "full") == 0);
    if (argc > 1) {
        refusals(&a);
        shared_refusals();
    }
    end_close(&a);
    end_close(&b);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
    CHECK(doca_dev_close(dev) == OK);
    printf("DOCA %s, with %s\n", doca_version(), doca_version_runtime());
    return 0;
}
