/* Lives of message queues between CPU and DPA, and their ends, one behaviour each; main runs the
 * function that argv[1] names. */
#include <stddef.h>

#include "entries.h"
#include "msgq_world.h"
#include "rounds.h"

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
            before = entries("/proc/self/fd");
    }
    CHECK(entries("/proc/self/fd") == before);
}

/* The thread fails at its first message, at its second, and so on. */
static void a_dpa_that_fails_is_noticed(void)
{
    const unsigned before = entries("/proc/self/fd");
    for (unsigned i = 0; i < rounds(24); i++) {
        const uint64_t left = 1 + i % 40;
        struct world *w = world_new(echo_thread);
        CHECK(doca_dpa_h2d_memcpy(w->dpa, w->arg + offsetof(struct echo_arg, left), (void *)&left,
                                  sizeof left) == OK);
        receives(w, DEPTH);
        w->again = true;
        post(w, DEPTH);
        for (unsigned sent = 0; doca_dpa_peek_at_last_error(w->dpa) == OK;) {
            sent += w->sent + 8 > sent && send_of(w, w->producer, "one", 3) == OK;
            if (!doca_pe_progress(w->pe))
                sched_yield();
        }
        uint64_t result;
        CHECK(doca_dpa_rpc(w->dpa, receive_rpc, &result, w->consumer_handle, 1u) != OK);
        while (doca_pe_progress(w->pe))
            ;
        CHECK(w->received < left);
        world_free(w);
    }
    CHECK(entries("/proc/self/fd") == before);
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

/* A completion of another size than its consumer's: what it has no room for
 * ends the process. */
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
        CASE(nothing_stays_of_queues),
        CASE(a_dpa_that_fails_is_noticed),
        CASE(too_many_receives_are_a_fault),
        CASE(foreign_handles_are_a_fault),
        CASE(a_full_completion_ends_the_process),
        CASE(a_stopped_context_takes_its_ends_along),
        CASE(order_is_kept),
    };
    return run_on_device(cases, sizeof cases / sizeof *cases, argc, argv);
}
