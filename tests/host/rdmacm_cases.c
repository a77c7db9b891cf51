/* Connections by librdmacm's functions, both ends in one process: events, errors, endpoints. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "rdmacm_world.h"
#include "verbs_world.h"

/* ---- Both ends ---- */

static struct rdma_cm_id *listener, *caller, *called;

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void nothing_comes(void)
{
    struct pollfd p = {.fd = channel->fd, .events = POLLIN};
    CHECK(poll(&p, 1, 0) == 0);
}

static void open_listener(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    CHECK((channel = rdma_create_event_channel()));
    CHECK(rdma_create_id(channel, &listener, &listener, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(listener, (struct sockaddr *)&any) == 0 && rdma_listen(listener, 4) == 0);
    CHECK(rdma_get_src_port(listener) != 0);
}

static struct rdma_cm_id *resolved_in(enum rdma_port_space space, uint16_t port)
{
    struct sockaddr_in to = loopback(port);
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, space) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 1000) == 0);
    pass(RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(id->verbs && rdma_get_dst_port(id) == port && rdma_get_src_port(id) != 0);
    CHECK(rdma_resolve_route(id, 1000) == 0);
    pass(RDMA_CM_EVENT_ROUTE_RESOLVED);
    return id;
}

static struct rdma_cm_id *resolved(uint16_t port)
{
    return resolved_in(RDMA_PS_TCP, port);
}

static void make_queue_pair(struct rdma_cm_id *id)
{
    struct ibv_qp_init_attr want = {
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = id->qp_type,
        .sq_sig_all = 1};
    CHECK(rdma_create_qp(id, NULL, &want) == 0 && want.cap.max_send_wr >= 4);
    CHECK(id->qp && id->pd && id->send_cq && id->recv_cq);
}

