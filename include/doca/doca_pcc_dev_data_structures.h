/*
 * doca_pcc_dev_data_structures: the input of a program of congestion control: events, the attributes of
 * an algorithm, and the context of a flow.
 *
 * An event is a row of 32-bit words with the most significant byte first; the structures name bits of
 * words that are already in the order of the processor. Read events with doca_pcc_dev_event.h. Sizes
 * and places are those of DOCA: 32 bytes in DOCA 2.5 and 2.6, 44 bytes in later releases, where
 * ConnectX-8 and later cards have more in them than BlueField-3.
 */
#ifndef DOCA_PCC_DEV_DATA_STRUCTURES_H
#define DOCA_PCC_DEV_DATA_STRUCTURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The algorithm's state of a flow between events: 48 bytes, zeros at the first event. Here a write
 * beyond them is a fault; on a card it overwrites other data. */
struct mlnx_cc_algo_ctxt_t {
    uint32_t data[12];
};

/* The context of a queue pair that has several paths (DOCA 2.10). Emulated flows have one path, and no
 * program gets such a context. */
struct mp_library_ctxt_t {
    uint32_t flow_tag;
    uint32_t rtc_index : 24;
    uint32_t disabled_ps_counter : 8;
    uint32_t aso_index : 24;
    uint32_t reserved_at_40 : 8;
    uint32_t ps_list_pointer : 24;
    uint32_t ps_bit_size : 6;
    uint32_t reserved_at_61 : 1;
    uint32_t valid : 1;
    uint32_t ps_ctx_pointer : 24;
    uint32_t ps_ctx_log_num_bits : 4;
    uint32_t reserved_at_80 : 4;
    uint32_t host_ps_state_pointer : 24;
    uint32_t host_ps_state_log_num_bits : 4;
    uint32_t reserved_at_a0 : 4;
    uint32_t ps_list_size : 10;
    uint32_t reserved_at_c0 : 22;
};
struct mp_user_ctxt_t {
    uint32_t data[9];
};
struct mp_ctxt_t {
    struct mp_library_ctxt_t mp_library;
    struct mp_user_ctxt_t mp_user;
};

/* The attributes that an algorithm receives with an event. */
struct mlnx_cc_attr_t {
    uint32_t algo_slot : 4; /* the slot of the algorithm to run */
    uint32_t overload : 1;
    uint32_t reserved_at_0 : 27;
};

/* A program of DOCA 2.5 and 2.6 returns two words, which all later results begin with. */
struct mlnx_cc_results_t {
    uint32_t rate;
    uint32_t rtt_req;
};

/* The common part of all events. */
struct mlnx_cc_event_general_attr_t {
    uint32_t ev_type : 8;    /* doca_pcc_dev_event_type_enum */
    uint32_t ev_subtype : 8; /* of a NACK: doca_pcc_dev_nack_event_sub_type_enum */
    uint32_t port_num : 8;
    uint32_t flags : 8; /* of a TX event: DOCA_PCC_DEV_TX_FLAG_ */
};

/* The word before it, on ConnectX-8 and later. */
struct mlnx_cc_event_general_dword2_t {
    uint32_t flow_qpn : 24;
    uint32_t ttl_hoplimit : 8;
};

/* The amount that a burst sent. Both counters keep their lower 16 bits. */
struct mlnx_cc_roce_tx_cntrs_t {
    uint32_t sent_32bytes : 16; /* in units of 32 bytes */
    uint32_t sent_pkts : 16;
};
struct mlnx_cc_roce_tx_extra_t {
    uint32_t flow_qpn : 24; /* the number of the flow's queue pair, on BlueField-3 */
    uint32_t reserved_at_0 : 8;
};
struct mlnx_cc_roce_tx_t {
    uint32_t first_timestamp;
    struct mlnx_cc_roce_tx_cntrs_t cntrs;
#ifdef DOCA_2_5
    uint32_t flow_qpn : 24;
    uint32_t reserved_at_40 : 8;
#else
    struct mlnx_cc_roce_tx_extra_t extra;
#endif
    unsigned char reserved_at_60[4];
};

struct mlnx_cc_ack_nack_cnp_extra_t {
    uint32_t num_coalesced : 16; /* number of events that were merged into this event */
    uint32_t reserved_at_0 : 16;
};
struct mlnx_cc_ack_nack_cnp_t {
    uint32_t first_timestamp;
    uint32_t first_sn;
    struct mlnx_cc_ack_nack_cnp_extra_t extra;
    unsigned char reserved_at_60[4];
};

