/* A hostile doca_comch client: its messages to the server, and its writes into the memory that
 * producers and consumers share. The client is this process, without the library: a socket and
 * rings. */
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "bus/comch/comch.h"

/* An input is a list of steps: a byte and its arguments. */
enum {
    GREETS,   /* a valid greeting */
    SAYS,     /* a message: a size of two bytes, and as many bytes */
    HAS,      /* a consumer with the client's memory: its number, its room for immediate data */
    PRETENDS, /* the same with a file that is not such memory */
    POSTS,    /* room for messages: growth of its counter, a dword */
    WRITES,   /* into the ring of the server's consumer: a size of two bytes, and as many bytes */
    COUNTS,   /* counters of bytes written and read there: two dwords */
    HEARS,    /* the client reads the server's message, and maps its memory */
    SENDS,    /* the server's program sends: the receiver, the size */
    STEPS
};

enum { BUFFER = 200000, NAME_SIZE = 4, STEPS_MAX = 40 };
#define SERVER "fuzz"

#define MUST(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
#define OK DOCA_SUCCESS

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- The server ---- */

static struct doca_dev *dev;
static struct doca_dev_rep *rep;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static uint8_t memory[2 * BUFFER];
static struct doca_buf *from, *to;
static char folder[4200];

static struct doca_pe *pe;
static struct doca_comch_server *server;
static struct doca_comch_connection *connection;
static struct doca_comch_producer *producer;
static struct doca_comch_consumer *consumer;

static void open_device(void)
{
    const char *const name = getenv("FUZZ_PAIR"), *const devices = getenv("DPAKIT_DEVICES");
    struct doca_devinfo **list;
    struct doca_devinfo_rep **reps;
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint32_t n;
    MUST(name && devices && setenv("DPAKIT_SIDE", "dpu", 1) == 0);
    snprintf(folder, sizeof folder, "%s/%s", devices, name);
    MUST(doca_devinfo_create_list(&list, &n) == OK);
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], found, sizeof found) == OK &&
            strcmp(found, name) == 0)
            MUST(doca_dev_open(list[i], &dev) == OK);
    MUST(dev && doca_devinfo_destroy_list(list) == OK);
    MUST(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n) == OK && n == 1);
    MUST(doca_dev_rep_open(reps[0], &rep) == OK && doca_devinfo_rep_destroy_list(reps) == OK);
}

static struct doca_buf *buf_at(uint8_t *at, size_t data)
{
    struct doca_buf *b;
    MUST(doca_buf_inventory_buf_get_by_addr(inventory, map, at, BUFFER, &b) == OK);
    MUST(doca_buf_set_data(b, at, data) == OK);
    return b;
}

static void make_memory(void)
{
    MUST(doca_mmap_create(&map) == OK && doca_mmap_add_dev(map, dev) == OK);
    MUST(doca_mmap_set_memrange(map, memory, sizeof memory) == OK && doca_mmap_start(map) == OK);
    MUST(doca_buf_inventory_create(2, &inventory) == OK);
    MUST(doca_buf_inventory_start(inventory) == OK);
    from = buf_at(memory, BUFFER);
    to = buf_at(memory + BUFFER, 0);
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                       struct doca_comch_connection *c)
{
    unsigned sum = 0;
    MUST(event && c && size > 0 && size <= DPK_COMCH_MESSAGE_MAX);
    for (uint32_t i = 0; i < size; i++)
        sum += bytes[i];
    memory[0] = (uint8_t)sum;
}

static void on_said(struct doca_comch_task_send *t, union doca_data a, union doca_data b)
{
    (void)a, (void)b;
    doca_task_free(doca_comch_task_send_as_task(t));
}

static void on_sent(struct doca_comch_producer_task_send *t, union doca_data a, union doca_data b)
{
    (void)a, (void)b;
    doca_task_free(doca_comch_producer_task_send_as_task(t));
}

