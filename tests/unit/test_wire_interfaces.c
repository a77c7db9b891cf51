/* Wires that are interfaces of the machine: TAPs and veth pairs, in a network namespace. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "frame/frame.h"
#include "wire/wire.h"

#include "namespace.h"
#include "skip.h"

#define TYPE    0x88b5 /* of Ethernet, for experiments (IEEE 802) */
#define SECONDS 60

static bool entered;

/* ---- The port ---- */

/* Keeps the last frame; what the machine itself sends is none of the test's. */
struct port {
    pthread_mutex_t lock;
    unsigned arrived, probes;
    uint8_t last[DPK_FRAME_MAX];
    size_t last_size;
    uint8_t all[80000]; /* one frame behind the other */
    size_t all_size;
    atomic_uint warnings;
    char warning[300];
};

static bool is_ours(const uint8_t *frame, size_t size)
{
    return size >= 14 && memcmp(frame, "\2to-us", 6) == 0;
}

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct port *p = context;
    assert_false(waits);
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < count; i++) {
        p->probes += memcmp(frames[i].bytes, "\2probe", 6) == 0;
        if (!is_ours(frames[i].bytes, frames[i].size))
            continue;
        p->last_size = frames[i].size;
        memcpy(p->last, frames[i].bytes, frames[i].size);
        p->arrived++;
        if (p->all_size + frames[i].size <= sizeof p->all) {
            memcpy(p->all + p->all_size, frames[i].bytes, frames[i].size);
            p->all_size += frames[i].size;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return count;
}

static void tell(void *context, bool detail, const char *text)
{
    struct port *p = context;
    if (detail)
        return;
    snprintf(p->warning, sizeof p->warning, "%s", text);
    atomic_fetch_add(&p->warnings, 1);
}

static struct dpk_wire *plug(const char *spec, struct port *p)
{
    *p = (struct port){.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = p};
    struct dpk_wire *wire = NULL;
    struct dpk_error err = {0};
    if (dpk_wire_open(spec, &sink, &wire, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
    return wire;
}

static unsigned arrived(struct port *p)
{
    pthread_mutex_lock(&p->lock);
    const unsigned n = p->arrived;
    pthread_mutex_unlock(&p->lock);
    return n;
}

static void await_arrived(struct port *p, unsigned want)
{
    for (unsigned i = 0; i < SECONDS * 1000 && arrived(p) < want; i++)
        usleep(1000);
    assert_int_equal(arrived(p), want);
}

static struct dpk_wire_counters counters(const struct dpk_wire *wire)
{
    struct dpk_wire_counters c;
    dpk_wire_counters(wire, &c);
    return c;
}

static uint64_t sum_of_drops(const uint64_t drops[DPK_WIRE_DROPS])
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DPK_WIRE_DROPS; i++)
        sum += drops[i];
    return sum;
}

/* ---- The other end ---- */

static int peer(const char *interface)
{
    const struct sockaddr_ll to = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(TYPE),
                                   .sll_ifindex = (int)if_nametoindex(interface)};
    const struct timeval limit = {.tv_sec = SECONDS};
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1;
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* A frame to the port, of `size` bytes that depend on `seed`. */
static const uint8_t *frame_of(size_t size, unsigned seed)
{
    static uint8_t frame[DPK_FRAME_MAX];
    for (size_t i = 14; i < size; i++)
        frame[i] = (uint8_t)(i * 7 + seed);
    memcpy(frame, "\2to-us\2peer.\x88\xb5", 14);
    return frame;
}

static void peer_sends(int fd, size_t size, unsigned seed)
{
    assert_int_equal(send(fd, frame_of(size, seed), size, 0), size);
}

static void peer_gets(int fd, size_t size, unsigned seed)
{
    uint8_t got[DPK_FRAME_MAX + 100];
    assert_int_equal(recv(fd, got, sizeof got, 0), size);
    assert_memory_equal(got, frame_of(size, seed), size);
}

static void port_sends(struct dpk_wire *wire, size_t size, unsigned seed)
{
    assert_true(dpk_wire_send(wire, frame_of(size, seed), size));
    dpk_wire_flush(wire);
}

static void assert_last(struct port *p, size_t size, unsigned seed)
{
    pthread_mutex_lock(&p->lock);
    assert_int_equal(p->last_size, size);
    assert_memory_equal(p->last, frame_of(size, seed), size);
    pthread_mutex_unlock(&p->lock);
}

/* When a carrier comes back, the kernel lets an interface send a little later. */
static void await_carrier(struct port *p, int fd)
{
    static const uint8_t probe[60] = "\2probe\2peer.\x88\xb5";
    unsigned probes = 0;
    for (unsigned i = 0; i < SECONDS * 100 && probes == 0; i++) {
        (void)send(fd, probe, sizeof probe, 0);
        usleep(10000);
        pthread_mutex_lock(&p->lock);
        probes = p->probes;
        pthread_mutex_unlock(&p->lock);
    }
    assert_true(probes > 0);
    p->probes = 0;
}

static void ip(const char *words)
{
    if (!namespace_ip(words))
        fail_msg("ip %s", words);
}

/* The name of an interface does not say which kernel module is missing. */
static void need(const char *what, bool there)
{
    if (!there)
        skip_because(what);
}

/* Each test has a network of its own. */
static int another_network(void **state)
{
    (void)state;
    return entered && unshare(CLONE_NEWNET) != 0;
}

static void need_network(void)
{
    need("no user and network namespaces for this user, or no ip(8)", entered);
}

static void make_pair(void)
{
    need_network();
    need("this kernel has no veth pairs", namespace_ip("link add v0 type veth peer name v1"));
    ip("link set v0 up");
    ip("link set v1 up");
}

/* Plugs the port into one end, and opens the other. */
static struct dpk_wire *plug_pair(struct port *p, int *other)
{
    make_pair();
    *other = peer("v1");
    return plug("veth:v0", p);
}

static void unplug(struct dpk_wire *wire, int other)
{
    dpk_wire_close(wire);
    close(other);
}

/* ---- Tests ---- */

static const size_t sizes[] = {60, 61, 1000, 1513, 1514};
#define SIZES (sizeof sizes / sizeof *sizes)

static void both_ways(struct dpk_wire *wire, struct port *p, int other, unsigned seed)
{
    for (unsigned i = 0; i < SIZES; i++) {
        const unsigned before = arrived(p);
        peer_sends(other, sizes[i], seed + i);
        await_arrived(p, before + 1);
        assert_last(p, sizes[i], seed + i);
        port_sends(wire, sizes[i], seed + i);
        peer_gets(other, sizes[i], seed + i);
    }
}

static void frames_cross_a_pair(void **state)
{
    (void)state;
    static struct port p;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    both_ways(wire, &p, other, 1);
    /* What leaves by the interface, from the port or from others, does not arrive. */
    const int same = peer("v0");
    peer_sends(same, 60, 5);
    peer_gets(other, 60, 5);
    peer_sends(other, 60, 6);
    await_arrived(&p, SIZES + 1);
    assert_last(&p, 60, 6);
    close(same);
    const struct dpk_wire_counters c = counters(wire);
    assert_int_equal(c.sent, SIZES);
    assert_int_equal(sum_of_drops(c.sent_dropped), 0);
    assert_int_equal(sum_of_drops(c.received_dropped), 0);
    unplug(wire, other);
}

static void many_frames_are_received_or_counted(void **state)
{
    (void)state;
    static struct port p;
    enum { MANY = 20000 };
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    for (unsigned i = 0; i < MANY; i++) {
        if (i == MANY / 2)
            pthread_mutex_lock(&p.lock); /* the port takes none for a while: the ring runs over */
        peer_sends(other, 60, i);
    }
    pthread_mutex_unlock(&p.lock);
    /* The kernel counts the frames of the machine itself, too; there are a few. */
    for (unsigned i = 0; i < SECONDS * 1000; i++) {
        const struct dpk_wire_counters c = counters(wire);
        if (c.received + sum_of_drops(c.received_dropped) >= MANY)
            break;
        peer_sends(other, 60, 0); /* after a loss, the next frame tells of it */
        usleep(1000);
    }
    dpk_wire_flush(wire);
    struct dpk_wire_counters c = counters(wire);
    assert_true(c.received + c.received_dropped[DPK_WIRE_NO_ROOM] >= MANY);
    assert_true(c.received_dropped[DPK_WIRE_NO_ROOM] > 0);
    assert_true(c.received < MANY);
    unplug(wire, other);
}

static void tags_of_vlans_are_put_back(void **state)
{
    (void)state;
    static struct port p;
    static const uint8_t tags[2][8] = {{0x81, 0, 0x60, 5, 0x88, 0xb5},
                                       {0x88, 0xa8, 0xe0, 7, 0x81, 0, 0, 9}};
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t frame[80] = "\2to-us\2peer.";
        memcpy(frame + 12, tags[i], sizeof tags[i]);
        assert_int_equal(send(other, frame, sizeof frame, 0), sizeof frame);
        await_arrived(&p, i + 1);
        assert_int_equal(p.last_size, sizeof frame);
        assert_memory_equal(p.last, frame, sizeof frame);
    }
    unplug(wire, other);
}

