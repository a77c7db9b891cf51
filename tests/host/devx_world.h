/* Queues that programs make by commands of the ConnectX PRM, with rings in memory of their own. Fields are numbered by
 * bits, as the PRM numbers them. */
#ifndef TESTS_DEVX_WORLD_H
#define TESTS_DEVX_WORLD_H

#include <endian.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { IN = 0x880 / 8, OUT = 0x880 / 8, LOG_SENDS = 4, LOG_RECEIVES = 3, LOG_CQ = 4 };
enum {
    CQ_AT = 0,
    CQ_RECORD = 0x400,
    RING = 0x800,
    RECORD = 0x1000,
    DATA = 0x1800,
    MEMORY = 0x2000
};
enum { SENDS_AT = RING + (16 << LOG_RECEIVES) };

struct side {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct mlx5dv_devx_uar *uar;
    struct mlx5dv_devx_umem *umem;
    struct mlx5dv_devx_obj *cq, *qp;
    uint32_t cq_number, number, pd_number;
    uint16_t sent;
    uint32_t polled;
    uint8_t *memory; /* NULL: side_open allocates it */
};

static inline void put(uint8_t *bytes, size_t bit, unsigned bits, uint64_t value)
{
    for (unsigned k = 0; k < bits; k++) {
        const size_t i = bit + bits - 1 - k;
        if (value >> k & 1)
            bytes[i / 8] |= (uint8_t)(0x80u >> i % 8);
        else
            bytes[i / 8] &= (uint8_t) ~(0x80u >> i % 8);
    }
}

static inline uint64_t get(const uint8_t *bytes, size_t bit, unsigned bits)
{
    uint64_t value = 0;
    for (size_t i = bit; i < bit + bits; i++)
        value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
    return value;
}

static inline void cq_command(const struct side *s, uint8_t in[IN])
{
    memset(in, 0, IN);
    put(in, 0, 16, 0x400);
    put(in, 0x80 + 0x06, 1, 1);
    put(in, 0x80 + 0x0e, 1, 1); /* oi */
    put(in, 0x80 + 0x20, 32, s->umem->umem_id);
    put(in, 0x80 + 0x63, 5, LOG_CQ);
    put(in, 0x80 + 0x68, 24, s->uar->page_id);
    put(in, 0x80 + 0x1c0, 64, CQ_RECORD);
    put(in, 0x280, 64, CQ_AT);
    put(in, 0x2c0, 32, s->umem->umem_id);
    put(in, 0x2e0, 1, 1);
}

static inline void qp_command(const struct side *s, uint8_t in[IN])
{
    enum { QPC = 0xc0 };
    memset(in, 0, IN);
    put(in, 0, 16, 0x500);
    put(in, QPC + 0x28, 24, s->pd_number);
    put(in, QPC + 0x49, 4, LOG_RECEIVES);
    put(in, QPC + 0x51, 4, LOG_SENDS);
    put(in, QPC + 0x68, 24, s->uar->page_id);
    put(in, QPC + 0x88, 24, 0x1234);
    put(in, QPC + 0x3e8, 24, s->cq_number);
    put(in, QPC + 0x4e8, 24, s->cq_number);
    put(in, QPC + 0x500, 64, RECORD);
    put(in, QPC + 0x683, 1, 1);
    put(in, QPC + 0x720, 32, s->umem->umem_id);
    put(in, 0x800, 64, RING);
    put(in, 0x840, 32, s->umem->umem_id);
    put(in, 0x860, 1, 1);
}

static inline struct ibv_context *open_by_name(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;
    CHECK(list);
    for (int i = 0; list[i]; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            CHECK((context = ibv_open_device(list[i])));
    ibv_free_device_list(list);
    CHECK(context);
    return context;
}

/* Opens a device with memory, a UAR and the numbers that commands need, but without queues. */
static inline void side_open(struct side *s, const char *name)
{
    struct mlx5dv_pd pd;
    struct mlx5dv_obj obj = {.pd = {.out = &pd}};
    s->context = open_by_name(name);
    if (!s->memory)
        CHECK((s->memory = aligned_alloc(4096, MEMORY)) && memset(s->memory, 0, MEMORY));
    CHECK((s->pd = obj.pd.in = ibv_alloc_pd(s->context)));
    CHECK(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD) == 0 && pd.pdn != 0);
    s->pd_number = pd.pdn;
    CHECK((s->uar = mlx5dv_devx_alloc_uar(s->context, MLX5DV_UAR_ALLOC_TYPE_BF)));
    CHECK((s->umem = mlx5dv_devx_umem_reg(s->context, s->memory, MEMORY, IBV_ACCESS_LOCAL_WRITE)));
    CHECK((s->mr = ibv_reg_mr(s->pd, s->memory, MEMORY,
                              IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                                  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)));
}

static inline void side_make_cq(struct side *s, bool collapsed)
{
    uint8_t in[IN], out[OUT];
    for (size_t i = 0; i < 1u << LOG_CQ; i++)
        s->memory[CQ_AT + 64 * i + 63] = 0xf1; /* invalid, of the round before the first */
    cq_command(s, in);
    put(in, 0x80 + 0x0b, 1, collapsed);
    CHECK((s->cq = mlx5dv_devx_obj_create(s->context, in, IN, out, OUT)));
    s->cq_number = (uint32_t)get(out, 0x48, 24);
}

