/* Calls between machines: TCP connections whose ports are those of the RDMA addresses. */
#include "far.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "rdma/fabric/fabric.h"

#define CALL_WAIT_S   5
#define SILENT_MS     30000 /* a peer that answers nothing for so long is gone */
#define KEEP_ALIVE_S  10
#define KEEP_ALIVES   2
#define EACH_MS       10 /* time between two calls while nobody listens */
#define ADDRESS_BYTES 16

/* ---- Addresses ---- */

static socklen_t to_socket(const uint8_t ip[ADDRESS_BYTES], uint16_t port,
                           struct sockaddr_storage *out)
{
    struct dpk_fabric_place place = {.port = port};
    memcpy(place.ip, ip, sizeof place.ip);
    return dpk_fabric_place_to_socket(&place, out);
}

bool dpk_cm_is_far(int fd)
{
    int domain = AF_UNIX;
    socklen_t size = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
}

/* ---- Sockets ---- */

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Makes the socket readable only when so many bytes have arrived: parts of a message wake nobody. */
static bool await_bytes(int fd, size_t size)
{
    return set(fd, SOL_SOCKET, SO_RCVLOWAT, (int)size);
}

bool cm_far_settle(int fd)
{
    return set(fd, IPPROTO_TCP, TCP_NODELAY, 1) && set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) &&
           set(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_ALIVE_S) &&
           set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_ALIVE_S) &&
           set(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_ALIVES) &&
           set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, SILENT_MS) && await_bytes(fd, MESSAGE_SIZE);
}

/* Creates a socket that is bound to an address. Returns -1 and sets errno on failure. */
static int bound_socket(const uint8_t ip[ADDRESS_BYTES], uint16_t port, int flags)
{
    struct sockaddr_storage at;
    const socklen_t size = to_socket(ip, port, &at);
    const int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0 ||
        (set(fd, SOL_SOCKET, SO_REUSEADDR, 1) && bind(fd, (const struct sockaddr *)&at, size) == 0))
        return fd;
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

enum dpk_status dpk_cm_listen_far(const struct dpk_cm_address *at, int backlog, int *fd,
                                  struct dpk_error *err)
{
    const int listener = bound_socket(at->ip, at->port, SOCK_NONBLOCK);
    if (listener >= 0 && listen(listener, backlog > 0 ? backlog : SOMAXCONN) == 0) {
        *fd = listener;
        return DPK_OK;
    }
    const enum dpk_status status =
        errno == EADDRINUSE
            ? dpk_fail(err, DPK_ERR_EXISTS, "another socket of TCP has port %u", at->port)
            : dpk_fail_errno(err, "port %u of TCP cannot be taken", at->port);
    if (listener >= 0)
        close(listener);
    return status;
}

static enum dpk_status not_called(uint16_t port, struct dpk_error *err)
{
    switch (errno) {
    case ECONNREFUSED:
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "port %u: nobody listens", port);
    case EAGAIN:
    case EINPROGRESS:
    case ETIMEDOUT:
        return dpk_fail(err, DPK_ERR_TIMEOUT, "port %u: the machine does not answer", port);
    default:
        return dpk_fail_errno(err, "port %u cannot be called", port);
    }
}

/* Returns a connected socket, or -1 and sets errno. */
static int call(const struct dpk_cm_address *to, const uint8_t from[ADDRESS_BYTES])
{
    const struct timeval patience = {.tv_sec = CALL_WAIT_S};
    struct sockaddr_storage at;
    const socklen_t size = to_socket(to->ip, to->port, &at);
    const int fd = bound_socket(from, 0, 0);
    if (fd < 0 || (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
                   connect(fd, (const struct sockaddr *)&at, size) == 0 && cm_far_settle(fd) &&
                   fcntl(fd, F_SETFL, O_NONBLOCK) == 0))
        return fd;
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

enum dpk_status cm_far_call(const struct dpk_cm_address *to, const uint8_t from[16], int *fd,
                            struct dpk_error *err)
{
    int caller = call(to, from);
    for (int ms = 0; caller < 0 && errno == ECONNREFUSED && ms < LISTENER_WAIT_MS; ms += EACH_MS) {
        nanosleep(&(struct timespec){.tv_nsec = EACH_MS * 1000000}, NULL);
        caller = call(to, from);
    }
    *fd = caller;
    return caller >= 0 ? DPK_OK : not_called(to->port, err);
}

/* ---- Messages ---- */

/* Returns whether the peer sends nothing more. */
static bool has_ended(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) != 0;
}

size_t cm_far_next(int fd)
{
    uint8_t bytes[MESSAGE_SIZE + UINT8_MAX];
    const ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return MESSAGE_SIZE;
    const bool has_head = (size_t)n >= MESSAGE_SIZE;
    const size_t size = MESSAGE_SIZE + (has_head ? bytes[MESSAGE_SIZE - 1] : 0u);
    const bool whole = (size_t)n >= size;
    if (!whole && has_ended(fd))
        return MESSAGE_SIZE;
    await_bytes(fd, whole ? MESSAGE_SIZE : size);
    return whole ? size : 0;
}

bool cm_far_has_sent(int fd, const struct dpk_cm_message *m)
{
    struct sockaddr_storage peer;
    struct dpk_fabric_place at;
    socklen_t size = sizeof peer;
    if (m->kind != DPK_CM_REQ && m->kind != DPK_CM_REP)
        return true;
    return getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
           dpk_fabric_place_of_socket((const struct sockaddr *)&peer, &at) &&
           memcmp(at.ip, m->gid, sizeof at.ip) == 0 && memcmp(at.ip, m->from.ip, sizeof at.ip) == 0;
}
