/* Fields of headers that rules set, add to and copy; checksums. */
#include "flow_world.h"

static uint64_t add(uint64_t field, uint32_t data)
{
    return UINT64_C(2) << 60 | field << 48 | data;
}

static uint64_t copy(uint64_t from, unsigned offset, unsigned length, uint64_t to,
                     unsigned to_offset)
{
    return UINT64_C(3) << 60 | from << 48 | (uint64_t)offset << 40 | (uint64_t)(length & 31) << 32 |
           to << 16 | (uint64_t)to_offset << 8;
}

static bool checksums_are_right(const uint8_t *f, const struct made *m)
{
    return (f[m->l3] >> 4 == 6 || folded(word_sum(f + m->l3, 20)) == 0xffff) &&
           l4_sum(f, m->l3, m->l4) == 0xffff;
}

/* A field of the PRM, and the place of its bits in headers without options. */
struct place {
    unsigned field, bits;
    bool v4, v6, tcp, udp, in_l4;
    unsigned at; /* offset in the header of the link layer, of IP, or of TCP or UDP */
    bool in_l2;
    uint32_t mask; /* in the word of four bytes at `at` */
};
#define BOTH .v4 = true, .v6 = true
#define ANY  .tcp = true, .udp = true
static const struct place places[] = {
    {0x01, 32, BOTH, ANY, .at = 6, .in_l2 = true, .mask = 0xffffffff},
    {0x02, 16, BOTH, ANY, .at = 8, .in_l2 = true, .mask = 0xffff},
    {0x04, 32, BOTH, ANY, .at = 0, .in_l2 = true, .mask = 0xffffffff},
    {0x05, 16, BOTH, ANY, .at = 4, .in_l2 = true, .mask = 0xffff0000},
    {0x06, 6, .v4 = true, ANY, .at = 0, .mask = 0x00fc0000},
    {0x06, 6, .v6 = true, ANY, .at = 0, .mask = 0x0fc00000},
    {0x07, 9, BOTH, .tcp = true, .in_l4 = true, .at = 12, .mask = 0x01ff0000},
    {0x08, 16, BOTH, .tcp = true, .in_l4 = true, .at = 0, .mask = 0xffff0000},
    {0x09, 16, BOTH, .tcp = true, .in_l4 = true, .at = 0, .mask = 0xffff},
    {0x0a, 8, .v4 = true, ANY, .at = 8, .mask = 0xff000000},
    {0x0b, 16, BOTH, .udp = true, .in_l4 = true, .at = 0, .mask = 0xffff0000},
    {0x0c, 16, BOTH, .udp = true, .in_l4 = true, .at = 0, .mask = 0xffff},
    {0x0d, 32, .v6 = true, ANY, .at = 8, .mask = 0xffffffff},
    {0x0e, 32, .v6 = true, ANY, .at = 12, .mask = 0xffffffff},
    {0x0f, 32, .v6 = true, ANY, .at = 16, .mask = 0xffffffff},
    {0x10, 32, .v6 = true, ANY, .at = 20, .mask = 0xffffffff},
    {0x11, 32, .v6 = true, ANY, .at = 24, .mask = 0xffffffff},
    {0x12, 32, .v6 = true, ANY, .at = 28, .mask = 0xffffffff},
    {0x13, 32, .v6 = true, ANY, .at = 32, .mask = 0xffffffff},
    {0x14, 32, .v6 = true, ANY, .at = 36, .mask = 0xffffffff},
    {0x15, 32, .v4 = true, ANY, .at = 12, .mask = 0xffffffff},
    {0x16, 32, .v4 = true, ANY, .at = 16, .mask = 0xffffffff},
    {0x47, 8, .v6 = true, ANY, .at = 4, .mask = 0xff},
    {0x59, 32, BOTH, .tcp = true, .in_l4 = true, .at = 4, .mask = 0xffffffff},
    {0x5b, 32, BOTH, .tcp = true, .in_l4 = true, .at = 8, .mask = 0xffffffff},
    {0x73, 2, .v4 = true, ANY, .at = 0, .mask = 0x00030000},
    {0x73, 2, .v6 = true, ANY, .at = 0, .mask = 0x00300000},
};
#define PLACES (sizeof places / sizeof *places)

/* Makes the expected frame: the bits of a place become `value`. Checksums stay as they were. */
static void put_place(struct made *m, const struct place *p, uint32_t value)
{
    uint8_t *at = m->bytes + p->at + (p->in_l2 ? 0 : p->in_l4 ? m->l4 : m->l3);
    const uint32_t shifted = value * (p->mask & -p->mask);
    dpk_store_be32(at, (word_at(at) & ~p->mask) | (shifted & p->mask));
}

