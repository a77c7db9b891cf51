/*
 * proc: processes of the emulated DPA: what they run (kernels, RPCs, tasks, event-driven threads),
 * their memory, events, messages and failures. It does not depend on any API of host programs.
 *
 *     struct dpk_process *p = NULL;
 *     dpk_process_create(image, NULL, &p, &err);                 // image from loader.h
 *     uint64_t args[2] = {44, 55}, result;
 *     struct dpk_call call;
 *     dpk_process_function(p, "rpc_calculate", &call, &err);
 *     dpk_process_call(p, &call, args, sizeof args, &result, &err);
 *     dpk_process_destroy(p);
 *
 * Execution (sched.h describes it): threads of kernels and activations of event-driven threads
 * occupy execution units, which all processes on a card share (dpk_eu_count). RPCs need no unit,
 * so that a call is answered while kernels poll on every unit. Workers are threads of the host, one
 * for each processor (DPAKIT_WORKERS=N changes that; with 1, runs are deterministic). They run all
 * of this in short slices, so that a thread that polls forever does not stop the others. Host
 * threads that launch or wait run slices as well.
 *
 * The run-time limit applies to the time for which a thread runs on a processor or waits for an
 * event (on the card, such a wait is a loop), from its start or activation on. Time in which it
 * waits for a unit or a processor does not count, so that no thread fails because the machine is
 * busy. The threads of a kernel together may run for ten times the limit, times the number of
 * workers.
 *
 * After a fault, a bad call or an exceeded limit the process is in the error state. Host threads
 * that wait for it return DPK_ERR_FAULT or DPK_ERR_TIMEOUT, and later calls fail at once, except
 * dpk_copy_out and dpk_heap_free: memory can still be read and freed. Other processes are not
 * affected.
 *
 * All functions may be called from any host thread. None prints. Device code may run on the thread
 * that calls, launches or waits; it calls the message sink on that thread only during
 * dpk_process_call. A host thread that is cancelled while it waits ends when its wait has ended.
 * After fork() only the parent has the DPA: if there were processes, calls of the child on them
 * fail with DPK_ERR_FAULT, and it cannot create one (DPK_ERR_UNSUPPORTED) until it has called exec.
 */
#ifndef DPK_ENGINE_PROC_PROC_H
#define DPK_ENGINE_PROC_PROC_H

#include "base/base.h"
#include "engine/loader/loader.h"

#define DPK_THREADS_MAX       256 /* threads of one kernel (guide, 3.4.8.5) */
#define DPK_CALLS_MAX         64  /* RPCs at the same time; more wait in line */
#define DPK_WARN_AFTER_MS     10000
#define DPK_RUN_TIME_LIMIT_MS 6000 /* default for an RPC or kernel thread (guide: 6 s) */
/* Default for an activation. The guides give no number; NVIDIA's dpa_nvqual counts on 2 minutes. */
#define DPK_ACTIVATION_LIMIT_MS 120000

/* ---- Processes ---- */

struct dpk_process;

struct dpk_process_options {
    uint64_t heap_size; /* bytes, 0: the default, 1 GiB of address space */
    /* 0: DPAKIT_RUN_TIME_LIMIT of the environment, or else DPK_RUN_TIME_LIMIT_MS and
     * DPK_ACTIVATION_LIMIT_MS */
    uint32_t run_time_limit_ms;
    const char *device;    /* the device's name, which dpadev ps shows; may be NULL */
    const char *directory; /* the device's directory, an absolute path; may be NULL */
    /* Receives a line of text. It is called once, on the thread of sched's timers, when a launch or
     * a host thread has waited long for an event and nothing else would end the wait; and once, by
     * dpk_process_create, when other programs cannot find this one. May be NULL. */
    void (*warn)(const char *text);
    uint32_t warn_after_ms; /* 0: DPK_WARN_AFTER_MS */
    /* Is given a line of text, once, when a fault or an overrun limit of a thread or a kernel has
     * ended the process, of which the host learns with its next call only; on the thread of sched's
     * timers, or by dpk_process_destroy. May be NULL. */
    void (*failed)(const char *text);
};

