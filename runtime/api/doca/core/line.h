/*
 * The contexts of a progress engine in the order of their turns; all with the engine's lock.
 *
 *     dpk_line_add(&line, ctx);
 *     while ((ctx = dpk_line_turn(&line)) == NULL) ...     // one of a line that is not empty
 *     dpk_line_remove(&line, ctx);
 *
 * One that does nothing but run tasks, and has none, is parked when its turn comes: out of the line until
 * dpk_pe_rejoin. So what a task costs does not grow with the number of contexts.
 */
#ifndef DPK_API_DOCA_CORE_LINE_H
#define DPK_API_DOCA_CORE_LINE_H

#include "api/doca/core/core.h"

struct dpk_line {
    struct dpk_ctx *first, *last; /* the first has the next turn */
    unsigned length;
    unsigned polled; /* how many of them have `poll` */
};

/* At the end; it is not parked any more. */
void dpk_line_add(struct dpk_line *line, struct dpk_ctx *c);
/* Nor is one that was not there. */
void dpk_line_remove(struct dpk_line *line, struct dpk_ctx *c);
/* The first one, which goes to the end of the line. NULL: it was parked. */
struct dpk_ctx *dpk_line_turn(struct dpk_line *line);

#endif
