/* A reaction point that does what its parameter MODE says with each event, and shows by its mailbox
 * what it has seen. tests/unit/test_pcc.c has the other side. */
#include <doca_pcc_dev.h>
#include <doca_pcc_dev_algo_access.h>
#include <doca_pcc_dev_event.h>
#include <string.h>

#include "guest/abi/syscall.h"

#include "pcc_modes.h"

static uint64_t seen[SEEN_MAX];
static uint32_t values[3], older[2], ids[3];

static const char algorithm_name[] = "modes, for tests";
static const char mode_text[] = "MODE, what it does";
static const char rate_text[] = "RATE, what it sets";
static const char odd_text[] = "no name\x01";
static const char events_text[] = "EVENTS, how many came";

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    const struct doca_pcc_dev_algo_meta_data def = {.algo_id = 0xBFFF,
                                                    .algo_major_version = 3,
                                                    .algo_minor_version = 4,
                                                    .algo_desc_size = sizeof algorithm_name,
                                                    .algo_desc_addr = (uint64_t)algorithm_name};
    unsigned bad = 0;
    bad += doca_pcc_dev_algo_init_metadata(8, &def, 1, 1) == 0;
    bad += doca_pcc_dev_algo_init_metadata(1, &def, 0x27, 1) == 0;
    bad += doca_pcc_dev_algo_init_metadata(1, &def, 1, 0x40) == 0;
    bad += doca_pcc_dev_algo_init_param(1, 0, 0, 0, 0, 0, 0, 0) == 0;
    bad += doca_pcc_dev_init_algo_slot(0, 0, 1, 1) == 0;
    bad += doca_pcc_dev_algo_init_metadata(1, &def, 4, 2) != 0;
    bad += doca_pcc_dev_algo_init_param(1, MODE, 0, 100, 0, 1, sizeof mode_text,
                                        (uint64_t)mode_text) != 0;
    bad += doca_pcc_dev_algo_init_param(1, RATE, 1000, 0xffffffff, 0, 1, sizeof rate_text,
                                        (uint64_t)rate_text) != 0;
    bad += doca_pcc_dev_algo_init_param(1, FIXED, 5, 5, 5, 0, sizeof odd_text,
                                        (uint64_t)odd_text) != 0;
    bad += doca_pcc_dev_algo_init_param(1, 4, 0, 0, 0, 0, 0, 0) == 0;
    bad +=
        doca_pcc_dev_algo_init_counter(1, 0, 77, 2, sizeof events_text, (uint64_t)events_text) != 0;
    bad += doca_pcc_dev_algo_init_counter(1, 2, 0, 0, 0, 0) == 0;
    for (uint32_t port = 0; port < DOCA_PCC_DEV_MAX_NUM_PORTS; port++)
        bad += doca_pcc_dev_init_algo_slot(port, SLOT, 1, 1) != 0;
    bad += doca_pcc_dev_init_algo_slot(99, SLOT, 1, 1) == 0;
    bad += doca_pcc_dev_init_algo_slot(0, 8, 1, 1) == 0;
    seen[SEEN_BAD] = bad;
    *disable_event_bitmask |= 1u << DOCA_PCC_DEV_EVNT_ROCE_ACK;
    doca_pcc_dev_printf("%s: %u\n", __func__, bad);
}

void doca_pcc_dev_user_port_info_changed(uint32_t portid)
{
    seen[SEEN_PORTS] |= 1u << portid;
}

