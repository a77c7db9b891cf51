/* Receivers and actions of flow steering; host_flow.bats runs them. */
#include "steering_world.h"

/* Whether completion number `index` is there. */
static bool has_completion(const struct set *s, uint64_t index)
{
    return !(call1(s->p, &peek, s->q.receive_cq + index * 64 + 56) >> 56 & 1);
}

/* Four bytes of a completion, as an integer. */
static uint32_t completion_word(const struct set *s, uint64_t index, unsigned at)
{
    const uint64_t word = call1(s->p, &peek, s->q.receive_cq + index * 64 + at / 8 * 8);
    return be32toh((uint32_t)(word >> at % 8 * 8));
}

static void sends(struct set *s, const uint8_t *header, size_t size)
{
    uint8_t bytes[60] = {0};
    memcpy(bytes, header, size);
    CHECK(flexio_host2dev_memcpy(s->p, bytes, sizeof bytes, s->q.data + DEPTH * BUFFER) == OK);
    CHECK(call2(s->p, &frame, s->at, 60) >> 56 == 0);
}

static void table_command(uint8_t in[RQT_BYTES], uint32_t opcode, uint32_t first, uint32_t second)
{
    memset(in, 0, RQT_BYTES);
    put16(in, opcode);
    put16(in + 32 + 22, 2); /* rqt_max_size */
    put16(in + 32 + 26, 2); /* rqt_actual_size */
    put24(in + 32 + 240 + 1, first);
    put24(in + 32 + 240 + 5, second);
}

static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

/* Toeplitz over addresses of IPv4 and ports of TCP. */
static void receiver_command(uint8_t in[TIR_BYTES], uint32_t table)
{
    memset(in, 0, TIR_BYTES);
    put16(in, 0x900);
    in[32 + 4] = 0x10; /* indirect */
    put24(in + 32 + 33, table);
    in[32 + 36] = 0x20; /* Toeplitz */
    memcpy(in + 32 + 40, key, sizeof key);
    in[32 + 83] = 0x0f;
}

/* From now on it hashes the source address alone. Its table has entries [s[1], s[0]]. */
static void receiver_is_modified(struct mlx5dv_devx_obj *tir, uint32_t number, struct set s[2])
{
    enum { FIRST = 2 }; /* completions of s[0] were there before */
    const uint8_t source_is_one[30] = {[12] = 0x08, [14] = 0x45, [23] = 6, [29] = 1};
    uint8_t in[TIR_BYTES], answer[ANSWER];
    receiver_command(in, 0);
    put16(in, 0x901);
    in[32 + 83] = 1;
    CHECK(mlx5dv_devx_obj_modify(tir, in, TIR_BYTES, answer, ANSWER) == EREMOTEIO); /* tirn */
    put24(in + 9, number);
    CHECK(mlx5dv_devx_obj_modify(tir, in, 100, answer, ANSWER) == EREMOTEIO);
    in[23] = 2; /* indirect_table */
    CHECK(mlx5dv_devx_obj_modify(tir, in, TIR_BYTES, answer, ANSWER) == EOPNOTSUPP);
    in[23] = 4; /* hash */
    in[32 + 36] = 0x10;
    CHECK(mlx5dv_devx_obj_modify(tir, in, TIR_BYTES, answer, ANSWER) == EOPNOTSUPP);
    in[32 + 36] = 0x20;
    CHECK(mlx5dv_devx_obj_modify(tir, in, TIR_BYTES, answer, ANSWER) == 0);
    sends(&s[0], source_is_one, sizeof source_is_one);
    CHECK(has_completion(&s[0], FIRST));
    CHECK(completion_word(&s[0], FIRST, 12) == 0x12ad8761); /* of the key, from bit 31 on */
    CHECK(completion_word(&s[0], FIRST, 16) >> 24 == 0x01);
}

