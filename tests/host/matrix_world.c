#include "matrix_world.h"

#include <stdint.h>
#include <time.h>

extern struct doca_dpa_app *dpa_test_app;
extern doca_dpa_func_t hello_world, touch;

/* What stays for the whole program. */
static struct doca_dev *dev;
static struct doca_log_backend *backends[2];
static FILE *null;
static void *gone[KINDS]; /* a handle each that was an object */

#define TEXT "03:00.0"

static bool is_copy(enum kind k)
{
    return (k >= DMA && k <= ADVICE) || (k >= COMCH_SERVER && k <= COMCH_RECEIVE);
}

/* NULL: of all functions. */
static bool takes_copies(const struct parameter *parameters, unsigned count)
{
    bool takes = !parameters;
    for (unsigned i = 0; i < count; i++)
        takes |= is_copy(kind_of(&parameters[i]));
    return takes;
}

/* ---- The two generations ---- */

#ifdef DOCA_2_2_DPA_H
#define CREATE_MAP(map)                    doca_mmap_create(NULL, (map))
#define CREATE_INVENTORY(count, inventory) doca_buf_inventory_create(NULL, (count), 0, (inventory))
static void make_dpa(struct world *w, bool start)
{
    doca_dpa_t dpa = NULL;
    (void)start;
    CHECK(doca_dpa_create(dev, dpa_test_app, &dpa, 0) == OK);
    CHECK(doca_dpa_mem_alloc(dpa, 512, &w->memory) == OK);
    w->objects[DPA] = dpa;
}
static void halt_dpa(struct world *w)
{
    doca_dpa_destroy(w->objects[DPA]);
}
static void make_threads(struct world *w)
{
    size_t size = 0;
    CHECK(doca_dpa_mem_host_register(w->objects[DPA], w->mapped, 64, 0,
                                     (doca_dpa_mem_t *)&w->objects[MEM], 0) == OK);
    CHECK(doca_dpa_worker_create(w->objects[DPA], (doca_dpa_worker_t *)&w->objects[WORKER], 0) ==
          OK);
    CHECK(doca_dpa_ep_create(w->objects[WORKER], 0, (doca_dpa_ep_t *)&w->objects[EP]) == OK);
    CHECK(doca_dpa_ep_addr_get(w->objects[EP], &w->address, &size) == OK);
}
static void start_threads(struct world *w)
{
    (void)w;
}
#define stop_threads start_threads
static void make_copies(struct world *w, const struct parameter *parameters, unsigned count)
{
    (void)w, (void)parameters, (void)count;
}
#define start_copies start_threads
#define stop_copies  start_threads
static void destroy_made(struct world *w)
{
    doca_dpa_ep_destroy(w->made);
    doca_dpa_worker_destroy(w->made);
    doca_dpa_mem_unregister(w->made);
    doca_dpa_ep_addr_free(w->made_address);
}
static void destroy_threads(struct world *w)
{
    doca_dpa_ep_destroy(w->objects[EP]);
    doca_dpa_worker_destroy(w->objects[WORKER]);
    doca_dpa_mem_unregister(w->objects[MEM]);
    doca_dpa_ep_addr_free(w->address);
}
#define destroy_copies start_threads
#define make_memory    start_threads
#define start_memory   start_threads
#define stop_memory    start_threads
#define destroy_memory start_threads
static void make_own(struct world *w, enum state state, const char *function)
{
    (void)w, (void)state, (void)function;
}
#define destroy_own start_threads
#else
#define CREATE_MAP(map)                    doca_mmap_create(map)
#define CREATE_INVENTORY(count, inventory) doca_buf_inventory_create((count), (inventory))
static void make_copies(struct world *w, const struct parameter *parameters, unsigned count)
{
    w->has_copies = takes_copies(parameters, count);
    if (!w->has_copies)
        return;
    make_dma(w, dev);
    make_graph(w, dev);
    make_comch(w, dev);
}
static void start_copies(struct world *w)
{
    if (!w->has_copies)
        return;
    start_dma(w);
    start_graph(w);
    start_comch(w);
}
static void stop_copies(struct world *w)
{
    if (!w->has_copies)
        return;
    stop_comch(w);
    stop_graph(w);
    stop_dma(w);
}
static void destroy_copies(struct world *w)
{
    if (!w->has_copies)
        return;
    destroy_comch(w);
    destroy_graph(w);
    destroy_dma(w);
}
static void make_dpa(struct world *w, bool start)
{
    struct doca_dpa *dpa = NULL;
    CHECK(doca_dpa_create(dev, &dpa) == OK && doca_dpa_set_app(dpa, dpa_test_app) == OK);
    CHECK(!start || doca_dpa_start(dpa) == OK);
    CHECK(!start || doca_dpa_mem_alloc(dpa, 512, &w->memory) == OK);
    w->objects[DPA] = dpa;
}
static void halt_dpa(struct world *w)
{
    CHECK(doca_dpa_stop(w->objects[DPA]) == OK);
}
static void make_threads(struct world *w)
{
    struct doca_dpa *dpa = w->objects[DPA];
    CHECK(doca_dpa_thread_create(dpa, (struct doca_dpa_thread **)&w->objects[THREAD]) == OK);
    CHECK(doca_dpa_thread_set_func_arg(w->objects[THREAD], &hello_world, 0) == OK);
    CHECK(doca_dpa_completion_create(dpa, 8,
                                     (struct doca_dpa_completion **)&w->objects[COMPLETION]) == OK);
    CHECK(doca_dpa_completion_set_thread(w->objects[COMPLETION], w->objects[THREAD]) == OK);
    CHECK(doca_dpa_notification_completion_create(
              dpa, w->objects[THREAD],
              (struct doca_dpa_notification_completion **)&w->objects[NOTIFICATION]) == OK);
    CHECK(doca_dpa_eu_affinity_create(dpa, (struct doca_dpa_eu_affinity **)&w->objects[AFFINITY]) ==
          OK);
    make_rdma(w, dev);
}
static void start_threads(struct world *w)
{
    CHECK(doca_dpa_thread_start(w->objects[THREAD]) == OK);
    CHECK(doca_dpa_completion_start(w->objects[COMPLETION]) == OK);
    CHECK(doca_dpa_notification_completion_start(w->objects[NOTIFICATION]) == OK);
    start_rdma(w);
}
static void stop_threads(struct world *w)
{
    stop_rdma(w);
    CHECK(doca_dpa_notification_completion_stop(w->objects[NOTIFICATION]) == OK);
    CHECK(doca_dpa_completion_stop(w->objects[COMPLETION]) == OK);
    CHECK(doca_dpa_thread_stop(w->objects[THREAD]) == OK);
}
static void destroy_thread_object(void *object)
{
    if (!object)
        return;
    doca_dpa_notification_completion_destroy(object);
    doca_dpa_completion_destroy(object);
    doca_dpa_eu_affinity_destroy(object);
    doca_dpa_hash_table_destroy(object);
    doca_dpa_thread_destroy(object);
}
/* Whether it is a function of one of these, with spaces between; NULL: of all. */
static bool is_of(const char *function, const char *prefixes)
{
    for (size_t size; function && (size = strcspn(prefixes, " ")) > 0; prefixes += size + 1) {
        if (strncmp(function, prefixes, size) == 0)
            return true;
        if (!prefixes[size])
            return false;
    }
    return !function;
}
/* What is made for its own functions only. */
static void make_own(struct world *w, enum state state, const char *function)
{
    if (is_of(function, "doca_pcc_"))
        make_pcc(w, dev, state);
    if ((w->has_eth = is_of(function, "doca_eth_ doca_flow_ doca_task_batch_")))
        make_eth(w, dev, state, function);
    if ((w->has_msgq = is_of(function, "doca_comch_msgq_ doca_comch_consumer_completion_ "
                                       "doca_comch_consumer_set_completion "
                                       "doca_comch_consumer_set_dev_ "
                                       "doca_comch_consumer_get_dpa_ "
                                       "doca_comch_producer_dpa_ "
                                       "doca_comch_producer_set_dev_ "
                                       "doca_comch_producer_get_dpa_")))
        make_msgq(w, dev, state, function);
    if (is_of(function, "doca_verbs_ doca_umem_ doca_uar_ doca_rdma_bridge_open_dev_ "
                        "doca_rdma_bridge_get_mmap_mkey_"))
        make_verbs(w, state, function);
    if ((w->has_devemu = is_of(function, "doca_devemu_")))
        make_devemu(w, dev, state, function);
}
static void destroy_own(struct world *w)
{
    doca_pcc_destroy(w->objects[PCC]);
    if (w->has_eth)
        destroy_eth(w);
    if (w->has_msgq)
        destroy_msgq(w);
    if (w->has_devemu)
        destroy_devemu(w);
    destroy_verbs(w);
}
static void destroy_made(struct world *w)
{
    if (!w->made)
        return;
    doca_pcc_destroy(w->made);
    doca_rdma_destroy(w->made);
    doca_rdma_addr_destroy(w->made);
    doca_task_free(w->made);
    doca_dma_destroy(w->made);
    destroy_graph_object(w->made);
    destroy_comch_object(w->made);
    destroy_msgq_object(w->made);
    destroy_eth_object(w->made);
    destroy_verbs_object(w->made);
    destroy_devemu_object(w->made);
    doca_buf_arr_destroy(w->made);
    doca_dpa_async_ops_destroy(w->made);
    doca_dpa_thread_group_destroy(w->made);
    destroy_thread_object(w->made);
}
static void destroy_threads(struct world *w)
{
    destroy_rdma(w);
    for (enum kind k = HASH_TABLE; k >= THREAD; k--)
        destroy_thread_object(w->objects[k]);
}
#endif

