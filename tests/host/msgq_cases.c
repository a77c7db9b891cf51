/* DOCA comch's message queues between CPU and DPA, one behaviour each; main runs the one that argv[1]
 * names. */
#include <dirent.h>
#include <doca_comch_msgq.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_dpa_dev.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "doca_device.h"
#include "msgq.h"

#define OK         DOCA_SUCCESS
#define INVALID    DOCA_ERROR_INVALID_VALUE
#define BAD_STATE  DOCA_ERROR_BAD_STATE
#define BAD_CONFIG DOCA_ERROR_BAD_CONFIG
#define IN_USE     DOCA_ERROR_IN_USE

extern struct doca_dpa_app *msgq_app;
doca_dpa_func_t echo_thread, deaf_thread, receive_rpc, send_rpc, copy_rpc, is_empty_rpc, next_rpc;

enum { DEPTH = 64 };

static struct doca_dev *dev;

/* A thread on the DPA with a queue in each direction, and its ends on the CPU. */
struct world {
    struct doca_dpa *dpa;
    struct doca_dpa_thread *thread;
    struct doca_pe *pe;
    struct doca_comch_consumer_completion *completion;
    struct doca_dpa_completion *sends;
    struct doca_comch_msgq *to, *from;
    struct doca_comch_consumer *dpa_consumer, *consumer;
    struct doca_comch_producer *producer, *dpa_producer;
    doca_dpa_dev_uintptr_t arg;
    uint64_t consumer_handle, producer_handle, sends_handle;
    unsigned received, sent, failed;
    doca_error_t status;
    uint8_t imm[32];
    uint32_t imm_len, from_producer;
    bool again; /* receives are posted again */
};

static struct doca_ctx *ctx_of(struct doca_comch_consumer *n)
{
    return doca_comch_consumer_as_ctx(n);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(ctx, &state) == OK);
    return state;
}

/* ---- What callbacks are told ---- */

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct world *w = ctx_data.ptr;
    (void)task_data;
    w->received++;
    w->imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
    w->from_producer = doca_comch_consumer_task_post_recv_get_producer_id(task);
    memcpy(w->imm, doca_comch_consumer_task_post_recv_get_imm_data(task), w->imm_len);
    if (!w->again || doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != OK)
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_not_received(struct doca_comch_consumer_task_post_recv *task,
                            union doca_data task_data, union doca_data ctx_data)
{
    struct world *w = ctx_data.ptr;
    (void)task_data;
    w->failed++;
    w->status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct world *w = ctx_data.ptr;
    (void)task_data;
    w->sent++;
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

/* ---- Life ---- */

static struct doca_comch_msgq *queue_new(struct world *w, bool to_dpa)
{
    struct doca_comch_msgq *q = NULL;
    CHECK(doca_comch_msgq_create(dev, &q) == OK);
    CHECK((to_dpa ? doca_comch_msgq_set_dpa_consumer(q, w->dpa)
                  : doca_comch_msgq_set_dpa_producer(q, w->dpa)) == OK);
    CHECK(doca_comch_msgq_start(q) == OK);
    return q;
}

static void connect(struct world *w, struct doca_ctx *ctx)
{
    CHECK(doca_pe_connect_ctx(w->pe, ctx) == OK);
    CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = w}) == OK);
}

static struct doca_comch_producer *producer_new(struct world *w)
{
    struct doca_comch_producer *p = NULL;
    CHECK(doca_comch_msgq_producer_create(w->to, &p) == OK);
    connect(w, doca_comch_producer_as_ctx(p));
    CHECK(doca_comch_producer_task_send_set_conf(p, on_sent, on_sent, DEPTH) == OK);
    CHECK(doca_ctx_start(doca_comch_producer_as_ctx(p)) == OK);
    return p;
}

static void open_to(struct world *w)
{
    w->to = queue_new(w, true);
    CHECK(doca_comch_consumer_completion_create(&w->completion) == OK);
    CHECK(doca_comch_consumer_completion_set_max_num_recv(w->completion, DEPTH) == OK);
    CHECK(doca_comch_consumer_completion_set_dpa_thread(w->completion, w->thread) == OK);
    CHECK(doca_comch_consumer_completion_start(w->completion) == OK);
    CHECK(doca_comch_msgq_consumer_create(w->to, &w->dpa_consumer) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx_of(w->dpa_consumer), w->dpa) == OK);
    CHECK(doca_comch_consumer_set_completion(w->dpa_consumer, w->completion, 7) == OK);
    CHECK(doca_comch_consumer_set_dev_max_num_recv(w->dpa_consumer, DEPTH) == OK);
    CHECK(doca_ctx_start(ctx_of(w->dpa_consumer)) == OK);
    CHECK(doca_comch_consumer_get_dpa_handle(w->dpa_consumer, &w->consumer_handle) == OK);
    w->producer = producer_new(w);
}

