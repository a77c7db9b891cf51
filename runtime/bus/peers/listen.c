/* Sockets and ports at which debuggers connect. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/peers/peers.h"

/* ---- Sockets in the file system ---- */

/* Returns whether a process listens at the socket. A connection would look like a debugger, so this
 * connects a socket of another type: the kernel's error shows whether a listener exists. */
static bool somebody_listens(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool somebody = fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof *at) == 0 ||
                    errno != ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return somebody;
}

/* Removes a socket of this user that a killed program left. */
static enum dpk_status clear_place(const struct sockaddr_un *at, struct dpk_error *err)
{
    struct stat s;
    const char *path = at->sun_path;
    if (lstat(path, &s) != 0)
        return errno == ENOENT ? DPK_OK : dpk_fail_errno(err, "cannot listen on %s", path);
    if (!S_ISSOCK(s.st_mode))
        return dpk_fail(err, DPK_ERR_EXISTS, "cannot listen on %s: it is there, and no socket",
                        path);
    if (!dpk_user_is_mine(s.st_uid))
        return dpk_fail(err, DPK_ERR_EXISTS, "cannot listen on %s: a socket of another user", path);
    if (somebody_listens(at))
        return dpk_fail(err, DPK_ERR_EXISTS, "cannot listen on %s: another program listens there",
                        path);
    return unlink(path) == 0 || errno == ENOENT ? DPK_OK
                                                : dpk_fail_errno(err, "cannot listen on %s", path);
}

static enum dpk_status listen_path(const char *path, struct dpk_listener *l, struct dpk_error *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX}, made = at;
    struct stat s;
    int n = snprintf(made.sun_path, sizeof made.sun_path, "%s.new", path);
    if (n < 0 || (size_t)n >= sizeof made.sun_path)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: too long for a socket", path);
    memcpy(at.sun_path, path, strlen(path));
    enum dpk_status status = clear_place(&at, err);
    if (status == DPK_OK)
        status = clear_place(&made, err);
    if (status != DPK_OK)
        return status;
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* The file gets the mode of the socket when it is bound. So other users can never connect. */
    if (l->fd < 0 || fchmod(l->fd, 0600) != 0 ||
        bind(l->fd, (const struct sockaddr *)&made, sizeof made) != 0)
        return dpk_fail_errno(err, "cannot listen on %s", path);
    if (lstat(made.sun_path, &s) == 0 && S_ISSOCK(s.st_mode)) {
        memcpy(l->path, made.sun_path, sizeof l->path);
        l->device = s.st_dev;
        l->inode = s.st_ino;
    }
    /* The socket gets its name only after it listens. Otherwise another program would remove it. */
    if (listen(l->fd, 16) != 0 || rename(made.sun_path, path) != 0)
        return dpk_fail_errno(err, "cannot listen on %s", path);
    memcpy(l->path, at.sun_path, sizeof l->path);
    return DPK_OK;
}

/* Removes only the socket that `l` has made. Signal handlers may call this. */
static void remove_socket(const struct dpk_listener *l)
{
    struct stat s;
    if (l->path[0] && lstat(l->path, &s) == 0 && S_ISSOCK(s.st_mode) && s.st_dev == l->device &&
        s.st_ino == l->inode)
        unlink(l->path);
}

/* ---- TCP ports ---- */

static enum dpk_status listen_port(const char *text, struct dpk_listener *l, struct dpk_error *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int one = 1;
    uint64_t n;
    if (!dpk_number(text, 0, UINT16_MAX, &n))
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not a TCP port", text);
    at.sin_port = htons((uint16_t)n);
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = l->fd >= 0 && setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                bind(l->fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
                listen(l->fd, 16) == 0 && getsockname(l->fd, (struct sockaddr *)&at, &size) == 0;
    l->port = ntohs(at.sin_port);
    return good ? DPK_OK : dpk_fail_errno(err, "cannot listen on TCP port %s", text);
}

enum dpk_status dpk_listen(const char *where, struct dpk_listener *out, struct dpk_error *err)
{
    *out = (struct dpk_listener){.fd = -1};
    enum dpk_status status =
        strchr(where, '/') ? listen_path(where, out, err) : listen_port(where, out, err);
    if (status != DPK_OK)
        dpk_listener_close(out);
    return status;
}

/* ---- Clients ---- */

/* Counts a refused client, and reports the first, second, fourth, eighth, ... of them. */
static void tell(struct dpk_listener *l, const struct dpk_error *why,
                 void (*refused)(void *context, const char *why), void *context)
{
    char text[400];
    l->refused++;
    if (!refused || (l->refused & (l->refused - 1)) != 0)
        return;
    if (l->refused == 1)
        snprintf(text, sizeof text, "%.300s", why->message);
    else
        snprintf(text, sizeof text, "%.300s; %" PRIu64 " so far", why->message, l->refused);
    refused(context, text);
}

int dpk_accept(struct dpk_listener *l, void (*refused)(void *context, const char *why),
               void *context)
{
    const struct timeval patience = {.tv_sec = 10};
    const int one = 1;
    for (;;) {
        struct dpk_error why = {0};
        int client = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (client < 0)
            return -1;
        if (dpk_peer_check(client, &why) == DPK_OK) {
            setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
            setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* TCP only */
            return client;
        }
        close(client);
        tell(l, &why, refused, context);
    }
}

/* ---- The end ---- */

/* Finds signals that end a program, without those that were ignored at its start. */
static void ending_signals(sigset_t *out)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction now;
    sigemptyset(out);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaddset(out, ending[i]);
}

static void *wait_for_end(void *context)
{
    const struct dpk_listener *l = context;
    sigset_t ending;
    int number;
    ending_signals(&ending);
    if (sigwait(&ending, &number) != 0)
        return NULL;
    remove_socket(l);
    sigemptyset(&ending);
    sigaddset(&ending, number);
    pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
    raise(number);
    return NULL;
}

enum dpk_status dpk_listener_guard(struct dpk_listener *l, struct dpk_error *err)
{
    sigset_t ending;
    if (!l->path[0])
        return DPK_OK;
    ending_signals(&ending);
    pthread_sigmask(SIG_BLOCK, &ending, NULL);
    l->guarded = dpk_pthread_start(&l->guard, wait_for_end, l) == 0;
    if (l->guarded)
        return DPK_OK;
    pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
    return dpk_fail_nomem(err);
}

void dpk_listener_close(struct dpk_listener *l)
{
    sigset_t ending;
    remove_socket(l);
    l->path[0] = 0;
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    if (!l->guarded)
        return;
    pthread_cancel(l->guard);
    pthread_join(l->guard, NULL);
    l->guarded = false;
    ending_signals(&ending);
    pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
}
