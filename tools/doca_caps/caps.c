/* Prints the capabilities of DOCA libraries with a device, from a table of capability functions. */
#include "doca_caps.h"

#include <doca_clock.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_devemu_pci.h>
#include <doca_devemu_pci_type.h>
#include <doca_dma.h>
#include <doca_dpa.h>
#include <doca_dpdk.h>
#include <doca_eth_rxq.h>
#include <doca_eth_txq.h>
#include <doca_mmap.h>
#include <doca_pcc.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>
#include <doca_telemetry_dpa.h>
#include <inttypes.h>
#include <string.h>

/* Types of capability functions. */
typedef doca_error_t test_call(const struct doca_devinfo *);
typedef doca_error_t u8_call(const struct doca_devinfo *, uint8_t *);
typedef doca_error_t u16_call(const struct doca_devinfo *, uint16_t *);
typedef doca_error_t u32_call(const struct doca_devinfo *, uint32_t *);
typedef doca_error_t u64_call(const struct doca_devinfo *, uint64_t *);
typedef doca_error_t rdma_call(const struct doca_devinfo *, enum doca_rdma_transport_type,
                               uint32_t *);

struct cap {
    const char *library, *function;
    enum kind {
        TEST, /* supported if the call succeeds */
        FLAG, /* supported if the value is 1 */
        U8,
        U16,
        U32,
        U64,
        RC, /* value for reliable connections */
    } kind;
};

/* A row of the table; the compiler checks the function's type against its kind. */
#define CAP(library, function, k, type)                                                            \
    {                                                                                              \
        library, #function,                                                                        \
            k + 0 * sizeof(                                                                        \
                        char[__builtin_types_compatible_p(__typeof__(function), type) ? 1 : -1])   \
    }
#define TEST(library, function) CAP(library, function, TEST, test_call)
#define FLAG(library, function) CAP(library, function, FLAG, u8_call)
#define U8(library, function)   CAP(library, function, U8, u8_call)
#define U16(library, function)  CAP(library, function, U16, u16_call)
#define U32(library, function)  CAP(library, function, U32, u32_call)
#define U64(library, function)  CAP(library, function, U64, u64_call)
#define RC(library, function)   CAP(library, function, RC, rdma_call)