static void receivers_spread_frames(void)
{
    struct flexio_process *p = queue_process();
    struct set s[2] = {ethernet(p, NULL), ethernet(p, NULL)};
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    struct parameters every = {.size = 64};
    uint8_t in[RQT_BYTES], answer[ANSWER];
    const uint32_t first = flexio_rq_get_wq_num(s[0].rq), second = flexio_rq_get_wq_num(s[1].rq);
    table_command(in, 0x916, first, second);
    struct mlx5dv_devx_obj *table = made(in, RQT_BYTES, answer);
    const uint32_t number = number_in(answer);
    receiver_command(in, number);
    struct mlx5dv_devx_obj *tir = made(in, TIR_BYTES, answer);
    const uint32_t tirn = number_in(answer);
    struct mlx5dv_dr_action *to = mlx5dv_dr_action_create_dest_devx_tir(tir);
    struct mlx5dv_dr_matcher *m = matcher(rx.root, &every);
    struct mlx5dv_dr_rule *r = rule(m, &every, to);
    /* The first two of the published vectors for IPv4, which have an even hash, and the fourth. */
    const uint8_t head[14] = {[12] = 0x08},
                  flows[3][24] = {
                      {0x45, [9] = 6, [12] = 66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 6,
                       0xe6},
                      {0x45, [9] = 6, [12] = 199, 92, 111, 2, 65, 69, 140, 83, 0x37, 0x96, 18, 131},
                      {0x45, [9] = 6, [12] = 38, 27, 205, 30, 209, 142, 163, 6, 188, 100, 8, 0xa9}};
    const uint32_t hashes[3] = {0x51ccc178, 0xc626b0ea, 0xafc7327f};
    unsigned arrived[2] = {0, 0};
    for (unsigned i = 0; i < 3; i++) {
        uint8_t bytes[38];
        memcpy(bytes, head, 14);
        memcpy(bytes + 14, flows[i], 24);
        sends(&s[0], bytes, sizeof bytes);
        const unsigned to_queue = hashes[i] % 2;
        CHECK(has_completion(&s[to_queue], arrived[to_queue]));
        CHECK(completion_word(&s[to_queue], arrived[to_queue], 12) == hashes[i]);
        CHECK(completion_word(&s[to_queue], arrived[to_queue], 16) >> 24 == 0x55);
        arrived[to_queue]++;
    }
    CHECK(arrived[0] == 2 && arrived[1] == 1);
    /* The other way round from now on. */
    table_command(in, 0x917, second, first);
    put24(in + 9, number);
    in[23] = 1; /* rqn_list */
    CHECK(mlx5dv_devx_obj_modify(table, in, RQT_BYTES, answer, ANSWER) == 0);
    sends(&s[0], (uint8_t[14]){0}, 14); /* no IP: its hash is 0 */
    CHECK(has_completion(&s[1], 1) && completion_word(&s[1], 1, 12) == 0);
    receiver_is_modified(tir, tirn, s);
    CHECK(mlx5dv_devx_obj_destroy(table) == EBUSY && mlx5dv_devx_obj_destroy(tir) == EBUSY);
    CHECK(mlx5dv_dr_rule_destroy(r) == 0 && mlx5dv_devx_obj_destroy(tir) == 0);
    CHECK(REFUSED(mlx5dv_dr_rule_create(m, P(every), 1, &to), EINVAL)); /* it is gone */
    CHECK(mlx5dv_dr_action_destroy(to) == 0 && mlx5dv_dr_matcher_destroy(m) == 0);
    CHECK(mlx5dv_devx_obj_destroy(table) == 0);
    tables_end(&rx);
    set_end(&s[0]);
    set_end(&s[1]);
    CHECK(flexio_process_destroy(p) == OK);
}

#define WRONG(size, why, status)                                                                   \
    (REFUSED(mlx5dv_devx_obj_create(context, in, size, answer, ANSWER), why) &&                    \
     answer[0] == (status))

