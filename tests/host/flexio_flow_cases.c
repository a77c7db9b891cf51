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

/* ---- Commands, as drivers build them ---- */

enum { RQT_BYTES = 32 + 240 + 2 * 4, TIR_BYTES = 32 + 240, ANSWER = 16 };

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put24(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 16);
    put16(at + 1, value);
}

static uint32_t number_in(const uint8_t answer[ANSWER])
{
    return (uint32_t)answer[9] << 16 | (uint32_t)answer[10] << 8 | answer[11];
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

static struct mlx5dv_devx_obj *made(const uint8_t *in, size_t size, uint8_t answer[ANSWER])
{
    struct mlx5dv_devx_obj *obj = mlx5dv_devx_obj_create(context, in, size, answer, ANSWER);
    CHECK(obj && answer[0] == 0);
    return obj;
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

/* The reasons are on the standard error, and a status in the answer. */
static void commands_that_are_wrong_are_refused(void)
{
    struct flexio_process *p = queue_process();
    struct set s = ethernet(p, NULL);
    uint8_t in[RQT_BYTES], answer[ANSWER];
    const uint32_t rq = flexio_rq_get_wq_num(s.rq), sq = flexio_sq_get_wq_num(s.sq);
#define WRONG(size, why, status)                                                                   \
    (REFUSED(mlx5dv_devx_obj_create(context, in, size, answer, ANSWER), why) &&                    \
     answer[0] == (status))
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
    put24(in + 32 + 29, sq);
    CHECK(WRONG(TIR_BYTES, EREMOTEIO, 5));
    put16(in, 0x500);
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

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(receivers_spread_frames),
        CASE(commands_that_are_wrong_are_refused),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
