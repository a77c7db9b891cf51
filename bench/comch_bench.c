/* What messages of doca_comch cost between two processes: comch_bench FIGURE prints one number.
 *
 *     socket | comch     microseconds of a message of 64 bytes there and back: by a bare socket of
 *                        SOCK_SEQPACKET that both look at again and again, and by comch
 *     messages           millions of 64-byte messages a second, from a producer to a consumer
 *
 * The best of many short runs within three seconds, of processes that poll: each needs a processor, and other
 * programs on the machine count less. */
#define _GNU_SOURCE
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "doca_bench.h"

/* A run of messages is eight times what a consumer can have posted before it. */
enum { SMALL = 64, SECONDS = 3, TRIPS = 50, TASKS = 1024, BATCH = 32, MESSAGES = 8 * TASKS };

static struct doca_dev *dev;
static struct doca_pe *pe, *pipe_pe; /* of a connection, and of what is on it */
static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_comch_connection *connection;
static struct doca_comch_consumer *consumer;
static struct doca_comch_producer *producer;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static uint8_t memory[TASKS * SMALL];
static unsigned heard, idle;
static int ready[2]; /* a pipe: the server can be called */
static uint32_t peers_consumer;
static struct doca_task *sends[TASKS];

static double seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* ---- A bare socket ---- */

static void pass(int fd, bool first)
{
    char bytes[SMALL] = {0};
    if (first && send(fd, bytes, SMALL, MSG_DONTWAIT) != SMALL)
        exit(1);
    while (recv(fd, bytes, SMALL, MSG_DONTWAIT) != SMALL)
        ;
    if (!first && send(fd, bytes, SMALL, MSG_DONTWAIT) != SMALL)
        exit(1);
}

static double socket_trip(void)
{
    int fd[2];
    double best = 1e9;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd) != 0)
        exit(1);
    const pid_t peer = fork();
    if (peer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pass(fd[1], false);
    }
    for (const double end = seconds() + SECONDS; seconds() < end;) {
        const double begin = seconds();
        for (unsigned trip = 0; trip < TRIPS; trip++)
            pass(fd[0], true);
        const double took = (seconds() - begin) / TRIPS;
        best = took < best ? took : best;
    }
    kill(peer, SIGKILL);
    return best * 1e6;
}

/* ---- Ends of a connection ---- */

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void say(void)
{
    static const uint8_t bytes[SMALL];
    struct doca_comch_task_send *task = NULL;
    TRY(server ? doca_comch_server_task_send_alloc_init(server, connection, bytes, SMALL, &task)
               : doca_comch_client_task_send_alloc_init(client, connection, bytes, SMALL, &task));
    TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                       struct doca_comch_connection *c)
{
    (void)event, (void)bytes, (void)size, (void)c;
    heard++;
    if (server)
        say();
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                        uint32_t id)
{
    (void)event, (void)c;
    peers_consumer = id;
}

static void on_gone(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                    uint32_t id)
{
    (void)event, (void)c, (void)id;
}

static void on_change(struct doca_comch_event_connection_status_changed *event,
                      struct doca_comch_connection *c, uint8_t success)
{
    (void)event, (void)success;
    connection = c;
}

static void open_side(const char *side)
{
    setenv("DPAKIT_SIDE", side, 1);
    dev = first_device();
    TRY(doca_pe_create(&pe));
    TRY(doca_pe_create(&pipe_pe));
}

static void serve(void)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    uint32_t count = 0;
    open_side("dpu");
    TRY(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
    if (count == 0)
        exit(1);
    TRY(doca_dev_rep_open(list[0], &rep));
    TRY(doca_comch_server_create(dev, rep, "bench", &server));
    TRY(doca_comch_server_task_send_set_conf(server, on_sent, on_sent, 64));
    TRY(doca_comch_server_event_msg_recv_register(server, on_message));
    TRY(doca_comch_server_event_connection_status_changed_register(server, on_change, on_change));
    TRY(doca_comch_server_event_consumer_register(server, on_consumer, on_gone));
    TRY(doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server)));
    TRY(doca_ctx_start(doca_comch_server_as_ctx(server)));
    if (write(ready[1], "", 1) != 1)
        exit(1);
    while (!connection)
        doca_pe_progress(pe);
}

static void call(void)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    open_side("host");
    TRY(doca_comch_client_create(dev, "bench", &client));
    TRY(doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 64));
    TRY(doca_comch_client_event_msg_recv_register(client, on_message));
    TRY(doca_comch_client_event_consumer_register(client, on_consumer, on_gone));
    TRY(doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client)));
    for (char word; read(ready[0], &word, 1) != 1;)
        ;
    if (doca_ctx_start(doca_comch_client_as_ctx(client)) != DOCA_ERROR_IN_PROGRESS)
        exit(1);
    while (state != DOCA_CTX_STATE_RUNNING) {
        doca_pe_progress(pe);
        TRY(doca_ctx_get_state(doca_comch_client_as_ctx(client), &state));
    }
    TRY(doca_comch_client_get_connection(client, &connection));
}

