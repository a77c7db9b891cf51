/* RSS: hashes are those that Microsoft publishes ("Verifying the RSS Hash Calculation"), and they
 * choose receive queues. */
#include "queue_world.h"

#include <arpa/inet.h>

#include "frame_maker.h"

enum { TCP = 6, UDP = 17, QUEUES = 3 };
enum { SOURCE = DPK_RSS_SOURCE, ADDRESSES = SOURCE | DPK_RSS_DESTINATION };
enum { ALL = ADDRESSES | DPK_RSS_SOURCE_PORT | DPK_RSS_DESTINATION_PORT };

static struct dpk_queue *cq, *rq[QUEUES];
static uint32_t received;

static const struct dpk_rss microsoft = {
    .hashes = true,
    .fields = ALL,
    .key = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
            0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
            0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa}};

static int begin(void **state)
{
    begin_world(state);
    cq = cq_new(&w, 0);
    received = 0;
    for (unsigned slot = 0; slot < QUEUES; slot++)
        rq[slot] = wq_new(&w, slot, DPK_RQ, cq);
    return 0;
}

/* Everything goes to the receiver. */
static struct dpk_flow_rule *rule_to(struct dpk_flow_tir *tir)
{
    return rule_in(w.root, &(struct dpk_match){{0}, {0}}, 0,
                   (struct dpk_flow_target){.kind = DPK_FLOW_TIR, .tir = tir});
}

static struct dpk_flow_tir *tir_of(const struct dpk_rss *rss, bool direct, uint32_t number)
{
    struct dpk_flow_tir *tir;
    assert_int_equal(dpk_flow_tir_new(w.steering, rss, direct, number, &tir, NULL), DPK_OK);
    return tir;
}

static struct dpk_flow_rqt *table_of(const unsigned *slots, uint32_t count)
{
    uint32_t numbers[16];
    struct dpk_flow_rqt *rqt;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = dpk_queue_number(rq[slots[i]]);
    assert_int_equal(dpk_flow_rqt_new(w.steering, numbers, count, &rqt, NULL), DPK_OK);
    return rqt;
}

/* The completion of a frame; NULL: it was dropped. */
static const uint8_t *arrives(const struct made *m)
{
    static uint16_t posted[QUEUES];
    if (received == 0)
        memset(posted, 0, sizeof posted);
    const uint32_t before = dpk_cq_produced(cq);
    for (unsigned slot = 0; slot < QUEUES; slot++) {
        if (before > 0 && cqe_at(&w, 0, before - 1).user_index == user_index_of(slot))
            posted[slot]++;
        put_receive(&w, slot, posted[slot], 2000, DATA + 0x1000);
        post_receives(&w, slot, (uint16_t)(posted[slot] + 1));
    }
    frame_arrives(&w, m->bytes, m->size);
    if (dpk_cq_produced(cq) == before)
        return NULL;
    received++;
    consumed(&w, 0, received);
    return w.memory + cq_ring(0) + (before & ((1u << CQ_LOG) - 1)) * 64u;
}

static uint32_t hash_in(const uint8_t *cqe)
{
    struct dpk_reader r = dpk_reader(cqe + 12, 4);
    return dpk_read_be32(&r);
}

static unsigned slot_of(const uint8_t *cqe)
{
    return cqe[35]; /* the last byte of user_index_of */
}

struct flow {
    int family;
    const char *destination, *source;
    uint16_t destination_port, source_port;
    uint32_t addresses, all; /* hashes */
};

static struct made frame_for(const struct flow *f, uint8_t protocol)
{
    const bool v6 = f->family == AF_INET6;
    struct made m = frame_of(v6 ? 6 : 4, protocol, 0, 10);
    uint8_t *ip = m.bytes + m.l3;
    assert_int_equal(inet_pton(f->family, f->source, ip + (v6 ? 8 : 12)), 1);
    assert_int_equal(inet_pton(f->family, f->destination, ip + (v6 ? 24 : 16)), 1);
    dpk_store_be16(m.bytes + m.l4, f->source_port);
    dpk_store_be16(m.bytes + m.l4 + 2, f->destination_port);
    return m;
}

