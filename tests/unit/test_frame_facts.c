/* Completions describe received frames: struct mlx5_cqe64, bytes 12 to 36. */
#include "queue_world.h"

#include "frame_maker.h"

static struct dpk_queue *rq;
enum { L2 = 1, L3 = 2, L4 = 4, ALL = 7, IPV6 = 0x04, IPV4 = 0x08, FRAGMENT = 0x80, OPTIONS = 0x02 };
enum { TCP_NO_ACK = 0x10, UDP_TYPE = 0x20, TCP_ACK = 0x30, TCP_ACK_DATA = 0x40 };
enum { TCP = 6, UDP = 17, ROOM = 2000, TO = DATA + 0x1000 };

static void receiver(void)
{
    struct dpk_queue_options o = wq_options(&w, 0, DPK_RQ, cq_new(&w, 0));
    assert_int_equal(dpk_queue_create(w.nic, &o, &rq, NULL), DPK_OK);
    all_frames_to(&w, rq);
}

/* The completion of a frame that arrives as number `index`. */
static const uint8_t *completion_of(const struct made *m, uint32_t index)
{
    put_receive(&w, 0, (uint16_t)index, ROOM, TO);
    post_receives(&w, 0, (uint16_t)(index + 1));
    consumed(&w, 0, index);
    frame_arrives(&w, m->bytes, m->size);
    assert_true(is_there(&w, 0, index));
    return w.memory + cq_ring(0) + (index & ((1u << CQ_LOG) - 1)) * 64u;
}

static void expect(const struct made *m, uint32_t index, unsigned checks, unsigned headers)
{
    const uint8_t *cqe = completion_of(m, index);
    assert_int_equal(cqe[28], checks);
    assert_int_equal(be16_at(cqe + 20), checks); /* csum_ok of libflexio */
    assert_int_equal(cqe[29], headers);
    assert_int_equal(be16_at(cqe + 30), 0);
    assert_int_equal(cqe_at(&w, 0, index).bytes, m->size);
}

static void right_checksums_are_reported_with_the_types_of_headers(void **state)
{
    (void)state;
    receiver();
    const unsigned versions[] = {4, 6};
    for (uint32_t i = 0; i < 2; i++) {
        const unsigned ip = i ? IPV6 : IPV4;
        struct made m = frame_of(versions[i], TCP, 0, 101);
        expect(&m, 5 * i, ALL, ip | TCP_ACK_DATA);
        m = frame_of(versions[i], TCP, 0x2005, 0); /* after a tag, without data */
        m.size += 6;                               /* padding of the link layer is not data */
        expect(&m, 5 * i + 1, ALL, ip | TCP_ACK);
        m = frame_of(versions[i], UDP, 0, 33);
        expect(&m, 5 * i + 2, ALL, ip | UDP_TYPE);
        m = frame_of(versions[i], 1, 0, 20);
        expect(&m, 5 * i + 3, L2 | L3, ip);
        m = frame_of(versions[i], TCP, 0, 3);
        m.bytes[m.l4 + 13] = 0x02; /* SYN */
        dpk_store_be16(m.bytes + m.l4 + 16, 0);
        dpk_store_be16(m.bytes + m.l4 + 16, (uint16_t)~l4_sum(m.bytes, m.l3, m.l4));
        expect(&m, 5 * i + 4, ALL, ip | TCP_NO_ACK);
    }
}

static void each_wrong_bit_is_seen(void **state)
{
    (void)state;
    receiver();
    uint32_t index = 0;
    for (unsigned version = 4; version <= 6; version += 2) {
        const struct made good = frame_of(version, UDP, 0, 9);
        for (uint32_t byte = good.l4; byte < good.size; byte++) {
            struct made m = good;
            m.bytes[byte] ^= (uint8_t)(1u << byte % 8);
            assert_int_equal(completion_of(&m, index++)[28], L2 | L3);
        }
    }
    const struct made good = frame_of(4, TCP, 0, 9);
    for (uint32_t byte = good.l3 + 8; byte < good.l3 + 12; byte++) {
        struct made m = good;
        m.bytes[byte] ^= 0x10;
        assert_int_equal(completion_of(&m, index++)[28] & L3, 0);
    }
}

static void datagrams_without_a_checksum_are_right_over_ipv4_alone(void **state)
{
    (void)state;
    receiver();
    for (uint32_t i = 0; i < 2; i++) {
        struct made m = frame_of(i ? 6 : 4, UDP, 0, 10);
        dpk_store_be16(m.bytes + m.l4 + 6, 0);
        expect(&m, i, i ? L2 | L3 : ALL, (i ? IPV6 : IPV4) | UDP_TYPE);
    }
}

