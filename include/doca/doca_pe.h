/*
 * doca_pe: the progress engine: connected contexts perform their tasks, and call callbacks, in
 * doca_pe_progress.
 *
 *     struct doca_pe *pe;
 *     doca_pe_create(&pe);
 *     doca_pe_connect_ctx(pe, ctx);
 *     doca_ctx_start(ctx);
 *     while (!done)
 *         doca_pe_progress(pe);
 *
 * To sleep instead of polling, wait for the engine's handle:
 *
 *     doca_pe_get_notification_handle(pe, &handle);      // a file descriptor, for epoll or poll
 *     epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &(struct epoll_event){.events = EPOLLIN});
 *     for (;;) {
 *         while (doca_pe_progress(pe))
 *             ;
 *         doca_pe_request_notification(pe);              // before the wait: what is there counts
 *         epoll_wait(epoll, &event, 1, -1);
 *         doca_pe_clear_notification(pe, 0);
 *     }
 *
 * A progress engine and its contexts are for one thread at a time. Every function returns INVALID_VALUE
 * for NULL, for a destroyed object, and for an object of another kind (DOCA Core programming guide,
 * "DOCA Progress Engine"; API reference, "DOCA Progress Engine").
 */
#ifndef DOCA_PE_H
#define DOCA_PE_H

#include "doca_ctx.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_pe;
struct doca_task; /* a piece of work of a context, from the library's ..._as_task */

/* The contexts that doca_pe_progress checks after a notification. Here it checks all contexts in both
 * modes. In the second mode, requesting a notification also clears the previous notification. */
enum doca_pe_event_mode {
    DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /* the default */
    DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
};

/* Bits for doca_task_submit_ex. */
enum doca_task_submit_flag {
    DOCA_TASK_SUBMIT_FLAG_NONE = 0,
    DOCA_TASK_SUBMIT_FLAG_FLUSH = 1 << 0,
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1 << 1,
};

/* The form of callbacks of tasks. Callbacks of a library have that library's type of task. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/* Creates a progress engine. Free it with doca_pe_destroy. Errors: NO_MEMORY. */
doca_error_t doca_pe_create(struct doca_pe **pe);

/* Destroys a progress engine and closes its handle. Errors: IN_USE if a context or a graph is connected
 * to it; nothing changes then. */
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/* Connects a context until the context is destroyed. Errors: BAD_STATE if the context is not idle,
 * NOT_PERMITTED if it is connected to a progress engine. */
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/* Does one piece of work of one context. Returns 1 if a task ended or a context became idle, 0 if there
 * was no work or `pe` is not a progress engine. Do not call this from a callback. */
uint8_t doca_pe_progress(struct doca_pe *pe);

/* Gets the number of submitted tasks of its contexts that have not ended. */
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/* ---- Notifications ---- */

/* Sets the mode. Do not call this from a callback. Errors: INVALID_VALUE also for an invalid mode. */
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

/*
 * Gets the engine's handle. It becomes readable, once for each request, when there is work for
 * doca_pe_progress.
 *   handle  [out]  the handle, which belongs to the engine and never changes; do not read or close it
 * Errors: OPERATING_SYSTEM if file descriptors are exhausted.
 */
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/* Arms the handle. It is readable at once if there is work. Errors: BAD_STATE if the handle was never
 * requested, OPERATING_SYSTEM if a task needs a waiting thread and threads are exhausted. */
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/* Makes the handle unreadable until the next request. `handle` is ignored. Errors: BAD_STATE if the
 * handle was never requested. */
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/* ---- Tasks ---- */

/* Submits a task to its context, which performs it in doca_pe_progress. Errors: BAD_STATE if the
 * context does not run, or the task is submitted and has not ended. */
doca_error_t doca_task_submit(struct doca_task *task);

/* Like doca_task_submit. `flags`: of enum doca_task_submit_flag; every task is flushed and
 * reported. */
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/* Like doca_task_submit, but returns the errors of the task, also those of its library, instead of
 * ending the task with them. The program keeps a task that is not submitted. */
doca_error_t doca_task_try_submit(struct doca_task *task);

/* Frees a task. A submitted task is freed when it has ended, without a callback. After a call from the
 * task's own callback, its values can be read until the callback returns. An argument that is not a
 * task is ignored. */
void doca_task_free(struct doca_task *task);

/* Returns the result of a task: DOCA_SUCCESS or its error. Errors: IN_PROGRESS if it has not ended,
 * BAD_STATE if it was never submitted, INVALID_VALUE also if the argument is not a task. */
doca_error_t doca_task_get_status(const struct doca_task *task);

/* Set and get the user data for callbacks. If the argument is not a task, it is ignored, and the data
 * is {0}. */
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);
union doca_data doca_task_get_user_data(const struct doca_task *task);

/* Returns the task's context. NULL if the argument is not a task. */
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/* ---- Batches of tasks ---- */

struct doca_task_batch;

/* The largest number of tasks of a batch, and of events that are reported at once. */
enum doca_task_batch_max_tasks_number {
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16,
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32,
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64,
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128,
};
enum doca_event_batch_events_number {
    DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_2,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_4,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_8,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_16,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_32,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_64,
    DOCA_EVENT_BATCH_EVENTS_NUMBER_128,
};

/* The same functions for batches of doca_eth. */
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);
void doca_task_batch_free(struct doca_task_batch *task_batch);
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

#ifdef __cplusplus
}
#endif

#endif
