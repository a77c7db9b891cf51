/*
 * queues: work and completion queues as the NIC sees them. They are rings of work queue elements (WQEs)
 * and of completions (CQEs), big endian, in the layout of ConnectX devices.
 *
 *     struct dpk_queues *nic;
 *     dpk_queues_open(&ops, context, rc, steering, counters, &nic, &err); // one for an opened device
 *     struct dpk_queue_options o = {.kind = DPK_CQ, .ring = ..., .record = ...};
 *     dpk_queue_create(nic, &o, &cq, &err);
 *     o = (struct dpk_queue_options){.kind = DPK_SQ, .send_cq = cq, ...};
 *     dpk_queue_create(nic, &o, &sq, &err);
 *     dpk_queue_ring(sq, producer_index);                           // a doorbell
 *     dpk_queue_destroy(sq);  dpk_queue_destroy(cq);  dpk_queues_close(nic);
 *
 * Programs own rings and doorbell records and may write to them at any time. So a WQE is read once and
 * checked after that. An invalid WQE causes a CQE with a syndrome and puts its queue into the error
 * state, in which all posted elements are flushed. It has no other effect.
 *
 * Ethernet send queues send frames. A frame leaves the port, or a steering rule delivers it to a
 * receive queue. Queue pairs are reliable connected (pairs.h). dpk_queue_ring executes all posted WQEs
 * before it returns. Only sends that wait for a receive, or for their peer, are executed during later
 * calls; the callback `waits` asks for such calls.
 *
 * All functions may be called from any thread; the lock of struct dpk_rc guards all of it. Callbacks
 * run with the lock held and must not call functions of this header.
 */
#ifndef DPK_NET_QUEUES_QUEUES_H
#define DPK_NET_QUEUES_QUEUES_H

#include "device/counters/counters.h"
#include "net/wire/wire.h"
#include "rdma/pairs/pairs.h"
#include "rdma/registered/registered.h"

struct dpk_queues;
struct dpk_queue;
struct dpk_steering;

#define DPK_WQEBB       64u        /* bytes of a send queue's basic block */
#define DPK_CQE         64u        /* bytes of a completion */
#define DPK_EQE         64u        /* bytes of an event */
#define DPK_MESSAGE_MAX (1u << 30) /* bytes of a queue pair's message */

/* The place of a ring or a doorbell record: memory of a DPA process that outlives the queue, or memory
 * that only the owner's callbacks can access. */
struct dpk_queue_place {
    void *memory;
    uint64_t address;
    struct dpk_process *process; /* NULL: the callbacks access `memory` */
};

struct dpk_queue_ops {
    /* Read and write rings and doorbell records, also those of DPA memory when a queue is created.
     * Return false if the memory does not exist, or no longer. A record (4 bytes), and the last 8 bytes
     * of a CQE, which are stored last and make it valid, must be accessed atomically if they are
     * aligned. */
    bool (*load)(void *memory, uint64_t address, void *to, size_t size);
    bool (*store)(void *memory, uint64_t address, const void *from, size_t size);
    /* `count` completions were written. `user`: the user of the CQ. `event`: the WQE requests an event
     * even if the CQ is not armed. */
    void (*completed)(void *context, void *user, unsigned count, bool event);
    /* Returns true if the user waits for completions. Frames from outside are held back until then. */
    bool (*listens)(void *user);
    /* Sends a frame out of the port. Returns false if the port is connected to itself: then the frame
     * comes back in. */
    bool (*leaves)(void *context, const uint8_t *frame, size_t size);
    /* A frame or a peer's request waits for a receive. Programs post receives by writing to
     * doorbell records, which calls nothing here. So the owner should call dpk_queues_kick again
     * and again. */
    void (*waits)(void *context);
    /* Reports something to the user. */
    void (*warn)(void *context, const char *reason);
    /* Called after a series of `leaves`, without the lock. May be NULL. */
    void (*left)(void *context);
    /* Called after a series of `completed`. May be NULL. */
    void (*told)(void *context);
};

/* `ops`, `rc`, `steering` and `counters` must outlive the object. The lock of `rc` guards it. */
enum dpk_status dpk_queues_open(const struct dpk_queue_ops *ops, void *context, struct dpk_rc *rc,
                                struct dpk_steering *steering, struct dpk_counters *counters,
                                struct dpk_queues **out, struct dpk_error *err);