static void open_from(struct world *w)
{
    w->from = queue_new(w, false);
    CHECK(doca_comch_msgq_consumer_create(w->from, &w->consumer) == OK);
    connect(w, ctx_of(w->consumer));
    CHECK(doca_comch_consumer_task_post_recv_set_conf(w->consumer, on_received, on_not_received,
                                                      DEPTH) == OK);
    CHECK(doca_ctx_start(ctx_of(w->consumer)) == OK);
    CHECK(doca_dpa_completion_create(w->dpa, DEPTH, &w->sends) == OK);
    CHECK(doca_dpa_completion_start(w->sends) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(w->sends, &w->sends_handle) == OK);
    CHECK(doca_comch_msgq_producer_create(w->from, &w->dpa_producer) == OK);
    struct doca_ctx *ctx = doca_comch_producer_as_ctx(w->dpa_producer);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, w->dpa) == OK);
    CHECK(doca_comch_producer_set_dev_max_num_send(w->dpa_producer, DEPTH) == OK);
    CHECK(doca_comch_producer_dpa_completion_attach(w->dpa_producer, w->sends) == OK);
    CHECK(doca_ctx_start(ctx) == OK);
    CHECK(doca_comch_producer_get_dpa_handle(w->dpa_producer, &w->producer_handle) == OK);
}

/* The thread gets its handles when all of them are there. */
static struct world *world_new(doca_dpa_func_t *function)
{
    struct world *w = calloc(1, sizeof *w);
    CHECK(w && doca_pe_create(&w->pe) == OK);
    CHECK(doca_dpa_create(dev, &w->dpa) == OK && doca_dpa_set_app(w->dpa, msgq_app) == OK);
    CHECK(doca_dpa_start(w->dpa) == OK);
    struct echo_arg arg = {0};
    CHECK(doca_dpa_mem_alloc(w->dpa, sizeof arg, &w->arg) == OK);
    CHECK(doca_dpa_thread_create(w->dpa, &w->thread) == OK);
    CHECK(doca_dpa_thread_set_func_arg(w->thread, function, w->arg) == OK);
    CHECK(doca_dpa_thread_start(w->thread) == OK);
    open_to(w);
    open_from(w);
    arg.consumer = w->consumer_handle;
    arg.producer = w->producer_handle;
    CHECK(doca_comch_consumer_completion_get_dpa_handle(w->completion, &arg.completion) == OK);
    CHECK(doca_dpa_h2d_memcpy(w->dpa, w->arg, &arg, sizeof arg) == OK);
    CHECK(doca_dpa_thread_run(w->thread) == OK);
    return w;
}

static void stop(struct world *w, struct doca_ctx *ctx)
{
    const doca_error_t result = doca_ctx_stop(ctx);
    CHECK(result == OK || result == DOCA_ERROR_IN_PROGRESS);
    while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(w->pe);
}

static void world_free(struct world *w)
{
    w->again = false;
    stop(w, doca_comch_producer_as_ctx(w->producer));
    stop(w, ctx_of(w->consumer));
    CHECK(doca_comch_producer_destroy(w->producer) == OK);
    CHECK(doca_comch_producer_destroy(w->dpa_producer) == OK);
    CHECK(doca_comch_consumer_destroy(w->consumer) == OK);
    CHECK(doca_comch_consumer_destroy(w->dpa_consumer) == OK);
    CHECK(doca_comch_consumer_completion_destroy(w->completion) == OK);
    CHECK(doca_comch_msgq_destroy(w->to) == OK && doca_comch_msgq_destroy(w->from) == OK);
    CHECK(doca_dpa_completion_destroy(w->sends) == OK);
    CHECK(doca_dpa_thread_destroy(w->thread) == OK);
    CHECK(doca_dpa_destroy(w->dpa) == OK && doca_pe_destroy(w->pe) == OK);
    free(w);
}

/* ---- What cases do ---- */