static bool has_place(const struct place *p, unsigned version, unsigned protocol)
{
    return (version == 4 ? p->v4 : p->v6) && (protocol == TCP ? p->tcp : p->udp);
}

static bool knows_elsewhere(const struct place *p, unsigned version, unsigned protocol)
{
    for (size_t i = 0; i < PLACES; i++)
        if (places[i].field == p->field && has_place(&places[i], version, protocol))
            return true;
    return false;
}

/* Clears the checksums of a frame. */
static void without_checksums(uint8_t *f, const struct made *m, unsigned protocol)
{
    if (f[m->l3] >> 4 == 4)
        dpk_store_be16(f + m->l3 + 10, 0);
    dpk_store_be16(f + m->l4 + (protocol == TCP ? 16 : 6), 0);
}

static void each_field_is_set_and_checksums_stay_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * PLACES; i++) {
        const struct place *p = &places[i / 4];
        const unsigned version = i % 2 ? 6 : 4, protocol = i % 4 < 2 ? TCP : UDP;
        const uint32_t value = (uint32_t)(0x9e3779b1u * (i + 1)) >> (32 - p->bits);
        const struct made m = frame_of(version, (uint8_t)protocol, 0, 21);
        struct made want = m;
        const uint64_t action = set(p->field, 0, p->bits, value);
        const uint8_t *cqe = modified(&m, &action, 1);
        assert_non_null(cqe);
        assert_int_equal(size_in(cqe), m.size);
        if (has_place(p, version, protocol))
            put_place(&want, p, value);
        else if (knows_elsewhere(p, version, protocol))
            continue;
        uint8_t *got = w.memory + TO;
        assert_true(checksums_are_right(got, &m));
        assert_int_equal(cqe[28], 7);
        without_checksums(got, &m, protocol);
        without_checksums(want.bytes, &m, protocol);
        assert_memory_equal(got, want.bytes, m.size);
    }
}

static void parts_of_fields_are_set(void **state)
{
    (void)state;
    const struct made m = frame_of(4, TCP, 0, 3);
    const uint64_t actions[] = {set(0x15, 8, 16, 0xffff1234), set(0x09, 4, 4, 0xa)};
    modified(&m, actions, 2);
    const uint8_t *got = w.memory + TO;
    assert_int_equal(word_at(got + 26), (word_at(m.bytes + 26) & 0xff0000ff) | 0x123400);
    assert_int_equal(be16_at(got + 36), (be16_at(m.bytes + 36) & 0xff0f) | 0xa0);
    assert_true(checksums_are_right(got, &m));
}

static void fields_are_added_to_and_wrap(void **state)
{
    (void)state;
    const struct made m = frame_of(4, TCP, 0, 3);
    const uint64_t actions[] = {add(0x0a, 0xff), add(0x59, 0x20), add(0x08, 1)};
    modified(&m, actions, 3);
    const uint8_t *got = w.memory + TO;
    assert_int_equal(got[22], 63); /* a time to live of 64, less one */
    assert_int_equal(word_at(got + 38), 0xfffffff0u + 0x20);
    assert_int_equal(be16_at(got + 34), 12346);
    assert_true(checksums_are_right(got, &m));
}

static void fields_are_copied(void **state)
{
    (void)state;
    const struct made m = frame_of(4, UDP, 0, 3);
    const uint64_t actions[] = {
        copy(0x15, 0, 32, 0x51, 0), /* swaps the addresses by means of registers */
        copy(0x16, 0, 32, 0x15, 0), copy(0x51, 0, 32, 0x16, 0),
        copy(0x0b, 8, 8, 0x0c, 0),  copy(0x09, 0, 16, 0x0b, 0), /* the frame has no port of TCP */
        copy(0x16, 0, 32, 0x50, 0)};
    const uint8_t *cqe = modified(&m, actions, 6);
    const uint8_t *got = w.memory + TO;
    assert_memory_equal(got + 26, m.bytes + 30, 4);
    assert_memory_equal(got + 30, m.bytes + 26, 4);
    assert_int_equal(be16_at(got + 34), 0x3039);
    assert_int_equal(be16_at(got + 36), 0x1f30);
    assert_true(checksums_are_right(got, &m));
    assert_int_equal(word_at(cqe + 36), word_at(m.bytes + 26)); /* register B */
}