/* Closes the object and destroys its queues. NULL is ignored. */
void dpk_queues_close(struct dpk_queues *nic);

enum dpk_queue_kind {
    DPK_CQ,
    DPK_RQ,  /* Ethernet receive queue */
    DPK_RMP, /* receives that queue pairs share */
    DPK_SQ,  /* Ethernet send queue */
    DPK_QP,
    DPK_EQ, /* events of completion queues, polled by a program */
};

enum dpk_qp_state { DPK_QP_RESET, DPK_QP_INIT, DPK_QP_RTR, DPK_QP_RTS, DPK_QP_ERROR = 6 };

struct dpk_queue_options {
    enum dpk_queue_kind kind;
    unsigned log_depth;         /* CQ: completions; EQ: events; RQ, RMP: receives; SQ, QP: blocks
                                   of 64 bytes. Of an RQ's 2^16 receives, 65,535 are posted at most */
    unsigned log_stride;        /* RQ, RMP: bytes of a receive; 4 to 8 */
    unsigned log_receives;      /* QP */
    bool no_sends, no_receives; /* QP */
    bool multi_sends;           /* SQ: WQEs of several frames are allowed (enhanced MPSW) */
    bool timed_sends;           /* SQ: WQEs that wait for a time are allowed; the owner then calls
                                   dpk_queue_due after each doorbell */
    bool linked; /* RMP: each receive starts with a segment that has the index of the next */
    struct dpk_queue_place ring;   /* of a QP: receives of 16 bytes first, then sends */
    struct dpk_queue_place record; /* doorbell record, 8 bytes: receives posted, sends posted; of a
                                      CQ: completions consumed. An SQ and an EQ have none. */
    struct dpk_queue *send_cq;     /* SQ, QP */
    struct dpk_queue *receive_cq;  /* RQ, QP */
    struct dpk_queue *receives; /* QP: the RMP with its receives; NULL: it has its own receives */
    bool overrun_ignore;        /* CQ: completions are written whether consumed or not */
    bool collapsed;             /* CQ: all completions are written to its first entry */
    struct dpk_queue *events;   /* CQ: the EQ that it reports to; NULL: none */
    bool armed, always_armed;   /* CQ with an EQ: its first completion is an event; every
                                   completion is an event */
    uint32_t user_index;        /* 24 bits, in completions of receives */
    unsigned permits;           /* QP: DPK_MEMORY_REMOTE_... */
    const struct dpk_memory_domain *domain; /* of the memory that the queue accesses */
    void *user;                             /* CQ: for callbacks; other kinds: for the owner */
};

/* Creates a queue. Errors: DPK_ERR_RANGE if devices do not support the depth or stride, or the ring is
 * not memory or not aligned to 64 bytes, DPK_ERR_MISMATCH if the CQ or RMP is missing or of another
 * kind, DPK_ERR_NOMEM. */
enum dpk_status dpk_queue_create(struct dpk_queues *nic, const struct dpk_queue_options *options,
                                 struct dpk_queue **out, struct dpk_error *err);
/* Destroys a queue in any state. Errors: DPK_ERR_USAGE if other queues use this CQ or RMP. NULL is
 * ignored. */
enum dpk_status dpk_queue_destroy(struct dpk_queue *q, struct dpk_error *err);

/* Returns the queue's number: 24 bits, never 0, and never used twice. */
uint32_t dpk_queue_number(const struct dpk_queue *q);
/* Rings the send doorbell. `posted` is the number of blocks ever posted, and wraps. More blocks than
 * the ring has put the queue into the error state. */
void dpk_queue_ring(struct dpk_queue *q, uint16_t posted);
/* Returns the time, in nanoseconds of CLOCK_REALTIME, for which the next WQE of an SQ with `timed_sends`
 * waits, or 0 if none waits. The owner should ring the doorbell again at that time. */
uint64_t dpk_queue_due(struct dpk_queue *q);
/* Rings the send doorbell of a queue by a number from a program. Returns false if no SQ or QP has that
 * number and that `user`. */
bool dpk_queue_ring_number(struct dpk_queues *nic, uint32_t number, const void *user,
                           uint16_t posted);
/* Retries frames and requests that wait for receives, listeners or room for completions. `cq`: frames
 * with completions in this CQ come first, and only some of the others are tried; NULL: all are tried.
 * Takes no lock if nothing waits. */
