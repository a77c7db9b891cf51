/*
 * Rings: bytes to and from one peer by memory that both processes write. Private to rc.
 *
 * One ring a direction, each with one writer and one reader. The memory is a file without a name
 * that cannot change its size any more, so that nobody can take it away from under the other. All
 * that is in it may change at any time: counters are read once and bounded, a process keeps its own
 * ones to itself, and what is checked is first copied out.
 *
 * What stays possible for a peer: to make holes in the file, which read as zeros. All of it is
 * there from the beginning, since where memory is not overcommitted (vm.overcommit_memory 2) a page
 * that cannot be had when it is touched ends the process; a peer's holes bring that back. Peers are
 * of the same user (gateway.c), who could end it anyway.
 *
 * Who finds nothing to read, or no room, goes to sleep; the other is told by ring_wakes_... when it
 * must knock (by a socket: channel.c). Sizes are of whole frames, which a writer shows at once.
 */
#ifndef DPK_RC_RING_H
#define DPK_RC_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_SIZE   ((uint32_t)1 << 18) /* bytes of one direction: whole pages, however large */
#define MEMORY_SIZE (2 * (size_t)RING_SIZE + 4096)

/* In the memory. Counters of bytes, which wrap. */
struct ring_shared {
    _Alignas(64) _Atomic uint32_t written;
    _Atomic uint32_t wants; /* the writer waits for room */
    _Alignas(64) _Atomic uint32_t read;
};

struct ring {
    struct ring_shared *shared;
    uint8_t *bytes; /* RING_SIZE, mapped twice in a row: nothing is ever in two pieces */
    uint32_t at;    /* our counter; in the memory is what the peer is told of it */
    uint32_t told;  /* `at` when the reader last was woken, or known to be awake */
};

struct rings {
    void *map;
    struct ring out, in;
};

enum ring_state {
    RING_GOOD,
    RING_WAIT, /* nothing there, or no room: the peer will knock */
    RING_BAD,  /* the peer's counter is nonsense */
};

/* New memory, and the descriptor by which the peer gets it. -1: errno says why. */
int rings_new(struct rings *r);
/* The memory that a peer made; `fd` stays the caller's. False: it is not, or can be cut short. */
bool rings_open(struct rings *r, int fd);
void rings_free(struct rings *r);

/* Bytes that can be read from here on. */
enum ring_state ring_filled(const struct ring *in, uint32_t *size);
/* Whether `size` bytes can be written from here on, at most half of the ring. */
enum ring_state ring_room(struct ring *out, uint32_t size);
/* Where the next byte is read, or written; and RING_SIZE bytes from there. */
uint8_t *ring_here(const struct ring *r);
/* A copy of what is next, which the peer cannot change any more. */
void ring_copy(const struct ring *in, void *to, size_t size);
/* Shows `size` bytes to the reader; gives `size` bytes back to the writer. */
void ring_wrote(struct ring *out, uint32_t size);
void ring_read(struct ring *in, uint32_t size);
/* After that: whether the peer may be asleep. */
bool ring_wakes_reader(struct ring *out);
bool ring_wakes_writer(struct ring *in);

#endif
