/* Behaviours of doca_comm_channel (DOCA 2.2 to 2.6), a function for each. argv[1] names the function
 * that main runs. Both ends are in this program, except ends that die. */
#include <doca_comm_channel.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define OK      DOCA_SUCCESS
#define INVALID DOCA_ERROR_INVALID_VALUE
#define NONE    DOCA_CC_MSG_FLAG_NONE

enum { MESSAGE_MAX = 4080, QUEUE_MAX = 8192 };

typedef struct doca_comm_channel_ep_t *ep_t;
typedef struct doca_comm_channel_addr_t *peer_t;

/* ---- Both sides ---- */

static struct doca_dev *dpu, *host;
static struct doca_dev_rep *rep;

static struct doca_dev *open_side(const char *name)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;
    CHECK(setenv("DPAKIT_SIDE", name, 1) == 0);
    CHECK(doca_devinfo_create_list(&list, &n) == OK && n >= 1);
    CHECK(doca_dev_open(list[0], &dev) == OK && doca_devinfo_destroy_list(list) == OK);
    return dev;
}

static void open_sides(void)
{
    struct doca_devinfo_rep **list = NULL;
    uint32_t n = 0;
    host = open_side("host");
    dpu = open_side("dpu");
    CHECK(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &list, &n) == OK &&
          n >= 1);
    CHECK(doca_dev_rep_open(list[0], &rep) == OK && doca_devinfo_rep_destroy_list(list) == OK);
}

static void be(const char *side)
{
    CHECK(setenv("DPAKIT_SIDE", side, 1) == 0);
}

/* An endpoint with queues of that many messages. */
static ep_t endpoint(struct doca_dev *dev, uint16_t queue)
{
    ep_t ep = NULL;
    CHECK(doca_comm_channel_ep_create(&ep) == OK && ep);
    CHECK(doca_comm_channel_ep_set_device(ep, dev) == OK);
    CHECK(doca_comm_channel_ep_set_max_msg_size(ep, MESSAGE_MAX) == OK);
    CHECK(doca_comm_channel_ep_set_send_queue_size(ep, queue) == OK);
    CHECK(doca_comm_channel_ep_set_recv_queue_size(ep, queue) == OK);
    return ep;
}

static ep_t service(const char *name, uint16_t queue)
{
    be("dpu");
    ep_t ep = endpoint(dpu, queue);
    CHECK(doca_comm_channel_ep_set_device_rep(ep, rep) == OK);
    CHECK(doca_comm_channel_ep_listen(ep, name) == OK);
    return ep;
}

static void update(ep_t service_ep)
{
    CHECK(doca_comm_channel_ep_update_service_state_info(service_ep) == OK);
}

/* Connects; `service_ep` is the other end, or NULL if that is in another process. */
static peer_t connect_to(ep_t client, const char *name, ep_t service_ep)
{
    peer_t peer = NULL;
    doca_error_t result;
    be("host");
    CHECK(doca_comm_channel_ep_connect(client, name, &peer) == OK && peer);
    while ((result = doca_comm_channel_peer_addr_update_info(peer)) ==
           DOCA_ERROR_CONNECTION_INPROGRESS)
        if (service_ep)
            update(service_ep);
    CHECK(result == OK);
    return peer;
}

static void send_all(ep_t ep, const void *bytes, size_t size, peer_t to)
{
    doca_error_t result;
    while ((result = doca_comm_channel_ep_sendto(ep, bytes, size, NONE, to)) == DOCA_ERROR_AGAIN)
        ;
    CHECK(result == OK);
}

static size_t receive(ep_t ep, void *bytes, peer_t *from)
{
    size_t size = MESSAGE_MAX;
    doca_error_t result;
    while ((result = doca_comm_channel_ep_recvfrom(ep, bytes, &size, NONE, from)) ==
           DOCA_ERROR_AGAIN)
        size = MESSAGE_MAX;
    CHECK(result == OK);
    return size;
}

static uint64_t counted(peer_t peer,
                        doca_error_t (*get)(const struct doca_comm_channel_addr_t *, uint64_t *))
{
    uint64_t value = 99;
    CHECK(get(peer, &value) == OK);
    return value;
}

