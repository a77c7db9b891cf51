/* Memory of the host's driver that emulated functions access, one behaviour each; main runs the
 * function that argv[1] names. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <sys/prctl.h>

#include "devemu_world.h"

enum { PAGE = 4096, PAGES = 6, MASTER = 6, IOVA = 0x100000 };
#define BOTH (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)

/* ---- The host's side ---- */

static uint8_t *pages; /* of the driver */

static void set_command(const struct host *h, uint16_t command)
{
    struct vfio_region_info space = {.argsz = sizeof space, .index = VFIO_PCI_CONFIG_REGION_INDEX};
    CHECK(ioctl(h->device, VFIO_DEVICE_GET_REGION_INFO, &space) == 0);
    CHECK(pwrite(h->device, &command, sizeof command, (off_t)space.offset + 4) == 2);
}

static int map(const struct host *h, uint64_t iova, const uint8_t *at, uint64_t size,
               uint32_t flags)
{
    struct vfio_iommu_type1_dma_map m = {
        .argsz = sizeof m, .flags = flags, .vaddr = (uintptr_t)at, .iova = iova, .size = size};
    return ioctl(h->container, VFIO_IOMMU_MAP_DMA, &m);
}

/* How much that was; -1. */
static long unmap(const struct host *h, uint64_t iova, uint64_t size, uint32_t flags)
{
    struct vfio_iommu_type1_dma_unmap u = {
        .argsz = sizeof u, .flags = flags, .iova = iova, .size = size};
    return ioctl(h->container, VFIO_IOMMU_UNMAP_DMA, &u) == 0 ? (long)u.size : -1;
}

static void new_pages(void)
{
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    for (unsigned i = 0; i < PAGES * PAGE; i++)
        pages[i] = (uint8_t)(i / PAGE + 1);
}

/* ---- The DPU's side ---- */

static struct doca_dma *dma;
static struct doca_buf_inventory *inventory;
static struct doca_mmap *own_map, *its_map;
static uint8_t own[PAGES * PAGE];
static unsigned ended;
static doca_error_t status;

static void on_end(struct doca_dma_task_memcpy *task, union doca_data a, union doca_data b)
{
    (void)a, (void)b;
    ended++;
    status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* A context ends by its first error: each copy has one of its own. */
static void begin_copies(void)
{
    CHECK(doca_dma_create(dev, &dma) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 1) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_ctx_start(doca_dma_as_ctx(dma)) == OK);
}

static void end_copies(void)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
    doca_ctx_stop(doca_dma_as_ctx(dma));
    while (doca_ctx_get_state(doca_dma_as_ctx(dma), &state) == OK && state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
    CHECK(doca_dma_destroy(dma) == OK);
}

static void map_range(struct doca_mmap *m, uint64_t at, size_t size)
{
    CHECK(doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_set_permissions(m, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == OK);
    CHECK(doca_mmap_set_memrange(m, (void *)(uintptr_t)at, size) == OK);
    CHECK(doca_mmap_start(m) == OK);
}

static void reach(struct world *w)
{
    CHECK(doca_mmap_create(&own_map) == OK);
    map_range(own_map, (uintptr_t)own, sizeof own);
    CHECK(doca_devemu_pci_mmap_create(w->d, &its_map) == OK);
    map_range(its_map, IOVA, PAGES * PAGE);
    CHECK(doca_buf_inventory_create(2, &inventory) == OK);
    CHECK(doca_buf_inventory_start(inventory) == OK);
}

static void leave(void)
{
    CHECK(doca_mmap_destroy(own_map) == OK && doca_mmap_destroy(its_map) == OK);
    CHECK(doca_buf_inventory_destroy(inventory) == OK);
}

/* Copies from there, or to there, at an offset of both; what became of the task. */
static doca_error_t copy(bool to_host, size_t offset, size_t size)
{
    const unsigned before = ended;
    struct doca_dma_task_memcpy *task = NULL;
    struct doca_buf *there, *here;
    void *at = (void *)(uintptr_t)(IOVA + offset);
    begin_copies();
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, its_map, at, size, &there) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, own_map, own + offset, size, &here) == OK);
    CHECK((to_host ? doca_buf_set_data(here, own + offset, size)
                   : doca_buf_set_data(there, at, size)) == OK);
    CHECK(doca_dma_task_memcpy_alloc_init(dma, to_host ? here : there, to_host ? there : here,
                                          (union doca_data){0}, &task) == OK);
    CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)) == OK);
    while (ended == before)
        doca_pe_progress(pe);
    CHECK(doca_buf_dec_refcount(there, NULL) == OK && doca_buf_dec_refcount(here, NULL) == OK);
    end_copies();
    return status;
}