/* ---- Objects ---- */

static void make_event(struct world *w)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_add_publisher_location_remote_net(e) == OK);
    CHECK(doca_sync_event_add_publisher_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    w->objects[EVENT] = e;
    w->objects[CTX] = doca_sync_event_as_ctx(e);
}

static struct doca_mmap *make_map(struct world *w)
{
    struct doca_mmap *m = NULL;
    CHECK(CREATE_MAP(&m) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_set_permissions(m, DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_PCI_READ_ONLY |
                                           DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == OK);
    CHECK(doca_mmap_set_memrange(m, w->mapped, sizeof w->mapped) == OK);
    return m;
}

static struct doca_buf_inventory *make_inventory(void)
{
    struct doca_buf_inventory *v = NULL;
    CHECK(CREATE_INVENTORY(4, &v) == OK);
    return v;
}

/* A buffer, and exports of a map and an event: they need objects that are started in every state.
 */
static void make_helpers(struct world *w)
{
    struct doca_sync_event *e = w->objects[EVENT];
    CHECK(doca_mmap_start(w->helper_map = make_map(w)) == OK);
    CHECK(doca_buf_inventory_start(w->helper_inventory = make_inventory()) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(w->helper_inventory, w->helper_map, w->mapped, 512,
                                             (struct doca_buf **)&w->objects[BUF]) == OK);
    CHECK(doca_mmap_export_rdma(w->helper_map, dev, &w->map_export, &w->map_export_size) == OK);
    CHECK(doca_sync_event_start(e) == OK && doca_sync_event_update_set(e, 1) == OK);
    CHECK(doca_sync_event_export_to_remote_net(e, &w->event_export, &w->event_export_size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(
              dev, w->event_export, w->event_export_size,
              (struct doca_sync_event_remote_net **)&w->objects[REMOTE_EVENT]) == OK);
    CHECK(doca_sync_event_stop(e) == OK);
}

static void make_param(struct world *w)
{
    struct doca_argp_param *p = NULL;
    CHECK(doca_argp_init("x", w->scratch) == OK && doca_argp_param_create(&p) == OK);
    doca_argp_param_set_long_name(p, "long");
    doca_argp_param_set_description(p, "of the test");
    doca_argp_param_set_type(p, DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_callback(p, do_nothing);
    w->objects[PARAM] = p;
    struct doca_argp_cmd *c = NULL;
    CHECK(doca_argp_cmd_create(&c) == OK);
    doca_argp_cmd_set_name(c, "command");
    doca_argp_cmd_set_description(c, "of the test");
    w->objects[COMMAND] = c;
}

static void make_others(struct world *w)
{
    uint32_t n = 0;
    make_event(w);
    make_event_tasks(w, dev);
    make_helpers(w);
    w->objects[MMAP] = make_map(w);
    w->objects[INVENTORY] = make_inventory();
    CHECK(doca_buf_pool_create(4, 16, w->helper_map, (struct doca_buf_pool **)&w->objects[POOL]) ==
          OK);
    CHECK(doca_pe_create((struct doca_pe **)&w->objects[PE]) == OK);
    CHECK(doca_pe_get_notification_handle(w->objects[PE], &(doca_notification_handle_t){0}) == OK);
    CHECK(doca_devinfo_create_list(&w->infos, &n) == OK);
    CHECK(doca_devinfo_rep_create_list(dev, 0, &w->reps, &n) == OK && n == 1);
    w->objects[REP] = w->reps[0];
    CHECK(doca_dev_rep_open(w->reps[0], (struct doca_dev_rep **)&w->objects[DEV_REP]) == OK);
    make_param(w);
    w->objects[DEV] = dev;
    w->objects[DEVINFO] = doca_dev_as_devinfo(dev);
    w->objects[BACKEND] = backends[0];
    w->objects[SDK_BACKEND] = backends[1];
}

static void start_others(struct world *w)
{
    CHECK(doca_sync_event_start(w->objects[EVENT]) == OK);
    CHECK(doca_mmap_start(w->objects[MMAP]) == OK);
    CHECK(doca_buf_inventory_start(w->objects[INVENTORY]) == OK);
    CHECK(doca_buf_pool_start(w->objects[POOL]) == OK);
}

static void stop_others(struct world *w)
{
    CHECK(doca_buf_pool_stop(w->objects[POOL]) == OK);
    CHECK(doca_buf_inventory_stop(w->objects[INVENTORY]) == OK);
    CHECK(doca_mmap_stop(w->objects[MMAP]) == OK);
    CHECK(doca_sync_event_stop(w->objects[EVENT]) == OK);
}

/* Destroys an object of these kinds; objects of other kinds have gone by then. */
static void destroy(enum kind k, void *object)
{
    if (!object)
        return;
    switch (k) {
    case DEV:
        if (object != dev)
            doca_dev_close(object);
        break;
    case DPA:
        doca_dpa_destroy(object);
        break;
    case EVENT:
        doca_sync_event_destroy(object);
        break;
    case REMOTE_EVENT:
        doca_sync_event_remote_net_destroy(object);
        break;
    case MMAP:
        doca_mmap_destroy(object);
        break;
    case BUF:
        doca_buf_dec_refcount(object, NULL);
        break;
    case INVENTORY:
        doca_buf_inventory_destroy(object);
        break;
    case POOL:
        doca_buf_pool_destroy(object);
        break;
    case PE:
        doca_pe_destroy(object);
        break;
    case PARAM:
        doca_argp_param_destroy(object);
        break;
    case COMMAND:
        doca_argp_cmd_destroy(object);
        break;
    case DEV_REP:
        doca_dev_rep_close(object);
        break;
    default:
        break;
    }
}

static void fault_dpa(struct world *w)
{
    CHECK(doca_dpa_kernel_launch_update_set(w->objects[DPA], NULL, 0, NULL, 0, 1, &touch,
                                            UINT64_C(8)) == OK);
    while (doca_dpa_peek_at_last_error(w->objects[DPA]) == OK)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void world_fill(struct world *w, enum state state, const char *function,
                       const struct parameter *parameters, unsigned count)
{
    *w = (struct world){.text = TEXT, .null = null};
    make_dpa(w, state != NEW);
    make_threads(w);
    make_others(w);
    make_copies(w, parameters, count);
    make_memory(w);
    if (state >= RUNNING) {
        start_threads(w);
        start_others(w);
        start_copies(w);
        start_memory(w);
    }
    if (state == STOPPED) {
        stop_memory(w);
        stop_copies(w);
        stop_threads(w);
        stop_others(w);
    }
    make_own(w, state, function);
    if (state == FAULTED)
        fault_dpa(w);
    if (state == HALTED)
        halt_dpa(w);
    if (state == GONE)
        CHECK(doca_dpa_destroy(w->objects[DPA]) == OK);
}

void world_forget_made(struct world *w)
{
    destroy_made(w);                      /* a representor with its function */
    for (enum kind k = 0; k < KINDS; k++) /* destructors of other kinds refuse it */
        destroy(k, w->made);
    doca_devinfo_destroy_list(w->listed);
    doca_devinfo_rep_destroy_list(w->listed_reps);
    w->made = w->made_address = NULL;
    w->listed = NULL;
    w->listed_reps = NULL;
}

static void world_end(struct world *w)
{
    doca_argp_destroy();
    world_forget_made(w);
    destroy_own(w);
    destroy_copies(w);
    destroy_memory(w);
    destroy_threads(w);
    destroy_event_tasks(w);
    destroy(BUF, w->objects[BUF]); /* before what it is of */
    for (enum kind k = 0; k < KINDS; k++)
        if (k != BUF)
            destroy(k, w->objects[k]);
    destroy(INVENTORY, w->helper_inventory);
    destroy(MMAP, w->helper_map);
    doca_devinfo_destroy_list(w->infos);
    doca_devinfo_rep_destroy_list(w->reps);
    for (size_t i = 0; i < sizeof w->foreign / sizeof *w->foreign; i++)
        CHECK(w->foreign[i] == 0); /* nobody wrote there */
}

static void open_program(void)
{
    struct doca_devinfo **list = NULL;
    uint32_t n = 0;
    struct world w;
    CHECK(doca_devinfo_create_list(&list, &n) == OK && n >= 1);
    CHECK(doca_dev_open(list[0], (struct doca_dev **)&gone[DEV]) == OK);
    gone[DEVINFO] = list[0];
    CHECK(doca_dev_close(gone[DEV]) == OK && doca_dev_open(list[0], &dev) == OK);
    CHECK(doca_devinfo_destroy_list(list) == OK);
    CHECK((null = fopen("/dev/null", "w")) != NULL);
    CHECK(doca_log_backend_create_with_file(null, &backends[0]) == OK);
    CHECK(doca_log_backend_create_with_file_sdk(null, &backends[1]) == OK);
    world_fill(&w, RUNNING, NULL, NULL, 0);
    CHECK(doca_argp_register_param(w.objects[PARAM]) == OK); /* it goes with the parser */
    CHECK(doca_argp_register_cmd(w.objects[COMMAND]) == OK);
    void *keep[] = {gone[DEV], gone[DEVINFO]};
    memcpy(gone, w.objects, sizeof gone);
    gone[DEV] = keep[0];
    gone[DEVINFO] = keep[1];
    gone[BACKEND] = gone[SDK_BACKEND] = NULL;
    world_end(&w);
}

/* ---- One world for several functions ---- */

static struct {
    bool is_there;
    enum state state;
    uint64_t sort;
    struct world world;
} now;

/* Numbers the sort of world that a function needs. The words are those that make_own() and its callees look for
 * in the name of a function. */
static uint64_t sort_of(const char *function, const struct parameter *parameters, unsigned count)
{
    static const char *const words[] = {"doca_pcc_",
                                        "doca_eth_",
                                        "doca_flow_",
                                        "doca_task_batch_",
                                        "event_managed",
                                        "event_batch",
                                        "doca_comch_msgq_",
                                        "doca_comch_consumer_completion_",
                                        "doca_comch_consumer_set_completion",
                                        "doca_comch_consumer_set_dev_",
                                        "doca_comch_consumer_get_dpa_",
                                        "doca_comch_producer_dpa_",
                                        "doca_comch_producer_set_dev_",
                                        "doca_comch_producer_get_dpa_",
                                        "doca_verbs_",
                                        "doca_umem_",
                                        "doca_uar_",
                                        "doca_rdma_bridge_open_dev_",
                                        "doca_rdma_bridge_get_mmap_mkey_",
                                        "doca_verbs_qp_get_dpa_handle",
                                        "doca_verbs_srq_get_dpa_handle",
                                        "doca_devemu_",
                                        "doca_devemu_pci_type_",
                                        "doca_devemu_pci_cap_type_",
                                        "doca_devemu_pci_db_completion_",
                                        "_create_on_dpa",
                                        "doca_devemu_pci_ep_",
                                        "doca_devemu_pci_db_",
                                        "doca_devemu_pci_msix_",
                                        "doca_devemu_pci_dev_hotunplug",
                                        "doca_devemu_vfs_"};
    uint64_t sort = takes_copies(parameters, count);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sort = sort << 1 | (strstr(function, words[i]) != NULL);
    return sort;
}

void world_leave(void)
{
    if (now.is_there)
        world_end(&now.world);
    now.is_there = false;
}

struct world *world_for(enum state state, const char *function, const struct parameter *parameters,
                        unsigned count)
{
    const uint64_t sort = sort_of(function, parameters, count);
    if (!dev)
        open_program();
    if (now.is_there && (now.state != state || now.sort != sort))
        world_leave();
    if (!now.is_there)
        world_fill(&now.world, state, function, parameters, count);
    now.is_there = true;
    now.state = state;
    now.sort = sort;
    memset(now.world.scratch, 0, sizeof now.world.scratch);
    strcpy(now.world.text, TEXT);
    return &now.world;
}

bool has_made(const struct world *w)
{
    return w->made || w->made_address || w->listed || w->listed_reps;
}

uint64_t destroyed(const struct world *w, const struct parameter *p)
{
    (void)w;
    return (uintptr_t)gone[kind_of(p)];
}