static uint32_t peers_of(ep_t service_ep, peer_t **list)
{
    uint32_t n = 99, pending = 99;
    CHECK(doca_comm_channel_ep_get_peer_addr_list(service_ep, list, &n) == OK);
    CHECK(doca_comm_channel_ep_get_pending_connections(service_ep, &pending) == OK && pending == 0);
    return n;
}

/* ---- Cases ---- */

static void capabilities(void)
{
    struct doca_devinfo *on_dpu = doca_dev_as_devinfo(dpu), *on_host = doca_dev_as_devinfo(host);
    uint32_t n = 0;
    CHECK(doca_comm_channel_get_max_service_name_len(&n) == OK && n == 121);
    CHECK(doca_comm_channel_get_max_service_name_len(NULL) == INVALID);
    CHECK(doca_comm_channel_get_max_message_size(on_host, &n) == OK && n == MESSAGE_MAX);
    CHECK(doca_comm_channel_get_max_message_size(NULL, &n) == INVALID);
    CHECK(doca_comm_channel_get_max_message_size(on_host, NULL) == INVALID);
    CHECK(doca_comm_channel_get_max_send_queue_size(on_host, &n) == OK && n == QUEUE_MAX);
    CHECK(doca_comm_channel_get_max_recv_queue_size(on_dpu, &n) == OK && n == QUEUE_MAX);
    CHECK(doca_comm_channel_get_service_max_num_connections(on_dpu, &n) == OK && n == 512);
    CHECK(doca_comm_channel_get_service_max_num_connections(on_dpu, NULL) == INVALID);
    be("host");
    CHECK(doca_comm_channel_get_service_max_num_connections(on_host, &n) ==
          DOCA_ERROR_NOT_SUPPORTED);
}

static void properties(void)
{
    struct doca_dev *dev = dpu;
    struct doca_dev_rep *r = rep;
    uint16_t n = 0;
    ep_t ep = NULL;
    CHECK(doca_comm_channel_ep_create(NULL) == INVALID && doca_comm_channel_ep_create(&ep) == OK);
    CHECK(doca_comm_channel_ep_get_device(ep, &dev) == OK && !dev);
    CHECK(doca_comm_channel_ep_get_device_rep(ep, &r) == OK && !r);
    CHECK(doca_comm_channel_ep_set_device(ep, NULL) == INVALID);
    CHECK(doca_comm_channel_ep_set_device_rep(ep, NULL) == INVALID);
    CHECK(doca_comm_channel_ep_listen(ep, "x") == DOCA_ERROR_BAD_STATE);
    CHECK(doca_comm_channel_ep_set_device(ep, dpu) == OK);
    CHECK(doca_comm_channel_ep_get_device(ep, &dev) == OK && dev == dpu);
    CHECK(doca_comm_channel_ep_listen(ep, "x") == DOCA_ERROR_BAD_STATE); /* no representor */
    CHECK(doca_comm_channel_ep_set_device_rep(ep, rep) == OK);
    CHECK(doca_comm_channel_ep_get_device_rep(ep, &r) == OK && r == rep);
    CHECK(doca_comm_channel_ep_get_max_msg_size(ep, &n) == OK && n == MESSAGE_MAX);
    CHECK(doca_comm_channel_ep_set_max_msg_size(ep, MESSAGE_MAX + 1) == INVALID);
    CHECK(doca_comm_channel_ep_set_max_msg_size(ep, 0) == INVALID);
    CHECK(doca_comm_channel_ep_set_max_msg_size(ep, 100) == OK);
    CHECK(doca_comm_channel_ep_get_max_msg_size(ep, &n) == OK && n == 100);
    CHECK(doca_comm_channel_ep_get_send_queue_size(ep, &n) == OK && n == 1024);
    CHECK(doca_comm_channel_ep_set_send_queue_size(ep, 10) == OK); /* a power of 2 */
    CHECK(doca_comm_channel_ep_get_send_queue_size(ep, &n) == OK && n == 16);
    CHECK(doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_MAX + 1) == INVALID);
    CHECK(doca_comm_channel_ep_set_recv_queue_size(ep, 0) == INVALID);
    CHECK(doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_MAX) == OK);
    CHECK(doca_comm_channel_ep_get_recv_queue_size(ep, &n) == OK && n == QUEUE_MAX);
    CHECK(doca_comm_channel_ep_get_recv_queue_size(ep, NULL) == INVALID);
    CHECK(doca_comm_channel_ep_listen(ep, "") == INVALID);
    CHECK(doca_comm_channel_ep_listen(ep, NULL) == INVALID);
    be("dpu");
    CHECK(doca_comm_channel_ep_listen(ep, "x") == OK);
    CHECK(doca_comm_channel_ep_listen(ep, "y") == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_comm_channel_ep_set_max_msg_size(ep, 200) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_comm_channel_ep_set_device(ep, dpu) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_comm_channel_ep_destroy(ep) == OK);
    CHECK(doca_comm_channel_ep_destroy(ep) == DOCA_ERROR_NOT_CONNECTED);
    CHECK(doca_comm_channel_ep_destroy(NULL) == DOCA_ERROR_NOT_CONNECTED);
    CHECK(doca_comm_channel_ep_get_max_msg_size(ep, &n) == INVALID);
}

