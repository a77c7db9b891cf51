/* Declarations that the tests of DOCA Device Emulation share. The program is both sides: the DPU side
 * with DOCA, and the host side with VFIO (libdpakit-vfio.so is preloaded). */
#ifndef TESTS_HOST_DEVEMU_WORLD_H
#define TESTS_HOST_DEVEMU_WORLD_H

#include <doca_ctx.h>
#include <doca_devemu_pci_ep.h>
#include <doca_dpa.h>
#include <doca_pe.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "devemu.h"
#include "doca_device.h"

#define OK            DOCA_SUCCESS
#define INVALID       DOCA_ERROR_INVALID_VALUE
#define BAD_STATE     DOCA_ERROR_BAD_STATE
#define IN_USE        DOCA_ERROR_IN_USE
#define NOT_FOUND     DOCA_ERROR_NOT_FOUND
#define NOT_SUPPORTED DOCA_ERROR_NOT_SUPPORTED

enum { STATEFUL = 0x3000, TABLE = 0x1000, PENDING = 0x2000, STRIDE = 8 };

extern struct doca_dpa_app *devemu_app;
doca_dpa_func_t bell_thread, bind_rpc, unbind_rpc, raise_rpc;

static struct doca_dev *dev;
static struct doca_pe *pe;
static bool by_data; /* doorbells of types that are made, by their low 16 bits */

/* ---- The DPU's side ---- */

static inline struct doca_devemu_pci_type *type_new(const char *name, uint16_t device_id)
{
    struct doca_devemu_pci_type *t = NULL;
    CHECK(doca_devemu_pci_type_create(name, &t) == OK);
    CHECK(doca_devemu_pci_type_set_dev(t, dev) == OK);
    CHECK(doca_devemu_pci_type_set_vendor_id(t, 0x15b3) == OK);
    CHECK(doca_devemu_pci_type_set_device_id(t, device_id) == OK);
    CHECK(doca_devemu_pci_type_set_class_code(t, 0x020000) == OK);
    CHECK(doca_devemu_pci_type_set_num_msix(t, 4) == OK);
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(t, 0, 14, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT,
                                                   1) == OK);
    CHECK((by_data ? doca_devemu_pci_type_set_bar_db_region_by_data_conf(t, 0, 0, 0x1000, 2, 1, 0)
                   : doca_devemu_pci_type_set_bar_db_region_by_offset_conf(t, 0, 0, 0x1000, 2,
                                                                           3)) == OK);
    CHECK(doca_devemu_pci_type_set_bar_msix_table_region_conf(t, 0, TABLE, 0x1000) == OK);
    CHECK(doca_devemu_pci_type_set_bar_msix_pba_region_conf(t, 0, PENDING, 0x1000) == OK);
    CHECK(doca_devemu_pci_type_set_bar_stateful_region_conf(t, 0, STATEFUL, 0x100) == OK);
    return t;
}

static inline struct doca_devemu_pci_type *started(const char *name)
{
    struct doca_devemu_pci_type *t = type_new(name, 0x1021);
    CHECK(doca_devemu_pci_type_start(t) == OK);
    return t;
}

struct world {
    struct doca_devemu_pci_type *type;
    struct doca_dev_rep *rep;
    struct doca_devemu_pci_dev *d;
    struct doca_ctx *ctx;
    unsigned changes, resets, writes;
    char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    /* On the DPA: */
    struct doca_dpa *dpa;
    struct doca_dpa_thread *thread;
    struct doca_devemu_pci_db_completion *completion;
    struct doca_devemu_pci_db *db;
    uint64_t completion_handle, db_handle;
    doca_dpa_dev_uintptr_t bell;
};

static inline void on_change(struct doca_devemu_pci_dev *d, union doca_data data)
{
    struct world *w = data.ptr;
    CHECK(d == w->d);
    w->changes++;
}

static inline void on_reset(struct doca_devemu_pci_dev *d, union doca_data data)
{
    struct world *w = data.ptr;
    CHECK(d == w->d);
    w->resets++;
}

static inline void
on_write(struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event,
         union doca_data data)
{
    struct world *w = data.ptr;
    CHECK(doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_pci_dev(event) == w->d);
    CHECK(doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_id(event) == 0);
    CHECK(doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_region_start_addr(
              event) == STATEFUL);
    w->writes++;
}

static inline enum doca_devemu_pci_hotplug_state state_of(const struct world *w)
{
    enum doca_devemu_pci_hotplug_state state;
    CHECK(doca_devemu_pci_dev_get_hotplug_state(w->d, &state) == OK);
    return state;
}

static inline void until(const struct world *w, enum doca_devemu_pci_hotplug_state state)
{
    while (doca_pe_progress(pe) || state_of(w) != state)
        sched_yield();
}

