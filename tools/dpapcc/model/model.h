/*
 * cc: a model of a network under congestion control. Hosts send flows of RoCE packets through
 * switches; an algorithm is called for each event that a card would call it for, and the model
 * enforces the rate that it returns. The algorithm is one of the references in C (DCQCN, Swift,
 * HPCC), or anything that fills struct cc_algorithm: a program on the emulated DPA, for example.
 *
 *     struct cc_topology net = {0};
 *     struct cc_workload work = {0};
 *     struct cc_results res = {0};
 *     if (cc_named("incast:senders=16,rate=100G", &net, &work, &err) == DPK_OK &&
 *         cc_run(&net, &work, cc_algorithm("dcqcn"), 1, 20000000, NULL, &res, &err) == DPK_OK)
 *         printf("queue p99 %" PRIu64 " bytes\n", res.queue.p99);
 *     cc_results_free(&res);
 *     cc_workload_free(&work);
 *     cc_topology_free(&net);
 *
 * Time is virtual, in whole picoseconds inside and nanoseconds here. The same topology, workload,
 * algorithm and seed give the same results on every machine: events are ordered by (time, order of
 * their making), and what decides is integers, or IEEE doubles with the four operations and square
 * roots alone. man/dpa-pcc.7 tells the model, its sources, and what it does not model.
 */
#ifndef DPK_DPAPCC_MODEL_MODEL_H
#define DPK_DPAPCC_MODEL_MODEL_H

#include "base/base.h"

/* ---- Input of an algorithm ---- */

/* Rates are fractions of the rate of the flow's own port, in fixed point: this is the line rate
 * (DOCA PCC: DOCA_PCC_DEV_MAX_RATE). The least rate is 1. */
#define CC_RATE_ONE (1u << 20)
#define CC_HOPS_MAX 8 /* switches on a path, and records of telemetry */

enum cc_event_type {
    CC_TX,   /* a burst of the flow left the port */
    CC_ACK,  /* an acknowledgement came */
    CC_NACK, /* the receiver misses a packet */
    CC_CNP,  /* a congestion notification packet came */
    CC_RTT,  /* the answer to a probe came */
    CC_EVENT_TYPES
};

enum cc_event_flags {
    CC_FLAG_FIRST = 1,            /* the first event of the flow, which is a CC_TX */
    CC_FLAG_RTT_REQUEST_SENT = 2, /* CC_TX: a probe left behind the burst */
    CC_FLAG_MARKED = 4,           /* CC_ACK: what it answers had an ECN mark */
    CC_FLAG_RETRANSMITTED = 8,    /* CC_TX: the burst was sent before */
};

/* What a switch wrote into a packet when it sent it on: in-band telemetry, as HPCC (SIGCOMM 2019,
 * section 4.1) has it. */
struct cc_hop {
    uint64_t time_ns;     /* of the switch; all clocks are the model's */
    uint64_t tx_bytes;    /* sent by the port so far */
    uint32_t queue_bytes; /* behind the packet, in the port's queue */
    uint32_t rate_mbps;   /* of the port */
    uint32_t queue;       /* which: cc_results.queues */
};

struct cc_event {
    enum cc_event_type type;
    uint32_t flags; /* enum cc_event_flags */
    uint32_t flow;  /* cc_results.flows */
    uint32_t host;  /* that sends the flow */
    uint32_t port;  /* of the host's card: 0 */
    uint64_t time_ns;
    uint32_t psn;         /* CC_TX: first of the burst; CC_ACK: the packet it answers; CC_NACK: the
                             one that is missed; CC_RTT: how many probes came before */
    uint32_t packets;     /* CC_TX: of the burst; CC_ACK: that it acknowledges for the first time */
    uint32_t bytes;       /* the same in bytes on the wire */
    uint64_t sent_ns;     /* CC_ACK, CC_RTT: when the packet, or the probe, was sent */
    uint64_t received_ns; /* CC_ACK, CC_RTT: when the receiver had it */
    uint32_t algorithm;   /* the flow's, of those that share the network: cc_flow.algorithm */
    uint32_t hop_count;   /* CC_ACK, CC_RTT with an algorithm that wants telemetry; else 0 */
    const struct cc_hop *hops; /* in the order of the path; borrowed until the call returns */
};

