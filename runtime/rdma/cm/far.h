/* Messages between machines, over TCP. Private to the room. */
#ifndef DPK_RDMA_CM_FAR_H
#define DPK_RDMA_CM_FAR_H

#include <stddef.h>

#include "rdma/cm/cm.h"

#define MESSAGE_SIZE                                                                               \
    73u /* bytes of a message without private data; the last is the private data's size */

/* A server such as perftest's may close its listener and open it again between two connections,
 * while its client already connects. On a wire a connection request takes longer than that. */
#define LISTENER_WAIT_MS 300

/* dpk_cm_call with `from`. */
enum dpk_status cm_far_call(const struct dpk_cm_address *to, const uint8_t from[16], int *fd,
                            struct dpk_error *err);
/* Sets the options of an accepted socket. Returns false if the socket cannot be used. */
bool cm_far_settle(int fd);
/* Returns the size of the next message, which has arrived whole, or MESSAGE_SIZE if no whole message
 * will arrive any more; 0: nothing has
 * arrived whole. */
size_t cm_far_next(int fd);
/* Returns whether the address of the other end may have sent the message. */
bool cm_far_has_sent(int fd, const struct dpk_cm_message *m);

#endif
