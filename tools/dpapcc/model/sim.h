/* The state of a running model. Times are in picoseconds, sizes in bytes on the wire. */
#ifndef DPK_DPAPCC_MODEL_SIM_H
#define DPK_DPAPCC_MODEL_SIM_H

#include "agenda.h"
#include "dpapcc/model/model.h"
#include "histogram.h"
#include "random.h"

#define NONE UINT32_MAX

/* Sizes on the wire of RoCEv2 frames without tags (InfiniBand Architecture Specification, Annex
 * A17): preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 12. */
#define HEADER_BYTES    82
#define ACK_BYTES       (HEADER_BYTES + 4)  /* AETH */
#define CNP_BYTES       (HEADER_BYTES + 16) /* reserved bytes of a CNP */
#define PROBE_BYTES     (HEADER_BYTES + 16) /* format of this model: two times */
#define TELEMETRY_BYTES 42                  /* 5 hops, as in HPCC (SIGCOMM 2019, section 4.1) */
#define PAUSE_BYTES     84                  /* smallest Ethernet frame on the wire */

enum kind {
    DATA,
    PROBE,
    ACK,
    NACK,
    CNP,
    ANSWER,
    FREE
}; /* from ACK on, packets go back to the sender */

enum packet_flags {
    MARKED = 1, /* marked by ECN, or acknowledges a marked packet */
    ACK_WANTED = 2,
};

/* A packet has the size of a cache line. */
struct packet {
    /* When the packet, or the packet that it answers, left the sender. */
    _Alignas(64) uint64_t sent;
    uint64_t received; /* when the packet that it answers reached the receiver */
    uint32_t next;     /* in its queue */
    uint32_t flow;
    uint32_t psn;
    uint32_t in;  /* port through which it entered the switch */
    uint32_t way; /* the flow's path; `length` is its length */
    uint16_t bytes;
    uint8_t length;
    uint8_t kind;  /* enum kind */
    uint8_t flags; /* enum packet_flags */
    uint8_t hop;   /* number of links passed */
    uint8_t hops;  /* number of telemetry records */
};

struct fifo {
    uint32_t head, tail; /* NONE if empty */
};

/* One direction of a link, and the port that sends into it. */
struct port {
    uint32_t node, peer; /* the opposite port has this index with the last bit flipped */
    uint32_t mbps;
    uint64_t delay;
    uint64_t free_at; /* when the last packet has left */
    bool scheduled;   /* its turn is on the agenda */
    bool paused;      /* by its peer */
    bool pausing;     /* it has paused its peer */
    bool is_switch;
    bool failed;      /* its link has failed at least once */
    uint32_t down;    /* number of failures that keep its link down now */
    uint64_t down_at; /* start of the last failure */
    struct fifo data, control;
    uint32_t queued; /* bytes of data */
    uint32_t held;   /* bytes in the switch that entered through this port */
    uint32_t queue;  /* index in the results; NONE for a host's port */
    uint32_t kmin, kmax;
    uint64_t paused_at;
    uint64_t changed_at; /* when the queue's length changed */
    uint32_t peak;       /* peak since the last sample */
    struct histogram lengths;
    uint64_t sent, tx_bytes, marked, dropped, pauses, paused_time;
};

struct node {
    bool is_switch;
    uint32_t port;       /* a host's only port */
    uint64_t used;       /* used bytes of a switch's buffer */
    uint32_t head, tail; /* a host's list of flows that may send now */
};

enum flow_state {
    FLOW_IDLE,    /* nothing to send, or the window is full */
    FLOW_WAITING, /* waits for its rate */
    FLOW_READY,   /* in its host's list */
};

