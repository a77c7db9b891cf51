/*
 * engine: what the files of dpaos share: DPA threads, launches, waits, the run queue.
 *
 * One lock guards all of it. Code of the DPA runs without the lock; what a turn ended with is
 * settled under it. Functions here want the lock held unless they say otherwise.
 */
#ifndef DPK_DPAOS_ENGINE_H
#define DPK_DPAOS_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "dpaos/dpaos.h"
#include "dpaos/heap.h"
#include "dpaos/list.h"
#include "rv64/rv64.h"

/* ---- Guest addresses above the program's (DPK_PROGRAM_END) ---- */
#define STACKS_BASE   0x40000000ull
#define STACK_STRIDE  0x20000ull /* one thread's room; what is not stack is guard */
#define STACK_GUARD   0x1000ull
#define STACK_SIZE    0x10000ull
#define HEAP_BASE     0x80000000ull
#define HEAP_MAX      0x7ffff000ull
#define HEAP_DEFAULT  0x40000000ull
#define GUEST_SIZE    0x100000000ull
#define ARGUMENTS_MAX 0x4000ull /* they lie on the stack */
#define SLOTS         (DPK_THREADS_MAX + DPK_CALLS_MAX)

/* ---- Waiting for an event ---- */
struct wait {
    enum { WAIT_THREAD, WAIT_LAUNCH, WAIT_HOST } who;
    struct list node; /* in the event's list, or alone */
    uint64_t threshold, mask;
};

struct dpk_event {
    _Atomic uint64_t value;
    unsigned references;
    struct list waits;
};

/* ---- DPA threads ---- */
struct thread {
    struct rv64_hart hart;
    struct dpk_process *process;
    struct launch *launch;
    unsigned slot; /* its id */
    unsigned rank;
    enum { THREAD_IDLE, THREAD_QUEUED, THREAD_RUNNING, THREAD_BLOCKED } state;
    uint64_t deadline; /* nanoseconds */
    struct wait wait;
    struct list queued; /* in the run queue */
    struct list active; /* among all threads that are not idle */
};

/* How a turn on an execution unit ended. */
struct outcome {
    enum { TURN_AGAIN, TURN_BLOCK, TURN_DONE, TURN_FAULT } how;
    uint64_t value;          /* TURN_DONE: the result */
    struct dpk_event *event; /* TURN_BLOCK: until (event & mask) > threshold */
    uint64_t threshold, mask;
    char story[512]; /* TURN_FAULT */
};

/* Runs `t` for at most one turn. Without the lock. */
void turn_run(struct thread *t, struct outcome *o);
/* " pc 0x11234 (kernel+0x1c)" of a thread that does not run. */
void turn_place(const struct thread *t, char *out, size_t size);

/* ---- Launches: kernels, and RPCs, which are launches of one thread ---- */
struct launch {
    struct dpk_process *process;
    struct list in_process; /* kernels: in order */
    struct list pending;    /* in the engine's line of those that wait for threads */
    struct dpk_call call;
    void *args;
    size_t args_size;
    unsigned threads, remaining;
    bool rpc, started, done;
    uint64_t result;
    struct wait wait;
    struct dpk_event *wait_event, *complete;
    bool complete_adds;
    uint64_t complete_count;
};

/* The event that a kernel waits for has come. */
void launch_ready(struct launch *l);
/* `t` has ended, or its process has failed. */
void thread_end(struct thread *t, uint64_t result);

/* ---- Host threads that wait ---- */
struct host_wait {
    struct wait wait;
    bool satisfied; /* the event came */
    struct list in_process;
    pthread_cond_t cond;
    int cancel_state; /* the host thread's; it cannot be cancelled in between */
};
void host_wait_begin(struct host_wait *w, struct dpk_process *p);
/* `deadline` 0: none. False when it has passed. */
bool host_wait_sleep(struct host_wait *w, uint64_t deadline);
void host_wait_end(struct host_wait *w, struct dpk_process *p);

/* ---- Processes ---- */
struct dpk_process {
    struct rv64_memory *memory;
    struct rv64_core *core;
    struct dpk_image *image;
    uint64_t limit; /* nanoseconds */
    uint64_t born;
    enum dpk_status failed; /* DPK_OK: runs */
    char failure[600];
    struct list launches; /* kernels, the first one runs or waits */
    uint64_t launches_made, launches_ended;
    struct thread *slots[SLOTS]; /* made at first use */
    struct list host_waits;
    unsigned users;            /* turns that run, host threads that wait */
    pthread_cond_t idle;       /* users became 0 */
    struct dpk_event **events; /* handle - 1 is the index */
    size_t event_count, event_capacity;
    _Atomic uint64_t instructions;
    pthread_mutex_t heap_lock;
    struct heap *heap;
    uint64_t heap_size, heap_mapped;
    pthread_mutex_t sink_lock;
    dpk_message_sink sink;
    void *sink_context;
};

/* The first failure counts: ends the process's threads and wakes whoever waits. */
void process_fail(struct dpk_process *p, enum dpk_status status, const char *story);
/* The failure as an error; DPK_OK if there is none. */
enum dpk_status process_state(const struct dpk_process *p, struct dpk_error *err);
void process_wake_hosts(struct dpk_process *p);
/* A user of the process is done with it. */
void process_leave(struct dpk_process *p);

/* ---- Events ---- */
bool event_satisfies(const struct dpk_event *e, uint64_t threshold, uint64_t mask);
void event_update(struct dpk_event *e, uint64_t value);
struct dpk_event *event_of_handle(const struct dpk_process *p, uint64_t handle);
void event_unref(struct dpk_event *e);

/* ---- The engine ---- */
struct engine {
    pthread_mutex_t lock;
    pthread_cond_t work;  /* something to run, a new deadline, or the end */
    pthread_cond_t quiet; /* the workers of the last process are gone */
    struct list queue;    /* threads that could run */
    struct list active;   /* threads that are not idle */
    struct line {
        struct list pending; /* launches that wait for threads to become free */
        unsigned active;     /* threads that are not */
        unsigned max;
    } kernels, calls;
    unsigned units;   /* workers that there may be; with 1, there is one turn at a time */
    unsigned running; /* turns now */
    unsigned processes;
    pthread_t *workers;
    unsigned worker_count;
    bool stop;
    bool watches_forks;
    bool forked;            /* this is a child, and the processes are the parent's */
    uint64_t next_deadline; /* no thread's is earlier */
};
/* The emulated DPA: there is one in a host process, as there is one in a device. The one variable
 * of the runtime that is not a constant. */
extern struct engine dpaos_engine;

uint64_t engine_now(void); /* nanoseconds, monotonic */
void engine_lock(void);
void engine_unlock(void);
/* One process more, one less. The last one takes the workers with it. Both without the lock. */
enum dpk_status engine_enter(struct dpk_error *err);
void engine_leave(void);
/* False when the host gives no thread at all. */
bool engine_start_workers(void);
void engine_enqueue(struct thread *t);
/* Whether a caller may run its call on its own thread, at once. */
bool engine_may_run(void);
/* Runs `t`, which is not queued, until it ends, blocks, or others want the unit. */
void engine_run(struct thread *t, bool by_caller);

#endif
