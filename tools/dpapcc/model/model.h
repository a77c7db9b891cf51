/*
 * cc: a model of a network under congestion control. Hosts send flows of RoCE packets through
 * switches; the model calls an algorithm for the same events as a card, and enforces the rate that
 * the algorithm returns. The algorithm is one of the references in C (DCQCN, Swift, HPCC), or any
 * other struct model_cc_algorithm, such as a program on the emulated DPA.
 *
 *     struct cc_topology net = {0};
 *     struct cc_workload work = {0};
 *     struct cc_results res = {0};
 *     if (model_cc_named("incast:senders=16,rate=100G", &net, &work, &err) == DPK_OK &&
 *         model_cc_run(&net, &work, model_cc_algorithm("dcqcn"), 1, 20000000, NULL, &res, &err) == DPK_OK)
 *         printf("queue p99 %" PRIu64 " bytes\n", res.queue.p99);
 *     model_cc_results_free(&res);
 *     model_cc_workload_free(&work);
 *     model_cc_topology_free(&net);
 *
 * Time is virtual: whole picoseconds inside, nanoseconds in this header. The same topology,
 * workload, algorithm and seed give the same results on every machine: events are ordered by (time,
 * order of creation), and decisions use integers, or IEEE doubles with only the four operations and
 * square roots. man/dpa-pcc.7 describes the model, its sources and its limits.
 */
#ifndef DPK_DPAPCC_MODEL_MODEL_H
#define DPK_DPAPCC_MODEL_MODEL_H

#include "base/base.h"

/* ---- Input of an algorithm ---- */

/* Rates are fixed-point fractions of the rate of the flow's own port; CC_RATE_ONE is the line rate
 * (DOCA PCC: DOCA_PCC_DEV_MAX_RATE). The lowest rate is 1. */
#define CC_RATE_ONE (1u << 20)
#define CC_HOPS_MAX 8 /* switches on a path, and records of telemetry */

enum cc_event_type {
    CC_TX,   /* a burst of the flow has left the port */
    CC_ACK,  /* an acknowledgement arrived */
    CC_NACK, /* the receiver misses a packet */
    CC_CNP,  /* a congestion notification packet arrived */
    CC_RTT,  /* the answer to a probe arrived */
    CC_EVENT_TYPES
};

enum cc_event_flags {
    CC_FLAG_FIRST = 1,            /* first event of the flow, which is a CC_TX */
    CC_FLAG_RTT_REQUEST_SENT = 2, /* CC_TX: a probe followed the burst */
    CC_FLAG_MARKED = 4,           /* CC_ACK: the acknowledged packet had an ECN mark */
    CC_FLAG_RETRANSMITTED = 8,    /* CC_TX: the burst was sent before */
};

/* Record that a switch adds to a packet on sending: in-band telemetry as in HPCC (SIGCOMM 2019,
 * section 4.1). */
struct cc_hop {
    uint64_t time_ns;     /* the switch's clock; all clocks agree */
    uint64_t tx_bytes;    /* total bytes sent by the port */
    uint32_t queue_bytes; /* in the port's queue, after the packet */
    uint32_t rate_mbps;   /* rate of the port */
    uint32_t queue;       /* index in cc_results.queues */
};

struct cc_event {
    enum cc_event_type type;
    uint32_t flags; /* enum cc_event_flags */
    uint32_t flow;  /* index in cc_results.flows */
    uint32_t host;  /* sender of the flow */
    uint32_t port;  /* port of the host's card: 0 */
    uint64_t time_ns;
    /* CC_TX: first of the burst; CC_ACK: acknowledged packet; CC_NACK: missing packet; CC_RTT:
     * number of earlier probes */
    uint32_t psn;
    uint32_t packets;          /* CC_TX: in the burst; CC_ACK: newly acknowledged */
    uint32_t bytes;            /* same as `packets`, in bytes on the wire */
    uint64_t sent_ns;          /* CC_ACK, CC_RTT: when the packet or probe was sent */
    uint64_t received_ns;      /* CC_ACK, CC_RTT: when it reached the receiver */
    uint32_t algorithm;        /* the flow's algorithm: cc_flow.algorithm */
    uint32_t hop_count;        /* CC_ACK, CC_RTT if the algorithm wants telemetry; else 0 */
    const struct cc_hop *hops; /* in the order of the path; borrowed during the call */
};

