/* The objects of DOCA Verbs in the test world, and arguments for queue pairs of the DPA; DOCA 3.x
 * only. The queue pair is connected to itself while it runs. It and the shared receive queue are of
 * the CPU, except for functions that need a queue of the DPA. */
#include "matrix_world.h"

#include <fcntl.h>

static struct doca_umem *rings;

#define PATH                                                                                       \
    (DOCA_VERBS_QP_ATTR_RQ_PSN | DOCA_VERBS_QP_ATTR_DEST_QP_NUM | DOCA_VERBS_QP_ATTR_PATH_MTU |    \
     DOCA_VERBS_QP_ATTR_AH_ATTR | DOCA_VERBS_QP_ATTR_MIN_RNR_TIMER)
#define SENDING                                                                                    \
    (DOCA_VERBS_QP_ATTR_SQ_PSN | DOCA_VERBS_QP_ATTR_ACK_TIMEOUT | DOCA_VERBS_QP_ATTR_RETRY_CNT |   \
     DOCA_VERBS_QP_ATTR_RNR_RETRY)

/* ---- Parts ---- */

static void make_context(struct world *w)
{
    struct doca_verbs_context *c = NULL;
    CHECK(doca_verbs_context_create(w->objects[DEVINFO], 0, &c) == OK);
    w->objects[VERBS_CONTEXT] = c;
    w->ib = doca_verbs_bridge_get_ibv_ctx(c);
    CHECK(doca_verbs_pd_create(c, (struct doca_verbs_pd **)&w->objects[VERBS_PD]) == OK);
    w->ib_pd = doca_verbs_bridge_verbs_pd_get_ibv_pd(w->objects[VERBS_PD]);
    CHECK(doca_verbs_query_device(
              c, (struct doca_verbs_device_attr **)&w->objects[VERBS_DEVICE_ATTR]) == OK);
    CHECK(doca_verbs_ah_attr_create(c, (struct doca_verbs_ah_attr **)&w->objects[VERBS_AH_ATTR]) ==
          OK);
}

/* Nothing waits for an event that never comes. */
static void make_events(struct world *w)
{
    struct doca_verbs_comp_channel *c = NULL;
    CHECK(doca_verbs_comp_channel_create(w->objects[VERBS_CONTEXT], &c) == OK);
    CHECK(fcntl(doca_verbs_comp_channel_get_handle(c), F_SETFL, O_NONBLOCK) == 0);
    CHECK(fcntl(doca_verbs_get_async_event_handle(w->objects[VERBS_CONTEXT]), F_SETFL,
                O_NONBLOCK) == 0);
    w->objects[VERBS_CHANNEL] = c;
    CHECK(doca_verbs_cc_group_attr_create(
              (struct doca_verbs_cc_group_attr **)&w->objects[VERBS_CC_ATTR]) == OK);
}

static void make_completions(struct world *w)
{
    struct doca_verbs_cq_attr *a = NULL;
    CHECK(doca_verbs_cq_attr_create(&a) == OK && doca_verbs_cq_attr_set_cq_size(a, 8) == OK);
    w->objects[VERBS_CQ_ATTR] = a;
    CHECK(doca_verbs_cq_create(w->objects[VERBS_CONTEXT], a,
                               (struct doca_verbs_cq **)&w->objects[VERBS_CQ]) == OK);
}

static void make_shared(struct world *w, bool of_dpa)
{
    struct doca_verbs_srq_init_attr *a = NULL;
    CHECK(doca_verbs_srq_init_attr_create(&a) == OK);
    if (of_dpa)
        CHECK(doca_verbs_srq_init_attr_set_external_datapath_en(a, 1) == OK &&
              doca_verbs_srq_init_attr_set_dpa(a, w->objects[DPA]) == OK);
    else
        CHECK(doca_verbs_srq_init_attr_set_pd(a, w->objects[VERBS_PD]) == OK);
    CHECK(doca_verbs_srq_init_attr_set_srq_wr(a, 8) == OK);
    CHECK(doca_verbs_srq_init_attr_set_receive_max_sges(a, 1) == OK);
    w->objects[VERBS_SRQ_ATTR] = a;
    CHECK(doca_verbs_srq_create(w->objects[VERBS_CONTEXT], a,
                                (struct doca_verbs_srq **)&w->objects[VERBS_SRQ]) == OK);
}

static void make_memory_and_page(struct world *w)
{
    struct doca_dev *dev = w->objects[DEV];
    CHECK(doca_umem_create(dev, w->mapped, sizeof w->mapped, 0,
                           (struct doca_umem **)&w->objects[UMEM]) == OK);
    CHECK(doca_uar_create(dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE,
                          (struct doca_uar **)&w->objects[UAR]) == OK);
}

static void make_ethernet(struct world *w)
{
    CHECK(doca_verbs_eth_sq_init_attr_create(
              (struct doca_verbs_eth_sq_init_attr **)&w->objects[VERBS_ETH_SQ_ATTR]) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_create(
              (struct doca_verbs_eth_rq_init_attr **)&w->objects[VERBS_ETH_RQ_ATTR]) == OK);
}

/* ---- The queue pair ---- */

static void set_cpu(struct world *w, struct doca_verbs_qp_init_attr *a)
{
    CHECK(doca_verbs_qp_init_attr_set_send_cq(a, w->objects[VERBS_CQ]) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_cq(a, w->objects[VERBS_CQ]) == OK);
}

