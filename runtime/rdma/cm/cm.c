/* Listens and connects by sockets whose names contain the RDMA address. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/net.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bus/ring/ring.h"
#include "far.h"

#define CALL_WAIT_S 5
/* Ports for sockets without a requested port (IANA's dynamic ports). */
#define FIRST_FREE 49152u
#define LAST_FREE  65535u

/* Ends of the names of sockets that share an address: the listener has the first, each other socket
 * has the second with its process and a count. */
#define LISTENS "="
#define SHARES  "+%x.%x"

struct name {
    char text[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    size_t ip; /* where the address begins in it */
};

/* The name contains the runtime directory, so users, and tests that run in parallel, do not meet.
 * Returns false and sets errno on failure. */
static bool name_of(const struct dpk_cm_address *a, const char *behind, struct name *out)
{
    char directory[PATH_MAX];
    struct stat st;
    if (dpk_runtime_directory(directory, sizeof directory, NULL) != DPK_OK ||
        stat(directory, &st) != 0) {
        errno = EACCES;
        return false;
    }
    const size_t room = sizeof out->text;
    int n = snprintf(out->text, room, "dpakit-%s-%jx-%jx-%u-", a->datagrams ? "sidr" : "cm",
                     (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, a->port);
    out->ip = (size_t)n;
    for (size_t i = 0; i < sizeof a->ip; i++)
        n += snprintf(out->text + n, room - (size_t)n, "%02x", a->ip[i]);
    snprintf(out->text + n, room - (size_t)n, "%s", behind);
    return true;
}

/* The name is in the abstract namespace, so it disappears with its process. */
static struct sockaddr_un socket_name(const struct name *name, socklen_t *size)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const size_t length = strlen(name->text);
    memcpy(at.sun_path + 1, name->text, length);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    return at;
}

static int new_socket(int flags)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

/* ---- Binding ---- */

static bool is_any(const uint8_t ip[16])
{
    return memcmp(ip, (const uint8_t[16]){0}, 16) == 0;
}

static bool read_ip(const char *hex, uint8_t ip[16])
{
    char text[3] = "";
    char *end = text + 2;
    for (size_t i = 0; i < 16 && end == text + 2; i++) {
        memcpy(text, hex + 2 * i, 2);
        ip[i] = (uint8_t)strtoul(text, &end, 16);
    }
    return end == text + 2;
}

/* Returns the errno with which the socket `other` forbids the name `mine` for `a`, or 0. */
static int forbids(const struct dpk_cm_address *a, const struct name *mine, const char *other)
{
    uint8_t ip[16];
    if (strncmp(other, mine->text, mine->ip) != 0 || strlen(other) < mine->ip + 2 * sizeof ip ||
        !read_ip(other + mine->ip, ip))
        return 0;
    const bool shared = other[mine->ip + 2 * sizeof ip] != 0;
    if (a->claim == DPK_CM_SHARED && shared)
        return 0;
    if (is_any(a->ip) || is_any(ip))
        return EADDRNOTAVAIL;
    return memcmp(a->ip, ip, sizeof ip) == 0 ? EADDRINUSE : 0;
}

/* Searches the listening and bound sockets of the system. `mine` is bound already, so at least one
 * of two sockets that overlap finds the other. `besides` is another socket that may overlap. */
static int find_overlap(const struct dpk_cm_address *a, const struct name *mine,
                        const char *besides)
{
    FILE *f = fopen("/proc/thread-self/net/unix", "re");
    char *line = NULL;
    size_t room = 0;
    int why = 0;
    while (f && !why && getline(&line, &room, f) > 0) {
        unsigned state;
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%*s %*x %*x %*x %*x %x %*u @%n", &state, &at) == 1 && at > 0 &&
            state == SS_UNCONNECTED && strcmp(line + at, mine->text) != 0 &&
            strcmp(line + at, besides) != 0)
            why = forbids(a, mine, line + at);
    }
    free(line);
    if (f)
        fclose(f);
    return why;
}

/* Creates a socket with that name. Returns 0 or an errno. */
static int bind_name(const struct dpk_cm_address *a, const char *behind, const char *besides,
                     int *out)
{
    struct name name;
    socklen_t size;
    int fd = new_socket(SOCK_NONBLOCK), why = fd >= 0 && name_of(a, behind, &name) ? 0 : errno;
    if (!why) {
        const struct sockaddr_un at = socket_name(&name, &size);
        why = bind(fd, (const struct sockaddr *)&at, size) == 0 ? 0 : errno;
    }
    if (why == EADDRINUSE && a->claim != DPK_CM_ADDRESS && is_any(a->ip))
        why = EADDRNOTAVAIL;
    if (!why && a->claim != DPK_CM_ADDRESS)
        why = find_overlap(a, &name, besides);
    if (!why)
        *out = fd;
    else if (fd >= 0)
        close(fd);
    return why;
}

