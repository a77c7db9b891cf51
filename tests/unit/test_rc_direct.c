/* Direct copies: large writes and reads between processes of which the rings carry only the heads. */
#include "rc_peer.h"
#include "rc_world.h"

#define LARGE (8 * SEGMENT)

static struct world *apart(void)
{
    static const bool yes = true;
    const void *mode = &yes;
    return world((void **)&mode);
}

static void fill(struct side *s, uint8_t seed)
{
    for (size_t i = 0; i < MEMORY; i++)
        s->memory[i] = (uint8_t)(i * 7 + i / 4096 + seed);
}

static struct dpk_rc_work large(enum dpk_rc_opcode opcode, uint64_t from, uint64_t to)
{
    return (struct dpk_rc_work){
        .opcode = opcode, .local = span(from, LARGE), .key = KEY, .address = BASE + to};
}

/* Carries out a work of `a`; its status. */
static enum dpk_rc_status run(struct world *w, struct dpk_rc_work work)
{
    const size_t n = told(&w->a);
    post(&w->a, work);
    return told_at(&w->a, n).status;
}

/* How many offers a side has taken of the other one's memory, by the channel of its own requests, or of the
 * peer's. */
static unsigned taken(const struct side *s, bool requests)
{
    dpk_rc_lock(s->rc);
    const struct channel *c = requests ? s->qp->requests : s->qp->responses;
    const unsigned count = c ? c->direct.taken : 0;
    dpk_rc_unlock(s->rc);
    return count;
}

/* Bytes that went through the ring to the peer. */
static uint32_t sent(const struct side *s)
{
    dpk_rc_lock(s->rc);
    const uint32_t at = s->qp->requests->rings.out.at;
    dpk_rc_unlock(s->rc);
    return at;
}

static uint32_t answered(const struct side *s)
{
    dpk_rc_lock(s->rc);
    const uint32_t at = s->qp->requests->rings.in.at;
    dpk_rc_unlock(s->rc);
    return at;
}

static void large_writes_are_fetched(void **state)
{
    struct world *w = apart();
    (void)state;
    fill(&w->a, 1);
    for (unsigned i = 0; i < 3; i++) /* the first one asks, the second offers */
        assert_int_equal(run(w, large(DPK_RC_WRITE, 0, 0)), DPK_RC_OK);
    assert_int_equal(taken(&w->b, false), 1);
    const uint32_t before = sent(&w->a);
    assert_int_equal(run(w, large(DPK_RC_WRITE, 24, 4096 + 8)), DPK_RC_OK);
    assert_true(sent(&w->a) - before <= 4 * FRAME_SIZE);
    side_sync(&w->b);
    assert_memory_equal(w->b.memory + 4096 + 8, w->a.memory + 24, LARGE);
    assert_memory_equal(w->b.memory, w->a.memory, 4096 + 8);
    world_end(w);
}

static void large_reads_are_fetched(void **state)
{
    struct world *w = apart();
    (void)state;
    fill(&w->b, 2);
    assert_int_equal(run(w, large(DPK_RC_READ, 0, 0)), DPK_RC_OK);
    assert_int_not_equal(taken(&w->a, true), 0);
    const uint32_t before = answered(&w->a);
    assert_int_equal(run(w, large(DPK_RC_READ, 4096 + 8, 24)), DPK_RC_OK);
    assert_int_equal(answered(&w->a), before);
    assert_memory_equal(w->a.memory + 4096 + 8, w->b.memory + 24, LARGE);
    assert_memory_equal(w->a.memory, w->b.memory, 4096 + 8);
    world_end(w);
}

/* A read of what was written just before. */
static void the_order_is_kept(void **state)
{
    struct world *w = apart();
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        fill(&w->a, (uint8_t)(3 + i));
        const size_t n = told(&w->a);
        post(&w->a, large(DPK_RC_WRITE, 0, LARGE));
        post(&w->a, large(DPK_RC_READ, LARGE, LARGE));
        assert_int_equal(told_at(&w->a, n + 1).status, DPK_RC_OK);
        assert_memory_equal(w->a.memory + LARGE, w->a.memory, LARGE);
    }
    assert_int_not_equal(taken(&w->a, true), 0);
    assert_int_not_equal(taken(&w->b, false), 0);
    world_end(w);
}

