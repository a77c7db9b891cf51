/* DOCA Device Emulation, one behaviour each; main runs the function that argv[1] names. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>

#include <doca_devemu_vfs_io.h>
#include <doca_devemu_vfs_type.h>

#include "devemu_world.h"

/* ---- Types and functions ---- */

static void types_are_checked(void)
{
    struct doca_devemu_pci_type *t = NULL, *other;
    uint8_t able = 0;
    uint16_t max = 0;
    CHECK(doca_devemu_pci_type_create("", &t) == INVALID);
    CHECK(doca_devemu_pci_type_create("a name of thirty-two letters ...", &t) == INVALID);
    CHECK(doca_devemu_pci_type_create("alone", &t) == OK);
    CHECK(doca_devemu_pci_cap_type_is_hotplug_supported(doca_dev_as_devinfo(dev), t, &able) == OK);
    CHECK(able == 1);
    CHECK(doca_devemu_pci_cap_type_get_max_num_db(doca_dev_as_devinfo(dev), &max) == OK);
    CHECK(max == 1024);
    CHECK(doca_devemu_pci_type_start(t) == DOCA_ERROR_BAD_CONFIG); /* no device */
    CHECK(doca_devemu_pci_type_set_dev(t, dev) == OK);
    CHECK(doca_dev_close(dev) == IN_USE);
    CHECK(doca_devemu_pci_type_set_bar_stateful_region_conf(t, 0, 0, 64) == OK);
    CHECK(doca_devemu_pci_type_start(t) == DOCA_ERROR_BAD_CONFIG); /* no BAR */
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(t, 0, 12, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_32_BIT,
                                                   0) == OK);
    CHECK(doca_devemu_pci_type_set_bar_stateful_region_conf(t, 0, 32, 64) == OK);
    CHECK(doca_devemu_pci_type_start(t) == DOCA_ERROR_BAD_CONFIG); /* they overlap */
    CHECK(doca_devemu_pci_type_set_bar_stateful_region_conf(t, 0, 0, 32) == OK);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_data_conf(t, 0, 128, 64, 2, 4, 0) == INVALID);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_data_conf(t, 0, 128, 64, 3, 1, 0) ==
          NOT_SUPPORTED);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_offset_conf(t, 0, 128, 64, 3, 3) ==
          NOT_SUPPORTED);
    CHECK(doca_devemu_pci_type_start(t) == OK);
    CHECK(doca_devemu_pci_type_set_device_id(t, 1) == BAD_STATE);
    CHECK(doca_devemu_pci_type_stop(t) == OK && doca_devemu_pci_type_destroy(t) == OK);
    t = started("two");
    struct doca_dev_rep *rep = NULL;
    CHECK(doca_devemu_pci_type_create_rep(t, &rep) == OK);
    other = type_new("two", 0x1022);
    CHECK(doca_devemu_pci_type_start(other) == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_devemu_pci_type_destroy(other) == OK);
    CHECK(doca_devemu_pci_type_destroy_rep(rep) == OK);
    CHECK(doca_devemu_pci_type_destroy(t) == OK);
}

