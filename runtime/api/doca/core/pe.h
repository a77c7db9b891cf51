/* What contexts, their tasks and their progress engines ask of each other. */
#ifndef DPK_API_DOCA_CORE_PE_H
#define DPK_API_DOCA_CORE_PE_H

#include "api/doca/core/core.h"

/* Takes a context that is about to go out of its progress engine, if it has one. */
void dpk_pe_disconnect(struct dpk_ctx *ctx);
/* A task was submitted to a context, or its state has changed: it is in the line of its engine again. With
 * the context's lock. */
void dpk_pe_rejoin(struct dpk_ctx *ctx);
/* There may be work for an engine: signals its handle if it is armed. With the lock of a context of
 * it. NULL is fine. */
void dpk_pe_notify(struct dpk_pe *pe);
/* A context has become idle: a descriptor that it had may be another one's now. */
void dpk_pe_stopped(struct dpk_pe *pe);
/* The next doca_pe_progress looks at all contexts. NULL is fine. */
void dpk_pe_note(struct dpk_pe *pe);

/* A stopping context whose tasks are all freed becomes idle. False: it is not that far. */
bool dpk_ctx_end_stop(struct dpk_ctx *ctx);
/* Whether it has what nobody tells of when it is ready. */
bool dpk_ctx_waits(const struct dpk_ctx *ctx);
/* Whether a task that waits could be carried out now. */
bool dpk_ctx_is_ready(struct dpk_ctx *ctx);

#endif
