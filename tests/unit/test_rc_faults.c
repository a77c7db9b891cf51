/* The NIC: invalid requests fail, and the end of a peer is reported. */
#include "rc_world.h"

static const struct dpk_rc_work good_write = {.opcode = DPK_RC_WRITE,
                                              .local = {.key = KEY, .address = BASE, .size = 8},
                                              .key = KEY,
                                              .address = BASE};

/* ---- Permissions ---- */

static struct dpk_rc_work work_of(enum dpk_rc_opcode opcode)
{
    struct dpk_rc_work w = good_write;
    w.opcode = opcode;
    w.value = 1;
    if (opcode >= DPK_RC_SIGNAL_ADD)
        w.key = 4; /* no such event */
    return w;
}

static char last_reason[DPK_RC_REASON_MAX]; /* of what expect_failure did */

/* The work fails, with the status that is returned, and the peer's memory is as before. */
static enum dpk_rc_status expect_failure(void **state, struct dpk_rc_work work,
                                         unsigned end_permits, unsigned memory_permits_a,
                                         unsigned memory_permits_b)
{
    struct world *w = world_with(state, end_permits);
    side_register(&w->a, memory_permits_a);
    side_register(&w->b, memory_permits_b);
    side_connect(&w->a, &w->b);
    side_connect(&w->b, &w->a);
    memset(w->a.memory, 1, 64);
    post(&w->a, work);
    await_event(&w->a, 0, DPK_RC_FAILED);
    assert_int_equal(told(&w->a), 1);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(w->b.memory[i], 0);
        assert_int_equal(w->a.memory[i], 1);
    }
    assert_int_equal(w->b.event, 0);
    enum dpk_rc_status status = told_at(&w->a, 0).status;
    memcpy(last_reason, w->a.reason, sizeof last_reason);
    world_end(w);
    return status;
}

/* Those of the card: what the requester, and what the responder finds. */
static void failures_have_their_status(void **state)
{
    const unsigned all = ALL_REMOTE;
    struct dpk_rc_work w = good_write;
    assert_int_equal(expect_failure(state, w, 0, ~0u, ~0u), DPK_RC_REMOTE_ACCESS);
    assert_int_equal(expect_failure(state, w, all, 0, ~0u), DPK_RC_LOCAL_PROTECTION);
    assert_int_equal(expect_failure(state, w, all, ~0u, 0), DPK_RC_REMOTE_ACCESS);
    w.owner.bytes[3] = 1;
    assert_int_equal(expect_failure(state, w, all, ~0u, ~0u), DPK_RC_REMOTE_ACCESS);
    w = work_of(DPK_RC_FETCH_ADD);
    w.address = BASE + 4;
    assert_int_equal(expect_failure(state, w, all, ~0u, ~0u), DPK_RC_REMOTE_INVALID);
    w = work_of(DPK_RC_COMPARE_SWAP);
    w.local.size = 4;
    assert_int_equal(expect_failure(state, w, all, ~0u, ~0u), DPK_RC_LOCAL_LENGTH);
    w = work_of(DPK_RC_SIGNAL_ADD);
    assert_int_equal(expect_failure(state, w, all, ~0u, ~0u), DPK_RC_REMOTE_ACCESS);
    w = good_write;
    w.wrong = DPK_RC_LOCAL_OPERATION; /* whoever posted it knows */
    assert_int_equal(expect_failure(state, w, all, ~0u, ~0u), DPK_RC_LOCAL_OPERATION);
}