/* Creates a process from a loaded image: maps segments, stacks with guards, the heap. The image
 * may be freed afterwards. `options` may be NULL. DPK_ERR_MISMATCH: the card has no partition of
 * execution units for the function. */
enum dpk_status dpk_process_create(const struct dpk_image *image,
                                   const struct dpk_process_options *options,
                                   struct dpk_process **out, struct dpk_error *err);

/* Ends its threads, whatever they do, and frees everything. Host threads that wait for it get
 * DPK_ERR_FAULT first. Must not be called from a message sink. NULL is fine. */
void dpk_process_destroy(struct dpk_process *p);

/* Puts the process into the error state with DPK_ERR_FAULT and this text, as a fault does: its
 * threads end, whatever they do, and so do waits for it. */
void dpk_process_end(struct dpk_process *p, const char *report);

/* Returns DPK_OK, or DPK_ERR_FAULT or DPK_ERR_TIMEOUT with a report of the first failure: kind,
 * thread, pc as "function+0x12", address. */
enum dpk_status dpk_process_state(struct dpk_process *p, struct dpk_error *err);
/* Whether the program itself asked for the error state (DPA_SYS_END_PROCESS). */
bool dpk_process_ended_itself(struct dpk_process *p);

/* Returns a descriptor that is readable as soon as the process is in the error state. The process
 * closes it. -1: the host has no descriptor left. */
int dpk_process_failure_fd(struct dpk_process *p);
/* How many instructions all of the process's threads have retired. */
uint64_t dpk_process_instructions(const struct dpk_process *p);

/* Writes the profile (DPAKIT_PROFILE) of all processes that were destroyed; without a call, that is
 * done when there is no process any more, and when the program ends. DPK_OK, too, if there is none;
 * else the error of the last time that it was written. */
enum dpk_status dpk_profile_flush(struct dpk_error *err);

/* ---- Functions ---- */

/* A function that the host may start: its address, that of its unpack wrapper, and the size of its
 * argument buffer in bytes (dpa_abi.h). */
struct dpk_call {
    uint64_t function, unpack, argument_size;
};

/* Looks up `_dpacc_unpack_<name>`, `_dpacc_argsize_<name>` and `<name>`: DPK_ERR_NOT_FOUND if the
 * program has no such entry function. */
enum dpk_status dpk_process_function(const struct dpk_process *p, const char *name,
                                     struct dpk_call *out, struct dpk_error *err);

/* Sets the function that runs when the process has got into the error state. It runs on a thread of
 * its own, with 0 as its argument if it takes one; a failure of it is not reported. NULL: none. */
enum dpk_status dpk_process_set_error_handler(struct dpk_process *p, const struct dpk_call *call,
                                              struct dpk_error *err);

/* RPC: runs the function on one thread and waits for its result. `args`: the argument buffer, laid
 * out as dpa_abi.h says. `size`: its bytes, which must be call->argument_size. */
enum dpk_status dpk_process_call(struct dpk_process *p, const struct dpk_call *call,
                                 const void *args, size_t size, uint64_t *result,
                                 struct dpk_error *err);

/* ---- Direct calls ----
 *
 *     struct dpk_direct *d = NULL;
 *     dpk_direct_create(p, &(struct dpk_direct_options){.peers = 1}, &d, &err);
 *     while (...)
 *         dpk_direct_call(d, &call, args, sizeof args, &result, NULL, &err);
 *     dpk_direct_destroy(d);
 *
 * For short functions that are called a million times a second: a hart that is kept ready, which the
 * calling thread runs at once and to the end, without a unit, a queue or sched's lock. One host
 * thread at a time uses it. A process that is debugged carries the calls out as RPCs instead. */
struct dpk_direct;

