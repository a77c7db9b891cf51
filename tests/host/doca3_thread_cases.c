/* Threads, and the events that wake them. */
#include <doca_rdma.h>
#include <pthread.h>

#include "doca3_world.h"

/* A thread of thread_kernel with a notification completion, started, not run. */
struct fixture {
    struct doca_dpa *dpa;
    struct doca_dpa_thread *thread;
    struct doca_dpa_notification_completion *notification;
    doca_dpa_dev_notification_completion_t handle;
    struct doca_sync_event *event;
    doca_dpa_dev_uintptr_t arg;
};

static struct fixture fixture_new(struct doca_dpa *dpa, uint32_t kind, uint64_t wakes)
{
    struct fixture f = {.dpa = dpa, .event = event_new(dpa, DPA, CPU)};
    struct thread_arg arg = {.kind = kind, .event = handle_of(f.event, dpa), .notify = wakes};
    CHECK(doca_dpa_mem_alloc(dpa, sizeof arg, &f.arg) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, f.arg, &arg, sizeof arg) == OK);
    CHECK(doca_dpa_thread_create(dpa, &f.thread) == OK);
    CHECK(doca_dpa_thread_set_func_arg(f.thread, &thread_kernel, f.arg) == OK);
    CHECK(doca_dpa_thread_start(f.thread) == OK);
    CHECK(doca_dpa_notification_completion_create(dpa, f.thread, &f.notification) == OK);
    CHECK(doca_dpa_notification_completion_start(f.notification) == OK);
    CHECK(doca_dpa_notification_completion_get_dpa_handle(f.notification, &f.handle) == OK);
    return f;
}

static void fixture_destroy(const struct fixture *f)
{
    CHECK(doca_dpa_notification_completion_destroy(f->notification) == OK);
    CHECK(doca_dpa_thread_destroy(f->thread) == OK);
    CHECK(doca_dpa_mem_free(f->dpa, f->arg) == OK);
    CHECK(doca_sync_event_destroy(f->event) == OK);
}

static void notify_times(const struct fixture *f, uint64_t times)
{
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(f->dpa, &notify, &result, f->handle, times) == OK && result == 0);
}

