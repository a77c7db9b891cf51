/* Lines of a fabric: links between queue pairs of two machines. Private to the room. */
#ifndef DPK_RDMA_PAIRS_LINE_H
#define DPK_RDMA_PAIRS_LINE_H

#include "frame.h"
#include "gateway.h"

/* A message is a frame, or a word, after the secret. Requests of a line are numbered. A word has a number, a
 * response has one after its frame, and a request has one if the sender owes an acknowledgement (acks.c). */
#define SECRET_SIZE 8u
#define NUMBER_SIZE 4u
#define WORD_SIZE   (SECRET_SIZE + 4u + NUMBER_SIZE)
#define HEAD_SIZE   (SECRET_SIZE + FRAME_SIZE)
enum {
    /* First message of a line, with the number of its first request; the addresses of sender and receiver
     * follow. */
    HELLO = 0x48454c32,
    POST =
        0x504f5354, /* first message of a line that carries datagrams; each has the number of its target */
    ACK = 0x41434b21, /* all requests before this number are carried out */
    BYE = 0x42594521, /* the sender closed its queue pair on purpose */
};
#define HELLO_SIZE ((size_t)2 * DPK_RC_ADDRESS_MAX)
#define IN_FLIGHT  (4 * WINDOW) /* messages of a line that wait to be sent */

_Static_assert(SEGMENT <= DPK_FABRIC_DATA_MAX, "a payload is the data of one message");
_Static_assert(HEAD_SIZE + NUMBER_SIZE <= DPK_FABRIC_HEAD_MAX, "a frame is the head of a message");

struct fabric {
    SLIST_ENTRY(fabric) link, in_all;
    struct dpk_rc *rc;
    struct dpk_fabric *net;
    TAILQ_HEAD(, line) waiting; /* lines whose requests wait until a queue pair is connected */
    TAILQ_HEAD(, line) owing;   /* lines whose peers have to get an acknowledgement */
    /* Lines for datagrams, without queue pairs: of this process, the next to be closed first, and of peers. */
    TAILQ_HEAD(, line) posts, guests;
    unsigned posts_count, guests_count;
    bool crowded; /* datagrams, or their completions, wait until earlier messages are sent */
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
    struct dpk_rc_qp *qp; /* NULL: the line carries datagrams */
    bool asks;            /* carries our requests, and the peer's responses; else the other way */
    bool by_number;       /* the peer named this queue pair by number: its secret is 0 */
    struct address claim; /* address that the peer gave as its own */
    STAILQ_HEAD(, held) held;
    unsigned held_count;
    uint64_t waits_since; /* 0: the line is not in fabric->waiting */
    /* Numbers of requests. All before `answered` are completed (acks.c). */
    uint32_t answered;
    /* asks: the peer has carried out all requests before this number that have no result. */
    uint32_t acknowledged;
    uint32_t told;       /* not asks: number that the peer has */
    bool owes, may_wait; /* the line is in fabric->owing; until the program sends or polls again */
    bool refused; /* a request was refused: the peer gets acknowledgements on this line alone */
    TAILQ_ENTRY(line) in_owing;
    struct dpk_fabric_place to; /* of datagrams of this process */
    uint64_t crowded_since;     /* time since which datagrams wait; 0: none waits */
    uint64_t unsent_since;      /* time since which the link has unsent messages; 0: it has none */
    TAILQ_ENTRY(line) in_posts;
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

/* Returns whether the peer of a queue pair is the one that a line claims. */
bool pairs_line_is_peer(const struct dpk_rc_qp *qp, const struct address *claim, bool by_number);

/* Sends a frame, whose payload is in the room of the link. `number`: NULL if the frame has none. */
void pairs_line_send(const struct line *l, const struct frame *f, const uint32_t *number);
/* Sends a word without data. */
void pairs_line_say(const struct line *l, uint32_t word, uint32_t number);
/* Returns false if memory is exhausted. */
bool pairs_line_say_hello(const struct line *l);

/* ---- datagrams.c ---- */
/* Takes a line of a peer, whose first message was POST. Returns false if there are too many. */
bool pairs_datagrams_welcome(struct fabric *f, struct dpk_fabric_link *link);
/* Handles a datagram, which is lost if nobody can take it. Returns false if it is malformed. */
bool pairs_datagrams_take(const struct line *l, uint32_t target, const struct frame *f,
                          const uint8_t *payload);
/* Sends datagrams that wait, and completes those that are sent. */
void pairs_datagrams_resume(struct fabric *f);
/* Closes all lines for datagrams. */
void pairs_datagrams_stop(struct fabric *f);

/* ---- acks.c ---- */
/* A request of the peer is carried out. It has no result. `may_wait`: the program will soon poll or send. */
void pairs_acks_owe(struct line *l, bool may_wait);
/* Sends the response to the next request of the peer. */
void pairs_acks_respond(struct line *l, const struct frame *f);
/* Sends the acknowledgement that a line owes, if any. */
void pairs_acks_pay(struct line *l);
/* Same for all lines of a fabric. `all`: also for those that may wait. */
void pairs_acks_pay_all(struct fabric *f, bool all);
/* Finds the number that the next request of a queue pair should carry. Returns false if there is none. */
bool pairs_acks_carried(struct dpk_rc_qp *qp, uint32_t *number);
/* The peer of a queue pair has carried out all requests before a number. Returns false if the number is invalid. */
bool pairs_acks_take(struct dpk_rc_qp *qp, uint32_t number);
/* Takes a response to the request before a number. Returns false if it is invalid. */
bool pairs_acks_take_response(struct line *l, uint32_t number, const struct response *r,
                              const uint8_t *payload);

#endif
