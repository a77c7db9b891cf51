/* libdoca_common: pools of buffers, copies of descriptions, properties of memory maps and devices. */
#include <doca_buf_pool.h>
#include <string.h>

#include "doca3_world.h"

#define NO_MEMORY DOCA_ERROR_NO_MEMORY

static _Alignas(64) uint8_t memory[1000];

static struct doca_mmap *map_new(void)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_memrange(m, memory, sizeof memory) == OK);
    CHECK(doca_mmap_add_dev(m, dev) == OK && doca_mmap_start(m) == OK);
    return m;
}

static struct doca_buf_inventory *inventory_new(size_t count)
{
    struct doca_buf_inventory *v = NULL;
    CHECK(doca_buf_inventory_create(count, &v) == OK && doca_buf_inventory_start(v) == OK);
    return v;
}

static uint8_t *head_of(struct doca_buf *b)
{
    void *head = NULL;
    CHECK(doca_buf_get_head(b, &head) == OK);
    return head;
}

/* ---- Pools ---- */

static void a_pool_gives_each_piece_once(void)
{
    struct doca_mmap *m = map_new();
    struct doca_buf_pool *p = NULL;
    struct doca_buf *b[3] = {NULL}, *more = (void *)memory;
    uint32_t n = 0;
    size_t size = 1;
    CHECK(doca_buf_pool_create(0, 100, m, &p) == INVALID && !p);
    CHECK(doca_buf_pool_create(3, 0, m, &p) == INVALID);
    CHECK(doca_buf_pool_create(3, 100, m, &p) == OK);
    CHECK(doca_buf_pool_buf_alloc(p, &b[0]) == BAD_STATE && !b[0]);
    CHECK(doca_buf_pool_start(p) == OK && doca_buf_pool_start(p) == BAD_STATE);
    for (int i = 0; i < 3; i++) {
        CHECK(doca_buf_pool_buf_alloc(p, &b[i]) == OK && head_of(b[i]) == memory + 100 * i);
        CHECK(doca_buf_get_len(b[i], &size) == OK && size == 100);
        CHECK(doca_buf_get_data_len(b[i], &size) == OK && size == 0);
    }
    CHECK(doca_buf_pool_buf_alloc(p, &more) == DOCA_ERROR_EMPTY && !more);
    CHECK(doca_buf_pool_get_num_free_elements(p, &n) == OK && n == 0);
    CHECK(doca_mmap_get_num_bufs(m, &n) == OK && n == 3);
    CHECK(doca_buf_set_data(b[1], memory + 150, 9) == OK);
    CHECK(doca_buf_dec_refcount(b[1], NULL) ==
          OK); /* and the same piece comes back, without data */
    CHECK(doca_buf_pool_buf_alloc(p, &b[1]) == OK && head_of(b[1]) == memory + 100);
    CHECK(doca_buf_get_data_len(b[1], &size) == OK && size == 0);
    CHECK(doca_buf_pool_stop(p) == IN_USE && doca_buf_pool_destroy(p) == IN_USE);
    CHECK(doca_mmap_stop(m) == IN_USE);
    CHECK(doca_buf_chain_list(b[0], b[1]) == OK && doca_buf_chain_list(b[0], b[2]) == OK);
    CHECK(doca_buf_dec_refcount(b[0], NULL) == OK); /* with its whole list */
    CHECK(doca_buf_pool_get_num_free_elements(p, &n) == OK && n == 3);
    CHECK(doca_buf_pool_get_num_elements(p, &n) == OK && n == 3);
    CHECK(doca_buf_pool_stop(p) == OK && doca_buf_pool_buf_alloc(p, &more) == BAD_STATE);
    CHECK(doca_mmap_destroy(m) == OK); /* the pool is not in its way */
    CHECK(doca_buf_pool_start(p) == BAD_STATE && doca_buf_pool_destroy(p) == OK);
}