static void run_alone_calls_nothing(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RESCHEDULE, 0);
    CHECK(doca_dpa_thread_run(f.thread) == OK);
    pause_ms(20);
    CHECK(value_of(f.event) == 0);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void every_notification_is_one_activation(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RESCHEDULE, 0);
    uint64_t count = 0;
    notify_times(&f, 5); /* not run yet: lost */
    CHECK(doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 7);
    wait_above(f.event, 6);
    pause_ms(20);
    CHECK(value_of(f.event) == 7);
    CHECK(doca_dpa_rpc(dpa, &count_activations, &count) == OK && count == 7);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_finished_thread_runs_again_only_when_it_is_notified(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_FINISH, 0);
    CHECK(doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 1);
    wait_above(f.event, 0);
    notify_times(&f, 3);
    pause_ms(20);
    CHECK(value_of(f.event) == 1);
    while (doca_dpa_thread_run(f.thread) != OK) /* its last activation is not over yet */
        pause_ms(1);
    notify_times(&f, 1);
    wait_above(f.event, 1);
    CHECK(value_of(f.event) == 2);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_thread_wakes_itself(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RETRIGGER, 0);
    CHECK(doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 1);
    wait_above(f.event, 4);
    pause_ms(20);
    CHECK(value_of(f.event) == 5);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_thread_wakes_another(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture second = fixture_new(dpa, THEN_RESCHEDULE, 0);
    struct fixture first = fixture_new(dpa, THEN_NOTIFY, second.handle);
    CHECK(doca_dpa_thread_run(first.thread) == OK && doca_dpa_thread_run(second.thread) == OK);
    notify_times(&first, 10);
    wait_above(second.event, 9);
    CHECK(value_of(first.event) == 10 && value_of(second.event) == 10);
    fixture_destroy(&first);
    fixture_destroy(&second);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_thread_has_its_storage_and_needs_no_argument(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RESCHEDULE, 0);
    uint64_t storage[2] = {handle_of(f.event, dpa), 0}, back[2] = {0, 0};
    doca_dpa_dev_uintptr_t p = 0;
    CHECK(doca_dpa_mem_alloc(dpa, sizeof storage, &p) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, p, storage, sizeof storage) == OK);
    CHECK(doca_dpa_thread_set_local_storage(f.thread, p) == BAD_STATE); /* started */
    CHECK(doca_dpa_thread_stop(f.thread) == OK);
    CHECK(doca_dpa_thread_set_local_storage(f.thread, p) == OK);
    CHECK(doca_dpa_thread_set_func_arg(f.thread, storage_kernel, 0) == OK);
    CHECK(doca_dpa_thread_start(f.thread) == OK && doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 3); /* the notification found the thread again */
    wait_above(f.event, 2);
    CHECK(doca_dpa_thread_stop(f.thread) == OK); /* what it wrote is there now */
    CHECK(doca_dpa_d2h_memcpy(dpa, back, p, sizeof back) == OK && back[1] == 3);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void affinity_is_to_units_that_there_are(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RESCHEDULE, 0);
    struct doca_dpa_eu_affinity *a = NULL;
    unsigned eus = 0, eu = 0;
    CHECK(doca_dpa_get_total_num_eus_available(dpa, &eus) == OK && eus > 0 && eus <= 256);
    CHECK(doca_dpa_thread_stop(f.thread) == OK);
    CHECK(doca_dpa_eu_affinity_create(dpa, &a) == OK);
    CHECK(doca_dpa_thread_set_affinity(f.thread, a) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_dpa_eu_affinity_get(a, &eu) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_dpa_eu_affinity_set(a, eus) == OK &&
          doca_dpa_thread_set_affinity(f.thread, a) == OK);
    CHECK(doca_dpa_thread_start(f.thread) != OK);
    CHECK(doca_dpa_eu_affinity_set(a, eus - 1) == OK);
    CHECK(doca_dpa_eu_affinity_get(a, &eu) == OK && eu == eus - 1);
    CHECK(doca_dpa_thread_set_affinity(f.thread, a) == OK);
    CHECK(doca_dpa_eu_affinity_clear(a) == OK && doca_dpa_eu_affinity_destroy(a) == OK);
    CHECK(doca_dpa_thread_start(f.thread) == OK && doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 1);
    wait_above(f.event, 0);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_thread_that_never_returns_is_stopped(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RESCHEDULE, 0);
    CHECK(doca_dpa_thread_stop(f.thread) == OK);
    CHECK(doca_dpa_thread_set_func_arg(f.thread, &spin, 0) == OK);
    CHECK(doca_dpa_thread_start(f.thread) == OK && doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 1);
    pause_ms(20);
    CHECK(doca_dpa_thread_stop(f.thread) == OK && doca_dpa_thread_stop(f.thread) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(dpa) == OK);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void globals_are_one_for_each_context(void)
{
    struct doca_dpa *a = dpa_new(), *b = dpa_new();
    struct fixture f = fixture_new(a, THEN_RESCHEDULE, 0);
    uint64_t in_a = 0, in_b = 99;
    CHECK(doca_dpa_thread_run(f.thread) == OK);
    notify_times(&f, 4);
    wait_above(f.event, 3);
    CHECK(doca_dpa_rpc(a, &count_activations, &in_a) == OK && in_a == 4);
    CHECK(doca_dpa_rpc(b, &count_activations, &in_b) == OK && in_b == 0);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(a) == OK && doca_dpa_destroy(b) == OK);
}

