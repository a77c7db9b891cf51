/*
 * doca_pe: the progress engine: contexts that are connected to it do their work, and call back, in
 * doca_pe_progress.
 *
 *     struct doca_pe *pe;
 *     doca_pe_create(&pe);
 *     doca_pe_connect_ctx(pe, ctx);
 *     doca_ctx_start(ctx);
 *     while (!done)
 *         doca_pe_progress(pe);
 *
 * A progress engine and its contexts are for one thread at a time. Every function gives
 * INVALID_VALUE for NULL, for an object that is gone, and for one of another kind (DOCA Core
 * programming guide, "DOCA Progress Engine").
 */
#ifndef DOCA_PE_H
#define DOCA_PE_H

#include "doca_ctx.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_pe;
struct doca_task; /* a piece of work of a context: the library's ..._as_task gives it */

/* Makes a progress engine, to be given back with doca_pe_destroy. NO_MEMORY. */
doca_error_t doca_pe_create(struct doca_pe **pe);

/* IN_USE: a context is connected to it; it stays. */
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/* Connects a context, for as long as it lives. BAD_STATE: it is not idle. IN_USE: it is connected
 * to a progress engine already. */
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/* Does one piece of work of one context. 1: something was done; 0: there was nothing to do, or it
 * is no progress engine. */
uint8_t doca_pe_progress(struct doca_pe *pe);

/* ---- Tasks ---- */

/* Hands a task to its context, which carries it out in doca_pe_progress. BAD_STATE: the context
 * does not run, or the task is submitted and has not ended. */
doca_error_t doca_task_submit(struct doca_task *task);

/* Gives a task back. One that is submitted is given back when it has ended; nobody is told. What is
 * none is ignored. */
void doca_task_free(struct doca_task *task);

/* How it ended: DOCA_SUCCESS, or what went wrong. IN_PROGRESS: it has not ended. BAD_STATE: it was
 * not submitted yet. INVALID_VALUE: also what is no task. */
doca_error_t doca_task_get_status(const struct doca_task *task);

#ifdef __cplusplus
}
#endif

#endif
