/* Packets of GDB (Remote Serial Protocol, "Overview" and "Packets"): framing and commands. */
#include "debug/gdb.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

void gdb_begin(struct gdb *g, const struct dpk_debug_ops *ops, void *target)
{
    *g = (struct gdb){.ops = ops, .target = target};
    g->reason = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = SIGTRAP};
}

void gdb_end(struct gdb *g)
{
    dpk_buf_free(&g->out);
    dpk_buf_free(&g->body);
    dpk_buf_free(&g->last);
}

/* ---- Answers ---- */

static const char digits[] = "0123456789abcdef";

void gdb_hex(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++) {
        dpk_put_u8(&g->body, (uint8_t)digits[b[i] >> 4]);
        dpk_put_u8(&g->body, (uint8_t)digits[b[i] & 15]);
    }
}

void gdb_error(struct gdb *g, int number)
{
    g->body.size = 0;
    dpk_put_format(&g->body, "E%02x", (unsigned)number & 0xff);
}

static void ok(struct gdb *g)
{
    dpk_put_format(&g->body, "OK");
}

void gdb_ok_or(struct gdb *g, bool done, int number)
{
    if (done)
        ok(g);
    else
        gdb_error(g, number);
}

/* Whether the client may stay: asks what it may do. */
static bool may_stay(struct gdb *g)
{
    const char *why = NULL;
    enum dpk_debug_rights rights = g->ops->rights ? g->ops->rights(g->target, &why) : DPK_DEBUG_ALL;
    g->why = rights == DPK_DEBUG_ALL ? NULL : why;
    return rights != DPK_DEBUG_NONE;
}

/* There may be names in it, which may have what ends a packet. */
static void put_why(struct gdb *g)
{
    g->body.size = 0;
    dpk_put_format(&g->body, "E.%s", g->why);
    for (size_t i = 0; i < g->body.size; i++)
        if (g->body.data[i] < ' ' || g->body.data[i] > '~' || strchr("#$*}", g->body.data[i]))
            g->body.data[i] = '?';
}

static void send_away(struct gdb *g)
{
    put_why(g);
    g->ops->detach(g->target);
    g->over = true;
}

/* GDB shows this text where a register was to be written, but for memory only that it failed: so it
 * is also said when the program goes on. */
void gdb_changed_or(struct gdb *g, bool done, int number)
{
    if (!done && !may_stay(g)) {
        send_away(g);
    } else if (!done && g->why) {
        put_why(g);
        g->untold = true;
    } else {
        gdb_ok_or(g, done, number);
    }
}

static void send_body(struct gdb *g)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < g->body.size; i++)
        sum = (uint8_t)(sum + g->body.data[i]);
    g->last.size = 0;
    dpk_put_u8(&g->last, '$');
    dpk_put(&g->last, g->body.data, g->body.size);
    dpk_put_format(&g->last, "#%02x", sum);
    dpk_put(&g->out, g->last.data, g->last.size);
    g->body.size = 0;
}

void gdb_say(struct gdb *g, const char *text)
{
    dpk_put_u8(&g->body, 'O');
    gdb_hex(g, text, strlen(text));
    send_body(g);
}

/* ---- Numbers ---- */

static int digit(char c)
{
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return at == NULL ? -1 : (int)(at - digits);
}

bool gdb_number(const char **text, uint64_t *out)
{
    unsigned count = 0;
    *out = 0;
    for (; digit(**text) >= 0 && count < 16; count++)
        *out = *out << 4 | (unsigned)digit(*(*text)++);
    return count > 0 && digit(**text) < 0;
}