static void wrong_checksums_stay_wrong_and_none_stays_none(void **state)
{
    (void)state;
    const uint64_t actions[] = {set(0x15, 0, 32, 0x01020304), set(0x0b, 0, 16, 7)};
    struct made m = frame_of(4, UDP, 0, 9);
    m.bytes[m.l3 + 10] ^= 0x40;
    m.bytes[m.l4 + 6] ^= 0x40;
    const uint8_t *cqe = modified(&m, actions, 2);
    assert_int_equal(cqe[28], 1);
    m = frame_of(4, UDP, 0, 9);
    dpk_store_be16(m.bytes + m.l4 + 6, 0);
    cqe = modified(&m, actions, 2);
    assert_int_equal(cqe[28], 7);
    assert_int_equal(be16_at(w.memory + TO + m.l4 + 6), 0);
}

/* A datagram with 0 there would have no checksum (RFC 768). */
static void a_checksum_of_zero_becomes_ffff(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2) {
        const struct made m = frame_of(version, UDP, 0, 9);
        const uint16_t port = folded(be16_at(m.bytes + m.l4 + 6) +
                                     be16_at(m.bytes + m.l4)); /* makes the sum 0xffff */
        const uint64_t action = set(0x0b, 0, 16, port);
        assert_int_equal(modified(&m, &action, 1)[28], 7);
        assert_int_equal(be16_at(w.memory + TO + m.l4), port);
        assert_int_equal(be16_at(w.memory + TO + m.l4 + 6), 0xffff);
    }
}

static void frames_without_the_header_stay_as_they_are(void **state)
{
    (void)state;
    struct made m = frame_of(4, TCP, 0, 0);
    const uint64_t actions[] = {set(0x15, 0, 32, 1), set(0x08, 0, 16, 1), set(0x17, 0, 12, 1),
                                set(0x10, 0, 32, 1), set(0x0b, 0, 16, 1), set(0x73, 0, 2, 1)};
    for (m.size = 14; m.size < m.l4; m.size++) {
        uint8_t *exact = test_malloc(m.size);
        struct made cut = m;
        assert_non_null(modified(&cut, actions, 6));
        memcpy(exact, w.memory + TO, m.size);
        assert_memory_equal(exact, m.bytes, m.size);
        test_free(exact);
    }
    m.size = m.l4 + 19; /* the header of TCP is cut */
    assert_non_null(modified(&m, actions, 6));
    assert_int_equal(word_at(w.memory + TO + 26), 1);
    assert_memory_equal(w.memory + TO + m.l4, m.bytes + m.l4, 19);
}

static void actions_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t action;
        enum dpk_status status;
        const char *says;
    } bad[] = {
        {UINT64_C(4) << 60, DPK_ERR_UNSUPPORTED, "type 0x4"},
        {0, DPK_ERR_UNSUPPORTED, "type 0x0"},
        {UINT64_C(0x1031) << 48, DPK_ERR_UNSUPPORTED, "IN_SMAC_47_16"},
        {UINT64_C(0x2046) << 48, DPK_ERR_UNSUPPORTED, "IN_DIPV4"},
        {UINT64_C(0x106e) << 48, DPK_ERR_UNSUPPORTED, "0x6e"},
        {UINT64_C(0x1000) << 48, DPK_ERR_UNSUPPORTED, "0x0"},
        {UINT64_C(0x1002) << 48, DPK_ERR_RANGE, "SMAC_15_0 has 16"},
        {UINT64_C(0x10020110) << 32, DPK_ERR_RANGE, "16 bits from bit 1"},
        {UINT64_C(0x3051000000310000), DPK_ERR_UNSUPPORTED, "IN_SMAC"},
        {UINT64_C(0x3051000000020000), DPK_ERR_RANGE, "SMAC_15_0"},
        {UINT64_C(0x3002001100510000), DPK_ERR_RANGE, "SMAC_15_0"},
        {UINT64_C(0x30510010000a0000), DPK_ERR_RANGE, "TTL has 8"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t bytes[8];
        struct dpk_flow_modification m;
        struct dpk_error err = {0};
        dpk_store_be32(bytes, (uint32_t)(bad[i].action >> 32));
        dpk_store_be32(bytes + 4, (uint32_t)bad[i].action);
        assert_int_equal(dpk_flow_modification_parse(bytes, &m, &err), bad[i].status);
        assert_non_null(strstr(err.message, bad[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end_world)
        TEST(each_field_is_set_and_checksums_stay_right),
        TEST(parts_of_fields_are_set),
        TEST(fields_are_added_to_and_wrap),
        TEST(fields_are_copied),
        TEST(wrong_checksums_stay_wrong_and_none_stays_none),
        TEST(a_checksum_of_zero_becomes_ffff),
        TEST(frames_without_the_header_stay_as_they_are),
        TEST(actions_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