static void pieces_of_a_pool_are_aligned(void)
{
    struct doca_mmap *m = NULL;
    struct doca_buf_pool *p = NULL;
    struct doca_buf *b[7] = {NULL};
    size_t alignment = 0;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_set_memrange(m, memory + 1, sizeof memory - 1) == OK);
    CHECK(doca_buf_pool_create(7, 65, m, &p) == OK);
    CHECK(doca_buf_pool_get_element_alignment(p, &alignment) == OK && alignment == 1);
    CHECK(doca_buf_pool_set_element_alignment(p, 0) == INVALID);
    CHECK(doca_buf_pool_set_element_alignment(p, 48) == INVALID);
    CHECK(doca_buf_pool_set_element_alignment(p, 64) == OK);
    CHECK(doca_buf_pool_start(p) == BAD_STATE && doca_mmap_start(m) == OK);
    CHECK(doca_buf_pool_start(p) == OK); /* 64 + 6 * 128 + 65 bytes of 1000 */
    CHECK(doca_buf_pool_set_element_alignment(p, 1) == BAD_STATE);
    CHECK(doca_buf_pool_get_element_alignment(p, &alignment) == OK && alignment == 64);
    for (int i = 0; i < 7; i++)
        CHECK(doca_buf_pool_buf_alloc(p, &b[i]) == OK && head_of(b[i]) == memory + 64 + 128 * i);
    for (int i = 0; i < 7; i++)
        CHECK(doca_buf_dec_refcount(b[i], NULL) == OK);
    CHECK(doca_buf_pool_destroy(p) == OK && doca_mmap_destroy(m) == OK); /* both started */
}

static void a_pool_needs_room_in_its_map(void)
{
    static const size_t too_large[][3] = {{11, 100, 1},
                                          {8, 105, 128},
                                          {1, 1001, 1},
                                          {1, SIZE_MAX, 64},
                                          {2, 1, SIZE_MAX / 2 + 1},
                                          {SIZE_MAX, 1000, 1},
                                          {SIZE_MAX, SIZE_MAX, 4096}};
    struct doca_mmap *m = map_new();
    struct doca_buf_pool *p = NULL;
    union doca_data data = {.u64 = 5};
    for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++) {
        CHECK(doca_buf_pool_create(too_large[i][0], too_large[i][1], m, &p) == OK);
        CHECK(doca_buf_pool_set_element_alignment(p, too_large[i][2]) == OK);
        CHECK(doca_buf_pool_start(p) == DOCA_ERROR_INITIALIZATION);
        CHECK(doca_buf_pool_destroy(p) == OK);
    }
    CHECK(doca_buf_pool_create(10, 100, m, &p) == OK);
    CHECK(doca_buf_pool_get_user_data(p, &data) == OK && data.u64 == 0);
    data.u64 = 77;
    CHECK(doca_buf_pool_set_user_data(p, data) == OK && doca_buf_pool_start(p) == OK);
    CHECK(doca_buf_pool_set_user_data(p, (union doca_data){0}) == BAD_STATE);
    data.u64 = 0;
    CHECK(doca_buf_pool_get_user_data(p, &data) == OK && data.u64 == 77);
    CHECK(doca_buf_pool_destroy(p) == OK && doca_mmap_destroy(m) == OK);
}

/* ---- Inventories ---- */

static void a_buffer_is_described_again(void)
{
    struct doca_mmap *m = map_new();
    struct doca_buf_inventory *v = inventory_new(2), *other = inventory_new(3);
    struct doca_buf *a = NULL, *b = NULL, *copy = NULL, *next = NULL;
    void *data = NULL;
    size_t size = 0;
    uint32_t n = 0;
    CHECK(doca_buf_inventory_buf_get_by_args(v, m, memory, 100, memory + 10, 20, &a) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory + 200, 7, &b) == OK);
    CHECK(doca_buf_inventory_buf_dup(v, a, &copy) == NO_MEMORY && !copy);
    CHECK(doca_buf_chain_list(a, b) == OK);
    CHECK(doca_buf_inventory_buf_dup(other, b, &copy) == DOCA_ERROR_NOT_PERMITTED && !copy);
    CHECK(doca_buf_inventory_buf_dup(other, a, &copy) == OK && copy != a);
    CHECK(doca_buf_dec_refcount(a, NULL) == OK); /* the copy does not depend on the original */
    CHECK(head_of(copy) == memory && doca_buf_get_list_len(copy, &n) == OK && n == 2);
    CHECK(doca_buf_get_data(copy, &data) == OK && data == memory + 10);
    CHECK(doca_buf_get_data_len(copy, &size) == OK && size == 20);
    CHECK(doca_buf_get_next_in_list(copy, &next) == OK && head_of(next) == memory + 200);
    CHECK(doca_buf_inventory_get_num_free_elements(other, &n) == OK && n == 1);
    /* A list that cannot be copied completely is not copied. */
    CHECK(doca_buf_inventory_buf_dup(other, copy, &b) == NO_MEMORY && !b);
    CHECK(doca_buf_inventory_get_num_free_elements(other, &n) == OK && n == 1);
    CHECK(doca_buf_inventory_stop(v) == OK);
    CHECK(doca_buf_inventory_buf_dup(v, copy, &b) == BAD_STATE && !b);
    CHECK(doca_buf_dec_refcount(copy, NULL) == OK);
    CHECK(doca_buf_inventory_destroy(v) == OK && doca_buf_inventory_destroy(other) == OK);
    CHECK(doca_mmap_destroy(m) == OK);
}

