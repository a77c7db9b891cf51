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
 * so that a call is answered while kernels poll on every unit. Workers are host threads, one
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
 * All functions may be called from any host thread. They do not print. Device code may run on the
 * thread that calls, launches or waits; it calls the message sink on that thread only during
 * dpk_process_call. A host thread that is cancelled while it waits ends when its wait has ended.
 * After fork() only the parent has the DPA: if there were processes, calls of the child on them
 * fail with DPK_ERR_FAULT, and it cannot create one (DPK_ERR_UNSUPPORTED) until it has called exec.
 */
#ifndef DPK_ENGINE_PROC_PROC_H
#define DPK_ENGINE_PROC_PROC_H

#include "base/base.h"
#include "engine/loader/loader.h"

#define DPK_THREADS_MAX       256 /* maximum threads of a kernel (guide, 3.4.8.5) */
#define DPK_CALLS_MAX         64  /* maximum number of concurrent RPCs; further RPCs wait in line */
#define DPK_WARN_AFTER_MS     10000
#define DPK_RUN_TIME_LIMIT_MS 6000 /* default limit of an RPC or kernel thread (guide: 6 s) */
/* Default limit of an activation. The guides give no number; NVIDIA's dpa_nvqual needs 2
 * minutes. */
#define DPK_ACTIVATION_LIMIT_MS 120000

/* ---- Processes ---- */

struct dpk_process;

struct dpk_process_options {
    uint64_t heap_size; /* bytes; 0: the default, 1 GiB of address space */
    /* 0: the environment variable DPAKIT_RUN_TIME_LIMIT, else DPK_RUN_TIME_LIMIT_MS and
     * DPK_ACTIVATION_LIMIT_MS */
    uint32_t run_time_limit_ms;
    const char *device;    /* device name, for dpadev ps; may be NULL */
    const char *directory; /* absolute path of the device's directory; may be NULL */
    /* Receives a line of text. It is called once, on the thread of sched's timers, if a launch or a
     * host thread has waited long for an event and nothing else can end the wait. It is also called
     * once, by dpk_process_create, if other programs cannot find this program. May be NULL. */
    void (*warn)(const char *text);
    uint32_t warn_after_ms; /* 0: DPK_WARN_AFTER_MS */
    /* Receives a line of text, once, if a fault or an exceeded limit of a thread or a kernel has
     * ended the process and the host would notice only at its next call. It is called on the thread
     * of sched's timers, or by dpk_process_destroy. May be NULL. */
    void (*failed)(const char *text);
};

/* Creates a process from a loaded image: maps segments, stacks with guards, and the heap. The image
 * may be freed afterwards. `options` may be NULL. Errors: DPK_ERR_MISMATCH if the card has no
 * partition of execution units for the function. */
enum dpk_status dpk_process_create(const struct dpk_image *image,
                                   const struct dpk_process_options *options,
                                   struct dpk_process **out, struct dpk_error *err);

/* Ends its threads, whatever they do, and frees everything. Host threads that wait for the process
 * first get DPK_ERR_FAULT. Do not call this from a message sink. NULL is allowed. */
void dpk_process_destroy(struct dpk_process *p);

/* Puts the process into the error state with DPK_ERR_FAULT and this text, like a fault: its threads
 * end, whatever they do, and so do waits for the process. */
void dpk_process_end(struct dpk_process *p, const char *report);

/* Returns DPK_OK, or DPK_ERR_FAULT or DPK_ERR_TIMEOUT with a report of the first failure: kind,
 * thread, pc as "function+0x12", address. */
enum dpk_status dpk_process_state(struct dpk_process *p, struct dpk_error *err);
/* Returns true if the program itself requested the error state (DPA_SYS_END_PROCESS). */
bool dpk_process_ended_itself(struct dpk_process *p);

/* Returns a descriptor that is readable as soon as the process is in the error state. The process
 * closes it. Returns -1 if the host has no free descriptor. */
int dpk_process_failure_fd(struct dpk_process *p);
/* Returns the number of instructions that all threads of the process have retired. */
uint64_t dpk_process_instructions(const struct dpk_process *p);

