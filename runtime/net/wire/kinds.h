/* The interface between wire.c and the kinds of wires. Each kind is a file with a struct wire_ops that the
 * table in kinds.c names. Private to this room. */
#ifndef DPK_NET_WIRE_KINDS_H
#define DPK_NET_WIRE_KINDS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "wire.h"

#define WIRE_BATCH 64u /* frames that a kind offers or sends at once */

struct wire_ops {
    const char *name;  /* the kind in a specification */
    const char *usage; /* the form of a specification, for messages */
    /* Checks an argument ("" if absent) and appends the form that a device stores. NULL: the kind has no
     * argument. */
    enum dpk_status (*check)(const char *argument, struct dpk_buf *out, struct dpk_error *err);
    /* Says whether `open` would succeed now. NULL: only `open` itself can find out. */
    enum dpk_status (*try)(const char *argument, struct dpk_error *err);
    /* Opens the medium and sets wire->kind. `close` frees wire->kind even if `open` fails. */
    enum dpk_status (*open)(struct dpk_wire *wire, const char *argument, struct dpk_error *err);
    /* Starts the arrival of frames. Returns false if the wire needs no thread. NULL: the wire needs a
     * thread if `receive` is not NULL. */
    bool (*start)(struct dpk_wire *wire);
    /* The wire's thread calls this in a loop. Waits for frames with wire_wait and offers them with
     * wire_arrive. Returns false after the last frame. NULL: no frames arrive. */
    bool (*receive)(struct dpk_wire *wire);
    /* The wire's thread calls this before it ends. Offers the frames that arrived before. May be NULL. */
    void (*drain)(struct dpk_wire *wire);
    /* Sends a frame. Returns false if the port is plugged into itself. `send` and `flush` are called with
     * wire->sends locked, and may unlock it for a while. `receive` may run at the same time. */
    bool (*send)(struct dpk_wire *wire, const uint8_t *frame, size_t size);
    void (*flush)(struct dpk_wire *wire); /* sends delayed frames; NULL: `send` delays no frames */
    void (*close)(struct dpk_wire *wire); /* after the last `receive` and `send` */
};

enum wire_trouble {
    WIRE_IS_DOWN,
    WIRE_IS_GONE,
    WIRE_HAS_NO_PEER,
    WIRE_FAILS,
    WIRE_CUTS,
    WIRE_RESULT
};

struct dpk_wire {
    const struct wire_ops *ops;
    void *kind; /* data of the kind */
    char *spec;
    struct dpk_wire_sink sink;
    pthread_t thread;
    bool runs;
    pid_t owner; /* a child of fork() has no thread */
    pthread_mutex_t sends;
    int ends;         /* eventfd that asks the thread to end */
    atomic_uint told; /* bits of enum wire_trouble that were reported */
    atomic_uint_least64_t sent, received;
    atomic_uint_least64_t sent_dropped[DPK_WIRE_DROPS], received_dropped[DPK_WIRE_DROPS];
};

extern const struct wire_ops wire_loop, wire_none, wire_pcap, wire_tap, wire_veth, wire_generate,
    wire_dev, wire_switch, wire_udp;

/* Appends a path to a list of arguments. A comma or backslash in the path gets a backslash before it. */
void wire_put_path(struct dpk_buf *b, const char *path);
/* Offers frames that arrived, and returns the number of accepted frames: all of them if not `waits`. The
 * caller has removed frames of impossible sizes. */
size_t wire_arrive(struct dpk_wire *wire, const struct dpk_frame *frames, size_t count, bool waits);
/* Count frames that were sent. */
void wire_sent(struct dpk_wire *wire, size_t count, size_t bytes);
/* Count sent frames as dropped after all, because their receiver has ended. */
void wire_lost(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count, size_t bytes);
/* Count frames that were dropped: on their way out, and on their way in. */
void wire_drop_sent(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count);
void wire_drop_received(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count);
/* Warns once for each kind of trouble in the lifetime of a wire. */
void wire_warn(struct dpk_wire *wire, enum wire_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a detail about the wire. Only verbose users see it. */
void wire_detail(struct dpk_wire *wire, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum wire_wait { WIRE_ENDS, WIRE_READY, WIRE_TIMEOUT };
/* Waits until `fd` is readable or has an error, or until the wire ends, or until `milliseconds` have
 * passed. `fd` -1: no descriptor. `milliseconds` -1: no limit. */
enum wire_wait wire_wait(struct dpk_wire *wire, int fd, int milliseconds);

#endif
