/* Frames: the encoding of requests and responses between processes. Private to the room. */
#ifndef DPK_RDMA_PAIRS_FRAME_H
#define DPK_RDMA_PAIRS_FRAME_H

#include "transport.h"

#define FRAME_SIZE 52u /* bytes of a frame's head; the payload follows */

enum frame_kind {
    FRAME_REQUEST = 1,
    FRAME_RESPONSE,
};

struct frame {
    enum frame_kind kind;
    struct request request;
    struct response response;
    uint32_t payload; /* bytes after the head, with the bytes of an offer */
};

static inline uint32_t request_payload(const struct request *r)
{
    return (r->opcode <= DPK_RC_WRITE && !r->by_reference ? r->size : 0) +
           (r->offers ? OFFER_SIZE : 0);
}

static inline uint32_t response_payload(const struct response *r)
{
    return r->size + (r->direct & DIRECT_OFFERS ? OFFER_SIZE : 0);
}

void pairs_frame_write(const struct frame *f, uint8_t out[FRAME_SIZE]);
/* Returns false if the head is invalid. */
bool pairs_frame_read(const uint8_t bytes[FRAME_SIZE], struct frame *out);

#endif
