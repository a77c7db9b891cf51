/*
 * pcc: one program of DOCA PCC (programmable congestion control) on an emulated DPA. The owner of a
 * network, a model or a wire, passes events to it and gets rates.
 *
 *     const struct dpk_pcc_options options = {.threads = 1, .ports = 1, .speed_gbps = 100,
 *                                             .now = virtual_time, .context = model};
 *     struct dpk_pcc *pcc = NULL;
 *     dpk_pcc_open(image, &options, &pcc, &err);              // runs the program's user_init
 *     struct dpk_pcc_context flow = {0};                      // one for each flow
 *     const struct dpk_pcc_event event = {.type = DPK_PCC_TX, .flow = 7, .time_ns = 12000};
 *     struct dpk_pcc_result result = {.rate = DPK_PCC_RATE_MAX};
 *     if (dpk_pcc_event(pcc, 0, &flow, &event, &result, &err) == DPK_OK)
 *         ... result.rate / DPK_PCC_RATE_MAX of the port's line rate ...
 *     dpk_pcc_close(pcc);
 *
 * Each thread of the program is a hart that is kept ready: an event runs on the calling host thread,
 * without a scheduler, in a fraction of a microsecond. A thread of the program runs one event at a
 * time; different threads of the program may run concurrently on different host threads. All other
 * functions need one host thread at a time, while no event runs, unless their comments say otherwise.
 *
 * `now` is the clock. Equal events at equal times give equal results and equal numbers of instructions,
 * both for translated and for interpreted code.
 *
 * Names and numbers are those of DOCA PCC (docs.nvidia.com/doca/sdk, "DOCA PCC", 2.5 to 3.2).
 */
#ifndef DPK_API_PCC_PCC_H
#define DPK_API_PCC_PCC_H

#include "base/base.h"
#include "engine/loader/loader.h"
#include "engine/proc/proc.h"

#define DPK_PCC_THREADS_MAX   256
#define DPK_PCC_PORTS_MAX     8          /* DOCA_PCC_DEV_MAX_NUM_PORTS: BlueField-3 has 4 */
#define DPK_PCC_RATE_MAX      (1u << 20) /* DOCA_PCC_DEV_MAX_RATE: the port's line rate */
#define DPK_PCC_SLOTS         8          /* DOCA_PCC_DEV_MAX_NUM_USER_SLOTS */
#define DPK_PCC_SLOT_INTERNAL 15         /* the library's own algorithm */
#define DPK_PCC_NAME_MAX      128        /* bytes of a name or description, with its NUL */

/* ---- Programs ---- */

enum dpk_pcc_role {
    DPK_PCC_RP, /* reaction point: an algorithm that sets rates */
    DPK_PCC_NP, /* notification point: answers probe packets */
};

enum dpk_pcc_port_counter {
    DPK_PCC_RX_BYTES = 1,
    DPK_PCC_TX_BYTES = 2,
};

struct dpk_pcc_options {
    enum dpk_pcc_role role;
    unsigned threads;    /* 1 to DPK_PCC_THREADS_MAX; 0: 1 */
    unsigned ports;      /* 1 to DPK_PCC_PORTS_MAX; 0: 1 */
    uint32_t speed_gbps; /* line rate of each port in Gbit/s; 0: 200 */
    /* Largest number of instructions of one event: deterministic, unlike a time limit. 0:
     * DPK_PCC_INSTRUCTIONS. */
    uint64_t instructions;
    /* Returns the time in nanoseconds for the program's timers; it must not go back. Called on the
     * thread that passes an event. NULL: the host's monotonic clock. */
    uint64_t (*now)(void *context);
    /* A counter of a port that the program samples, in bytes. NULL: all are 0. */
    uint64_t (*counter)(void *context, unsigned port, enum dpk_pcc_port_counter which);
    /* Receives a piece of the program's output, without a NUL at its end, cleaned for terminals by
     * dpk_message_clean. NULL: output is discarded. */
    void (*print)(void *context, unsigned thread, const char *text, size_t size);
    /* Receives a trace message: the number of its format and its five arguments. NULL: trace messages
     * are discarded. */
    void (*trace)(void *context, unsigned thread, int format, const uint64_t arguments[5]);
    /* Called when the program flushes its trace messages. May be NULL. */
    void (*flush)(void *context);
    void *context;
    const char *device, *directory; /* as in struct dpk_process_options; may be NULL */
};
#define DPK_PCC_INSTRUCTIONS UINT64_C(10000000)

struct dpk_pcc;

/* Returns true if the image is a PCC program; *role receives its role. */
bool dpk_pcc_is_program(const struct dpk_image *image, enum dpk_pcc_role *role);

