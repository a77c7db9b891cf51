/*
 * engine: what the files of proc share: DPA threads, launches, waits, the run queue.
 *
 * One lock guards all of it. Code of the DPA runs without the lock; what a turn ended with is
 * settled under it. Functions here want the lock held unless they say otherwise.
 */
#ifndef DPK_PROC_ENGINE_H
#define DPK_PROC_ENGINE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "debug/debug.h"
#include "guest/dpa_abi.h"
#include "proc/proc.h"
#include "proc/heap.h"
#include "proc/list.h"
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
#define SLOTS         (DPK_THREADS_MAX + DPK_CALLS_MAX + DPK_THREADS_OF_PROCESS)

/* ---- Waiting for an event ---- */
struct wait {
    enum { WAIT_THREAD, WAIT_LAUNCH, WAIT_HOST } who;
    struct list node; /* in the event's list, or alone */
    uint64_t threshold, mask;
    struct list untold; /* among those that are told of when they last until then; notice.c */
    uint64_t tell_at;
};

struct dpk_event {
    _Atomic uint64_t value;
    unsigned references;
    struct list waits;
    uint64_t name; /* for those who look */
};

/* ---- What runs: a stack, registers, and whose they are ---- */
struct thread {
    struct rv64_hart hart;
    struct dpk_process *process;
    struct launch *launch;     /* whose thread it is at the moment, or */
    struct dpk_thread *object; /* whose it is as long as that lives */
    struct dpk_caller caller;
    bool last_words;      /* runs although the process has failed */
    unsigned slot;        /* its id */
    unsigned rank, peers; /* in the launch */
    unsigned eu;          /* that it occupies, or NO_EU */
    enum {
        THREAD_IDLE,
        THREAD_QUEUED,
        THREAD_RUNNING,
        THREAD_BLOCKED,
        THREAD_WAITING, /* for an execution unit */
    } state;
    bool polls;       /* its last turn was cut short, for it only polled; its worker goes on */
    bool for_workers; /* has polled, or sent messages: host threads leave it to workers */
    const struct host_wait *runner; /* whose host thread runs it meanwhile; NULL: another's */
    unsigned polled;                /* calls in a row that found nothing */
    bool begun;                     /* has had a turn since its start or activation */
    bool stopping;                  /* is to end with its turn */
    uint64_t ran;                   /* nanoseconds since then, running or waiting for events */
    struct wait wait;
    /* While it waits for an event: since when, until when it may. watchdog.c */
    struct dpk_event *awaited;
    uint64_t blocked, deadline;
    struct list timed;
    struct list
        queued;        /* in the run queue, or among those that wait for a unit, or that are held */
    bool failed;       /* was at work when its process failed */
    bool called;       /* its last stop was a call */
    uint64_t retired;  /* instructions, at the end of its last turn */
    bool rpc;          /* what it does, or did last ... */
    uint64_t function; /* ... and the address of that */
    /* A debugger's: how it is to go on, and what it has stopped for. */
    enum dpk_resume resume;
    struct dpk_stop stop;
};
#define NO_EU UINT32_MAX

/* How a turn ended. */
struct outcome {
    enum { TURN_AGAIN, TURN_BLOCK, TURN_DONE, TURN_FAULT } how;
    enum end {
        END_RETURN,
        END_FINISH,
        END_RESCHEDULE,
        END_RETRIGGER,
        END_PARK
    } end;                   /* TURN_DONE */
    bool polls;              /* TURN_AGAIN: because it only polled */
    bool ends_process;       /* TURN_FAULT: because it asked for it */
    uint64_t value;          /* TURN_DONE: the result */
    struct dpk_event *event; /* TURN_BLOCK: until (event & mask) > threshold */
    uint64_t threshold, mask;
    char story[800];      /* TURN_FAULT */
    struct dpk_stop stop; /* for the debugger, whatever else */
};

/* Runs `t` for at most one turn. Without the lock. */
void turn_run(struct thread *t, struct outcome *o);
/* " pc 0x11234 (kernel+0x1c, kernel.c:12)" of a thread that does not run; who called it, if that is
 * more telling. story.c */
#define PLACE_MAX 410
void turn_place(const struct thread *t, char *out, size_t size);
/* The story of a fault of the core. */
void turn_fault_story(const struct thread *t, char *out, size_t size);