static void receive(void)
{
    struct doca_comch_consumer_task_post_recv *t;
    if (doca_buf_reset_data_len(to) == OK &&
        doca_comch_consumer_task_post_recv_alloc_init(consumer, to, &t) == OK &&
        doca_task_submit(doca_comch_consumer_task_post_recv_as_task(t)) != OK)
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(t));
}

static void on_received(struct doca_comch_consumer_task_post_recv *t, union doca_data a,
                        union doca_data b)
{
    size_t size;
    (void)a, (void)b;
    MUST(doca_buf_get_data_len(to, &size) == OK && size <= BUFFER);
    MUST(doca_comch_consumer_task_post_recv_get_imm_data_len(t) <= 8);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(t));
    receive();
}

static void on_lost(struct doca_comch_consumer_task_post_recv *t, union doca_data a,
                    union doca_data b)
{
    size_t size;
    (void)a, (void)b;
    MUST(doca_buf_get_data_len(to, &size) == OK && size == 0);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(t));
    receive();
}

static void start_pipes(struct doca_comch_connection *c)
{
    MUST(doca_comch_producer_create(c, &producer) == OK);
    MUST(doca_comch_producer_task_send_set_conf(producer, on_sent, on_sent, 4) == OK);
    MUST(doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(producer)) == OK);
    (void)doca_ctx_start(doca_comch_producer_as_ctx(producer));
    MUST(doca_comch_consumer_create(c, map, &consumer) == OK);
    MUST(doca_comch_consumer_set_imm_data_len(consumer, 8) == OK);
    MUST(doca_comch_consumer_task_post_recv_set_conf(consumer, on_received, on_lost, 2) == OK);
    MUST(doca_pe_connect_ctx(pe, doca_comch_consumer_as_ctx(consumer)) == OK);
    (void)doca_ctx_start(doca_comch_consumer_as_ctx(consumer));
}

static void on_came(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *c, uint8_t good)
{
    MUST(event && good && !connection);
    start_pipes(connection = c);
}

static void on_went(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *c, uint8_t good)
{
    MUST(event && good && c == connection);
    connection = NULL;
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                        uint32_t id)
{
    MUST(event && c == connection && id != 0);
}

static void start_server(void)
{
    MUST(doca_pe_create(&pe) == OK && doca_comch_server_create(dev, rep, SERVER, &server) == OK);
    MUST(doca_comch_server_task_send_set_conf(server, on_said, on_said, 4) == OK);
    MUST(doca_comch_server_event_msg_recv_register(server, on_message) == OK);
    MUST(doca_comch_server_event_connection_status_changed_register(server, on_came, on_went) ==
         OK);
    MUST(doca_comch_server_event_consumer_register(server, on_consumer, on_consumer) == OK);
    MUST(doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server)) == OK);
    MUST(doca_ctx_start(doca_comch_server_as_ctx(server)) == OK);
}

static void work(unsigned times)
{
    while (times-- > 0)
        if (doca_pe_progress(pe) && consumer)
            receive();
}

static void stop(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    (void)doca_ctx_stop(ctx);
    do {
        work(1);
        MUST(doca_ctx_get_state(ctx, &state) == OK);
    } while (state != DOCA_CTX_STATE_IDLE);
}

static void stop_server(void)
{
    if (producer) {
        stop(doca_comch_producer_as_ctx(producer));
        MUST(doca_comch_producer_destroy(producer) == OK);
    }
    if (consumer) {
        stop(doca_comch_consumer_as_ctx(consumer));
        MUST(doca_comch_consumer_destroy(consumer) == OK);
    }
    producer = NULL;
    consumer = NULL;
    connection = NULL;
    stop(doca_comch_server_as_ctx(server));
    MUST(doca_comch_server_destroy(server) == OK && doca_pe_destroy(pe) == OK);
}

static void send_something(uint32_t whom, uint32_t size)
{
    struct doca_comch_producer_task_send *t;
    struct doca_comch_task_send *m;
    if (connection &&
        doca_comch_server_task_send_alloc_init(server, connection, memory, 1 + size % 4080, &m) ==
            OK &&
        doca_task_submit(doca_comch_task_send_as_task(m)) != OK)
        doca_task_free(doca_comch_task_send_as_task(m));
    if (!producer || doca_buf_set_data(from, memory, size % BUFFER) != OK ||
        doca_comch_producer_task_send_alloc_init(producer, from, memory, size % 9, whom, &t) != OK)
        return;
    if (doca_task_submit(doca_comch_producer_task_send_as_task(t)) != OK)
        doca_task_free(doca_comch_producer_task_send_as_task(t));
}

