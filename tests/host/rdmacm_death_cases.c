/* Connections whose peer is killed while they are made: the other end gets an event, and its work ends. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rdmacm_world.h"

#define PATIENCE_S 20

/* ---- The peer: a process that does some steps, and then waits to be killed ---- */

struct peer {
    pid_t process;
    int says[2], hears[2]; /* ports */
};

static void say(const int pipe[2], uint16_t port)
{
    CHECK(write(pipe[1], &port, sizeof port) == sizeof port);
}

static uint16_t hear(const int pipe[2])
{
    uint16_t port = 0;
    CHECK(read(pipe[0], &port, sizeof port) == sizeof port);
    return port;
}

/* Call this before the library is used: its threads are not in the child. */
static struct peer begin(void (*steps)(const struct peer *))
{
    struct peer p;
    CHECK(pipe(p.says) == 0 && pipe(p.hears) == 0);
    CHECK((p.process = fork()) >= 0);
    if (p.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        CHECK((channel = rdma_create_event_channel()));
        steps(&p);
        say(p.says, 1);
        for (;;)
            pause();
    }
    CHECK((channel = rdma_create_event_channel()));
    return p;
}

static void kill_peer(const struct peer *p)
{
    CHECK(kill(p->process, SIGKILL) == 0 && waitpid(p->process, NULL, 0) == p->process);
}

/* ---- Steps ---- */

static struct rdma_cm_id *listening(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&any) == 0 && rdma_listen(id, 4) == 0);
    return id;
}

/* Makes the identifier's queue pair with a receive. */
static void prepare(struct rdma_cm_id *id)
{
    struct ibv_qp_init_attr a = {.cap = {.max_send_wr = 4, .max_recv_wr = 4},
                                 .qp_type = IBV_QPT_RC};
    struct ibv_recv_wr wr = {.wr_id = 7}, *bad;
    CHECK(rdma_create_qp(id, NULL, &a) == 0 && ibv_post_recv(id->qp, &wr, &bad) == 0);
}

static struct rdma_cm_id *calling(uint16_t port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 1000) == 0);
    pass(RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(id, 1000) == 0);
    pass(RDMA_CM_EVENT_ROUTE_RESOLVED);
    prepare(id);
    CHECK(rdma_connect(id, NULL) == 0);
    return id;
}

static struct rdma_cm_id *called(void)
{
    struct rdma_cm_event *e = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    struct rdma_cm_id *id = e->id;
    CHECK(rdma_ack_cm_event(e) == 0);
    prepare(id);
    return id;
}

static void peer_listens(const struct peer *p)
{
    say(p->says, rdma_get_src_port(listening()));
}

static void peer_is_called(const struct peer *p)
{
    peer_listens(p);
    called();
}

static void peer_accepts(const struct peer *p)
{
    peer_listens(p);
    CHECK(rdma_accept(called(), NULL) == 0);
}

static void peer_rejects(const struct peer *p)
{
    peer_listens(p);
    CHECK(rdma_reject(called(), NULL, 0) == 0);
}

static void peer_calls(const struct peer *p)
{
    calling(hear(p->hears));
}

/* ---- What the other end sees ---- */

static enum ibv_wc_status next_status(struct ibv_cq *cq)
{
    struct ibv_wc wc;
    int n = 0;
    for (time_t end = time(NULL) + PATIENCE_S; n == 0 && time(NULL) < end;)
        n = ibv_poll_cq(cq, 1, &wc);
    CHECK(n == 1);
    return wc.status;
}

static void flushed(struct rdma_cm_id *id)
{
    CHECK(next_status(id->recv_cq) == IBV_WC_WR_FLUSH_ERR);
}

static void end(struct rdma_cm_id *id)
{
    rdma_destroy_qp(id);
    CHECK(rdma_destroy_id(id) == 0);
}

