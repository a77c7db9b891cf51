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
 * file, which ends the processes that map it.
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

/* An event. Times are nanoseconds of the machine's monotonic clock, which is that of the DPA. */
struct dpk_rates_event {
    uint8_t type;    /* enum dpk_rates_type */
    uint8_t subtype; /* of a NACK */
    uint8_t flags;   /* of a TX */
    uint8_t reserved;
    uint32_t flow; /* as it was claimed */
    uint32_t life; /* set by dpk_rates_tell: distinguishes the flows that used this place */
    uint32_t qp;
    uint32_t serial, first_serial; /* of packets */
    uint32_t bytes;                /* TX */
    uint32_t count;                /* TX: packets. ACK, NACK: number of merged events */
    uint64_t time_ns, first_time_ns;
    uint64_t sent_ns, answered_ns; /* RTT: the time of the request, and the delay at the peer */
};

/* ---- The sender ---- One thread at a time may use a struct dpk_rates. */

struct dpk_rates;

struct dpk_rates_flow {
    uint32_t rate; /* 1 to DPK_RATES_MAX; an invalid rate becomes 1 */
    bool probe;    /* a round trip must be measured; the sender that does so clears it */
};

/* Opens the device's file for a sender. Errors: DPK_ERR_IO and DPK_ERR_NOT_FOUND if the file does not
 * exist and cannot be made, DPK_ERR_REFUSED if it is another user's, DPK_ERR_FORMAT if it is another
 * file, DPK_ERR_NOMEM. */
enum dpk_status dpk_rates_open(const char *directory, struct dpk_rates **out,
                               struct dpk_error *err);
void dpk_rates_close(struct dpk_rates *r); /* NULL is allowed */
/* Returns true if a server has started since dpk_rates_join. */
bool dpk_rates_look(const struct dpk_rates *r);
/* Connects to the server. Returns false if there is no server. Flows start with the line rate. */
bool dpk_rates_join(struct dpk_rates *r);
bool dpk_rates_on(const struct dpk_rates *r);
/* Returns a descriptor that is readable when the server is gone, or -1 without a server. */
int dpk_rates_socket(const struct dpk_rates *r);
/* Returns true if the server still exists. */
bool dpk_rates_alive(struct dpk_rates *r);
/* Forgets the server, and all flows. */
void dpk_rates_leave(struct dpk_rates *r);

/* Claims a flow of the joined server. Returns DPK_RATES_NONE if there are too many flows, or no
 * server. */
uint32_t dpk_rates_claim(struct dpk_rates *r);
void dpk_rates_release(struct dpk_rates *r, uint32_t flow); /* DPK_RATES_NONE is ignored */
/* Takes the rates that have arrived. */
void dpk_rates_take(struct dpk_rates *r);
struct dpk_rates_flow *dpk_rates_flow(struct dpk_rates *r, uint32_t flow);
/* Passes an event on, or counts it as lost. */
void dpk_rates_tell(struct dpk_rates *r, const struct dpk_rates_event *event);

/* ---- The server ---- */

struct dpk_rates_server;

/* The state of a flow, which the server keeps for its owner; zero at the start. */
struct dpk_rates_state {
    _Alignas(16) uint8_t bytes[48];
};
struct dpk_rates_order {
    uint32_t rate; /* on entry the current rate, on return the new rate, 1 to DPK_RATES_MAX */
    bool probe;
};
struct dpk_rates_options {
    unsigned workers; /* threads that call `event`; each flow is of one of them; 0: 1 */
    /* Receives an event of a flow. Returns false if it can receive no more events; then all rates
     * end. */
    bool (*event)(void *context, unsigned worker, struct dpk_rates_state *state,
                  const struct dpk_rates_event *event, struct dpk_rates_order *order);
    void *context;
};
#define DPK_RATES_WORKERS_MAX 64u

/* Starts a server. The caller ensures that a directory has at most one server. Errors: DPK_ERR_IO if
 * the socket or the threads cannot be made; others as of dpk_rates_open. */
enum dpk_status dpk_rates_serve(const char *directory, const struct dpk_rates_options *options,
                                struct dpk_rates_server **out, struct dpk_error *err);
/* Stops the server. When this returns, `event` no longer runs. NULL is ignored. */
void dpk_rates_stop(struct dpk_rates_server *s);
/* Between these two calls, `event` does not run. NULL is ignored. */
void dpk_rates_pause(struct dpk_rates_server *s);
void dpk_rates_resume(struct dpk_rates_server *s);

/* ---- Statistics ---- */

#define DPK_RATES_SEEN 1023u
struct dpk_rates_seen {
    uint32_t process;                 /* the process that sets the rates; 0: none */
    uint64_t programs;                /* that are joined */
    uint64_t flows;                   /* number of flows with events */
    uint64_t events[DPK_RATES_TYPES]; /* by type, from DPK_RATES_FIRST on */
    uint64_t lost;                    /* lost events, because of missing room */
    uint64_t bad;                     /* invalid events */
    uint64_t changes;                 /* of rates */
    size_t count;
    struct dpk_rates_row { /* the first flows */
        uint32_t process, qp, rate;
        uint32_t rtt_ns; /* the last measured time; 0: none */
        uint64_t events;
    } rows[DPK_RATES_SEEN];
};
/* Reads the statistics; without a server all are 0. Errors: as of dpk_rates_open, and DPK_ERR_NOT_FOUND
 * if the device never had a server or a queue pair. */
enum dpk_status dpk_rates_read(const char *directory, struct dpk_rates_seen *out,
                               struct dpk_error *err);

#endif
