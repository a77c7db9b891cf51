/* Commands of GDB (Remote Serial Protocol, "Packets"): threads, continuing and stopping. */
#include "engine/debug/gdb.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* ---- Threads ---- */

/* Reads a thread id, which is 0 for any thread and for all threads. */
static bool thread_id(const char **text, unsigned *id)
{
    uint64_t n;
    *id = 0;
    if (strncmp(*text, "-1", 2) == 0) {
        *text += 2;
        return true;
    }
    if (!debug_gdb_number(text, &n) || n > UINT32_MAX)
        return false;
    *id = (unsigned)n;
    return true;
}

/* Hg ID, Hc ID */
static void choose_thread(struct gdb *g, const char *text)
{
    char what = *text;
    unsigned id;
    if ((what != 'g' && what != 'c') || !thread_id((text++, &text), &id) || *text != '\0' ||
        (id != 0 && !debug_gdb_is_thread(g, id))) {
        debug_gdb_error(g, EINVAL);
        return;
    }
    if (what == 'g')
        g->thread = id;
    else
        g->step_thread = id;
    debug_gdb_ok(g);
}

/* T ID */
static void is_alive(struct gdb *g, const char *text)
{
    unsigned id;
    debug_gdb_ok_or(g, thread_id(&text, &id) && *text == '\0' && debug_gdb_is_thread(g, id), ESRCH);
}

/* ---- Going on and stopping ---- */

struct action {
    enum dpk_resume how;
    unsigned thread; /* 0 for all threads */
};

/* Reads an action of vCont: c, s, or C, S with a signal, which is the fault that the program
 * gets. */
static bool take_action(const char **text, struct action *a)
{
    char what = **text;
    uint64_t signal = 0;
    if (what != 'c' && what != 's' && what != 'C' && what != 'S')
        return false;
    ++*text;
    if ((what == 'C' || what == 'S') && !debug_gdb_number(text, &signal))
        return false;
    a->how = what == 's' || what == 'S' ? DPK_RESUME_STEP : DPK_RESUME_RUN;
    if (signal != 0 && signal != SIGTRAP && signal != SIGINT)
        a->how = DPK_RESUME_FAIL;
    a->thread = 0;
    return **text != ':' || thread_id(((*text)++, text), &a->thread);
}

/* Each thread takes the first action that applies to it. */
static void act(struct gdb *g, const struct action *actions, size_t count)
{
    unsigned ids[GDB_THREADS_MAX];
    size_t threads = g->ops->threads(g->target, ids, GDB_THREADS_MAX);
    enum dpk_resume others = DPK_RESUME_HOLD;
    for (size_t i = count; i-- > 0;)
        if (actions[i].thread == 0)
            others = actions[i].how == DPK_RESUME_HOLD ? DPK_RESUME_HOLD : DPK_RESUME_RUN;
    for (size_t t = 0; t < threads; t++) {
        size_t i = 0;
        while (i < count && actions[i].thread != 0 && actions[i].thread != ids[t])
            i++;
        g->ops->resume(g->target, ids[t], i < count ? actions[i].how : DPK_RESUME_HOLD);
    }
    g->running = true;
    g->reason = (struct dpk_stop){0};
    if (g->untold) {
        debug_gdb_say(g, "not changed: ");
        debug_gdb_say(g, g->why);
        debug_gdb_say(g, "\n");
        g->untold = false;
    }
    g->ops->go(g->target, others);
}

static void resume(struct gdb *g, const char *text)
{
    enum { ACTIONS_MAX = 64 };
    struct action actions[ACTIONS_MAX];
    size_t count = 0;
    bool good = *text == ';';
    for (; good && *text == ';'; count++)
        good = count < ACTIONS_MAX && take_action((text++, &text), &actions[count]);
    if (!good || *text != '\0')
        debug_gdb_error(g, EINVAL);
    else
        act(g, actions, count);
}

/* The older packets c, s, C SIGNAL, S SIGNAL, without an address. */
static void resume_old(struct gdb *g, const char *text)
{
    struct action a[2] = {{0}, {.how = DPK_RESUME_RUN}};
    if (!take_action(&text, &a[0]) || *text != '\0') {
        debug_gdb_error(g, EINVAL);
        return;
    }
    a[0].thread = a[0].how == DPK_RESUME_STEP ? g->step_thread : 0;
    if (a[0].how == DPK_RESUME_STEP && a[0].thread == 0)
        a[0].thread = debug_gdb_thread(g);
    act(g, a, 2);
}

