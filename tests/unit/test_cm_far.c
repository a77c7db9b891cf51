/* The connection manager between machines: calls over TCP, and hostile callers. */
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "rdma/cm/cm.h"

#define HEAD 73u /* bytes of a message without private data */

static const uint8_t here[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1};
static const uint8_t there[16] = {[10] = 0xff, 0xff, 127, 0, 0, 2};

/* Two connected ends. */
struct ends {
    struct dpk_cm_address at;
    int listener, caller, called;
};

static struct dpk_cm_address address(const uint8_t ip[16], uint16_t port)
{
    struct dpk_cm_address a = {.port = port};
    memcpy(a.ip, ip, sizeof a.ip);
    return a;
}

static bool await(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 10000) == 1;
}

/* Listens at a port that is free: others may take the ports that are tried. */
static int listening(struct dpk_cm_address *at)
{
    int fd = -1;
    for (uint16_t port = 20000; fd < 0 && port < 30000; port++) {
        *at = address(there, port);
        if (dpk_cm_listen_far(at, 4, &fd, NULL) != DPK_OK)
            fd = -1;
    }
    assert_true(fd >= 0);
    return fd;
}

static struct ends ends_new(void)
{
    struct ends e;
    e.listener = listening(&e.at);
    assert_int_equal(dpk_cm_call(&e.at, here, &e.caller, NULL), DPK_OK);
    assert_true(await(e.listener));
    e.called = dpk_cm_accept(e.listener);
    assert_true(e.called >= 0);
    assert_int_equal(dpk_cm_accept(e.listener), -1);
    assert_true(dpk_cm_is_far(e.called) && dpk_cm_is_far(e.caller));
    return e;
}

static void ends_close(const struct ends *e)
{
    close(e->listener);
    close(e->caller);
    close(e->called);
}

static struct dpk_cm_message request(const uint8_t ip[16], uint8_t private_size)
{
    struct dpk_cm_message m = {.kind = DPK_CM_REQ,
                               .from = address(ip, 7),
                               .to = address(there, 8),
                               .queue_pair = 0x812345,
                               .private_size = private_size};
    memcpy(m.gid, ip, sizeof m.gid);
    memset(m.private_data, 'x', private_size);
    return m;
}

static enum dpk_cm_heard hear(int fd, struct dpk_cm_message *m)
{
    assert_true(await(fd));
    return dpk_cm_receive(fd, m);
}

static void messages_arrive_apart(void **state)
{
    struct ends e = ends_new();
    struct dpk_cm_message got, m = request(here, 255), last = {.kind = DPK_CM_DREQ};
    (void)state;
    assert_int_equal(dpk_cm_receive(e.called, &got), DPK_CM_NOTHING);
    assert_true(dpk_cm_send(e.caller, &m) && dpk_cm_send(e.caller, &last));
    assert_int_equal(hear(e.called, &got), DPK_CM_MESSAGE);
    assert_true(got.kind == DPK_CM_REQ && got.queue_pair == 0x812345 && got.private_size == 255);
    assert_memory_equal(got.private_data, m.private_data, 255);
    assert_int_equal(hear(e.called, &got), DPK_CM_MESSAGE);
    assert_int_equal(got.kind, DPK_CM_DREQ);
    m = request(there, 0);
    m.kind = DPK_CM_REP;
    assert_true(dpk_cm_send(e.called, &m));
    assert_int_equal(hear(e.caller, &got), DPK_CM_MESSAGE);
    close(e.caller);
    assert_int_equal(hear(e.called, &got), DPK_CM_GONE);
    e.caller = -1;
    ends_close(&e);
}

/* Writes the bytes of a message that this side sends to itself. */
static size_t bytes_of(const struct dpk_cm_message *m, uint8_t out[HEAD + 255])
{
    struct ends e = ends_new();
    assert_true(dpk_cm_send(e.caller, m));
    const ssize_t n = recv(e.called, out, HEAD + 255, MSG_WAITALL * (m->private_size == 255));
    assert_int_equal(n, HEAD + m->private_size);
    ends_close(&e);
    return (size_t)n;
}

