/*
 * proc: processes of the emulated DPA: what they run (kernels, RPCs, tasks, event-driven threads),
 * their memory, events, messages and failures. It knows no host API by name.
 *
 *     struct dpk_process *p = NULL;
 *     dpk_process_create(image, NULL, &p, &err);                 // image from loader.h
 *     uint64_t args[2] = {44, 55}, result;
 *     struct dpk_call call;
 *     dpk_process_function(p, "rpc_calculate", &call, &err);
 *     dpk_process_call(p, &call, args, sizeof args, &result, &err);
 *     dpk_process_destroy(p);
 *
 * Execution (sched.h has how): threads of kernels and activations of event-driven threads occupy
 * execution units, of which there are DPK_EUS_MAX for all processes. RPCs need none, so that a call
 * is answered while kernels poll on every unit. Workers, one for each processor of the host
 * (DPAKIT_WORKERS=N changes that; with 1, runs are deterministic), run them in slices, so that a
 * thread that polls forever starves nobody. Host threads that launch or wait take part.
 *
 * The run-time limit is for the time in which a thread runs on a processor or waits for an event
 * (on the card that is a loop), from its start or activation on. Waiting for a unit or a processor
 * does not count, so that a machine that is busy fails nobody. The threads of a kernel together run
 * for ten times the limit on every worker at most.
 *
 * After a fault, a bad call or an overrun limit the process is in the error state: whoever waits
 * gets DPK_ERR_FAULT or DPK_ERR_TIMEOUT, never hangs; every later call fails at once (but
 * dpk_copy_out and dpk_heap_free: memory can still be read and given back); other processes go on.
 *
 * All functions may be called from any host thread. None prints. Device code may run on the very
 * thread that calls, launches or waits; messages come from there only during dpk_process_call. A
 * host thread that is cancelled while it waits goes when its wait has ended. After fork() the DPA
 * stays the parent's: if there were processes, calls of the child on them fail with DPK_ERR_FAULT,
 * and it can create none (DPK_ERR_UNSUPPORTED) until it has called exec.
 */
#ifndef DPK_PROC_H
#define DPK_PROC_H

#include "base/base.h"
#include "loader/loader.h"

#define DPK_THREADS_MAX       256 /* threads of one kernel (guide, 3.4.8.5) */
#define DPK_CALLS_MAX         64  /* RPCs at once besides; more wait in line */
#define DPK_WARN_AFTER_MS     10000
#define DPK_RUN_TIME_LIMIT_MS 6000 /* default for an RPC or kernel thread (guide: 6 s) */

/* ---- Processes ---- */

struct dpk_process;

struct dpk_process_options {
    uint64_t heap_size;         /* bytes, 0: the default, 1 GiB of address space */
    uint32_t run_time_limit_ms; /* 0: DPK_RUN_TIME_LIMIT_MS */
    const char *device;         /* its name, for those who look (dpadev ps); may be NULL */
    const char *directory;      /* and where it is, absolute; may be NULL */
    /* Is given a line of text, once, when a launch or a host thread has waited long for an event
     * and nothing else would end that, on the thread of sched's timers; and by dpk_process_create,
     * once, when other programs cannot find this one. May be NULL. */
    void (*warn)(const char *text);
    uint32_t warn_after_ms; /* 0: DPK_WARN_AFTER_MS */
};

/* Creates a process from a loaded image: maps segments, stacks with guards, the heap. The image
 * may be freed afterwards. `options` may be NULL. */
enum dpk_status dpk_process_create(const struct dpk_image *image,
                                   const struct dpk_process_options *options,
                                   struct dpk_process **out, struct dpk_error *err);

/* Ends its threads, wherever they are, and frees everything; host threads that wait for it get
 * DPK_ERR_FAULT first. Not from a message sink. NULL is fine. */
void dpk_process_destroy(struct dpk_process *p);

/* Ends the process's threads, wherever they are, and whoever waits for it, with DPK_ERR_FAULT and
 * this text, as a fault does; it can only be destroyed then. */
