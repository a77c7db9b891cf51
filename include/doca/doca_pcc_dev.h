/*
 * doca_pcc_dev: the device side of DOCA PCC for a reaction point: an algorithm of congestion control,
 * which the NIC calls with each event of a flow, and which sets the flow's rate.
 *
 *     void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
 *     {
 *         doca_pcc_dev_init_algo_slot(0, 0, 0, 1);            // port 0, slot 0, algorithm 0, enabled
 *         *disable_event_bitmask = 1u << DOCA_PCC_DEV_EVNT_ROCE_ACK;
 *     }
 *     void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt, doca_pcc_dev_event_t *event,
 *                                 const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)
 *     {
 *         if (doca_pcc_dev_get_ev_attr(event).ev_type == DOCA_PCC_DEV_EVNT_ROCE_CNP)
 *             results->rate /= 2;
 *     }
 *     // doca_pcc_dev_user_set_algo_params: as below
 *
 * Link it with libdoca_pcc_dev.a (dpacc -device-libs="-ldoca_pcc_dev"). DOCA PCC 3, "DOCA PCC".
 */
#ifndef DOCA_PCC_DEV_H
#define DOCA_PCC_DEV_H

#ifndef DOCA_DPA_DEVICE
#define DOCA_DPA_DEVICE
#endif

#include "doca_pcc_dev_common.h"
#include "doca_pcc_dev_data_structures.h"
#include "doca_pcc_dev_services.h"
#include "doca_pcc_dev_utils.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Events ---- */

/* Whether DOCA_PCC_DEV_EVNT_ROCE_TX_FOR_ACK_NACK can be masked out: not on BlueField-3. */
#if defined(__NV_DPA) && __NV_DPA == __NV_DPA_BF3
#define DOCA_PCC_DEV_ACK_NACK_TX_EVENT_DISABLED_SUPPORTED (0)
#else
#define DOCA_PCC_DEV_ACK_NACK_TX_EVENT_DISABLED_SUPPORTED (1)
#endif

typedef enum doca_pcc_dev_event_type_enum {
    DOCA_PCC_DEV_EVNT_NULL = 0,
    DOCA_PCC_DEV_EVNT_FW = 1,
    DOCA_PCC_DEV_EVNT_ROCE_CNP = 2, /* the peer received a packet that a switch marked */
    DOCA_PCC_DEV_EVNT_ROCE_TX = 3,  /* a burst was sent */
    DOCA_PCC_DEV_EVNT_ROCE_ACK = 4,
    DOCA_PCC_DEV_EVNT_ROCE_NACK = 5,
    DOCA_PCC_DEV_EVNT_RTT = 6, /* the answer to a probe */
    DOCA_PCC_DEV_EVNT_ROCE_TX_FOR_ACK_NACK = 31,
} doca_pcc_dev_event_type_t;

typedef enum doca_pcc_dev_nack_event_sub_type_enum {
    DOCA_PCC_DEV_NACK_EVNT_NULL = 0,
    DOCA_PCC_DEV_NACK_EVNT_RNR = 1,      /* the receiver was not ready */
    DOCA_PCC_DEV_NACK_EVNT_OOS = 2,      /* out of sequence */
    DOCA_PCC_DEV_NACK_EVNT_DUP_READ = 3, /* a duplicate read request */
} doca_pcc_dev_nack_event_sub_type_t;

#define DOCA_PCC_DEV_TX_FLAG_ACK_EXPECTED (1 << 0)
#define DOCA_PCC_DEV_TX_FLAG_OVERLOADED   (1 << 1)
#define DOCA_PCC_DEV_TX_FLAG_RTT_REQ_SENT (1 << 2) /* the burst has sent the requested probe */

/* ---- Rates ---- */