/* Preset with what holds now, and no request. */
struct cc_result {
    uint32_t rate;    /* 1 to CC_RATE_ONE; anything else ends the run */
    bool rtt_request; /* a probe shall follow the next burst */
    /* Bytes on the wire that may be without an acknowledgement; 0: no limit. Cards have no such
     * limit; it is for algorithms whose papers have one. At least one packet is always let out. */
    uint64_t window;
};

/* What an algorithm may know when a flow starts. */
struct cc_flow_start {
    uint32_t flow, host;
    uint64_t time_ns;
    uint32_t port_mbps;     /* of the sending host */
    uint32_t packet_bytes;  /* a full packet on the wire */
    uint32_t hops;          /* switches on the path */
    uint64_t base_rtt_ns;   /* of a full packet and its acknowledgement, without queues */
    uint64_t widest_rtt_ns; /* the greatest base_rtt_ns of all flows of the run */
    uint32_t algorithm;     /* cc_flow.algorithm */
};

/* An algorithm. The model calls it on the thread of cc_run, one event after the other. */
struct cc_algorithm {
    const char *name;
    size_t context_size; /* bytes for each flow, zeroed when it starts, aligned as malloc does */
    uint32_t events;     /* those it is called for: 1u << CC_TX | ...; others cost nothing */
    bool telemetry;      /* packets collect records of hops, and are longer by them */
    /* Gives the flow's first result, before it sends; NULL: it starts at the line rate, and its
     * first event decides. Like `event` it fails for a fault, a time limit or such; that ends the
     * run, with what was measured until then. */
    enum dpk_status (*start)(void *self, void *context, const struct cc_flow_start *flow,
                             struct cc_result *result, struct dpk_error *err);
    enum dpk_status (*event)(void *self, void *context, const struct cc_event *event,
                             struct cc_result *result, struct dpk_error *err);
    void *self;
};

/* The reference algorithms by name, with the parameters of their papers: "dcqcn", "swift", "hpcc",
 * and "none", which always sends at the line rate. NULL: no such name. */
const struct cc_algorithm *cc_algorithm(const char *name);
/* Their names, for lists and suggestions; NULL at the end. */
extern const char *const cc_algorithms[];

/* ---- Topology ---- */

enum cc_shape {
    CC_DUMBBELL,    /* senders - switch - switch - receivers, in pairs */
    CC_INCAST,      /* senders - switch - one receiver */
    CC_PARKING_LOT, /* a row of switches; one flow through all, one across each link */
    CC_FAT_TREE,    /* k pods of k switches (Al-Fares et al., SIGCOMM 2008); k*k*k/4 hosts */
    CC_CUSTOM,      /* nodes and links of a file */
};

