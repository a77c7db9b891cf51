/* A switch: its ports, and the forwarding of frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

#include "switch.h"
#include "table.h"

#define GREETINGS_MAX 16u /* callers without a greeting; more callers replace the oldest */
#define EVENTS_MAX    64

struct port {
    TAILQ_ENTRY(port) link;
    struct dpk_cable *cable;
    bool over; /* it has hung up, or sent invalid frames */
    char name[DPK_CABLE_NAME_MAX];
};
TAILQ_HEAD(ports, port);

/* The subject of an event: a port, or one of these addresses. */
static struct port outlet_event, stop_event, greeting_event;

struct dpk_switch {
    struct dpk_switch_options options;
    struct dpk_outlet *outlet;
    int epoll;
    struct ports ports;
    unsigned count;
    int greetings[GREETINGS_MAX];
    unsigned greeting_count;
    struct table table;
    struct dpk_cable_batch batch;
    uint64_t now; /* seconds */
};

static void count(const struct dpk_switch *s, enum dpk_counter counter, uint64_t more)
{
    if (more > 0)
        dpk_count(dpk_counters_port(s->options.counters), counter, more);
}

static void tell(const struct dpk_switch *s, const char *name, const char *what)
{
    char text[DPK_CABLE_NAME_MAX + 64], clean[DPK_CABLE_NAME_MAX];
    snprintf(clean, sizeof clean, "%s", name);
    snprintf(text, sizeof text, "%s %s", dpk_text_clean(clean), what);
    if (s->options.tell)
        s->options.tell(s->options.context, text);
}

static bool watch(const struct dpk_switch *s, int fd, struct port *what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = what};
    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

/* ---- Ports ---- */

static void remove_port(struct dpk_switch *s, struct port *p)
{
    struct dpk_cable_ended ended;
    tell(s, p->name, "is unplugged");
    TAILQ_REMOVE(&s->ports, p, link);
    s->count--;
    switch_table_forget(&s->table, p);
    epoll_ctl(s->epoll, EPOLL_CTL_DEL, dpk_cable_fd(p->cable), NULL);
    dpk_cable_end(p->cable, p->over, &ended);
    count(s, DPK_WIRE_OUT, -(uint64_t)ended.lost);
    count(s, DPK_WIRE_OUT_BYTES, -(uint64_t)ended.lost_bytes);
    count(s, DPK_DROP_NO_PEER, ended.lost);
    count(s, DPK_WIRE_IN, ended.left);
    count(s, DPK_DROP_WIRE_DOWN, ended.left);
    free(p);
}

static void add_port(struct dpk_switch *s, struct dpk_cable *cable, const char *name)
{
    struct dpk_cable_ended ended;
    struct port *p = s->count < DPK_SWITCH_PORTS ? calloc(1, sizeof *p) : NULL;
    if (!p || !watch(s, dpk_cable_fd(cable), p)) {
        tell(s, name, "is refused: the switch has no port for it");
        dpk_cable_end(cable, true, &ended);
        free(p);
        return;
    }
    p->cable = cable;
    snprintf(p->name, sizeof p->name, "%s", name);
    TAILQ_INSERT_TAIL(&s->ports, p, link);
    s->count++;
    tell(s, name, "is plugged in");
}

/* Keeps the others in the order in which they called. */
static void forget_greeting(struct dpk_switch *s, unsigned i)
{
    int *gone = &s->greetings[i];
    s->greeting_count--;
    memmove(gone, gone + 1, (s->greeting_count - i) * sizeof *gone);
}

static void accept_all(struct dpk_switch *s)
{
    int fd;
    while ((fd = dpk_outlet_accept(s->outlet)) >= 0) {
        if (s->greeting_count == GREETINGS_MAX) {
            close(s->greetings[0]); /* the oldest */
            forget_greeting(s, 0);
        }
        if (watch(s, fd, &greeting_event))
            s->greetings[s->greeting_count++] = fd;
        else
            close(fd);
    }
}

static void answer_all(struct dpk_switch *s)
{
    char name[DPK_CABLE_NAME_MAX];
    for (unsigned i = s->greeting_count; i-- > 0;) {
        const int fd = s->greetings[i];
        struct dpk_cable *cable = dpk_cable_answer(fd, name);
        if (!cable && errno == EAGAIN)
            continue;
        forget_greeting(s, i);
        if (!cable)
            continue;
        epoll_ctl(s->epoll, EPOLL_CTL_DEL, fd, NULL);
        add_port(s, cable, name);
    }
}

/* ---- Frames ---- */

static void put(struct dpk_switch *s, struct port *to, const struct dpk_frame *f)
{
    switch (dpk_cable_put(to->cable, f->bytes, f->size)) {
    case DPK_CABLE_PUT:
        count(s, DPK_WIRE_OUT, 1);
        count(s, DPK_WIRE_OUT_BYTES, f->size);
        break;
    case DPK_CABLE_FULL:
        count(s, DPK_DROP_WIRE_FULL, 1);
        break;
    default:
        to->over = true;
        count(s, DPK_DROP_NO_PEER, 1);
    }
}

