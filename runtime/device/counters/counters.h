/*
 * counters: frames that the port of a device, and each of its queues, has sent, received and
 * dropped. They are in the file `counters` of the device's directory. All processes that use the
 * port map this file and add to it, so the counters outlive them.
 *
 *     struct dpk_counters *c = NULL;
 *     dpk_counters_open(directory, &c, &err);
 *     struct dpk_counts *sq = dpk_counters_claim(c, DPK_COUNTED_SQ, number);
 *     dpk_count(sq, DPK_SENT, 1);  dpk_count(sq, DPK_SENT_BYTES, size);
 *     dpk_count(dpk_counters_port(c), DPK_DROP_NO_RULE, 1);
 *     dpk_counters_release(c, sq);  dpk_counters_close(c);
 *
 * A frame is counted once when it arrives at the port and once when it has left it. So, when no
 * frames wait there:
 *
 *     SENT + WIRE_IN + COPIED = RECEIVED + WIRE_OUT + all drops
 *
 * Each queue has its own row. The counters of the port are the sums of all rows. A process reads
 * the counts of other programs unchecked: the file has only counters, and no value is used as an
 * index or a size. All blocks of the file are allocated at the start, so that a full disk cannot
 * end a program that counts. A user who may write to a device's directory can still truncate the
 * file, which ends such programs.
 */
#ifndef DPK_DEVICE_COUNTERS_COUNTERS_H
#define DPK_DEVICE_COUNTERS_COUNTERS_H

#include "base/base.h"

enum dpk_counter {
    DPK_SENT, /* frames of send queues, including frames dropped later */
    DPK_SENT_BYTES,
    DPK_RECEIVED, /* frames written to receives */
    DPK_RECEIVED_BYTES,
    DPK_WIRE_OUT, /* frames accepted by the wire */
    DPK_WIRE_OUT_BYTES,
    DPK_WIRE_IN,            /* frames from the wire, including frames dropped later */
    DPK_WIRE_IN_BYTES,      /* without frames that the wire dropped */
    DPK_COPIED,             /* frames made because a rule has several destinations */
    DPK_BAD_CHECKSUM,       /* received frames with wrong checksums */
    DPK_DROP_NO_RULE,       /* no rule takes the frame, or a rule drops it */
    DPK_DROP_OUT_OF_BUFFER, /* too many frames wait for receives or for room for completions */
    DPK_DROP_NO_QUEUE,      /* the frame's queue has failed or is gone */
    DPK_DROP_TOO_LONG,
    DPK_DROP_TOO_SHORT,
    DPK_DROP_WIRE_DOWN,   /* the wire cannot carry frames */
    DPK_DROP_NO_PEER,     /* there is no peer at the other end of the wire */
    DPK_DROP_WIRE_FULL,   /* the wire is full */
    DPK_DROP_WIRE_BROKEN, /* other failures of the wire, such as a full disk */
    DPK_QUEUE_ERRORS,     /* queues that entered the error state by themselves */
    DPK_WQE_ERRORS,       /* WQEs of send queues that failed, or were then flushed */
    DPK_COUNTERS
};
#define DPK_FIRST_DROP DPK_DROP_NO_RULE
#define DPK_DROPS_END  DPK_QUEUE_ERRORS

/* Returns its name in texts and JSON: "tx_packets", "out_of_buffer". */
const char *dpk_counter_name(enum dpk_counter counter);

/* A row of counters. */
struct dpk_counts {
    _Alignas(64) atomic_uint_least64_t owner;
    atomic_uint_least64_t values[DPK_COUNTERS];
};

static inline void dpk_count(struct dpk_counts *row, enum dpk_counter counter, uint64_t more)
{
    atomic_fetch_add_explicit(&row->values[counter], more, memory_order_relaxed);
}

struct dpk_counters;

/* Maps the counters of the device in `directory`, and makes their file if it does not exist. NULL:
 * counters of this process alone. Errors: DPK_ERR_IO if the file cannot be made, DPK_ERR_REFUSED if
 * it belongs to another user, DPK_ERR_FORMAT if it is not a file of counters, DPK_ERR_NOMEM. */
enum dpk_status dpk_counters_open(const char *directory, struct dpk_counters **out,
                                  struct dpk_error *err);
/* NULL is allowed. Release the rows of this process first. */
void dpk_counters_close(struct dpk_counters *c);

/* Returns the row for counts that do not belong to a queue. */
struct dpk_counts *dpk_counters_port(struct dpk_counters *c);

enum dpk_counted { DPK_COUNTED_SQ = 1, DPK_COUNTED_RQ };
/* Returns a row of zeros for a queue. If all rows are in use, returns the port's row. */
struct dpk_counts *dpk_counters_claim(struct dpk_counters *c, enum dpk_counted kind,
                                      uint32_t number);
/* Releases the row of a queue that is gone. It can be read until another queue or another process
 * claims it. NULL is allowed. */
void dpk_counters_release(struct dpk_counters *c, struct dpk_counts *row);

/* ---- Reading ---- */

#define DPK_COUNTERS_QUEUES 1023
struct dpk_counters_seen {
    uint64_t port[DPK_COUNTERS]; /* sums of all rows */
    size_t count;
    struct dpk_counters_queue {
        enum dpk_counted kind;
        uint32_t number;
        uint32_t process; /* its pid */
        bool gone;
        uint64_t values[DPK_COUNTERS];
    } queues[DPK_COUNTERS_QUEUES];
};
/* Reads all counters. `reset`: sets each to 0; concurrent counts are not lost. A counter that
 * decreased since the reset (wire_lost) reads as 0. */
void dpk_counters_read(struct dpk_counters *c, bool reset, struct dpk_counters_seen *out);

#endif
