/* Functions between contexts, their tasks and their progress engines. */
#ifndef DPK_API_DOCA_CORE_PE_H
#define DPK_API_DOCA_CORE_PE_H

#include "api/doca/core/core.h"

/* Removes a context from its progress engine, if any, before its destruction. */
void dpk_pe_disconnect(struct dpk_ctx *ctx);
/* Puts a context back into the line of its engine, after a task was submitted or its state has changed.
 * Call this with the context's lock. */
void dpk_pe_rejoin(struct dpk_ctx *ctx);
/* Signals the handle of an engine, if armed, because there may be work. Call this with the lock of one
 * of its contexts. NULL is ignored. */
void dpk_pe_notify(struct dpk_pe *pe);
/* Call this when a context has become idle: the number of its descriptor may be reused. */
void dpk_pe_stopped(struct dpk_pe *pe);
/* Makes the next doca_pe_progress check all contexts. NULL is ignored. */
void dpk_pe_note(struct dpk_pe *pe);

/* Makes a stopping context idle once all its tasks are freed. Returns false before. */
bool dpk_ctx_end_stop(struct dpk_ctx *ctx);
/* Returns true if the context waits for an event that no notification reports. */
bool dpk_ctx_waits(const struct dpk_ctx *ctx);
/* Returns true if a waiting task could run now. */
bool dpk_ctx_is_ready(struct dpk_ctx *ctx);

#endif
