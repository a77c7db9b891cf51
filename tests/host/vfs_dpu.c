/* A DPU program that serves one file by an emulated virtio-fs device: vfs_dpu FILE [THREADS]. It prints the address of
 * the device, then each request and reset, and ends with its standard input. It keeps a request of FUSE_FLUSH
 * until a reset. */
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_devemu_vfs_io.h>
#include <doca_devemu_vfs_type.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <errno.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doca_device.h"

#define OK DOCA_SUCCESS
enum { QUEUES = 3, USER_DATA = 24, BUFFER = 8192 };

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_devemu_vfs_dev *vfs;
static struct doca_devemu_vfs_io *io;
static _Thread_local uint8_t request[BUFFER], answer[BUFFER];
static uint8_t file[BUFFER];
static size_t file_size;

/* ---- Copies between this program and the driver ---- */

static _Thread_local struct doca_pe *copies;
static _Thread_local struct doca_dma *dma;
static _Thread_local struct doca_mmap *own;
static _Thread_local struct doca_buf_inventory *inventory;
static _Thread_local bool ended;
static _Thread_local doca_error_t status;

static void on_end(struct doca_dma_task_memcpy *task, union doca_data a, union doca_data b)
{
    (void)a, (void)b;
    ended = true;
    status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static struct doca_mmap *map(void *at, size_t size)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_set_memrange(m, at, size) == OK && doca_mmap_start(m) == OK);
    return m;
}

static void begin_copies(void)
{
    CHECK(doca_pe_create(&copies) == OK && doca_dma_create(dev, &dma) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 1) == OK);
    CHECK(doca_pe_connect_ctx(copies, doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_ctx_start(doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_buf_inventory_create(1, &inventory) == OK);
    CHECK(doca_buf_inventory_start(inventory) == OK);
}

static void end_copies(void)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
    doca_ctx_stop(doca_dma_as_ctx(dma));
    while (doca_ctx_get_state(doca_dma_as_ctx(dma), &state) == OK && state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(copies);
    CHECK(doca_dma_destroy(dma) == OK && doca_pe_destroy(copies) == OK);
    CHECK(doca_buf_inventory_destroy(inventory) == OK);
}

static bool copy(const struct doca_buf *from, struct doca_buf *to)
{
    struct doca_dma_task_memcpy *task = NULL;
    ended = false;
    CHECK(doca_dma_task_memcpy_alloc_init(dma, from, to, (union doca_data){0}, &task) == OK);
    if (doca_task_submit(doca_dma_task_memcpy_as_task(task)) != OK) {
        doca_task_free(doca_dma_task_memcpy_as_task(task));
        return false;
    }
    while (!ended)
        doca_pe_progress(copies);
    return status == OK;
}

static bool fetch(struct doca_buf *in)
{
    struct doca_buf *here;
    begin_copies();
    own = map(request, sizeof request);
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, own, request, sizeof request, &here) == OK);
    const bool good = copy(in, here);
    CHECK(doca_buf_dec_refcount(here, NULL) == OK && doca_mmap_destroy(own) == OK);
    end_copies();
    return good;
}

static bool store(struct doca_buf *out, size_t size)
{
    struct doca_buf *here;
    begin_copies();
    own = map(answer, sizeof answer);
    CHECK(doca_buf_inventory_buf_get_by_data(inventory, own, answer, size, &here) == OK);
    const bool good = copy(here, out);
    CHECK(doca_buf_dec_refcount(here, NULL) == OK && doca_mmap_destroy(own) == OK);
    end_copies();
    return good;
}

/* ---- FUSE ---- */

static size_t answer_init(void)
{
    const struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = 31};
    memcpy(answer + sizeof(struct fuse_out_header), &out, sizeof out);
    return sizeof out;
}

static size_t answer_read(void)
{
    struct fuse_read_in in;
    memcpy(&in, request + sizeof(struct fuse_in_header), sizeof in);
    if (in.offset >= file_size)
        return 0;
    const size_t left = file_size - (size_t)in.offset, n = in.size < left ? in.size : left;
    memcpy(answer + sizeof(struct fuse_out_header), file + in.offset, n);
    return n;
}

static struct doca_devemu_vfs_req *kept;

