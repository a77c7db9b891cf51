/* The NIC between two real processes: many connections at once, and processes that are killed. Each
 * test forks first, then there is no thread; except those of such forks. */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "rc_peer.h"
#include "rc_world.h"

/* ---- Two processes ---- */

struct child {
    pid_t pid;
    int in, out; /* what it says, what it hears */
};

/* `run` with a pipe to read and one to write; its result is the child's exit code. */
static struct child child_new(int (*run)(int in, int out))
{
    int down[2], up[2];
    assert_int_equal(pipe(down) + pipe(up), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive a test that fails */
        _exit(run(down[0], up[1]));
    }
    close(down[0]);
    close(up[1]);
    return (struct child){pid, up[0], down[1]};
}

/* How it ended, as waitpid has it. */
static int child_end(struct child *c, bool kills)
{
    int status;
    if (kills)
        kill(c->pid, SIGKILL);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    close(c->in);
    close(c->out);
    return status;
}

static void tell(int fd, const struct dpk_buf *address)
{
    assert_int_equal(write(fd, address->data, address->size), DPK_RC_ADDRESS_SIZE);
}

/* Connects to the one whose address comes from `fd`. */
static void join(struct dpk_rc_qp *qp, int fd)
{
    uint8_t bytes[DPK_RC_ADDRESS_SIZE];
    struct dpk_error err = {0};
    assert_int_equal(read(fd, bytes, sizeof bytes), sizeof bytes);
    must(dpk_rc_qp_connect(qp, bytes, sizeof bytes, &err), &err);
}

static void meet(struct side *s, int in, int out)
{
    side_begin(s, nic_new(), ALL_REMOTE);
    tell(out, &s->address);
    join(s->qp, in);
}

static void part(struct side *s)
{
    struct dpk_rc *rc = s->rc;
    side_end(s);
    dpk_rc_close(rc);
}

/* ---- Killed ---- */