void dpk_queues_kick(struct dpk_queues *nic, const struct dpk_queue *cq);

/* Returns the number of completions ever written to a CQ; it wraps. The thread that has the lock may
 * still be writing the last completion. */
uint32_t dpk_cq_produced(const struct dpk_queue *cq);

/* Writes an empty completion to a CQ: all zero except the owner bit. */
void dpk_cq_complete(struct dpk_queue *cq);

/* Rings the doorbell for the first `consumed` consumed entries, 24 bits. This arms a CQ with an EQ: the
 * next completion is an event, at once if it exists. In an EQ it makes room. An EQ without room for an
 * event enters the error state, gets no more events, and `warn` reports it. Its CQs keep working. */
void dpk_queue_consumed(struct dpk_queue *q, uint32_t consumed);

/* Puts a queue into the error state: posted elements are flushed, and a CQ gets no more completions. */
void dpk_queue_fail(struct dpk_queue *q);
bool dpk_queue_has_failed(struct dpk_queue *q);
/* Takes an SQ or RQ out of the error state, with an empty ring whose counters begin with 0; the owner has
 * cleared its record before. Returns false if it is in no error state, or of another kind. */
bool dpk_queue_recover(struct dpk_queue *q);

struct dpk_qp_change {
    enum dpk_qp_state state;
    uint32_t remote; /* RTR: number of the peer */
    const uint8_t
        *remote_ip; /* RTR: 16 bytes, as of dpk_rc_qp_connect_far; NULL: the peer is here */
    bool changes_permits;
    unsigned permits;
};
/* Changes the state of a queue pair. RESET drops all posted elements. Errors: DPK_ERR_USAGE if the
 * change is not permitted. */
enum dpk_status dpk_qp_modify(struct dpk_queue *qp, const struct dpk_qp_change *change,
                              struct dpk_error *err);
enum dpk_qp_state dpk_qp_state(struct dpk_queue *qp);

/* ---- Steering: the ways of frames ---- */

/* struct dpk_steering has the tables of one opened device. Any thread may call these functions. A frame
 * starts at the root table of a domain. The matching rule with the lowest priority number, and among
 * those the oldest, decides where the frame goes. Frames that the device sends pass DPK_FLOW_TX, then
 * DPK_FLOW_FDB; frames from the wire pass DPK_FLOW_FDB, then DPK_FLOW_RX. A frame that leaves a port
 * that is connected to itself only passes DPK_FLOW_RX when it comes back. */
struct dpk_flow_table;
struct dpk_flow_rule;
struct dpk_flow_tir;
enum dpk_flow_domain { DPK_FLOW_RX, DPK_FLOW_TX, DPK_FLOW_FDB };
#define DPK_FLOW_DOMAINS 3

/* Three parts of struct fte_match_param (ConnectX PRM), in mask and value alike. outer_headers:
 * addresses, VLAN tag and type of Ethernet; version, protocol, DSCP, ECN, TTL, fragment, addresses of
 * IP; ports and flags of TCP, ports of UDP. misc_parameters: source_port, the second VLAN tag,
 * vxlan_vni. misc_parameters_2: metadata registers A, B, C_0 to C_7. Bits of `value` outside `mask` are
 * ignored. */