static int bind_somewhere(struct dpk_cm_address *at, const char *behind, int *fd)
{
    const unsigned count = LAST_FREE - FIRST_FREE + 1, start = (unsigned)getpid() * 7919u;
    int why = EADDRINUSE;
    for (unsigned i = 0; i < count && (why == EADDRINUSE || why == EADDRNOTAVAIL); i++) {
        at->port = (uint16_t)(FIRST_FREE + (start + i) % count);
        why = bind_name(at, behind, "", fd);
    }
    if (why)
        at->port = 0;
    return why;
}

static enum dpk_status bound(int why, uint16_t port, struct dpk_error *err)
{
    switch (why) {
    case 0:
        return DPK_OK;
    case EADDRINUSE:
        return dpk_fail(err, DPK_ERR_EXISTS, "port %u: another has it", port);
    case EADDRNOTAVAIL:
        return dpk_fail(err, DPK_ERR_REFUSED, "port %u: another has it, and overlaps", port);
    default:
        errno = why;
        return dpk_fail_errno(err, "port %u: cannot be taken", port);
    }
}

enum dpk_status dpk_cm_bind(struct dpk_cm_address *at, int *fd, struct dpk_error *err)
{
    static atomic_uint count;
    char behind[32] = "";
    if (at->claim == DPK_CM_SHARED)
        snprintf(behind, sizeof behind, SHARES, (unsigned)getpid(), atomic_fetch_add(&count, 1));
    int why = at->port ? bind_name(at, behind, "", fd) : bind_somewhere(at, behind, fd);
    return bound(why, at->port, err);
}

/* ---- Listening ---- */

/* Gives a shared address to its listener alone: no other socket may have it, shared or not. */
static int listen_alone(const struct dpk_cm_address *at, int fd)
{
    struct dpk_cm_address alone = *at;
    struct sockaddr_un shared = {0};
    socklen_t size = sizeof shared - 1;
    int listener = -1;
    alone.claim = DPK_CM_OVERLAP;
    if (getsockname(fd, (struct sockaddr *)&shared, &size) != 0)
        return errno;
    int why = bind_name(&alone, LISTENS, shared.sun_path + 1, &listener);
    if (!why && dup3(listener, fd, O_CLOEXEC) < 0)
        why = errno;
    if (listener >= 0)
        close(listener);
    return why;
}

enum dpk_status dpk_cm_listen_at(const struct dpk_cm_address *at, int fd, int backlog,
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (at->claim == DPK_CM_SHARED)
        status = bound(listen_alone(at, fd), at->port, err);
    return status == DPK_OK ? dpk_cm_listen(fd, backlog, err) : status;
}

enum dpk_status dpk_cm_listen(int fd, int backlog, struct dpk_error *err)
{
    return listen(fd, backlog > 0 ? backlog : SOMAXCONN) == 0
               ? DPK_OK
               : dpk_fail_errno(err, "cannot listen");
}

enum dpk_status dpk_cm_open(struct dpk_cm_address *at, int *fd, struct dpk_error *err)
{
    int listener = -1;
    enum dpk_status status = dpk_cm_bind(at, &listener, err);
    if (status == DPK_OK)
        status = dpk_cm_listen(listener, 0, err);
    if (status == DPK_OK)
        *fd = listener;
    else if (listener >= 0)
        close(listener);
    return status;
}

int dpk_cm_accept(int listener)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0 || (dpk_cm_is_far(fd) ? cm_far_settle(fd) : rings_peer_is_ours(fd)))
            return fd;
        close(fd);
    }
}

/* ---- Calling ---- */

/* Returns 0, or the errno of the failure. */
static int call_at(const struct dpk_cm_address *to, const char *behind, int *out)
{
    const struct timeval patience = {.tv_sec = CALL_WAIT_S};
    struct name name = {0};
    socklen_t size;
    int fd = new_socket(0);
    const bool named = fd >= 0 && name_of(to, behind, &name);
    const struct sockaddr_un at = socket_name(&name, &size);
    if (named && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)&at, size) == 0 && rings_peer_is_ours(fd) &&
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
        *out = fd;
        return 0;
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    return why;
}

static int call_either(const struct dpk_cm_address *to, int *fd)
{
    const struct dpk_cm_address any = {.port = to->port, .datagrams = to->datagrams};
    int why = ECONNREFUSED;
    for (int i = 0; i < 4 && why == ECONNREFUSED; i++)
        why = call_at(i < 2 ? to : &any, i % 2 ? LISTENS : "", fd);
    return why;
}