/* Limits of types, the properties of a type, and the remaining room for functions. */
static void types_tell_of_themselves(void)
{
    const struct doca_devinfo *card = doca_dev_as_devinfo(dev);
    struct doca_devemu_pci_type *t = type_new("tells", 0x1021);
    struct doca_devemu_pci_resources *before = NULL, *after = NULL;
    struct doca_dev_rep *rep = NULL;
    struct doca_dev *of = NULL;
    char name[DOCA_DEVEMU_PCI_TYPE_NAME_LEN];
    uint8_t u8 = 9;
    uint16_t u16 = 9;
    uint32_t u32 = 9, more = 0;
    CHECK(doca_devemu_pci_cap_type_get_max_bars(card, &u8) == OK && u8 == 6);
    CHECK(doca_devemu_pci_cap_type_get_log_max_bar_size(card, &u8) == OK && u8 == 26);
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(t, 2, u8, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_32_BIT,
                                                   0) == OK);
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(
              t, 2, (uint8_t)(u8 + 1), DOCA_DEVEMU_PCI_BAR_MEM_TYPE_32_BIT, 0) == INVALID);
    CHECK(doca_devemu_pci_cap_type_get_max_num_msix(card, &u16) == OK);
    CHECK(doca_devemu_pci_type_set_num_msix(t, (uint16_t)(u16 + 1)) == INVALID);
    CHECK(doca_devemu_pci_cap_bar_get_max_bar_db_regions(card, &u32) == OK && u32 == 16);
    CHECK(doca_devemu_pci_cap_bar_db_region_get_region_block_size(card, &u32) == OK);
    CHECK(doca_devemu_pci_cap_bar_db_region_get_max_num_region_blocks(card, &more) == OK);
    CHECK(u32 * more == 1u << 26);
    CHECK(doca_devemu_pci_cap_bar_msix_table_region_get_start_addr_alignment(card, NULL) ==
          INVALID);
    CHECK(doca_devemu_pci_cap_type_is_bar_mem_type_supported(
              card, (enum doca_devemu_pci_bar_mem_type)3, &u8) == OK &&
          u8 == 0);
    CHECK(doca_devemu_pci_type_set_io_bar_conf(t, 1, 8) == NOT_SUPPORTED);

    CHECK(doca_devemu_pci_type_get_device_id(t, &u16) == OK && u16 == 0x1021);
    CHECK(doca_devemu_pci_type_get_class_code(t, &u32) == OK && u32 == 0x020000);
    CHECK(doca_devemu_pci_type_get_num_msix(t, &u16) == OK && u16 == 4);
    CHECK(doca_devemu_pci_type_get_num_msix(t, NULL) == INVALID);
    CHECK(doca_devemu_pci_type_get_num_db(t, &u16) == OK && u16 == 1024);
    CHECK(doca_devemu_pci_type_set_num_db(t, 1025) == INVALID);
    CHECK(doca_devemu_pci_type_set_num_db(t, 7) == OK);
    CHECK(doca_devemu_pci_type_get_num_db(t, &u16) == OK && u16 == 7);
    CHECK(doca_devemu_pci_type_get_dev(t, &of) == OK && of == dev);
    CHECK(doca_devemu_pci_type_get_name(t, &name) == OK && strcmp(name, "tells") == 0);
    CHECK(doca_devemu_pci_type_is_started(t, &u8) == OK && u8 == 0);
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(t, 2, 0, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_32_BIT,
                                                   0) == OK);
    CHECK(doca_devemu_pci_type_start(t) == OK);
    CHECK(doca_devemu_pci_type_is_started(t, &u8) == OK && u8 == 1);

    CHECK(doca_devemu_pci_get_available_resources(card, &before) == OK);
    CHECK(doca_devemu_pci_dev_create_rep(t, &rep) == OK);
    CHECK(doca_devemu_pci_get_available_resources(card, &after) == OK);
    CHECK(doca_devemu_pci_resources_get_num_msix(before, &more) == OK);
    CHECK(doca_devemu_pci_resources_get_num_msix(after, &u32) == OK && more - u32 == 2048);
    CHECK(doca_devemu_pci_resources_get_num_db(before, &more) == OK);
    CHECK(doca_devemu_pci_resources_get_num_db(after, &u32) == OK && more - u32 == 1024);
    CHECK(doca_devemu_pci_release_resources(before) == OK);
    CHECK(doca_devemu_pci_release_resources(before) == INVALID);
    CHECK(doca_devemu_pci_release_resources(after) == OK);
    CHECK(doca_devemu_pci_dev_destroy_rep(rep) == OK);
    CHECK(doca_devemu_pci_type_destroy(t) == OK);
}

/* No device has virtio-fs devices, and programs for them learn that before they make any. */
static void on_notification(struct doca_devemu_vfs_notification_req *req, void *user_data,
                            union doca_data data)
{
    (void)req, (void)user_data, (void)data;
    CHECK(!"called");
}

