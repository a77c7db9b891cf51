/* Rates of queue pairs: the process that sets them, the processes that obey them, and failures on
 * either side. Each test of pacing runs within a process and between two processes. Tests that kill
 * a process fork it first. */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "rc_world.h"
#include "rdma/pacing/private.h"

#define LINE_BYTES_MS 12500000u /* 100 Gbit/s */
#define PIECE         131072u   /* bytes of a write */
#define PIECE_WIRE    (PIECE + PIECE / 1024 * 82)
#define AT_ONCE       4u
#define FILL_NS       200000u /* credit of a bucket */
#define REQUEST_WIRE  (32768u + 32 * 82)

static char folder[] = "/tmp/dpk-rates-XXXXXX";

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- Algorithms ---- */

struct algorithm {
    atomic_uint rate, asks, events[8];
    atomic_bool blocks, ends, waits;
    atomic_uint wrong;
    atomic_ullong rtt_ns, bytes;
};

/* The algorithm: sets `rate`, and asks for a probe if the test wants it. The state of a flow counts
 * its events. */
static bool decide(void *context, unsigned worker, struct dpk_rates_state *state,
                   const struct dpk_rates_event *e, struct dpk_rates_order *order)
{
    struct algorithm *a = context;
    uint32_t count;
    (void)worker;
    while (atomic_load(&a->blocks)) {
        atomic_store(&a->waits, true);
        usleep(100);
    }
    memcpy(&count, state->bytes, sizeof count);
    count++;
    memcpy(state->bytes, &count, sizeof count);
    atomic_fetch_add(&a->events[e->type], 1);
    if (e->type == DPK_RATES_TX)
        atomic_fetch_add(&a->bytes, e->bytes);
    if (e->type == DPK_RATES_TX && (e->bytes == 0 || e->count == 0 || !(e->flags & 1)))
        atomic_fetch_add(&a->wrong, 1);
    if (e->first_time_ns > e->time_ns || e->time_ns > now_ns())
        atomic_fetch_add(&a->wrong, 1);
    if (e->type == DPK_RATES_RTT)
        atomic_store(&a->rtt_ns, e->time_ns - e->sent_ns);
    order->rate = atomic_load(&a->rate);
    order->probe = atomic_load(&a->asks) != 0;
    return !atomic_load(&a->ends);
}

static struct dpk_rates_server *serve(struct algorithm *a, unsigned workers)
{
    struct dpk_rates_server *s;
    struct dpk_error err = {0};
    const struct dpk_rates_options options = {.workers = workers, .event = decide, .context = a};
    must(dpk_rates_serve(folder, &options, &s, &err), &err);
    return s;
}

static const struct dpk_rates_seen *seen(void)
{
    static struct dpk_rates_seen s;
    struct dpk_error err = {0};
    must(dpk_rates_read(folder, &s, &err), &err);
    return &s;
}

/* Waits until `what` is true, for at most a minute. */
#define AWAIT(what)                                                                                \
    do {                                                                                           \
        bool was_ = (what);                                                                        \
        for (int tries = 0; !was_ && tries < 60000; tries++) {                                     \
            usleep(1000);                                                                          \
            was_ = (what);                                                                         \
        }                                                                                          \
        assert_true(was_);                                                                         \
    } while (0)

/* ---- Sending ---- */

/* Writes `count` pieces to the peer, several at a time. Returns the time that this took. */
static uint64_t pump(struct side *s, unsigned count)
{
    const uint64_t begin = now_ns();
    unsigned posted = 0;
    pthread_mutex_lock(&world_lock);
    s->count = 0;
    pthread_mutex_unlock(&world_lock);
    while (told(s) < count) {
        for (; posted < count && posted - told(s) < AT_ONCE; posted++)
            post(s, (struct dpk_rc_work){.opcode = DPK_RC_WRITE,
                                         .local = span(0, PIECE),
                                         .key = KEY,
                                         .address = BASE + PIECE});
        usleep(50);
    }
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(told_at(s, i).event, DPK_RC_DONE);
    return now_ns() - begin;
}

static struct world *paced_world(void **state)
{
    side_device = folder;
    return world(state);
}

/* Sends a piece at the line rate: no event has set a rate before it. Its event sets `rate`. */
static void begin_at(struct side *s, uint32_t rate)
{
    pump(s, 1);
    AWAIT(seen()->count == 1 && seen()->rows[0].rate == rate);
}

/* ---- Pacing ---- */

