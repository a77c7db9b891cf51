/* Frames: requests and responses as bytes of a socket. Private to nic. */
#ifndef DPK_NIC_FRAME_H
#define DPK_NIC_FRAME_H

#include "transport.h"

#define FRAME_SIZE 52u /* of its head; what else it brings follows */

enum frame_kind {
    FRAME_HELLO = 1, /* who speaks and to whom: two addresses follow */
    FRAME_REQUEST,
    FRAME_RESPONSE,
    FRAME_BYE, /* this end goes on purpose */
};

struct frame {
    enum frame_kind kind;
    struct request request;
    struct response response;
    uint32_t payload; /* bytes that follow */
};

void frame_write(const struct frame *f, uint8_t out[FRAME_SIZE]);
/* False: nonsense. */
bool frame_read(const uint8_t bytes[FRAME_SIZE], struct frame *out);

#endif
