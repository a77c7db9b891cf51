/* A connection with GDB: its state, its thread, and the rights of the client. */
#include <signal.h>
#include <string.h>

#include "engine/debug/gdb.h"

void debug_gdb_begin(struct gdb *g, const struct dpk_debug_ops *ops, void *target)
{
    *g = (struct gdb){.ops = ops, .target = target};
    g->reason = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = SIGTRAP};
}

void debug_gdb_end(struct gdb *g)
{
    dpk_buf_free(&g->out);
    dpk_buf_free(&g->body);
    dpk_buf_free(&g->last);
}

/* ---- The rights of the client ---- */

bool debug_gdb_may_stay(struct gdb *g)
{
    const char *why = NULL;
    enum dpk_debug_rights rights = g->ops->rights ? g->ops->rights(g->target, &why) : DPK_DEBUG_ALL;
    g->why = rights == DPK_DEBUG_ALL ? NULL : why;
    return rights != DPK_DEBUG_NONE;
}

/* Appends the reason. Replaces characters that could end a packet, because the reason may contain
 * any name. */
static void put_why(struct gdb *g)
{
    g->body.size = 0;
    dpk_put_format(&g->body, "E.%s", g->why);
    for (size_t i = 0; i < g->body.size; i++)
        if (g->body.data[i] < ' ' || g->body.data[i] > '~' || strchr("#$*}", g->body.data[i]))
            g->body.data[i] = '?';
}

void debug_gdb_send_away(struct gdb *g)
{
    put_why(g);
    g->ops->detach(g->target);
    g->over = true;
}

/* Answers a change with OK or the reason of its refusal. GDB shows the reason for registers, but
 * not for memory. So the reason is also sent when the program continues. */
void debug_gdb_changed_or(struct gdb *g, bool done, int number)
{
    if (!done && !debug_gdb_may_stay(g)) {
        debug_gdb_send_away(g);
    } else if (!done && g->why) {
        put_why(g);
        g->untold = true;
    } else {
        debug_gdb_ok_or(g, done, number);
    }
}

/* ---- The thread of a packet ---- */

bool debug_gdb_is_thread(const struct gdb *g, unsigned id)
{
    unsigned ids[GDB_THREADS_MAX];
    size_t count = g->ops->threads(g->target, ids, GDB_THREADS_MAX);
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

unsigned debug_gdb_thread(const struct gdb *g)
{
    unsigned ids[GDB_THREADS_MAX];
    if (g->thread != 0 && debug_gdb_is_thread(g, g->thread))
        return g->thread;
    return g->ops->threads(g->target, ids, GDB_THREADS_MAX) ? ids[0] : 0;
}