static doca_error_t send_of(struct world *w, struct doca_comch_producer *p, const void *imm,
                            uint32_t size)
{
    struct doca_comch_producer_task_send *task = NULL;
    uint8_t copy[32];
    (void)w;
    memcpy(copy, imm, size);
    CHECK(doca_comch_producer_task_send_alloc_init(p, NULL, copy, size, 1, &task) == OK);
    const doca_error_t result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
    if (result != OK)
        doca_task_free(doca_comch_producer_task_send_as_task(task));
    return result;
}

static void post(struct world *w, unsigned count)
{
    struct doca_comch_consumer_task_post_recv *task = NULL;
    for (unsigned i = 0; i < count; i++) {
        CHECK(doca_comch_consumer_task_post_recv_alloc_init(w->consumer, NULL, &task) == OK);
        CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) == OK);
    }
}

#define AWAIT(w, condition)                                                                        \
    while (!(condition))                                                                           \
        if (!doca_pe_progress((w)->pe))                                                            \
            sched_yield();

static void receives(struct world *w, uint32_t count)
{
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(w->dpa, receive_rpc, &result, w->consumer_handle, count) == OK);
}

static void sends(struct world *w, uint32_t consumer, uint64_t first, uint32_t count,
                  uint32_t length, uint32_t flags)
{
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(w->dpa, send_rpc, &result, w->producer_handle, consumer, first, count,
                       length, flags) == OK);
}

/* 0: a success; 13: a failure; NOTHING. */
static uint64_t next(struct world *w)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(w->dpa, next_rpc, &result, w->sends_handle) == OK);
    CHECK(result == NOTHING || (uint32_t)result == 1); /* the producer's number */
    return result == NOTHING ? NOTHING : result >> 32;
}

static bool is_empty(struct world *w, uint32_t consumer)
{
    uint64_t result = 2;
    CHECK(doca_dpa_rpc(w->dpa, is_empty_rpc, &result, w->producer_handle, consumer) == OK);
    CHECK(result < 2);
    return result == 1;
}

/* ---- Cases ---- */

static void messages_go_there_and_back(void)
{
    struct world *w = world_new(echo_thread);
    uint8_t imm[32];
    CHECK(send_of(w, w->producer, "early", 5) == DOCA_ERROR_AGAIN);
    receives(w, DEPTH);
    w->again = true;
    post(w, DEPTH);
    for (unsigned i = 0; i < 500; i++) {
        const uint32_t size = 1 + i % 32;
        memset(imm, (int)i, sizeof imm);
        CHECK(send_of(w, w->producer, imm, size) == OK);
        AWAIT(w, w->received == i + 1 && w->sent == i + 1);
        CHECK(w->imm_len == size && w->imm[0] == (uint8_t)(i + 1));
        CHECK(size < 32 || w->imm[31] == 1);
        CHECK(w->from_producer == 1);
    }
    world_free(w);
}

/* As many as there are receives, in order. */
static void many_are_on_their_way(void)
{
    struct world *w = world_new(echo_thread);
    receives(w, DEPTH);
    w->again = true;
    post(w, DEPTH);
    unsigned sent = 0;
    while (sent < 3000) {
        uint32_t number = sent;
        const doca_error_t result =
            w->sent + DEPTH == sent ? DOCA_ERROR_AGAIN : send_of(w, w->producer, &number, 4);
        CHECK(result == OK || result == DOCA_ERROR_AGAIN);
        sent += result == OK;
        if (!doca_pe_progress(w->pe) && result != OK)
            sched_yield();
    }
    AWAIT(w, w->received == sent);
    CHECK(w->imm[0] == (uint8_t)((sent - 1) + 1) && w->imm_len == 4);
    world_free(w);
}

struct sender {
    struct world *w;
    struct doca_pe *pe;
    unsigned number;
};

static void *send_many(void *context)
{
    struct sender *s = context;
    struct doca_comch_producer *p = NULL;
    struct world own = {.pe = s->pe, .to = s->w->to};
    uint8_t imm[32] = {0};
    p = producer_new(&own);
    for (unsigned i = 0; i < 300;) {
        const bool sent = own.sent + DEPTH > i && send_of(&own, p, imm, 32) == OK;
        i += sent;
        if (!doca_pe_progress(s->pe) && !sent)
            sched_yield();
    }
    AWAIT(&own, own.sent == 300);
    stop(&own, doca_comch_producer_as_ctx(p));
    CHECK(doca_comch_producer_destroy(p) == OK);
    return NULL;
}