/* The caller has called with private data; its request has come. */
static void call(void)
{
    struct rdma_conn_param want = {.private_data = "ask",
                                   .private_data_len = 4,
                                   .responder_resources = 3,
                                   .initiator_depth = 5,
                                   .retry_count = 6,
                                   .rnr_retry_count = 7};
    caller = resolved(rdma_get_src_port(listener));
    make_queue_pair(caller);
    CHECK(rdma_connect(caller, &want) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    called = e->id;
    CHECK(e->listen_id == listener && called != listener && called->context == &listener);
    CHECK(e->param.conn.private_data_len == 4 && strcmp(e->param.conn.private_data, "ask") == 0);
    /* What the peer gives is what this end takes. */
    CHECK(e->param.conn.responder_resources == 5 && e->param.conn.initiator_depth == 3);
    CHECK(e->param.conn.retry_count == 6 && e->param.conn.rnr_retry_count == 7);
    CHECK(e->param.conn.qp_num == caller->qp->qp_num);
    CHECK(called->verbs && rdma_get_src_port(called) == rdma_get_src_port(listener));
    CHECK(rdma_get_dst_port(called) == rdma_get_src_port(caller));
    CHECK(rdma_ack_cm_event(e) == 0);
}

static void answer(void)
{
    struct rdma_conn_param want = {.private_data = "yes",
                                   .private_data_len = 4,
                                   .responder_resources = RDMA_MAX_RESP_RES,
                                   .initiator_depth = RDMA_MAX_INIT_DEPTH};
    make_queue_pair(called);
    CHECK(rdma_accept(called, &want) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_ESTABLISHED);
    CHECK(e->id == caller && strcmp(e->param.conn.private_data, "yes") == 0);
    CHECK(rdma_ack_cm_event(e) == 0);
    pass(RDMA_CM_EVENT_ESTABLISHED);
    nothing_comes();
}

static void end(struct rdma_cm_id *id)
{
    rdma_destroy_qp(id);
    CHECK(rdma_destroy_id(id) == 0);
}

static void close_listener(void)
{
    CHECK(rdma_destroy_id(listener) == 0);
    nothing_comes();
    rdma_destroy_event_channel(channel);
}

static void wait_for(struct ibv_cq *cq, enum ibv_wc_opcode opcode)
{
    struct ibv_wc wc;
    int n;
    while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
        ;
    CHECK(n == 1 && wc.status == IBV_WC_SUCCESS && wc.opcode == opcode);
}

static void say_hello(struct rdma_cm_id *from, struct rdma_cm_id *to)
{
    char here[8] = "", text[8] = "hello";
    struct ibv_mr *room, *words;
    CHECK((room = rdma_reg_msgs(to, here, sizeof here)));
    CHECK((words = rdma_reg_msgs(from, text, sizeof text)));
    CHECK(rdma_post_recv(to, NULL, here, sizeof here, room) == 0);
    CHECK(rdma_post_send(from, NULL, text, sizeof text, words, 0) == 0);
    wait_for(from->send_cq, IBV_WC_SEND);
    wait_for(to->recv_cq, IBV_WC_RECV);
    CHECK(strcmp(here, "hello") == 0);
    CHECK(rdma_dereg_mr(room) == 0 && rdma_dereg_mr(words) == 0);
}

/* ---- Cases ---- */

static void a_connection_is_made_used_and_ended(void)
{
    open_listener();
    call();
    answer();
    say_hello(caller, called);
    say_hello(called, caller);
    CHECK(rdma_disconnect(caller) == 0);
    pass(RDMA_CM_EVENT_DISCONNECTED);
    pass(RDMA_CM_EVENT_DISCONNECTED);
    CHECK(rdma_disconnect(called) == 0);
    nothing_comes();
    end(caller);
    end(called);
    close_listener();
}

/* As cmtime does: the program moves its queue pairs by itself. */
static void queue_pairs_may_be_the_programs_own(void)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT};
    int mask = 0;
    open_listener();
    caller = resolved(rdma_get_src_port(listener));
    struct ibv_pd *pd = ibv_alloc_pd(caller->verbs);
    struct ibv_cq *cq = ibv_create_cq(caller->verbs, 4, NULL, NULL, 0);
    struct ibv_qp_init_attr want = {.send_cq = cq,
                                    .recv_cq = cq,
                                    .cap = {.max_send_wr = 1, .max_recv_wr = 1},
                                    .qp_type = IBV_QPT_RC};
    struct ibv_qp *qp = ibv_create_qp(pd, &want);
    CHECK(qp);
    CHECK(rdma_init_qp_attr(caller, &a, &mask) == 0 && mask & IBV_QP_PORT && a.port_num == 1);
    CHECK(ibv_modify_qp(qp, &a, mask) == 0);
    a.qp_state = IBV_QPS_RTR;
    CHECK(rdma_init_qp_attr(caller, &a, &mask) == -1 && errno == EINVAL); /* who is the peer? */
    struct rdma_conn_param mine = {.qp_num = qp->qp_num};
    CHECK(rdma_connect(caller, &mine) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    called = e->id;
    CHECK(e->param.conn.qp_num == qp->qp_num && rdma_ack_cm_event(e) == 0);
    make_queue_pair(called);
    CHECK(rdma_accept(called, NULL) == 0);
    e = expect(RDMA_CM_EVENT_CONNECT_RESPONSE);
    CHECK(e->id == caller && e->param.conn.qp_num == called->qp->qp_num);
    CHECK(rdma_ack_cm_event(e) == 0);
    a.qp_state = IBV_QPS_RTR;
    CHECK(rdma_init_qp_attr(caller, &a, &mask) == 0 && a.dest_qp_num == called->qp->qp_num);
    CHECK(ibv_modify_qp(qp, &a, mask) == 0);
    a.qp_state = IBV_QPS_RTS;
    CHECK(rdma_init_qp_attr(caller, &a, &mask) == 0 && ibv_modify_qp(qp, &a, mask) == 0);
    nothing_comes();
    CHECK(rdma_establish(caller) == 0);
    e = expect(RDMA_CM_EVENT_ESTABLISHED);
    CHECK(e->id == called && rdma_ack_cm_event(e) == 0);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0 && ibv_dealloc_pd(pd) == 0);
    CHECK(rdma_destroy_id(caller) == 0);
    pass(RDMA_CM_EVENT_DISCONNECTED);
    end(called);
    close_listener();
}

static void a_call_may_be_rejected(void)
{
    open_listener();
    call();
    CHECK(rdma_reject(called, "busy", 5) == 0);
    CHECK(rdma_reject(called, "busy", 5) == -1 && errno == EINVAL);
    CHECK(rdma_accept(called, NULL) == -1 && errno == EINVAL);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_REJECTED);
    CHECK(e->status == 28 && e->param.conn.private_data_len == 5);
    CHECK(strcmp(e->param.conn.private_data, "busy") == 0 && rdma_ack_cm_event(e) == 0);
    CHECK(rdma_destroy_id(called) == 0);
    end(caller);
    call();
    CHECK(rdma_destroy_id(called) == 0); /* without an answer */
    pass(RDMA_CM_EVENT_REJECTED);
    end(caller);
    close_listener();
}