static void an_inventory_grows(void)
{
    struct doca_mmap *m = map_new();
    struct doca_buf_inventory *v = inventory_new(1);
    struct doca_buf *b[3] = {NULL};
    uint32_t n = 0;
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory, 7, &b[0]) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory, 7, &b[1]) == NO_MEMORY);
    CHECK(doca_buf_inventory_expand(v, 0) == INVALID && doca_buf_inventory_expand(v, 2) == OK);
    CHECK(doca_buf_inventory_get_num_elements(v, &n) == OK && n == 3);
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory, 7, &b[1]) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory, 7, &b[2]) == OK);
    CHECK(doca_buf_chain_list_tail(b[0], b[1], b[2]) == INVALID); /* b[1] is in another list */
    CHECK(doca_buf_chain_list_tail(b[0], b[0], b[1]) == OK);
    CHECK(doca_buf_chain_list_tail(b[0], b[0], b[2]) == INVALID); /* b[1] is the last one now */
    CHECK(doca_buf_chain_list_tail(b[0], b[1], b[2]) == OK);
    CHECK(doca_buf_get_list_len(b[0], &n) == OK && n == 3);
    CHECK(doca_buf_dec_refcount(b[0], NULL) == OK);
    CHECK(doca_buf_inventory_destroy(v) == OK && doca_mmap_destroy(m) == OK);
}

/* ---- Maps ---- */

static struct {
    unsigned calls;
    void *address, *cookie;
    size_t size;
} freed;

static void note_free(void *address, size_t size, void *cookie)
{
    freed.calls++;
    freed.address = address;
    freed.size = size;
    freed.cookie = cookie;
}

static void a_map_frees_its_memory(void)
{
    struct doca_mmap *m = NULL;
    int here = 0;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_free_cb(m, note_free, &here) == OK);
    CHECK(doca_mmap_set_memrange(m, memory, 77) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_destroy(m) == OK && freed.calls == 0); /* it was never started */
    m = map_new();
    CHECK(doca_mmap_set_free_cb(m, note_free, &here) == BAD_STATE && doca_mmap_stop(m) == OK);
    CHECK(doca_mmap_set_free_cb(m, note_free, &here) == OK);
    CHECK(doca_mmap_destroy(m) == OK && freed.calls == 0); /* nor since the callback is known */
    m = map_new();
    CHECK(doca_mmap_stop(m) == OK && doca_mmap_set_free_cb(m, note_free, &here) == OK);
    CHECK(doca_mmap_start(m) == OK && doca_mmap_stop(m) == OK && freed.calls == 0);
    CHECK(doca_mmap_start(m) == OK && doca_mmap_destroy(m) == OK && freed.calls == 1);
    CHECK(freed.address == memory && freed.size == sizeof memory && freed.cookie == &here);
    freed.calls = 0;
}

