/* A program of DOCA 2.2, in own words: devices, maps, buffers, pools, events and the log by the names of
 * that release. */
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_bufpool.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_sync_event.h>
#include <doca_version.h>

#include "check.h"

#define OK            DOCA_SUCCESS
#define INVALID       DOCA_ERROR_INVALID_VALUE
#define NOT_SUPPORTED DOCA_ERROR_NOT_SUPPORTED

DOCA_LOG_REGISTER(CORE);

static struct doca_dev *dev;
static uint8_t memory[1 << 16];

static void devices(void)
{
    struct doca_devinfo **list = NULL;
    struct doca_devinfo_rep **reps = NULL;
    struct ibv_pd *pd = NULL;
    struct doca_dev *same = NULL;
    char address[DOCA_DEVINFO_PCI_ADDR_SIZE];
    uint8_t yes = 9;
    uint32_t n = 0;
    CHECK(doca_devinfo_list_create(NULL, &n) == INVALID);
    CHECK(doca_devinfo_list_create(&list, &n) == OK && n >= 1);
    CHECK(doca_devinfo_get_pci_addr_str(list[0], address) == OK);
    CHECK(doca_devinfo_get_is_pci_addr_equal(list[0], address, &yes) == OK && yes == 1);
    CHECK(doca_devinfo_get_is_mmap_export_dpu_supported(list[0], &yes) == OK && yes == 1);
    CHECK(doca_devinfo_get_is_mmap_from_export_dpu_supported(list[0], &yes) == OK && yes == 1);
    CHECK(doca_devinfo_rep_get_is_list_net_supported(list[0], &yes) == OK);
    CHECK(doca_devinfo_rep_get_is_list_all_supported(list[0], NULL) == INVALID);
    CHECK(doca_dev_open(list[0], &dev) == OK && doca_devinfo_list_destroy(list) == OK);
    if (doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &reps, &n) == OK)
        CHECK(doca_devinfo_rep_list_destroy(reps) == OK);
    CHECK(doca_dev_get_pd(dev, &pd) == OK && pd);
    CHECK(doca_dev_open_from_pd(pd, &same) == OK && doca_dev_close(same) == OK);
    CHECK(DOCA_PCI_FUNC_PF == 0 && DOCA_PCI_FUNC_VF == 1 && DOCA_PCI_FUNC_SF == 2);
}

static struct doca_mmap *map(void)
{
    const union doca_data given = {.u64 = 11};
    union doca_data data = {0};
    const void *bytes = NULL;
    size_t size = 0;
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&given, NULL) == INVALID);
    CHECK(doca_mmap_create(&given, &m) == OK);
    CHECK(doca_mmap_get_user_data(m, &data) == OK && data.u64 == 11);
    CHECK(doca_mmap_dev_add(m, dev) == OK && doca_mmap_dev_rm(m, dev) == OK);
    CHECK(doca_mmap_dev_add(m, dev) == OK);
    CHECK(doca_mmap_set_dmabuf_memrange(m, 1, 0, 64) == NOT_SUPPORTED);
    CHECK(doca_mmap_set_memrange(m, memory, sizeof memory) == OK);
    CHECK(doca_mmap_set_permissions(m, DOCA_ACCESS_DPU_READ_WRITE) == OK);
    CHECK(doca_mmap_start(m) == OK);
    CHECK(doca_mmap_export_dpu(m, dev, &bytes, &size) == OK && bytes && size > 0);
    return m;
}

