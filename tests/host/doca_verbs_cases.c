/* DOCA Verbs on the CPU, within one process: a shared receive queue, inline data, events, and the
 * values of attributes. */
#include <doca_dev.h>
#include <doca_verbs_bridge.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "verbs_path.h"

#define OK     DOCA_SUCCESS
#define INLINE 32u

static struct doca_verbs_context *context;
static struct doca_verbs_pd *pd;
static struct doca_verbs_cq *cq;
static struct doca_verbs_srq *srq;
static struct doca_verbs_gid gid;
static struct ibv_mr *mr;
static char memory[256];

static void begin(void)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    struct doca_verbs_cq_attr *a;
    struct doca_verbs_srq_init_attr *s;
    union ibv_gid found;
    CHECK(doca_devinfo_create_list(&list, &count) == OK && count > 0);
    CHECK(doca_verbs_context_create(list[0], 0, &context) == OK);
    CHECK(doca_devinfo_destroy_list(list) == OK && doca_verbs_pd_create(context, &pd) == OK);
    mr = ibv_reg_mr(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd), memory, sizeof memory,
                    IBV_ACCESS_LOCAL_WRITE);
    CHECK(mr && ibv_query_gid(mr->context, 1, 0, &found) == 0);
    memcpy(&gid, &found, sizeof gid);
    CHECK(doca_verbs_cq_attr_create(&a) == OK && doca_verbs_cq_attr_set_cq_size(a, 64) == OK);
    CHECK(doca_verbs_cq_create(context, a, &cq) == OK && doca_verbs_cq_attr_destroy(a) == OK);
    CHECK(doca_verbs_srq_init_attr_create(&s) == OK &&
          doca_verbs_srq_init_attr_set_pd(s, pd) == OK);
    CHECK(doca_verbs_srq_init_attr_set_srq_wr(s, 8) == OK);
    CHECK(doca_verbs_srq_init_attr_set_receive_max_sges(s, 1) == OK);
    CHECK(doca_verbs_srq_create(context, s, &srq) == OK);
    CHECK(doca_verbs_srq_init_attr_destroy(s) == OK);
}

