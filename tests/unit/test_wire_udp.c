/* A wire of UDP: addresses, datagrams that are not frames, datagrams of strangers, a missing peer. */
#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "namespace.h"
#include "skip.h"
#include "wire_open.h"

enum { SIZE = 60 };

static atomic_uint arrived, tells;
static uint8_t bytes[20000];

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    (void)context, (void)waits;
    for (size_t i = 0; i < count; i++)
        assert_true(frames[i].size >= DPK_FRAME_MIN && frames[i].size <= DPK_FRAME_MAX);
    atomic_fetch_add(&arrived, (unsigned)count);
    return count;
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context, (void)detail, (void)text;
    atomic_fetch_add(&tells, 1);
}

static struct dpk_wire *open_wire(const char *spec)
{
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell};
    atomic_store(&arrived, 0);
    atomic_store(&tells, 0);
    struct dpk_wire *wire = wire_open(spec, &sink);
    assert_int_equal(dpk_wire_start(wire, NULL), DPK_OK);
    return wire;
}

/* A socket of 127.0.0.1 that sends to a port there. */
static int socket_to(uint16_t port, struct sockaddr_in *self)
{
    socklen_t size = sizeof *self;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)self, &size), 0);
    at.sin_port = htons(port);
    if (port)
        assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static uint16_t free_port(void)
{
    struct sockaddr_in self;
    close(socket_to(0, &self));
    return ntohs(self.sin_port);
}

static void await(const atomic_uint *what, unsigned count)
{
    for (unsigned i = 0; i < 20000 && atomic_load(what) < count; i++)
        usleep(1000);
    assert_int_equal(atomic_load(what), count);
}

static void addresses_are_numbers(void **state)
{
    (void)state;
    static const char *const right[] = {"udp:127.0.0.1:4701,10.0.0.1:4701", "udp::4701,10.0.0.1:1",
                                        "udp:[::1]:65535,[::1]:1", "udp::1,[fe80::1]:2",
                                        "udp:0.0.0.0:9,1.2.3.4:9"};
    static const char *const wrong[] = {"udp",
                                        "udp:",
                                        "udp:127.0.0.1:1",
                                        "udp:127.0.0.1:1,",
                                        "udp:127.0.0.1:1,:2",
                                        "udp:127.0.0.1:1,localhost:2",
                                        "udp:127.0.0.1:0,1.2.3.4:5",
                                        "udp:127.0.0.1:65536,1.2.3.4:5",
                                        "udp:127.0.0.1:1,1.2.3.4:99999999999999999999",
                                        "udp:127.0.0.1:1,1.2.3.4:5x",
                                        "udp:127.0.0.1:1,::1:5",
                                        "udp:127.0.0.1:1,[::1]:5",
                                        "udp:127.0.0.1:1,1.2.3.4:5,6",
                                        "udp:127.0.0.1:-1,1.2.3.4:5",
                                        "udp:[]:1,[::1]:2"};
    char out[DPK_WIRE_SPEC_MAX], longest[600] = "udp:";
    struct dpk_error err;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(dpk_wire_check(right[i], out, &err), DPK_OK);
        assert_string_equal(out, right[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (dpk_wire_check(wrong[i], out, &err) != DPK_ERR_USAGE)
            fail_msg("%s", wrong[i]);
    memset(longest + 4, '1', 500);
    assert_int_equal(dpk_wire_check(longest, out, &err), DPK_ERR_USAGE);
    strcat(longest, ",1.2.3.4:1");
    assert_int_equal(dpk_wire_check(longest, out, &err), DPK_ERR_USAGE);
}

static void only_frames_of_the_peer_arrive(void **state)
{
    (void)state;
    char spec[80];
    struct sockaddr_in peer, stranger;
    const uint16_t port = free_port();
    int from_peer = socket_to(port, &peer), from_stranger = socket_to(port, &stranger);
    snprintf(spec, sizeof spec, "udp:127.0.0.1:%u,127.0.0.1:%u", port, ntohs(peer.sin_port));
    struct dpk_wire *wire = open_wire(spec);
    static const size_t sizes[] = {0, 1, 13, 14, 9234, 9235, 20000};
    for (unsigned i = 0; i < 3; i++)
        (void)!send(from_stranger, bytes, SIZE, 0); /* refused from the second on, perhaps */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(send(from_peer, bytes, sizes[i], 0), sizes[i]);
    assert_int_equal(send(from_peer, bytes, SIZE, 0), SIZE);
    await(&arrived, 3);
    assert_int_equal(counters(wire).received_dropped[DPK_WIRE_TOO_SHORT], 3);
    assert_int_equal(counters(wire).received_dropped[DPK_WIRE_TOO_LONG], 2);
    /* What is sent goes to the peer, and nobody gets an answer. */
    dpk_wire_send(wire, bytes, SIZE);
    dpk_wire_flush(wire);
    assert_int_equal(recv(from_peer, bytes, sizeof bytes, 0), SIZE);
    assert_int_equal(recv(from_peer, bytes, sizeof bytes, MSG_DONTWAIT), -1);
    assert_int_equal(recv(from_stranger, bytes, sizeof bytes, MSG_DONTWAIT), -1);
    assert_int_equal(counters(wire).sent, 1);
    dpk_wire_close(wire);
    close(from_peer);
    close(from_stranger);
}

/* Frames that leave with one flush; the kernel may get several of them at once. */
static void each_is_a_datagram(void)
{
    static const size_t runs[][2] = {{40, 60},  {1, 59},   {1, 60},   {3, 14}, {5, 2000},
                                     {1, 9234}, {1, 9233}, {2, 9234}, {3, 60}};
    char spec[80];
    struct sockaddr_in peer;
    const uint16_t port = free_port();
    int fd = socket_to(port, &peer);
    snprintf(spec, sizeof spec, "udp:127.0.0.1:%u,127.0.0.1:%u", port, ntohs(peer.sin_port));
    struct dpk_wire *wire = open_wire(spec);
    uint8_t number = 0, expected = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (size_t n = 0; n < runs[i][0]; n++) {
            memset(bytes, number++, runs[i][1]);
            dpk_wire_send(wire, bytes, runs[i][1]);
        }
    dpk_wire_flush(wire);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (size_t n = 0; n < runs[i][0]; n++, expected++) {
            assert_int_equal(recv(fd, bytes, sizeof bytes, 0), runs[i][1]);
            assert_int_equal(bytes[0], expected);
            assert_int_equal(bytes[runs[i][1] - 1], expected);
        }
    assert_int_equal(counters(wire).sent, number);
    assert_int_equal(recv(fd, bytes, sizeof bytes, MSG_DONTWAIT), -1);
    dpk_wire_close(wire);
    close(fd);
}

static void frames_that_leave_together_are_datagrams_of_their_own(void **state)
{
    (void)state;
    each_is_a_datagram();
}

/* Of those, the larger ones go in fragments, which the kernel does not cut. */
static void frames_larger_than_packets_leave_together_with_others(void **state)
{
    (void)state;
    if (!namespace_enter() || !namespace_ip("link set lo mtu 1500"))
        skip_because("no user and network namespaces for this user, or no ip(8)");
    each_is_a_datagram();
}

static void a_peer_that_is_not_there_is_told_once(void **state)
{
    (void)state;
    char spec[80];
    struct sockaddr_in peer;
    const uint16_t port = free_port();
    int fd = socket_to(port, &peer);
    close(fd);
    snprintf(spec, sizeof spec, "udp:127.0.0.1:%u,127.0.0.1:%u", port, ntohs(peer.sin_port));
    struct dpk_wire *wire = open_wire(spec);
    for (unsigned i = 0; i < 20; i++) {
        dpk_wire_send(wire, bytes, SIZE);
        dpk_wire_flush(wire);
    }
    const struct dpk_wire_counters c = counters(wire);
    assert_int_equal(c.sent + c.sent_dropped[DPK_WIRE_NO_PEER], 20);
    assert_in_range(atomic_load(&tells), 0, 1);
    /* It comes. */
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&peer, sizeof peer), 0);
    for (unsigned i = 0; i < 2; i++) { /* the first one may hear of what was refused before */
        dpk_wire_send(wire, bytes, SIZE);
        dpk_wire_flush(wire);
    }
    assert_int_equal(recv(fd, bytes, sizeof bytes, 0), SIZE);
    dpk_wire_close(wire);
    close(fd);
}