static bool all_are(const uint8_t *at, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != value)
            return false;
    return true;
}

/* A function that is on, with its driver, and what both have. */
static struct host open_all(struct world *w)
{
    make(w);
    plug(w);
    struct host h = open_host(w);
    set_command(&h, MASTER);
    new_pages();
    reach(w);
    return h;
}

/* ---- Cases ---- */

/* Ranges that are side by side on the bus, and apart in the driver. */
static void memory_is_copied_across_mappings(void)
{
    struct world w;
    struct host h = open_all(&w);
    CHECK(map(&h, IOVA, pages + 4 * PAGE, PAGE, BOTH) == 0);
    CHECK(map(&h, IOVA + PAGE, pages, 2 * PAGE, BOTH) == 0);
    CHECK(copy(false, 100, 3 * PAGE - 100) == OK);
    CHECK(all_are(own + 100, PAGE - 100, 5) && all_are(own + PAGE, PAGE, 1));
    CHECK(all_are(own + 2 * PAGE, PAGE, 2) && own[99] == 0 && own[3 * PAGE] == 0);
    memset(own, 77, sizeof own);
    CHECK(copy(true, PAGE - 8, 16) == OK);
    CHECK(pages[5 * PAGE - 9] == 5 && all_are(pages + 5 * PAGE - 8, 8, 77));
    CHECK(all_are(pages, 8, 77) && pages[8] == 1);
    CHECK(copy(false, 2 * PAGE, PAGE + 1) == DOCA_ERROR_IO_FAILED); /* its end is not mapped */
    close_host(&h);
    leave();
    unplug(&w);
}

static void the_driver_says_what_may_be(void)
{
    struct world w;
    struct host h = open_all(&w);
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    CHECK(map(&h, IOVA, pages, PAGE, VFIO_DMA_MAP_FLAG_READ) == 0);
    CHECK(map(&h, IOVA + PAGE, pages + PAGE, PAGE, VFIO_DMA_MAP_FLAG_WRITE) == 0);
    CHECK(copy(false, 0, 8) == OK && copy(true, 0, 8) == DOCA_ERROR_IO_FAILED);
    CHECK(copy(true, PAGE, 8) == OK && copy(false, PAGE, 8) == DOCA_ERROR_IO_FAILED);
    set_command(&h, 2); /* no master of its bus */
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    set_command(&h, MASTER);
    CHECK(copy(false, 0, 8) == OK && own[0] == 1);
    CHECK(unmap(&h, IOVA, PAGE, 0) == PAGE);
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    CHECK(map(&h, IOVA, pages + 3 * PAGE, PAGE, BOTH) == 0); /* other memory, at the same place */
    CHECK(copy(false, 0, 8) == OK && own[0] == 4);
    CHECK(munmap(pages + 3 * PAGE, PAGE) == 0); /* it is the driver's fault */
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    close_host(&h);
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    leave();
    unplug(&w);
}

static void refused(const struct host *h, uint64_t iova, const uint8_t *at, uint64_t size,
                    uint32_t flags, int error)
{
    CHECK(map(h, iova, at, size, flags) == -1 && errno == error);
}