struct dpk_direct_options {
    unsigned rank, peers;  /* what the hart is told of its group; 0 peers: it is alone */
    uint64_t instructions; /* how many a call may take; 0: no limit */
    /* The clock that its code reads, in nanoseconds; called on the calling thread. NULL: the device's.
     */
    uint64_t (*now)(void *context);
    void *context;
};
/* DPK_ERR_NOMEM: out of memory, or the process has too many harts. */
enum dpk_status dpk_direct_create(struct dpk_process *p, const struct dpk_direct_options *options,
                                  struct dpk_direct **out, struct dpk_error *err);
/* Before its process is destroyed. NULL is fine. */
void dpk_direct_destroy(struct dpk_direct *d);
/* As dpk_process_call. *instructions: how many the call took; may be NULL. DPK_ERR_FAULT: also if the
 * function waits for an event. DPK_ERR_TIMEOUT: it took more than options.instructions. */
enum dpk_status dpk_direct_call(struct dpk_direct *d, const struct dpk_call *call, const void *args,
                                size_t size, uint64_t *result, uint64_t *instructions,
                                struct dpk_error *err);

/* ---- Heap ---- */

/* Allocates memory of the heap, aligned to 64 bytes. *address: a guest address. Pages of the heap
 * that no allocation has reached are not mapped: accesses fault. DPK_ERR_RANGE: `size` is 0. */
enum dpk_status dpk_heap_alloc(struct dpk_process *p, uint64_t size, uint64_t *address,
                               struct dpk_error *err);
/* Frees an allocation. It waits for the copies, fills and atomic operations below that are in
 * flight in the process, and delays those that begin meanwhile; it does not wait for the process's
 * threads. DPK_ERR_RANGE: the address is not the start of an allocation in use. */
enum dpk_status dpk_heap_free(struct dpk_process *p, uint64_t address, struct dpk_error *err);
struct dpk_heap_info {
    uint64_t base, size; /* guest address of the heap, and its bytes */
    uint64_t requested;  /* bytes that callers have asked for */
    uint64_t allocated;  /* bytes that these allocations take, with their alignment */
};
void dpk_heap_info(struct dpk_process *p, struct dpk_heap_info *out);
/* Copies and fills reach any writable (dpk_copy_out: readable) memory of the process. Elsewhere
 * they fail with DPK_ERR_RANGE, and nothing is written. Where the host's memory is of a file that
 * somebody made shorter they fail so, too, in mid-copy, from dpk_guard_begin on. An aligned word of
 * 4 or 8 bytes is written atomically, after what was copied before it. */
enum dpk_status dpk_copy_in(struct dpk_process *p, uint64_t to, const void *from, uint64_t size,
                            struct dpk_error *err);
enum dpk_status dpk_copy_out(struct dpk_process *p, void *to, uint64_t from, uint64_t size,
                             struct dpk_error *err);
/* The range in memory of the host, as long as the process is there. NULL: not all of it is memory
 * that can be read, or written. */
void *dpk_process_memory(const struct dpk_process *p, uint64_t address, uint64_t size,
                         bool writable);
/* Whether DPAKIT_RECORD keeps what is written to it. Then its memory must not be written by addresses of the
 * host. */
bool dpk_process_is_recorded(const struct dpk_process *p);
enum dpk_status dpk_fill(struct dpk_process *p, uint64_t address, int value, uint64_t size,
                         struct dpk_error *err);
/* Atomic operations on the 8 bytes at an aligned address of writable memory: the first adds
 * `value`; the second stores `value` if the bytes are `compare`. *before: what they were.
 * DPK_ERR_RANGE as above. */
enum dpk_status dpk_fetch_add(struct dpk_process *p, uint64_t address, uint64_t value,
                              uint64_t *before, struct dpk_error *err);
enum dpk_status dpk_compare_swap(struct dpk_process *p, uint64_t address, uint64_t compare,
                                 uint64_t value, uint64_t *before, struct dpk_error *err);

/* ---- Events: 64-bit counters that host and DPA update and wait for ---- */

struct dpk_event;

/* Creates an event of value 0, which belongs to no process. NULL: out of memory. */
struct dpk_event *dpk_event_create(void);
/* Sets the number by which warnings and dpadev ps name it. Until then, the runtime chooses one. */
void dpk_event_name(struct dpk_event *e, uint64_t name);
/* Ends the caller's use of it. It is freed when no process has a handle of it or a launch that uses
 * it. */