static uint16_t sum_of_udp(const uint8_t *frame)
{
    const size_t size = (size_t)(frame[38] << 8 | frame[39]);
    uint64_t sum = 17 + size;
    for (size_t i = 26; i < 34; i += 2)
        sum += (uint64_t)(frame[i] << 8 | frame[i + 1]);
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? frame[34 + i] : (uint64_t)frame[34 + i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static void checksums_of_the_machine_are_finished(void **state)
{
    (void)state;
    static struct port p;
    uint8_t data[1001];
    memset(data, 0xa5, sizeof data);
    make_pair();
    ip("addr add 10.9.8.1/24 dev v1");
    ip("neigh add 10.9.8.2 lladdr 02:74:6f:2d:75:73 dev v1"); /* to-us */
    struct dpk_wire *wire = plug("veth:v0", &p);
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x0a090802)};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (unsigned i = 0; i < 3; i++) {
        const size_t size = (const size_t[]){1, 1000, 1001}[i];
        assert_int_equal(sendto(fd, data, size, 0, (const struct sockaddr *)&to, sizeof to), size);
        await_arrived(&p, i + 1);
        assert_int_equal(p.last_size, 42 + size);
        assert_int_equal(sum_of_udp(p.last), 0xffff);
    }
    close(fd);
    dpk_wire_close(wire);
}