void dpk_process_end(struct dpk_process *p, const char *report);

/* DPK_OK, or DPK_ERR_FAULT / DPK_ERR_TIMEOUT with a report of the first failure: kind, thread,
 * pc as "function+0x12", address. */
enum dpk_status dpk_process_state(struct dpk_process *p, struct dpk_error *err);
/* Whether the error state is the program's own wish (DPA_SYS_END_PROCESS). */
bool dpk_process_ended_itself(struct dpk_process *p);

/* A descriptor, readable once the process is in the error state; the process closes it. -1: the
 * host has none left. */
int dpk_process_failure_fd(struct dpk_process *p);
/* Instructions retired by all of the process's threads so far. */
uint64_t dpk_process_instructions(const struct dpk_process *p);

/* ---- Functions ---- */

/* A function that the host may start: addresses of it and of its unpack wrapper, bytes of its
 * argument buffer (dpa_abi.h). */
struct dpk_call {
    uint64_t function, unpack, argument_size;
};

/* Looks up `_dpacc_unpack_<name>`, `_dpacc_argsize_<name>` and `<name>`: DPK_ERR_NOT_FOUND if the
 * program has no such entry function. */
enum dpk_status dpk_process_function(const struct dpk_process *p, const char *name,
                                     struct dpk_call *out, struct dpk_error *err);

/* What still runs when the process has got into the error state, on a thread of its own, with 0 as
 * its argument if it takes one; errors of its own are not heard of any more. NULL: nothing. */
enum dpk_status dpk_process_set_error_handler(struct dpk_process *p, const struct dpk_call *call,
                                              struct dpk_error *err);

/* RPC: runs the function on one thread and waits for its result. `args`: the argument buffer,
 * `size` bytes laid out as dpa_abi.h says; must be call->argument_size. */
enum dpk_status dpk_process_call(struct dpk_process *p, const struct dpk_call *call,
                                 const void *args, size_t size, uint64_t *result,
                                 struct dpk_error *err);

/* ---- Heap ---- */

/* Addresses are the guest's. Memory that was never allocated faults. Alignment of an allocation: 64
 * bytes; `size` 0 is DPK_ERR_RANGE. */
enum dpk_status dpk_heap_alloc(struct dpk_process *p, uint64_t size, uint64_t *address,
                               struct dpk_error *err);
/* Waits for the copies, fills and atomic operations below that are in flight in the process, and
 * holds up those that begin meanwhile; not for what its threads do. DPK_ERR_RANGE: not the start of
 * an allocation that is in use. */
enum dpk_status dpk_heap_free(struct dpk_process *p, uint64_t address, struct dpk_error *err);
struct dpk_heap_info {
    uint64_t base, size;           /* guest addresses, bytes */
    uint64_t requested, allocated; /* bytes as asked for, and as taken with alignment */
};
void dpk_heap_info(struct dpk_process *p, struct dpk_heap_info *out);
/* Copies and fills go anywhere in the process's writable (for copy_out readable) memory; outside
 * of it is DPK_ERR_RANGE and nothing is written. An aligned word of 4 or 8 bytes goes in in one
 * piece, after what was copied before it. */
enum dpk_status dpk_copy_in(struct dpk_process *p, uint64_t to, const void *from, uint64_t size,
                            struct dpk_error *err);
enum dpk_status dpk_copy_out(struct dpk_process *p, void *to, uint64_t from, uint64_t size,
                             struct dpk_error *err);
/* Whether all of it is memory that can be read, or written. */
bool dpk_process_has_memory(const struct dpk_process *p, uint64_t address, uint64_t size,
                            bool writable);
enum dpk_status dpk_fill(struct dpk_process *p, uint64_t address, int value, uint64_t size,
                         struct dpk_error *err);
/* The 8 bytes at an aligned address of writable memory, in one step: adds `value` to them, or makes
 * them `value` if they are `compare`. *before: what they were. DPK_ERR_RANGE as above. */