void dpk_event_release(struct dpk_event *e);
/* Gives the number by which device code of `p` names the event: never 0, the same at every call. */
enum dpk_status dpk_event_handle(struct dpk_event *e, struct dpk_process *p, uint64_t *handle,
                                 struct dpk_error *err);
uint64_t dpk_event_get(const struct dpk_event *e);
/* Adds to its value, or sets it; returns the value before. */
uint64_t dpk_event_update(struct dpk_event *e, bool adds, uint64_t value);
static inline uint64_t dpk_event_add(struct dpk_event *e, uint64_t value)
{
    return dpk_event_update(e, true, value);
}
static inline void dpk_event_set(struct dpk_event *e, uint64_t value)
{
    dpk_event_update(e, false, value);
}
/* Blocks the host thread until (value & mask) > threshold. With `p`, it also returns when that
 * process enters the error state, with the status of that, and the thread may run harts of `p`
 * meanwhile. `timeout_ms`: 0 is no limit. */
enum dpk_status dpk_event_wait_gt(struct dpk_event *e, uint64_t threshold, uint64_t mask,
                                  struct dpk_process *p, uint32_t timeout_ms,
                                  struct dpk_error *err);
/* What a watch waits for: that the event of that handle is above `value`, or another than it. */
struct dpk_event_condition {
    uint64_t event, value;
    bool differs;
};
struct dpk_event_watch;
/* Calls `met` once, when the condition is met, on a thread of the runtime that has nothing locked.
 * The watch is freed after that call.
 *   out  [out]  the watch; NULL after a failure, and when the condition is met already: then nothing
 *               is called
 * DPK_ERR_NOT_FOUND: code of `p` has no such handle. DPK_ERR_IO: the host has no thread left. */
enum dpk_status dpk_event_watch(struct dpk_process *p, const struct dpk_event_condition *c,
                                void (*met)(void *context, struct dpk_event_watch *watch),
                                void *context, struct dpk_event_watch **out, struct dpk_error *err);
/* Frees a watch. False: its call has begun, and frees it. */
bool dpk_event_unwatch(struct dpk_event_watch *watch);
/* Appends a description of such a wait, as in "event 0x50 & 0xff > 3 (is 1)". */
void dpk_event_put_wait(const struct dpk_event *e, uint64_t threshold, uint64_t mask,
                        struct dpk_buf *out);

/* ---- Kernels ---- */

struct dpk_launch {
    struct dpk_call call;
    const void *args; /* copied */
    size_t args_size;
    unsigned threads;       /* 1 to DPK_THREADS_MAX, and no more than there are units */
    struct dpk_event *wait; /* the kernel starts when its value > wait_threshold; NULL: at once */
    uint64_t wait_threshold;
    struct dpk_event *complete; /* updated when the last thread has ended; may be NULL */
    bool complete_adds;         /* true: add complete_count to it; false: set it to that */
    uint64_t complete_count;
};

/* Starts a kernel. A short kernel may have ended when this returns. A failure of the kernel is not
 * an error of this call. Kernels that no event orders run side by side while units are free; those
 * that wait for units get them in the order of their launches. */
enum dpk_status dpk_process_launch(struct dpk_process *p, const struct dpk_launch *launch,
                                   struct dpk_error *err);
/* Waits until every kernel launched so far has ended. */
enum dpk_status dpk_process_drain(struct dpk_process *p, struct dpk_error *err);