/* Writes the profile (DPAKIT_PROFILE) of all destroyed processes. Without this call, it is written
 * when the last process is destroyed, and when the program ends. Returns DPK_OK without a profile,
 * else the error of the last write. */
enum dpk_status dpk_profile_flush(struct dpk_error *err);

/* ---- Functions ---- */

/* A function that the host may start: its address, the address of its unpack wrapper, and the size
 * of its argument buffer in bytes (dpa_abi.h). */
struct dpk_call {
    uint64_t function, unpack, argument_size;
};

/* Looks up `_dpacc_unpack_<name>`, `_dpacc_argsize_<name>` and `<name>`. Errors: DPK_ERR_NOT_FOUND
 * if the program does not have the entry function. */
enum dpk_status dpk_process_function(const struct dpk_process *p, const char *name,
                                     struct dpk_call *out, struct dpk_error *err);

/* Sets the function that runs after the process has entered the error state. It runs on its own
 * thread, with 0 as its argument if it takes one. Its own failure is not reported. NULL removes
 * it. */
enum dpk_status dpk_process_set_error_handler(struct dpk_process *p, const struct dpk_call *call,
                                              struct dpk_error *err);

/* RPC: runs the function on one thread and waits for its result. `args`: the argument buffer, laid
 * out as in dpa_abi.h. `size`: its bytes, which must be call->argument_size. */
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
 * For short functions that are called a million times a second. A hart is kept ready, and the
 * calling thread runs it at once and to the end, without a unit, a queue or sched's lock. Only one
 * host thread at a time may use it. In a process that is debugged, the calls are RPCs instead. */
struct dpk_direct;

struct dpk_direct_options {
    unsigned rank, peers;  /* number and size of the hart's group, as its code sees them; peers 0:
                            * no group */
    uint64_t instructions; /* maximum instructions of a call; 0: no limit */
    /* Returns the clock that its code reads, in nanoseconds; called on the calling thread. NULL:
     * the device's clock. */
    uint64_t (*now)(void *context);
    void *context;
};
/* Errors: DPK_ERR_NOMEM if there is no memory, or the process has too many harts. */
enum dpk_status dpk_direct_create(struct dpk_process *p, const struct dpk_direct_options *options,
                                  struct dpk_direct **out, struct dpk_error *err);
/* Call this before its process is destroyed. NULL is allowed. */
void dpk_direct_destroy(struct dpk_direct *d);
/* Like dpk_process_call. *instructions: the call's instructions; may be NULL. Errors: also
 * DPK_ERR_FAULT if the function waits for an event, and DPK_ERR_TIMEOUT if it took more than
 * options.instructions. */
enum dpk_status dpk_direct_call(struct dpk_direct *d, const struct dpk_call *call, const void *args,
                                size_t size, uint64_t *result, uint64_t *instructions,
                                struct dpk_error *err);

/* ---- Heap ---- */

/* Allocates heap memory, aligned to 64 bytes. *address: a guest address. Heap pages that no
 * allocation has used are not mapped: accesses to them fault. Errors: DPK_ERR_RANGE if `size` is
 * 0. */
enum dpk_status dpk_heap_alloc(struct dpk_process *p, uint64_t size, uint64_t *address,
                               struct dpk_error *err);
/* Frees an allocation. It waits for copies, fills and atomic operations (below) in flight in the
 * process, and delays new ones meanwhile. It does not wait for the process's threads. Errors:
 * DPK_ERR_RANGE if the address is not the start of an allocation in use. */
enum dpk_status dpk_heap_free(struct dpk_process *p, uint64_t address, struct dpk_error *err);
struct dpk_heap_info {
    uint64_t base, size; /* guest address of the heap, and its bytes */
    uint64_t requested;  /* bytes that callers requested */
    uint64_t allocated;  /* bytes that these allocations occupy, with their alignment */
};
void dpk_heap_info(struct dpk_process *p, struct dpk_heap_info *out);
/* Copies and fills can access any writable memory of the process (dpk_copy_out: readable memory).
 * Errors: DPK_ERR_RANGE for other addresses; then nothing is written. After dpk_guard_begin, they
 * also fail in mid-copy if the host memory belongs to a file that was made shorter. An aligned word
 * of 4 or 8 bytes is written atomically, after the bytes that were copied before it. */
