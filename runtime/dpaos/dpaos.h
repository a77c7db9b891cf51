/*
 * dpaos: what runs programs on the emulated DPA: processes, threads, execution units, events,
 * messages, faults, the run-time limit. Knows no host API by name.
 *
 *     struct dpk_process *p = NULL;
 *     dpk_process_create(image, NULL, &p, &err);                 // image from loader.h
 *     uint64_t args[2] = {44, 55}, result;
 *     struct dpk_call call;
 *     dpk_process_function(p, "rpc_calculate", &call, &err);
 *     dpk_process_call(p, &call, args, sizeof args, &result, &err);
 *     dpk_process_destroy(p);
 *
 * Execution: a process has up to DPK_THREADS_MAX threads of kernels, and one for each RPC, so that
 * a call is answered while kernels poll on every thread; worker threads of the host (one per
 * processor, DPAKIT_WORKERS=N to change; 1 makes runs deterministic) take turns on them with an
 * instruction budget, so a thread that polls forever starves nobody. After a fault, a bad call or
 * an overrun run-time limit the process is in the error state: whoever waits gets DPK_ERR_FAULT or
 * DPK_ERR_TIMEOUT, never hangs; every later call fails at once (but dpk_copy_out and dpk_heap_free:
 * memory can still be read and given back); other processes go on.
 *
 * All functions may be called from any host thread. None prints. An RPC may run on the very thread
 * that called it. A host thread that is cancelled while it waits goes when its wait has ended.
 * After fork() the DPA stays the parent's: if there were processes, calls of the child on them fail
 * with DPK_ERR_FAULT, and it can create none (DPK_ERR_UNSUPPORTED) until it has called exec.
 */
#ifndef DPK_DPAOS_H
#define DPK_DPAOS_H

#include "base/base.h"
#include "loader/loader.h"

#define DPK_THREADS_MAX       256 /* threads of kernels at once, over all processes (guide, 3.4.8.5) */
#define DPK_CALLS_MAX         64   /* RPCs at once besides; more wait their turn */
#define DPK_RUN_TIME_LIMIT_MS 6000 /* default for an RPC or kernel thread (guide: 6 s) */

/* ---- Processes ----------------------------------------------------------------------------------
 */

struct dpk_process;

struct dpk_process_options {
    uint64_t heap_size;         /* bytes, 0: the default, 1 GiB of address space */
    uint32_t run_time_limit_ms; /* 0: DPK_RUN_TIME_LIMIT_MS */
};

/* Creates a process from a loaded image: maps segments, stacks with guards, the heap. The image
 * may be freed afterwards. `options` may be NULL. */
enum dpk_status dpk_process_create(const struct dpk_image *image,
                                   const struct dpk_process_options *options,
                                   struct dpk_process **out, struct dpk_error *err);

/* Ends its threads, wherever they are, and frees everything; host threads that wait for it get
 * DPK_ERR_FAULT first. Not from a message sink. NULL is fine. */
void dpk_process_destroy(struct dpk_process *p);

/* DPK_OK, or DPK_ERR_FAULT / DPK_ERR_TIMEOUT with the story of the first failure: kind, thread,
 * pc as "function+0x12", address. */
enum dpk_status dpk_process_state(struct dpk_process *p, struct dpk_error *err);

/* Instructions retired by all of the process's threads so far. */
uint64_t dpk_process_instructions(const struct dpk_process *p);

/* ---- Functions ----------------------------------------------------------------------------------
 */

/* A function that the host may start: addresses of it and of its unpack wrapper, bytes of its
 * argument buffer (dpa_abi.h). */
struct dpk_call {
    uint64_t function, unpack, argument_size;
};

/* Looks up `_dpacc_unpack_<name>`, `_dpacc_argsize_<name>` and `<name>`: DPK_ERR_NOT_FOUND if the
 * program has no such entry function. */
enum dpk_status dpk_process_function(const struct dpk_process *p, const char *name,
                                     struct dpk_call *out, struct dpk_error *err);

/* RPC: runs the function on one thread and waits for its result. `args`: the argument buffer,
 * `size` bytes laid out as dpa_abi.h says; must be call->argument_size. */
enum dpk_status dpk_process_call(struct dpk_process *p, const struct dpk_call *call,
                                 const void *args, size_t size, uint64_t *result,
                                 struct dpk_error *err);

/* ---- Heap ---------------------------------------------------------------------------------------
 */

/* Addresses are the guest's. Memory that was never allocated faults. Alignment of an allocation: 64
 * bytes; `size` 0 is DPK_ERR_RANGE. */
enum dpk_status dpk_heap_alloc(struct dpk_process *p, uint64_t size, uint64_t *address,
                               struct dpk_error *err);
/* DPK_ERR_RANGE: not the start of an allocation that is in use. */
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
enum dpk_status dpk_fill(struct dpk_process *p, uint64_t address, int value, uint64_t size,
                         struct dpk_error *err);

/* ---- Events: 64-bit counters that host and DPA update and wait for ------------------------------
 */

struct dpk_event;

/* Value 0. Not bound to a process; dpk_event_handle gives the number that device code of `p` uses
 * for it (never 0, the same at every call). */
struct dpk_event *dpk_event_create(void); /* NULL: out of memory */
/* The caller stops using it; it lives on while a process still has a handle or a launch on it. */
void dpk_event_release(struct dpk_event *e);
enum dpk_status dpk_event_handle(struct dpk_event *e, struct dpk_process *p, uint64_t *handle,
                                 struct dpk_error *err);
uint64_t dpk_event_get(const struct dpk_event *e);
uint64_t dpk_event_add(struct dpk_event *e, uint64_t value); /* value before */
void dpk_event_set(struct dpk_event *e, uint64_t value);
/* Blocks the host thread until (value & mask) > threshold. With `p`, also until that process
 * enters the error state: then its status. `timeout_ms` 0: no limit. */
enum dpk_status dpk_event_wait_gt(struct dpk_event *e, uint64_t threshold, uint64_t mask,
                                  struct dpk_process *p, uint32_t timeout_ms,
                                  struct dpk_error *err);

/* ---- Kernels ------------------------------------------------------------------------------------
 */

struct dpk_launch {
    struct dpk_call call;
    const void *args; /* copied */
    size_t args_size;
    unsigned threads;       /* 1 to DPK_THREADS_MAX */
    struct dpk_event *wait; /* NULL: starts at once; else when value > wait_threshold */
    uint64_t wait_threshold;
    struct dpk_event *complete; /* NULL: nobody is told; else updated after the last thread */
    bool complete_adds;         /* true: add complete_count; false: set it */
    uint64_t complete_count;
};

/* Starts a kernel and returns. Launches of one process run in the order they were made. */
enum dpk_status dpk_process_launch(struct dpk_process *p, const struct dpk_launch *launch,
                                   struct dpk_error *err);
/* Waits until every kernel launched so far has ended (dparun). */
enum dpk_status dpk_process_drain(struct dpk_process *p, struct dpk_error *err);

/* ---- Messages -----------------------------------------------------------------------------------
 */

/* Receives one message: text of `size` bytes, not NUL-terminated; called on a worker thread or on
 * one that is inside dpk_process_call, one at a time per process, in the order in which the device
 * sent them. It must not wait for the process, destroy it or set its sink. */
typedef void (*dpk_message_sink)(void *context, unsigned stream, unsigned level, unsigned thread_id,
                                 const char *text, size_t size);
/* Where the process's messages go; none before this is called. */
void dpk_process_set_sink(struct dpk_process *p, dpk_message_sink sink, void *context);

#endif