#define DPK_MATCH_PART  64
#define DPK_MATCH_MISC  DPK_MATCH_PART       /* start of misc_parameters, */
#define DPK_MATCH_MISC2 (2 * DPK_MATCH_PART) /* and misc_parameters_2 */
#define DPK_MATCH_BYTES (3 * DPK_MATCH_PART)
/* Offsets of fields, big endian. */
enum {
    DPK_MATCH_SMAC = 0,
    DPK_MATCH_ETHERTYPE = 6,
    DPK_MATCH_DMAC = 8,
    DPK_MATCH_FIRST_VLAN = 14,
    DPK_MATCH_PROTOCOL = 16,
    DPK_MATCH_TRAFFIC_CLASS = 17,
    DPK_MATCH_TAGS = 18, /* cvlan_tag, svlan_tag, frag, ip_version (4 bits), tcp_flags (9 bits) */
    DPK_MATCH_TCP_PORTS = 20,
    DPK_MATCH_TTL = 27,
    DPK_MATCH_UDP_PORTS = 28,
    DPK_MATCH_SOURCE = 32,
    DPK_MATCH_DESTINATION = 48,
    DPK_MATCH_IPV4 = 12, /* an IPv4 address is the last four bytes of its field */
    DPK_MATCH_SOURCE_PORT = DPK_MATCH_MISC + 6,
    DPK_MATCH_SECOND_VLAN = DPK_MATCH_MISC + 8,
    DPK_MATCH_SECOND_TAGS = DPK_MATCH_MISC + 12,
    DPK_MATCH_VNI = DPK_MATCH_MISC + 20,
    DPK_MATCH_REGISTER_C7 = DPK_MATCH_MISC2 + 16, /* C_6 to C_0 follow */
    DPK_MATCH_REGISTER_A = DPK_MATCH_MISC2 + 48,
    DPK_MATCH_REGISTER_B = DPK_MATCH_MISC2 + 52,
    DPK_MATCH_ENTRY = DPK_MATCH_MISC2 + 56, /* not of the PRM: see struct dpk_flow_spread */
};
/* Bits of DPK_MATCH_TAGS and of DPK_MATCH_SECOND_TAGS. */
enum {
    DPK_MATCH_CVLAN = 0x80,
    DPK_MATCH_SVLAN = 0x40,
    DPK_MATCH_FRAGMENT = 0x20,
    DPK_MATCH_VERSION_SHIFT = 1
};
enum { DPK_MATCH_SECOND_CVLAN = 0x80, DPK_MATCH_SECOND_SVLAN = 0x20 };
struct dpk_match {
    uint8_t mask[DPK_MATCH_BYTES], value[DPK_MATCH_BYTES];
};

enum dpk_flow_kind {
    DPK_FLOW_DROP,
    DPK_FLOW_MISS,    /* as if no rule of the table matches */
    DPK_FLOW_QUEUE,   /* to a receive queue; RX */
    DPK_FLOW_TIR,     /* to a receive queue selected by a hash; RX */
    DPK_FLOW_TABLE,   /* to another table of the domain */
    DPK_FLOW_UPLINK,  /* out of the port; FDB */
    DPK_FLOW_MANAGER, /* back to the device, which manages its FDB; FDB */
    DPK_FLOW_SPREAD,  /* as DPK_FLOW_TABLE, with the number of an entry: struct dpk_flow_spread */
};
/* Numbers of the two vports of origin in source_port. */
#define DPK_VPORT_UPLINK  0xffffu
#define DPK_VPORT_MANAGER 0u

/* Changes of a frame before it continues. */
enum dpk_flow_change_kind {
    DPK_FLOW_TAG,       /* its completion has the tag `value`, 24 bits */
    DPK_FLOW_COUNT,     /* it is counted in `counter` */
    DPK_FLOW_MODIFY,    /* the first `size` of `modifications` */
    DPK_FLOW_PUSH_VLAN, /* inserts a tag outside of others: its type and TCI are in `value` */
    DPK_FLOW_POP_VLAN,  /* removes the outer tag, if any */
    DPK_FLOW_WRAP,      /* puts `header` of `size` bytes before it; see dpk_flow_change */
    DPK_FLOW_UNWRAP,    /* removes the headers of VXLAN (RFC 7348); drops other frames */
};
struct dpk_flow_counter {
    atomic_uint_least64_t packets, octets;
};
/* Keep the pointed-to memory unchanged while the rule exists. DPK_FLOW_WRAP sets lengths of IP and UDP
 * in the header, and its checksum of IPv4. A source port 0 becomes a port from 49152, equal for all
 * frames of a flow. A frame that would exceed DPK_FRAME_MAX bytes is dropped and counted. */
struct dpk_flow_change {
    enum dpk_flow_change_kind kind;
    uint32_t value;
    struct dpk_flow_counter *counter;
    const struct dpk_flow_modification *modifications;
    const uint8_t *header;
    size_t size;
};

/* Sets, adds to, or copies a field of headers or a metadata register. Checksums of IPv4, TCP and UDP
 * are adjusted: a wrong checksum stays wrong. A field that the frame does not have is skipped. */
struct dpk_flow_modification {
    enum { DPK_FLOW_SET = 1, DPK_FLOW_ADD = 2, DPK_FLOW_COPY = 3 } kind;
    uint16_t field, source;                /* numbers of the PRM: enum of modify header actions */
    uint8_t offset, source_offset, length; /* bits */
    uint32_t data;
};
/* Reads an action of 8 bytes (set_action_in, add_action_in, copy_action_in). Errors:
 * DPK_ERR_UNSUPPORTED if the field or the kind is unknown, DPK_ERR_RANGE if the bits are outside the
 * field. */
