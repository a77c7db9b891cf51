/*
 * wire: what the port of an emulated device is plugged into: itself, captures, an interface of the
 * machine. A specification says what: "KIND" or "KIND:ARGUMENT".
 *
 *     loop             itself: what it sends comes back in
 *     none             nothing: what it sends is gone
 *     tap:NAME         a TAP of the machine, which is made if there is none of that name
 *     veth:NAME        any interface of the machine; one end of a veth pair, say
 *     dev:NAME         another emulated device of the same folder: a cable between the two
 *     switch:NAME      a switch, which joins many devices (`dpadev switch`)
 *     udp:LISTEN,PEER  another machine, in datagrams of UDP between these two addresses
 *     pcap:IN,OUT      frames arrive from one capture and leave into another; each may be absent
 *     generate:FRAMES,SIZE,FLOWS,RATE
 *                      that many frames arrive (SIZE bytes, without checksum; UDP of so many flows,
 *                      1 if absent; RATE a second, as fast as they are taken if absent), and at the
 *                      end it is told how many came back
 *
 *     struct dpk_wire *wire;
 *     dpk_wire_open("pcap:in.pcap,out.pcap", &sink, &wire, &err);
 *     dpk_wire_start(wire);                          // from now on frames arrive at the sink
 *     dpk_wire_send(wire, frame, size);  dpk_wire_flush(wire);
 *     dpk_wire_close(wire);
 *
 * A wire has one thread, which gives frames that arrive to the sink. Frames that a wire cannot
 * carry are dropped and counted. What is wrong with the medium (an interface is down, a peer is
 * gone) is told once; the wire works again as soon as the medium does.
 */
#ifndef DPK_NET_WIRE_WIRE_H
#define DPK_NET_WIRE_WIRE_H

#include "device/counters/counters.h"
#include "net/cable/cable.h"

/* The port: where frames go that arrive, DPK_FRAME_MIN to DPK_FRAME_MAX bytes each. */
struct dpk_wire_sink {
    /* Takes frames, whose bytes are valid until it returns. Returns how many of the first it took.
     * `waits`: the wire keeps the others and offers them again a little later. Else they are lost,
     * and the sink counts them. */
    size_t (*arrive)(void *context, const struct dpk_frame *frames, size_t count, bool waits);
    /* Tells the user something: a warning, or how the wire works (`detail`). */
    void (*tell)(void *context, bool detail, const char *text);
    void *context;
    struct dpk_counters *counters; /* of the device; the wire counts for its port. NULL: nowhere */
    const char *directory; /* of the device; NULL: none, and it can have no cable to another */
};

/* The folder of a switch, beside those of devices, is this and its name, which no device has. */
#define DPK_SWITCH_PREFIX ".switch-"

struct dpk_wire;

#define DPK_WIRE_SPEC_MAX 1024 /* bytes of a specification that a device keeps, with the NUL */

/* Checks a specification and writes it as a device keeps it: paths become absolute. Nothing is
 * opened. DPK_ERR_USAGE: there is no such kind, or its argument is wrong. DPK_ERR_RANGE: too long. */
enum dpk_status dpk_wire_check(const char *spec, char out[DPK_WIRE_SPEC_MAX],
                               struct dpk_error *err);

/* Finds what a device's port is plugged into: DPAKIT_WIRE_<device>, where a character of the name
 * that is neither letter nor digit is '_'; else DPAKIT_PACKETS and DPAKIT_PACKETS_SENT, as
 * pcap:IN,OUT; else `kept`, what the device's state says. The caller frees *spec. `origin` gets who
 * said it, for messages. */
#define DPK_WIRE_ORIGIN_MAX 96
enum dpk_status dpk_wire_choose(const char *device, const char *kept, char **spec,
                                char origin[DPK_WIRE_ORIGIN_MAX], struct dpk_error *err);

/* Whether this process could open it now: DPK_OK, or the error of dpk_wire_open. Kinds whose medium
 * would change by that are not tried. */
enum dpk_status dpk_wire_try(const char *spec, struct dpk_error *err);

/* Opens a wire. `sink` is copied; what it points to must outlive the wire. Errors: those of
 * dpk_wire_check, and the medium's: DPK_ERR_IO, DPK_ERR_NOT_FOUND, DPK_ERR_REFUSED (a permission is
 * missing; the message has the command that gives it), DPK_ERR_FORMAT (of a file). */
enum dpk_status dpk_wire_open(const char *spec, const struct dpk_wire_sink *sink,
                              struct dpk_wire **out, struct dpk_error *err);
/* Lets frames arrive. It may call the sink itself. DPK_ERR_NOMEM: there is no thread. */
enum dpk_status dpk_wire_start(struct dpk_wire *wire, struct dpk_error *err);
/* Sends a frame of DPK_FRAME_MIN to DPK_FRAME_MAX bytes, which is copied. It may stay in the wire
 * until dpk_wire_flush. False: the port is plugged into itself, so that the caller has to take the
 * frame in. When dpk_wire_flush returns, another thread that flushes may be about to send it. Any
 * thread may call these two. */
bool dpk_wire_send(struct dpk_wire *wire, const uint8_t *frame, size_t size);
void dpk_wire_flush(struct dpk_wire *wire);
/* Flushes, and ends the thread; must not be called with a lock that the sink takes. NULL is fine. */
void dpk_wire_close(struct dpk_wire *wire);

enum dpk_wire_drop {
    DPK_WIRE_DOWN,      /* nothing is plugged in, or the interface is down or gone */
    DPK_WIRE_NO_PEER,   /* nobody is at the other end */
    DPK_WIRE_NO_ROOM,   /* the ring of the medium is full */
    DPK_WIRE_TOO_LONG,  /* for the medium, or for the port */
    DPK_WIRE_TOO_SHORT, /* for the header of Ethernet */
    DPK_WIRE_BROKEN,    /* the medium fails otherwise, as when a disk is full */
};
#define DPK_WIRE_DROPS 6

/* Frames. What was sent left; what was received was offered to the sink. */
struct dpk_wire_counters {
    uint64_t sent, received;
    uint64_t sent_dropped[DPK_WIRE_DROPS], received_dropped[DPK_WIRE_DROPS];
};
void dpk_wire_counters(const struct dpk_wire *wire, struct dpk_wire_counters *out);

#endif