static void buffers(struct doca_mmap *m)
{
    const union doca_data given = {.u64 = 12};
    union doca_data data = {0};
    struct doca_buf_inventory *inventory = NULL;
    struct doca_buf *a = NULL, *b = NULL, *c = NULL, *found = NULL;
    uint16_t holders = 0;
    uint32_t n = 0;
    bool yes = false;
    size_t size = 0;
    CHECK(doca_buf_inventory_create(&given, 4, 1, &inventory) == NOT_SUPPORTED);
    CHECK(doca_buf_inventory_create(&given, 4, DOCA_BUF_EXTENSION_NONE, &inventory) == OK);
    CHECK(doca_buf_inventory_get_user_data(inventory, &data) == OK && data.u64 == 12);
    CHECK(doca_buf_inventory_start(inventory) == OK);
    CHECK(doca_buf_inventory_buf_by_addr(inventory, m, memory, 64, &a) == OK);
    CHECK(doca_buf_inventory_buf_by_data(inventory, m, memory + 64, 64, &b) == OK);
    CHECK(doca_buf_inventory_buf_by_args(inventory, m, memory + 128, 64, memory + 130, 8, &c) ==
          OK);
    CHECK(doca_buf_get_data_len(b, &size) == OK && size == 64);
    CHECK(doca_buf_get_data_len(c, &size) == OK && size == 8);
    CHECK(doca_buf_refcount_add(a, &holders) == OK && holders == 1);
    CHECK(doca_buf_refcount_rm(a, &holders) == OK && holders == 2);
    CHECK(doca_buf_list_chain(a, b) == OK && doca_buf_list_chain(b, c) != OK);
    CHECK(doca_buf_list_num_elements(a, &n) == OK && n == 2);
    CHECK(doca_buf_list_next(a, &found) == OK && found == b);
    CHECK(doca_buf_list_last(a, &found) == OK && found == b);
    CHECK(doca_buf_list_is_first(a, &yes) == OK && yes);
    CHECK(doca_buf_list_is_last(a, &yes) == OK && !yes);
    CHECK(doca_buf_list_is_last(a, NULL) == INVALID);
    CHECK(doca_buf_list_unchain(a, b) == OK);
    CHECK(doca_buf_get_mkey(a, dev, &n) == OK && n != 0);
    CHECK(doca_buf_get_mkey(NULL, dev, &n) == INVALID);
    CHECK(doca_buf_get_mkey(a, NULL, &n) == INVALID);
    CHECK(doca_buf_refcount_rm(a, NULL) == OK && doca_buf_refcount_rm(b, NULL) == OK);
    CHECK(doca_buf_refcount_rm(c, NULL) == OK && doca_buf_inventory_destroy(inventory) == OK);
}

static void pools(struct doca_mmap *m)
{
    const union doca_data given = {.u64 = 13};
    union doca_data data = {0};
    struct doca_bufpool *pool = NULL;
    struct doca_buf_arr *array = NULL;
    struct doca_buf *a = NULL;
    void *head = NULL;
    uint32_t n = 0;
    CHECK(doca_bufpool_create(&given, 4, 1, 100, 64, m, &pool) == NOT_SUPPORTED && !pool);
    CHECK(doca_bufpool_create(&given, 4, DOCA_BUF_EXTENSION_NONE, 100, 3, m, &pool) == INVALID);
    CHECK(doca_bufpool_create(&given, 4, DOCA_BUF_EXTENSION_NONE, 100, 64, m, &pool) == OK);
    CHECK(doca_bufpool_get_user_data(pool, &data) == OK && data.u64 == 13);
    CHECK(doca_bufpool_start(pool) == OK);
    CHECK(doca_bufpool_buf_alloc(pool, &a) == OK);
    CHECK(doca_buf_get_head(a, &head) == OK && (uintptr_t)head % 64 == 0);
    CHECK(doca_bufpool_get_num_elements(pool, &n) == OK && n == 4);
    CHECK(doca_bufpool_get_num_free_elements(pool, &n) == OK && n == 3);
    CHECK(doca_bufpool_stop(pool) == DOCA_ERROR_IN_USE);
    CHECK(doca_buf_refcount_rm(a, NULL) == OK);
    CHECK(doca_bufpool_stop(pool) == OK && doca_bufpool_destroy(pool) == OK);
    CHECK(doca_buf_arr_create(m, &array) == OK);
    CHECK(doca_buf_arr_set_params(array, 64, 16, 0) == OK && doca_buf_arr_destroy(array) == OK);
}