static void mappings_are_checked(void)
{
    struct world w;
    struct host h = open_all(&w);
    struct vfio_iommu_type1_info info = {.argsz = sizeof info};
    CHECK(ioctl(h.container, VFIO_IOMMU_GET_INFO, &info) == 0 && info.iova_pgsizes & PAGE);
    CHECK(ioctl(h.container, VFIO_CHECK_EXTENSION, VFIO_UNMAP_ALL) == 1);
    refused(&h, IOVA, pages, PAGE, 0, EINVAL);
    refused(&h, IOVA, pages, PAGE, 64, EINVAL);
    refused(&h, IOVA, pages, 0, BOTH, EINVAL);
    refused(&h, IOVA, pages, 100, BOTH, EINVAL);
    refused(&h, IOVA + 8, pages, PAGE, BOTH, EINVAL);
    refused(&h, IOVA, pages + 8, PAGE, BOTH, EINVAL);
    refused(&h, UINT64_MAX - PAGE + 1, pages, 2 * PAGE, BOTH, EINVAL);
    uint8_t *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    refused(&h, IOVA, none, PAGE, BOTH, EFAULT);
    CHECK(map(&h, IOVA, pages, 2 * PAGE, BOTH) == 0);
    refused(&h, IOVA + PAGE, pages, PAGE, BOTH, EEXIST);
    CHECK(map(&h, IOVA + 2 * PAGE, pages, PAGE, BOTH) == 0);  /* the same memory again */
    CHECK(unmap(&h, IOVA, PAGE, 0) == -1 && errno == EINVAL); /* a half */
    CHECK(unmap(&h, IOVA + PAGE, 3 * PAGE, 0) == -1 && errno == EINVAL);
    CHECK(unmap(&h, IOVA + 8 * PAGE, PAGE, 0) == 0); /* nothing is there */
    CHECK(unmap(&h, IOVA, 8 * PAGE, 0) == 3 * PAGE);
    CHECK(map(&h, 0, pages, PAGE, BOTH) == 0 && map(&h, IOVA, pages, PAGE, BOTH) == 0);
    CHECK(unmap(&h, IOVA, 0, VFIO_DMA_UNMAP_FLAG_ALL) == -1 && errno == EINVAL);
    CHECK(unmap(&h, 0, 0, VFIO_DMA_UNMAP_FLAG_ALL) == 2 * PAGE);
    close_host(&h);
    leave();
    unplug(&w);
}

