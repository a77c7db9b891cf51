/* Steering rules that match the properties which tasks of DOCA Ethernet give their frames. */
#include <doca_rdma_bridge.h>
#include <infiniband/mlx5dv.h>

#include "eth_world.h"

enum { MATCHES_MISC2 = 8, DROPPED = METADATA + 1, KEPT };

/* A match of metadata_reg_a, as the card has it. */
struct parameters {
    size_t size;
    uint8_t before[192 + 48], metadata[4], behind[12];
};
#define P(p) ((struct mlx5dv_flow_match_parameters *)(void *)&(p))

struct rule {
    struct mlx5dv_dr_domain *domain;
    struct mlx5dv_dr_table *table;
    struct mlx5dv_dr_matcher *matcher;
    struct mlx5dv_dr_action *drop;
    struct mlx5dv_dr_rule *rule;
};

static struct rule drop_sent(uint32_t metadata)
{
    struct ibv_pd *pd = NULL;
    struct rule r;
    struct parameters mask = {.size = 256, .metadata = {0xff, 0xff, 0xff, 0xff}},
                      value = {.size = 256};
    metadata = htobe32(metadata);
    memcpy(value.metadata, &metadata, sizeof metadata);
    CHECK(doca_rdma_bridge_get_dev_pd(w.dev, &pd) == OK);
    CHECK((r.domain = mlx5dv_dr_domain_create(pd->context, MLX5DV_DR_DOMAIN_TYPE_NIC_TX)));
    CHECK((r.table = mlx5dv_dr_table_create(r.domain, 0)));
    CHECK((r.matcher = mlx5dv_dr_matcher_create(r.table, 0, MATCHES_MISC2, P(mask))));
    CHECK((r.drop = mlx5dv_dr_action_create_drop()));
    CHECK((r.rule = mlx5dv_dr_rule_create(r.matcher, P(value), 1, &r.drop)));
    return r;
}

static void rule_end(struct rule *r)
{
    CHECK(mlx5dv_dr_rule_destroy(r->rule) == 0 && mlx5dv_dr_action_destroy(r->drop) == 0);
    CHECK(mlx5dv_dr_matcher_destroy(r->matcher) == 0 && mlx5dv_dr_table_destroy(r->table) == 0);
    CHECK(mlx5dv_dr_domain_destroy(r->domain) == 0);
}

/* What is dropped was sent: the port did so. */
static void send_as(struct doca_buf *b, uint32_t metadata)
{
    struct doca_eth_txq_task_send *t = NULL;
    uint32_t *its = NULL;
    CHECK(doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t) == OK);
    CHECK(doca_eth_txq_task_send_get_metadata_array(t, &its) == OK);
    its[0] = metadata;
    CHECK(doca_task_submit(doca_eth_txq_task_send_as_doca_task(t)) == OK);
    await(&w.sent, w.sent + 1);
}

static void send_large_as(struct doca_buf *b, struct doca_gather_list *headers, uint32_t metadata)
{
    struct doca_eth_txq_task_lso_send *t = NULL;
    uint32_t *its = NULL;
    CHECK(doca_eth_txq_task_lso_send_allocate_init(w.txq, b, headers, (union doca_data){0}, &t) ==
          OK);
    CHECK(doca_eth_txq_task_lso_send_get_metadata_array(t, &its) == OK);
    its[0] = metadata;
    CHECK(doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(t)) == OK);
    await(&w.sent, w.sent + 1);
}

/* Two frames, the first of which is dropped. */
static void send_batch(struct doca_buf *b)
{
    struct doca_task_batch *batch = NULL;
    struct doca_buf **pkts = NULL;
    union doca_data *data = NULL;
    uint32_t *metadata = NULL;
    CHECK(doca_eth_txq_task_batch_send_allocate(w.txq, 2, (union doca_data){0}, &pkts, &data,
                                                &batch) == OK);
    CHECK(doca_eth_txq_task_batch_send_get_metadata_array(batch, &metadata) == OK);
    pkts[0] = pkts[1] = b;
    metadata[0] = DROPPED;
    metadata[1] = KEPT;
    CHECK(doca_task_batch_submit(batch) == OK);
    await(&w.sent, w.sent + 2);
}

static void send_large_batch(struct doca_buf *b, struct doca_gather_list *headers)
{
    struct doca_task_batch *batch = NULL;
    struct doca_gather_list **lists = NULL;
    struct doca_buf **pkts = NULL;
    union doca_data *data = NULL;
    uint32_t *metadata = NULL;
    CHECK(doca_eth_txq_task_batch_lso_send_allocate(w.txq, 2, (union doca_data){0}, &pkts, &lists,
                                                    &data, &batch) == OK);
    CHECK(doca_eth_txq_task_batch_lso_send_get_metadata_array(batch, &metadata) == OK);
    pkts[0] = pkts[1] = b;
    lists[0] = lists[1] = headers;
    metadata[0] = DROPPED;
    metadata[1] = KEPT;
    CHECK(doca_task_batch_submit(batch) == OK);
    await(&w.sent, w.sent + 2);
}

/* Frames arrive in order: a dropped frame would have arrived earlier. */
void rules_match_metadata_of_sent_frames(void)
{
    struct doca_buf *to[TASKS];
    world_open("mlx5_0");
    w.stops = true;
    receiver_start();
    sender_start();
    stop(doca_eth_txq_as_doca_ctx(w.txq));
    CHECK(doca_eth_txq_set_metadata_num(w.txq, 1) == OK);
    CHECK(doca_ctx_start(doca_eth_txq_as_doca_ctx(w.txq)) == OK);
    for (unsigned i = 0; i < TASKS; i++)
        receive_into(to[i] = buf(8 + i, 0));
    struct doca_buf *b = udp_frame();
    struct rule r = drop_sent(DROPPED);
    send_as(b, DROPPED);
    send_as(b, KEPT);
    await(&w.came, 1);
    send_batch(b);
    await(&w.came, 2);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    struct doca_gather_list headers;
    b = tcp_data(&headers, 60);
    send_large_as(b, &headers, DROPPED);
    send_large_as(b, &headers, KEPT);
    await(&w.came, 3);
    send_large_batch(b, &headers);
    await(&w.came, 4);
    rule_end(&r);
    send_large_as(b, &headers, DROPPED);
    await(&w.came, 5);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    stop(doca_eth_rxq_as_doca_ctx(w.rxq));
    CHECK(w.came == 5 && w.failed == TASKS - 5);
    for (unsigned i = 0; i < TASKS; i++)
        CHECK(doca_buf_dec_refcount(to[i], NULL) == OK);
    world_close();
}
