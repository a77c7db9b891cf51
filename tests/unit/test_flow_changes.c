/* Changes of frames by rules: tags, counters, VLAN tags, tunnels. */
#include "flow_world.h"

/* ---- Tags, counters, tables ---- */

static void completions_have_tags_and_counters_count(void **state)
{
    (void)state;
    struct dpk_flow_counter counter = {0};
    const struct made m = frame_of(4, TCP, 0, 30);
    const struct dpk_flow_change changes[] = {{.kind = DPK_FLOW_TAG, .value = 0x123456},
                                              {.kind = DPK_FLOW_COUNT, .counter = &counter},
                                              {.kind = DPK_FLOW_PUSH_VLAN, .value = 0x81000005},
                                              {.kind = DPK_FLOW_COUNT, .counter = &counter},
                                              {.kind = DPK_FLOW_TAG, .value = 0xabcdef}};
    const uint8_t *cqe = changed(&m, changes, 2);
    assert_int_equal(word_at(cqe + 56) & 0xffffff, 0x123456);
    cqe = changed(&m, changes, 5);
    assert_int_equal(word_at(cqe + 56) & 0xffffff, 0xabcdef);
    cqe = changed(&m, changes, 0);
    assert_int_equal(word_at(cqe + 56) & 0xffffff, 0);
    assert_int_equal(counter.packets, 3);
    assert_int_equal(counter.octets, 3 * m.size + 4);
}

/* A frame waits for its receive, and keeps what the rule has said of it. */
static void frames_that_wait_keep_their_tags(void **state)
{
    (void)state;
    const struct made m = frame_of(4, TCP, 0, 30);
    const struct dpk_flow_change tag = {.kind = DPK_FLOW_TAG, .value = 77};
    struct dpk_flow_rule *r =
        rule_with(w.root, &tag, 1, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = rq});
    frame_arrives(&w, m.bytes, m.size);
    dpk_flow_rule_free(r);
    assert_int_equal(dpk_cq_produced(cq), 0);
    put_receive(&w, 0, 0, ROOM, TO);
    post_receives(&w, 0, 1);
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(cqe_at(&w, 0, 0).number, 77);
}

static void registers_and_new_headers_are_matched_by_the_next_table(void **state)
{
    (void)state;
    struct dpk_flow_table *next = dpk_flow_table_new(w.steering, DPK_FLOW_RX, false);
    const struct dpk_flow_modification list[] = {parsed(set(0x51, 0, 32, 0xcafe)),
                                                 parsed(set(0x15, 24, 8, 99))};
    const struct dpk_flow_change change = {
        .kind = DPK_FLOW_MODIFY, .modifications = list, .size = 2};
    struct dpk_match match = {{0}, {0}};
    match.mask[DPK_MATCH_MISC2 + 46] = match.mask[DPK_MATCH_MISC2 + 47] = 0xff; /* C_0 */
    match.value[DPK_MATCH_MISC2 + 46] = 0xca, match.value[DPK_MATCH_MISC2 + 47] = 0xfe;
    match.mask[44] = 0xff, match.value[44] = 99;
    struct dpk_flow_rule *jump = rule_with(
        w.root, &change, 1, (struct dpk_flow_target){.kind = DPK_FLOW_TABLE, .table = next});
    struct dpk_flow_rule *to =
        rule_in(next, &match, 0, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = rq});
    const struct made m = frame_of(4, TCP, 0, 30);
    put_receive(&w, 0, 0, ROOM, TO);
    post_receives(&w, 0, 1);
    frame_arrives(&w, m.bytes, m.size);
    assert_int_equal(dpk_cq_produced(cq), 1);
    dpk_flow_rule_free(jump);
    dpk_flow_rule_free(to);
    dpk_flow_table_free(next);
}

/* ---- Tags of VLANs ---- */

static void tags_are_pushed_and_popped(void **state)
{
    (void)state;
    struct made m = frame_of(4, TCP, 0, 30);
    const struct dpk_flow_change push[] = {{.kind = DPK_FLOW_PUSH_VLAN, .value = 0x8100a123},
                                           {.kind = DPK_FLOW_PUSH_VLAN, .value = 0x88a80456}},
                                 pop = {.kind = DPK_FLOW_POP_VLAN};
    const uint8_t *cqe = changed(&m, push, 2), *got = w.memory + TO;
    assert_int_equal(size_in(cqe), m.size + 8);
    assert_memory_equal(got, m.bytes, 12);
    assert_int_equal(word_at(got + 12), 0x88a80456);
    assert_int_equal(word_at(got + 16), 0x8100a123);
    assert_memory_equal(got + 20, m.bytes + 12, m.size - 12);
    assert_int_equal(cqe[28], 7);
    struct made tagged = {.size = m.size + 8, .l3 = m.l3 + 8, .l4 = m.l4 + 8};
    memcpy(tagged.bytes, got, tagged.size);
    const uint64_t vid = set(0x17, 0, 12, 0xfed); /* of the outer one */
    modified(&tagged, &vid, 1);
    assert_int_equal(word_at(got + 12), 0x88a80fed);
    assert_int_equal(word_at(got + 16), 0x8100a123);
    const struct dpk_flow_change thrice[] = {pop, pop, pop};
    assert_int_equal(size_in(changed(&tagged, thrice, 3)), m.size); /* the third finds none */
    assert_memory_equal(got, m.bytes, m.size);
    tagged.size = 17; /* without the tag it would be no frame */
    assert_int_equal(size_in(changed(&tagged, &pop, 1)), 17);
}