struct flow {
    /* From the workload. */
    uint32_t from, to;
    uint64_t size, start, stop; /* stop: picoseconds, UINT64_MAX for none */
    /* Path: ports in sim.ways, starting with the host's port. */
    uint32_t way;
    uint8_t length;
    uint8_t state;     /* enum flow_state */
    uint8_t algorithm; /* while flows are made: from 1, 0 for any algorithm */
    bool begun, ended, called, probe_wanted, timing, nacked, burst_resent;
    /* The sender. */
    uint32_t rate;
    uint32_t next_psn, sent_psn, acked_psn, end_psn; /* sent: first packet that was never sent */
    uint32_t burst_first, burst_left, burst_packets, burst_bytes;
    uint32_t rest;       /* bytes below one unit of the limiter, not counted yet */
    uint32_t ready_next; /* next flow in the host's list */
    uint64_t window;
    uint64_t burst_at, next_at, timer_at, progress_at;
    uint32_t probes;
    /* The receiver: */
    uint32_t expected;
    uint64_t cnp_at; /* when the next CNP may be sent */
    /* Measurements: */
    uint64_t end, packets, resent, cnps, nacks, timeouts;
    uint64_t base_rtt; /* picoseconds */
    uint64_t ideal;
    uint32_t sampled, sample_rtt; /* the receiver's psn at the last sample; last RTT since then */
};

struct sim {
    const struct cc_topology *net;
    const struct cc_algorithm *algorithm;
    const struct cc_recorder *recorder;
    struct cc_results *res;
    struct dpk_error *err;
    enum dpk_status status; /* if not DPK_OK, the run ends */
    uint64_t now, end;      /* picoseconds */
    uint64_t warmup;
    struct agenda *agenda;
    struct cc_random marking;
    uint64_t hash; /* for the choice of paths */

    struct node *nodes;
    struct port *ports; /* two for each link: 2 * link, and 2 * link + 1 for the way back */
    uint32_t port_count;
    struct ways *search; /* NULL if flows keep their paths */
    uint32_t *ways;
    uint32_t way_count, way_capacity;

    struct flow *flows;
    uint32_t flow_count, flows_begun, flows_over;
    bool until_end; /* the run ends with the last flow */
    uint8_t *contexts;
    uint64_t widest_rtt;
    uint32_t data_bytes; /* size of a full packet */

    struct packet *packets;
    struct cc_hop *hops; /* CC_HOPS_MAX for each packet; NULL without telemetry */
    uint32_t packet_count, packet_capacity, packet_free;

    struct histogram rtts;
    uint64_t sample_every, sampled_at;
    uint32_t *active; /* flows that have started and not ended */
    uint32_t active_count;
    struct cc_flow_sample *samples;
    uint32_t *lengths, *peaks; /* of queues */
    double fairness_sum;
    uint64_t fairness_count, told_at;
};

/* Entry of the agenda: the kind in the upper bits, and the index of a packet, port or flow. */
enum what {
    WHAT_ARRIVAL,
    WHAT_PORT,
    WHAT_FLOW,
    WHAT_TIMEOUT,
    WHAT_PAUSE,
    WHAT_RESUME,
    WHAT_START,
    WHAT_SAMPLE,
    WHAT_DOWN, /* of a failure */
    WHAT_UP,
    WHAT_REROUTE
};
#define WHAT_SHIFT 28

static inline enum what what_of(uint32_t what)
{
    return (enum what)(what >> WHAT_SHIFT);
}

static inline uint32_t index_of(uint32_t what)
{
    return what & ((1u << WHAT_SHIFT) - 1);
}

static inline void put(struct sim *s, uint64_t at, enum what what, uint32_t index)
{
    if (at < s->end)
        model_agenda_put(s->agenda, at, (uint32_t)what << WHAT_SHIFT | index);
}

/* Ends the run; the first reason is kept. */
enum dpk_status model_sim_fail(struct sim *s, enum dpk_status status);

static inline uint64_t time_on_wire(uint64_t bytes, uint32_t mbps)
{
    return bytes * 8000000 / mbps;
}