struct cc_link {
    uint32_t from, to;  /* nodes; both directions are alike */
    uint32_t rate_mbps; /* 1 to CC_RATE_MAX_MBPS */
    uint64_t delay_ns;  /* propagation */
};
/* A link that carries nothing for a time, in both directions. */
struct cc_failure {
    uint32_t link;
    uint64_t down_ns, up_ns; /* up 0: it stays down */
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

/* A network and the parameters of its parts. cc_read and cc_named fill it; what is set by hand is
 * checked by cc_run. */
struct cc_topology {
    enum cc_shape shape;
    uint32_t senders;   /* dumbbell: pairs; incast; parking lot: switches less one */
    uint32_t k;         /* fat tree: even */
    uint32_t rate_mbps; /* of each link, and of those between switches if not 0: */
    uint32_t core_rate_mbps;
    uint64_t delay_ns;        /* of each link */
    uint64_t core_delay_ns;   /* of those between switches; 0: delay_ns */
    uint32_t mtu;             /* bytes of payload: 256 to 4096 */
    uint32_t burst;           /* packets that a flow sends at a time, which make one CC_TX */
    uint32_t ack_every;       /* packets for one acknowledgement */
    uint64_t cnp_interval_ns; /* between CNPs for a flow, at the receiver */
    uint64_t timeout_ns;      /* without progress, until a flow is sent again from what is missed */
    uint64_t buffer;          /* bytes of a switch, shared by its ports */
    uint64_t warmup_ns;       /* queues, RTTs and fairness are measured from then on */
    bool ecn, pfc;
    uint64_t kmin, kmax; /* RED: bytes of a queue where marking begins, and where all is marked */
    uint32_t pmax;       /* probability just below kmax, in millionths */
    uint64_t xoff, xon;  /* PFC: bytes from one port that pause it, and that let it go on */
    struct cc_node *nodes;
    uint32_t node_count;
    struct cc_link *links;
    uint32_t link_count;
    struct cc_failure *failures;
    uint32_t failure_count;
    uint64_t reroute_ns; /* from a change of a link until flows go by other ways; 0: never */
};

/* ---- Workload ---- */

enum cc_work_kind {
    CC_LONG,    /* flows without an end, or until `stop`: as the shape pairs hosts */
    CC_BURSTS,  /* each sender sends `size` bytes to one receiver, each `period` */
    CC_POISSON, /* flows of random sizes between random hosts, arrivals as a Poisson process */
    CC_FLOW,    /* one flow, `from` to `to` */
    CC_TRACE,   /* the flows of a file */
};
enum cc_sizes { CC_WEBSEARCH, CC_HADOOP, CC_SIZES_FILE };

/* A point of a distribution of sizes: what share of flows has at most so many bytes. */
struct cc_point {
    uint64_t bytes;
    uint32_t share; /* of CC_SHARE_ALL */
};
#define CC_SHARE_ALL  1000000000
#define CC_POINTS_MAX 100000

/* A flow of a trace. */
struct cc_demand {
    uint64_t start_ns, size;
    char from[CC_NAME_MAX], to[CC_NAME_MAX]; /* nodes, or numbers of hosts */
    uint32_t line;                           /* of the file */
};
#define CC_FILE_NAME_MAX  128
#define CC_ALGORITHMS_MAX 16

struct cc_work {
    enum cc_work_kind kind;
    uint64_t start_ns, stop_ns; /* stop 0: the end of the run */
    uint64_t stagger_ns;        /* CC_LONG: from one flow's start to the next one's */
    uint64_t size;              /* CC_BURSTS, CC_FLOW: bytes; 0: no end */
    uint64_t period_ns;         /* CC_BURSTS: 0: once */
    uint32_t flows;             /* CC_LONG: 0: as the shape has pairs; CC_BURSTS: senders, 0: all */
    enum cc_sizes sizes;        /* CC_POISSON */
    uint32_t load;              /* CC_POISSON: of the hosts' links, in millionths */
    char from[CC_NAME_MAX], to[CC_NAME_MAX]; /* CC_FLOW: nodes; CC_BURSTS: `to`, or "" */
    uint32_t algorithm;                      /* of its flows, from 1 on; 0: they take turns */
    /* The file of CC_SIZES_FILE and of CC_TRACE, and what cc_load has read from it. */
    char file[CC_FILE_NAME_MAX];
    struct cc_point *points;
    struct cc_demand *demands;
    uint32_t point_count, demand_count;
};

struct cc_workload {
    struct cc_work *items;
    uint32_t count;
    /* How many algorithms share the network; 0 or 1: items need not say which they have. The caller's
     * one algorithm then does what cc_event.algorithm says. */
    uint32_t algorithms;
    bool until_end; /* the run ends when all flows have ended; each must have a size or `stop` */
};

/* Reads a file of YAML (man/dpa-pcc.7, "Topology files"; examples/pcc): the topology and its
 * workload, which is long flows if the file has none. Errors have the line. Both outputs must be
 * zeroed, and stay so on failure. */
enum dpk_status cc_read(const void *bytes, size_t size, struct cc_topology *net,
                        struct cc_workload *work, struct dpk_error *err);
/* The same by a name and parameters, which are keys of such a file: "dumbbell",
 * "incast:senders=16,rate=25G,ecn.kmin=5K". */
enum dpk_status cc_named(const char *text, struct cc_topology *net, struct cc_workload *work,
                         struct dpk_error *err);
/* Lets a link fail: "leaf0,spine1:down=1ms,up=2ms". Without `up` it stays down. */
enum dpk_status cc_failure_named(const char *text, struct cc_topology *net, struct dpk_error *err);
/* Another workload: "long", "bursts:size=64K,period=1ms", "poisson:sizes=websearch,load=0.5";
 * several with '+' between them. */
enum dpk_status cc_workload_named(const char *text, struct cc_workload *work,
                                  struct dpk_error *err);
/* Reads the files that a workload names, whose names are relative to `folder` ("": the current one).
 * Errors have the file and the line. Workloads without such files need no call. */
enum dpk_status cc_load(struct cc_workload *work, const char *folder, struct dpk_error *err);
/* The texts of such files (man/dpa-pcc.7, "Distributions" and "Traces"); they fill *work. */
enum dpk_status cc_read_sizes(const void *bytes, size_t size, struct cc_work *work,
                              struct dpk_error *err);
enum dpk_status cc_read_trace(const void *bytes, size_t size, struct cc_work *work,
                              struct dpk_error *err);
void cc_topology_free(struct cc_topology *net);
void cc_workload_free(struct cc_workload *work);

/* "20ms", "1.5us", "3s" in nanoseconds; for --time. */
enum dpk_status cc_parse_time(const char *text, uint64_t *ns, struct dpk_error *err);
/* "1500", "64K", "2MiB" in bytes: at most 2^40. */
enum dpk_status cc_parse_bytes(const char *text, uint64_t *bytes, struct dpk_error *err);

/* ---- Results ---- */

/* p50 and p99 are upper ends of a bin that is at most 1/128 of its value wide; max is exact. */
struct cc_quantiles {
    uint64_t p50, p95, p99, max;
    double mean;
};

struct cc_flow {
    uint32_t from, to;         /* nodes */
    uint64_t size;             /* bytes of payload; 0: no end */
    uint64_t start_ns, end_ns; /* end: the last byte was acknowledged; 0: it was not */
    uint64_t ideal_ns;         /* how long it would take alone in the network; 0 without a size */
    uint64_t acknowledged;     /* bytes of payload */
    uint64_t packets, resent;  /* data packets sent, and those of them sent before */
    uint64_t cnps, nacks, timeouts;
    uint32_t base_rtt_ns;
    uint32_t rate;      /* in the end: of CC_RATE_ONE */
    uint32_t algorithm; /* from 0 on, of cc_workload.algorithms */
};

/* The queue of a switch's port, for data. */
struct cc_queue {
    char name[2 * CC_NAME_MAX + 4]; /* "switch>next node" */
    uint32_t rate_mbps;
    struct cc_quantiles bytes;                /* over time */
    uint64_t sent, tx_bytes, marked, dropped; /* packets; bytes on the wire; packets */
    uint64_t pauses;                          /* received from the next node */
    uint64_t paused_ns;                       /* in all */
};

struct cc_results {
    uint64_t time_ns;               /* simulated */
    uint64_t events;                /* of the model */
    uint64_t calls[CC_EVENT_TYPES]; /* events that the algorithm was called for, by type */
    uint64_t seen[CC_EVENT_TYPES];  /* events that happened, by type */
    struct cc_flow *flows;
    uint32_t flow_count, finished;
    struct cc_queue *queues; /* one for each port of a switch */
    uint32_t queue_count;
    uint32_t busiest;              /* queue with the greatest mean length */
    struct cc_quantiles queue;     /* its lengths */
    struct cc_quantiles queue_all; /* of all ports together that sent anything */
    struct cc_quantiles rtt_ns;    /* of probes, and of packets with their acknowledgements */
    /* Conservation: data_sent = data_received + data_dropped + data_in_flight, in packets. */
    uint64_t data_sent, data_received, data_dropped, data_in_flight;
    uint64_t data_lost;    /* of those dropped: by links that failed */
    uint64_t out_of_order; /* received, and not taken: one before them is missing */
    uint64_t resent, marked, cnps, nacks, timeouts, pauses, paused_ns, probes;
    uint64_t acknowledged;  /* bytes of payload, all flows */
    double gbps;            /* of payload acknowledged, over the whole time */
    double fairness;        /* Jain's index, mean over samples with two active flows or more */
    struct cc_event failed; /* the event that ended the run, if it failed in an algorithm */
    bool has_failed;
};

/* What is told to a recorder at each sample. Arrays are borrowed until it returns. */
struct cc_flow_sample {
    uint32_t rate;   /* granted, of CC_RATE_ONE; 0: the flow has not begun, or has ended */
    uint32_t mbps;   /* of payload that arrived since the last sample */
    uint32_t rtt_ns; /* the last one measured; 0: none since the last sample */
};
struct cc_sample {
    uint64_t time_ns;
    uint32_t flow_count, queue_count;
    const struct cc_flow_sample *flows;
    const uint32_t *queue_bytes; /* one for each of cc_results.queues */
    const uint32_t *queue_peak;  /* the longest since the last sample */
    double fairness; /* Jain's index of flows that were active all the time; 0: fewer than two */
    uint64_t cnps, drops, pauses; /* so far */
};

enum cc_mark {
    CC_MARK_DROP,
    CC_MARK_PAUSE,
    CC_MARK_RESUME,
    CC_MARK_CNP,
    CC_MARK_START,
    CC_MARK_END,
    CC_MARK_DOWN, /* the link of a queue failed */
    CC_MARK_UP
};

/* Each function may be NULL. */
struct cc_recorder {
    void *self;
    uint64_t interval_ns; /* between samples; 0: a thousandth of the time */
    void (*sample)(void *self, const struct cc_sample *sample);
    /* Something worth a mark in a trace. `flow` or `queue` is UINT32_MAX where there is none. */
    void (*mark)(void *self, enum cc_mark mark, uint64_t time_ns, uint32_t flow, uint32_t queue);
    /* After each call of the algorithm, with what it gave. */
    void (*event)(void *self, const struct cc_event *event, const struct cc_result *result);
    /* Each 1/1000 of the time at most; false ends the run there, as a success. */
    bool (*progress)(void *self, uint64_t time_ns, uint64_t end_ns);
};

/* Runs the model from 0 to `time_ns`. DPK_ERR_RANGE: a parameter, or a rate that the algorithm gave,
 * is outside of what it may be; what the algorithm returned, with "flow N, EVENT at T ns" before its
 * message, if that ended the run. Then `res` has what was measured until then; free it in any
 * case. `recorder` may be NULL. */
enum dpk_status cc_run(const struct cc_topology *net, const struct cc_workload *work,
                       const struct cc_algorithm *algorithm, uint64_t seed, uint64_t time_ns,
                       const struct cc_recorder *recorder, struct cc_results *res,
                       struct dpk_error *err);
void cc_results_free(struct cc_results *res);

/* Slowdown (time over ideal time) of flows that ended with sizes above `from`, up to `to` bytes.
 * Returns how many there are; *p50 and the others are those of the list, by nearest rank. */
uint32_t cc_slowdown(const struct cc_results *res, uint64_t from, uint64_t to, double *p50,
                     double *p95, double *p99);
/* "TX", "ACK", "NACK", "CNP", "RTT". */
const char *cc_event_name(enum cc_event_type type);

#endif