static inline void find_address(struct world *w)
{
    struct doca_devinfo_rep **list = NULL;
    uint32_t n = 0;
    uint8_t hotplug = 0;
    CHECK(doca_devemu_pci_type_create_rep_list(w->type, &list, &n) == OK && n == 1);
    CHECK(doca_devinfo_rep_get_pci_addr_str(list[0], w->address) == OK);
    CHECK(doca_devinfo_rep_get_is_hotplug(list[0], &hotplug) == OK && hotplug == 1);
    CHECK(doca_devinfo_rep_destroy_list(list) == OK);
}

/* A context of a function, not started. */
static inline void make(struct world *w)
{
    *w = (struct world){.type = started("a test")};
    CHECK(doca_devemu_pci_type_create_rep(w->type, &w->rep) == OK);
    CHECK(doca_devemu_pci_dev_create(w->type, w->rep, pe, &w->d) == OK);
    w->ctx = doca_devemu_pci_dev_as_ctx(w->d);
    const union doca_data data = {.ptr = w};
    CHECK(doca_devemu_pci_dev_event_hotplug_state_change_register(w->d, on_change, data) == OK);
    CHECK(doca_devemu_pci_dev_event_flr_register(w->d, on_reset, data) == OK);
    CHECK(doca_devemu_pci_dev_event_bar_stateful_region_driver_write_register(
              w->d, on_write, 0, STATEFUL, data) == OK);
    CHECK(doca_devemu_pci_dev_event_bar_stateful_region_driver_write_register(
              w->d, on_write, 0, STATEFUL + 8, data) == NOT_FOUND);
}

static inline void plug(struct world *w)
{
    CHECK(doca_ctx_start(w->ctx) == OK);
    CHECK(state_of(w) == DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF);
    CHECK(doca_devemu_pci_dev_hotunplug(w->d) == BAD_STATE);
    CHECK(doca_devemu_pci_dev_hotplug(w->d) == OK);
    CHECK(doca_devemu_pci_dev_hotplug(w->d) == BAD_STATE);
    until(w, DOCA_DEVEMU_PCI_HP_STATE_POWER_ON);
    CHECK(w->changes >= 1);
    find_address(w);
}

static inline void unplug(struct world *w)
{
    CHECK(doca_devemu_pci_dev_hotunplug(w->d) == OK);
    until(w, DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF);
    CHECK(doca_ctx_stop(w->ctx) == OK);
    CHECK(doca_devemu_pci_dev_destroy(w->d) == OK);
    CHECK(doca_devemu_pci_type_destroy_rep(w->rep) == OK);
    CHECK(doca_devemu_pci_type_stop(w->type) == OK);
    CHECK(doca_devemu_pci_type_destroy(w->type) == OK);
}

/* ---- The DPA ---- */

static inline void make_dpa(struct world *w)
{
    CHECK(doca_dpa_create(dev, &w->dpa) == OK && doca_dpa_set_app(w->dpa, devemu_app) == OK);
    CHECK(doca_dpa_start(w->dpa) == OK);
    CHECK(doca_dpa_mem_alloc(w->dpa, sizeof(struct bell), &w->bell) == OK);
    CHECK(doca_dpa_thread_create(w->dpa, &w->thread) == OK);
    CHECK(doca_dpa_thread_set_func_arg(w->thread, bell_thread, w->bell) == OK);
    CHECK(doca_dpa_thread_start(w->thread) == OK);
    CHECK(doca_devemu_pci_db_completion_create(w->thread, &w->completion) == OK);
    CHECK(doca_devemu_pci_db_completion_start(w->completion) == OK);
    CHECK(doca_devemu_pci_db_completion_get_dpa_handle(w->completion, &w->completion_handle) == OK);
    struct bell bell = {.completion = w->completion_handle};
    CHECK(doca_dpa_h2d_memcpy(w->dpa, w->bell, &bell, sizeof bell) == OK);
    CHECK(doca_dpa_thread_run(w->thread) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(w->ctx, w->dpa) == OK);
}

static inline void make_bell(struct world *w, uint32_t id, uint64_t data)
{
    uint64_t result = 1;
    CHECK(doca_devemu_pci_db_create_on_dpa(w->d, w->completion, 0, 0, id, data, &w->db) == OK);
    CHECK(doca_devemu_pci_db_get_dpa_handle(w->db, &w->db_handle) == OK);
    CHECK(doca_dpa_rpc(w->dpa, bind_rpc, &result, w->completion_handle, w->db_handle) == OK);
    CHECK(result == 0);
    CHECK(doca_dpa_rpc(w->dpa, bind_rpc, &result, w->completion_handle, w->db_handle) == OK);
    CHECK((int)result == -1);
    CHECK(doca_devemu_pci_db_start(w->db) == OK);
}

static inline struct bell bell_of(const struct world *w)
{
    struct bell bell;
    CHECK(doca_dpa_d2h_memcpy(w->dpa, &bell, w->bell, sizeof bell) == OK);
    return bell;
}

