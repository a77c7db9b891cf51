/* udp:LISTEN,PEER: each frame is a UDP datagram without another header, like QEMU's `-netdev
 * dgram`. The socket is connected, so the kernel passes on only datagrams of the peer. The wire
 * sends only the port's frames. */
#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kinds.h"

#define BUFFER_SIZE  (4 << 20)           /* of the socket, in each direction */
#define ROOM         (DPK_FRAME_MAX + 1) /* for a datagram; one more byte detects longer
                                          * datagrams */
#define JOINED_MAX   64u                 /* datagrams that a system call makes */
#define JOINED_BYTES 65000u              /* total size of these */
#define TEXT_MAX     128                 /* length of an address */
#define STALE_MAX    (1 << 16)           /* datagrams from others before the socket was connected */
#define PAUSE_MS     100                 /* after an error that the peer did not cause */

struct udp {
    int fd;
    uint32_t missed;          /* the kernel's count of dropped datagrams */
    uint8_t *in, *out;        /* WIRE_BATCH times ROOM bytes each */
    size_t sizes[WIRE_BATCH]; /* of frames that wait in `out` */
    size_t count;
    size_t joined_max; /* largest frame that may be joined with others */
    struct iovec pieces[WIRE_BATCH];
};

/* Tells the kernel the size of the datagrams into which it cuts the bytes. */
struct segment_size {
    _Alignas(struct cmsghdr) uint8_t bytes[CMSG_SPACE(sizeof(uint16_t))];
};

/* ---- The argument ---- */

struct addresses {
    struct addrinfo *listen, *peer;
};

static void addresses_free(struct addresses *a)
{
    if (a->listen)
        freeaddrinfo(a->listen);
    if (a->peer)
        freeaddrinfo(a->peer);
}

/* Parses an address, "1.2.3.4:5", "[::1]:5", or ":5" for any address. Names are not allowed: they
 * need a server, and may mean another machine tomorrow. */
static enum dpk_status parse_address(const char *text, size_t size, int family,
                                     struct addrinfo **out, struct dpk_error *err)
{
    char host[TEXT_MAX], *port;
    uint64_t number;
    const struct addrinfo hints = {.ai_family = family,
                                   .ai_socktype = SOCK_DGRAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    snprintf(host, sizeof host, "%.*s", (int)(size < TEXT_MAX ? size : TEXT_MAX), text);
    char *name = host;
    if (size < sizeof host && (port = strrchr(host, ':'))) {
        *port++ = 0;
        const size_t length = strlen(host);
        const bool brackets = length > 2 && host[0] == '[' && host[length - 1] == ']';
        if (brackets)
            host[length - 1] = 0, name++;
        if ((brackets || !strchr(host, ':')) && dpk_number(port, 1, UINT16_MAX, &number) &&
            getaddrinfo(*name ? name : NULL, port, &hints, out) == 0)
            return DPK_OK;
    }
    *out = NULL;
    return dpk_fail(
        err, DPK_ERR_USAGE,
        "'%.*s' is not an address for UDP: ADDRESS:PORT or [ADDRESS]:PORT%s, in numbers",
        (int)(size < TEXT_MAX ? size : TEXT_MAX), text,
        family == AF_UNSPEC ? "" : " of the same kind as the other one");
}

static enum dpk_status parse(const char *argument, struct addresses *a, struct dpk_error *err)
{
    const char *comma = strchr(argument, ',');
    *a = (struct addresses){0};
    if (!comma || comma[1] == ':')
        return dpk_fail(err, DPK_ERR_USAGE, "'%.200s' is not udp:LISTEN,PEER", argument);
    enum dpk_status status = parse_address(comma + 1, strlen(comma + 1), AF_UNSPEC, &a->peer, err);
    if (status == DPK_OK)
        status = parse_address(argument, (size_t)(comma - argument), a->peer->ai_family, &a->listen,
                               err);
    return status;
}

static enum dpk_status udp_check(const char *argument, struct dpk_buf *out, struct dpk_error *err)
{
    struct addresses a;
    const enum dpk_status status = parse(argument, &a, err);
    addresses_free(&a);
    if (status == DPK_OK)
        dpk_put_format(out, "%s", argument);
    return status;
}

/* ---- Frames that arrive ---- */

/* Counts datagrams that were sent but did not fit into the kernel's buffer. */
static void count_missed(struct dpk_wire *wire)
{
    struct udp *u = wire->kind;
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof info;
    if (getsockopt(u->fd, SOL_SOCKET, SO_MEMINFO, info, &size) != 0 || size < sizeof info)
        return;
    const uint32_t more = info[SK_MEMINFO_DROPS] - u->missed;
    u->missed += more;
    if (more > 0)
        wire_drop_received(wire, DPK_WIRE_NO_ROOM, more);
}

static void offer(struct dpk_wire *wire, const struct mmsghdr *messages, size_t count)
{
    struct udp *u = wire->kind;
    struct dpk_frame frames[WIRE_BATCH];
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = messages[i].msg_len;
        if (size < DPK_FRAME_MIN)
            wire_drop_received(wire, DPK_WIRE_TOO_SHORT, 1);
        else if (size > DPK_FRAME_MAX)
            wire_drop_received(wire, DPK_WIRE_TOO_LONG, 1);
        else
            frames[good++] = (struct dpk_frame){u->in + i * ROOM, size};
    }
    if (good > 0)
        wire_arrive(wire, frames, good, false);
}

