/* Objects that doca_rdma.h and doca_rdma_bridge.h take from programs of librdmacm and libibverbs,
 * and give to them. */
#include <arpa/inet.h>
#include <doca_rdma_bridge.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_verbs_bridge.h>
#include <errno.h>
#include <rdma/rdma_cma.h>

#include "doca3_rdma_tasks.h"

/* ---- A program of librdmacm that calls, and one that listens ---- */

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener, *caller;

static struct rdma_cm_id *next_event(enum rdma_cm_event_type what)
{
    struct rdma_cm_event *e;
    CHECK(rdma_get_cm_event(channel, &e) == 0);
    struct rdma_cm_id *id = e->id;
    if (e->event != what)
        fprintf(stderr, "%s, status %d\n", rdma_event_str(e->event), e->status);
    CHECK(e->event == what && rdma_ack_cm_event(e) == 0);
    return id;
}

/* Returns who calls. */
static struct rdma_cm_id *called(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET}, to = any;
    struct ibv_qp_init_attr want = {
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1};
    CHECK((channel = rdma_create_event_channel()));
    CHECK(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listener, (struct sockaddr *)&any) == 0 && rdma_listen(listener, 1) == 0);
    to.sin_port = rdma_get_src_port(listener);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(rdma_create_id(channel, &caller, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(caller, NULL, (struct sockaddr *)&to, 1000) == 0);
    next_event(RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(caller, 1000) == 0);
    next_event(RDMA_CM_EVENT_ROUTE_RESOLVED);
    CHECK(rdma_create_qp(caller, NULL, &want) == 0);
    CHECK(rdma_connect(caller, &(struct rdma_conn_param){.rnr_retry_count = 7}) == 0);
    return next_event(RDMA_CM_EVENT_CONNECT_REQUEST);
}

static void hang_up(void)
{
    rdma_destroy_qp(caller);
    CHECK(rdma_destroy_id(caller) == 0 && rdma_destroy_id(listener) == 0);
    rdma_destroy_event_channel(channel);
}

static struct end *end_running(void)
{
    struct end *e = end_idle(ALL);
    CHECK(doca_ctx_start(e->ctx) == OK);
    return e;
}

static void completes(struct end *e, struct ibv_cq *cq)
{
    struct ibv_wc wc;
    while (ibv_poll_cq(cq, 1, &wc) == 0)
        doca_pe_progress(e->pe);
    CHECK(wc.status == IBV_WC_SUCCESS);
}