/* A failed queue pair has the reason, whether its peer is in the same process or in another one. */
static void failures_have_their_reason(void **state)
{
    const unsigned all = ALL_REMOTE;
    const struct dpk_rc_work write = good_write, add = work_of(DPK_RC_FETCH_ADD);
    const struct {
        struct dpk_rc_work work;
        unsigned end, own, peers; /* what they permit */
        const char *reason;
        uint32_t key; /* not 0: in place of the peer's */
        uint64_t size, at;
        bool others;
    } cases[] = {
        {write, 0, ~0u, ~0u, "the peer's queue pair permits no remote write", 0, 8, BASE, false},
        {write, all, 0, ~0u, "allows no local read", 0, 8, BASE, false},
        {write, all, ~0u, 0, "write of 8 bytes at 0x10000 of the peer: key 0x", 0, 8, BASE, false},
        {write, all, ~0u, 0, "allows no remote write", 0, 8, BASE, false},
        {write, all, ~0u, ~0u, "of the peer: key 0xffff0001 is unknown", 0xffff0001, 8, BASE,
         false},
        {write, all, ~0u, ~0u, "has 0x10000 to 0x10ffff, the access ends 4 bytes after the end", 0,
         8, BASE + MEMORY - 4, false},
        {write, all, ~0u, ~0u, "is of another process than the peer", 0, 8, BASE, true},
        {add, all, ~0u, ~0u, "the address is not a multiple of 8", 0, 8, BASE + 4, false},
        {work_of(DPK_RC_SIGNAL_ADD), all, ~0u, ~0u, "there is no such event", 4, 8, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_rc_work w = cases[i].work;
        w.key = cases[i].key ? cases[i].key : w.key;
        w.local.size = cases[i].size;
        w.address = cases[i].at;
        w.owner.bytes[3] = cases[i].others;
        expect_failure(state, w, cases[i].end, cases[i].own, cases[i].peers);
        if (!strstr(last_reason, cases[i].reason))
            fail_msg("\"%s\" without \"%s\"", last_reason, cases[i].reason);
    }
}

static void ends_permit_what_peers_do(void **state)
{
    expect_failure(state, work_of(DPK_RC_WRITE), ALL_REMOTE ^ DPK_MEMORY_REMOTE_WRITE, ~0u, ~0u);
    expect_failure(state, work_of(DPK_RC_READ), ALL_REMOTE ^ DPK_MEMORY_REMOTE_READ, ~0u, ~0u);
    expect_failure(state, work_of(DPK_RC_FETCH_ADD), ALL_REMOTE ^ DPK_MEMORY_REMOTE_ATOMIC, ~0u,
                   ~0u);
    expect_failure(state, work_of(DPK_RC_COMPARE_SWAP), ALL_REMOTE ^ DPK_MEMORY_REMOTE_ATOMIC, ~0u,
                   ~0u);
}

static void memory_permits_what_peers_do(void **state)
{
    const unsigned all = ALL_REMOTE;
    expect_failure(state, work_of(DPK_RC_WRITE), all, ~0u, ~0u ^ DPK_MEMORY_REMOTE_WRITE);
    expect_failure(state, work_of(DPK_RC_READ), all, ~0u, ~0u ^ DPK_MEMORY_REMOTE_READ);
    expect_failure(state, work_of(DPK_RC_FETCH_ADD), all, ~0u, ~0u ^ DPK_MEMORY_REMOTE_ATOMIC);
    expect_failure(state, work_of(DPK_RC_WRITE), all, ~0u ^ DPK_MEMORY_READ, ~0u);
    expect_failure(state, work_of(DPK_RC_READ), all, ~0u ^ DPK_MEMORY_WRITE, ~0u);
    expect_failure(state, work_of(DPK_RC_SIGNAL_ADD), all, ~0u, ~0u);
    expect_failure(state, work_of(DPK_RC_SIGNAL_SET), all, ~0u, ~0u);
}

static void ranges_are_kept(void **state)
{
    struct dpk_rc_work w = good_write;
    w.address = BASE - 1;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w.address = BASE + MEMORY - 7;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w.address = UINT64_MAX - 3; /* around the end of addresses */
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = good_write;
    w.key = (UINT64_C(1) << 32) + KEY; /* not KEY with its upper half cut off */
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = good_write;
    w.local.size = MEMORY + 1;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = work_of(DPK_RC_FETCH_ADD);
    w.address = BASE + 4;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = good_write;
    w.owner.bytes[3] = 1; /* memory of a third process */
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
}

static void a_large_write_out_of_range_writes_nothing(void **state)
{
    struct dpk_rc_work w = good_write;
    w.local.size = MEMORY;
    w.address = BASE + 1;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
}

static void a_receive_that_is_too_small_fails_both(void **state)
{
    struct world *w = world(state);
    post_receive(&w->b, 0, 7);
    post_receive(&w->b, 0, 8);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, 8)});
    await_event(&w->a, 0, DPK_RC_FAILED);
    await_event(&w->b, 0, DPK_RC_RECEIVE_FAILED);
    await_event(&w->b, 1, DPK_RC_RECEIVE_FAILED); /* nobody can use it any more */
    assert_int_equal(told_at(&w->a, 0).status, DPK_RC_REMOTE_INVALID);
    assert_int_equal(told_at(&w->b, 0).status, DPK_RC_LOCAL_LENGTH);
    assert_int_equal(told_at(&w->b, 1).status, DPK_RC_FLUSHED);
    assert_string_equal(w->a.reason, "send of 8 bytes: the peer's receive has 7 bytes");
    assert_string_equal(w->b.reason, "send of 8 bytes: the receive has 7 bytes");
    world_end(w);
}

/* Work before the bad request is done, work after it fails with it. */
static void what_was_before_a_failure_is_done(void **state)
{
    struct world *w = world(state);
    struct dpk_rc_work bad = good_write;
    memset(w->a.memory, 1, 8);
    bad.local.key = KEY + 1;
    post_receive(&w->b, 0, 0);
    post(&w->a, good_write);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    post(&w->a, bad);
    post(&w->a, good_write);
    const enum dpk_rc_event events[] = {DPK_RC_DONE, DPK_RC_DONE, DPK_RC_FAILED, DPK_RC_FAILED};
    for (unsigned i = 0; i < 4; i++)
        await_event(&w->a, i, events[i]);
    assert_int_equal(told_at(&w->a, 2).status, DPK_RC_LOCAL_PROTECTION);
    assert_int_equal(told_at(&w->a, 3).status, DPK_RC_FLUSHED);
    assert_int_equal(w->b.memory[7], 1);
    world_end(w);
}