/* Sends what a network card should cut into segments of `mss` bytes. */
static void peer_sends_joined(int fd, uint8_t *frame, size_t size, bool v6, uint16_t mss)
{
    struct virtio_net_hdr h = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                               .gso_type = v6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4,
                               .hdr_len = v6 ? 74 : 54,
                               .gso_size = mss,
                               .csum_start = v6 ? 54 : 34,
                               .csum_offset = 16};
    struct sockaddr_ll to = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(v6 ? 0x86dd : 0x0800),
                             .sll_ifindex = (int)if_nametoindex("v1")};
    struct iovec parts[] = {{&h, sizeof h}, {frame, size}};
    const struct msghdr m = {
        .msg_name = &to, .msg_namelen = sizeof to, .msg_iov = parts, .msg_iovlen = 2};
    assert_int_equal(sendmsg(fd, &m, 0), sizeof h + size);
}

static size_t joined_frame(uint8_t *frame, size_t data, bool v6)
{
    const size_t l4 = v6 ? 54 : 34, size = l4 + 20 + data;
    memset(frame, 0, l4 + 20);
    memcpy(frame, v6 ? "\2to-us\2peer.\x86\xdd\x60" : "\2to-us\2peer.\x08\x00\x45", 15);
    if (v6) {
        dpk_store_be16(frame + 18, (uint16_t)(size - 54));
        memcpy(frame + 20, "\6\x40", 2);
        frame[22] = frame[38] = 0xfd;
    } else {
        dpk_store_be16(frame + 16, (uint16_t)(size - 14));
        memcpy(frame + 18, "\xff\xfe\0\0\x40\6", 6); /* the ID wraps */
        memcpy(frame + 26, "\x0a\1\1\1\x0a\1\1\2", 8);
    }
    memcpy(frame + l4, "\1\2\3\4\xff\xff\xff\0\0\0\0\0\x50\x99", 14); /* CWR ACK PSH FIN */
    for (size_t i = 0; i < data; i++)
        frame[l4 + 20 + i] = (uint8_t)(i * 13 + i / 256);
    return size;
}