enum dpk_status dpk_copy_in(struct dpk_process *p, uint64_t to, const void *from, uint64_t size,
                            struct dpk_error *err);
enum dpk_status dpk_copy_out(struct dpk_process *p, void *to, uint64_t from, uint64_t size,
                             struct dpk_error *err);
/* Returns the host address of a range, valid as long as the process. NULL if not all of it is
 * memory that can be read, or written. */
void *dpk_process_memory(const struct dpk_process *p, uint64_t address, uint64_t size,
                         bool writable);
/* Returns true if DPAKIT_RECORD records writes to its memory. Then do not write the memory through
 * host addresses. */
bool dpk_process_is_recorded(const struct dpk_process *p);
enum dpk_status dpk_fill(struct dpk_process *p, uint64_t address, int value, uint64_t size,
                         struct dpk_error *err);
/* Atomic operations on the 8 bytes at an aligned address of writable memory. The first adds
 * `value`. The second stores `value` if the bytes equal `compare`. *before: the old bytes. Errors:
 * DPK_ERR_RANGE as above. */
enum dpk_status dpk_fetch_add(struct dpk_process *p, uint64_t address, uint64_t value,
                              uint64_t *before, struct dpk_error *err);
enum dpk_status dpk_compare_swap(struct dpk_process *p, uint64_t address, uint64_t compare,
                                 uint64_t value, uint64_t *before, struct dpk_error *err);

/* ---- Events: 64-bit counters that host and DPA update and wait for ---- */

struct dpk_event;

/* Creates an event of value 0, which does not belong to a process. Returns NULL if there is no
 * memory. */
struct dpk_event *dpk_event_create(void);
/* Sets its number for warnings and dpadev ps. Before, the runtime chooses a number. */
void dpk_event_name(struct dpk_event *e, uint64_t name);
/* Ends the caller's use of the event. It is freed when no process has a handle of it and no launch
 * uses it. */
void dpk_event_release(struct dpk_event *e);
/* Gets the number by which device code of `p` names the event: never 0, and equal at every call. */
enum dpk_status dpk_event_handle(struct dpk_event *e, struct dpk_process *p, uint64_t *handle,
                                 struct dpk_error *err);
uint64_t dpk_event_get(const struct dpk_event *e);
/* Adds to its value (`adds`), or sets it. Returns the old value. */
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
 * process enters the error state, with the status of the failure, and the thread may run harts of
 * `p` meanwhile. `timeout_ms`: 0 means no limit. */
enum dpk_status dpk_event_wait_gt(struct dpk_event *e, uint64_t threshold, uint64_t mask,
                                  struct dpk_process *p, uint32_t timeout_ms,
                                  struct dpk_error *err);
/* The condition of a watch: the value of the event with that handle is above `value`, or differs
 * from it. */
struct dpk_event_condition {
    uint64_t event, value;
    bool differs;
};
struct dpk_event_watch;
/* Calls `met` once, when the condition is met, on a runtime thread that holds no lock. The watch is
 * freed after that call. `out` gets the watch; NULL after a failure, or if the condition is met
 * already (then `met` is not called). Errors: DPK_ERR_NOT_FOUND if code of `p` does not have this
 * handle, DPK_ERR_IO if the host cannot start a thread. */
enum dpk_status dpk_event_watch(struct dpk_process *p, const struct dpk_event_condition *c,
                                void (*met)(void *context, struct dpk_event_watch *watch),
                                void *context, struct dpk_event_watch **out, struct dpk_error *err);
/* Frees a watch. Returns false if its call has started; the watch is then freed after the call. */
bool dpk_event_unwatch(struct dpk_event_watch *watch);
/* Appends a description of a wait, as in "event 0x50 & 0xff > 3 (is 1)". */
void dpk_event_put_wait(const struct dpk_event *e, uint64_t threshold, uint64_t mask,
                        struct dpk_buf *out);

/* ---- Kernels ---- */