static inline void side_make(struct side *s, const char *name)
{
    uint8_t in[IN], out[OUT];
    side_open(s, name);
    side_make_cq(s, false);
    qp_command(s, in);
    CHECK((s->qp = mlx5dv_devx_obj_create(s->context, in, IN, out, OUT)) && out[0] == 0);
    s->number = (uint32_t)get(out, 0x48, 24);
    CHECK(s->number != 0);
}

static inline void side_end(struct side *s)
{
    CHECK(!s->qp || (mlx5dv_devx_obj_destroy(s->cq) == EBUSY && ibv_dealloc_pd(s->pd) == EBUSY &&
                     mlx5dv_devx_obj_destroy(s->qp) == 0));
    CHECK(!s->cq || mlx5dv_devx_obj_destroy(s->cq) == 0);
    CHECK(ibv_dereg_mr(s->mr) == 0 && mlx5dv_devx_umem_dereg(s->umem) == 0);
    mlx5dv_devx_free_uar(s->uar);
    CHECK(ibv_dealloc_pd(s->pd) == 0 && ibv_close_device(s->context) == 0);
}

/* A command that changes a queue pair: its number is there, the rest is zero. */
static inline void change_command(const struct side *s, unsigned opcode, uint8_t in[IN])
{
    memset(in, 0, IN);
    put(in, 0, 16, opcode);
    put(in, 0x48, 24, s->number);
}

static inline int change(const struct side *s, const uint8_t in[IN])
{
    uint8_t out[OUT];
    return mlx5dv_devx_obj_modify(s->qp, in, IN, out, OUT);
}

static inline int to_init(const struct side *s)
{
    uint8_t in[IN];
    change_command(s, 0x502, in);
    put(in, 0xc0 + 0xc0 + 0x128, 8, 1); /* port */
    put(in, 0xc0 + 0x490, 3, 7);        /* all rights */
    return change(s, in);
}

static inline void rtr_command(const struct side *s, const struct side *peer, uint8_t in[IN])
{
    union ibv_gid gid;
    CHECK(ibv_query_gid(peer->context, 1, 1, &gid) == 0);
    change_command(s, 0x503, in);
    put(in, 0xc0 + 0x40, 3, 3); /* MTU of 1,024 */
    put(in, 0xc0 + 0xa8, 24, peer->number);
    put(in, 0xc0 + 0x4a3, 5, 1);
    put(in, 0xc0 + 0x488, 3, 2); /* 4 reads */
    put(in, 0xc0 + 0xc0 + 0x48, 8, 1);
    memcpy(in + (0xc0 + 0xc0 + 0x80) / 8, gid.raw, sizeof gid.raw);
}

static inline int to_rts(const struct side *s)
{
    uint8_t in[IN];
    change_command(s, 0x504, in);
    put(in, 0xc0 + 0xc0 + 0x40, 5, 14);
    put(in, 0xc0 + 0x38d, 3, 7);
    put(in, 0xc0 + 0x390, 3, 7);
    put(in, 0xc0 + 0x388, 3, 2);
    put(in, 0xc0 + 0x3c8, 24, 77);
    return change(s, in);
}

static inline void side_connect(struct side *s, const struct side *peer)
{
    uint8_t in[IN];
    CHECK(to_init(s) == 0);
    rtr_command(s, peer, in);
    CHECK(change(s, in) == 0 && to_rts(s) == 0);
}

static inline uint64_t address_of(const struct side *s, size_t at)
{
    return (uint64_t)(uintptr_t)(s->memory + at);
}

/* Writes a request of two or three segments, and rings the doorbell as kernels and proxies do. */
static inline void request(struct side *s, unsigned opcode, const struct side *to, uint64_t remote,
                           uint32_t key, size_t from, uint32_t bytes)
{
    uint8_t *wqe = s->memory + SENDS_AT + 64 * (s->sent % (1u << LOG_SENDS));
    const unsigned segments = to ? 3 : 2;
    size_t at = 16;
    memset(wqe, 0, 64);
    put(wqe, 0, 32, (uint32_t)s->sent << 8 | opcode);
    put(wqe, 32, 32, s->number << 8 | segments);
    wqe[11] = 8; /* a completion */
    if (to) {
        put(wqe, 128, 64, remote);
        put(wqe, 192, 32, key);
        at += 16;
    }
    put(wqe, 8 * at, 32, bytes);
    put(wqe, 8 * at + 32, 32, s->mr->lkey);
    put(wqe, 8 * at + 64, 64, address_of(s, from));
    s->sent++;
    __atomic_store_n((uint32_t *)(void *)(s->memory + RECORD + 4), htobe32(s->sent),
                     __ATOMIC_RELEASE);
}

/* Waits for the next completion, and returns it. */
static inline const uint8_t *completion(struct side *s)
{
    const uint8_t *cqe = s->memory + CQ_AT + 64 * (s->polled & ((1u << LOG_CQ) - 1));
    const unsigned owner = s->polled >> LOG_CQ & 1;
    uint64_t last;
    do
        last = __atomic_load_n((const uint64_t *)(const void *)(cqe + 56), __ATOMIC_ACQUIRE);
    while ((last >> 60) == 0xf || (last >> 56 & 1) != owner);
    s->polled++;
    return cqe;
}

#endif