static void check_rate(struct world *w, struct algorithm *a, unsigned percent, unsigned ms)
{
    const uint32_t rate = DPK_RATES_MAX / 100 * percent;
    const unsigned count = LINE_BYTES_MS / 100 * percent * ms / PIECE_WIRE + 1;
    atomic_store(&a->rate, rate);
    begin_at(&w->a, rate);
    const uint64_t took = pump(&w->a, count);
    const double line = 12.5 * rate / DPK_RATES_MAX; /* bytes a nanosecond */
    const double least = ((double)count * PIECE_WIRE - REQUEST_WIRE) / line - FILL_NS;
    assert_true((double)took >= least);
    if (getenv("RATES_PRINT"))
        print_message("%u %%: %.2f %% of the rate\n", percent, 100 * least / (double)took);
    assert_true((double)took < 20 * least + 1e9);
}

static void flows_keep_their_rates(void **state)
{
    struct algorithm a = {.rate = 1};
    atomic_store(&a.rate, DPK_RATES_MAX / 100);
    struct dpk_rates_server *server = serve(&a, 1);
    struct world *w = paced_world(state);
    check_rate(w, &a, 1, 60);
    check_rate(w, &a, 4, 60);
    check_rate(w, &a, 10, 50);
    world_end(w);
    assert_int_equal(atomic_load(&a.wrong), 0);
    assert_true(atomic_load(&a.events[DPK_RATES_ACK]) > 0);
    dpk_rates_stop(server);
}

static void without_a_server_nothing_is_limited(void **state)
{
    struct algorithm a = {.rate = 1}; /* 95 kbit/s: a request takes seconds */
    struct world *w = paced_world(state);
    pump(&w->a, 4);
    struct dpk_rates_server *server = serve(&a, 2); /* a server that starts after the queue pairs */
    begin_at(&w->a, 1);
    assert_int_equal(seen()->process, getpid());
    dpk_rates_stop(server);
    pump(&w->a, 64); /* 8 MiB, which takes 11 minutes at that rate */
    assert_int_equal(seen()->process, 0);
    server = serve(&a, 1); /* a second server */
    begin_at(&w->a, 1);
    post(&w->a,
         (struct dpk_rc_work){
             .opcode = DPK_RC_WRITE, .local = span(0, PIECE), .key = KEY, .address = BASE + PIECE});
    atomic_store(&a.ends, true); /* the server's program fails at the next event */
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_NOP});
    told_at(&w->a, 2); /* works that waited for the rate continue */
    world_end(w);
    dpk_rates_stop(server);
}

static void probes_are_answered(void **state)
{
    struct algorithm a = {.rate = DPK_RATES_MAX, .asks = 1};
    struct dpk_rates_server *server = serve(&a, 1);
    struct world *w = paced_world(state);
    const uint64_t begin = now_ns();
    for (int i = 0; i < 1000 && atomic_load(&a.events[DPK_RATES_RTT]) < 3; i++)
        pump(&w->a, 2);
    assert_true(atomic_load(&a.events[DPK_RATES_RTT]) >= 3);
    assert_in_range(atomic_load(&a.rtt_ns), 0, now_ns() - begin);
    AWAIT(seen()->rows[0].rtt_ns > 0);
    assert_int_equal(seen()->rows[0].qp, dpk_rc_qp_number(w->a.qp));
    world_end(w);
    AWAIT(seen()->flows == 0 && seen()->count == 0);
    dpk_rates_stop(server);
}

static void events_that_find_no_room_are_lost(void **state)
{
    struct algorithm a = {.rate = DPK_RATES_MAX, .blocks = true};
    struct dpk_rates_server *server = serve(&a, 1);
    struct world *w = paced_world(state);
    while (seen()->lost == 0)
        pump(&w->a, 64); /* no process takes the events, and no work waits for one */
    pump(&w->a, 64);
    atomic_store(&a.blocks, false);
    AWAIT(seen()->events[0] > 1000);
    assert_int_equal(seen()->bad, 0);
    world_end(w);
    dpk_rates_stop(server);
}