/* Makes a process of a verified program (dpk_load) and runs doca_pcc_dev_user_init (RP), then
 * doca_pcc_dev_user_port_info_changed for each port. The image may be freed afterwards. Errors:
 * DPK_ERR_NOT_FOUND if the image has no program of this role, DPK_ERR_RANGE if an option is out of its
 * range, DPK_ERR_FAULT and DPK_ERR_TIMEOUT if the program's initialization failed (the message has the
 * place), DPK_ERR_FORMAT if the program's tables of algorithms do not have its library's format. */
enum dpk_status dpk_pcc_open(const struct dpk_image *image, const struct dpk_pcc_options *options,
                             struct dpk_pcc **out, struct dpk_error *err);
void dpk_pcc_close(struct dpk_pcc *pcc); /* NULL is fine */
/* Returns its process, for core files, reports and dpk_copy_out; valid as long as `pcc`. */
struct dpk_process *dpk_pcc_process(struct dpk_pcc *pcc);

/* ---- Events of a reaction point ---- */

enum dpk_pcc_type { /* doca_pcc_dev_event_type_enum */
                    DPK_PCC_FW = 1,
                    DPK_PCC_CNP = 2,
                    DPK_PCC_TX = 3, /* a burst was sent */
                    DPK_PCC_ACK = 4,
                    DPK_PCC_NACK = 5,
                    DPK_PCC_RTT = 6, /* the answer to a probe */
                    DPK_PCC_TX_FOR_ACK_NACK = 31,
};
enum dpk_pcc_nack { DPK_PCC_NACK_RNR = 1, DPK_PCC_NACK_OOS, DPK_PCC_NACK_DUP_READ }; /* subtype */
enum { /* flags of TX events */
       DPK_PCC_TX_ACK_EXPECTED = 1,
       DPK_PCC_TX_OVERLOADED = 2,
       DPK_PCC_TX_RTT_REQ_SENT = 4,
};

/* The state of a flow between events; zeros for the first event (doca_pcc_dev_algo_ctxt_t). */
struct dpk_pcc_context {
    _Alignas(16) uint8_t bytes[48];
};

/* Bytes of data in a probe's answer, for doca_pcc_dev_get_rtt_raw_data(), in place of its times. The
 * switch telemetry template reads three 32-bit words in this byte order: queue length in units of 256
 * bytes (16 bits), index (8 bits), and valid (bit 29); bytes that the switch has sent; its time in
 * ns. */
#define DPK_PCC_RAW_MAX 12

/* One event. Members that its type does not have are ignored. Times are nanoseconds by options.now;
 * programs see their lower 32 bits. */
struct dpk_pcc_event {
    enum dpk_pcc_type type;
    uint8_t subtype; /* NACK: enum dpk_pcc_nack */
    uint8_t port;
    uint8_t flags;    /* TX */
    uint32_t flow;    /* the flow's tag */
    uint32_t qp;      /* number of its queue pair */
    uint32_t serial;  /* TX, ACK, NACK: packet sequence number */
    uint64_t time_ns; /* of the event */
    /* TX, ACK, NACK, CNP: one event may stand for several. */
    uint64_t first_time_ns;
    uint32_t first_serial;
    uint32_t coalesced; /* ACK, NACK, CNP: number of merged events */
    /* TX: the burst. */
    uint32_t bytes, packets;
    /* RTT */
    uint64_t request_sent_ns, request_received_ns, response_sent_ns;
    uint32_t np_received; /* by the peer's port, in units of 256 bytes */
    uint8_t np_port_type; /* 0 to 6: its speed is 25, 40, 50, 100, 200, 400 or 800 Gbit/s */
    uint8_t raw[DPK_PCC_RAW_MAX];
    uint8_t raw_size;  /* 0: the event has the times above */
    uint8_t hop_limit; /* of the packet that caused the event */
    uint32_t fw[3];    /* FW */
};

struct dpk_pcc_result {
    uint32_t rate;      /* of DPK_PCC_RATE_MAX: 1 to that */
    bool rtt_request;   /* send a probe */
    uint8_t probe_slot; /* the slot of the probe's format */
    /* False if the program has masked out these events; then rate and rtt_request are unchanged. */
    bool handled;
    uint32_t instructions; /* of the DPA, for this event */
};

/* Runs doca_pcc_dev_user_algo for one event on thread number `thread`. *context is the state of the
 * flow; it is only written back after a successful event. result->rate: on entry the flow's rate, on
 * return the rate that the program has set. Each error names the event: its number on this thread,
 * type, flow and time.
 *   DPK_ERR_FAULT, DPK_ERR_TIMEOUT  the program faulted, or ran longer than options.instructions:
 *                                   no event can follow (dpk_process_state, dpk_process_core).
 *                                   DPK_ERR_FAULT, too, if it wrote beside *context.
 *   DPK_ERR_FORMAT                  garbage: the rate is 0 or above DPK_PCC_RATE_MAX. *result has it;
 *                                   the next event may be given.
 *   DPK_ERR_RANGE                   the thread, port or a size of the event is out of range. */