/* `queue` cannot receive. */
static void wrong_receivers(uint32_t number, uint32_t queue)
{
    uint8_t in[TIR_BYTES], answer[ANSWER];
    receiver_command(in, number + 1);
    CHECK(WRONG(TIR_BYTES, EREMOTEIO, 5));
    CHECK(WRONG(100, EREMOTEIO, 3));
    static const struct {
        unsigned at;
        uint8_t value;
    } lacking[] = {{32 + 4, 0x20},  {32 + 4, 0x18},  {32 + 36, 0x10},
                   {32 + 36, 0x30}, {32 + 83, 0x1f}, {32 + 87, 1}};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        receiver_command(in, number);
        in[lacking[i].at] = lacking[i].value;
        CHECK(WRONG(TIR_BYTES, EOPNOTSUPP, 2));
    }
    receiver_command(in, 0);
    in[32 + 4] = 0; /* direct */
    put24(in + 32 + 29, queue);
    CHECK(WRONG(TIR_BYTES, EREMOTEIO, 5));
}

/* The reasons are on the standard error, and a status in the answer. */
static void commands_that_are_wrong_are_refused(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    uint8_t in[RQT_BYTES], answer[ANSWER];
    const uint32_t rq = flexio_rq_get_wq_num(s.rq), sq = flexio_sq_get_wq_num(s.sq);
    answer[0] = 0;
    CHECK(WRONG(1, EINVAL, 0));
    CHECK(REFUSED(mlx5dv_devx_obj_create(context, in, RQT_BYTES, answer, ANSWER - 1), EINVAL));
    CHECK(REFUSED(mlx5dv_devx_obj_create(context, NULL, 0, NULL, 0), EINVAL));
    table_command(in, 0x916, rq, sq);
    CHECK(WRONG(RQT_BYTES, EREMOTEIO, 5));
    table_command(in, 0x916, rq, rq);
    for (size_t size = 2; size < RQT_BYTES; size += 9)
        CHECK(WRONG(size, EREMOTEIO, 3));
    in[32 + 23] = 1;
    CHECK(WRONG(RQT_BYTES, EREMOTEIO, 3)); /* more than rqt_max_size */
    table_command(in, 0x916, rq, rq);
    in[32 + 20] = 1;
    CHECK(WRONG(RQT_BYTES, EOPNOTSUPP, 2)); /* of virtio queues */
    table_command(in, 0x916, rq, rq);
    struct mlx5dv_devx_obj *table = made(in, RQT_BYTES, answer);
    const uint32_t number = number_in(answer);
    table_command(in, 0x917, rq, sq);
    put24(in + 9, number);
    CHECK(mlx5dv_devx_obj_modify(table, in, RQT_BYTES, answer, ANSWER) == 0); /* no bit says what */
    in[23] = 1;
    CHECK(mlx5dv_devx_obj_modify(table, in, RQT_BYTES, answer, ANSWER) == EREMOTEIO);
    put24(in + 9, number + 1);
    CHECK(mlx5dv_devx_obj_modify(table, in, RQT_BYTES, answer, ANSWER) == EREMOTEIO);
    put16(in, 0x901);
    CHECK(mlx5dv_devx_obj_modify(table, in, RQT_BYTES, answer, ANSWER) == EOPNOTSUPP);
    wrong_receivers(number, sq);
    put16(in, 0x700);
    CHECK(WRONG(TIR_BYTES, EOPNOTSUPP, 2));
    CHECK(mlx5dv_devx_general_cmd(context, in, TIR_BYTES, answer, ANSWER) == EOPNOTSUPP);
    CHECK(mlx5dv_devx_obj_query(table, in, TIR_BYTES, answer, ANSWER) == EOPNOTSUPP);
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_devx_tir(table), EINVAL));
    put16(in, 0x816);
    struct mlx5dv_devx_obj *domain = made(in, 16, answer);
    CHECK(number_in(answer) != 0 && mlx5dv_devx_obj_destroy(domain) == 0);
    CHECK(mlx5dv_devx_obj_destroy(table) == 0);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Actions ---- */

