/* Behaviours of doca_cc in programs of DOCA 2.5 and 2.6, one function each; main runs the one that
 * argv[1] names. Both ends are in this program. */
#include <doca_buf_inventory.h>
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_comm_channel.h>
#include <doca_mmap.h>
#include <doca_version.h>

#include "check.h"

#define OK      DOCA_SUCCESS
#define INVALID DOCA_ERROR_INVALID_VALUE

enum { MESSAGE_MAX = 4080, SIZE = 1 << 20 };

/* What the two releases call otherwise. */
#if DOCA_VERSION_MINOR == 5
typedef size_t number;
typedef int place;
typedef bool truth;
typedef struct doca_cc_send_task send_t;
typedef struct doca_cc_producer_send_task produce_t;
typedef struct doca_cc_consumer_post_recv_task consume_t;
#define SEND_AS_TASK    doca_cc_send_task_as_task
#define SERVER_CONF     doca_cc_server_send_task_set_conf
#define CLIENT_CONF     doca_cc_client_send_task_set_conf
#define SERVER_SEND     doca_cc_server_send_task_alloc_init
#define CLIENT_SEND     doca_cc_client_send_task_alloc_init
#define PRODUCE_AS_TASK doca_cc_producer_send_task_as_task
#define PRODUCER_CONF   doca_cc_producer_send_task_set_conf
#define PRODUCE         doca_cc_producer_send_task_alloc_init
#define PRODUCE_BUF     doca_cc_producer_send_task_get_buf
#define PRODUCE_TO      doca_cc_producer_send_task_get_consumer_id
#define CONSUME_AS_TASK doca_cc_consumer_post_recv_task_as_task
#define CONSUMER_CONF   doca_cc_consumer_post_recv_task_set_conf
#define CONSUME         doca_cc_consumer_post_recv_task_alloc_init
#define CONSUME_BUF     doca_cc_consumer_post_recv_task_get_buf
#define TASKS           4 /* a logarithm */
#else
typedef uint32_t number;
typedef uint32_t place;
typedef uint8_t truth;
typedef struct doca_cc_task_send send_t;
typedef struct doca_cc_producer_task_send produce_t;
typedef struct doca_cc_consumer_task_post_recv consume_t;
#define SEND_AS_TASK    doca_cc_task_send_as_task
#define SERVER_CONF     doca_cc_server_task_send_set_conf
#define CLIENT_CONF     doca_cc_client_task_send_set_conf
#define SERVER_SEND     doca_cc_server_task_send_alloc_init
#define CLIENT_SEND     doca_cc_client_task_send_alloc_init
#define PRODUCE_AS_TASK doca_cc_producer_task_send_as_task
#define PRODUCER_CONF   doca_cc_producer_task_send_set_conf
#define PRODUCE         doca_cc_producer_task_send_alloc_init
#define PRODUCE_BUF     doca_cc_producer_task_send_get_buf
#define PRODUCE_TO      doca_cc_producer_task_send_get_consumer_id
#define CONSUME_AS_TASK doca_cc_consumer_task_post_recv_as_task
#define CONSUMER_CONF   doca_cc_consumer_task_post_recv_set_conf
#define CONSUME         doca_cc_consumer_task_post_recv_alloc_init
#define CONSUME_BUF     doca_cc_consumer_task_post_recv_get_buf
#define TASKS           16
#endif

static struct doca_dev *dpu, *host;
static struct doca_dev_rep *rep;
static struct doca_pe *pe;

/* What callbacks are told, of both ends. */
static struct {
    unsigned came, went, sent, failed, heard, consumers, expired, produced, consumed;
    number size;
    uint8_t message[MESSAGE_MAX];
    struct doca_cc_connection *from, *client_of;
    uint32_t consumer;
} told;

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
    CHECK(doca_pe_create(&pe) == OK);
}

#define AWAIT(condition)                                                                           \
    for (unsigned tries_ = 0; !(condition); tries_++) {                                            \
        CHECK(tries_ < 200000000);                                                                 \
        doca_pe_progress(pe);                                                                      \
    }

static void on_sent(send_t *task, union doca_data task_data, union doca_data ctx_data)
{
    (void)ctx_data;
    CHECK(task_data.u64 == 5);
    told.sent++;
    doca_task_free(SEND_AS_TASK(task));
}

