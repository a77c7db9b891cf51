/* Steering: which table and rule a frame meets, and which of its fields count. */
#include <stdlib.h>

#include "queue_world.h"

static struct dpk_queue *cq, *first, *second;
static uint16_t posted; /* receives of the first */

static int begin(void **state)
{
    begin_world(state);
    cq = cq_new(&w, 0);
    posted = 4;
    first = wq_new(&w, 0, DPK_RQ, cq);
    second = wq_new(&w, 1, DPK_RQ, cq);
    for (unsigned slot = 0; slot < 2; slot++) {
        for (uint16_t i = 0; i < 4; i++)
            put_receive(&w, slot, i, 200, DATA + 0x1000);
        post_receives(&w, slot, 4);
    }
    return 0;
}

static void arrives(const uint8_t *frame, size_t size)
{
    frame_arrives(&w, frame, size);
}

/* The queue that gets the frame; NULL: none. */
static struct dpk_queue *taker(const uint8_t *frame, size_t size)
{
    const uint32_t before = dpk_cq_produced(cq);
    arrives(frame, size);
    if (dpk_cq_produced(cq) == before)
        return NULL;
    const uint32_t got = cqe_at(&w, 0, before).user_index;
    consumed(&w, 0, before + 1);
    return got == user_index_of(0) ? first : second;
}

static void rules_take_frames_by_priority_and_mask(void **state)
{
    (void)state;
    const struct dpk_match mine = {.mask = {0xff, 0xf0}, .value = {2, 0x40}}; /* source address */
    uint8_t frame[64] = {[6] = 2, [7] = 0x4f};
    arrives(frame, 64);
    assert_int_equal(dpk_frames_waiting(w.nic), 1);
    struct dpk_flow_rule *rule = frames_to(&w, first, &mine, 0);
    assert_int_equal(cqe_at(&w, 0, 0).user_index, user_index_of(0));
    frame[7] = 0x3f;
    assert_null(taker(frame, 64));
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 1);
    w.every = frames_to(&w, second, &(struct dpk_match){{0}, {0}}, 1);
    frame[7] = 0x41;
    assert_ptr_equal(taker(frame, 64), first);
    dpk_flow_rule_free(rule);
    assert_ptr_equal(taker(frame, 64), second);
    assert_int_equal(dpk_queue_destroy(second, NULL), DPK_OK);
    arrives(frame, 64);
    assert_int_equal(dpk_frames_waiting(w.nic), 1); /* no rule is left */
}

static void the_oldest_of_equal_rules_counts(void **state)
{
    (void)state;
    const struct dpk_match every = {{0}, {0}};
    struct dpk_flow_rule *late = frames_to(&w, second, &every, 7);
    w.every = frames_to(&w, first, &every, 3);
    struct dpk_flow_rule *same = frames_to(&w, second, &every, 3);
    assert_ptr_equal(taker((uint8_t[64]){0}, 64), first);
    dpk_flow_rule_free(same);
    dpk_flow_rule_free(late);
}

/* ---- Tables ---- */

static struct dpk_flow_rule *rule(struct dpk_flow_table *in, const struct dpk_match *match,
                                  struct dpk_flow_target to)
{
    return rule_in(in, match, 0, to);
}

static const struct dpk_match from_two = {.mask = {0xff}, .value = {2}};
static const struct dpk_match anything = {{0}, {0}};

static void a_rule_leads_to_another_table(void **state)
{
    (void)state;
    struct dpk_flow_table *next = dpk_flow_table_new(w.steering, DPK_FLOW_RX, false);
    const struct dpk_match to_nine = {.mask = {[8] = 0xff}, .value = {[8] = 9}};
    struct dpk_flow_rule *end_of_way =
        rule(next, &to_nine, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = second});
    w.every = frames_to(&w, first, &anything, 1);
    const uint8_t both[64] = {[0] = 9, [6] = 2}, one[64] = {[6] = 2}, other[64] = {[0] = 9};
    assert_ptr_equal(taker(both, 64), first); /* nothing leads there */
    struct dpk_flow_rule *jump =
        rule(w.root, &from_two, (struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = next});
    assert_ptr_equal(taker(both, 64), second);
    assert_null(taker(one, 64)); /* what the second table does not know is dropped there */
    assert_ptr_equal(taker(other, 64), first);
    dpk_flow_rule_free(jump);
    dpk_flow_rule_free(end_of_way);
    dpk_flow_table_free(next);
}