static void data_of_tcp_is_cut_into_frames(void **state)
{
    (void)state;
    static struct port p;
    static uint8_t frame[65600];
    const int on = 1;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    assert_int_equal(setsockopt(other, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on), 0);
    for (unsigned turn = 0; turn < 4; turn++) {
        const bool v6 = turn % 2;
        const uint16_t mss = turn < 2 ? 1000 : 89;
        const size_t data = turn < 2 ? 60001 : 8900, l4 = v6 ? 54 : 34;
        const unsigned want = (unsigned)((data + mss - 1) / mss);
        p.arrived = 0;
        p.all_size = 0;
        peer_sends_joined(other, frame, joined_frame(frame, data, v6), v6, mss);
        await_arrived(&p, want);
        for (size_t i = 0, at = 0; i < want; i++) {
            const uint8_t *f = p.all + at;
            const size_t mine = i + 1 < want ? mss : data - i * mss;
            struct layers l;
            layers_find(f, l4 + 20 + mine, &l);
            assert_int_equal(l.protocol, PROTOCOL_TCP);
            assert_int_equal(l.end, l4 + 20 + mine);
            assert_int_equal(sum_l4(f, &l), 0xffff);
            if (!v6) {
                assert_int_equal(sum_l3(f, &l), 0xffff);
                assert_int_equal(f[18] << 8 | f[19], (0xfffe + i) & 0xffff);
            }
            struct dpk_reader r = dpk_reader(f + l4 + 4, 4);
            assert_int_equal(dpk_read_be32(&r), (uint32_t)(0xffffff00 + i * mss));
            assert_int_equal(f[l4 + 13], 0x10 | (i == 0 ? 0x80 : 0) | (i + 1 == want ? 9 : 0));
            assert_memory_equal(f + l4 + 20, frame + l4 + 20 + i * mss, mine);
            at += l4 + 20 + mine;
        }
    }
    assert_int_equal(atomic_load(&p.warnings), 0);
    unplug(wire, other);
}

static void other_data_that_should_be_cut_is_counted(void **state)
{
    (void)state;
    static struct port p;
    enum { UDP_SEGMENT = 103 };
    static const uint8_t data[5000];
    const int each = 1000;
    make_pair();
    ip("addr add 10.9.8.1/24 dev v1");
    ip("neigh add 10.9.8.2 lladdr 02:74:6f:2d:75:73 dev v1"); /* to-us */
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x0a090802)};
    struct dpk_wire *wire = plug("veth:v0", &p);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    need("this kernel's UDP joins no datagrams",
         setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &each, sizeof each) == 0);
    assert_int_equal(sendto(fd, data, sizeof data, 0, (const struct sockaddr *)&to, sizeof to),
                     sizeof data);
    assert_int_equal(sendto(fd, data, 10, 0, (const struct sockaddr *)&to, sizeof to), 10);
    await_arrived(&p, 1);
    assert_int_equal(counters(wire).received_dropped[DPK_WIRE_TOO_LONG], 1);
    assert_int_equal(atomic_load(&p.warnings), 1);
    close(fd);
    dpk_wire_close(wire);
}

/* The ring was made for an interface of the usual MTU. */
static void frames_that_no_slot_has_room_for_arrive(void **state)
{
    (void)state;
    static struct port p;
    static const size_t large[] = {2000, 9014, 9230};
    make_pair();
    struct dpk_wire *wire = plug("veth:v0", &p);
    ip("link set v0 mtu 9216");
    ip("link set v1 mtu 9216");
    const int other = peer("v1");
    for (unsigned i = 0; i < 3; i++) {
        peer_sends(other, large[i], i);
        peer_sends(other, 60, i + 1);
        await_arrived(&p, 2 * i + 2);
        assert_last(&p, 60, i + 1);
        peer_sends(other, large[i], i);
        await_arrived(&p, 2 * i + 3);
        assert_last(&p, large[i], i);
        p.arrived--;
        port_sends(wire, large[i], i);
        peer_gets(other, large[i], i);
    }
    dpk_wire_close(wire);
    /* One that is made for them. */
    wire = plug("veth:v0", &p);
    peer_sends(other, 9230, 3);
    await_arrived(&p, 1);
    assert_last(&p, 9230, 3);
    unplug(wire, other);
}