enum dpk_status dpk_flow_modification_parse(const uint8_t action[8],
                                            struct dpk_flow_modification *out,
                                            struct dpk_error *err);

/* Chooses the number of an entry for a frame, 0 to `count` - 1. The rules of the table match it as
 * DPK_MATCH_ENTRY, big endian. Keep the memory while the rule exists. */
enum dpk_spread_kind {
    DPK_SPREAD_HASH,     /* by a hash of the fields of `mask` */
    DPK_SPREAD_IDENTITY, /* the lowest bits of these fields */
    DPK_SPREAD_RANDOM,
    DPK_SPREAD_ROUND_ROBIN,
    DPK_SPREAD_FLOOD, /* a copy of the frame for each number */
};
struct dpk_flow_spread {
    enum dpk_spread_kind kind;
    uint32_t count; /* a power of 2 */
    uint8_t mask[DPK_MATCH_BYTES];
    uint64_t frames; /* how many were spread; the steering counts them */
};
/* Returns the hash, or the lowest 32 bits, of a frame with these headers. The number of its entry is the
 * remainder by `count`. */
uint32_t dpk_flow_spread_hash(const struct dpk_flow_spread *spread,
                              const uint8_t headers[DPK_MATCH_BYTES]);

struct dpk_flow_target {
    enum dpk_flow_kind kind;
    struct dpk_queue *queue;
    struct dpk_flow_tir *tir;
    struct dpk_flow_table *table;
    struct dpk_flow_spread *spread;
    const struct dpk_flow_change *change; /* only for this target; NULL: none */
};

/* This function and the next two return NULL if memory is exhausted. */
struct dpk_steering *dpk_steering_new(void);
/* Frees a struct without tables that no device uses any more. NULL is ignored. */
void dpk_steering_free(struct dpk_steering *s);
/* All root tables of a domain share their rules. Other tables only get frames from rules. If no rule of
 * a table matches, the frame is dropped (RX), continues (TX), leaves (FDB, root table, a frame of the
 * device), or comes in (otherwise). */
struct dpk_flow_table *dpk_flow_table_new(struct dpk_steering *s, enum dpk_flow_domain domain,
                                          bool root);
/* Frees a table. No rule may be in it or lead to it. */
void dpk_flow_table_free(struct dpk_flow_table *table);
/* All changes (0 to DPK_FLOW_CHANGES) are made in their order. Then the frame goes to each target (1 to
 * DPK_FLOW_TARGETS). A destroyed receive queue is removed from the targets; a rule without targets
 * matches no frames. */
#define DPK_FLOW_TARGETS 8
#define DPK_FLOW_CHANGES 16
struct dpk_flow_actions {
    struct dpk_flow_change changes[DPK_FLOW_CHANGES];
    unsigned change_count;
    struct dpk_flow_target targets[DPK_FLOW_TARGETS];
    unsigned target_count;
};
struct dpk_flow_rule *dpk_flow_rule_new(struct dpk_flow_table *table, const struct dpk_match *match,
                                        unsigned priority, const struct dpk_flow_actions *actions);
void dpk_flow_rule_free(struct dpk_flow_rule *rule);
/* Returns true if the device has that receive queue. The pointer is not dereferenced: the queue may be
 * destroyed. */
bool dpk_flow_has_queue(struct dpk_steering *s, const struct dpk_queue *rq);
/* Returns true if a rule has that receive queue as a target. */
bool dpk_flow_leads_to(struct dpk_steering *s, const struct dpk_queue *rq);

/* ---- Receive queues that share frames (RSS) ---- */

/* A receiver (TIR) gives a frame to its receive queue, or to one of an indirection table (RQT): the
 * entry with the index `hash modulo size`. The Toeplitz hash is that of Microsoft's RSS. */
struct dpk_flow_rqt;

