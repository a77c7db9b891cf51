/* DOCA comch's producers and consumers, with both ends in this process. */
#include <pthread.h>
#include <sched.h>

#include "comch_world.h"

enum { SIZE = 2 << 20 };

/* Two ends, a producer of the client's, and a consumer of the server's. */
struct path {
    struct end *s, *c;
    struct doca_dev *dev;
    struct store from, to;
    struct sender out;
    struct receiver in;
};

static void open_in(struct path *p, uint32_t imm_len)
{
    CHECK(receiver_start(&p->in, p->s->c, p->to.map, imm_len) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(p->c, &p->in,
          p->c->last_consumer == p->in.id && state_of(p->in.ctx) == DOCA_CTX_STATE_RUNNING);
}

static struct path *path_new(const char *name, uint32_t imm_len)
{
    struct path *p = calloc(1, sizeof *p);
    CHECK(p);
    p->s = server_new(name);
    p->c = client_new(name);
    p->dev = side("dpu");
    connect_ends(p->s, p->c);
    p->from = store_new(p->dev, SIZE);
    p->to = store_new(p->dev, SIZE);
    CHECK(sender_start(&p->out, p->c->c) == OK);
    open_in(p, imm_len);
    return p;
}

static void path_free(struct path *p)
{
    sender_end(&p->out);
    receiver_end(&p->in);
    end_free(p->c);
    end_free(p->s);
    store_free(&p->from);
    store_free(&p->to);
    free(p);
}

static void fill(struct path *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        p->from.at[i] = (uint8_t)(i * 31 + i / 251);
    memset(p->to.at, 0, SIZE);
}

static void drop(struct doca_buf *b)
{
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
}

static void consumers_take_what_producers_send(void)
{
    struct path *p = path_new("path", 32);
    static const uint32_t sizes[] = {1, 64, 4096, 65535, 65536, 65537, 200000, SIZE};
    uint8_t imm[32];
    uint32_t id = 0;
    CHECK(doca_comch_producer_get_id(p->out.producer, &id) == OK);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill(p, sizes[i]);
        memset(imm, (int)i + 1, sizeof imm);
        struct doca_buf *from = buf_of(&p->from, 0, SIZE, sizes[i]),
                        *to = buf_of(&p->to, 0, SIZE, 0);
        struct doca_task *t = send_of(&p->out, from, imm, i * 4, p->in.id);
        CHECK(doca_task_submit(t) == DOCA_ERROR_AGAIN);
        CHECK(doca_task_submit(receive_of(&p->in, to)) == OK && doca_task_submit(t) == OK);
        AWAIT(&p->out, &p->in, p->in.received == i + 1 && p->out.sent == i + 1);
        CHECK(p->in.producer == id && p->in.imm_len == i * 4);
        CHECK(memcmp(p->in.imm, imm, i * 4) == 0 && data_of(to) == sizes[i]);
        CHECK(memcmp(p->from.at, p->to.at, sizes[i]) == 0);
        CHECK(sizes[i] == SIZE || p->to.at[sizes[i]] == 0);
        drop(from);
        drop(to);
    }
    CHECK(p->in.failed + p->out.failed == 0);
    path_free(p);
}

/* Lists of buffers on both sides; immediate data without a buffer. */
static void lists_and_immediate_data_are_sent(void)
{
    struct path *p = path_new("lists", 8);
    struct doca_buf *from = NULL, *to = NULL;
    fill(p, 300);
    for (int i = 3; i-- > 0;) {
        struct doca_buf *b = buf_of(&p->from, (size_t)i * 100, 100, 100), *old = from;
        CHECK(!old || doca_buf_chain_list(b, old) == OK);
        from = b;
    }
    for (int i = 5; i-- > 0;) {
        struct doca_buf *b = buf_of(&p->to, (size_t)i * 70, 70, 0), *old = to;
        CHECK(!old || doca_buf_chain_list(b, old) == OK);
        to = b;
    }
    CHECK(doca_task_submit(receive_of(&p->in, to)) == OK);
    CHECK(doca_task_submit(receive_of(&p->in, NULL)) == OK);
    CHECK(doca_task_submit(send_of(&p->out, from, NULL, 0, p->in.id)) == OK);
    CHECK(doca_task_submit(send_of(&p->out, NULL, "8 bytes", 8, p->in.id)) == OK);
    AWAIT(&p->out, &p->in, p->in.received == 2 && p->out.sent == 2);
    CHECK(memcmp(p->from.at, p->to.at, 300) == 0 && p->to.at[300] == 0);
    CHECK(p->in.imm_len == 8 && memcmp(p->in.imm, "8 bytes", 8) == 0);
    struct doca_task *t = send_of(&p->out, NULL, "9 bytes..", 9, p->in.id);
    CHECK(doca_task_submit(receive_of(&p->in, NULL)) == OK);
    CHECK(doca_task_submit(t) == INVALID); /* more than it takes */
    doca_task_free(t);
    t = send_of(&p->out, NULL, NULL, 0, p->in.id);
    CHECK(doca_task_submit(t) == INVALID); /* nothing */
    doca_task_free(t);
    t = send_of(&p->out, NULL, "x", 1, p->in.id + 5);
    CHECK(doca_task_submit(t) == DOCA_ERROR_NOT_FOUND);
    doca_task_free(t);
    drop(from);
    drop(to);
    path_free(p);
}