static inline void mark(struct sim *s, enum cc_mark what, uint32_t flow, uint32_t queue)
{
    if (s->recorder && s->recorder->mark)
        s->recorder->mark(s->recorder->self, what, s->now / 1000, flow, queue);
}

/* packets.c. model_packet_new returns NONE and ends the run if there is no memory. */
uint32_t model_packet_new(struct sim *s, uint32_t flow);
void model_packet_free(struct sim *s, uint32_t p);
void model_fifo_put(struct sim *s, struct fifo *f, uint32_t p);
uint32_t model_fifo_take(struct sim *s, struct fifo *f); /* must not be empty */

/* ways.c: finds the path of a flow. Errors: DPK_ERR_NOT_FOUND if there is no path. */
struct ways;
struct ways *model_ways_new(struct sim *s);
void model_ways_free(struct ways *w);
enum dpk_status model_ways_find(struct ways *w, struct flow *f, uint32_t index);
/* Finds new paths for flows that have not ended, over links that are up. Flows without a new path
 * keep theirs. */
void model_ways_change(struct sim *s);
/* Returns the port through which a packet leaves after `hop` links, forwards or on its way back. */
static inline uint32_t way_port(const struct sim *s, uint32_t way, uint32_t length, bool back,
                                uint32_t hop)
{
    return back ? s->ways[way + length - 1 - hop] ^ 1 : s->ways[way + hop];
}

/* port.c */
void model_port_kick(struct sim *s, uint32_t port); /* call if packets may be waiting */
void model_port_turn(struct sim *s, uint32_t port); /* WHAT_PORT */
void model_port_arrival(struct sim *s, uint32_t p); /* WHAT_ARRIVAL */
void model_port_pause(struct sim *s, uint32_t port, bool paused);
void model_port_send_control(struct sim *s, uint32_t port, uint32_t p); /* for ports of hosts */
void model_port_fail(struct sim *s, uint32_t port); /* packets waiting in a switch are lost */
void model_port_repair(struct sim *s, uint32_t port);
void model_port_note_length(struct sim *s,
                            struct port *port); /* call before a change and at the end */

/* sender.c */
void model_sender_over(struct sim *s, struct flow *f); /* the flow sends no more */
void model_sender_start(struct sim *s, uint32_t flow);
uint32_t model_sender_packet(struct sim *s, uint32_t host); /* next data packet, or NONE */
void model_sender_timer(struct sim *s, uint32_t flow, uint64_t at);
void model_sender_timeout(struct sim *s, uint32_t flow);
void model_sender_receive(struct sim *s,
                          uint32_t p); /* ACK, NACK, CNP, ANSWER; the caller keeps the packet */

/* receiver.c: handles DATA and PROBE at a host; takes the packet. */
void model_receiver_receive(struct sim *s, uint32_t p);

/* calls.c: reports an event to the algorithm, and applies its result. `p` is NONE for CC_TX. */
void model_call_start(struct sim *s, uint32_t flow);
void model_call_event(struct sim *s, enum cc_event_type type, uint32_t flow, uint32_t p,
                      uint32_t packets, uint32_t flags);

/* sample.c */
void model_sample_take(struct sim *s);

/* demands.c: makes the flows of a workload, in the order of their starts. */
enum dpk_status model_demands_make(struct sim *s, const struct cc_workload *work, uint64_t seed);
/* Returns the mean time in ps between flows of `mean` bytes, which fill `load` millionths of `mbps`
 * Mbit/s. Longer times than 2^58 ps, 80 hours, are 2^58 ps. */
uint64_t model_demands_gap(uint64_t mean, uint32_t load, uint64_t mbps);

/* sizes.c: sizes of flows, in bytes. */
uint64_t model_sizes_draw(const struct cc_work *w, struct cc_random *r);
uint64_t model_sizes_mean(const struct cc_work *w);

/* results.c */
enum dpk_status model_results_make(struct sim *s);

#endif