static void a_server_is_killed_before_it_answers(void (*steps)(const struct peer *), bool is_called)
{
    struct peer p = begin(steps);
    struct rdma_cm_id *id = calling(hear(p.says));
    if (is_called)
        hear(p.says);
    kill_peer(&p);
    pass(RDMA_CM_EVENT_UNREACHABLE);
    flushed(id);
    end(id);
}

static void a_server_is_killed_that_knows_of_no_call(void)
{
    a_server_is_killed_before_it_answers(peer_listens, false);
}

static void a_server_is_killed_that_knows_of_the_call(void)
{
    a_server_is_killed_before_it_answers(peer_is_called, true);
}

/* As on a card, a receive without a message ends only when the program disconnects. */
static void a_server_is_killed_that_has_accepted(void)
{
    struct ibv_send_wr wr = {.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;
    struct peer p = begin(peer_accepts);
    struct rdma_cm_id *id = calling(hear(p.says));
    pass(RDMA_CM_EVENT_ESTABLISHED);
    kill_peer(&p);
    pass(RDMA_CM_EVENT_DISCONNECTED);
    CHECK(ibv_post_send(id->qp, &wr, &bad) == 0);
    CHECK(next_status(id->send_cq) == IBV_WC_RETRY_EXC_ERR);
    flushed(id);
    CHECK(rdma_disconnect(id) == 0);
    end(id);
}

/* It dies between the request and the answer, or the answer and its confirmation. */
static void a_server_is_killed_whose_answer_waits(void)
{
    struct peer p = begin(peer_accepts);
    struct rdma_cm_id *id = calling(hear(p.says));
    hear(p.says);
    kill_peer(&p);
    struct rdma_cm_event *e;
    CHECK(rdma_get_cm_event(channel, &e) == 0);
    CHECK(e->event == RDMA_CM_EVENT_CONNECT_ERROR || e->event == RDMA_CM_EVENT_UNREACHABLE);
    CHECK(rdma_ack_cm_event(e) == 0);
    flushed(id);
    end(id);
}

static void a_call_that_is_rejected_ends_receives(void)
{
    struct peer p = begin(peer_rejects);
    struct rdma_cm_id *id = calling(hear(p.says));
    pass(RDMA_CM_EVENT_REJECTED);
    flushed(id);
    end(id);
    kill_peer(&p);
}

static void a_call_without_a_listener_ends_receives(void)
{
    struct peer p = begin(peer_listens);
    const uint16_t port = hear(p.says);
    kill_peer(&p);
    struct rdma_cm_id *id = calling(port);
    pass(RDMA_CM_EVENT_REJECTED);
    flushed(id);
    end(id);
}

static void a_caller_is_killed(bool before_the_answer)
{
    struct peer p = begin(peer_calls);
    struct rdma_cm_id *listener = listening();
    say(p.hears, rdma_get_src_port(listener));
    hear(p.says);
    struct rdma_cm_id *id = called();
    if (!before_the_answer)
        CHECK(rdma_accept(id, NULL) == 0);
    kill_peer(&p);
    if (before_the_answer)
        CHECK(rdma_accept(id, NULL) == -1);
    pass(RDMA_CM_EVENT_UNREACHABLE);
    flushed(id);
    end(id);
    CHECK(rdma_destroy_id(listener) == 0);
}

static void a_caller_is_killed_before_the_answer(void)
{
    a_caller_is_killed(true);
}

static void a_caller_is_killed_before_it_confirms(void)
{
    a_caller_is_killed(false);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(a_server_is_killed_that_knows_of_no_call),
                                             CASE(a_server_is_killed_that_knows_of_the_call),
                                             CASE(a_server_is_killed_that_has_accepted),
                                             CASE(a_server_is_killed_whose_answer_waits),
                                             CASE(a_call_that_is_rejected_ends_receives),
                                             CASE(a_call_without_a_listener_ends_receives),
                                             CASE(a_caller_is_killed_before_the_answer),
                                             CASE(a_caller_is_killed_before_it_confirms)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