enum dpk_status dpk_pcc_event(struct dpk_pcc *pcc, unsigned thread, struct dpk_pcc_context *context,
                              const struct dpk_pcc_event *event, struct dpk_pcc_result *result,
                              struct dpk_error *err);

/* ---- Probe packets of a notification point ---- */

#define DPK_PCC_PACKET_MAX   1536
#define DPK_PCC_RESPONSE_MAX 32

struct dpk_pcc_request {
    const uint8_t *packet; /* from its Ethernet header on */
    size_t size;           /* at most DPK_PCC_PACKET_MAX */
    size_t l4, payload;    /* offsets of its UDP header and of the bytes after the probe's header */
    uint8_t port, plane, slot;
    bool has_vlan;
    uint16_t vlan_tci;
};
struct dpk_pcc_response {
    uint8_t data[DPK_PCC_RESPONSE_MAX];
    size_t size;
    bool send;         /* false: the program has refused the packet */
    uint32_t priority; /* that it has set; 0 */
    uint32_t instructions;
};
/* Runs doca_pcc_dev_np_user_packet_handler for one packet on thread number `thread`. Errors: as of
 * dpk_pcc_event; DPK_ERR_FORMAT if its response is larger than DPK_PCC_RESPONSE_MAX. */
enum dpk_status dpk_pcc_packet(struct dpk_pcc *pcc, unsigned thread,
                               const struct dpk_pcc_request *request,
                               struct dpk_pcc_response *response, struct dpk_error *err);

/* ---- The mailbox ---- */

/* Runs doca_pcc_dev_user_mailbox_handle, also while events run. *response_size: on entry the size of
 * `response`, on return the number of bytes that the program has written. *returned: its
 * doca_pcc_dev_error_t. Errors: DPK_ERR_UNSUPPORTED if the program has no such function, DPK_ERR_FORMAT
 * if it reports more bytes than `response` has. */
enum dpk_status dpk_pcc_mailbox(struct dpk_pcc *pcc, const void *request, size_t request_size,
                                void *response, size_t *response_size, uint32_t *returned,
                                struct dpk_error *err);

/* ---- Algorithms, their parameters and counters ----
 * Names and descriptions come from the program; they are clean text, which lives as long as `pcc`. */

struct dpk_pcc_algorithm {
    unsigned slot;  /* 0 to DPK_PCC_SLOTS - 1 */
    unsigned index; /* the program's number for it */
    uint32_t id, major, minor;
    bool enabled;     /* the first enabled algorithm of a port gets the port's events */
    const char *name; /* its description; "" if it has none */
    unsigned parameters, counters;
};
/* A parameter or a counter. A description of the form "NAME, description" is split. */
struct dpk_pcc_value {
    const char *name, *description;
    uint32_t value;
    uint32_t initial, minimum, maximum; /* counters: 0, 0 and the maximum */
    bool writable;
};
/* Gets the algorithm in a slot of a port. Returns false if the slot is empty. */
bool dpk_pcc_algorithm(struct dpk_pcc *pcc, unsigned port, unsigned slot,
                       struct dpk_pcc_algorithm *out);
/* Enables or disables the algorithm of a slot in a port. If no algorithm is enabled, the library's own
 * algorithm gets the port's events. Errors: DPK_ERR_NOT_FOUND if the slot is empty. */
enum dpk_status dpk_pcc_enable(struct dpk_pcc *pcc, unsigned port, unsigned slot, bool enabled,
                               struct dpk_error *err);
/* Get a parameter, or a counter, by its number from 0. Return false if the number is too large. */
bool dpk_pcc_parameter(struct dpk_pcc *pcc, unsigned port, unsigned slot, unsigned number,
                       struct dpk_pcc_value *out);
bool dpk_pcc_counter(struct dpk_pcc *pcc, unsigned port, unsigned slot, unsigned number,
                     struct dpk_pcc_value *out);
/* Finds a parameter by its name, ignoring case. Returns its number, or -1. */
int dpk_pcc_find_parameter(struct dpk_pcc *pcc, unsigned port, unsigned slot, const char *name);
/* Sets parameter `number` after the program's doca_pcc_dev_user_set_algo_params has agreed. Errors:
 * DPK_ERR_RANGE if the value is outside the parameter's range, DPK_ERR_REFUSED if the program does not
 * agree, or the parameter is not writable. */
enum dpk_status dpk_pcc_set_parameter(struct dpk_pcc *pcc, unsigned port, unsigned slot,
                                      unsigned number, uint32_t value, struct dpk_error *err);

/* ---- Statistics ---- */

struct dpk_pcc_stats {
    uint64_t events;       /* given to the program, or packets */
    uint64_t masked;       /* events of masked types */
    uint64_t instructions; /* for all of these */
    uint64_t longest;      /* instructions of the longest */
};
/* The sum over all threads. */
void dpk_pcc_stats(const struct dpk_pcc *pcc, struct dpk_pcc_stats *out);

#endif
