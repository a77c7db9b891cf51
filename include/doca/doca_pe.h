/*
 * doca_pe: the progress engine: contexts that are connected to it carry out their tasks, and call back,
 * in doca_pe_progress.
 *
 *     struct doca_pe *pe;
 *     doca_pe_create(&pe);
 *     doca_pe_connect_ctx(pe, ctx);
 *     doca_ctx_start(ctx);
 *     while (!done)
 *         doca_pe_progress(pe);
 *
 * Who would rather sleep than ask waits for the engine's handle:
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
struct doca_task; /* a piece of work of a context: the library's ..._as_task gives it */

/* Which contexts doca_pe_progress looks at after a notification. Here it looks at all in both
 * modes; in the second, requesting a notification also clears the one before. */
enum doca_pe_event_mode {
    DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /* at first */
    DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,
};

/* For doca_task_submit_ex; bits. */
enum doca_task_submit_flag {
    DOCA_TASK_SUBMIT_FLAG_NONE = 0,
    DOCA_TASK_SUBMIT_FLAG_FLUSH = 1 << 0,
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1 << 1,
};

/* What callbacks of tasks look like: those of a library take its own type of task. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/* Makes a progress engine, to be given back with doca_pe_destroy. NO_MEMORY. */
doca_error_t doca_pe_create(struct doca_pe **pe);

/* IN_USE: a context, or a graph, is connected to it; it stays. Its handle is closed. */
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/* Connects a context, for as long as it lives. BAD_STATE: it is not idle. NOT_PERMITTED: it is
 * connected to a progress engine already. */
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/* Does one piece of work of one context. 1: a task ended, or a context became idle; 0: there was
 * nothing to do, or it is no progress engine. Not from a callback. */
uint8_t doca_pe_progress(struct doca_pe *pe);

/* How many tasks of its contexts are submitted and have not ended. */
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/* ---- Notifications ---- */

/* Not from a callback. INVALID_VALUE: also a mode that is none. */
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

/*
 * The engine's handle: it becomes readable, once for each request, when there is work for
 * doca_pe_progress.
 *   handle  [out]  the engine's, the same at every call; it must not be read or closed
 * OPERATING_SYSTEM: there is no file descriptor left.
 */
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/* Arms the handle: it is readable at once if there is work already. BAD_STATE: nobody has asked for
 * the handle. OPERATING_SYSTEM: a task waits for something that a thread must look for, and there
 * is none left. */
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/* The handle is not readable any more, until the next request. `handle` is not used. BAD_STATE:
 * nobody has asked for the handle. */
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/* ---- Tasks ---- */

/* Hands a task to its context, which carries it out in doca_pe_progress. BAD_STATE: the context
 * does not run, or the task is submitted and has not ended. */
doca_error_t doca_task_submit(struct doca_task *task);

/* The same. `flags`: of enum doca_task_submit_flag; every task is flushed, and reported. */
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/* The same, but what is wrong with the task is told here, not when it ends: the errors of its
 * library's tasks come on top. The task stays the program's if it is not submitted. */
doca_error_t doca_task_try_submit(struct doca_task *task);

/* Gives a task back. One that is submitted is given back when it has ended; nobody is told. In the
 * callback that tells of its end, what it had can be asked for until that returns. What is none is
 * ignored. */
void doca_task_free(struct doca_task *task);

/* How it ended: DOCA_SUCCESS, or what went wrong. IN_PROGRESS: it has not ended. BAD_STATE: it was
 * not submitted yet. INVALID_VALUE: also what is no task. */
doca_error_t doca_task_get_status(const struct doca_task *task);

/* What callbacks get of the task. What is no task is ignored, and has {0}. */
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);
union doca_data doca_task_get_user_data(const struct doca_task *task);

/* The context that it is of; NULL for what is no task. */
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/* ---- Batches of tasks ---- */

struct doca_task_batch;

/* How many tasks a batch has at most, and how many events are told of at once. */
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

/* As for single tasks. Contexts of doca_eth make batches, and there are none of these: so what these
 * functions get is no batch. */
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
