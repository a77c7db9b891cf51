/* veth:NAME: the port has the cable of a machine's interface. Frames of the port leave by the
 * interface, and frames that arrive at the interface arrive at the port (packet(7)). The kernel
 * receives frames into a ring. Many frames are sent at once. */
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interface.h"
#include "net/frame/frame.h"

#define RING_BLOCK    65536u
#define SMALL_SLOT    2048u  /* for frames of an interface of the usual MTU */
#define SMALL_MTU     1900   /* largest MTU whose frames fit after the kernel's header */
#define LARGE_SLOT    16384u /* for all other interfaces */
#define SMALL_RING    (4u << 20)
#define LARGE_RING    (8u << 20)
#define LARGEST       65600u /* bytes of a frame that the machine's TCP did not cut */
#define LARGE_WAITING (4 << 20)
#define LOOK_AGAIN_MS 500 /* while the interface is down or gone */
#define ROOM_MS       1   /* the first of several waits for room to send */
#define ROOM_TRIES    5
#define TELL_TRIES    4 /* errors that may come instead of a frame */
#define MAC_ADDRESSES 12u

struct veth {
    char name[IFNAMSIZ];
    int in, out;
    int index;    /* of the interface; the wire's thread updates it */
    bool trouble; /* it was down since it last worked */
    uint8_t *ring;
    size_t ring_size, slot_size, slots, next;
    uint8_t *large; /* a frame that is too large for a slot */
    uint8_t (*segments)[DPK_FRAME_MAX];
    /* One batch is filled while the other is sent. Then they change roles. */
    struct batch {
        struct mmsghdr messages[WIRE_BATCH];
        struct iovec pieces[WIRE_BATCH];
        uint8_t *bytes;
        size_t size;
        unsigned count;
    } batches[2], *filled;
    bool sending;        /* a thread sends, and sends the other batch afterwards */
    pthread_cond_t room; /* the batch to be filled is empty */
};

/* ---- Frames that arrive ---- */

/* Puts back the VLAN tag, which the kernel stores separately. There is room for it before the
 * frame. */
static uint8_t *put_tag_back(uint8_t *frame, uint16_t type, uint16_t tci)
{
    memmove(frame - VLAN_TAG, frame, MAC_ADDRESSES);
    dpk_store_be16(frame - VLAN_TAG + MAC_ADDRESSES, type);
    dpk_store_be16(frame - VLAN_TAG + MAC_ADDRESSES + 2, tci);
    return frame - VLAN_TAG;
}

static struct tpacket2_hdr *slot(const struct veth *v, size_t number)
{
    return (struct tpacket2_hdr *)(void *)(v->ring + number % v->slots * v->slot_size);
}

static struct virtio_net_hdr header_of(const struct tpacket2_hdr *s)
{
    struct virtio_net_hdr h;
    memcpy(&h, (const uint8_t *)s + s->tp_mac - sizeof h, sizeof h);
    return h;
}

/* Receives one frame that waits outside the ring. Returns -1 if no frame waits. The socket reports
 * an error, such as an interface that went down, once, instead of a frame. */
static ssize_t receive_waiting(const struct veth *v)
{
    struct virtio_net_hdr h;
    struct iovec parts[] = {{&h, sizeof h}, {v->large + VLAN_TAG, LARGEST}};
    const struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    for (unsigned tries = 0; tries < TELL_TRIES; tries++) {
        const ssize_t n = recvmsg(v->in, (struct msghdr *)&m, MSG_DONTWAIT);
        if (n >= (ssize_t)sizeof h)
            return n - (ssize_t)sizeof h;
        if (n < 0 && errno == EAGAIN)
            return -1;
    }
    return -1;
}

/* Gets all of a frame that its slot has only the beginning of. What waits before it is of slots
 * whose frames were dropped. */
static uint8_t *take_large(struct veth *v, const struct tpacket2_hdr *s)
{
    const uint8_t *begin = (const uint8_t *)s + s->tp_mac;
    ssize_t n;
    while ((n = receive_waiting(v)) >= 0)
        if (n == (ssize_t)s->tp_len && s->tp_snaplen <= s->tp_len &&
            memcmp(v->large + VLAN_TAG, begin, s->tp_snaplen) == 0)
            return v->large + VLAN_TAG;
    return NULL;
}

