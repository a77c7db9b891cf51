/*
 * doca_dpa: running code on the DPA of a device: kernels, remote procedure calls, and threads that
 * notifications and completions wake.
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
 * This is the API of DOCA 3.x; include/doca-2.2 has the API of the DPA subsystem guide 2.2.1. A program
 * uses one of them. A line of the SDK's log, or of stderr without a log, reports an error of DPA code
 * and the reason why a program is refused.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind; the comments below name further errors. Any thread may call these functions. When a context is
 * stopped or destroyed, its objects become invalid: they can only be destroyed, and other calls return
 * BAD_STATE. A fault of DPA code, or a time limit that is exceeded, puts the context into the error
 * state. Then waits end with BAD_STATE, and later calls return BAD_STATE if they run DPA code, wake a
 * thread, allocate, write memory or export to the DPA. Other calls still work.
 */
#ifndef DOCA_DPA_H
#define DOCA_DPA_H

#include "doca_buf.h"
#include "doca_dev.h"
#include "doca_dpa_types.h"
#include "doca_sync_event.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;                         /* a DPA process on a device */
struct doca_dpa_app;                     /* a program, with the name of dpacc's --app-name */
struct doca_dpa_thread;                  /* a thread that events wake */
struct doca_dpa_eu_affinity;             /* execution units that a thread may have */
struct doca_dpa_completion;              /* a queue of completions */
struct doca_dpa_notification_completion; /* wakes a thread at another thread's request */
struct doca_dpa_async_ops;               /* a queue for copies */
struct doca_dpa_tg;                      /* a group of threads */
struct doca_dpa_hash_table;              /* numbers by keys, for DPA code */

/* A program of DOCA 2.2 that uses these headers gets an error that names the right headers. */
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

/* Largest threshold of a kernel's wait event (guide, 3.4.8.1). */
#define DOCA_DPA_WAIT_THRESHOLD_MAX 254

/* ---- Contexts ---- */

/* Returns DOCA_SUCCESS if the device has a DPA that runs code, else NOT_SUPPORTED. */
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 6, 0)
/* Creates a context of a program and starts it: doca_dpa_create, doca_dpa_set_app and doca_dpa_start of
 * later DOCA, with their errors. */
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa_app *app,
                             struct doca_dpa **dpa) __asm__("doca_dpa_create_v2_5");
#else
/* Creates a context without a program. Free it with doca_dpa_destroy. Errors: NO_MEMORY. */
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);
#endif

/* Stops the context if it is started, and frees it; contexts that extend it stop with it. Sync events
 * in its memory can still be read. */
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/* Sets the program. Errors: INVALID_VALUE also if `app` is not a program, BAD_STATE if the context is
 * started or extends another. */
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);
doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/* Gets the name that dpacc gave a program. `name_len` holds the size of the buffer, and receives the
 * size of the name with the NUL. Errors: INVALID_VALUE also if the buffer is too small or `app` is not
 * a program. */
doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *name, uint32_t *name_len);
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 6, 0)
/* The names that DOCA 2.5 has for this function and for doca_dpa_cap_is_supported. */
doca_error_t doca_dpa_app_name_get(struct doca_dpa_app *app, char *name,
                                   size_t *name_len) __asm__("doca_dpa_app_name_get_v2_5");
doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo);
#endif

/* Sets the level up to which messages of DOCA_DPA_DEV_LOG_* are printed on stdout; INFO by default.
 * Errors: INVALID_VALUE also for an invalid level. */
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level log_level);
doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level *log_level);

/* Send these messages, or the lines of doca_dpa_dev_trace, to a file instead of stdout. Each start of
 * the context creates or empties the file. The file is complete when the context is stopped.
 * `file_path` is copied. Errors: INVALID_VALUE also if the path is empty or longer than 4095 bytes,
 * BAD_STATE if the context is started or extends another, NO_MEMORY. */
doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path);
doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path);

