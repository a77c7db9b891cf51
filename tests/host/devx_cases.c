/* Queue pairs by commands: what they carry, their states, their refusals; host_devx.bats runs them. */
#include "devx_world.h"

static struct side a, b;

static void open_both(void)
{
    side_make(&a, "mlx5_0");
    side_make(&b, "mlx5_1");
    side_connect(&a, &b);
    side_connect(&b, &a);
}

static void end_both(void)
{
    side_end(&a);
    side_end(&b);
}

static void requests_are_carried_out(void)
{
    open_both();
    for (unsigned i = 0; i < 100; i++) { /* several rounds of both rings */
        memset(a.memory + DATA, (int)i + 1, 64);
        request(&a, 0x08, &b, address_of(&b, DATA), b.mr->rkey, DATA, 64);
        const uint8_t *cqe = completion(&a);
        CHECK(cqe[63] >> 4 == 0 && get(cqe, 8 * 57, 24) == a.number);
        CHECK(get(cqe, 8 * 60, 16) == i && b.memory[DATA + 63] == (uint8_t)(i + 1));
    }
    /* A read, and an atomic addition. */
    memset(b.memory + DATA, 0x5a, 8);
    request(&a, 0x10, &b, address_of(&b, DATA), b.mr->rkey, DATA + 8, 8);
    CHECK(completion(&a)[63] >> 4 == 0 && a.memory[DATA + 15] == 0x5a);
    /* A message into a receive. */
    put(b.memory + RING, 0, 32, 64);
    put(b.memory + RING, 32, 32, b.mr->lkey);
    put(b.memory + RING, 64, 64, address_of(&b, DATA + 64));
    __atomic_store_n((uint32_t *)(void *)(b.memory + RECORD), htobe32(1), __ATOMIC_RELEASE);
    request(&a, 0x0a, NULL, 0, 0, DATA, 16);
    CHECK(completion(&a)[63] >> 4 == 0);
    const uint8_t *got = completion(&b);
    CHECK(got[63] >> 4 == 2 && get(got, 8 * 44, 32) == 16 && get(got, 8 * 33, 24) == 0x1234);
    CHECK(memcmp(b.memory + DATA + 64, a.memory + DATA, 16) == 0);
    end_both();
}

static void wrong_keys_are_refused(void)
{
    open_both();
    memset(b.memory + DATA, 0, 8);
    request(&a, 0x08, &b, address_of(&b, DATA), b.mr->rkey ^ 0x100, DATA, 8);
    const uint8_t *cqe = completion(&a);
    CHECK(cqe[63] >> 4 == 13 && cqe[55] == 0x13); /* a remote access error */
    CHECK(b.memory[DATA] == 0);
    uint8_t in[IN], out[OUT];
    change_command(&a, 0x50b, in);
    CHECK(mlx5dv_devx_obj_query(a.qp, in, IN, out, OUT) == 0 && get(out, 0xc0, 4) == 6);
    end_both();
}

static unsigned state_of(const struct side *s, uint8_t out[OUT])
{
    uint8_t in[IN];
    change_command(s, 0x50b, in);
    CHECK(mlx5dv_devx_obj_query(s->qp, in, IN, out, OUT) == 0);
    return (unsigned)get(out, 0xc0, 4);
}

static void states_change_and_can_be_asked(void)
{
    uint8_t in[IN], out[OUT];
    side_make(&a, "mlx5_0");
    side_make(&b, "mlx5_1");
    CHECK(state_of(&a, out) == 0 && get(out, 0xc0 + 0x88, 24) == 0x1234);
    rtr_command(&a, &b, in);
    CHECK(change(&a, in) == EREMOTEIO); /* from RESET */
    CHECK(to_init(&a) == 0 && state_of(&a, out) == 1 && get(out, 0xc0 + 0x490, 3) == 7);
    change_command(&a, 0x50e, in); /* INIT2INIT: no more remote writes */
    put(in, 0x80, 32, 8);
    CHECK(change(&a, in) == 0 && state_of(&a, out) == 1 && get(out, 0xc0 + 0x490, 3) == 5);
    rtr_command(&a, &b, in);
    CHECK(change(&a, in) == 0 && state_of(&a, out) == 2);
    CHECK(get(out, 0xc0 + 0xa8, 24) == b.number && get(out, 0xc0 + 0x40, 3) == 3);
    CHECK(memcmp(out + (0xc0 + 0xc0 + 0x80) / 8, in + (0xc0 + 0xc0 + 0x80) / 8, 16) == 0);
    CHECK(to_rts(&a) == 0 && state_of(&a, out) == 3 && get(out, 0xc0 + 0x3c8, 24) == 77);
    change_command(&a, 0x505, in); /* RTS2RTS: remote writes again */
    put(in, 0x80, 32, 8);
    put(in, 0xc0 + 0x491, 1, 1);
    CHECK(change(&a, in) == 0 && get(out, 0xc0 + 0x490, 3) == 5);
    CHECK(state_of(&a, out) == 3 && get(out, 0xc0 + 0x490, 3) == 7);
    change_command(&a, 0x507, in);
    CHECK(change(&a, in) == 0 && state_of(&a, out) == 6);
    change_command(&a, 0x50a, in);
    CHECK(change(&a, in) == 0 && state_of(&a, out) == 0 && get(out, 0xc0 + 0xa8, 24) == 0);
    CHECK(to_init(&a) == 0);
    end_both();
}