/* Takes the frame of a slot, with its tag. Returns NULL if the frame was dropped. */
static uint8_t *take(struct dpk_wire *wire, struct tpacket2_hdr *s, uint32_t status, size_t *size)
{
    struct veth *v = wire->kind;
    const struct virtio_net_hdr h = header_of(s);
    uint8_t *frame = (uint8_t *)s + s->tp_mac;
    *size = s->tp_len;
    if (status & TP_STATUS_COPY)
        frame = take_large(v, s);
    else if (s->tp_snaplen < *size)
        frame = NULL; /* the kernel had no memory for the rest */
    if (!frame) {
        wire_drop_received(wire, DPK_WIRE_NO_ROOM, 1);
        return NULL;
    }
    /* The machine expects the network card to finish checksums of its own frames. */
    if (h.gso_type == VIRTIO_NET_HDR_GSO_NONE && h.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
        frame_checksum_finish(frame, *size, h.csum_start, h.csum_offset);
    if (!(status & TP_STATUS_VLAN_VALID) || *size < MAC_ADDRESSES)
        return frame;
    *size += VLAN_TAG;
    return put_tag_back(frame, status & TP_STATUS_VLAN_TPID_VALID ? s->tp_vlan_tpid : ETHER_VLAN,
                        s->tp_vlan_tci);
}

/* Takes the frame of a slot. Returns false if the frame was dropped. */
static bool take_frame(struct dpk_wire *wire, struct tpacket2_hdr *s, uint32_t status,
                       struct dpk_frame *out)
{
    size_t size;
    const uint8_t *frame = take(wire, s, status, &size);
    if (!frame)
        return false;
    if (size > DPK_FRAME_MAX)
        wire_drop_received(wire, DPK_WIRE_TOO_LONG, 1);
    else if (size < DPK_FRAME_MIN)
        wire_drop_received(wire, DPK_WIRE_TOO_SHORT, 1);
    *out = (struct dpk_frame){frame, size};
    return size >= DPK_FRAME_MIN && size <= DPK_FRAME_MAX;
}

/* ---- Data of TCP that arrives at once ---- */

/* Returns whether a frame contains several TCP segments, which the machine expects the network card
 * to cut. */
static bool is_joined(const struct tpacket2_hdr *s)
{
    return header_of(s).gso_type != VIRTIO_NET_HDR_GSO_NONE;
}

static void offer_segments(struct dpk_wire *wire, const struct segments *s)
{
    struct veth *v = wire->kind;
    struct dpk_frame frames[WIRE_BATCH];
    const uint64_t all = frame_segments_count(s);
    for (uint64_t i = 0; i < all;) {
        size_t count = 0;
        for (; i < all && count < WIRE_BATCH; i++, count++)
            frames[count] = (struct dpk_frame){v->segments[count],
                                               frame_segments_make(s, i, v->segments[count])};
        (void)wire_arrive(wire, frames, count, false);
    }
}

static void offer_joined(struct dpk_wire *wire, struct tpacket2_hdr *s, uint32_t status)
{
    struct segments segments;
    size_t size;
    const uint32_t each = header_of(s).gso_size;
    const uint8_t *frame = take(wire, s, status, &size);
    if (!frame)
        return;
    if (frame_segments_of_joined(frame, size, each, DPK_FRAME_MAX, &segments)) {
        offer_segments(wire, &segments);
        return;
    }
    wire_warn(
        wire, WIRE_CUTS,
        "the other end sends, other than by TCP, what its network card should cut into frames: "
        "sudo ethtool -K INTERFACE tx-udp-segmentation off gso off");
    wire_drop_received(wire, DPK_WIRE_TOO_LONG, 1);
}

/* Counts frames that the kernel had no room for. */
static void count_lost(struct dpk_wire *wire)
{
    const struct veth *v = wire->kind;
    struct tpacket_stats lost;
    socklen_t size = sizeof lost;
    if (getsockopt(v->in, SOL_PACKET, PACKET_STATISTICS, &lost, &size) == 0 && lost.tp_drops > 0)
        wire_drop_received(wire, DPK_WIRE_NO_ROOM, lost.tp_drops);
}

/* Offers the available frames, and returns their slots. Returns the number of slots. */
static size_t offer(struct dpk_wire *wire)
{
    struct veth *v = wire->kind;
    struct dpk_frame frames[WIRE_BATCH];
    size_t taken = 0, count = 0;
    uint32_t all = 0;
    bool alone = false; /* `large` and `segments` have room for one frame */
    while (taken < WIRE_BATCH && !alone) {
        struct tpacket2_hdr *s = slot(v, v->next + taken);
        const uint32_t status = __atomic_load_n(&s->tp_status, __ATOMIC_ACQUIRE);
        if (!(status & TP_STATUS_USER))
            break;
        const bool joined = is_joined(s);
        alone = joined || status & TP_STATUS_COPY;
        if (alone && taken > 0)
            break;
        if (joined)
            offer_joined(wire, s, status);
        else
            count += take_frame(wire, s, status, &frames[count]);
        all |= status;
        taken++;
    }
    if (count > 0)
        (void)wire_arrive(wire, frames, count, false);
    for (size_t i = 0; i < taken; i++)
        __atomic_store_n(&slot(v, v->next++)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    if (all & TP_STATUS_LOSING)
        count_lost(wire);
    return taken;
}

/* ---- The interface ---- */

static bool bind_to(int fd, int index, uint16_t protocol)
{
    const struct sockaddr_ll to = {
        .sll_family = AF_PACKET, .sll_protocol = htobe16(protocol), .sll_ifindex = index};
    return bind(fd, (const struct sockaddr *)&to, sizeof to) == 0;
}

/* Connects to the interface. Frames for all addresses arrive. */
static bool take_cable(struct veth *v, int index)
{
    const struct packet_mreq all = {.mr_ifindex = index, .mr_type = PACKET_MR_PROMISC};
    if (!bind_to(v->out, index, 0) || !bind_to(v->in, index, ETH_P_ALL))
        return false;
    (void)setsockopt(v->in, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all);
    v->index = index;
    return true;
}

/* An interface that was only down works again by itself. A new interface with the old name must be
 * bound again: the kernel reports only that the old interface went down. */
static void look_again(struct dpk_wire *wire)
{
    struct veth *v = wire->kind;
    const int index = wire_interface_index(v->in, v->name);
    const bool bound = index != 0 && (index == v->index || take_cable(v, index));
    v->trouble = wire_interface_look(wire, v->in, v->name) != INTERFACE_UP || !bound;
}

/* Takes at most the whole ring, because frames may arrive faster than they are taken. */
static void veth_drain(struct dpk_wire *wire)
{
    const struct veth *v = wire->kind;
    for (size_t taken = 0, some; taken < v->slots && (some = offer(wire)) > 0; taken += some)
        continue;
}

static bool veth_receive(struct dpk_wire *wire)
{
    struct veth *v = wire->kind;
    int why = 0;
    socklen_t size = sizeof why;
    if (offer(wire) > 0)
        return true;
    switch (wire_wait(wire, v->in, v->trouble ? LOOK_AGAIN_MS : -1)) {
    case WIRE_ENDS:
        return false;
    case WIRE_TIMEOUT:
        look_again(wire);
        return true;
    case WIRE_READY:
        break;
    }
    if (offer(wire) == 0 && getsockopt(v->in, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why) {
        (void)wire_interface_look(wire, v->in, v->name);
        v->trouble = true;
    }
    return true;
}

/* ---- Frames that leave ---- */

/* Waits a little, while the port waits too, until the interface has room. Returns false if that
 * takes too long. */
static bool wait_for_room(const struct veth *v, unsigned *tries)
{
    struct pollfd fd = {.fd = v->out, .events = POLLOUT};
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN || *tries == ROOM_TRIES)
        return false;
    (void)poll(&fd, 1, ROOM_MS << (*tries)++);
    return true;
}

static void send_batch(struct dpk_wire *wire, struct batch *b)
{
    struct veth *v = wire->kind;
    unsigned tries = 0;
    for (unsigned done = 0; done < b->count;) {
        const int n = sendmmsg(v->out, b->messages + done, b->count - done, MSG_DONTWAIT);
        size_t bytes = 0;
        for (int i = 0; i < n; i++)
            bytes += b->pieces[done + (unsigned)i].iov_len;
        if (n > 0) {
            wire_sent(wire, (size_t)n, bytes);
            done += (unsigned)n;
            tries = 0;
        } else if (!wait_for_room(v, &tries)) {
            wire_interface_not_sent(wire, v->out, v->name, b->pieces[done].iov_len);
            done++;
        }
    }
    b->count = 0;
    b->size = 0;
}

/* If a thread already sends, it also sends the frames that are posted meanwhile. */
static void veth_flush(struct dpk_wire *wire)
{
    struct veth *v = wire->kind;
    if (v->sending)
        return;
    v->sending = true;
    for (struct batch *b; (b = v->filled)->count > 0;) {
        v->filled = &v->batches[b == v->batches];
        pthread_cond_broadcast(&v->room);
        pthread_mutex_unlock(&wire->sends);
        send_batch(wire, b);
        pthread_mutex_lock(&wire->sends);
    }
    v->sending = false;
    pthread_cond_broadcast(&v->room);
}

static bool veth_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    struct veth *v = wire->kind;
    while (v->filled->count == WIRE_BATCH && v->sending)
        pthread_cond_wait(&v->room, &wire->sends);
    if (v->filled->count == WIRE_BATCH)
        veth_flush(wire);
    struct batch *b = v->filled;
    memcpy(b->bytes + b->size, frame, size);
    b->pieces[b->count++] = (struct iovec){b->bytes + b->size, size};
    b->size += size;
    return true;
}

/* ---- Life ---- */

static enum dpk_status make_socket(const char *name, const char *program, int *fd,
                                   struct dpk_error *err)
{
    *fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (*fd >= 0)
        return DPK_OK;
    if (errno != EPERM && errno != EACCES)
        return dpk_fail_errno(err, "veth:%s", name);
    return dpk_fail(
        err, DPK_ERR_REFUSED,
        "veth:%s: this user may not open it: sudo setcap cap_net_raw+ep %s (or run all of "
        "it without root, in unshare -rn)",
        name, program);
}

static enum dpk_status find_interface(int fd, const char *name, int *index, struct dpk_error *err)
{
    *index = wire_interface_index(fd, name);
    return *index
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_NOT_FOUND,
                          "veth:%s: there is no such interface: sudo ip link add %s type veth peer "
                          "name OTHER",
                          name, name);
}

