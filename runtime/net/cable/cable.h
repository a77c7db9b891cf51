/*
 * cable: Ethernet frames between two processes of a user, over memory that they share.
 *
 * An outlet is a place in a folder where cables end: a socket, which one process at a time holds.
 * Another process connects to the socket, and passes the memory of a cable: a ring for each direction.
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
 * The bytes of the other process are not trusted (ring.h): frames are copied out and checked. When the
 * other process ends, the kernel closes its socket. The memory has no name, and is freed when both
 * processes have ended.
 *
 * One thread at a time may put and flush; another thread may take.
 */
#ifndef DPK_NET_CABLE_CABLE_H
#define DPK_NET_CABLE_CABLE_H

#include "base/base.h"

#define DPK_FRAME_MIN 14u   /* bytes of a frame: the header of Ethernet */
#define DPK_FRAME_MAX 9234u /* 9216, plus the header with a VLAN tag */

struct dpk_frame {
    const uint8_t *bytes;
    size_t size;
};

/* ---- Outlets ---- */

struct dpk_outlet;

/* Opens the outlet of an existing folder. Errors: DPK_ERR_EXISTS if another process, or another part of
 * this process, holds it, DPK_ERR_IO if the folder is not writable, DPK_ERR_NOMEM. */
enum dpk_status dpk_outlet_open(const char *folder, struct dpk_outlet **out, struct dpk_error *err);
/* NULL is ignored. */
void dpk_outlet_close(struct dpk_outlet *outlet);
/* Returns a descriptor that is readable when a process calls. */
int dpk_outlet_fd(const struct dpk_outlet *outlet);
/* Returns the socket of a calling process of the same user or of root, or -1 if no process calls. Close
 * the socket or pass it to dpk_cable_answer. Does not wait. */
int dpk_outlet_accept(struct dpk_outlet *outlet);
/* Tells the holder of the outlet of `folder` that this process would now answer a call. Returns false
 * if no process holds the outlet. */
bool dpk_outlet_poke(const char *folder);

/* ---- Cables ---- */

struct dpk_cable;
#define DPK_CABLE_NAME_MAX 64 /* bytes of the calling process's name, with the NUL */

/* Calls the outlet of `folder`. Returns NULL if no process holds it, or if memory is exhausted. If the
 * call is not answered, the cable hangs up later. */
struct dpk_cable *dpk_cable_call(const char *folder, const char *name);
/* Answers a call, and then owns the socket. Returns NULL if the message is not a call. Returns NULL
 * with errno EAGAIN if no message has arrived yet; then the caller keeps the socket. `name` receives
 * the name of the calling process. */
struct dpk_cable *dpk_cable_answer(int fd, char name[DPK_CABLE_NAME_MAX]);

/* Returns the cable's socket. It is readable when frames have arrived at an empty ring, or when the
 * cable hangs up. */
int dpk_cable_fd(const struct dpk_cable *c);
/* Reads the messages of the other end from the socket. Returns false if the cable has hung up, or the
 * other end broke the protocol. Frames that arrived before can still be taken. */
bool dpk_cable_hear(struct dpk_cable *c);

enum dpk_cable_put {
    DPK_CABLE_PUT,
    DPK_CABLE_FULL,   /* the ring is full: the other end has not taken enough frames yet */
    DPK_CABLE_BROKEN, /* the other end broke the protocol */
};
/* Puts a frame of DPK_FRAME_MIN to DPK_FRAME_MAX bytes into the cable. */
enum dpk_cable_put dpk_cable_put(struct dpk_cable *c, const uint8_t *frame, size_t size);
/* Wakes the other end if it sleeps. */
void dpk_cable_flush(struct dpk_cable *c);

/* Frames that were taken, and the number of invalid frames. The owner zeroes the batch and frees
 * `bytes`. */
#define DPK_CABLE_BATCH 64
struct dpk_cable_batch {
    struct dpk_frame frames[DPK_CABLE_BATCH];
    size_t count, too_short, too_long;
    uint8_t *bytes;
};
/* Takes the next frames, as many as a batch has room for; their bytes are copied into the batch.
 * Returns false if the other end broke the protocol: then end the cable. If no frame was taken, wait
 * until the socket is readable. */
bool dpk_cable_take(struct dpk_cable *c, struct dpk_cable_batch *batch);

/* The frames in a cable when it ended. */
struct dpk_cable_ended {
    size_t lost, lost_bytes; /* frames put by this side that the other end will never take */
    size_t left;             /* frames put by the other end that this side did not take */
};
/* Ends and frees a cable. `hung_up`: dpk_cable_hear has returned false, or the other end broke the
 * protocol; then all frames that the other end has not taken are lost. NULL is allowed: all counts
 * are 0. */
void dpk_cable_end(struct dpk_cable *c, bool hung_up, struct dpk_cable_ended *out);

#endif
