/* Arguments of functions, made of a world by their types and names. */
#include "matrix_world.h"

#include <stdint.h>

extern struct doca_dpa_app *dpa_test_app;
extern doca_dpa_func_t hello_world, no_arguments;

/* What DOCA 2.2 does not have. */
#ifdef DOCA_2_2_DPA_H
#define PCC_APP NULL
#undef INIT_MASK
#define INIT_MASK 0
static void *own_pointer(struct world *w, const struct parameter *p)
{
    (void)w, (void)p;
    return NULL;
}
#else
extern struct doca_pcc_app *pcc_test_app;
#define PCC_APP pcc_test_app
static void *own_pointer(struct world *w, const struct parameter *p)
{
    if (strcmp(p->type, "struct doca_gather_list *") == 0)
        return &w->headers;
    if (strcmp(p->type, "struct doca_flow_fwd *") == 0)
        return &w->fwd;
    if (strcmp(p->type, "struct doca_flow_actions *") == 0)
        return &w->action;
    if (strcmp(p->type, "struct doca_flow_actions **") == 0)
        return strcmp(p->name, "actions") == 0 ? &w->actions : NULL;
    if (strncmp(p->type, "struct doca_flow_m", 18) == 0) /* match, monitor: all is 0 */
        return w->foreign;
    if (strcmp(p->type, "struct ibv_context *") == 0)
        return w->ib;
    if (strcmp(p->type, "struct ibv_device *") == 0)
        return w->ib ? w->ib->device : NULL;
    if (strcmp(p->type, "struct doca_verbs_async_event *") == 0)
        return w->scratch;
    if (strcmp(p->type, "struct rdma_cm_id *") == 0)
        return w->foreign;
    return strcmp(p->type, "struct ibv_pd *") == 0 ? w->ib_pd : NULL;
}
#endif

doca_error_t do_nothing(void *param, void *config)
{
    (void)param;
    (void)config;
    return OK;
}

static char *arguments[] = {"x", NULL};
static char modes[] = "vnf,isolated";

