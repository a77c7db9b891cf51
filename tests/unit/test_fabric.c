/* Links of a fabric: between two fabrics of one process, and to a process that is killed. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rdma/fabric/fabric.h"

#include <cmocka.h>

#define HERE "ucx:127.0.0.1"

/* One side: it notes what it hears, and answers messages that say so. */
struct side {
    struct dpk_fabric *fabric;
    struct dpk_fabric_link *last;
    unsigned heard, lost;
    uint64_t bytes;
    bool echoes, refuses;
};

static bool arrived(void *context, struct dpk_fabric_link *link, void *of, const uint8_t *head,
                    size_t head_size, const uint8_t *data, size_t size)
{
    struct side *s = context;
    assert_int_equal(head_size, 4);
    if (s->refuses)
        return false;
    dpk_fabric_own(link, s);
    assert_true(!of || of == s);
    struct dpk_reader in = dpk_reader(head, head_size);
    assert_int_equal(dpk_read_be32(&in), s->heard);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(data[i], (uint8_t)(s->heard + i));
    s->last = link;
    s->heard++;
    s->bytes += size;
    if (s->echoes) {
        memcpy(dpk_fabric_room(link, (uint32_t)size), data, size);
        dpk_fabric_send(link, head, head_size, (uint32_t)size);
    }
    return true;
}

static void lost(void *context, void *of)
{
    struct side *s = context;
    assert_ptr_equal(of, s);
    s->last = NULL;
    s->lost++;
}

static void side_open(struct side *s, uint64_t silent_ms)
{
    struct dpk_error err = {0};
    const struct dpk_fabric_options options = {.arrived = arrived,
                                               .lost = lost,
                                               .context = s,
                                               .in_flight_max = 4096,
                                               .silent_ms = silent_ms};
    *s = (struct side){0};
    if (dpk_fabric_open(HERE, &options, &s->fabric, &err) != DPK_OK)
        fail_msg("%s", err.message);
}

static void say(struct dpk_fabric_link *link, uint32_t number, uint32_t size)
{
    uint8_t head[4], *room = dpk_fabric_room(link, size);
    assert_non_null(room);
    dpk_store_be32(head, number);
    for (uint32_t i = 0; i < size; i++)
        room[i] = (uint8_t)(number + i);
    dpk_fabric_send(link, head, sizeof head, size);
}

/* Runs both sides until the counter has that value. The runner ends a test that waits too long. */
static void await(const unsigned *counter, unsigned value, struct side *a, struct side *b)
{
    while (*counter < value) {
        struct pollfd p[] = {{.fd = dpk_fabric_fd(a->fabric), .events = POLLIN},
                             {.fd = b ? dpk_fabric_fd(b->fabric) : -1, .events = POLLIN}};
        poll(p, 2, 100);
        dpk_fabric_run(a->fabric);
        dpk_fabric_look(a->fabric);
        if (b)
            dpk_fabric_run(b->fabric);
    }
}

/* Closes both sides; while one waits for the other, the other must run. */
static void *close_one(void *fabric)
{
    dpk_fabric_close(fabric);
    return NULL;
}

static void part(struct side *a, struct side *b)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, close_one, a->fabric), 0);
    dpk_fabric_close(b->fabric);
    pthread_join(thread, NULL);
}