static void on_failed(send_t *task, union doca_data task_data, union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    told.failed++;
    doca_task_free(SEND_AS_TASK(task));
}

static void on_message(struct doca_cc_event_msg_recv *event, uint8_t *bytes, number size,
                       struct doca_cc_connection *connection)
{
    CHECK(event && size > 0 && size <= MESSAGE_MAX);
    memcpy(told.message, bytes, size);
    told.size = size;
    told.from = connection;
    told.heard++;
}

static void on_came(struct doca_cc_event_connection_status_changed *event,
                    struct doca_cc_connection *connection, truth success)
{
    CHECK(event && success == 1);
    told.client_of = connection;
    told.came++;
}

static void on_went(struct doca_cc_event_connection_status_changed *event,
                    struct doca_cc_connection *connection, truth success)
{
    CHECK(event && success == 1 && connection == told.client_of);
    told.went++;
}

static void on_consumer(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
                        uint32_t id)
{
    CHECK(event && connection && id);
    told.consumer = id;
    told.consumers++;
}

static void on_expired(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
                       uint32_t id)
{
    CHECK(event && connection && id == told.consumer);
    told.expired++;
}

static struct doca_cc_server *server_new(const char *name)
{
    struct doca_cc_server *s = NULL;
    CHECK(setenv("DPAKIT_SIDE", "dpu", 1) == 0);
    CHECK(doca_cc_server_create(dpu, rep, name, &s) == OK);
    CHECK(SERVER_CONF(s, on_sent, on_failed, 16) == OK);
    CHECK(doca_cc_server_event_msg_recv_register(s, on_message) == OK);
    CHECK(doca_cc_server_event_connection_register(s, on_came, on_went) == OK);
    CHECK(doca_cc_server_event_consumer_register(s, on_consumer, on_expired) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_cc_server_as_ctx(s)) == OK);
    return s;
}

static struct doca_cc_client *client_new(const char *name)
{
    struct doca_cc_client *c = NULL;
    CHECK(setenv("DPAKIT_SIDE", "host", 1) == 0);
    CHECK(doca_cc_client_create(host, name, &c) == OK);
    CHECK(CLIENT_CONF(c, on_sent, on_failed, 16) == OK);
    CHECK(doca_cc_client_event_msg_recv_register(c, on_message) == OK);
    CHECK(doca_cc_client_event_consumer_register(c, on_consumer, on_expired) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_cc_client_as_ctx(c)) == OK);
    return c;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    CHECK(doca_ctx_get_state(ctx, &state) == OK);
    return state;
}

/* Starts both, and returns the client's connection. */
static struct doca_cc_connection *connect_ends(struct doca_cc_server *s, struct doca_cc_client *c)
{
    struct doca_cc_connection *connection = NULL;
    struct doca_ctx *ctx = doca_cc_client_as_ctx(c);
    CHECK(doca_ctx_start(doca_cc_server_as_ctx(s)) == OK);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(state_of(ctx) == DOCA_CTX_STATE_RUNNING && told.came > 0);
    CHECK(doca_cc_client_get_connection(c, &connection) == OK);
    CHECK(doca_cc_client_get_client_ctx(connection) == c);
    CHECK(doca_cc_server_get_server_ctx(told.client_of) == s);
    return connection;
}

static void submit(struct doca_task *task)
{
    doca_task_set_user_data(task, (union doca_data){.u64 = 5});
    CHECK(doca_task_submit(task) == OK);
}

