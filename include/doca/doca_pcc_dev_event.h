/*
 * doca_pcc_dev_event: access to events of congestion control. A function for another type of event
 * returns a meaningless number.
 *
 *     doca_pcc_dev_event_general_attr_t a = doca_pcc_dev_get_ev_attr(event);
 *     if (a.ev_type == DOCA_PCC_DEV_EVNT_RTT)
 *         rtt = doca_pcc_dev_get_timestamp(event) - doca_pcc_dev_get_rtt_req_send_timestamp(event);
 *
 * Times are nanoseconds, the lower 32 bits. On ConnectX-8 and later, the times of RTT events have steps of
 * 16 nanoseconds.
 */
#ifndef DOCA_PCC_DEV_EVENT_H
#define DOCA_PCC_DEV_EVENT_H

#include "doca_pcc_dev.h"

/* The cards on which events tell more. */
#if defined(__NV_DPA) && defined(__NV_DPA_CX8) && __NV_DPA >= __NV_DPA_CX8
#define _DOCA_PCC_DEV_HAS_DWORD2 1
#else
#define _DOCA_PCC_DEV_HAS_DWORD2 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a word of an event in the processor's order. */
FORCE_INLINE uint32_t _doca_pcc_dev_event_word(const void *word)
{
    uint32_t v;
    __builtin_memcpy(&v, word, sizeof v);
    return __builtin_bswap32(v);
}

/* ---- Every event ---- */

/* Returns the event's type, subtype, port and flags. */
FORCE_INLINE doca_pcc_dev_event_general_attr_t doca_pcc_dev_get_ev_attr(doca_pcc_dev_event_t *event)
{
    union union_mlnx_cc_event_general_attr_t u;
    u.val.val = _doca_pcc_dev_event_word(&event->ev_attr);
    return u.mlnx_cc_event_general_attr;
}
/* Returns a number that identifies the flow. */
FORCE_INLINE uint32_t doca_pcc_dev_get_flowtag(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(&event->flow_tag);
}
/* Returns the serial number: for TX, ACK and NACK the packet sequence number. */
FORCE_INLINE uint32_t doca_pcc_dev_get_sn(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(&event->sn);
}
FORCE_INLINE uint32_t doca_pcc_dev_get_timestamp(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(&event->timestamp);
}
/* TTL or hop limit of the packet that caused it; 0 on BlueField-3. */
FORCE_INLINE uint32_t doca_pcc_dev_get_ttl_hoplimit(doca_pcc_dev_event_t *event)
{
#if _DOCA_PCC_DEV_HAS_DWORD2
    return _doca_pcc_dev_event_word(&event->ev_dword2) >> 24;
#else
    (void)event;
    return 0;
#endif
}
/* The number of the flow's queue pair. On BlueField-3 only TX events have it. */
FORCE_INLINE uint32_t doca_pcc_dev_get_flow_qpn(doca_pcc_dev_event_t *event)
{
#if _DOCA_PCC_DEV_HAS_DWORD2
    return _doca_pcc_dev_event_word(&event->ev_dword2) & 0xFFFFFF;
#else
    return _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0 + 8) & 0xFFFFFF;
#endif
}

/* ---- FW ---- */

/* Word `n`, 0 to 2. */
FORCE_INLINE uint32_t doca_pcc_dev_get_fw_settings(doca_pcc_dev_event_t *event, int n)
{
    return _doca_pcc_dev_event_word(&event->ev_spec_attr.fw_data.data[n]);
}

/* ---- TX, ACK, NACK, CNP: one event may stand for several ---- */

/* Returns the time of the first of these events. */
FORCE_INLINE uint32_t doca_pcc_dev_get_roce_first_timestamp(doca_pcc_dev_event_t *event)
{
    /* The same place in all of these. */
    return _doca_pcc_dev_event_word(&event->ev_spec_attr.roce_tx.first_timestamp);
}
/* TX: bytes and packets that were sent. */
FORCE_INLINE doca_pcc_dev_roce_tx_cntrs_t
doca_pcc_dev_get_roce_tx_cntrs(doca_pcc_dev_event_t *event)
{
    union union_mlnx_cc_roce_tx_cntrs_t u;
    u.val.val = _doca_pcc_dev_event_word(&event->ev_spec_attr.roce_tx.cntrs);
    return u.mlnx_cc_roce_tx_cntrs;
}
/* ACK, NACK, CNP: return the serial number of the first of these events, and their number. */
FORCE_INLINE uint32_t doca_pcc_dev_get_roce_ack_first_sn(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(&event->ev_spec_attr.ack_nack_cnp.first_sn);
}
FORCE_INLINE doca_pcc_dev_ack_nack_cnp_extra_t
doca_pcc_dev_get_ack_nack_cnp_extra(doca_pcc_dev_event_t *event)
{
    union union_mlnx_cc_ack_nack_cnp_extra_t u;
    u.val.val = _doca_pcc_dev_event_word(&event->ev_spec_attr.ack_nack_cnp.extra);
    return u.mlnx_cc_ack_nack_cnp_extra;
}

/* ---- RTT ---- */

/* Return the time when the probe was sent, and when the peer received and answered it, by the peer's
 * clock. If the peer's program, or a switch, has answered with data of its own, these take the place of
 * the times. */
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_req_send_timestamp(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0);
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_req_recv_timestamp(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0 + 4);
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_resp_send_timestamp(doca_pcc_dev_event_t *event)
{
    return _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0 + 8);
}
/* Return the answer of the peer's program, as it was sent, and its size in bytes, which is always 12. */
FORCE_INLINE unsigned char *doca_pcc_dev_get_rtt_raw_data(doca_pcc_dev_event_t *event)
{
    return event->ev_spec_attr.reserved_at_0;
}
FORCE_INLINE size_t doca_pcc_dev_get_rtt_raw_data_size(doca_pcc_dev_event_t *event)
{
    (void)event;
    return 12;
}
/* Return the amount that the peer's port received, in units of 256 bytes; the answer's version; and the
 * speed of the peer's port: 0 to 6 are 25, 40, 50, 100, 200, 400, 800 Gbit/s. All are 0 on
 * BlueField-3. */
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_np_rx_byte_counter(doca_pcc_dev_event_t *event)
{
    return _DOCA_PCC_DEV_HAS_DWORD2
               ? _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0 + 12) >> 4
               : 0;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_resp_version(doca_pcc_dev_event_t *event)
{
    return _DOCA_PCC_DEV_HAS_DWORD2
               ? _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0 + 12) & 0xF
               : 0;
}
FORCE_INLINE uint32_t doca_pcc_dev_get_rtt_resp_port_type(doca_pcc_dev_event_t *event)
{
    return _DOCA_PCC_DEV_HAS_DWORD2
               ? _doca_pcc_dev_event_word(event->ev_spec_attr.reserved_at_0 + 4) & 0xF
               : 0;
}

#ifdef __cplusplus
}
#endif

#endif