/* A rate is a fixed-point number with 20 fractional bits; 1 is the port's line rate. */
#define DOCA_PCC_DEV_LOG_MAX_RATE (20)
#define DOCA_PCC_DEV_MAX_RATE     (1U << DOCA_PCC_DEV_LOG_MAX_RATE)
#define DOCA_PCC_DEV_DEFAULT_RATE                                                                  \
    ((DOCA_PCC_DEV_MAX_RATE >> 8) > (1) ? (DOCA_PCC_DEV_MAX_RATE >> 8) : (1))

/* The result of the algorithm. On entry `rate` is the current rate of the flow, and all else is 0. */
#ifdef DOCA_2_5
typedef struct mlnx_cc_results_t doca_pcc_dev_results_t;
#else
typedef struct doca_pcc_dev_results {
    uint32_t rate;
    union {
        uint32_t rtt_req;   /* not 0: send a probe */
        uint32_t probe_req; /* the same */
    };
    uint32_t probe_type_slot; /* the slot of the probe */
    uint32_t credits;         /* ignored here: flows have rates, not credits */
    uint32_t reload_credits;
} doca_pcc_dev_results_t;
#endif

/* ---- Limits ---- */
#define DOCA_PCC_DEV_MAX_NUM_USER_SLOTS (8)
#define DOCA_PCC_DEV_MAX_NUM_ALGOS      (8)
#ifdef DOCA_2_5
#define DOCA_PCC_DEV_MAX_NUM_PARAMS_PER_ALGO   (0x1E)
#define DOCA_PCC_DEV_MAX_NUM_COUNTERS_PER_ALGO (0xF)
#else
#define DOCA_PCC_DEV_MAX_NUM_PARAMS_PER_ALGO   (0x26)
#define DOCA_PCC_DEV_MAX_NUM_COUNTERS_PER_ALGO (0x3F)
#endif
#define DOCA_PCC_DEV_ALGO_SLOT_INTERNAL  (0xF) /* slot and index of the algorithm below */
#define DOCA_PCC_DEV_ALGO_INDEX_INTERNAL (0xF)

/* The library's own algorithm, for events of slots that the program does not handle. dpakit's algorithm
 * is simple: a CNP subtracts an eighth of the rate, a burst adds 1/1024 of the line rate. Its state is
 * in `algo_ctxt`. */
void doca_pcc_dev_default_internal_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt,
                                        doca_pcc_dev_event_t *event,
                                        const doca_pcc_dev_attr_t *attr,
                                        doca_pcc_dev_results_t *results);

/* Sets a custom header of the probe that answers this event. Always returns DOCA_PCC_DEV_STATUS_FAIL:
 * dpakit's probes have no custom header (doca_pcc_cap_is_ccmad_custom_header_supported). */
doca_pcc_dev_error_t doca_pcc_dev_custom_header_set(doca_pcc_dev_algo_ctxt_t *algo_ctxt,
                                                    doca_pcc_dev_event_t *event, uint32_t *header,
                                                    uint32_t header_size, uint32_t wait_completed);

/* Sets the priority of the probe that answers this event (DOCA 2.10). Always returns
 * DOCA_PCC_DEV_STATUS_FAIL: the priority of dpakit's probes does not change
 * (doca_pcc_cap_is_probe_priority_change_supported). Only the types of the last three arguments are
 * public, not their meaning. */
doca_pcc_dev_error_t doca_pcc_dev_probe_prio_set(doca_pcc_dev_algo_ctxt_t *algo_ctxt,
                                                 doca_pcc_dev_event_t *event, uint32_t first,
                                                 uint32_t second, uint32_t third);

/* The differentiated services code point of the event's flow, 0 to 63 (DOCA 3.3). On a card the flows of
 * a queue pair have one if ROCE_CC_SHAPER_COALESCE is SOURCE_QP. dpakit's devices do not have this
 * setting: always returns 0, as a card does for a flow without one. */
uint32_t doca_pcc_dev_get_dscp(doca_pcc_dev_event_t *event);

/* Get hints that a host gives to an algorithm (DOCA 3.3). Hosts of dpakit cannot give hints, so the first
 * two functions return 0 and the last function returns NULL for each `hint_id`. */