/* ---- Threads of event-driven programs ----
 *
 *     struct dpk_thread *t;  struct dpk_trigger *cq;
 *     dpk_thread_create(p, &(struct dpk_thread_options){.call = handler}, &t, &err);
 *     dpk_thread_start(t, &err);                               // checks its execution unit
 *     dpk_trigger_create(p, DPK_TRIGGER_QUEUE, &cq, &err);     // of a completion queue
 *     dpk_trigger_attach(cq, t, &err);
 *     dpk_thread_run(t, &arg, &err);                           // it waits for events from now on
 *     dpk_trigger_arm(cq, 0);
 *     ... dpk_trigger_signal(cq, 1);                           // a completion: handler(arg) runs
 *
 * After dpk_thread_run a thread waits for events. Each event causes one activation: the thread's
 * function runs from its beginning, with a fresh stack pointer. Events that come during an
 * activation are counted, and each causes one more activation afterwards. Events that come before
 * dpk_thread_run, or after FINISH, are lost. An activation ends in one of these ways:
 *     RESCHEDULE          The thread waits for the next event.
 *     RETRIGGER           The same, and the next activation begins at once.
 *     FINISH, or return   The thread waits for no event until the next dpk_thread_run.
 *     PARK                In a continuable thread, the next event resumes it behind this call, with
 *                         its registers and stack. In others it is the same as RESCHEDULE.
 *     PARK_RETRIGGER      The same, and the thread goes on at once.
 *     dpk_thread_stop     The host ends the activation, whatever it does.
 * A fault, or an activation that runs longer than the limit, fails the process. An activation
 * occupies an execution unit; with affinity it waits until one of those is free.
 */

#define DPK_CALLER_STATE       4    /* words of struct dpk_caller */
#define DPK_THREADS_OF_PROCESS 1024 /* dpk_threads of a process; each has a stack and an id */

struct dpk_affinity {
    enum {
        DPK_AFFINITY_NONE,   /* any unit */
        DPK_AFFINITY_STRICT, /* the unit with number `id` */
        DPK_AFFINITY_GROUP,  /* any unit of group `id` */
    } kind;
    uint32_t id;
};

/* Execution units that the process may use. The device says which, when the process is created: those
 * of the partition of its function, and groups of them (private.h). They are shared with all programs
 * on the card. Kernels and threads without affinity have those that are in no group. For one run, DPAKIT_EUS=N or DPAKIT_EUS=FIRST-LAST says otherwise: units FIRST to
 * LAST of the card, which the program sees as 0 to LAST-FIRST (virtual units), and
 * DPAKIT_EU_GROUPS=ID=FIRST-LAST[,...] makes groups of them, with numbers as the program sees them.
 * Both are read when the first process is created. */
#define DPK_EUS_MAX DPK_UNITS_MAX
unsigned dpk_eu_count(const struct dpk_process *p);
/* Whether there is a unit that this affinity allows. */
bool dpk_eu_exists(const struct dpk_process *p, const struct dpk_affinity *affinity);

struct dpk_thread;

struct dpk_thread_options {
    struct dpk_call call; /* takes one 8-byte argument or none: else DPK_ERR_RANGE */
    uint64_t argument;
    uint64_t local_storage; /* guest address, 0: none */
    struct dpk_affinity affinity;
    unsigned rank, peers; /* what it is told of its group; 0 peers: it is alone */
    bool continuable;
    uint64_t state[DPK_CALLER_STATE]; /* dpk_caller.state when an activation begins */
};

/* Creates a thread; the options are copied. dpk_process_destroy frees threads that are left.
 * DPK_ERR_NOMEM: out of memory, or the process has DPK_THREADS_OF_PROCESS of them. */
enum dpk_status dpk_thread_create(struct dpk_process *p, const struct dpk_thread_options *options,
                                  struct dpk_thread **out, struct dpk_error *err);
/* Checks that there is a unit for its affinity, which dpk_thread_run needs. A second call is fine.
 * DPK_ERR_RANGE: the unit or group does not exist. */
enum dpk_status dpk_thread_start(struct dpk_thread *t, struct dpk_error *err);
/* Lets the thread wait for events. `argument`: replaces the argument of the thread; NULL: it keeps
 * the one it has. DPK_ERR_USAGE: the thread was not started, or an activation runs. */
enum dpk_status dpk_thread_run(struct dpk_thread *t, const uint64_t *argument,
                               struct dpk_error *err);
/* Sends an event from the host to the thread. */
void dpk_thread_activate(struct dpk_thread *t);
/* Ends the activation that runs and drops the events that were counted; the thread must be started
 * again then. Returns when its code has stopped. Must not be called from a message sink. */