/* The algorithm's result. The model presets it with the current values and no request. */
struct cc_result {
    uint32_t rate;    /* 1 to CC_RATE_ONE; other rates end the run */
    bool rtt_request; /* send a probe after the next burst */
    /* Maximum of unacknowledged bytes on the wire; 0: no limit. Cards have no such limit, but the
     * papers of some algorithms do. At least one packet may always be sent. */
    uint64_t window;
};

/* Facts about a flow at its start. */
struct cc_flow_start {
    uint32_t flow, host;
    uint64_t time_ns;
    uint32_t port_mbps;     /* rate of the sending host's port */
    uint32_t packet_bytes;  /* size of a full packet on the wire */
    uint32_t hops;          /* switches on the path */
    uint64_t base_rtt_ns;   /* for a full packet and its acknowledgement, without queues */
    uint64_t widest_rtt_ns; /* greatest base_rtt_ns of all flows of the run */
    uint32_t algorithm;     /* cc_flow.algorithm */
};

/* An algorithm. The model calls it on the thread of model_cc_run, one call at a time. */
struct cc_algorithm {
    const char *name;
    size_t context_size; /* bytes for each flow, zeroed at its start, aligned like malloc */
    uint32_t events;     /* wanted events: 1u << CC_TX | ...; others cost nothing */
    bool telemetry;      /* packets carry records of switches, and are longer by them */
    /* Gives the flow's first result before it sends. If it is NULL, the flow starts at the line
     * rate until its first event. Both functions fail for a fault or a time limit; this ends the
     * run with the results so far. */
    enum dpk_status (*start)(void *self, void *context, const struct cc_flow_start *flow,
                             struct cc_result *result, struct dpk_error *err);
    enum dpk_status (*event)(void *self, void *context, const struct cc_event *event,
                             struct cc_result *result, struct dpk_error *err);
    void *self;
};

/* Returns a reference algorithm with the parameters of its paper: "dcqcn", "swift", "hpcc", or
 * "none", which always sends at the line rate. NULL if there is no such algorithm. */
const struct cc_algorithm *model_cc_algorithm(const char *name);
/* Names of the reference algorithms, for lists and suggestions; ends with NULL. */
extern const char *const model_cc_algorithms[];

/* ---- Topology ---- */

enum cc_shape {
    CC_DUMBBELL,    /* senders - switch - switch - receivers, in pairs */
    CC_INCAST,      /* senders - switch - one receiver */
    CC_PARKING_LOT, /* a row of switches; one flow through all, one flow across each link */
    CC_FAT_TREE,    /* k pods of k switches (Al-Fares et al., SIGCOMM 2008); k*k*k/4 hosts */
    CC_CUSTOM,      /* nodes and links of a file */
};

struct cc_link {
    uint32_t from, to;  /* nodes; both directions are equal */
    uint32_t rate_mbps; /* 1 to CC_RATE_MAX_MBPS */
    uint64_t delay_ns;  /* propagation */
};
/* A link that is down for a time, in both directions. */
struct cc_failure {
    uint32_t link;
    uint64_t down_ns, up_ns; /* up 0: the link stays down */
};
#define CC_FAILURES_MAX  1000
#define CC_RATE_MAX_MBPS 1600000
#define CC_DELAY_MAX_NS  10000000 /* 10 ms */
#define CC_NODES_MAX     16384
#define CC_LINKS_MAX     131072
#define CC_FLOWS_MAX     1000000
#define CC_NAME_MAX      32

struct cc_node {
    char name[CC_NAME_MAX];
    bool is_switch;
};