struct dpk_launch {
    struct dpk_call call;
    const void *args; /* copied */
    size_t args_size;
    unsigned threads;       /* 1 to DPK_THREADS_MAX, and not more than there are units */
    struct dpk_event *wait; /* the kernel starts when its value > wait_threshold; NULL: at once */
    uint64_t wait_threshold;
    struct dpk_event *complete; /* updated after the last thread has ended; may be NULL */
    bool complete_adds;         /* true: complete_count is added; false: the value is set to it */
    uint64_t complete_count;
};

/* Starts a kernel. A short kernel may have ended when this returns. A failure of the kernel is not
 * an error of this call. Kernels that no event orders run concurrently while units are free.
 * Kernels that wait for units get them in the order of their launches. */
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
 * function runs from its start, with a fresh stack pointer. Events that come during an activation
 * are counted, and each causes one more activation afterwards. Events that come before
 * dpk_thread_run, or after FINISH, are lost. An activation ends in one of these ways:
 *     RESCHEDULE          The thread waits for the next event.
 *     RETRIGGER           Like RESCHEDULE, but the next activation starts at once.
 *     FINISH, or return   The thread does not wait for events until the next dpk_thread_run.
 *     PARK                In a continuable thread, the next event resumes it after this call, with
 *                         its registers and stack. In other threads it equals RESCHEDULE.
 *     PARK_RETRIGGER      Like PARK, but the thread continues at once.
 *     dpk_thread_stop     The host ends the activation, whatever it does.
 * A fault, or an activation that runs longer than the limit, fails the process. An activation
 * occupies an execution unit; with affinity it waits until one of its allowed units is free.
 */

#define DPK_CALLER_STATE       4    /* words of struct dpk_caller */
/* maximum number of dpk_threads of a process; each has a stack and an id */
#define DPK_THREADS_OF_PROCESS 1024

struct dpk_affinity {
    enum {
        DPK_AFFINITY_NONE,   /* any unit */
        DPK_AFFINITY_STRICT, /* the unit with number `id` */
        DPK_AFFINITY_GROUP,  /* any unit of group `id` */
    } kind;
    uint32_t id;
};

/* Execution units that the process may use. When the process is created, the device says which:
 * those of the partition of its function, and groups of them (private.h). All programs on the card
 * share them. Kernels and threads without affinity use the units that are in no group. Two
 * variables override this for a run: DPAKIT_EUS=N or DPAKIT_EUS=FIRST-LAST selects units FIRST to
 * LAST of the card, which the program sees as 0 to LAST-FIRST (virtual units).
 * DPAKIT_EU_GROUPS=ID=FIRST-LAST[,...] makes groups of them, with numbers as the program sees them.
 * Both are read when the first process is created. */
#define DPK_EUS_MAX DPK_UNITS_MAX
unsigned dpk_eu_count(const struct dpk_process *p);
/* Returns true if a unit exists that this affinity allows. */
bool dpk_eu_exists(const struct dpk_process *p, const struct dpk_affinity *affinity);

struct dpk_thread;

struct dpk_thread_options {
    struct dpk_call call; /* takes one 8-byte argument or none; else DPK_ERR_RANGE */
    uint64_t argument;
    uint64_t local_storage; /* guest address; 0 if there is none */
    struct dpk_affinity affinity;
    unsigned rank, peers; /* number and size of its group, as its code sees them; peers 0: no
                           * group */
    bool continuable;
    uint64_t state[DPK_CALLER_STATE]; /* dpk_caller.state at the start of an activation */
};

/* Creates a thread; the options are copied. dpk_process_destroy frees remaining threads. Errors:
 * DPK_ERR_NOMEM if there is no memory, or the process has DPK_THREADS_OF_PROCESS threads. */
enum dpk_status dpk_thread_create(struct dpk_process *p, const struct dpk_thread_options *options,
                                  struct dpk_thread **out, struct dpk_error *err);
/* Checks that a unit exists for its affinity; call this before dpk_thread_run. A second call is
 * allowed. Errors: DPK_ERR_RANGE if the unit or group does not exist. */