static void maps_tell_what_they_are(void)
{
    struct doca_mmap *m = NULL, *twin = NULL;
    union doca_data data = {.u64 = 1};
    void *address = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    uint32_t n = 0;
    uint8_t yes = 9;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_get_memrange(m, &address, &size) == BAD_STATE);
    CHECK(doca_mmap_get_user_data(m, &data) == OK && data.u64 == 0);
    CHECK(doca_mmap_set_user_data(m, (union doca_data){.ptr = memory}) == OK);
    CHECK(doca_mmap_get_max_num_devices(m, &n) == OK && n == 8);
    CHECK(doca_mmap_set_max_num_devices(m, 0) == INVALID);
    CHECK(doca_mmap_set_max_num_devices(m, 1) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_add_dev(m, other_dev) == NO_MEMORY);
    CHECK(doca_mmap_set_max_num_devices(m, 2) == OK && doca_mmap_add_dev(m, other_dev) == OK);
    CHECK(doca_mmap_set_max_num_devices(m, 1) == INVALID);
    CHECK(doca_mmap_set_dmabuf_memrange(m, 0, memory, 0, 10) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_mmap_set_dmabuf_memrange(m, 0, memory, 0, SIZE_MAX) == INVALID);
    CHECK(doca_mmap_set_memrange(m, memory, 10) == OK);
    CHECK(doca_mmap_get_memrange(m, &address, &size) == OK && address == memory && size == 10);
    CHECK(doca_mmap_set_permissions(m, DOCA_ACCESS_FLAG_PCI_READ_ONLY) == OK);
    CHECK(doca_mmap_start(m) == OK && doca_mmap_set_user_data(m, data) == BAD_STATE);
    CHECK(doca_mmap_set_max_num_devices(m, 3) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_mmap_get_user_data(m, &data) == OK && data.ptr == memory);
    CHECK(doca_mmap_get_mkey(m, other_dev, &n) == OK && n != 0);
    CHECK(doca_mmap_get_exported(m, &yes) == OK && yes == 0);
    CHECK(doca_mmap_export_pci(m, dev, &bytes, &size) == OK);
    CHECK(doca_mmap_get_exported(m, &yes) == OK && yes == 1);
    CHECK(doca_mmap_get_from_export(m, &yes) == OK && yes == 0);
    data.u64 = 66;
    CHECK(doca_mmap_create_from_export(&data, bytes, size, dev, &twin) == OK);
    CHECK(doca_mmap_get_from_export(twin, &yes) == OK && yes == 1);
    data.u64 = 0;
    CHECK(doca_mmap_get_user_data(twin, &data) == OK && data.u64 == 66);
    CHECK(doca_mmap_set_user_data(twin, data) == BAD_STATE && doca_mmap_destroy(twin) == OK);
    CHECK(doca_mmap_stop(m) == OK && doca_mmap_get_exported(m, &yes) == OK && yes == 0);
    CHECK(doca_mmap_set_max_num_devices(m, 3) == DOCA_ERROR_NOT_PERMITTED); /* ever after */
    CHECK(doca_mmap_destroy(m) == OK);
    yes = 0;
    CHECK(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(dev), &yes) == OK && yes == 1);
    yes = 0;
    CHECK(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dev), &yes) == OK &&
          yes == 1);
}

static void buffers_of_thread_safe_maps_are_no_uses(void)
{
    struct doca_mmap *m = map_new();
    struct doca_buf_inventory *v = inventory_new(2);
    struct doca_buf *b = NULL;
    uint32_t n = 9;
    CHECK(doca_mmap_enable_thread_safety(m) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_mmap_stop(m) == OK && doca_mmap_enable_thread_safety(m) == OK);
    CHECK(doca_mmap_start(m) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, memory, 7, &b) == OK);
    CHECK(doca_mmap_get_num_bufs(m, &n) == OK && n == 0);
    CHECK(doca_mmap_stop(m) == OK && doca_mmap_start(m) == OK && doca_mmap_destroy(m) == OK);
    CHECK(head_of(b) == memory && doca_buf_dec_refcount(b, NULL) == OK);
    CHECK(doca_buf_inventory_destroy(v) == OK);
}

/* ---- Devices ---- */

static void devices_answer_every_question(void)
{
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    const doca_error_t absent = DOCA_ERROR_NOT_SUPPORTED;
    uint64_t rate = 0;
    uint32_t n = 0;
    uint16_t lid = 0, here = 0, there = 0;
    uint8_t address[DOCA_DEVINFO_IPV6_ADDR_SIZE], yes;
    CHECK(doca_devinfo_get_ipv4_addr(info, address, 3) == INVALID);
    CHECK(doca_devinfo_get_ipv4_addr(info, address, 4) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_devinfo_get_ipv6_addr(info, address, 15) == INVALID);
    CHECK(doca_devinfo_get_ipv6_addr(info, address, 16) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_devinfo_get_lid(info, &lid) == absent);
    CHECK(doca_devinfo_get_active_rate(info, &rate) == OK && rate == UINT64_C(100000000000));
    CHECK(doca_devinfo_get_vhca_id(info, &here) == OK);
    CHECK(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(other_dev), &there) == OK && here != there);
    yes = 9;
    CHECK(doca_devinfo_cap_is_hotplug_manager_supported(info, &yes) == OK && yes == 0);
    yes = 9;
    CHECK(doca_devinfo_cap_is_notification_moderation_supported(info, &yes) == OK && yes == 0);
    yes = 9;
    CHECK(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, &yes) == OK && yes == 0);
    CHECK(doca_dev_accelerate_resource_reclaim(dev) == absent);
    CHECK(doca_ctx_set_datapath_on_gpu(NULL, (void *)memory) == INVALID);
    CHECK(doca_ctx_cap_get_num_completion_vectors(info, &n) == OK && n == 1);
}