static bool udp_receive(struct dpk_wire *wire)
{
    struct udp *u = wire->kind;
    struct mmsghdr messages[WIRE_BATCH] = {0};
    struct iovec pieces[WIRE_BATCH];
    if (wire_wait(wire, u->fd, -1) == WIRE_ENDS)
        return false;
    for (size_t i = 0; i < WIRE_BATCH; i++) {
        pieces[i] = (struct iovec){u->in + i * ROOM, ROOM};
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int n = recvmmsg(u->fd, messages, WIRE_BATCH, MSG_DONTWAIT, NULL);
    if (n > 0)
        offer(wire, messages, (size_t)n);
    else if (n < 0 && errno == ECONNREFUSED)
        wire_warn(wire, WIRE_HAS_NO_PEER, "nobody listens there");
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        return wire_wait(wire, -1, PAUSE_MS) != WIRE_ENDS;
    count_missed(wire);
    return true;
}

/* ---- Frames that leave ---- */

/* Returns why the next datagram was not sent. ECONNREFUSED means that the peer did not listen to an
 * earlier one. */
static enum dpk_wire_drop drop_of(int error)
{
    switch (error) {
    case ECONNREFUSED:
        return DPK_WIRE_NO_PEER;
    case EAGAIN:
    case ENOBUFS:
    case ENOMEM:
        return DPK_WIRE_NO_ROOM;
    case EMSGSIZE:
        return DPK_WIRE_TOO_LONG;
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTUNREACH:
        return DPK_WIRE_DOWN;
    default:
        return DPK_WIRE_BROKEN;
    }
}

/* Returns how many frames, beginning with `first`, the kernel can be given at once: it cuts them
 * into datagrams of equal sizes. Only the last may be shorter (UDP_SEGMENT). */
static size_t joined_from(const struct udp *u, size_t first)
{
    const size_t each = u->sizes[first];
    size_t count = 1, all = each;
    while (each <= u->joined_max && first + count < u->count && count < JOINED_MAX &&
           u->sizes[first + count - 1] == each && u->sizes[first + count] <= each &&
           all + u->sizes[first + count] <= JOINED_BYTES)
        all += u->sizes[first + count++];
    return count;
}

static void message_of(struct udp *u, size_t first, size_t count, struct mmsghdr *out,
                       struct segment_size *size)
{
    *out = (struct mmsghdr){.msg_hdr = {.msg_iov = &u->pieces[first], .msg_iovlen = count}};
    for (size_t i = first; i < first + count; i++)
        u->pieces[i] = (struct iovec){u->out + i * ROOM, u->sizes[i]};
    if (count == 1)
        return;
    const uint16_t each = (uint16_t)u->sizes[first];
    *size = (struct segment_size){{0}};
    out->msg_hdr.msg_control = size->bytes;
    out->msg_hdr.msg_controllen = sizeof size->bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&out->msg_hdr);
    header->cmsg_len = CMSG_LEN(sizeof each);
    header->cmsg_level = SOL_UDP;
    header->cmsg_type = UDP_SEGMENT;
    memcpy(CMSG_DATA(header), &each, sizeof each);
}

/* Gives frames, beginning with `first`, to the kernel. Returns how many it took, or how many it
 * refused for good (*error says why). */
static size_t give(struct udp *u, size_t first, int *error)
{
    struct mmsghdr messages[WIRE_BATCH];
    struct segment_size sizes[WIRE_BATCH];
    size_t counts[WIRE_BATCH], count = 0, taken = 0;
    for (size_t at = first; at < u->count; at += counts[count++]) {
        counts[count] = joined_from(u, at);
        message_of(u, at, counts[count], &messages[count], &sizes[count]);
    }
    const int n = sendmmsg(u->fd, messages, (unsigned)count, MSG_DONTWAIT | MSG_NOSIGNAL);
    *error = n > 0 ? 0 : errno;
    for (int i = 0; i < n; i++)
        taken += counts[i];
    if (*error == EINTR)
        return 0;
    /* Joined frames are too long for this network, or this kernel cannot cut them. */
    if (counts[0] > 1 && (*error == EINVAL || *error == EMSGSIZE || *error == EIO)) {
        u->joined_max = *error == EIO ? 0 : u->sizes[first] - 1;
        return 0;
    }
    return n > 0 ? taken : counts[0];
}