/* Arguments and states of virtio-fs devices. vfs_dpu.c has their work. */
static void virtio_fs_devices_are_checked(void)
{
    static const char tag[DOCA_VFS_TAG_SIZE + 1] = "shared", long_tag[] = "123456789012345678901";
    struct doca_devemu_vfs_cfg *cfg = NULL;
    struct doca_devemu_vfs_type *type = NULL, *same = NULL;
    struct doca_devemu_vfs_dev *vfs = NULL;
    struct doca_devemu_pci_dev *plain = NULL;
    struct doca_devemu_vfs_io *io = NULL;
    struct doca_dev_rep *rep = NULL;
    char found[DOCA_VFS_TAG_SIZE + 1];
    uint8_t supported = 9;
    uint16_t number = 0;
    CHECK(doca_devemu_vfs_is_default_vfs_type_supported(doca_dev_as_devinfo(dev), &supported) ==
              OK &&
          supported == 1);
    CHECK(doca_devemu_vfs_is_default_vfs_type_supported(doca_dev_as_devinfo(dev), NULL) == INVALID);
    CHECK(doca_devemu_vfs_teardown() == BAD_STATE);
    CHECK(doca_devemu_vfs_cfg_create(&cfg) == OK);
    CHECK(doca_devemu_vfs_cfg_set_vfs_req_user_data_size(cfg, 4097) == INVALID);
    CHECK(doca_devemu_vfs_init(cfg) == OK && doca_devemu_vfs_init(cfg) == BAD_STATE);
    CHECK(doca_devemu_vfs_cfg_destroy(cfg) == OK && doca_devemu_vfs_init(cfg) == INVALID);
    CHECK(doca_devemu_vfs_find_default_vfs_type_by_dev(dev, NULL) == INVALID);
    CHECK(doca_devemu_vfs_find_default_vfs_type_by_dev(dev, &type) == OK);
    CHECK(doca_devemu_vfs_find_default_vfs_type_by_dev(dev, &same) == OK && same == type);
    struct doca_devemu_pci_type *pci = doca_devemu_vfs_type_as_pci_type(type);
    CHECK(doca_devemu_pci_type_stop(pci) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_devemu_pci_type_destroy(pci) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_devemu_pci_type_create_rep(pci, &rep) == OK);
    CHECK(doca_devemu_pci_dev_create(pci, rep, pe, &plain) == INVALID && !plain);
    CHECK(doca_devemu_vfs_dev_create(type, rep, NULL, &vfs) == INVALID && !vfs);
    CHECK(doca_devemu_vfs_dev_create(type, rep, pe, &vfs) == OK);
    struct doca_devemu_virtio_dev *virtio = doca_devemu_vfs_dev_as_virtio_dev(vfs);
    struct doca_devemu_virtio_type *virtio_type = doca_devemu_vfs_type_as_virtio_type(type);
    CHECK(doca_devemu_virtio_type_as_pci_type(virtio_type) == pci);
    CHECK(doca_devemu_virtio_type_get_num_queues(virtio_type, &number) == OK && number == 2);
    CHECK(doca_devemu_virtio_type_get_queue_size(virtio_type, &number) == OK && number == 64);
    CHECK(doca_devemu_virtio_dev_as_ctx(virtio) == doca_devemu_vfs_dev_as_ctx(vfs));
    CHECK(doca_devemu_virtio_dev_as_pci_dev(virtio) == doca_devemu_vfs_dev_as_pci_dev(vfs));
    CHECK(doca_devemu_vfs_dev_set_vfs_req_user_data_size(vfs, 4097) == INVALID);
    CHECK(doca_devemu_vfs_dev_set_tag(vfs, long_tag) == INVALID);
    CHECK(doca_devemu_vfs_dev_set_tag(vfs, tag) == OK);
    CHECK(doca_devemu_vfs_dev_set_num_request_queues(vfs, 64) == INVALID);
    CHECK(doca_devemu_vfs_dev_set_num_request_queues(vfs, 16) == OK);
    CHECK(doca_devemu_virtio_dev_set_queue_size(virtio, 24) == INVALID);
    CHECK(doca_devemu_virtio_dev_set_num_queues(virtio, 65) == INVALID);
    CHECK(doca_devemu_virtio_dev_set_device_features_63_0(virtio, 1) == INVALID);
    CHECK(doca_devemu_virtio_dev_get_num_enabled_queues(virtio, &number) == BAD_STATE);
    CHECK(doca_devemu_vfs_io_create(vfs, pe, &io) == OK);
    CHECK(doca_devemu_vfs_io_event_vfs_notification_req_notice_register(
              io, on_notification, (union doca_data){0}) == NOT_SUPPORTED);
    CHECK(doca_devemu_virtio_io_as_ctx(doca_devemu_vfs_io_as_virtio_io(io)) ==
          doca_devemu_vfs_io_as_ctx(io));
    CHECK(doca_devemu_vfs_dev_get_tag(vfs, found) == OK && strcmp(found, tag) == 0);
    CHECK(doca_devemu_vfs_dev_destroy(vfs) == IN_USE);
    CHECK(doca_ctx_start(doca_devemu_vfs_dev_as_ctx(vfs)) == OK);
    CHECK(doca_devemu_virtio_dev_get_num_queues(virtio, &number) == OK && number == 17);
    CHECK(doca_devemu_virtio_dev_set_num_queues(virtio, 4) == BAD_STATE);
    CHECK(doca_devemu_virtio_dev_reset_complete(virtio) == BAD_STATE);
    CHECK(doca_ctx_stop(doca_devemu_vfs_dev_as_ctx(vfs)) == OK);
    CHECK(doca_devemu_vfs_io_destroy(io) == OK && doca_devemu_vfs_dev_destroy(vfs) == OK);
    CHECK(!doca_devemu_vfs_dev_as_ctx(vfs) && !doca_devemu_vfs_io_as_ctx(io));
    CHECK(doca_devemu_pci_type_destroy_rep(rep) == OK && doca_devemu_vfs_teardown() == OK);
}

