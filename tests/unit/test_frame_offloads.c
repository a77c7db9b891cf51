/* Offloads that the Ethernet segment of a WQE requests: checksums, tags, segments of TCP. */
#include "queue_world.h"

#include "frame_maker.h"

static struct dpk_queue *sq;
enum { TCP = 6, UDP = 17, L3CS = 0x40000000, L4CS = (int)0x80000000u, BOTH = (int)0xc0000000u };
enum { SENT_MAX = 300 };
static struct {
    uint32_t size;
    uint8_t bytes[DPK_FRAME_MAX];
} sent[SENT_MAX];
static unsigned count;

static bool keep(void *context, const uint8_t *frame, size_t size)
{
    (void)context;
    assert_true(count < SENT_MAX);
    sent[count].size = (uint32_t)size;
    memcpy(sent[count++].bytes, frame, size);
    return true;
}

static struct dpk_queue_ops ops;

static int begin(void **state)
{
    begin_world(state);
    dpk_queues_close(w.nic);
    ops = world_ops;
    ops.leaves = keep;
    assert_int_equal(dpk_queues_open(&ops, &w, w.rc, w.steering, w.counters, &w.nic, NULL), DPK_OK);
    struct dpk_queue_options o = wq_options(&w, 0, DPK_SQ, cq_new(&w, 0));
    o.multi_sends = true;
    assert_int_equal(dpk_queue_create(w.nic, &o, &sq, NULL), DPK_OK);
    count = 0;
    return 0;
}

static unsigned syndrome(uint32_t index)
{
    assert_true(is_there(&w, 0, index));
    return cqe_at(&w, 0, index).opcode == 13 ? cqe_at(&w, 0, index).syndrome : 0;
}

/* Sends a frame, all of it in memory, with these flags, and what is in place of inline headers. */
static void send(uint16_t index, const struct made *m, uint32_t flags, uint32_t headers)
{
    memcpy(w.memory + DATA, m->bytes, m->size);
    uint64_t at = put_frame(&w, 0, sq, index, DATA, m->size);
    put_be32(&w, at + 20, flags);
    put_be32(&w, at + 28, headers);
    dpk_queue_ring(sq, (uint16_t)(index + 1));
}

static struct made without_checksums(struct made m)
{
    const uint8_t protocol = m.bytes[m.l3 + (m.bytes[m.l3] >> 4 == 4 ? 9 : 6)];
    dpk_store_be16(m.bytes + m.l4 + (protocol == TCP ? 16 : 6), 0xdead);
    if (m.bytes[m.l3] >> 4 == 4)
        dpk_store_be16(m.bytes + m.l3 + 10, 0xbeef);
    return m;
}

static void checksums_are_put_in_where_flags_ask(void **state)
{
    (void)state;
    uint16_t index = 0;
    for (unsigned i = 0; i < 8; i++) {
        const struct made good = frame_of(i & 1 ? 6 : 4, i & 2 ? TCP : UDP, i & 4 ? 7 : 0, 91 + i);
        const struct made none = without_checksums(good);
        send(index++, &none, (uint32_t)BOTH, 0);
        assert_int_equal(sent[count - 1].size, good.size);
        assert_memory_equal(sent[count - 1].bytes, good.bytes, good.size);
        consumed(&w, 0, index);
        send(index++, &none, 0, 0);
        assert_memory_equal(sent[count - 1].bytes, none.bytes, none.size);
        consumed(&w, 0, index);
        send(index++, &none, L3CS, 0);
        assert_memory_equal(sent[count - 1].bytes, good.bytes, good.l4);
        assert_memory_equal(sent[count - 1].bytes + good.l4, none.bytes + good.l4,
                            good.size - good.l4);
        consumed(&w, 0, index);
    }
}

static void a_sum_of_zero_is_sent_as_ffff_by_udp_alone(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < 2; i++) {
        struct made m = frame_of(4, i ? TCP : UDP, 0, 2);
        const uint32_t at = m.l4 + (i ? 16 : 6);
        const unsigned old = be16_at(m.bytes + at), data = be16_at(m.bytes + m.size - 2);
        /* The checksum goes into the data: then the sum without it is 0xffff. */
        dpk_store_be16(m.bytes + m.size - 2, folded(data + old));
        send(i, &m, (uint32_t)L4CS, 0);
        assert_int_equal(be16_at(sent[i].bytes + at), i ? 0 : 0xffff);
        assert_int_equal(l4_sum(sent[i].bytes, m.l3, m.l4), 0xffff);
    }
}