static void look(doca_pcc_dev_event_t *event, const doca_pcc_dev_attr_t *attr,
                 const doca_pcc_dev_results_t *results)
{
    doca_pcc_dev_event_general_attr_t a = doca_pcc_dev_get_ev_attr(event);
    doca_pcc_dev_roce_tx_cntrs_t sent = doca_pcc_dev_get_roce_tx_cntrs(event);
    uint64_t *s = seen + SEEN_EVENT;
    *s++ = a.ev_type;
    *s++ = a.ev_subtype;
    *s++ = a.port_num;
    *s++ = a.flags;
    *s++ = doca_pcc_dev_get_flowtag(event);
    *s++ = doca_pcc_dev_get_sn(event);
    *s++ = doca_pcc_dev_get_timestamp(event);
    *s++ = doca_pcc_dev_get_ttl_hoplimit(event);
    *s++ = doca_pcc_dev_get_flow_qpn(event);
    *s++ = attr->algo_slot;
    *s++ = results->rate;
    *s++ = doca_pcc_dev_get_roce_first_timestamp(event);
    *s++ = sent.sent_32bytes;
    *s++ = sent.sent_pkts;
    *s++ = doca_pcc_dev_get_roce_ack_first_sn(event);
    *s++ = doca_pcc_dev_get_ack_nack_cnp_extra(event).num_coalesced;
    *s++ = doca_pcc_dev_get_rtt_req_send_timestamp(event);
    *s++ = doca_pcc_dev_get_rtt_req_recv_timestamp(event);
    *s++ = doca_pcc_dev_get_rtt_resp_send_timestamp(event);
    *s++ = doca_pcc_dev_get_rtt_np_rx_byte_counter(event);
    *s++ = doca_pcc_dev_get_rtt_resp_version(event);
    *s++ = doca_pcc_dev_get_rtt_resp_port_type(event);
    *s++ = doca_pcc_dev_get_rtt_raw_data_size(event);
    memcpy(s++, doca_pcc_dev_get_rtt_raw_data(event), 8);
    *s++ = doca_pcc_dev_get_fw_settings(event, 0);
    *s++ = doca_pcc_dev_get_fw_settings(event, 2);
    *s++ = sizeof *event;
    *s++ = sizeof *results;
    *s++ = __builtin_bswap32(event->sn); /* as programs read it that use no function */
}

void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt, doca_pcc_dev_event_t *event,
                            const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)
{
    uint32_t port = doca_pcc_dev_get_ev_attr(event).port_num;
    const uint32_t *param = doca_pcc_dev_get_algo_params(port, attr->algo_slot);
    uint32_t *counter = doca_pcc_dev_get_counters(port, attr->algo_slot);
    if (!param) {
        doca_pcc_dev_default_internal_algo(algo_ctxt, event, attr, results);
        return;
    }
    counter[0]++;
    algo_ctxt->data[0]++;
    algo_ctxt->data[11] = doca_pcc_dev_get_flowtag(event);
    switch (param[MODE]) {
    case MODE_SET:
        results->rate = param[RATE];
        results->rtt_req = algo_ctxt->data[0] & 1;
#ifndef DOCA_2_5
        results->probe_type_slot = 3;
#endif
        break;
    case MODE_KEEP:
        break;
    case MODE_FAULT:
        *(volatile uint32_t *)8 = 1;
        break;
    case MODE_LOOP:
        for (;;)
            __dpa_compiler_barrier();
    case MODE_WAIT:
        dpa_call3(DPA_SYS_EVENT_WAIT_GT, 1, 0, 0);
        break;
    case MODE_LOOK:
        look(event, attr, results);
        break;
    case MODE_PRINT:
        doca_pcc_dev_printf("flow %u\n", doca_pcc_dev_get_flowtag(event));
        doca_pcc_dev_trace_5(7, 1, 2, 3, 4, 1ull << 40);
        doca_pcc_dev_trace_flush();
        break;
    case MODE_END:
        dpa_call0(DPA_SYS_END_PROCESS);
        break;
    case MODE_BAD_CALL:
        dpa_call0(DPA_SYS_CALL(DPA_SYS_FAMILY_PCC, 200));
        break;
    case MODE_BEYOND:
        *(volatile uint32_t *)&algo_ctxt->data[12 + param[RATE]] = 7;
        break;
    case MODE_BEFORE:
        ((volatile uint32_t *)algo_ctxt)[-1] = 7;
        break;
    case MODE_WORK:
        for (uint32_t i = 0; i < param[RATE]; i++)
            __dpa_compiler_barrier();
        break;
    }
}

doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,
                                                       uint32_t param_id_base, uint32_t param_num,
                                                       const uint32_t *new_param_values,
                                                       uint32_t *params)
{
    seen[SEEN_SET] = port_num;
    seen[SEEN_SET + 1] = algo_slot;
    seen[SEEN_SET + 2] = param_id_base;
    seen[SEEN_SET + 3] = param_num;
    seen[SEEN_SET + 4] = params == doca_pcc_dev_get_algo_params(port_num, algo_slot);
    return new_param_values[0] == REFUSED ? DOCA_PCC_DEV_STATUS_FAIL : DOCA_PCC_DEV_STATUS_OK;
}

