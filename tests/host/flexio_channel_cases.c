/* Completion channels of the host, which DPA threads wake; host_channel.bats runs them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "queue_world.h"

struct waited {
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    uint32_t cqn;
    struct mlx5dv_cq dv;
};

static int mark; /* the context of events */

static struct waited waited(int cqe)
{
    struct waited w = {.channel = ibv_create_comp_channel(context)};
    CHECK(w.channel && (w.cq = ibv_create_cq(context, cqe, &mark, w.channel, 0)));
    struct mlx5dv_obj obj = {.cq = {.in = w.cq, .out = &w.dv}};
    CHECK(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ) == 0);
    w.cqn = w.dv.cqn;
    CHECK(w.cqn != 0 && w.dv.cqe_size == 64 && w.dv.cqe_cnt == (unsigned)w.cq->cqe + 1);
    return w;
}

static void waited_end(struct waited *w)
{
    CHECK(ibv_destroy_comp_channel(w->channel) == EBUSY);
    CHECK(ibv_destroy_cq(w->cq) == 0 && ibv_destroy_comp_channel(w->channel) == 0);
}

static bool is_readable(const struct waited *w)
{
    struct pollfd p = {.fd = w->channel->fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void take(const struct waited *w)
{
    struct ibv_cq *cq = NULL;
    void *told = NULL;
    CHECK(ibv_get_cq_event(w->channel, &cq, &told) == 0 && cq == w->cq && told == &mark);
    ibv_ack_cq_events(cq, 1);
}

static bool has_owner(const struct waited *w, unsigned index, unsigned owner)
{
    return ((const uint8_t *)w->dv.buf)[index * 64 + 63] == owner;
}

static void a_channel_has_an_event_for_each_arming(void)
{
    struct flexio_process *p = queue_process();
    struct waited w = waited(5);
    struct ibv_wc wc;
    CHECK(w.cq->cqe == 7 && has_owner(&w, 0, 0xf1));
    call1(p, &empty_completion, w.cqn); /* not armed */
    CHECK(!is_readable(&w) && has_owner(&w, 0, 0) && has_owner(&w, 1, 0xf1));
    CHECK(ibv_req_notify_cq(w.cq, 0) == 0 && is_readable(&w)); /* it is there already */
    take(&w);
    CHECK(ibv_poll_cq(w.cq, 1, &wc) == 0); /* consumes it, and it is of no queue */
    for (int i = 0; i < 30; i++) {
        CHECK(ibv_req_notify_cq(w.cq, i % 2) == 0 && !is_readable(&w));
        call1(p, &empty_completion, w.cqn);
        CHECK(is_readable(&w));
        call1(p, &empty_completion, w.cqn); /* no second event */
        take(&w);
        CHECK(!is_readable(&w));
        if (i % 2) /* by hand, as programs do that have the record */
            __atomic_store_n(w.dv.dbrec, htobe32(3 + 2 * (uint32_t)i), __ATOMIC_RELEASE);
        else
            CHECK(ibv_poll_cq(w.cq, 16, &wc) == 0);
    }
    CHECK(w.dv.dbrec[0] == htobe32(61));
    fcntl(w.channel->fd, F_SETFL, O_NONBLOCK);
    struct ibv_cq *cq;
    void *told;
    CHECK(ibv_get_cq_event(w.channel, &cq, &told) == -1 && errno == EAGAIN);
    waited_end(&w);
    CHECK(flexio_process_destroy(p) == OK);
}

static void *wait_main(void *waiting)
{
    take(waiting);
    return NULL;
}

static void a_dpa_thread_wakes_a_host_that_waits(void)
{
    struct flexio_process *p = queue_process();
    struct waited w = waited(1);
    struct ibv_wc wc;
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        CHECK(ibv_req_notify_cq(w.cq, 0) == 0);
        CHECK(pthread_create(&thread, NULL, wait_main, &w) == 0);
        usleep(i < 3 ? 20000 : 0);
        call1(p, &empty_completion, w.cqn);
        CHECK(pthread_join(thread, NULL) == 0);
        ibv_poll_cq(w.cq, 1, &wc);
    }
    waited_end(&w);
    CHECK(flexio_process_destroy(p) == OK);
}

/* What was not taken goes with its queue; that of another one of the channel stays. */
static void events_go_with_their_queue(void)
{
    struct flexio_process *p = queue_process();
    struct waited w = waited(8);
    struct ibv_cq *other = ibv_create_cq(context, 1, NULL, w.channel, 0);
    struct mlx5dv_cq dv;
    struct mlx5dv_obj obj = {.cq = {.in = other, .out = &dv}};
    CHECK(other && mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ) == 0 && dv.cqn != w.cqn);
    CHECK(ibv_req_notify_cq(other, 0) == 0 && ibv_req_notify_cq(w.cq, 0) == 0);
    call1(p, &empty_completion, dv.cqn);
    call1(p, &empty_completion, w.cqn);
    CHECK(ibv_destroy_cq(other) == 0);
    take(&w);
    waited_end(&w);
    CHECK(flexio_process_destroy(p) == OK);
}

static void a_host_queue_that_overruns_is_told_of(void)
{
    struct flexio_process *p = queue_process();
    struct waited w = waited(1);
    for (int i = 0; i < 10; i++)
        call1(p, &empty_completion, w.cqn);
    printf("CQ 0x%x\n", w.cqn);
    waited_end(&w);
    CHECK(flexio_process_destroy(p) == OK);
}

static void queues_of_the_host_are_refused_with_a_reason(void)
{
    struct flexio_process *p = queue_process();
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *second = ibv_open_device(list[0]);
    struct ibv_comp_channel *channel = ibv_create_comp_channel(second);
    struct ibv_cq *cq = ibv_create_cq(second, 1, NULL, channel, 0);
    struct mlx5dv_cq dv;
    struct mlx5dv_pd pd_out;
    struct mlx5dv_obj obj = {.cq = {.in = cq, .out = &dv}};
    CHECK(second && channel && cq && mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ) == 0);
#define NO_CQ(...) (errno = 0, !ibv_create_cq(__VA_ARGS__) && errno == EINVAL)
    CHECK(NO_CQ(second, 0, NULL, NULL, 0) && NO_CQ(second, -1, NULL, NULL, 0));
    CHECK(NO_CQ(second, 1 << 22, NULL, NULL, 0) && NO_CQ(second, 1, NULL, NULL, 1));
    CHECK(NO_CQ(second, 1, NULL, NULL, -1) && NO_CQ(context, 1, NULL, channel, 0));
    obj.pd.in = ibv_alloc_pd(context);
    obj.pd.out = &pd_out;
    CHECK(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD | MLX5DV_OBJ_QP) == EOPNOTSUPP);
    CHECK(ibv_dealloc_pd(obj.pd.in) == 0);
    /* A process reaches those of its own opened device alone. */
    uint64_t result = 0;
    CHECK(flexio_process_call(p, &empty_completion, &result, (uint64_t)dv.cqn) ==
          FLEXIO_STATUS_FATAL_ERR);
    CHECK(ibv_destroy_cq(cq) == 0 && ibv_destroy_comp_channel(channel) == 0);
    CHECK(flexio_process_destroy(p) == OK && ibv_close_device(second) == 0);
    ibv_free_device_list(list);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(a_channel_has_an_event_for_each_arming),
        CASE(a_dpa_thread_wakes_a_host_that_waits),
        CASE(events_go_with_their_queue),
        CASE(a_host_queue_that_overruns_is_told_of),
        CASE(queues_of_the_host_are_refused_with_a_reason),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
