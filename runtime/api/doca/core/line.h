/*
 * The contexts of a progress engine in the order of their turns; all with the engine's lock.
 *
 *     dpk_line_add(&line, ctx);
 *     while ((ctx = dpk_line_turn(&line)) == NULL) ...     // one of a line that is not empty
 *     dpk_line_remove(&line, ctx);
 *
 * A context that only runs tasks, and has no tasks, is parked at its turn: it leaves the line until
 * dpk_pe_rejoin. So the cost of a task does not grow with the number of contexts.
 */
#ifndef DPK_API_DOCA_CORE_LINE_H
#define DPK_API_DOCA_CORE_LINE_H

#include "api/doca/core/core.h"

struct dpk_line {
    struct dpk_ctx *first, *last; /* the first has the next turn */
    unsigned length;
    unsigned polled; /* number of contexts with `poll` */
};

/* Adds a context at the end of the line; it is no longer parked. */
void dpk_line_add(struct dpk_line *line, struct dpk_ctx *c);
/* Removes a context, which is then not parked. The context need not be in the line. */
void dpk_line_remove(struct dpk_line *line, struct dpk_ctx *c);
/* Returns the first context and moves it to the end of the line, or parks it and returns NULL. */
struct dpk_ctx *dpk_line_turn(struct dpk_line *line);

#endif