static void frames_without_such_headers_are_sent_as_they_are(void **state)
{
    (void)state;
    const struct made ping = frame_of(4, 1, 0, 30);
    send(0, &ping, (uint32_t)BOTH, 0);
    assert_memory_equal(sent[0].bytes, ping.bytes, ping.size);
    struct made cut = frame_of(4, UDP, 0, 30);
    cut.size -= 1;
    send(1, &cut, (uint32_t)L4CS, 0);
    assert_memory_equal(sent[1].bytes, cut.bytes, cut.size);
    const struct made arp = {.bytes = {[12] = 8, [13] = 6}, .size = 60};
    send(2, &arp, (uint32_t)BOTH, 0);
    assert_memory_equal(sent[2].bytes, arp.bytes, arp.size);
}

static void a_tag_is_put_in(void **state)
{
    (void)state;
    const struct made plain = frame_of(6, TCP, 0, 500), tagged = frame_of(6, TCP, 0x6123, 500);
    const struct made none = without_checksums(plain);
    send(0, &none, (uint32_t)BOTH, 0x80006123);
    assert_int_equal(sent[0].size, tagged.size);
    assert_memory_equal(sent[0].bytes, tagged.bytes, tagged.size);
    send(1, &plain, 0, 0x80016123);
    assert_int_equal(be16_at(sent[1].bytes + 12), 0x88a8);
    assert_memory_equal(sent[1].bytes + 14, tagged.bytes + 14, tagged.size - 14);
    struct made longest = {.size = DPK_FRAME_MAX - 4};
    send(2, &longest, 0, 0x80000001);
    assert_int_equal(sent[2].size, DPK_FRAME_MAX);
    longest.size++;
    send(3, &longest, 0, 0x80000001);
    assert_int_equal(syndrome(3), 0x01);
    assert_int_equal(count, 3);
}

static void inner_checksums_and_trailers_are_refused(void **state)
{
    (void)state;
    const uint32_t words[][2] = {
        {0x10000000, 0}, {0x20000000, 0}, {0, 0x40000000}, {0, 0x04000000}};
    for (unsigned i = 0; i < 4; i++) {
        end_world(state);
        begin(state);
        const struct made m = frame_of(4, UDP, 0, 5);
        send(0, &m, words[i][0], words[i][1]);
        assert_int_equal(syndrome(0), 0x02);
        assert_int_equal(count, 0);
        assert_int_equal(w.troubles, 1);
    }
}

/* A large send: the headers of `m` in the WQE, `data` bytes in two pieces of memory. */
static void send_large(const struct made *m, uint32_t headers, uint32_t flags, uint32_t mss,
                       uint32_t data)
{
    uint8_t *ring = w.memory + ring_at(0);
    const unsigned inside_segments = (headers - 2 + 15) / 16, segments = 4 + inside_segments;
    const uint32_t first = data / 3;
    put_control(&w, ring_at(0), sq, 0, 0x0e, segments);
    memset(ring + 16, 0, 16);
    put_be32(&w, ring_at(0) + 20, flags | mss);
    dpk_store_be16(ring + 28, (uint16_t)headers);
    memcpy(ring + 30, m->bytes, headers);
    const uint64_t at = ring_at(0) + 32 + inside_segments * 16u;
    put_data(&w, at, first, w.key, DATA);
    put_data(&w, at + 16, data - first, w.key, DATA + first);
    dpk_queue_ring(sq, (uint16_t)((segments + 3) / 4));
}

static void expect_segment(const struct made *m, unsigned i, uint32_t mss, uint32_t data)
{
    const uint8_t *f = sent[i].bytes;
    const uint32_t left = data - i * mss, here = left < mss ? left : mss, header = m->l4 + 20;
    const bool v4 = m->bytes[m->l3] >> 4 == 4, last = left <= mss;
    assert_int_equal(sent[i].size, header + here);
    assert_memory_equal(f, m->bytes, m->l3);
    assert_memory_equal(f + header, w.memory + DATA + i * mss, here);
    if (v4) {
        assert_int_equal(be16_at(f + m->l3 + 2), 40 + here);
        assert_int_equal(be16_at(f + m->l3 + 4), 0x1234 + i);
        assert_int_equal(folded(word_sum(f + m->l3, 20)), 0xffff);
    } else {
        assert_int_equal(be16_at(f + m->l3 + 4), 20 + here);
    }
    struct dpk_reader r = dpk_reader(f + m->l4 + 4, 4);
    assert_int_equal(dpk_read_be32(&r), 0xfffffff0u + i * mss); /* it wraps */
    assert_int_equal(f[m->l4 + 13], last ? 0x19 : 0x10);
    assert_int_equal(l4_sum(f, m->l3, m->l4), 0xffff);
}