/* ---- Peers that go ---- */

static void a_peer_that_goes_fails_what_is_posted(void **state)
{
    struct world *w = world(state);
    introduce(w);
    post_receive(&w->a, 0, 8);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    silence(w, &w->a, 0);
    dpk_rc_end_destroy(w->b.end);
    w->b.end = NULL;
    await_event(&w->a, 0, DPK_RC_FAILED);
    assert_int_equal(told_at(&w->a, 0).status, DPK_RC_RETRY_EXCEEDED);
    assert_non_null(strstr(w->a.reason, "send of 0 bytes: the peer was destroyed"));
    post(&w->a, good_write);
    await_event(&w->a, 1, DPK_RC_FAILED);
    silence(w, &w->a, 2); /* the receive stays: a new connection may use it */
    world_end(w);
}

static void what_is_posted_fails_when_its_end_goes(void **state)
{
    struct world *w = world(state);
    post_receive(&w->a, 0, 8);
    post(&w->a, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .silent = true});
    dpk_rc_end_destroy(w->a.end);
    w->a.end = NULL;
    assert_int_equal(told(&w->a), 2);
    assert_int_equal(told_at(&w->a, 0).event, DPK_RC_FAILED);
    assert_int_equal(told_at(&w->a, 1).event, DPK_RC_RECEIVE_FAILED);
    world_end(w);
}

/* One queue pair of an end goes, the other stays, and is then the last. */
static void a_queue_pair_goes_alone(void **state)
{
    struct world *w = world(state);
    struct dpk_rc_qp *more;
    struct dpk_error err = {0};
    introduce(w);
    must(dpk_rc_qp_create(w->a.end, 9, &more, &err), &err);
    assert_true(dpk_rc_post(more, &(struct dpk_rc_work){.opcode = DPK_RC_SEND}));
    dpk_rc_qp_destroy(more);
    await_event(&w->a, 0, DPK_RC_FAILED);
    assert_int_equal(told_at(&w->a, 0).connection, 9);
    post_receive(&w->a, 0, 7);
    post_receive(&w->a, 0, 8);
    post(&w->b, (struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = span(0, 8)});
    await_event(&w->a, 1, DPK_RC_RECEIVE_FAILED);
    await_event(&w->a, 2, DPK_RC_RECEIVE_FAILED); /* no connection is left that could use it */
    world_end(w);
}

/* ---- Connecting ---- */

static void damaged_addresses_are_refused(void **state)
{
    struct world *w = world_with(state, 0);
    struct dpk_error err = {0};
    uint8_t bytes[DPK_RC_ADDRESS_MAX + 1];
    const size_t whole = w->b.address.size;
    memcpy(bytes, w->b.address.data, whole);
    bytes[whole] = 0;
    for (size_t size = 0; size <= sizeof bytes; size++)
        if (size != whole)
            assert_int_equal(dpk_rc_qp_connect(w->a.qp, bytes, size, &err), DPK_ERR_FORMAT);
    for (unsigned bit = 0; bit < 8 * whole; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum dpk_status status = dpk_rc_qp_connect(w->a.qp, bytes, whole, &err);
        assert_true(status == DPK_ERR_FORMAT || (status == DPK_ERR_UNSUPPORTED && bit < 64));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    side_connect(&w->a, &w->b);
    assert_int_equal(dpk_rc_qp_connect(w->a.qp, bytes, whole, &err), DPK_ERR_USAGE);
    world_end(w);
}

/* A queue pair answers only its connected peer. */
static void strangers_are_not_served(void **state)
{
    struct world *w = world(state);
    struct side c;
    side_begin(&c, w->nics[0], ALL_REMOTE);
    side_connect(&c, &w->b);
    memset(c.memory, 1, 8);
    post(&c, good_write);
    await_event(&c, 0, DPK_RC_FAILED);
    assert_int_equal(w->b.memory[0], 0);
    post(&w->a, good_write);
    await_event(&w->a, 0, DPK_RC_DONE);
    side_end(&c);
    world_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ends_permit_what_peers_do),
        TEST(memory_permits_what_peers_do),
        TEST(failures_have_their_status),
        TEST(failures_have_their_reason),
        TEST(ranges_are_kept),
        TEST(a_large_write_out_of_range_writes_nothing),
        TEST(a_receive_that_is_too_small_fails_both),
        TEST(what_was_before_a_failure_is_done),
        TEST(a_peer_that_goes_fails_what_is_posted),
        TEST(what_is_posted_fails_when_its_end_goes),
        TEST(a_queue_pair_goes_alone),
        TEST(damaged_addresses_are_refused),
        TEST(strangers_are_not_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
