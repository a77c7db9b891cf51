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
 * file, which read as zeros and must be allocated again. Peers must be of the same user, because
 * that user can end this process anyway.
 *
 * A process that finds no data or no room sleeps. By ring_wakes_..., the other process learns that
 * it must wake the sleeper, through a socket of the caller. All sizes are sizes of whole frames.
 */
#ifndef DPK_BUS_RING_RING_H
#define DPK_BUS_RING_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of memory for two rings of `size` bytes each. */
#define RING_MEMORY(size) (2 * (size_t)(size) + 4096)

/* Shared memory of a ring. Counters of bytes, which wrap. */
struct ring_shared {
    _Alignas(64) _Atomic uint32_t written;
    _Atomic uint32_t wants; /* the writer waits for space */
    _Alignas(64) _Atomic uint32_t read;
    _Atomic uint32_t polled; /* the reader polls, and need not be woken */
    _Atomic uint32_t left;   /* ends that have left: RING_WRITER | RING_READER */
};

struct ring {
    struct ring_shared *shared;
    uint8_t *bytes; /* mapped twice in a row, so that no frame is split at the end */
    uint32_t size;
    uint32_t at;   /* this side's counter; the shared memory has a copy of it for the peer */
    uint32_t told; /* `at` when the reader was last woken, or was seen awake */
    uint32_t seen; /* the peer's counter, as last read by ring_known_... */
};

struct rings {
    void *map;
    struct ring out, in;
};

enum ring_state {
    RING_GOOD,
    RING_WAIT, /* no data or no space: the peer will wake this process */
    RING_BAD,  /* the peer's counter is invalid */
};

/* Makes memory. Returns the descriptor for the peer, or -1 with errno. `size`: bytes of one
 * direction, a power of two, 64 KiB to 1 GiB: a multiple of every page size. */
int rings_new(struct rings *r, uint32_t size);
/* Maps memory that a peer made; `fd` stays the caller's. Returns false if it has another size, or
 * its size is not sealed. */
bool rings_open(struct rings *r, int fd, uint32_t size);
void rings_free(struct rings *r);

/* ---- The socket ---- */

/* Returns true if the other process belongs to this user or root, otherwise false with errno: EPERM
 * if it belongs to another user. */
bool rings_peer_is_ours(int socket);
/* Sends a message with the memory. Returns false with errno on failure. */
bool rings_pass(int socket, int memory, const void *bytes, size_t size);
/* Receives a message, and the descriptor that came with it, or -1. For a message that is too long,
 * the result is greater than `room`. It does not wait. */
ssize_t rings_hear(int socket, void *to, size_t room, int *memory);

/* ---- Bytes ---- */

/* Gets the number of bytes that can be read now. */
enum ring_state ring_filled(const struct ring *in, uint32_t *size);
/* Checks that `size` bytes, at most half of the ring, can be written now. */
enum ring_state ring_room(struct ring *out, uint32_t size);
/* Same, but without space it does not request to be woken. */
enum ring_state ring_has_room(const struct ring *out, uint32_t size);
/* Like ring_filled and ring_has_room, for rings with many small frames: they read the peer's
 * counter only if the last known value is too small. So *size may be less than what can be read. */
enum ring_state ring_known_filled(struct ring *in, uint32_t *size);
enum ring_state ring_known_room(struct ring *out, uint32_t size);
/* Returns the next byte to read or to write. A whole ring of bytes is mapped from there on. */
uint8_t *ring_here(const struct ring *r);
/* Copies the next `size` bytes, so that the peer can no longer change them. */
void ring_copy(const struct ring *in, void *to, size_t size);
/* ring_wrote publishes `size` written bytes to the reader; ring_read gives `size` read bytes back
 * to the writer. */
void ring_wrote(struct ring *out, uint32_t size);
void ring_read(struct ring *in, uint32_t size);
/* Leaves the ring for good: this end writes, or reads, no more. Returns true if the other end has
 * left before. If both ends leave, exactly one of them gets true. */
enum ring_end { RING_WRITER = 1, RING_READER = 2 };
bool ring_leave(struct ring *r, enum ring_end end);
/* Returns true if the shared memory says that the other end has left. Any process that may write
 * the memory can say so. */
bool ring_has_left(const struct ring *r, enum ring_end end);
/* Returns true if the peer may sleep and must be woken. Call this after ring_wrote or ring_read. */
bool ring_wakes_reader(struct ring *out);
bool ring_wakes_writer(struct ring *in);
/* Says that the reader starts or ends to poll the ring. After the end it must check once more
 * before it sleeps. */
void ring_poll(struct ring *in, bool polls);

#endif