static void tables_that_lead_to_each_other_drop_a_frame(void **state)
{
    (void)state;
    struct dpk_flow_table *t[2];
    struct dpk_flow_rule *r[3];
    for (unsigned i = 0; i < 2; i++)
        t[i] = dpk_flow_table_new(w.steering, DPK_FLOW_RX, false);
    for (unsigned i = 0; i < 3; i++)
        r[i] = rule(i < 2 ? t[i] : w.root, &anything,
                    (struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = t[(i + 1) % 2]});
    struct dpk_flow_rule *heard = frames_to(&w, first, &anything, 1);
    assert_null(taker((uint8_t[64]){0}, 64));
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 1);
    for (unsigned i = 0; i < 3; i++)
        dpk_flow_rule_free(r[i]);
    dpk_flow_rule_free(heard);
    for (unsigned i = 0; i < 2; i++)
        dpk_flow_table_free(t[i]);
}

static void a_frame_goes_to_every_target(void **state)
{
    (void)state;
    struct dpk_flow_table *next = dpk_flow_table_new(w.steering, DPK_FLOW_RX, false);
    struct dpk_flow_rule *other =
        rule(next, &anything, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = second});
    const struct dpk_flow_actions all = {.targets = {{.kind = DPK_FLOW_MISS},
                                                     {.kind = DPK_FLOW_TABLE, .table = next},
                                                     {.kind = DPK_FLOW_QUEUE, .queue = first}},
                                         .target_count = 3};
    const uint8_t frame[64] = {[6] = 1};
    arrives(frame, 64); /* waits for the rule, and is copied then */
    struct dpk_flow_rule *r = dpk_flow_rule_new(w.root, &anything, 0, &all);
    assert_int_equal(dpk_cq_produced(cq), 2);
    assert_int_not_equal(cqe_at(&w, 0, 0).user_index, cqe_at(&w, 0, 1).user_index);
    struct dpk_queue *sq = wq_new(&w, 2, DPK_SQ, cq_new(&w, 2));
    put_frame(&w, 2, sq, 0, DATA, 64);
    dpk_queue_ring(sq, 1);
    assert_int_equal(dpk_cq_produced(cq), 4);
    assert_int_equal(counted(&w, DPK_RECEIVED), 4);
    assert_int_equal(dpk_queue_destroy(first, NULL), DPK_OK);
    arrives(frame, 64);
    assert_int_equal(dpk_cq_produced(cq), 5);
    assert_int_equal(cqe_at(&w, 0, 4).user_index, user_index_of(1));
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE) + dpk_frames_waiting(w.nic), 0);
    dpk_flow_rule_free(r);
    dpk_flow_rule_free(other);
    dpk_flow_table_free(next);
}

static void root_tables_of_a_domain_are_one(void **state)
{
    (void)state;
    struct dpk_flow_table *again = dpk_flow_table_new(w.steering, DPK_FLOW_RX, true);
    struct dpk_flow_rule *r =
        rule(again, &anything, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = first});
    assert_ptr_equal(taker((uint8_t[64]){0}, 64), first);
    dpk_flow_rule_free(r);
    dpk_flow_table_free(again);
}

/* ---- What is sent ---- */

static void send(struct dpk_queue *sq, uint16_t index, uint8_t source)
{
    w.memory[DATA + 6] = source;
    put_frame(&w, 2, sq, index, DATA, 64);
    dpk_queue_ring(sq, (uint16_t)(index + 1));
}

