/* Messages of DOCA comch's queues between CPU and DPA, one behaviour each; main runs the function
 * that argv[1] names. */
#include <doca_mmap.h>
#include <poll.h>
#include <pthread.h>

#include "msgq_world.h"

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

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(messages_go_there_and_back),          CASE(many_are_on_their_way),
        CASE(threads_have_producers_of_their_own), CASE(sends_wait_for_receives),
        CASE(engines_sleep_until_a_message_comes), CASE(sends_that_cannot_arrive_fail),
        CASE(copies_come_before_messages),
    };
    return run_on_device(cases, sizeof cases / sizeof *cases, argc, argv);
}