void dpk_thread_stop(struct dpk_thread *t);
/* Stops a thread, detaches its triggers and frees it. Must not be called from a message sink. NULL
 * is fine. */
void dpk_thread_destroy(struct dpk_thread *t);
/* The number that DPA_SYS_THREAD_ID returns in it, and that its messages begin with. */
unsigned dpk_thread_id(const struct dpk_thread *t);

/* ---- Triggers: the sources of events for threads ---- */

struct dpk_trigger;

enum dpk_trigger_kind {
    DPK_TRIGGER_NOTIFICATION, /* each dpk_trigger_signal, or DPA_SYS_NOTIFY, is an event */
    DPK_TRIGGER_QUEUE, /* of a completion queue: a completion is an event if the queue is armed,
                          and disarms it; arming it is an event if there are completions that its
                          consumer has not seen */
};

/* Creates a trigger without a thread; events are lost until one is attached. */
enum dpk_status dpk_trigger_create(struct dpk_process *p, enum dpk_trigger_kind kind,
                                   struct dpk_trigger **out, struct dpk_error *err);
void dpk_trigger_destroy(struct dpk_trigger *trigger); /* NULL is fine */
/* Sends the trigger's events to `t` from now on. NULL: to no thread. DPK_ERR_MISMATCH: `t` belongs
 * to another process. */
enum dpk_status dpk_trigger_attach(struct dpk_trigger *trigger, struct dpk_thread *t,
                                   struct dpk_error *err);
/* The number by which device code names it, never 0. Device code that uses the number of a
 * destroyed trigger faults. */
uint64_t dpk_trigger_handle(const struct dpk_trigger *trigger);
/* Whether its events cause activations: a thread is attached and waits for events. */
bool dpk_trigger_is_heard(struct dpk_trigger *trigger);
/* Reports so many more completions, which the device can see already, as one event; or
 * notifications, each of them one. */
void dpk_trigger_signal(struct dpk_trigger *trigger, unsigned count);
/* The same of many completion queues, so that their threads are woken at once. The first counts the
 * completions, and returns whether the trigger has to be among those of the second. */
bool dpk_trigger_count(struct dpk_trigger *trigger, unsigned count);
void dpk_triggers_fire(struct dpk_trigger *const *triggers, size_t count);
/* Requests an event for the next completion after the first `consumed` ones. */
void dpk_trigger_arm(struct dpk_trigger *trigger, uint32_t consumed);

/* ---- Calls of the device that host libraries carry out ---- */

/* The thread of the device that makes a call. `state` is for the host libraries: it is zero when an
 * RPC, kernel or task begins, and is set from the thread's options when an activation begins (not
 * when a parked one goes on). Word 2 is libdoca_dpa's, the others are libflexio's. */
struct dpk_caller {
    unsigned thread_id;
    bool polls; /* a call that found nothing sets it: after several in a row other threads run */
    uint64_t state[DPK_CALLER_STATE];
};

/* Carries out DPA_SYS_CALL(family, call) with the arguments args[0] to args[5]. Returns true with
 * the result in *result, or false: then the thread faults, with the reason in `fault`, a buffer of
 * `size` bytes. It is called on a worker or on a host thread that waits for the process. It must
 * not wait, nor destroy the process or its threads. */
typedef bool (*dpk_device_call)(void *context, struct dpk_caller *caller, unsigned call,
                                const uint64_t args[6], uint64_t *result, char *fault, size_t size);
/* Says that a call has worked on so many bytes: they use up the thread's slice as instructions do. False:
 * the run-time limit has passed inside of it, and it is to return false at once. Elsewhere it is true. */
bool dpk_call_worked(uint64_t bytes);
/* Sets the handler of a family of calls, once, before the program runs. */
void dpk_process_set_calls(struct dpk_process *p, unsigned family, dpk_device_call handler,
                           void *context);

