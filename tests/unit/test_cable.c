/* Cables between devices: peers that are killed, come late, or write arbitrary bytes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/ring/ring.h"
#include "net/wire/wire.h"
#include "ring_maps.h"

enum { SIZE = 60, CABLE_RING = 1 << 21 };

/* Stands before the function of libc, in the libraries as well. */
static atomic_bool watches_fail;

int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
    if (what == EPOLL_CTL_ADD && atomic_load(&watches_fail)) {
        errno = ENOSPC; /* the limit of max_user_watches */
        return -1;
    }
    return (int)syscall(SYS_epoll_ctl, epoll, what, fd, event);
}

/* One device: its wire, and what has come to it. */
struct end {
    struct dpk_wire *wire;
    atomic_uint arrived, wrong, tells;
    char directory[64], told[300];
};

static char folder[] = "/tmp/dpk-cable-XXXXXX";
static const uint8_t frame[DPK_FRAME_MAX] = {[0] = 0x5a, [SIZE - 1] = 0xa5};

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct end *e = context;
    (void)waits;
    for (size_t i = 0; i < count; i++)
        if (frames[i].size != SIZE || memcmp(frames[i].bytes, frame, SIZE) != 0)
            atomic_fetch_add(&e->wrong, 1);
    atomic_fetch_add(&e->arrived, (unsigned)count);
    return count;
}

static void tell(void *context, bool detail, const char *text)
{
    struct end *e = context;
    if (detail)
        return;
    snprintf(e->told, sizeof e->told, "%s", text);
    atomic_fetch_add(&e->tells, 1);
}

static bool end_begin(struct end *e, const char *name, const char *spec)
{
    *e = (struct end){0};
    snprintf(e->directory, sizeof e->directory, "%s/%s", folder, name);
    const struct dpk_wire_sink sink = {
        .arrive = arrive, .tell = tell, .context = e, .directory = e->directory};
    return dpk_wire_open(spec, &sink, &e->wire, NULL) == DPK_OK &&
           dpk_wire_start(e->wire, NULL) == DPK_OK;
}

static void end_end(struct end *e)
{
    dpk_wire_close(e->wire);
    e->wire = NULL;
}

static void send_one(struct end *e)
{
    dpk_wire_send(e->wire, frame, SIZE);
    dpk_wire_flush(e->wire);
}

static struct dpk_wire_counters counters(const struct end *e)
{
    struct dpk_wire_counters c;
    dpk_wire_counters(e->wire, &c);
    return c;
}

/* Sends until something comes that was not there before. */
static void talk_until_heard(struct end *e, unsigned before)
{
    for (unsigned i = 0; i < 20000 && atomic_load(&e->arrived) == before; i++) {
        send_one(e);
        usleep(1000);
    }
    assert_int_not_equal(atomic_load(&e->arrived), before);
}

static void await_drops(const struct end *e, enum dpk_wire_drop why, uint64_t count)
{
    for (unsigned i = 0; i < 20000 && counters(e).received_dropped[why] < count; i++)
        usleep(1000);
    assert_int_equal(counters(e).received_dropped[why], count);
}

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder) != 0 || mkdir("a", 0700) != 0 ||
           mkdir("b", 0700) != 0 || mkdir("c", 0700) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    for (const char *name = "abc"; *name; name++) {
        char path[32];
        snprintf(path, sizeof path, "%c/port.lock", *name);
        unlink(path);
        snprintf(path, sizeof path, "%c/port.socket", *name);
        unlink(path);
        snprintf(path, sizeof path, "%c", *name);
        if (rmdir(path) != 0)
            return -1;
    }
    return rmdir(folder);
}

/* ---- Processes that are killed ---- */

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    DIR *d = opendir(path);
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count;
}

/* Sends without end. */
static void be_peer(const char *name, const char *spec)
{
    static struct end e;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!end_begin(&e, name, spec))
        _exit(1);
    for (;;) {
        for (unsigned i = 0; i < 50; i++)
            dpk_wire_send(e.wire, frame, SIZE);
        dpk_wire_flush(e.wire);
        usleep(50);
    }
}