static const struct {
    const char *type;
    enum kind kind;
} handles[] = {
    {"struct doca_devinfo *", DEVINFO},
    {"struct doca_dev *", DEV},
    {"struct doca_dpa *", DPA},
    {"doca_dpa_t", DPA},
    {"struct doca_dpa_thread *", THREAD},
    {"struct doca_dpa_completion *", COMPLETION},
    {"struct doca_dpa_notification_completion *", NOTIFICATION},
    {"struct doca_dpa_eu_affinity *", AFFINITY},
    {"struct doca_dpa_hash_table *", HASH_TABLE},
    {"struct doca_sync_event *", EVENT},
    {"struct doca_sync_event_remote_net *", REMOTE_EVENT},
    {"struct doca_sync_event_task_get *", TASK_GET},
    {"struct doca_sync_event_task_notify_set *", TASK_SET},
    {"struct doca_sync_event_task_notify_add *", TASK_ADD},
    {"struct doca_sync_event_task_wait_eq *", TASK_EQ},
    {"struct doca_sync_event_task_wait_neq *", TASK_NEQ},
    {"struct doca_sync_event_task_wait_gt *", TASK_GT},
    {"struct doca_mmap *", MMAP},
    {"struct doca_buf *", BUF},
    {"struct doca_buf_inventory *", INVENTORY},
    {"struct doca_buf_pool *", POOL},
    {"struct doca_ctx *", CTX},
    {"struct doca_pe *", PE},
    {"struct doca_argp_param *", PARAM},
    {"struct doca_argp_cmd *", COMMAND},
    {"struct doca_devinfo_rep *", REP},
    {"struct doca_dev_rep *", DEV_REP},
    {"struct doca_log_backend *", BACKEND},
    {"doca_dpa_worker_t", WORKER},
    {"doca_dpa_mem_t", MEM},
    {"doca_dpa_ep_t", EP},
    {"struct doca_rdma *", RDMA},
    {"struct doca_rdma_connection *", CONNECTION},
    {"struct doca_rdma_addr *", RDMA_ADDR},
    {"struct doca_rdma_task_receive *", RDMA_RECEIVE},
    {"struct doca_rdma_task_send *", RDMA_SEND},
    {"struct doca_rdma_task_send_imm *", RDMA_SEND_IMM},
    {"struct doca_rdma_task_read *", RDMA_READ},
    {"struct doca_rdma_task_write *", RDMA_WRITE},
    {"struct doca_rdma_task_write_imm *", RDMA_WRITE_IMM},
    {"struct doca_rdma_task_atomic_cmp_swp *", RDMA_CMP_SWP},
    {"struct doca_rdma_task_atomic_fetch_add *", RDMA_FETCH_ADD},
    {"struct doca_rdma_task_remote_net_sync_event_get *", RDMA_EVENT_GET},
    {"struct doca_rdma_task_remote_net_sync_event_notify_set *", RDMA_EVENT_NOTIFY_SET},
    {"struct doca_rdma_task_remote_net_sync_event_notify_add *", RDMA_EVENT_NOTIFY_ADD},
    {"struct doca_pcc *", PCC},
    {"struct doca_dma *", DMA},
    {"struct doca_comch_server *", COMCH_SERVER},
    {"struct doca_comch_client *", COMCH_CLIENT},
    {"struct doca_comch_producer *", COMCH_PRODUCER},
    {"struct doca_comch_consumer *", COMCH_CONSUMER},
    {"struct doca_comch_connection *", COMCH_CONNECTION},
    {"struct doca_comch_task_send *", COMCH_SEND},
    {"struct doca_comch_producer_task_send *", COMCH_PRODUCE},
    {"struct doca_comch_consumer_task_post_recv *", COMCH_RECEIVE},
    {"struct doca_comch_msgq *", COMCH_MSGQ},
    {"struct doca_comch_consumer_completion *", COMCH_COMPLETION},
    {"struct doca_eth_rxq *", ETH_RXQ},
    {"struct doca_eth_txq *", ETH_TXQ},
    {"struct doca_eth_rxq_task_recv *", ETH_RECEIVE},
    {"struct doca_eth_txq_task_send *", ETH_SEND},
    {"struct doca_eth_txq_task_lso_send *", ETH_LARGE_SEND},
    {"struct doca_eth_rxq_event_managed_recv *", ETH_EVENT},
    {"struct doca_eth_rxq_event_batch_managed_recv *", ETH_BATCH_EVENT},
    {"struct doca_task_batch *", TASK_BATCH},
    {"struct doca_flow_cfg *", FLOW_CFG},
    {"struct doca_flow_port_cfg *", FLOW_PORT_CFG},
    {"struct doca_flow_pipe_cfg *", FLOW_PIPE_CFG},
    {"struct doca_flow_port *", FLOW_PORT},
    {"struct doca_flow_pipe *", FLOW_PIPE},
    {"struct doca_verbs_context *", VERBS_CONTEXT},
    {"struct doca_verbs_pd *", VERBS_PD},
    {"struct doca_verbs_device_attr *", VERBS_DEVICE_ATTR},
    {"struct doca_verbs_ah_attr *", VERBS_AH_ATTR},
    {"struct doca_verbs_cq_attr *", VERBS_CQ_ATTR},
    {"struct doca_verbs_cq *", VERBS_CQ},
    {"struct doca_verbs_comp_channel *", VERBS_CHANNEL},
    {"struct doca_verbs_cc_group_attr *", VERBS_CC_ATTR},
    {"struct doca_verbs_srq_init_attr *", VERBS_SRQ_ATTR},
    {"struct doca_verbs_srq *", VERBS_SRQ},
    {"struct doca_verbs_eth_sq_init_attr *", VERBS_ETH_SQ_ATTR},
    {"struct doca_verbs_eth_rq_init_attr *", VERBS_ETH_RQ_ATTR},
    {"struct doca_verbs_qp_init_attr *", VERBS_QP_INIT_ATTR},
    {"struct doca_verbs_qp_attr *", VERBS_QP_ATTR},
    {"struct doca_verbs_qp *", VERBS_QP},
    {"struct doca_umem *", UMEM},
    {"struct doca_uar *", UAR},
    {"struct doca_devemu_pci_type *", PCI_TYPE},
    {"struct doca_devemu_pci_dev *", PCI_DEV},
    {"struct doca_devemu_pci_ep *", PCI_DEV},
    {"struct doca_devemu_pci_db_completion *", PCI_DB_COMPLETION},
    {"struct doca_devemu_pci_db *", PCI_DB},
    {"struct doca_devemu_pci_msix *", PCI_MSIX},
    {"struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *", PCI_EVENT},
    {"struct doca_devemu_vfs_cfg *", VFS_CFG},
    {"struct doca_buf_arr *", BUF_ARR},
    {"struct doca_dpa_async_ops *", ASYNC_OPS},
    {"struct doca_dpa_tg *", GROUP},
    {"struct doca_dma_task_memcpy *", TASK},
    {"struct doca_task *", TASK},
    {"struct doca_graph *", GRAPH},
    {"struct doca_graph_node *", NODE},
    {"struct doca_graph_instance *", INSTANCE},
    {"struct doca_clock *", CLOCK},
    {"struct doca_mmap_advise *", ADVISE},
    {"struct doca_mmap_advise_task_invalidate_cache *", ADVICE},
};

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