static double comch_trip(void)
{
    double best = 1e9;
    for (const double end = seconds() + SECONDS; seconds() < end;) {
        const double begin = seconds();
        for (unsigned trip = 0; trip < TRIPS; trip++) {
            const unsigned before = heard;
            say();
            while (heard == before)
                doca_pe_progress(pe);
        }
        const double took = (seconds() - begin) / TRIPS;
        best = took < best ? took : best;
    }
    return best * 1e6;
}

/* ---- A producer and a consumer ---- */

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    TRY(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)));
    TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void on_lost(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    sends[idle++] = doca_comch_producer_task_send_as_task(task);
}

static struct doca_buf *buf_of(unsigned i, bool full)
{
    struct doca_buf *b;
    uint8_t *at = memory + i * SMALL;
    TRY(full ? doca_buf_inventory_buf_get_by_data(inventory, map, at, SMALL, &b)
             : doca_buf_inventory_buf_get_by_addr(inventory, map, at, SMALL, &b));
    return b;
}

static void open_memory(void)
{
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    TRY(doca_mmap_set_memrange(map, memory, sizeof memory));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_start(map));
    TRY(doca_buf_inventory_create(TASKS, &inventory));
    TRY(doca_buf_inventory_start(inventory));
}

static void consume(void)
{
    open_memory();
    TRY(doca_comch_consumer_create(connection, map, &consumer));
    TRY(doca_comch_consumer_task_post_recv_set_conf(consumer, on_received, on_lost, TASKS));
    TRY(doca_pe_connect_ctx(pipe_pe, doca_comch_consumer_as_ctx(consumer)));
    if (doca_ctx_start(doca_comch_consumer_as_ctx(consumer)) != DOCA_ERROR_IN_PROGRESS)
        exit(1);
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    while (state != DOCA_CTX_STATE_RUNNING) {
        doca_pe_progress(pipe_pe);
        TRY(doca_ctx_get_state(doca_comch_consumer_as_ctx(consumer), &state));
    }
    for (unsigned i = 0; i < TASKS; i++) {
        struct doca_comch_consumer_task_post_recv *task;
        TRY(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf_of(i, false), &task));
        TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    }
}

static void produce_open(void)
{
    open_memory();
    TRY(doca_comch_producer_create(connection, &producer));
    TRY(doca_comch_producer_task_send_set_conf(producer, on_produced, on_produced, TASKS));
    TRY(doca_pe_connect_ctx(pipe_pe, doca_comch_producer_as_ctx(producer)));
    TRY(doca_ctx_start(doca_comch_producer_as_ctx(producer)));
    while (peers_consumer == 0)
        doca_pe_progress(pe);
    for (idle = 0; idle < TASKS; idle++) {
        struct doca_comch_producer_task_send *task;
        TRY(doca_comch_producer_task_send_alloc_init(producer, buf_of(idle, true), NULL, 0,
                                                     peers_consumer, &task));
        sends[idle] = doca_comch_producer_task_send_as_task(task);
    }
}

/* How many of a batch the consumer has room for. */
static unsigned send_batch(void)
{
    unsigned sent = 0;
    while (sent < BATCH && idle > 0) {
        const doca_error_t result = doca_task_submit(sends[idle - 1]);
        if (result == DOCA_ERROR_AGAIN)
            break;
        TRY(result);
        idle--;
        sent++;
    }
    return sent;
}

static double messages(void)
{
    double best = 0;
    produce_open();
    for (const double end = seconds() + SECONDS; seconds() < end;) {
        const double begin = seconds();
        for (unsigned sent = 0; sent < MESSAGES;) {
            sent += send_batch();
            while (doca_pe_progress(pipe_pe))
                ;
        }
        const double rate = MESSAGES / (seconds() - begin);
        best = rate > best ? rate : best;
    }
    return best * 1e-6;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const bool pipes = strcmp(what, "comch") != 0;
    if (strcmp(what, "socket") == 0) {
        printf("%.3f\n", socket_trip());
        return 0;
    }
    const pid_t peer = pipe(ready) == 0 ? fork() : -1;
    if (peer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve();
        if (pipes)
            consume();
        for (;;)
            doca_pe_progress(pipes ? pipe_pe : pe);
    }
    if (peer < 0)
        return 1;
    call();
    printf("%.3f\n", pipes ? messages() : comch_trip());
    kill(peer, SIGKILL);
    return 0;
}