static inline struct bell await_ring(const struct world *w, uint32_t value, uint32_t rings)
{
    struct bell bell = bell_of(w);
    while (bell.value != value || bell.rings < rings) {
        sched_yield();
        bell = bell_of(w);
    }
    return bell;
}

static inline void destroy_dpa(struct world *w)
{
    CHECK(doca_devemu_pci_db_completion_stop(w->completion) == OK);
    CHECK(doca_devemu_pci_db_completion_destroy(w->completion) == OK);
    CHECK(doca_dpa_thread_destroy(w->thread) == OK);
}

/* ---- The host's side ---- */

struct host {
    int container, group, device;
    uint8_t *bar;
};

static inline int group_of(const char *address)
{
    char path[80], to[80];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/iommu_group", address);
    const ssize_t n = readlink(path, to, sizeof to - 1);
    CHECK(n > 0);
    to[n] = '\0';
    return atoi(strrchr(to, '/') + 1);
}

static inline int open_group(int group)
{
    char path[40];
    snprintf(path, sizeof path, "/dev/vfio/%d", group);
    return open(path, O_RDWR);
}

static inline struct host open_host(const struct world *w)
{
    struct host h = {.container = open("/dev/vfio/vfio", O_RDWR),
                     .group = open_group(group_of(w->address))};
    struct vfio_group_status status = {.argsz = sizeof status};
    struct vfio_region_info bar = {.argsz = sizeof bar}, space = bar;
    uint32_t ids = 0;
    CHECK(h.container >= 0 && h.group >= 0);
    CHECK(ioctl(h.container, VFIO_GET_API_VERSION) == VFIO_API_VERSION);
    CHECK(ioctl(h.container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) == 1);
    CHECK(ioctl(h.group, VFIO_GROUP_GET_STATUS, &status) == 0);
    CHECK(status.flags & VFIO_GROUP_FLAGS_VIABLE);
    CHECK(ioctl(h.group, VFIO_GROUP_SET_CONTAINER, &h.container) == 0);
    CHECK(ioctl(h.container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == 0);
    CHECK(ioctl(h.group, VFIO_GROUP_GET_DEVICE_FD, "0000:00:00.0") == -1 && errno == ENODEV);
    CHECK((h.device = ioctl(h.group, VFIO_GROUP_GET_DEVICE_FD, w->address)) >= 0);
    space.index = VFIO_PCI_CONFIG_REGION_INDEX;
    CHECK(ioctl(h.device, VFIO_DEVICE_GET_REGION_INFO, &space) == 0 && space.size == 4096);
    CHECK(pread(h.device, &ids, sizeof ids, (off_t)space.offset) == sizeof ids);
    CHECK(ids == 0x102115b3);
    CHECK(ioctl(h.device, VFIO_DEVICE_GET_REGION_INFO, &bar) == 0 && bar.size == 1 << 14);
    h.bar = mmap(NULL, bar.size, PROT_READ | PROT_WRITE, MAP_SHARED, h.device, (off_t)bar.offset);
    CHECK(h.bar != MAP_FAILED);
    return h;
}

static inline void close_host(struct host *h)
{
    munmap(h->bar, 1 << 14);
    CHECK(close(h->device) == 0 && close(h->group) == 0 && close(h->container) == 0);
}

static inline void ring(const struct host *h, unsigned id, uint32_t value)
{
    *(volatile uint32_t *)(void *)(h->bar + id * STRIDE) = value;
}

/* Connects `count` of the four interrupts to these descriptors. Returns the result of ioctl. */
static inline int set_irqs(int device, const int fds[4], uint32_t count)
{
    struct {
        struct vfio_irq_set head;
        int fds[4];
    } set = {.head = {.argsz = sizeof set,
                      .flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
                      .index = VFIO_PCI_MSIX_IRQ_INDEX,
                      .count = count}};
    memcpy(set.head.data, fds, sizeof set.fds);
    return ioctl(device, VFIO_DEVICE_SET_IRQS, &set);
}

/* Connects the four interrupts to these descriptors. */
static inline void set_events(const struct host *h, const int fds[4])
{
    struct vfio_irq_info info = {.argsz = sizeof info, .index = VFIO_PCI_MSIX_IRQ_INDEX};
    CHECK(ioctl(h->device, VFIO_DEVICE_GET_IRQ_INFO, &info) == 0 && info.count == 4);
    CHECK(set_irqs(h->device, fds, 4) == 0);
    CHECK(set_irqs(h->device, fds, 5) == -1 && errno == EINVAL);
}

/* The body of main, after its table of cases. */
static inline int run_on_card(const struct test_case *cases, size_t count, int argc, char **argv)
{
    const struct test_case *c = find_case(cases, count, argc, argv);
    if (!c)
        return 98;
    dev = open_device("mlx5_0");
    CHECK(doca_pe_create(&pe) == OK);
    c->run();
    return 0;
}

#endif
