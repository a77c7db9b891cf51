/* A switch: it learns, floods, forgets, and loses no frame without a count. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/switch/switch.h"
#include "net/wire/wire.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EACH = 30000 };
#else
enum { EACH = 300000 };
#endif
enum { ENDS = 4, SIZE = 60 };

static char folder[] = "/tmp/dpk-switch-XXXXXX";
static char devices[ENDS][sizeof folder + 4], switch_folder[sizeof folder + 16];

/* A device, whose address ends in its number. */
struct end {
    struct dpk_wire *wire;
    struct dpk_counters *counters;
    atomic_uint arrived;
    atomic_uint last; /* the first byte of data of the last frame */
};
static struct end ends[ENDS];
static struct dpk_switch *sw;
static struct dpk_counters *counters;
static pthread_t thread;
static int stop;
static atomic_uint ports; /* that came, less those that went */

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct end *e = context;
    (void)waits;
    atomic_store(&e->last, frames[count - 1].bytes[14]);
    atomic_fetch_add(&e->arrived, (unsigned)count);
    return count;
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context, (void)detail, (void)text;
}

static void port_changes(void *context, const char *text)
{
    (void)context;
    atomic_fetch_add(&ports, strstr(text, "is plugged in") ? 1u : ~0u);
}

static void *run(void *context)
{
    (void)context;
    return dpk_switch_run(sw, stop, NULL) == DPK_OK ? NULL : sw;
}

static int make_folders(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    snprintf(switch_folder, sizeof switch_folder, "%s/" DPK_SWITCH_PREFIX "s", folder);
    for (unsigned i = 0; i < ENDS; i++) {
        snprintf(devices[i], sizeof devices[i], "%s/d%u", folder, i);
        if (mkdir(devices[i], 0700) != 0)
            return -1;
    }
    return mkdir(switch_folder, 0700);
}

static int remove_folders(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ENDS; i++)
        rmdir(devices[i]);
    unlink(DPK_SWITCH_PREFIX "s/port.lock");
    rmdir(switch_folder);
    return rmdir(folder);
}

static void switch_begin(unsigned ageing)
{
    const struct dpk_switch_options o = {
        .folder = switch_folder, .ageing_s = ageing, .counters = counters, .tell = port_changes};
    assert_true((stop = eventfd(0, EFD_CLOEXEC)) >= 0);
    assert_int_equal(dpk_switch_open(&o, &sw, NULL), DPK_OK);
    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
}

static void switch_end(void)
{
    void *failed = NULL;
    eventfd_write(stop, 1);
    pthread_join(thread, &failed);
    assert_null(failed);
    dpk_switch_close(sw);
    close(stop);
}

static void end_begin(unsigned i)
{
    struct end *e = &ends[i];
    *e = (struct end){0};
    assert_int_equal(dpk_counters_open(NULL, &e->counters, NULL), DPK_OK);
    const struct dpk_wire_sink sink = {.arrive = arrive,
                                       .tell = tell,
                                       .context = e,
                                       .counters = e->counters,
                                       .directory = devices[i]};
    assert_int_equal(dpk_wire_open("switch:s", &sink, &e->wire, NULL), DPK_OK);
    assert_int_equal(dpk_wire_start(e->wire, NULL), DPK_OK);
}

static void end_end(unsigned i)
{
    dpk_wire_close(ends[i].wire);
    dpk_counters_close(ends[i].counters);
}

static void await_ports(unsigned count)
{
    for (unsigned i = 0; i < 20000 && atomic_load(&ports) != count; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&ports), count);
}

static int begin(void **state)
{
    (void)state;
    atomic_store(&ports, 0);
    assert_int_equal(dpk_counters_open(NULL, &counters, NULL), DPK_OK);
    switch_begin(1);
    for (unsigned i = 0; i < ENDS; i++)
        end_begin(i);
    await_ports(ENDS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ENDS; i++)
        end_end(i);
    switch_end();
    dpk_counters_close(counters);
    return 0;
}

static void put_frame(uint8_t frame[SIZE], unsigned from, unsigned to, uint8_t mark)
{
    memset(frame, 0, SIZE);
    frame[0] = frame[6] = 2;
    frame[5] = (uint8_t)to;
    frame[11] = (uint8_t)from;
    frame[14] = mark;
}

static void send_bytes(unsigned from, const uint8_t *frame)
{
    dpk_wire_send(ends[from].wire, frame, SIZE);
    dpk_wire_flush(ends[from].wire);
}

static void send_frame(unsigned from, unsigned to, uint8_t mark)
{
    uint8_t frame[SIZE];
    put_frame(frame, from, to, mark);
    send_bytes(from, frame);
}

static struct dpk_counters_seen seen;

static uint64_t counted(struct dpk_counters *c, enum dpk_counter counter)
{
    dpk_counters_read(c, false, &seen);
    return seen.port[counter];
}