/* New contexts begin with the values of the type. */
static void types_have_default_registers(void)
{
    struct world w;
    uint8_t values[0x100], found[sizeof values];
    uint16_t vectors = 9;
    memset(values, 0x5a, sizeof values);
    struct doca_devemu_pci_type *t = type_new("a test", 0x1021);
    CHECK(doca_devemu_pci_type_modify_bar_stateful_region_default_values(
              t, 0, STATEFUL, values, sizeof values) == BAD_STATE);
    CHECK(doca_devemu_pci_type_destroy(t) == OK);
    make(&w);
    CHECK(doca_devemu_pci_dev_destroy(w.d) == OK);
    CHECK(doca_devemu_pci_type_modify_bar_stateful_region_default_values(
              w.type, 0, STATEFUL + 8, values, sizeof values) == NOT_FOUND);
    CHECK(doca_devemu_pci_type_modify_bar_stateful_region_default_values(w.type, 0, STATEFUL,
                                                                         values, 8) == INVALID);
    CHECK(doca_devemu_pci_type_modify_bar_stateful_region_default_values(
              w.type, 0, STATEFUL, values, sizeof values) == OK);
    const union doca_data data = {.ptr = &w};
    CHECK(doca_devemu_pci_dev_create(w.type, w.rep, pe, &w.d) == OK);
    w.ctx = doca_devemu_pci_dev_as_ctx(w.d);
    CHECK(doca_devemu_pci_dev_event_hotplug_state_change_register(w.d, on_change, data) == OK);
    CHECK(doca_devemu_pci_dev_set_num_msix(w.d, 2) == OK);
    CHECK(doca_devemu_pci_dev_get_num_msix(w.d, &vectors) == OK && vectors == 2);
    plug(&w);
    CHECK(doca_devemu_pci_dev_query_bar_stateful_region_values(w.d, 0, STATEFUL, found,
                                                               sizeof found) == OK);
    CHECK(memcmp(found, values, sizeof values) == 0);
    unplug(&w);
}

static void functions_stay(void)
{
    struct world w;
    char vuid[DOCA_DEVINFO_REP_VUID_SIZE];
    make(&w);
    plug(&w);
    CHECK(strcmp(w.address, "0000:00:00.0") != 0);
    CHECK(doca_devemu_pci_type_destroy_rep(w.rep) == BAD_STATE);
    CHECK(doca_ctx_stop(w.ctx) == OK && doca_devemu_pci_dev_destroy(w.d) == OK);
    CHECK(doca_dev_rep_close(w.rep) == OK);
    CHECK(doca_devemu_pci_type_stop(w.type) == OK && doca_devemu_pci_type_destroy(w.type) == OK);
    struct doca_devemu_pci_type *t = started("a test");
    struct doca_devinfo_rep **list = NULL;
    struct doca_devemu_pci_dev *second = NULL;
    uint32_t n = 0;
    CHECK(doca_devemu_pci_type_create_rep_list(t, &list, &n) == OK && n == 1);
    CHECK(doca_devinfo_rep_get_vuid(list[0], vuid, sizeof vuid) == OK && strlen(vuid) > 4);
    CHECK(doca_dev_rep_open(list[0], &w.rep) == OK);
    CHECK(doca_devinfo_rep_destroy_list(list) == OK);
    w.type = t;
    CHECK(doca_devemu_pci_dev_create(t, w.rep, pe, &w.d) == OK);
    CHECK(doca_devemu_pci_dev_create(t, w.rep, pe, &second) == OK);
    w.ctx = doca_devemu_pci_dev_as_ctx(w.d);
    CHECK(doca_ctx_start(w.ctx) == OK);
    CHECK(doca_ctx_start(doca_devemu_pci_dev_as_ctx(second)) == IN_USE);
    CHECK(doca_devemu_pci_dev_destroy(second) == OK);
    CHECK(doca_devemu_pci_type_stop(t) == IN_USE);
    CHECK(doca_devemu_pci_dev_destroy(w.d) == IN_USE);
    CHECK(state_of(&w) == DOCA_DEVEMU_PCI_HP_STATE_POWER_ON);
    unplug(&w);
}