/* Denied capabilities are not supported, granted capabilities work. */
static void representors_are_listed_as_their_capabilities_say(void)
{
    static const struct {
        doca_error_t (*ask)(const struct doca_devinfo *devinfo, uint8_t *supported);
        int filter;
    } each[] = {
        {doca_devinfo_rep_cap_is_filter_all_supported, DOCA_DEVINFO_REP_FILTER_ALL},
        {doca_devinfo_rep_cap_is_filter_net_supported, DOCA_DEVINFO_REP_FILTER_NET},
        {doca_devinfo_rep_cap_is_filter_emulated_supported, DOCA_DEVINFO_REP_FILTER_EMULATED}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct doca_devinfo_rep **list = NULL;
        uint32_t n = 9;
        uint8_t yes = 9;
        CHECK(each[i].ask(doca_dev_as_devinfo(dev), &yes) == OK && yes <= 1);
        CHECK(doca_devinfo_rep_create_list(dev, each[i].filter, &list, &n) ==
              (yes ? OK : DOCA_ERROR_NOT_SUPPORTED));
        CHECK(n == 0 && (yes ? list && !list[0] : !list));
        CHECK(doca_devinfo_rep_destroy_list(list) == (yes ? OK : INVALID));
    }
}

/* With DPAKIT_SIDE=dpu; its only device is a pair. */
static void the_dpu_sees_functions_of_the_host(void)
{
    struct doca_devinfo_rep **list = NULL;
    struct doca_dev_rep *rep = NULL;
    char text[256], pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
    enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_VF;
    uint32_t n = 0;
    uint16_t own = 0, hosts = 0;
    uint8_t yes = 9;
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    CHECK(doca_devinfo_get_iface_name(info, text, sizeof text) == OK && strcmp(text, "p0") == 0);
    CHECK(doca_devinfo_rep_cap_is_filter_net_supported(info, &yes) == OK && yes == 1);
    CHECK(doca_devinfo_rep_cap_is_filter_emulated_supported(info, &yes) == OK && yes == 0);
    CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_EMULATED, &list, &n) ==
          DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n) == OK);
    CHECK(n == 1 && list[0] && !list[1]);
    CHECK(doca_devinfo_rep_get_pci_addr_str(list[0], pci) == OK);
    CHECK(strcmp(pci, "0000:03:00.0") == 0);
    CHECK(doca_devinfo_rep_is_equal_pci_addr(list[0], "03:00.0", &yes) == OK && yes == 1);
    CHECK(doca_devinfo_rep_is_equal_pci_addr(list[0], "03:00.1", &yes) == OK && yes == 0);
    CHECK(doca_devinfo_rep_is_equal_pci_addr(list[0], "somewhere", &yes) == INVALID);
    CHECK(doca_devinfo_rep_get_vuid(list[0], vuid, sizeof vuid) == OK);
    CHECK(strncmp(vuid, "DPK", 3) == 0 && strstr(vuid, "MLNXS0D0F0"));
    CHECK(doca_devinfo_rep_get_vuid(list[0], vuid, sizeof vuid - 1) == INVALID);
    CHECK(doca_devinfo_rep_get_iface_name(list[0], text, sizeof text) == OK);
    CHECK(strcmp(text, "pf0hpf") == 0);
    CHECK(doca_devinfo_rep_get_is_hotplug(list[0], &yes) == OK && yes == 0);
    CHECK(doca_devinfo_rep_get_pci_func_type(list[0], &type) == OK);
    CHECK(type == DOCA_PCI_FUNC_TYPE_PF && doca_devinfo_get_vhca_id(info, &own) == OK);
    CHECK(doca_devinfo_rep_get_vhca_id(list[0], &hosts) == OK && own != hosts);
    CHECK(doca_dev_rep_open(list[0], &rep) == OK);
    struct doca_devinfo_rep *gone = list[0];
    CHECK(doca_devinfo_rep_destroy_list(list) == OK);
    CHECK(doca_devinfo_rep_get_pci_addr_str(gone, pci) == INVALID);
    CHECK(doca_dev_rep_open(gone, &(struct doca_dev_rep *){0}) == INVALID);
    CHECK(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep), pci) == OK);
    CHECK(doca_dev_rep_close(rep) == OK && doca_dev_rep_close(rep) == INVALID);
    CHECK(!doca_dev_rep_as_devinfo(rep));
}

