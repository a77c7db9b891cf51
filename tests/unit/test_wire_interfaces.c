/* Wires that are interfaces of the machine: TAPs and veth pairs, which come and go. */
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "wire_world.h"

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

/* ---- Threads that send at once ---- */

enum { SENDERS = 4, EACH = 3000, ROOM = 100 /* frames, of the peer's socket */ };

struct sender {
    pthread_t thread;
    struct dpk_wire *wire;
    unsigned number;
};

static atomic_uint given, got; /* frames: to the wire, by the peer */

static void *send_many(void *context)
{
    const struct sender *s = context;
    uint8_t frame[64] = "\2to-us\2peer.\x88\xb5";
    frame[20] = (uint8_t)s->number;
    for (uint32_t i = 0; i < EACH; i++) {
        memcpy(frame + 24, &i, sizeof i);
        assert_true(dpk_wire_send(s->wire, frame, sizeof frame));
        const bool full = ++given > got + ROOM;
        if (full || i % 7 == s->number)
            dpk_wire_flush(s->wire);
        while (full && given > got + ROOM / 2)
            usleep(100);
    }
    dpk_wire_flush(s->wire);
    return NULL;
}

static void frames_of_several_threads_leave_once_and_in_order(void **state)
{
    (void)state;
    static struct port p;
    static struct sender senders[SENDERS];
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    given = got = 0;
    for (unsigned i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.wire = wire, .number = i};
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_many, &senders[i]), 0);
    }
    uint32_t next[SENDERS] = {0}, number;
    for (; got < SENDERS * EACH; got++) {
        uint8_t frame[DPK_FRAME_MAX];
        assert_int_equal(recv(other, frame, sizeof frame, 0), 64);
        assert_true(frame[20] < SENDERS);
        memcpy(&number, frame + 24, sizeof number);
        assert_int_equal(number, next[frame[20]]++);
    }
    for (unsigned i = 0; i < SENDERS; i++)
        pthread_join(senders[i].thread, NULL);
    assert_int_equal(counters(wire).sent, SENDERS * EACH);
    assert_int_equal(sum_of_drops(counters(wire).sent_dropped), 0);
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
        peer_sends(other, 60, 0); /* after a loss, the next frame reports it */
        usleep(1000);
    }
    dpk_wire_flush(wire);
    struct dpk_wire_counters c = counters(wire);
    assert_true(c.received + c.received_dropped[DPK_WIRE_NO_ROOM] >= MANY);
    assert_true(c.received_dropped[DPK_WIRE_NO_ROOM] > 0);
    assert_true(c.received < MANY);
    unplug(wire, other);
}

static void *close_it(void *wire)
{
    dpk_wire_close(wire);
    return NULL;
}

/* The port is busy while frames come, and meanwhile the wire is asked to end. */
static void frames_that_had_arrived_are_offered_when_the_wire_ends(void **state)
{
    (void)state;
    static struct port p;
    enum { MANY = 500 };
    pthread_t thread;
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other);
    pthread_mutex_lock(&p.lock);
    for (unsigned i = 0; i < MANY; i++)
        peer_sends(other, 60, i);
    assert_int_equal(pthread_create(&thread, NULL, close_it, wire), 0);
    usleep(100000);
    pthread_mutex_unlock(&p.lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(arrived(&p), MANY);
    close(other);
}

static void await_warning(struct port *p, const char *what)
{
    for (unsigned i = 0; i < SECONDS * 1000 && !has_warned(p, what); i++)
        usleep(1000);
    assert_true(has_warned(p, what));
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

/* A large datagram that arrived earlier waits in the socket, after the error that reports it. */
static void large_frames_arrive_that_came_before_an_interface_went_down(void **state)
{
    (void)state;
    static struct port p;
    enum { LARGE = 5000, MANY = 5 };
    int other;
    struct dpk_wire *wire = plug_pair(&p, &other); /* its ring is for small frames */
    ip("link set v0 mtu 9000");
    ip("link set v1 mtu 9000");
    pthread_mutex_lock(&p.lock); /* the port takes none for a while */
    peer_sends(other, 60, 0);
    for (unsigned i = 0; i < MANY; i++)
        peer_sends(other, LARGE + i, i);
    ip("link set v0 down");
    ip("link set v0 up");
    pthread_mutex_unlock(&p.lock);
    await_arrived(&p, 1 + MANY);
    assert_memory_equal(p.last, frame_of(LARGE + MANY - 1, MANY - 1), LARGE + MANY - 1);
    await_carrier(&p, other);
    for (unsigned i = 0; i < MANY; i++) {
        peer_sends(other, LARGE + 10 * i, i);
        await_arrived(&p, 2 + MANY + i);
        assert_memory_equal(p.last, frame_of(LARGE + 10 * i, i), LARGE + 10 * i);
    }
    assert_int_equal(counters(wire).received_dropped[DPK_WIRE_NO_ROOM], 0);
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
        cmocka_unit_test_setup(frames_of_several_threads_leave_once_and_in_order, another_network),
        cmocka_unit_test_setup(many_frames_are_received_or_counted, another_network),
        cmocka_unit_test_setup(frames_that_had_arrived_are_offered_when_the_wire_ends,
                               another_network),
        cmocka_unit_test_setup(an_interface_goes_down_and_comes_back, another_network),
        cmocka_unit_test_setup(large_frames_arrive_that_came_before_an_interface_went_down,
                               another_network),
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