/* ---- Debugging ---- */
struct dpk_debugger;
/* Whether `t` may have a turn: nobody holds its process, or it. */
bool debug_may_run(const struct thread *t);
/* rv64_run for a thread that is debugged. Without the lock, as are those up to the next comment. */
enum rv64_stop debug_run(struct thread *t, uint64_t budget, struct outcome *o);
/* A turn that ended with a fault, which the debugger may want to see first. */
void debug_fault(struct thread *t, struct outcome *o);
/* What the device allows. debug_policy.c; all without the lock. */
struct debug_policy {
    struct dpk_debug_permit permit;
    struct dpk_error why; /* it does not allow everything */
    uint64_t asked;       /* when */
    bool there;           /* a client */
    uint64_t refused, code_writes, code_bytes, jumps;
};
/* DPK_ERR_REFUSED: no debugger may come. */
enum dpk_status debug_admit(const struct dpk_process *p, struct debug_policy *policy,
                            struct dpk_error *err);
/* A client is there, and is gone. DPK_ERR_REFUSED: the device does not want it any more, or that it
 * came cannot be logged, and must be. */
enum dpk_status debug_begin(const struct dpk_process *p, struct debug_policy *policy,
                            struct dpk_error *err);
enum dpk_status debug_end(const struct dpk_process *p, struct debug_policy *policy,
                          struct dpk_error *err);
/* What the client may do now: as the device said a moment ago at most, and no more than before. */
enum dpk_debug_rights debug_rights(const struct dpk_process *p, struct debug_policy *policy);
/* Whether memory, and registers with pc, may be changed so: as the device says now. */
bool debug_may_write(const struct dpk_process *p, struct debug_policy *policy, uint64_t address,
                     uint64_t size);
bool debug_may_set(const struct dpk_process *p, struct debug_policy *policy, uint64_t from,
                   uint64_t to);
/* With the lock: what a turn stopped for; a turn of the process is over; a new thread; a failure.
 */
void debug_stop(struct thread *t, const struct dpk_stop *stop);
void debug_settled(struct dpk_process *p);
void debug_started(struct thread *t);
void debug_failed(struct dpk_process *p);

/* Makes the process stand still; waits for turns to end. Counts. inspect.c */
void process_hold(struct dpk_process *p);
void process_release(struct dpk_process *p);
/* dpk_process_threads. */
size_t process_threads(const struct dpk_process *p, struct dpk_thread_info *out, size_t max);
/* Threads at work, or those that were when the process failed; the one to look at first. */
size_t process_at_work(const struct dpk_process *p, struct thread *out[SLOTS]);
/* The number of the signal that a program of Linux would get for what `t` ended with. */
int thread_signal(const struct thread *t);

/* ---- Launches: kernels, and RPCs, which are launches of one thread ---- */
struct launch {
    struct dpk_process *process;
    struct list in_process; /* kernels: in order */
    struct list pending;    /* in the engine's line of those that wait for threads */
    struct dpk_call call;
    void *args;
    size_t args_size;
    unsigned threads, remaining;
    uint64_t number; /* kernels: of the process, from 1 on */
    uint64_t ran;    /* nanoseconds that its threads had of the host's processors, together */
    bool rpc, started, done;
    uint64_t result;
    struct dpk_tasks *tasks; /* whose it is, if it is no kernel */
    struct wait wait;
    struct dpk_event *wait_event, *complete;
    bool complete_adds;
    uint64_t complete_count;
    uint64_t trace_id; /* 0: none */
};

/* The event that a kernel waits for has come. */
void launch_ready(struct launch *l);
void launch_init(struct launch *l, struct dpk_process *p, const struct dpk_call *call);
/* A launch that has ended: the next task. */
void task_end(struct launch *l);
/* A thread of the process that is idle and nobody's; made, with its stack, if there is none yet.
 * NULL: out of memory, or of slots. */
struct thread *thread_take(struct dpk_process *p);
/* Registers and arguments as dpa_abi.h says, at the beginning of `call`. */
void thread_reset(struct thread *t, const struct dpk_call *call, const void *args, size_t size);
/* `t` has ended, or its process has failed. */
void thread_end(struct thread *t, enum end how, uint64_t result);

/* ---- Threads of event-driven programs, and triggers ---- */
struct dpk_thread {
    struct dpk_process *process;
    struct list in_process;
    struct dpk_thread_options options;
    struct thread *thread;
    enum { OBJECT_CREATED, OBJECT_STARTED, OBJECT_RUN } state;
    bool active, parked;
    uint64_t events; /* that came while it was active */
    struct list triggers;
};

struct dpk_trigger {
    struct dpk_process *process;
    struct list of_thread;
    struct dpk_thread *thread;
    enum dpk_trigger_kind kind;
    uint64_t handle;
    bool armed;
    uint32_t completions; /* ever, wrapping */
};

/* An event. */
void thread_activate(struct dpk_thread *o);
/* An activation has ended like that. */
void activation_end(struct dpk_thread *o, enum end how);
struct dpk_trigger *trigger_of_handle(const struct dpk_process *p, uint64_t handle);
void trigger_signal(struct dpk_trigger *trigger);
void trigger_arm(struct dpk_trigger *trigger, uint32_t consumed);
/* What is left of both when the process is destroyed. */
void threads_free(struct dpk_process *p);

