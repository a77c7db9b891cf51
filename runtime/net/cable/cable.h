/*
 * cable: Ethernet frames between two processes of a user, over memory that they share.
 *
 * An outlet is a place in a folder where cables end: a socket, which one process at a time holds.
 * Another process calls it, and passes the memory of a cable: a ring for each direction.
 *
 *     struct dpk_outlet *outlet;                            // one process
 *     dpk_outlet_open(folder, &outlet, &err);
 *     int fd = dpk_outlet_accept(outlet);                   // poll dpk_outlet_fd
 *     struct dpk_cable *c = dpk_cable_answer(fd, name);     // poll fd before
 *
 *     struct dpk_cable *c = dpk_cable_call(folder, "mlx5_0"); // the other one
 *     dpk_cable_put(c, frame, size);  dpk_cable_flush(c);
 *     count = dpk_cable_take(c, &batch);
 *     dpk_cable_end(c, true, &ended);
 *
 * Nothing that the other process writes is trusted (ring.h): frames are copied out, and what is no
 * frame is refused. When it ends, the kernel closes its socket; the memory has no name, and goes
 * with the last of the two.
 *
 * One thread at a time may put and flush, another one may take.
 */
#ifndef DPK_NET_CABLE_CABLE_H
#define DPK_NET_CABLE_CABLE_H

#include "base/base.h"

#define DPK_FRAME_MIN 14u   /* bytes of a frame: the header of Ethernet */
#define DPK_FRAME_MAX 9234u /* 9216, and the header with a VLAN tag */

struct dpk_frame {
    const uint8_t *bytes;
    size_t size;
};

/* ---- Outlets ---- */

struct dpk_outlet;

/* Opens the outlet of a folder that is there. DPK_ERR_EXISTS: another process, or another part of
 * this one, holds it. DPK_ERR_IO: the folder cannot be written to. DPK_ERR_NOMEM. */
enum dpk_status dpk_outlet_open(const char *folder, struct dpk_outlet **out, struct dpk_error *err);
/* NULL is fine. */
void dpk_outlet_close(struct dpk_outlet *outlet);
/* It can be read when somebody calls. */
int dpk_outlet_fd(const struct dpk_outlet *outlet);
/* The socket of who called, a process of the same user or of root; -1: nobody. The caller closes it
 * or gives it to dpk_cable_answer. It does not wait. */
int dpk_outlet_accept(struct dpk_outlet *outlet);
/* Lets who holds the outlet of `folder` know that somebody would answer a call now. Returns whether
 * anybody holds it. */
bool dpk_outlet_poke(const char *folder);

/* ---- Cables ---- */

struct dpk_cable;
#define DPK_CABLE_NAME_MAX 64 /* bytes of the name that a caller gives, with the NUL */

/* Calls the outlet of `folder`. NULL: nobody holds it, or there is no memory. Whether it is answered
 * shows later: if not, the cable hangs up. */
struct dpk_cable *dpk_cable_call(const char *folder, const char *name);
/* Answers a call, and owns the socket from then on. NULL: what was said is no call; errno is EAGAIN
 * if nothing was said yet, and the socket stays the caller's. `name` gets what the caller calls
 * itself. */
struct dpk_cable *dpk_cable_answer(int fd, char name[DPK_CABLE_NAME_MAX]);

/* Its socket. It can be read when frames have come to an empty ring, or when it hangs up. */
int dpk_cable_fd(const struct dpk_cable *c);
/* Hears what the other end said on the socket. False: the cable has hung up, or the other end broke
 * the protocol. What came before can still be taken. */
bool dpk_cable_hear(struct dpk_cable *c);

enum dpk_cable_put {
    DPK_CABLE_PUT,
    DPK_CABLE_FULL,   /* the other end has not taken enough yet */
    DPK_CABLE_BROKEN, /* it broke the protocol */
};
/* Puts a frame of DPK_FRAME_MIN to DPK_FRAME_MAX bytes into the cable. */
enum dpk_cable_put dpk_cable_put(struct dpk_cable *c, const uint8_t *frame, size_t size);
/* Wakes the other end if it sleeps. */
void dpk_cable_flush(struct dpk_cable *c);

/* Frames that were taken, and how many were none. Its owner zeroes it and frees `bytes`. */
#define DPK_CABLE_BATCH 64
struct dpk_cable_batch {
    struct dpk_frame frames[DPK_CABLE_BATCH];
    size_t count, too_short, too_long;
    uint8_t *bytes;
};
/* Takes the next frames, as many as a batch has room for; their bytes are copied into the batch.
 * False: the other end broke the protocol, so that the cable should be ended. When nothing was
 * taken, nothing will be until the socket can be read. */
bool dpk_cable_take(struct dpk_cable *c, struct dpk_cable_batch *batch);

/* What lay in a cable when it ended. */
struct dpk_cable_ended {
    size_t lost, lost_bytes; /* frames that were put, and that the other end will never take */
    size_t left;             /* frames that were not taken, and that the other end counts as put */
};
/* Ends it and frees it. `hung_up`: dpk_cable_hear has returned false, or something was broken; then
 * all that the other end has not taken is lost. NULL is fine: all is 0. */
void dpk_cable_end(struct dpk_cable *c, bool hung_up, struct dpk_cable_ended *out);

#endif
