/*
 * running: the DPA processes on a device with their threads and counters, and their execution
 * units. The data is in the folder `live` of the device's directory, and all programs of its user
 * share it: the file `units`, and a file for each DPA process, named after its number. A process's
 * file is locked while its program lives. So a reader can tell dead processes, and any program may
 * clean up their files and units.
 *
 *     struct dpk_live *live = NULL;
 *     dpk_live_enter(directory, &me, &live, &err);     // what the device says now ...
 *     ... read the partitions of the device ...
 *     dpk_live_entered(live);                          // ... may change from here on
 *     if (dpk_live_claim(live, unit)) ... dpk_live_give(live, unit);
 *     if (dpk_live_collects(live)) dpk_live_count(live, thread, instructions, ns);
 *     dpk_live_leave(live);
 *
 * No value in these files is trusted as an index or a size. All blocks of the files are allocated
 * at the start, so that a full disk cannot end a program. Only entering and leaving take a lock;
 * claims and counts are atomic.
 */
#ifndef DPK_DEVICE_RUNNING_RUNNING_H
#define DPK_DEVICE_RUNNING_RUNNING_H

#include "base/base.h"

#define DPK_LIVE_PROCESSES 256  /* maximum on one device */
#define DPK_LIVE_THREADS   1344 /* maximum of a process */
#define DPK_LIVE_SAMPLES   4096 /* kept samples of a process */
#define DPK_LIVE_NAME      64   /* bytes, with the NUL */

struct dpk_live;

struct dpk_live_program {
    const char *name; /* program name */
    unsigned vhca;    /* function that it uses */
};

/* Gives a new process the lowest free number, and its file. Until dpk_live_entered, no change of
 * the device's units can start (dpk_live_still). Errors: DPK_ERR_NOMEM if there are
 * DPK_LIVE_PROCESSES already, DPK_ERR_IO if the folder cannot be used, DPK_ERR_REFUSED if it
 * belongs to another user. */
enum dpk_status dpk_live_enter(const char *directory, const struct dpk_live_program *program,
                               struct dpk_live **out, struct dpk_error *err);
void dpk_live_entered(struct dpk_live *live);
/* Gives back its units and removes its file. NULL is allowed. */
void dpk_live_leave(struct dpk_live *live);
/* Called in the child of a fork(), because the process belongs to the parent. */
void dpk_live_forked(struct dpk_live *live);
unsigned dpk_live_number(const struct dpk_live *live);

/* ---- Units ---- */

/* Claims a unit for the process. Returns false if it is not free. */
bool dpk_live_claim(struct dpk_live *live, unsigned unit);
void dpk_live_give(struct dpk_live *live, unsigned unit);
/* Returns the units that no process has. `sweep`: also those of processes that have died
 * meanwhile. */
struct dpk_units dpk_live_free(struct dpk_live *live, bool sweep);

/* ---- Threads and counters ---- */

/* Names a thread, by its number in the process. Threads without a name are not shown. */
void dpk_live_name(struct dpk_live *live, unsigned thread, const char *name);
/* Returns true if counters are collected now. */
bool dpk_live_collects(const struct dpk_live *live);
/* Adds to a thread's counters: instructions, nanoseconds on a processor, executions. */
void dpk_live_count(struct dpk_live *live, unsigned thread, uint64_t instructions, uint64_t ns,
                    unsigned executions);

/* Returns true if samples are taken now. A sample records that a thread got or left a unit. */
bool dpk_live_traces(const struct dpk_live *live);
/* Adds a sample: a thread with this number of executed instructions got a unit (`in`), or left it.
 * The latest DPK_LIVE_SAMPLES are kept. */
void dpk_live_trace(struct dpk_live *live, unsigned thread, unsigned unit, bool in,
                    uint64_t instructions);

/* ---- Looking, from any program ---- */

struct dpk_live_thread {
    unsigned number;
    char name[DPK_LIVE_NAME]; /* safe for a terminal */
    uint64_t instructions, ns, executions;
};
struct dpk_live_process {
    unsigned number;
    uint32_t pid;
    unsigned vhca;
    char name[DPK_LIVE_NAME]; /* safe for a terminal */
    bool collects, traces;
    struct dpk_units units; /* its present units */
    struct dpk_live_thread *threads;
    size_t thread_count;
};
struct dpk_live_seen {
    struct dpk_live_process *processes; /* sorted by number */
    size_t count;
    bool collects;   /* new processes collect counters */
    uint64_t for_ns; /* duration of collecting */
};
/* Lists the living processes, if `threads`, with their threads. dpk_live_seen_free frees the list.
 * Without the folder, the list is empty. */
enum dpk_status dpk_live_look(const char *directory, bool threads, struct dpk_live_seen *out,
                              struct dpk_error *err);
void dpk_live_seen_free(struct dpk_live_seen *seen);

/* Watches which process has which unit. A look takes no lock, so it may be done many times a
 * second. `directory` is a device's; the folder is made if it does not exist. A user who may write
 * to the folder can truncate the file, which ends the watching program. Errors: DPK_ERR_IO,
 * DPK_ERR_REFUSED as for dpk_live_enter. */
struct dpk_live_watch;
enum dpk_status dpk_live_watch(const char *directory, struct dpk_live_watch **out,
                               struct dpk_error *err);
/* Returns the units that any process has now. */
struct dpk_units dpk_live_watch_units(const struct dpk_live_watch *watch);
void dpk_live_watch_end(struct dpk_live_watch *watch); /* NULL is allowed */

/* Reads process numbers in the form of NVIDIA's tools: "0,1f", hexadecimal. NULL: all possible
 * numbers. Errors: DPK_ERR_USAGE for other texts. */
struct dpk_live_choice {
    bool wanted[DPK_LIVE_PROCESSES];
};
enum dpk_status dpk_live_choose(const char *list, struct dpk_live_choice *out,
                                struct dpk_error *err);

/* Starts or ends collecting, for one process, or for all (UINT_MAX) including new ones. `reset`:
 * sets their counters to 0. Errors: DPK_ERR_NOT_FOUND if no process has that number. */
enum dpk_status dpk_live_collect(const char *directory, unsigned process, bool on, bool reset,
                                 struct dpk_error *err);

/* Same for samples of the living processes. */
enum dpk_status dpk_live_sample(const char *directory, unsigned process, bool on, bool reset,
                                struct dpk_error *err);

struct dpk_live_sample {
    uint64_t ns;           /* monotonic clock */
    uint64_t instructions; /* executed instructions of the thread */
    unsigned process, thread, unit;
    uint16_t turn; /* of the unit: equal for getting it and leaving it */
    bool in;
};
/* Reads the latest samples of a process, at most `max`, the oldest first; *count: their number.
 * Errors: DPK_ERR_NOT_FOUND if no process has that number. */
enum dpk_status dpk_live_read_samples(const char *directory, unsigned process,
                                      struct dpk_live_sample *out, size_t max, size_t *count,
                                      struct dpk_error *err);

/* Keeps processes from starting until dpk_live_moves, so that data which they read at their start
 * can be changed. *count: number of living processes. */
struct dpk_live_pause {
    int fd;
};
enum dpk_status dpk_live_still(const char *directory, struct dpk_live_pause *out, size_t *count,
                               struct dpk_error *err);
void dpk_live_moves(struct dpk_live_pause *pause);

#endif