/* Waits until the switch has taken so many frames, and those who get them have. */
static void await_frames(uint64_t count)
{
    for (unsigned i = 0; i < 20000 && counted(counters, DPK_WIRE_IN) < count; i++)
        usleep(1000);
    assert_int_equal(counted(counters, DPK_WIRE_IN), count);
    for (unsigned i = 0; i < 20000; i++, usleep(1000)) {
        uint64_t arrived = 0;
        for (unsigned k = 0; k < ENDS; k++)
            arrived += atomic_load(&ends[k].arrived);
        if (arrived >= counted(counters, DPK_WIRE_OUT))
            return;
    }
    fail();
}

static void check_arrived(unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned want[ENDS] = {a, b, c, d};
    for (unsigned i = 0; i < ENDS; i++)
        assert_int_equal(atomic_load(&ends[i].arrived), want[i]);
}

static void unknown_and_group_addresses_are_flooded(void **state)
{
    (void)state;
    uint8_t frame[SIZE];
    send_frame(0, 1, 7); /* nobody has heard of 1 */
    await_frames(1);
    check_arrived(0, 1, 1, 1);
    put_frame(frame, 1, 0, 0);
    memset(frame, 0xff, 6);
    send_bytes(1, frame);
    await_frames(2);
    check_arrived(1, 1, 2, 2);
    frame[0] = 0x33, frame[1] = 0x33; /* multicast of IPv6 */
    send_bytes(1, frame);
    await_frames(3);
    check_arrived(2, 1, 3, 3);
    assert_int_equal(counted(counters, DPK_COPIED), 6);
}

static void addresses_are_learned(void **state)
{
    (void)state;
    send_frame(1, 0, 0); /* flooded */
    await_frames(1);
    send_frame(0, 1, 9);
    send_frame(0, 1, 10);
    await_frames(3);
    check_arrived(1, 2, 1, 1);
    assert_int_equal(atomic_load(&ends[1].last), 10);
    send_frame(2, 1, 0);
    await_frames(4);
    check_arrived(1, 3, 1, 1);
    /* Device 1 moves to another port: who sends from its address has it. */
    send_frame(3, 9, 0);
    uint8_t frame[SIZE];
    put_frame(frame, 1, 0, 0);
    send_bytes(3, frame);
    await_frames(6);
    const unsigned before = atomic_load(&ends[3].arrived);
    send_frame(0, 1, 11);
    await_frames(7);
    assert_int_equal(atomic_load(&ends[3].arrived), before + 1);
}

static void some_frames_go_nowhere(void **state)
{
    (void)state;
    uint8_t frame[SIZE];
    put_frame(frame, 0, 0, 0);
    send_bytes(0, frame); /* to where it comes from, which is learned from it */
    memcpy(frame, (const uint8_t[]){0x01, 0x80, 0xc2, 0, 0, 0x0e}, 6); /* LLDP */
    send_bytes(0, frame);
    await_frames(2);
    check_arrived(0, 0, 0, 0);
    assert_int_equal(counted(counters, DPK_DROP_NO_RULE), 2);
    frame[5] = 0x10; /* the next one is for all */
    send_bytes(0, frame);
    await_frames(3);
    check_arrived(0, 1, 1, 1);
}

static void addresses_are_forgotten(void **state)
{
    (void)state;
    send_frame(1, 0, 0);
    await_frames(1);
    send_frame(0, 1, 0);
    await_frames(2);
    check_arrived(1, 1, 1, 1);
    sleep(3); /* a second and more of the clock of seconds */
    send_frame(0, 1, 0);
    await_frames(3);
    check_arrived(1, 2, 2, 2);
    /* Those of a port that is unplugged are forgotten at once. */
    send_frame(1, 0, 0);
    await_frames(4);
    end_end(1);
    await_ports(ENDS - 1);
    end_begin(1);
    await_ports(ENDS);
    send_frame(0, 1, 12);
    for (unsigned i = 0; i < 20000 && atomic_load(&ends[2].last) != 12; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&ends[2].last), 12);
}

static void *send_many(void *context)
{
    const unsigned from = (unsigned)((struct end *)context - ends);
    uint8_t frame[SIZE];
    for (unsigned i = 0; i < EACH; i++) {
        put_frame(frame, from, i % 7 ? (from + 1) % ENDS : 99, 0);
        dpk_wire_send(ends[from].wire, frame, SIZE);
        if (i % 16 == 0)
            dpk_wire_flush(ends[from].wire);
    }
    dpk_wire_flush(ends[from].wire);
    return NULL;
}

static uint64_t drops(void)
{
    uint64_t sum = 0;
    for (unsigned i = DPK_FIRST_DROP; i < DPK_DROPS_END; i++)
        sum += seen.port[i];
    return sum;
}