static void names_find_services(void)
{
    peer_t peer = NULL;
    ep_t s = service("name", 16), twice = endpoint(dpu, 16), c = endpoint(host, 16);
    CHECK(doca_comm_channel_ep_set_device_rep(twice, rep) == OK);
    CHECK(doca_comm_channel_ep_listen(twice, "name") == DOCA_ERROR_CONNECTION_ABORTED);
    CHECK(doca_comm_channel_ep_listen(twice, "other") == OK); /* a failed call leaves nothing */
    be("host");
    CHECK(doca_comm_channel_ep_connect(c, "nam", &peer) == DOCA_ERROR_CONNECTION_ABORTED && !peer);
    CHECK(doca_comm_channel_ep_connect(c, NULL, &peer) == INVALID);
    CHECK(doca_comm_channel_ep_connect(c, "name", NULL) == INVALID);
    CHECK(doca_comm_channel_ep_listen(c, "c") == DOCA_ERROR_BAD_STATE);
    CHECK(connect_to(c, "name", s) != NULL);
    CHECK(doca_comm_channel_ep_connect(c, "other", &peer) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_comm_channel_ep_destroy(twice) == OK && doca_comm_channel_ep_destroy(c) == OK);
    be("dpu");
    c = endpoint(dpu, 16);
    CHECK(doca_comm_channel_ep_connect(c, "name", &peer) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_comm_channel_ep_destroy(c) == OK && doca_comm_channel_ep_destroy(s) == OK);
}

static void messages_go_both_ways(void)
{
    char text[MESSAGE_MAX];
    uint64_t data = 1;
    peer_t from = NULL, *list = NULL;
    ep_t s = service("echo", 16), c = endpoint(host, 16), d = endpoint(host, 16);
    peer_t to = connect_to(c, "echo", s), to_too = connect_to(d, "echo", s);
    send_all(c, "hello", 5, to);
    CHECK(receive(s, text, &from) == 5 && memcmp(text, "hello", 5) == 0);
    CHECK(doca_comm_channel_peer_addr_get_user_data(from, &data) == OK && data == 0);
    CHECK(doca_comm_channel_peer_addr_set_user_data(from, 77) == OK);
    send_all(s, "from the DPU", 12, from);
    CHECK(receive(c, text, &from) == 12 && memcmp(text, "from the DPU", 12) == 0 && from == to);
    for (size_t size = 1; size <= MESSAGE_MAX; size = size * 3 / 2 + 1) {
        memset(text, (int)size, sizeof text);
        send_all(d, text, size, to_too);
        CHECK(receive(s, text, &from) == size && text[size - 1] == (char)size);
        send_all(s, text, size, from);
        CHECK(receive(d, text, &from) == size && from == to_too);
    }
    update(s);
    CHECK(peers_of(s, &list) == 2);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(doca_comm_channel_peer_addr_get_user_data(list[i], &data) == OK);
        if (data == 77)
            from = list[i];
    }
    CHECK(counted(from, doca_comm_channel_peer_addr_get_recv_messages) == 0); /* no update yet */
    CHECK(doca_comm_channel_peer_addr_update_info(from) == OK);
    CHECK(counted(from, doca_comm_channel_peer_addr_get_recv_messages) == 1);
    CHECK(counted(from, doca_comm_channel_peer_addr_get_recv_bytes) == 5);
    CHECK(counted(from, doca_comm_channel_peer_addr_get_send_messages) == 1);
    CHECK(counted(from, doca_comm_channel_peer_addr_get_send_bytes) == 12);
    CHECK(counted(from, doca_comm_channel_peer_addr_get_send_in_flight_messages) == 0);
    CHECK(doca_comm_channel_ep_destroy(d) == OK);
    do
        update(s);
    while (peers_of(s, &list) == 2);
    CHECK(peers_of(s, &list) == 1 && list[0] == from);
    CHECK(doca_comm_channel_ep_update_service_state_info(c) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_comm_channel_ep_destroy(c) == OK && doca_comm_channel_ep_destroy(s) == OK);
    CHECK(doca_comm_channel_peer_addr_update_info(from) == INVALID);
}