static struct doca_verbs_qp *qp_new(void)
{
    struct doca_verbs_qp_init_attr *q;
    struct doca_verbs_qp *qp = NULL;
    CHECK(doca_verbs_qp_init_attr_create(&q) == OK && doca_verbs_qp_init_attr_set_pd(q, pd) == OK);
    CHECK(doca_verbs_qp_init_attr_set_sq_wr(q, 8) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_max_sges(q, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_max_inline_data(q, INLINE) == OK);
    CHECK(doca_verbs_qp_init_attr_set_qp_type(q, DOCA_VERBS_QP_TYPE_RC) == OK);
    CHECK(doca_verbs_qp_init_attr_set_sq_sig_all(q, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_cq(q, cq) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_cq(q, cq) == OK);
    CHECK(doca_verbs_qp_init_attr_set_srq(q, srq) == OK);
    CHECK(doca_verbs_qp_create(context, q, &qp) == OK && qp);
    CHECK(doca_verbs_qp_init_attr_destroy(q) == OK);
    return qp;
}

static void connect_to(struct doca_verbs_qp *qp, const struct doca_verbs_qp *peer)
{
    verbs_path_connect(context, &gid, qp, doca_verbs_qp_get_qpn(peer), 14);
}

static void receive(size_t at)
{
    struct ibv_sge piece = {(uintptr_t)memory + at, INLINE, mr->lkey};
    struct ibv_recv_wr r = {.wr_id = at, .sg_list = &piece, .num_sge = 1}, *bad;
    CHECK(doca_verbs_bridge_post_srq_recv(srq, &r, &bad) == 0);
}

/* What is inline needs no key, and is taken at once. */
static int send_inline(struct doca_verbs_qp *qp, const char *text, uint32_t size)
{
    char copy[2 * INLINE] = {0};
    struct ibv_sge piece = {.addr = (uintptr_t)copy, .length = size};
    struct ibv_send_wr w = {.sg_list = &piece,
                            .num_sge = 1,
                            .opcode = IBV_WR_SEND,
                            .send_flags = IBV_SEND_INLINE},
                       *bad;
    strcpy(copy, text);
    const int why = doca_verbs_bridge_post_send(qp, &w, &bad);
    memset(copy, 0, sizeof copy);
    return why;
}

static struct ibv_wc await(void)
{
    struct ibv_wc wc;
    const time_t end = time(NULL) + 60;
    int n;
    while ((n = doca_verbs_bridge_poll_cq(cq, 1, &wc)) == 0)
        CHECK(time(NULL) < end);
    CHECK(n == 1 && wc.status == IBV_WC_SUCCESS);
    return wc;
}

/* The next message that was received: where. */
static uint64_t heard(const struct doca_verbs_qp *by)
{
    struct ibv_wc wc = await();
    const bool sent_first = wc.opcode == IBV_WC_SEND;
    if (sent_first)
        wc = await();
    CHECK(wc.opcode == IBV_WC_RECV && wc.qp_num == doca_verbs_qp_get_qpn(by));
    CHECK(sent_first || await().opcode == IBV_WC_SEND);
    return wc.wr_id;
}

/* What a connected pair is: as qp_new and connect_to made it. */
static void check_told(struct doca_verbs_qp *qp, const struct doca_verbs_qp *peer)
{
    struct doca_verbs_qp_attr *a;
    struct doca_verbs_qp_init_attr *i;
    struct doca_umem *umem;
    uint64_t offset;
    int mask = 0;
    CHECK(doca_verbs_qp_attr_create(&a) == OK && doca_verbs_qp_init_attr_create(&i) == OK);
    CHECK(doca_verbs_qp_query(qp, a, NULL, &mask) == DOCA_ERROR_INVALID_VALUE && !mask);
    CHECK(doca_verbs_qp_query(qp, a, i, NULL) == OK && doca_verbs_qp_query(qp, a, i, &mask) == OK);
    CHECK(mask == (0x3ffff & ~DOCA_VERBS_QP_ATTR_AH_ATTR));
    CHECK(doca_verbs_qp_attr_get_current_state(a) == DOCA_VERBS_QP_STATE_RTS);
    CHECK(doca_verbs_qp_attr_get_dest_qp_num(a) == doca_verbs_qp_get_qpn(peer));
    CHECK(doca_verbs_qp_attr_get_retry_cnt(a) == 7);
    CHECK(doca_verbs_qp_init_attr_get_max_inline_data(i) == INLINE);
    CHECK(doca_verbs_qp_init_attr_get_sq_wr(i) == 8);
    CHECK(doca_verbs_qp_init_attr_get_srq(i) == srq && doca_verbs_qp_init_attr_get_pd(i) == pd);
    CHECK(doca_verbs_qp_init_attr_get_external_umem(i, &umem, &offset) == OK && !umem && !offset);
    CHECK(doca_verbs_qp_attr_destroy(a) == OK && doca_verbs_qp_init_attr_destroy(i) == OK);
}

/* A context of libibverbs and one of DOCA have the same limits. */
static void check_limits(void)
{
    struct doca_verbs_device_attr *a, *b;
    CHECK(doca_verbs_query_device(context, &a) == OK);
    CHECK(doca_verbs_bridge_verbs_query_device(NULL, &b) == DOCA_ERROR_INVALID_VALUE && !b);
    CHECK(doca_verbs_bridge_verbs_query_device(doca_verbs_bridge_get_ibv_ctx(context), &b) == OK);
    CHECK(doca_verbs_device_attr_get_max_qp(a) > 0);
    CHECK(doca_verbs_device_attr_get_max_qp(a) == doca_verbs_device_attr_get_max_qp(b));
    CHECK(doca_verbs_device_attr_free(a) == OK && doca_verbs_device_attr_free(b) == OK);
}

static void end(void)
{
    CHECK(doca_verbs_srq_destroy(srq) == OK && doca_verbs_cq_destroy(cq) == OK);
    CHECK(ibv_dereg_mr(mr) == 0 && doca_verbs_pd_destroy(pd) == OK);
    CHECK(doca_verbs_context_destroy(context) == OK);
}

static void a_shared_queue_takes_inline_data(void)
{
    begin();
    check_limits();
    struct doca_verbs_qp *a = qp_new(), *b = qp_new();
    connect_to(a, b);
    connect_to(b, a);
    check_told(a, b);
    receive(0);
    receive(64);
    CHECK(send_inline(a, "to b", INLINE) == 0 && heard(b) == 0);
    CHECK(strcmp(memory, "to b") == 0);
    CHECK(send_inline(b, "to a", INLINE) == 0 && heard(a) == 64);
    CHECK(strcmp(memory + 64, "to a") == 0);
    CHECK(send_inline(a, "too much", 2 * INLINE) != 0);
    CHECK(doca_verbs_srq_destroy(srq) == DOCA_ERROR_IN_USE);
    CHECK(doca_verbs_qp_destroy(a) == OK && doca_verbs_qp_destroy(b) == OK);
    end();
}

/* ---- Events ---- */

/* Places are free again when completions were polled. */
static void a_full_queue_takes_no_more(void)
{
    begin();
    struct doca_verbs_qp *a = qp_new(), *b = qp_new();
    struct ibv_recv_wr none = {.num_sge = 0}, *bad;
    connect_to(a, b);
    connect_to(b, a);
    for (unsigned i = 0; i < 15; i++)
        receive(INLINE);
    CHECK(doca_verbs_bridge_post_srq_recv(srq, &none, &bad) == ENOMEM);
    for (unsigned i = 0; i < 8; i++)
        CHECK(send_inline(a, "one", 4) == 0);
    CHECK(send_inline(a, "one too many", 4) == ENOMEM);
    CHECK(doca_verbs_bridge_post_srq_recv(srq, &none, &bad) == ENOMEM);
    for (unsigned i = 0; i < 16; i++) /* sent, and received */
        await();
    receive(INLINE);
    CHECK(send_inline(a, "again", 6) == 0);
    for (unsigned i = 0; i < 2; i++)
        await();
    CHECK(doca_verbs_qp_destroy(a) == OK && doca_verbs_qp_destroy(b) == OK);
    end();
}

static char mine; /* the context of a queue */

/* Makes `cq` again, with a channel. */
static struct doca_verbs_comp_channel *make_channel(void)
{
    struct doca_verbs_comp_channel *channel;
    struct doca_verbs_cq_attr *a;
    CHECK(doca_verbs_cq_destroy(cq) == OK);
    CHECK(doca_verbs_comp_channel_create(context, &channel) == OK);
    CHECK(doca_verbs_cq_attr_create(&a) == OK && doca_verbs_cq_attr_set_cq_size(a, 64) == OK);
    CHECK(doca_verbs_cq_attr_set_comp_channel(a, channel) == OK);
    CHECK(doca_verbs_cq_attr_get_comp_channel(a) == channel);
    CHECK(doca_verbs_cq_attr_set_cq_context(a, &mine) == OK);
    CHECK(doca_verbs_cq_create(context, a, &cq) == OK && doca_verbs_cq_attr_destroy(a) == OK);
    return channel;
}

static bool is_readable(int handle)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void *acknowledge(void *queue)
{
    usleep(50000);
    doca_verbs_ack_cq_events(queue, 1);
    return NULL;
}

static void a_channel_tells_of_completions(void)
{
    struct doca_verbs_cq *of = NULL;
    void *its = NULL;
    pthread_t thread;
    begin();
    struct doca_verbs_comp_channel *channel = make_channel();
    const int handle = doca_verbs_comp_channel_get_handle(channel);
    struct doca_verbs_qp *a = qp_new(), *b = qp_new();
    connect_to(a, b);
    connect_to(b, a);
    CHECK(doca_verbs_comp_channel_destroy(channel) == DOCA_ERROR_IN_USE);
    CHECK(!is_readable(handle) && doca_verbs_req_notify_cq(cq, 0) == OK);
    receive(0);
    CHECK(send_inline(a, "to b", INLINE) == 0);
    CHECK(doca_verbs_get_cq_event(channel, &of, &its) == OK && of == cq && its == &mine);
    CHECK(heard(b) == 0 && !is_readable(handle));
    CHECK(doca_verbs_qp_destroy(a) == OK && doca_verbs_qp_destroy(b) == OK);
    CHECK(pthread_create(&thread, NULL, acknowledge, cq) == 0);
    CHECK(doca_verbs_cq_destroy(cq) == OK); /* waits for the thread */
    CHECK(pthread_join(thread, NULL) == 0 && doca_verbs_comp_channel_destroy(channel) == OK);
    CHECK(doca_verbs_comp_channel_get_handle(channel) == doca_event_invalid_handle);
    CHECK(doca_verbs_srq_destroy(srq) == OK && ibv_dereg_mr(mr) == 0);
    CHECK(doca_verbs_pd_destroy(pd) == OK && doca_verbs_context_destroy(context) == OK);
}

/* A peer writes where it may not. */
static void a_context_tells_of_errors(void)
{
    struct doca_verbs_async_event event;
    struct ibv_wc wc;
    begin();
    const int handle = doca_verbs_get_async_event_handle(context);
    struct doca_verbs_qp *a = qp_new(), *b = qp_new();
    connect_to(a, b);
    connect_to(b, a);
    struct ibv_sge piece = {(uintptr_t)memory, 8, mr->lkey};
    struct ibv_send_wr w = {.sg_list = &piece,
                            .num_sge = 1,
                            .opcode = IBV_WR_RDMA_WRITE,
                            .wr.rdma = {(uintptr_t)memory, mr->rkey}},
                       *bad;
    CHECK(!is_readable(handle) && doca_verbs_bridge_post_send(a, &w, &bad) == 0);
    CHECK(doca_verbs_get_async_event(context, &event) == OK);
    CHECK(event.event_type == DOCA_VERBS_EVENT_QP_ACCESS_ERR && event.element.qp == b);
    doca_verbs_ack_async_event(&event);
    const time_t last = time(NULL) + 60;
    while (doca_verbs_bridge_poll_cq(cq, 1, &wc) == 0)
        CHECK(time(NULL) < last);
    CHECK(wc.status == IBV_WC_REM_ACCESS_ERR);
    CHECK(doca_verbs_qp_destroy(a) == OK && doca_verbs_qp_destroy(b) == OK);
    end();
}

/* ---- Attributes ---- */

/* What only cards have of queue pairs can be said, but not made. */
static void check_not_made(struct doca_verbs_qp_init_attr *a, doca_error_t set)
{
    struct doca_verbs_qp *qp = NULL;
    CHECK(set == OK);
    CHECK(doca_verbs_qp_create(context, a, &qp) == DOCA_ERROR_NOT_SUPPORTED && !qp);
}

static void what_only_cards_have_is_not_made(void)
{
    struct doca_verbs_qp_init_attr *a;
    struct doca_verbs_cq_attr *c;
    struct doca_verbs_cq *other;
    begin();
    CHECK(doca_verbs_qp_init_attr_create(&a) == OK && doca_verbs_qp_init_attr_set_pd(a, pd) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_cq(a, cq) == OK);
    check_not_made(a, doca_verbs_qp_init_attr_set_uar_id(a, 7));
    CHECK(doca_verbs_qp_init_attr_get_uar_id(a) == 7);
    CHECK(doca_verbs_qp_init_attr_set_uar_id(a, 0) == OK);
    check_not_made(a, doca_verbs_qp_init_attr_set_pdn(a, 8));
    CHECK(doca_verbs_qp_init_attr_get_pdn(a) == 8 && doca_verbs_qp_init_attr_set_pdn(a, 0) == OK);
    check_not_made(a, doca_verbs_qp_init_attr_set_dbr_umem(a, 9, 10));
    CHECK(doca_verbs_qp_init_attr_get_dbr_umem_id(a) == 9);
    CHECK(doca_verbs_qp_init_attr_get_dbr_umem_offset(a) == 10);
    CHECK(doca_verbs_qp_init_attr_set_dbr_umem(a, 0, 0) == OK);
    check_not_made(a, doca_verbs_qp_init_attr_set_wq_umem(a, 11, 12));
    CHECK(doca_verbs_qp_init_attr_get_wq_umem_id(a) == 11);
    CHECK(doca_verbs_qp_init_attr_get_wq_umem_offset(a) == 12);
    CHECK(doca_verbs_qp_init_attr_set_wq_umem(a, 0, 0) == OK);
    check_not_made(a, doca_verbs_qp_init_attr_set_cqe_inline(a, DOCA_VERBS_QP_SCATTER_TO_CQE_32B));
    CHECK(doca_verbs_qp_init_attr_get_cqe_inline(a) == 1);
    CHECK(doca_verbs_qp_init_attr_set_cqe_inline(a, DOCA_VERBS_QP_SCATTER_TO_CQE_NONE) == OK);
    check_not_made(
        a, doca_verbs_qp_init_attr_set_send_dbr_mode(a, DOCA_VERBS_QP_SEND_DBR_MODE_NO_DBR_INT));
    CHECK(doca_verbs_qp_init_attr_get_send_cqn(a) == doca_verbs_cq_get_cqn(cq));
    CHECK(doca_verbs_qp_init_attr_get_receive_cqn(a) == 0);
    CHECK(doca_verbs_qp_init_attr_destroy(a) == OK);
    CHECK(doca_verbs_cq_attr_create(&c) == OK && doca_verbs_cq_attr_set_cq_size(c, 8) == OK);
    CHECK(doca_verbs_cq_attr_set_cq_overrun(c, 1) == OK);
    CHECK(doca_verbs_cq_create(context, c, &other) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_verbs_cq_attr_set_cq_overrun(c, 0) == OK);
    CHECK(doca_verbs_cq_attr_set_dpa_thread_id(c, 3) == OK);
    CHECK(doca_verbs_cq_create(context, c, &other) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_verbs_cq_attr_destroy(c) == OK);
    end();
}

/* Attributes are kept; queues of the CPU are refused. */
static void queues_of_ethernet_are_for_the_dpa(void)
{
    struct doca_verbs_eth_sq_init_attr *s;
    struct doca_verbs_eth_rq_init_attr *r;
    struct doca_verbs_eth_sq *sq;
    struct doca_verbs_eth_rq *rq;
    begin();
    CHECK(doca_verbs_eth_sq_init_attr_create(&s) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_set_cq(s, cq) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_get_cq(s) == cq);
    CHECK(doca_verbs_eth_sq_init_attr_set_user_data(s, (union doca_data){.u64 = 5}) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_get_user_data(s).u64 == 5);
    CHECK(doca_verbs_eth_sq_init_attr_set_sig_all(s, 1) == OK);
    CHECK(doca_verbs_eth_sq_init_attr_get_sig_all(s) == 1);
    CHECK(doca_verbs_eth_sq_init_attr_get_state(s) == DOCA_VERBS_ETH_SQ_STATE_RST);
    CHECK(doca_verbs_eth_sq_create(context, s, &sq) == DOCA_ERROR_NOT_SUPPORTED && !sq);
    CHECK(doca_verbs_eth_sq_init_attr_destroy(s) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_create(&r) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_set_srq(r, srq) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_get_srq(r) == srq);
    CHECK(doca_verbs_eth_rq_init_attr_set_flush_in_error_en(r, 1) == OK);
    CHECK(doca_verbs_eth_rq_init_attr_get_flush_in_error_en(r) == 1);
    CHECK(doca_verbs_eth_rq_create(context, r, &rq) == DOCA_ERROR_NOT_SUPPORTED && !rq);
    CHECK(doca_verbs_eth_rq_init_attr_destroy(r) == OK);
    end();
}

/* Groups of congestion control, and handles for other processes. */
static void what_there_is_not_is_refused(void)
{
    struct doca_verbs_cc_group_attr *a;
    struct doca_verbs_cc_group *group;
    struct doca_verbs_cc_group_caps *caps;
    struct doca_verbs_context *other;
    struct doca_verbs_qp_attr *q;
    struct doca_verbs_pd *domain;
    const void *hint;
    size_t size;
    begin();
    CHECK(doca_verbs_cc_group_attr_create(&a) == OK);
    CHECK(doca_verbs_cc_group_attr_set_hint(a, "fast", 5) == OK);
    CHECK(doca_verbs_cc_group_attr_get_hint(a, &hint, &size) == OK);
    CHECK(size == 5 && strcmp(hint, "fast") == 0);
    CHECK(doca_verbs_cc_group_attr_set_hint(a, memory, 4097) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_verbs_cc_group_create(context, a, &group) == DOCA_ERROR_NOT_SUPPORTED && !group);
    CHECK(doca_verbs_query_cc_group_caps(context, &caps) == DOCA_ERROR_NOT_SUPPORTED && !caps);
    CHECK(doca_verbs_cc_group_attr_destroy(a) == OK && doca_verbs_qp_attr_create(&q) == OK);
    struct doca_verbs_qp *qp = qp_new();
    CHECK(doca_verbs_qp_modify(qp, q, DOCA_VERBS_QP_ATTR_CC_GROUP) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_verbs_qp_attr_destroy(q) == OK && doca_verbs_qp_destroy(qp) == OK);
    CHECK(doca_verbs_context_export_handle(context) == -1);
    CHECK(doca_verbs_pd_export_handle(pd) == -1);
    CHECK(doca_verbs_context_import_from_handle(0, 0, &other) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_verbs_pd_import_from_handle(context, 0, &domain) == DOCA_ERROR_NOT_SUPPORTED);
    end();
}

static void check_capabilities(void)
{
    struct doca_verbs_device_attr *d;
    CHECK(doca_verbs_query_device(context, &d) == OK);
    CHECK(doca_verbs_device_attr_get_is_send_dbr_mode_supported(
              d, DOCA_VERBS_QP_SEND_DBR_MODE_DBR_VALID) == OK);
    CHECK(doca_verbs_device_attr_get_is_send_dbr_mode_supported(
              d, DOCA_VERBS_QP_SEND_DBR_MODE_NO_DBR_EXT) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_verbs_device_attr_get_max_cc_group_hint_max_size(d) == 0);
    CHECK(doca_verbs_device_attr_get_atomic_cap(d) != DOCA_VERBS_ATOMIC_CAP_NONE);
    CHECK(doca_verbs_device_attr_free(d) == OK);
}

/* A queue returns its properties and the address of its ring. */
static void queues_tell_what_they_are(void)
{
    struct doca_verbs_srq_init_attr *s;
    void *ring = NULL;
    uint32_t count = 0, *consumed = NULL, *armed;
    uint64_t *page;
    uint8_t size = 0;
    begin();
    check_capabilities();
    CHECK(doca_verbs_srq_init_attr_create(&s) == OK && doca_verbs_srq_query(srq, s) == OK);
    CHECK(doca_verbs_srq_init_attr_get_srq_wr(s) == 15); /* of at least 8 */
    CHECK(doca_verbs_srq_init_attr_get_pd(s) == pd && doca_verbs_srq_init_attr_destroy(s) == OK);
    doca_verbs_cq_get_wq(cq, &ring, &count, &size);
    doca_verbs_cq_get_dbr_addr(cq, &page, &consumed, &armed);
    CHECK(ring && count >= 64 && size == 64 && consumed && *consumed == 0 && !page && !armed);
    end();
}

static void changes_are_those_of_libibverbs(void)
{
    struct ibv_qp_attr told, a = {.qp_state = IBV_QPS_RTR,
                                  .path_mtu = IBV_MTU_1024,
                                  .dest_qp_num = 77,
                                  .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
                                  .ah_attr = {.is_global = 1, .port_num = 1}};
    struct doca_verbs_context *own;
    struct doca_verbs_qp_attr *q;
    struct doca_verbs_ah_attr *to;
    begin();
    memcpy(a.ah_attr.grh.dgid.raw, gid.raw, sizeof gid.raw);
    CHECK(doca_verbs_bridge_verbs_context_create(NULL, 0, &own) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_verbs_bridge_verbs_context_create(mr->context->device, 0, &own) == OK);
    CHECK(doca_verbs_bridge_get_ibv_ctx(own) != mr->context);
    CHECK(doca_verbs_context_destroy(own) == OK && doca_verbs_qp_attr_create(&q) == OK);
    CHECK(doca_verbs_bridge_qp_attr_set(q, &a, IBV_QP_QKEY) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_verbs_bridge_qp_attr_set(q, &a, IBV_QP_AV) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_verbs_bridge_qp_attr_set(q, &a, IBV_QP_STATE | IBV_QP_DEST_QPN) == OK);
    CHECK(doca_verbs_qp_attr_get_dest_qp_num(q) == 77);
    CHECK(doca_verbs_qp_attr_get_next_state(q) == DOCA_VERBS_QP_STATE_RTR);
    CHECK(doca_verbs_qp_attr_get_path_mtu(q) == DOCA_MTU_SIZE_256_BYTES);
    CHECK(doca_verbs_ah_attr_create(context, &to) == OK);
    CHECK(doca_verbs_qp_attr_set_ah_attr(q, to) == OK);
    CHECK(doca_verbs_bridge_qp_attr_set(q, &a, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS) ==
          OK);
    CHECK(doca_verbs_ah_attr_get_addr_type(to) ==
          (gid.raw[10] == 0xff ? DOCA_VERBS_ADDR_TYPE_IPv4 : DOCA_VERBS_ADDR_TYPE_IPv6));
    CHECK(doca_verbs_bridge_qp_attr_get(q, &told) == OK && told.dest_qp_num == 77);
    CHECK(told.path_mtu == IBV_MTU_1024 && told.qp_access_flags == IBV_ACCESS_REMOTE_WRITE);
    CHECK(memcmp(told.ah_attr.grh.dgid.raw, gid.raw, sizeof gid.raw) == 0);
    CHECK(doca_verbs_bridge_get_qp_attr_mask(IBV_QP_STATE | IBV_QP_AV | IBV_QP_QKEY) ==
          (DOCA_VERBS_QP_ATTR_NEXT_STATE | DOCA_VERBS_QP_ATTR_AH_ATTR));
    CHECK(doca_verbs_qp_attr_destroy(q) == OK && doca_verbs_ah_attr_destroy(to) == OK);
    end();
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(a_full_queue_takes_no_more),         CASE(a_shared_queue_takes_inline_data),
        CASE(what_only_cards_have_is_not_made),   CASE(queues_tell_what_they_are),
        CASE(a_channel_tells_of_completions),     CASE(a_context_tells_of_errors),
        CASE(queues_of_ethernet_are_for_the_dpa), CASE(what_there_is_not_is_refused),
        CASE(changes_are_those_of_libibverbs)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