static void frames_that_are_too_long_are_counted(void **state)
{
    (void)state;
    static struct port p;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(dpk_wire_send(wire, frame_of(2000, 1), 2000));
        port_sends(wire, 1514, i);
        peer_gets(other, 1514, i);
    }
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_TOO_LONG], 3);
    assert_int_equal(counters(wire).sent, 3);
    assert_int_equal(atomic_load(&p.warnings), 1);
    assert_non_null(strstr(p.warning, "ip link set v0 mtu 9216"));
    ip("link set v0 mtu 9500");
    ip("link set v1 mtu 9500");
    peer_sends(other, DPK_FRAME_MAX, 0);
    assert_int_equal(send(other, (uint8_t[DPK_FRAME_MAX + 1]){2}, DPK_FRAME_MAX + 1, 0),
                     DPK_FRAME_MAX + 1);
    peer_sends(other, 60, 0);
    await_arrived(&p, 2);
    assert_int_equal(counters(wire).received_dropped[DPK_WIRE_TOO_LONG], 1);
    unplug(wire, other);
}

static void await_warning(struct port *p, const char *what)
{
    for (unsigned i = 0; i < SECONDS * 1000 && !strstr(p->warning, what); i++)
        usleep(1000);
    assert_non_null(strstr(p->warning, what));
}

static void an_interface_goes_down_and_comes_back(void **state)
{
    (void)state;
    static struct port p;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    both_ways(wire, &p, other, 0);
    for (unsigned i = 0; i < 2; i++) {
        ip("link set v0 down");
        await_warning(&p, "ip link set v0 up");
        port_sends(wire, 60, i);
        assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_DOWN], i + 1);
        ip("link set v0 up");
        await_carrier(&p, other);
        both_ways(wire, &p, other, i);
    }
    assert_int_equal(atomic_load(&p.warnings), 1);
    unplug(wire, other);
}

static void the_other_end_goes_down_and_comes_back(void **state)
{
    (void)state;
    static struct port p;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    both_ways(wire, &p, other, 0);
    ip("link set v1 down");
    port_sends(wire, 60, 0);
    port_sends(wire, 60, 0);
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_NO_PEER], 2);
    assert_int_equal(atomic_load(&p.warnings), 1);
    ip("link set v1 up");
    close(other);
    other = peer("v1");
    await_carrier(&p, other);
    both_ways(wire, &p, other, 0);
    unplug(wire, other);
}

static void an_interface_is_deleted_and_made_again(void **state)
{
    (void)state;
    static struct port p;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    both_ways(wire, &p, other, 0);
    ip("link del v0");
    port_sends(wire, 60, 0);
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_DOWN], 1);
    await_warning(&p, "gone");
    ip("link add dummy type veth peer name other"); /* so that it gets another number */
    make_pair();
    close(other);
    other = peer("v1");
    await_carrier(&p, other);
    both_ways(wire, &p, other, 0);
    unplug(wire, other);
    ip("link del v0");
}

static void frames_cross_a_tap(void **state)
{
    (void)state;
    static struct port p;
    need_network();
    need("no /dev/net/tun that this user may open", access("/dev/net/tun", R_OK | W_OK) == 0);
    struct dpk_wire *wire = plug("tap:t0", &p);
    int other = peer("t0"); /* it is made, and up */
    both_ways(wire, &p, other, 0);
    assert_int_equal(arrived(&p), SIZES);
    assert_int_equal(counters(wire).sent, SIZES);
    /* Only one program has it. */
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = &p};
    struct dpk_wire *second = NULL;
    struct dpk_error err;
    assert_int_equal(dpk_wire_open("tap:t0", &sink, &second, &err), DPK_ERR_EXISTS);
    assert_int_equal(atomic_load(&p.warnings), 0);
    ip("link set t0 down");
    port_sends(wire, 60, 0);
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_DOWN], 1);
    ip("link set t0 up");
    close(other);
    other = peer("t0");
    await_carrier(&p, other);
    both_ways(wire, &p, other, 0);
    unplug(wire, other);
    assert_int_equal(if_nametoindex("t0"), 0);
}

static void a_tap_is_deleted_and_made_again(void **state)
{
    (void)state;
    static struct port p;
    need_network();
    need("no /dev/net/tun that this user may open", access("/dev/net/tun", R_OK | W_OK) == 0);
    ip("tuntap add t1 mode tap");
    struct dpk_wire *wire = plug("tap:t1", &p);
    await_warning(&p, "ip link set t1 up");
    ip("link del t1");
    port_sends(wire, 60, 0);
    assert_int_equal(counters(wire).sent_dropped[DPK_WIRE_DOWN], 1);
    await_warning(&p, "gone");
    assert_int_equal(if_nametoindex("t1"), 0);
    ip("tuntap add t1 mode tap");
    ip("link set t1 up");
    const int other = peer("t1");
    await_carrier(&p, other);
    both_ways(wire, &p, other, 0);
    assert_int_equal(atomic_load(&p.warnings), 2);
    unplug(wire, other);
}