static void messages_have_limits(void)
{
    char text[MESSAGE_MAX + 1] = "";
    size_t size = 3;
    peer_t from = NULL;
    ep_t s = service("small", 16), c = endpoint(host, 16), idle = endpoint(host, 16);
    peer_t to = connect_to(c, "small", s);
    CHECK(doca_comm_channel_ep_sendto(c, text, MESSAGE_MAX + 1, NONE, to) == INVALID);
    CHECK(doca_comm_channel_ep_sendto(c, text, 0, NONE, to) == INVALID);
    CHECK(doca_comm_channel_ep_sendto(c, NULL, 1, NONE, to) == INVALID);
    CHECK(doca_comm_channel_ep_sendto(c, text, 1, 4, to) == INVALID);
    CHECK(doca_comm_channel_ep_sendto(c, text, 1, NONE, NULL) == DOCA_ERROR_NOT_CONNECTED);
    CHECK(doca_comm_channel_ep_sendto(s, text, 1, NONE, to) == DOCA_ERROR_NOT_CONNECTED);
    CHECK(doca_comm_channel_ep_recvfrom(s, text, &size, NONE, &from) == DOCA_ERROR_AGAIN);
    CHECK(doca_comm_channel_ep_recvfrom(s, text, &size, 1, &from) == INVALID);
    CHECK(doca_comm_channel_ep_recvfrom(s, text, NULL, NONE, &from) == INVALID);
    CHECK(doca_comm_channel_ep_recvfrom(idle, text, &size, NONE, &from) ==
          DOCA_ERROR_NOT_CONNECTED);
    CHECK(doca_comm_channel_ep_disconnect(idle, to) == DOCA_ERROR_NOT_CONNECTED);
    send_all(c, "four", 4, to);
    doca_error_t result;
    do
        size = 3;
    while ((result = doca_comm_channel_ep_recvfrom(s, text, &size, NONE, &from)) ==
           DOCA_ERROR_AGAIN);
    CHECK(result == INVALID && size == 4); /* it stays */
    CHECK(receive(s, text, &from) == 4);
    for (ep_t *e = (ep_t[]){s, c, idle, NULL}; *e; e++)
        CHECK(doca_comm_channel_ep_destroy(*e) == OK);
}