static void each_flow_has_its_rate(void **state)
{
    enum { MORE = 300 };
    struct algorithm a = {.rate = 1};
    struct dpk_error err = {0};
    struct dpk_rc_qp *qps[2][MORE];
    struct dpk_rates_server *server = serve(&a, 2);
    struct world *w = paced_world(state);
    for (unsigned i = 0; i < MORE; i++) {
        struct dpk_buf to[2] = {{0}, {0}};
        struct side *const sides[] = {&w->a, &w->b};
        for (unsigned j = 0; j < 2; j++) {
            must(dpk_rc_qp_create(sides[j]->end, 10 + i, &qps[j][i], &err), &err);
            must(dpk_rc_qp_address(qps[j][i], &to[1 - j], &err), &err);
        }
        for (unsigned j = 0; j < 2; j++) {
            must(dpk_rc_qp_connect(qps[j][i], to[j].data, to[j].size, &err), &err);
            dpk_buf_free(&to[j]);
        }
    }
    for (unsigned i = 0; i < MORE; i++) {
        const struct dpk_rc_work work = with_keys(
            &w->a,
            (struct dpk_rc_work){
                .opcode = DPK_RC_WRITE, .local = span(0, 64), .key = KEY, .address = BASE + 64});
        assert_true(dpk_rc_post(qps[0][i], &work));
    }
    told_at(&w->a, MORE - 1);
    AWAIT(seen()->flows == MORE && seen()->count == MORE);
    for (unsigned i = 0; i < MORE; i++)
        AWAIT(seen()->rows[i].rate == 1);
    for (unsigned i = 0; i < MORE; i += 2)
        dpk_rc_qp_destroy(qps[0][i]);
    AWAIT(seen()->flows == MORE / 2);
    world_end(w);
    AWAIT(seen()->flows == 0 && seen()->programs == 0);
    dpk_rates_stop(server);
}

/* ---- Hostile peers ---- */

static int raw_server(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s/" SOCKET, folder);
    unlink(at.sun_path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at) + listen(fd, 4), 0);
    return fd;
}

static void orders_of_a_hostile_server_are_checked(void **state)
{
    static const uint32_t rates[] = {0, DPK_RATES_MAX + 1, UINT32_MAX, DPK_RATES_MAX, 7};
    struct dpk_rates *r;
    struct dpk_error err = {0};
    struct file *f;
    struct rings rings = {0};
    uint64_t hello;
    int memory, listener = raw_server();
    (void)state;
    must(dpk_rates_open(folder, &r, &err), &err);
    must(pacing_rates_map(folder, true, &f, &err), &err);
    atomic_fetch_add(&f->generation, 1);
    assert_true(dpk_rates_look(r) && dpk_rates_join(r) && !dpk_rates_look(r));
    int fd = accept(listener, NULL, NULL);
    assert_int_equal(rings_hear(fd, &hello, sizeof hello, &memory), sizeof hello);
    assert_true(rings_open(&rings, memory, RATES_RING));
    const uint32_t flow = dpk_rates_claim(r);
    for (size_t i = 0; i < 5; i++)
        for (uint32_t other = 0; other < 4; other++) {
            struct order o = {flow, 1, rates[i], 1};
            o.flow = other == 1 ? flow + 1 : other == 2 ? UINT32_MAX : flow;
            o.life = other == 3 ? 2 : 1;
            memcpy(ring_here(&rings.out), &o, sizeof o);
            ring_wrote(&rings.out, sizeof o);
            dpk_rates_take(r);
            assert_int_equal(dpk_rates_flow(r, flow)->rate, i < 3 ? 1 : rates[i]);
        }
    ring_wrote(&rings.out, 5); /* a part of an event, then more bytes than the ring has room for */
    dpk_rates_take(r);
    ring_wrote(&rings.out, 2 * RATES_RING);
    dpk_rates_take(r);
    ring_read(&rings.in, 77); /* reads bytes that were never written */
    dpk_rates_tell(r, &(struct dpk_rates_event){.type = DPK_RATES_TX, .flow = flow});
    assert_true(dpk_rates_alive(r));
    close(fd);
    assert_false(dpk_rates_alive(r));
    close(listener);
    close(memory);
    rings_free(&rings);
    pacing_rates_unmap(f);
    dpk_rates_close(r);
}

static int raw_client(struct rings *rings, const void *hello, size_t size, uint32_t ring)
{
    uint32_t process;
    int fd = pacing_rates_connect(folder, &process), memory = rings_new(rings, ring);
    assert_true(fd >= 0 && memory >= 0 && process == (uint32_t)getpid());
    assert_true(rings_pass(fd, memory, hello, size));
    close(memory);
    return fd;
}

