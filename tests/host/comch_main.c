/* Behaviours of DOCA comch, one function each; main runs the function that argv[1] names. */
#include <doca_log.h>

#include "comch_world.h"

/* ---- Devices ---- */

struct doca_dev *open_side(const char *name)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;
    CHECK(setenv("DPAKIT_SIDE", name, 1) == 0);
    CHECK(doca_devinfo_create_list(&list, &n) == OK && n >= 1);
    CHECK(doca_dev_open(list[0], &dev) == OK && doca_devinfo_destroy_list(list) == OK);
    return dev;
}

struct doca_dev_rep *open_rep(struct doca_dev *dev)
{
    struct doca_devinfo_rep **list = NULL;
    struct doca_dev_rep *rep = NULL;
    uint32_t n = 0;
    CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n) == OK &&
          n == 1);
    CHECK(doca_dev_rep_open(list[0], &rep) == OK && doca_devinfo_rep_destroy_list(list) == OK);
    return rep;
}

/* ---- Arguments of callbacks ---- */

static struct end *of(struct doca_comch_connection *c)
{
    union doca_data data = {0};
    struct doca_comch_server *s = doca_comch_server_get_server_ctx(c);
    struct doca_ctx *ctx = s ? doca_comch_server_as_ctx(s)
                             : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(c));
    CHECK(doca_ctx_get_user_data(ctx, &data) == OK && data.ptr);
    return data.ptr;
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    free(task_data.ptr);
    e->sent++;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_failed(struct doca_comch_task_send *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    free(task_data.ptr);
    e->failed++;
    e->status = doca_task_get_status(doca_comch_task_send_as_task(task));
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                       struct doca_comch_connection *c)
{
    struct end *e = of(c);
    CHECK(event && size > 0 && size <= MESSAGE_MAX);
    CHECK((uintptr_t)bytes % 8 == 0); /* programs have structures there */
    e->heard++;
    e->size = size;
    memcpy(e->message, bytes, size);
    if (e->answers) {
        e->c = c;
        say(e, bytes, size); /* the peer may be gone */
    }
}

static void on_came(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *c, uint8_t success)
{
    struct end *e = of(c);
    CHECK(event && success == 1);
    e->came++;
    e->c = c;
}

static void on_went(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *c, uint8_t success)
{
    struct end *e = of(c);
    CHECK(event && success == 1);
    e->went++;
    if (e->c == c)
        e->c = NULL;
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                        uint32_t id)
{
    struct end *e = of(c);
    CHECK(event && id != 0);
    e->consumers++;
    e->last_consumer = id;
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                       uint32_t id)
{
    CHECK(event && id != 0);
    of(c)->expired++;
}

/* ---- Ends ---- */

static struct end *end_new(struct doca_ctx *ctx)
{
    struct end *e = calloc(1, sizeof *e);
    CHECK(ctx && e && (e->message = malloc(MESSAGE_MAX)) && doca_pe_create(&e->pe) == OK);
    e->ctx = ctx;
    CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = e}) == OK);
    CHECK(doca_pe_connect_ctx(e->pe, ctx) == OK);
    return e;
}

struct doca_dev *side(const char *name)
{
    static struct doca_dev *devs[2];
    struct doca_dev **dev = &devs[strcmp(name, "dpu") == 0];
    CHECK(setenv("DPAKIT_SIDE", name, 1) == 0);
    if (!*dev)
        *dev = open_side(name);
    return *dev;
}

struct end *server_new(const char *name)
{
    static struct doca_dev_rep *rep;
    struct doca_dev *dev = side("dpu");
    struct doca_comch_server *s = NULL;
    if (!rep)
        rep = open_rep(dev);
    CHECK(doca_comch_server_create(dev, rep, name, &s) == OK);
    struct end *e = end_new(doca_comch_server_as_ctx(s));
    e->server = s;
    CHECK(doca_comch_server_task_send_set_conf(s, on_sent, on_failed, TASKS) == OK);
    CHECK(doca_comch_server_event_msg_recv_register(s, on_message) == OK);
    CHECK(doca_comch_server_event_connection_status_changed_register(s, on_came, on_went) == OK);
    CHECK(doca_comch_server_event_consumer_register(s, on_consumer, on_expired) == OK);
    return e;
}