static void who_does_not_listen_rejects(void)
{
    open_listener();
    uint16_t port = rdma_get_src_port(listener);
    caller = resolved(port);
    CHECK(rdma_destroy_id(listener) == 0);
    struct rdma_conn_param mine = {.qp_num = 1};
    CHECK(rdma_connect(caller, &mine) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_REJECTED);
    CHECK(e->status == 8 && e->param.conn.private_data_len == 0 && rdma_ack_cm_event(e) == 0);
    CHECK(rdma_destroy_id(caller) == 0);
    nothing_comes();
    rdma_destroy_event_channel(channel);
}

/* A listener that ends answers nobody, and takes with it those whom its program does not know. */
static void a_listener_may_end_at_once(void)
{
    open_listener();
    caller = resolved(rdma_get_src_port(listener));
    struct rdma_conn_param mine = {.qp_num = 1};
    CHECK(rdma_connect(caller, &mine) == 0);
    CHECK(rdma_destroy_id(listener) == 0);
    pass(RDMA_CM_EVENT_UNREACHABLE);
    CHECK(rdma_destroy_id(caller) == 0);
    nothing_comes();
    rdma_destroy_event_channel(channel);
}

static void addresses_are_of_this_machine(void)
{
    struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(7471)};
    struct rdma_cm_id *id, *same;
    inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
    open_listener();
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&far) == -1 && errno == EADDRNOTAVAIL);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&far, 1000) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_ADDR_ERROR);
    CHECK(e->status == -ENODEV && rdma_ack_cm_event(e) == 0);
    CHECK(rdma_resolve_route(id, 1000) == -1 && errno == EINVAL);
    CHECK(rdma_destroy_id(id) == 0);
    /* The port is taken. */
    struct sockaddr_in taken = {.sin_family = AF_INET, .sin_port = rdma_get_src_port(listener)};
    CHECK(rdma_create_id(channel, &same, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(same, (struct sockaddr *)&taken) == -1 && errno == EADDRNOTAVAIL);
    /* A device's GID is an address of its own. */
    int count;
    struct ibv_context **devices = rdma_get_devices(&count);
    CHECK(devices && count == 2 && devices[0] && devices[1] && !devices[2]);
    struct sockaddr_in6 gid = {.sin6_family = AF_INET6};
    CHECK(ibv_query_gid(devices[1], 1, 0, (union ibv_gid *)&gid.sin6_addr) == 0);
    CHECK(rdma_bind_addr(same, (struct sockaddr *)&gid) == 0 && same->verbs == devices[1]);
    rdma_free_devices(devices);
    CHECK(rdma_destroy_id(same) == 0);
    close_listener();
}

static void calls_that_make_no_sense_are_refused(void)
{
    struct rdma_cm_id *id;
    struct rdma_cm_event *e;
    int yes = 1;
    open_listener();
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_IPOIB) == -1 && errno == EOPNOTSUPP);
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_connect(id, NULL) == -1 && errno == EINVAL);
    CHECK(rdma_accept(id, NULL) == -1 && errno == EINVAL);
    CHECK(rdma_disconnect(id) == -1 && errno == EINVAL);
    CHECK(rdma_listen(listener, 1) == -1 && errno == EINVAL);
    CHECK(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof yes) == 0);
    CHECK(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &yes, sizeof yes) == -1);
    CHECK(rdma_set_option(id, 7, 0, &yes, sizeof yes) == -1 && errno == ENOSYS);
    CHECK(rdma_join_multicast(id, NULL, NULL) == -1 && errno == EOPNOTSUPP);
    CHECK(fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
    CHECK(rdma_get_cm_event(channel, &e) == -1 && errno == EAGAIN);
    CHECK(rdma_destroy_id(id) == 0);
    close_listener();
}

/* ---- Endpoints, whose calls wait ---- */

