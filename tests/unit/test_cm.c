/* The connection manager: listeners, and the messages between the two ends of a connection. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "rdma/cm/cm.h"

static const uint8_t loopback[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1};

static struct dpk_cm_address at_loopback(uint16_t port)
{
    struct dpk_cm_address a = {.port = port};
    memcpy(a.ip, loopback, sizeof loopback);
    return a;
}

static int bound(struct dpk_cm_address *at)
{
    int fd;
    assert_int_equal(dpk_cm_bind(at, &fd, NULL), DPK_OK);
    return fd;
}

static int listening(struct dpk_cm_address *at)
{
    int fd = bound(at);
    assert_int_equal(dpk_cm_listen(fd, 4, NULL), DPK_OK);
    return fd;
}

static enum dpk_cm_heard hear(int fd, struct dpk_cm_message *m)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 10000), 1);
    return dpk_cm_receive(fd, m);
}

/* Two connected ends. */
struct ends {
    int listener, caller, called;
};

static struct ends ends_new(void)
{
    struct dpk_cm_address at = {0};
    struct ends e = {.listener = listening(&at)};
    const struct dpk_cm_address to = at_loopback(at.port);
    assert_int_equal(dpk_cm_call(&to, NULL, &e.caller, NULL), DPK_OK);
    e.called = dpk_cm_accept(e.listener);
    assert_true(e.called >= 0);
    return e;
}

static void ends_close(const struct ends *e)
{
    close(e->listener);
    close(e->caller);
    close(e->called);
}

static void an_address_is_taken_once(void **state)
{
    struct dpk_cm_address first = {0}, second, other;
    struct dpk_error err;
    int fd = bound(&first), again;
    (void)state;
    assert_in_range(first.port, 49152, 65535);
    second = first;
    assert_int_equal(dpk_cm_bind(&second, &again, &err), DPK_ERR_EXISTS);
    other = at_loopback(first.port); /* another address of the same port */
    int beside = bound(&other);
    close(beside);
    close(fd);
    close(bound(&second)); /* who ends leaves nothing */
}

static void the_nearest_listener_is_called(void **state)
{
    struct dpk_cm_address any = {0}, own;
    int everywhere = listening(&any), fd;
    own = at_loopback(any.port);
    (void)state;
    assert_int_equal(dpk_cm_call(&own, NULL, &fd, NULL), DPK_OK);
    close(fd);
    int here = listening(&own);
    assert_int_equal(dpk_cm_call(&own, NULL, &fd, NULL), DPK_OK);
    int one = dpk_cm_accept(everywhere), two = dpk_cm_accept(here);
    assert_true(one >= 0 && two >= 0);
    assert_int_equal(dpk_cm_accept(everywhere), -1);
    close(one);
    close(two);
    close(fd);
    close(here);
    close(everywhere);
}

static void nobody_is_called_in_vain_for_long(void **state)
{
    struct dpk_cm_address at = {0};
    struct dpk_error err;
    int fd = bound(&at), call; /* but does not listen */
    const struct dpk_cm_address to = at_loopback(at.port);
    (void)state;
    assert_int_equal(dpk_cm_call(&to, NULL, &call, &err), DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "nobody listens"));
    close(fd);
}

/* perftest's servers do so between two connections. */
static void a_listener_may_come_a_little_later(void **state)
{
    struct dpk_cm_address at = {0};
    int fd = bound(&at), ready[2];
    (void)state;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        const struct dpk_cm_address to = at_loopback(at.port);
        int call;
        (void)!write(ready[1], "", 1);
        _exit(dpk_cm_call(&to, NULL, &call, NULL) == DPK_OK ? 0 : 1);
    }
    char byte;
    int status;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    usleep(20000);
    assert_int_equal(dpk_cm_listen(fd, 1, NULL), DPK_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
    close(fd);
}