uint32_t doca_pcc_dev_get_cc_hint_id(doca_pcc_dev_event_t *event);
uint16_t doca_pcc_dev_get_cc_hint_usn(doca_pcc_dev_event_t *event, uint32_t hint_id);
const uint8_t *doca_pcc_dev_get_cc_hint(doca_pcc_dev_event_t *event, uint32_t hint_id);

/* ---- Declarations of memory (DOCA 3.3) ----
 * A card reserves memory for what doca_pcc_dev_user_declare_memory declares, and for the largest numbers
 * if the program does not have that function. dpakit always has memory for the largest numbers, but
 * later calls must keep to what was declared. All return DOCA_PCC_DEV_STATUS_FAIL outside of
 * doca_pcc_dev_user_declare_memory, and for an argument out of range. */

#define DOCA_PCC_DEV_SLOT_UNASSIGNED 0x10 /* for algo_idx: the slot has no algorithm */

/* Declares the number of groups of counters of a port, 1 to DOCA_PCC_DEV_MAX_NUM_USER_SLOTS. dpakit has a
 * group of counters for each slot, whatever the number is. */
doca_pcc_dev_error_t doca_pcc_dev_declare_num_counter_groups(uint32_t num_counter_groups);
/* Declares which algorithm a slot of a port will get by doca_pcc_dev_init_algo_slot, or that it will not
 * get any. */
doca_pcc_dev_error_t doca_pcc_dev_declare_slot_algo(uint32_t port_num, uint32_t algo_slot,
                                                    uint8_t algo_idx);
/* Declares the largest numbers of parameters and counters that doca_pcc_dev_algo_init_metadata may give
 * to the algorithm. A slot must have been declared for the algorithm before. */
doca_pcc_dev_error_t doca_pcc_dev_declare_algo(uint32_t algo_idx, uint32_t param_num,
                                               uint32_t counter_num);

/* ---- Functions that the program implements ---- */

/* Tells the library for which events the program was compiled: those of DOCA 2.5 and 2.6 (1), later ones
 * (2), and later ones of ConnectX-8 and later cards (3). */
#ifdef _DOCA_PCC_DEV_LIBRARY
extern const uint32_t _doca_pcc_dev_event_layout;
#else
extern const uint32_t _doca_pcc_dev_event_layout __attribute__((weak)); /* or C++ makes it static */
const uint32_t _doca_pcc_dev_event_layout =
#if defined(DOCA_2_5)
    1;
#elif defined(__NV_DPA) && defined(__NV_DPA_CX8) && __NV_DPA >= __NV_DPA_CX8
    3;
#else
    2;
#endif
#endif

/* Handles one event of one flow. Several threads call it concurrently, for different flows. */
void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *algo_ctxt, doca_pcc_dev_event_t *event,
                            const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results);

/* Called once, before doca_pcc_dev_user_init, if the program has the function. A program that has it
 * declares all of its algorithms and slots (DOCA 3.3). */
void doca_pcc_dev_user_declare_memory(void) __attribute__((weak));

/* Fills 64 bytes that tell a host the format of hints (DOCA 3.3). dpakit does not call it. */
void doca_pcc_dev_user_cc_hint_init_caps(uint8_t *caps) __attribute__((weak));

/* Called once, before events: registers the algorithms (doca_pcc_dev_algo_access.h).
 * *disable_event_bitmask is 0 on entry: set bit n to disable events of type n. */
void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask);

/* Called when the host sets parameters: checks `param_num` values for those from `param_id_base` on,
 * and returns DOCA_PCC_DEV_STATUS_OK if they may be written to `params`, the array of the port's
 * parameters of this algorithm; the library writes them then. */
doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,
                                                       uint32_t param_id_base, uint32_t param_num,
                                                       const uint32_t *new_param_values,
                                                       uint32_t *params);

#ifdef __cplusplus
}
#endif

#endif