static void frames_that_are_sent_pass_tx_and_fdb(void **state)
{
    (void)state;
    struct dpk_queue *sq = wq_new(&w, 2, DPK_SQ, cq_new(&w, 2));
    struct dpk_flow_table *tx = dpk_flow_table_new(w.steering, DPK_FLOW_TX, true),
                          *fdb = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, true),
                          *next = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, false);
    w.plugged = true;
    w.every = frames_to(&w, first, &anything, 0);
    send(sq, 0, 2);
    assert_int_equal(w.left, 1); /* no rules */
    struct dpk_flow_rule *jump =
        rule(fdb, &from_two, (struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = next});
    send(sq, 1, 2);
    assert_int_equal(w.left, 1); /* back to the manager of the FDB */
    assert_int_equal(dpk_cq_produced(cq), 1);
    send(sq, 2, 3);
    assert_int_equal(w.left, 2); /* the root table lets out what it does not know */
    struct dpk_flow_rule *out =
        rule(next, &from_two, (struct dpk_flow_target){.kind = DPK_FLOW_UPLINK});
    send(sq, 3, 2);
    assert_int_equal(w.left, 3);
    struct dpk_flow_rule *drop =
        rule(tx, &from_two, (struct dpk_flow_target){.kind = DPK_FLOW_DROP});
    send(sq, 4, 2);
    assert_int_equal(w.left, 3);
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 1);
    assert_int_equal(counted(&w, DPK_SENT), 5);
    dpk_flow_rule_free(drop);
    dpk_flow_rule_free(out);
    dpk_flow_rule_free(jump);
    dpk_flow_table_free(next);
    dpk_flow_table_free(fdb);
    dpk_flow_table_free(tx);
}

static void sent_frames_have_their_metadata_and_source(void **state)
{
    (void)state;
    struct dpk_queue *sq = wq_new(&w, 2, DPK_SQ, cq_new(&w, 2));
    struct dpk_flow_table *fdb = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, true);
    struct dpk_match m = {{0}, {0}};
    memset(m.mask + DPK_MATCH_MISC2 + 48, 0xff, 4); /* register A */
    memset(m.mask + DPK_MATCH_MISC + 6, 0xff, 2);   /* source_port */
    dpk_store_be32(m.value + DPK_MATCH_MISC2 + 48, 0x12345678);
    struct dpk_flow_rule *drop = rule(fdb, &m, (struct dpk_flow_target){.kind = DPK_FLOW_DROP});
    w.plugged = true;
    for (uint16_t i = 0; i < 3; i++) {
        const uint64_t at = put_frame(&w, 2, sq, i, DATA, 64);
        put_be32(&w, at + 24, 0x12345677 + i);
        dpk_queue_ring(sq, (uint16_t)(i + 1));
        assert_int_equal(w.left, i == 0 ? 1 : i);
    }
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 1);
    dpk_flow_rule_free(drop);
    dpk_flow_table_free(fdb);
}

static void frames_from_the_wire_pass_fdb_and_rx(void **state)
{
    (void)state;
    struct dpk_flow_table *fdb = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, true),
                          *next = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, false);
    const uint8_t frame[64] = {[6] = 2}, other[64] = {[6] = 3};
    struct dpk_match mine = from_two, wire = from_two;
    memset(mine.mask + DPK_MATCH_MISC + 6, 0xff, 2); /* source_port 0 */
    memset(wire.mask + DPK_MATCH_MISC + 6, 0xff, 2);
    memset(wire.value + DPK_MATCH_MISC + 6, 0xff, 2);
    struct dpk_flow_rule *sent = rule(fdb, &mine, (struct dpk_flow_target){.kind = DPK_FLOW_DROP});
    w.plugged = true;
    w.every = frames_to(&w, first, &anything, 0);
    assert_ptr_equal(taker(frame, 64), first); /* the rule is for frames that are sent */
    struct dpk_flow_rule *r =
        rule(fdb, &wire, (struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = next});
    assert_ptr_equal(taker(frame, 64), first); /* no rule of the next table knows it */
    struct dpk_flow_rule *out =
        rule(next, &anything, (struct dpk_flow_target){.kind = DPK_FLOW_UPLINK});
    assert_null(taker(frame, 64));
    assert_int_equal(w.left, 1);
    assert_ptr_equal(taker(other, 64), first);
    dpk_flow_rule_free(out);
    out = rule(next, &anything, (struct dpk_flow_target){.kind = DPK_FLOW_MANAGER});
    assert_ptr_equal(taker(frame, 64), first);
    dpk_flow_rule_free(out);
    out = rule(next, &anything, (struct dpk_flow_target){.kind = DPK_FLOW_DROP});
    assert_null(taker(frame, 64));
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 1);
    dpk_flow_rule_free(out);
    dpk_flow_rule_free(r);
    dpk_flow_rule_free(sent);
    dpk_flow_table_free(next);
    dpk_flow_table_free(fdb);
}