/* Starts a peer on each request, writes the pid, and waits for the peer's end. This process has no
 * threads, but the test has threads by then. */
static int start_starter(const char *name, const char *spec)
{
    int ends[2];
    pid_t pid;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    if ((pid = fork()) == 0) {
        char byte;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        while (recv(ends[1], &byte, 1, 0) == 1) {
            if ((pid = fork()) == 0)
                be_peer(name, spec);
            send(ends[1], &pid, sizeof pid, 0);
            waitpid(pid, NULL, 0);
            send(ends[1], &byte, 1, 0);
        }
        _exit(0);
    }
    assert_true(pid > 0);
    close(ends[1]);
    return ends[0];
}

static void kill_peers(const char *name, const char *spec, const char *peer, const char *peer_spec)
{
    static struct end e;
    char byte = 0;
    pid_t pid = 0;
    const unsigned in_shm = count_entries("/dev/shm");
    const int starter = start_starter(peer, peer_spec);
    assert_true(end_begin(&e, name, spec));
    const unsigned files = count_entries("/proc/self/fd");
    srand(7);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(send(starter, &byte, 1, 0), 1);
        assert_int_equal(recv(starter, &pid, sizeof pid, 0), sizeof pid);
        talk_until_heard(&e, atomic_load(&e.arrived));
        usleep((useconds_t)(rand() % 3000));
        kill(pid, SIGKILL);
        assert_int_equal(recv(starter, &byte, 1, 0), 1);
        for (unsigned k = 0; k < 20000 && count_ring_maps() > 0; k++)
            usleep(1000);
        assert_int_equal(count_ring_maps(), 0);
        assert_int_equal(count_entries("/proc/self/fd"), files);
    }
    assert_int_equal(atomic_load(&e.wrong), 0);
    assert_int_equal(count_entries("/dev/shm"), in_shm);
    close(starter);
    wait(NULL);
    end_end(&e);
}

static void a_peer_that_calls_is_killed_again_and_again(void **state)
{
    (void)state;
    kill_peers("a", "dev:b", "b", "dev:a");
}

static void a_peer_that_answers_is_killed_again_and_again(void **state)
{
    (void)state;
    kill_peers("b", "dev:a", "a", "dev:b");
}

/* ---- Peers that come and go ---- */

static void without_a_peer_frames_are_dropped_and_counted(void **state)
{
    (void)state;
    static struct end e, late;
    assert_true(end_begin(&e, "a", "dev:b"));
    for (unsigned i = 0; i < 10; i++)
        send_one(&e);
    assert_int_equal(counters(&e).sent_dropped[DPK_WIRE_NO_PEER], 10);
    assert_int_equal(atomic_load(&e.tells), 1);
    assert_true(end_begin(&late, "b", "dev:a"));
    send_one(&late);
    talk_until_heard(&e, 0);
    end_end(&late);
    end_end(&e);
}

/* Whoever comes second finds the first at once: no frame of it is lost. */
static void the_first_frame_of_who_comes_second_arrives(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"a", "b"}, {"b", "a"}};
    static struct end first, second;
    char spec[16];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(spec, sizeof spec, "dev:%s", names[i][1]);
        assert_true(end_begin(&first, names[i][0], spec));
        snprintf(spec, sizeof spec, "dev:%s", names[i][0]);
        assert_true(end_begin(&second, names[i][1], spec));
        send_one(&second);
        for (unsigned k = 0; k < 20000 && atomic_load(&first.arrived) == 0; k++)
            usleep(1000);
        assert_int_equal(atomic_load(&first.arrived), 1);
        end_end(&second);
        end_end(&first);
    }
}

static void a_second_program_waits_for_the_place_of_the_first(void **state)
{
    (void)state;
    static struct end first, second, peer;
    assert_true(end_begin(&first, "a", "dev:b"));
    assert_true(end_begin(&second, "a", "dev:b"));
    assert_int_equal(atomic_load(&second.tells), 1);
    assert_true(end_begin(&peer, "b", "dev:a"));
    send_one(&second);
    assert_int_equal(counters(&second).sent_dropped[DPK_WIRE_NO_PEER], 1);
    end_end(&first);
    for (unsigned i = 0; i < 20000 && atomic_load(&peer.arrived) == 0; i++, usleep(1000))
        send_one(&second);
    assert_int_not_equal(atomic_load(&peer.arrived), 0);
    end_end(&second);
    end_end(&peer);
}