static enum dpk_status veth_try(const char *argument, struct dpk_error *err)
{
    int fd = -1, index;
    enum dpk_status status = make_socket(argument, "PROGRAM", &fd, err);
    if (status == DPK_OK)
        status = find_interface(fd, argument, &index, err);
    if (fd >= 0)
        close(fd);
    return status;
}

static enum dpk_status make_ring(struct veth *v, struct dpk_error *err)
{
    const int version = TPACKET_V2, on = 1;
    const int mtu = wire_interface_mtu(v->in, v->name);
    v->slot_size = mtu <= SMALL_MTU ? SMALL_SLOT : LARGE_SLOT;
    v->ring_size = mtu <= SMALL_MTU ? SMALL_RING : LARGE_RING;
    v->slots = v->ring_size / v->slot_size;
    const struct tpacket_req ring = {.tp_block_size = RING_BLOCK,
                                     .tp_block_nr = (unsigned)(v->ring_size / RING_BLOCK),
                                     .tp_frame_size = (unsigned)v->slot_size,
                                     .tp_frame_nr = (unsigned)v->slots};
    const struct {
        int option;
        const void *value;
        socklen_t size;
    } options[] = {{PACKET_VERSION, &version, sizeof version},
                   {PACKET_VNET_HDR, &on, sizeof on},
                   {PACKET_COPY_THRESH, &on, sizeof on},
                   {PACKET_IGNORE_OUTGOING, &on, sizeof on},
                   {PACKET_RX_RING, &ring, sizeof ring}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (setsockopt(v->in, SOL_PACKET, options[i].option, options[i].value, options[i].size) !=
            0)
            return dpk_fail_errno(err, "veth:%s: packet sockets of this kernel", v->name);
    void *ring_memory = mmap(NULL, v->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, v->in, 0);
    if (ring_memory == MAP_FAILED)
        return dpk_fail_errno(err, "veth:%s: the ring", v->name);
    v->ring = ring_memory;
    return DPK_OK;
}

static enum dpk_status make_buffers(struct veth *v, struct dpk_error *err)
{
    v->large = malloc(VLAN_TAG + LARGEST);
    v->segments = malloc(WIRE_BATCH * sizeof *v->segments);
    v->filled = v->batches;
    for (struct batch *b = v->batches; b < v->batches + 2; b++) {
        b->bytes = malloc((size_t)WIRE_BATCH * DPK_FRAME_MAX);
        for (size_t i = 0; i < WIRE_BATCH; i++)
            b->messages[i].msg_hdr = (struct msghdr){.msg_iov = &b->pieces[i], .msg_iovlen = 1};
    }
    if (!v->large || !v->segments || !v->batches[0].bytes || !v->batches[1].bytes)
        return dpk_fail_nomem(err);
    return DPK_OK;
}

static enum dpk_status veth_open(struct dpk_wire *wire, const char *argument, struct dpk_error *err)
{
    const int on = 1, waiting = LARGE_WAITING;
    int index = 0;
    struct dpk_buf name = {0};
    enum dpk_status status = wire_interface_check(argument, &name, err);
    dpk_buf_free(&name);
    struct veth *v = wire->kind = calloc(1, sizeof *v);
    if (!v)
        return dpk_fail_nomem(err);
    v->in = v->out = -1;
    pthread_cond_init(&v->room, NULL);
    snprintf(v->name, sizeof v->name, "%s", argument);
    if (status == DPK_OK)
        status = make_buffers(v, err);
    if (status == DPK_OK)
        status = make_socket(v->name, program_invocation_name, &v->in, err);
    if (status == DPK_OK)
        status = make_socket(v->name, program_invocation_name, &v->out, err);
    if (status == DPK_OK)
        status = find_interface(v->in, v->name, &index, err);
    if (status == DPK_OK)
        status = make_ring(v, err);
    if (status == DPK_OK && !take_cable(v, index))
        status = dpk_fail_errno(err, "veth:%s", v->name);
    if (status != DPK_OK)
        return status;
    /* Frames that are too large for a slot wait here. Only root may exceed the machine's limit. */
    if (setsockopt(v->in, SOL_SOCKET, SO_RCVBUFFORCE, &waiting, sizeof waiting) != 0)
        (void)setsockopt(v->in, SOL_SOCKET, SO_RCVBUF, &waiting, sizeof waiting);
    /* Frames of the port bypass queueing disciplines. */
    (void)setsockopt(v->out, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
    v->trouble = wire_interface_look(wire, v->in, v->name) != INTERFACE_UP;
    return DPK_OK;
}

static void veth_close(struct dpk_wire *wire)
{
    struct veth *v = wire->kind;
    if (!v)
        return;
    if (v->ring) {
        count_lost(wire);
        munmap(v->ring, v->ring_size);
    }
    if (v->in >= 0)
        close(v->in);
    if (v->out >= 0)
        close(v->out);
    free(v->large);
    free(v->segments);
    free(v->batches[0].bytes);
    free(v->batches[1].bytes);
    pthread_cond_destroy(&v->room);
    free(v);
}

const struct wire_ops wire_veth = {.name = "veth",
                                   .usage = "veth:NAME",
                                   .check = wire_interface_check,
                                   .try = veth_try,
                                   .open = veth_open,
                                   .receive = veth_receive,
                                   .drain = veth_drain,
                                   .send = veth_send,
                                   .flush = veth_flush,
                                   .close = veth_close};