static void a_program_of_the_host_delays_unplugging(void)
{
    struct world w;
    make(&w);
    plug(&w);
    struct host h = open_host(&w);
    CHECK(open_group(group_of(w.address)) == -1 && errno == EBUSY);
    CHECK(doca_devemu_pci_dev_hotunplug(w.d) == OK);
    for (int i = 0; i < 100; i++)
        doca_pe_progress(pe);
    CHECK(state_of(&w) == DOCA_DEVEMU_PCI_HP_STATE_UNPLUG_IN_PROGRESS);
    close_host(&h);
    until(&w, DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF);
    CHECK(open_group(0x3 * 64 + 1) == -1);
    CHECK(doca_devemu_pci_dev_hotplug(w.d) == OK);
    until(&w, DOCA_DEVEMU_PCI_HP_STATE_POWER_ON);
    unplug(&w);
}

/* ---- Registers and resets ---- */

static void registers_are_told_of(void)
{
    struct world w;
    char found[8];
    make(&w);
    plug(&w);
    struct host h = open_host(&w);
    memcpy(h.bar + STATEFUL + 16, "written", 8);
    while (w.writes == 0)
        doca_pe_progress(pe);
    CHECK(doca_devemu_pci_dev_query_bar_stateful_region_values(w.d, 0, STATEFUL + 16, found, 8) ==
          OK);
    CHECK(memcmp(found, "written", 8) == 0);
    CHECK(doca_devemu_pci_dev_query_bar_stateful_region_values(w.d, 0, STATEFUL + 0xfc, found, 8) ==
          NOT_FOUND);
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_values(w.d, 0, STATEFUL, "answers", 8) ==
          OK);
    while (doca_pe_progress(pe))
        ;
    CHECK(memcmp(h.bar + STATEFUL, "answers", 8) == 0 && w.writes == 1);
    CHECK(ioctl(h.device, VFIO_DEVICE_RESET) == 0);
    while (w.resets == 0)
        doca_pe_progress(pe);
    close_host(&h);
    unplug(&w);
}

/* The engine watches while registers are written from both sides. */
static void a_written_register_wakes_the_engine(void)
{
    struct world w;
    doca_notification_handle_t handle;
    make(&w);
    plug(&w);
    struct host h = open_host(&w);
    while (doca_pe_progress(pe))
        ;
    CHECK(doca_pe_get_notification_handle(pe, &handle) == OK);
    CHECK(doca_pe_request_notification(pe) == OK);
    struct pollfd event = {.fd = (int)handle, .events = POLLIN};
    for (uint32_t i = 0; i < 300; i++) {
        CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_values(w.d, 0, STATEFUL, &i, 4) == OK);
        usleep(50);
    }
    CHECK(poll(&event, 1, 0) == 0 && w.writes == 0); /* its own writes are not events */
    h.bar[STATEFUL + 100] = 1;
    CHECK(poll(&event, 1, -1) == 1 && doca_pe_clear_notification(pe, handle) == OK);
    while (w.writes == 0)
        doca_pe_progress(pe);
    close_host(&h);
    unplug(&w);
}

/* ---- Files that become shorter ---- */

static void cut_file(off_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/mlx5_0/pci/1", getenv("DPAKIT_DEVICES"));
    CHECK(truncate(path, size) == 0);
}