/* More keys than offers are kept: none is taken for another. */
static void keys_come_and_go(void **state)
{
    struct world *w = apart();
    (void)state;
    for (unsigned i = 0; i < 3 * OFFERS_MAX; i++) {
        side_register(&w->a, ~0u);
        if (i % 3 == 0)
            side_register(&w->b, ~0u);
        fill(&w->a, (uint8_t)i);
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(run(w, large(DPK_RC_WRITE, 0, LARGE)), DPK_RC_OK);
        side_sync(&w->b);
        assert_memory_equal(w->b.memory + LARGE, w->a.memory, LARGE);
        fill(&w->b, (uint8_t)(i + 100));
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(run(w, large(DPK_RC_READ, LARGE, LARGE)), DPK_RC_OK);
        assert_memory_equal(w->a.memory + LARGE, w->b.memory + LARGE, LARGE);
    }
    assert_true(taken(&w->b, false) > OFFERS_MAX);
    world_end(w);
}

/* Both ways are in use; `a` has the memory of `b`, and the other way round. */
static struct world *warm(void)
{
    struct world *w = apart();
    fill(&w->b, 9);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run(w, large(DPK_RC_WRITE, 0, 0)), DPK_RC_OK);
        assert_int_equal(run(w, large(DPK_RC_READ, 0, 0)), DPK_RC_OK);
    }
    return w;
}

static void expect_failure(struct world *w, struct dpk_rc_work work, enum dpk_rc_status status)
{
    memset(w->a.memory, 0x55, MEMORY);
    assert_int_equal(run(w, work), status);
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(w->a.memory[LARGE + i], 0x55);
    world_end(w);
}

static void memory_that_is_taken_back_is_not_read(void **state)
{
    struct world *w = warm();
    (void)state;
    const uint32_t key = w->b.key;
    dpk_memory_remove(key);
    expect_failure(w, large(DPK_RC_READ, LARGE, 0), DPK_RC_REMOTE_ACCESS);
}

static void a_range_that_is_not_the_keys_is_not_read(void **state)
{
    (void)state;
    expect_failure(warm(), large(DPK_RC_READ, LARGE, MEMORY - LARGE + 1), DPK_RC_REMOTE_ACCESS);
}

static void rights_that_are_withdrawn_count(void **state)
{
    struct world *w = warm();
    (void)state;
    dpk_rc_end_permit(w->b.end, DPK_MEMORY_REMOTE_WRITE);
    expect_failure(w, large(DPK_RC_READ, LARGE, 0), DPK_RC_REMOTE_ACCESS);
}

static void a_peer_that_is_gone_is_not_read(void **state)
{
    struct world *w = warm();
    (void)state;
    dpk_rc_qp_fail(w->b.qp);
    memset(w->a.memory, 0x55, MEMORY);
    post(&w->a, large(DPK_RC_READ, LARGE, 0));
    assert_int_not_equal(told_at(&w->a, 6).status, DPK_RC_OK);
    assert_int_equal(w->a.memory[LARGE], 0x55);
    world_end(w);
}

/* The peer finds that it cannot fetch: it is the requester's memory that is wrong. */
static void what_is_taken_back_under_way_fails_as_ones_own(void **state)
{
    struct world *w = warm();
    (void)state;
    dpk_rc_lock(w->b.rc);
    const size_t n = told(&w->a);
    struct dpk_rc_work work = with_keys(&w->a, large(DPK_RC_WRITE, 0, 0));
    assert_true(dpk_rc_post(w->a.qp, &work));
    dpk_memory_remove(w->a.key);
    dpk_rc_unlock(w->b.rc);
    assert_int_equal(told_at(&w->a, n).status, DPK_RC_LOCAL_PROTECTION);
    assert_non_null(strstr(w->a.reason, "not registered any more"));
    world_end(w);
}