/* The functions of a library follow each other. */
static const struct cap caps[] = {
    FLAG("common", doca_devinfo_cap_is_hotplug_manager_supported),
    FLAG("common", doca_devinfo_cap_is_notification_moderation_supported),
    FLAG("common", doca_devinfo_cap_is_accelerate_resource_reclaim_supported),
    FLAG("common", doca_devinfo_rep_cap_is_filter_all_supported),
    FLAG("common", doca_devinfo_rep_cap_is_filter_net_supported),
    FLAG("common", doca_devinfo_rep_cap_is_filter_emulated_supported),
    FLAG("common", doca_mmap_cap_is_export_pci_supported),
    FLAG("common", doca_mmap_cap_is_create_from_export_pci_supported),
    U32("common", doca_ctx_cap_get_num_completion_vectors),
    TEST("common", doca_clock_cap_nic_real_time_is_supported),
    TEST("common", doca_clock_cap_nic_free_running_is_supported),
    TEST("common", doca_clock_cap_nic_dpa_timer_is_supported),
    TEST("common", doca_sync_event_cap_is_export_to_dpa_supported),
    TEST("common", doca_sync_event_cap_is_export_to_gpu_supported),
    TEST("common", doca_sync_event_cap_is_export_to_remote_pci_supported),
    TEST("common", doca_sync_event_cap_is_export_to_remote_net_supported),
    TEST("common", doca_sync_event_cap_is_create_from_export_supported),
    TEST("common", doca_sync_event_cap_remote_net_is_create_from_export_supported),
    TEST("common", doca_sync_event_cap_remote_net_is_export_to_dpa_supported),
    TEST("common", doca_sync_event_cap_remote_net_is_export_to_gpu_supported),
    TEST("common", doca_sync_event_cap_task_get_is_supported),
    TEST("common", doca_sync_event_cap_task_notify_set_is_supported),
    TEST("common", doca_sync_event_cap_task_notify_add_is_supported),
    TEST("common", doca_sync_event_cap_task_wait_eq_is_supported),
    TEST("common", doca_sync_event_cap_task_wait_neq_is_supported),
    TEST("common", doca_dpa_cap_is_supported),
    TEST("comch", doca_comch_cap_server_is_supported),
    TEST("comch", doca_comch_cap_client_is_supported),
    U32("comch", doca_comch_cap_get_max_name_len),
    U32("comch", doca_comch_cap_get_max_msg_size),
    U32("comch", doca_comch_cap_get_max_send_tasks),
    U32("comch", doca_comch_cap_get_max_recv_queue_size),
    U32("comch", doca_comch_cap_get_max_clients),
    TEST("comch", doca_comch_consumer_cap_is_supported),
    U32("comch", doca_comch_consumer_cap_get_max_num_tasks),
    U32("comch", doca_comch_consumer_cap_get_max_buf_size),
    U32("comch", doca_comch_consumer_cap_get_max_buf_list_len),
    U32("comch", doca_comch_consumer_cap_get_max_imm_data_len),
    U32("comch", doca_comch_consumer_cap_get_max_consumers),
    TEST("comch", doca_comch_producer_cap_is_supported),
    U32("comch", doca_comch_producer_cap_get_max_num_tasks),
    U32("comch", doca_comch_producer_cap_get_max_buf_size),
    U32("comch", doca_comch_producer_cap_get_max_buf_list_len),
    U32("comch", doca_comch_producer_cap_get_max_producers),
    U16("devemu", doca_devemu_pci_cap_get_max_types),
    U16("devemu", doca_devemu_pci_cap_type_get_max_num_msix),
    U16("devemu", doca_devemu_pci_cap_type_get_max_num_db),
    U8("devemu", doca_devemu_pci_cap_type_get_max_bars),
    U8("devemu", doca_devemu_pci_cap_type_get_log_min_bar_size),
    U8("devemu", doca_devemu_pci_cap_type_get_log_max_bar_size),
    U32("devemu", doca_devemu_pci_cap_type_get_max_bar_regions),
    U32("devemu", doca_devemu_pci_cap_type_get_max_bar_db_regions),
    U32("devemu", doca_devemu_pci_cap_type_get_max_bar_msix_table_regions),
    U32("devemu", doca_devemu_pci_cap_type_get_max_bar_msix_pba_regions),
    U32("devemu", doca_devemu_pci_cap_type_get_max_bar_stateful_regions),
    U32("devemu", doca_devemu_pci_cap_bar_get_max_bar_regions),
    U32("devemu", doca_devemu_pci_cap_bar_get_max_bar_db_regions),
    U32("devemu", doca_devemu_pci_cap_bar_get_max_bar_msix_table_regions),
    U32("devemu", doca_devemu_pci_cap_bar_get_max_bar_msix_pba_regions),
    U32("devemu", doca_devemu_pci_cap_bar_get_max_bar_stateful_regions),
    U32("devemu", doca_devemu_pci_cap_bar_db_region_get_region_block_size),
    U32("devemu", doca_devemu_pci_cap_bar_db_region_get_max_num_region_blocks),
    U32("devemu", doca_devemu_pci_cap_bar_db_region_get_start_addr_alignment),
    U32("devemu", doca_devemu_pci_cap_bar_msix_table_region_get_region_block_size),
    U32("devemu", doca_devemu_pci_cap_bar_msix_table_region_get_max_num_region_blocks),
    U32("devemu", doca_devemu_pci_cap_bar_msix_table_region_get_start_addr_alignment),
    U32("devemu", doca_devemu_pci_cap_bar_msix_pba_region_get_region_block_size),
    U32("devemu", doca_devemu_pci_cap_bar_msix_pba_region_get_max_num_region_blocks),
    U32("devemu", doca_devemu_pci_cap_bar_msix_pba_region_get_start_addr_alignment),
    U32("devemu", doca_devemu_pci_cap_bar_stateful_region_get_region_block_size),
    U32("devemu", doca_devemu_pci_cap_bar_stateful_region_get_max_num_region_blocks),
    U32("devemu", doca_devemu_pci_cap_bar_stateful_region_get_start_addr_alignment),
    U8("devemu", doca_devemu_pci_cap_type_get_log_min_db_size),
    U8("devemu", doca_devemu_pci_cap_type_get_log_max_db_size),
    U8("devemu", doca_devemu_pci_cap_type_get_log_min_db_stride_size),
    U8("devemu", doca_devemu_pci_cap_type_get_log_max_db_stride_size),
    FLAG("devemu", doca_devemu_pci_cap_bar_db_region_is_identify_by_offset_supported),
    FLAG("devemu", doca_devemu_pci_cap_bar_db_region_is_identify_by_data_supported),
    FLAG("devemu", doca_devemu_pci_cap_is_mmap_add_dev_supported),
    U32("devemu", doca_devemu_pci_cap_get_max_hotplug_devices),
    TEST("dma", doca_dma_cap_task_memcpy_is_supported),
    U64("dma", doca_dma_cap_task_memcpy_get_max_buf_size),
    U32("dma", doca_dma_cap_task_memcpy_get_max_buf_list_len),
    FLAG("dpdk_bridge", doca_dpdk_cap_is_rep_port_supported),
    U32("eth", doca_eth_rxq_cap_get_max_burst_size),
    U32("eth", doca_eth_rxq_cap_get_max_packet_size),
    U32("eth", doca_eth_rxq_cap_get_max_recv_buf_list_len),
    U8("eth", doca_eth_rxq_cap_get_max_metadata_num),
    U16("eth", doca_eth_rxq_cap_get_max_packet_headroom),
    U16("eth", doca_eth_rxq_cap_get_max_packet_tailroom),
    U32("eth", doca_eth_txq_cap_get_max_send_buf_list_len),
    U8("eth", doca_eth_txq_cap_get_max_metadata_num),
    U16("eth", doca_eth_txq_cap_get_max_lso_header_size),
    U32("eth", doca_eth_txq_cap_get_max_lso_msg_size),
    TEST("eth", doca_eth_txq_cap_is_l3_chksum_offload_supported),
    TEST("eth", doca_eth_txq_cap_is_l4_chksum_offload_supported),
    TEST("pcc", doca_devinfo_get_is_pcc_supported),
    TEST("pcc", doca_pcc_np_cap_is_supported),
    TEST("pcc", doca_pcc_cap_is_ccmad_custom_header_supported),
    TEST("pcc", doca_pcc_cap_is_probe_priority_change_supported),
    U32("rdma", doca_rdma_cap_get_max_send_queue_size),
    U32("rdma", doca_rdma_cap_get_max_recv_queue_size),
    U32("rdma", doca_rdma_cap_get_max_send_buf_list_len),
    U32("rdma", doca_rdma_cap_get_max_message_size),
    U32("rdma", doca_rdma_cap_get_gid_table_size),
    TEST("rdma", doca_rdma_cap_task_receive_is_supported),
    RC("rdma", doca_rdma_cap_task_receive_get_max_dst_buf_list_len),
    TEST("rdma", doca_rdma_cap_task_send_is_supported),
    TEST("rdma", doca_rdma_cap_task_send_imm_is_supported),
    TEST("rdma", doca_rdma_cap_task_read_is_supported),
    TEST("rdma", doca_rdma_cap_task_write_is_supported),
    TEST("rdma", doca_rdma_cap_task_write_imm_is_supported),
    TEST("rdma", doca_rdma_cap_task_atomic_cmp_swp_is_supported),
    TEST("rdma", doca_rdma_cap_task_atomic_fetch_add_is_supported),
    TEST("rdma", doca_rdma_cap_task_remote_net_sync_event_get_is_supported),
    TEST("rdma", doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported),
    TEST("rdma", doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported),
    TEST("telemetry_dpa", doca_telemetry_dpa_cap_is_supported),
};
enum { CAPS = sizeof caps / sizeof *caps };

