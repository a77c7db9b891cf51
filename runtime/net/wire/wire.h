/*
 * wire: the medium into which the port of an emulated device is plugged: itself, captures, an interface
 * of the machine. A specification names it: "KIND" or "KIND:ARGUMENT".
 *
 *     loop             the port itself: sent frames come back in
 *     none             no medium: sent frames are lost
 *     tap:NAME         a TAP of the machine, which is made if it does not exist
 *     veth:NAME        any interface of the machine, for example an end of a veth pair
 *     dev:NAME         another emulated device of the same folder: a cable between the two
 *     switch:NAME      a switch, which joins many devices (`dpadev switch`)
 *     udp:LISTEN,PEER  another machine, in datagrams of UDP between these two addresses
 *     pcap:IN,OUT      frames arrive from one capture and leave into another; each may be absent
 *     generate:FRAMES,SIZE,FLOWS,RATE
 *                      FRAMES frames arrive: UDP of SIZE bytes without checksum, in FLOWS flows
 *                      (default 1), RATE a second (default: as fast as they are taken); at the
 *                      end a message says how many came back
 *
 *     struct dpk_wire *wire;
 *     dpk_wire_open("pcap:in.pcap,out.pcap", &sink, &wire, &err);
 *     dpk_wire_start(wire);                          // from now on frames arrive at the sink
 *     dpk_wire_send(wire, frame, size);  dpk_wire_flush(wire);
 *     dpk_wire_close(wire);
 *
 * A wire has one thread, which gives frames that arrive to the sink. Frames that a wire cannot carry
 * are dropped and counted. Trouble with the medium (an interface is down, a peer is gone) is reported
 * once. The wire works again as soon as the medium does.
 */
#ifndef DPK_NET_WIRE_WIRE_H
#define DPK_NET_WIRE_WIRE_H

#include "device/counters/counters.h"
#include "device/port/port.h"
#include "net/cable/cable.h"

/* The port: the receiver of arriving frames, DPK_FRAME_MIN to DPK_FRAME_MAX bytes each. */
struct dpk_wire_sink {
    /* Takes frames, whose bytes are valid until it returns. Returns the number of frames it took, from
     * the first. `waits`: the wire keeps the others and offers them again later. Otherwise they are
     * lost, and the sink counts them. */
    size_t (*arrive)(void *context, const struct dpk_frame *frames, size_t count, bool waits);
    /* Reports a warning to the user, or a detail of the wire's operation (`detail`). */
    void (*tell)(void *context, bool detail, const char *text);
    void *context;
    struct dpk_counters *counters; /* of the device; the wire counts for its port. NULL: no
                                      counting */
    const struct dpk_port *port;   /* settings of the port: a port that is down passes no frame, and
                                      the MTU limits frames. NULL: no settings */
    const char *directory;         /* of the device; NULL: none, and a cable to another device is
                              impossible */
};

/* The folder of a switch is beside the folders of devices. Its name is this prefix and the switch's
 * name; no device can have such a name. */
#define DPK_SWITCH_PREFIX ".switch-"

struct dpk_wire;

#define DPK_WIRE_SPEC_MAX 1024 /* bytes of a specification that a device keeps, with the NUL */

/* Checks a specification and writes it in the form that a device stores, with absolute paths. Opens no
 * medium. Errors: DPK_ERR_USAGE if the kind is unknown or its argument is wrong, DPK_ERR_RANGE if it is
 * too long. */
enum dpk_status dpk_wire_check(const char *spec, char out[DPK_WIRE_SPEC_MAX],
                               struct dpk_error *err);

/* Finds the specification of a device's port: DPAKIT_WIRE_<device>, where any character of the name
 * except letters and digits is '_'; else DPAKIT_PACKETS and DPAKIT_PACKETS_SENT, as pcap:IN,OUT; else
 * `kept` of the device's state. The caller frees *spec. `origin` receives the source of the
 * specification, for messages. */
#define DPK_WIRE_ORIGIN_MAX 96
enum dpk_status dpk_wire_choose(const char *device, const char *kept, char **spec,
                                char origin[DPK_WIRE_ORIGIN_MAX], struct dpk_error *err);

/* Tests whether this process could open the wire now: DPK_OK, or the error of dpk_wire_open. Kinds
 * whose medium the test would change are not tried. */
enum dpk_status dpk_wire_try(const char *spec, struct dpk_error *err);

/* Opens a wire. `sink` is copied; the objects it points to must outlive the wire. Errors: as of
 * dpk_wire_check, and of the medium: DPK_ERR_IO, DPK_ERR_NOT_FOUND, DPK_ERR_REFUSED (a permission is
 * missing; the message has the command that grants it), DPK_ERR_FORMAT (of a file). */
enum dpk_status dpk_wire_open(const char *spec, const struct dpk_wire_sink *sink,
                              struct dpk_wire **out, struct dpk_error *err);
/* Starts the arrival of frames. May call the sink. Errors: DPK_ERR_NOMEM if no thread can be
 * created. */
enum dpk_status dpk_wire_start(struct dpk_wire *wire, struct dpk_error *err);
/* Sends a frame of DPK_FRAME_MIN to DPK_FRAME_MAX bytes, which is copied. It may stay in the wire until
 * dpk_wire_flush. Returns false if the port is plugged into itself, also by its settings: then the caller must take the frame
 * in. After dpk_wire_flush, another thread that flushes may still send the frame. Any thread may call
 * these two functions. */
bool dpk_wire_send(struct dpk_wire *wire, const uint8_t *frame, size_t size);
void dpk_wire_flush(struct dpk_wire *wire);
/* Flushes and closes a wire, and ends its thread. Do not call this with a lock that the sink takes.
 * NULL is ignored. */
void dpk_wire_close(struct dpk_wire *wire);

enum dpk_wire_drop {
    DPK_WIRE_DOWN,      /* nothing is plugged in, or the port or the interface is down or gone */
    DPK_WIRE_NO_PEER,   /* no process is at the other end */
    DPK_WIRE_NO_ROOM,   /* the ring of the medium is full */
    DPK_WIRE_TOO_LONG,  /* for the medium, or for the port */
    DPK_WIRE_TOO_SHORT, /* for the header of Ethernet */
    DPK_WIRE_BROKEN,    /* another failure of the medium, for example a full disk */
};
#define DPK_WIRE_DROPS 6

/* Numbers of frames. Sent frames have left; received frames were offered to the sink. */
struct dpk_wire_counters {
    uint64_t sent, received;
    uint64_t sent_dropped[DPK_WIRE_DROPS], received_dropped[DPK_WIRE_DROPS];
};
void dpk_wire_counters(const struct dpk_wire *wire, struct dpk_wire_counters *out);

#endif
