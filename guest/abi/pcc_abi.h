/*
 * pcc_abi: the contract between libdoca_pcc_dev.a, libdoca_pcc_np_dev.a and runtime/api/pcc. A program
 * of congestion control has a global symbol, DPA_PCC_RP or DPA_PCC_NP, which is a struct
 * dpa_pcc_program.
 *
 * `call` calls each function of the program as an unpack function (dpa_abi.h), with a struct
 * dpa_pcc_arguments. Events and packets have the layouts of doca_pcc_dev_data_structures.h and
 * doca_pcc_np_dev.h. The event of DOCA 2.5 is the later one from its byte DPA_PCC_EVENT_2_5 on.
 */
#ifndef DPK_GUEST_ABI_PCC_ABI_H
#define DPK_GUEST_ABI_PCC_ABI_H

#include <stdint.h>

#define DPA_PCC_VERSION 2
#define DPA_PCC_RP      "_dpa_pcc_rp"
#define DPA_PCC_NP      "_dpa_pcc_np"

#define DPA_PCC_PORTS      8
#define DPA_PCC_SLOTS      8
#define DPA_PCC_ALGORITHMS 8
#define DPA_PCC_PARAMETERS 0x26
#define DPA_PCC_COUNTERS   0x3F
#define DPA_PCC_INTERNAL   0xF
#define DPA_PCC_RESPONSE   32 /* bytes of an answer */
#define DPA_PCC_RAW        12 /* bytes of it that an event has */
#define DPA_PCC_EVENT      44 /* bytes of an event */
#define DPA_PCC_EVENT_2_5  12

/* The events that a program was compiled for: _doca_pcc_dev_event_layout of doca_pcc_dev.h. */
enum dpa_pcc_layout { DPA_PCC_LAYOUT_2_5 = 1, DPA_PCC_LAYOUT_BF3, DPA_PCC_LAYOUT_CX8 };

/* Guest addresses; 0: the program does not have the function. */
struct dpa_pcc_program {
    uint64_t version;
    uint64_t call;
    uint64_t state; /* a struct dpa_pcc_state */
    uint64_t init, algorithm, set_parameters, port_changed, mailbox, packet;
    uint64_t layout; /* of a reaction point: a uint32_t, enum dpa_pcc_layout */
};

struct dpa_pcc_arguments {
    uint64_t a[6];
};

/* ---- State of the library, which the host reads and partly writes ---- */

struct dpa_pcc_value {
    uint32_t initial, maximum, minimum, permissions;
    uint32_t description_size, reserved;
    uint64_t description;
};
struct dpa_pcc_algorithm {
    uint32_t known, id, major, minor;
    uint32_t parameter_count, counter_count;
    uint32_t description_size, reserved;
    uint64_t description;
    struct dpa_pcc_value parameters[DPA_PCC_PARAMETERS], counters[DPA_PCC_COUNTERS];
};
struct dpa_pcc_slot {
    uint32_t known, enabled, algorithm, reserved;
    uint32_t parameters[DPA_PCC_PARAMETERS], counters[DPA_PCC_COUNTERS];
};
struct dpa_pcc_port {
    uint32_t speed; /* Gbit/s, 0: the port does not exist; written by the host */
    uint32_t reserved;
    struct dpa_pcc_slot slots[DPA_PCC_SLOTS];
};
struct dpa_pcc_state {
    struct dpa_pcc_port ports[DPA_PCC_PORTS];
    struct dpa_pcc_algorithm algorithms[DPA_PCC_ALGORITHMS];
};

/* The data of one event, and of one packet. The host writes it; the program fills in the results. */
struct dpa_pcc_results { /* doca_pcc_dev_results_t; that of DOCA 2.5 ends after rtt_request */
    uint32_t rate, rtt_request, probe_slot, credits, reload;
};
struct dpa_pcc_answer { /* struct doca_pcc_np_dev_response_packet, and the members that follow it
                           here */
    uint64_t size, data, in;
    uint32_t priority, reserved;
};

/* ---- Calls that runtime/api/pcc executes, of family DPA_SYS_FAMILY_PCC (dpa_abi.h) ---- */
#define DPA_PCC_COUNTER 1 /* (id) -> a counter of a port; 0: invalid id */
#define DPA_PCC_TRACE   2 /* (format, five numbers) */
#define DPA_PCC_FLUSH   3 /* () */

#endif