static void other_memory_with_the_same_key_is_not_mixed_up(void **state)
{
    struct world *w = warm();
    struct dpk_error err = {0};
    uint8_t *other = malloc(MEMORY);
    (void)state;
    memset(other, 0x77, MEMORY);
    must(dpk_memory_replace(w->b.key,
                            &(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                 .rights = ~0u,
                                                 .address = BASE,
                                                 .size = MEMORY,
                                                 .host = other,
                                                 .domains = {&w->b.domain}},
                            &err),
         &err);
    for (unsigned i = 0; i < 3; i++) {
        memset(w->a.memory, 0, MEMORY);
        assert_int_equal(run(w, large(DPK_RC_READ, LARGE, 0)), DPK_RC_OK);
        assert_memory_equal(w->a.memory + LARGE, other, LARGE);
    }
    world_end(w);
    free(other);
}

/* ---- Peers that mean it no good ---- */

static struct world *attacked;

static struct peer attack(void)
{
    static const bool yes = true;
    const void *mode = &yes;
    struct peer p = peer_new();
    attacked = world_with((void **)&mode, ALL_REMOTE);
    side_connect(&attacked->b, &attacked->a);
    peer_hello_as(&p, &attacked->a.address, &attacked->b.address);
    return p;
}

static struct frame write_frame(uint32_t size)
{
    return (struct frame){.kind = FRAME_REQUEST,
                          .request = {.opcode = DPK_RC_WRITE,
                                      .first = true,
                                      .last = true,
                                      .size = size,
                                      .total = size,
                                      .key = attacked->b.key,
                                      .address = BASE}};
}

static void bytes_that_were_never_offered_end_the_connection(void **state)
{
    struct peer p = attack();
    struct frame f = write_frame(SEGMENT);
    (void)state;
    f.request.by_reference = true;
    f.request.compare = 1;
    peer_put(&p, f, NULL);
    peer_knock(&p);
    assert_true(peer_is_cut_off(&p));
    peer_end(&p);
    world_end(attacked);
}

static void an_offer_of_nonsense_is_refused(void **state)
{
    struct peer p = attack();
    struct frame f = write_frame(8), answer;
    uint8_t payload[8 + OFFER_SIZE], head[FRAME_SIZE];
    uint32_t size;
    (void)state;
    memset(payload, 0xff, sizeof payload);
    f.request.offers = true;
    f.payload = sizeof payload;
    peer_put(&p, f, payload);
    peer_knock(&p);
    for (int i = 0; i < 60000 && ring_filled(&p.rings.in, &size) == RING_WAIT; i++)
        usleep(1000);
    ring_copy(&p.rings.in, head, sizeof head);
    assert_true(pairs_frame_read(head, &answer));
    assert_int_equal(answer.response.status, DPK_RC_OK);
    assert_int_equal(answer.response.direct, DIRECT_KNOWN | DIRECT_REFUSED);
    assert_int_equal(peek(&attacked->b, 7), 0xff);
    peer_end(&p);
    world_end(attacked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_writes_are_fetched),
        cmocka_unit_test(large_reads_are_fetched),
        cmocka_unit_test(the_order_is_kept),
        cmocka_unit_test(keys_come_and_go),
        cmocka_unit_test(memory_that_is_taken_back_is_not_read),
        cmocka_unit_test(a_range_that_is_not_the_keys_is_not_read),
        cmocka_unit_test(rights_that_are_withdrawn_count),
        cmocka_unit_test(a_peer_that_is_gone_is_not_read),
        cmocka_unit_test(what_is_taken_back_under_way_fails_as_ones_own),
        cmocka_unit_test(other_memory_with_the_same_key_is_not_mixed_up),
        cmocka_unit_test(bytes_that_were_never_offered_end_the_connection),
        cmocka_unit_test(an_offer_of_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
