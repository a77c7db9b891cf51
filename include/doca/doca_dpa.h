/*
 * doca_dpa: running code on the DPA of a device: kernels, remote procedure calls, and threads that are
 * woken by notifications and completions.
 *
 *     extern struct doca_dpa_app *my_app;     // made by dpacc --app-name="my_app"
 *     extern doca_dpa_func_t my_kernel;       // __dpa_global__ void my_kernel(uint64_t, uint32_t)
 *     struct doca_dpa *dpa;
 *     doca_dpa_create(dev, &dpa);
 *     doca_dpa_set_app(dpa, my_app);
 *     doca_dpa_start(dpa);
 *     doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 16, &my_kernel, address, 7u);
 *     doca_sync_event_wait_gt(done, 0, UINT64_MAX);
 *     doca_dpa_destroy(dpa);
 *
 * This is the API of DOCA 3.x; include/doca-2.2 has that of the DPA subsystem guide 2.2.1. A program
 * uses one of them. What goes wrong in DPA code (and why a program is refused) is told in one line of
 * the SDK's log, or on stderr if there is none.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind; the errors named below come on top. Any thread may call them. Objects that were made with a
 * context do not outlive its stop or destruction: all that can be done with them then is to destroy
 * them, other calls give BAD_STATE. A fault of DPA code, or one that runs too long, puts the context
 * into the error state: waits end with BAD_STATE, and so does every later call that runs DPA code,
 * wakes a thread, allocates, writes memory or exports to the DPA; the others work on.
 */
#ifndef DOCA_DPA_H
#define DOCA_DPA_H

#include "doca_buf.h"
#include "doca_dev.h"
#include "doca_dpa_types.h"
#include "doca_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;                         /* a DPA process on a device */
struct doca_dpa_app;                     /* a program: what dpacc names after --app-name */
struct doca_dpa_thread;                  /* a thread that events wake */
struct doca_dpa_eu_affinity;             /* execution units that a thread may have */
struct doca_dpa_completion;              /* a queue of completions */
struct doca_dpa_notification_completion; /* what one thread wakes another with */
struct doca_dpa_async_ops;               /* where copies are posted to */
struct doca_dpa_tg;                      /* a group of threads */
struct doca_dpa_hash_table;              /* numbers by keys, for DPA code */

/* Who compiles a program of DOCA 2.2 with these headers is told which it needs. */
#ifdef __has_attribute
#if __has_attribute(unavailable)
#define DOCA_ONLY_IN_2_2                                                                           \
    __attribute__((unavailable(                                                                    \
        "this program is for DOCA 2.2: use its headers (make install-compat DOCA=2.2, "            \
        "pkg-config doca-dpa-2.2, or -I PREFIX/include/doca-2.2)")))
typedef struct doca_dpa *doca_dpa_t DOCA_ONLY_IN_2_2;
typedef struct doca_dpa_app *doca_dpa_app_t DOCA_ONLY_IN_2_2;
#undef DOCA_ONLY_IN_2_2
#endif
#endif

/* The host's name of a DPA function: only its address counts, it is never called. */
typedef void(doca_dpa_func_t)(void);

/* Greatest threshold of a kernel's wait event (guide, 3.4.8.1). */
#define DOCA_DPA_WAIT_THRESHOLD_MAX 254

/* ---- Contexts ---- */

/* Whether code runs on a device's DPA: DOCA_SUCCESS if so, NOT_SUPPORTED if not. */
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

/* Makes a context without a program, to be given back with doca_dpa_destroy. NO_MEMORY. */
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/* Stops the context if it is started, and frees it; contexts that extend it are stopped with it.
 * Sync events with a location there can still be read. */
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/* Says which program it runs. INVALID_VALUE: also what is no program. BAD_STATE: started already,
 * or an extended context. */
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);
doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/* The name that dpacc gave a program. `name_len` is the room at `name`, and becomes what the name takes
 * with its zero; INVALID_VALUE: also less room, and what is no program. */
doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *name, uint32_t *name_len);

/* Which messages of DOCA_DPA_DEV_LOG_* come out on stdout; INFO to begin with. INVALID_VALUE: no
 * level. */
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level log_level);
doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level *log_level);

/* Sends those messages, or what doca_dpa_dev_trace writes, to a file in place of stdout. It is made,
 * or emptied, by each start of the context, and complete when that is stopped. `file_path` is copied.
 * INVALID_VALUE: also longer than 4095 bytes, or empty. BAD_STATE: started already, or an extended
 * context. NO_MEMORY. */
doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path);
doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path);

/* That file; lengths are as those of doca_dpa_app_get_name. NOT_FOUND: none was set. */
doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *path_len);
doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path,
                                          uint32_t *path_len);

/*
 * Starts a context: the device verifies the program as its policy says, and loads it.
 * BAD_STATE: started already. BAD_CONFIG: no program. AUTHENTICATION: the device refuses the
 * program. NOT_SUPPORTED: not a program for this DPA. NOT_FOUND: the device is gone. NO_MEMORY.
 * IO_FAILED: a file of doca_dpa_log_file_set_path cannot be written. DRIVER: the program or the device's state is damaged.
 */
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/* Ends kernels, calls and threads, wherever they are, and prints the messages that are left. The
 * context can be started again, with fresh memory. BAD_STATE: not started. */
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/* Lets the program of a started context use another device too: the new context, which is started,
 * stands for both. To be given back with doca_dpa_destroy. BAD_STATE: not started, or itself
 * extended. NO_MEMORY. */
doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev,
                                    struct doca_dpa **extended_dpa);

/* What DPA code calls the context, for doca_dpa_dev_device_set. BAD_STATE: not started. */
doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/* The number of a page of doorbells on its device (doca_uar.h), which it has until it is destroyed.
 * NO_MEMORY: a device has 256. */
doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id);

/* Greatest number of threads that may run one kernel. */
doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value);

/* Seconds that a kernel or call may run; one that takes longer puts the context into the error
 * state. */
doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa,
                                              unsigned long long *value);

/* Number of execution units that programs may use; DPAKIT_EUS=N in the environment makes it N.
 * BAD_STATE: not started. */
doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa,
                                                  unsigned int *total_num_eus);

/* Cores that have those units, and units of each core: 16, as on a BlueField-3. BAD_STATE: not
 * started. */
doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores);
doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core);

/* Whether DPA code had an error, without waiting: DOCA_SUCCESS if not. BAD_STATE: it had, or the
 * context is not started. */
doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/* ---- Memory ---- */

/*
 * Allocates DPA memory, aligned to 64 bytes, with undefined content.
 *   size     [in]   bytes, at least 1
 *   dev_ptr  [out]  its DPA address; 0 on failure
 * INVALID_VALUE: also size 0. NO_MEMORY. BAD_STATE: not started.
 */
doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/* Frees DPA memory, when no copy of the host's, RDMA or DMA is in flight in the context.
 * INVALID_VALUE: also not an address that doca_dpa_mem_alloc returned for this context, or freed
 * already. BAD_STATE: not started. */
doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/* Copies host memory to DPA memory, and back, and fills DPA memory with `value`, taken as an
 * unsigned char. INVALID_VALUE: also any byte outside of the context's memory (nothing is written
 * then). BAD_STATE: not started. */
doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                 void *src_ptr, size_t size);
doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr,
                                 doca_dpa_dev_uintptr_t src_ptr, size_t size);
doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size);

/* The same with buffers: the first bytes of the data of a list of them go to DPA memory; what comes
 * from there goes behind the data of a list, and belongs to it then. INVALID_VALUE: also less data or
 * room than `size`. Errors of memory are those of tasks of doca_dma.h; what was copied before one
 * stays in DPA memory, and is no data of buffers. */
doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                     struct doca_buf *src_buf, size_t size);
doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *dst_buf,
                                     doca_dpa_dev_uintptr_t src_ptr, size_t size);

/* ---- Hash tables of DPA code: doca_dpa_dev_hash_table_add and others ---- */

/* Makes an empty table for so many keys, 1 to 1048576, which goes with this start of the context.
 * BAD_STATE: not started. NO_MEMORY. */
doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries,
                                        struct doca_dpa_hash_table **ht);
doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht);
/* What DPA code calls it. BAD_STATE: its context was stopped. */
doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht,
                                                doca_dpa_dev_hash_table_t *ht_handle);

/* ---- Kernels and calls ---- */

/*
 * Starts a kernel and returns without waiting for it. Kernels of one context run side by side when
 * execution units are free: where one needs what another has done, an event must order them. A
 * kernel whose wait event nobody updates waits until its context is stopped or destroyed: also when
 * the update was to come from another context, which is in the error state.
 *   wait_event      [in]  NULL, or the kernel starts only when this event's value is greater than
 *   wait_threshold  [in]  this, 0 to DOCA_DPA_WAIT_THRESHOLD_MAX
 *   comp_event      [in]  NULL, or the event that gets
 *   comp_count      [in]  this, added (_add) or set (_set), after the last thread has ended
 *   num_threads     [in]  1 to doca_dpa_get_max_threads_per_kernel()
 *   func            [in]  stub of a __dpa_global__ function of the context's program
 *   ...                   its arguments, with the types of the DPA function
 * INVALID_VALUE: also not a function of this program, threshold or number of threads out of range.
 * BAD_STATE: the context or an event is not started. NO_MEMORY: out of memory or of DPA threads.
 */
doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa,
                                               struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...);
doca_error_t doca_dpa_kernel_launch_update_add(struct doca_dpa *dpa,
                                               struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...);

/*
 * Calls a __dpa_rpc__ function on one DPA thread and waits for its result.
 *   retval  [out]  may not be NULL; unchanged on failure
 * INVALID_VALUE: also not a function of this program. BAD_STATE: the context is not started, or the
 * call failed, or was ended by doca_dpa_stop.
 */
doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...);

/* ---- Threads ---- */

/* Makes a thread of a context, without a function. NO_MEMORY. */
doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread);

/* Stops the thread if it is started, and frees it; what woke it wakes nobody any more. */
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/* The __dpa_global__ function that each activation runs, and its argument; a function without
 * parameters gets none. BAD_STATE: started. */
doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *thread, doca_dpa_func_t *func,
                                          uint64_t arg);

/* An address that doca_dpa_dev_thread_get_local_storage gives. BAD_STATE: started. */
doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t dev_ptr);

/* Ties the thread to the execution unit of `eu_affinity`, which may be changed or destroyed
 * afterwards. BAD_STATE: started. BAD_CONFIG: no unit is set there. */
doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity *eu_affinity);

/* What was set: no function, 0 and 0 at first. The affinity is the object that was given; NOT_FOUND:
 * none was, or it is gone. */
doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *thread, doca_dpa_func_t **func,
                                          uint64_t *arg);
doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t *dev_ptr);
doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity **eu_affinity);
/* Its number in the DPA process, as tools and debuggers tell it. BAD_STATE: not started. */
doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *thread_id);

/* Makes the thread ready to run. BAD_STATE: started already, or the context is not. BAD_CONFIG: no
 * function. INVALID_VALUE: also a function that is none of the program's or has more than one
 * parameter, or an execution unit that there is not. NO_MEMORY. */
doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/* Ends its activation, wherever it is, and forgets the events that it did not run for; it can be
 * changed and started again. BAD_STATE: not started. */
doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/* From now on every event of its completions is one activation; there is none without an event.
 * BAD_STATE: not started, or an activation runs. */
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/* Execution units of a thread: one. _get: NOT_FOUND if none is set. */
doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa,
                                         struct doca_dpa_eu_affinity **eu_affinity);
doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *eu_affinity);
doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *eu_affinity, unsigned int eu_id);
doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *eu_affinity);
doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *eu_affinity,
                                      unsigned int *eu_id);

/* ---- Groups: ranks of threads, doca_dpa_dev_thread_rank and doca_dpa_dev_num_threads ---- */

/* Makes a group of `num_threads` threads, without any. INVALID_VALUE: also 0, or more than 1024.
 * NO_MEMORY. */
doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads,
                                          struct doca_dpa_tg **tg);
/* Its threads keep their ranks. */
doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg);
doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg,
                                                   unsigned int *num_threads);
/* Gives a thread that is not started its rank, from 0. INVALID_VALUE: also no such rank, or a thread
 * of another context. ALREADY_EXIST: the rank has a thread, or the thread a group. BAD_STATE: the
 * group or the thread is started. */
doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg,
                                              struct doca_dpa_thread *thread, unsigned int rank);
/* BAD_CONFIG (start): a rank has no thread. BAD_STATE: started already or not started, or (start) the
 * context is not. Threads are started for themselves, before or afterwards. */
doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg);
doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg);

/* ---- Completions ---- */

/*
 * Makes a queue for the completions of what is attached to it.
 *   queue_size  [in]  how many it holds that are not acknowledged, 1 to 65536; one more puts the
 *                     context into the error state
 * INVALID_VALUE: also another size. NO_MEMORY.
 */
doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
                                        struct doca_dpa_completion **dpa_comp);
/* IN_USE: something is attached to it; it stays. */
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/* The thread that a completion wakes when DPA code asked for that. BAD_STATE: the queue is started.
 * INVALID_VALUE: also a thread of another context. */
doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread *thread);
doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp,
                                                unsigned int *queue_size);
/* NOT_FOUND: it wakes none, or that is gone. */
doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread **thread);

/* BAD_STATE: started already or not started, or the context is not. IN_USE (stop): something is
 * attached to it. NO_MEMORY. */
doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);
doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/* What DPA code calls it. BAD_STATE: not started. */
doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
                                                doca_dpa_dev_completion_t *handle);

/* What doca_dpa_dev_thread_notify wakes a thread with. Errors as for queues. */
doca_error_t
doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
                                        struct doca_dpa_notification_completion **notify_comp);
doca_error_t
doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp);
doca_error_t
doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp);
doca_error_t
doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp);
doca_error_t doca_dpa_notification_completion_get_dpa_handle(
    struct doca_dpa_notification_completion *notify_comp,
    doca_dpa_dev_notification_completion_t *comp_handle);

/* NOT_FOUND: it is gone. */
doca_error_t
doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
                                            struct doca_dpa_thread **dpa_thread);

/* ---- Asynchronous operations: doca_dpa_dev_post_memcpy (doca_dpa_dev_buf.h) ---- */

/*
 * Makes a queue for copies between memory maps of the context's device.
 *   queue_size  [in]  how many are under way at most, 1 to 65536
 *   user_data   [in]  what completions tell, its lower 32 bits
 * INVALID_VALUE: also another size. NO_MEMORY.
 */
doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
                                       uint64_t user_data, struct doca_dpa_async_ops **async_ops);
/* Stops the object if it is started, then destroys it. */
doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops);
doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops,
                                               unsigned int *queue_size);
doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops,
                                              uint64_t *user_data);

/* Where its completions go; while it is started that queue cannot be stopped (IN_USE). BAD_STATE:
 * started. INVALID_VALUE: also a queue of another context. */
doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops,
                                       struct doca_dpa_completion *dpa_comp);

/* BAD_STATE: started already or not started, or the context is not. BAD_CONFIG (start): no queue is
 * attached. */
doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops);
doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops);

/* What DPA code calls it. BAD_STATE: not started. */
doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops,
                                               doca_dpa_dev_async_ops_t *handle);

#ifdef __cplusplus
}
#endif

#endif
