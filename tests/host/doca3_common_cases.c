/* libdoca_common: devices, the log, memory maps, buffers, events, contexts. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doca3_world.h"

DOCA_LOG_REGISTER(DOCA3::COMMON);

/* ---- Devices ---- */

static void devices_tell_what_they_are(void)
{
    struct doca_devinfo **list = NULL, *info = doca_dev_as_devinfo(dev);
    struct doca_devinfo_rep **reps = NULL;
    char address[DOCA_DEVINFO_PCI_ADDR_SIZE], other[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint8_t mac[6] = {0}, yes = 0, filter = 9;
    uint32_t n = 0;
    enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
    CHECK(doca_devinfo_get_pci_addr_str(info, address) == OK && strlen(address) == 12);
    CHECK(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(other_dev), other) == OK);
    CHECK(strcmp(address, other) != 0);
    CHECK(doca_devinfo_is_equal_pci_addr(info, address, &yes) == OK && yes == 1);
    CHECK(doca_devinfo_is_equal_pci_addr(info, address + 5, &yes) == OK && yes == 1);
    CHECK(doca_devinfo_is_equal_pci_addr(info, other, &yes) == OK && yes == 0);
    CHECK(doca_devinfo_is_equal_pci_addr(info, "mlx5_0", &yes) == INVALID);
    CHECK(doca_devinfo_get_pci_func_type(info, &type) == OK && type == DOCA_PCI_FUNC_TYPE_PF);
    CHECK(doca_devinfo_get_iface_name(info, name, sizeof name) == OK &&
          strncmp(name, "en", 2) == 0);
    CHECK(doca_devinfo_get_iface_name(info, name, 10) == INVALID);
    CHECK(doca_devinfo_get_mac_addr(info, mac, sizeof mac) == OK && (mac[0] & 1) == 0);
    CHECK(doca_devinfo_get_sf_index(info, &n) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_devinfo_rep_cap_is_filter_net_supported(info, &filter) == OK && filter == 0);
    CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n) ==
          DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n) == OK &&
          n == 0);
    CHECK(doca_devinfo_destroy_list((void *)reps) == INVALID);
    CHECK(doca_devinfo_rep_destroy_list(reps) == OK);
    CHECK(doca_devinfo_rep_destroy_list(reps) == INVALID);
    CHECK(doca_dpa_cap_is_supported(info) == OK &&
          doca_dpa_cap_is_supported((void *)dev) == INVALID);
    CHECK(doca_devinfo_create_list(&list, &n) == OK && doca_devinfo_destroy_list(list) == OK);
    CHECK(doca_devinfo_destroy_list(list) == INVALID);
}

/* ---- The log ---- */

static char flushed[4096];
static void flush(char *buffer)
{
    snprintf(flushed + strlen(flushed), sizeof flushed - strlen(flushed), "%s", buffer);
}

static void say(void)
{
    DOCA_LOG_CRIT("critical");
    DOCA_LOG_ERR("error %d", 1);
    DOCA_LOG_WARN("warning");
    DOCA_LOG_INFO("info");
    DOCA_LOG_DBG("debug");
    DOCA_LOG_TRC("trace");
}

static void lines_go_where_their_level_says(void)
{
    struct doca_log_backend *file = NULL, *buffer = NULL, *sdk = NULL, *fd = NULL;
    static char bytes[200];
    CHECK(doca_log_backend_create_standard() == OK);
    CHECK(doca_log_backend_create_standard() == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_log_backend_create_with_file(NULL, &file) == INVALID);
    CHECK(doca_log_backend_create_with_fd(1000, &fd) == INVALID && !fd);
    CHECK(doca_log_backend_create_with_buf(bytes, sizeof bytes, flush, &buffer) == OK);
    CHECK(doca_log_backend_set_level_lower_limit(buffer, DOCA_LOG_LEVEL_ERROR) == OK);
    CHECK(doca_log_backend_set_level_lower_limit_strict(buffer) == OK);
    CHECK(doca_log_backend_create_with_fd_sdk(2, &sdk) == OK);
    CHECK(doca_log_backend_set_sdk_level(sdk, 35) == INVALID);
    CHECK(doca_log_backend_set_sdk_level(buffer, DOCA_LOG_LEVEL_INFO) == INVALID);
    CHECK(doca_log_backend_set_level_lower_limit(sdk, DOCA_LOG_LEVEL_INFO) == INVALID);
    CHECK(doca_log_backend_set_level_lower_limit_strict(sdk) == INVALID);
    CHECK(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_ERROR) == OK);
    say();
    say();
    CHECK(strstr(flushed, "[DOCA][CRT][doca3_common_cases.c:") &&
          strstr(flushed, "[say] error 1\n"));
    CHECK(!strstr(flushed, "warning") && !strstr(bytes, "warning"));
    CHECK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG) == OK);
    CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_DEBUG);
    CHECK(doca_log_level_set_global_lower_limit(61) == INVALID);
    say();
}

