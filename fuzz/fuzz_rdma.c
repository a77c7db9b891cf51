/* Any bytes as messages of a peer: an address, or content of the memory that it shares, which
 * changes while it is read. */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdma/pairs/gateway.h"

#define MEMORY 4096u
#define KEY    0x1001u /* key of the whole memory from address 0; also in the corpus */

/* Flags in the first byte of the input. */
enum {
    IS_REQUESTER = 1, /* frames are responses to us, not requests of the peer */
    HAS_COUNTERS = 2,
    AT_THE_END = 4, /* counters are about to wrap around */
    CHANGES = 8,
    IS_UNRELIABLE = 32, /* the queue pair may lose messages */
    HAS_DATAGRAMS = 64, /* the queue pair has no fixed peer either */
    SAYS_HELLO = 16,    /* the rest is the peer's message before memory is shared */
    HEAD_SIZE = 9
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rings ours, theirs; /* of the memory that gets the input */
static struct rings other;        /* memory of the other direction, where the peer is silent */
static int shared;                /* memory as a peer passes it */
static uint8_t change;            /* not 0: the peer writes while a frame is read */
static uint8_t memory[MEMORY];
static struct dpk_memory_domain domain;

/* Changes the head of the current frame, and the counters. */
static void scribble(void)
{
    if (change == 0)
        return;
    for (uint32_t i = 0; i < FRAME_SIZE; i++)
        ring_here(&theirs.out)[i] ^= change;
    atomic_fetch_add(&theirs.out.shared->written, change);
    atomic_fetch_sub(&theirs.in.shared->read, change);
}

static bool signal_event(void *context, uint64_t key, uint64_t value, bool adds, uint64_t *before)
{
    (void)context, (void)adds;
    *before = value;
    scribble();
    return key == 1;
}

static bool told(void *context, const struct dpk_rc_completion *c)
{
    (void)context, (void)c;
    scribble();
    return true;
}

static const struct dpk_rc_ops ops = {.signal = signal_event, .complete = told};

/* ---- One channel, without a thread ---- */

static void begin(struct gateway *g)
{
    *g = (struct gateway){.epoll = epoll_create1(EPOLL_CLOEXEC), .wake = eventfd(0, EFD_NONBLOCK)};
    TAILQ_INIT(&g->channels);
    TAILQ_INIT(&g->closed);
    struct rings made;
    uint32_t key;
    int file = rings_new(&ours, RING_SIZE);
    if (file < 0 || !rings_open(&theirs, file, RING_SIZE) ||
        (shared = rings_new(&made, RING_SIZE)) < 0)
        abort();
    rings_free(&made);
    close(file);
    if ((file = rings_new(&other, RING_SIZE)) < 0)
        abort();
    close(file);
    if (dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                            .rights = ~0u,
                                            .size = MEMORY,
                                            .host = memory,
                                            .domains = {&domain}},
                       &key, NULL) != DPK_OK ||
        key != KEY)
        abort();
}

static void start_at(struct ring *out, struct ring *in, uint32_t at)
{
    out->at = out->told = in->at = at;
    atomic_store(&out->shared->written, at);
    atomic_store(&out->shared->read, at);
    atomic_store(&out->shared->wants, 0);
}

/* Sets the rings to the peer's bytes and counters. */
static void fill(const uint8_t head[HEAD_SIZE], struct dpk_reader *r)
{
    uint32_t at = head[0] & AT_THE_END ? UINT32_MAX - 100 : 0;
    start_at(&theirs.out, &ours.in, at);
    start_at(&ours.out, &theirs.in, at);
    size_t size = dpk_reader_left(r) < RING_SIZE ? dpk_reader_left(r) : RING_SIZE;
    memcpy(ring_here(&theirs.out), dpk_read_bytes(r, size), size);
    atomic_store(&theirs.out.shared->written, at + (uint32_t)size);
    if (head[0] & HAS_COUNTERS) {
        uint32_t counters[2];
        memcpy(counters, head + 1, sizeof counters);
        atomic_store(&theirs.out.shared->written, at + counters[0]);
        atomic_store(&theirs.in.shared->read, at + counters[1]);
        atomic_store(&theirs.in.shared->wants, 1);
    }
    change = head[0] & CHANGES ? head[1] : 0;
}

/* Adds a channel for one direction, as if it were connected. */
static void add_channel(struct dpk_rc_qp *qp, struct channel *c, bool requests, bool heard)
{
    c->rings = heard ? ours : other;
    c->qp = qp;
    c->role = requests ? REQUESTS : RESPONSES;
    *(requests ? &qp->requests : &qp->responses) = c;
}

static struct channel *new_channel(struct dpk_rc *nic, int *peer)
{
    int fds[2];
    struct channel *c;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0 ||
        !(c = pairs_channel_new(nic, fds[0])))
        abort();
    *peer = fds[1];
    return c;
}