static bool is_closed(int fd)
{
    uint8_t byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static void write_event(int fd, struct rings *rings, struct dpk_rates_event e)
{
    memcpy(ring_here(&rings->out), &e, sizeof e);
    ring_wrote(&rings->out, sizeof e);
    send(fd, "", 1, MSG_NOSIGNAL);
}

static void programs_that_are_hostile_harm_nobody(void **state)
{
    const uint64_t good = MAGIC, bad = 1;
    struct algorithm a = {.rate = 5};
    struct dpk_rates_server *server = serve(&a, 2);
    struct rings rings[4] = {0};
    (void)state;
    int wrong = raw_client(&rings[0], &bad, sizeof bad, RATES_RING);
    int small = raw_client(&rings[1], &good, sizeof good, RATES_RING / 2);
    int torn = raw_client(&rings[2], &good, sizeof good, RATES_RING);
    int fd = raw_client(&rings[3], &good, sizeof good, RATES_RING);
    AWAIT(is_closed(wrong));
    AWAIT(is_closed(small));
    AWAIT(seen()->programs == 2);
    write_event(fd, &rings[3], (struct dpk_rates_event){.type = 99, .flow = 1, .life = 1});
    write_event(fd, &rings[3], (struct dpk_rates_event){.type = 1, .flow = 1, .life = 1});
    write_event(fd, &rings[3], (struct dpk_rates_event){.type = 3, .flow = 1, .life = 0});
    write_event(fd, &rings[3],
                (struct dpk_rates_event){.type = 3, .flow = DPK_RATES_FLOWS, .life = 1});
    write_event(fd, &rings[3], (struct dpk_rates_event){.type = 3, .flow = UINT32_MAX, .life = 1});
    AWAIT(seen()->bad == 5);
    assert_int_equal(seen()->flows, 0);
    ring_wrote(&rings[2].out, 63); /* less than an event */
    send(torn, "", 1, MSG_NOSIGNAL);
    AWAIT(is_closed(torn));
    for (uint32_t life = 1; life < 4; life++) { /* several flows in turn use the same place */
        write_event(fd, &rings[3],
                    (struct dpk_rates_event){.type = 3,
                                             .flow = DPK_RATES_FLOWS - 1,
                                             .life = life,
                                             .bytes = 1,
                                             .count = 1,
                                             .flags = 1});
        AWAIT(seen()->events[0] == life);
        assert_int_equal(seen()->flows, 1);
    }
    ring_wrote(&rings[3].out, 2 * RATES_RING);
    send(fd, "", 1, MSG_NOSIGNAL);
    AWAIT(is_closed(fd));
    AWAIT(seen()->programs == 0 && seen()->flows == 0);
    dpk_rates_stop(server);
    for (int i = 0; i < 4; i++)
        rings_free(&rings[i]);
    close(wrong), close(small), close(torn), close(fd);
}

static void what_a_program_told_before_it_ended_is_given(void **state)
{
    const uint64_t hello = MAGIC;
    struct algorithm a = {.rate = 5, .blocks = true};
    struct dpk_rates_server *server = serve(&a, 1);
    struct rings rings = {0};
    (void)state;
    int fd = raw_client(&rings, &hello, sizeof hello, RATES_RING);
    AWAIT(seen()->programs == 1);
    const struct dpk_rates_event e = {.type = 3, .life = 1, .bytes = 1, .count = 1, .flags = 1};
    write_event(fd, &rings, e); /* keeps the server busy */
    AWAIT(atomic_load(&a.waits));
    for (int i = 0; i < 3; i++) {
        memcpy(ring_here(&rings.out), &e, sizeof e);
        ring_wrote(&rings.out, sizeof e);
    }
    close(fd);
    atomic_store(&a.blocks, false);
    AWAIT(seen()->events[0] == 4 && seen()->programs == 0 && seen()->flows == 0);
    dpk_rates_stop(server);
    rings_free(&rings);
}

static void a_file_that_is_none_is_refused(void **state)
{
    char path[64];
    struct dpk_rates *r;
    struct dpk_rates_seen *s = malloc(sizeof *s);
    (void)state;
    snprintf(path, sizeof path, "%s/rates", folder);
    unlink(path);
    assert_int_equal(dpk_rates_read(folder, s, NULL), DPK_ERR_NOT_FOUND);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 1 << 20), 0);
    close(fd);
    assert_int_equal(dpk_rates_open(folder, &r, NULL), DPK_ERR_FORMAT);
    assert_int_equal(dpk_rates_read(folder, s, NULL), DPK_ERR_FORMAT);
    unlink(path);
    assert_int_equal(dpk_rates_open("/nowhere", &r, NULL), DPK_ERR_NOT_FOUND);
    free(s);
}

/* ---- Processes that are killed ---- */

/* Forks a process that ends with this one, so that a failing test leaves none behind. */
static pid_t fork_below(void)
{
    const pid_t parent = getpid(), pid = fork();
    assert_true(pid >= 0);
    if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(1);
    return pid;
}

