/*
 * live: what is on a device now: its DPA processes with their threads and counters, and which of
 * them has which execution unit. It is in the folder `live` of the device's directory, and all
 * programs of its user share it: the file `units`, and a file for each DPA process, named after its
 * number. A lock of the kernel is on the latter as long as its program lives, so whoever looks knows
 * the dead, whose files and units anybody may clean up.
 *
 *     struct dpk_live *live = NULL;
 *     dpk_live_enter(directory, &me, &live, &err);     // what the device says now ...
 *     ... read the partitions of the device ...
 *     dpk_live_entered(live);                          // ... may change from here on
 *     if (dpk_live_claim(live, unit)) ... dpk_live_give(live, unit);
 *     if (dpk_live_collects(live)) dpk_live_count(live, thread, instructions, ns);
 *     dpk_live_leave(live);
 *
 * Nothing in these files is trusted as an index or a size. The files have all their blocks from the
 * start, so that a full disk ends no program. Functions take no lock of their own but for entering
 * and leaving; claims and counts are atomic.
 */
#ifndef DPK_DEVICE_RUNNING_RUNNING_H
#define DPK_DEVICE_RUNNING_RUNNING_H

#include "base/base.h"

#define DPK_LIVE_PROCESSES 256  /* at a time, on one device */
#define DPK_LIVE_THREADS   1344 /* of a process */
#define DPK_LIVE_SAMPLES   4096 /* of a process that are kept */
#define DPK_LIVE_NAME      64   /* bytes, with the NUL */

struct dpk_live;

struct dpk_live_program {
    const char *name; /* of the program */
    unsigned vhca;    /* of the function that it uses */
};

/* Gives a process that begins the lowest free number, and its file. Until dpk_live_entered, no
 * change of the device's units can begin (dpk_live_still). DPK_ERR_NOMEM: there are
 * DPK_LIVE_PROCESSES already. DPK_ERR_IO: the folder cannot be used. DPK_ERR_REFUSED: it belongs to
 * another user. */
enum dpk_status dpk_live_enter(const char *directory, const struct dpk_live_program *program,
                               struct dpk_live **out, struct dpk_error *err);
void dpk_live_entered(struct dpk_live *live);
/* Gives back its units and removes its file. NULL is fine. */
void dpk_live_leave(struct dpk_live *live);
/* In the child of a fork(): the process is the parent's. */
void dpk_live_forked(struct dpk_live *live);
unsigned dpk_live_number(const struct dpk_live *live);

/* ---- Units ---- */

/* Whether the process may have the unit now. */
bool dpk_live_claim(struct dpk_live *live, unsigned unit);
void dpk_live_give(struct dpk_live *live, unsigned unit);
/* Units that no process has. `sweep`: also those of processes that have died meanwhile. */
struct dpk_units dpk_live_free(struct dpk_live *live, bool sweep);

/* ---- Threads and counters ---- */

/* Names a thread, by its number in the process; threads that are never named are not shown. */
void dpk_live_name(struct dpk_live *live, unsigned thread, const char *name);
/* Whether counters are collected now. */
bool dpk_live_collects(const struct dpk_live *live);
/* Adds to a thread's counters: instructions, nanoseconds on a processor, executions. */
void dpk_live_count(struct dpk_live *live, unsigned thread, uint64_t instructions, uint64_t ns,
                    unsigned executions);

/* Whether samples are taken now of when threads get units, and leave them. */
bool dpk_live_traces(const struct dpk_live *live);
/* Adds a sample: a thread, which has executed so many instructions, has got a unit (`in`), or leaves
 * it. The latest DPK_LIVE_SAMPLES are kept. */
void dpk_live_trace(struct dpk_live *live, unsigned thread, unsigned unit, bool in,
                    uint64_t instructions);

/* ---- Looking, from any program ---- */

struct dpk_live_thread {
    unsigned number;
    char name[DPK_LIVE_NAME]; /* fit for a terminal */
    uint64_t instructions, ns, executions;
};
struct dpk_live_process {
    unsigned number;
    uint32_t pid;
    unsigned vhca;
    char name[DPK_LIVE_NAME]; /* fit for a terminal */
    bool collects, traces;
    struct dpk_units units; /* that it has now */
    struct dpk_live_thread *threads;
    size_t thread_count;
};
struct dpk_live_seen {
    struct dpk_live_process *processes; /* by number */
    size_t count;
    bool collects;   /* processes that begin now are counted */
    uint64_t for_ns; /* for how long counters are, or were, collected */
};
/* Lists the processes that live. `threads`: with their threads. dpk_live_seen_free frees it. No
 * folder: nothing lives. */
enum dpk_status dpk_live_look(const char *directory, bool threads, struct dpk_live_seen *out,
                              struct dpk_error *err);
void dpk_live_seen_free(struct dpk_live_seen *seen);

/* Follows who has which unit. A look costs no lock, so it may come many times a second. `directory`
 * is a device's, and its folder is made if nothing has run there. Whoever may write to that can
 * truncate the file, which ends the program that watches. DPK_ERR_IO, DPK_ERR_REFUSED: as
 * dpk_live_enter. */
struct dpk_live_watch;
enum dpk_status dpk_live_watch(const char *directory, struct dpk_live_watch **out,
                               struct dpk_error *err);
/* The units that any process has now. */
struct dpk_units dpk_live_watch_units(const struct dpk_live_watch *watch);
void dpk_live_watch_end(struct dpk_live_watch *watch); /* NULL is fine */

/* Reads numbers of processes as NVIDIA's tools take them: "0,1f", hexadecimal. NULL: all that there
 * may be. DPK_ERR_USAGE: it is something else. */
struct dpk_live_choice {
    bool wanted[DPK_LIVE_PROCESSES];
};
enum dpk_status dpk_live_choose(const char *list, struct dpk_live_choice *out,
                                struct dpk_error *err);

/* Begins or ends collecting, of one process or of all (UINT_MAX) with those that begin later.
 * `reset`: their counters are 0 then. DPK_ERR_NOT_FOUND: no process has that number. */
enum dpk_status dpk_live_collect(const char *directory, unsigned process, bool on, bool reset,
                                 struct dpk_error *err);

/* The same for samples, of processes that live now. */
enum dpk_status dpk_live_sample(const char *directory, unsigned process, bool on, bool reset,
                                struct dpk_error *err);

struct dpk_live_sample {
    uint64_t ns;           /* of the monotonic clock */
    uint64_t instructions; /* that the thread has executed */
    unsigned process, thread, unit;
    uint16_t turn; /* of the unit: getting it and leaving it have the same */
    bool in;
};
/* Reads the latest samples of a process, at most `max`, the oldest first; *count: how many.
 * DPK_ERR_NOT_FOUND: no process has that number. */
enum dpk_status dpk_live_read_samples(const char *directory, unsigned process,
                                      struct dpk_live_sample *out, size_t max, size_t *count,
                                      struct dpk_error *err);

/* Keeps processes from beginning until dpk_live_moves, so that what they read then can be changed.
 * *count: how many live. */
struct dpk_live_pause {
    int fd;
};
enum dpk_status dpk_live_still(const char *directory, struct dpk_live_pause *out, size_t *count,
                               struct dpk_error *err);
void dpk_live_moves(struct dpk_live_pause *pause);

#endif