enum kind kind_of(const struct parameter *p)
{
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (is(p->type, handles[i].type))
            return handles[i].kind == BACKEND && is(p->name, "logger") ? SDK_BACKEND
                                                                       : handles[i].kind;
    return KINDS;
}

bool is_handle(const struct parameter *p)
{
    return kind_of(p) != KINDS;
}

bool is_pointer(const struct parameter *p)
{
    return is_handle(p) || strchr(p->type, '*') || strstr(p->type, "callback") ||
           strstr(p->type, "_cb_t") || is(p->type, "doca_dpa_app_t") ||
           is(p->type, "doca_dpa_ep_addr_t");
}

uint64_t other_kind(const struct world *w, const struct parameter *p)
{
    return (uintptr_t)w->objects[kind_of(p) == PE ? MMAP : PE];
}

bool is_left_out(const char *function)
{
    return is(function, "doca_argp_usage") || is(function, "doca_dpa_ep_addr_free") ||
           is(function, "doca_eth_rxq_event_batch_managed_recv_pkt_array_free");
}

static void *good_pointer(struct world *w, const char *function, const struct parameter *p)
{
    static uint32_t room;  /* for a text */
    static char log[1024]; /* a backend writes there as long as the program runs */
    room = 64;
    const struct {
        const char *type, *name; /* NULL: any */
        void *value;
    } known[] = {
        {"struct doca_devinfo **", NULL, w->infos},
        {"struct doca_devinfo_rep **", NULL, w->reps},
        {"struct doca_devinfo ***", NULL, &w->listed},
        {"struct doca_devinfo_rep ***", NULL, &w->listed_reps},
        {"struct doca_dpa_app *", NULL, dpa_test_app},
        {"struct doca_pcc_app *", NULL, PCC_APP},
        {"doca_dpa_app_t", NULL, dpa_test_app},
        {"doca_dpa_func_t *", NULL,
         (void *)(uintptr_t)(strstr(function, "rpc") ? &no_arguments : &hello_world)},
        {"FILE *", NULL, w->null},
        {"char **", "argv", arguments},
        {"void *", "export_desc", (void *)(uintptr_t)w->map_export},
        {"void *", "details", w->details},
        {"uint8_t *", "data", (void *)(uintptr_t)w->event_export},
        {"void *", "addr", w->mapped},
        {"void *", "data", w->mapped},
        {"doca_dpa_ep_addr_t", NULL, w->address},
        {"doca_dpa_ep_addr_t *", NULL, &w->made_address},
        {"uint32_t *", "name_len", &room},
        {"int *", "name_len", &room},
        {"uint32_t *", "path_len", &room},
        {"char *", "mode_args", modes},
        {"char *", "buf", log},
        {"char *", "address", "192.0.2.1"},
        {"char *", NULL, w->text},
    };
    if (is(function, "doca_sync_event_create_from_export") && is(p->name, "data"))
        return (void *)(uintptr_t)w->pci_export;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is(p->type, known[i].type) && (!known[i].name || is(p->name, known[i].name)))
            return known[i].value;
    void *own = own_pointer(w, p);
    if (own)
        return own;
    if (strncmp(p->type, "struct doca_", 12) == 0 || is(p->type, "doca_dpa_t *") ||
        is(p->type, "doca_dpa_worker_t *") || is(p->type, "doca_dpa_mem_t *") ||
        is(p->type, "doca_dpa_ep_t *"))
        return &w->made;
    return strchr(p->type, '*') && !strstr(p->type, "_cb_t") ? (void *)w->scratch
                                                             : (void *)(uintptr_t)do_nothing;
}

