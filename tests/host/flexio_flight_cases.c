/* Memory of FlexIO programs that is taken back while accesses to it are in flight;
 * host_flexio_flight.bats runs them. */
#include <sys/wait.h>

#include "held.h"
#include "queue_world.h"

#define EVERYTHING                                                                                 \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |                   \
     IBV_ACCESS_REMOTE_ATOMIC)
#define WRITE 4 /* of struct work */
#define NOP   7

/* ---- DPA memory ---- */

/* A page of a process with a key; `held` is that page in the host. */
struct target {
    struct flexio_process *p;
    flexio_uintptr_t block, page;
    struct flexio_mkey *mkey;
    struct held held;
};

static struct target target_new(struct flexio_process *p)
{
    static uint64_t mark = UINT64_C(0x6b72616d7465683a);
    struct target t = {.p = p};
    t.block = zeros(p, 2 * HELD_PAGE);
    t.page = (t.block + HELD_PAGE - 1) / HELD_PAGE * HELD_PAGE;
    struct flexio_mkey_attr attr = {
        .pd = flexio_process_get_pd(p), .daddr = t.page, .len = HELD_PAGE, .access = EVERYTHING};
    CHECK(flexio_device_mkey_create(p, &attr, &t.mkey) == OK);
    mark++;
    CHECK(flexio_host2dev_memcpy(p, &mark, sizeof mark, t.page) == OK);
    t.held = held_find(mark);
    return t;
}

/* A write of one queue pair, to memory of the other one's domain. */
struct write {
    struct set from, to;
    flexio_uintptr_t work;
};

static struct write write_to(struct flexio_process *p, const struct target *t)
{
    struct write w = {queue_pair(p, EVERYTHING), queue_pair(p, EVERYTHING), 0};
    connect_pair(w.from.qp, w.to.qp);
    connect_pair(w.to.qp, w.from.qp);
    struct work work = {.kind = WRITE,
                        .local = w.from.q.data,
                        .local_key = w.from.q.key,
                        .size = 64,
                        .address = t->page,
                        .key = flexio_mkey_get_id(t->mkey)};
    CHECK(flexio_copy_from_host(p, &work, sizeof work, &w.work) == OK);
    return w;
}

static int write_run(void *argument)
{
    const struct write *w = argument;
    uint64_t result;
    return flexio_process_call(w->from.p, &post, &result, w->from.at, w->work);
}

static void write_end(struct write *w)
{
    set_end(&w->from);
    set_end(&w->to);
    CHECK(flexio_process_destroy(w->from.p) == OK);
}

static int destroy_key(void *target)
{
    return flexio_device_mkey_destroy(((struct target *)target)->mkey);
}

static int free_block(void *target)
{
    const struct target *t = target;
    return flexio_buf_dev_free(t->p, t->block);
}

static int destroy_process(void *target)
{
    return flexio_process_destroy(((struct target *)target)->p);
}

static void destroying_a_key_waits_for_queues(void)
{
    struct flexio_process *p = queue_process();
    struct target t = target_new(p);
    struct write w = write_to(p, &t);
    int ended;
    CHECK(held_take(&t.held, write_run, &w, destroy_key, &t, &ended) == OK && ended == OK);
    CHECK(call1(p, &next_sent, w.from.at) == OUTCOME(0, 0, 0, 64u));
    write_end(&w);
}

static void freeing_memory_waits_for_queues(void)
{
    struct flexio_process *p = queue_process();
    struct target t = target_new(p);
    struct write w = write_to(p, &t);
    int ended;
    CHECK(held_take(&t.held, write_run, &w, free_block, &t, &ended) == OK && ended == OK);
    CHECK(flexio_device_mkey_destroy(t.mkey) == OK);
    write_end(&w);
}

/* The memory is one process's, the queues are another's, of the same domain. */
static void destroying_a_process_waits_for_queues_of_others(void)
{
    struct ibv_pd *pd = ibv_alloc_pd(context);
    const struct flexio_process_attr attr = {.pd = pd};
    struct flexio_process *p = NULL, *other = NULL;
    CHECK(flexio_process_create(context, queue_app, &attr, &p) == OK);
    CHECK(flexio_process_create(context, queue_app, &attr, &other) == OK);
    struct target t = target_new(other);
    struct write w = write_to(p, &t);
    int ended;
    CHECK(held_take(&t.held, write_run, &w, destroy_process, &t, &ended) == OK && ended == OK);
    CHECK(call1(p, &next_sent, w.from.at) == OUTCOME(0, 0, 0, 64u));
    CHECK(flexio_device_mkey_destroy(t.mkey) == OK);
    write_end(&w);
    CHECK(ibv_dealloc_pd(pd) == 0);
}

static int destroy_pair(void *write)
{
    return flexio_qp_destroy(((struct write *)write)->to.qp);
}

static void destroying_a_queue_pair_waits_for_its_requests(void)
{
    struct flexio_process *p = queue_process();
    struct target t = target_new(p);
    struct write w = write_to(p, &t);
    int ended;
    CHECK(held_take(&t.held, write_run, &w, destroy_pair, &w, &ended) == OK && ended == OK);
    w.to.qp = NULL;
    CHECK(flexio_device_mkey_destroy(t.mkey) == OK);
    write_end(&w);
}

/* ---- Queues ---- */

struct armer {
    struct set s;
    flexio_uintptr_t began;
};

static int arm_run(void *argument)
{
    const struct armer *a = argument;
    uint64_t result;
    return flexio_process_call(a->s.p, &arm_on_and_on, &result, a->began,
                               (uint64_t)a->s.q.send_cqn);
}

