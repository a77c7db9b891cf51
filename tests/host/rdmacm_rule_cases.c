/* What the kernel's connection manager takes, cuts and refuses: counts, addresses, hints. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <string.h>

#include "rdmacm_world.h"


static struct sockaddr_in at(const char *ip, uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = port};
    CHECK(inet_pton(AF_INET, ip, &a.sin_addr) == 1);
    return a;
}

static struct rdma_cm_id *new_id(void)
{
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    return id;
}

/* 0, or the errno. */
static int bind_to(struct rdma_cm_id *id, const char *ip, uint16_t port)
{
    struct sockaddr_in a = at(ip, port);
    return rdma_bind_addr(id, (struct sockaddr *)&a) == 0 ? 0 : errno;
}

static int listen_by(struct rdma_cm_id *id)
{
    return rdma_listen(id, 1) == 0 ? 0 : errno;
}

static struct rdma_cm_id *way_to(uint16_t port)
{
    struct sockaddr_in to = at("127.0.0.1", port);
    struct rdma_cm_id *id = new_id();
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 1000) == 0);
    pass(RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(id, 1000) == 0);
    pass(RDMA_CM_EVENT_ROUTE_RESOLVED);
    return id;
}

static void give_queue_pair(struct rdma_cm_id *id)
{
    struct ibv_qp_init_attr want = {
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC};
    CHECK(rdma_create_qp(id, NULL, &want) == 0);
}