static void thread_functions_check_their_arguments(void)
{
    struct doca_dpa *dpa = dpa_new(), *other = dpa_new();
    struct doca_dpa_thread *t = NULL, *foreign = NULL;
    struct doca_dpa_notification_completion *n = NULL;
    struct doca_dpa_completion *q = NULL;
    uint64_t handle = 0;
    unsigned size = 0;
    CHECK(doca_dpa_thread_create(dpa, NULL) == INVALID &&
          doca_dpa_thread_create(NULL, &t) == INVALID);
    CHECK(doca_dpa_thread_create(dpa, &t) == OK && doca_dpa_thread_create(other, &foreign) == OK);
    CHECK(doca_dpa_thread_set_func_arg(t, NULL, 0) == INVALID);
    CHECK(doca_dpa_thread_start(t) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_dpa_thread_run(t) == BAD_STATE && doca_dpa_thread_stop(t) == BAD_STATE);
    CHECK(doca_dpa_thread_set_func_arg(t, &two_structures, 0) == OK);
    CHECK(doca_dpa_thread_start(t) == INVALID); /* more than one parameter */
    CHECK(doca_dpa_thread_set_func_arg(t, &thread_kernel, 0) == OK);
    CHECK(doca_dpa_thread_start(t) == OK && doca_dpa_thread_start(t) == BAD_STATE);
    CHECK(doca_dpa_notification_completion_create(other, t, &n) == INVALID && !n);
    CHECK(doca_dpa_notification_completion_create(dpa, t, &n) == OK);
    CHECK(doca_dpa_notification_completion_get_dpa_handle(n, &handle) == BAD_STATE);
    CHECK(doca_dpa_notification_completion_stop(n) == BAD_STATE);
    CHECK(doca_dpa_notification_completion_start(n) == OK);
    CHECK(doca_dpa_notification_completion_start(n) == BAD_STATE);
    CHECK(doca_dpa_completion_start((void *)n) == INVALID); /* of another kind */
    CHECK(doca_dpa_completion_create(dpa, 0, &q) == INVALID);
    CHECK(doca_dpa_completion_create(dpa, 65537, &q) == INVALID);
    CHECK(doca_dpa_completion_create(dpa, 16, &q) == OK);
    CHECK(doca_dpa_completion_get_queue_size(q, &size) == OK && size == 16);
    CHECK(doca_dpa_completion_set_thread(q, foreign) == INVALID);
    CHECK(doca_dpa_completion_get_dpa_handle(q, &handle) == BAD_STATE);
    CHECK(doca_dpa_completion_set_thread(q, t) == OK && doca_dpa_completion_start(q) == OK);
    CHECK(doca_dpa_completion_set_thread(q, t) == BAD_STATE);
    CHECK(doca_dpa_completion_get_dpa_handle(q, &handle) == OK && handle != 0);
    CHECK(doca_dpa_thread_destroy(t) == OK && doca_dpa_thread_destroy(t) == INVALID);
    CHECK(doca_dpa_thread_run(t) == INVALID);
    CHECK(doca_dpa_destroy(dpa) == OK); /* before what was made with it */
    CHECK(doca_dpa_completion_get_dpa_handle(q, &handle) == BAD_STATE);
    CHECK(doca_dpa_completion_stop(q) == BAD_STATE && doca_dpa_completion_destroy(q) == OK);
    CHECK(doca_dpa_notification_completion_destroy(n) == OK);
    CHECK(doca_dpa_notification_completion_destroy(n) == INVALID);
    CHECK(doca_dpa_thread_destroy(foreign) == OK && doca_dpa_destroy(other) == OK);
}