/* The device looks for a queue while all go. */
static void queues_go_while_the_device_looks_for_them(void)
{
    for (int i = 0; i < 20; i++) {
        struct flexio_process *p = queue_process();
        struct armer a = {ethernet(p, NULL), zeros(p, 8)};
        struct call arming;
        call_begin(&arming, arm_run, &a);
        while (call1(p, &peek, a.began) == 0)
            ;
        CHECK(flexio_process_destroy(p) == OK);
        CHECK(call_end(&arming) == FLEXIO_STATUS_FATAL_ERR);
        CHECK(flexio_device_mkey_destroy(a.s.mkey) == OK);
    }
}

/* ---- The host's copies ---- */

/* A copy that is held in the host's memory. */
struct copy {
    struct flexio_process *p;
    struct held held;
    flexio_uintptr_t at;
};

static int copy_run(void *argument)
{
    const struct copy *c = argument;
    return flexio_host2dev_memcpy(c->p, c->held.at, HELD_PAGE, c->at);
}

static int free_copied(void *argument)
{
    const struct copy *c = argument;
    return flexio_buf_dev_free(c->p, c->at);
}

static void freeing_memory_waits_for_copies(void)
{
    struct copy c = {.p = queue_process(), .held = held_new(1)};
    int ended;
    c.at = zeros(c.p, HELD_PAGE);
    CHECK(held_take(&c.held, copy_run, &c, free_copied, &c, &ended) == OK && ended == OK);
    CHECK(flexio_process_destroy(c.p) == OK);
}

/* Who copies there is not in the child. */
static void a_child_of_fork_waits_for_no_copies(void)
{
    struct copy c = {.p = queue_process(), .held = held_new(1)};
    struct call copying;
    int status = 0;
    c.at = zeros(c.p, HELD_PAGE);
    alarm(60);
    held_hold(&c.held);
    call_begin(&copying, copy_run, &c);
    held_wait(&c.held);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        flexio_buf_dev_free(c.p, c.at);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    held_let_go(&c.held);
    CHECK(call_end(&copying) == OK && flexio_buf_dev_free(c.p, c.at) == OK);
    held_end(&c.held);
    CHECK(flexio_process_destroy(c.p) == OK);
}

/* ---- Rings in host memory ---- */

/* A send queue with its ring, or its completion queue's, in a page of the host. */
struct ring_in_host {
    struct set s;
    struct flexio_cq *cq;
    struct held held;
    struct mlx5dv_devx_umem *umem;
    flexio_uintptr_t work;
};

static struct ring_in_host ring_in_host(bool completions)
{
    struct ring_in_host r = {.s = ethernet(queue_process(), NULL), .held = held_new(1)};
    struct set *s = &r.s;
    uint64_t ring, record;
    CHECK((r.umem = mlx5dv_devx_umem_reg(context, r.held.at, HELD_PAGE, IBV_ACCESS_LOCAL_WRITE)));
    const struct flexio_qmem place = {.memtype = FLEXIO_MEMTYPE_HOST, .umem_id = r.umem->umem_id};
    struct flexio_cq_attr cq = {.log_cq_depth = LOG_DEPTH,
                                .element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ,
                                .cq_ring_qmem = place,
                                .cq_dbr_daddr = zeros(s->p, 8)};
    struct flexio_wq_attr sq = {.log_wq_depth = LOG_DEPTH, .wq_ring_qmem = {.daddr = s->q.sends}};
    if (completions) {
        CHECK(flexio_cq_create(s->p, NULL, &cq, &r.cq) == OK);
    } else {
        r.cq = make_cq(s->p, NULL, &ring, &record);
        sq.wq_ring_qmem = place;
    }
    CHECK(flexio_sq_destroy(s->sq) == OK);
    CHECK(flexio_sq_create(s->p, NULL, flexio_cq_get_cq_num(r.cq), &sq, &s->sq) == OK);
    s->q.send_number = flexio_sq_get_wq_num(s->sq);
    CHECK(flexio_host2dev_memcpy(s->p, &s->q, sizeof s->q, s->at) == OK);
    const struct work nop = {.kind = NOP};
    CHECK(flexio_copy_from_host(s->p, (void *)&nop, sizeof nop, &r.work) == OK);
    return r;
}

static int post_nop(void *argument)
{
    const struct ring_in_host *r = argument;
    uint64_t result;
    return flexio_process_call(r->s.p, &post, &result, r->s.at, r->work);
}

static int deregister_umem(void *umem)
{
    return mlx5dv_devx_umem_dereg(umem);
}

/* A queue is held in its ring. */
static void deregistering_waits(bool completions)
{
    struct ring_in_host r = ring_in_host(completions);
    int ended;
    CHECK(held_take(&r.held, post_nop, &r, deregister_umem, r.umem, &ended) == 0 && ended == OK);
    set_end(&r.s);
    CHECK(flexio_cq_destroy(r.cq) == OK && flexio_process_destroy(r.s.p) == OK);
}

static void deregistering_host_memory_waits_for_completions(void)
{
    deregistering_waits(true);
}

static void deregistering_host_memory_waits_for_requests_that_are_read(void)
{
    deregistering_waits(false);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(destroying_a_key_waits_for_queues),
        CASE(freeing_memory_waits_for_queues),
        CASE(destroying_a_process_waits_for_queues_of_others),
        CASE(destroying_a_queue_pair_waits_for_its_requests),
        CASE(queues_go_while_the_device_looks_for_them),
        CASE(freeing_memory_waits_for_copies),
        CASE(a_child_of_fork_waits_for_no_copies),
        CASE(deregistering_host_memory_waits_for_completions),
        CASE(deregistering_host_memory_waits_for_requests_that_are_read),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