/* A network and its parameters. model_cc_read and model_cc_named fill it; model_cc_run checks it. */
struct cc_topology {
    enum cc_shape shape;
    uint32_t senders;   /* dumbbell: pairs; incast: senders; parking lot: switches minus 1 */
    uint32_t k;         /* fat tree: even */
    uint32_t rate_mbps; /* of each link; the next one, unless 0, is for links between switches */
    uint32_t core_rate_mbps;
    uint64_t delay_ns;        /* of each link */
    uint64_t core_delay_ns;   /* of links between switches; 0: delay_ns */
    uint32_t mtu;             /* bytes of payload: 256 to 4096 */
    uint32_t burst;           /* packets that a flow sends together; one CC_TX each */
    uint32_t ack_every;       /* packets per acknowledgement */
    uint64_t cnp_interval_ns; /* minimum time between CNPs for a flow, at the receiver */
    uint64_t timeout_ns;      /* time without progress after which a flow resends */
    uint64_t buffer;          /* bytes of a switch, shared by its ports */
    uint64_t warmup_ns;       /* queues, RTTs and fairness are measured after this time */
    bool ecn, pfc;
    uint64_t kmin, kmax; /* RED: queue lengths that start marking, and that mark all packets */
    uint32_t pmax;       /* probability just below kmax, in millionths */
    uint64_t xoff, xon;  /* PFC: bytes from one port at which it is paused, and resumed */
    struct cc_node *nodes;
    uint32_t node_count;
    struct cc_link *links;
    uint32_t link_count;
    struct cc_failure *failures;
    uint32_t failure_count;
    uint64_t reroute_ns; /* from a change of a link to new paths; 0: paths never change */
};

/* ---- Workload ---- */

enum cc_work_kind {
    CC_LONG,    /* endless flows, or until `stop`, between the shape's pairs of hosts */
    CC_BURSTS,  /* each sender sends `size` bytes to one receiver, every `period` */
    CC_POISSON, /* flows of random sizes between random hosts; arrivals are a Poisson process */
    CC_FLOW,    /* one flow, `from` to `to` */
    CC_TRACE,   /* flows from a file */
};
enum cc_sizes { CC_WEBSEARCH, CC_HADOOP, CC_SIZES_FILE };

/* A point of a distribution of sizes: the share of flows with at most `bytes` bytes. */
struct cc_point {
    uint64_t bytes;
    uint32_t share; /* in units of CC_SHARE_ALL */
};
#define CC_SHARE_ALL  1000000000
#define CC_POINTS_MAX 100000

/* A flow of a trace. */
struct cc_demand {
    uint64_t start_ns, size;
    char from[CC_NAME_MAX], to[CC_NAME_MAX]; /* names of nodes, or numbers of hosts */
    uint32_t line;                           /* line in the file */
};
#define CC_FILE_NAME_MAX  128
#define CC_ALGORITHMS_MAX 16

struct cc_work {
    enum cc_work_kind kind;
    uint64_t start_ns, stop_ns; /* stop 0: the end of the run */
    uint64_t stagger_ns;        /* CC_LONG: time between starts of flows */
    uint64_t size;              /* CC_BURSTS, CC_FLOW: bytes; 0: endless */
    uint64_t period_ns;         /* CC_BURSTS: 0: once */
    uint32_t flows;             /* CC_LONG: 0: one for each pair; CC_BURSTS: senders, 0: all */
    enum cc_sizes sizes;        /* CC_POISSON */
    uint32_t load;              /* CC_POISSON: load of the hosts' links, in millionths */
    char from[CC_NAME_MAX], to[CC_NAME_MAX]; /* CC_FLOW: nodes; CC_BURSTS: `to`, or "" */
    uint32_t algorithm;                      /* of its flows, from 1; 0: they take turns */
    /* File of CC_SIZES_FILE and of CC_TRACE, and the data that model_cc_load read from it. */
    char file[CC_FILE_NAME_MAX];
    struct cc_point *points;
    struct cc_demand *demands;
    uint32_t point_count, demand_count;
};

struct cc_workload {
    struct cc_work *items;
    uint32_t count;
    /* Number of algorithms that share the network. With 0 or 1, items need no algorithm. The
     * caller's single algorithm then dispatches by cc_event.algorithm. */
    uint32_t algorithms;
    bool until_end; /* end the run when all flows have ended; each flow needs a size or `stop` */
};

