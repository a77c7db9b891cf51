/* The line of contexts of a progress engine. */
#include "line.h"

static void append(struct dpk_line *line, struct dpk_ctx *c)
{
    if (line->first)
        line->last->next_in_pe = c;
    else
        line->first = c;
    line->last = c;
    c->next_in_pe = NULL;
}

void dpk_line_add(struct dpk_line *line, struct dpk_ctx *c)
{
    append(line, c);
    line->length++;
    line->polled += c->ops->poll != NULL;
    atomic_store(&c->parked, false);
}

void dpk_line_remove(struct dpk_line *line, struct dpk_ctx *c)
{
    struct dpk_ctx *before = NULL, *at = line->first;
    atomic_store(&c->parked, false);
    for (; at && at != c; at = at->next_in_pe)
        before = at;
    if (!at)
        return;
    if (before)
        before->next_in_pe = at->next_in_pe;
    else
        line->first = at->next_in_pe;
    if (line->last == at)
        line->last = before;
    line->length--;
    line->polled -= c->ops->poll != NULL;
}

/* Parks a context that has nothing to do until a thread submits a task or changes its state. That
 * thread checks `parked` afterwards, so at least one of the two threads sees the other's change. */
static bool park(struct dpk_ctx *c)
{
    if (c->ops->progress || c->ops->is_ready || c->ops->poll || c->ops->rest)
        return false;
    atomic_store(&c->parked, true);
    const enum doca_ctx_states state = atomic_load(&c->state);
    const bool parks = atomic_load(&c->submitted) == 0 &&
                       (state == DOCA_CTX_STATE_IDLE || state == DOCA_CTX_STATE_RUNNING);
    if (!parks)
        atomic_store(&c->parked, false);
    return parks;
}

struct dpk_ctx *dpk_line_turn(struct dpk_line *line)
{
    struct dpk_ctx *c = line->first;
    line->first = c->next_in_pe;
    if (!line->first)
        line->last = NULL;
    if (!park(c)) {
        append(line, c);
        return c;
    }
    line->length--;
    return NULL;
}