/* Get the path of that file; lengths as for doca_dpa_app_get_name. Errors: NOT_FOUND if no path was
 * set. */
doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *path_len);
doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path,
                                          uint32_t *path_len);

/*
 * Starts a context: the device verifies the program as its policy says, and loads it. Errors: BAD_STATE
 * if it is started, BAD_CONFIG if it has no program, AUTHENTICATION if the device refuses the program,
 * NOT_SUPPORTED if the program is not for this DPA, NOT_FOUND if the device is removed, NO_MEMORY,
 * IO_FAILED if a file of doca_dpa_log_file_set_path cannot be written, DRIVER if the program or the
 * device's state is damaged.
 */
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/* Ends kernels, calls and threads at any point of their code, and prints the remaining messages. The
 * context can be started again, with new memory. Errors: BAD_STATE if it is not started. */
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/* Lets the program of a started context also use another device. The new context is started and is for
 * that device. Free it with doca_dpa_destroy. Errors: BAD_STATE if `dpa` is not started or extends
 * another context, NO_MEMORY. */
doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev,
                                    struct doca_dpa **extended_dpa);

/* Gets the context's handle for doca_dpa_dev_device_set. Errors: BAD_STATE if it is not started. */
doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/* Gets the number of the context's page of doorbells on its device (doca_uar.h). The context keeps the
 * page until it is destroyed. Errors: NO_MEMORY if all 256 pages of the device are in use. */
doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id);

/* Gets the largest number of threads of one kernel. */
doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value);

/* Gets the time limit of a kernel or call in seconds. A longer run puts the context into the error
 * state. */
doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa,
                                              unsigned long long *value);

/* Gets the number of execution units for programs; the environment variable DPAKIT_EUS=N sets it to N.
 * Errors: BAD_STATE if the context is not started. */
doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa,
                                                  unsigned int *total_num_eus);

/* Get the number of cores with these units, and the units of each core: 16, as on a BlueField-3.
 * Errors: BAD_STATE if the context is not started. */
doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores);
doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core);

/* Checks, without waiting, whether DPA code had an error. Returns DOCA_SUCCESS if not. Errors:
 * BAD_STATE after an error, or if the context is not started. */
doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/* ---- Memory ---- */

/*
 * Allocates DPA memory, aligned to 64 bytes, with undefined content.
 *   size     [in]   bytes, at least 1
 *   dev_ptr  [out]  the DPA address of the memory; 0 on failure
 * Errors: INVALID_VALUE also if the size is 0, NO_MEMORY, BAD_STATE if the context is not started.
 */
doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/* Frees DPA memory, once no host copy, RDMA or DMA is in flight in the context. Errors: INVALID_VALUE
 * also if doca_dpa_mem_alloc did not return the address for this context, or it is already freed,
 * BAD_STATE if the context is not started. */
doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/* Copy host memory to DPA memory, copy it back, and fill DPA memory with `value` as an unsigned char.
 * Errors: INVALID_VALUE also if a byte is outside the context's memory (nothing is written then),
 * BAD_STATE if the context is not started. */
doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                 void *src_ptr, size_t size);
doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr,
                                 doca_dpa_dev_uintptr_t src_ptr, size_t size);
doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size);

/* Copy between DPA memory and a list of buffers: the first bytes of the list's data go to DPA memory;
 * bytes from DPA memory are appended to the list's data. Errors: INVALID_VALUE also if the list has
 * less data or room than `size`, and for memory the errors of tasks of doca_dma.h. After an error,
 * bytes that reached DPA memory stay there, and the buffers' data is unchanged. */
doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                     struct doca_buf *src_buf, size_t size);
doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *dst_buf,
                                     doca_dpa_dev_uintptr_t src_ptr, size_t size);

/* ---- Hash tables for DPA code: doca_dpa_dev_hash_table_add and others ---- */

/* Creates an empty table for `num_entries` keys, 1 to 1048576. The table is valid until the context
 * stops. Errors: BAD_STATE if the context is not started, NO_MEMORY. */
doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries,
                                        struct doca_dpa_hash_table **ht);
doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht);
/* Gets the handle for DPA code. Errors: BAD_STATE if the context was stopped. */
doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht,
                                                doca_dpa_dev_hash_table_t *ht_handle);

/* ---- Kernels and calls ---- */

/*
 * Starts a kernel and returns without waiting for it. Kernels of one context run in parallel if
 * execution units are free: an event must order kernels that depend on each other. If nothing updates
 * its wait event, a kernel waits until its context is stopped or destroyed, also if the context that
 * should update the event is in the error state.
 *   wait_event      [in]  NULL, or an event: the kernel starts when the event's value is greater than
 *                         wait_threshold
 *   wait_threshold  [in]  0 to DOCA_DPA_WAIT_THRESHOLD_MAX
 *   comp_event      [in]  NULL, or an event to update after the last thread has ended
 *   comp_count      [in]  the number that is added to the event (_add), or its new value (_set)
 *   num_threads     [in]  1 to doca_dpa_get_max_threads_per_kernel()
 *   func            [in]  stub of a __dpa_global__ function of the context's program
 *   ...                   the function's arguments, with the types of the DPA function
 * Errors: INVALID_VALUE also if `func` is not a function of this program, or if the threshold or the
 * number of threads is out of range, BAD_STATE if the context or an event is not started, NO_MEMORY if
 * memory or DPA threads are exhausted.
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
 *   retval  [out]  the result; not NULL; unchanged on failure
 * Errors: INVALID_VALUE also if `func` is not a function of this program, BAD_STATE if the context is
 * not started, the call failed, or doca_dpa_stop ended it.
 */
doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...);

/* ---- Threads ---- */

/* Creates a thread of a context, without a function. Errors: NO_MEMORY. */
doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread);

/* Stops the thread if it is started, and frees it. Its completions then wake no thread. */
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/* Sets the __dpa_global__ function that each activation runs, and its argument. A function without
 * parameters ignores the argument. Errors: BAD_STATE if the thread is started. */
doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *thread, doca_dpa_func_t *func,
                                          uint64_t arg);

/* Sets the address that doca_dpa_dev_thread_get_local_storage returns. Errors: BAD_STATE if the thread
 * is started. */
doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t dev_ptr);

/* Binds the thread to the execution unit of `eu_affinity`. The affinity can be changed or destroyed
 * afterwards. Errors: BAD_STATE if the thread is started, BAD_CONFIG if the affinity has no unit. */
doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity *eu_affinity);

/* Get the settings; by default no function, argument 0, storage 0. The affinity is the object that was
 * set. Errors: NOT_FOUND if no affinity was set, or it is destroyed. */
doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *thread, doca_dpa_func_t **func,
                                          uint64_t *arg);
doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t *dev_ptr);
doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity **eu_affinity);
/* Gets the thread's number in the DPA process, as tools and debuggers print it. Errors: BAD_STATE if
 * the thread is not started. */
doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *thread_id);

/* Makes the thread ready to run. Errors: BAD_STATE if the thread is started or the context is not,
 * BAD_CONFIG if it has no function, INVALID_VALUE also if the function is not of the program or has
 * more than one parameter, or if the execution unit does not exist, NO_MEMORY. */
doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/* Ends the thread's activation at any point of its code, and discards its pending events. The thread
 * can be changed and started again. Errors: BAD_STATE if it is not started. */
doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/* From now on each event of the thread's completions causes one activation. Errors: BAD_STATE if the
 * thread is not started, or an activation runs. */
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/* An affinity names one execution unit. Errors (_get): NOT_FOUND if no unit is set. */
doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa,
                                         struct doca_dpa_eu_affinity **eu_affinity);
doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *eu_affinity);
doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *eu_affinity, unsigned int eu_id);
doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *eu_affinity);
doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *eu_affinity,
                                      unsigned int *eu_id);