#define DPK_FAULT_REASON_MAX 300
/* Memory outside of the process, at addresses from RV64_EXTERNAL_BASE (rv64.h) on. Each load and
 * store of device code there is one call of `find`, then of `release`. */
struct dpk_external_memory {
    /* Returns the host address of `size` bytes, at most 8. NULL: the access faults, for the reason
     * that it writes to `reason` (DPK_FAULT_REASON_MAX bytes). The memory must stay until `release`,
     * which gets the value that `find` has stored in *pinned; it is called after the access, unless
     * `find` returned NULL. */
    void *(*find)(void *context, const struct dpk_caller *caller, uint64_t address, unsigned size,
                  bool write, void **pinned, char *reason);
    void (*release)(void *context, void *pinned);
    void *context;
};
/* Sets it before the program runs. `memory` is copied. */
void dpk_process_set_external_memory(struct dpk_process *p,
                                     const struct dpk_external_memory *memory);

/* ---- Doorbells ----
 * With DPAKIT_STRICT=memory, the NIC sees what a thread has stored to DPA memory only behind its next
 * fence (store_buffer.h). */

/* The NIC gets doorbells of the process from now on. */
void dpk_process_has_doorbells(struct dpk_process *p);
/* A doorbell of this thread of the DPA, from its call: until the end, dpk_copy_out on this thread of
 * the host finds what the NIC does. */
void dpk_doorbell_begin(struct dpk_caller *caller);
void dpk_doorbell_end(void);
/* Whether stores to the process's memory wait for fences so: the NIC reads it with dpk_copy_out then. */
bool dpk_process_buffers_stores(const struct dpk_process *p);

/* ---- Task queues ----
 *
 *     struct dpk_tasks *q;
 *     dpk_tasks_create(p, 8, &q, &err);               // at most 8 tasks at once
 *     dpk_tasks_add(q, &call, 17, &err);  ...
 *     dpk_tasks_run(q, &err);                         // these tasks, and those added later
 *     while (!dpk_tasks_empty(q)) ...
 *     dpk_tasks_destroy(q);
 */

struct dpk_reserved;
/* Occupies `count` execution units, of those that kernels get, until they are returned.
 * DPK_ERR_NOMEM: fewer are free. */
enum dpk_status dpk_units_reserve(struct dpk_process *p, unsigned count, struct dpk_reserved **out,
                                  struct dpk_error *err);
/* `lives`: whether the process is still there; units go with it. NULL is fine. */
void dpk_reserved_return(struct dpk_reserved *r, bool lives);

struct dpk_tasks;
/* Creates a queue that runs at most `workers` tasks at once, and none before dpk_tasks_run.
 * DPK_ERR_RANGE: `workers` is not 1 to DPK_EUS_MAX. */
enum dpk_status dpk_tasks_create(struct dpk_process *p, unsigned workers, struct dpk_tasks **out,
                                 struct dpk_error *err);
/* Adds a task: one call of a function that takes one 8-byte argument or none. Tasks start in the
 * order in which they were added, each on an execution unit of its own. */
enum dpk_status dpk_tasks_add(struct dpk_tasks *q, const struct dpk_call *call, uint64_t argument,
                              struct dpk_error *err);
/* Starts the tasks of the queue, and from now on those that are added. */
enum dpk_status dpk_tasks_run(struct dpk_tasks *q, struct dpk_error *err);
/* Whether every task has ended. */
bool dpk_tasks_empty(struct dpk_tasks *q);
/* Drops tasks that have not started, ends those that run and frees the queue. Must be called before
 * its process is destroyed. NULL is fine. */
void dpk_tasks_destroy(struct dpk_tasks *q);

/* ---- Messages ---- */

/* Receives one message: UTF-8 text of `size` bytes, without a NUL at its end. It has no control
 * characters but line breaks and tabs; whatever else the device sent was replaced by '?'. It is
 * called on a worker or on a host thread inside dpk_process_call, for one message of a process at a
 * time, in the order in which the device sent them. It must not wait for the process, destroy it or
 * set its sink. */
typedef void (*dpk_message_sink)(void *context, unsigned stream, unsigned level, unsigned thread_id,
                                 const char *text, size_t size);