/* A word there and one back. */
static void talk(struct end *e)
{
    uint64_t words[2] = {0};
    struct doca_rdma_task_send *send;
    struct doca_buf *room = buf(e, e->map, &e->memory[0], 1, 0),
                    *word = buf(e, e->map, &e->memory[8], 1, 1);
    struct ibv_mr *mr = ibv_reg_mr(caller->pd, words, sizeof words, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_sge to = {(uintptr_t)&words[0], 8, mr->lkey},
                   from = {(uintptr_t)&words[1], 8, mr->lkey};
    struct ibv_recv_wr receives = {.sg_list = &to, .num_sge = 1}, *bad_receive;
    struct ibv_send_wr sends = {.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
    CHECK(ibv_post_recv(caller->qp, &receives, &bad_receive) == 0);
    receive(e, room);
    words[1] = 42;
    e->memory[8] = 43;
    CHECK(ibv_post_send(caller->qp, &sends, &bad) == 0);
    await(e, NULL, &e->completed, 1);
    received(e, DOCA_RDMA_OPCODE_RECV_SEND, 0);
    completes(e, caller->send_cq);
    CHECK(e->memory[0] == 42);
    CHECK(doca_rdma_task_send_allocate_init(e->rdma, e->connection, word, five, &send) == OK);
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
    completes(e, caller->recv_cq);
    await(e, NULL, &e->completed, 2);
    CHECK(words[0] == 43 && ibv_dereg_mr(mr) == 0);
    drop(room);
    drop(word);
}

static void callers_are_handed_over(void)
{
    struct end *e = end_running(), *other = end_running();
    struct rdma_cm_id *id = called();
    struct doca_rdma_connection *c = NULL;
    CHECK(doca_rdma_bridge_prepare_connection(NULL, id, &c) == INVALID);
    CHECK(doca_rdma_bridge_prepare_connection(e->rdma, NULL, &c) == INVALID);
    CHECK(doca_rdma_bridge_prepare_connection(e->rdma, id, NULL) == INVALID);
    CHECK(doca_rdma_bridge_prepare_connection(e->rdma, listener, &c) == INVALID && !c);
    CHECK(doca_rdma_bridge_prepare_connection(e->rdma, id, &c) == OK && c);
    e->connection = c;
    CHECK(doca_rdma_connection_accept(c, NULL, 0) == BAD_STATE);
    CHECK(doca_rdma_bridge_established(e->rdma, c) == INVALID);
    CHECK(doca_rdma_bridge_accept(other->rdma, NULL, 0, c) == INVALID);
    CHECK(doca_rdma_bridge_accept(e->rdma, NULL, 1, c) == INVALID);
    CHECK(doca_rdma_bridge_accept(e->rdma, "yes", 4, c) == OK);
    CHECK(doca_rdma_bridge_accept(e->rdma, NULL, 0, c) == BAD_STATE);
    CHECK(next_event(RDMA_CM_EVENT_ESTABLISHED) == caller);
    CHECK(next_event(RDMA_CM_EVENT_ESTABLISHED) == id);
    CHECK(doca_rdma_bridge_established(other->rdma, c) == INVALID);
    CHECK(doca_rdma_bridge_established(e->rdma, c) == OK);
    talk(e);
    CHECK(doca_rdma_connection_disconnect(c) == OK);
    next_event(RDMA_CM_EVENT_DISCONNECTED);
    next_event(RDMA_CM_EVENT_DISCONNECTED);
    end_destroy(e);
    end_destroy(other);
    hang_up();
}

/* doca_rdma_bridge_accept of DOCA 2.10. */
doca_error_t
accept_2_10(struct doca_rdma *rdma, struct rdma_cm_id *cm_id, void *private_data,
            uint8_t private_data_len,
            struct doca_rdma_connection **rdma_connection) __asm__("doca_rdma_bridge_accept_v2_10");

static void older_programs_accept_callers_in_one_step(void)
{
    struct end *e = end_running();
    struct rdma_cm_id *id = called();
    struct doca_rdma_connection *c = NULL;
    CHECK(accept_2_10(e->rdma, id, NULL, 0, NULL) == INVALID);
    CHECK(accept_2_10(e->rdma, id, NULL, 1, &c) == INVALID && !c);
    CHECK(accept_2_10(e->rdma, listener, NULL, 0, &c) == INVALID && !c);
    CHECK(accept_2_10(e->rdma, id, "yes", 4, &c) == OK && c);
    e->connection = c;
    CHECK(next_event(RDMA_CM_EVENT_ESTABLISHED) == caller);
    CHECK(next_event(RDMA_CM_EVENT_ESTABLISHED) == id);
    CHECK(doca_rdma_bridge_established(e->rdma, c) == OK);
    talk(e);
    CHECK(doca_rdma_connection_disconnect(c) == OK);
    next_event(RDMA_CM_EVENT_DISCONNECTED);
    next_event(RDMA_CM_EVENT_DISCONNECTED);
    end_destroy(e);
    hang_up();
}

static void callers_may_be_sent_away(void)
{
    struct end *e = end_idle(ALL);
    struct rdma_cm_id *id = called();
    struct doca_rdma_connection *c = NULL;
    CHECK(doca_rdma_bridge_prepare_connection(e->rdma, id, &c) == BAD_STATE && !c);
    CHECK(doca_ctx_start(e->ctx) == OK);
    CHECK(doca_rdma_bridge_prepare_connection(e->rdma, id, &c) == OK);
    CHECK(doca_rdma_connection_reject(c) == OK && doca_rdma_connection_reject(c) == BAD_STATE);
    CHECK(doca_rdma_bridge_accept(e->rdma, NULL, 0, c) == BAD_STATE);
    CHECK(next_event(RDMA_CM_EVENT_REJECTED) == caller);
    end_destroy(e);
    hang_up();
}

/* ---- Protection domains ---- */

static void devices_have_the_domain_of_a_program(void)
{
    int count;
    uint32_t key = 0, same_key = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    struct ibv_context *context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    struct ibv_pd *pd = ibv_alloc_pd(context), *same = NULL;
    struct doca_dev *mine = NULL;
    uint64_t words[4];
    struct doca_mmap *map, *elsewhere;
    struct doca_buf_inventory *inventory;
    struct doca_buf *b, *other;
    CHECK(doca_rdma_bridge_open_dev_from_pd(NULL, &mine) == INVALID);
    CHECK(doca_rdma_bridge_open_dev_from_pd(pd, NULL) == INVALID);
    CHECK(doca_rdma_bridge_open_dev_from_pd(pd, &mine) == OK);
    CHECK(doca_rdma_bridge_get_dev_pd(mine, &same) == OK && same == pd);
    CHECK(doca_mmap_create(&map) == OK && doca_mmap_create(&elsewhere) == OK);
    struct doca_mmap *const maps[] = {map, elsewhere};
    for (unsigned i = 0; i < 2; i++) {
        CHECK(doca_mmap_set_permissions(maps[i], ALL) == OK);
        CHECK(doca_mmap_set_memrange(maps[i], words, sizeof words) == OK);
        CHECK(doca_mmap_add_dev(maps[i], i ? dev : mine) == OK && doca_mmap_start(maps[i]) == OK);
    }
    CHECK(doca_buf_inventory_create(2, &inventory) == OK &&
          doca_buf_inventory_start(inventory) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, map, words, sizeof words, &b) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, elsewhere, words, sizeof words, &other) ==
          OK);
    CHECK(doca_rdma_bridge_get_buf_mkey(NULL, mine, &key) == INVALID);
    CHECK(doca_rdma_bridge_get_buf_mkey(b, NULL, &key) == INVALID);
    CHECK(doca_rdma_bridge_get_buf_mkey(b, mine, NULL) == INVALID);
    CHECK(doca_rdma_bridge_get_buf_mkey(other, mine, &key) == INVALID && key == 0);
    CHECK(doca_rdma_bridge_get_buf_mkey(b, mine, &key) == OK && key != 0);
    CHECK(doca_rdma_bridge_get_mmap_mkey_from_pd(NULL, pd, &same_key) == INVALID);
    CHECK(doca_rdma_bridge_get_mmap_mkey_from_pd(map, NULL, &same_key) == INVALID);
    CHECK(doca_rdma_bridge_get_mmap_mkey_from_pd(map, pd, NULL) == INVALID);
    CHECK(doca_rdma_bridge_get_mmap_mkey_from_pd(elsewhere, pd, &same_key) == INVALID);
    CHECK(doca_rdma_bridge_get_mmap_mkey_from_pd(map, pd, &same_key) == OK && same_key == key);

    /* A queue pair of that domain, to itself, reaches the buffer by its key, and no other map's. */
    struct ibv_cq *cq = ibv_create_cq(context, 8, NULL, NULL, 0);
    struct ibv_qp_init_attr want = {.send_cq = cq,
                                    .recv_cq = cq,
                                    .cap = {.max_send_wr = 2, .max_recv_wr = 1, .max_send_sge = 1},
                                    .qp_type = IBV_QPT_RC,
                                    .sq_sig_all = 1};
    struct ibv_qp *qp = ibv_create_qp(pd, &want);
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT,
                            .port_num = 1,
                            .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE,
                            .path_mtu = IBV_MTU_1024,
                            .dest_qp_num = qp->qp_num,
                            .ah_attr = {.is_global = 1, .port_num = 1},
                            .timeout = 14,
                            .retry_cnt = 7,
                            .rnr_retry = 7};
    CHECK(ibv_query_gid(context, 1, 0, &a.ah_attr.grh.dgid) == 0);
    CHECK(ibv_modify_qp(qp, &a,
                        IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
    a.qp_state = IBV_QPS_RTR;
    CHECK(ibv_modify_qp(qp, &a,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                            IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0);
    a.qp_state = IBV_QPS_RTS;
    CHECK(ibv_modify_qp(qp, &a,
                        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                            IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) == 0);
    uint32_t foreign = 0;
    CHECK(doca_rdma_bridge_get_buf_mkey(other, dev, &foreign) == OK && foreign != key);
    words[0] = 7;
    for (unsigned i = 0; i < 2; i++) {
        struct ibv_sge from = {(uintptr_t)&words[0], 8, key};
        struct ibv_send_wr *bad, write = {.sg_list = &from,
                                          .num_sge = 1,
                                          .opcode = IBV_WR_RDMA_WRITE,
                                          .wr.rdma = {(uintptr_t)&words[3], i ? foreign : key}};
        struct ibv_wc wc;
        words[3] = 0;
        CHECK(ibv_post_send(qp, &write, &bad) == 0);
        while (ibv_poll_cq(cq, 1, &wc) == 0)
            ;
        CHECK(wc.status == (i ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS) && words[3] == (i ? 0 : 7));
    }
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
    drop(b);
    drop(other);
    CHECK(doca_buf_inventory_destroy(inventory) == OK);
    CHECK(doca_mmap_destroy(map) == OK && doca_mmap_destroy(elsewhere) == OK);
    CHECK(ibv_dealloc_pd(pd) == EBUSY);
    CHECK(doca_dev_close(mine) == OK);
    CHECK(ibv_dealloc_pd(pd) == 0 && ibv_close_device(context) == 0);
}

/* As NVIDIA's samples of GPUNetIO end: the domain and its context go first, rings and doorbells are left. */
static void a_device_outlives_a_domain_of_doca_verbs(void)
{
    struct doca_verbs_context *context;
    struct doca_verbs_pd *pd;
    struct doca_dev *mine;
    struct doca_uar *uar;
    struct doca_umem *umem;
    struct ibv_pd *same = NULL;
    uint64_t words[8];
    uint32_t number = 0;
    CHECK(doca_verbs_context_create(doca_dev_as_devinfo(dev), 0, &context) == OK);
    CHECK(doca_verbs_pd_create(context, &pd) == OK);
    struct ibv_pd *ib = doca_verbs_bridge_verbs_pd_get_ibv_pd(pd);
    CHECK(doca_rdma_bridge_open_dev_from_pd(ib, &mine) == OK);
    CHECK(doca_rdma_bridge_get_dev_pd(mine, &same) == OK && same == ib);
    CHECK(doca_uar_create(mine, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &uar) == OK);
    CHECK(doca_umem_create(mine, words, sizeof words, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &umem) ==
          OK);
    CHECK(doca_verbs_pd_destroy(pd) == OK && doca_verbs_context_destroy(context) == OK);
    CHECK(doca_dev_close(mine) == OK && doca_dev_close(mine) == INVALID);
    CHECK(doca_uar_id_get(uar, &number) == OK && number != 0);
    CHECK(doca_uar_destroy(uar) == OK && doca_umem_destroy(umem) == OK);
}

const struct test_case bridge_cases[] = {
    CASE(callers_are_handed_over),
    CASE(older_programs_accept_callers_in_one_step),
    CASE(callers_may_be_sent_away),
    CASE(devices_have_the_domain_of_a_program),
    CASE(a_device_outlives_a_domain_of_doca_verbs),
    {0},
};