static void udp_flush(struct dpk_wire *wire)
{
    struct udp *u = wire->kind;
    for (size_t done = 0; done < u->count;) {
        int error;
        const size_t count = give(u, done, &error);
        size_t bytes = 0;
        for (size_t i = done; i < done + count; i++)
            bytes += u->sizes[i];
        done += count;
        if (error == 0) {
            wire_sent(wire, count, bytes);
            continue;
        }
        const enum dpk_wire_drop why = drop_of(error);
        if (count > 0 && (why == DPK_WIRE_DOWN || why == DPK_WIRE_BROKEN))
            wire_warn(wire, WIRE_FAILS, "cannot send: %s", strerror(error));
        wire_drop_sent(wire, why, count);
    }
    u->count = 0;
}

static bool udp_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    struct udp *u = wire->kind;
    memcpy(u->out + u->count * ROOM, frame, size);
    u->sizes[u->count++] = size;
    if (u->count == WIRE_BATCH)
        udp_flush(wire);
    return true;
}

/* ---- Life ---- */

/* Drops datagrams that others sent before the socket was connected. */
static void forget_stale(int fd)
{
    uint8_t byte;
    for (int i = 0; i < STALE_MAX; i++)
        if (recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN)
            return;
}

static enum dpk_status bind_and_connect(int fd, const struct addresses *a, const char *argument,
                                        struct dpk_error *err)
{
    if (fd >= 0 && bind(fd, a->listen->ai_addr, a->listen->ai_addrlen) == 0 &&
        connect(fd, a->peer->ai_addr, a->peer->ai_addrlen) == 0)
        return DPK_OK;
    return dpk_fail_errno(err, "udp:%s", argument);
}

static enum dpk_status udp_try(const char *argument, struct dpk_error *err)
{
    struct addresses a;
    enum dpk_status status = parse(argument, &a, err);
    if (status == DPK_OK) {
        const int fd = socket(a.peer->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        status = bind_and_connect(fd, &a, argument, err);
        if (fd >= 0)
            close(fd);
    }
    addresses_free(&a);
    return status;
}

static enum dpk_status open_socket(struct udp *u, const struct addresses *a, const char *argument,
                                   struct dpk_error *err)
{
    const int size = BUFFER_SIZE;
    u->fd = socket(a->peer->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const enum dpk_status status = bind_and_connect(u->fd, a, argument, err);
    if (status != DPK_OK)
        return status;
    /* Only root may have more than the system's limit. */
    if (setsockopt(u->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(u->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(u->fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0)
        setsockopt(u->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    forget_stale(u->fd);
    return DPK_OK;
}

static enum dpk_status udp_open(struct dpk_wire *wire, const char *argument, struct dpk_error *err)
{
    struct addresses a;
    enum dpk_status status = parse(argument, &a, err);
    struct udp *u = wire->kind = calloc(1, sizeof *u);
    if (!u) {
        addresses_free(&a);
        return dpk_fail_nomem(err);
    }
    u->fd = -1;
    u->joined_max = JOINED_BYTES;
    u->in = malloc((size_t)WIRE_BATCH * ROOM);
    u->out = malloc((size_t)WIRE_BATCH * ROOM);
    if (!u->in || !u->out)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = open_socket(u, &a, argument, err);
    addresses_free(&a);
    return status;
}

/* Counts datagrams that arrived and were not taken as dropped. */
static void udp_close(struct dpk_wire *wire)
{
    struct udp *u = wire->kind;
    uint8_t byte;
    if (!u)
        return;
    if (u->fd >= 0 && wire->owner != getpid()) {
        close(u->fd); /* datagrams that arrived belong to the parent */
    } else if (u->fd >= 0) {
        shutdown(u->fd, SHUT_RD);
        for (int i = 0; i < STALE_MAX && recv(u->fd, &byte, 1, MSG_DONTWAIT) > 0; i++)
            wire_drop_received(wire, DPK_WIRE_DOWN, 1);
        count_missed(wire);
        close(u->fd);
    }
    free(u->in);
    free(u->out);
    free(u);
}

const struct wire_ops wire_udp = {.name = "udp",
                                  .usage = "udp:LISTEN,PEER",
                                  .check = udp_check,
                                  .try = udp_try,
                                  .open = udp_open,
                                  .receive = udp_receive,
                                  .send = udp_send,
                                  .flush = udp_flush,
                                  .close = udp_close};