/* Senders wait for a service that takes nothing; then all arrive, in order. */
static void full_queues_let_senders_wait(void)
{
    char text[MESSAGE_MAX] = "";
    unsigned sent = 0, got = 0, n;
    peer_t from = NULL;
    ep_t s = service("slow", 4), c = endpoint(host, 4);
    peer_t to = connect_to(c, "slow", s);
    for (unsigned again = 0; again < 3;) {
        memcpy(text, &sent, sizeof sent);
        const doca_error_t result = doca_comm_channel_ep_sendto(c, text, sizeof text, NONE, to);
        CHECK(result == OK || result == DOCA_ERROR_AGAIN);
        again = result == OK ? 0 : again + 1;
        sent += result == OK;
        update(s); /* it hears no more than its queue holds */
        CHECK(sent < 1000000);
    }
    CHECK(doca_comm_channel_peer_addr_update_info(to) == OK);
    CHECK(counted(to, doca_comm_channel_peer_addr_get_send_in_flight_messages) > 0);
    for (; got < sent; got++) {
        size_t size = sizeof text;
        while (doca_comm_channel_ep_recvfrom(s, text, &size, NONE, &from) == DOCA_ERROR_AGAIN)
            doca_comm_channel_peer_addr_update_info(to); /* the client sends what waits */
        memcpy(&n, text, sizeof n);
        CHECK(size == sizeof text && n == got);
    }
    CHECK(doca_comm_channel_peer_addr_update_info(to) == OK);
    CHECK(counted(to, doca_comm_channel_peer_addr_get_send_in_flight_messages) == 0);
    CHECK(counted(to, doca_comm_channel_peer_addr_get_send_messages) == sent);
    CHECK(doca_comm_channel_ep_destroy(c) == OK && doca_comm_channel_ep_destroy(s) == OK);
}

static bool is_readable(int fd, int wait)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, wait) == 1;
}

/* Arms a descriptor until nothing wakes it: it may also wake for what has been. */
static void rests(ep_t ep, doca_error_t (*arm)(ep_t), int fd)
{
    do
        CHECK(arm(ep) == OK);
    while (is_readable(fd, 0));
}

static void descriptors_wake_programs(void)
{
    char text[MESSAGE_MAX];
    int out = -1, in = -1, clients = -1;
    peer_t from = NULL;
    ep_t s = service("wake", 16), c = endpoint(host, 16);
    CHECK(doca_comm_channel_ep_get_event_channel(c, &out, &in) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_comm_channel_ep_event_handle_arm_recv(c) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_comm_channel_ep_get_event_channel(s, NULL, NULL) == INVALID);
    CHECK(doca_comm_channel_ep_get_event_channel(s, NULL, &in) == OK && in >= 0);
    CHECK(doca_comm_channel_ep_get_event_channel(s, &out, NULL) == OK && out >= 0 && out != in);
    CHECK(doca_comm_channel_ep_get_service_event_channel(s, &clients) == OK && clients >= 0);
    rests(s, doca_comm_channel_ep_update_service_state_info, clients);
    peer_t to = NULL;
    be("host");
    CHECK(doca_comm_channel_ep_connect(c, "wake", &to) == OK);
    CHECK(is_readable(clients, -1));
    while (doca_comm_channel_peer_addr_update_info(to) != OK)
        update(s);
    rests(s, doca_comm_channel_ep_update_service_state_info, clients);
    rests(s, doca_comm_channel_ep_event_handle_arm_recv, in);
    CHECK(doca_comm_channel_ep_event_handle_arm_send(s) == OK && is_readable(out, 0));
    for (unsigned i = 0; i < 50; i++) {
        rests(s, doca_comm_channel_ep_event_handle_arm_recv, in);
        send_all(c, "wake up", 7, to);
        CHECK(is_readable(in, -1));
        CHECK(receive(s, text, &from) == 7);
    }
    send_all(c, "early", 5, to);
    do
        update(s); /* takes it from the peer, for the program to take */
    while (doca_comm_channel_ep_event_handle_arm_recv(s) == OK && !is_readable(in, 0));
    CHECK(receive(s, text, &from) == 5);
    CHECK(doca_comm_channel_ep_destroy(c) == OK);
    CHECK(is_readable(clients, -1));
    CHECK(doca_comm_channel_ep_destroy(s) == OK);
    CHECK(doca_comm_channel_ep_get_service_event_channel(s, &clients) == INVALID);
}