enum dpk_status dpk_fetch_add(struct dpk_process *p, uint64_t address, uint64_t value,
                              uint64_t *before, struct dpk_error *err);
enum dpk_status dpk_compare_swap(struct dpk_process *p, uint64_t address, uint64_t compare,
                                 uint64_t value, uint64_t *before, struct dpk_error *err);

/* ---- Events: 64-bit counters that host and DPA update and wait for ---- */

struct dpk_event;

/* Value 0. Not bound to a process; dpk_event_handle gives the number that device code of `p` uses
 * for it (never 0, the same at every call). */
struct dpk_event *dpk_event_create(void); /* NULL: out of memory */
/* What those who look see as its number; before, one that the runtime has chosen. */
void dpk_event_name(struct dpk_event *e, uint64_t name);
/* The caller stops using it; it lives on while a process still has a handle or a launch on it. */
void dpk_event_release(struct dpk_event *e);
enum dpk_status dpk_event_handle(struct dpk_event *e, struct dpk_process *p, uint64_t *handle,
                                 struct dpk_error *err);
uint64_t dpk_event_get(const struct dpk_event *e);
uint64_t dpk_event_add(struct dpk_event *e, uint64_t value); /* value before */
void dpk_event_set(struct dpk_event *e, uint64_t value);
/* Blocks the host thread until (value & mask) > threshold. With `p`, also until that process
 * enters the error state: then its status; meanwhile the thread may run what `p` has to run.
 * `timeout_ms` 0: no limit. */
enum dpk_status dpk_event_wait_gt(struct dpk_event *e, uint64_t threshold, uint64_t mask,
                                  struct dpk_process *p, uint32_t timeout_ms,
                                  struct dpk_error *err);
/* Appends what such a wait waits for, as warnings say it: "event 0x50 & 0xff > 3 (is 1)". */
void dpk_event_put_wait(const struct dpk_event *e, uint64_t threshold, uint64_t mask,
                        struct dpk_buf *out);

/* ---- Kernels ---- */

struct dpk_launch {
    struct dpk_call call;
    const void *args; /* copied */
    size_t args_size;
    unsigned threads;       /* 1 to DPK_THREADS_MAX, and no more than there are units */
    struct dpk_event *wait; /* NULL: starts at once; else when value > wait_threshold */
    uint64_t wait_threshold;
    struct dpk_event *complete; /* NULL: nobody is told; else updated after the last thread */
    bool complete_adds;         /* true: add complete_count; false: set it */
    uint64_t complete_count;
};

/* Starts a kernel and returns, which a short one may have ended by then; it does not fail the
 * process before. Launches of one process run in the order they were made. */
enum dpk_status dpk_process_launch(struct dpk_process *p, const struct dpk_launch *launch,
                                   struct dpk_error *err);
/* Waits until every kernel launched so far has ended (dparun). */
enum dpk_status dpk_process_drain(struct dpk_process *p, struct dpk_error *err);

/* ---- Threads of event-driven programs ----
 *
 *     struct dpk_thread *t;  struct dpk_trigger *cq;
 *     dpk_thread_create(p, &(struct dpk_thread_options){.call = handler}, &t, &err);
 *     dpk_thread_start(t, &err);                               // has its execution unit
 *     dpk_trigger_create(p, DPK_TRIGGER_QUEUE, &cq, &err);     // a completion queue's
 *     dpk_trigger_attach(cq, t, &err);
 *     dpk_thread_run(t, &arg, &err);                           // events count from now on
 *     dpk_trigger_arm(cq, 0);
 *     ... dpk_trigger_signal(cq);                              // a completion: handler(arg) runs
 *
 * A thread that was run waits, without running, for events; each is one activation: its function
 * runs from the beginning, with a fresh stack pointer. Events that come meanwhile are counted, each
 * leads to one more activation afterwards; those that come while it is not run are lost. An
 * activation ends with
 *     RESCHEDULE          it waits for the next event
 *     RETRIGGER           the same, and there is one
 *     FINISH, or return   it is not run any more: until dpk_thread_run
 *     PARK                in a continuable thread: the next event resumes it behind the call, with
 *                         its registers and stack; in another the same as RESCHEDULE
 * and, whatever it does, with dpk_thread_stop. A fault, or an activation that runs longer than the
 * limit, fails the process. Activations occupy execution units; with affinity they wait for theirs.
 */