static void data_is_cut_into_segments_of_tcp(void **state)
{
    const struct {
        unsigned version;
        uint16_t tci;
        uint32_t mss, data;
    } cases[] = {{4, 0, 1000, 3500}, {6, 0, 1000, 3000}, {4, 9, 1460, 3}, {6, 9, 9000, 50000}};
    for (unsigned c = 0; c < 4; c++) {
        end_world(state);
        begin(state);
        struct made m = frame_of(cases[c].version, TCP, cases[c].tci, 0);
        dpk_store_be16(m.bytes + m.l3 + (cases[c].version == 4 ? 2 : 4), 0); /* as Linux has it */
        for (uint32_t i = 0; i < cases[c].data; i++)
            w.memory[DATA + i] = (uint8_t)(i * 31 >> 3);
        send_large(&m, m.size, (uint32_t)BOTH, cases[c].mss, cases[c].data);
        assert_int_equal(syndrome(0), 0);
        assert_int_equal(cqe_at(&w, 0, 0).request, 0x0e);
        assert_int_equal(count, (cases[c].data + cases[c].mss - 1) / cases[c].mss);
        for (unsigned i = 0; i < count; i++)
            expect_segment(&m, i, cases[c].mss, cases[c].data);
    }
}

/* The samples of DOCA Ethernet send such, with nothing but a header of Ethernet. */
static void data_behind_headers_without_ip_is_cut(void **state)
{
    (void)state;
    const struct made m = frame_of(4, TCP, 0, 0);
    for (uint32_t i = 0; i < 250; i++)
        w.memory[DATA + i] = (uint8_t)i;
    send_large(&m, 14, 0, 100, 250);
    assert_int_equal(syndrome(0), 0);
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(sent[i].size, 14 + (i < 2 ? 100 : 50));
        assert_memory_equal(sent[i].bytes, m.bytes, 14);
        assert_memory_equal(sent[i].bytes + 14, w.memory + DATA + i * 100, sent[i].size - 14);
    }
}

static void large_sends_that_cannot_be_are_refused(void **state)
{
    const struct made tcp = frame_of(4, TCP, 0, 0), udp = frame_of(4, UDP, 0, 12);
    const struct {
        const struct made *m;
        uint32_t headers, mss, data;
        unsigned syndrome;
    } cases[] = {
        {&tcp, tcp.size, 0, 100, 0x02},       /* no size of segments */
        {&udp, udp.size, 100, 100, 0x02},     /* no TCP */
        {&tcp, tcp.size - 1, 100, 100, 0x02}, /* not all of the headers */
        {&tcp, 2, 100, 100, 0x02},            /* not even Ethernet */
        {&tcp, tcp.size, 9200, 9200, 0x01},   /* longer than a frame */
        {&tcp, tcp.size, 1000, 262145, 0x01}, /* more than a large send has */
        {&tcp, tcp.size, 1000, 0x7ffffff0, 0x01},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        end_world(state);
        begin(state);
        send_large(cases[i].m, cases[i].headers, (uint32_t)BOTH, cases[i].mss, cases[i].data);
        assert_int_equal(syndrome(0), cases[i].syndrome);
        assert_int_equal(count, 0);
    }
}

static void nothing_is_sent_when_not_all_data_is_there(void **state)
{
    (void)state;
    const struct made m = frame_of(4, TCP, 0, 0);
    const uint32_t limited = world_key(&w, DATA, 2000, ~0u), all = w.key;
    w.key = limited;
    send_large(&m, m.size, (uint32_t)BOTH, 1000, 2001);
    assert_int_equal(syndrome(0), 0x04);
    assert_int_equal(count, 0);
    w.key = all;
    dpk_memory_remove(limited);
}

static void frames_of_one_wqe_have_their_checksums(void **state)
{
    (void)state;
    const struct made a = frame_of(4, TCP, 0, 40), b = frame_of(6, UDP, 0, 41);
    const struct made x = without_checksums(a), y = without_checksums(b);
    memcpy(w.memory + DATA, x.bytes, x.size);
    memcpy(w.memory + DATA + 0x1000, y.bytes, y.size);
    const uint64_t at = put_control(&w, ring_at(0), sq, 0, 0x29, 4);
    memset(w.memory + at + 16, 0, 16);
    put_be32(&w, at + 20, (uint32_t)BOTH);
    put_data(&w, at + 32, x.size, w.key, DATA);
    put_data(&w, at + 48, y.size, w.key, DATA + 0x1000);
    dpk_queue_ring(sq, 1);
    assert_int_equal(count, 2);
    assert_memory_equal(sent[0].bytes, a.bytes, a.size);
    assert_memory_equal(sent[1].bytes, b.bytes, b.size);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(checksums_are_put_in_where_flags_ask),
        TEST(a_sum_of_zero_is_sent_as_ffff_by_udp_alone),
        TEST(frames_without_such_headers_are_sent_as_they_are),
        TEST(a_tag_is_put_in),
        TEST(inner_checksums_and_trailers_are_refused),
        TEST(data_is_cut_into_segments_of_tcp),
        TEST(data_behind_headers_without_ip_is_cut),
        TEST(large_sends_that_cannot_be_are_refused),
        TEST(nothing_is_sent_when_not_all_data_is_there),
        TEST(frames_of_one_wqe_have_their_checksums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