static void set_dpa(struct world *w, struct doca_verbs_qp_init_attr *a)
{
    CHECK(doca_umem_dpa_create(w->objects[DPA], w->memory, 512, 0, &rings) == OK);
    CHECK(doca_verbs_qp_init_attr_set_external_datapath_en(a, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_external_umem(a, rings, 0) == OK);
    CHECK(doca_verbs_qp_init_attr_set_external_dbr_umem(a, rings, 504) == OK);
    CHECK(doca_verbs_qp_init_attr_set_external_uar(a, w->objects[UAR]) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_dpa_completion(a, w->rdma_queue) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_dpa_completion(a, w->rdma_queue) == OK);
}

static void make_pair(struct world *w, bool of_dpa)
{
    struct doca_verbs_qp_init_attr *a = NULL;
    CHECK(doca_verbs_qp_init_attr_create(&a) == OK);
    CHECK(doca_verbs_qp_init_attr_set_pd(a, w->objects[VERBS_PD]) == OK);
    CHECK(doca_verbs_qp_init_attr_set_sq_wr(a, 4) == OK);
    CHECK(doca_verbs_qp_init_attr_set_rq_wr(a, 4) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_max_sges(a, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_max_sges(a, 1) == OK);
    if (of_dpa)
        set_dpa(w, a);
    else
        set_cpu(w, a);
    w->objects[VERBS_QP_INIT_ATTR] = a;
    CHECK(doca_verbs_qp_create(w->objects[VERBS_CONTEXT], a,
                               (struct doca_verbs_qp **)&w->objects[VERBS_QP]) == OK);
}

static void change(struct world *w, enum doca_verbs_qp_state state, int mask)
{
    struct doca_verbs_qp_attr *a = w->objects[VERBS_QP_ATTR];
    CHECK(doca_verbs_qp_attr_set_next_state(a, state) == OK);
    CHECK(doca_verbs_qp_modify(w->objects[VERBS_QP], a, DOCA_VERBS_QP_ATTR_NEXT_STATE | mask) ==
          OK);
}

static void make_change(struct world *w)
{
    struct doca_verbs_qp_attr *a = NULL;
    struct doca_verbs_gid gid;
    CHECK(ibv_query_gid(w->ib, 1, 0, (union ibv_gid *)(void *)&gid) == 0);
    CHECK(doca_verbs_ah_attr_set_gid(w->objects[VERBS_AH_ATTR], gid) == OK);
    CHECK(doca_verbs_qp_attr_create(&a) == OK);
    CHECK(doca_verbs_qp_attr_set_port_num(a, 1) == OK);
    CHECK(doca_verbs_qp_attr_set_path_mtu(a, DOCA_MTU_SIZE_1K_BYTES) == OK);
    CHECK(doca_verbs_qp_attr_set_ah_attr(a, w->objects[VERBS_AH_ATTR]) == OK);
    CHECK(doca_verbs_qp_attr_set_dest_qp_num(a, doca_verbs_qp_get_qpn(w->objects[VERBS_QP])) == OK);
    CHECK(doca_verbs_qp_attr_set_next_state(a, DOCA_VERBS_QP_STATE_INIT) == OK);
    w->objects[VERBS_QP_ATTR] = a;
}

static void connect(struct world *w)
{
    change(w, DOCA_VERBS_QP_STATE_INIT, INIT_MASK);
    change(w, DOCA_VERBS_QP_STATE_RTR, PATH);
    change(w, DOCA_VERBS_QP_STATE_RTS, SENDING);
}

/* ---- All ---- */

void make_verbs(struct world *w, enum state state, const char *function)
{
    const bool asks = function && state >= RUNNING,
               of_dpa = asks && strcmp(function, "doca_verbs_qp_get_dpa_handle") == 0,
               shared_of_dpa = asks && strcmp(function, "doca_verbs_srq_get_dpa_handle") == 0;
    make_context(w);
    make_events(w);
    make_completions(w);
    make_shared(w, shared_of_dpa);
    make_memory_and_page(w);
    make_ethernet(w);
    make_pair(w, of_dpa);
    make_change(w);
    if (state >= RUNNING)
        connect(w);
    if (state == STOPPED)
        change(w, DOCA_VERBS_QP_STATE_RST, 0);
    CHECK(doca_verbs_qp_attr_set_next_state(w->objects[VERBS_QP_ATTR], DOCA_VERBS_QP_STATE_INIT) ==
          OK);
}

void destroy_verbs_object(void *object)
{
    if (!object)
        return;
    doca_verbs_qp_destroy(object);
    doca_verbs_srq_destroy(object);
    doca_verbs_cq_destroy(object);
    doca_verbs_comp_channel_destroy(object);
    doca_verbs_cc_group_attr_destroy(object);
    doca_verbs_qp_attr_destroy(object);
    doca_verbs_qp_init_attr_destroy(object);
    doca_verbs_cq_attr_destroy(object);
    doca_verbs_srq_init_attr_destroy(object);
    doca_verbs_eth_sq_init_attr_destroy(object);
    doca_verbs_eth_rq_init_attr_destroy(object);
    doca_verbs_ah_attr_destroy(object);
    doca_verbs_device_attr_free(object);
    doca_verbs_pd_destroy(object);
    doca_verbs_context_destroy(object);
    doca_umem_destroy(object);
    doca_uar_destroy(object);
}

void destroy_verbs(struct world *w)
{
    for (enum kind k = VERBS_QP; k <= UAR; k++)
        destroy_verbs_object(w->objects[k]);
    doca_umem_destroy(rings);
    rings = NULL;
}
