/* Lines of a fabric: links between queue pairs of two machines. Private to the room. */
#ifndef DPK_RDMA_PAIRS_LINE_H
#define DPK_RDMA_PAIRS_LINE_H

#include "frame.h"
#include "gateway.h"

/* A message is a frame after the secret, or a word after the secret. */
#define SECRET_SIZE 8u
#define WORD_SIZE   (SECRET_SIZE + 4u)
enum {
    HELLO = 0x48454c4f, /* first message of a line; the addresses of sender and receiver follow */
    BYE = 0x42594521,   /* the sender closed its queue pair on purpose */
};
#define HELLO_SIZE ((size_t)2 * DPK_RC_ADDRESS_MAX)

_Static_assert(SEGMENT <= DPK_FABRIC_DATA_MAX, "a payload is the data of one message");
_Static_assert(SECRET_SIZE + FRAME_SIZE <= DPK_FABRIC_HEAD_MAX, "a frame is the head of a message");

struct fabric {
    SLIST_ENTRY(fabric) link;
    struct dpk_rc *rc;
    struct dpk_fabric *net;
    TAILQ_HEAD(, line) waiting; /* lines whose requests wait until a queue pair is connected */
    char spec[DPK_FABRIC_TEXT_MAX];
};

/* A request that waits. */
struct held {
    STAILQ_ENTRY(held) link;
    struct request request;
    uint8_t payload[];
};

struct line {
    TAILQ_ENTRY(line) in_waiting;
    struct fabric *fabric;
    struct dpk_fabric_link *link;
    struct dpk_rc_qp *qp;
    bool asks;            /* carries our requests, and the peer's responses; else the other way */
    bool by_number;       /* the peer named this queue pair by number: its secret is 0 */
    struct address claim; /* address that the peer gave as its own */
    STAILQ_HEAD(, held) held;
    unsigned held_count;
    uint64_t waits_since; /* 0: the line is not in fabric->waiting */
};

/* Returns NULL if memory is exhausted. */
struct line *pairs_line_new(struct fabric *f, struct dpk_rc_qp *qp, bool asks);
/* The queue pair of a line is connected now. */
void pairs_line_end_wait(struct line *l);
/* Forgets the first request that waits. */
void pairs_line_forget_first(struct line *l);
/* Frees a line, whose link is lost or dropped. */
void pairs_line_free(struct line *l);
void pairs_line_drop(struct line *l);
/* Ends a line whose link is lost or dropped. */
void pairs_line_end(struct line *l, bool peer_closed);

/* Sends a frame, whose payload is in the room of the link. */
void pairs_line_send(const struct line *l, uint64_t secret, const struct frame *f);
void pairs_line_say_bye(const struct line *l);
/* Returns false if memory is exhausted. */
bool pairs_line_say_hello(const struct line *l);

#endif