/* The answer to a probe. The words of ConnectX-8 and later keep the upper 28 bits of times. */
struct mlnx_cc_rtt_spec_data0_t {
    uint32_t reserved_at_1e : 2;
    uint32_t send_plane : 2;
    uint32_t req_send_timestamp : 28;
};
struct mlnx_cc_rtt_spec_data1_t {
    uint32_t port_type : 4; /* speed of the peer's port */
    uint32_t req_recv_timestamp : 28;
};
struct mlnx_cc_rtt_spec_data2_t {
    uint32_t reserved_at_1c : 4;
    uint32_t resp_send_timestamp : 28;
};
struct mlnx_cc_rtt_spec_data3_t {
    uint32_t version : 4;
    uint32_t np_rx_port_counter : 28; /* what the peer's port received, in units of 256 bytes */
};
#if defined(__NV_DPA) && defined(__NV_DPA_CX8) && __NV_DPA >= __NV_DPA_CX8
struct mlnx_cc_rtt_tstamp_t {
    struct mlnx_cc_rtt_spec_data0_t data0;
    struct mlnx_cc_rtt_spec_data1_t data1;
    struct mlnx_cc_rtt_spec_data2_t data2;
    struct mlnx_cc_rtt_spec_data3_t data3;
};
#else
struct mlnx_cc_rtt_tstamp_t {
    uint32_t req_send_timestamp;
    uint32_t req_recv_timestamp;
    uint32_t resp_send_timestamp;
    unsigned char reserved_at_60[4];
};
#endif

struct mlnx_cc_fw_data_t {
    uint32_t data[3];
};

union mlnx_cc_event_spec_attr_t {
    struct mlnx_cc_roce_tx_t roce_tx;
    struct mlnx_cc_ack_nack_cnp_t ack_nack_cnp;
    struct mlnx_cc_rtt_tstamp_t rtt_tstamp;
    struct mlnx_cc_fw_data_t fw_data;
    unsigned char reserved_at_0[16]; /* the answer of the peer's program, in place of the times */
};

struct mlnx_cc_event_t {
#if defined(DOCA_2_5)
#elif defined(__NV_DPA) && defined(__NV_DPA_CX8) && __NV_DPA >= __NV_DPA_CX8
    unsigned char reserved_at_0[8];
    struct mlnx_cc_event_general_dword2_t ev_dword2;
#else
    unsigned char reserved_at_0[12];
#endif
    struct mlnx_cc_event_general_attr_t ev_attr;
    uint32_t flow_tag;
    uint32_t sn;
    uint32_t timestamp; /* nanoseconds, the lower 32 bits */
    union mlnx_cc_event_spec_attr_t ev_spec_attr;
};

/* A word of an event: as a number, by its bits, and as bytes. */
struct val_t {
    uint32_t val;
};
union union_mlnx_cc_event_general_attr_t {
    struct val_t val;
    struct mlnx_cc_event_general_attr_t mlnx_cc_event_general_attr;
    unsigned char reserved_at_0[4];
};
union union_mlnx_cc_event_general_dword2_t {
    struct val_t val;
    struct mlnx_cc_event_general_dword2_t mlnx_cc_event_general_dword2;
    unsigned char reserved_at_0[4];
};
union union_mlnx_cc_roce_tx_cntrs_t {
    struct val_t val;
    struct mlnx_cc_roce_tx_cntrs_t mlnx_cc_roce_tx_cntrs;
    unsigned char reserved_at_0[4];
};
union union_mlnx_cc_ack_nack_cnp_extra_t {
    struct val_t val;
    struct mlnx_cc_ack_nack_cnp_extra_t mlnx_cc_ack_nack_cnp_extra;
    unsigned char reserved_at_0[4];
};

/* A received probe packet. The host makes it; programs read it with the functions of
 * doca_pcc_np_dev.h. The layout is specific to dpakit, and little-endian. */
struct doca_pcc_np_dev_request_packet {
    uint64_t raw;                      /* address of the Ethernet header */
    uint32_t raw_size, l4_offset;      /* bytes of the packet; offset of the UDP header */
    uint32_t payload_offset;           /* offset of the bytes after the probe's header */
    uint8_t port_num, plane_num, slot; /* slot: of the probe's format */
    uint8_t has_vlan;
    uint16_t vlan_tci;
    uint16_t reserved;
};

typedef struct mlnx_cc_algo_ctxt_t doca_pcc_dev_algo_ctxt_t;
typedef struct mlnx_cc_attr_t doca_pcc_dev_attr_t;
typedef struct mp_ctxt_t doca_pcc_dev_mp_ctx_t;
typedef struct mlnx_cc_event_t doca_pcc_dev_event_t;
typedef struct mlnx_cc_event_general_attr_t doca_pcc_dev_event_general_attr_t;
typedef struct mlnx_cc_roce_tx_cntrs_t doca_pcc_dev_roce_tx_cntrs_t;
typedef struct mlnx_cc_roce_tx_extra_t doca_pcc_dev_roce_tx_extra_t;
typedef struct mlnx_cc_roce_tx_t doca_pcc_dev_roce_tx_t;
typedef struct mlnx_cc_ack_nack_cnp_extra_t doca_pcc_dev_ack_nack_cnp_extra_t;
typedef struct mlnx_cc_ack_nack_cnp_t doca_pcc_dev_ack_nack_cnp_t;
typedef struct mlnx_cc_rtt_tstamp_t doca_pcc_dev_rtt_tstamp_t;
typedef struct mlnx_cc_fw_data_t doca_pcc_dev_fw_data_t;
typedef union mlnx_cc_event_spec_attr_t doca_pcc_dev_event_spec_attr_t;

#ifdef __cplusplus
}
#endif

#endif
