/* DOCA RDMA on the host: connections by the connection manager. */
#include <stdio.h>
#include <unistd.h>

#include "doca3_rdma_tasks.h"

static void on_request(struct doca_rdma_connection *c, union doca_data ctx)
{
    struct end *e = ctx.ptr;
    struct doca_rdma_addr *addr = NULL;
    enum doca_rdma_addr_type type;
    const char *text;
    uint16_t port;
    e->asked++;
    CHECK(doca_rdma_connection_get_addr(c, &addr) == OK);
    CHECK(doca_rdma_addr_get_params(addr, &type, &text, &port) == OK && port == PORT);
    if (e->rejects) {
        CHECK(doca_rdma_connection_reject(c) == OK && doca_rdma_connection_reject(c) == BAD_STATE);
        return;
    }
    CHECK(doca_rdma_connection_set_user_data(c, five) == OK);
    CHECK(doca_rdma_connection_accept(c, NULL, 1) == INVALID);
    CHECK(doca_rdma_connection_accept(c, "hi", 2) == OK);
    CHECK(doca_rdma_connection_accept(c, NULL, 0) == BAD_STATE);
}

static void on_established(struct doca_rdma_connection *c, union doca_data data,
                           union doca_data ctx)
{
    struct end *e = ctx.ptr;
    CHECK(data.u64 == 5);
    e->connection = c;
    e->established++;
}

static void on_failure(struct doca_rdma_connection *c, union doca_data data, union doca_data ctx)
{
    struct end *e = ctx.ptr;
    CHECK(c && data.u64 == 5);
    e->refused++;
}

static void on_disconnected(struct doca_rdma_connection *c, union doca_data data,
                            union doca_data ctx)
{
    struct end *e = ctx.ptr;
    CHECK(data.u64 == 5 && doca_rdma_connection_disconnect(c) == OK);
    e->left++;
}

static struct end *end_managed(void)
{
    struct end *e = end_idle(ALL);
    CHECK(doca_rdma_set_connection_state_callbacks(e->rdma, on_request, on_established, on_failure,
                                                   NULL) == INVALID);
    CHECK(doca_rdma_start_listen_to_port(e->rdma, PORT) == BAD_STATE);
    CHECK(doca_rdma_set_connection_state_callbacks(e->rdma, on_request, on_established, on_failure,
                                                   on_disconnected) == OK);
    CHECK(doca_rdma_start_listen_to_port(e->rdma, PORT) == BAD_STATE);
    CHECK(doca_ctx_start(e->ctx) == OK);
    return e;
}

static struct doca_rdma_addr *addr_new(enum doca_rdma_addr_type type, const char *text)
{
    struct doca_rdma_addr *addr = NULL;
    CHECK(doca_rdma_addr_create(type, text, PORT, &addr) == OK && addr);
    return addr;
}

static void call(struct end *e, struct doca_rdma_addr *addr)
{
    CHECK(doca_rdma_connect_to_addr(e->rdma, addr, five) == OK);
}

static void contexts_connect_by_address(void)
{
    struct end *a = end_managed(), *b = end_managed();
    struct doca_rdma_addr *v4 = addr_new(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1"),
                          *v6 = addr_new(DOCA_RDMA_ADDR_TYPE_IPv6, "::1"),
                          *gid = addr_new(DOCA_RDMA_ADDR_TYPE_GID, "fe80::1"), *no;
    struct doca_rdma_addr *const all[] = {v4, v6, gid};
    struct doca_rdma_task_send *send;
    CHECK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "::1", PORT, &no) == INVALID && !no);
    CHECK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, "fe80", PORT, &no) == INVALID && !no);
    CHECK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 0, &no) == INVALID);
    call(b, v4); /* nobody listens */
    await(b, NULL, &b->refused, 1);
    CHECK(doca_rdma_start_listen_to_port(a->rdma, 0) == INVALID);
    CHECK(doca_rdma_start_listen_to_port(a->rdma, PORT) == OK);
    CHECK(doca_rdma_start_listen_to_port(b->rdma, PORT) == IN_USE);
    /* Each one has the only place, after the one before it has ended. */
    for (unsigned i = 0; i < 3; i++) {
        call(b, all[i]);
        CHECK(doca_rdma_connect_to_addr(b->rdma, v4, five) == DOCA_ERROR_FULL);
        await(a, b, &a->established, i + 1);
        await(a, b, &b->established, i + 1);
        receive(a, NULL);
        CHECK(doca_rdma_task_send_allocate_init(b->rdma, b->connection, NULL, five, &send) == OK);
        CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
        await(a, b, &a->completed, i + 1);
        received(a, DOCA_RDMA_OPCODE_RECV_SEND, 0);
        await(a, b, &b->completed, i + 1);
        CHECK(doca_rdma_connection_disconnect(b->connection) == OK);
        CHECK(doca_rdma_connection_disconnect(b->connection) == OK);
        await(a, b, &a->left, i + 1);
        CHECK(doca_rdma_task_send_allocate_init(b->rdma, b->connection, NULL, five, &send) == OK);
        CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == DOCA_ERROR_NOT_CONNECTED);
        doca_task_free(doca_rdma_task_send_as_task(send));
    }
    a->rejects = true;
    call(b, v4);
    await(a, b, &b->refused, 2);
    CHECK(a->asked == 4 && a->refused == 0 && b->left == 0);
    a->rejects = false;
    call(b, v4);
    await(a, b, &a->established, 4);
    await(a, b, &b->established, 4);
    CHECK(doca_rdma_stop_listen_to_port(a->rdma, PORT) == OK);
    CHECK(doca_rdma_stop_listen_to_port(a->rdma, PORT) == DOCA_ERROR_NOT_FOUND);
    end_destroy(a); /* as if its process ended */
    await(b, NULL, &b->left, 1);
    end_destroy(b);
    CHECK(doca_rdma_addr_destroy(v4) == OK && doca_rdma_addr_destroy(v4) == INVALID);
    CHECK(doca_rdma_addr_destroy(v6) == OK && doca_rdma_addr_destroy(gid) == OK);
}

/* With the next case as another process, which is killed when it says that it is connected. */
static void peers_that_die_are_noticed(void)
{
    struct end *a = end_managed();
    struct doca_rdma_task_send *send;
    CHECK(doca_rdma_start_listen_to_port(a->rdma, PORT) == OK);
    receive(a, NULL);
    await(a, NULL, &a->established, 1);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, a->connection, NULL, five, &send) == OK);
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK); /* it has no receive */
    await(a, NULL, &a->failed, 2);
    await(a, NULL, &a->left, 1);
    CHECK(a->completed == 0 && a->refused == 0);
    end_destroy(a);
}

static void a_caller_hangs(void)
{
    struct end *e = end_managed();
    struct doca_rdma_addr *addr = addr_new(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1");
    for (unsigned tries = 1; e->established == 0; tries++) {
        call(e, addr);
        while (e->established == 0 && e->refused < tries)
            turn(e, NULL);
    }
    puts("connected");
    fflush(stdout);
    for (;;)
        pause();
}

const struct test_case rdma_cm_cases[] = {
    CASE(contexts_connect_by_address),
    CASE(peers_that_die_are_noticed),
    CASE(a_caller_hangs),
    {0},
};
