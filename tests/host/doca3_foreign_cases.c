/* Every function with invalid handles: NULL, a pointer to something else, an object of another
 * kind, a destroyed object. */
#include <pthread.h>
#include <unistd.h>

#include "doca3_world.h"

/* Handles of a kind that are none, by what they are instead. */
enum wrong { NOTHING, FOREIGN, OTHER_KIND, DESTROYED, WRONGS };

static uint64_t not_an_object[64];
static struct doca_pe *of_another_kind;
static struct doca_sync_event *event;

/* `gone`: a handle of that kind that was destroyed. */
static void *handle_of_wrong(enum wrong w, void *gone)
{
    void *const handles[WRONGS] = {NULL, not_an_object, of_another_kind, gone};
    return handles[w];
}

#define BAD(call)                                                                                  \
    do {                                                                                           \
        if ((call) != DOCA_ERROR_INVALID_VALUE) {                                                  \
            fprintf(stderr, "%s:%d: wrong %d: not refused: %s\n", __FILE__, __LINE__, (int)w,      \
                    #call);                                                                        \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)
#define EACH(kind, gone)                                                                           \
    for (enum wrong w = NOTHING; w < WRONGS; w++)                                                  \
        for (struct kind *h = handle_of_wrong(w, gone), *once_ = (void *)not_an_object; once_;     \
             once_ = NULL)

static void begin(void)
{
    CHECK(doca_pe_create(&of_another_kind) == OK);
    event = NULL;
}

static void end(void)
{
    CHECK(doca_pe_destroy(of_another_kind) == OK);
    for (size_t i = 0; i < 64; i++)
        CHECK(not_an_object[i] == 0); /* nobody wrote there */
}

static void wrong_devices_are_refused(void)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *d = NULL;
    struct doca_devinfo_rep **reps = NULL;
    struct doca_dpa *dpa = NULL;
    struct doca_mmap *m = NULL;
    struct doca_sync_event_remote_net *r = NULL;
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint8_t bytes[8];
    uint32_t n = 0;
    enum doca_pci_func_type type;
    begin();
    CHECK(doca_devinfo_create_list(&list, &n) == OK && doca_dev_open(list[0], &d) == OK);
    struct doca_devinfo *info = list[0];
    CHECK(doca_devinfo_destroy_list(list) == OK && doca_dev_close(d) == OK);
    EACH(doca_devinfo, info)
    {
        BAD(doca_devinfo_get_ibdev_name(h, text, sizeof text));
        BAD(doca_devinfo_get_iface_name(h, text, sizeof text));
        BAD(doca_devinfo_get_mac_addr(h, bytes, sizeof bytes));
        BAD(doca_devinfo_get_pci_addr_str(h, text));
        BAD(doca_devinfo_is_equal_pci_addr(h, "03:00.0", bytes));
        BAD(doca_devinfo_get_pci_func_type(h, &type));
        BAD(doca_devinfo_get_sf_index(h, &n));
        BAD(doca_devinfo_rep_cap_is_filter_net_supported(h, bytes));
        BAD(doca_dpa_cap_is_supported(h));
        BAD(doca_dev_open(h, &d));
    }
    CHECK(doca_sync_event_create(&event) == OK && doca_mmap_create(&m) == OK);
    EACH(doca_dev, d)
    {
        CHECK(doca_dev_close(h) == (h ? INVALID : OK));
        CHECK(!doca_dev_as_devinfo(h));
        BAD(doca_devinfo_rep_create_list(h, 0, &reps, &n));
        BAD(doca_dpa_create(h, &dpa));
        BAD(doca_mmap_add_dev(m, h));
        BAD(doca_mmap_rm_dev(m, h));
        BAD(doca_sync_event_add_publisher_location_cpu(event, h));
        BAD(doca_sync_event_add_subscriber_location_cpu(event, h));
        BAD(doca_sync_event_remote_net_create_from_export(h, bytes, sizeof bytes, &r));
        BAD(doca_mmap_create_from_export(NULL, bytes, sizeof bytes, h, &m));
    }
    CHECK(doca_sync_event_destroy(event) == OK);
    end();
}

static void wrong_contexts_are_refused(void)
{
    struct doca_dpa *gone = dpa_new(), *good = dpa_new(), *out = NULL;
    struct doca_dpa_app *app = NULL;
    struct doca_dpa_thread *t = NULL, *none = NULL;
    struct doca_dpa_completion *q = NULL;
    struct doca_dpa_notification_completion *n = NULL;
    struct doca_dpa_eu_affinity *a = NULL;
    struct doca_mmap *m = NULL;
    uint64_t value = 0;
    unsigned count = 0;
    unsigned long long seconds = 0;
    begin();
    CHECK(doca_dpa_destroy(gone) == OK && doca_mmap_create(&m) == OK);
    CHECK(doca_dpa_thread_create(good, &t) == OK);
    event = event_new(good, DPA, CPU);
    EACH(doca_dpa, gone)
    {
        BAD(doca_dpa_destroy(h));
        BAD(doca_dpa_set_app(h, dpa_test_app));
        BAD(doca_dpa_get_app(h, &app));
        BAD(doca_dpa_set_log_level(h, DOCA_DPA_DEV_LOG_LEVEL_INFO));
        BAD(doca_dpa_log_file_set_path(h, "x"));
        BAD(doca_dpa_trace_file_set_path(h, "x"));
        BAD(doca_dpa_get_core_num(h, &count));
        BAD(doca_dpa_get_num_eus_per_core(h, &count));
        BAD(doca_dpa_start(h));
        BAD(doca_dpa_stop(h));
        BAD(doca_dpa_device_extend(h, dev, &out));
        BAD(doca_dpa_get_dpa_handle(h, &value));
        BAD(doca_dpa_get_max_threads_per_kernel(h, &count));
        BAD(doca_dpa_get_kernel_max_run_time(h, &seconds));
        BAD(doca_dpa_get_total_num_eus_available(h, &count));
        BAD(doca_dpa_peek_at_last_error(h));
        BAD(doca_dpa_mem_alloc(h, 8, &value));
        BAD(doca_dpa_mem_free(h, 64));
        BAD(doca_dpa_h2d_memcpy(h, 64, &value, 8));
        BAD(doca_dpa_d2h_memcpy(h, &value, 64, 8));
        BAD(doca_dpa_memset(h, 64, 0, 8));
        BAD(doca_dpa_kernel_launch_update_set(h, NULL, 0, NULL, 0, 1, &hello_world));
        BAD(doca_dpa_kernel_launch_update_add(h, NULL, 0, NULL, 0, 1, &hello_world));
        BAD(doca_dpa_rpc(h, &no_arguments, &value));
        BAD(doca_dpa_thread_create(h, &none));
        BAD(doca_dpa_completion_create(h, 8, &q));
        BAD(doca_dpa_notification_completion_create(h, t, &n));
        BAD(doca_dpa_eu_affinity_create(h, &a));
        BAD(doca_mmap_set_dpa_memrange(m, h, 64, 8));
        BAD(doca_sync_event_get_dpa_handle(event, h, &value));
        BAD(doca_sync_event_add_publisher_location_dpa(event, h));
        BAD(doca_sync_event_add_subscriber_location_dpa(event, h));
    }
    CHECK(doca_sync_event_destroy(event) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_dpa_destroy(good) == OK && doca_dpa_thread_destroy(t) == OK);
    end();
}

static void wrong_events_are_refused(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *gone = event_new(dpa, REMOTE, CPU);
    struct doca_sync_event_remote_net *r = NULL;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    uint64_t value = 0;
    begin();
    CHECK(doca_sync_event_export_to_remote_net(gone, &bytes, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &r) == OK);
    CHECK(doca_sync_event_remote_net_destroy(r) == OK && doca_sync_event_destroy(gone) == OK);
    EACH(doca_sync_event, gone)
    {
        BAD(doca_sync_event_destroy(h));
        CHECK(!doca_sync_event_as_ctx(h));
        BAD(doca_sync_event_start(h));
        BAD(doca_sync_event_stop(h));
        BAD(doca_sync_event_add_publisher_location_cpu(h, dev));
        BAD(doca_sync_event_add_publisher_location_dpa(h, dpa));
        BAD(doca_sync_event_add_publisher_location_remote_net(h));
        BAD(doca_sync_event_add_subscriber_location_cpu(h, dev));
        BAD(doca_sync_event_add_subscriber_location_dpa(h, dpa));
        BAD(doca_sync_event_get_dpa_handle(h, dpa, &value));
        BAD(doca_sync_event_get(h, &value));
        BAD(doca_sync_event_update_add(h, 1, &value));
        BAD(doca_sync_event_update_set(h, 1));
        BAD(doca_sync_event_wait_gt(h, 0, 1));
        BAD(doca_sync_event_wait_gt_yield(h, 0, 1));
        BAD(doca_sync_event_export_to_remote_net(h, &bytes, &size));
        if (w != NOTHING) {
            BAD(doca_dpa_kernel_launch_update_set(dpa, h, 0, NULL, 0, 1, &hello_world));
            BAD(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, h, 0, 1, &hello_world));
        }
    }
    EACH(doca_sync_event_remote_net, r)
    {
        BAD(doca_sync_event_remote_net_destroy(h));
        BAD(doca_sync_event_remote_net_get_dpa_handle(h, dpa, &value));
    }
    CHECK(doca_dpa_destroy(dpa) == OK);
    end();
}

static void wrong_threads_and_completions_are_refused(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_dpa_thread *t = NULL, *good = NULL;
    struct doca_dpa_completion *q = NULL;
    struct doca_dpa_notification_completion *n = NULL;
    struct doca_dpa_eu_affinity *a = NULL;
    uint64_t value = 0;
    unsigned eu = 0;
    begin();
    CHECK(doca_dpa_thread_create(dpa, &t) == OK && doca_dpa_thread_create(dpa, &good) == OK);
    CHECK(doca_dpa_completion_create(dpa, 8, &q) == OK);
    CHECK(doca_dpa_notification_completion_create(dpa, t, &n) == OK);
    CHECK(doca_dpa_eu_affinity_create(dpa, &a) == OK && doca_dpa_eu_affinity_destroy(a) == OK);
    CHECK(doca_dpa_notification_completion_destroy(n) == OK && doca_dpa_thread_destroy(t) == OK);
    EACH(doca_dpa_thread, t)
    {
        BAD(doca_dpa_thread_destroy(h));
        BAD(doca_dpa_thread_set_func_arg(h, &thread_kernel, 0));
        BAD(doca_dpa_thread_set_local_storage(h, 64));
        BAD(doca_dpa_thread_start(h));
        BAD(doca_dpa_thread_stop(h));
        BAD(doca_dpa_thread_run(h));
        BAD(doca_dpa_completion_set_thread(q, h));
        BAD(doca_dpa_notification_completion_create(dpa, h, &n));
    }
    CHECK(doca_dpa_completion_destroy(q) == OK);
    EACH(doca_dpa_completion, q)
    {
        BAD(doca_dpa_completion_destroy(h));
        BAD(doca_dpa_completion_set_thread(h, good));
        BAD(doca_dpa_completion_get_queue_size(h, &eu));
        BAD(doca_dpa_completion_start(h));
        BAD(doca_dpa_completion_stop(h));
        BAD(doca_dpa_completion_get_dpa_handle(h, &value));
    }
    EACH(doca_dpa_notification_completion, n)
    {
        BAD(doca_dpa_notification_completion_destroy(h));
        BAD(doca_dpa_notification_completion_start(h));
        BAD(doca_dpa_notification_completion_stop(h));
        BAD(doca_dpa_notification_completion_get_dpa_handle(h, &value));
    }
    EACH(doca_dpa_eu_affinity, a)
    {
        BAD(doca_dpa_eu_affinity_destroy(h));
        BAD(doca_dpa_eu_affinity_set(h, 0));
        BAD(doca_dpa_eu_affinity_clear(h));
        BAD(doca_dpa_eu_affinity_get(h, &eu));
        BAD(doca_dpa_thread_set_affinity(good, h));
    }
    CHECK(doca_dpa_thread_destroy(good) == OK && doca_dpa_destroy(dpa) == OK);
    end();
}

static void wrong_maps_and_inventories_are_refused(void)
{
    struct doca_mmap *m = NULL;
    struct doca_buf_inventory *v = NULL;
    struct doca_buf *next = NULL;
    const void *bytes = NULL;
    void *p = NULL;
    size_t size = 0;
    uint32_t n = 0;
    begin();
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_buf_inventory_create(1, &v) == OK && doca_buf_inventory_start(v) == OK);
    EACH(doca_mmap, m)
    {
        BAD(doca_mmap_destroy(h));
        BAD(doca_mmap_start(h));
        BAD(doca_mmap_stop(h));
        BAD(doca_mmap_add_dev(h, dev));
        BAD(doca_mmap_rm_dev(h, dev));
        BAD(doca_mmap_set_permissions(h, 0));
        BAD(doca_mmap_set_memrange(h, &n, sizeof n));
        BAD(doca_mmap_get_memrange(h, &p, &size));
        BAD(doca_mmap_dev_get_dpa_handle(h, dev, &n));
        BAD(doca_mmap_export_pci(h, dev, &bytes, &size));
        BAD(doca_mmap_export_rdma(h, dev, &bytes, &size));
        BAD(doca_buf_inventory_buf_get_by_addr(v, h, &n, 1, &next));
    }
    CHECK(doca_buf_inventory_destroy(v) == OK);
    EACH(doca_buf_inventory, v)
    {
        BAD(doca_buf_inventory_destroy(h));
        BAD(doca_buf_inventory_start(h));
        BAD(doca_buf_inventory_stop(h));
        BAD(doca_buf_inventory_get_num_elements(h, &n));
        BAD(doca_buf_inventory_get_num_free_elements(h, &n));
    }
    end();
}

