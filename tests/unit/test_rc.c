/* The NIC: each posted message arrives once and in order, and its completion reports what was
 * posted. Every test runs with both ends in one process, and as if between two processes. */
#include "rc_world.h"
#include "rdma/pairs/transport.h"

static void fill(struct side *s, uint64_t offset, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        s->memory[offset + i] = (uint8_t)(seed + i * 7 + i / 251);
}

static void a_send_fills_a_receive(void **state)
{
    struct world *w = world(state);
    fill(&w->a, 0, 100, 1);
    post_receive(&w->b, 500, 200);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, 100)});
    await_event(&w->a, 0, DPK_RC_DONE);
    await_event(&w->b, 0, DPK_RC_RECEIVED);
    assert_int_equal(told_at(&w->b, 0).connection, 3);
    assert_memory_equal(w->a.memory, w->b.memory + 500, 100);
    assert_int_equal(w->b.memory[600], 0);
    world_end(w);
}

static void immediates_arrive(void **state)
{
    struct world *w = world(state);
    fill(&w->a, 0, 8, 1);
    post_receive(&w->b, 0, 64);
    post_receive(&w->b, 0, 0);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND,
                                     .has_immediate = true,
                                     .immediate = 0xdeadbeef,
                                     .local = span(0, 8)});
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_WRITE,
                                     .has_immediate = true,
                                     .immediate = 17,
                                     .local = span(0, 8),
                                     .key = KEY,
                                     .address = BASE + 800});
    await_event(&w->b, 0, DPK_RC_RECEIVED_IMMEDIATE);
    await_event(&w->b, 1, DPK_RC_WRITTEN_IMMEDIATE);
    assert_int_equal(told_at(&w->b, 0).immediate, 0xdeadbeef);
    assert_int_equal(told_at(&w->b, 1).immediate, 17);
    assert_int_equal(told_at(&w->b, 1).index, 1);
    assert_memory_equal(w->a.memory, w->b.memory + 800, 8);
    world_end(w);
}

static void sends_wait_for_receives(void **state)
{
    struct world *w = world(state);
    for (unsigned i = 0; i < 4; i++) {
        w->a.memory[i] = (uint8_t)(10 + i);
        post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(i, 1)});
    }
    silence(w, &w->a, 0);
    for (unsigned i = 0; i < 4; i++) {
        post_receive(&w->b, i, 1);
        await_event(&w->b, i, DPK_RC_RECEIVED);
        await_event(&w->a, i, DPK_RC_DONE);
        assert_int_equal(told_at(&w->a, i).index, i);
        silence(w, &w->b, i + 1);
    }
    assert_memory_equal(w->b.memory, "\12\13\14\15", 4);
    world_end(w);
}

/* While one end waits for the other's receive, it answers the other's requests. */
static void waiting_ends_go_on_serving(void **state)
{
    struct world *w = world(state);
    struct dpk_rc_work send = {.opcode = DPK_RC_SEND, .local = span(0, 4)};
    struct dpk_rc_work write = {
        .opcode = DPK_RC_WRITE, .local = span(0, 4), .key = KEY, .address = BASE + 64};
    post(&w->a, send);
    silence(w, &w->a, 0);
    post(&w->b, write);
    await_event(&w->b, 0, DPK_RC_DONE);
    post(&w->b, send);
    post_receive(&w->a, 100, 4);
    await_event(&w->b, 1, DPK_RC_DONE);
    await_event(&w->a, 0, DPK_RC_RECEIVED);
    post_receive(&w->b, 100, 4);
    await_event(&w->a, 1, DPK_RC_DONE);
    world_end(w);
}

static void large_ones_arrive_whole(void **state)
{
    struct world *w = world(state);
    const size_t size = MEMORY / 2 - 12345;
    fill(&w->a, 0, size, 3);
    post_receive(&w->b, 1, size);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, size)});
    await_event(&w->b, 0, DPK_RC_RECEIVED);
    assert_memory_equal(w->a.memory, w->b.memory + 1, size);

    fill(&w->a, 0, size, 4);
    post(&w->a, (struct dpk_rc_work){
                    .opcode = DPK_RC_WRITE, .local = span(0, size), .key = KEY, .address = BASE});
    await_event(&w->a, 1, DPK_RC_DONE);
    assert_memory_equal(w->a.memory, w->b.memory, size);

    fill(&w->b, 0, size, 5);
    post(&w->a, (struct dpk_rc_work){
                    .opcode = DPK_RC_READ, .local = span(0, size), .key = KEY, .address = BASE});
    await_event(&w->a, 2, DPK_RC_DONE);
    assert_memory_equal(w->a.memory, w->b.memory, size);
    world_end(w);
}

static void empty_ones_are_told_too(void **state)
{
    struct world *w = world(state);
    post_receive(&w->b, 0, 0);
    const enum dpk_rc_opcode opcodes[] = {DPK_RC_SEND, DPK_RC_WRITE, DPK_RC_READ};
    for (unsigned i = 0; i < 3; i++) {
        post(&w->a, (struct dpk_rc_work){.opcode = opcodes[i]});
        await_event(&w->a, i, DPK_RC_DONE);
    }
    await_event(&w->b, 0, DPK_RC_RECEIVED);
    world_end(w);
}