static void messages_that_do_not_fit_fail_alone(void)
{
    struct path *p = path_new("fit", 0);
    fill(p, 200000);
    struct doca_buf *from = buf_of(&p->from, 0, SIZE, 200000),
                    *little = buf_of(&p->to, 0, 100000, 7), *to = buf_of(&p->to, 100000, 300000, 0);
    CHECK(doca_task_submit(receive_of(&p->in, little)) == OK);
    CHECK(doca_task_submit(receive_of(&p->in, NULL)) == OK);
    CHECK(doca_task_submit(receive_of(&p->in, to)) == OK);
    for (int i = 0; i < 3; i++)
        CHECK(doca_task_submit(send_of(&p->out, from, NULL, 0, p->in.id)) == OK);
    AWAIT(&p->out, &p->in, p->in.received == 1 && p->out.sent == 3);
    CHECK(p->in.failed == 2 && data_of(little) == 7 && data_of(to) == 200000);
    CHECK(memcmp(p->from.at, p->to.at + 100000, 200000) == 0);
    drop(from);
    drop(little);
    drop(to);
    path_free(p);
}

/* A producer stops in the middle of a message, and a map that cannot be written. */
static void messages_that_are_given_up_fail(void)
{
    struct path *p = path_new("up", 0);
    struct doca_mmap *fixed = NULL;
    fill(p, SIZE);
    struct doca_buf *from = buf_of(&p->from, 0, SIZE, SIZE), *to = buf_of(&p->to, 0, SIZE, 0);
    CHECK(doca_task_submit(receive_of(&p->in, to)) == OK);
    CHECK(doca_task_submit(send_of(&p->out, from, NULL, 0, p->in.id)) == OK);
    CHECK(p->out.sent == 0 && doca_ctx_stop(p->out.ctx) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(&p->out, &p->in, p->in.failed == 1 && p->out.failed == 1);
    CHECK(p->in.status == DOCA_ERROR_IO_FAILED && p->out.status == BAD_STATE && data_of(to) == 0);
    sender_end(&p->out);
    CHECK(sender_start(&p->out, p->c->c) == OK);
    CHECK(doca_mmap_create(&fixed) == OK && doca_mmap_add_dev(fixed, p->dev) == OK);
    CHECK(doca_mmap_set_permissions(fixed, DOCA_ACCESS_FLAG_PCI_READ_ONLY) == OK);
    CHECK(doca_mmap_set_memrange(fixed, p->to.at, 64) == OK && doca_mmap_start(fixed) == OK);
    struct store view = {p->to.at, 64, fixed, p->to.inventory};
    struct doca_buf *b = buf_of(&view, 0, 64, 0), *few = buf_of(&p->from, 0, 64, 64);
    CHECK(doca_task_submit(receive_of(&p->in, b)) == OK);
    CHECK(doca_task_submit(send_of(&p->out, few, NULL, 0, p->in.id)) == OK);
    AWAIT(&p->out, &p->in, p->in.failed == 2 && p->out.sent == 1);
    CHECK(p->in.status == DOCA_ERROR_NOT_PERMITTED);
    drop(from);
    drop(to);
    drop(b);
    drop(few);
    CHECK(doca_mmap_destroy(fixed) == OK);
    path_free(p);
}

/* The peer is informed, waiting receives end, and the number is never used again. */
static void consumers_expire(void)
{
    struct path *p = path_new("expire", 4);
    const uint32_t id = p->in.id;
    CHECK(doca_task_submit(receive_of(&p->in, NULL)) == OK);
    CHECK(doca_ctx_stop(p->in.ctx) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(p->c, &p->in, p->c->expired == 1 && state_of(p->in.ctx) == DOCA_CTX_STATE_IDLE);
    CHECK(p->in.failed == 1 && p->in.status == BAD_STATE);
    struct doca_task *t = send_of(&p->out, NULL, "x", 1, id);
    CHECK(doca_task_submit(t) == DOCA_ERROR_NOT_FOUND);
    doca_task_free(t);
    CHECK(doca_ctx_start(p->in.ctx) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(p->c, &p->in, p->c->consumers == 2);
    CHECK(p->c->last_consumer != id);
    /* The end of the connection ends both. */
    CHECK(doca_task_submit(receive_of(&p->in, NULL)) == OK);
    stop(p->c->ctx, p->c->pe);
    AWAIT(&p->out, &p->in, state_of(p->in.ctx) == DOCA_CTX_STATE_IDLE);
    CHECK(p->in.failed == 2 && p->in.status == DOCA_ERROR_CONNECTION_RESET);
    struct doca_comch_producer_task_send *none = NULL;
    doca_error_t result = doca_comch_producer_task_send_alloc_init(
        p->out.producer, NULL, (uint8_t[]){1}, 1, p->c->last_consumer, &none);
    CHECK(result == OK || result == BAD_STATE);
    if (none) {
        t = doca_comch_producer_task_send_as_task(none);
        CHECK(doca_task_submit(t) == DOCA_ERROR_NOT_CONNECTED);
        doca_task_free(t);
    }
    CHECK(doca_ctx_start(p->in.ctx) == DOCA_ERROR_NOT_CONNECTED);
    path_free(p);
}

/* ---- Threads ---- */

enum { THREADS = 3, EACH = 2000 };

struct work {
    pthread_t thread;
    struct path *p;
    struct sender out;
    struct receiver in;
    _Atomic(uint32_t) *to; /* the consumers' numbers */
    unsigned index;
    uint64_t sum;
};

static void *produce(void *argument)
{
    struct work *w = argument;
    for (uint32_t i = 0; i < EACH; i++) {
        struct doca_buf *b = buf_of(&w->p->from, w->index * 4096, 4096, 1 + i % 4096);
        memset(w->p->from.at + w->index * 4096, (int)w->index + 1, 4096);
        struct doca_task *t = send_of(&w->out, b, &i, sizeof i, w->to[i % THREADS]);
        doca_error_t result;
        while ((result = doca_task_submit(t)) == DOCA_ERROR_AGAIN)
            sched_yield();
        CHECK(result == OK);
        while (w->out.sent != i + 1)
            doca_pe_progress(w->out.pe);
        drop(b);
    }
    return NULL;
}

/* Each consumer gets as many from each producer, all of one message from one. */
static void *consume(void *argument)
{
    struct work *w = argument;
    const unsigned expected = THREADS * (EACH / THREADS + (w->index < EACH % THREADS));
    const size_t offset = w->index * 4096;
    for (unsigned i = 0; i < expected; i++) {
        struct doca_buf *b = buf_of(&w->p->to, offset, 4096, 0);
        CHECK(doca_task_submit(receive_of(&w->in, b)) == OK);
        while (w->in.received != i + 1)
            if (!doca_pe_progress(w->in.pe))
                sched_yield();
        uint32_t number;
        memcpy(&number, w->in.imm, sizeof number);
        const size_t size = data_of(b);
        CHECK(w->in.imm_len == 4 && number % THREADS == w->index && size == 1 + number % 4096);
        for (size_t k = 0; k < size; k++)
            CHECK(w->p->to.at[offset + k] == w->p->to.at[offset]);
        w->sum += number;
        drop(b);
    }
    return NULL;
}

static void threads_have_producers_and_consumers_of_their_own(void)
{
    static struct work senders[THREADS], receivers[THREADS];
    static _Atomic(uint32_t) ids[THREADS];
    struct path *p = path_new("threads", 0);
    uint64_t sum = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        struct work *r = &receivers[i], *s = &senders[i];
        *r = (struct work){.p = p, .index = i};
        *s = (struct work){.p = p, .index = i, .to = ids};
        CHECK(receiver_start(&r->in, p->s->c, p->to.map, 4) == DOCA_ERROR_IN_PROGRESS);
        AWAIT(p->c, &r->in,
              p->c->last_consumer == r->in.id && state_of(r->in.ctx) == DOCA_CTX_STATE_RUNNING);
        ids[i] = r->in.id;
        CHECK(sender_start(&s->out, p->c->c) == OK);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&receivers[i].thread, NULL, consume, &receivers[i]) == 0);
        CHECK(pthread_create(&senders[i].thread, NULL, produce, &senders[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(pthread_join(senders[i].thread, NULL) == 0);
        CHECK(pthread_join(receivers[i].thread, NULL) == 0);
        sum += receivers[i].sum;
        receiver_end(&receivers[i].in);
        sender_end(&senders[i].out);
    }
    CHECK(sum == (uint64_t)THREADS * EACH * (EACH - 1) / 2);
    path_free(p);
}

const struct test_case pipe_cases[] = {CASE(consumers_take_what_producers_send),
                                       CASE(lists_and_immediate_data_are_sent),
                                       CASE(messages_that_do_not_fit_fail_alone),
                                       CASE(messages_that_are_given_up_fail),
                                       CASE(consumers_expire),
                                       CASE(threads_have_producers_and_consumers_of_their_own),
                                       {NULL, NULL}};
