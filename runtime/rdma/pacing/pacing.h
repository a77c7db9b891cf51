/*
 * pacing: one process sets the rates at which the queue pairs of a device send. It receives the events
 * of their flows, as the congestion control of a card does, from all processes that use the device.
 *
 *     const struct dpk_rates_options options = {.workers = 2, .event = algorithm};
 *     dpk_rates_serve(directory, &options, &server, &err);      // who sets the rates
 *     ...
 *     dpk_rates_stop(server);                                    // from now on there is no limit
 *
 *     dpk_rates_open(directory, &rates, &err);                   // who sends
 *     uint32_t flow = dpk_rates_claim(rates, qp);
 *     if (dpk_rates_look(rates) || dpk_rates_on(rates)) {
 *         ... dpk_rates_flow(rates, flow)->rate ...
 *         dpk_rates_tell(rates, &event);
 *     }
 *
 * The device's folder has a file `rates`, which all map, and a socket `rates.sock`, which the server
 * holds. The file has statistics, and a number that grows with each server, so that a sender notices a
 * new server by one load from memory. Two rings (ring.h) for each sending process carry events and
 * rates; its socket shows each side the end of the other. The flows, or the rates, of a killed process
 * disappear with it.
 *
 * Events without room are counted and lost; no side waits. Data of a ring is copied, then checked:
 * neither side can harm the other. A process that may write to the device's folder can truncate the
 * file, which ends who maps it.
 */
#ifndef DPK_RDMA_PACING_PACING_H
#define DPK_RDMA_PACING_PACING_H

#include "base/base.h"

#define DPK_RATES_MAX   (1u << 20) /* the line rate (DOCA_PCC_DEV_MAX_RATE) */
#define DPK_RATES_FLOWS 16384u     /* of one process; others are not limited */
#define DPK_RATES_NONE  UINT32_MAX

/* Numbers of DOCA PCC (enum dpk_pcc_type). */
enum dpk_rates_type {
    DPK_RATES_TX = 3,
    DPK_RATES_ACK = 4,
    DPK_RATES_NACK = 5,
    DPK_RATES_RTT = 6,
};
enum { DPK_RATES_NACK_RNR = 1 }; /* subtype: the peer has no receive */
enum { DPK_RATES_ACK_EXPECTED = 1, DPK_RATES_PROBE_SENT = 4 }; /* flags of a TX */
enum { DPK_RATES_TYPES = 4, DPK_RATES_FIRST = DPK_RATES_TX };

/* One event. Times are nanoseconds of the machine's monotonic clock, which is that of the DPA. */
struct dpk_rates_event {
    uint8_t type;    /* enum dpk_rates_type */
    uint8_t subtype; /* of a NACK */
    uint8_t flags;   /* of a TX */
    uint8_t reserved;
    uint32_t flow; /* as it was claimed */
    uint32_t life; /* dpk_rates_tell sets it: which flow it is of those that had this place */
    uint32_t qp;
    uint32_t serial, first_serial; /* of packets */
    uint32_t bytes;                /* TX */
    uint32_t count;                /* TX: packets. ACK, NACK: how many came as one */
    uint64_t time_ns, first_time_ns;
    uint64_t sent_ns, answered_ns; /* RTT: the request, and the time between at the peer */
};

/* ---- Who sends ----
 * One thread at a time may use a struct dpk_rates. */

struct dpk_rates;

struct dpk_rates_flow {
    uint32_t rate; /* 1 to DPK_RATES_MAX; what is none is 1 */
    bool probe;    /* a round trip is to be measured; who does so clears it */
};

/* DPK_ERR_IO, DPK_ERR_NOT_FOUND: there is no file, and it cannot be made. DPK_ERR_REFUSED: it is another user's.
 * DPK_ERR_FORMAT: it is something else. DPK_ERR_NOMEM. */
