/* A peer of the NIC that speaks as it likes, by hand, for tests. It has an address, so that queue
 * pairs connect to it, and connects to them. */
#ifndef DPK_TEST_NIC_PEER_H
#define DPK_TEST_NIC_PEER_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "rc_world.h"
#include "rdma/pairs/gateway.h"

struct peer {
    struct dpk_buf address;
    int listener;
    int fd; /* of one channel, to or from */
    struct rings rings;
};

static inline socklen_t peer_name(const struct dpk_buf *address, struct sockaddr_un *at)
{
    struct dpk_uuid process;
    char text[DPK_UUID_TEXT];
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(process.bytes, address->data + 8, sizeof process.bytes);
    dpk_uuid_format(&process, text);
    int n = snprintf(at->sun_path + 1, sizeof at->sun_path - 1, "dpakit-rdma-%s", text);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static inline struct peer peer_new(void)
{
    struct peer p = {.fd = -1};
    struct address a = {.number = 1, .secret = 2};
    struct sockaddr_un at;
    dpk_uuid_new_time(&a.process);
    pairs_address_put(&a, &p.address);
    socklen_t size = peer_name(&p.address, &at);
    p.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p.listener, (struct sockaddr *)&at, size) + listen(p.listener, 4), 0);
    return p;
}

static inline void peer_end(struct peer *p)
{
    close(p->listener);
    if (p->fd >= 0)
        close(p->fd);
    rings_free(&p->rings);
    dpk_buf_free(&p->address);
}

/* Bytes, with `count` descriptors. */
static inline void peer_send(const struct peer *p, const void *data, size_t size, const int *fds,
                             size_t count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } control = {0};
    struct iovec bytes = {(void *)(uintptr_t)data, size};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_LEN(count * sizeof *fds);
        control.head = (struct cmsghdr){CMSG_LEN(count * sizeof *fds), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), fds, count * sizeof *fds);
    }
    assert_int_equal(sendmsg(p->fd, &message, MSG_NOSIGNAL), (ssize_t)size);
}

/* A socket to the process with that address. */
static inline void peer_call(struct peer *p, const struct dpk_buf *whom)
{
    struct sockaddr_un at;
    socklen_t size = peer_name(whom, &at);
    p->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(p->fd, (struct sockaddr *)&at, size), 0);
}

/* Says hello to `whom` as `who`, and gives memory. */
static inline void peer_hello_as(struct peer *p, const struct dpk_buf *who,
                                 const struct dpk_buf *whom)
{
    uint8_t hello[2 * DPK_RC_ADDRESS_SIZE];
    int memory = rings_new(&p->rings, RING_SIZE);
    memcpy(hello, who->data, DPK_RC_ADDRESS_SIZE);
    memcpy(hello + DPK_RC_ADDRESS_SIZE, whom->data, DPK_RC_ADDRESS_SIZE);
    peer_call(p, whom);
    peer_send(p, hello, sizeof hello, &memory, 1);
    close(memory);
}

static inline void peer_hello(struct peer *p, const struct dpk_buf *whom)
{
    peer_hello_as(p, &p->address, whom);
}

/* The channel of a queue pair that connected to this one. */
static inline void peer_accept(struct peer *p)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    uint8_t hello[2 * DPK_RC_ADDRESS_SIZE + 1];
    struct iovec bytes = {hello, sizeof hello};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    int memory;
    p->fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
    assert_int_equal(recvmsg(p->fd, &message, MSG_CMSG_CLOEXEC), 2 * DPK_RC_ADDRESS_SIZE);
    assert_int_equal(message.msg_controllen, CMSG_LEN(sizeof memory) + 4); /* padded */
    memcpy(&memory, CMSG_DATA(&control.head), sizeof memory);
    assert_true(rings_open(&p->rings, memory, RING_SIZE));
    close(memory);
}

/* A frame for the other side, which is not woken yet. */
static inline void peer_put(struct peer *p, struct frame f, const void *payload)
{
    struct ring *out = &p->rings.out;
    assert_int_equal(ring_room(out, FRAME_SIZE + f.payload), RING_GOOD);
    pairs_frame_write(&f, ring_here(out));
    if (payload && f.payload > 0)
        memcpy(ring_here(out) + FRAME_SIZE, payload, f.payload);
    ring_wrote(out, FRAME_SIZE + f.payload);
}

/* The other side may have seen by itself what is in the memory, and hung up. */
static inline void peer_say(const struct peer *p, uint8_t what)
{
    if (send(p->fd, &what, sizeof what, MSG_NOSIGNAL) != sizeof what)
        assert_true(errno == EPIPE || errno == ECONNRESET);
}

static inline void peer_knock(const struct peer *p)
{
    peer_say(p, 0);
}

/* Whether the other side hangs up, for which it has a minute. */
static inline bool peer_is_cut_off(const struct peer *p)
{
    uint8_t bytes[256];
    const struct timeval patience = {.tv_sec = 60};
    setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t n;
    do
        n = recv(p->fd, bytes, sizeof bytes, 0);
    while (n > 0);
    return n == 0 || errno == ECONNRESET;
}

#endif
