/* Event queues of libflexio; host_eq.bats runs them. */
#include <libflexio/flexio_eq.h>

#include "queue_world.h"

static struct flexio_eq *make_eq(struct flexio_process *p)
{
    struct flexio_eq *eq = NULL;
    struct flexio_eq_attr attr = {.log_eq_ring_depth = LOG_EVENTS};
    CHECK(flexio_eq_create(p, NULL, &attr, &eq) == OK);
    return eq;
}

/* A CQ that reports to it. */
static struct flexio_cq *make_reporting(struct flexio_process *p, uint8_t element_type,
                                        uint32_t eqn, bool always, struct queues *q)
{
    struct flexio_cq *cq = NULL;
    q->send_cq = zeros(p, DEPTH * 64);
    q->send_ci_at = zeros(p, 8);
    q->send_ci = 0;
    CHECK(flexio_buf_dev_memset(p, 0xff, DEPTH * 64, q->send_cq) == OK);
    struct flexio_cq_attr attr = {.log_cq_depth = LOG_DEPTH,
                                  .element_type = element_type,
                                  .emulated_eqn = eqn,
                                  .always_armed = always,
                                  .overrun_ignore = always,
                                  .cq_ring_qmem = {.daddr = q->send_cq},
                                  .cq_dbr_daddr = q->send_ci_at};
    CHECK(flexio_cq_create(p, NULL, &attr, &cq) == OK);
    q->send_cqn = flexio_cq_get_cq_num(cq);
    return cq;
}

/* Four times around the ring of events: each is the completion of a frame that is sent. */
static void a_thread_polls_an_event_queue(void)
{
    struct flexio_process *p = queue_process();
    struct flexio_event_handler *eh = NULL;
    struct flexio_event_handler_attr attr = {.host_stub_func = &on_events};
    CHECK(flexio_event_handler_create(p, &attr, &eh) == OK);
    struct set s = ethernet(p, flexio_event_handler_get_thread(eh));
    struct flexio_eq *eq = make_eq(p);
    const struct flexio_hw_eq *hw = flexio_eq_get_hw_eq(eq);
    CHECK(hw && hw->log_eq_ring_depth == LOG_EVENTS);
    struct queues q = s.q;
    struct flexio_cq *cq = make_reporting(p, FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ, hw->eq_num, false, &q);
    struct flexio_sq *sq = NULL;
    q.sends = zeros(p, DEPTH * 64);
    struct flexio_wq_attr wq = {.log_wq_depth = LOG_DEPTH, .wq_ring_qmem = {.daddr = q.sends}};
    CHECK(flexio_sq_create(p, NULL, q.send_cqn, &wq, &sq) == OK);
    q.send_number = flexio_sq_get_wq_num(sq);
    struct events e = {
        .ring = hw->eq_ring_addr, .number = hw->eq_num, .cqn = q.send_cqn, .wanted = 16};
    flexio_uintptr_t queues_at = 0, at = 0;
    CHECK(flexio_copy_from_host(p, &q, sizeof q, &queues_at) == OK);
    CHECK(flexio_copy_from_host(p, &e, sizeof e, &at) == OK);
    CHECK(flexio_event_handler_run(eh, at) == OK);
    call1(p, &empty_completion, s.q.receive_cqn); /* wakes it */
    for (uint64_t i = 0; i < 16; i++) {
        CHECK(call1(p, &seen, at) == i);
        CHECK(call2(p, &frame, queues_at, 60) == OUTCOME(0, 0, i, 60u));
        while (call1(p, &seen, at) == i)
            usleep(100);
    }
    CHECK(call1(p, &seen, at) == 16);                     /* none of another CQ */
    CHECK(flexio_eq_destroy(eq) == FLEXIO_STATUS_FAILED); /* in use */
    CHECK(flexio_event_handler_destroy(eh) == OK);
    CHECK(flexio_sq_destroy(sq) == OK && flexio_cq_destroy(cq) == OK);
    CHECK(flexio_eq_destroy(eq) == OK);
    set_end(&s);
    CHECK(flexio_process_destroy(p) == OK);
}

/* With the element type that programs have that write to the device. */
static void an_event_queue_that_overruns_is_told_of(void)
{
    struct flexio_process *p = queue_process();
    struct queues q = {0};
    struct flexio_eq *eq = make_eq(p);
    const uint32_t eqn = flexio_eq_get_hw_eq(eq)->eq_num;
    struct flexio_cq *cq = make_reporting(p, 1, eqn, true, &q);
    for (unsigned i = 0; i < 20; i++)
        call1(p, &empty_completion, q.send_cqn);
    printf("EQ 0x%x of CQ 0x%x\n", eqn, q.send_cqn);
    CHECK(flexio_cq_destroy(cq) == OK && flexio_eq_destroy(eq) == OK);
    CHECK(flexio_process_destroy(p) == OK);
}

static void event_queues_are_refused_with_a_reason(void)
{
    struct flexio_process *p = queue_process(), *other = queue_process();
    struct flexio_eq *eq = NULL, *mine = make_eq(p);
    struct flexio_eq_attr good = {.log_eq_ring_depth = 5}, a;
#define REFUSED(change)                                                                            \
    (a = good, (change), flexio_eq_create(p, NULL, &a, &eq) == FLEXIO_STATUS_FAILED && !eq)
    CHECK(REFUSED(a.log_eq_ring_depth = 23));
    CHECK(REFUSED(a.log_eq_ring_depth = 255));
    CHECK(REFUSED(a.uar_id = 99));
    CHECK(flexio_eq_create(NULL, NULL, &good, &eq) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_eq_create(p, NULL, NULL, &eq) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_eq_create(p, NULL, &good, NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_eq_destroy(NULL) == OK && !flexio_eq_get_hw_eq(NULL));
    const uint32_t numbers[] = {flexio_eq_get_hw_eq(mine)->eq_num, 0, UINT32_MAX};
    struct flexio_cq *cq = NULL;
    struct flexio_cq_attr attr = {.log_cq_depth = LOG_DEPTH,
                                  .element_type = FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ,
                                  .cq_ring_qmem = {.daddr = zeros(other, DEPTH * 64)},
                                  .cq_dbr_daddr = zeros(other, 8)};
    for (unsigned i = 0; i < 3; i++) { /* another process's, and none */
        attr.emulated_eqn = numbers[i];
        CHECK(flexio_cq_create(other, NULL, &attr, &cq) == FLEXIO_STATUS_FAILED && !cq);
    }
    struct flexio_sq *sq = NULL; /* an EQ is not a CQ */
    struct flexio_wq_attr wq = {.log_wq_depth = LOG_DEPTH,
                                .wq_ring_qmem = {.daddr = zeros(p, DEPTH * 64)}};
    CHECK(flexio_sq_create(p, NULL, numbers[0], &wq, &sq) == FLEXIO_STATUS_FAILED && !sq);
    CHECK(flexio_process_destroy(other) == OK && flexio_process_destroy(p) == OK);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(a_thread_polls_an_event_queue),
        CASE(an_event_queue_that_overruns_is_told_of),
        CASE(event_queues_are_refused_with_a_reason),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