/* ---- Execution units ---- */
/* DPAKIT_EUS, DPAKIT_EU_GROUPS. */
enum dpk_status eu_configure(struct dpk_error *err);
unsigned eus_free(void);
/* False: none is free. */
bool eu_take(struct thread *t, const struct dpk_affinity *affinity);
/* Takes one and queues the thread; if none is free, that happens when one is. */
void eu_wait(struct thread *t);
/* Gives it back: to a thread that waits for it, if there is one. */
void eu_give(struct thread *t);

/* ---- Host threads that wait ---- */
struct host_wait {
    struct wait wait;
    const struct dpk_event *event; /* that it waits for, or NULL */
    bool satisfied;                /* the event came */
    atomic_bool woken;             /* since it began to sleep, or to work; set with the lock */
    struct dpk_process *process;   /* that it waits for, or NULL */
    const struct thread *own;      /* the one of its RPC, once that runs here */
    uint64_t deadline;             /* NEVER: none */
    struct list in_process;
    pthread_cond_t cond;
    int cancel_state; /* the host thread's; it cannot be cancelled in between */
};
void host_wait_begin(struct host_wait *w, struct dpk_process *p);
void host_wait_sleep(struct host_wait *w);
/* Instead of sleeping, runs a thread of the process if one is queued, until `w` is woken or the
 * deadline passes. False when that has passed. */
bool host_wait_work(struct host_wait *w);
void host_wait_wake(struct host_wait *w);
void host_wait_end(struct host_wait *w);

/* ---- Waits that only an event can end. notice.c ---- */
/* Says what waits so in `p`: each between `before` and `after`. */
void waits_put(struct dpk_buf *b, const struct dpk_process *p, const char *before,
               const char *between, const char *after);
/* A launch or a host thread begins to wait. The end is that `untold` is taken from its list. */
void notice_begin(struct wait *w);
uint64_t notice_next(void); /* when there is something to tell, or NEVER */
void notice_tell(void);     /* the first of it; gives the lock away meanwhile */

/* ---- Processes ---- */
struct dpk_process {
    struct rv64_memory *memory;
    struct rv64_core *core;
    struct dpk_image *image;
    uint64_t limit; /* nanoseconds */
    void (*notice)(const char *text);
    uint64_t notice_after; /* nanoseconds */
    bool noticed;
    uint64_t born;
    enum dpk_status failed; /* DPK_OK: runs */
    char failure[800];
    bool ended_itself;
    struct list threads;           /* objects */
    struct dpk_trigger **triggers; /* handle - 1 is the index */
    size_t trigger_count, trigger_capacity;
    struct {
        dpk_device_call handler;
        void *context;
    } calls[DPA_SYS_FAMILIES];
    struct dpk_outside outside;
    struct dpk_call last_words; /* function 0: none */
    int failure_fd;             /* -1: nobody asked */
    struct list launches;       /* kernels, the first one runs or waits */
    uint64_t launches_made, launches_ended;
    struct thread *slots[SLOTS]; /* made at first use */
    struct list host_waits;
    unsigned turns;                /* that run */
    unsigned holds;                /* who wants it to stand still */
    struct list held;              /* threads that would run */
    pthread_cond_t still;          /* turns became 0, or a thread was held */
    struct dpk_debugger *debugger; /* changes only while it stands still */
    struct thread *culprit;        /* whose fault it was, if anybody's */
    struct list in_engine;
    char device[64];           /* its name, for those who look; may be empty */
    char directory[PATH_MAX];  /* and where it is */
    uint64_t token;            /* for debuggers; 0: none may come */
    unsigned users;            /* turns that run, host threads that wait */
    pthread_cond_t idle;       /* users became 0 */
    struct dpk_event **events; /* handle - 1 is the index */
    size_t event_count, event_capacity;
    _Atomic uint64_t instructions;
    pthread_rwlock_t in_flight; /* read: an access of the host's; no lock inside */
    pthread_mutex_t heap_lock;
    struct heap *heap;
    uint64_t heap_size, heap_mapped;
    pthread_mutex_t sink_lock;
    dpk_message_sink sink;
    void *sink_context;
};