static void large_frames_go_over_ipv6(void **state)
{
    (void)state;
    char here[80], there[80];
    struct dpk_error err;
    const unsigned a = free_port(), b = free_port();
    snprintf(here, sizeof here, "udp:[::1]:%u,[::1]:%u", a, b);
    snprintf(there, sizeof there, "udp::%u,[::1]:%u", b, a);
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell};
    struct dpk_wire *first = open_wire(here), *second = NULL;
    assert_int_equal(dpk_wire_open(there, &sink, &second, &err), DPK_OK);
    assert_int_equal(dpk_wire_start(second, &err), DPK_OK);
    for (unsigned i = 0; i < 100; i++)
        dpk_wire_send(first, bytes, DPK_FRAME_MAX);
    dpk_wire_flush(first);
    for (unsigned i = 0;
         i < 20000 &&
         counters(second).received + counters(second).received_dropped[DPK_WIRE_NO_ROOM] < 100;
         i++)
        usleep(1000);
    assert_true(atomic_load(&arrived) > 0);
    assert_int_equal(counters(first).sent, 100);
    dpk_wire_close(second);
    dpk_wire_close(first);
}

static void a_port_that_is_taken_is_refused(void **state)
{
    (void)state;
    char spec[80];
    struct sockaddr_in self;
    struct dpk_wire *wire;
    struct dpk_error err;
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell};
    int fd = socket_to(0, &self);
    snprintf(spec, sizeof spec, "udp:127.0.0.1:%u,127.0.0.1:9", ntohs(self.sin_port));
    assert_int_equal(dpk_wire_open(spec, &sink, &wire, &err), DPK_ERR_IO);
    assert_non_null(strstr(err.message, spec));
    assert_int_equal(dpk_wire_try(spec, &err), DPK_ERR_IO);
    close(fd);
    assert_int_equal(dpk_wire_try(spec, &err), DPK_OK);
    assert_int_equal(dpk_wire_try("udp:192.0.2.1:4789,192.0.2.2:4789", &err), DPK_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_numbers),
        cmocka_unit_test(only_frames_of_the_peer_arrive),
        cmocka_unit_test(a_peer_that_is_not_there_is_told_once),
        cmocka_unit_test(large_frames_go_over_ipv6),
        cmocka_unit_test(a_port_that_is_taken_is_refused),
        cmocka_unit_test(frames_that_leave_together_are_datagrams_of_their_own),
        cmocka_unit_test(frames_larger_than_packets_leave_together_with_others), /* stays there */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