static const struct flow published[] = {
    {AF_INET, "161.142.100.80", "66.9.149.187", 1766, 2794, 0x323e8fc2, 0x51ccc178},
    {AF_INET, "65.69.140.83", "199.92.111.2", 4739, 14230, 0xd718262a, 0xc626b0ea},
    {AF_INET, "12.22.207.184", "24.19.198.95", 38024, 12898, 0xd2d0a5de, 0x5c2b394a},
    {AF_INET, "209.142.163.6", "38.27.205.30", 2217, 48228, 0x82989176, 0xafc7327f},
    {AF_INET, "202.188.127.2", "153.39.163.191", 1303, 44251, 0x5d1809c5, 0x10e828a2},
    {AF_INET6, "3ffe:2501:200:3::1", "3ffe:2501:200:1fff::7", 1766, 2794, 0x2cc18cd5, 0x40207d3d},
    {AF_INET6, "ff02::1", "3ffe:501:8::260:97ff:fe40:efab", 4739, 14230, 0x0f0c461c, 0xdde51bbf},
    {AF_INET6, "fe80::200:f8ff:fe21:67cf", "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 38024, 44251,
     0x4b61e985, 0x02d1feef},
};
#define PUBLISHED (sizeof published / sizeof *published)

static void expect_hash(const struct dpk_rss *rss, const struct made *m, uint32_t hash,
                        unsigned type)
{
    struct dpk_flow_tir *tir = tir_of(rss, true, dpk_queue_number(rq[1]));
    struct dpk_flow_rule *r = rule_to(tir);
    const uint8_t *cqe = arrives(m);
    assert_non_null(cqe);
    assert_int_equal(hash_in(cqe), hash);
    assert_int_equal(cqe[16], type);
    assert_int_equal(slot_of(cqe), 1);
    dpk_flow_rule_free(r);
    dpk_flow_tir_free(tir);
}

static void hashes_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < PUBLISHED; i++) {
        const struct flow *f = &published[i];
        struct dpk_rss rss = microsoft;
        rss.ipv6 = f->family == AF_INET6;
        const unsigned ip = rss.ipv6 ? 0x0a : 0x05;
        const struct made tcp = frame_for(f, TCP), udp = frame_for(f, UDP);
        expect_hash(&rss, &tcp, f->all, ip | 0x50);
        expect_hash(&rss, &udp, f->addresses, ip); /* its ports are not those of TCP */
        rss.udp = true;
        expect_hash(&rss, &udp, f->all, ip | 0xa0);
        rss.fields = ADDRESSES;
        expect_hash(&rss, &tcp, f->addresses, ip);
    }
}

static void what_is_not_hashed_is_said_in_the_type(void **state)
{
    (void)state;
    struct dpk_rss rss = microsoft;
    struct made m = frame_for(&published[0], TCP);
    rss.ipv6 = true;
    expect_hash(&rss, &m, 0, 0);
    rss.ipv6 = false, rss.hashes = false;
    expect_hash(&rss, &m, 0, 0);
    rss.hashes = true, rss.fields = 0;
    expect_hash(&rss, &m, 0, 0);
    rss.fields = ALL;
    m.bytes[m.l3 + 6] = 0x20; /* the first fragment of several */
    expect_hash(&rss, &m, published[0].addresses, 0x05);
    /* One bit of the first byte that is hashed gives the key from that bit on. */
    rss.fields = DPK_RSS_DESTINATION_PORT;
    m = frame_for(&(struct flow){AF_INET, "1.2.3.4", "5.6.7.8", 0x8000, 9, 0, 0}, TCP);
    expect_hash(&rss, &m, 0x6d5a56da, 0x40);
    rss.fields = SOURCE;
    m = frame_for(&(struct flow){AF_INET, "1.2.3.4", "0.128.0.0", 1, 9, 0, 0}, TCP);
    expect_hash(&rss, &m, 0x5a56da25, 0x01);
}

static void symmetric_hashes_are_those_of_the_way_back(void **state)
{
    (void)state;
    struct dpk_rss rss = microsoft;
    const struct flow
        *f = &published[0],
        back = {AF_INET, f->source, f->destination, f->source_port, f->destination_port, 0, 0},
        /* addresses and ports that are a | b and a ^ b of these */
        both = {AF_INET, "227.135.241.235", "227.143.245.251", 1766 ^ 2794, 1766 | 2794, 0, 0};
    struct dpk_flow_tir *tir = tir_of(&microsoft, true, dpk_queue_number(rq[1]));
    struct dpk_flow_rule *r = rule_to(tir);
    const struct made m = frame_for(&both, TCP), there = frame_for(f, TCP),
                      here = frame_for(&back, TCP);
    const uint32_t hash = hash_in(arrives(&m));
    assert_int_not_equal(hash_in(arrives(&here)), f->all);
    dpk_flow_rule_free(r);
    dpk_flow_tir_free(tir);
    rss.symmetric = true;
    expect_hash(&rss, &there, hash, 0x55);
    expect_hash(&rss, &here, hash, 0x55);
}

/* ---- Tables ---- */