static struct mlx5dv_dr_rule *rule_of(struct mlx5dv_dr_matcher *m, struct parameters *value,
                                      struct mlx5dv_dr_action *actions[], size_t count)
{
    struct mlx5dv_dr_rule *r = mlx5dv_dr_rule_create(m, P(*value), count, actions);
    CHECK(r);
    return r;
}

static struct mlx5dv_devx_obj *counters_of(uint8_t bulk, uint8_t answer[ANSWER])
{
    uint8_t in[16] = {0x09, 0x39, [15] = bulk};
    return made(in, sizeof in, answer);
}

/* Packets of a counter, and its bytes; it is 0 then. */
static uint64_t take_count(struct mlx5dv_devx_obj *counters, uint32_t number, uint64_t *octets)
{
    uint8_t in[32] = {0x09, 0x3b, [24] = 0x80}, out[ANSWER + 16];
    uint64_t values[2];
    const uint32_t id = htobe32(number);
    memcpy(in + 28, &id, 4);
    CHECK(mlx5dv_devx_obj_query(counters, in, sizeof in, out, sizeof out) == 0);
    memcpy(values, out + ANSWER, sizeof values);
    *octets = be64toh(values[1]);
    return be64toh(values[0]);
}

static __be64 set_field(uint64_t field, uint64_t length, uint64_t data)
{
    return htobe64(UINT64_C(1) << 60 | field << 48 | length << 32 | data);
}

static uint64_t received_word(const struct set *s, unsigned index, unsigned at)
{
    return be64toh(call1(s->p, &peek, s->q.data + index * BUFFER + at));
}

static void rules_tag_count_and_change_frames(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    struct parameters none = {.size = 64}, registers = {256, {[192 + 44] = 0xff, 0xff, 0xff, 0xff}},
                      four = {256, {[192 + 47] = 4}};
    uint8_t answer[ANSWER];
    uint64_t octets;
    struct mlx5dv_devx_obj *counters = counters_of(1, answer); /* 128 of them */
    const uint32_t first = number_in(answer);
    __be64 fields[] = {set_field(0x51, 0, 4),                   /* register C_0 */
                       set_field(0x50, 0, 0x12345678),          /* register B */
                       set_field(0x01, 0, 0xaabbccdd),          /* the first bytes of the source */
                       htobe64(0x2UL << 60 | 0x5UL << 48 | 1)}; /* adds to the destination */
    struct mlx5dv_dr_action *tag = mlx5dv_dr_action_create_tag(0x7654321),
                            *count = mlx5dv_dr_action_create_flow_counter(counters, 127),
                            *modify = mlx5dv_dr_action_create_modify_header(rx.domain, 0,
                                                                            sizeof fields, fields),
                            *push =
                                mlx5dv_dr_action_create_push_vlan(rx.domain, htobe32(0x8100a005)),
                            *pop = mlx5dv_dr_action_create_pop_vlan(),
                            *jump = mlx5dv_dr_action_create_dest_table(rx.next),
                            *tir = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq));
    CHECK(tag && count && modify && push && pop && jump && tir);
    struct mlx5dv_dr_matcher *all = matcher(rx.root, &none),
                             *some = mlx5dv_dr_matcher_create(rx.next, 0, 8, P(registers));
    CHECK(some);
    struct mlx5dv_dr_rule *rules[] = {
        rule_of(all, &none, (struct mlx5dv_dr_action *[]){modify, tag, count, jump}, 4),
        rule_of(some, &four, (struct mlx5dv_dr_action *[]){push, tir, count}, 3)};
    sends(&s, (uint8_t[14]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x12, 0x34}, 14);
    CHECK(has_completion(&s, 0) && completion_word(&s, 0, 44) == 64);
    CHECK((completion_word(&s, 0, 56) & 0xffffff) == 0x654321);
    CHECK(completion_word(&s, 0, 36) == 0x12345678);
    CHECK(received_word(&s, 0, 0) == 0x010203040507aabb);
    CHECK(received_word(&s, 0, 8) == 0xccdd0b0c8100a005);
    CHECK(received_word(&s, 0, 16) >> 48 == 0x1234);
    CHECK(take_count(counters, first + 127, &octets) == 2 && octets == 60 + 60 + 4);
    CHECK(take_count(counters, first + 127, &octets) == 0 && octets == 0);
    CHECK(mlx5dv_dr_action_destroy(modify) == EBUSY && mlx5dv_dr_action_destroy(count) == EBUSY);
    CHECK(mlx5dv_dr_rule_destroy(rules[0]) == 0);
    rules[0] = rule_of(all, &none, (struct mlx5dv_dr_action *[]){push, push, pop, tag, tir}, 5);
    sends(&s, (uint8_t[14]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x12, 0x34}, 14);
    CHECK(has_completion(&s, 1) && completion_word(&s, 1, 44) == 64);
    CHECK(mlx5dv_dr_rule_destroy(rules[0]) == 0 && mlx5dv_dr_rule_destroy(rules[1]) == 0);
    /* The object goes first: the action still has it, but no rule can. */
    CHECK(mlx5dv_devx_obj_destroy(counters) == 0);
    CHECK(REFUSED(mlx5dv_dr_rule_create(all, P(none), 1, &count), EINVAL));
    struct mlx5dv_dr_action *actions[] = {tag, count, modify, push, pop, jump, tir};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        CHECK(mlx5dv_dr_action_destroy(actions[i]) == 0);
    CHECK(mlx5dv_dr_matcher_destroy(all) == 0 && mlx5dv_dr_matcher_destroy(some) == 0);
    tables_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* Ethernet, IPv4, UDP and VXLAN of VNI 0xabcdef, as programs give them. */