static void capabilities(void)
{
    struct doca_devinfo *on_dpu = doca_dev_as_devinfo(dpu), *on_host = doca_dev_as_devinfo(host);
    uint32_t n = 0;
    number wide = 0;
    CHECK(doca_cc_cap_server_is_supported(on_dpu) == OK);
    CHECK(doca_cc_cap_client_is_supported(on_dpu) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(setenv("DPAKIT_SIDE", "host", 1) == 0);
    CHECK(doca_cc_cap_client_is_supported(on_host) == OK);
    CHECK(setenv("DPAKIT_SIDE", "dpu", 1) == 0);
    CHECK(doca_cc_cap_get_max_name_len(on_host, &n) == OK && n == 121);
    memset(&wide, 0xff, sizeof wide);
    CHECK(doca_cc_cap_get_max_msg_size(on_host, &wide) == OK && wide == MESSAGE_MAX);
    CHECK(doca_cc_cap_get_max_msg_size(on_host, NULL) == INVALID);
    CHECK(doca_cc_cap_get_max_recv_queue_size(on_host, &wide) == OK && wide == 8192);
    CHECK(doca_cc_cap_get_max_send_tasks(on_host, &wide) == OK && wide == 8192);
    CHECK(doca_cc_cap_get_max_clients(on_dpu, &wide) == OK && wide == 512);
    CHECK(doca_cc_consumer_cap_get_max_buf_size(on_dpu, &wide) == OK && wide >= SIZE);
    CHECK(doca_cc_producer_cap_get_max_buf_size(on_dpu, &wide) == OK && wide >= SIZE);
#if DOCA_VERSION_MINOR == 5
    CHECK(doca_cc_cap_is_consumer_supported(on_dpu) == OK);
    CHECK(doca_cc_cap_is_producer_supported(on_dpu) == OK);
    CHECK(doca_cc_consumer_cap_get_max_log_num_tasks(on_dpu, &wide) == OK && wide == 13);
    CHECK(doca_cc_producer_cap_get_max_log_num_tasks(on_dpu, &wide) == OK && wide == 13);
    CHECK(doca_cc_producer_cap_get_max_log_num_tasks(on_dpu, NULL) == INVALID);
#else
    CHECK(doca_cc_consumer_cap_is_supported(on_dpu) == OK);
    CHECK(doca_cc_producer_cap_is_supported(on_dpu) == OK);
    CHECK(doca_cc_consumer_cap_get_max_num_tasks(on_dpu, &wide) == OK && wide == 8192);
    CHECK(doca_cc_producer_cap_get_max_num_tasks(on_dpu, &wide) == OK && wide == 8192);
    CHECK(doca_cc_consumer_cap_get_max_consumers(on_dpu, &wide) == OK && wide == 64);
    CHECK(doca_cc_producer_cap_get_max_producers(on_dpu, &wide) == OK && wide == 64);
#endif
}

static void sizes(void)
{
    struct doca_cc_server *s = server_new("sizes");
    struct doca_cc_client *c = client_new("sizes");
    struct doca_dev *dev = NULL;
    struct doca_dev_rep *r = NULL;
    number n = 0;
    CHECK(doca_cc_server_get_device(s, &dev) == OK && dev == dpu);
    CHECK(doca_cc_server_get_device_repr(s, &r) == OK && r == rep);
    CHECK(doca_cc_client_get_device(c, &dev) == OK && dev == host);
    CHECK(doca_cc_server_set_max_msg_size(s, MESSAGE_MAX + 1) == INVALID);
    CHECK(doca_cc_server_set_max_msg_size(s, 100) == OK);
    memset(&n, 0xff, sizeof n);
    CHECK(doca_cc_server_get_max_msg_size(s, &n) == OK && n == 100);
    CHECK(doca_cc_server_get_max_msg_size(s, NULL) == INVALID);
    CHECK(doca_cc_server_get_max_msg_size(NULL, &n) == INVALID);
    CHECK(doca_cc_server_set_recv_queue_size(s, 10) == OK);
    CHECK(doca_cc_server_get_recv_queue_size(s, &n) == OK && n == 10);
    CHECK(doca_cc_client_set_max_msg_size(c, 0) == INVALID);
    CHECK(doca_cc_client_set_max_msg_size(c, 200) == OK);
    CHECK(doca_cc_client_get_max_msg_size(c, &n) == OK && n == 200);
    CHECK(doca_cc_client_set_recv_queue_size(c, 20) == OK);
    CHECK(doca_cc_client_get_recv_queue_size(c, &n) == OK && n == 20);
    CHECK(doca_cc_client_event_msg_recv_register(c, NULL) == INVALID);
    CHECK(doca_cc_server_event_msg_recv_register((struct doca_cc_server *)c, on_message) ==
          INVALID);
#if DOCA_VERSION_MINOR == 5
    CHECK(doca_cc_server_set_max_msg_size(s, (size_t)1 << 32 | 8) == INVALID);
    CHECK(doca_cc_client_set_recv_queue_size(c, (size_t)1 << 32 | 8) == INVALID);
#endif
    CHECK(doca_cc_client_destroy(c) == OK && doca_cc_server_destroy(s) == OK);
    CHECK(doca_cc_client_destroy(c) == INVALID);
}

static void messages_go_both_ways(void)
{
    struct doca_cc_server *s = server_new("echo");
    struct doca_cc_client *c = client_new("echo");
    struct doca_cc_connection *to = connect_ends(s, c);
    send_t *task = NULL;
    uint64_t n = 0;
    static uint8_t bytes[MESSAGE_MAX + 1];
    CHECK(CLIENT_SEND(c, to, bytes, sizeof bytes, &task) == INVALID && !task);
#if DOCA_VERSION_MINOR == 5
    CHECK(CLIENT_SEND(c, to, bytes, (size_t)1 << 32 | 8, &task) == INVALID && !task);
#endif
    CHECK(CLIENT_SEND(c, to, NULL, 8, &task) == INVALID);
    CHECK(doca_cc_connection_set_user_data(to, (union doca_data){.u64 = 9}) == OK);
    CHECK(doca_cc_connection_get_user_data(to).u64 == 9);
    for (unsigned i = 1; i <= 100; i++) {
        const uint32_t size = i * 40;
        memset(bytes, (int)i, size);
        CHECK(CLIENT_SEND(c, to, bytes, size, &task) == OK);
        submit(SEND_AS_TASK(task));
        AWAIT(told.heard == 2 * i - 1 && told.sent == 2 * i - 1);
        CHECK(told.size == size && told.message[size - 1] == i && told.from == told.client_of);
        CHECK(SERVER_SEND(s, told.client_of, bytes, size, &task) == OK);
        submit(SEND_AS_TASK(task));
        AWAIT(told.heard == 2 * i && told.sent == 2 * i);
        CHECK(told.size == size && told.message[0] == i && told.from == to);
    }
    CHECK(doca_cc_connection_update_info(to) == OK);
    CHECK(doca_cc_connection_get_counter(to, DOCA_CC_COUNTER_SENT_MESSAGES, &n) == OK && n == 100);
    CHECK(doca_cc_connection_get_counter(to, DOCA_CC_COUNTER_RECV_BYTES, &n) == OK &&
          n == 40 * 5050);
    CHECK(doca_ctx_stop(doca_cc_client_as_ctx(c)) == OK);
    AWAIT(told.went == 1);
    CHECK(told.failed == 0 && doca_cc_client_destroy(c) == OK && doca_cc_server_destroy(s) == OK);
}

/* ---- Fast paths ---- */

static void on_produced(produce_t *task, union doca_data task_data, union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    told.produced++;
    doca_task_free(PRODUCE_AS_TASK(task));
}

static void on_consumed(consume_t *task, union doca_data task_data, union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    told.consumed++;
#if DOCA_VERSION_MINOR == 6
    CHECK(doca_cc_consumer_task_post_recv_get_producer_id(task) == 1);
#endif
    doca_task_free(CONSUME_AS_TASK(task));
}

static void no_produce(produce_t *task, union doca_data task_data, union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
    CHECK(!"a send has failed");
}

static void no_consume(consume_t *task, union doca_data task_data, union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
    CHECK(!"a receive has failed");
}

static struct doca_mmap *map_of(struct doca_dev *dev, void *at)
{
    struct doca_mmap *map = NULL;
    CHECK(doca_mmap_create(&map) == OK && doca_mmap_add_dev(map, dev) == OK);
    CHECK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE) == OK);
    CHECK(doca_mmap_set_memrange(map, at, SIZE) == OK && doca_mmap_start(map) == OK);
    return map;
}

