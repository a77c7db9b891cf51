/*
 * counters: what the port of a device, and each of its queues, has sent, received and dropped. They
 * lie in the file `counters` of the device's directory. All processes that use the port map this
 * file and add to it, so the counters outlive them.
 *
 *     struct dpk_counters *c = NULL;
 *     dpk_counters_open(directory, &c, &err);
 *     struct dpk_counts *sq = dpk_counters_claim(c, DPK_COUNTED_SQ, number);
 *     dpk_count(sq, DPK_SENT, 1);  dpk_count(sq, DPK_SENT_BYTES, size);
 *     dpk_count(dpk_counters_port(c), DPK_DROP_NO_RULE, 1);
 *     dpk_counters_release(c, sq);  dpk_counters_close(c);
 *
 * A frame is counted once when it comes to the port and once when it has left it. So, when none
 * waits there:
 *
 *     SENT + WIRE_IN + COPIED = RECEIVED + WIRE_OUT + all drops
 *
 * A queue counts in a row of its own. The counters of the port are the sum of all rows. What a
 * program counts, another process reads as it is: nothing but counters is in the file, and no
 * value of it is an index or a size. The file has all its blocks from the start, so that a full
 * disk ends no program that counts. Whoever may write to a device's directory can still truncate
 * it, which ends them.
 */
#ifndef DPK_DEVICE_COUNTERS_COUNTERS_H
#define DPK_DEVICE_COUNTERS_COUNTERS_H

#include "base/base.h"

enum dpk_counter {
    DPK_SENT, /* frames of send queues, also those that are dropped then */
    DPK_SENT_BYTES,
    DPK_RECEIVED, /* frames that were written to receives */
    DPK_RECEIVED_BYTES,
    DPK_WIRE_OUT, /* frames that the wire took */
    DPK_WIRE_OUT_BYTES,
    DPK_WIRE_IN,            /* frames that came from the wire, also those that are dropped then */
    DPK_WIRE_IN_BYTES,      /* without those that the wire dropped */
    DPK_COPIED,             /* frames that were made, as a rule has several destinations */
    DPK_BAD_CHECKSUM,       /* received frames whose checksums are wrong */
    DPK_DROP_NO_RULE,       /* no rule takes the frame, or one drops it */
    DPK_DROP_OUT_OF_BUFFER, /* too many frames wait for receives or for room for completions */
    DPK_DROP_NO_QUEUE,      /* the queue that the frame waited for has failed or is gone */
    DPK_DROP_TOO_LONG,
    DPK_DROP_TOO_SHORT,
    DPK_DROP_WIRE_DOWN,   /* the wire cannot carry frames */
    DPK_DROP_NO_PEER,     /* nobody is at the other end of the wire */
    DPK_DROP_WIRE_FULL,   /* the wire carries more than it has room for */
    DPK_DROP_WIRE_BROKEN, /* the wire fails otherwise, as when a disk is full */
    DPK_QUEUE_ERRORS,     /* queues that got into the error state by themselves */
    DPK_WQE_ERRORS,       /* WQEs of send queues that failed, or were flushed then */
    DPK_COUNTERS
};
#define DPK_FIRST_DROP DPK_DROP_NO_RULE
#define DPK_DROPS_END  DPK_QUEUE_ERRORS

/* Its name in texts and JSON: "tx_packets", "out_of_buffer". */
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

/* Maps the counters of the device in `directory`, and makes their file if there is none. NULL:
 * counters of this process alone. DPK_ERR_IO: the file cannot be made. DPK_ERR_REFUSED: it belongs
 * to another user. DPK_ERR_FORMAT: it is no file of counters. DPK_ERR_NOMEM. */
enum dpk_status dpk_counters_open(const char *directory, struct dpk_counters **out,
                                  struct dpk_error *err);
/* NULL is fine. Rows of this process must have been released. */
void dpk_counters_close(struct dpk_counters *c);

/* The row of what no queue counts. */
struct dpk_counts *dpk_counters_port(struct dpk_counters *c);

enum dpk_counted { DPK_COUNTED_SQ = 1, DPK_COUNTED_RQ };
/* A row for a queue, all zero. When all rows are in use, that of the port. */
struct dpk_counts *dpk_counters_claim(struct dpk_counters *c, enum dpk_counted kind,
                                      uint32_t number);
/* The queue is gone. Its row can be read until another queue needs it, or until another
 * process claims a row. NULL is fine. */
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
/* Reads all counters. `reset`: each is 0 then, and what is added meanwhile is not lost. One from which
 * more was taken back since then than was added (wire_lost) reads as 0. */
void dpk_counters_read(struct dpk_counters *c, bool reset, struct dpk_counters_seen *out);

#endif