static void lines_of_the_libraries_go_to_their_backend(void)
{
    struct doca_log_backend *sdk = NULL;
    struct doca_dpa *dpa = dpa_new();
    doca_dpa_dev_uintptr_t p = 0;
    CHECK(doca_dpa_mem_alloc(dpa, SIZE_MAX / 2, &p) != OK); /* on stderr, as FlexIO's lines */
    CHECK(doca_log_backend_create_with_file_sdk(stdout, &sdk) == OK);
    CHECK(doca_dpa_mem_alloc(dpa, SIZE_MAX / 2, &p) != OK);
    CHECK(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_CRIT) == OK);
    CHECK(doca_dpa_mem_alloc(dpa, SIZE_MAX / 2, &p) != OK); /* nowhere */
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Memory maps and buffers ---- */

static char memory[1000];

static struct doca_mmap *map_new(uint32_t permissions)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_start(m) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_mmap_start(m) == DOCA_ERROR_BAD_CONFIG); /* said once */
    CHECK(doca_mmap_set_permissions(m, permissions) == OK);
    CHECK(doca_mmap_set_memrange(m, memory, sizeof memory) == OK);
    CHECK(doca_mmap_start(m) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_mmap_add_dev(m, dev) == OK && doca_mmap_start(m) == OK);
    return m;
}

/* An export with another 64-bit number at `offset`, and the sum that goes with it. */
static void forge(uint8_t *export, size_t size, size_t offset, uint64_t value)
{
    const size_t end = size - sizeof(uint32_t);
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof value; i++)
        export[offset + i] = (uint8_t)(value >> (56 - 8 * i));
    for (size_t i = 0; i < end; i++)
        hash = (hash ^ export[i]) * 16777619u;
    for (size_t i = 0; i < sizeof hash; i++)
        export[end + i] = (uint8_t)(hash >> (24 - 8 * i));
}

static void forged_exports_are_refused(void)
{
    enum { KEY = 32, ADDRESS = 40, SIZE = 48 };
    const struct {
        size_t offset;
        uint64_t value;
    } bad[] = {{KEY, UINT64_C(1) << 32},
               {KEY, UINT64_MAX},
               {ADDRESS, 0},
               {ADDRESS, UINT64_MAX - 998}, /* 1000 bytes */
               {SIZE, 0},
               {SIZE, UINT64_MAX},
               {SIZE, UINT64_C(0) - (uintptr_t)memory + 1}};
    struct doca_mmap *m = map_new(DOCA_ACCESS_FLAG_RDMA_READ), *peer = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    uint8_t copy[256];
    CHECK(doca_mmap_export_rdma(m, dev, &bytes, &size) == OK && size <= sizeof copy);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(copy, bytes, size);
        forge(copy, size, bad[i].offset, bad[i].value);
        CHECK(doca_mmap_create_from_export(NULL, copy, size, dev, &peer) == INVALID && !peer);
    }
    memcpy(copy, bytes, size);
    forge(copy, size, SIZE, 999); /* less is fine: the owner knows what it has */
    CHECK(doca_mmap_create_from_export(NULL, copy, size, dev, &peer) == OK);
    CHECK(doca_mmap_destroy(peer) == OK && doca_mmap_destroy(m) == OK);
}