/* A part of a message is no message, and wakes nobody. */
static void parts_of_messages_wait(void **state)
{
    uint8_t bytes[HEAD + 255];
    const struct dpk_cm_message m = request(here, 100);
    const size_t size = bytes_of(&m, bytes);
    (void)state;
    for (size_t part = 1; part < size; part += 12) {
        struct ends e = ends_new();
        struct dpk_cm_message got;
        assert_int_equal(send(e.caller, bytes, part, 0), part);
        if (part >= HEAD)
            assert_int_equal(hear(e.called, &got), DPK_CM_NOTHING);
        assert_int_equal(poll(&(struct pollfd){.fd = e.called, .events = POLLIN}, 1, 0), 0);
        assert_int_equal(dpk_cm_receive(e.called, &got), DPK_CM_NOTHING);
        assert_int_equal(send(e.caller, bytes + part, size - part, 0), size - part);
        assert_int_equal(hear(e.called, &got), DPK_CM_MESSAGE);
        assert_int_equal(got.private_size, 100);
        ends_close(&e);
    }
}

static void a_peer_has_the_address_that_the_network_shows(void **state)
{
    struct ends e = ends_new();
    struct dpk_cm_message got, m = request(there, 0);
    (void)state;
    assert_true(dpk_cm_send(e.caller, &m));
    assert_int_equal(hear(e.called, &got), DPK_CM_GONE);
    m = request(here, 0);
    memcpy(m.from.ip, there, sizeof m.from.ip);
    assert_true(dpk_cm_send(e.caller, &m));
    assert_int_equal(hear(e.called, &got), DPK_CM_GONE);
    memset(m.gid, 0, sizeof m.gid);
    assert_true(dpk_cm_send(e.caller, &m));
    assert_int_equal(hear(e.called, &got), DPK_CM_GONE);
    ends_close(&e);
}

/* Changes each byte of a message. If the result is accepted, its numbers are within their bounds. */
static void each_byte_is_checked(void **state)
{
    static const uint8_t changes[] = {1, 0x80, 0xff};
    uint8_t bytes[HEAD + 255];
    const struct dpk_cm_message m = request(here, 3);
    const size_t size = bytes_of(&m, bytes);
    (void)state;
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < sizeof changes; k++) {
            struct ends e = ends_new();
            struct dpk_cm_message got;
            bytes[i] ^= changes[k];
            assert_int_equal(send(e.caller, bytes, size, 0), size);
            bytes[i] ^= changes[k];
            shutdown(e.caller, SHUT_WR);
            const enum dpk_cm_heard heard = hear(e.called, &got);
            assert_int_not_equal(heard, DPK_CM_NOTHING); /* a peer that has ended sends no rest */
            if (heard == DPK_CM_MESSAGE) {
                assert_true(i >= 4 && got.kind >= DPK_CM_REQ && got.kind <= DPK_CM_DREQ);
                assert_true(got.queue_pair < 1 << 24 && got.psn < 1 << 24 && got.retries < 8);
                if (got.kind == DPK_CM_REQ || got.kind == DPK_CM_REP)
                    assert_memory_equal(got.gid, here, sizeof here);
            }
            ends_close(&e);
        }
}

static void failures_have_reasons(void **state)
{
    struct dpk_error err = {0};
    struct dpk_cm_address at;
    int fd = -1, listener = listening(&at);
    (void)state;
    assert_int_equal(dpk_cm_listen_far(&at, 4, &fd, &err), DPK_ERR_EXISTS);
    close(listener);
    assert_int_equal(dpk_cm_call(&at, here, &fd, &err), DPK_ERR_NOT_FOUND);
    const uint8_t elsewhere[16] = {[10] = 0xff, 0xff, 192, 0, 2, 77};
    at = address(elsewhere, 7);
    assert_int_equal(dpk_cm_listen_far(&at, 4, &fd, &err), DPK_ERR_IO);
    assert_int_equal(dpk_cm_call(&at, elsewhere, &fd, &err), DPK_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_apart),
        cmocka_unit_test(parts_of_messages_wait),
        cmocka_unit_test(a_peer_has_the_address_that_the_network_shows),
        cmocka_unit_test(each_byte_is_checked),
        cmocka_unit_test(failures_have_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