static void a_socket_that_cannot_be_watched_is_told_and_tried_again(void **state)
{
    (void)state;
    static struct end e, peer;
    atomic_store(&watches_fail, true);
    assert_true(end_begin(&e, "a", "dev:b"));
    assert_int_equal(atomic_load(&e.tells), 1);
    assert_non_null(strstr(e.told, "No space left on device; frames are dropped"));
    atomic_store(&watches_fail, false);
    assert_true(end_begin(&peer, "b", "dev:a"));
    for (unsigned i = 0; i < 20000 && atomic_load(&peer.arrived) == 0; i++, usleep(1000))
        send_one(&e);
    assert_int_not_equal(atomic_load(&peer.arrived), 0);
    end_end(&e);
    end_end(&peer);
}

static void a_device_that_is_plugged_elsewhere_is_no_peer(void **state)
{
    (void)state;
    static struct end e, other;
    assert_true(end_begin(&e, "a", "dev:b"));
    assert_true(end_begin(&other, "c", "dev:a"));
    for (unsigned i = 0; i < 20000 && atomic_load(&e.tells) == 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&e.tells), 1);
    send_one(&e);
    assert_int_equal(counters(&e).sent_dropped[DPK_WIRE_NO_PEER], 1);
    end_end(&other);
    end_end(&e);
}

static void cables_are_refused_that_lead_nowhere(void **state)
{
    (void)state;
    static const char *const wrong[] = {"dev",    "dev:",    "dev:a/b", "dev:..",
                                        "dev:.a", "dev:x y", "dev:\n"};
    char out[DPK_WIRE_SPEC_MAX];
    static struct end e;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(dpk_wire_check(wrong[i], out, NULL), DPK_ERR_USAGE);
    assert_int_equal(dpk_wire_check("dev:mlx5_1", out, NULL), DPK_OK);
    assert_string_equal(out, "dev:mlx5_1");
    assert_false(end_begin(&e, "a", "dev:a"));
    assert_false(end_begin(&e, "gone/", "dev:a"));
}

/* ---- A peer that writes what it wants ---- */

static int call_outlet(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/port.socket", name);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

struct villain {
    int fd;
    struct rings rings;
};

/* A peer that is connected as device b. */
static struct villain villain_new(void)
{
    struct villain v = {.fd = call_outlet("a")};
    int memory = rings_new(&v.rings, CABLE_RING);
    assert_true(memory >= 0 && rings_pass(v.fd, memory, "DPKCABL1b", 9));
    close(memory);
    return v;
}

static void villain_end(struct villain *v)
{
    close(v->fd);
    rings_free(&v->rings);
}

static void say(struct villain *v, uint32_t size, uint32_t published)
{
    memcpy(ring_here(&v->rings.out), &size, sizeof size);
    if (size <= DPK_FRAME_MAX)
        memcpy(ring_here(&v->rings.out) + 4, frame, size);
    ring_wrote(&v->rings.out, published);
    assert_int_equal(send(v->fd, "", 1, MSG_NOSIGNAL), 1);
}

static bool is_cut_off(const struct villain *v)
{
    uint8_t byte;
    ssize_t n;
    while ((n = recv(v->fd, &byte, 1, 0)) == 1)
        continue;
    return n == 0 || errno == ECONNRESET;
}

static void what_is_no_frame_is_dropped_or_cuts_the_cable(void **state)
{
    (void)state;
    static const struct {
        uint32_t size, published;
    } cuts[] = {{UINT32_MAX, 64},    {UINT32_MAX - 3, 64},   {61, 64},
                {SIZE, 4},           {SIZE, CABLE_RING + 1}, {SIZE, UINT32_MAX},
                {1u << 31, 1u << 31}};
    static struct end e;
    assert_true(end_begin(&e, "a", "dev:b"));
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct villain v = villain_new();
        say(&v, cuts[i].size, cuts[i].published);
        assert_true(is_cut_off(&v));
        villain_end(&v);
    }
    assert_int_equal(atomic_load(&e.arrived), 0);
    struct villain v = villain_new();
    say(&v, DPK_FRAME_MIN - 1, 24);
    say(&v, 0, 8);
    say(&v, DPK_FRAME_MAX + 1, (DPK_FRAME_MAX + 1 + 4 + 7) & ~7u);
    say(&v, SIZE, 64);
    await_drops(&e, DPK_WIRE_TOO_SHORT, 2);
    await_drops(&e, DPK_WIRE_TOO_LONG, 1);
    for (unsigned i = 0; i < 20000 && atomic_load(&e.arrived) == 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&e.arrived), 1);
    assert_int_equal(atomic_load(&e.wrong), 0);
    villain_end(&v);
    end_end(&e);
}