/* A process with one end, which waits to be killed once it has sent a message. */
static pid_t spawn(bool is_service)
{
    const pid_t parent = getpid(), process = fork();
    CHECK(process >= 0);
    if (process > 0)
        return process;
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent);
    char text[MESSAGE_MAX];
    peer_t peer = NULL;
    if (is_service) {
        ep_t s = service("dies", 16);
        receive(s, text, &peer);
        send_all(s, "I serve", 7, peer);
    } else {
        ep_t c = endpoint(host, 16);
        peer = connect_to(c, "dies", NULL);
        send_all(c, "I call", 6, peer);
    }
    for (;;)
        pause();
}

static void end_process(pid_t process)
{
    int status;
    CHECK(kill(process, SIGKILL) == 0 && waitpid(process, &status, 0) == process);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void a_dead_client_is_found(void)
{
    char text[MESSAGE_MAX];
    peer_t from = NULL, *list = NULL;
    ep_t s = service("dies", 16);
    for (unsigned i = 0; i < 20; i++) {
        pid_t process = spawn(false);
        CHECK(receive(s, text, &from) == 6);
        update(s);
        CHECK(peers_of(s, &list) == 1 && list[0] == from);
        end_process(process);
        while (doca_comm_channel_peer_addr_update_info(from) == OK)
            ;
        CHECK(doca_comm_channel_peer_addr_update_info(from) == DOCA_ERROR_CONNECTION_ABORTED);
        CHECK(doca_comm_channel_ep_sendto(s, "x", 1, NONE, from) == DOCA_ERROR_CONNECTION_RESET);
        size_t size = sizeof text;
        CHECK(doca_comm_channel_ep_recvfrom(s, text, &size, NONE, &list[0]) == DOCA_ERROR_AGAIN);
        update(s);
        CHECK(peers_of(s, &list) == 0);
        CHECK(doca_comm_channel_ep_disconnect(s, from) == OK);
        CHECK(doca_comm_channel_ep_disconnect(s, from) == DOCA_ERROR_NOT_CONNECTED);
    }
    CHECK(doca_comm_channel_ep_destroy(s) == OK);
}

static void a_dead_service_is_found(void)
{
    char text[MESSAGE_MAX];
    ep_t c = endpoint(host, 16);
    int in = -1;
    for (unsigned i = 0; i < 20; i++) {
        pid_t process = spawn(true);
        peer_t to = NULL, from = NULL;
        be("host");
        while (doca_comm_channel_ep_connect(c, "dies", &to) == DOCA_ERROR_CONNECTION_ABORTED)
            usleep(1000); /* it does not listen yet */
        send_all(c, "hello", 5, to);
        CHECK(receive(c, text, &from) == 7 && from == to);
        CHECK(doca_comm_channel_ep_get_event_channel(c, NULL, &in) == OK);
        rests(c, doca_comm_channel_ep_event_handle_arm_recv, in);
        end_process(process);
        CHECK(is_readable(in, -1));
        doca_error_t result;
        size_t size = sizeof text;
        while ((result = doca_comm_channel_ep_recvfrom(c, text, &size, NONE, &from)) ==
               DOCA_ERROR_AGAIN)
            CHECK(doca_comm_channel_ep_event_handle_arm_recv(c) == OK && is_readable(in, -1));
        CHECK(result == DOCA_ERROR_CONNECTION_RESET && from == to);
        CHECK(doca_comm_channel_peer_addr_update_info(to) == DOCA_ERROR_CONNECTION_ABORTED);
        CHECK(doca_comm_channel_ep_disconnect(c, to) == OK);
        CHECK(doca_comm_channel_peer_addr_update_info(to) == INVALID);
        be("host");
        CHECK(doca_comm_channel_ep_connect(c, "dies", &to) == DOCA_ERROR_CONNECTION_ABORTED);
    }
    CHECK(doca_comm_channel_ep_destroy(c) == OK);
}

static const struct test_case cases[] = {
    CASE(capabilities),
    CASE(properties),
    CASE(names_find_services),
    CASE(messages_go_both_ways),
    CASE(messages_have_limits),
    CASE(full_queues_let_senders_wait),
    CASE(descriptors_wake_programs),
    CASE(a_dead_client_is_found),
    CASE(a_dead_service_is_found),
};

int main(int argc, char **argv)
{
    open_sides();
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