enum dpk_status dpk_thread_start(struct dpk_thread *t, struct dpk_error *err);
/* Lets the thread wait for events. `argument` replaces the thread's argument; NULL keeps it.
 * Errors: DPK_ERR_USAGE if the thread was not started, or an activation runs. */
enum dpk_status dpk_thread_run(struct dpk_thread *t, const uint64_t *argument,
                               struct dpk_error *err);
/* Sends an event from the host to the thread. */
void dpk_thread_activate(struct dpk_thread *t);
/* Ends the running activation and drops the counted events. Then the thread must be started again.
 * Returns after its code has stopped. Do not call this from a message sink. */
void dpk_thread_stop(struct dpk_thread *t);
/* Stops a thread, detaches its triggers and frees it. Do not call this from a message sink. NULL is
 * allowed. */
void dpk_thread_destroy(struct dpk_thread *t);
/* Returns the number that DPA_SYS_THREAD_ID returns in the thread, and that starts its messages. */
unsigned dpk_thread_id(const struct dpk_thread *t);

/* ---- Triggers: the sources of events for threads ---- */

struct dpk_trigger;

enum dpk_trigger_kind {
    DPK_TRIGGER_NOTIFICATION, /* each dpk_trigger_signal, or DPA_SYS_NOTIFY, is an event */
    /* of a completion queue: a completion is an event if the queue is armed, and disarms it; arming
     * it is an event if there are completions that its consumer has not seen */
    DPK_TRIGGER_QUEUE,
};

/* Creates a trigger without a thread. Its events are lost until a thread is attached. */
enum dpk_status dpk_trigger_create(struct dpk_process *p, enum dpk_trigger_kind kind,
                                   struct dpk_trigger **out, struct dpk_error *err);
void dpk_trigger_destroy(struct dpk_trigger *trigger); /* NULL is allowed */
/* Sends the trigger's events to `t` from now on; NULL: to no thread. Errors: DPK_ERR_MISMATCH if
 * `t` belongs to another process. */
enum dpk_status dpk_trigger_attach(struct dpk_trigger *trigger, struct dpk_thread *t,
                                   struct dpk_error *err);
/* Returns the number by which device code names the trigger, never 0. Device code that uses the
 * number of a destroyed trigger faults. */
uint64_t dpk_trigger_handle(const struct dpk_trigger *trigger);
/* Returns true if its events cause activations: a thread is attached and waits for events. */
bool dpk_trigger_is_heard(struct dpk_trigger *trigger);
/* Reports `count` more completions, which the device can see already, as one event; or `count`
 * notifications, each as one event. */
void dpk_trigger_signal(struct dpk_trigger *trigger, unsigned count);
/* Same for many completion queues, so that their threads are woken together. The first function
 * counts the completions, and returns true if the trigger must be passed to the second. */
bool dpk_trigger_count(struct dpk_trigger *trigger, unsigned count);
void dpk_triggers_fire(struct dpk_trigger *const *triggers, size_t count);
/* Requests an event for the next completion after the first `consumed` completions. */
void dpk_trigger_arm(struct dpk_trigger *trigger, uint32_t consumed);

/* ---- Calls of the device that host libraries execute ---- */

/* The device thread that makes a call. `state` is for the host libraries: it is zero when an RPC,
 * kernel or task starts, and is set from the thread's options when an activation starts (not when a
 * parked activation continues). Word 2 belongs to libdoca_dpa, the other words to libflexio. */
struct dpk_caller {
    unsigned thread_id;
    bool polls; /* set by a call that found nothing to do: after several such calls in a row, other
                 * threads run */
    uint64_t state[DPK_CALLER_STATE];
};

/* Executes DPA_SYS_CALL(family, call) with the arguments args[0] to args[5]. Returns true with the
 * result in *result. If it returns false, the thread faults, with the reason in `fault`, a buffer
 * of `size` bytes. It is called on a worker or on a host thread that waits for the process. It must
 * not wait, nor destroy the process or its threads. */
typedef bool (*dpk_device_call)(void *context, struct dpk_caller *caller, unsigned call,
                                const uint64_t args[6], uint64_t *result, char *fault, size_t size);