/* A rule that sends everything out does not send it for ever. */
static void what_comes_back_in_is_the_devices(void **state)
{
    (void)state;
    struct dpk_queue *sq = wq_new(&w, 2, DPK_SQ, cq_new(&w, 2));
    struct dpk_flow_table *fdb = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, true);
    struct dpk_flow_rule *out =
        rule(fdb, &anything, (struct dpk_flow_target){.kind = DPK_FLOW_UPLINK});
    w.every = frames_to(&w, first, &anything, 0);
    send(sq, 0, 2);
    assert_int_equal(dpk_cq_produced(cq), 1);
    arrives((uint8_t[64]){1}, 64); /* by the wire: out, and back in */
    assert_int_equal(dpk_cq_produced(cq), 2);
    dpk_flow_rule_free(out);
    dpk_flow_table_free(fdb);
}

/* ---- Fields ---- */

/* Whether a rule for one field, at `at` in fte_match_set_lyr_2_4, takes the frame. */
static bool has(const uint8_t *frame, size_t size, unsigned at, uint8_t mask, uint8_t value)
{
    struct dpk_match m = {{0}, {0}};
    m.mask[at] = mask;
    m.value[at] = value;
    struct dpk_flow_rule *r = frames_to(&w, first, &m, 0);
    bool taken = taker(frame, size) != NULL;
    if (taken)
        post_receives(&w, 0, ++posted);
    dpk_flow_rule_free(r);
    return taken;
}

static void fields_of_ipv4_and_udp(void **state)
{
    (void)state;
    /* a VLAN tag (priority 5, 0x123), options of 4 bytes, DSCP 46, ECN 1, TTL 64 */
    const uint8_t f[] = {1,    2,    3,    4,    5,    6,    11,   12, 13, 14, 15, 16, 0x81,
                         0x00, 0xa1, 0x23, 0x08, 0x00, 0x46, 0xb9, 0,  32, 0,  0,  0,  0,
                         64,   17,   0,    0,    10,   0,    0,    1,  10, 0,  0,  2,  1,
                         1,    1,    1,    0x12, 0x34, 0x56, 0x78, 0,  8,  0,  0};
    static const uint8_t want[DPK_MATCH_PART] = {
        11,   12,   13,   14,        15,   16, 0x08, 0x00,      1, 2,         3,
        4,    5,    6,    0xa1,      0x23, 17, 0xb9, 0x88,      0, [27] = 64, 0x12,
        0x34, 0x56, 0x78, [44] = 10, 0,    0,  1,    [60] = 10, 0, 0,         2};
    for (unsigned i = 0; i < DPK_MATCH_PART; i++) {
        assert_true(has(f, sizeof f, i, 0xff, want[i]));
        assert_false(has(f, sizeof f, i, 0xff, (uint8_t)(want[i] ^ 0x10)));
    }
}

/* Whether a rule for a field at `at` takes the frame exactly when it asks for that value. */
static bool is(const uint8_t *frame, size_t size, unsigned at, uint8_t value)
{
    return has(frame, size, at, 0xff, value) && !has(frame, size, at, 0xff, value ^ 0x81);
}