/* With a collapsed completion queue, the counter of the last completion is always in the first entry. */
static void a_collapsed_queue_has_one_entry(void)
{
    uint8_t in[IN], out[OUT];
    side_open(&a, "mlx5_0");
    side_make_cq(&a, true);
    qp_command(&a, in);
    CHECK((a.qp = mlx5dv_devx_obj_create(a.context, in, IN, out, OUT)));
    a.number = (uint32_t)get(out, 0x48, 24);
    side_make(&b, "mlx5_1");
    side_connect(&a, &b);
    side_connect(&b, &a);
    for (unsigned i = 0; i < 40; i++) {
        request(&a, 0x08, &b, address_of(&b, DATA), b.mr->rkey, DATA, 8);
        const uint64_t *entry = (const uint64_t *)(const void *)(a.memory + CQ_AT + 56);
        while ((be64toh(__atomic_load_n(entry, __ATOMIC_ACQUIRE)) >> 16 & 0xffff) != i)
            ;
        CHECK(a.memory[CQ_AT + 64 + 63] == 0xf1); /* the second is untouched */
    }
    end_both();
}

static void the_device_can_be_asked(void)
{
    uint8_t in[16] = {0}, out[0x1000 + 16];
    uint32_t eqn = 1;
    union ibv_gid gid;
    side_open(&a, "mlx5_0");
    CHECK(mlx5dv_devx_query_eqn(a.context, 0, &eqn) == 0 && eqn == 0);
    CHECK(mlx5dv_devx_query_eqn(a.context, 1000000, &eqn) == EINVAL);
    put(in, 0, 16, 0x100);
    put(in, 0x30, 16, 1);
    CHECK(mlx5dv_devx_general_cmd(a.context, in, sizeof in, out, sizeof out) == 0);
    CHECK(get(out, 0x80 + 0x1b6, 2) == 1 && get(out, 0x80 + 0x23f, 1) == 1);    /* Ethernet, RC */
    CHECK(get(out, 0x80 + 0x88, 8) == 15 && get(out, 0x80 + 0x290, 16) >= 512); /* sizes */
    CHECK(get(out, 0x80 + 0x20, 1) == 0);                                       /* hca_cap_2 */
    put(in, 0x30, 16, 4 << 1);
    CHECK(mlx5dv_devx_general_cmd(a.context, in, sizeof in, out, sizeof out) == 0);
    CHECK(get(out, 0x80 + 0xf0, 16) > 3 && get(out, 0x80 + 0xd0, 16) < get(out, 0x80 + 0xc0, 16));
    put(in, 0x30, 16, 7 << 1);
    CHECK(mlx5dv_devx_general_cmd(a.context, in, sizeof in, out, sizeof out) == EREMOTEIO);
    memset(in, 0, sizeof in);
    put(in, 0, 16, 0x760);
    put(in, 0x40, 16, 1);
    CHECK(mlx5dv_devx_general_cmd(a.context, in, sizeof in, out, sizeof out) == 0);
    CHECK(ibv_query_gid(a.context, 1, 1, &gid) == 0 && memcmp(out + 16, gid.raw, 16) == 0);
    CHECK(get(out, 0x80 + 0xd8, 8) == 2);
    put(in, 0x40, 16, 60000);
    CHECK(mlx5dv_devx_general_cmd(a.context, in, sizeof in, out, sizeof out) == EREMOTEIO);
    /* The address vector of an address handle. */
    struct ibv_ah_attr to = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = 1}};
    struct mlx5dv_ah ah;
    struct mlx5dv_obj obj = {.ah = {.in = ibv_create_ah(a.pd, &to), .out = &ah}};
    CHECK(obj.ah.in && mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH) == 0);
    CHECK(memcmp(ah.av->rgid, gid.raw, 16) == 0 && ah.av->rmac[0] == 2);
    CHECK(ibv_destroy_ah(obj.ah.in) == 0);
    side_end(&a);
}