static void hear(struct channel *c, int peer, uint8_t what)
{
    if (c->fd < 0)
        return;
    send(peer, &what, 1, MSG_DONTWAIT);
    pairs_channel_event(c, EPOLLIN);
    for (int i = 0; i < 4 && c->fd >= 0 && c->interest & EPOLLOUT; i++)
        pairs_channel_event(c, EPOLLOUT);
}

static void talk(struct dpk_rc *nic, struct dpk_rc_end *end, struct dpk_rc_qp *qp, bool requester)
{
    int peer, silent_peer;
    struct channel *c = new_channel(nic, &peer), *silent = new_channel(nic, &silent_peer);
    start_at(&other.out, &other.in, 0);
    add_channel(qp, c, requester, true);
    add_channel(qp, silent, !requester, false);
    qp->transport = &pairs_transport_shared;
    qp->state = QP_READY;
    for (uint64_t i = 0; i < 4; i++)
        dpk_rc_post(qp, &(struct dpk_rc_work){.opcode = (enum dpk_rc_opcode)i,
                                              .local = {.key = KEY, .size = 8},
                                              .key = KEY});
    hear(c, peer, 0);
    for (uint64_t i = 0; i < 4; i++)
        dpk_rc_post_receive(end, &(struct dpk_rc_receive){
                                     .buffer = {.key = KEY, .address = i * 64, .size = 64u << i}});
    hear(c, peer, 0);
    close(peer);
    if (c->fd >= 0)
        pairs_channel_event(c, EPOLLIN | EPOLLHUP);
    close(silent_peer);
}

/* A peer connects, and says its own address and the address that it wants. */
static void greet(struct dpk_rc *nic, const struct dpk_rc_qp *qp, struct dpk_reader *r)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    int peer;
    struct channel *c = new_channel(nic, &peer);
    struct dpk_buf said = {0};
    uint8_t how = dpk_read_u8(r);
    size_t left = dpk_reader_left(r);
    dpk_put(&said, dpk_read_bytes(r, left), left);
    if (how & 1) { /* a well-formed greeting; `how & 2`: for another address */
        const struct address claim = {.process = {{2}}, .number = how};
        said.size = 0;
        pairs_address_put(&claim, &said);
        pairs_address_put(how & 2 ? &claim : &qp->address, &said);
    }
    struct iovec bytes = {said.data, said.size};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    memcpy(CMSG_DATA(&control.head), how & 4 ? &peer : &shared, sizeof shared);
    if (!(how & 8)) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    sendmsg(peer, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    pairs_channel_event(c, EPOLLIN);
    hear(c, peer, 0);
    close(peer);
    if (c->fd >= 0)
        pairs_channel_event(c, EPOLLIN | EPOLLHUP);
    dpk_buf_free(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gateway gateway;
    struct address address;
    struct dpk_rc *nic = NULL;
    struct dpk_rc_end *end = NULL;
    struct dpk_rc_qp *qp = NULL;
    struct channel *c;
    const struct dpk_uuid identity = {{1}};
    struct dpk_rc_end_options options = {
        .ops = &ops, .domain = &domain, .permissions = ~0u, .sends = 8, .receives = 8};
    struct dpk_reader r = dpk_reader(data, size);
    pairs_address_parse(data, size, &address, NULL);
    const uint8_t *head = dpk_read_bytes(&r, HEAD_SIZE);
    if (!head)
        return 0;
    options.service = head[0] & HAS_DATAGRAMS   ? DPK_RC_DATAGRAM
                      : head[0] & IS_UNRELIABLE ? DPK_RC_UNRELIABLE
                                                : DPK_RC_RELIABLE;
    options.outlives_peers = options.service != DPK_RC_RELIABLE;
    if (!ours.map)
        begin(&gateway);
    memset(memory, 0, sizeof memory);
    if (!(head[0] & SAYS_HELLO))
        fill(head, &r);
    dpk_rc_open(&identity, &nic, NULL);
    nic->gateway = &gateway;
    dpk_rc_end_create(nic, &options, &end, NULL);
    dpk_rc_qp_create(end, 0, &qp, NULL);
    if (head[0] & SAYS_HELLO)
        greet(nic, qp, &r);
    else
        talk(nic, end, qp, head[0] & IS_REQUESTER);
    dpk_rc_end_destroy(end);
    while ((c = TAILQ_FIRST(&gateway.closed))) {
        TAILQ_REMOVE(&gateway.closed, c, link);
        if (c->rings.map == ours.map || c->rings.map == other.map)
            c->rings = (struct rings){0}; /* the mapping stays for further inputs */
        pairs_channel_free(c);
    }
    nic->gateway = NULL;
    dpk_rc_close(nic);
    return 0;
}