static struct dpk_fabric_link *link_to(struct side *s, const struct dpk_fabric_place *to)
{
    struct dpk_error err = {0};
    struct dpk_fabric_link *link;
    if (dpk_fabric_link(s->fabric, to, s, &link, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return link;
}

static void messages_arrive_once_whole_and_in_order(void **state)
{
    struct side a, b;
    uint64_t bytes = 0;
    unsigned count = 0;
    (void)state;
    side_open(&a, 0);
    side_open(&b, 0);
    b.echoes = true;
    struct dpk_fabric_link *link = link_to(&a, dpk_fabric_place(b.fabric));
    static const uint32_t sizes[] = {0, 1, 100, 8000, 8192, 9000, 32768, 65536};
    for (unsigned round = 0; round < 50; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++, count++) {
            say(link, count, sizes[i]);
            bytes += sizes[i];
        }
    await(&a.heard, count, &a, &b);
    assert_int_equal(b.heard, count);
    assert_true(a.bytes == bytes && b.bytes == bytes);
    assert_int_equal(a.lost + b.lost, 0);
    part(&a, &b);
}

static void a_dropped_link_is_lost_after_its_last_message(void **state)
{
    struct side a, b;
    (void)state;
    side_open(&a, 0);
    side_open(&b, 0);
    struct dpk_fabric_link *link = link_to(&a, dpk_fabric_place(b.fabric));
    for (unsigned i = 0; i < 100; i++)
        say(link, i, 32768);
    dpk_fabric_drop(link);
    await(&b.lost, 1, &a, &b);
    assert_int_equal(b.heard, 100);
    assert_int_equal(a.lost, 0);
    part(&a, &b);
}

static void a_refused_message_closes_the_link(void **state)
{
    struct side a, b;
    (void)state;
    side_open(&a, 0);
    side_open(&b, 0);
    b.refuses = true;
    say(link_to(&a, dpk_fabric_place(b.fabric)), 0, 10);
    await(&a.lost, 1, &a, &b);
    assert_int_equal(b.lost, 0); /* nobody owned it */
    part(&a, &b);
}

static void a_place_without_a_process_is_a_lost_peer(void **state)
{
    struct side a;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    (void)state;
    const int fd = socket(AF_INET, SOCK_STREAM, 0); /* has a port, and does not listen */
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    side_open(&a, 0);
    struct dpk_fabric_place place = *dpk_fabric_place(a.fabric);
    place.port = ntohs(at.sin_port);
    say(link_to(&a, &place), 0, 10);
    await(&a.lost, 1, &a, NULL);
    close(fd);
    dpk_fabric_close(a.fabric);
}

/* A process that serves one side until it is killed. */
static pid_t serve(struct dpk_fabric_place *place)
{
    int at[2];
    assert_int_equal(pipe(at), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct side s;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        side_open(&s, 0);
        s.echoes = true;
        if (write(at[1], dpk_fabric_place(s.fabric), sizeof *place) != sizeof *place)
            _exit(1);
        await(&s.lost, 1, &s, NULL);
        pause();
    }
    assert_int_equal(read(at[0], place, sizeof *place), sizeof *place);
    close(at[0]);
    close(at[1]);
    return pid;
}

static struct server {
    pid_t pid;
    struct dpk_fabric_place place;
} servers[2];

/* Before this process loads UCX, whose threads do not exist in children. */
static int serve_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
        servers[i].pid = serve(&servers[i].place);
    return 0;
}

static void a_killed_process_is_a_lost_peer(void **state)
{
    struct side a;
    const pid_t pid = servers[0].pid;
    (void)state;
    side_open(&a, 0);
    say(link_to(&a, &servers[0].place), 0, 100);
    await(&a.heard, 1, &a, NULL);
    kill(pid, SIGKILL);
    await(&a.lost, 1, &a, NULL);
    waitpid(pid, NULL, 0);
    dpk_fabric_close(a.fabric);
}

/* Its connection stays open, as that of a machine that has lost its power. */
static void a_silent_process_is_a_lost_peer(void **state)
{
    struct side a;
    const pid_t pid = servers[1].pid;
    (void)state;
    side_open(&a, 600);
    say(link_to(&a, &servers[1].place), 0, 100);
    await(&a.heard, 1, &a, NULL);
    kill(pid, SIGSTOP);
    await(&a.lost, 1, &a, NULL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    dpk_fabric_close(a.fabric);
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void an_idle_fabric_sleeps(void **state)
{
    struct side a, b;
    (void)state;
    side_open(&a, 0);
    side_open(&b, 0);
    b.echoes = true;
    say(link_to(&a, dpk_fabric_place(b.fabric)), 0, 100);
    await(&a.heard, 1, &a, &b);
    unsigned wakes = 0;
    const uint64_t begin = cpu_ns();
    for (unsigned i = 0; i < 5; i++) {
        struct pollfd p[] = {{.fd = dpk_fabric_fd(a.fabric), .events = POLLIN},
                             {.fd = dpk_fabric_fd(b.fabric), .events = POLLIN}};
        wakes += poll(p, 2, 50) > 0;
        dpk_fabric_run(a.fabric);
        dpk_fabric_run(b.fabric);
    }
    assert_true(wakes < 5);
    assert_true(cpu_ns() - begin < 100000000u);
    part(&a, &b);
}

/* While a fabric is polled, messages arrive without its descriptor. Afterwards it is readable at the next message. */
static void a_fabric_that_is_polled_needs_no_descriptor(void **state)
{
    struct side a, b;
    (void)state;
    side_open(&a, 0);
    side_open(&b, 0);
    b.echoes = true;
    struct dpk_fabric_link *link = link_to(&a, dpk_fabric_place(b.fabric));
    dpk_fabric_poll(a.fabric, true);
    dpk_fabric_poll(b.fabric, true);
    for (unsigned i = 0; i < 100; i++) {
        say(link, i, 100);
        while (a.heard == i) {
            dpk_fabric_run(a.fabric);
            dpk_fabric_run(b.fabric);
        }
    }
    dpk_fabric_poll(a.fabric, false);
    dpk_fabric_poll(b.fabric, false);
    say(link, 100, 100);
    while (a.heard == 100) {
        struct pollfd p[] = {{.fd = dpk_fabric_fd(a.fabric), .events = POLLIN},
                             {.fd = dpk_fabric_fd(b.fabric), .events = POLLIN}};
        poll(p, 2, -1);
        if (p[0].revents)
            dpk_fabric_run(a.fabric);
        if (p[1].revents)
            dpk_fabric_run(b.fabric);
    }
    part(&a, &b);
}

static void specifications_name_an_address_of_ip(void **state)
{
    struct dpk_fabric_place place;
    struct dpk_error err = {0};
    (void)state;
    static const char *const good[] = {"ucx:192.0.2.1", "ucx:127.0.0.1", "ucx:2001:db8::1"};
    static const char *const bad[] = {"",
                                      "off",
                                      "ucx:",
                                      "ucx:host",
                                      "tcp:1.2.3.4",
                                      "ucx:1.2.3",
                                      "ucx:0.0.0.0",
                                      "ucx:::",
                                      "ucx:224.0.0.1",
                                      "ucx:ff02::1",
                                      "ucx:1.2.3.4 ",
                                      "ucx:::ffff:0.0.0.0"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(dpk_fabric_parse(good[i], &place, &err), DPK_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(dpk_fabric_parse(bad[i], &place, &err), DPK_ERR_USAGE);
}

static void an_address_of_another_machine_is_refused(void **state)
{
    struct dpk_error err = {0};
    struct dpk_fabric *f;
    const struct dpk_fabric_options options = {.arrived = arrived, .lost = lost};
    (void)state;
    assert_int_equal(dpk_fabric_open("ucx:192.0.2.77", &options, &f, &err), DPK_ERR_IO);
    assert_null(f);
    assert_non_null(strstr(err.message, "192.0.2.77"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specifications_name_an_address_of_ip),
        cmocka_unit_test(a_killed_process_is_a_lost_peer),
        cmocka_unit_test(a_silent_process_is_a_lost_peer),
        cmocka_unit_test(messages_arrive_once_whole_and_in_order),
        cmocka_unit_test(a_dropped_link_is_lost_after_its_last_message),
        cmocka_unit_test(a_refused_message_closes_the_link),
        cmocka_unit_test(a_place_without_a_process_is_a_lost_peer),
        cmocka_unit_test(an_idle_fabric_sleeps),
        cmocka_unit_test(a_fabric_that_is_polled_needs_no_descriptor),
        cmocka_unit_test(an_address_of_another_machine_is_refused),
    };
    return cmocka_run_group_tests(tests, serve_all, NULL);
}