bool gdb_unhex(const char **text, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int high = digit((*text)[0]), low = high < 0 ? -1 : digit((*text)[1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
        *text += 2;
    }
    return true;
}

bool gdb_expect(const char **text, char c)
{
    bool there = **text == c;
    *text += there;
    return there;
}

/* "ADDRESS,LENGTH" */
bool gdb_range(const char **text, uint64_t *address, uint64_t *length)
{
    return gdb_number(text, address) && gdb_expect(text, ',') && gdb_number(text, length);
}

/* A thread id; 0 for any and for all. */
static bool thread_id(const char **text, unsigned *id)
{
    uint64_t n;
    *id = 0;
    if (strncmp(*text, "-1", 2) == 0) {
        *text += 2;
        return true;
    }
    if (!gdb_number(text, &n) || n > UINT32_MAX)
        return false;
    *id = (unsigned)n;
    return true;
}

/* ---- Threads ---- */

static bool is_thread(const struct gdb *g, unsigned id)
{
    unsigned ids[GDB_THREADS_MAX];
    size_t count = g->ops->threads(g->target, ids, GDB_THREADS_MAX);
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

unsigned gdb_thread(const struct gdb *g)
{
    unsigned ids[GDB_THREADS_MAX];
    if (g->thread != 0 && is_thread(g, g->thread))
        return g->thread;
    return g->ops->threads(g->target, ids, GDB_THREADS_MAX) ? ids[0] : 0;
}

/* Hg ID, Hc ID */
static void choose_thread(struct gdb *g, const char *text)
{
    char what = *text;
    unsigned id;
    if ((what != 'g' && what != 'c') || !thread_id((text++, &text), &id) || *text != '\0' ||
        (id != 0 && !is_thread(g, id))) {
        gdb_error(g, EINVAL);
        return;
    }
    if (what == 'g')
        g->thread = id;
    else
        g->step_thread = id;
    ok(g);
}

/* T ID */
static void is_alive(struct gdb *g, const char *text)
{
    unsigned id;
    gdb_ok_or(g, thread_id(&text, &id) && *text == '\0' && is_thread(g, id), ESRCH);
}

/* ---- Going on and stopping ---- */

struct action {
    enum dpk_resume how;
    unsigned thread; /* 0: all */
};

/* One action of vCont: c, s, or C, S with a signal, which is the fault that the program gets. */
static bool take_action(const char **text, struct action *a)
{
    char what = **text;
    uint64_t signal = 0;
    if (what != 'c' && what != 's' && what != 'C' && what != 'S')
        return false;
    ++*text;
    if ((what == 'C' || what == 'S') && !gdb_number(text, &signal))
        return false;
    a->how = what == 's' || what == 'S' ? DPK_RESUME_STEP : DPK_RESUME_RUN;
    if (signal != 0 && signal != SIGTRAP && signal != SIGINT)
        a->how = DPK_RESUME_FAIL;
    a->thread = 0;
    return **text != ':' || thread_id(((*text)++, text), &a->thread);
}

/* The first action that is about a thread counts for it. */
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
        gdb_say(g, "not changed: ");
        gdb_say(g, g->why);
        gdb_say(g, "\n");
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
        gdb_error(g, EINVAL);
    else
        act(g, actions, count);
}

/* The old c, s, C SIGNAL, S SIGNAL, without an address. */
static void resume_old(struct gdb *g, const char *text)
{
    struct action a[2] = {{0}, {.how = DPK_RESUME_RUN}};
    if (!take_action(&text, &a[0]) || *text != '\0') {
        gdb_error(g, EINVAL);
        return;
    }
    a[0].thread = a[0].how == DPK_RESUME_STEP ? g->step_thread : 0;
    if (a[0].how == DPK_RESUME_STEP && a[0].thread == 0)
        a[0].thread = gdb_thread(g);
    act(g, a, 2);
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
                       s->thread ? s->thread : gdb_thread(g));
        if (s->watched)
            dpk_put_format(&g->body, "%s:%llx;",
                           s->watched == RV64_W   ? "watch"
                           : s->watched == RV64_R ? "rwatch"
                                                  : "awatch",
                           (unsigned long long)s->address);
        break;
    }
}

void gdb_tell_stop(struct gdb *g)
{
    struct dpk_stop stop = {0};
    if (!g->running || !g->ops->stopped(g->target, &stop))
        return;
    g->running = false;
    if (!may_stay(g)) {
        gdb_say(g, g->why);
        gdb_say(g, "\n");
        g->ops->detach(g->target);
        g->over = true;
        return;
    }
    g->reason = stop;
    g->thread = stop.thread;
    put_reason(g);
    send_body(g);
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
        ok(g);
        finish(g, true);
    }
}

