/*
 * comch: what the layers of DOCA 2.5 need of endpoints of doca_comch besides their functions: lengths of
 * 64 bits, and queues that may be full.
 *
 *     result = dpk_comch_client_on_message_2_5(call, client, (dpk_comch_message_2_5)callback);
 */
#ifndef DPK_API_DOCA_COMCH_COMCH_H
#define DPK_API_DOCA_COMCH_COMCH_H

#include <doca_comch.h>
#include <stdbool.h>

typedef void (*dpk_comch_message_2_5)(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                                      size_t msg_len, struct doca_comch_connection *connection);

/* Set the callback of messages in place of doca_comch_..._event_msg_recv_register. `call`: the DOCA
 * function, for reports. Errors: as theirs. */
doca_error_t dpk_comch_client_on_message_2_5(const char *call, struct doca_comch_client *client,
                                             dpk_comch_message_2_5 cb);
doca_error_t dpk_comch_server_on_message_2_5(const char *call, struct doca_comch_server *server,
                                             dpk_comch_message_2_5 cb);

/* Stops and resumes receiving on the connections of a client or a server; senders wait. */
void dpk_comch_hold(struct doca_ctx *ctx, bool holds);

#endif