#define NOT_MADE(in, size, why, status)                                                            \
    (errno = 0, !mlx5dv_devx_obj_create(a.context, in, size, out, OUT) && errno == (why) &&        \
                    out[0] == (status))

static void wrong_commands_are_refused(void)
{
    uint8_t in[IN], good[IN], out[OUT];
    side_make(&a, "mlx5_0");
    cq_command(&a, good);
#define CQ_WITH(bit, bits, value) (memcpy(in, good, IN), put(in, 0x80 + (bit), bits, value))
    CHECK(NOT_MADE(good, 64, EREMOTEIO, 0x50));
    CQ_WITH(0x08, 3, 1); /* cqe_sz */
    CHECK(NOT_MADE(in, IN, EOPNOTSUPP, 2));
    CQ_WITH(0x06, 1, 0); /* dbr_umem_valid */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 3));
    CQ_WITH(0x63, 5, 23); /* log_cq_size */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 3));
    CQ_WITH(0x68, 24, 7); /* uar_page */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 5));
    CQ_WITH(0x200, 64, MEMORY); /* the ring is outside of the umem */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 3));
    CQ_WITH(0x200, 64, UINT64_MAX - 63);
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 3));
    CQ_WITH(0x240, 32, a.mr->lkey); /* a key is no umem */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 3));
    qp_command(&a, good);
#define QP_WITH(bit, bits, value) (memcpy(in, good, IN), put(in, 0xc0 + (bit), bits, value))
    QP_WITH(0x08, 8, 3); /* UD */
    CHECK(NOT_MADE(in, IN, EOPNOTSUPP, 2));
    QP_WITH(0x28, 24, 0xffffff); /* no such protection domain */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 5));
    QP_WITH(0x4d, 3, 1); /* log_rq_stride */
    CHECK(NOT_MADE(in, IN, EOPNOTSUPP, 2));
    QP_WITH(0x80, 2, 1); /* send_dbr_mode */
    CHECK(NOT_MADE(in, IN, EOPNOTSUPP, 2));
    QP_WITH(0x3e8, 24, a.number); /* a queue pair is no completion queue */
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 5));
    QP_WITH(0x565, 3, 1); /* shared receives */
    CHECK(NOT_MADE(in, IN, EOPNOTSUPP, 2));
    QP_WITH(0x740, 64, MEMORY - 64);
    CHECK(NOT_MADE(in, IN, EREMOTEIO, 3));
    CHECK(ibv_dealloc_pd(a.pd) == EBUSY); /* by its queue pair, and no other */
    /* Changes. */
    change_command(&a, 0x502, in);
    put(in, 0x48, 24, a.number + 1);
    CHECK(change(&a, in) == EREMOTEIO);
    CHECK(mlx5dv_devx_obj_modify(a.qp, in, 100, out, OUT) == EREMOTEIO && out[0] == 0x50);
    change_command(&a, 0x502, in);
    put(in, 0xc0 + 0xc0 + 0x128, 8, 9); /* port 9 */
    CHECK(change(&a, in) == EREMOTEIO);
    change_command(&a, 0x901, in);
    CHECK(change(&a, in) == EOPNOTSUPP);
    CHECK(mlx5dv_devx_obj_modify(a.cq, in, IN, out, OUT) == EOPNOTSUPP);
    CHECK(mlx5dv_devx_obj_query(a.cq, in, IN, out, OUT) == EOPNOTSUPP);
    change_command(&a, 0x50b, in);
    CHECK(mlx5dv_devx_obj_query(a.qp, in, IN, out, 100) == EREMOTEIO && out[0] == 0x51);
    CHECK(to_init(&a) == 0);
    rtr_command(&a, &a, in); /* a GID of nobody */
    memset(in + (0xc0 + 0xc0 + 0x80) / 8, 0x77, 16);
    CHECK(change(&a, in) == EREMOTEIO);
    side_end(&a);
}

static const struct test_case cases[] = {
    CASE(requests_are_carried_out),       CASE(wrong_keys_are_refused),
    CASE(states_change_and_can_be_asked), CASE(a_collapsed_queue_has_one_entry),
    CASE(the_device_can_be_asked),        CASE(wrong_commands_are_refused)};

int main(int argc, char **argv)
{
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