static void on_request(struct doca_devemu_vfs_req *req, void *user_data, union doca_data data)
{
    struct fuse_in_header in;
    struct fuse_out_header out = {.error = 0};
    struct doca_buf *to = doca_devemu_vfs_req_get_dataout(req);
    const uint32_t room = doca_devemu_vfs_req_get_dataout_data_len(req),
                   size = doca_devemu_vfs_req_get_datain_data_len(req);
    CHECK(data.u64 == 77);
    memset(user_data, 0xff, USER_DATA);
    if (size < sizeof in || size > BUFFER || room > BUFFER ||
        !fetch(doca_devemu_vfs_req_get_datain(req))) {
        doca_devemu_vfs_req_complete(req, 0);
        return;
    }
    memcpy(&in, request, sizeof in);
    if (in.opcode == FUSE_FLUSH) {
        kept = req;
        return;
    }
    size_t n = in.opcode == FUSE_INIT ? answer_init() : in.opcode == FUSE_READ ? answer_read() : 0;
    if (in.opcode != FUSE_INIT && in.opcode != FUSE_READ)
        out.error = -ENOSYS;
    printf("opcode %u, parts %u %u\n", in.opcode, doca_devemu_vfs_req_get_datain_list_len(req),
           doca_devemu_vfs_req_get_dataout_list_len(req));
    fflush(stdout);
    out.unique = in.unique;
    out.len = (uint32_t)(sizeof out + n);
    memcpy(answer, &out, sizeof out);
    if (!to || room < out.len) {
        doca_devemu_vfs_req_complete(req, 0);
        return;
    }
    doca_devemu_vfs_req_complete(req, store(to, out.len) ? out.len : 0);
}

static void on_reset(struct doca_devemu_virtio_dev *d, union doca_data data)
{
    (void)data;
    printf("reset%s\n", kept ? " with a request" : "");
    fflush(stdout);
    if (kept) {
        CHECK(doca_devemu_virtio_dev_reset_complete(d) == DOCA_ERROR_IN_USE);
        CHECK(!fetch(doca_devemu_vfs_req_get_datain(kept))); /* its memory cannot be accessed */
        doca_devemu_vfs_req_complete(kept, 0);
        kept = NULL;
    }
    CHECK(doca_devemu_virtio_dev_reset_complete(d) == OK);
}

/* ---- Life ---- */

static struct doca_devemu_pci_type *type;
static struct doca_dev_rep *rep;

static void configure(void)
{
    static const char tag[DOCA_VFS_TAG_SIZE + 1] = "shared";
    struct doca_devemu_vfs_type *vfs_type = NULL;
    struct doca_devemu_vfs_cfg *cfg = NULL;
    CHECK(doca_devemu_vfs_cfg_create(&cfg) == OK);
    CHECK(doca_devemu_vfs_cfg_set_vfs_req_user_data_size(cfg, USER_DATA) == OK);
    CHECK(doca_devemu_vfs_init(cfg) == OK && doca_devemu_vfs_cfg_destroy(cfg) == OK);
    CHECK(doca_devemu_vfs_find_default_vfs_type_by_dev(dev, &vfs_type) == OK);
    type = doca_devemu_vfs_type_as_pci_type(vfs_type);
    CHECK(type && doca_devemu_pci_type_create_rep(type, &rep) == OK);
    CHECK(doca_devemu_vfs_dev_create(vfs_type, rep, pe, &vfs) == OK);
    struct doca_devemu_virtio_dev *virtio = doca_devemu_vfs_dev_as_virtio_dev(vfs);
    CHECK(doca_devemu_virtio_dev_set_num_queues(virtio, QUEUES) == OK);
    CHECK(doca_devemu_virtio_dev_set_queue_size(virtio, 16) == OK);
    CHECK(doca_devemu_virtio_dev_set_num_required_running_virtio_io_ctxs(virtio, 1) == OK);
    CHECK(doca_devemu_virtio_dev_event_reset_register(virtio, on_reset, (union doca_data){0}) ==
          OK);
    CHECK(doca_devemu_vfs_dev_set_tag(vfs, tag) == OK);
    CHECK(doca_devemu_vfs_dev_set_num_request_queues(vfs, QUEUES - 1) == OK);
}

static enum doca_devemu_pci_hotplug_state power(void)
{
    enum doca_devemu_pci_hotplug_state state = DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF;
    CHECK(doca_devemu_pci_dev_get_hotplug_state(doca_devemu_vfs_dev_as_pci_dev(vfs), &state) == OK);
    return state;
}