/* ---- The client ---- */

static int call, own_memory = -1, no_memory = -1;
static struct rings own, theirs; /* rings of the client's and of the server's consumer */

static void has(struct dpk_reader *r, int fd)
{
    const uint32_t id = dpk_read_u8(r), room = dpk_read_u8(r);
    (void)dpk_comch_say_memory(call, id, room, fd);
}

static void say(struct dpk_reader *r)
{
    size_t size = dpk_read_be16(r) % (DPK_COMCH_ROOM + 100);
    if (size > dpk_reader_left(r))
        size = dpk_reader_left(r);
    if (size > 0)
        (void)send(call, dpk_read_bytes(r, size), size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void hear(void)
{
    uint8_t room[DPK_COMCH_ROOM];
    struct dpk_comch_word w;
    if (dpk_comch_hear(call, room, &w) != DPK_COMCH_HEARD || w.memory < 0)
        return;
    if (!theirs.map)
        MUST(dpk_pipe_open(&theirs, w.memory));
    close(w.memory);
}

static void put(struct dpk_reader *r)
{
    size_t size = dpk_read_be16(r);
    if (size > dpk_reader_left(r))
        size = dpk_reader_left(r);
    if (!theirs.map || size == 0)
        return;
    memcpy(ring_here(&theirs.out), dpk_read_bytes(r, size), size);
    theirs.out.at += (uint32_t)(size + 7) & ~7u;
    atomic_store(&theirs.out.shared->written, theirs.out.at);
}

static void count(struct dpk_reader *r)
{
    const uint32_t written = dpk_read_be32(r), read = dpk_read_be32(r);
    struct rings *const both[] = {&theirs, &own};
    for (int i = 0; i < 2; i++)
        if (both[i]->map) {
            atomic_store(&both[i]->out.shared->written, written);
            atomic_store(&both[i]->in.shared->read, read);
        }
}

static void step(struct dpk_reader *r)
{
    static const uint8_t greeting[] = {DPK_COMCH_VERSION, 0, 0, 0, 'f', 'u', 'z', 'z'};
    switch (dpk_read_u8(r) % STEPS) {
    case GREETS:
        (void)dpk_comch_say(call, DPK_COMCH_HELLO, DPK_COMCH_MESSAGE_MAX, greeting,
                            sizeof greeting);
        work(8);
        hear();
        hear();
        break;
    case SAYS:
        say(r);
        break;
    case HAS:
        has(r, own_memory);
        break;
    case PRETENDS:
        has(r, no_memory);
        break;
    case POSTS:
        dpk_pipe_post(&own, dpk_read_be32(r) % 10000);
        break;
    case WRITES:
        put(r);
        break;
    case COUNTS:
        count(r);
        break;
    case HEARS:
        hear();
        break;
    default:
        send_something(dpk_read_u8(r), dpk_read_be32(r));
        break;
    }
    work(8);
}

static void begin(void)
{
    if (!dev) {
        open_device();
        make_memory();
        no_memory = memfd_create("none", MFD_CLOEXEC);
        MUST(no_memory >= 0 && ftruncate(no_memory, 1 << 20) == 0);
    }
    start_server();
    MUST(dpk_comch_call(folder, SERVER, &call, NULL) == DPK_OK);
    MUST((own_memory = dpk_pipe_new(&own)) >= 0);
    work(4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    begin();
    for (unsigned i = 0; i < STEPS_MAX && dpk_reader_left(&r) > 0; i++)
        step(&r);
    close(call);
    work(8);
    stop_server();
    rings_free(&own);
    rings_free(&theirs);
    close(own_memory);
    theirs = own = (struct rings){0};
    return 0;
}