/* Both sides continue, and the function is off for good. */
static void cut_while_it_is_used(off_t size)
{
    struct world w;
    struct doca_devemu_pci_msix *msix = NULL;
    uint64_t handle, result;
    make(&w);
    make_dpa(&w);
    plug(&w);
    make_bell(&w, 5, 0);
    CHECK(doca_devemu_pci_msix_create_on_dpa(w.d, 0, TABLE, 3, 0, &msix) == OK);
    CHECK(doca_devemu_pci_msix_get_dpa_handle(msix, &handle) == OK);
    struct host h = open_host(&w);
    const int group = group_of(w.address);
    int fds[4] = {-1, -1, -1, -1};
    set_events(&h, fds);
    cut_file(size);
    until(&w, DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF);
    CHECK(doca_devemu_pci_dev_hotplug(w.d) == BAD_STATE);
    CHECK(doca_dpa_rpc(w.dpa, raise_rpc, &result, handle) == OK);
    CHECK(open_group(group) == -1);
    close_host(&h); /* which has touched nothing of it */
    CHECK(doca_devemu_pci_msix_destroy(msix) == OK && doca_devemu_pci_db_destroy(w.db) == OK);
    CHECK(doca_ctx_stop(w.ctx) == OK && doca_ctx_start(w.ctx) == NOT_FOUND);
    destroy_dpa(&w);
    CHECK(doca_devemu_pci_dev_destroy(w.d) == OK && doca_dpa_destroy(w.dpa) == OK);
    CHECK(doca_devemu_pci_type_destroy_rep(w.rep) == OK);
    CHECK(doca_devemu_pci_type_destroy(w.type) == OK);
}

static void a_function_whose_file_is_cut_is_off(void)
{
    cut_while_it_is_used(0);
    cut_while_it_is_used(8192); /* only its BARs are gone */
    struct world w;
    make(&w);
    plug(&w);
    unplug(&w);
}

static sigjmp_buf escape;
static void *volatile faulted;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    faulted = info->si_addr;
    siglongjmp(escape, 1);
}

/* Bus errors elsewhere go to the handler that the program had. */
static void bus_errors_of_others_are_theirs(void)
{
    const struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    struct world w;
    const int file = memfd_create("theirs", MFD_CLOEXEC);
    CHECK(sigaction(SIGBUS, &action, NULL) == 0 && ftruncate(file, 4096) == 0);
    volatile char *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    CHECK(at != MAP_FAILED);
    make(&w);
    plug(&w);
    CHECK(ftruncate(file, 0) == 0);
    if (sigsetjmp(escape, 1) == 0) {
        (void)at[8];
        CHECK(!"there is a byte");
    }
    CHECK(faulted == (void *)(uintptr_t)(at + 8));
    if (sigsetjmp(escape, 1) == 0) {
        raise(SIGBUS);
        CHECK(!"it is ignored");
    }
    unplug(&w);
}

/* After a host program is killed, other programs can use the function. */
static void a_killed_host_leaves_it(void)
{
    struct world w;
    int fds[2];
    char byte;
    make(&w);
    plug(&w);
    CHECK(pipe(fds) == 0);
    const pid_t child = fork();
    if (child == 0) {
        CHECK(open_group(group_of(w.address)) >= 0 && write(fds[1], "x", 1) == 1);
        pause();
    }
    CHECK(read(fds[0], &byte, 1) == 1);
    CHECK(open_group(group_of(w.address)) == -1 && errno == EBUSY);
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    struct host h = open_host(&w);
    close_host(&h);
    unplug(&w);
}

/* ---- What later releases ask ---- */

static uint8_t is_reset(const struct world *w)
{
    uint8_t flr = 7;
    CHECK(doca_devemu_pci_dev_is_flr(w->d, &flr) == OK && flr <= 1);
    return flr;
}

/* From the reset until the context starts again. */
static void a_reset_is_seen_until_the_next_start(void)
{
    struct world w;
    uint8_t flr;
    make(&w);
    CHECK(doca_devemu_pci_dev_is_flr(w.d, &flr) == BAD_STATE);
    plug(&w);
    struct host h = open_host(&w);
    CHECK(!is_reset(&w) && ioctl(h.device, VFIO_DEVICE_RESET) == 0 && is_reset(&w));
    while (w.resets == 0)
        doca_pe_progress(pe);
    CHECK(is_reset(&w));
    CHECK(doca_ctx_stop(w.ctx) == OK && doca_ctx_start(w.ctx) == OK && !is_reset(&w));
    close_host(&h);
    unplug(&w);
}