/* Sets the function that gets the process's messages. Messages sent before are lost. */
void dpk_process_set_sink(struct dpk_process *p, dpk_message_sink sink, void *context);

/* ---- Work that is put off ----
 * What threads cause one after another may be done better once for all of them, as frames leave by
 * one call of the kernel. While other threads are ready, it can be put off by some microseconds. */
struct dpk_deferred;

/* `run` carries it out, on a thread that holds no lock. NULL: out of memory. */
struct dpk_deferred *dpk_deferred_new(void (*run)(void *context), void *context);
/* Puts it off, if it does not wait already. False: the caller has to do it now. */
bool dpk_defer(struct dpk_deferred *d);
/* It does not run afterwards, even if it waited. NULL is fine. */
void dpk_deferred_free(struct dpk_deferred *d);

/* ---- Inspection ---- */

struct dpk_thread_info {
    unsigned id, rank;
    /* "running", "ready", "waiting" (for a unit), "blocked", "held", "idle", "failed" */
    const char *state;
    bool rpc;              /* it carries out, or did last, an RPC; else a kernel or an activation */
    const char *function;  /* the function of that; borrowed from the program's image */
    uint64_t instructions; /* retired since it was created, until the end of its last slice */
    uint64_t misaligned;   /* misaligned loads and stores, counted likewise */
};
/* Describes the process's threads by id, at most `max` of them. Returns how many there are. */
size_t dpk_process_threads(struct dpk_process *p, struct dpk_thread_info *out, size_t max);
/* The program's name. */
const char *dpk_process_app(const struct dpk_process *p);

/* Writes a core file (debug.h) of a process. If the process has failed, the file has the threads
 * that were active then, and first the one that caused the failure. Else the process is stopped
 * meanwhile. */
enum dpk_status dpk_process_core(struct dpk_process *p, const char *path, struct dpk_error *err);

/* Appends the process's state as text: the failure, and each thread with pc, function, line and
 * registers. */
void dpk_process_report(struct dpk_process *p, struct dpk_buf *out);

/* ---- Debugging ----
 * From dpk_debugger_create to dpk_debugger_destroy the process runs only when GDB says so, and
 * there is no run-time limit. A process has one debugger at a time. */
struct dpk_debugger;

/* DPK_ERR_REFUSED: the device of the program allows no debuggers. */
enum dpk_status dpk_debugger_create(struct dpk_process *p, struct dpk_debugger **out,
                                    struct dpk_error *err);
/* Returns why the client may read but not change the process; NULL if it may change it. The text
 * lives as long as `d`. */
const char *dpk_debugger_locked(const struct dpk_debugger *d);
/* Removes breakpoints and watches and lets the process go on. */
void dpk_debugger_detach(struct dpk_debugger *d);
/* Detaches if dpk_debugger_detach was not called, and frees `d`. NULL is fine. */
void dpk_debugger_destroy(struct dpk_debugger *d);
/* Waits until a thread is about to run, or the process has failed. */
void dpk_debugger_await(struct dpk_debugger *d);
/* Serves one client of GDB's remote protocol (dpk_gdb_serve) until it detaches or disconnects. Then
 * the process goes on if `attached`, else it is ended. DPK_ERR_REFUSED: the device does not allow
 * the client, or does not any more; the process goes on. */
enum dpk_status dpk_debugger_serve(struct dpk_debugger *d, int in, int out, bool attached,
                                   struct dpk_error *err);
/* Tells the client that the program has ended with `code`. */
void dpk_debugger_exit(struct dpk_debugger *d, int code);
/* Appends to the log of the program's device an entry about a client that is not served yet. */
enum dpk_status dpk_debugger_log(const struct dpk_debugger *d, const char *action,
                                 const char *result, const char *detail);
/* Returns the number by which another process of this user may debug `p` (dpa-gdbserver). The first
 * call makes it; before, no other process may debug `p`. 0: there is no socket to debug it by. */
uint64_t dpk_process_token(struct dpk_process *p);

#endif