static void a_queue_checks_what_the_device_does(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_dpa_completion *q = NULL;
    doca_dpa_dev_completion_t handle = 0;
    uint64_t result = 0;
    CHECK(doca_dpa_completion_create(dpa, 4, &q) == OK && doca_dpa_completion_start(q) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(q, &handle) == OK);
    CHECK(doca_dpa_rpc(dpa, &request, &result, handle) == OK);
    CHECK(doca_dpa_rpc(dpa, &acknowledge, &result, handle, UINT64_C(0)) == OK);
    CHECK(doca_dpa_rpc(dpa, &acknowledge, &result, handle, UINT64_C(1)) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE);
    CHECK(doca_dpa_completion_destroy(q) == OK && doca_dpa_destroy(dpa) == OK);
    dpa = dpa_new();
    CHECK(doca_dpa_rpc(dpa, &request, &result, handle) == BAD_STATE); /* gone */
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* What posts completions to a queue: an RDMA context, whose writes to its peer's memory end. */
struct poster {
    struct doca_dpa *dpa;
    struct doca_rdma *from, *peer;
    struct doca_mmap *map;
    uint64_t handle, memory[2];
    uint32_t key;
};

#define ACCESS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE)

/* `q`: NULL, or where its completions go. */
static struct doca_rdma *rdma_new(struct doca_dpa *dpa, struct doca_dpa_completion *q)
{
    struct doca_rdma *r = NULL;
    CHECK(doca_rdma_create(dev, &r) == OK && doca_rdma_set_permissions(r, ACCESS) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(r), dpa) == OK);
    CHECK(!q || doca_rdma_dpa_completion_attach(r, q) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(r)) == OK);
    return r;
}

static void poster_begin(struct poster *p, struct doca_dpa *dpa, struct doca_dpa_completion *q)
{
    struct doca_rdma_connection *ours, *theirs;
    const void *x, *y;
    size_t n, m;
    *p = (struct poster){.dpa = dpa, .from = rdma_new(dpa, q), .peer = rdma_new(dpa, NULL)};
    CHECK(doca_rdma_export(p->from, &x, &n, &ours) == OK);
    CHECK(doca_rdma_export(p->peer, &y, &m, &theirs) == OK);
    CHECK(doca_rdma_connect(p->from, y, m, ours) == OK);
    CHECK(doca_rdma_connect(p->peer, x, n, theirs) == OK);
    CHECK(doca_rdma_get_dpa_handle(p->from, &p->handle) == OK);
    CHECK(doca_mmap_create(&p->map) == OK && doca_mmap_set_permissions(p->map, ACCESS) == OK);
    CHECK(doca_mmap_set_memrange(p->map, p->memory, sizeof p->memory) == OK);
    CHECK(doca_mmap_add_dev(p->map, dev) == OK && doca_mmap_start(p->map) == OK);
    CHECK(doca_mmap_dev_get_dpa_handle(p->map, dev, &p->key) == OK);
}

static void poster_end(struct poster *p)
{
    CHECK(doca_rdma_destroy(p->from) == OK && doca_rdma_destroy(p->peer) == OK);
    CHECK(doca_mmap_destroy(p->map) == OK);
}

/* One completion, which is posted when it returns. */
static doca_error_t post(struct poster *p)
{
    const uint64_t at = (uintptr_t)p->memory;
    uint64_t result = 0;
    return doca_dpa_rpc(p->dpa, &rdma_one, &result, p->handle, RDMA_WRITE, p->key, at,
                        (uint64_t)p->key, at + 8, UINT64_C(8), 1u);
}

static uint64_t activations_of(struct doca_dpa *dpa)
{
    uint64_t count = 0;
    CHECK(doca_dpa_rpc(dpa, &count_activations, &count) == OK);
    return count;
}

/* A queue for the thread of a fixture, which polls it, asks for the next one, says so in `asked`
 * and goes. */
static struct doca_dpa_completion *polled_queue(struct fixture *f, struct doca_sync_event *asked)
{
    struct doca_dpa_completion *q = NULL;
    uint64_t handle = 0;
    struct thread_arg arg = {
        .kind = THEN_POLL, .event = handle_of(f->event, f->dpa), .asked = handle_of(asked, f->dpa)};
    CHECK(doca_dpa_completion_create(f->dpa, 4, &q) == OK);
    CHECK(doca_dpa_completion_set_thread(q, f->thread) == OK);
    CHECK(doca_dpa_completion_start(q) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(q, &handle) == OK);
    arg.queue = handle;
    CHECK(doca_dpa_h2d_memcpy(f->dpa, f->arg, &arg, sizeof arg) == OK);
    CHECK(doca_dpa_thread_run(f->thread) == OK);
    return q;
}