static void events_have_no_gpu(void)
{
    struct doca_sync_event *e = event_new(NULL, CPU, CPU);
    doca_gpu_dev_sync_event_t *handle = NULL;
    uint64_t word = 0;
    struct doca_gpu *gpu = (void *)memory;
    CHECK(doca_sync_event_cap_is_export_to_gpu_supported(doca_dev_as_devinfo(dev)) ==
          DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_sync_event_get_gpu_handle(e, gpu, &handle) == DOCA_ERROR_NOT_SUPPORTED && !handle);
    CHECK(doca_sync_event_set_addr(e, &word) == BAD_STATE);
    CHECK(doca_sync_event_add_publisher_location_gpu(e, gpu) == BAD_STATE);
    CHECK(doca_sync_event_stop(e) == OK);
    CHECK(doca_sync_event_set_addr(e, &word) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_sync_event_add_publisher_location_gpu(e, gpu) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_sync_event_add_subscriber_location_gpu(e, gpu) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_ctx_set_datapath_on_gpu(doca_sync_event_as_ctx(e), gpu) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_ctx_set_completion_vector(doca_sync_event_as_ctx(e), 1) == INVALID);
    CHECK(doca_ctx_set_completion_vector(doca_sync_event_as_ctx(e), 0) == OK);
    CHECK(doca_sync_event_start(e) == OK); /* as it was */
    CHECK(doca_ctx_set_completion_vector(doca_sync_event_as_ctx(e), 0) == BAD_STATE);
    CHECK(doca_sync_event_destroy(e) == OK);
}

/* ---- The log ---- */

DOCA_LOG_REGISTER(DOCA3::CORE);

static char lines[4096];

static void note_flush(char *buffer)
{
    (void)buffer;
}

/* Which of CRIT, ERROR, WARNING and INFO are written. */
static const char *written(void)
{
    static char found[5];
    static const char *const each[] = {"[CRT]", "[ERR]", "[WRN]", "[INF]"};
    const size_t before = strlen(lines);
    size_t n = 0;
    DOCA_LOG_CRIT("x");
    DOCA_LOG_ERR("x");
    DOCA_LOG_WARN("x");
    DOCA_LOG_INFO("x");
    for (size_t i = 0; i < 4; i++)
        if (strstr(lines + before, each[i]))
            found[n++] = each[i][1];
    found[n] = 0;
    return found;
}

static void lines_above_the_upper_limits_are_not_shown(void)
{
    struct doca_log_backend *b = NULL;
    CHECK(doca_log_level_get_global_upper_limit() == DOCA_LOG_LEVEL_CRIT);
    CHECK(doca_log_level_set_global_upper_limit(45) == INVALID);
    CHECK(doca_log_backend_create_with_buf(lines, sizeof lines, note_flush, &b) == OK);
    CHECK(strcmp(written(), "CEWI") == 0);
    CHECK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING) == OK);
    CHECK(doca_log_level_get_global_upper_limit() == DOCA_LOG_LEVEL_WARNING);
    CHECK(strcmp(written(), "WI") == 0);
    CHECK(doca_log_backend_set_level_upper_limit(b, DOCA_LOG_LEVEL_ERROR) == OK);
    CHECK(strcmp(written(), "WI") == 0);
    CHECK(doca_log_backend_set_level_upper_limit_strict(b) == OK);
    CHECK(strcmp(written(), "EWI") == 0);
    CHECK(doca_log_backend_set_level_upper_limit(b, DOCA_LOG_LEVEL_INFO) == OK);
    CHECK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT) == OK);
    CHECK(strcmp(written(), "I") == 0);
}

const struct test_case core_cases[] = {CASE(a_pool_gives_each_piece_once),
                                       CASE(pieces_of_a_pool_are_aligned),
                                       CASE(a_pool_needs_room_in_its_map),
                                       CASE(a_buffer_is_described_again),
                                       CASE(an_inventory_grows),
                                       CASE(a_map_frees_its_memory),
                                       CASE(maps_tell_what_they_are),
                                       CASE(buffers_of_thread_safe_maps_are_no_uses),
                                       CASE(devices_answer_every_question),
                                       CASE(representors_are_listed_as_their_capabilities_say),
                                       CASE(the_dpu_sees_functions_of_the_host),
                                       CASE(events_have_no_gpu),
                                       CASE(lines_above_the_upper_limits_are_not_shown),
                                       {NULL, NULL}};
