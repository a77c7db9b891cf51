/* Frames of interfaces of the machine: work that the kernel leaves to a network card is done, and
 * frames that a port or an interface cannot carry are counted. */
#include <errno.h>
#include <linux/virtio_net.h>
#include <sys/uio.h>

#include "net/frame/frame.h"

#include "wire_world.h"

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
        pthread_mutex_lock(&p.lock);
        assert_int_equal(p.last_size, sizeof frame);
        assert_memory_equal(p.last, frame, sizeof frame);
        pthread_mutex_unlock(&p.lock);
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
        pthread_mutex_lock(&p.lock);
        assert_int_equal(p.last_size, 42 + size);
        assert_int_equal(sum_of_udp(p.last), 0xffff);
        pthread_mutex_unlock(&p.lock);
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
        pthread_mutex_lock(&p.lock);
        p.arrived = 0;
        p.all_size = 0;
        pthread_mutex_unlock(&p.lock);
        peer_sends_joined(other, frame, joined_frame(frame, data, v6), v6, mss);
        await_arrived(&p, want);
        pthread_mutex_lock(&p.lock);
        for (size_t i = 0, at = 0; i < want; i++) {
            const uint8_t *f = p.all + at;
            const size_t mine = i + 1 < want ? mss : data - i * mss;
            struct layers l;
            frame_layers_find(f, l4 + 20 + mine, &l);
            assert_int_equal(l.protocol, PROTOCOL_TCP);
            assert_int_equal(l.end, l4 + 20 + mine);
            assert_int_equal(frame_sum_l4(f, &l), 0xffff);
            if (!v6) {
                assert_int_equal(frame_sum_l3(f, &l), 0xffff);
                assert_int_equal(f[18] << 8 | f[19], (0xfffe + i) & 0xffff);
            }
            struct dpk_reader r = dpk_reader(f + l4 + 4, 4);
            assert_int_equal(dpk_read_be32(&r), (uint32_t)(0xffffff00 + i * mss));
            assert_int_equal(f[l4 + 13], 0x10 | (i == 0 ? 0x80 : 0) | (i + 1 == want ? 9 : 0));
            assert_memory_equal(f + l4 + 20, frame + l4 + 20 + i * mss, mine);
            at += l4 + 20 + mine;
        }
        pthread_mutex_unlock(&p.lock);
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
    /* A wire that is made for these tests. */
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
    assert_true(has_warned(&p, "ip link set v0 mtu 9216"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tags_of_vlans_are_put_back, another_network),
        cmocka_unit_test_setup(checksums_of_the_machine_are_finished, another_network),
        cmocka_unit_test_setup(data_of_tcp_is_cut_into_frames, another_network),
        cmocka_unit_test_setup(other_data_that_should_be_cut_is_counted, another_network),
        cmocka_unit_test_setup(frames_that_no_slot_has_room_for_arrive, another_network),
        cmocka_unit_test_setup(frames_that_are_too_long_are_counted, another_network),
    };
    entered = namespace_enter();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
