/* What the kinds of wires share. Each kind is a file with a struct wire_ops, named in wire.c.
 * Private to wire. */
#ifndef DPK_WIRE_KINDS_H
#define DPK_WIRE_KINDS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "wire.h"

#define WIRE_BATCH 64u /* frames that a kind offers or sends at once */

struct wire_ops {
    const char *name;  /* of the kind */
    const char *usage; /* how a specification of it looks, for messages */
    /* Checks an argument ("" if there is none) and appends it as a device keeps it; NULL: the kind
     * has no argument. */
    enum dpk_status (*check)(const char *argument, struct dpk_buf *out, struct dpk_error *err);
    /* Finds out whether `open` would work now; NULL: nobody can tell without a change. */
    enum dpk_status (*try)(const char *argument, struct dpk_error *err);
    /* Opens the medium; sets wire->kind, which `close` frees even when this fails. */
    enum dpk_status (*open)(struct dpk_wire *wire, const char *argument, struct dpk_error *err);
    /* Lets frames arrive. False: there is nothing for a thread to do. NULL: there is, if there is a
     * `receive`. */
    bool (*start)(struct dpk_wire *wire);
    /* Called by the wire's thread, again and again: waits for frames with wire_wait, and offers
     * them with wire_arrive. False: no more will come. NULL: none ever arrive. */
    bool (*receive)(struct dpk_wire *wire);
    /* Called by that thread when it ends: offers what had arrived before. NULL: nothing is lost. */
    void (*drain)(struct dpk_wire *wire);
    /* False: the port is plugged into itself. Called with wire->sends, as is `flush`; both may give it
     * back for a while. `receive` may run meanwhile. */
    bool (*send)(struct dpk_wire *wire, const uint8_t *frame, size_t size);
    void (*flush)(struct dpk_wire *wire); /* NULL: `send` leaves nothing behind */
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
    void *kind; /* of the ops */
    char *spec;
    struct dpk_wire_sink sink;
    pthread_t thread;
    bool runs;
    pid_t owner; /* a child of fork() has no thread */
    pthread_mutex_t sends;
    int ends;         /* eventfd: the thread has to end */
    atomic_uint told; /* bits of troubles */
    atomic_uint_least64_t sent, received;
    atomic_uint_least64_t sent_dropped[DPK_WIRE_DROPS], received_dropped[DPK_WIRE_DROPS];
};

extern const struct wire_ops wire_loop, wire_none, wire_pcap, wire_tap, wire_veth, wire_generate,
    wire_dev, wire_switch, wire_udp;

/* Appends a path as an argument of a kind that takes several: a backslash stands before a comma or
 * a backslash. */
void wire_put_path(struct dpk_buf *b, const char *path);
/* Offers frames that arrived. Returns how many were taken, all if not `waits`. Frames of a size
 * that none has must not be among them. */
size_t wire_arrive(struct dpk_wire *wire, const struct dpk_frame *frames, size_t count, bool waits);
/* Count frames: those that left, those that never will, those that did not arrive. */
void wire_sent(struct dpk_wire *wire, size_t count, size_t bytes);
/* Frames that were counted as sent are dropped nevertheless: who had to take them is gone. */
void wire_lost(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count, size_t bytes);
void wire_drop_sent(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count);
void wire_drop_received(struct dpk_wire *wire, enum dpk_wire_drop why, size_t count);
/* Warns, once for each sort of trouble in the life of a wire. */
void wire_warn(struct dpk_wire *wire, enum wire_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Tells how the wire works, to those who want details. */
void wire_detail(struct dpk_wire *wire, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum wire_wait { WIRE_ENDS, WIRE_READY, WIRE_TIMEOUT };
/* Waits until `fd` (-1: none) can be read or has an error, the wire ends, or that many milliseconds
 * have passed (-1: without end). */
enum wire_wait wire_wait(struct dpk_wire *wire, int fd, int milliseconds);

#endif