static pid_t child(int (*run)(int out), int *in)
{
    int up[2];
    assert_int_equal(pipe(up), 0);
    const pid_t pid = fork_below();
    if (pid == 0)
        _exit(run(up[1]));
    close(up[1]);
    *in = up[0];
    return pid;
}

static void end_child(pid_t pid, int in)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(in);
}

static int be_a_server(int out)
{
    static struct algorithm a = {.rate = 1};
    serve(&a, 1);
    return write(out, "", 1) == 1 ? pause() : 1;
}

/* Makes a server for each request, and writes its number. This process has no threads, so its
 * children can make threads. */
static int make_servers(int in, int out)
{
    char byte;
    signal(SIGCHLD, SIG_IGN);
    while (read(in, &byte, 1) == 1) {
        int ready;
        const pid_t pid = child(be_a_server, &ready);
        if (read(ready, &byte, 1) != 1 || write(out, &pid, sizeof pid) != sizeof pid)
            return 1;
        close(ready);
    }
    return 0;
}

static void a_server_that_is_killed_ends_its_rates(void **state)
{
    static bool apart = true;
    void *within = &apart;
    int down[2], up[2];
    pid_t pid;
    (void)state;
    assert_int_equal(pipe(down) + pipe(up), 0);
    const pid_t maker = fork_below();
    if (maker == 0) {
        close(down[1]);
        _exit(make_servers(down[0], up[1]));
    }
    struct world *w = paced_world(&within);
    for (int round = 0; round < 100; round++) {
        assert_int_equal(write(down[1], "", 1), 1);
        assert_int_equal(read(up[0], &pid, sizeof pid), sizeof pid);
        begin_at(&w->a, 1);
        post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_WRITE,
                                         .local = span(0, PIECE),
                                         .key = KEY,
                                         .address = BASE + PIECE});
        kill(pid, SIGKILL);
        told_at(&w->a, 1); /* the write ends now; its rate would delay it for 11 seconds */
        pump(&w->a, 4);
    }
    world_end(w);
    close(down[1]);
    assert_int_equal(waitpid(maker, NULL, 0), maker);
    close(down[0]), close(up[0]), close(up[1]);
}

static int be_a_sender(int out)
{
    static bool within = false;
    void *state = &within;
    struct world *w = paced_world(&state);
    for (;;) {
        pump(&w->a, 4);
        if (write(out, "", 1) != 1)
            return 1;
    }
}

static void flows_of_a_program_that_is_killed_are_freed(void **state)
{
    struct algorithm a = {.rate = DPK_RATES_MAX};
    pid_t pids[100];
    int ins[100];
    char byte;
    (void)state;
    /* Forks all children before the server exists, because a child does not inherit the server's
     * threads. Each child waits for its pipe. */
    for (int i = 0; i < 100; i++)
        pids[i] = 0;
    struct dpk_rates_server *server = NULL;
    for (int round = 0; round < 100; round += 10) {
        for (int i = round; i < round + 10; i++)
            pids[i] = child(be_a_sender, &ins[i]);
        server = serve(&a, 2);
        for (int i = round; i < round + 10; i++)
            assert_int_equal(read(ins[i], &byte, 1), 1);
        AWAIT(seen()->programs > 0 && seen()->flows > 0);
        for (int i = round; i < round + 10; i++)
            end_child(pids[i], ins[i]);
        AWAIT(seen()->programs == 0 && seen()->flows == 0 && seen()->count == 0);
        dpk_rates_stop(server);
    }
    assert_true(atomic_load(&a.events[DPK_RATES_TX]) > 0);
}

/* ---- The program ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    static bool within = false, apart = true;
#define BOTH(f)                                                                                    \
    {#f ", within a process", f, NULL, NULL, &within},                                             \
    {                                                                                              \
#f ", between two", f, NULL, NULL, &apart                                                  \
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_of_a_program_that_is_killed_are_freed),
        cmocka_unit_test(a_server_that_is_killed_ends_its_rates),
        BOTH(flows_keep_their_rates),
        BOTH(without_a_server_nothing_is_limited),
        BOTH(probes_are_answered),
        BOTH(events_that_find_no_room_are_lost),
        BOTH(each_flow_has_its_rate),
        cmocka_unit_test(orders_of_a_hostile_server_are_checked),
        cmocka_unit_test(programs_that_are_hostile_harm_nobody),
        cmocka_unit_test(what_a_program_told_before_it_ended_is_given),
        cmocka_unit_test(a_file_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