static void messages_arrive_as_they_were_sent(void **state)
{
    struct ends e = ends_new();
    struct dpk_cm_message got, m = {.kind = DPK_CM_REQ,
                                    .reason = 28,
                                    .from = at_loopback(1),
                                    .to = at_loopback(65535),
                                    .gid = {0xfe, 0x80, 1},
                                    .queue_pair = 0xFFFFFF,
                                    .psn = 0xABCDEF,
                                    .responder_resources = 255,
                                    .initiator_depth = 16,
                                    .retries = 7,
                                    .rnr_retries = 6,
                                    .srq = true,
                                    .private_size = 255};
    (void)state;
    memset(m.private_data, 'x', sizeof m.private_data);
    m.from.datagrams = true;
    assert_int_equal(dpk_cm_receive(e.called, &got), DPK_CM_NOTHING);
    assert_true(dpk_cm_send(e.caller, &m));
    assert_int_equal(hear(e.called, &got), DPK_CM_MESSAGE);
    assert_memory_equal(&got.from, &m.from, sizeof m.from);
    assert_memory_equal(&got.to, &m.to, sizeof m.to);
    assert_memory_equal(got.gid, m.gid, sizeof m.gid);
    assert_memory_equal(got.private_data, m.private_data, sizeof m.private_data);
    assert_true(got.kind == m.kind && got.reason == 28 && got.queue_pair == 0xFFFFFF &&
                got.psn == 0xABCDEF && got.responder_resources == 255 &&
                got.initiator_depth == 16 && got.retries == 7 && got.rnr_retries == 6 && got.srq &&
                !got.flow_control && got.private_size == 255);
    close(e.caller);
    assert_int_equal(hear(e.called, &got), DPK_CM_GONE);
    assert_false(dpk_cm_send(e.called, &m));
    e.caller = -1;
    ends_close(&e);
}

/* Changes every byte of a message to every value. If the result is accepted, all its numbers are
 * within their bounds. Any other length is refused. */
static void what_a_peer_says_is_checked(void **state)
{
    struct ends e = ends_new();
    struct dpk_cm_message got, m = {.kind = DPK_CM_REP, .private_size = 3};
    uint8_t bytes[1024];
    (void)state;
    assert_true(dpk_cm_send(e.caller, &m));
    const ssize_t size = recv(e.called, bytes, sizeof bytes, 0);
    assert_int_equal(size, 76);
    size_t taken = 0;
    for (ssize_t i = 0; i < size; i++)
        for (unsigned v = 1; v < 256; v++) {
            bytes[i] ^= (uint8_t)v;
            assert_int_equal(send(e.caller, bytes, (size_t)size, 0), size);
            bytes[i] ^= (uint8_t)v;
            if (hear(e.called, &got) != DPK_CM_MESSAGE)
                continue;
            taken++;
            assert_true(i >= 4 && got.kind >= DPK_CM_REQ && got.kind <= DPK_CM_DREQ);
            assert_true(got.queue_pair < 1 << 24 && got.psn < 1 << 24 && got.private_size == 3);
            assert_true(got.retries < 8 && got.rnr_retries < 8);
        }
    assert_true(taken > 1000);
    for (size_t n = 0; n < sizeof bytes; n++)
        if (n != 76 && (n || send(e.caller, bytes, n, 0) == 0)) {
            if (n)
                assert_int_equal(send(e.caller, bytes, n, 0), n);
            assert_int_equal(hear(e.called, &got), DPK_CM_GONE);
        }
    ends_close(&e);
}

/* A peer that sends but does not read gets an error, and the server does not wait for it. */
static void a_peer_that_does_not_read_is_no_burden(void **state)
{
    struct ends e = ends_new();
    const struct dpk_cm_message m = {.kind = DPK_CM_RTU, .private_size = 255};
    size_t sent = 0;
    (void)state;
    while (sent < 1000000 && dpk_cm_send(e.caller, &m))
        sent++;
    assert_in_range(sent, 10, 999999);
    ends_close(&e);
}

static void runtime_directories_tell_apart(void **state)
{
    char first[] = "/tmp/cm-XXXXXX", *before = getenv("XDG_RUNTIME_DIR");
    char *saved = before ? strdup(before) : NULL;
    struct dpk_cm_address at = {0}, same;
    int fd = listening(&at), call;
    (void)state;
    assert_non_null(mkdtemp(first));
    setenv("XDG_RUNTIME_DIR", first, 1);
    same = at;
    assert_int_equal(dpk_cm_call(&at, NULL, &call, NULL), DPK_ERR_NOT_FOUND);
    close(bound(&same));
    if (saved)
        setenv("XDG_RUNTIME_DIR", saved, 1);
    else
        unsetenv("XDG_RUNTIME_DIR");
    free(saved);
    char inside[64];
    snprintf(inside, sizeof inside, "%s/dpakit", first);
    rmdir(inside);
    rmdir(first);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_taken_once),
        cmocka_unit_test(the_nearest_listener_is_called),
        cmocka_unit_test(nobody_is_called_in_vain_for_long),
        cmocka_unit_test(a_listener_may_come_a_little_later),
        cmocka_unit_test(messages_arrive_as_they_were_sent),
        cmocka_unit_test(what_a_peer_says_is_checked),
        cmocka_unit_test(a_peer_that_does_not_read_is_no_burden),
        cmocka_unit_test(runtime_directories_tell_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