#define DPK_RSS_KEY 40 /* bytes */
enum {
    DPK_RSS_SOURCE = 1, /* addresses of IP */
    DPK_RSS_DESTINATION = 2,
    DPK_RSS_SOURCE_PORT = 4, /* of TCP or UDP */
    DPK_RSS_DESTINATION_PORT = 8,
};
/* Missing fields of a frame are skipped; fragments have no ports. The hash of no fields is 0. */
struct dpk_rss {
    bool hashes;     /* false: every hash is 0 */
    bool symmetric;  /* a pair of fields a and b counts as (a | b, a ^ b) */
    bool ipv6, udp;  /* the protocols of these fields; false: IPv4 and TCP */
    unsigned fields; /* DPK_RSS_... */
    uint8_t key[DPK_RSS_KEY];
};

/* Makes a table of receive queues by their numbers, 1 to 65,535 of them. An entry whose queue is
 * destroyed drops its frames. Errors: DPK_ERR_RANGE if the number of queues is 0 or too large,
 * DPK_ERR_NOT_FOUND if the device does not have a receive queue, DPK_ERR_NOMEM. */
enum dpk_status dpk_flow_rqt_new(struct dpk_steering *s, const uint32_t *numbers, uint32_t count,
                                 struct dpk_flow_rqt **out, struct dpk_error *err);
/* Replaces all entries at once. Errors as of dpk_flow_rqt_new; then nothing changes. */
enum dpk_status dpk_flow_rqt_set(struct dpk_flow_rqt *rqt, const uint32_t *numbers, uint32_t count,
                                 struct dpk_error *err);
/* Frees a table. Returns false if a receiver uses it. */
bool dpk_flow_rqt_free(struct dpk_flow_rqt *rqt);
uint32_t dpk_flow_rqt_number(const struct dpk_flow_rqt *rqt);

/* Makes a receiver for the table, or (`direct`) the receive queue, with that number. Errors:
 * DPK_ERR_NOT_FOUND if it does not exist, DPK_ERR_NOMEM. */
enum dpk_status dpk_flow_tir_new(struct dpk_steering *s, const struct dpk_rss *rss, bool direct,
                                 uint32_t number, struct dpk_flow_tir **out, struct dpk_error *err);
/* Changes the fields and the kind of the hash for later frames. */
void dpk_flow_tir_set(struct dpk_flow_tir *tir, const struct dpk_rss *rss);
/* Frees a receiver. No rule may lead to it. */
void dpk_flow_tir_free(struct dpk_flow_tir *tir);
/* Returns true if a rule leads to the receiver. */
bool dpk_flow_tir_is_used(const struct dpk_flow_tir *tir);
uint32_t dpk_flow_tir_number(const struct dpk_flow_tir *tir);

/* ---- The port ---- */

/* Each frame from outside is steered. A frame without a matching rule is dropped. Other frames
 * wait, in the order of their queue, for a listener, a receive and room in the completion queue. If
 * the port has no room for more waiting frames, further frames are dropped. The same applies to
 * frames that the port sends to itself. With `waits`, no frame is dropped for lack of room, fewer
 * frames wait, and all frames are held back until a rule leads to a receive queue with a listener.
 * Returns how many frames, from the first, were taken: without `waits` all, else those for which
 * there is room. Each has DPK_FRAME_MIN to DPK_FRAME_MAX bytes. */
size_t dpk_frames_arrive(struct dpk_queues *nic, const struct dpk_frame *frames, size_t count,
                         bool waits);
/* Returns the number of waiting frames. */
uint64_t dpk_frames_waiting(struct dpk_queues *nic);

/* ---- WQEs outside of rings ---- */

#define DPK_WQE_CONTROL 16u   /* bytes of the control segment, which comes first */
#define DPK_WQE_MAX     1008u /* most bytes of a WQE */
#define DPK_WQE_PIECES  64u

/* A send WQE of a connected queue pair. work.pieces is NULL: the first work.count of `pieces` are
 * its pieces. Pieces with `bytes` are inline data of the WQE. work.wrong is its error. */
struct dpk_wqe_work {
    struct dpk_rc_work work;
    struct dpk_rc_piece pieces[DPK_WQE_PIECES];
    bool waits; /* for reads and atomic operations before it */
};
/* Returns the size of a WQE in bytes. Six bits of its control segment count segments of 16
 * bytes. */
static inline size_t dpk_wqe_size(const uint8_t control[DPK_WQE_CONTROL])
{
    return (control[7] & 63u) * (size_t)16;
}
void dpk_wqe_describe(const uint8_t *bytes, size_t size, struct dpk_wqe_work *out);

#endif