/* bs and bc: a step of a thread backwards, and back to the previous breakpoint or watch. */
static void go_back(struct gdb *g, const char *text)
{
    const bool step = strcmp(text, "s") == 0;
    if (!g->ops->back || (!step && strcmp(text, "c") != 0))
        return;
    g->running = true;
    g->reason = (struct dpk_stop){0};
    g->ops->back(g->target, !step ? 0 : g->step_thread ? g->step_thread : debug_gdb_thread(g));
}

static void put_reason(struct gdb *g)
{
    const struct dpk_stop *s = &g->reason;
    switch (s->how) {
    case DPK_STOP_NONE:
        break;
    case DPK_STOP_EXITED:
        dpk_put_format(&g->body, "W%02x", (unsigned)s->code & 0xff);
        break;
    case DPK_STOP_KILLED:
        dpk_put_format(&g->body, "X%02x", (unsigned)s->signal & 0xff);
        break;
    case DPK_STOP_SIGNAL:
        dpk_put_format(&g->body, "T%02xthread:%x;", (unsigned)s->signal & 0xff,
                       s->thread ? s->thread : debug_gdb_thread(g));
        if (s->watched)
            dpk_put_format(&g->body, "%s:%llx;",
                           s->watched == RV64_W   ? "watch"
                           : s->watched == RV64_R ? "rwatch"
                                                  : "awatch",
                           (unsigned long long)s->address);
        if (s->history != DPK_HISTORY_INSIDE)
            dpk_put_format(&g->body, "replaylog:%s;",
                           s->history == DPK_HISTORY_BEGIN ? "begin" : "end");
        break;
    }
}

void debug_gdb_tell_stop(struct gdb *g)
{
    struct dpk_stop stop = {0};
    if (!g->running || !g->ops->stopped(g->target, &stop))
        return;
    g->running = false;
    if (!debug_gdb_may_stay(g)) {
        debug_gdb_say(g, g->why);
        debug_gdb_say(g, "\n");
        g->ops->detach(g->target);
        g->over = true;
        return;
    }
    g->reason = stop;
    g->thread = stop.thread;
    put_reason(g);
    debug_gdb_send(g);
    g->over = stop.how == DPK_STOP_EXITED || stop.how == DPK_STOP_KILLED;
}

/* ---- Commands ---- */

static void finish(struct gdb *g, bool kill)
{
    if (kill)
        g->ops->kill(g->target);
    else
        g->ops->detach(g->target);
    g->over = true;
}

static void v_command(struct gdb *g, const char *text)
{
    if (strcmp(text, "Cont?") == 0) {
        dpk_put_format(&g->body, "vCont;c;C;s;S");
    } else if (strncmp(text, "Cont", 4) == 0) {
        resume(g, text + 4);
    } else if (strncmp(text, "Kill;", 5) == 0) {
        debug_gdb_ok(g);
        finish(g, true);
    }
}

/* Handles packets about registers, memory and breakpoints. Returns false for other packets. */
static bool state_command(struct gdb *g, const char *text)
{
    switch (g->packet[0]) {
    case 'g':
        debug_gdb_read_registers(g);
        break;
    case 'G':
        debug_gdb_write_registers(g, text);
        break;
    case 'p':
        debug_gdb_read_register(g, text);
        break;
    case 'P':
        debug_gdb_write_register(g, text);
        break;
    case 'm':
        debug_gdb_read_memory(g, text);
        break;
    case 'M':
        debug_gdb_write_memory(g, text);
        break;
    case 'X':
        debug_gdb_write_binary(g, text, g->packet + g->length);
        break;
    case 'Z':
    case 'z':
        debug_gdb_set_point(g, text, g->packet[0] == 'Z');
        break;
    default:
        return false;
    }
    return true;
}

/* An unknown command gets the empty answer, as the protocol requires. */
void debug_gdb_command(struct gdb *g)
{
    const char *text = g->packet + 1;
    if (!debug_gdb_may_stay(g)) {
        debug_gdb_send_away(g);
        return;
    }
    if (state_command(g, text))
        return;
    switch (g->packet[0]) {
    case '?':
        put_reason(g);
        break;
    case 'H':
        choose_thread(g, text);
        break;
    case 'T':
        is_alive(g, text);
        break;
    case 'c':
    case 's':
    case 'C':
    case 'S':
        resume_old(g, g->packet);
        break;
    case 'b':
        go_back(g, text);
        break;
    case 'v':
        v_command(g, text);
        break;
    case 'q':
        debug_gdb_query(g, text);
        break;
    case 'Q':
        if (strcmp(text, "StartNoAckMode") == 0) {
            g->no_ack = true;
            debug_gdb_ok(g);
        }
        break;
    case 'D':
        debug_gdb_ok(g);
        finish(g, false);
        break;
    case 'k':
        finish(g, true);
        break;
    default:
        break;
    }
}
