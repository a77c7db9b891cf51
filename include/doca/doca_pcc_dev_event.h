/*
 * doca_pcc_dev_event: access to events of congestion control. A function for another type of event
 * returns a meaningless number.
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

/* Returns the event's type, subtype */
FORCE_INLINE doca_pcc_dev_event_general_attr_t doca_pcc_dev_get_ev_attr(doca_pcc_dev_event_t *event)
{
    return event->ev_attr;
}
/* Returns a number that identifies the flow. */
FORCE_INLINE uint32_t doca_pcc_dev_get_flowtag(doca_pcc_dev_event_t *event)
{
    return event->flow_tag;
}
/* Returns the serial number: for TX, ACK and NACK the packet sequence number. */
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

/* ---- TX, ACK, NACK, CNP: one event may stand for several ---- */

/* Returns the time of the first of these events. */
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
/* ACK, NACK, CNP: return the serial number of the first of these events, and their number. */
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

/* Return the time when the probe was sent, and when the peer received and answered it, by the peer's
 * clock. */
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
/* Return the answer of the peer's program, and its size in bytes. */
FORCE_INLINE unsigned char *doca_pcc_dev_get_rtt_raw_data(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.raw;
}
FORCE_INLINE size_t doca_pcc_dev_get_rtt_raw_data_size(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.rtt_tstamp.raw_size;
}
/* Return the amount that the peer's port received, in units of 256 bytes; the answer's version; and the
 * speed of the peer's port: 0 to 6 are 25, 40, 50, 100, 200, 400, 800 Gbit/s. */
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
