/* Two contexts of DOCA RDMA that talk, connected by their details or by the connection manager. A
 * waiting process polls its engine, or sleeps until the engine has work. */
#define _GNU_SOURCE
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kills.h"

#define OK      DOCA_SUCCESS
#define ROUNDS  3
#define LARGE   ((size_t)1 << 20) /* bytes of a message that goes in parts */
#define WORDS   (4 * LARGE)
#define PORT    21576u
#define SLEEP_S 60 /* a sleeper that nobody wakes is ended */
#define ALL                                                                                        \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static struct doca_dev *dev;
static struct doca_pe *pe;
static bool sleeps;
static struct doca_rdma *rdma;
static struct doca_ctx *ctx;
static struct doca_rdma_connection *connection;
static struct doca_mmap *map, *theirs;
static struct doca_buf_inventory *inventory;
static char memory[WORDS] __attribute__((aligned(4096)));
static char *there;              /* the other one's */
static struct doca_buf *bufs[8]; /* of the tasks that may run */
static unsigned bufs_count;
static unsigned submitted, done, heard, failed; /* tasks, and messages among them */
static unsigned established, refused, left;     /* by the connection manager */

/* ---- Tasks ---- */

#define TYPE(name)                                                                                 \
    static void name##_done(struct doca_rdma_task_##name *task, union doca_data data,              \
                            union doca_data user)                                                  \
    {                                                                                              \
        (void)data, (void)user;                                                                    \
        doca_task_free(doca_rdma_task_##name##_as_task(task));                                     \
        done++;                                                                                    \
        heard += strcmp(#name, "receive") == 0;                                                    \
    }                                                                                              \
    static void name##_failed(struct doca_rdma_task_##name *task, union doca_data data,            \
                              union doca_data user)                                                \
    {                                                                                              \
        (void)data, (void)user;                                                                    \
        CHECK(doca_task_get_status(doca_rdma_task_##name##_as_task(task)) != OK);                  \
        doca_task_free(doca_rdma_task_##name##_as_task(task));                                     \
        failed++;                                                                                  \
    }                                                                                              \
    static void name##_set_up(void)                                                                \
    {                                                                                              \
        CHECK(doca_rdma_task_##name##_set_conf(rdma, name##_done, name##_failed, 4) == OK);        \
    }                                                                                              \
    static void name##_submit(struct talker *t, struct doca_rdma_task_##name *task)                \
    {                                                                                              \
        step(t);                                                                                   \
        if (doca_task_submit(doca_rdma_task_##name##_as_task(task)) == OK)                         \
            submitted++;                                                                           \
        else                                                                                       \
            doca_task_free(doca_rdma_task_##name##_as_task(task)), failed++;                       \
        step(t);                                                                                   \
    }
TYPE(receive)
TYPE(send)
TYPE(write)
TYPE(read)
TYPE(atomic_fetch_add)

/* ---- Waiting ---- */

static bool has_ended(void)
{
    return failed > 0 || refused > 0 || left > 0;
}

static void sleep_at_engine(void)
{
    struct pollfd p = {.events = POLLIN};
    CHECK(doca_pe_get_notification_handle(pe, &p.fd) == OK);
    CHECK(doca_pe_request_notification(pe) == OK);
    alarm(SLEEP_S);
    CHECK(poll(&p, 1, -1) == 1);
    alarm(0);
    CHECK(doca_pe_clear_notification(pe, p.fd) == OK);
}

/* False: the connection has ended meanwhile. */
static bool await(const struct talker *t, const unsigned *what, unsigned count)
{
    while (*what < count && !has_ended()) {
        if (doca_pe_progress(pe))
            continue;
        if (sleeps)
            sleep_at_engine();
        else
            wait_a_bit(t);
    }
    return !has_ended();
}

/* ---- A life ---- */

#define HALF (LARGE / 2)

/* The bytes that a process sends, which differ from the other process's. */
static char sent_byte(bool first, size_t i)
{
    return (char)(i * 31 + i / 4096 + (first ? 1 : 128));
}

static void fill(const struct talker *t)
{
    for (size_t i = 0; i < HALF; i++)
        memory[LARGE + i] = sent_byte(t->first, i);
}

static void check_theirs(const struct talker *t, const char *bytes)
{
    for (size_t i = 0; i < HALF; i++)
        CHECK(bytes[i] == sent_byte(!t->first, i));
}

static void begin(struct talker *t)
{
    fill(t);
    struct doca_devinfo **list;
    uint32_t count = 0;
    CHECK(doca_devinfo_create_list(&list, &count) == OK && count > 0);
    CHECK(doca_dev_open(list[t->first ? 0 : count - 1], &dev) == OK &&
          doca_devinfo_destroy_list(list) == OK);
    CHECK(doca_pe_create(&pe) == OK && doca_rdma_create(dev, &rdma) == OK);
    ctx = doca_rdma_as_ctx(rdma);
    CHECK(doca_rdma_set_permissions(rdma, ALL) == OK && doca_pe_connect_ctx(pe, ctx) == OK);
    receive_set_up();
    send_set_up();
    write_set_up();
    read_set_up();
    atomic_fetch_add_set_up();
    CHECK(doca_mmap_create(&map) == OK && doca_mmap_set_permissions(map, ALL) == OK);
    CHECK(doca_mmap_set_memrange(map, memory, sizeof memory) == OK);
    CHECK(doca_mmap_add_dev(map, dev) == OK && doca_mmap_start(map) == OK);
    CHECK(doca_buf_inventory_create(16, &inventory) == OK);
    CHECK(doca_buf_inventory_start(inventory) == OK);
    step(t);
}

static struct doca_buf *buf(struct doca_mmap *m, char *at, size_t room, size_t data)
{
    struct doca_buf *b = NULL;
    CHECK(doca_buf_inventory_buf_get_by_args(inventory, m, at, room, at, data, &b) == OK);
    return bufs[bufs_count++] = b;
}

static void drop_bufs(void)
{
    while (bufs_count > 0)
        CHECK(doca_buf_dec_refcount(bufs[--bufs_count], NULL) == OK);
}

static void end(struct talker *t)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    step(t);
    doca_ctx_stop(ctx);
    step(t);
    while (doca_ctx_get_state(ctx, &state) == OK && state != DOCA_CTX_STATE_IDLE)
        if (!doca_pe_progress(pe))
            wait_a_bit(t);
    CHECK(submitted == done + failed || has_ended());
    CHECK(t->end > 0 || !has_ended()); /* nobody is killed */
    drop_bufs();
    CHECK(doca_rdma_destroy(rdma) == OK && doca_pe_destroy(pe) == OK);
    CHECK(!theirs || doca_mmap_destroy(theirs) == OK);
    CHECK(doca_buf_inventory_destroy(inventory) == OK && doca_mmap_destroy(map) == OK);
    CHECK(doca_dev_close(dev) == OK);
    step(t);
}

/* The other one's memory. */
static bool reach(struct talker *t)
{
    const void *mine;
    size_t size;
    char its[WORD_MAX];
    char *here = memory;
    CHECK(doca_mmap_export_rdma(map, dev, &mine, &size) == OK);
    step(t);
    if (!trade(t, mine, size, its, &size) ||
        doca_mmap_create_from_export(NULL, its, size, dev, &theirs) != OK)
        return false;
    step(t);
    if (!trade(t, &here, sizeof here, its, &size))
        return false;
    memcpy(&there, its, sizeof there);
    return true;
}

/* A message in each direction, and at once what reaches the other one's memory. */
static bool talk(struct talker *t)
{
    const union doca_data none = {0};
    struct doca_rdma_task_receive *receive;
    struct doca_rdma_task_send *send;
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_read *read;
    struct doca_rdma_task_atomic_fetch_add *add;
    struct doca_buf *into = buf(map, memory, LARGE, 0),
                    *from = buf(map, memory + LARGE, HALF, HALF);
    struct doca_buf *to = buf(theirs, there + 2 * LARGE, LARGE, 0);
    struct doca_buf *back = buf(map, memory + 3 * LARGE, LARGE, 0),
                    *of = buf(theirs, there + LARGE, HALF, HALF);
    struct doca_buf *word = buf(theirs, there + 4 * LARGE - 8, 8, 8),
                    *old = buf(map, memory + 4 * LARGE - 16, 8, 0);
    const unsigned heard_before = heard;
    CHECK(doca_rdma_task_receive_allocate_init(rdma, into, none, &receive) == OK);
    receive_submit(t, receive);
    if (!t->first && !await(t, &heard, heard_before + 1))
        return false;
    CHECK(doca_rdma_task_send_allocate_init(rdma, connection, from, none, &send) == OK);
    send_submit(t, send);
    CHECK(doca_rdma_task_write_allocate_init(rdma, connection, from, to, none, &write) == OK);
    write_submit(t, write);
    CHECK(doca_rdma_task_read_allocate_init(rdma, connection, of, back, none, &read) == OK);
    read_submit(t, read);
    CHECK(doca_rdma_task_atomic_fetch_add_allocate_init(rdma, connection, word, old, 1, none,
                                                        &add) == OK);
    atomic_fetch_add_submit(t, add);
    const bool good = await(t, &heard, heard_before + 1) && await(t, &done, submitted);
    if (good) {
        drop_bufs();
        check_theirs(t, memory);
        check_theirs(t, memory + 3 * LARGE);
    }
    step(t);
    return good;
}

static void talk_for_a_while(struct talker *t)
{
    char its[WORD_MAX];
    size_t size;
    bool goes_on = reach(t);
    for (int i = 0; goes_on && i < ROUNDS; i++)
        goes_on = talk(t);
    if (goes_on &&
        trade(t, "", 1, its, &size)) /* nobody leaves before the other one has its answers */
        check_theirs(t, memory + 2 * LARGE);
    end(t);
}

/* ---- By details ---- */

void talk_by_details(struct talker *t)
{
    const void *mine;
    size_t size;
    char its[WORD_MAX];
    begin(t);
    CHECK(doca_ctx_start(ctx) == OK);
    CHECK(doca_rdma_export(rdma, &mine, &size, &connection) == OK);
    step(t);
    if (!trade(t, mine, size, its, &size))
        return end(t);
    step(t);
    if (doca_rdma_connect(rdma, its, size, connection) != OK)
        return end(t); /* it is dead already */
    step(t);
    talk_for_a_while(t);
}

void talk_by_engine(struct talker *t)
{
    sleeps = true;
    talk_by_details(t);
}

/* The second process is on the machine of process KILLS_OTHER. */
void talk_by_fabric(struct talker *t)
{
    static const char *const kinds[] = {"net", "mnt"};
    char path[64];
    for (int i = 0; i < 2 && !t->first; i++) {
        snprintf(path, sizeof path, "/proc/%s/ns/%s", getenv("KILLS_OTHER"), kinds[i]);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0 && setns(fd, 0) == 0 && close(fd) == 0);
    }
    talk_by_engine(t);
}

/* ---- By the connection manager ---- */

static void on_request(struct doca_rdma_connection *c, union doca_data data)
{
    (void)data;
    const doca_error_t result = doca_rdma_connection_accept(c, NULL, 0);
    CHECK(result == OK || result == DOCA_ERROR_CONNECTION_ABORTED); /* the caller is dead */
}

static void on_established(struct doca_rdma_connection *c, union doca_data data,
                           union doca_data user)
{
    (void)data, (void)user;
    connection = c;
    established++;
}

static void on_failure(struct doca_rdma_connection *c, union doca_data data, union doca_data user)
{
    (void)c, (void)data, (void)user;
    refused++;
}

static void on_disconnected(struct doca_rdma_connection *c, union doca_data data,
                            union doca_data user)
{
    (void)data, (void)user;
    CHECK(doca_rdma_connection_disconnect(c) == OK);
    left++;
}

static bool meet(struct talker *t)
{
    char its[WORD_MAX];
    size_t size;
    struct doca_rdma_addr *to = NULL;
    if (t->first)
        CHECK(doca_rdma_start_listen_to_port(rdma, PORT) == OK);
    step(t);
    if (!trade(t, "", 1, its, &size))
        return false;
    if (!t->first) {
        CHECK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, &to) == OK);
        CHECK(doca_rdma_connect_to_addr(rdma, to, (union doca_data){0}) == OK);
        CHECK(doca_rdma_addr_destroy(to) == OK);
    }
    step(t);
    while (established == 0 && !has_ended()) {
        if (t->first && is_alone(t))
            return false; /* who has not called need not be missed */
        if (!doca_pe_progress(pe))
            wait_a_bit(t);
    }
    step(t);
    return !has_ended();
}

void talk_by_manager(struct talker *t)
{
    begin(t);
    CHECK(doca_rdma_set_connection_state_callbacks(rdma, on_request, on_established, on_failure,
                                                   on_disconnected) == OK);
    CHECK(doca_ctx_start(ctx) == OK);
    step(t);
    if (meet(t))
        talk_for_a_while(t);
    else
        end(t);
}