/* Reports that a call has worked on `bytes` bytes, which use up the thread's slice like
 * instructions. Returns false if the run-time limit has passed inside the call; the call must then
 * return false at once. Outside calls it returns true. */
bool dpk_call_worked(uint64_t bytes);
/* Sets the handler of a family of calls. Call this once, before the program runs. */
void dpk_process_set_calls(struct dpk_process *p, unsigned family, dpk_device_call handler,
                           void *context);

#define DPK_FAULT_REASON_MAX 300
/* Memory outside the process, at addresses from RV64_EXTERNAL_BASE (rv64.h) on. Each load and store
 * of device code there calls `find`, then `release`. */
struct dpk_external_memory {
    /* Returns the host address of `size` bytes, at most 8. If it returns NULL, the access faults,
     * with the reason that it writes to `reason` (DPK_FAULT_REASON_MAX bytes). The memory must stay
     * until `release`, which is called after the access with the value that `find` stored in
     * *pinned. `release` is not called after NULL. */
    void *(*find)(void *context, const struct dpk_caller *caller, uint64_t address, unsigned size,
                  bool write, void **pinned, char *reason);
    void (*release)(void *context, void *pinned);
    void *context;
};
/* Call this before the program runs. `memory` is copied. */
void dpk_process_set_external_memory(struct dpk_process *p,
                                     const struct dpk_external_memory *memory);

/* ---- Doorbells ---- With DPAKIT_STRICT=memory, the NIC sees what a thread has stored to DPA
 * memory only after its next fence (store_buffer.h). */

/* The NIC gets doorbells of the process from now on. */
void dpk_process_has_doorbells(struct dpk_process *p);
/* Surround a doorbell, whose call comes from a DPA thread: until the end, dpk_copy_out on this host
 * thread returns the bytes that the NIC finds. */
void dpk_doorbell_begin(struct dpk_caller *caller);
void dpk_doorbell_end(void);
/* Returns true if stores to the process's memory wait for fences. Then the NIC reads the memory
 * with dpk_copy_out. */
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
/* Occupies `count` of the execution units for kernels until they are returned. Errors:
 * DPK_ERR_NOMEM if fewer are free. */
enum dpk_status dpk_units_reserve(struct dpk_process *p, unsigned count, struct dpk_reserved **out,
                                  struct dpk_error *err);
/* `lives`: the process still exists; its units end with it. NULL is allowed. */
void dpk_reserved_return(struct dpk_reserved *r, bool lives);

struct dpk_tasks;
/* Creates a queue that runs at most `workers` tasks at once, and none before dpk_tasks_run. Errors:
 * DPK_ERR_RANGE if `workers` is not 1 to DPK_EUS_MAX. */
enum dpk_status dpk_tasks_create(struct dpk_process *p, unsigned workers, struct dpk_tasks **out,
                                 struct dpk_error *err);
/* Adds a task: one call of a function that takes one 8-byte argument or none. Tasks start in the
 * order of their addition, each on its own execution unit. */
enum dpk_status dpk_tasks_add(struct dpk_tasks *q, const struct dpk_call *call, uint64_t argument,
                              struct dpk_error *err);
/* Starts the queue's tasks, and from now on each added task. */
enum dpk_status dpk_tasks_run(struct dpk_tasks *q, struct dpk_error *err);
/* Returns true if all tasks have ended. */
bool dpk_tasks_empty(struct dpk_tasks *q);
/* Drops tasks that have not started, ends running tasks and frees the queue. Call this before its
 * process is destroyed. NULL is allowed. */
void dpk_tasks_destroy(struct dpk_tasks *q);

/* ---- Messages ---- */

/* Receives one message: UTF-8 text of `size` bytes, without a NUL at its end. It has no control
 * characters except line breaks and tabs; other bytes of the device were replaced by '?'. It is
 * called on a worker or on a host thread inside dpk_process_call, for one message of a process at a
 * time, in the order in which the device sent them. It must not wait for the process, destroy it or
 * set its sink. */
typedef void (*dpk_message_sink)(void *context, unsigned stream, unsigned level, unsigned thread_id,
                                 const char *text, size_t size);