static void a_reader_that_lies_loses_its_frames(void **state)
{
    (void)state;
    static struct end e;
    assert_true(end_begin(&e, "a", "dev:b"));
    struct villain v = villain_new();
    say(&v, SIZE, 64);
    for (unsigned i = 0; i < 20000 && atomic_load(&e.arrived) == 0; i++)
        usleep(1000);
    atomic_store(&v.rings.in.shared->read, 5000);
    send_one(&e);
    assert_int_equal(counters(&e).sent_dropped[DPK_WIRE_NO_PEER], 1);
    atomic_store(&v.rings.in.shared->read, 0);
    send_one(&e);
    assert_int_equal(counters(&e).sent, 1);
    villain_end(&v); /* without having read */
    for (unsigned i = 0; i < 20000 && counters(&e).sent != 0; i++)
        usleep(1000);
    assert_int_equal(counters(&e).sent, 0);
    assert_int_equal(counters(&e).sent_dropped[DPK_WIRE_NO_PEER], 2);
    end_end(&e);
}

static void calls_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        bool passes, sealed;
    } calls[] = {{"DPKCABL1b", 9, false, true}, {"DPKCABL1b", 9, true, false},
                 {"DPKCABL2b", 9, true, true},  {"DPKCABL1", 8, true, true},
                 {"D", 1, true, true},          {(const char *)frame, 200, true, true}};
    static struct end e;
    assert_true(end_begin(&e, "a", "dev:b"));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct villain v = {.fd = call_outlet("a")};
        int memory = calls[i].sealed ? rings_new(&v.rings, CABLE_RING)
                                     : memfd_create("dpakit-ring", MFD_CLOEXEC);
        assert_true(memory >= 0);
        assert_true(calls[i].passes ? rings_pass(v.fd, memory, calls[i].text, calls[i].size)
                                    : send(v.fd, calls[i].text, calls[i].size, 0) > 0);
        close(memory);
        assert_true(is_cut_off(&v));
        villain_end(&v);
    }
    /* Callers that say nothing do not keep others out. */
    int silent[8];
    for (unsigned i = 0; i < 8; i++)
        silent[i] = call_outlet("a");
    struct villain v = villain_new();
    say(&v, SIZE, 64);
    for (unsigned i = 0; i < 20000 && atomic_load(&e.arrived) == 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&e.arrived), 1);
    for (unsigned i = 0; i < 8; i++)
        close(silent[i]);
    villain_end(&v);
    end_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_that_calls_is_killed_again_and_again),
        cmocka_unit_test(a_peer_that_answers_is_killed_again_and_again),
        cmocka_unit_test(without_a_peer_frames_are_dropped_and_counted),
        cmocka_unit_test(the_first_frame_of_who_comes_second_arrives),
        cmocka_unit_test(a_second_program_waits_for_the_place_of_the_first),
        cmocka_unit_test(a_socket_that_cannot_be_watched_is_told_and_tried_again),
        cmocka_unit_test(a_device_that_is_plugged_elsewhere_is_no_peer),
        cmocka_unit_test(cables_are_refused_that_lead_nowhere),
        cmocka_unit_test(what_is_no_frame_is_dropped_or_cuts_the_cable),
        cmocka_unit_test(a_reader_that_lies_loses_its_frames),
        cmocka_unit_test(calls_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