/* ---- Names ---- */

/* The name of a library's block of capabilities. */
static const char *block_of(const struct cap *c)
{
    return strcmp(c->library, "devemu") == 0 ? "devemu_pci" : c->library;
}

/* Removes `size` bytes at the first `word` from the text. */
static void drop(char *text, const char *word, size_t size)
{
    char *at = strstr(text, word);
    if (at)
        memmove(at, at + size, strlen(at + size) + 1);
}

/* Shortens a function's name: "task_memcpy" for doca_dma_cap_task_memcpy_is_supported. */
static void name_of(const struct cap *c, char out[96])
{
    /* Each text is searched whole, and removed up to its first "_". */
    static const char *const words[] = {"devinfo_",    "cap_", "get_max_",  "get_num_",
                                        "get_is_pcc_", "is_",  "supported_"};
    char own[40];
    snprintf(out, 96, "%s_", c->function + strlen("doca_"));
    snprintf(own, sizeof own, "%s_", block_of(c));
    if (strncmp(out, own, strlen(own)) == 0)
        drop(out, own, strlen(own));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        drop(out, words[i], strcspn(words[i], "_") + 1);
    const size_t size = strlen(out);
    if (size == 0)
        snprintf(out, 96, "%s", c->library);
    else if (out[size - 1] == '_')
        out[size - 1] = 0;
}