static void hashes_choose_entries_of_tables(void **state)
{
    (void)state;
    const unsigned slots[] = {2, 0, 1, 1, 0, 2, 2}, others[] = {1};
    struct dpk_flow_rqt *rqt = table_of(slots, 7);
    struct dpk_flow_tir *tir = tir_of(&microsoft, false, dpk_flow_rqt_number(rqt));
    struct dpk_flow_rule *r = rule_to(tir);
    for (size_t i = 0; i < 5; i++) {
        const struct made m = frame_for(&published[i], TCP);
        assert_int_equal(slot_of(arrives(&m)), slots[published[i].all % 7]);
    }
    const uint32_t one = dpk_queue_number(rq[others[0]]);
    assert_int_equal(dpk_flow_rqt_set(rqt, &one, 1, NULL), DPK_OK);
    for (size_t i = 0; i < 5; i++) {
        const struct made m = frame_for(&published[i], TCP);
        assert_int_equal(slot_of(arrives(&m)), 1);
    }
    assert_false(dpk_flow_rqt_free(rqt)); /* the receiver has it */
    assert_true(dpk_flow_tir_is_used(tir));
    dpk_flow_rule_free(r);
    assert_false(dpk_flow_tir_is_used(tir));
    dpk_flow_tir_free(tir);
    assert_true(dpk_flow_rqt_free(rqt));
}

static void entries_of_destroyed_queues_drop_frames(void **state)
{
    (void)state;
    const unsigned slots[] = {0, 1};
    struct dpk_flow_rqt *rqt = table_of(slots, 2);
    struct dpk_flow_tir *tir = tir_of(&microsoft, false, dpk_flow_rqt_number(rqt));
    struct dpk_flow_rule *r = rule_to(tir);
    const struct made even = frame_for(&published[0], TCP), odd = frame_for(&published[3], TCP);
    assert_int_equal(slot_of(arrives(&even)), 0);
    assert_int_equal(slot_of(arrives(&odd)), 1);
    assert_int_equal(dpk_queue_destroy(rq[0], NULL), DPK_OK);
    assert_null(arrives(&even));
    assert_int_equal(slot_of(arrives(&odd)), 1);
    assert_int_equal(dpk_queue_destroy(rq[1], NULL), DPK_OK);
    assert_null(arrives(&odd)); /* held back: no queue is left that could get it */
    dpk_flow_rule_free(r);
    dpk_flow_tir_free(tir);
    assert_true(dpk_flow_rqt_free(rqt));
}

/* Frames are held back until somebody listens to a queue that gets them, whatever leads there. */
static void frames_wait_for_a_rule_to_a_receiver(void **state)
{
    (void)state;
    const unsigned slots[] = {1, 1}, other[] = {2};
    struct dpk_flow_rqt *rqt = table_of(slots, 2);
    struct dpk_flow_tir *first = tir_of(&microsoft, false, dpk_flow_rqt_number(rqt)),
                        *second = tir_of(&microsoft, false, dpk_flow_rqt_number(rqt));
    const struct made m = frame_for(&published[0], TCP);
    assert_null(arrives(&m));
    struct dpk_flow_rule *r[2] = {rule_to(first), rule_to(second)};
    assert_int_equal(dpk_cq_produced(cq), 1);
    dpk_flow_rule_free(r[0]);
    const uint32_t number = dpk_queue_number(rq[other[0]]);
    assert_int_equal(dpk_flow_rqt_set(rqt, &number, 1, NULL), DPK_OK);
    assert_int_equal(slot_of(arrives(&m)), 2);
    dpk_flow_rule_free(r[1]);
    struct dpk_flow_rule *drop = rule_in(w.root, &(struct dpk_match){{0}, {0}}, 0,
                                         (struct dpk_flow_target){.kind = DPK_FLOW_DROP});
    assert_null(arrives(&m));
    assert_int_equal(dpk_frames_waiting(w.nic), 1); /* no rule leads to a queue any more */
    dpk_flow_rule_free(drop);
    dpk_flow_tir_free(first);
    dpk_flow_tir_free(second);
    assert_true(dpk_flow_rqt_free(rqt));
}

static void frames_that_wait_get_to_a_new_entry(void **state)
{
    (void)state;
    const unsigned slots[] = {0};
    struct dpk_flow_rqt *rqt = table_of(slots, 1);
    struct dpk_flow_tir *tir = tir_of(&microsoft, false, dpk_flow_rqt_number(rqt));
    struct dpk_flow_rule *r = rule_to(tir);
    const struct made m = frame_for(&published[0], TCP);
    assert_int_equal(dpk_queue_destroy(rq[0], NULL), DPK_OK);
    assert_null(arrives(&m));
    assert_int_equal(dpk_frames_waiting(w.nic), 1);
    const uint32_t number = dpk_queue_number(rq[1]);
    assert_int_equal(dpk_flow_rqt_set(rqt, &number, 1, NULL), DPK_OK);
    assert_int_equal(dpk_cq_produced(cq), 1);
    dpk_flow_rule_free(r);
    dpk_flow_tir_free(tir);
    assert_true(dpk_flow_rqt_free(rqt));
}