static void atomics_tell_what_was_before(void **state)
{
    struct world *w = world(state);
    uint64_t value = 40, before = 0;
    memcpy(w->b.memory + 8, &value, 8);
    struct dpk_rc_work work = {.opcode = DPK_RC_FETCH_ADD,
                               .local = span(16, 8),
                               .key = KEY,
                               .address = BASE + 8,
                               .value = 2};
    post(&w->a, work);
    await_event(&w->a, 0, DPK_RC_DONE);
    memcpy(&before, w->a.memory + 16, 8);
    assert_int_equal(before, 40);
    work.opcode = DPK_RC_COMPARE_SWAP;
    work.compare = 41;
    post(&w->a, work); /* it is 42 */
    work.compare = 42;
    work.value = 7;
    work.local = span(24, 8);
    post(&w->a, work);
    work.local = (struct dpk_memory_access){0}; /* what was before is not wanted */
    work.opcode = DPK_RC_FETCH_ADD;
    post(&w->a, work);
    await_event(&w->a, 3, DPK_RC_DONE);
    memcpy(&before, w->a.memory + 16, 8);
    assert_int_equal(before, 42);
    memcpy(&value, w->b.memory + 8, 8);
    assert_int_equal(value, 14);
    world_end(w);
}

static void signals_reach_the_peers_event(void **state)
{
    struct world *w = world(state);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SIGNAL_SET, .key = 5, .value = 30});
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SIGNAL_ADD, .key = 5, .value = 3});
    await_event(&w->a, 1, DPK_RC_DONE);
    assert_int_equal(w->b.event, 33);
    post(&w->a, (struct dpk_rc_work){
                    .opcode = DPK_RC_SIGNAL_ADD, .local = span(16, 8), .key = 5, .value = 1});
    await_event(&w->a, 2, DPK_RC_DONE);
    uint64_t before = 0;
    memcpy(&before, w->a.memory + 16, 8);
    assert_int_equal(before, 33);
    world_end(w);
}

static void silent_ones_are_not_told(void **state)
{
    struct world *w = world(state);
    for (unsigned i = 0; i < 100; i++) {
        const struct dpk_rc_work work =
            with_keys(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_WRITE,
                                                  .silent = i % 10 != 9,
                                                  .local = span(i, 1),
                                                  .key = KEY,
                                                  .address = BASE + i});
        while (!dpk_rc_post(w->a.qp, &work))
            usleep(100);
    }
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(told_at(&w->a, i).index, i * 10 + 9);
    silence(w, &w->a, 10);
    assert_true(dpk_rc_qp_is_idle(w->a.qp));
    world_end(w);
}

static void a_silent_one_that_fails_is_told(void **state)
{
    struct world *w = world(state);
    struct dpk_rc_work work = {.opcode = DPK_RC_WRITE,
                               .silent = true,
                               .local = span(0, 1),
                               .key = KEY + 1,
                               .address = BASE};
    post(&w->a, work);
    await_event(&w->a, 0, DPK_RC_FAILED);
    post(&w->a, work); /* and all that come */
    await_event(&w->a, 1, DPK_RC_FAILED);
    world_end(w);
}

static void full_queues_say_so(void **state)
{
    struct world *w = world(state);
    const struct dpk_rc_work send = {.opcode = DPK_RC_SEND};
    const struct dpk_rc_receive nowhere = {0};
    for (unsigned i = 0; i < 64; i++)
        assert_true(dpk_rc_post(w->a.qp, &send));
    assert_false(dpk_rc_post(w->a.qp, &send));
    for (unsigned i = 0; i < 64; i++) {
        assert_true(dpk_rc_post_receive(w->b.end, &nowhere));
        await_event(&w->b, i, DPK_RC_RECEIVED);
    }
    await_event(&w->a, 63, DPK_RC_DONE);
    assert_true(dpk_rc_post(w->a.qp, &send));
    for (unsigned i = 0; i < 64; i++)
        assert_true(dpk_rc_post_receive(w->a.end, &nowhere));
    assert_false(dpk_rc_post_receive(w->a.end, &nowhere));
    world_end(w);
}

/* Ordering: a write and the send after it are seen in that order, and so are thousands. */
static void what_is_posted_first_arrives_first(void **state)
{
    struct world *w = world(state);
    for (uint32_t i = 0; i < 1000; i++) {
        memcpy(w->a.memory, &i, sizeof i);
        post_receive(&w->b, 0, 0);
        post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_WRITE,
                                         .silent = true,
                                         .local = span(0, 4),
                                         .key = KEY,
                                         .address = BASE + 4 * (uint64_t)i});
        post(&w->a,
             (struct dpk_rc_work){.opcode = DPK_RC_SEND, .has_immediate = true, .immediate = i});
        await_event(&w->a, i, DPK_RC_DONE);
        assert_int_equal(told_at(&w->b, i).immediate, i);
        uint32_t seen = 0;
        memcpy(&seen, w->b.memory + 4 * i, sizeof seen);
        assert_int_equal(seen, i);
    }
    world_end(w);
}