static void frames_that_get_too_long_are_dropped_and_counted(void **state)
{
    (void)state;
    const struct dpk_flow_change push = {.kind = DPK_FLOW_PUSH_VLAN, .value = 0x81000001};
    struct made m = frame_of(4, UDP, 0, 9000);
    m.size = DPK_FRAME_MAX - 4;
    assert_int_equal(size_in(changed(&m, &push, 1)), DPK_FRAME_MAX);
    m.size++;
    assert_null(changed(&m, &push, 1));
    assert_int_equal(counted(&w, DPK_DROP_TOO_LONG), 1);
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 0);
}

/* ---- Tunnels ---- */

enum { OUTER = 50 }; /* Ethernet, IPv4, UDP, VXLAN */

/* Headers as programs give them: lengths and checksums are 0. */
static void outer_headers(uint8_t out[OUTER], uint16_t source_port)
{
    static const uint8_t headers[OUTER] = {
        1, 2, 3,    4,    5, 6,  7,   8, 9,    10, 11, 12, 0x08, 0,    0x45, 0, 0,
        0, 0, 0,    0x40, 0, 64, UDP, 0, 0,    10, 0,  0,  1,    10,   0,    0, 2,
        0, 0, 0x12, 0xb5, 0, 0,  0,   0, 0x08, 0,  0,  0,  0xab, 0xcd, 0xef, 0};
    memcpy(out, headers, OUTER);
    dpk_store_be16(out + 34, source_port);
}

static struct made in_tunnel(const struct made *m, uint16_t source_port)
{
    uint8_t headers[OUTER];
    outer_headers(headers, source_port);
    const struct dpk_flow_change wrap = {.kind = DPK_FLOW_WRAP, .header = headers, .size = OUTER};
    const uint8_t *cqe = changed(m, &wrap, 1), *got = w.memory + TO;
    assert_non_null(cqe);
    assert_int_equal(cqe[28], 7);
    struct made wrapped = {.size = m->size + OUTER, .l3 = 14, .l4 = 34};
    assert_int_equal(size_in(cqe), wrapped.size);
    memcpy(wrapped.bytes, got, wrapped.size);
    return wrapped;
}

static void frames_are_put_into_vxlan_and_taken_out(void **state)
{
    (void)state;
    const struct dpk_flow_change unwrap = {.kind = DPK_FLOW_UNWRAP};
    const struct made m = frame_of(6, TCP, 5, 777);
    struct made wrapped = in_tunnel(&m, 4321);
    assert_int_equal(be16_at(wrapped.bytes + 16), wrapped.size - 14);
    assert_int_equal(folded(word_sum(wrapped.bytes + 14, 20)), 0xffff);
    assert_int_equal(be16_at(wrapped.bytes + 34), 4321);
    assert_int_equal(be16_at(wrapped.bytes + 38), m.size + 16);
    assert_memory_equal(wrapped.bytes + OUTER, m.bytes, m.size);
    wrapped.size += 3; /* padding of the link layer */
    assert_int_equal(size_in(changed(&wrapped, &unwrap, 1)), m.size);
    assert_memory_equal(w.memory + TO, m.bytes, m.size);
}

static void each_flow_has_a_source_port_of_its_own(void **state)
{
    (void)state;
    struct made m = frame_of(4, TCP, 0, 7);
    const unsigned first = be16_at(in_tunnel(&m, 0).bytes + 34);
    assert_true(first >= 49152);
    m.bytes[m.l4 + 25] ^= 1; /* data */
    m.bytes[m.l4 + 13] ^= 8; /* flags */
    m.bytes[m.l3 + 8]--;     /* time to live, */
    dpk_store_be16(m.bytes + m.l3 + 10, (uint16_t)(be16_at(m.bytes + m.l3 + 10) + 0x100));
    dpk_store_be16(m.bytes + m.l4 + 16, 0);
    dpk_store_be16(m.bytes + m.l4 + 16, (uint16_t)~l4_sum(m.bytes, m.l3, m.l4));
    assert_int_equal(be16_at(in_tunnel(&m, 0).bytes + 34), first);
    m.bytes[m.l4 + 1] ^= 1; /* the port */
    const unsigned other = be16_at(in_tunnel(&m, 0).bytes + 34);
    assert_true(other >= 49152 && other != first);
}