/* Who maps needs a group in the container, and an IOMMU. */
static void containers_have_their_order(void)
{
    struct world w;
    make(&w);
    plug(&w);
    new_pages();
    struct host h = {.container = open("/dev/vfio/vfio", O_RDWR),
                     .group = open_group(group_of(w.address))};
    struct vfio_group_status state = {.argsz = sizeof state};
    CHECK(h.container >= 0 && h.group >= 0);
    CHECK(ioctl(h.container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == -1 && errno == EINVAL);
    CHECK(ioctl(h.group, VFIO_GROUP_GET_DEVICE_FD, w.address) == -1 && errno == EINVAL);
    CHECK(ioctl(h.group, VFIO_GROUP_UNSET_CONTAINER) == -1 && errno == EINVAL);
    CHECK(ioctl(h.group, VFIO_GROUP_SET_CONTAINER, &h.group) == -1 && errno == EINVAL);
    CHECK(ioctl(h.group, VFIO_GROUP_SET_CONTAINER, &h.container) == 0);
    CHECK(ioctl(h.group, VFIO_GROUP_SET_CONTAINER, &h.container) == -1 && errno == EINVAL);
    CHECK(ioctl(h.group, VFIO_GROUP_GET_STATUS, &state) == 0);
    CHECK(state.flags == (VFIO_GROUP_FLAGS_VIABLE | VFIO_GROUP_FLAGS_CONTAINER_SET));
    CHECK(map(&h, IOVA, pages, PAGE, BOTH) == -1 && errno == EINVAL);
    CHECK(ioctl(h.container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == 0);
    CHECK(ioctl(h.container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == -1 && errno == EINVAL);
    CHECK(map(&h, IOVA, pages, PAGE, BOTH) == 0);
    CHECK((h.device = ioctl(h.group, VFIO_GROUP_GET_DEVICE_FD, w.address)) >= 0);
    CHECK(ioctl(h.group, VFIO_GROUP_UNSET_CONTAINER) == -1 && errno == EBUSY);
    set_command(&h, MASTER);
    reach(&w);
    CHECK(copy(false, 0, 8) == OK);
    CHECK(close(h.container) == 0); /* the group keeps it */
    CHECK(copy(false, 0, 8) == OK);
    CHECK(close(h.device) == 0 && ioctl(h.group, VFIO_GROUP_UNSET_CONTAINER) == 0);
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    CHECK(close(h.group) == 0);
    leave();
    unplug(&w);
}

static void maps_are_of_a_function_that_runs(void)
{
    struct world w;
    const void *bytes;
    size_t size;
    uint8_t able = 0;
    make(&w);
    CHECK(doca_devemu_pci_cap_is_mmap_add_dev_supported(doca_dev_as_devinfo(dev), &able) == OK);
    CHECK(able == 1);
    CHECK(doca_devemu_pci_mmap_create(w.d, &its_map) == BAD_STATE && !its_map);
    plug(&w);
    CHECK(doca_devemu_pci_mmap_create(w.d, NULL) == INVALID);
    CHECK(doca_devemu_pci_ep_mmap_create(NULL, &its_map) == INVALID);
    reach(&w);
    CHECK(doca_mmap_export_pci(its_map, dev, &bytes, &size) == NOT_SUPPORTED);
    CHECK(doca_mmap_export_rdma(its_map, dev, &bytes, &size) == NOT_SUPPORTED);
    CHECK(doca_devemu_pci_dev_destroy(w.d) == IN_USE);
    CHECK(doca_ctx_stop(w.ctx) == DOCA_ERROR_IN_PROGRESS); /* until the map is gone */
    leave();
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    while (state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        CHECK(doca_ctx_get_state(w.ctx, &state) == OK);
    }
    CHECK(doca_ctx_start(w.ctx) == OK);
    unplug(&w);
}

/* ---- Drivers that die ---- */

/* A driver that has memory mapped, and does nothing more. */
static pid_t spawn_driver(const struct world *w)
{
    int fds[2];
    char byte;
    CHECK(pipe(fds) == 0);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const struct host h = open_host(w);
        set_command(&h, MASTER);
        CHECK(map(&h, IOVA, pages, PAGES * PAGE, BOTH) == 0 && write(fds[1], "x", 1) == 1);
        for (;;)
            pause();
    }
    close(fds[1]);
    CHECK(read(fds[0], &byte, 1) == 1);
    close(fds[0]);
    return child;
}

static void a_killed_driver_takes_its_memory_along(void)
{
    struct world w;
    make(&w);
    plug(&w);
    new_pages();
    reach(&w);
    for (int i = 0; i < 20; i++) {
        const pid_t driver = spawn_driver(&w);
        CHECK(copy(false, 0, sizeof own) == OK && own[0] == 1 && own[sizeof own - 1] == PAGES);
        CHECK(kill(driver, SIGKILL) == 0 && waitpid(driver, NULL, 0) == driver);
        CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
        CHECK(copy(true, 0, sizeof own) == DOCA_ERROR_IO_FAILED);
    }
    struct host h = open_host(&w); /* nothing is mapped of those before */
    set_command(&h, MASTER);
    CHECK(copy(false, 0, 8) == DOCA_ERROR_IO_FAILED);
    CHECK(map(&h, IOVA, pages, PAGE, BOTH) == 0 && copy(false, 0, 8) == OK);
    close_host(&h);
    leave();
    unplug(&w);
}

static const struct test_case cases[] = {CASE(memory_is_copied_across_mappings),
                                         CASE(the_driver_says_what_may_be),
                                         CASE(mappings_are_checked),
                                         CASE(containers_have_their_order),
                                         CASE(maps_are_of_a_function_that_runs),
                                         CASE(a_killed_driver_takes_its_memory_along)};

int main(int argc, char **argv)
{
    return run_on_card(cases, sizeof cases / sizeof *cases, argc, argv);
}