/* Posts one send, then waits to be killed. */
static int be_killed(int in, int out)
{
    static struct side s;
    meet(&s, in, out);
    post(&s, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    return pause();
}

static void a_process_that_dies_fails_all(void **state)
{
    struct child child = child_new(be_killed);
    static struct side s;
    struct dpk_error err = {0};
    uint8_t bytes[DPK_RC_ADDRESS_SIZE];
    (void)state;
    side_begin(&s, nic_new(), ALL_REMOTE);
    tell(child.out, &s.address);
    assert_int_equal(read(child.in, bytes, sizeof bytes), sizeof bytes);
    must(dpk_rc_qp_connect(s.qp, bytes, sizeof bytes, &err), &err);
    post_receive(&s, 0, 8);
    post_receive(&s, 8, 8);
    await_event(&s, 0, DPK_RC_RECEIVED);
    post(&s, (struct dpk_rc_work){.opcode = DPK_RC_SEND}); /* it never receives */
    child_end(&child, true);
    await_event(&s, 1, DPK_RC_FAILED);
    await_event(&s, 2, DPK_RC_RECEIVE_FAILED);
    post_receive(&s, 8, 8);
    await_event(&s, 3, DPK_RC_RECEIVE_FAILED);
    struct dpk_rc_qp *again;
    must(dpk_rc_qp_create(s.end, 4, &again, &err), &err);
    assert_int_equal(dpk_rc_qp_connect(again, bytes, sizeof bytes, &err), DPK_ERR_NOT_FOUND);
    part(&s);
}

/* Says hello as a queue pair would, then the first part of a send, and no more. */
static int die_in_mid_message(int in, int out)
{
    struct peer p = peer_new();
    uint8_t bytes[SEGMENT] = {1};
    struct dpk_buf theirs = {0};
    if (read(in, bytes, DPK_RC_ADDRESS_SIZE) != DPK_RC_ADDRESS_SIZE)
        return 2;
    dpk_put(&theirs, bytes, DPK_RC_ADDRESS_SIZE);
    tell(out, &p.address);
    peer_hello(&p, &theirs);
    peer_put(&p,
             (struct frame){.kind = FRAME_REQUEST,
                            .request = {.first = true, .size = SEGMENT, .total = 2 * SEGMENT},
                            .payload = SEGMENT},
             bytes);
    peer_knock(&p);
    return pause();
}

/* It took a receive, of which the rest never comes. */
static void a_process_that_dies_in_mid_message_fails_it(void **state)
{
    struct child child = child_new(die_in_mid_message);
    static struct side s;
    (void)state;
    side_begin(&s, nic_new(), ALL_REMOTE);
    post_receive(&s, 0, MEMORY);
    tell(child.out, &s.address);
    join(s.qp, child.in);
    for (int i = 0; i < 600000 && peek(&s, 0) == 0; i++)
        usleep(100);
    assert_int_not_equal(peek(&s, 0), 0); /* the part has come */
    assert_int_equal(told(&s), 0);
    child_end(&child, true);
    await_event(&s, 0, DPK_RC_RECEIVE_FAILED);
    post(&s, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    await_event(&s, 1, DPK_RC_FAILED);
    part(&s);
}

static int be_written_to(int in, int out)
{
    static struct side s;
    meet(&s, in, out);
    return pause();
}

/* More work is posted than fits into the rings: some is done, the rest fails, all is reported once. */
static void a_process_that_dies_under_writes_fails_the_rest(void **state)
{
    struct child child = child_new(be_written_to);
    static struct side s;
    bool failed = false;
    (void)state;
    meet(&s, child.in, child.out);
    for (unsigned i = 0; i < 64; i++)
        post(&s,
             (struct dpk_rc_work){
                 .opcode = DPK_RC_WRITE, .local = span(0, MEMORY), .key = KEY, .address = BASE});
    told_at(&s, 0); /* it is at work */
    child_end(&child, true);
    for (unsigned i = 0; i < 64; i++) {
        const struct dpk_rc_completion c = told_at(&s, i);
        assert_int_equal(c.index, i);
        assert_true(c.event == DPK_RC_FAILED || (c.event == DPK_RC_DONE && !failed));
        failed = c.event == DPK_RC_FAILED;
    }
    assert_true(dpk_rc_qp_is_idle(s.qp));
    part(&s);
}

/* ---- Beside a busy program ---- */

#define BOUNCES 400u

/* Polls until `n` completions were reported. */
static void poll_until(struct side *s, size_t n)
{
    while (told(s) < n)
        dpk_rc_poll(s->rc);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sends there and back; who begins has the messages that the other one waits for first. *took: how long each
 * round takes. */
static void bounce(struct side *s, bool begins, double took[BOUNCES])
{
    for (size_t i = 0; i < BOUNCES; i++) {
        const double begin = seconds();
        if (!begins)
            poll_until(s, 2 * i + 1);
        post_receive(s, 0, 8);
        post(s, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(8, 8)});
        poll_until(s, 2 * i + 2);
        took[i] = seconds() - begin;
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int be_bounced(int in, int out)
{
    static struct side s;
    static double took[BOUNCES];
    meet(&s, in, out);
    post_receive(&s, 0, 8);
    assert_int_equal(write(out, "", 1), 1);
    bounce(&s, false, took);
    return pause();
}

static int be_busy(int in, int out)
{
    (void)in;
    (void)out;
    for (volatile unsigned i = 0;; i++)
        if (getppid() == 1)
            return 0;
}

/* Three programs want one processor. Who yields there waits for a slice of the busy one: milliseconds. */
static void who_polls_beside_a_busy_program_does_not_wait_for_its_slices(void **state)
{
    cpu_set_t before, one;
    static struct side s;
    static double took[BOUNCES];
    char byte;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    struct child busy = child_new(be_busy), child = child_new(be_bounced);
    side_begin(&s, nic_new(), ALL_REMOTE);
    tell(child.out, &s.address);
    join(s.qp, child.in);
    assert_int_equal(read(child.in, &byte, 1), 1);
    bounce(&s, true, took);
    qsort(took, BOUNCES, sizeof *took, by_size);
    child_end(&busy, true);
    child_end(&child, true);
    part(&s);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_true(took[BOUNCES / 2] < 0.001); /* 60 microseconds, where yields took 2,000 */
}

/* ---- Children of fork ---- */

static struct world *forker;

static int hold_all(int in, int out)
{
    (void)in, (void)out;
    return pause();
}

/* A child has all sockets of its parent's: those that the parent closes are closed. */
static void what_a_child_holds_is_closed(void **state)
{
    static const bool apart = true;
    const void *mode = &apart;
    (void)state;
    forker = world((void **)&mode);
    introduce(forker);
    struct child child = child_new(hold_all);
    post_receive(&forker->b, 0, 8);
    side_end(&forker->a);
    post(&forker->b, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    await_event(&forker->b, 0, DPK_RC_FAILED);
    world_end(forker);
    child_end(&child, true);
}

/* Tries to use, then destroys, all that it got from its parent. */
static int end_all(int in, int out)
{
    struct dpk_rc_qp *qp;
    struct dpk_rc_end *end;
    struct dpk_buf bytes = {0};
    struct side *s = &forker->a;
    const struct dpk_rc_end_options options = {
        .ops = &side_ops, .context = s, .sends = 1, .receives = 1};
    (void)in, (void)out;
    bool refused =
        dpk_rc_end_create(s->rc, &options, &end, NULL) == DPK_ERR_USAGE && !end &&
        dpk_rc_qp_create(s->end, 9, &qp, NULL) == DPK_ERR_USAGE && !qp &&
        dpk_rc_qp_address(s->qp, &bytes, NULL) == DPK_ERR_USAGE &&
        dpk_rc_qp_connect(s->qp, s->address.data, s->address.size, NULL) == DPK_ERR_USAGE;
    dpk_rc_qp_destroy(s->qp);
    world_end(forker);
    return refused ? 0 : 1;
}

static void a_child_leaves_its_parents_connections(void **state)
{
    static const bool apart = true;
    const void *mode = &apart;
    (void)state;
    forker = world((void **)&mode);
    introduce(forker);
    struct child child = child_new(end_all);
    assert_int_equal(child_end(&child, false), 0);
    introduce(forker);
    world_end(forker);
}

/* ---- Many connections ---- */

#define CONNECTIONS 8u
#define ROUNDS      40u
#define PIECE       (MEMORY / 2 / CONNECTIONS) /* of the memory, for each; half is for receives */

static struct dpk_rc_work write_of(uint32_t connection, uint32_t round)
{
    const uint64_t at = (uint64_t)connection * PIECE;
    return (struct dpk_rc_work){.opcode = DPK_RC_WRITE,
                                .has_immediate = true,
                                .immediate = connection << 16 | round,
                                .local = span(at, PIECE),
                                .key = KEY,
                                .address = BASE + MEMORY / 2 + at};
}

/* The connections of `s`, each to the one with its number. */
static void meet_all(struct side *s, struct dpk_rc_qp *qps[CONNECTIONS], int in, int out)
{
    struct dpk_error err = {0};
    side_begin(s, nic_new(), ALL_REMOTE);
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        struct dpk_buf address = {0};
        must(dpk_rc_qp_create(s->end, i, &qps[i], &err), &err);
        must(dpk_rc_qp_address(qps[i], &address, &err), &err);
        tell(out, &address);
        join(qps[i], in);
        dpk_buf_free(&address);
    }
}

/* Each connection writes its piece ROUNDS times, and each write uses up a receive of the peer's:
 * all of them in both directions at once, which is more than fits between the two. */
static int exchange(int in, int out)
{
    static struct side s;
    static struct dpk_rc_qp *qps[CONNECTIONS];
    uint32_t done[CONNECTIONS] = {0}, written[CONNECTIONS] = {0}, receives = 0;
    for (meet_all(&s, qps, in, out); receives < 64; receives++)
        post_receive(&s, 0, 0);
    for (uint32_t i = 0; i < MEMORY / 2; i++)
        s.memory[i] = (uint8_t)(i * 11 + i / 253);
    for (uint32_t i = 0; i < CONNECTIONS * ROUNDS; i++) {
        const struct dpk_rc_work w = with_keys(&s, write_of(i % CONNECTIONS, i / CONNECTIONS));
        assert_true(dpk_rc_post(qps[i % CONNECTIONS], &w));
    }
    for (uint32_t i = 0; i < 2 * CONNECTIONS * ROUNDS; i++) {
        const struct dpk_rc_completion c = told_at(&s, i);
        assert_true(c.event == DPK_RC_DONE || c.event == DPK_RC_WRITTEN_IMMEDIATE);
        if (c.event == DPK_RC_DONE)
            assert_int_equal(c.index, done[c.connection]++);
        else
            assert_int_equal(c.immediate, c.connection << 16 | written[c.connection]++);
        if (c.event == DPK_RC_WRITTEN_IMMEDIATE && receives++ < CONNECTIONS * ROUNDS)
            post_receive(&s, 0, 0);
    }
    for (uint32_t i = 0; i < CONNECTIONS; i++)
        assert_true(done[i] == ROUNDS && written[i] == ROUNDS);
    assert_memory_equal(s.memory, s.memory + MEMORY / 2, MEMORY / 2);
    part(&s); /* whether the other has heard of the end of its writes or not */
    return 0;
}

static void eight_connections_of_two_processes_are_all_served(void **state)
{
    struct child child = child_new(exchange);
    (void)state;
    exchange(child.in, child.out);
    assert_int_equal(child_end(&child, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_dies_fails_all),
        cmocka_unit_test(a_process_that_dies_in_mid_message_fails_it),
        cmocka_unit_test(a_process_that_dies_under_writes_fails_the_rest),
        cmocka_unit_test(what_a_child_holds_is_closed),
        cmocka_unit_test(a_child_leaves_its_parents_connections),
        cmocka_unit_test(eight_connections_of_two_processes_are_all_served),
        cmocka_unit_test(who_polls_beside_a_busy_program_does_not_wait_for_its_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