static void registers_have_defaults(void)
{
    struct world w;
    uint8_t values[0x101];
    const uint8_t none[0x100] = {0};
    memset(values, 0x5a, sizeof values);
    make(&w);
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_default_values(w.d, 0, STATEFUL, values,
                                                                        0x100) == BAD_STATE);
    CHECK(doca_ctx_start(w.ctx) == OK);
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_default_values(w.d, 0, STATEFUL, values,
                                                                        0xff) == INVALID);
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_default_values(
              w.d, 0, STATEFUL + 8, values, 0x100) == NOT_FOUND);
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_default_values(w.d, 6, STATEFUL, values,
                                                                        0x100) == INVALID);
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_default_values(w.d, 0, STATEFUL, values,
                                                                        0x101) == OK);
    CHECK(doca_ctx_stop(w.ctx) == OK);
    plug(&w);
    struct host h = open_host(&w);
    CHECK(memcmp(h.bar + STATEFUL, values, 0x100) == 0);
    CHECK(h.bar[STATEFUL + 0x100] == 0); /* the next byte is of nobody */
    CHECK(doca_devemu_pci_dev_modify_bar_stateful_region_default_values(
              w.d, 0, STATEFUL, (void *)(uintptr_t)none, 0x100) == OK);
    CHECK(memcmp(h.bar + STATEFUL, values, 0x100) == 0); /* not before a reset */
    CHECK(ioctl(h.device, VFIO_DEVICE_RESET) == 0);
    while (w.resets == 0)
        doca_pe_progress(pe);
    CHECK(memcmp(h.bar + STATEFUL, none, 0x100) == 0);
    while (doca_pe_progress(pe))
        ;
    CHECK(w.writes == 0); /* the host wrote none of it */
    close_host(&h);
    unplug(&w);
}

static unsigned vectors_of(const struct world *w)
{
    struct vfio_irq_info info = {.argsz = sizeof info, .index = VFIO_PCI_MSIX_IRQ_INDEX};
    struct host h = open_host(w);
    CHECK(ioctl(h.device, VFIO_DEVICE_GET_IRQ_INFO, &info) == 0);
    close_host(&h);
    return info.count;
}

static void endpoints_have_fewer_vectors_and_doorbells(void)
{
    struct world w;
    struct doca_devemu_pci_msix *msix = NULL;
    struct doca_devemu_pci_db *db = NULL;
    uint16_t n = 0;
    make(&w);
    struct doca_devemu_pci_ep *ep = doca_devemu_pci_dev_as_ep(w.d);
    CHECK(doca_devemu_pci_ep_get_num_msix(ep, &n) == OK && n == 4);
    CHECK(doca_devemu_pci_ep_get_num_db(ep, &n) == OK && n == 1024);
    CHECK(doca_devemu_pci_ep_set_num_msix(ep, 5) == NOT_SUPPORTED);
    CHECK(doca_devemu_pci_ep_set_num_db(ep, 1025) == NOT_SUPPORTED);
    CHECK(doca_devemu_pci_ep_set_num_msix(ep, 2) == OK);
    CHECK(doca_devemu_pci_ep_set_num_db(ep, 3) == OK);
    make_dpa(&w);
    CHECK(doca_devemu_pci_ep_set_datapath_on_dpa(ep, w.dpa) == DOCA_ERROR_NOT_PERMITTED);
    plug(&w);
    CHECK(doca_devemu_pci_ep_set_datapath_on_dpa(ep, w.dpa) == BAD_STATE);
    CHECK(doca_devemu_pci_ep_set_num_msix(ep, 2) == BAD_STATE);
    CHECK(doca_devemu_pci_ep_get_num_msix(ep, &n) == OK && n == 2);
    CHECK(doca_devemu_pci_ep_create_msix_on_dpa(ep, 0, TABLE, 2, 0, &msix) == INVALID);
    CHECK(doca_devemu_pci_ep_create_msix_on_dpa(ep, 0, TABLE, 1, 0, &msix) == OK);
    CHECK(doca_devemu_pci_ep_create_db_on_dpa(ep, w.completion, 0, 0, 3, 0, &db) == INVALID);
    CHECK(doca_devemu_pci_ep_create_db_on_dpa(ep, w.completion, 0, 0, 2, 0, &db) == OK);
    CHECK(vectors_of(&w) == 2);
    CHECK(doca_devemu_pci_msix_destroy(msix) == OK && doca_devemu_pci_db_destroy(db) == OK);
    CHECK(doca_ctx_stop(w.ctx) == OK && doca_devemu_pci_ep_set_num_msix(ep, 0) == OK);
    CHECK(doca_ctx_start(w.ctx) == OK && vectors_of(&w) == 0);
    CHECK(doca_ctx_stop(w.ctx) == OK && doca_devemu_pci_ep_set_num_msix(ep, 4) == OK);
    CHECK(doca_ctx_start(w.ctx) == OK && vectors_of(&w) == 4);
    destroy_dpa(&w);
    unplug(&w);
    CHECK(doca_dpa_destroy(w.dpa) == OK);
}

