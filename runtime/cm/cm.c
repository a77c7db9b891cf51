/* Sockets under names made of addresses. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cm/cm.h"
#include "debug/debug.h"
#include "ring/ring.h"

#define CALL_WAIT_S 5
/* A server may close its listener and open it anew between two connections, and its client calls
 * meanwhile: so does perftest. On a wire a call takes longer than that. */
#define LISTENER_WAIT_MS 300
/* Ports that the system gives to who asks for none (IANA's dynamic ports). */
#define FIRST_FREE 49152u
#define LAST_FREE  65535u

/* In the abstract namespace, so that it disappears with its process. The runtime directory tells
 * apart users, and tests that run side by side. False: errno says why. */
static bool name_socket(const struct dpk_cm_address *a, struct sockaddr_un *at, socklen_t *size)
{
    char directory[PATH_MAX];
    struct stat st;
    if (dpk_runtime_directory(directory, sizeof directory, NULL) != DPK_OK ||
        stat(directory, &st) != 0) {
        errno = EACCES;
        return false;
    }
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    char *p = at->sun_path + 1;
    size_t room = sizeof at->sun_path - 1;
    int n = snprintf(p, room, "dpakit-%s-%jx-%jx-%u-", a->datagrams ? "sidr" : "cm",
                     (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, a->port);
    for (size_t i = 0; i < sizeof a->ip; i++)
        n += snprintf(p + n, room - (size_t)n, "%02x", a->ip[i]);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    return true;
}

static int new_socket(int flags)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

/* ---- Listening ---- */

static bool bind_at(int fd, const struct dpk_cm_address *at)
{
    struct sockaddr_un name;
    socklen_t size;
    return name_socket(at, &name, &size) && bind(fd, (const struct sockaddr *)&name, size) == 0;
}

static bool bind_somewhere(int fd, struct dpk_cm_address *at)
{
    const unsigned count = LAST_FREE - FIRST_FREE + 1, start = (unsigned)getpid() * 7919u;
    for (unsigned i = 0; i < count; i++) {
        at->port = (uint16_t)(FIRST_FREE + (start + i) % count);
        if (bind_at(fd, at))
            return true;
        if (errno != EADDRINUSE)
            break;
    }
    at->port = 0;
    return false;
}

enum dpk_status dpk_cm_bind(struct dpk_cm_address *at, int *out, struct dpk_error *err)
{
    int fd = new_socket(SOCK_NONBLOCK);
    if (fd >= 0 && (at->port ? bind_at(fd, at) : bind_somewhere(fd, at))) {
        *out = fd;
        return DPK_OK;
    }
    enum dpk_status status =
        errno == EADDRINUSE ? dpk_fail(err, DPK_ERR_EXISTS, "port %u: another has it", at->port)
                            : dpk_fail_errno(err, "port %u: cannot be taken", at->port);
    if (fd >= 0)
        close(fd);
    return status;
}

enum dpk_status dpk_cm_listen(int fd, int backlog, struct dpk_error *err)
{
    return listen(fd, backlog > 0 ? backlog : SOMAXCONN) == 0
               ? DPK_OK
               : dpk_fail_errno(err, "cannot listen");
}

int dpk_cm_accept(int listener)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0 || rings_peer_is_ours(fd))
            return fd;
        close(fd);
    }
}

/* ---- Calling ---- */

/* 0: connected. Else errno says why not. */
static int call_at(const struct dpk_cm_address *to, int *out)
{
    const struct timeval patience = {.tv_sec = CALL_WAIT_S};
    struct sockaddr_un name;
    socklen_t size;
    int fd = new_socket(0);
    if (fd >= 0 && name_socket(to, &name, &size) &&
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)&name, size) == 0) {
        if (rings_peer_is_ours(fd) && fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
            *out = fd;
            return 0;
        }
        errno = EPERM;
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    return why;
}

static int call_either(const struct dpk_cm_address *to, int *fd)
{
    const struct dpk_cm_address any = {.port = to->port, .datagrams = to->datagrams};
    int why = call_at(to, fd);
    return why == ECONNREFUSED ? call_at(&any, fd) : why;
}

enum dpk_status dpk_cm_call(const struct dpk_cm_address *to, int *fd, struct dpk_error *err)
{
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

#define MAGIC        0x64504B01u /* "dPK", version 1 */
#define MESSAGE_SIZE 73u         /* without private data */
#define MAX_24       0xFFFFFFu

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
    dpk_put_u8(&b, (uint8_t)(m->flow_control | m->srq << 1));
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
           kind <= DPK_CM_DREQ && flags < 4 && m->queue_pair <= MAX_24 && m->psn <= MAX_24 &&
           m->retries < 8 && m->rnr_retries < 8;
}

enum dpk_cm_heard dpk_cm_receive(int fd, struct dpk_cm_message *out)
{
    uint8_t bytes[MESSAGE_SIZE + sizeof out->private_data];
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? DPK_CM_NOTHING : DPK_CM_GONE;
    return (size_t)n <= sizeof bytes && read_message(bytes, (size_t)n, out) ? DPK_CM_MESSAGE
                                                                            : DPK_CM_GONE;
}