/* As ibv_reg_mr does: absent or read-only memory cannot be memory for a device. */
static void maps_are_of_memory_that_is_there(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct doca_mmap *m = NULL;
    struct doca_dpa *dpa = dpa_new();
    doca_dpa_dev_uintptr_t p = 0;
    char *at = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED && munmap(at + page, page) == 0);
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_set_memrange(m, at, page + 1) == OK);
    if (madvise(at, page, MADV_POPULATE_READ) == 0) /* a kernel that reports this */
        CHECK(doca_mmap_start(m) == DOCA_ERROR_DRIVER && doca_mmap_stop(m) == BAD_STATE);
    CHECK(doca_mmap_set_memrange(m, at, page) == OK);
    CHECK(doca_mmap_set_permissions(m, DOCA_ACCESS_FLAG_RDMA_WRITE) == OK);
    if (madvise(at, page, MADV_POPULATE_READ) == 0)
        CHECK(doca_mmap_start(m) == DOCA_ERROR_DRIVER);
    CHECK(doca_mmap_set_permissions(m, DOCA_ACCESS_FLAG_RDMA_READ) == OK);
    CHECK(doca_mmap_start(m) == OK && doca_mmap_stop(m) == OK);
    CHECK(doca_dpa_mem_alloc(dpa, 64, &p) == OK);
    CHECK(doca_mmap_set_dpa_memrange(m, dpa, p, (size_t)1 << 60) == OK);
    CHECK(doca_mmap_start(m) == DOCA_ERROR_DRIVER);
    CHECK(doca_mmap_set_dpa_memrange(m, dpa, p, 64) == OK);
    CHECK(doca_mmap_start(m) == OK && doca_mmap_stop(m) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_mmap_start(m) == BAD_STATE);
    CHECK(doca_mmap_destroy(m) == OK && munmap(at, page) == 0);
}

static void maps_are_exported_as_far_as_permitted(void)
{
    struct doca_mmap *m = map_new(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
    struct doca_mmap *peer = NULL;
    const void *bytes = NULL;
    size_t size = 0, length = 0;
    void *address = NULL;
    doca_dpa_dev_mmap_t a = 0, b = 0;
    uint8_t copy[256];
    CHECK(doca_mmap_export_pci(m, dev, &bytes, &size) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_mmap_export_rdma(m, other_dev, &bytes, &size) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_mmap_export_rdma(m, dev, &bytes, &size) == OK && size <= sizeof copy);
    memcpy(copy, bytes, size);
    CHECK(doca_mmap_create_from_export(NULL, copy, size - 1, other_dev, &peer) == INVALID && !peer);
    for (size_t i = 0; i < size; i++) {
        copy[i] ^= 1;
        CHECK(doca_mmap_create_from_export(NULL, copy, size, other_dev, &peer) != OK && !peer);
        copy[i] ^= 1;
    }
    CHECK(doca_mmap_create_from_export(NULL, copy, size, other_dev, &peer) == OK);
    CHECK(doca_mmap_get_memrange(peer, &address, &length) == OK && address == memory &&
          length == 1000);
    CHECK(doca_mmap_dev_get_dpa_handle(m, dev, &a) == OK && a != 0);
    CHECK(doca_mmap_dev_get_dpa_handle(peer, other_dev, &b) == OK && b != 0 && a != b);
    CHECK(doca_mmap_dev_get_dpa_handle(peer, dev, &b) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_mmap_export_rdma(peer, other_dev, &bytes, &size) == BAD_STATE);
    CHECK(doca_mmap_start(peer) == BAD_STATE && doca_mmap_stop(peer) == OK);
    CHECK(doca_mmap_start(peer) == BAD_STATE && doca_mmap_set_permissions(peer, 0) == BAD_STATE);
    CHECK(doca_mmap_stop(peer) == BAD_STATE && doca_mmap_destroy(peer) == OK);
    CHECK(doca_mmap_set_permissions(m, 0) == BAD_STATE && doca_mmap_stop(m) == OK);
    CHECK(doca_mmap_set_permissions(m, 1u << 20) == INVALID);
    CHECK(doca_mmap_set_memrange(m, memory, 0) == INVALID);
    CHECK(doca_mmap_add_dev(m, dev) == DOCA_ERROR_ALREADY_EXIST && doca_mmap_rm_dev(m, dev) == OK);
    CHECK(doca_mmap_dev_get_dpa_handle(m, dev, &a) == BAD_STATE);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(m) == INVALID);
}

/* Two maps, each started three times without memory; then with a log of the SDK. */
static void what_is_not_configured_is_told_of_each_object(void)
{
    struct doca_mmap *maps[2] = {0};
    struct doca_log_backend *log = NULL;
    for (int i = 0; i < 2; i++)
        CHECK(doca_mmap_create(&maps[i]) == OK);
    for (int i = 0; i < 6; i++)
        CHECK(doca_mmap_start(maps[i % 2]) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_log_backend_create_with_file_sdk(stdout, &log) == OK);
    for (int i = 0; i < 6; i++)
        CHECK(doca_mmap_start(maps[i % 2]) == DOCA_ERROR_BAD_CONFIG);
    for (int i = 0; i < 2; i++)
        CHECK(doca_mmap_destroy(maps[i]) == OK);
}

