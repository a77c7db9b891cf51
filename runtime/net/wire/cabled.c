/* dev:NAME: a cable to the port of another emulated device, in this or another process. Of two
 * cabled devices, the device with the greater name calls, and the other device answers.
 * switch:NAME: a cable to a switch, which answers. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "kinds.h"

#define AGAIN_MS  100 /* between calls, and between attempts to open the outlet */
#define ANSWER_MS 500 /* longest wait of an opening wire for an announced call */

enum { OUTLET, GREETING, CABLE };

struct cabled {
    pthread_mutex_t lock; /* of `cable` for senders; only the wire's thread changes it, with the
                           * lock */
    struct dpk_cable *cable; /* NULL without a peer */
    bool met;                /* there was a peer */
    size_t put, put_bytes;   /* since the last flush */
    struct dpk_outlet *outlet;
    int greeting; /* the socket of a caller without a greeting, or -1 */
    int epoll;
    bool calls, to_switch;
    char name[DPK_CABLE_NAME_MAX], peer[DPK_CABLE_NAME_MAX];
    char folder[PATH_MAX], peer_folder[PATH_MAX];
    struct dpk_cable_batch batch;
};

/* ---- Peers come and go ---- */

static bool watch(const struct cabled *c, int fd, uint32_t what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = what};
    return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void count_put(struct dpk_wire *wire, struct cabled *c)
{
    if (c->put > 0)
        wire_sent(wire, c->put, c->put_bytes);
    c->put = c->put_bytes = 0;
}

static void unplug(struct dpk_wire *wire, bool hung_up)
{
    struct cabled *c = wire->kind;
    struct dpk_cable_ended ended;
    pthread_mutex_lock(&c->lock);
    struct dpk_cable *old = c->cable;
    c->cable = NULL;
    count_put(wire, c);
    pthread_mutex_unlock(&c->lock);
    if (old)
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, dpk_cable_fd(old), NULL);
    dpk_cable_end(old, hung_up, &ended);
    wire_lost(wire, DPK_WIRE_NO_PEER, ended.lost, ended.lost_bytes);
    if (ended.left > 0)
        wire_drop_received(wire, DPK_WIRE_DOWN, ended.left);
}

/* Replaces an old cable, whose end may not have been noticed yet. */
static void plug(struct dpk_wire *wire, struct dpk_cable *cable)
{
    struct cabled *c = wire->kind;
    struct dpk_cable_ended ended;
    if (!cable)
        return;
    unplug(wire, true);
    if (!watch(c, dpk_cable_fd(cable), CABLE)) {
        dpk_cable_end(cable, true, &ended);
        return;
    }
    pthread_mutex_lock(&c->lock);
    c->cable = cable;
    c->met = true;
    pthread_mutex_unlock(&c->lock);
    wire_detail(wire, "the cable to %s is plugged in", c->peer);
}

static void forget_greeting(struct cabled *c)
{
    if (c->greeting >= 0)
        close(c->greeting);
    c->greeting = -1;
}

/* Accepts a call. Only this user's processes can call, so another name is a mistake. */
static void answer(struct dpk_wire *wire)
{
    char name[DPK_CABLE_NAME_MAX];
    struct dpk_cable_ended ended;
    struct cabled *c = wire->kind;
    struct dpk_cable *cable = dpk_cable_answer(c->greeting, name);
    if (!cable && errno == EAGAIN)
        return;
    const int fd = c->greeting;
    c->greeting = -1; /* the cable owns it, or it is closed */
    if (cable)
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, fd, NULL);
    if (cable && strcmp(name, c->peer) != 0) {
        wire_warn(wire, WIRE_CUTS, "%s is plugged into this device, which is not plugged into it",
                  dpk_text_clean(name));
        dpk_cable_end(cable, true, &ended);
        return;
    }
    plug(wire, cable);
}

/* Accepts a connection. If this device calls, the connection only shows that the peer would
 * answer. */
static void accept_one(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    int fd = dpk_outlet_accept(c->outlet);
    if (fd < 0)
        return;
    if (c->calls) {
        close(fd);
        if (!c->cable)
            plug(wire, dpk_cable_call(c->peer_folder, c->name));
        return;
    }
    forget_greeting(c);
    c->greeting = fd;
    if (!watch(c, fd, GREETING))
        forget_greeting(c);
}