enum dpk_status dpk_cm_call(const struct dpk_cm_address *to, const uint8_t *from, int *fd,
                            struct dpk_error *err)
{
    if (from)
        return cm_far_call(to, from, fd, err);
    int why = call_either(to, fd);
    for (int ms = 0; why == ECONNREFUSED && ms < LISTENER_WAIT_MS; ms++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        why = call_either(to, fd);
    }
    switch (why) {
    case 0:
        return DPK_OK;
    case ECONNREFUSED:
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "port %u: nobody listens", to->port);
    case EAGAIN:
        return dpk_fail(err, DPK_ERR_TIMEOUT, "port %u: who listens takes no callers", to->port);
    case EPERM:
        return dpk_fail(err, DPK_ERR_REFUSED, "port %u: another user listens", to->port);
    default:
        errno = why;
        return dpk_fail_errno(err, "port %u cannot be called", to->port);
    }
}

/* ---- Messages ---- */

#define MAGIC  0x64504B01u /* "dPK", version 1 */
#define MAX_24 0xFFFFFFu

static void put_address(struct dpk_buf *b, const struct dpk_cm_address *a)
{
    dpk_put(b, a->ip, sizeof a->ip);
    dpk_put_be16(b, a->port);
}

static void read_address(struct dpk_reader *r, struct dpk_cm_address *a)
{
    const uint8_t *ip = dpk_read_bytes(r, sizeof a->ip);
    if (ip)
        memcpy(a->ip, ip, sizeof a->ip);
    a->port = dpk_read_be16(r);
}

bool dpk_cm_send(int fd, const struct dpk_cm_message *m)
{
    struct dpk_buf b = {0};
    dpk_put_be32(&b, MAGIC);
    dpk_put_u8(&b, (uint8_t)m->kind);
    dpk_put_u8(&b, (uint8_t)(m->flow_control | m->srq << 1 | m->from.datagrams << 2));
    dpk_put_be16(&b, m->reason);
    put_address(&b, &m->from);
    put_address(&b, &m->to);
    dpk_put(&b, m->gid, sizeof m->gid);
    dpk_put_be32(&b, m->queue_pair);
    dpk_put_be32(&b, m->psn);
    dpk_put_u8(&b, m->responder_resources);
    dpk_put_u8(&b, m->initiator_depth);
    dpk_put_u8(&b, m->retries);
    dpk_put_u8(&b, m->rnr_retries);
    dpk_put_u8(&b, m->private_size);
    dpk_put(&b, m->private_data, m->private_size);
    bool sent =
        !b.failed && send(fd, b.data, b.size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)b.size;
    dpk_buf_free(&b);
    return sent;
}

static bool read_message(const uint8_t *bytes, size_t size, struct dpk_cm_message *m)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    bool ours = dpk_read_be32(&r) == MAGIC;
    unsigned kind = dpk_read_u8(&r), flags = dpk_read_u8(&r);
    *m = (struct dpk_cm_message){.kind = (enum dpk_cm_kind)kind,
                                 .flow_control = flags & 1,
                                 .srq = flags >> 1 & 1,
                                 .reason = dpk_read_be16(&r)};
    read_address(&r, &m->from);
    m->from.datagrams = flags >> 2 & 1;
    read_address(&r, &m->to);
    const uint8_t *gid = dpk_read_bytes(&r, sizeof m->gid);
    if (gid)
        memcpy(m->gid, gid, sizeof m->gid);
    m->queue_pair = dpk_read_be32(&r);
    m->psn = dpk_read_be32(&r);
    m->responder_resources = dpk_read_u8(&r);
    m->initiator_depth = dpk_read_u8(&r);
    m->retries = dpk_read_u8(&r);
    m->rnr_retries = dpk_read_u8(&r);
    m->private_size = dpk_read_u8(&r);
    const uint8_t *data = dpk_read_bytes(&r, m->private_size);
    if (data)
        memcpy(m->private_data, data, m->private_size);
    return ours && !r.failed && dpk_reader_left(&r) == 0 && kind >= DPK_CM_REQ &&
           kind <= DPK_CM_DREQ && flags < 8 && m->queue_pair <= MAX_24 && m->psn <= MAX_24 &&
           m->retries < 8 && m->rnr_retries < 8;
}

enum dpk_cm_heard dpk_cm_receive(int fd, struct dpk_cm_message *out)
{
    uint8_t bytes[MESSAGE_SIZE + sizeof out->private_data];
    const bool far = dpk_cm_is_far(fd);
    const size_t room = far ? cm_far_next(fd) : sizeof bytes;
    if (room == 0)
        return DPK_CM_NOTHING;
    ssize_t n = recv(fd, bytes, room, MSG_DONTWAIT | MSG_TRUNC * !far);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? DPK_CM_NOTHING : DPK_CM_GONE;
    return (size_t)n <= sizeof bytes && read_message(bytes, (size_t)n, out) &&
                   (!far || cm_far_has_sent(fd, out))
               ? DPK_CM_MESSAGE
               : DPK_CM_GONE;
}
