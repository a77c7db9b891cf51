/*
 * doca_pcc_dev_event: what is in an event of congestion control. A function that an event's type does
 * not have gives a number without meaning.
 *
 *     doca_pcc_dev_event_general_attr_t a = doca_pcc_dev_get_ev_attr(event);
 *     if (a.ev_type == DOCA_PCC_DEV_EVNT_RTT)
 *         rtt = doca_pcc_dev_get_timestamp(event) - doca_pcc_dev_get_rtt_req_send_timestamp(event);
 *
 * Times are nanoseconds, the lower 32 bits.
 */
#ifndef DOCA_PCC_DEV_EVENT_H
#define DOCA_PCC_DEV_EVENT_H

#include "doca_pcc_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Every event ---- */

/* Its type, subtype, port and flags. */
FORCE_INLINE doca_pcc_dev_event_general_attr_t doca_pcc_dev_get_ev_attr(doca_pcc_dev_event_t *event)
{
    return event->ev_attr;
}
/* A number that tells flows from each other. */
FORCE_INLINE uint32_t doca_pcc_dev_get_flowtag(doca_pcc_dev_event_t *event)
{
    return event->flow_tag;
}
/* Its serial number: of TX, ACK and NACK the packet sequence number. */
FORCE_INLINE uint32_t doca_pcc_dev_get_sn(doca_pcc_dev_event_t *event)
{
    return event->sn;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_timestamp(doca_pcc_dev_event_t *event)
{
    return event->timestamp;
}
/* TTL or hop limit of the packet that caused it. */
FORCE_INLINE uint32_t doca_pcc_dev_get_ttl_hoplimit(doca_pcc_dev_event_t *event)
{
    return event->ttl_hoplimit;
}
/* The number of the flow's queue pair. */
FORCE_INLINE uint32_t doca_pcc_dev_get_flow_qpn(doca_pcc_dev_event_t *event)
{
    return event->flow_qpn;
}

/* ---- FW ---- */

/* Word `n`, 0 to 2. */
FORCE_INLINE uint32_t doca_pcc_dev_get_fw_settings(doca_pcc_dev_event_t *event, int n)
{
    return event->ev_spec_attr.fw_data.data[n];
}

/* ---- TX, ACK, NACK, CNP: several may have come as one ---- */

/* The time of the first of them. */
FORCE_INLINE uint32_t doca_pcc_dev_get_roce_first_timestamp(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.roce_tx.first_timestamp; /* the same place in all of these */
}
/* TX: bytes and packets that were sent. */
FORCE_INLINE doca_pcc_dev_roce_tx_cntrs_t
doca_pcc_dev_get_roce_tx_cntrs(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.roce_tx.cntrs;
}
/* ACK, NACK, CNP: the serial number of the first of them, and how many they were. */
FORCE_INLINE uint32_t doca_pcc_dev_get_roce_ack_first_sn(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.ack_nack_cnp.first_sn;
}
FORCE_INLINE doca_pcc_dev_ack_nack_cnp_extra_t
doca_pcc_dev_get_ack_nack_cnp_extra(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.ack_nack_cnp.extra;
}

/* ---- RTT ---- */

/* When the probe was sent, when the peer got it, and when the peer answered, by the peer's clock. */
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_req_send_timestamp(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.req_send_timestamp;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_req_recv_timestamp(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.req_recv_timestamp;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_resp_send_timestamp(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.resp_send_timestamp;
}
/* What the peer's program answered, and its size in bytes. */
FORCE_INLINE unsigned char *doca_pcc_dev_get_rtt_raw_data(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.raw;
}
FORCE_INLINE size_t doca_pcc_dev_get_rtt_raw_data_size(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.raw_size;
}
/* What the peer's port has received, in units of 256 bytes; the answer's version; and the speed of
 * the peer's port: 0 to 6 are 25, 40, 50, 100, 200, 400, 800 Gbit/s. */
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_np_rx_byte_counter(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.np_rx_256bytes;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_resp_version(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.version;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_resp_port_type(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.port_type;
}

#ifdef __cplusplus
}
#endif

#endif