/* ---- Values ---- */

static void put_state(doca_error_t result, bool yes)
{
    puts(result == DOCA_SUCCESS && yes ? "supported" : "unsupported");
}

static void put_number(doca_error_t result, uint64_t value)
{
    if (result == DOCA_SUCCESS)
        printf("%" PRIu64 "\n", value);
    else
        puts("unsupported");
}

static void put_value(const struct cap *c, void *function, const struct doca_devinfo *info)
{
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    doca_error_t result;
    switch (c->kind) {
    case TEST:
        put_state(((test_call *)function)(info), true);
        break;
    case FLAG:
        result = ((u8_call *)function)(info, &u8);
        put_state(result, u8);
        break;
    case U8:
        result = ((u8_call *)function)(info, &u8);
        put_number(result, u8);
        break;
    case U16:
        result = ((u16_call *)function)(info, &u16);
        put_number(result, u16);
        break;
    case U32:
        result = ((u32_call *)function)(info, &u32);
        put_number(result, u32);
        break;
    case U64:
        result = ((u64_call *)function)(info, &u64);
        put_number(result, u64);
        break;
    case RC:
        result = ((rdma_call *)function)(info, DOCA_RDMA_TRANSPORT_TYPE_RC, &u32);
        put_number(result, u32);
        break;
    }
}

/* ---- Printing ---- */

void caps_print(const struct doca_devinfo *info, const char *library)
{
    const char *last = "";
    char name[96];
    caps_device_print_address(info);
    for (size_t i = 0; i < CAPS; i++) {
        const struct cap *c = &caps[i];
        if (library && strcmp(library, c->library) != 0)
            continue;
        void *function = caps_library_find(c->library, c->function);
        if (!function)
            continue;
        if (strcmp(last, c->library) != 0)
            printf("\t%s\n", block_of(c));
        last = c->library;
        name_of(c, name);
        printf("\t\t%-45s ", name);
        put_value(c, function, info);
    }
}

static const char *const libraries[] = {"common",      "argp",          "comch", "devemu",   "dma",
                                        "dpdk_bridge", "eth",           "flow",  "gpunetio", "pcc",
                                        "rdma",        "telemetry_dpa", "urom",  "verbs"};
#define LIBRARIES (sizeof libraries / sizeof *libraries)

bool caps_knows_library(const char *name)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (strcmp(libraries[i], name) == 0)
            return true;
    return false;
}

void caps_print_libraries(void)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        printf("%-30s %s\n", libraries[i],
               caps_library_open(libraries[i]) ? "installed" : "not installed");
}