/* Registers, memory, breakpoints. False: the packet is about something else. */
static bool state_command(struct gdb *g, const char *text)
{
    switch (g->packet[0]) {
    case 'g':
        gdb_read_registers(g);
        break;
    case 'G':
        gdb_write_registers(g, text);
        break;
    case 'p':
        gdb_read_register(g, text);
        break;
    case 'P':
        gdb_write_register(g, text);
        break;
    case 'm':
        gdb_read_memory(g, text);
        break;
    case 'M':
        gdb_write_memory(g, text);
        break;
    case 'X':
        gdb_write_binary(g, text, g->packet + g->length);
        break;
    case 'Z':
    case 'z':
        gdb_set_point(g, text, g->packet[0] == 'Z');
        break;
    default:
        return false;
    }
    return true;
}

/* What is not known gets the empty answer, as the protocol wants it. */
static void command(struct gdb *g)
{
    const char *text = g->packet + 1;
    if (!may_stay(g)) {
        send_away(g);
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
    case 'v':
        v_command(g, text);
        break;
    case 'q':
        gdb_query(g, text);
        break;
    case 'Q':
        if (strcmp(text, "StartNoAckMode") == 0) {
            g->no_ack = true;
            ok(g);
        }
        break;
    case 'D':
        ok(g);
        finish(g, false);
        break;
    case 'k':
        finish(g, true);
        break;
    default:
        break;
    }
}

/* ---- Framing ---- */

static void packet_done(struct gdb *g)
{
    bool whole = g->sum == g->said_sum;
    if (!g->no_ack)
        dpk_put_u8(&g->out, whole ? '+' : '-');
    if (!whole || g->running) /* while it runs, only an interrupt means anything */
        return;
    if (g->length > GDB_PACKET_MAX) {
        gdb_error(g, E2BIG);
    } else {
        g->packet[g->length] = '\0';
        command(g);
    }
    if (!g->running && !(g->over && g->body.size == 0))
        send_body(g);
}

static void take_byte(struct gdb *g, uint8_t byte)
{
    int value;
    switch (g->state) {
    case GDB_IDLE:
        if (byte == '$') {
            g->state = GDB_BODY;
            g->length = g->sum = 0;
        } else if (byte == 0x03 && g->running) {
            g->ops->interrupt(g->target);
        } else if (byte == '-' && !g->no_ack && g->out.size == 0) { /* else it is on its way */
            dpk_put(&g->out, g->last.data, g->last.size);
        }
        break;
    case GDB_BODY:
        if (byte == '#') {
            g->state = GDB_SUM_HIGH;
            break;
        }
        g->sum = (uint8_t)(g->sum + byte);
        if (g->length < GDB_PACKET_MAX)
            g->packet[g->length] = (char)byte;
        if (g->length <= GDB_PACKET_MAX)
            g->length++;
        break;
    case GDB_SUM_HIGH:
        value = digit((char)byte);
        g->said_sum = (uint8_t)((value & 15) << 4);
        if (value < 0) /* cannot be right */
            g->said_sum = (uint8_t)~g->sum;
        g->state = GDB_SUM_LOW;
        break;
    case GDB_SUM_LOW:
        value = digit((char)byte);
        g->said_sum = value < 0 ? (uint8_t)~g->sum : (uint8_t)(g->said_sum | value);
        g->state = GDB_IDLE;
        packet_done(g);
        break;
    }
}

/* GDB begins with an acknowledgement, a packet or an interrupt. A browser that a web page sends
 * here begins with the name of a method, whatever follows. */
static void check_first(struct gdb *g, uint8_t byte)
{
    g->begun = true;
    g->stranger = byte != '+' && byte != '-' && byte != '$' && byte != 0x03;
    if (!g->stranger)
        return;
    g->ops->detach(g->target);
    g->over = true;
}

void gdb_feed(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size > 0 && !g->begun)
        check_first(g, b[0]);
    for (size_t i = 0; i < size && !g->over && !g->out.failed && !g->body.failed; i++)
        take_byte(g, b[i]);
}