static void wrong_buffers_and_contexts_are_refused(void)
{
    struct doca_mmap *m = NULL;
    struct doca_buf_inventory *v = NULL;
    struct doca_buf *b = NULL, *next = NULL;
    struct doca_sync_event *e = NULL;
    enum doca_ctx_states state;
    union doca_data data = {.u64 = 0};
    void *p = NULL;
    size_t size = 0;
    uint16_t holders = 0;
    uint32_t n = 0;
    begin();
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_memrange(m, not_an_object, 8) == OK);
    CHECK(doca_mmap_add_dev(m, dev) == OK && doca_mmap_start(m) == OK);
    CHECK(doca_buf_inventory_create(1, &v) == OK && doca_buf_inventory_start(v) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(v, m, not_an_object, 8, &b) == OK);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK && doca_sync_event_create(&e) == OK);
    struct doca_ctx *ctx = doca_sync_event_as_ctx(e);
    CHECK(doca_sync_event_destroy(e) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_buf_inventory_destroy(v) == OK);
    EACH(doca_buf, b)
    {
        BAD(doca_buf_inc_refcount(h, &holders));
        BAD(doca_buf_dec_refcount(h, &holders));
        BAD(doca_buf_get_refcount(h, &holders));
        BAD(doca_buf_get_head(h, &p));
        BAD(doca_buf_get_len(h, &size));
        BAD(doca_buf_get_data(h, &p));
        BAD(doca_buf_get_data_len(h, &size));
        BAD(doca_buf_set_data(h, p, 0));
        BAD(doca_buf_reset_data_len(h));
        BAD(doca_buf_chain_list(h, h));
        BAD(doca_buf_get_next_in_list(h, &next));
        BAD(doca_buf_get_list_len(h, &n));
    }
    EACH(doca_ctx, ctx)
    {
        BAD(doca_ctx_start(h));
        BAD(doca_ctx_stop(h));
        BAD(doca_ctx_get_state(h, &state));
        BAD(doca_ctx_set_user_data(h, data));
        BAD(doca_ctx_get_user_data(h, &data));
        BAD(doca_ctx_set_state_changed_cb(h, NULL));
        BAD(doca_ctx_set_datapath_on_dpa(h, NULL));
        BAD(doca_pe_connect_ctx(of_another_kind, h));
    }
    end();
}