static void what_is_no_vxlan_is_dropped(void **state)
{
    (void)state;
    const struct dpk_flow_change unwrap = {.kind = DPK_FLOW_UNWRAP};
    const struct made inner = frame_of(4, TCP, 0, 0), good = in_tunnel(&inner, 1);
    uint32_t drops = 0;
    struct made m = inner;
    assert_null(changed(&m, &unwrap, 1));
    m = good;
    m.bytes[37]++; /* the port */
    assert_null(changed(&m, &unwrap, 1));
    m = good;
    m.bytes[42] = 0; /* no VNI */
    assert_null(changed(&m, &unwrap, 1));
    m = good;
    m.bytes[20] = 0x20; /* a fragment */
    assert_null(changed(&m, &unwrap, 1));
    drops = 4;
    for (m = good; m.size >= OUTER + 14; m.size--)
        assert_non_null(changed(&m, &unwrap, 1));
    for (; m.size >= 14; m.size--, drops++)
        assert_null(changed(&m, &unwrap, 1));
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE) + counted(&w, DPK_DROP_TOO_SHORT), drops);
    m = frame_of(4, UDP, 0, DPK_FRAME_MAX - OUTER + 1 - 42);
    uint8_t headers[OUTER];
    outer_headers(headers, 1);
    const struct dpk_flow_change wrap = {.kind = DPK_FLOW_WRAP, .header = headers, .size = OUTER};
    assert_null(changed(&m, &wrap, 1));
    assert_int_equal(counted(&w, DPK_DROP_TOO_LONG), 1);
}

/* A path that ends in a drop is not a loss if another path does not end so. */
static void a_change_may_drop_one_of_two_copies(void **state)
{
    (void)state;
    const struct dpk_flow_change unwrap = {.kind = DPK_FLOW_UNWRAP};
    const struct dpk_flow_actions both = {
        .targets = {{.kind = DPK_FLOW_QUEUE, .queue = rq, .change = &unwrap},
                    {.kind = DPK_FLOW_QUEUE, .queue = rq}},
        .target_count = 2};
    struct dpk_flow_rule *r = dpk_flow_rule_new(w.root, &anything, 0, &both);
    const struct made m = frame_of(4, TCP, 0, 40);
    put_receive(&w, 0, 0, ROOM, TO);
    post_receives(&w, 0, 1);
    frame_arrives(&w, m.bytes, m.size);
    assert_int_equal(counted(&w, DPK_RECEIVED), 1);
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE) + counted(&w, DPK_COPIED), 0);
    dpk_flow_rule_free(r);
}

/* As a mirror has it: the copy is in a tunnel, the frame itself is as it was. */
static void a_target_has_a_change_of_its_own(void **state)
{
    (void)state;
    struct dpk_flow_table *fdb = dpk_flow_table_new(w.steering, DPK_FLOW_FDB, true);
    struct dpk_queue *sq = wq_new(&w, 2, DPK_SQ, cq_new(&w, 2));
    uint8_t headers[OUTER];
    outer_headers(headers, 5);
    const struct dpk_flow_change wrap = {.kind = DPK_FLOW_WRAP, .header = headers, .size = OUTER};
    const struct dpk_flow_actions both = {
        .changes = {{.kind = DPK_FLOW_PUSH_VLAN, .value = 0x81000007}},
        .change_count = 1,
        .targets = {{.kind = DPK_FLOW_UPLINK, .change = &wrap}, {.kind = DPK_FLOW_MANAGER}},
        .target_count = 2};
    struct dpk_flow_rule *r = dpk_flow_rule_new(fdb, &anything, 0, &both);
    const struct made m = frame_of(4, TCP, 0, 40);
    w.plugged = true;
    all_frames_to(&w, rq);
    put_receive(&w, 0, 0, ROOM, TO);
    post_receives(&w, 0, 1);
    memcpy(w.memory + DATA, m.bytes, m.size);
    put_frame(&w, 2, sq, 0, DATA, m.size);
    dpk_queue_ring(sq, 1);
    assert_int_equal(w.left, 1);
    assert_int_equal(word_at(w.last_left + OUTER + 12), 0x81000007);
    assert_memory_equal(w.last_left + OUTER + 16, m.bytes + 12, m.size - 12);
    assert_int_equal(cqe_at(&w, 0, 0).bytes, m.size + 4);
    assert_int_equal(word_at(w.memory + TO + 12), 0x81000007);
    assert_memory_equal(w.memory + TO + 16, m.bytes + 12, m.size - 12);
    assert_int_equal(counted(&w, DPK_COPIED), 1);
    dpk_flow_rule_free(r);
    dpk_flow_table_free(fdb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end_world)
        TEST(completions_have_tags_and_counters_count),
        TEST(frames_that_wait_keep_their_tags),
        TEST(registers_and_new_headers_are_matched_by_the_next_table),
        TEST(tags_are_pushed_and_popped),
        TEST(frames_that_get_too_long_are_dropped_and_counted),
        TEST(frames_are_put_into_vxlan_and_taken_out),
        TEST(each_flow_has_a_source_port_of_its_own),
        TEST(what_is_no_vxlan_is_dropped),
        TEST(a_change_may_drop_one_of_two_copies),
        TEST(a_target_has_a_change_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