static void what_is_posted_early_waits(void **state)
{
    struct world *w = world_with(state, ALL_REMOTE);
    const struct dpk_rc_work write = {
        .opcode = DPK_RC_WRITE, .local = span(0, 4), .key = KEY, .address = BASE};
    memcpy(w->a.memory, "word", 4);
    post(&w->a, write); /* nobody is connected */
    side_connect(&w->a, &w->b);
    silence(w, &w->a, 0); /* the peer is not */
    side_connect(&w->b, &w->a);
    await_event(&w->a, 0, DPK_RC_DONE);
    assert_memory_equal(w->b.memory, "word", 4);
    world_end(w);
}

/* A send of the peer's has come, and waits for a receive. */
static void await_stall(const struct side *s, const struct dpk_rc_qp *qp)
{
    bool stalled = false;
    for (int i = 0; i < 600000 && !stalled; i++) {
        pthread_mutex_lock(&s->rc->lock);
        stalled = qp->stall == STALLED;
        pthread_mutex_unlock(&s->rc->lock);
        usleep(stalled ? 0 : 100);
    }
    assert_true(stalled);
}

/* One end, two connections: both use its receives. */
static void connections_share_receives(void **state)
{
    struct world *w = world(state);
    struct side c;
    struct dpk_rc_qp *second;
    struct dpk_buf address = {0};
    struct dpk_error err = {0};
    side_begin(&c, w->nics[0], 0);
    must(dpk_rc_qp_create(w->b.end, 9, &second, &err), &err);
    must(dpk_rc_qp_address(second, &address, &err), &err);
    must(dpk_rc_qp_connect(second, c.address.data, c.address.size, &err), &err);
    must(dpk_rc_qp_connect(c.qp, address.data, address.size, &err), &err);
    const struct dpk_rc_work send = {.opcode = DPK_RC_SEND};
    post(&c, send);
    await_stall(&w->b, second);
    post(&w->a, send);
    await_stall(&w->b, w->b.qp);
    post_receive(&w->b, 0, 0);
    assert_int_equal(told_at(&w->b, 0).connection, 9); /* it came first */
    silence(w, &w->b, 1);
    post_receive(&w->b, 0, 0);
    assert_int_equal(told_at(&w->b, 1).connection, 3);
    side_end(&c);
    dpk_buf_free(&address);
    world_end(w);
}

/* Its last message counts; what waits for more fails. */
static void peers_that_are_known_to_be_gone_are_lost(void **state)
{
    struct world *w = world(state);
    introduce(w);
    const size_t before = told(&w->b);
    post_receive(&w->b, 0, 4);
    post_receive(&w->b, 4, 4);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, 4)});
    dpk_rc_qp_lose(w->b.qp);
    assert_int_equal(told_at(&w->b, before).event, DPK_RC_RECEIVED);
    assert_int_equal(told_at(&w->b, before + 1).event, DPK_RC_RECEIVE_FAILED);
    assert_int_equal(told_at(&w->b, before + 1).status, DPK_RC_FLUSHED);
    post(&w->b, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    assert_int_equal(told_at(&w->b, before + 2).event, DPK_RC_FAILED);
    world_end(w);
}

static void answers_are_told_before_what_the_peer_sends_after_them(void **state)
{
    struct world *w = world(state);
    struct dpk_rc *const here = w->b.rc, *const there = w->a.rc;
    const struct dpk_rc_work nothing = {.opcode = DPK_RC_SEND};
    introduce(w);
    post_receive(&w->a, 0, 0);
    post_receive(&w->b, 0, 0);
    for (int i = 0; i < 100; i++)
        dpk_rc_poll(here);
    dpk_rc_lock(there);
    assert_true(dpk_rc_post(w->b.qp, &nothing));
    dpk_rc_lock(here);
    dpk_rc_unlock(there);
    while (told(&w->a) == 0)
        usleep(100);
    assert_true(dpk_rc_post(w->a.qp, &nothing));
    dpk_rc_unlock(here);
    while (told(&w->b) < 2)
        dpk_rc_poll(here);
    await_event(&w->b, 0, DPK_RC_DONE);
    await_event(&w->b, 1, DPK_RC_RECEIVED);
    world_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_send_fills_a_receive),
        TEST(immediates_arrive),
        TEST(sends_wait_for_receives),
        TEST(waiting_ends_go_on_serving),
        TEST(large_ones_arrive_whole),
        TEST(empty_ones_are_told_too),
        TEST(atomics_tell_what_was_before),
        TEST(signals_reach_the_peers_event),
        TEST(silent_ones_are_not_told),
        TEST(a_silent_one_that_fails_is_told),
        TEST(full_queues_say_so),
        TEST(what_is_posted_first_arrives_first),
        TEST(what_is_posted_early_waits),
        TEST(connections_share_receives),
        TEST(peers_that_are_known_to_be_gone_are_lost),
        PROCESSES(answers_are_told_before_what_the_peer_sends_after_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
