/* Counters in a file that processes share. */
#include "counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x32544e5543504b44) /* "DKPCUNT2": layout 1, byte order of this machine */

/* Rows are contiguous. The first row is the port's. */
struct file {
    uint64_t magic;
    struct dpk_counts rows[1 + DPK_COUNTERS_QUEUES];
};

struct dpk_counters {
    struct file *file;
    atomic_bool claimed; /* this process has claimed a row */
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "counters are for several processes");

const char *dpk_counter_name(enum dpk_counter counter)
{
    static const char *const names[DPK_COUNTERS] = {
        [DPK_SENT] = "tx_packets",
        [DPK_SENT_BYTES] = "tx_bytes",
        [DPK_RECEIVED] = "rx_packets",
        [DPK_RECEIVED_BYTES] = "rx_bytes",
        [DPK_WIRE_OUT] = "tx_packets_phy",
        [DPK_WIRE_OUT_BYTES] = "tx_bytes_phy",
        [DPK_WIRE_IN] = "rx_packets_phy",
        [DPK_WIRE_IN_BYTES] = "rx_bytes_phy",
        [DPK_COPIED] = "copies",
        [DPK_BAD_CHECKSUM] = "bad_checksum",
        [DPK_DROP_NO_RULE] = "no_rule",
        [DPK_DROP_OUT_OF_BUFFER] = "out_of_buffer",
        [DPK_DROP_NO_QUEUE] = "no_queue",
        [DPK_DROP_TOO_LONG] = "too_long",
        [DPK_DROP_TOO_SHORT] = "too_short",
        [DPK_DROP_WIRE_DOWN] = "wire_down",
        [DPK_DROP_NO_PEER] = "no_peer",
        [DPK_DROP_WIRE_FULL] = "wire_full",
        [DPK_DROP_WIRE_BROKEN] = "wire_broken",
        [DPK_QUEUE_ERRORS] = "queue_errors",
        [DPK_WQE_ERRORS] = "wqe_errors",
    };
    return names[counter];
}

/* ---- The file ---- */

static enum dpk_status map_file(const char *directory, struct file **out, struct dpk_error *err)
{
    static const struct dpk_share what = {"counters", MAGIC, sizeof **out};
    void *at;
    enum dpk_status status = dpk_file_share(directory, &what, true, &at, err);
    *out = at;
    return status;
}

static enum dpk_status map_private(struct file **out, struct dpk_error *err)
{
    void *at = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return dpk_fail_nomem(err);
    *out = at;
    return DPK_OK;
}

/* ---- Rows ---- */

/* The owner of a row: the process, the kind and number of its queue, and whether the queue is gone.
 * 0: the row is free. */
#define GONE (UINT64_C(1) << 31)
static uint64_t owner_of(enum dpk_counted kind, uint32_t number)
{
    return (uint64_t)getpid() << 32 | (uint64_t)kind << 24 | (number & 0xffffff);
}

static bool is_over(uint64_t owner)
{
    const uint64_t pid = owner >> 32;
    if (owner == 0)
        return false;
    return owner & GONE || pid == 0 || pid > INT_MAX ||
           (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

/* Takes a row whose owner is `was`. Its counts are added to the port's row. */
static bool take(struct dpk_counters *c, struct dpk_counts *row, uint64_t was, uint64_t owner)
{
    if (!atomic_compare_exchange_strong(&row->owner, &was, owner))
        return false;
    for (unsigned i = 0; i < DPK_COUNTERS; i++)
        dpk_count(dpk_counters_port(c), i, atomic_exchange(&row->values[i], 0));
    return true;
}

static struct dpk_counts *first_row(struct dpk_counters *c)
{
    return c->file->rows + 1;
}

/* Frees the rows of processes that have ended. */
static void sweep(struct dpk_counters *c)
{
    for (struct dpk_counts *row = first_row(c); row <= c->file->rows + DPK_COUNTERS_QUEUES; row++) {
        const uint64_t owner = atomic_load(&row->owner);
        if (is_over(owner) && owner >> 32 != (uint64_t)getpid())
            take(c, row, owner, 0);
    }
}

struct dpk_counts *dpk_counters_port(struct dpk_counters *c)
{
    return c->file->rows;
}

struct dpk_counts *dpk_counters_claim(struct dpk_counters *c, enum dpk_counted kind,
                                      uint32_t number)
{
    const uint64_t mine = owner_of(kind, number);
    if (!atomic_exchange(&c->claimed, true))
        sweep(c);
    struct dpk_counts *const end = c->file->rows + 1 + DPK_COUNTERS_QUEUES;
    for (struct dpk_counts *row = first_row(c); row < end; row++)
        if (atomic_load(&row->owner) == 0 && take(c, row, 0, mine))
            return row;
    for (struct dpk_counts *row = first_row(c); row < end; row++) {
        const uint64_t owner = atomic_load(&row->owner);
        if (is_over(owner) && take(c, row, owner, mine))
            return row;
    }
    return dpk_counters_port(c);
}

void dpk_counters_release(struct dpk_counters *c, struct dpk_counts *row)
{
    if (row && row != dpk_counters_port(c))
        atomic_fetch_or(&row->owner, GONE);
}

/* ---- Life ---- */

enum dpk_status dpk_counters_open(const char *directory, struct dpk_counters **out,
                                  struct dpk_error *err)
{
    struct dpk_counters *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return dpk_fail_nomem(err);
    enum dpk_status status =
        directory ? map_file(directory, &c->file, err) : map_private(&c->file, err);
    if (status != DPK_OK) {
        free(c);
        return status;
    }
    *out = c;
    return DPK_OK;
}

void dpk_counters_close(struct dpk_counters *c)
{
    if (c)
        munmap(c->file, sizeof *c->file);
    free(c);
}

/* ---- Reading ---- */

static void read_row(struct dpk_counts *row, bool reset, uint64_t *values, uint64_t *sums)
{
    for (unsigned i = 0; i < DPK_COUNTERS; i++) {
        values[i] = reset ? atomic_exchange(&row->values[i], 0) : atomic_load(&row->values[i]);
        sums[i] += values[i];
    }
}

void dpk_counters_read(struct dpk_counters *c, bool reset, struct dpk_counters_seen *out)
{
    uint64_t port[DPK_COUNTERS];
    *out = (struct dpk_counters_seen){0};
    read_row(dpk_counters_port(c), reset, port, out->port);
    for (size_t i = 1; i <= DPK_COUNTERS_QUEUES; i++) {
        struct dpk_counts *row = c->file->rows + i;
        const uint64_t owner = atomic_load(&row->owner);
        struct dpk_counters_queue *q = &out->queues[out->count];
        if (owner == 0)
            continue;
        *q = (struct dpk_counters_queue){
            .kind = (owner >> 24 & 0x7f) == DPK_COUNTED_SQ ? DPK_COUNTED_SQ : DPK_COUNTED_RQ,
            .number = owner & 0xffffff,
            .process = (uint32_t)(owner >> 32),
            .gone = is_over(owner)};
        read_row(row, reset, q->values, out->port);
        out->count++;
    }
    for (unsigned i = 0; i < DPK_COUNTERS; i++)
        if (out->port[i] > INT64_MAX)
            out->port[i] = 0; /* decreased after a reset */
}
