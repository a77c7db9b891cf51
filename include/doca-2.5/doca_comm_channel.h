/*
 * doca_comm_channel (DOCA 2.2 to 2.6): messages between host programs (clients) and programs of
 * the DPU (services), without progress engines. An endpoint of a service has many peers, an endpoint of
 * a client has one.
 *
 *     struct doca_comm_channel_ep_t *ep;
 *     struct doca_comm_channel_addr_t *peer;
 *     doca_comm_channel_ep_create(&ep);
 *     doca_comm_channel_ep_set_device(ep, dev);
 *     doca_comm_channel_ep_connect(ep, "echo", &peer);        // a service: set_device_rep, listen
 *     while (doca_comm_channel_peer_addr_update_info(peer) == DOCA_ERROR_CONNECTION_INPROGRESS)
 *         ;
 *     doca_comm_channel_ep_sendto(ep, "hi", 2, DOCA_CC_MSG_FLAG_NONE, peer);
 *     size_t size = sizeof text;
 *     while (doca_comm_channel_ep_recvfrom(ep, text, &size, DOCA_CC_MSG_FLAG_NONE, &peer) ==
 *            DOCA_ERROR_AGAIN)
 *         size = sizeof text;
 *
 * Nothing happens on its own: sendto, recvfrom, the two update functions and the two arm functions
 * carry out the work of the endpoint, as the connection of a service's new peers. Messages of a peer
 * arrive complete and in the order of sending. Peers of doca_comch (../doca/doca_comch.h) and of
 * doca_cc may have the other end. Every function may be called by several threads.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed endpoint, and for a peer that was
 * disconnected, unless it says otherwise; functions of services return NOT_SUPPORTED for the endpoint
 * of a client (DOCA Comm Channel programming guide).
 */
#ifndef DOCA_COMM_CHANNEL_H
#define DOCA_COMM_CHANNEL_H

#include <doca_dev.h>
#include <doca_error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t; /* a peer */

enum doca_comm_channel_msg_flags {
    DOCA_CC_MSG_FLAG_NONE = 0,
};

/* A descriptor for epoll or poll. */
typedef int doca_event_channel_t;

/* ---- Capabilities ---- */

/* Largest size of a service's name in bytes, with the NUL. */
doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);
/* Largest message in bytes, and largest queues in messages. NOT_SUPPORTED for a device without two
 * sides. */
doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
                                                    uint32_t *max_message_size);
doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_send_queue_size);
doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_recv_queue_size);
/* Largest number of peers of a service. NOT_SUPPORTED on the host side. */
doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
                                                               uint32_t *max_num_connections);

/* ---- Endpoints ---- */

/* Creates an endpoint. Errors: NO_MEMORY. */
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
/* Disconnects all peers and destroys the endpoint and its descriptors. Errors: NOT_CONNECTED if the
 * argument is not an endpoint. */
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);

/* The device, which an endpoint must have; the representor of the clients' function, which a service
 * must have too. NULL before they are set. These setters and those below return BAD_STATE after
 * doca_comm_channel_ep_listen or doca_comm_channel_ep_connect. */
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev *device);
doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev **device);
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep *device_rep);
doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep **device_rep);
/* The largest message in bytes; a connection has the smaller value of its two ends. Errors:
 * INVALID_VALUE also if the number is 0 or more than 4080. */
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t max_msg_size);
doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t *max_msg_size);
/* Messages that are not sent yet, and messages that the program has not taken yet; 1024 by default. A
 * number is rounded up to a power of 2. When the second queue is full, senders wait. Errors:
 * INVALID_VALUE also if the number is 0 or more than 8192. */
doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t send_queue_size);
doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *send_queue_size);
doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t recv_queue_size);
doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *recv_queue_size);

/* ---- Connections ---- */

/* Makes a service of that name. Errors: INVALID_VALUE also if the name has not 1 to 120 bytes,
 * BAD_STATE if the endpoint has no device or no representor, NOT_PERMITTED if it listens or is
 * connected, NOT_SUPPORTED if the device is not on the DPU side, CONNECTION_ABORTED if there is a
 * service of that name. */
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name);
/* Connects to a service. The connection is complete once doca_comm_channel_peer_addr_update_info
 * returns SUCCESS. Errors: as above, BAD_STATE only if the endpoint has no device, NOT_SUPPORTED if the
 * device is not on the host side, CONNECTION_ABORTED if there is no service of that name. */
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr);
/* Ends a connection, also one that has failed; messages that were not taken are lost. The endpoint of
 * a client can connect again. Errors: NOT_CONNECTED if the endpoint does not have the peer. */
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
                                             struct doca_comm_channel_addr_t *peer_addr);

/* Sends a copy of a message. `flags`: 0. Errors: NOT_CONNECTED if the endpoint does not have the peer,
 * AGAIN if the send queue is full or the connection is not complete, INVALID_VALUE also if the message
 * is empty or larger than the two ends agreed on, CONNECTION_RESET if the connection has failed. */
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                         size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr);
/*
 * Takes the next message of any peer. `flags`: 0.
 *   msg        [out]     the message
 *   len        [in,out]  the size of the buffer; the size of the message
 *   peer_addr  [out]     the sender
 * Errors: AGAIN if there is no message, NOT_CONNECTED if the endpoint neither listens nor is connected,
 * INVALID_VALUE also if the buffer is too small: the message stays and *len is its size;
 * CONNECTION_RESET if the endpoint is a client's and its connection has failed.
 */
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                           size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr);

/* ---- Waiting ---- */

/* Get descriptors that become readable when sendto or recvfrom may succeed after AGAIN, once after
 * each call of the arm function; at once if that is so already, and sometimes in vain. They belong to the endpoint; do not
 * read or close them. One of the two pointers may be NULL. Errors: BAD_STATE if the endpoint neither
 * listens nor is connected, OPERATING_SYSTEM if descriptors are exhausted. */
doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                                    doca_event_channel_t *send_event_channel,
                                                    doca_event_channel_t *recv_event_channel);
doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);
doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);
/* Gets the descriptor that becomes readable when a client has connected or gone, once after each call
 * of doca_comm_channel_ep_update_service_state_info. Errors: as above. */
doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                               doca_event_channel_t *service_event_channel);

/* ---- Peers ---- */

/* Stores the state of a service for the two functions below. */
doca_error_t
doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep);
/* Gets the connected peers. The array is valid until the next update, or the end of the endpoint. */
doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
                                        struct doca_comm_channel_addr_t ***peer_addr_array,
                                        uint32_t *peer_addr_array_len);
/* Gets the number of clients whose connection is not complete: 0, because the update completes them. */
doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
                                             uint32_t *pending_connections);

/* A value for the program's own use, 0 at first. */
doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t user_context);
doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t *user_data);

/* Stores the counters of a connection for the functions below. Errors: CONNECTION_INPROGRESS if the
 * connection is not complete, CONNECTION_ABORTED if it has failed: disconnect the peer then. */
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);
doca_error_t
doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer_addr,
                                              uint64_t *send_messages);
doca_error_t
doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer_addr,
                                           uint64_t *send_bytes);
doca_error_t
doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer_addr,
                                              uint64_t *recv_messages);
doca_error_t
doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer_addr,
                                           uint64_t *recv_bytes);
/* Gets the number of messages of sendto that are not sent yet. */
doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

#ifdef __cplusplus
}
#endif

#endif