static void what_cannot_be_opened_is_told(void **state)
{
    (void)state;
    static struct port p;
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell, .context = &p};
    struct dpk_wire *wire;
    struct dpk_error err;
    char out[DPK_WIRE_SPEC_MAX];
    static const char *const wrong[] = {"veth",     "veth:",  "tap:a/b", "tap:0123456789abcdef",
                                        "veth:a b", "tap:..", "tap:a:b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(dpk_wire_check(wrong[i], out, &err), DPK_ERR_USAGE);
        assert_int_equal(dpk_wire_open(wrong[i], &sink, &wire, &err), DPK_ERR_USAGE);
    }
    assert_int_equal(dpk_wire_check("tap:dpa0.1", out, &err), DPK_OK);
    assert_string_equal(out, "tap:dpa0.1");
    make_pair();
    assert_int_equal(dpk_wire_open("veth:none", &sink, &wire, &err), DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "ip link add none type veth"));
    assert_int_equal(dpk_wire_try("veth:none", &err), DPK_ERR_NOT_FOUND);
    assert_int_equal(dpk_wire_try("veth:v0", &err), DPK_OK);
    if (access("/dev/net/tun", R_OK | W_OK) == 0) {
        assert_int_equal(dpk_wire_open("tap:v0", &sink, &wire, &err), DPK_ERR_MISMATCH);
        assert_int_equal(dpk_wire_try("tap:t2", &err), DPK_OK);
        assert_int_equal(if_nametoindex("t2"), 0);
    }
}

/* In a child, which gives its rights away. 0: the messages have the commands. */
static int try_without_rights(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {0};
    struct dpk_error err;
    if (syscall(SYS_capset, &header, none) != 0)
        return 1;
    if (dpk_wire_try("veth:v0", &err) != DPK_ERR_REFUSED ||
        !strstr(err.message, "setcap cap_net_raw+ep PROGRAM") ||
        !strstr(err.message, "unshare -rn"))
        return 2;
    if (access("/dev/net/tun", R_OK | W_OK) != 0)
        return 0;
    if (dpk_wire_try("tap:t3", &err) != DPK_ERR_REFUSED ||
        !strstr(err.message, "ip tuntap add t3 mode tap user") ||
        !strstr(err.message, "unshare -rn"))
        return 3;
    if (strchr(err.message, '\n'))
        return 4;
    /* What the command gives is enough. */
    return dpk_wire_try("tap:mine", &err) == DPK_OK ? 0 : 5;
}

static void a_missing_permission_comes_with_the_command_that_gives_it(void **state)
{
    (void)state;
    int status = -1;
    make_pair();
    if (access("/dev/net/tun", R_OK | W_OK) == 0)
        ip("tuntap add mine mode tap user 0");
    const pid_t child = fork();
    if (child == 0)
        _exit(try_without_rights());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(frames_cross_a_pair, another_network),
        cmocka_unit_test_setup(many_frames_are_received_or_counted, another_network),
        cmocka_unit_test_setup(tags_of_vlans_are_put_back, another_network),
        cmocka_unit_test_setup(checksums_of_the_machine_are_finished, another_network),
        cmocka_unit_test_setup(data_of_tcp_is_cut_into_frames, another_network),
        cmocka_unit_test_setup(other_data_that_should_be_cut_is_counted, another_network),
        cmocka_unit_test_setup(frames_that_no_slot_has_room_for_arrive, another_network),
        cmocka_unit_test_setup(frames_that_are_too_long_are_counted, another_network),
        cmocka_unit_test_setup(an_interface_goes_down_and_comes_back, another_network),
        cmocka_unit_test_setup(the_other_end_goes_down_and_comes_back, another_network),
        cmocka_unit_test_setup(an_interface_is_deleted_and_made_again, another_network),
        cmocka_unit_test_setup(frames_cross_a_tap, another_network),
        cmocka_unit_test_setup(a_tap_is_deleted_and_made_again, another_network),
        cmocka_unit_test_setup(what_cannot_be_opened_is_told, another_network),
        cmocka_unit_test_setup(a_missing_permission_comes_with_the_command_that_gives_it,
                               another_network),
    };
    entered = namespace_enter();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