struct end *client_new(const char *name)
{
    struct doca_comch_client *c = NULL;
    CHECK(doca_comch_client_create(side("host"), name, &c) == OK);
    struct end *e = end_new(doca_comch_client_as_ctx(c));
    e->client = c;
    CHECK(doca_comch_client_task_send_set_conf(c, on_sent, on_failed, TASKS) == OK);
    CHECK(doca_comch_client_event_msg_recv_register(c, on_message) == OK);
    CHECK(doca_comch_client_event_consumer_register(c, on_consumer, on_expired) == OK);
    return e;
}

void end_free(struct end *e)
{
    stop(e->ctx, e->pe);
    CHECK((e->server ? doca_comch_server_destroy(e->server)
                     : doca_comch_client_destroy(e->client)) == OK);
    CHECK(doca_pe_destroy(e->pe) == OK);
    free(e->message);
    free(e);
}

enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(ctx, &state) == OK);
    return state;
}

void stop(struct doca_ctx *ctx, struct doca_pe *pe)
{
    doca_ctx_stop(ctx);
    while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
}

void connect_ends(struct end *server, struct end *client)
{
    const unsigned came = server->came;
    if (state_of(server->ctx) == DOCA_CTX_STATE_IDLE)
        CHECK(doca_ctx_start(server->ctx) == OK);
    CHECK(doca_ctx_start(client->ctx) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(server, client, server->came > came && state_of(client->ctx) == DOCA_CTX_STATE_RUNNING);
    CHECK(doca_comch_client_get_connection(client->client, &client->c) == OK && client->c);
}

doca_error_t say(struct end *e, const void *bytes, uint32_t size)
{
    struct doca_comch_task_send *task = NULL;
    void *copy = malloc(size);
    CHECK(copy);
    memcpy(copy, bytes, size);
    doca_error_t result =
        e->server ? doca_comch_server_task_send_alloc_init(e->server, e->c, copy, size, &task)
                  : doca_comch_client_task_send_alloc_init(e->client, e->c, copy, size, &task);
    if (result == OK) {
        struct doca_task *t = doca_comch_task_send_as_task(task);
        doca_task_set_user_data(t, (union doca_data){.ptr = copy});
        result = doca_task_submit(t);
        if (result == OK)
            return OK;
        doca_task_free(t);
    }
    free(copy);
    return result;
}

/* ---- Producers and consumers ---- */

struct store store_new(struct doca_dev *dev, size_t size)
{
    struct store s = {.at = calloc(1, size), .size = size};
    CHECK(s.at && doca_mmap_create(&s.map) == OK && doca_mmap_add_dev(s.map, dev) == OK);
    CHECK(doca_mmap_set_permissions(s.map, DOCA_ACCESS_FLAG_PCI_READ_WRITE) == OK);
    CHECK(doca_mmap_set_memrange(s.map, s.at, size) == OK && doca_mmap_start(s.map) == OK);
    CHECK(doca_buf_inventory_create(256, &s.inventory) == OK);
    CHECK(doca_buf_inventory_start(s.inventory) == OK);
    return s;
}

void store_free(struct store *s)
{
    CHECK(doca_buf_inventory_destroy(s->inventory) == OK && doca_mmap_destroy(s->map) == OK);
    free(s->at);
}

struct doca_buf *buf_of(struct store *s, size_t offset, size_t size, size_t data)
{
    struct doca_buf *b = NULL;
    CHECK(doca_buf_inventory_buf_get_by_addr(s->inventory, s->map, s->at + offset, size, &b) == OK);
    CHECK(doca_buf_set_data(b, s->at + offset, data) == OK);
    return b;
}

size_t data_of(const struct doca_buf *b)
{
    size_t n = 0;
    CHECK(doca_buf_get_data_len(b, &n) == OK);
    return n;
}

static void on_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task_data;
    ((struct sender *)ctx_data.ptr)->sent++;
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void on_not_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
                            union doca_data ctx_data)
{
    struct sender *s = ctx_data.ptr;
    (void)task_data;
    s->failed++;
    s->status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void note(struct receiver *r, struct doca_comch_consumer_task_post_recv *task)
{
    const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
    r->status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
    r->imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
    r->producer = doca_comch_consumer_task_post_recv_get_producer_id(task);
    CHECK(r->imm_len <= sizeof r->imm && (imm != NULL) == (r->imm_len > 0));
    CHECK((uintptr_t)imm % 8 == 0);
    if (imm)
        memcpy(r->imm, imm, r->imm_len);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct receiver *r = ctx_data.ptr;
    (void)task_data;
    r->received++;
    note(r, task);
}

static void on_not_received(struct doca_comch_consumer_task_post_recv *task,
                            union doca_data task_data, union doca_data ctx_data)
{
    struct receiver *r = ctx_data.ptr;
    (void)task_data;
    r->failed++;
    note(r, task);
}

doca_error_t sender_start(struct sender *s, struct doca_comch_connection *c)
{
    *s = (struct sender){0};
    CHECK(doca_pe_create(&s->pe) == OK && doca_comch_producer_create(c, &s->producer) == OK);
    s->ctx = doca_comch_producer_as_ctx(s->producer);
    CHECK(doca_ctx_set_user_data(s->ctx, (union doca_data){.ptr = s}) == OK);
    CHECK(doca_ctx_start(s->ctx) == DOCA_ERROR_BAD_CONFIG); /* no engine, no sends */
    CHECK(doca_pe_connect_ctx(s->pe, s->ctx) == OK);
    CHECK(doca_ctx_start(s->ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_comch_producer_task_send_set_conf(s->producer, on_produced, on_not_produced,
                                                 TASKS) == OK);
    return doca_ctx_start(s->ctx);
}

doca_error_t receiver_start(struct receiver *r, struct doca_comch_connection *c,
                            struct doca_mmap *map, uint32_t imm_len)
{
    *r = (struct receiver){0};
    CHECK(doca_pe_create(&r->pe) == OK && doca_comch_consumer_create(c, map, &r->consumer) == OK);
    r->ctx = doca_comch_consumer_as_ctx(r->consumer);
    CHECK(doca_comch_consumer_get_id(r->consumer, &r->id) == BAD_STATE);
    CHECK(doca_ctx_set_user_data(r->ctx, (union doca_data){.ptr = r}) == OK);
    CHECK(doca_comch_consumer_set_imm_data_len(r->consumer, imm_len) == OK);
    CHECK(doca_pe_connect_ctx(r->pe, r->ctx) == OK);
    CHECK(doca_ctx_start(r->ctx) == DOCA_ERROR_BAD_CONFIG); /* no receives */
    CHECK(doca_comch_consumer_task_post_recv_set_conf(r->consumer, on_received, on_not_received,
                                                      TASKS) == OK);
    const doca_error_t result = doca_ctx_start(r->ctx);
    CHECK(result != DOCA_ERROR_IN_PROGRESS ||
          (doca_comch_consumer_get_id(r->consumer, &r->id) == OK && r->id != 0));
    return result;
}

void sender_end(struct sender *s)
{
    stop(s->ctx, s->pe);
    CHECK(doca_comch_producer_destroy(s->producer) == OK && doca_pe_destroy(s->pe) == OK);
}

void receiver_end(struct receiver *r)
{
    stop(r->ctx, r->pe);
    CHECK(doca_comch_consumer_destroy(r->consumer) == OK && doca_pe_destroy(r->pe) == OK);
}

struct doca_task *send_of(struct sender *s, struct doca_buf *b, const void *imm, uint32_t imm_len,
                          uint32_t to)
{
    struct doca_comch_producer_task_send *t = NULL;
    CHECK(doca_comch_producer_task_send_alloc_init(s->producer, b, (uint8_t *)(uintptr_t)imm,
                                                   imm_len, to, &t) == OK);
    return doca_comch_producer_task_send_as_task(t);
}

struct doca_task *receive_of(struct receiver *r, struct doca_buf *b)
{
    struct doca_comch_consumer_task_post_recv *t = NULL;
    CHECK(doca_comch_consumer_task_post_recv_alloc_init(r->consumer, b, &t) == OK);
    return doca_comch_consumer_task_post_recv_as_task(t);
}

int main(int argc, char **argv)
{
    const struct test_case *const tables[] = {comch_cases, pipe_cases, death_cases};
    for (size_t t = 0; argc >= 2 && t < sizeof tables / sizeof *tables; t++)
        for (const struct test_case *c = tables[t]; c->name; c++)
            if (strcmp(argv[1], c->name) == 0) {
                c->run();
                return 0;
            }
    fprintf(stderr, "no such case\n");
    return 98;
}