/* ---- All at once ---- */

enum { ROUNDS = 400 };

/* Changes the table, and gives and takes a rule, again and again. */
static void *changes(void *argument)
{
    struct dpk_flow_rqt *rqt = argument;
    struct dpk_flow_counter counter = {0};
    struct dpk_flow_actions does = {.changes = {{.kind = DPK_FLOW_COUNT, .counter = &counter},
                                                {.kind = DPK_FLOW_PUSH_VLAN, .value = 0x81000001}},
                                    .change_count = 2,
                                    .targets = {{.kind = DPK_FLOW_DROP}},
                                    .target_count = 1};
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t number = dpk_queue_number(rq[i % QUEUES]);
        dpk_flow_rqt_set(rqt, &number, 1, NULL);
        struct dpk_flow_tir *tir;
        if (dpk_flow_tir_new(w.steering, &microsoft, false, dpk_flow_rqt_number(rqt), &tir, NULL) !=
            DPK_OK)
            return rqt;
        does.targets[0] = (struct dpk_flow_target){.kind = DPK_FLOW_TIR, .tir = tir};
        struct dpk_flow_rule *r =
            dpk_flow_rule_new(w.root, &(struct dpk_match){{0}, {0}}, 0, &does);
        if (!r)
            return rqt;
        dpk_flow_rule_free(r);
        dpk_flow_tir_free(tir);
    }
    return NULL;
}

static void rules_and_tables_change_while_frames_arrive(void **state)
{
    (void)state;
    const unsigned slots[] = {0};
    struct dpk_flow_rqt *rqt = table_of(slots, 1);
    struct dpk_flow_tir *tir = tir_of(&microsoft, false, dpk_flow_rqt_number(rqt));
    struct dpk_flow_rule *r = rule_in(w.root, &(struct dpk_match){{0}, {0}}, 1,
                                      (struct dpk_flow_target){.kind = DPK_FLOW_TIR, .tir = tir});
    const struct made m = frame_for(&published[0], TCP);
    const struct dpk_frame frame = {m.bytes, m.size};
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(pthread_create(&thread, NULL, changes, rqt), 0);
    for (unsigned i = 0; i < ROUNDS; i++)
        dpk_frames_arrive(w.nic, &frame, 1, false);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_int_equal(dpk_frames_waiting(w.nic) + counted(&w, DPK_DROP_OUT_OF_BUFFER), ROUNDS);
    dpk_flow_rule_free(r);
    dpk_flow_tir_free(tir);
    assert_true(dpk_flow_rqt_free(rqt));
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    struct dpk_flow_rqt *rqt = NULL;
    struct dpk_flow_tir *tir = NULL;
    struct dpk_error err = {0};
    const uint32_t numbers[] = {dpk_queue_number(rq[0]), dpk_queue_number(cq)};
    assert_int_equal(dpk_flow_rqt_new(w.steering, numbers, 0, &rqt, &err), DPK_ERR_RANGE);
    assert_int_equal(dpk_flow_rqt_new(w.steering, numbers, 65536, &rqt, &err), DPK_ERR_RANGE);
    assert_int_equal(dpk_flow_rqt_new(w.steering, numbers, 2, &rqt, &err), DPK_ERR_NOT_FOUND);
    assert_null(rqt);
    assert_int_equal(dpk_flow_rqt_new(w.steering, numbers, 1, &rqt, &err), DPK_OK);
    assert_int_equal(dpk_flow_rqt_set(rqt, numbers, 2, &err), DPK_ERR_NOT_FOUND);
    const uint32_t number = dpk_flow_rqt_number(rqt);
    assert_int_equal(dpk_flow_tir_new(w.steering, &microsoft, false, number + 1, &tir, &err),
                     DPK_ERR_NOT_FOUND);
    assert_int_equal(dpk_flow_tir_new(w.steering, &microsoft, true, numbers[1], &tir, &err),
                     DPK_ERR_NOT_FOUND);
    assert_null(tir);
    assert_true(dpk_flow_rqt_free(rqt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end_world)
        TEST(hashes_are_the_published_ones),
        TEST(what_is_not_hashed_is_said_in_the_type),
        TEST(symmetric_hashes_are_those_of_the_way_back),
        TEST(hashes_choose_entries_of_tables),
        TEST(entries_of_destroyed_queues_drop_frames),
        TEST(frames_wait_for_a_rule_to_a_receiver),
        TEST(frames_that_wait_get_to_a_new_entry),
        TEST(rules_and_tables_change_while_frames_arrive),
        TEST(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