/* All send at once; the ends are unplugged with frames in their cables. */
static void no_frame_is_lost_without_a_count(void **state)
{
    (void)state;
    pthread_t threads[ENDS];
    uint64_t out = 0, in = 0;
    for (unsigned i = 0; i < ENDS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, send_many, &ends[i]), 0);
    for (unsigned i = 0; i < ENDS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < ENDS; i++) {
        dpk_wire_close(ends[i].wire);
        ends[i].wire = NULL;
    }
    switch_end();
    for (unsigned i = 0; i < ENDS; i++) {
        out += counted(ends[i].counters, DPK_WIRE_OUT);
        in += seen.port[DPK_WIRE_IN];
        assert_int_equal(seen.port[DPK_WIRE_OUT] + seen.port[DPK_DROP_WIRE_FULL] +
                             seen.port[DPK_DROP_NO_PEER],
                         EACH);
    }
    assert_int_equal(counted(counters, DPK_WIRE_IN), out);
    assert_int_equal(seen.port[DPK_WIRE_OUT], in);
    assert_int_equal(seen.port[DPK_WIRE_IN] + seen.port[DPK_COPIED],
                     seen.port[DPK_WIRE_OUT] + drops());
    switch_begin(1);
    for (unsigned i = 0; i < ENDS; i++) {
        dpk_counters_close(ends[i].counters);
        end_begin(i);
    }
}

static void ports_wait_for_a_switch_that_starts_again(void **state)
{
    (void)state;
    switch_end();
    send_frame(0, 1, 0);
    for (unsigned i = 0; i < 20000 && counted(ends[0].counters, DPK_DROP_NO_PEER) == 0; i++) {
        usleep(1000);
        send_frame(0, 1, 0);
    }
    assert_true(counted(ends[0].counters, DPK_DROP_NO_PEER) > 0);
    dpk_counters_read(counters, true, &seen);
    atomic_store(&ports, 0);
    switch_begin(1);
    await_ports(ENDS);
    send_frame(0, 1, 5);
    for (unsigned i = 0; i < 20000 && atomic_load(&ends[1].last) != 5; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&ends[1].last), 5);
}

static void one_switch_runs_in_a_folder(void **state)
{
    (void)state;
    struct dpk_switch *second;
    const struct dpk_switch_options o = {.folder = switch_folder, .counters = counters};
    assert_int_equal(dpk_switch_open(&o, &second, NULL), DPK_ERR_EXISTS);
    assert_null(second);
}

/* The switch continues when programs are killed while they send. */
static void ports_that_are_killed_leave_nothing(void **state)
{
    (void)state;
    srand(3);
    for (unsigned i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            struct dpk_wire *wire;
            uint8_t frame[SIZE];
            const struct dpk_wire_sink sink = {
                .arrive = arrive, .tell = tell, .context = &ends[0], .directory = devices[0]};
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (dpk_wire_open("switch:s", &sink, &wire, NULL) != DPK_OK)
                _exit(1);
            put_frame(frame, 40, 41, 0);
            for (;;) {
                dpk_wire_send(wire, frame, SIZE);
                dpk_wire_flush(wire);
            }
        }
        await_ports(ENDS + 1);
        usleep((useconds_t)(rand() % 2000));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        await_ports(ENDS);
    }
    send_frame(1, 2, 77);
    for (unsigned i = 0; i < 20000 && atomic_load(&ends[2].last) != 77; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&ends[2].last), 77);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Calls the switch without a greeting. */
static int call_silently(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s/port.socket", switch_folder);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static bool has_hung_up(int fd, int ms)
{
    struct pollfd p = {.fd = fd};
    return poll(&p, 1, ms) == 1 && p.revents & POLLHUP;
}

static void of_silent_callers_the_oldest_goes_first(void **state)
{
    enum { KEPT = 16, CALLERS = KEPT + 5 };
    int callers[CALLERS];
    (void)state;
    for (unsigned i = 0; i < CALLERS; i++) {
        callers[i] = call_silently();
        if (i >= KEPT)
            assert_true(has_hung_up(callers[i - KEPT], 20000));
    }
    for (unsigned i = CALLERS - KEPT; i < CALLERS; i++)
        assert_false(has_hung_up(callers[i], 0));
    for (unsigned i = 0; i < CALLERS; i++)
        close(callers[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(unknown_and_group_addresses_are_flooded),
        TEST(addresses_are_learned),
        TEST(some_frames_go_nowhere),
        TEST(addresses_are_forgotten),
        TEST(no_frame_is_lost_without_a_count),
        TEST(ports_wait_for_a_switch_that_starts_again),
        TEST(one_switch_runs_in_a_folder),
        TEST(ports_that_are_killed_leave_nothing),
        TEST(of_silent_callers_the_oldest_goes_first),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
