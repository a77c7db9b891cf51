/*
 * ring: bytes to and from one peer, in memory that both processes write.
 *
 *     int fd = rings_new(&r, size);  rings_pass(socket, fd, hello, n);      // one process
 *     rings_hear(socket, hello, n, &fd);  rings_open(&r, fd, size);         // the other one
 *     if (ring_room(&r.out, n) == RING_GOOD)
 *         memcpy(ring_here(&r.out), frame, n), ring_wrote(&r.out, n);
 *     if (ring_filled(&r.in, &n) == RING_GOOD)
 *         ring_copy(&r.in, to, n), ring_read(&r.in, n);
 *     rings_free(&r);
 *
 * There is one ring for each direction, with one writer and one reader. The memory is a memfd whose
 * size is sealed, so that neither process can truncate it under the other. The peer may change any
 * byte of it at any time: its counters are read once and bounded, our own counters are never read
 * back, and bytes are copied out before they are checked.
 *
 * All pages are allocated when the file is made. Without that, a page that cannot be allocated when
 * it is touched ends the process (vm.overcommit_memory 2). A peer can still punch holes into the
 * file, which read as zeros and must be allocated again. Peers must be of the same user,
 * who could end this process anyway.
 *
 * A process that finds nothing to read, or no room, sleeps. ring_wakes_... tells the other process
 * when it must wake this one, through a socket of the caller's. All sizes are of whole frames.
 */
#ifndef DPK_BUS_RING_RING_H
#define DPK_BUS_RING_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of the memory of two rings of `size` bytes each. */
#define RING_MEMORY(size) (2 * (size_t)(size) + 4096)

/* In the memory. Counters of bytes, which wrap. */
struct ring_shared {
    _Alignas(64) _Atomic uint32_t written;
    _Atomic uint32_t wants; /* the writer waits for room */
    _Alignas(64) _Atomic uint32_t read;
    _Atomic uint32_t polled; /* the reader looks again and again, and need not be woken */
    _Atomic uint32_t left;   /* who has left the ring: bits of RING_WRITER, RING_READER */
};

struct ring {
    struct ring_shared *shared;
    uint8_t *bytes; /* mapped twice in a row, so that no frame is split at the end */
    uint32_t size;
    uint32_t at;   /* our counter; the shared memory has a copy of it for the peer */
    uint32_t told; /* `at` when the reader was last woken, or was seen to be awake */
    uint32_t seen; /* the peer's counter, when ring_known_... last looked at it */
};

struct rings {
    void *map;
    struct ring out, in;
};

enum ring_state {
    RING_GOOD,
    RING_WAIT, /* nothing to read, or no room: the peer wakes this process later */
    RING_BAD,  /* the peer's counter is invalid */
};

/* New memory, and the descriptor by which the peer gets it. -1: errno says why. `size`: bytes of one
 * direction, a power of two, 64 KiB to 1 GiB: whole pages, however large they are. */
int rings_new(struct rings *r, uint32_t size);
/* Maps memory that a peer made; `fd` stays the caller's. False: it has another size, or its size is
 * not sealed. */
bool rings_open(struct rings *r, int fd, uint32_t size);
void rings_free(struct rings *r);

/* ---- The socket ---- */

/* Whether the other process is of this user, or root's. */
bool rings_peer_is_ours(int socket);
/* Sends a message that passes the memory. False: errno says why. */
bool rings_pass(int socket, int memory, const void *bytes, size_t size);
/* Receives a message, and the descriptor that came with it, or -1. For a message that is too long
 * the result is greater than `room`. It does not wait. */
ssize_t rings_hear(int socket, void *to, size_t room, int *memory);

/* ---- Bytes ---- */

/* How many bytes can be read now. */
enum ring_state ring_filled(const struct ring *in, uint32_t *size);
/* Whether `size` bytes, at most half of the ring, can be written now. */
enum ring_state ring_room(struct ring *out, uint32_t size);
/* The same; without room the peer wakes nobody. */
enum ring_state ring_has_room(const struct ring *out, uint32_t size);
/* The same of ring_filled and ring_has_room, for rings with many small frames: they look at the peer's
 * counter only when what they saw last is not enough. So there may be more than *size to read. */
enum ring_state ring_known_filled(struct ring *in, uint32_t *size);
enum ring_state ring_known_room(struct ring *out, uint32_t size);
/* The next byte to read or to write. As many bytes as the ring has are mapped from there on. */
uint8_t *ring_here(const struct ring *r);
/* Copies the next `size` bytes, so that the peer cannot change them any more. */
void ring_copy(const struct ring *in, void *to, size_t size);
/* Publishes `size` written bytes to the reader, or gives `size` read bytes back to the writer. */
void ring_wrote(struct ring *out, uint32_t size);
void ring_read(struct ring *in, uint32_t size);
/* One end leaves the ring for good: it writes, or reads, no more. Returns whether the other has left
 * before. Of two ends that leave, exactly one is told so. */
enum ring_end { RING_WRITER = 1, RING_READER = 2 };
bool ring_leave(struct ring *r, enum ring_end end);
/* Whether the other end, or whoever may write the memory, says that it has left. */
bool ring_has_left(const struct ring *r, enum ring_end end);
/* Whether the peer may sleep and must be woken; to be asked after ring_wrote or ring_read. */
bool ring_wakes_reader(struct ring *out);
bool ring_wakes_writer(struct ring *in);
/* The reader begins, or ends, to look at the ring again and again. When it has ended, it must look
 * once more before it sleeps. */
void ring_poll(struct ring *in, bool polls);

#endif