static void start(void)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    struct doca_ctx *ctx = doca_devemu_vfs_dev_as_ctx(vfs);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS); /* it waits for the IO context */
    CHECK(doca_devemu_vfs_io_create(vfs, pe, &io) == OK);
    CHECK(doca_ctx_start(doca_devemu_vfs_io_as_ctx(io)) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_devemu_vfs_io_event_vfs_req_notice_register(io, on_request,
                                                           (union doca_data){.u64 = 77}) == OK);
    CHECK(doca_ctx_start(doca_devemu_vfs_io_as_ctx(io)) == OK);
    while (doca_ctx_get_state(ctx, &state) == OK && state != DOCA_CTX_STATE_RUNNING)
        doca_pe_progress(pe);
    CHECK(doca_devemu_pci_dev_hotplug(doca_devemu_vfs_dev_as_pci_dev(vfs)) == OK);
    while (power() != DOCA_DEVEMU_PCI_HP_STATE_POWER_ON)
        doca_pe_progress(pe);
}

static void print_address(void)
{
    struct doca_devinfo_rep **list = NULL;
    uint32_t n = 0;
    char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    CHECK(doca_devemu_pci_type_create_rep_list(type, &list, &n) == OK && n == 1);
    CHECK(doca_devinfo_rep_get_pci_addr_str(list[0], address) == OK);
    CHECK(doca_devinfo_rep_destroy_list(list) == OK);
    printf("%s\n", address);
    fflush(stdout);
}

/* ---- Threads with IO contexts of their own ---- */

enum { THREADS_MAX = 4 };
static pthread_t threads[THREADS_MAX];
static int thread_count;
static atomic_bool ends;

static void *serve(void *unused)
{
    struct doca_pe *engine = NULL;
    struct doca_devemu_vfs_io *mine = NULL;
    CHECK(doca_pe_create(&engine) == OK);
    CHECK(doca_devemu_vfs_io_create(vfs, engine, &mine) == OK);
    CHECK(doca_devemu_vfs_io_event_vfs_req_notice_register(mine, on_request,
                                                           (union doca_data){.u64 = 77}) == OK);
    CHECK(doca_ctx_start(doca_devemu_vfs_io_as_ctx(mine)) == OK);
    while (!ends)
        doca_pe_progress(engine);
    CHECK(doca_ctx_stop(doca_devemu_vfs_io_as_ctx(mine)) == OK);
    CHECK(doca_devemu_vfs_io_destroy(mine) == OK && doca_pe_destroy(engine) == OK);
    return unused;
}

static void start_threads(int count)
{
    CHECK(count >= 0 && count <= THREADS_MAX);
    for (thread_count = 0; thread_count < count; thread_count++)
        CHECK(pthread_create(&threads[thread_count], NULL, serve, NULL) == 0);
}

static void stop(void)
{
    ends = true;
    while (thread_count > 0)
        CHECK(pthread_join(threads[--thread_count], NULL) == 0);
    CHECK(doca_devemu_pci_dev_hotunplug(doca_devemu_vfs_dev_as_pci_dev(vfs)) == OK);
    while (power() != DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF)
        doca_pe_progress(pe);
    CHECK(doca_devemu_vfs_dev_destroy(vfs) == DOCA_ERROR_IN_USE);
    CHECK(doca_ctx_stop(doca_devemu_vfs_io_as_ctx(io)) == OK);
    CHECK(doca_devemu_vfs_io_destroy(io) == OK);
    CHECK(doca_ctx_stop(doca_devemu_vfs_dev_as_ctx(vfs)) == OK);
    CHECK(doca_devemu_vfs_dev_destroy(vfs) == OK);
    CHECK(doca_devemu_pci_type_destroy_rep(rep) == OK);
    CHECK(doca_devemu_vfs_teardown() == OK);
    CHECK(doca_dev_close(dev) == OK && doca_pe_destroy(pe) == OK);
}

int main(int argc, char **argv)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    CHECK(f && (file_size = fread(file, 1, sizeof file - 64, f)) > 0 && fclose(f) == 0);
    dev = open_device("mlx5_0");
    CHECK(doca_pe_create(&pe) == OK);
    configure();
    start();
    start_threads(argc > 2 ? atoi(argv[2]) : 0);
    print_address();
    while (doca_pe_progress(pe) || poll(&input, 1, 0) == 0)
        ;
    stop();
    return 0;
}