static void functions_may_be_somebody_else(void)
{
    struct world w;
    uint32_t found[12], class_code = 0;
    uint16_t id = 0;
    enum doca_devemu_pci_hotplug_state state;
    make(&w);
    CHECK(doca_devemu_pci_dev_get_device_id(w.d, &id) == OK && id == 0x1021);
    CHECK(doca_devemu_pci_dev_set_revision_id(w.d, 0x77) == OK);
    CHECK(doca_devemu_pci_dev_set_class_code(w.d, 0x1000000) == INVALID);
    CHECK(doca_devemu_pci_dev_set_class_code(w.d, 0x010802) == OK);
    CHECK(doca_devemu_pci_dev_set_subsystem_vendor_id(w.d, 0x1af4) == OK);
    CHECK(doca_devemu_pci_dev_set_subsystem_id(w.d, 0x1100) == OK);
    CHECK(doca_devemu_pci_rep_get_hotplug_state(w.rep, &state) == OK);
    CHECK(state == DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF);
    plug(&w);
    CHECK(doca_devemu_pci_rep_get_hotplug_state(w.rep, &state) == OK);
    CHECK(state == DOCA_DEVEMU_PCI_HP_STATE_POWER_ON);
    CHECK(doca_devemu_pci_dev_set_device_id(w.d, 1) == BAD_STATE);
    CHECK(doca_devemu_pci_dev_get_class_code(w.d, &class_code) == OK && class_code == 0x010802);
    struct host h = open_host(&w); /* device and vendor are as they were */
    struct vfio_region_info space = {.argsz = sizeof space, .index = VFIO_PCI_CONFIG_REGION_INDEX};
    CHECK(ioctl(h.device, VFIO_DEVICE_GET_REGION_INFO, &space) == 0);
    CHECK(pread(h.device, found, sizeof found, (off_t)space.offset) == sizeof found);
    CHECK(found[2] == 0x01080277 && found[11] == 0x11001af4);
    close_host(&h);
    unplug(&w);
}

static void on_virtual(struct doca_devemu_pci_dev *d, uint16_t before, uint16_t now,
                       union doca_data data)
{
    (void)d, (void)before, (void)now, (void)data;
    CHECK(false);
}

/* No function is of a card's own, which would have virtual ones. */
static void functions_have_no_virtual_ones(void)
{
    struct world w;
    uint16_t n;
    uint32_t most = 0;
    const union doca_data data = {0};
    make(&w);
    CHECK(doca_devemu_pci_cap_get_max_hotplug_devices(doca_dev_as_devinfo(dev), &most) == OK);
    CHECK(most == 32);
    CHECK(doca_devemu_pci_dev_event_sriov_register(w.d, NULL, data) == INVALID);
    CHECK(doca_devemu_pci_dev_event_sriov_register(w.d, on_virtual, data) ==
          DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_devemu_pci_dev_reset_msix(w.d, 1) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_devemu_pci_dev_get_total_vfs(w.d, &n) == BAD_STATE);
    plug(&w);
    CHECK(doca_devemu_pci_dev_event_sriov_register(w.d, on_virtual, data) == BAD_STATE);
    CHECK(doca_devemu_pci_dev_reset_db(w.d, 1) == BAD_STATE);
    CHECK(doca_devemu_pci_dev_get_total_vfs(w.d, &n) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_devemu_pci_dev_get_num_vfs(w.d, &n) == DOCA_ERROR_NOT_PERMITTED);
    unplug(&w);
}

static const struct test_case cases[] = {CASE(types_are_checked),
                                         CASE(types_tell_of_themselves),
                                         CASE(types_have_default_registers),
                                         CASE(virtio_fs_devices_are_checked),
                                         CASE(functions_stay),
                                         CASE(a_program_of_the_host_delays_unplugging),
                                         CASE(registers_are_told_of),
                                         CASE(a_written_register_wakes_the_engine),
                                         CASE(a_function_whose_file_is_cut_is_off),
                                         CASE(bus_errors_of_others_are_theirs),
                                         CASE(a_killed_host_leaves_it),
                                         CASE(a_reset_is_seen_until_the_next_start),
                                         CASE(registers_have_defaults),
                                         CASE(endpoints_have_fewer_vectors_and_doorbells),
                                         CASE(functions_may_be_somebody_else),
                                         CASE(functions_have_no_virtual_ones)};

int main(int argc, char **argv)
{
    return run_on_card(cases, sizeof cases / sizeof *cases, argc, argv);
}