/* Sets the function that receives the process's messages. Earlier messages are lost. */
void dpk_process_set_sink(struct dpk_process *p, dpk_message_sink sink, void *context);

/* ---- Deferred work ----
 * Work that several threads cause may be better done once for all of them; for example, one system
 * call sends many frames. While other threads are ready, it can be deferred by some
 * microseconds. */
struct dpk_deferred;

/* `run` executes the work, on a thread that holds no lock. Returns NULL if there is no memory. */
struct dpk_deferred *dpk_deferred_new(void (*run)(void *context), void *context);
/* Defers the work, if it is not deferred already. Returns false if the caller has to do it now. */
bool dpk_defer(struct dpk_deferred *d);
/* Frees it. The work does not run afterwards, even if it was deferred. NULL is allowed. */
void dpk_deferred_free(struct dpk_deferred *d);

/* ---- Inspection ---- */

struct dpk_thread_info {
    unsigned id, rank;
    /* "running", "ready", "waiting" (for a unit), "blocked", "held", "idle", "failed" */
    const char *state;
    bool rpc;              /* its current or last call is an RPC; else a kernel or an activation */
    const char *function;  /* function of that call; borrowed from the program's image */
    uint64_t instructions; /* retired from its creation to the end of its last slice */
    uint64_t misaligned;   /* misaligned loads and stores, in the same period */
};
/* Describes the process's threads by id, at most `max` of them. Returns the number of threads. */
size_t dpk_process_threads(struct dpk_process *p, struct dpk_thread_info *out, size_t max);
/* The program's name. */
const char *dpk_process_app(const struct dpk_process *p);

/* Writes a core file (debug.h) of a process. If the process has failed, the file has the threads
 * that were active then; the first is the thread that caused the failure. Otherwise the process is
 * stopped meanwhile. */
enum dpk_status dpk_process_core(struct dpk_process *p, const char *path, struct dpk_error *err);

/* Appends the process's state as text: the failure, and each thread with pc, function, line and
 * registers. */
void dpk_process_report(struct dpk_process *p, struct dpk_buf *out);

/* ---- Debugging ----
 * From dpk_debugger_create to dpk_debugger_destroy the process runs only when GDB says so, and
 * there is no run-time limit. A process has one debugger at a time. */
struct dpk_debugger;

/* Errors: DPK_ERR_REFUSED if the program's device does not allow debuggers. */
enum dpk_status dpk_debugger_create(struct dpk_process *p, struct dpk_debugger **out,
                                    struct dpk_error *err);
/* Returns why the client may read but not change the process; NULL if it may change it. The text
 * lives as long as `d`. */
const char *dpk_debugger_locked(const struct dpk_debugger *d);
/* Removes breakpoints and watches and lets the process go on. */
void dpk_debugger_detach(struct dpk_debugger *d);
/* Detaches, unless dpk_debugger_detach was called, and frees `d`. NULL is allowed. */
void dpk_debugger_destroy(struct dpk_debugger *d);
/* Waits until a thread is about to run, or the process has failed. */
void dpk_debugger_await(struct dpk_debugger *d);
/* Serves one client of GDB's remote protocol (dpk_gdb_serve) until it detaches or disconnects. Then
 * the process continues if `attached`, else it is ended. Errors: DPK_ERR_REFUSED if the device does
 * not, or no longer, allow the client; the process continues. */
enum dpk_status dpk_debugger_serve(struct dpk_debugger *d, int in, int out, bool attached,
                                   struct dpk_error *err);
/* Reports to the client that the program has ended with `code`. */
void dpk_debugger_exit(struct dpk_debugger *d, int code);
/* Appends to the log of the program's device an entry about a client that is not served yet. */
enum dpk_status dpk_debugger_log(const struct dpk_debugger *d, const char *action,
                                 const char *result, const char *detail);
/* Returns the number by which another process of this user may debug `p` (dpa-gdbserver). The first
 * call creates it; before, no other process may debug `p`. Returns 0 if there is no socket for
 * debugging. */
uint64_t dpk_process_token(struct dpk_process *p);

#endif