#define DPK_CALLER_STATE       4    /* words of struct dpk_caller */
#define DPK_THREADS_OF_PROCESS 1024 /* of dpk_thread; each has a stack and an id of its own */

struct dpk_affinity {
    enum {
        DPK_AFFINITY_NONE,   /* any unit */
        DPK_AFFINITY_STRICT, /* the unit with number `id` */
        DPK_AFFINITY_GROUP,  /* any unit of group `id` */
    } kind;
    uint32_t id;
};

/* Execution units that programs may use, numbered from 0: DPK_EUS_MAX, or what DPAKIT_EUS=N or
 * DPAKIT_EUS=FIRST-LAST says. The latter is a partition: units FIRST to LAST of the device, which
 * the program sees as 0 to LAST-FIRST (virtual units). DPAKIT_EU_GROUPS=ID=FIRST-LAST[,...] makes
 * groups of them, with numbers as the program sees them. Read when the first process is created;
 * 0 before. */
#define DPK_EUS_MAX 256
unsigned dpk_eu_count(void);
/* Whether there is a unit for it. */
bool dpk_eu_exists(const struct dpk_affinity *affinity);

struct dpk_thread;

struct dpk_thread_options {
    struct dpk_call call; /* takes one 8-byte argument or none: else DPK_ERR_RANGE */
    uint64_t argument;
    uint64_t local_storage; /* guest address, 0: none */
    struct dpk_affinity affinity;
    bool continuable;
    uint64_t state[DPK_CALLER_STATE]; /* that of struct dpk_caller when an activation begins */
};

/* DPK_ERR_NOMEM: there are DPK_THREADS_OF_PROCESS. Options are copied. The thread is the process's:
 * dpk_process_destroy frees those that are left. */
enum dpk_status dpk_thread_create(struct dpk_process *p, const struct dpk_thread_options *options,
                                  struct dpk_thread **out, struct dpk_error *err);
/* Checks that there is a unit for its affinity: DPK_ERR_RANGE for a unit or group that does not
 * exist. Needed before dpk_thread_run; starting twice is fine. */
enum dpk_status dpk_thread_start(struct dpk_thread *t, struct dpk_error *err);
/* From now on events count. `argument`: instead of the one at creation; NULL: that one.
 * DPK_ERR_USAGE: not started, or an activation runs. */
enum dpk_status dpk_thread_run(struct dpk_thread *t, const uint64_t *argument,
                               struct dpk_error *err);
/* An event from the host. */
void dpk_thread_activate(struct dpk_thread *t);
/* Ends the activation that runs, forgets the events that wait; then it is as created. Returns when
 * its code does not run any more. Not from a message sink. */
void dpk_thread_stop(struct dpk_thread *t);
/* In any state; detaches triggers. Not from a message sink. NULL is fine. */
void dpk_thread_destroy(struct dpk_thread *t);
/* As DPA_SYS_THREAD_ID gives it, and in the prefix of its messages. */
unsigned dpk_thread_id(const struct dpk_thread *t);

/* ---- Triggers: where events for threads come from ---- */

struct dpk_trigger;

enum dpk_trigger_kind {
    DPK_TRIGGER_NOTIFICATION, /* each dpk_trigger_signal, or DPA_SYS_NOTIFY, is an event */
    DPK_TRIGGER_QUEUE, /* a completion queue: a completion is an event if the queue was armed,
                          and disarms it; one that came before the arming that its consumer
                          has not seen is an event at the arming */
};

