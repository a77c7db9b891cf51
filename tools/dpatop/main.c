/* dpatop: shows live what a device does: processes, threads, execution units, queues and events. */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "common/device.h"

#include "screen.h"

struct options {
    const char *device;
    unsigned interval, count;
    bool once;
};

/* ---- Waiting ---- */

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

/* Blocks the signals that end the program except while it waits. So counting always ends, and the
 * terminal is always restored. */
static void hold_signals(sigset_t *waiting)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = end};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        sigaddset(&held, ending[i]);
        sigaction(ending[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &held, waiting);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigdelset(waiting, ending[i]);
}

enum waited { WAITED_TIME, WAITED_KEY, WAITED_END };

/* Samples the units until `until`, until a key is pressed, or until the terminal's size changes. */
static enum waited wait_until(struct top *top, uint64_t until, bool keys, const sigset_t *waiting)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    const struct timespec tick = {.tv_nsec = TOP_TICK_MS * 1000000};
    while (!ended && dpk_now_ms() < until) {
        const int n = ppoll(&input, keys, &tick, waiting);
        if (ended || (n > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL))))
            return WAITED_END; /* the terminal is gone */
        if (n > 0 || (n < 0 && errno == EINTR && keys))
            return WAITED_KEY;
        dpatop_top_tick(top);
    }
    return ended ? WAITED_END : WAITED_TIME;
}

/* ---- JSON and screen ---- */

static enum dpk_status once(const struct options *o, struct top *top, const sigset_t *waiting,
                            struct dpk_error *err)
{
    if (wait_until(top, dpk_now_ms() + o->interval, false, waiting) == WAITED_END)
        return dpk_fail(err, DPK_ERR_TIMEOUT, "ended by a signal");
    enum dpk_status status = dpatop_top_measure(top, err);
    return status == DPK_OK ? dpk_json_print(dpatop_top_json(o->device, dpatop_top_seen(top)), err)
                            : status;
}

static enum dpk_status follow(const struct options *o, struct screen *s, struct top *top,
                              const sigset_t *waiting, struct dpk_error *err)
{
    uint64_t began = dpk_now_ms();
    for (unsigned shown = 0;;) {
        dpatop_screen_draw(s, dpatop_top_seen(top));
        switch (wait_until(top, began + s->interval, true, waiting)) {
        case WAITED_END:
            return DPK_OK;
        case WAITED_KEY:
            if (!dpatop_screen_keys(s))
                return DPK_OK;
            continue;
        case WAITED_TIME:
            break;
        }
        began = dpk_now_ms();
        if (s->frozen)
            continue;
        enum dpk_status status = dpatop_top_measure(top, err);
        if (status != DPK_OK || (o->count > 0 && ++shown >= o->count))
            return status;
    }
}

static enum dpk_status live(const struct options *o, struct top *top, const sigset_t *waiting,
                            struct dpk_error *err)
{
    struct screen s = {.device = o->device, .interval = o->interval};
    enum dpk_status status = dpatop_screen_begin(&s, err);
    if (status == DPK_OK)
        status = follow(o, &s, top, waiting, err);
    dpatop_screen_end(&s);
    return status;
}

static enum dpk_status run(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    struct top *top = NULL;
    sigset_t waiting;
    (void)args;
    setlocale(LC_CTYPE, "");
    hold_signals(&waiting);
    enum dpk_status status = dpatop_top_open(o->device, &top, err);
    if (status == DPK_OK)
        status = o->once ? once(o, top, &waiting, err) : live(o, top, &waiting, err);
    dpatop_top_close(top);
    return status;
}

#define AT(field) offsetof(struct options, field)
static const struct dpk_option options[] = {
    {"d,device", DPK_TEXT, "DEVICE", AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"i,interval", DPK_NUMBER, "MS", AT(interval), SCREEN_INTERVAL_LEAST, SCREEN_INTERVAL_MOST,
     .standard = "1000", .help = "milliseconds between updates"},
    {"n,iterations", DPK_NUMBER, "N", AT(count), 1, 1000000, .help = "end after N updates"},
    {"once", .at = AT(once), .help = "sample once, print JSON, and end"},
    {0},
};
static const struct dpk_command command = {.needs = "d", .options = options, .run = run};
static const struct dpk_tool tool = {
    .name = "dpatop",
    .usage = "dpatop [-d DEVICE] [-i MS] [-n N | --once]",
    .about = "Shows live what runs on an emulated device. Keys: h for help, q to quit.",
    .command = &command,
    .size = sizeof(struct options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