enum dpk_status dpk_rates_open(const char *directory, struct dpk_rates **out,
                               struct dpk_error *err);
void dpk_rates_close(struct dpk_rates *r); /* NULL is fine */
/* Whether a server has come since dpk_rates_join was called. */
bool dpk_rates_look(const struct dpk_rates *r);
/* Connects to the server, if there is one. Returns whether there is. Rates are the line's at first. */
bool dpk_rates_join(struct dpk_rates *r);
bool dpk_rates_on(const struct dpk_rates *r);
/* Readable when the server is gone. -1: there is none. */
int dpk_rates_socket(const struct dpk_rates *r);
/* Whether the server is still there. */
bool dpk_rates_alive(struct dpk_rates *r);
/* Forgets the server, and all flows. */
void dpk_rates_leave(struct dpk_rates *r);

/* A flow of the server that is joined. DPK_RATES_NONE: there are too many, or no server. */
uint32_t dpk_rates_claim(struct dpk_rates *r);
void dpk_rates_release(struct dpk_rates *r, uint32_t flow); /* DPK_RATES_NONE is fine */
/* Takes the rates that have come. */
void dpk_rates_take(struct dpk_rates *r);
struct dpk_rates_flow *dpk_rates_flow(struct dpk_rates *r, uint32_t flow);
/* Passes an event on, or counts it as lost. */
void dpk_rates_tell(struct dpk_rates *r, const struct dpk_rates_event *event);

/* ---- Who sets the rates ---- */

struct dpk_rates_server;

/* What the server keeps of a flow for its owner; at first zero. */
struct dpk_rates_state {
    _Alignas(16) uint8_t bytes[48];
};
struct dpk_rates_order {
    uint32_t rate; /* before: the flow's; after: what it shall be, 1 to DPK_RATES_MAX */
    bool probe;
};
struct dpk_rates_options {
    unsigned workers; /* threads that call `event`; each flow is of one of them; 0: 1 */
    /* Is given an event of a flow. False: no more can be given, and all rates end. */
    bool (*event)(void *context, unsigned worker, struct dpk_rates_state *state,
                  const struct dpk_rates_event *event, struct dpk_rates_order *order);
    void *context;
};
#define DPK_RATES_WORKERS_MAX 64u

/* There may be one server of a directory at a time, which the caller sees to. DPK_ERR_IO: its socket
 * or its threads cannot be made; and the errors of dpk_rates_open. */
enum dpk_status dpk_rates_serve(const char *directory, const struct dpk_rates_options *options,
                                struct dpk_rates_server **out, struct dpk_error *err);
/* No event runs any more when it returns. NULL is fine. */
void dpk_rates_stop(struct dpk_rates_server *s);
/* No event runs between these two. NULL is fine. */
void dpk_rates_pause(struct dpk_rates_server *s);
void dpk_rates_resume(struct dpk_rates_server *s);

/* ---- Statistics ---- */

#define DPK_RATES_SEEN 1023u
struct dpk_rates_seen {
    uint32_t process;                 /* that sets the rates; 0: none */
    uint64_t programs;                /* that are joined */
    uint64_t flows;                   /* that the server has had events of */
    uint64_t events[DPK_RATES_TYPES]; /* by type, from DPK_RATES_FIRST on */
    uint64_t lost;                    /* for want of room */
    uint64_t bad;                     /* that were none */
    uint64_t changes;                 /* of rates */
    size_t count;
    struct dpk_rates_row { /* of the first flows */
        uint32_t process, qp, rate;
        uint32_t rtt_ns; /* the last; 0: none was measured */
        uint64_t events;
    } rows[DPK_RATES_SEEN];
};
/* Without a server all is 0. Errors are those of dpk_rates_open, but DPK_ERR_NOT_FOUND if there was
 * no server and no queue pair yet. */
enum dpk_status dpk_rates_read(const char *directory, struct dpk_rates_seen *out,
                               struct dpk_error *err);

#endif