/* A call that is still under way does not keep what the object used. */
static void *wait_for_more(void *event)
{
    doca_error_t result = doca_sync_event_wait_gt(event, 5, UINT64_MAX);
    CHECK(result == BAD_STATE || result == INVALID); /* INVALID: it came late */
    return NULL;
}

static void what_is_destroyed_uses_nothing(void)
{
    pthread_t waiter;
    struct doca_dev *own = NULL;
    struct doca_pe *pe = NULL;
    struct doca_sync_event *e = NULL;
    struct doca_dpa *dpa = dpa_new();
    CHECK(doca_dev_open(doca_dev_as_devinfo(dev), &own) == OK && doca_pe_create(&pe) == OK);
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_add_publisher_location_cpu(e, own) == OK);
    CHECK(doca_sync_event_add_subscriber_location_dpa(e, dpa) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(e)) == OK);
    CHECK(doca_sync_event_start(e) == OK);
    CHECK(doca_dev_close(own) == IN_USE && doca_pe_destroy(pe) == IN_USE);
    CHECK(pthread_create(&waiter, NULL, wait_for_more, e) == 0);
    pause_ms(50);
    CHECK(doca_sync_event_destroy(e) == OK);
    CHECK(doca_dev_close(own) == OK && doca_pe_destroy(pe) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && pthread_join(waiter, NULL) == 0);
}