static void flood(struct dpk_switch *s, const struct port *from, const struct dpk_frame *f)
{
    struct port *p;
    unsigned copies = 0;
    TAILQ_FOREACH(p, &s->ports, link)
    if (p != from) {
        put(s, p, f);
        copies++;
    }
    if (copies > 0)
        count(s, DPK_COPIED, copies - 1);
    else
        count(s, DPK_DROP_NO_PEER, 1);
}

/* Returns whether bridges do not forward to this address. */
static bool is_reserved(const uint8_t address[ADDRESS])
{
    static const uint8_t bridges[ADDRESS - 1] = {0x01, 0x80, 0xc2, 0x00, 0x00};
    return memcmp(address, bridges, sizeof bridges) == 0 && address[ADDRESS - 1] < 0x10;
}

static void forward(struct dpk_switch *s, struct port *from, const struct dpk_frame *f)
{
    const uint8_t *to = f->bytes, *source = f->bytes + ADDRESS;
    const unsigned ageing = s->options.ageing_s;
    if (!(source[0] & 1))
        switch_table_learn(&s->table, source, from, s->now);
    if (is_reserved(to)) {
        count(s, DPK_DROP_NO_RULE, 1);
        return;
    }
    struct port *port =
        to[0] & 1 ? NULL : switch_table_find(&s->table, to, s->now > ageing ? s->now - ageing : 0);
    if (!port)
        flood(s, from, f);
    else if (port == from)
        count(s, DPK_DROP_NO_RULE, 1);
    else
        put(s, port, f);
}

/* Takes a batch of frames from a port. Returns whether there were any. */
static bool serve(struct dpk_switch *s, struct port *from)
{
    struct dpk_cable_batch *b = &s->batch;
    if (!dpk_cable_take(from->cable, b)) {
        from->over = true;
        return false;
    }
    for (size_t i = 0; i < b->count; i++) {
        count(s, DPK_WIRE_IN_BYTES, b->frames[i].size);
        forward(s, from, &b->frames[i]);
    }
    count(s, DPK_WIRE_IN, b->count + b->too_short + b->too_long);
    count(s, DPK_DROP_TOO_SHORT, b->too_short);
    count(s, DPK_DROP_TOO_LONG, b->too_long);
    return b->count + b->too_short + b->too_long > 0;
}

/* Takes a batch from each port. Returns whether there was any frame. */
static bool serve_all(struct dpk_switch *s)
{
    bool any = false;
    struct port *p, *next;
    s->now = dpk_now_ns() / 1000000000u;
    TAILQ_FOREACH(p, &s->ports, link)
    any = serve(s, p) || any;
    for (p = TAILQ_FIRST(&s->ports); p; p = next) {
        next = TAILQ_NEXT(p, link);
        dpk_cable_flush(p->cable);
        /* Frames that came before it hung up count, unless it broke the protocol. */
        if (p->over && !serve(s, p))
            remove_port(s, p);
    }
    return any;
}

/* ---- Life ---- */

/* Handles events. Returns whether the switch has to stop. */
static bool handle(struct dpk_switch *s, const struct epoll_event *events, int n)
{
    bool stops = false;
    for (int i = 0; i < n; i++) {
        struct port *p = events[i].data.ptr;
        if (p == &stop_event)
            stops = true;
        else if (p == &outlet_event)
            accept_all(s);
        else if (p != &greeting_event && !dpk_cable_hear(p->cable))
            p->over = true;
    }
    answer_all(s);
    return stops;
}

enum dpk_status dpk_switch_run(struct dpk_switch *s, int stop, struct dpk_error *err)
{
    struct epoll_event events[EVENTS_MAX];
    bool stops = false;
    if (!watch(s, stop, &stop_event))
        return dpk_fail_errno(err, "epoll");
    while (!stops) {
        const bool busy = serve_all(s);
        const int n = epoll_wait(s->epoll, events, EVENTS_MAX, busy ? 0 : -1);
        if (n < 0 && errno != EINTR)
            return dpk_fail_errno(err, "epoll");
        stops = handle(s, events, n);
    }
    epoll_ctl(s->epoll, EPOLL_CTL_DEL, stop, NULL);
    return DPK_OK;
}

enum dpk_status dpk_switch_open(const struct dpk_switch_options *options, struct dpk_switch **out,
                                struct dpk_error *err)
{
    struct dpk_switch *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return dpk_fail_nomem(err);
    s->options = *options;
    if (s->options.ageing_s == 0)
        s->options.ageing_s = DPK_SWITCH_AGEING_S;
    TAILQ_INIT(&s->ports);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    enum dpk_status status = dpk_outlet_open(options->folder, &s->outlet, err);
    if (status == DPK_OK && (s->epoll < 0 || !watch(s, dpk_outlet_fd(s->outlet), &outlet_event)))
        status = dpk_fail_errno(err, "epoll");
    if (status == DPK_OK) {
        *out = s;
        return DPK_OK;
    }
    dpk_switch_close(s);
    return status;
}

void dpk_switch_close(struct dpk_switch *s)
{
    struct port *p;
    if (!s)
        return;
    while ((p = TAILQ_FIRST(&s->ports)))
        remove_port(s, p);
    for (unsigned i = 0; i < s->greeting_count; i++)
        close(s->greetings[i]);
    dpk_outlet_close(s->outlet);
    if (s->epoll >= 0)
        close(s->epoll);
    free(s->batch.bytes);
    free(s);
}