static void handle_events(struct dpk_wire *wire)
{
    struct epoll_event events[4];
    struct cabled *c = wire->kind;
    const int n = epoll_wait(c->epoll, events, 4, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u32 == OUTLET)
            accept_one(wire);
        else if (events[i].data.u32 == GREETING && c->greeting >= 0)
            answer(wire);
    }
}

/* Opens the outlet of the device, unless another program has it. */
static bool take_place(struct dpk_wire *wire)
{
    struct dpk_error err;
    struct cabled *c = wire->kind;
    if (c->outlet || c->to_switch)
        return true;
    enum dpk_status status = dpk_outlet_open(c->folder, &c->outlet, &err);
    if (status == DPK_OK && !watch(c, dpk_outlet_fd(c->outlet), OUTLET))
        status = dpk_fail_errno(&err, "its socket cannot be watched");
    if (status == DPK_OK)
        return true;
    dpk_outlet_close(c->outlet);
    c->outlet = NULL;
    wire_warn(wire, WIRE_IS_DOWN, "%s; frames are dropped until it ends", err.message);
    return false;
}

static void connect_peer(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    if (take_place(wire) && c->calls && !c->cable)
        plug(wire, dpk_cable_call(c->peer_folder, c->name));
}

/* ---- Frames ---- */

/* Returns whether any frames came. */
static bool take_frames(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    struct dpk_cable_batch *b = &c->batch;
    if (!c->cable)
        return false;
    if (!dpk_cable_take(c->cable, b)) {
        wire_warn(wire, WIRE_FAILS, "%s sent an invalid frame; the cable is cut", c->peer);
        unplug(wire, true);
        return false;
    }
    if (b->count > 0)
        wire_arrive(wire, b->frames, b->count, false);
    if (b->too_short > 0)
        wire_drop_received(wire, DPK_WIRE_TOO_SHORT, b->too_short);
    if (b->too_long > 0)
        wire_drop_received(wire, DPK_WIRE_TOO_LONG, b->too_long);
    return b->count + b->too_short + b->too_long > 0;
}

/* Frames that came before the end of a cable count. */
static void hear_cable(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    if (!c->cable || dpk_cable_hear(c->cable))
        return;
    while (take_frames(wire))
        continue;
    unplug(wire, true);
}

static bool cabled_receive(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    const bool more = take_frames(wire);
    const bool waits = c->cable || (c->outlet && !c->calls);
    switch (wire_wait(wire, c->epoll, more ? 0 : waits ? -1 : AGAIN_MS)) {
    case WIRE_ENDS:
        return false;
    case WIRE_READY:
        take_frames(wire); /* first, because a program waits for them */
        hear_cable(wire);
        handle_events(wire);
        break;
    case WIRE_TIMEOUT:
        if (!more)
            connect_peer(wire);
    }
    return true;
}

/* Warns once if there was never a peer, as the program may send by mistake. */
static void tell_if_alone(struct dpk_wire *wire, const struct cabled *c)
{
    if (c->met)
        return;
    if (c->to_switch)
        wire_warn(wire, WIRE_HAS_NO_PEER,
                  "frames are dropped until the switch runs: dpadev switch %s", c->peer);
    else
        wire_warn(wire, WIRE_HAS_NO_PEER,
                  "frames are dropped until a program makes queues of %s, which must be "
                  "plugged in as well: dpadev wire %s dev:%s",
                  c->peer, c->name, c->peer);
}

static bool cabled_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    struct cabled *c = wire->kind;
    enum dpk_wire_drop why = DPK_WIRE_NO_PEER;
    pthread_mutex_lock(&c->lock);
    enum dpk_cable_put put = c->cable ? dpk_cable_put(c->cable, frame, size) : DPK_CABLE_BROKEN;
    if (put == DPK_CABLE_PUT)
        c->put++, c->put_bytes += size;
    else if (put == DPK_CABLE_FULL)
        why = DPK_WIRE_NO_ROOM;
    else
        tell_if_alone(wire, c);
    pthread_mutex_unlock(&c->lock);
    if (put != DPK_CABLE_PUT)
        wire_drop_sent(wire, why, 1);
    return true;
}

static void cabled_flush(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    pthread_mutex_lock(&c->lock);
    count_put(wire, c);
    if (c->cable)
        dpk_cable_flush(c->cable);
    pthread_mutex_unlock(&c->lock);
}

/* ---- Life ---- */