static struct rdma_cm_id *endpoint(const char *port, int flags)
{
    struct rdma_addrinfo hints = {.ai_flags = flags, .ai_port_space = RDMA_PS_TCP}, *res;
    struct ibv_qp_init_attr want = {
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
        .sq_sig_all = 1};
    struct rdma_cm_id *id = NULL;
    CHECK(rdma_getaddrinfo(flags & RAI_PASSIVE ? NULL : "127.0.0.1", port, &hints, &res) == 0);
    CHECK(rdma_create_ep(&id, res, NULL, &want) == 0);
    rdma_freeaddrinfo(res);
    return id;
}

static void *serve(void *listen)
{
    struct rdma_cm_id *id;
    char ask[8] = "";
    CHECK(rdma_get_request(listen, &id) == 0 && id->qp);
    CHECK(strcmp(id->event->param.conn.private_data, "ask") == 0);
    struct ibv_mr *mr = rdma_reg_msgs(id, ask, sizeof ask);
    CHECK(mr && rdma_post_recv(id, NULL, ask, sizeof ask, mr) == 0);
    CHECK(rdma_accept(id, NULL) == 0 && id->event->event == RDMA_CM_EVENT_ESTABLISHED);
    struct ibv_wc wc;
    CHECK(rdma_get_recv_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
    CHECK(strcmp(ask, "hello") == 0);
    CHECK(rdma_dereg_mr(mr) == 0);
    CHECK(rdma_disconnect(id) == 0);
    rdma_destroy_ep(id);
    return NULL;
}

static void endpoints_need_no_events(void)
{
    char port[8], hello[8] = "hello";
    struct rdma_cm_id *listen = endpoint("0", RAI_PASSIVE), *id;
    struct rdma_conn_param ask = {.private_data = "ask", .private_data_len = 4};
    pthread_t server;
    CHECK(rdma_listen(listen, 1) == 0);
    snprintf(port, sizeof port, "%u", ntohs(rdma_get_src_port(listen)));
    CHECK(pthread_create(&server, NULL, serve, listen) == 0);
    id = endpoint(port, 0);
    CHECK(id->qp && rdma_connect(id, &ask) == 0 && id->qp->state == IBV_QPS_RTS);
    struct ibv_mr *mr = rdma_reg_msgs(id, hello, sizeof hello);
    struct ibv_wc wc;
    CHECK(mr && rdma_post_send(id, NULL, hello, sizeof hello, mr, 0) == 0);
    CHECK(rdma_get_send_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
    pthread_join(server, NULL);
    CHECK(rdma_disconnect(id) == 0 && rdma_dereg_mr(mr) == 0);
    rdma_destroy_ep(id);
    rdma_destroy_ep(listen);
    id = endpoint(port, 0);
    CHECK(rdma_connect(id, NULL) == -1 && errno == ECONNREFUSED);
    rdma_destroy_ep(id);
}

/* ---- Datagrams ---- */

static struct rdma_cm_id *asked(struct rdma_cm_id *by, const char *what)
{
    struct rdma_conn_param want = {.private_data = what, .private_data_len = 4};
    CHECK(rdma_connect(by, &want) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *id = e->id;
    CHECK(id->qp_type == IBV_QPT_UD && e->param.ud.private_data_len == 4 &&
          strcmp(e->param.ud.private_data, what) == 0 && rdma_ack_cm_event(e) == 0);
    return id;
}

/* Calls for connections have ports of their own. */
static void numbers_of_datagrams_are_asked_for(void)
{
    struct rdma_cm_id *at;
    struct rdma_conn_param yes = {.private_data = "yes", .private_data_len = 4};
    char hello[8] = "hello", heard[64];
    open_listener();
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = rdma_get_src_port(listener)};
    CHECK(rdma_create_id(channel, &at, NULL, RDMA_PS_UDP) == 0);
    CHECK(rdma_bind_addr(at, (struct sockaddr *)&any) == 0 && rdma_listen(at, 4) == 0);
    caller = resolved_in(RDMA_PS_UDP, any.sin_port);
    struct ibv_qp_init_attr connected = {.qp_type = IBV_QPT_RC};
    CHECK(rdma_create_qp(caller, NULL, &connected) == -1 && errno == EINVAL);
    make_queue_pair(caller);
    CHECK(caller->qp->state == IBV_QPS_RTS);
    called = asked(caller, "ask");
    make_queue_pair(called);
    struct ibv_mr *in = rdma_reg_msgs(called, heard, sizeof heard);
    CHECK(in && rdma_post_recv(called, NULL, heard, sizeof heard, in) == 0);
    CHECK(rdma_accept(called, &yes) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_ESTABLISHED);
    const struct rdma_ud_param to = e->param.ud;
    CHECK(e->id == caller && to.qp_num == called->qp->qp_num && to.qkey == RDMA_UDP_QKEY);
    CHECK(to.private_data_len == 4 && strcmp(to.private_data, "yes") == 0);
    struct ibv_ah *ah = ibv_create_ah(caller->pd, &e->param.ud.ah_attr);
    CHECK(ah && rdma_ack_cm_event(e) == 0);
    struct ibv_mr *out = rdma_reg_msgs(caller, hello, sizeof hello);
    CHECK(out && rdma_post_ud_send(caller, NULL, hello, sizeof hello, out, 0, ah, to.qp_num) == 0);
    struct ibv_wc wc;
    CHECK(rdma_get_send_comp(caller, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
    CHECK(rdma_get_recv_comp(called, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
    CHECK(wc.src_qp == caller->qp->qp_num && strcmp(heard + sizeof(struct ibv_grh), hello) == 0);
    CHECK(rdma_dereg_mr(in) == 0 && rdma_dereg_mr(out) == 0 && ibv_destroy_ah(ah) == 0);
    end(caller);
    end(called);
    nothing_comes(); /* it had no end */
    caller = resolved_in(RDMA_PS_UDP, any.sin_port);
    called = asked(caller, "ask");
    CHECK(rdma_reject(called, "no", 3) == 0);
    e = expect(RDMA_CM_EVENT_UNREACHABLE);
    CHECK(e->status == 2 && strcmp(e->param.ud.private_data, "no") == 0);
    CHECK(rdma_ack_cm_event(e) == 0);
    end(called);
    end(caller);
    CHECK(rdma_destroy_id(at) == 0);
    caller = resolved_in(RDMA_PS_UDP, any.sin_port);
    CHECK(rdma_connect(caller, NULL) == 0);
    e = expect(RDMA_CM_EVENT_UNREACHABLE);
    CHECK(e->status == 1 && rdma_ack_cm_event(e) == 0);
    end(caller);
    close_listener();
}

#define MANY 300

/* As many connections as a server of many clients has, on one channel. */
static void many_connections_share_a_channel(void)
{
    static struct rdma_cm_id *ids[MANY], *peers[MANY];
    int established = 0, gone = 0;
    open_listener();
    for (int i = 0; i < MANY; i++) {
        call();
        ids[i] = caller;
        peers[i] = called;
        make_queue_pair(called);
        CHECK(rdma_accept(called, NULL) == 0);
        pass(RDMA_CM_EVENT_ESTABLISHED);
        pass(RDMA_CM_EVENT_ESTABLISHED);
        established += 2;
    }
    say_hello(ids[0], peers[0]);
    say_hello(ids[MANY - 1], peers[MANY - 1]);
    for (int i = 0; i < MANY; i++)
        end(ids[i]);
    for (; gone < MANY; gone++)
        pass(RDMA_CM_EVENT_DISCONNECTED);
    for (int i = 0; i < MANY; i++)
        end(peers[i]);
    CHECK(established == 2 * MANY);
    close_listener();
}

static void *wait_for_event(void *channel)
{
    struct rdma_cm_event *e;
    rdma_get_cm_event(channel, &e);
    CHECK(!"a channel without events had one");
    return NULL;
}

/* rping destroys a channel while its thread waits for an event, or is about to wait. */
static void a_channel_may_end_while_a_thread_waits(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        struct rdma_event_channel *c = rdma_create_event_channel();
        CHECK(c && pthread_create(&thread, NULL, wait_for_event, c) == 0);
        CHECK(pthread_detach(thread) == 0);
        if (i % 3 == 0)
            sched_yield();
        rdma_destroy_event_channel(c);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(a_connection_is_made_used_and_ended),
                                             CASE(queue_pairs_may_be_the_programs_own),
                                             CASE(a_call_may_be_rejected),
                                             CASE(who_does_not_listen_rejects),
                                             CASE(a_listener_may_end_at_once),
                                             CASE(addresses_are_of_this_machine),
                                             CASE(calls_that_make_no_sense_are_refused),
                                             CASE(endpoints_need_no_events),
                                             CASE(numbers_of_datagrams_are_asked_for),
                                             CASE(many_connections_share_a_channel),
                                             CASE(a_channel_may_end_while_a_thread_waits)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
