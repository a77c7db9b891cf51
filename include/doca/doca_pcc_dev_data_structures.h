/*
 * doca_pcc_dev_data_structures: the input of a program of congestion control: events, the attributes of
 * an algorithm, and the context of a flow. Programs must read events with doca_pcc_dev_event.h. The
 * layout is specific to dpakit, little-endian, and shared with the host, which makes events.
 *
 * Names and widths of the fields are those of DOCA PCC 3.
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

/* The attributes that an algorithm receives with an event. */
struct mlnx_cc_attr_t {
    uint32_t algo_slot : 4; /* the slot of the algorithm to run */
    uint32_t overload : 1;
    uint32_t reserved_at_0 : 27;
};

/* The common part of all events. */
struct mlnx_cc_event_general_attr_t {
    uint32_t ev_type : 8;    /* doca_pcc_dev_event_type_enum */
    uint32_t ev_subtype : 8; /* of a NACK: doca_pcc_dev_nack_event_sub_type_enum */
    uint32_t port_num : 8;
    uint32_t flags : 8; /* of a TX event: DOCA_PCC_DEV_TX_FLAG_ */
};

/* The amount that a burst sent. Both counters keep their lower 16 bits. */
struct mlnx_cc_roce_tx_cntrs_t {
    uint32_t sent_32bytes : 16; /* in units of 32 bytes */
    uint32_t sent_pkts : 16;
};
struct mlnx_cc_roce_tx_extra_t {
    uint32_t flow_qpn : 24; /* the number of the flow's queue pair, as in the event */
    uint32_t reserved_at_0 : 8;
};
struct mlnx_cc_roce_tx_t {
    uint32_t first_timestamp;
    struct mlnx_cc_roce_tx_cntrs_t cntrs;
    struct mlnx_cc_roce_tx_extra_t extra;
};

struct mlnx_cc_ack_nack_cnp_extra_t {
    uint32_t num_coalesced : 16; /* number of events that were merged into this event */
    uint32_t reserved_at_0 : 16;
};
struct mlnx_cc_ack_nack_cnp_t {
    uint32_t first_timestamp;
    uint32_t first_sn;
    struct mlnx_cc_ack_nack_cnp_extra_t extra;
};

/* The answer to a probe. */
struct mlnx_cc_rtt_tstamp_t {
    uint32_t req_send_timestamp;
    uint32_t req_recv_timestamp;
    uint32_t resp_send_timestamp;
    uint32_t np_rx_256bytes; /* the amount that the peer's port received, in units of 256 bytes */
    uint8_t version;
    uint8_t port_type;
    uint8_t raw_size; /* bytes of `raw` */
    uint8_t reserved;
    unsigned char raw[32]; /* the answer of the peer's program */
};

struct mlnx_cc_fw_data_t {
    uint32_t data[3];
};

union mlnx_cc_event_spec_attr_t {
    struct mlnx_cc_roce_tx_t roce_tx;
    struct mlnx_cc_ack_nack_cnp_t ack_nack_cnp;
    struct mlnx_cc_rtt_tstamp_t rtt_tstamp;
    struct mlnx_cc_fw_data_t fw_data;
};

struct mlnx_cc_event_t {
    struct mlnx_cc_event_general_attr_t ev_attr;
    uint32_t flow_tag;
    uint32_t sn;
    uint32_t timestamp; /* nanoseconds, the lower 32 bits */
    uint32_t flow_qpn;
    uint32_t ttl_hoplimit;
    union mlnx_cc_event_spec_attr_t ev_spec_attr;
};

/* A received probe packet. The host makes it; programs read it with the functions of
 * doca_pcc_np_dev.h. */
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