static const uint8_t tunnel[50] = {
    2, 0,  0, 0, 0, 2,  2, 0, 0, 0, 0, 1,    0x08, 0, 0x45, 0, 0, 0, 0, 0, 0, 0,    64,   17,   0,
    0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 0, 0x12, 0xb5, 0, 0,    0, 0, 8, 0, 0, 0, 0xab, 0xcd, 0xef, 0};

/* Into a tunnel when sent, and out of it when received, by the VNI. */
static void tunnels_are_entered_and_left(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX),
                  tx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
    struct parameters none = {.size = 64}, vni = {128, {[64 + 20] = 0xff, 0xff, 0xff}},
                      mine = {128, {[64 + 20] = 0xab, 0xcd, 0xef}}, smac = {64, {0xff}},
                      five = {64, {5}};
    struct mlx5dv_dr_action *wrap = mlx5dv_dr_action_create_packet_reformat(
                                tx.domain, 0,
                                MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
                                sizeof tunnel, (void *)tunnel),
                            *unwrap = mlx5dv_dr_action_create_packet_reformat(
                                rx.domain, 0,
                                MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, 0, NULL),
                            *tir = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq));
    CHECK(wrap && unwrap && tir);
    struct mlx5dv_dr_matcher *in = mlx5dv_dr_matcher_create(rx.root, 0, 2, P(vni)),
                             *rest = mlx5dv_dr_matcher_create(rx.root, 1, 0, P(none)),
                             *out = matcher(tx.root, &smac);
    CHECK(in && rest);
    struct mlx5dv_dr_rule *rules[] = {
        rule_of(in, &mine, (struct mlx5dv_dr_action *[]){unwrap, tir}, 2), rule(rest, &none, tir),
        rule(out, &five, wrap)};
    const uint8_t header[14] = {1, 2, 3, 4, 5, 6, 5, 8, 9, 10, 11, 12, 0x12, 0x34};
    sends(&s, header, 14);
    CHECK(has_completion(&s, 0) && completion_word(&s, 0, 44) == 60);
    CHECK(received_word(&s, 0, 0) == 0x0102030405060508);
    CHECK(mlx5dv_dr_rule_destroy(rules[0]) == 0);
    sends(&s, header, 14); /* as it was on the wire */
    CHECK(has_completion(&s, 1) && completion_word(&s, 1, 44) == 110);
    CHECK(completion_word(&s, 1, 28) >> 24 == 7);     /* lengths and checksums are right */
    CHECK((received_word(&s, 1, 34) >> 48) >= 49152); /* the port that it comes from */
    CHECK(received_word(&s, 1, 50) == 0x0102030405060508);
    CHECK(mlx5dv_dr_rule_destroy(rules[1]) == 0 && mlx5dv_dr_rule_destroy(rules[2]) == 0);
    CHECK(mlx5dv_dr_action_destroy(wrap) == 0 && mlx5dv_dr_action_destroy(unwrap) == 0 &&
          mlx5dv_dr_action_destroy(tir) == 0);
    CHECK(mlx5dv_dr_matcher_destroy(in) == 0 && mlx5dv_dr_matcher_destroy(rest) == 0 &&
          mlx5dv_dr_matcher_destroy(out) == 0);
    tables_end(&rx);
    tables_end(&tx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* A mirror: what leaves is copied into a tunnel, which here comes back, too. */
static void copies_of_an_array_are_reformatted(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct steering rx = steer(s.rq, -1);
    struct tables fdb = tables(MLX5DV_DR_DOMAIN_TYPE_FDB);
    struct parameters none = {.size = 64};
    struct mlx5dv_dr_action *wrap = mlx5dv_dr_action_create_packet_reformat(
                                fdb.domain, 0,
                                MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
                                sizeof tunnel, (void *)tunnel),
                            *uplink = mlx5dv_dr_action_create_dest_vport(fdb.domain, 0xffff),
                            *self = mlx5dv_dr_action_create_dest_vport(fdb.domain, 0);
    struct mlx5dv_dr_action_dest_reformat reformat = {.reformat = wrap, .dest = self};
    struct mlx5dv_dr_action_dest_attr to[2] = {{.type = MLX5DV_DR_ACTION_DEST_REFORMAT,
                                                .dest_reformat = &reformat},
                                               {.type = MLX5DV_DR_ACTION_DEST, .dest = uplink}},
                                      *destinations[] = {&to[0], &to[1]};
    struct mlx5dv_dr_action *both = mlx5dv_dr_action_create_dest_array(fdb.domain, 2, destinations);
    CHECK(wrap && uplink && self && both);
    CHECK(mlx5dv_dr_action_destroy(wrap) == EBUSY && mlx5dv_dr_action_destroy(self) == EBUSY);
    struct mlx5dv_dr_matcher *all = matcher(fdb.root, &none);
    struct mlx5dv_dr_rule *r = rule(all, &none, both);
    sends(&s, (uint8_t[14]){1, 2, 3, 4, 5, 6, 5, 8}, 14);
    CHECK(completion_word(&s, 0, 44) == 110 && completion_word(&s, 1, 44) == 60);
    CHECK(mlx5dv_dr_rule_destroy(r) == 0 && mlx5dv_dr_action_destroy(both) == 0);
    reformat.reformat = uplink;
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_array(fdb.domain, 2, destinations), EOPNOTSUPP));
    to[0].dest_reformat = NULL;
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_array(fdb.domain, 2, destinations), EINVAL));
    CHECK(mlx5dv_dr_action_destroy(wrap) == 0 && mlx5dv_dr_action_destroy(uplink) == 0 &&
          mlx5dv_dr_action_destroy(self) == 0 && mlx5dv_dr_matcher_destroy(all) == 0);
    tables_end(&fdb);
    steering_end(&rx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

static void wrong_counters(const struct set *s)
{
    uint8_t answer[ANSWER], in[32] = {0x09, 0x3b}, out[ANSWER + 16];
    struct mlx5dv_devx_obj *counters = counters_of(0, answer);
    const uint32_t number = number_in(answer);
    CHECK(REFUSED(mlx5dv_dr_action_create_flow_counter(counters, 1), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_action_create_flow_counter(flexio_rq_get_tir(s->rq), 0), EINVAL));
#define QUERY(size, room) mlx5dv_devx_obj_query(counters, in, size, out, room)
    CHECK(QUERY(sizeof in, sizeof out) == EREMOTEIO); /* number 0 */
    put24(in + 29, number);
    CHECK(QUERY(31, sizeof out) == EREMOTEIO && QUERY(sizeof in, sizeof out - 1) == EREMOTEIO);
    in[27] = 2;
    CHECK(QUERY(sizeof in, sizeof out) == EREMOTEIO); /* it has one */
    in[27] = 1, in[24] = 0x40;
    CHECK(QUERY(sizeof in, sizeof out) == EOPNOTSUPP);
    in[24] = 0;
    CHECK(QUERY(sizeof in, sizeof out) == 0);
    uint8_t by_log[16] = {0x09, 0x39, [14] = 24};
    CHECK(REFUSED(mlx5dv_devx_obj_create(context, by_log, 16, answer, ANSWER), EREMOTEIO));
    by_log[14] = 3;
    struct mlx5dv_devx_obj *eight = made(by_log, 16, answer);
    CHECK(number_in(answer) == number + 1);
    CHECK(REFUSED(mlx5dv_dr_action_create_flow_counter(eight, 8), EINVAL));
    struct mlx5dv_dr_action *last = mlx5dv_dr_action_create_flow_counter(eight, 7);
    CHECK(last && mlx5dv_dr_action_destroy(last) == 0 && mlx5dv_devx_obj_destroy(eight) == 0);
    CHECK(mlx5dv_devx_obj_destroy(counters) == 0);
}

/* The reasons are on the standard error. */
static void actions_that_cannot_be_are_refused(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX),
                  tx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
    struct parameters none = {.size = 64};
    wrong_counters(&s);
    __be64 inner = set_field(0x31, 0, 1), wide = set_field(0x08, 17, 1);
#define MODIFY(domain, flags, size, list)                                                          \
    mlx5dv_dr_action_create_modify_header(domain, flags, size, list)
    CHECK(REFUSED(MODIFY(rx.domain, 0, 8, &inner), EOPNOTSUPP));
    CHECK(REFUSED(MODIFY(rx.domain, 0, 8, &wide), EINVAL));
    CHECK(REFUSED(MODIFY(rx.domain, 2, 8, &wide), EINVAL));
    CHECK(REFUSED(MODIFY(rx.domain, 0, 0, &wide), EINVAL));
#define REFORMAT(domain, type, size)                                                               \
    mlx5dv_dr_action_create_packet_reformat(domain, 0,                                             \
                                            MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_##type, size,  \
                                            (size) ? (void *)tunnel : NULL)
    CHECK(REFUSED(REFORMAT(rx.domain, L2_TO_L2_TUNNEL, 50), EINVAL));
    CHECK(REFUSED(REFORMAT(tx.domain, L2_TUNNEL_TO_L2, 0), EINVAL));
    CHECK(REFUSED(REFORMAT(rx.domain, L2_TUNNEL_TO_L2, 50), EINVAL));
    CHECK(REFUSED(REFORMAT(tx.domain, L2_TO_L2_TUNNEL, 13), EINVAL));
    CHECK(REFUSED(REFORMAT(tx.domain, L2_TO_L2_TUNNEL, 0), EINVAL));
    CHECK(REFUSED(REFORMAT(rx.domain, L3_TUNNEL_TO_L2, 14), EOPNOTSUPP));
    CHECK(REFUSED(REFORMAT(tx.domain, L2_TO_L3_TUNNEL, 14), EOPNOTSUPP));
    struct mlx5dv_dr_action *tag = mlx5dv_dr_action_create_tag(1),
                            *tir = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(s.rq)),
                            *push =
                                mlx5dv_dr_action_create_push_vlan(tx.domain, htobe32(0x81000001)),
                            *late[] = {tir, tag}, *many[17];
    for (unsigned i = 0; i < 17; i++)
        many[i] = tag;
    struct mlx5dv_dr_matcher *in_rx = matcher(rx.root, &none), *in_tx = matcher(tx.root, &none);
    CHECK(REFUSED(mlx5dv_dr_rule_create(in_rx, P(none), 2, late), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in_rx, P(none), 17, many), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in_rx, P(none), 1, &push), EINVAL));
    CHECK(REFUSED(mlx5dv_dr_rule_create(in_tx, P(none), 1, &tag), EOPNOTSUPP));
    CHECK(mlx5dv_dr_matcher_destroy(in_rx) == 0 && mlx5dv_dr_matcher_destroy(in_tx) == 0);
    CHECK(mlx5dv_dr_action_destroy(tag) == 0 && mlx5dv_dr_action_destroy(tir) == 0 &&
          mlx5dv_dr_action_destroy(push) == 0);
    tables_end(&rx);
    tables_end(&tx);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* Functions of rdma-core that would take its own objects for granted. */