static void threads_have_producers_of_their_own(void)
{
    enum { THREADS = 3 };
    struct world *w = world_new(echo_thread);
    struct sender s[THREADS];
    pthread_t thread[THREADS];
    receives(w, DEPTH);
    w->again = true;
    post(w, DEPTH);
    for (unsigned i = 0; i < THREADS; i++) {
        s[i] = (struct sender){.w = w, .number = i};
        CHECK(doca_pe_create(&s[i].pe) == OK);
        CHECK(pthread_create(&thread[i], NULL, send_many, &s[i]) == 0);
    }
    AWAIT(w, w->received == THREADS * 300);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0 && doca_pe_destroy(s[i].pe) == OK);
    CHECK(w->imm[31] > 1 && w->imm[31] <= 1 + THREADS);
    world_free(w);
}

static void *send_three(void *context)
{
    sends(context, 1, 40, 3, 8, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    return NULL;
}

static void sends_wait_for_receives(void)
{
    struct world *w = world_new(deaf_thread);
    pthread_t thread;
    CHECK(is_empty(w, 1) && is_empty(w, 2));
    post(w, 1);
    CHECK(!is_empty(w, 1));
    CHECK(pthread_create(&thread, NULL, send_three, w) == 0);
    AWAIT(w, w->received == 1);
    CHECK(w->imm[0] == 40 && w->imm_len == 8);
    usleep(20000);
    CHECK(!doca_pe_progress(w->pe) && w->received == 1);
    post(w, 3);
    AWAIT(w, w->received == 3);
    CHECK(w->imm[0] == 42 && pthread_join(thread, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(next(w) == 0);
    CHECK(next(w) == NOTHING && !is_empty(w, 1));
    world_free(w);
}

static void engines_sleep_until_a_message_comes(void)
{
    struct world *w = world_new(deaf_thread);
    doca_notification_handle_t handle;
    struct pollfd p = {.events = POLLIN};
    pthread_t thread;
    CHECK(doca_pe_get_notification_handle(w->pe, &handle) == OK);
    p.fd = (int)handle;
    post(w, 3);
    CHECK(doca_pe_request_notification(w->pe) == OK && poll(&p, 1, 20) == 0);
    CHECK(pthread_create(&thread, NULL, send_three, w) == 0);
    for (unsigned seen = 0; seen < 3; seen = w->received) {
        CHECK(poll(&p, 1, 60000) == 1 && doca_pe_clear_notification(w->pe, handle) == OK);
        while (doca_pe_progress(w->pe))
            ;
        CHECK(doca_pe_request_notification(w->pe) == OK);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    world_free(w);
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    CHECK(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void nothing_stays_of_queues(void)
{
    unsigned before = 0;
    for (unsigned i = 0; i < 20; i++) {
        struct world *w = world_new(echo_thread);
        receives(w, 1);
        post(w, 1);
        CHECK(send_of(w, w->producer, "a", 1) == OK);
        if (i % 2 == 0)
            AWAIT(w, w->received == 1);
        world_free(w);
        if (i == 1)
            before = descriptors();
    }
    CHECK(descriptors() == before);
}

static void sends_that_cannot_arrive_fail(void)
{
    struct world *w = world_new(deaf_thread);
    const uint32_t silent =
        DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS;
    post(w, 2);
    sends(w, 2, 0, 1, 8, silent); /* there is none */
    sends(w, 1, 0, 1, 33, silent);
    CHECK(next(w) == 13 && next(w) == 13 && next(w) == NOTHING);
    sends(w, 1, 0, 1, 8, silent);
    CHECK(next(w) == NOTHING);
    AWAIT(w, w->received == 1);
    stop(w, ctx_of(w->consumer));
    CHECK(w->failed == 1 && w->status == BAD_STATE);
    sends(w, 1, 0, 1, 8, silent); /* it is gone */
    CHECK(next(w) == 13);
    CHECK(doca_ctx_start(ctx_of(w->consumer)) == OK);
    uint32_t id = 0;
    CHECK(doca_comch_consumer_get_id(w->consumer, &id) == OK && id == 2);
    post(w, 1);
    sends(w, 2, 9, 1, 8, 0);
    CHECK(next(w) == 0);
    AWAIT(w, w->received == 2 && w->imm[0] == 9);
    world_free(w);
}

static void copies_come_before_messages(void)
{
    struct world *w = world_new(deaf_thread);
    static uint8_t memory[8192];
    struct doca_mmap *map = NULL;
    doca_dpa_dev_mmap_t key = 0;
    uint64_t result = 1;
    CHECK(doca_mmap_create(&map) == OK && doca_mmap_add_dev(map, dev) == OK);
    CHECK(doca_mmap_set_memrange(map, memory, sizeof memory) == OK);
    CHECK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == OK);
    CHECK(doca_mmap_start(map) == OK && doca_mmap_dev_get_dpa_handle(map, dev, &key) == OK);
    memset(memory, 5, 4096);
    post(w, 2);
    CHECK(doca_dpa_rpc(w->dpa, copy_rpc, &result, w->producer_handle, key, (uint64_t)memory + 4096,
                       key, (uint64_t)memory, (uint64_t)4000) == OK);
    AWAIT(w, w->received == 1);
    CHECK(strcmp((char *)w->imm, "copied") == 0 && next(w) == 0);
    CHECK(memcmp(memory, memory + 4096, 4000) == 0 && memory[8096] == 0);
    CHECK(doca_dpa_rpc(w->dpa, copy_rpc, &result, w->producer_handle, key, (uint64_t)memory + 4097,
                       key, (uint64_t)memory, (uint64_t)4096) == OK); /* beyond its end */
    CHECK(next(w) == 13);
    usleep(1000);
    CHECK(!doca_pe_progress(w->pe) && w->received == 1 && memory[8191] == 0);
    world_free(w);
    CHECK(doca_mmap_destroy(map) == OK);
}

static void too_many_receives_are_a_fault(void)
{
    struct world *w = world_new(deaf_thread);
    uint64_t result = 1;
    receives(w, DEPTH - 1);
    receives(w, 1);
    CHECK(doca_dpa_rpc(w->dpa, receive_rpc, &result, w->consumer_handle, 1u) != OK);
    CHECK(doca_dpa_peek_at_last_error(w->dpa) != OK);
    world_free(w);
}

static void foreign_handles_are_a_fault(void)
{
    struct world *w = world_new(deaf_thread);
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(w->dpa, receive_rpc, &result, w->producer_handle, 1u) != OK);
    CHECK(doca_dpa_peek_at_last_error(w->dpa) != OK);
    world_free(w);
}

/* A completion of another size than its consumer's: what it has no room for ends the process. */
static void a_full_completion_ends_the_process(void)
{
    struct world *w = world_new(deaf_thread);
    stop(w, ctx_of(w->dpa_consumer));
    CHECK(doca_comch_consumer_completion_stop(w->completion) == OK);
    CHECK(doca_comch_consumer_completion_set_max_num_recv(w->completion, 2) == OK);
    CHECK(doca_comch_consumer_completion_start(w->completion) == OK);
    CHECK(doca_ctx_start(ctx_of(w->dpa_consumer)) == OK);
    CHECK(doca_comch_consumer_get_dpa_handle(w->dpa_consumer, &w->consumer_handle) == OK);
    receives(w, 3);
    for (unsigned i = 0; i < 3; i++) {
        struct doca_comch_producer_task_send *task = NULL;
        CHECK(doca_dpa_peek_at_last_error(w->dpa) == OK);
        CHECK(doca_comch_producer_task_send_alloc_init(w->producer, NULL, (uint8_t *)"x", 1, 2,
                                                       &task) == OK);
        CHECK(doca_task_submit(doca_comch_producer_task_send_as_task(task)) == OK);
    }
    CHECK(doca_dpa_peek_at_last_error(w->dpa) != OK);
    world_free(w);
}

static void a_stopped_context_takes_its_ends_along(void)
{
    struct world *w = world_new(deaf_thread);
    receives(w, 2);
    CHECK(doca_dpa_stop(w->dpa) == OK);
    CHECK(send_of(w, w->producer, "1", 1) == OK && send_of(w, w->producer, "2", 1) == OK);
    CHECK(send_of(w, w->producer, "3", 1) == DOCA_ERROR_AGAIN);
    stop(w, ctx_of(w->dpa_consumer));
    CHECK(doca_ctx_start(ctx_of(w->dpa_consumer)) == BAD_STATE);
    CHECK(doca_comch_consumer_completion_stop(w->completion) == OK);
    CHECK(doca_comch_consumer_completion_start(w->completion) == BAD_STATE);
    world_free(w);
}

static void order_is_kept(void)
{
    struct world *w = world_new(deaf_thread);
    struct doca_comch_consumer *n = NULL;
    struct doca_comch_producer *p = NULL;
    struct doca_comch_msgq *q = NULL;
    struct doca_comch_consumer_completion *k = NULL;
    uint32_t value = 0;
    uint64_t handle;
    CHECK(doca_comch_msgq_create(dev, &q) == OK && doca_comch_msgq_start(q) == BAD_CONFIG);
    CHECK(doca_comch_msgq_consumer_create(q, &n) == BAD_STATE && !n);
    CHECK(doca_comch_msgq_set_dpa_consumer(q, w->dpa) == OK);
    CHECK(doca_comch_msgq_set_dpa_producer(q, w->dpa) == OK);
    CHECK(doca_comch_msgq_start(q) == BAD_CONFIG && doca_comch_msgq_destroy(q) == OK);
    CHECK(doca_comch_msgq_stop(w->to) == IN_USE && doca_comch_msgq_destroy(w->to) == IN_USE);
    CHECK(doca_comch_msgq_set_max_num_consumers(w->to, 2) == BAD_STATE);
    CHECK(doca_comch_msgq_set_max_num_consumers(w->to, 65) == INVALID);
    CHECK(doca_comch_consumer_completion_stop(w->completion) == IN_USE);
    CHECK(doca_comch_consumer_completion_destroy(w->completion) == IN_USE);
    CHECK(doca_comch_consumer_completion_get_max_num_recv(w->completion, &value) == OK &&
          value == DEPTH);
    CHECK(doca_comch_consumer_completion_set_max_num_recv(w->completion, 1) == BAD_STATE);
    CHECK(doca_comch_consumer_completion_create(&k) == OK);
    CHECK(doca_comch_consumer_completion_start(k) == BAD_CONFIG); /* no thread */
    CHECK(doca_comch_consumer_completion_set_imm_data_len(k, 33) == INVALID);
    CHECK(doca_comch_consumer_completion_set_imm_data_len(k, 8) == OK);
    CHECK(doca_comch_consumer_completion_set_dpa_thread(k, w->thread) == OK);
    CHECK(doca_comch_msgq_consumer_create(w->to, &n) == OK);
    CHECK(doca_ctx_start(ctx_of(n)) == BAD_CONFIG); /* not on the DPA */
    CHECK(doca_ctx_set_datapath_on_dpa(ctx_of(n), w->dpa) == OK);
    CHECK(doca_ctx_start(ctx_of(n)) == BAD_CONFIG); /* no completion */
    CHECK(doca_comch_consumer_set_completion(n, k, 0) == OK);
    CHECK(doca_ctx_start(ctx_of(n)) == BAD_CONFIG); /* it is not started */
    CHECK(doca_comch_consumer_completion_start(k) == OK);
    CHECK(doca_ctx_start(ctx_of(n)) == BAD_CONFIG); /* 8 bytes are too few */
    CHECK(doca_comch_consumer_set_imm_data_len(n, 8) == OK && doca_ctx_start(ctx_of(n)) == OK);
    CHECK(doca_comch_consumer_get_id(n, &value) == OK && value == 2);
    CHECK(doca_comch_consumer_set_completion(n, k, 0) == BAD_STATE);
    CHECK(doca_comch_msgq_producer_create(w->to, &p) == OK);
    CHECK(doca_comch_producer_get_dpa_handle(p, &handle) == BAD_STATE);
    CHECK(doca_comch_producer_destroy(p) == OK && doca_comch_consumer_destroy(n) == OK);
    CHECK(doca_comch_consumer_completion_destroy(k) == OK);
    CHECK(doca_comch_msgq_consumer_create(w->from, &n) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx_of(n), w->dpa) == OK);
    CHECK(doca_ctx_start(ctx_of(n)) == BAD_CONFIG); /* they are on the CPU */
    CHECK(doca_comch_consumer_destroy(n) == OK);
    world_free(w);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(messages_go_there_and_back),
        CASE(many_are_on_their_way),
        CASE(threads_have_producers_of_their_own),
        CASE(sends_wait_for_receives),
        CASE(engines_sleep_until_a_message_comes),
        CASE(nothing_stays_of_queues),
        CASE(sends_that_cannot_arrive_fail),
        CASE(copies_come_before_messages),
        CASE(too_many_receives_are_a_fault),
        CASE(foreign_handles_are_a_fault),
        CASE(a_full_completion_ends_the_process),
        CASE(a_stopped_context_takes_its_ends_along),
        CASE(order_is_kept),
    };
    const struct test_case *c = find_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (!c)
        return 98;
    dev = open_device("mlx5_0");
    c->run();
    CHECK(doca_dev_close(dev) == OK);
    return 0;
}