static void buffers_come_from_an_inventory(void)
{
    struct doca_mmap *m = map_new(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    struct doca_buf_inventory *v = NULL;
    struct doca_buf *a = NULL, *b = NULL, *c = NULL;
    uint16_t holders = 0;
    uint32_t n = 0;
    size_t size = 0;
    CHECK(doca_buf_inventory_create(0, &v) == INVALID && doca_buf_inventory_create(2, &v) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(v, m, memory, 10, &a) == BAD_STATE);
    CHECK(doca_buf_inventory_start(v) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(v, m, memory + 991, 10, &a) == INVALID && !a);
    CHECK(doca_buf_inventory_buf_get_by_addr(v, m, memory - 1, 1, &a) == INVALID);
    CHECK(doca_buf_inventory_buf_get_by_addr(v, m, memory + 900, 100, &a) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory, 7, &b) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(v, m, memory, 1, &c) == DOCA_ERROR_NO_MEMORY && !c);
    CHECK(doca_buf_get_data_len(b, &size) == OK && size == 7);
    CHECK(doca_buf_set_data(a, memory + 950, 51) == INVALID);
    CHECK(doca_buf_set_data(a, memory + 950, 50) == OK);
    CHECK(doca_buf_get_data_len(a, &size) == OK && size == 50);
    CHECK(doca_buf_chain_list(a, a) == INVALID && doca_buf_chain_list(a, b) == OK);
    CHECK(doca_buf_chain_list(b, a) == INVALID && doca_buf_get_list_len(a, &n) == OK && n == 2);
    CHECK(doca_mmap_stop(m) == IN_USE && doca_buf_inventory_destroy(v) == IN_USE);
    CHECK(doca_buf_inc_refcount(a, NULL) == OK);
    CHECK(doca_buf_dec_refcount(a, &holders) == OK && holders == 2);
    CHECK(doca_buf_dec_refcount(b, NULL) == INVALID); /* it goes with its list */
    CHECK(doca_buf_dec_refcount(a, &holders) == OK && holders == 1);
    CHECK(doca_buf_dec_refcount(a, NULL) == INVALID && doca_buf_get_len(b, &size) == INVALID);
    CHECK(doca_buf_inventory_get_num_free_elements(v, &n) == OK && n == 2);
    CHECK(doca_buf_inventory_stop(v) == OK && doca_buf_inventory_destroy(v) == OK);
    CHECK(doca_mmap_destroy(m) == OK);
}

/* ---- Events ---- */

static void every_pair_of_locations_works(void)
{
    struct doca_dpa *dpa = dpa_new();
    for (enum side publisher = CPU; publisher <= REMOTE; publisher++)
        for (enum side subscriber = CPU; subscriber <= DPA; subscriber++) {
            struct doca_sync_event *e = event_new(dpa, publisher, subscriber);
            uint64_t before = 0;
            CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, &add_to_event,
                                                    handle_of(e, dpa), UINT64_C(40)) == OK);
            wait_above(e, 39);
            CHECK(doca_sync_event_update_add(e, 2, &before) == OK && before == 40);
            CHECK(doca_sync_event_wait_gt_yield(e, 7, 0xf) == OK && value_of(e) == 42);
            CHECK(doca_sync_event_destroy(e) == OK);
        }
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void events_are_exported_to_peers(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, REMOTE, DPA), *local = event_new(dpa, CPU, DPA);
    struct doca_sync_event_remote_net *r = NULL;
    doca_dpa_dev_sync_event_remote_net_t handle = 0;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    CHECK(doca_sync_event_export_to_remote_net(local, &bytes, &size) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_sync_event_export_to_remote_net(e, &bytes, &size) == OK && size > 0);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size - 1, &r) == INVALID && !r);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, NULL, size, &r) == INVALID);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &r) == OK);
    CHECK(doca_sync_event_remote_net_get_dpa_handle(r, dpa, &handle) == OK && handle != 0);
    CHECK(doca_sync_event_destroy((void *)r) == INVALID);
    CHECK(doca_sync_event_remote_net_destroy(r) == OK);
    CHECK(doca_sync_event_remote_net_destroy(r) == INVALID);
    CHECK(doca_sync_event_destroy(e) == OK && doca_sync_event_destroy(local) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void events_check_their_state(void)
{
    struct doca_sync_event *e = NULL;
    uint64_t value = 0;
    CHECK(doca_sync_event_create(&e) == OK && doca_sync_event_start(e) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_sync_event_add_publisher_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_add_publisher_location_cpu(e, other_dev) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, (void *)e) == INVALID);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_get(e, &value) == BAD_STATE && doca_sync_event_stop(e) == BAD_STATE);
    CHECK(doca_sync_event_start(e) == OK && doca_sync_event_start(e) == BAD_STATE);
    CHECK(doca_sync_event_add_publisher_location_remote_net(e) == BAD_STATE);
    CHECK(doca_sync_event_wait_gt(e, 1, 1) == INVALID); /* never */
    CHECK(doca_dev_close(dev) == IN_USE);
    CHECK(doca_sync_event_destroy(e) == OK && doca_sync_event_destroy(e) == INVALID);
    CHECK(doca_sync_event_get(e, &value) == INVALID && doca_sync_event_update_set(e, 1) == INVALID);
    CHECK(doca_sync_event_wait_gt(e, 0, 1) == INVALID);
}