/* Reads a YAML file (man/dpa-pcc.7, "Topology files"; examples/pcc): the topology and its workload,
 * which is long flows by default. Errors have the line. Both outputs must be zeroed, and stay
 * zeroed on failure. */
enum dpk_status model_cc_read(const void *bytes, size_t size, struct cc_topology *net,
                              struct cc_workload *work, struct dpk_error *err);
/* Same from a name and parameters, which are keys of such a file: "dumbbell",
 * "incast:senders=16,rate=25G,ecn.kmin=5K". */
enum dpk_status model_cc_named(const char *text, struct cc_topology *net, struct cc_workload *work,
                               struct dpk_error *err);
/* Adds a failure of a link: "leaf0,spine1:down=1ms,up=2ms". Without `up` the link stays down. */
enum dpk_status model_cc_failure_named(const char *text, struct cc_topology *net,
                                       struct dpk_error *err);
/* Parses another workload: "long", "bursts:size=64K,period=1ms",
 * "poisson:sizes=websearch,load=0.5"; '+' joins several. */
enum dpk_status model_cc_workload_named(const char *text, struct cc_workload *work,
                                        struct dpk_error *err);
/* Reads the files that a workload names, relative to `folder` ("": current folder). Errors have the
 * file and the line. Workloads without files need no call. */
enum dpk_status model_cc_load(struct cc_workload *work, const char *folder, struct dpk_error *err);
/* Parse the content of such files (man/dpa-pcc.7, "Distributions" and "Traces") to *work. */
enum dpk_status model_cc_read_sizes(const void *bytes, size_t size, struct cc_work *work,
                                    struct dpk_error *err);
enum dpk_status model_cc_read_trace(const void *bytes, size_t size, struct cc_work *work,
                                    struct dpk_error *err);
void model_cc_topology_free(struct cc_topology *net);
void model_cc_workload_free(struct cc_workload *work);

/* Parses "20ms", "1.5us", "3s" to nanoseconds. */
enum dpk_status model_cc_parse_time(const char *text, uint64_t *ns, struct dpk_error *err);
/* Parses "1500", "64K", "2MiB" to bytes, at most 2^40. */
enum dpk_status model_cc_parse_bytes(const char *text, uint64_t *bytes, struct dpk_error *err);

/* ---- Results ---- */

/* Quantiles are upper ends of bins that are at most 1/128 of their value wide; max is exact. */
struct cc_quantiles {
    uint64_t p50, p95, p99, max;
    double mean;
};

struct cc_flow {
    uint32_t from, to;         /* nodes */
    uint64_t size;             /* bytes of payload; 0: endless */
    uint64_t start_ns, end_ns; /* end: the last byte was acknowledged; 0: it was not */
    uint64_t ideal_ns;         /* duration if the flow were alone in the network; 0 if endless */
    uint64_t acknowledged;     /* bytes of payload */
    uint64_t packets, resent;  /* data packets sent, including resent ones; resent ones */
    uint64_t cnps, nacks, timeouts;
    uint32_t base_rtt_ns;
    uint32_t rate;      /* final rate, in units of CC_RATE_ONE */
    uint32_t algorithm; /* index of the algorithm, from 0 */
};

/* The data queue of a switch's port. */
struct cc_queue {
    char name[2 * CC_NAME_MAX + 4]; /* "switch>next node" */
    uint32_t rate_mbps;
    struct cc_quantiles bytes;                /* over time */
    uint64_t sent, tx_bytes, marked, dropped; /* packets; bytes on the wire; packets */
    uint64_t pauses;                          /* received from the next node */
    uint64_t paused_ns;                       /* total */
};