/* Without a thread events are lost. */
enum dpk_status dpk_trigger_create(struct dpk_process *p, enum dpk_trigger_kind kind,
                                   struct dpk_trigger **out, struct dpk_error *err);
void dpk_trigger_destroy(struct dpk_trigger *trigger); /* NULL is fine */
/* `t`: of the same process, else DPK_ERR_MISMATCH; NULL: detaches. */
enum dpk_status dpk_trigger_attach(struct dpk_trigger *trigger, struct dpk_thread *t,
                                   struct dpk_error *err);
/* Its number in device code, never 0; one that was destroyed is a bad handle. */
uint64_t dpk_trigger_handle(const struct dpk_trigger *trigger);
/* Whether its events lead to activations: a thread is attached, and was run. */
bool dpk_trigger_is_heard(struct dpk_trigger *trigger);
/* One completion more, which the device can see already; or a notification. */
void dpk_trigger_signal(struct dpk_trigger *trigger);
/* Requests an event for the next completion behind the first `consumed` ones. */
void dpk_trigger_arm(struct dpk_trigger *trigger, uint32_t consumed);

/* ---- Calls of the device that host libraries carry out ---- */

/* Who calls. `state` is the library's to use: zero whenever a call begins, what the thread's
 * options say whenever an activation does (but not when a parked one goes on). Word 2 is
 * libdoca_dpa's, the others are libflexio's. */
struct dpk_caller {
    unsigned thread_id;
    bool polls; /* set it in a call that found nothing: a thread that goes on so lets others run */
    uint64_t state[DPK_CALLER_STATE];
};

/* Carries out DPA_SYS_CALL(family, call): arguments in args[0] to args[5]. Returns true with the
 * result in *result, or false: the thread faults, with the reason in `fault` (at most 200 bytes).
 * Runs on a worker thread or on one that waits for the process; must not wait, nor destroy the
 * process or its threads. */
typedef bool (*dpk_device_call)(void *context, struct dpk_caller *caller, unsigned call,
                                const uint64_t args[6], uint64_t *result, char *fault, size_t size);
/* Once for a family, before the program runs. */
void dpk_process_set_calls(struct dpk_process *p, unsigned family, dpk_device_call handler,
                           void *context);

/* What device code reaches from address RV64_EXTERNAL_BASE (rv64.h) on. It is asked for each load
 * and store. */
struct dpk_external_memory {
    /* Host address of `size` bytes, at most 8, NULL: an access fault. What it returned stays there
     * until `release`, which follows at once if it was not NULL and gets what *pinned is. */
    void *(*find)(void *context, const struct dpk_caller *caller, uint64_t address, unsigned size,
                  bool write, void **pinned);
    void (*release)(void *context, void *pinned);
    void *context;
};
/* Before the program runs. Copied. */
void dpk_process_set_external_memory(struct dpk_process *p,
                                     const struct dpk_external_memory *memory);

/* ---- Task queues ----
 *
 *     struct dpk_tasks *q;
 *     dpk_tasks_create(p, 8, &q, &err);               // at most 8 tasks at once
 *     dpk_tasks_add(q, &call, 17, &err);  ...
 *     dpk_tasks_run(q);                               // those there are, and those to come
 *     while (!dpk_tasks_empty(q)) ...
 *     dpk_tasks_destroy(q);
 */

struct dpk_tasks;
/* `workers`: 1 to DPK_EUS_MAX, else DPK_ERR_RANGE. Not running yet. */
enum dpk_status dpk_tasks_create(struct dpk_process *p, unsigned workers, struct dpk_tasks **out,
                                 struct dpk_error *err);
/* One call of a function that takes one 8-byte argument or none. Tasks start in order, each on an
 * execution unit of its own. */
enum dpk_status dpk_tasks_add(struct dpk_tasks *q, const struct dpk_call *call, uint64_t argument,
                              struct dpk_error *err);