static void producers_reach_consumers(void)
{
    static uint8_t from[SIZE], to[SIZE];
    struct doca_cc_server *s = server_new("fast");
    struct doca_cc_client *c = client_new("fast");
    struct doca_cc_connection *connection = connect_ends(s, c);
    struct doca_mmap *source = map_of(host, from), *target = map_of(dpu, to);
    struct doca_buf_inventory *inventory = NULL;
    struct doca_buf *out = NULL, *in = NULL;
    struct doca_cc_consumer *consumer = NULL;
    struct doca_cc_producer *producer = NULL;
    produce_t *send = NULL;
    consume_t *receive = NULL;
    uint32_t id = 0;
    size_t got = 0;
    CHECK(doca_buf_inventory_create(4, &inventory) == OK);
    CHECK(doca_buf_inventory_start(inventory) == OK);
    memset(from, 0x5a, sizeof from);
    CHECK(doca_buf_inventory_buf_get_by_data(inventory, source, from, SIZE, &out) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, target, to, SIZE, &in) == OK);

    CHECK(doca_cc_consumer_create(told.client_of, target, &consumer) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_cc_consumer_as_ctx(consumer)) == OK);
    CHECK(CONSUMER_CONF(consumer, on_consumed, no_consume, 32) == (TASKS == 4 ? INVALID : OK));
    CHECK(CONSUMER_CONF(consumer, on_consumed, no_consume, TASKS) == OK);
    CHECK(doca_ctx_start(doca_cc_consumer_as_ctx(consumer)) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(state_of(doca_cc_consumer_as_ctx(consumer)) == DOCA_CTX_STATE_RUNNING &&
          told.consumers == 1);
    CHECK(doca_cc_consumer_get_id(consumer, &id) == OK && id == told.consumer);
    CHECK(CONSUME(consumer, in, &receive) == OK && CONSUME_BUF(receive) == in);
    CHECK(doca_task_submit(CONSUME_AS_TASK(receive)) == OK);

    CHECK(doca_cc_producer_create(connection, &producer) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_cc_producer_as_ctx(producer)) == OK);
    CHECK(PRODUCER_CONF(producer, on_produced, no_produce, TASKS) == OK);
    CHECK(doca_ctx_start(doca_cc_producer_as_ctx(producer)) == OK);
    CHECK(PRODUCE(producer, out, (place)id, &send) == OK);
    CHECK(PRODUCE_BUF(send) == out && PRODUCE_TO(send) == (place)id);
    doca_error_t result;
    while ((result = doca_task_submit(PRODUCE_AS_TASK(send))) == DOCA_ERROR_AGAIN)
        doca_pe_progress(pe);
    CHECK(result == OK);
    AWAIT(told.produced == 1 && told.consumed == 1);
    CHECK(doca_buf_get_data_len(in, &got) == OK && got == SIZE && memcmp(from, to, SIZE) == 0);

    CHECK(doca_ctx_stop(doca_cc_producer_as_ctx(producer)) == OK);
    CHECK(doca_cc_producer_destroy(producer) == OK);
    doca_ctx_stop(doca_cc_consumer_as_ctx(consumer));
    AWAIT(state_of(doca_cc_consumer_as_ctx(consumer)) == DOCA_CTX_STATE_IDLE && told.expired == 1);
    CHECK(doca_cc_consumer_destroy(consumer) == OK);
    CHECK(doca_cc_client_destroy(c) == OK && doca_cc_server_destroy(s) == OK);
}