static void a_completion_wakes_only_who_asked_for_it(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_POLL, 0);
    struct doca_sync_event *asked = event_new(dpa, DPA, CPU);
    struct doca_dpa_completion *q = polled_queue(&f, asked);
    struct poster p;
    poster_begin(&p, dpa, q);
    pause_ms(20);
    CHECK(activations_of(dpa) == 0);
    CHECK(post(&p) == OK); /* the first one wakes it unasked */
    wait_above(asked, 0);
    pause_ms(20);
    CHECK(value_of(f.event) == 1 && activations_of(dpa) == 1);
    CHECK(post(&p) == OK); /* it asked */
    wait_above(asked, 1);
    pause_ms(20);
    CHECK(value_of(f.event) == 2 && activations_of(dpa) == 2);
    for (uint64_t i = 1; i <= 20; i++) { /* the thread asked again: each wakes it */
        CHECK(post(&p) == OK);
        wait_above(f.event, 1 + i);
    }
    pause_ms(20);
    CHECK(value_of(f.event) == 22 && activations_of(dpa) <= 22);
    poster_end(&p);
    CHECK(doca_dpa_completion_destroy(q) == OK);
    fixture_destroy(&f);
    CHECK(doca_sync_event_destroy(asked) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_queue_that_is_full_ends_its_process(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_dpa_completion *q = NULL;
    CHECK(doca_dpa_completion_create(dpa, 4, &q) == OK && doca_dpa_completion_start(q) == OK);
    struct poster p;
    poster_begin(&p, dpa, q);
    for (int i = 0; i < 4; i++)
        CHECK(post(&p) == OK);
    CHECK(doca_dpa_peek_at_last_error(dpa) == OK);
    post(&p);
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE);
    poster_end(&p);
    CHECK(doca_dpa_completion_stop(q) == OK && doca_dpa_completion_destroy(q) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void *restart_thread(void *thread)
{
    for (int i = 0; i < 300; i++) {
        CHECK(doca_dpa_thread_stop(thread) == OK);
        CHECK(doca_dpa_thread_start(thread) == OK && doca_dpa_thread_run(thread) == OK);
    }
    return NULL;
}

static void queues_and_threads_are_stopped_under_each_other(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct fixture f = fixture_new(dpa, THEN_RESCHEDULE, 0);
    struct doca_dpa_completion *q = NULL;
    uint64_t handle = 0, result = 0;
    struct poster p;
    pthread_t other;
    CHECK(doca_dpa_thread_run(f.thread) == OK);
    CHECK(doca_dpa_completion_create(dpa, 4, &q) == OK);
    CHECK(doca_dpa_completion_set_thread(q, f.thread) == OK);
    CHECK(pthread_create(&other, NULL, restart_thread, f.thread) == 0);
    for (int i = 0; i < 300; i++) {
        CHECK(doca_dpa_completion_start(q) == OK);
        CHECK(doca_dpa_completion_get_dpa_handle(q, &handle) == OK);
        CHECK(doca_dpa_rpc(dpa, &request, &result, handle) == OK);
        poster_begin(&p, dpa, q);
        CHECK(post(&p) == OK);
        notify_times(&f, 2);
        poster_end(&p);
        CHECK(doca_dpa_completion_stop(q) == OK);
    }
    pthread_join(other, NULL);
    uint64_t before = value_of(f.event);
    notify_times(&f, 1); /* it still runs */
    wait_above(f.event, before);
    CHECK(doca_dpa_peek_at_last_error(dpa) == OK && doca_dpa_completion_destroy(q) == OK);
    fixture_destroy(&f);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void threads_of_a_group_know_their_ranks(void)
{
    struct doca_dpa *dpa = dpa_new(), *foreign = dpa_new();
    struct doca_sync_event *e = event_new(dpa, DPA, CPU);
    struct doca_dpa_notification_completion *n[3];
    struct doca_dpa_thread *t[3], *other = NULL;
    struct doca_dpa_tg *tg = NULL;
    uint64_t handle = 0, result = 0;
    unsigned int count = 0;
    CHECK(doca_dpa_thread_group_create(dpa, 0, &tg) == INVALID);
    CHECK(doca_dpa_thread_group_create(dpa, 3, &tg) == OK);
    CHECK(doca_dpa_thread_group_get_num_threads(tg, &count) == OK && count == 3);
    CHECK(doca_dpa_thread_create(foreign, &other) == OK);
    CHECK(doca_dpa_thread_group_set_thread(tg, other, 0) == INVALID);
    CHECK(doca_dpa_thread_group_start(tg) == DOCA_ERROR_BAD_CONFIG);
    for (unsigned int i = 0; i < 3; i++) {
        CHECK(doca_dpa_thread_create(dpa, &t[i]) == OK);
        CHECK(doca_dpa_thread_set_func_arg(t[i], &rank_kernel, handle_of(e, dpa)) == OK);
        CHECK(doca_dpa_thread_group_set_thread(tg, t[i], 3) == INVALID);
        CHECK(doca_dpa_thread_group_set_thread(tg, t[i], i) == OK);
        CHECK(doca_dpa_thread_group_set_thread(tg, t[i], i) == DOCA_ERROR_ALREADY_EXIST);
        CHECK(doca_dpa_thread_start(t[i]) == OK);
        CHECK(doca_dpa_thread_group_set_thread(tg, t[i], i) == BAD_STATE);
        CHECK(doca_dpa_notification_completion_create(dpa, t[i], &n[i]) == OK);
        CHECK(doca_dpa_notification_completion_start(n[i]) == OK);
    }
    CHECK(doca_dpa_thread_group_start(tg) == OK && doca_dpa_thread_group_start(tg) == BAD_STATE);
    for (unsigned int i = 0; i < 3; i++) {
        const uint64_t before = value_of(e);
        CHECK(doca_dpa_thread_run(t[i]) == OK);
        CHECK(doca_dpa_notification_completion_get_dpa_handle(n[i], &handle) == OK);
        CHECK(doca_dpa_rpc(dpa, &notify, &result, handle, UINT64_C(1)) == OK);
        wait_above(e, before);
        CHECK(value_of(e) == before + 3000 + i);
    }
    CHECK(doca_dpa_thread_group_stop(tg) == OK && doca_dpa_thread_group_stop(tg) == BAD_STATE);
    for (unsigned int i = 0; i < 3; i++)
        CHECK(doca_dpa_notification_completion_destroy(n[i]) == OK &&
              doca_dpa_thread_destroy(t[i]) == OK);
    CHECK(doca_dpa_thread_group_destroy(tg) == OK && doca_dpa_thread_destroy(other) == OK);
    CHECK(doca_sync_event_destroy(e) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_destroy(foreign) == OK);
}

const struct test_case thread_cases[] = {
    CASE(run_alone_calls_nothing),
    CASE(every_notification_is_one_activation),
    CASE(a_finished_thread_runs_again_only_when_it_is_notified),
    CASE(a_thread_wakes_itself),
    CASE(a_thread_wakes_another),
    CASE(a_thread_has_its_storage_and_needs_no_argument),
    CASE(affinity_is_to_units_that_there_are),
    CASE(a_thread_that_never_returns_is_stopped),
    CASE(globals_are_one_for_each_context),
    CASE(thread_functions_check_their_arguments),
    CASE(a_queue_checks_what_the_device_does),
    CASE(a_completion_wakes_only_who_asked_for_it),
    CASE(a_queue_that_is_full_ends_its_process),
    CASE(queues_and_threads_are_stopped_under_each_other),
    CASE(threads_of_a_group_know_their_ranks),
    {0},
};