/* Two ends that want this of each other; what the second one is asked goes to `asked`. */
static void connect_two(struct rdma_conn_param first, struct rdma_conn_param second,
                        struct rdma_conn_param *asked)
{
    struct rdma_cm_id *listener = new_id(), *caller, *called;
    CHECK(bind_to(listener, "0.0.0.0", 0) == 0 && listen_by(listener) == 0);
    caller = way_to(rdma_get_src_port(listener));
    give_queue_pair(caller);
    CHECK(rdma_connect(caller, &first) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    called = e->id;
    *asked = e->param.conn;
    CHECK(rdma_ack_cm_event(e) == 0);
    give_queue_pair(called);
    CHECK(rdma_accept(called, &second) == 0);
    pass(RDMA_CM_EVENT_ESTABLISHED);
    pass(RDMA_CM_EVENT_ESTABLISHED);
    struct ibv_qp_attr a;
    struct ibv_qp_init_attr init;
    CHECK(ibv_query_qp(caller->qp, &a, IBV_QP_RETRY_CNT, &init) == 0 && a.retry_cnt <= 7);
    CHECK(rdma_disconnect(caller) == 0);
    pass(RDMA_CM_EVENT_DISCONNECTED);
    pass(RDMA_CM_EVENT_DISCONNECTED);
    rdma_destroy_qp(caller);
    rdma_destroy_qp(called);
    CHECK(rdma_destroy_id(caller) == 0 && rdma_destroy_id(called) == 0);
    CHECK(rdma_destroy_id(listener) == 0);
}

static void counts_of_retries_are_cut_to_seven(void)
{
    struct rdma_conn_param asked;
    for (uint8_t given = 8; given != 0; given = (uint8_t)(given << 1 | 1)) {
        const struct rdma_conn_param want = {.retry_count = given, .rnr_retry_count = given};
        connect_two(want, want, &asked);
        CHECK(asked.retry_count == 7 && asked.rnr_retry_count == 7);
        if (given == 0xff)
            break;
    }
    const struct rdma_conn_param few = {.retry_count = 3, .rnr_retry_count = 0};
    connect_two(few, few, &asked);
    CHECK(asked.retry_count == 3 && asked.rnr_retry_count == 0);
}

/* RDMA_MAX_RESP_RES and RDMA_MAX_INIT_DEPTH mean the device's maximum. */
static void reads_at_once_are_what_the_device_has(void)
{
    struct ibv_device_attr has;
    struct rdma_conn_param asked;
    struct rdma_cm_id *id = way_to(htons(1));
    CHECK(ibv_query_device(id->verbs, &has) == 0);
    const uint8_t most = (uint8_t)has.max_qp_rd_atom;
    give_queue_pair(id);
    struct rdma_conn_param bad = {.responder_resources = (uint8_t)(most + 1)};
    CHECK(rdma_connect(id, &bad) == -1 && errno == EINVAL);
    bad = (struct rdma_conn_param){.initiator_depth = (uint8_t)(most + 1)};
    CHECK(rdma_connect(id, &bad) == -1 && errno == EINVAL);
    bad = (struct rdma_conn_param){.initiator_depth = 254};
    CHECK(rdma_connect(id, &bad) == -1 && errno == EINVAL);
    rdma_destroy_qp(id);
    CHECK(rdma_connect(id, NULL) == -1 &&
          errno == EINVAL); /* it does not say of which queue pair */
    CHECK(rdma_destroy_id(id) == 0);
    const struct rdma_conn_param all = {.responder_resources = RDMA_MAX_RESP_RES,
                                        .initiator_depth = RDMA_MAX_INIT_DEPTH},
                                 exactly = {.responder_resources = most, .initiator_depth = most};
    connect_two(all, exactly, &asked);
    CHECK(asked.responder_resources == most && asked.initiator_depth == most);
    connect_two(exactly, all, &asked);
    CHECK(asked.responder_resources == most && asked.initiator_depth == most);
}

static void addresses_of_a_port_do_not_overlap(void)
{
    struct rdma_cm_id *any = new_id(), *more[3] = {new_id(), new_id(), new_id()};
    CHECK(bind_to(any, "0.0.0.0", 0) == 0);
    const uint16_t port = rdma_get_src_port(any);
    for (int listens = 0; listens < 2; listens++) {
        CHECK(bind_to(more[0], "127.0.0.1", port) == EADDRNOTAVAIL);
        CHECK(bind_to(more[0], "0.0.0.0", port) == EADDRNOTAVAIL);
        CHECK(listens || listen_by(any) == 0);
    }
    CHECK(rdma_destroy_id(any) == 0);
    CHECK(bind_to(more[0], "127.0.0.1", port) == 0 && bind_to(more[1], "127.0.0.2", port) == 0);
    CHECK(bind_to(more[2], "127.0.0.1", port) == EADDRINUSE);
    CHECK(bind_to(more[2], "0.0.0.0", port) == EADDRNOTAVAIL);
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port};
    CHECK(rdma_bind_addr(more[2], (struct sockaddr *)&six) == -1 && errno == EADDRNOTAVAIL);
    CHECK(listen_by(more[0]) == 0 && listen_by(more[1]) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(rdma_destroy_id(more[i]) == 0);
}

/* Whom a listener knows does not have its port. */
static void a_connection_has_no_port(void)
{
    struct rdma_cm_id *listener = new_id(), *after = new_id(), *caller;
    CHECK(bind_to(listener, "127.0.0.1", 0) == 0 && listen_by(listener) == 0);
    const uint16_t port = rdma_get_src_port(listener);
    caller = way_to(port);
    give_queue_pair(caller);
    struct rdma_conn_param want = {.retry_count = 7};
    CHECK(rdma_connect(caller, &want) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *called = e->id;
    CHECK(rdma_ack_cm_event(e) == 0 && rdma_destroy_id(listener) == 0);
    CHECK(bind_to(after, "0.0.0.0", port) == 0 && listen_by(after) == 0);
    CHECK(rdma_destroy_id(called) == 0);
    pass(RDMA_CM_EVENT_REJECTED);
    rdma_destroy_qp(caller);
    CHECK(rdma_destroy_id(caller) == 0 && rdma_destroy_id(after) == 0);
}

static struct rdma_cm_id *sharing_id(void)
{
    struct rdma_cm_id *id = new_id();
    int yes = 1;
    CHECK(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof yes) == 0);
    return id;
}

static void a_shared_address_has_one_listener(void)
{
    struct rdma_cm_id *one = sharing_id(), *two = sharing_id(), *three = sharing_id();
    struct rdma_cm_id *alone = new_id();
    CHECK(bind_to(one, "127.0.0.1", 0) == 0);
    const uint16_t port = rdma_get_src_port(one);
    CHECK(bind_to(two, "127.0.0.1", port) == 0);
    CHECK(bind_to(alone, "127.0.0.1", port) == EADDRINUSE);
    CHECK(bind_to(alone, "0.0.0.0", port) == EADDRNOTAVAIL);
    CHECK(listen_by(one) == EADDRINUSE);
    CHECK(rdma_destroy_id(two) == 0 && listen_by(one) == 0);
    CHECK(bind_to(three, "0.0.0.0", port) == 0 && listen_by(three) == EADDRNOTAVAIL);
    struct rdma_cm_id *caller = way_to(port);
    give_queue_pair(caller);
    struct rdma_conn_param want = {.retry_count = 7};
    CHECK(rdma_connect(caller, &want) == 0);
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *called = e->id;
    CHECK(e->listen_id == one && rdma_ack_cm_event(e) == 0 && rdma_destroy_id(called) == 0);
    pass(RDMA_CM_EVENT_REJECTED);
    rdma_destroy_qp(caller);
    CHECK(rdma_destroy_id(caller) == 0 && rdma_destroy_id(one) == 0);
    CHECK(rdma_destroy_id(three) == 0 && rdma_destroy_id(alone) == 0);
}

static bool same(const struct sockaddr *a, socklen_t size, const struct sockaddr_in *b)
{
    return a && size == sizeof *b && memcmp(a, b, sizeof *b) == 0;
}

static void hints_alone_are_the_answer(void)
{
    struct sockaddr_in to = at("127.0.0.1", htons(7)), from = at("127.0.0.2", htons(8));
    struct rdma_addrinfo hints = {.ai_port_space = RDMA_PS_TCP, .ai_family = AF_INET}, *found;
    CHECK(rdma_getaddrinfo(NULL, NULL, NULL, &found) == -1 && errno == EINVAL);
    CHECK(rdma_getaddrinfo(NULL, NULL, &hints, &found) == 0);
    CHECK(!found->ai_dst_addr && !found->ai_src_addr && found->ai_qp_type == 0);
    rdma_freeaddrinfo(found);
    hints.ai_dst_addr = (struct sockaddr *)&to;
    hints.ai_dst_len = sizeof to;
    hints.ai_src_addr = (struct sockaddr *)&from;
    hints.ai_src_len = sizeof from;
    hints.ai_qp_type = IBV_QPT_RC;
    CHECK(rdma_getaddrinfo(NULL, NULL, &hints, &found) == 0);
    CHECK(same(found->ai_dst_addr, found->ai_dst_len, &to) &&
          found->ai_dst_addr != hints.ai_dst_addr);
    CHECK(same(found->ai_src_addr, found->ai_src_len, &from) && !found->ai_next);
    CHECK(found->ai_port_space == RDMA_PS_TCP && found->ai_qp_type == IBV_QPT_RC);
    rdma_freeaddrinfo(found);
    hints.ai_flags = RAI_PASSIVE;
    CHECK(rdma_getaddrinfo(NULL, NULL, &hints, &found) == 0);
    CHECK(found->ai_flags == RAI_PASSIVE && same(found->ai_src_addr, found->ai_src_len, &from));
    rdma_freeaddrinfo(found);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(counts_of_retries_are_cut_to_seven), CASE(reads_at_once_are_what_the_device_has),
        CASE(addresses_of_a_port_do_not_overlap), CASE(a_connection_has_no_port),
        CASE(a_shared_address_has_one_listener),  CASE(hints_alone_are_the_answer)};
    CHECK((channel = rdma_create_event_channel()));
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