/* Without a process there is nothing that dpadev ps could ask. */
static void a_wait_without_a_dpa_is_told(void)
{
    pthread_t waiter[2];
    struct doca_sync_event *e = event_new(NULL, CPU, CPU);
    CHECK(doca_sync_event_update_set(e, 3) == OK);
    printf("event %p\n", (void *)e);
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&waiter[i], NULL, wait_for_more, e) == 0);
    CHECK(getchar() == EOF);
    CHECK(doca_sync_event_stop(e) == OK);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(waiter[i], NULL) == 0);
    CHECK(doca_sync_event_destroy(e) == OK);
}

static void *wait_for_the_last(void *event)
{
    CHECK(doca_sync_event_wait_eq(event, UINT64_MAX, UINT64_MAX) == OK);
    return NULL;
}

/* The waiter wakes far more often than in ten seconds without an update. */
static void a_wait_with_many_updates_is_not_told(void)
{
    pthread_t waiter;
    struct doca_sync_event *e = event_new(NULL, CPU, CPU);
    CHECK(pthread_create(&waiter, NULL, wait_for_the_last, e) == 0);
    for (uint64_t value = 1; value <= 20000; value++) {
        CHECK(doca_sync_event_update_set(e, value) == OK);
        usleep(20);
    }
    CHECK(doca_sync_event_update_set(e, UINT64_MAX) == OK);
    CHECK(pthread_join(waiter, NULL) == 0);
    CHECK(doca_sync_event_destroy(e) == OK);
}

static void events_without_a_dpa_end_waits_when_stopped(void)
{
    pthread_t waiter;
    for (int destroy = 0; destroy <= 1; destroy++) {
        struct doca_sync_event *e = event_new(NULL, CPU, CPU);
        CHECK(pthread_create(&waiter, NULL, wait_for_more, e) == 0);
        pause_ms(20);
        CHECK((destroy ? doca_sync_event_destroy(e) : doca_sync_event_stop(e)) == OK);
        CHECK(pthread_join(waiter, NULL) == 0);
        CHECK(destroy || doca_sync_event_destroy(e) == OK);
    }
}

const struct test_case foreign_cases[] = {
    CASE(wrong_devices_are_refused),
    CASE(wrong_contexts_are_refused),
    CASE(wrong_events_are_refused),
    CASE(wrong_threads_and_completions_are_refused),
    CASE(wrong_maps_and_inventories_are_refused),
    CASE(wrong_buffers_and_contexts_are_refused),
    CASE(what_is_destroyed_uses_nothing),
    CASE(a_wait_without_a_dpa_is_told),
    CASE(a_wait_with_many_updates_is_not_told),
    CASE(events_without_a_dpa_end_waits_when_stopped),
    {0},
};