static void fields_of_two_tags_and_vxlan(void **state)
{
    (void)state;
    uint8_t f[22 + 20 + 8 + 8 + 14] = {[12] = 0x88, 0xa8,      0xa1,        0x23,        0x81,
                                       0x00,        0x65,      0x43,        [20] = 0x08, 0,
                                       0x45,        [31] = 17, [44] = 0x12, 0xb5};
    f[50] = 0x08, f[54] = 0xab, f[55] = 0xcd, f[56] = 0xef;
    assert_true(is(f, sizeof f, 14, 0xa1) && is(f, sizeof f, 15, 0x23));
    assert_true(is(f, sizeof f, 18, 0x48));
    assert_true(is(f, sizeof f, DPK_MATCH_MISC + 8, 0x65));
    assert_true(is(f, sizeof f, DPK_MATCH_MISC + 9, 0x43));
    assert_true(is(f, sizeof f, DPK_MATCH_MISC + 12, 0x80));
    for (unsigned i = 0; i < 3; i++)
        assert_true(is(f, sizeof f, DPK_MATCH_MISC + 20 + i, f[54 + i]));
    assert_true(is(f, 56, DPK_MATCH_MISC + 20, 0)); /* cut off */
    f[50] = 0;                                      /* no VNI */
    assert_true(is(f, sizeof f, DPK_MATCH_MISC + 20, 0));
    f[50] = 0x08, f[45]++; /* not the port of VXLAN */
    assert_true(is(f, sizeof f, DPK_MATCH_MISC + 20, 0));
    assert_true(is(f, sizeof f, DPK_MATCH_MISC + 6, 0xff)); /* from the uplink */
}

static void fields_of_ipv6_and_tcp(void **state)
{
    (void)state;
    uint8_t f[14 + 40 + 8 + 20] = {[6] = 7, [12] = 0x86, 0xdd, 0x6b, 0x90, [18] = 0, 28, 0, 63};
    f[22] = 0xfe, f[37] = 0xaa; /* source */
    f[38] = 0xfd, f[53] = 0xbb;
    f[54] = 6; /* TCP follows a hop-by-hop header of 8 bytes */
    f[62] = 0x01, f[63] = 0x02, f[64] = 0x03, f[65] = 0x04;
    f[74] = 0x51, f[75] = 0x12; /* NS, SYN and ACK */
    static const uint8_t want[DPK_MATCH_PART] = {
        [0] = 7, [6] = 0x86, 0xdd, [16] = 6,  0xb9,        0x0d,        0x12,        1,
        2,       3,          4,    [27] = 63, [32] = 0xfe, [47] = 0xaa, [48] = 0xfd, [63] = 0xbb};
    for (unsigned i = 0; i < DPK_MATCH_PART; i++)
        assert_true(has(f, sizeof f, i, 0xff, want[i]));
}

static void only_the_first_fragment_has_ports(void **state)
{
    (void)state;
    uint8_t f[64] = {[12] = 0x08, 0x00, 0x45, [23] = 17, [34] = 0x12, 0x34};
    f[20] = 0x20; /* more fragments follow */
    assert_true(has(f, sizeof f, 18, 0x20, 0x20));
    assert_true(has(f, sizeof f, 28, 0xff, 0x12));
    f[21] = 1;
    assert_true(has(f, sizeof f, 18, 0x20, 0x20));
    assert_true(has(f, sizeof f, 28, 0xff, 0));
}

/* A field that is not whole is not there, and nothing beyond the frame is read. */
static void short_frames_have_what_they_have(void **state)
{
    (void)state;
    uint8_t f[64] = {1, [6] = 7, [12] = 0x08, 0x00, 0x45, [22] = 64, 17, [26] = 10};
    for (size_t size = 14; size < 64; size++) {
        uint8_t *exact = malloc(size);
        memcpy(exact, f, size);
        assert_true(has(exact, size, 0, 0xff, 7));
        assert_true(has(exact, size, 16, 0xff, size >= 24 ? 17 : 0));
        assert_true(has(exact, size, 44, 0xff, size >= 30 ? 10 : 0));
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end_world)
        TEST(rules_take_frames_by_priority_and_mask),
        TEST(the_oldest_of_equal_rules_counts),
        TEST(a_rule_leads_to_another_table),
        TEST(tables_that_lead_to_each_other_drop_a_frame),
        TEST(a_frame_goes_to_every_target),
        TEST(root_tables_of_a_domain_are_one),
        TEST(frames_that_are_sent_pass_tx_and_fdb),
        TEST(sent_frames_have_their_metadata_and_source),
        TEST(frames_from_the_wire_pass_fdb_and_rx),
        TEST(what_comes_back_in_is_the_devices),
        TEST(fields_of_ipv4_and_udp),
        TEST(fields_of_two_tags_and_vxlan),
        TEST(fields_of_ipv6_and_tcp),
        TEST(only_the_first_fragment_has_ports),
        TEST(short_frames_have_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
