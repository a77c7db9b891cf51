/* What rules do to frames: tags, counters, fields of headers, tags of VLANs, tunnels. */
#include "queue_world.h"

#include "frame_maker.h"

enum { TCP = 6, UDP = 17, ROOM = 9300, TO = DATA + 0x4000 };
enum { SET = DPK_FLOW_SET, ADD = DPK_FLOW_ADD, COPY = DPK_FLOW_COPY };

static struct dpk_queue *cq, *rq;
static uint32_t arrived;
static const struct dpk_match anything = {{0}, {0}};

static int begin(void **state)
{
    begin_world(state);
    cq = cq_new(&w, 0);
    rq = wq_new(&w, 0, DPK_RQ, cq);
    arrived = 0;
    return 0;
}

static struct dpk_flow_rule *rule_with(struct dpk_flow_table *table,
                                       const struct dpk_flow_change *changes, unsigned count,
                                       struct dpk_flow_target to)
{
    struct dpk_flow_actions does = {.change_count = count, .targets = {to}, .target_count = 1};
    memcpy(does.changes, changes, count * sizeof *changes);
    struct dpk_flow_rule *r = dpk_flow_rule_new(table, &anything, 0, &does);
    assert_non_null(r);
    return r;
}

/* What a frame is after the changes, in w.memory + TO. Returns its completion; NULL: dropped. */
static const uint8_t *changed(const struct made *m, const struct dpk_flow_change *changes,
                              unsigned count)
{
    struct dpk_flow_rule *r = rule_with(
        w.root, changes, count, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = rq});
    put_receive(&w, 0, (uint16_t)arrived, ROOM, TO);
    post_receives(&w, 0, (uint16_t)(arrived + 1));
    consumed(&w, 0, arrived);
    frame_arrives(&w, m->bytes, m->size);
    dpk_flow_rule_free(r);
    if (dpk_cq_produced(cq) == arrived)
        return NULL;
    return w.memory + cq_ring(0) + (arrived++ & ((1u << CQ_LOG) - 1)) * 64u;
}

static uint32_t size_in(const uint8_t *cqe)
{
    struct dpk_reader r = dpk_reader(cqe + 44, 4);
    return dpk_read_be32(&r);
}

/* ---- Fields ---- */

static struct dpk_flow_modification parsed(uint64_t action)
{
    uint8_t bytes[8];
    struct dpk_flow_modification m;
    dpk_store_be32(bytes, (uint32_t)(action >> 32));
    dpk_store_be32(bytes + 4, (uint32_t)action);
    assert_int_equal(dpk_flow_modification_parse(bytes, &m, NULL), DPK_OK);
    return m;
}

static uint64_t set(uint64_t field, unsigned offset, unsigned length, uint32_t data)
{
    return UINT64_C(1) << 60 | field << 48 | (uint64_t)offset << 40 |
           (uint64_t)(length & 31) << 32 | data;
}

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

static const uint8_t *modified(const struct made *m, const uint64_t *actions, unsigned count)
{
    struct dpk_flow_modification list[8];
    for (unsigned i = 0; i < count; i++)
        list[i] = parsed(actions[i]);
    return changed(
        m, &(struct dpk_flow_change){.kind = DPK_FLOW_MODIFY, .modifications = list, .size = count},
        1);
}

static bool checksums_are_right(const uint8_t *f, const struct made *m)
{
    return (f[m->l3] >> 4 == 6 || folded(word_sum(f + m->l3, 20)) == 0xffff) &&
           l4_sum(f, m->l3, m->l4) == 0xffff;
}

/* A field of the PRM, and where its bits are in headers without options. */
struct place {
    unsigned field, bits;
    bool v4, v6, tcp, udp, in_l4;
    unsigned at; /* in the link layer's header, the one of IP, or that of TCP or UDP */
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

static uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)be16_at(p) << 16 | be16_at(p + 2);
}

/* What the frame must be when the bits of a place are `value`. But for checksums. */
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

/* Bytes of a frame without its checksums. */
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
        copy(0x15, 0, 32, 0x51, 0), /* by registers: addresses change places */
        copy(0x16, 0, 32, 0x15, 0), copy(0x51, 0, 32, 0x16, 0),
        copy(0x0b, 8, 8, 0x0c, 0),  copy(0x09, 0, 16, 0x0b, 0), /* there is no port of TCP */
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
    m.size = m.l4 + 19; /* TCP is not whole */
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

/* A way that ends in a drop is no loss when another does not. */
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
        TEST(each_field_is_set_and_checksums_stay_right),
        TEST(parts_of_fields_are_set),
        TEST(fields_are_added_to_and_wrap),
        TEST(fields_are_copied),
        TEST(wrong_checksums_stay_wrong_and_none_stays_none),
        TEST(a_checksum_of_zero_becomes_ffff),
        TEST(frames_without_the_header_stay_as_they_are),
        TEST(actions_that_cannot_be_are_refused),
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