enum dpk_status dpk_tasks_run(struct dpk_tasks *q, struct dpk_error *err);
/* Whether every task has ended. */
bool dpk_tasks_empty(struct dpk_tasks *q);
/* Forgets tasks that wait, ends those that run. Before its process is destroyed. NULL is fine. */
void dpk_tasks_destroy(struct dpk_tasks *q);

/* ---- Messages ---- */

/* Receives one message: text of `size` bytes, not NUL-terminated, UTF-8 without control characters
 * but line breaks and tabs (what else the device sent has become '?'); called on a worker thread or
 * on one that is inside dpk_process_call, one at a time per process, in the order in which the
 * device sent them. It must not wait for the process, destroy it or set its sink. */
typedef void (*dpk_message_sink)(void *context, unsigned stream, unsigned level, unsigned thread_id,
                                 const char *text, size_t size);
/* Where the process's messages go; none before this is called. */
void dpk_process_set_sink(struct dpk_process *p, dpk_message_sink sink, void *context);

/* ---- Looking inside ---- */

struct dpk_thread_info {
    unsigned id, rank;
    /* "running", "ready", "waiting" (for a unit), "blocked", "held", "idle", "failed" */
    const char *state;
    bool rpc;              /* of an RPC, else of a kernel */
    const char *function;  /* what it does or did last; borrowed from the program's image */
    uint64_t instructions; /* retired so far, in all that it did; of a running one, at the end of
                              its last slice */
    uint64_t misaligned;   /* loads and stores that were, likewise */
};
/* The process's threads, at most `max`, by id. Returns how many there are. */
size_t dpk_process_threads(struct dpk_process *p, struct dpk_thread_info *out, size_t max);
/* Name of the program. */
const char *dpk_process_app(const struct dpk_process *p);

/* Writes a core file (debug.h) of a process, failed or not: of a failed one with the threads that
 * were at work then, the one whose fault it was first; one that lives stands still meanwhile. */
enum dpk_status dpk_process_core(struct dpk_process *p, const char *path, struct dpk_error *err);

/* The state as text: the failure, every thread with pc, function, line and registers. */
void dpk_process_report(struct dpk_process *p, struct dpk_buf *out);

/* ---- Debugging ----
 * From create to destroy the process stands still unless GDB lets it go, and no run-time limit
 * counts. One debugger at a time. */
struct dpk_debugger;

/* DPK_ERR_REFUSED: the device of the program allows no debuggers. */
enum dpk_status dpk_debugger_create(struct dpk_process *p, struct dpk_debugger **out,
                                    struct dpk_error *err);
/* Why the client may look and change nothing; NULL if it may. Lives as long as `d`. */
const char *dpk_debugger_locked(const struct dpk_debugger *d);
/* Lets the process go on, as if nothing had been. */
void dpk_debugger_detach(struct dpk_debugger *d);
/* Detaches if that is not done, and frees it. NULL is fine. */
void dpk_debugger_destroy(struct dpk_debugger *d);
/* Waits until a thread is about to run, or the process has failed. */
void dpk_debugger_await(struct dpk_debugger *d);
/* Serves one client of GDB's remote protocol (dpk_gdb_serve) until it is done. When it goes away
 * the process goes on; without `attached` it is ended. DPK_ERR_REFUSED: the device does not, or not
 * any more, want it; the process goes on. */
enum dpk_status dpk_debugger_serve(struct dpk_debugger *d, int in, int out, bool attached,
                                   struct dpk_error *err);
/* Tells the client that the program has ended with `code`. */
void dpk_debugger_exit(struct dpk_debugger *d, int code);
/* Appends to the log of the program's device, for what comes before a client is served. */
enum dpk_status dpk_debugger_log(const struct dpk_debugger *d, const char *action,
                                 const char *result, const char *detail);
/* The number by which another process of this user may debug `p` (dpa-gdbserver); made at the first
 * call, until which nobody may. 0: other processes cannot come here. */
uint64_t dpk_process_token(struct dpk_process *p);

#endif
