/* The command of dpa-gdbserver: finds the process that has the token and passes GDB's bytes on to
 * it. */
#include "attach.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/peers/peers.h"
#include "device/admin/admin.h"
#include "engine/debug/debug.h"

/* ---- The process ---- */

struct search {
    const char *device;
    char directory[PATH_MAX]; /* the device's directory */
    uint64_t token;
    const char *word; /* "find" or "debug" */
    int fd;           /* socket of the process that answered yes, or -1 */
    char answer[200];
};

static bool ask(void *context, int fd)
{
    struct search *s = context;
    char line[PATH_MAX + 32];
    int n = snprintf(line, sizeof line, "%s %" PRIx64 " %s\n", s->word, s->token, s->directory);
    if (n > 0 && (size_t)n < sizeof line && dpk_peer_say(fd, line, (size_t)n) &&
        dpk_peer_line(fd, line, sizeof line)) {
        if (strcmp(line, "yes") == 0) {
            s->fd = fd;
            return false;
        }
        if (strcmp(line, "no") != 0)
            snprintf(s->answer, sizeof s->answer, "%.199s", line);
    }
    close(fd);
    return true;
}

static enum dpk_status find_process(struct search *s, const char *word, struct dpk_error *err)
{
    s->fd = -1;
    s->word = word;
    enum dpk_status status = dpk_peers_each(ask, s, err);
    if (status == DPK_OK && s->fd < 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: %s", s->device,
                          s->answer[0] ? dpk_text_clean(s->answer)
                                       : "no process of this user there has this token");
    return status;
}

/* ---- Between GDB and the process ---- */

static bool pass_on(int from, int to)
{
    char bytes[4096];
    ssize_t n = read(from, bytes, sizeof bytes);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    return n > 0 && dpk_peer_say(to, bytes, (size_t)n);
}

static void connect_both(int gdb, int process)
{
    bool open = true;
    while (open) {
        struct pollfd fds[2] = {{.fd = gdb, .events = POLLIN}, {.fd = process, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        if (fds[1].revents)
            open = pass_on(process, gdb);
        if (fds[0].revents)
            open = pass_on(gdb, process) && open;
    }
}

static void note_stranger(void *device, const char *why)
{
    (void)dpk_device_log(device, "attach", "NOT_ALLOWED", why, NULL);
    fprintf(stderr, "-W- refused: %s\n", why);
}

/* The process checks this again when the debugger connects. Checking here avoids a useless wait. */
static enum dpk_status ask_device(struct dpk_device *device, struct dpk_error *err)
{
    enum dpk_debug_rights rights;
    enum dpk_status status = dpk_device_debug_rights(device, DPK_VIEW_CURRENT, &rights, err);
    if (status != DPK_OK || rights != DPK_DEBUG_NONE)
        return status;
    (void)dpk_device_log(device, "attach", "NOT_ALLOWED", "", NULL);
    return dpk_fail(err, DPK_ERR_REFUSED, "%s allows no debuggers; see dpadev show",
                    dpk_device_name(device));
}

static enum dpk_status attach(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct attach_options *o = given;
    struct dpk_device *device = NULL;
    struct search s = {.fd = -1};
    struct dpk_listener listener = {.fd = -1};
    int gdb = -1;
    char *end;
    errno = 0;
    s.token = strtoull(o->token, &end, 16);
    if (errno || end == o->token || *end || o->token[0] == '-')
        return dpk_fail(err, DPK_ERR_USAGE, "-T: '%s' is not a token (hexadecimal)", o->token);
    enum dpk_status status = dpk_device_open(args->words[0], &device, err);
    if (status != DPK_OK)
        return status;
    s.device = dpk_device_name(device);
    if ((status = ask_device(device, err)) != DPK_OK ||
        (status = dpk_device_directory(device, s.directory, err)) != DPK_OK ||
        (status = find_process(&s, "find", err)) != DPK_OK)
        goto out;
    close(s.fd);
    s.fd = -1;
    if ((status = dpk_listen(o->port, &listener, err)) != DPK_OK ||
        (status = dpk_listener_guard(&listener, err)) != DPK_OK)
        goto out;
    if (listener.port)
        printf("Listening on port %u\n", listener.port);
    else
        printf("Listening on %s\n", o->port);
    fflush(stdout);
    if ((gdb = dpk_accept(&listener, note_stranger, device)) < 0)
        status = dpk_fail_errno(err, "no client");
    else if ((status = find_process(&s, "debug", err)) == DPK_OK)
        connect_both(gdb, s.fd);
out:
    if (gdb >= 0)
        close(gdb);
    if (s.fd >= 0)
        close(s.fd);
    dpk_listener_close(&listener);
    dpk_device_close(device);
    return status;
}

static const struct dpk_option options[] = {
    {"T,token", DPK_TEXT, "TOKEN", offsetof(struct attach_options, token),
     .help = "token of the process"},
    {"s,port", DPK_TEXT, "PORT", offsetof(struct attach_options, port), .standard = "1981",
     .help = "where to wait for GDB: a Unix socket, with a slash in it (./gdb.socket), or a TCP "
             "port of 127.0.0.1, 0 for any"},
    {"E,eu,eu-id,eu_id", DPK_NUMBER, "UNIT", offsetof(struct attach_options, unit), 0,
     DPK_UNITS_MAX - 1, .standard = "29",
     .help = "the execution unit that a card's server would occupy; not used here"},
    {0},
};
const struct dpk_command gdbserver_attach_command = {
    .words = "DEV", .needs = "T", .options = options, .run = attach};