/* ---- Groups give threads ranks: doca_dpa_dev_thread_rank and doca_dpa_dev_num_threads ---- */

/* Creates an empty group for `num_threads` threads. Errors: INVALID_VALUE also if num_threads is 0 or
 * more than 1024, NO_MEMORY. */
doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads,
                                          struct doca_dpa_tg **tg);
/* Destroys the group. Its threads keep their ranks. */
doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg);
doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg,
                                                   unsigned int *num_threads);
/* Assigns a rank, from 0, to a thread that is not started. Errors: INVALID_VALUE also if the rank is
 * too large, or the thread is of another context, ALREADY_EXIST if the rank has a thread or the thread
 * has a group, BAD_STATE if the group or the thread is started. */
doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg,
                                              struct doca_dpa_thread *thread, unsigned int rank);
/* Start and stop the group. Threads are started separately, before or after the group. Errors:
 * BAD_CONFIG (start) if a rank has no thread, BAD_STATE if the group is started, or for stop, not
 * started, or (start) the context is not started. */
doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg);
doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg);

/* ---- Completions ---- */

/*
 * Creates a queue for the completions of attached objects.
 *   queue_size  [in]  the largest number of completions that are not acknowledged, 1 to 65536; a
 *                     further completion puts the context into the error state
 * Errors: INVALID_VALUE also for another size, NO_MEMORY.
 */
doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
                                        struct doca_dpa_completion **dpa_comp);
/* Destroys the queue. Errors: IN_USE if an object is attached to it; nothing changes then. */
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/* Sets the thread that a completion wakes at the request of DPA code. Errors: BAD_STATE if the queue is
 * started, INVALID_VALUE also if the thread is of another context. */
doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread *thread);
doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp,
                                                unsigned int *queue_size);
/* Gets that thread. Errors: NOT_FOUND if no thread is set, or it is destroyed. */
doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread **thread);

/* Errors: BAD_STATE if the object is already started, or for stop, not started, or if the DPA context
 * is not started. IN_USE (stop) if an object is attached to the queue, NO_MEMORY. */
doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);
doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/* Gets the handle for DPA code. Errors: BAD_STATE if the object is not started. */
doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
                                                doca_dpa_dev_completion_t *handle);

/* Notification completions, by which doca_dpa_dev_thread_notify wakes a thread. Errors as for
 * queues. */
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

/* Gets the thread. Errors: NOT_FOUND if the thread is destroyed. */
doca_error_t
doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
                                            struct doca_dpa_thread **dpa_thread);

/* ---- Asynchronous operations: doca_dpa_dev_post_memcpy (doca_dpa_dev_buf.h) ---- */

/*
 * Creates a queue for copies between memory maps of the context's device.
 *   queue_size  [in]  the largest number of copies in flight, 1 to 65536
 *   user_data   [in]  the user data of completions, 32 bits
 * Errors: INVALID_VALUE also for another size, NO_MEMORY.
 */
doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
                                       uint64_t user_data, struct doca_dpa_async_ops **async_ops);
/* Stops the object if it is started, then destroys it. */
doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops);
doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops,
                                               unsigned int *queue_size);
doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops,
                                              uint64_t *user_data);

/* Sets the queue for its completions. That queue cannot be stopped while this object is started
 * (IN_USE). Errors: BAD_STATE if this object is started, INVALID_VALUE also if the queue is of another
 * context. */
doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops,
                                       struct doca_dpa_completion *dpa_comp);

/* Errors: BAD_STATE if the object is already started, or for stop, not started, or if the DPA context
 * is not started. BAD_CONFIG (start) if no queue is attached. */
doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops);
doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops);

/* Gets the handle for DPA code. Errors: BAD_STATE if the object is not started. */
doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops,
                                               doca_dpa_dev_async_ops_t *handle);

#ifdef __cplusplus
}
#endif

#endif