static uint64_t calculate(const uint64_t *q)
{
    uint32_t a = (uint32_t)q[1], b = (uint32_t)q[2];
    switch (q[0]) {
    case ASK_MULT:
        return doca_pcc_dev_mult(a, b);
    case ASK_FXP_MULT:
        return doca_pcc_dev_fxp_mult(a, b);
    case ASK_RECIP:
        return (uint32_t)doca_pcc_dev_fxp_recip((int)a);
    case ASK_POWER2:
        return (uint32_t)doca_pcc_dev_fxp_power2((int)a);
    case ASK_LOG2:
        return (uint32_t)doca_pcc_dev_fxp_log2(a);
    case ASK_FLS:
        return (uint64_t)doca_pcc_dev_fls(a);
    case ASK_TIMER:
        return doca_pcc_dev_get_timer();
    case ASK_TIMER_LO:
        return doca_pcc_dev_get_timer_lo();
    case ASK_THREAD_TIME:
        return doca_pcc_dev_get_thread_time();
    case ASK_RANK:
        return doca_pcc_dev_thread_rank();
    case ASK_PORTS:
        return doca_pcc_dev_get_logical_ports();
    case ASK_SPEED:
        return doca_pcc_dev_get_port_speed(a);
    case ASK_PLANES:
        return doca_pcc_dev_get_port_planes(a);
    case ASK_INDEX:
        return doca_pcc_dev_get_algo_index(a, b);
    case ASK_PARAMS_NUM:
        return doca_pcc_dev_get_algo_params_num(a, b);
    case ASK_COUNTERS_NUM:
        return doca_pcc_dev_get_counters_num(a, b);
    case ASK_HAS_PARAMS:
        return doca_pcc_dev_get_algo_params(a, b) != NULL;
    case ASK_HAS_COUNTERS:
        return doca_pcc_dev_get_counters(a, b) != NULL;
    case ASK_COUNTERS:
        doca_pcc_dev_fence_all();
        doca_pcc_dev_fence_memory();
        doca_pcc_dev_fence_io();
        doca_pcc_dev_fence_w_r();
        ids[0] = DOCA_PCC_DEV_GET_PORT_COUNTER_ID(a, DOCA_PCC_DEV_NIC_COUNTER_TYPE_RX_BYTES, 0);
        ids[1] = DOCA_PCC_DEV_GET_PORT_COUNTER_ID(a, DOCA_PCC_DEV_NIC_COUNTER_TYPE_TX_BYTES, 0);
        ids[2] = 0x1234;
        doca_pcc_dev_nic_counters_config(ids, 3, values);
        doca_pcc_dev_nic_counters_sample();
        ids[0] = DOCA_PCC_DEV_NIC_COUNTER_PORT0_RX_BYTES + a; /* the names of DOCA 2.6 */
        ids[1] = DOCA_PCC_DEV_NIC_COUNTER_PORT0_TX_BYTES + a;
        doca_pcc_dev_nic_counters_config(ids, 2, older);
        doca_pcc_dev_nic_counters_sample();
        if (older[0] != values[0] || older[1] != values[1])
            return UINT64_MAX;
        return values[0] | (uint64_t)values[1] << 16 | (uint64_t)values[2] << 32;
    case ASK_TRACE:
        doca_pcc_dev_trace_5(7, 1, (uint64_t)-2, 3, 4, 1ull << 40);
        return 0;
    case ASK_PARAM:
        ((uint32_t *)(uintptr_t)doca_pcc_dev_get_algo_params(0, SLOT))[a] = b;
        return b;
    case ASK_HEADER:
        return doca_pcc_dev_custom_header_set(NULL, NULL, ids, 4, 0) &
               doca_pcc_dev_probe_prio_set(NULL, NULL, 0, 0, 0);
    default:
        return 0;
    }
}

doca_pcc_dev_error_t doca_pcc_dev_user_mailbox_handle(void *request, uint32_t request_size,
                                                      uint32_t max_response_size, void *response,
                                                      uint32_t *response_size)
{
    const uint64_t *q = request;
    if (request_size != 24)
        return DOCA_PCC_DEV_STATUS_FAIL;
    if (q[0] == ASK_TOO_MUCH) {
        *response_size = max_response_size + 1;
        return DOCA_PCC_DEV_STATUS_OK;
    }
    if (q[0] == ASK_FAULT)
        *(volatile uint32_t *)8 = 1;
    uint64_t answer = q[0] == ASK_SEEN ? seen[q[1]] : calculate(q);
    memcpy(response, &answer, sizeof answer);
    *response_size = sizeof answer;
    return DOCA_PCC_DEV_STATUS_OK;
}