/* The first failure counts: ends the process's threads and wakes whoever waits. */
void process_fail(struct dpk_process *p, enum dpk_status status, const char *story);
/* The process is about to be destroyed: its last words end. */
void last_words_end(struct dpk_process *p);
/* `t` has no business any more: its process has failed. */
bool thread_is_doomed(const struct thread *t);
/* The failure as an error; DPK_OK if there is none. */
enum dpk_status process_state(const struct dpk_process *p, struct dpk_error *err);
void process_wake_hosts(struct dpk_process *p);
/* No accesses of the host's are in flight: at the beginning, and in a child of fork(). */
void process_nothing_in_flight(struct dpk_process *p);
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
    pthread_cond_t work;  /* something to run, or the end */
    pthread_cond_t quiet; /* the workers of the last process are gone */
    struct list queue;    /* threads that could run */
    struct list kernels;  /* launches that wait for execution units */
    struct list calls;    /* calls that wait for one of DPK_CALLS_MAX to end */
    unsigned calls_active;
    struct list no_eu; /* threads that wait for an execution unit */
    struct thread *eus[DPK_EUS_MAX];
    unsigned eu_first, eu_count, eus_free;
    struct eu_group {
        uint32_t id;
        unsigned first, last;
    } eu_groups[DPK_EUS_MAX];
    unsigned eu_group_count;
    unsigned workers_max; /* with 1, there is one turn at a time */
    unsigned running;     /* turns now */
    bool takes_next;      /* who has the lock will, or see to it: nobody need come for that one */
    unsigned polling;     /* of them, on workers, of threads that only poll */
    unsigned processes;
    struct list blocked; /* threads that wait for an event, by deadline */
    struct list untold;  /* waits that would be told of, by time */
    uint64_t event_names;
    pthread_t watchdog;
    pthread_cond_t watchdog_turns;
    uint64_t watchdog_wakes; /* when it looks by itself */
    bool watchdog_runs;
    struct list all; /* processes */
    struct service *service;
    bool service_missed;     /* and that was told */
    struct dpk_trace *trace; /* NULL: nobody wants one; from the first process to the end */
    uint64_t trace_ids;
    pthread_t *workers;
    unsigned worker_count;
    bool stop;
    bool watches_forks;
    bool forked; /* this is a child, and the processes are the parent's */
};
/* The emulated DPA: there is one in a host process, as there is one in a device. The one variable
 * of the runtime that is not a constant. */
extern struct engine the_engine;

/* What a trace is told. Ask tracing() first. trace.c */
static inline bool tracing(void)
{
    return __builtin_expect(the_engine.trace != NULL, 0);
}
enum dpk_status trace_begin(struct dpk_error *err);
void trace_turn(const struct thread *t, uint64_t begin);
void trace_launch(struct launch *l, char phase); /* 'b' or 'e' */
void trace_message(const struct thread *t, uint64_t size);
void trace_event(uint64_t value);
void trace_failure(const struct dpk_process *p);

/* Answers other processes of this user (debug.h, "Finding processes"). NULL: it cannot, and `err`
 * says why; nothing else is lost. Both without the lock. service.c */
struct service *service_start(struct dpk_error *err);
void service_stop(struct service *s);

/* ---- The run-time limit. watchdog.c ---- */
/* `t` has run for so many nanoseconds more. */
void limit_count(struct thread *t, uint64_t took);
/* Whether `t` may run no longer. */
bool limit_reached(const struct thread *t);
/* It may not: its process fails. */
void limit_fail(struct thread *t);
/* The time that a thread waits for `e` counts as if it ran. One that ends need not tell. */
void watchdog_begin(struct thread *t, struct dpk_event *e);
void watchdog_end(struct thread *t);
/* Something is to be done at `at`. False: the host gives no thread. */
bool watchdog_look(uint64_t at);
void watchdog_stop(void); /* without the lock, with engine.stop */

#define NEVER UINT64_MAX
uint64_t engine_now(void); /* nanoseconds, monotonic */
/* Waiting on the lock, by that clock. False when `deadline` has passed. */
void engine_cond_init(pthread_cond_t *cond);
bool engine_cond_wait(pthread_cond_t *cond, uint64_t deadline);
void engine_lock(void);
void engine_unlock(void);
/* One process more, one less. The last one takes the workers with it. Both without the lock.
 * `notice` (may be NULL) is told when other programs cannot find this one. */
enum dpk_status engine_enter(void (*notice)(const char *text), struct dpk_error *err);
void engine_leave(void);
/* False when the host gives no thread at all. */
bool engine_start_workers(void);
void engine_enqueue(struct thread *t);
/* Whether a caller may run its call on its own thread, at once. */
bool engine_may_run(void);
/* Runs `t`, which is not queued, until it ends, blocks, or others want the unit: on a worker (`w`
 * NULL) or on the host thread that waits with `w`. True: the worker has nothing to do, for another
 * one will take `t`. */
bool engine_run(struct thread *t, const struct host_wait *w);
/* Around what queues threads of `p`: whether this host thread takes the first one; and, if so, runs
 * it for a moment. What is short is over then, and no worker had to come for it. */
bool engine_takes(const struct dpk_process *p);
void engine_run_taken(void);

#endif
