/* Private to replay: the machine that runs the records. */
#ifndef DPK_ENGINE_REPLAY_MACHINE_H
#define DPK_ENGINE_REPLAY_MACHINE_H

#include <stdatomic.h>

#include "engine/record/record.h"
#include "replay.h"

/* A run of instructions: where its record is, and the first of its ticks. */
struct run {
    size_t at;
    uint64_t tick;
    uint32_t thread;
};

struct thread {
    bool there; /* it has run */
    struct rv64_hart hart;
};

struct states; /* states.c */

struct dpk_replay {
    struct dpk_buf file;
    size_t begin; /* of the records */
    uint64_t seed;
    unsigned number, processes;
    bool whole;
    struct dpk_image *image;
    unsigned core_is; /* DPK_PROCESS_... */
    struct run *runs;
    size_t run_count, run_capacity;
    uint64_t ticks;

    /* Where it is: in runs[run] with `done` of its ticks behind it, and the records before that
     * applied. run == run_count: at the end. */
    struct rv64_memory *memory;
    struct rv64_core *core;
    struct thread *threads;
    size_t run;
    size_t applied; /* records before this place have been applied */
    uint64_t done;
    struct dpk_record record; /* of that run */
    struct dpk_error failure; /* of the process, or of the replay */
    size_t told;              /* messages before this place were delivered */
    struct dpk_replay_sink sink;

    struct states *states; /* NULL: nobody goes back */
};

/* ---- open.c ---- */
/* Applies records up to the next run, from the one at r->applied on. False: r->failure. */
bool machine_next(struct dpk_replay *r);
/* Puts the machine before the first record. */
bool machine_reset(struct dpk_replay *r);

/* ---- machine.c ---- */
static inline bool machine_at_end(const struct dpk_replay *r)
{
    return r->run == r->run_count;
}
static inline uint64_t machine_tick(const struct dpk_replay *r)
{
    return machine_at_end(r) ? r->ticks : r->runs[r->run].tick + r->done;
}
static inline struct rv64_hart *machine_hart(const struct dpk_replay *r)
{
    return &r->threads[r->record.thread].hart;
}
/* How many ticks a run has: its instructions, and what it stopped at. */
uint64_t run_ticks(const struct dpk_record *run);
/* Goes on to the tick `limit`, or to the end. False: r->failure. */
bool machine_forward(struct dpk_replay *r, uint64_t limit);

/* What a debugger waits for. */
struct points {
    struct rv64_watch watches[64];
    size_t watch_count;
    uint64_t breaks[RV64_BREAKS_MAX];
    size_t break_count;
};
struct hit {
    bool there;
    uint64_t tick; /* of the instruction at the breakpoint, or which made the access */
    size_t watch;  /* SIZE_MAX: it is a breakpoint */
};
/* The same, up to the first hit: before the instruction of a breakpoint, behind one that made an access.
 * Without `here`, a breakpoint at the first tick is passed over. At most about a million ticks, so that the
 * caller can look whether it shall stop. */
bool machine_search(struct dpk_replay *r, const struct points *points, bool here, uint64_t limit,
                    struct hit *hit);

/* ---- states.c ---- */
bool states_begin(struct dpk_replay *r);
void states_end(struct dpk_replay *r);
/* Keeps the state where it is now, if that is far from the others. */
void states_keep(struct dpk_replay *r);
/* Goes back to the last state that is not behind `tick`. *at: its tick. False: r->failure. */
bool states_restore(struct dpk_replay *r, uint64_t tick, uint64_t *at);

#endif