/* ---- Contexts and progress engines ---- */

static char states[16];
static void state_changed(const union doca_data data, struct doca_ctx *ctx,
                          enum doca_ctx_states from, enum doca_ctx_states to)
{
    CHECK(data.u64 == 77 && ctx);
    snprintf(states + strlen(states), sizeof states - strlen(states), "%d%d ", (int)from, (int)to);
}

static void contexts_tell_of_their_states(void)
{
    struct doca_sync_event *e = NULL;
    struct doca_pe *pe = NULL, *other = NULL;
    union doca_data data = {.u64 = 77}, back = {.u64 = 0};
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    struct doca_dpa *dpa = dpa_new();
    CHECK(doca_sync_event_create(&e) == OK && doca_pe_create(&pe) == OK &&
          doca_pe_create(&other) == OK);
    struct doca_ctx *ctx = doca_sync_event_as_ctx(e);
    CHECK(ctx && !doca_sync_event_as_ctx((void *)pe));
    CHECK(doca_sync_event_add_publisher_location_cpu(e, dev) == OK);
    CHECK(doca_ctx_set_user_data(ctx, data) == OK && doca_ctx_get_user_data(ctx, &back) == OK);
    CHECK(back.u64 == 77 && doca_ctx_set_state_changed_cb(ctx, state_changed) == OK);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_pe_connect_ctx(pe, ctx) == OK &&
          doca_pe_connect_ctx(other, ctx) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_pe_progress(pe) == 0 && doca_pe_progress(NULL) == 0);
    CHECK(doca_ctx_start(ctx) == OK && doca_pe_connect_ctx(other, ctx) == BAD_STATE);
    CHECK(doca_ctx_get_state(ctx, &state) == OK && state == DOCA_CTX_STATE_RUNNING);
    CHECK(doca_ctx_stop(ctx) == OK && doca_ctx_stop(ctx) == OK); /* it stays idle */
    CHECK(strcmp(states, "02 20 ") == 0);
    CHECK(doca_pe_destroy(pe) == IN_USE && doca_sync_event_destroy(e) == OK);
    CHECK(doca_ctx_start(ctx) == INVALID && doca_ctx_start((void *)pe) == INVALID);
    CHECK(doca_pe_destroy(pe) == OK && doca_pe_destroy(other) == OK && doca_dpa_destroy(dpa) == OK);
}

const struct test_case common_cases[] = {
    CASE(devices_tell_what_they_are),
    CASE(lines_go_where_their_level_says),
    CASE(lines_of_the_libraries_go_to_their_backend),
    CASE(maps_are_of_memory_that_is_there),
    CASE(maps_are_exported_as_far_as_permitted),
    CASE(forged_exports_are_refused),
    CASE(what_is_not_configured_is_told_of_each_object),
    CASE(buffers_come_from_an_inventory),
    CASE(every_pair_of_locations_works),
    CASE(events_are_exported_to_peers),
    CASE(events_check_their_state),
    CASE(contexts_tell_of_their_states),
    {0},
};