/* The other end of a server may be an endpoint of doca_comm_channel. */
static void an_older_client_connects(void)
{
    struct doca_cc_server *s = server_new("older");
    struct doca_comm_channel_ep_t *ep = NULL;
    struct doca_comm_channel_addr_t *peer = NULL;
    CHECK(doca_ctx_start(doca_cc_server_as_ctx(s)) == OK);
    CHECK(setenv("DPAKIT_SIDE", "host", 1) == 0);
    CHECK(doca_comm_channel_ep_create(&ep) == OK);
    CHECK(doca_comm_channel_ep_set_device(ep, host) == OK);
    CHECK(doca_comm_channel_ep_connect(ep, "older", &peer) == OK);
    CHECK(doca_comm_channel_ep_sendto(ep, "x", 1, DOCA_CC_MSG_FLAG_NONE, peer) == DOCA_ERROR_AGAIN);
    AWAIT(doca_comm_channel_peer_addr_update_info(peer) == OK);
    CHECK(doca_comm_channel_ep_sendto(ep, "older", 5, DOCA_CC_MSG_FLAG_NONE, peer) == OK);
    AWAIT(told.heard == 1);
    CHECK(told.size == 5 && memcmp(told.message, "older", 5) == 0);
    CHECK(doca_comm_channel_ep_destroy(ep) == OK);
    AWAIT(told.went == 1);
    CHECK(doca_cc_server_destroy(s) == OK);
}

static const struct test_case cases[] = {
    CASE(capabilities),
    CASE(sizes),
    CASE(messages_go_both_ways),
    CASE(producers_reach_consumers),
    CASE(an_older_client_connects),
};

int main(int argc, char **argv)
{
    open_sides();
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