struct cc_results {
    uint64_t time_ns;               /* simulated */
    uint64_t events;                /* of the model */
    uint64_t calls[CC_EVENT_TYPES]; /* calls of the algorithm, by type of event */
    uint64_t seen[CC_EVENT_TYPES];  /* events that occurred, by type */
    struct cc_flow *flows;
    uint32_t flow_count, finished;
    struct cc_queue *queues; /* one for each port of a switch */
    uint32_t queue_count;
    uint32_t busiest;              /* queue with the greatest mean length */
    struct cc_quantiles queue;     /* lengths of the busiest queue */
    struct cc_quantiles queue_all; /* lengths of all queues of ports that sent packets */
    struct cc_quantiles rtt_ns;    /* of probes, and of packets with their acknowledgements */
    /* Conservation: data_sent = data_received + data_dropped + data_in_flight, in packets. */
    uint64_t data_sent, data_received, data_dropped, data_in_flight;
    uint64_t data_lost;    /* dropped by failed links */
    uint64_t out_of_order; /* received but dropped, because an earlier packet is missing */
    uint64_t resent, marked, cnps, nacks, timeouts, pauses, paused_ns, probes;
    uint64_t acknowledged;  /* bytes of payload, all flows */
    double gbps;            /* rate of acknowledged payload over the whole time */
    double fairness;        /* Jain's index, mean over samples with at least two active flows */
    struct cc_event failed; /* the event that ended the run, if the algorithm failed */
    bool has_failed;
};

/* Sample for a recorder. Arrays are borrowed during the call. */
struct cc_flow_sample {
    uint32_t rate;   /* granted, in units of CC_RATE_ONE; 0 before the start and after the end */
    uint32_t mbps;   /* rate of payload that arrived since the last sample */
    uint32_t rtt_ns; /* last measurement; 0 if there was none since the last sample */
};
struct cc_sample {
    uint64_t time_ns;
    uint32_t flow_count, queue_count;
    const struct cc_flow_sample *flows;
    const uint32_t *queue_bytes; /* length of each of cc_results.queues */
    const uint32_t *queue_peak;  /* peak length since the last sample */
    double fairness; /* Jain's index of flows that were active all the time; 0 for fewer than two */
    uint64_t cnps, drops, pauses; /* totals so far */
};

enum cc_mark {
    CC_MARK_DROP,
    CC_MARK_PAUSE,
    CC_MARK_RESUME,
    CC_MARK_CNP,
    CC_MARK_START,
    CC_MARK_END,
    CC_MARK_DOWN, /* the queue's link failed */
    CC_MARK_UP
};

/* Callbacks; each may be NULL. */
struct cc_recorder {
    void *self;
    uint64_t interval_ns; /* between samples; 0: a thousandth of the time */
    void (*sample)(void *self, const struct cc_sample *sample);
    /* Called for events that a trace marks. `flow` or `queue` is UINT32_MAX if it does not
     * apply. */
    void (*mark)(void *self, enum cc_mark mark, uint64_t time_ns, uint32_t flow, uint32_t queue);
    /* Called after each call of the algorithm, with its result. */
    void (*event)(void *self, const struct cc_event *event, const struct cc_result *result);
    /* Called at most 1000 times. If it returns false, the run ends there as a success. */
    bool (*progress)(void *self, uint64_t time_ns, uint64_t end_ns);
};

/* Runs the model from 0 to `time_ns`. Errors: DPK_ERR_RANGE if a parameter or a rate of the
 * algorithm is out of range; an error of the algorithm, with "flow N, EVENT at T ns" before its
 * message. `res` then has the results so far; free it in any case. `recorder` may be NULL. */
enum dpk_status model_cc_run(const struct cc_topology *net, const struct cc_workload *work,
                             const struct cc_algorithm *algorithm, uint64_t seed, uint64_t time_ns,
                             const struct cc_recorder *recorder, struct cc_results *res,
                             struct dpk_error *err);
void model_cc_results_free(struct cc_results *res);

/* Computes the slowdown (time divided by ideal time) of ended flows with sizes above `from`, up to
 * `to` bytes. Returns their number; the quantiles are by nearest rank. */
uint32_t model_cc_slowdown(const struct cc_results *res, uint64_t from, uint64_t to, double *p50,
                           double *p95, double *p99);
/* Returns "TX", "ACK", "NACK", "CNP" or "RTT". */
const char *model_cc_event_name(enum cc_event_type type);

#endif