static void events(void)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_get_export_to_dpa_supported(info) == OK);
    CHECK(doca_sync_event_get_export_to_dpu_supported(info) == OK);
    CHECK(doca_sync_event_get_create_from_export_supported(info) == OK);
    CHECK(doca_sync_event_get_export_to_gpu_supported(info) == NOT_SUPPORTED);
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_publisher_add_location_dpu(e) == OK);
    CHECK(doca_sync_event_subscriber_add_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_subscriber_add_location_gpu(e, NULL) == INVALID);
    CHECK(doca_sync_event_start(e) == OK && doca_sync_event_destroy(e) == OK);
}

static unsigned lines_of(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        n++;
    return n;
}

static void flush(char *buffer)
{
    (void)buffer;
    CHECK(!"the buffer is large enough");
}

static void logs(void)
{
    static char text[1 << 16];
    struct doca_logger_backend *backend = NULL;
    int source = -1, bucket = -1;
    CHECK(doca_log_source_register("A SOURCE", &source) == OK);
    CHECK(doca_log_create_buffer_backend(text, sizeof text, flush, &backend) == OK);
    CHECK(doca_log_global_level_set(DOCA_LOG_LEVEL_WARNING) == OK);
    CHECK(doca_log_global_level_get() == DOCA_LOG_LEVEL_WARNING);
    CHECK(doca_log_global_level_set(5) == INVALID);
    CHECK(doca_log_developer(DOCA_LOG_LEVEL_ERROR, source, 7, "developer %d", 1) == OK);
    CHECK(doca_log_developer(DOCA_LOG_LEVEL_INFO, source, 7, "developer %d", 2) == OK);
    CHECK(doca_log_developer(DOCA_LOG_LEVEL_ERROR, source, 7, NULL) == INVALID);
    CHECK(lines_of(text, "developer 1") == 1 && lines_of(text, "developer 2") == 0);
    CHECK(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_INFO) == OK);
    CHECK(doca_log_backend_set_lower_level_immutable(backend) == OK);
    CHECK(doca_log_developer(DOCA_LOG_LEVEL_INFO, source, 7, "developer %d", 3) == OK);
    CHECK(lines_of(text, "developer 3") == 1);
    CHECK(doca_log_get_quantity() == 20 && doca_log_get_bucket_time() == 1);
    doca_log_set_quantity(3);
    doca_log_set_bucket_time(1000);
    CHECK(doca_log_rate_limit(DOCA_LOG_LEVEL_ERROR, source, 7, 0, "early") == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_log_rate_bucket_register(source, NULL) == INVALID);
    CHECK(doca_log_rate_bucket_register(source, &bucket) == OK && bucket == 0);
    for (int i = 0; i < 10; i++)
        CHECK(doca_log_rate_limit(DOCA_LOG_LEVEL_ERROR, source, 7, bucket, "limited %d", i) == OK);
    CHECK(lines_of(text, "limited") == 3);
    doca_log_set_quantity(0);
    CHECK(doca_log_rate_limit(DOCA_LOG_LEVEL_ERROR, source, 7, bucket, "limited again") == OK);
    CHECK(lines_of(text, "limited again") == 1);
    for (int i = 1; i < 1024; i++)
        CHECK(doca_log_rate_bucket_register(source, &bucket) == OK && bucket == i);
    CHECK(doca_log_rate_bucket_register(source, &bucket) == DOCA_ERROR_FULL);
    CHECK(doca_log_source_destroy(source) == OK);
}

int main(void)
{
    devices();
    struct doca_mmap *m = map();
    buffers(m);
    pools(m);
    events();
    logs();
    CHECK(doca_mmap_destroy(m) == OK && doca_dev_close(dev) == OK);
    printf("DOCA %s\n", doca_version());
    return 0;
}