static void other_functions_are_refused(void)
{
    struct tables rx = tables(MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    struct parameters none = {.size = 64};
    uint8_t answer[ANSWER], in[32] = {0x09, 0x3b};
    struct mlx5dv_devx_obj *counters = counters_of(0, answer);
    struct mlx5dv_dr_matcher *m = matcher(rx.root, &none);
    struct mlx5dv_dr_action *drop = mlx5dv_dr_action_create_drop();
    struct mlx5dv_dr_rule *r = rule(m, &none, drop);
    CHECK(mlx5dv_dump_dr_domain(stdout, rx.domain) == EOPNOTSUPP);
    CHECK(mlx5dv_dump_dr_table(stdout, rx.root) == EOPNOTSUPP);
    CHECK(mlx5dv_dump_dr_matcher(stdout, m) == EOPNOTSUPP);
    CHECK(mlx5dv_dump_dr_rule(stdout, r) == EOPNOTSUPP);
    CHECK(mlx5dv_devx_obj_query_async(counters, in, sizeof in, 32, 0, NULL) == EOPNOTSUPP);
    CHECK(REFUSED(mlx5dv_devx_create_cmd_comp(context), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_devx_create_event_channel(context, 0), EOPNOTSUPP));
    CHECK(REFUSED(mlx5dv_dr_action_create_dest_ib_port(rx.domain, 1), EOPNOTSUPP));
    static _Alignas(4096) uint8_t page[4096];
    struct mlx5dv_devx_umem_in how = {.addr = page, .size = sizeof page, .comp_mask = 1};
    CHECK(REFUSED(mlx5dv_devx_umem_reg_ex(context, &how), EOPNOTSUPP));
    how.comp_mask = 0;
    struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg_ex(context, &how);
    CHECK(umem && mlx5dv_devx_umem_dereg(umem) == 0);
    CHECK(mlx5dv_dr_rule_destroy(r) == 0 && mlx5dv_dr_action_destroy(drop) == 0 &&
          mlx5dv_dr_matcher_destroy(m) == 0 && mlx5dv_devx_obj_destroy(counters) == 0);
    tables_end(&rx);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(receivers_spread_frames),
        CASE(commands_that_are_wrong_are_refused),
        CASE(rules_tag_count_and_change_frames),
        CASE(tunnels_are_entered_and_left),
        CASE(copies_of_an_array_are_reformatted),
        CASE(actions_that_cannot_be_are_refused),
        CASE(other_functions_are_refused),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