static enum dpk_status check_name(const char *name, struct dpk_error *err)
{
    static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const size_t length = strlen(name);
    if (length > 0 && length < DPK_CABLE_NAME_MAX && strspn(name, chars) == length &&
        !strchr("_-.", name[0]))
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "'%.80s' is not a name of a device or switch", name);
}

static enum dpk_status cabled_check(const char *argument, struct dpk_buf *out,
                                    struct dpk_error *err)
{
    const enum dpk_status status = check_name(argument, err);
    if (status == DPK_OK)
        dpk_put_format(out, "%s", argument);
    return status;
}

/* Finds the folder of the other device next to the folder of this device. */
static enum dpk_status find_folders(struct cabled *c, const char *directory, const char *peer,
                                    struct dpk_error *err)
{
    const char *slash = directory ? strrchr(directory, '/') : NULL;
    if (!slash || check_name(slash + 1, NULL) != DPK_OK)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "a cable begins at a device, and this name is not valid for a device");
    if (!c->to_switch && strcmp(slash + 1, peer) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "a device has no cable to itself: use loop");
    const int n = snprintf(c->peer_folder, PATH_MAX, "%.*s/%s%s", (int)(slash - directory),
                           directory, c->to_switch ? DPK_SWITCH_PREFIX : "", peer);
    if (n < 0 || n >= PATH_MAX || strlen(directory) >= PATH_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", directory);
    snprintf(c->folder, PATH_MAX, "%s", directory);
    snprintf(c->name, sizeof c->name, "%s", slash + 1);
    snprintf(c->peer, sizeof c->peer, "%s", peer);
    c->calls = c->to_switch || strcmp(c->name, c->peer) > 0;
    return DPK_OK;
}

/* Connects an existing peer before it returns, so that the first frame reaches the peer. */
static void meet(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    connect_peer(wire);
    if (c->calls || !c->outlet || !dpk_outlet_poke(c->peer_folder))
        return;
    for (int waited = 0; !c->cable && waited < ANSWER_MS; waited++) {
        wire_wait(wire, c->epoll, 1);
        handle_events(wire);
    }
}

static enum dpk_status cabled_open(struct dpk_wire *wire, const char *argument,
                                   struct dpk_error *err)
{
    struct cabled *c = wire->kind = calloc(1, sizeof *c);
    if (!c)
        return dpk_fail_nomem(err);
    c->to_switch = wire->ops == &wire_switch;
    c->greeting = -1;
    pthread_mutex_init(&c->lock, NULL);
    if ((c->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        return dpk_fail_errno(err, "epoll");
    enum dpk_status status = check_name(argument, err);
    if (status == DPK_OK)
        status = find_folders(c, wire->sink.directory, argument, err);
    if (status == DPK_OK)
        meet(wire);
    return status;
}

static void cabled_close(struct dpk_wire *wire)
{
    struct cabled *c = wire->kind;
    if (!c || wire->owner != getpid()) /* a child of fork() leaves the cable to its parent */
        return;
    unplug(wire, c->cable && !dpk_cable_hear(c->cable));
    forget_greeting(c);
    dpk_outlet_close(c->outlet);
    if (c->epoll >= 0)
        close(c->epoll);
    pthread_mutex_destroy(&c->lock);
    free(c->batch.bytes);
    free(c);
}

/* A switch may start later. Until then no frame is carried. */
static enum dpk_status switch_try(const char *argument, struct dpk_error *err)
{
    char root[PATH_MAX], folder[PATH_MAX];
    enum dpk_status status = dpk_folder_of_devices(root, err);
    if (status != DPK_OK)
        return status;
    const int n = snprintf(folder, sizeof folder, "%s/" DPK_SWITCH_PREFIX "%s", root, argument);
    if (n > 0 && n < (int)sizeof folder && dpk_outlet_poke(folder))
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "no switch %s runs yet: dpadev switch %s", argument,
                    argument);
}

const struct wire_ops wire_dev = {.name = "dev",
                                  .usage = "dev:NAME",
                                  .check = cabled_check,
                                  .open = cabled_open,
                                  .receive = cabled_receive,
                                  .send = cabled_send,
                                  .flush = cabled_flush,
                                  .close = cabled_close};

const struct wire_ops wire_switch = {.name = "switch",
                                     .usage = "switch:NAME",
                                     .check = cabled_check,
                                     .try = switch_try,
                                     .open = cabled_open,
                                     .receive = cabled_receive,
                                     .send = cabled_send,
                                     .flush = cabled_flush,
                                     .close = cabled_close};
