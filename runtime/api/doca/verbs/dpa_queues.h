/* Declarations that queue pairs and shared receive queues of the DPA share. Private to verbs. */
#ifndef DPK_API_DOCA_VERBS_DPA_QUEUES_H
#define DPK_API_DOCA_VERBS_DPA_QUEUES_H

#include <sys/queue.h>

#include "api/doca/dpa/dpa.h"
#include "guest/abi/verbs_calls.h"
#include "net/queues/queues.h"
#include "rdma/pairs/pairs.h"
#include "verbs.h"

#define WORKS_MAX   32768u
#define WQE_SEGMENT 16u /* bytes of a segment of a receive */
#define RECORD      8u  /* bytes of a doorbell record */

/* Reads `count` segments from DPA memory. Returns false if the memory does not exist. */
bool verbs_read_segments(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from, uint32_t count);
/* Reads the segments of a receive, whose list may end early: *left receives their number. */
bool verbs_read_receive(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from, uint32_t count,
                        uint32_t *left);

/* Gets the handle of an object for DPA code of that context. Errors: INVALID_VALUE if the object is of
 * another base. */
doca_error_t verbs_dpa_handle(const struct dpk_object *object, const struct dpk_dpa *base,
                              const struct doca_dpa *dpa, uint64_t *handle);

/* ---- Rings in DPA memory: dpa_memory.c ----
 *
 * DPA code finds receives there as a card's WQEs, and posts them again. Sends are only kept by the library.
 * The memory is the context's, or the program's. */
struct dpa_memory {
    struct dpk_dpa *base; /* a reference of the queue */
    uint64_t run;
    uint64_t owned;                   /* address; 0: the program's */
    uint64_t receives, sends, record; /* addresses */
};
/* Allocates zeroed memory for rings of so many bytes and a record. Call this after entering the context.
 * Returns false if its heap is exhausted. */
bool verbs_memory_new(struct dpa_memory *m, uint64_t receives, uint64_t sends);
/* Frees the memory, if the context still runs and the memory is not the program's. */
void verbs_memory_free(struct dpa_memory *m);
/* Places rings and record into memory of the program. Returns false if the memory is missing, too small or
 * of another context. */
bool verbs_memory_find(struct dpa_memory *m, uint64_t receives, uint64_t sends,
                       const struct doca_umem *rings, uint64_t offset,
                       const struct doca_umem *record, uint64_t record_offset);
/* Returns the bytes of a receive of that many segments: a power of two. */
uint32_t verbs_receive_size(uint32_t segments);
/* Writes a WQE of `size` bytes. If there is room, its list has an end. */
void verbs_write_receive(uint8_t *to, size_t size, const struct dpk_rc_piece *pieces,
                         uint32_t count);
/* Writes a number to a record in DPA memory. */
void verbs_write_record(const struct dpk_dpa *d, uint64_t record, uint32_t value);

/* ---- Rings of works and receives of a queue pair: dpa_ring.c. With the lock of rc. ---- */

/* An entry of a ring. Its pieces are `segments` from its place on. */
struct entry {
    struct dpk_rc_work work; /* of a send */
    unsigned count;          /* pieces of a receive */
    bool reads, fence;
};

struct ring {
    struct entry *entries;
    struct dpk_rc_piece *pieces;             /* `segments` for each */
    uint8_t *inlined;                        /* `room` bytes for each */
    uint64_t at;                             /* of receives: the ring in DPA memory; 0: none */
    uint32_t size, segments, room;           /* the size is 0 or a power of two */
    uint32_t posted, committed, taken, done; /* counters, which wrap */
};

static inline uint32_t ring_at(const struct ring *r, uint32_t counter)
{
    return counter & (r->size - 1);
}

static inline struct dpk_rc_piece *ring_pieces_at(const struct ring *r, uint32_t counter)
{
    return r->pieces + (size_t)ring_at(r, counter) * r->segments;
}

static inline void ring_drop(struct ring *r)
{
    r->committed = r->taken = r->done = r->posted;
}

/* Creates a ring. Returns false if memory is exhausted; call verbs_ring_free in any case. */
bool verbs_ring_new(struct ring *r, uint32_t size, uint32_t segments, uint32_t room);
void verbs_ring_free(struct ring *r);
/* Post a struct dpa_verbs_work, a WQE, or a receive (DPA_VERBS_RECEIVE) of DPA code. *result
 * receives its count, or 0 if the ring is full. Return false if the thread faults. */
bool verbs_ring_post(struct dpk_dpa *d, struct ring *r, uint64_t address, uint64_t *result,
                     char *reason, size_t size);
bool verbs_ring_post_raw(struct dpk_dpa *d, struct ring *r, uint64_t address, uint64_t *result,
                         char *reason, size_t size);
bool verbs_ring_receive(struct dpk_dpa *d, struct ring *r, const uint64_t args[6], uint64_t *result,
                        char *reason, size_t size);
bool verbs_ring_receive_raw(struct dpk_dpa *d, struct ring *r, const uint64_t args[6],
                            uint64_t *result, char *reason, size_t size);
/* Posts the next receives as they are in the ring. *result receives the last one's count, or 0. */
bool verbs_ring_ack(struct dpk_dpa *d, struct ring *r, uint64_t count, uint64_t *result,
                    char *reason, size_t size);
/* Returns the opcode of a WQE for a work (enum dpa_verbs_opcode). */
uint32_t verbs_ring_opcode(const struct dpk_rc_work *work);
/* Reads a WQE of a receive, data segments of 16 bytes, whose list may end early: *left receives their
 * number. Returns false if the memory does not exist. `size`: at most DPA_VERBS_SEGMENTS_MAX segments. */
bool verbs_read_raw_receive(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from,
                            uint64_t size, uint32_t *left);

/* ---- Shared receive queues: dpa_srq.c. All with the lock of rc. ---- */

/* A queue pair that takes receives of a shared receive queue. */
struct dpa_srq_user {
    struct dpk_rc_end *end;
    TAILQ_ENTRY(dpa_srq_user) link; /* while it waits for a receive */
    bool waits;
};

/* Returns its number, which doca_verbs_srq_get_srqn has, too. */
uint32_t verbs_dpa_srq_number(const struct dpa_srq *s);
/* Returns true if queue pairs of that base may take its receives. */
bool verbs_dpa_srq_is_of(const struct dpa_srq *s, const struct dpk_dpa *base);
/* Takes the next receive. Without a receive, the user waits. */
enum dpk_rc_taken verbs_dpa_srq_take(struct dpa_srq *s, struct dpa_srq_user *u,
                                     struct dpk_rc_receive *out);
/* Ends a taken receive, which is the `user` of its completion. Returns its count. */
struct shared_receive;
uint32_t verbs_dpa_srq_ended(const struct dpa_srq *s, struct shared_receive *r);
/* Removes a queue pair: it does not wait any more, and its taken receives are free again. */
void verbs_dpa_srq_leave(struct dpa_srq *s, struct dpa_srq_user *u);

#endif