/* With the header's checksum mended. */
static void put_header(struct made *m, uint32_t at, uint16_t value)
{
    uint8_t *p = m->bytes + m->l3;
    dpk_store_be16(p + at, value);
    dpk_store_be16(p + 10, 0);
    dpk_store_be16(p + 10, (uint16_t)~folded(word_sum(p, 20)));
}

static void fragments_have_no_checksum_of_their_own(void **state)
{
    (void)state;
    receiver();
    const uint16_t fields[] = {0x2000, 0x0005, 0x2005};
    for (uint32_t i = 0; i < 3; i++) {
        struct made m = frame_of(4, UDP, 0, 24);
        put_header(&m, 6, fields[i]);
        expect(&m, i, L2 | L3, IPV4 | FRAGMENT);
    }
    struct made m = frame_of(4, UDP, 0, 24);
    put_header(&m, 6, 0x4000); /* "do not fragment" does not make a fragment */
    expect(&m, 3, ALL, IPV4 | UDP_TYPE);
    m = frame_of(6, 44, 0, 24);
    m.bytes[m.l4] = UDP;
    expect(&m, 4, L2 | L3, IPV6 | OPTIONS | FRAGMENT);
}

static void broken_headers_are_reported_as_none(void **state)
{
    (void)state;
    receiver();
    struct made m = frame_of(4, TCP, 0, 0);
    uint32_t index = 0;
    for (m.size = 14; m.size < m.l4; m.size++)
        expect(&m, index++, L2, 0);
    for (; m.size < m.l4 + 20; m.size++)
        expect(&m, index++, L2 | L3, IPV4);
    m = frame_of(4, TCP, 0, 0);
    m.bytes[m.l4 + 12] = 0x40; /* 16 bytes of header */
    expect(&m, index++, L2 | L3, IPV4);
    m = frame_of(4, TCP, 0, 50);
    m.size -= 1; /* cut off */
    expect(&m, index++, L2 | L3, IPV4 | TCP_ACK_DATA);
    m = frame_of(4, TCP, 0, 0);
    m.bytes[m.l3] = 0x65; /* version 6 in a packet of version 4 */
    expect(&m, index++, L2, 0);
    m.bytes[m.l3] = 0x44;
    expect(&m, index++, L2, 0);
    m = frame_of(6, TCP, 0, 0);
    for (m.size = 14; m.size < m.l4; m.size++)
        expect(&m, index++, L2, 0);
}

static void stacks_of_tags_are_looked_through(void **state)
{
    (void)state;
    receiver();
    const struct made m = frame_of(4, UDP, 0, 30);
    struct made deep = m;
    for (uint32_t i = 0; i < 10; i++) {
        dpk_store_be16(deep.bytes + 12 + 4 * i, i % 2 ? 0x88a8 : 0x8100);
        dpk_store_be16(deep.bytes + 14 + 4 * i, (uint16_t)(i + 1));
    }
    memcpy(deep.bytes + 52, m.bytes + 12, m.size - 12);
    deep.size += 40;
    expect(&deep, 0, ALL, IPV4 | UDP_TYPE);
}

/* Header and checksum (0xb861) of the example in RFC texts that is known best. */
static void a_published_header_is_right(void **state)
{
    (void)state;
    static const uint8_t header[] = {0x45, 0x00, 0x00, 0x14, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
                                     0xb8, 0xc0, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};
    struct made m = {.size = 34};
    receiver();
    dpk_store_be16(m.bytes + 12, 0x0800);
    memcpy(m.bytes + 14, header, sizeof header);
    expect(&m, 0, L2 | L3, IPV4);
    dpk_store_be16(m.bytes + 14 + 2, 0x73);
    dpk_store_be16(m.bytes + 14 + 10, 0xb861);
    expect(&m, 1, L2 | L3, IPV4);
    m.bytes[14 + 11] ^= 1;
    expect(&m, 2, L2, IPV4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(right_checksums_are_reported_with_the_types_of_headers,
                                        begin_world, end_world),
        cmocka_unit_test_setup_teardown(each_wrong_bit_is_seen, begin_world, end_world),
        cmocka_unit_test_setup_teardown(datagrams_without_a_checksum_are_right_over_ipv4_alone,
                                        begin_world, end_world),
        cmocka_unit_test_setup_teardown(fragments_have_no_checksum_of_their_own, begin_world,
                                        end_world),
        cmocka_unit_test_setup_teardown(broken_headers_are_reported_as_none, begin_world,
                                        end_world),
        cmocka_unit_test_setup_teardown(stacks_of_tags_are_looked_through, begin_world, end_world),
        cmocka_unit_test_setup_teardown(a_published_header_is_right, begin_world, end_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
