/* Private to replay: the machine that replays the records. */
#ifndef DPK_ENGINE_REPLAY_MACHINE_H
#define DPK_ENGINE_REPLAY_MACHINE_H

#include <stdatomic.h>

#include "engine/record/record.h"
#include "replay.h"

/* A run of instructions: the place of its record, and its first tick. */
struct run {
    size_t at;
    uint64_t tick;
    uint32_t thread;
};

struct thread {
    bool there; /* the thread has run */
    struct rv64_hart hart;
};

struct states; /* states.c */

struct dpk_replay {
    struct dpk_buf file;
    size_t begin; /* offset of the first record */
    uint64_t seed;
    unsigned number, processes;
    bool whole;
    struct dpk_image *image;
    unsigned core_is; /* DPK_PROCESS_... */
    struct run *runs;
    size_t run_count, run_capacity;
    uint64_t ticks;

    /* Current position: in runs[run], after `done` of its ticks; the records before it have been
     * applied. At the end, run == run_count. */
    struct rv64_memory *memory;
    struct rv64_core *core;
    struct thread *threads;
    size_t run;
    size_t applied; /* records before this offset have been applied */
    uint64_t done;
    struct dpk_record record; /* record of that run */
    struct dpk_error failure; /* failure of the process or of the replay */
    size_t told;              /* messages before this offset were delivered */
    struct dpk_replay_sink sink;

    struct states *states; /* NULL if going back is not needed */
};

/* ---- open.c ---- */
/* Applies records from r->applied up to the next run. Returns false with r->failure. */
bool replay_machine_next(struct dpk_replay *r);
/* Moves the machine to the first record. */
bool replay_machine_reset(struct dpk_replay *r);

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
/* Returns the ticks of a run: its instructions, and the attempt at which it stopped. */
uint64_t replay_run_ticks(const struct dpk_record *run);
/* Runs to the tick `limit`, or to the end. Returns false with r->failure. */
bool replay_machine_forward(struct dpk_replay *r, uint64_t limit);

/* Breakpoints and watches of a debugger. */
struct points {
    struct rv64_watch watches[64];
    size_t watch_count;
    uint64_t breaks[RV64_BREAKS_MAX];
    size_t break_count;
};
struct hit {
    bool there;
    uint64_t tick; /* tick of the instruction at the breakpoint, or of the access */
    size_t watch;  /* index of the watch; SIZE_MAX: a breakpoint */
};
/* Same, but stops at the first hit: before the instruction of a breakpoint, or after the access of
 * a watch. Without `here`, it ignores a breakpoint at the first tick. It runs at most about a
 * million ticks, so that the caller can check for a request to stop. */
bool replay_machine_search(struct dpk_replay *r, const struct points *points, bool here,
                           uint64_t limit, struct hit *hit);

/* ---- states.c ---- */
bool replay_states_begin(struct dpk_replay *r);
void replay_states_end(struct dpk_replay *r);
/* Keeps a copy of the present state, if it is far from the other copies. */
void replay_states_keep(struct dpk_replay *r);
/* Restores the last copy that is not after `tick`. *at: its tick. Returns false with r->failure. */
bool replay_states_restore(struct dpk_replay *r, uint64_t tick, uint64_t *at);

#endif