uint64_t good_argument(struct world *w, const char *function, const struct parameter *p)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"size", 512},
        {"length", 64},
        {"len", 64},
        {"data_len", 64},
        {"capacity", 512},
        {"mask", UINT64_MAX},
        {"level", 50},
        {"log_level", 50},
        {"upper_limit", 20},
        {"queue_size", 8},
        {"num_threads", 1},
        {"comp_count", 1},
        {"num_elements", 4},
        {"element_size", 16},
        {"element_alignment", 16},
        {"max_num_devices", 4},
        {"num_elem", 4},
        {"elem_size", 64},
        {"argc", 1},
        {"type", strstr(p->type, "argp")      ? DOCA_ARGP_TYPE_STRING
                 : strstr(p->type, "eth_rxq") ? 2 /* DOCA_ETH_RXQ_TYPE_REGULAR */
                                              : 0},
        {"fd", w->null ? (uint64_t)fileno(w->null) : 0},
        {"dev_ptr", w->memory},
        {"dpa_addr", w->memory},
        {"src_ptr", w->memory},
        {"dst_ptr", w->memory},
        {"send_queue_size", 8},
        {"recv_queue_size", 8},
        {"max_num_connections", 2},
        {"num_memcpy_tasks", 2},
        {"num_instances", 2},
        {"num_tasks", 2},
        {"num_send_tasks", 2},
        {"num_post_recv_tasks", 2},
        {"imm_data_len", 8},
        {"consumer_id", 1},
        {"max_num_consumers", 1},
        {"max_num_producers", 1},
        {"max_num_recv", 8},
        {"dev_num_recv", 8},
        {"dev_num_send", 8},
        {"counter_type", 1},
        {"max_burst_size", 8},
        {"max_packet_size", 64},
        {"max_recv_buf_list_len", 1},
        {"max_send_buf_list_len", 1},
        {"mss", 64},
        {"max_lso_header_size", 64},
        {"mmap_len", 512},
        {"task_recv_num", 2},
        {"task_send_num", 2},
        {"task_lso_send_num", 2},
        {"num_task_batches", 2},
        {"tasks_num", 1},
        {"pipe_queues", 1},
        {"nb_actions", 1},
        {"num_entries", 1},
        {"address", w->memory},
        {"attr_mask", INIT_MASK},
        {"clock_type", 1},
        {"primary_clock_type", 1},
        {"nic_clock_type", 1},
        {"dst_buf_list_len", 1},
        {"port", 21576},
        {"max_request_size", 24},
        {"max_response_size", 8},
        {"request_size", 24},
        {"buf_size", 512},
        {"buffer_size", 512},
        {"details_size", w->details_size},
        {"sz", w->event_export_size}, /* as that of the other export */
        {"export_desc_len", w->map_export_size},
        {"start_addr", strstr(function, "stateful") ? PCI_STATEFUL
                       : strstr(function, "msix")   ? PCI_TABLE
                                                    : 0},
        {"log_db_size", 2},
        {"log_stride_size", 3},
        {"log_sz", 14},
        {"max_num_dbs", 8},
    };
    if (is_handle(p))
        return (uintptr_t)w->objects[kind_of(p)];
    if (is_pointer(p))
        return (uintptr_t)good_pointer(w, function, p);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is(p->name, numbers[i].name))
            return numbers[i].value;
    return (strstr(function, "update") || strstr(function, "wait_eq")) && is(p->name, "value");
}
