/* runtime/engine/proc: task queues, calls after a failure, memory outside of the process. */
#include <poll.h>
#include <pthread.h>

#include "dpa.h"
#include "engine/rv64/rv64.h"

/* ---- Task queues ---- */

static struct dpk_tasks *tasks(struct dpk_process *p, unsigned workers)
{
    struct dpk_tasks *q = NULL;
    assert_int_equal(dpk_tasks_create(p, workers, &q, NULL), DPK_OK);
    return q;
}

static void task(struct dpk_process *p, struct dpk_tasks *q, const char *name, uint64_t argument)
{
    struct dpk_call call = function(p, name);
    assert_int_equal(dpk_tasks_add(q, &call, argument, NULL), DPK_OK);
}

static void tasks_end(struct dpk_tasks *q)
{
    assert_true(comes_true(dpk_tasks_empty(q)));
}

static void every_task_runs_once(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_tasks *q = tasks(p, 8);
    uint64_t at = buffer(p, 24);
    assert_true(dpk_tasks_empty(q));
    for (int i = 0; i < 100; i++)
        task(p, q, "handle_and_return", at);
    usleep(5000);
    assert_int_equal(word(p, at), 0); /* not running yet */
    assert_false(dpk_tasks_empty(q));
    assert_int_equal(dpk_tasks_run(q, NULL), DPK_OK);
    tasks_end(q);
    assert_int_equal(word(p, at), 100);
    task(p, q, "handle_and_return", at); /* running: at once */
    tasks_end(q);
    assert_int_equal(word(p, at), 101);
    dpk_tasks_destroy(q);
    dpk_process_destroy(p);
}

static void no_more_tasks_at_once_than_workers(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_tasks *q = tasks(p, 3);
    uint64_t at = buffer(p, 24);
    for (int i = 0; i < 10; i++)
        task(p, q, "handle_slowly", at);
    assert_int_equal(dpk_tasks_run(q, NULL), DPK_OK);
    assert_true(comes_true(word(p, at) >= 3));
    usleep(10000);
    assert_int_equal(word(p, at), 3);
    set_word(p, at + 8, 1);
    tasks_end(q);
    assert_int_equal(word(p, at), 10);
    dpk_tasks_destroy(q);
    dpk_process_destroy(p);
}

static void queue_is_destroyed_with_tasks_in_every_state(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t at = buffer(p, 24);
    for (int i = 0; i < 20; i++) {
        struct dpk_tasks *q = tasks(p, 3);
        for (int k = 0; k < 10; k++)
            task(p, q, "handle_slowly", at);
        if (i > 0)
            assert_int_equal(dpk_tasks_run(q, NULL), DPK_OK);
        usleep((unsigned)i * 20);
        dpk_tasks_destroy(q);
        uint64_t before = dpk_process_instructions(p);
        usleep(500);
        assert_int_equal(dpk_process_instructions(p), before);
    }
    dpk_tasks_destroy(NULL);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    dpk_process_destroy(p);
}

static void failure_ends_tasks(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_tasks *q = tasks(p, 1); /* in order: some are left */
    struct dpk_call call = function(p, "add");
    assert_int_equal(dpk_tasks_add(q, &call, 0, NULL), DPK_ERR_RANGE); /* two arguments */
    for (int i = 0; i < 10; i++)
        task(p, q, "load", i == 3 ? 8 : 0x80000000);
    buffer(p, 8);
    assert_int_equal(dpk_tasks_run(q, NULL), DPK_OK);
    while (dpk_process_state(p, NULL) == DPK_OK)
        usleep(100);
    call = function(p, "nothing");
    assert_int_equal(dpk_tasks_add(q, &call, 0, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_tasks_run(q, NULL), DPK_ERR_FAULT);
    assert_false(dpk_tasks_empty(q)); /* they never ended as tasks do */
    dpk_tasks_destroy(q);
    dpk_process_destroy(p);
}

static void workers_are_1_to_256(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_tasks *q = NULL;
    assert_int_equal(dpk_tasks_create(p, 0, &q, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_tasks_create(p, 257, &q, NULL), DPK_ERR_RANGE);
    assert_null(q);
    dpk_tasks_destroy(tasks(p, 256));
    dpk_process_destroy(p);
}

/* ---- After a failure ---- */

static void failure_makes_its_descriptor_readable(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct pollfd fd = {.fd = dpk_process_failure_fd(p), .events = POLLIN};
    assert_true(fd.fd >= 0);
    assert_int_equal(dpk_process_failure_fd(p), fd.fd);
    assert_int_equal(poll(&fd, 1, 0), 0);
    assert_int_equal(try_rpc(p, "illegal", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    assert_int_equal(poll(&fd, 1, 5000), 1);
    dpk_process_destroy(p);
    p = process();
    assert_int_equal(try_rpc(p, "illegal", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    fd.fd = dpk_process_failure_fd(p);
    assert_int_equal(poll(&fd, 1, 0), 1);
    dpk_process_destroy(p);
}

static void last_words_run_in_the_failed_process(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_call words = function(p, "handle_nothing");
    uint64_t at = 0;
    assert_int_equal(dpk_process_set_error_handler(p, &words, NULL), DPK_OK);
    struct dpk_image *image = kernels_image();
    assert_true(dpk_image_symbol(image, "handled_without_argument", &at, NULL));
    dpk_image_free(image);
    assert_int_equal(try_rpc(p, "illegal", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    assert_true(comes_true(word(p, at) > 0));
    usleep(2000);
    assert_int_equal(word(p, at), 1);
    assert_int_equal(dpk_process_state(p, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
}

static void last_words_may_fault_or_never_end(void **state)
{
    (void)state;
    const char *const words[] = {"illegal", "spin", "load"};
    for (unsigned i = 0; i < 15; i++) {
        struct dpk_process *p = process();
        struct dpk_call call = function(p, words[i % 3]);
        struct dpk_error err = {0};
        assert_int_equal(dpk_process_set_error_handler(p, &call, NULL), DPK_OK);
        launch(p, (struct kernel){"spin", .threads = 4});
        assert_int_equal(try_rpc(p, "breakpoint", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
        usleep(i * 100);
        assert_int_equal(dpk_process_state(p, &err), DPK_ERR_FAULT);
        assert_non_null(strstr(err.message, "breakpoint"));
        dpk_process_destroy(p);
    }
    struct dpk_process *p = process();
    struct dpk_call call = function(p, "spin");
    assert_int_equal(dpk_process_set_error_handler(p, &call, NULL), DPK_OK);
    dpk_process_destroy(p); /* no failure: none */
}

/* ---- Memory outside ---- */

struct world {
    uint64_t words[4];
    unsigned found, released, written;
};

static void *find(void *context, const struct dpk_caller *caller, uint64_t address, unsigned size,
                  bool write, void **pinned, char *reason)
{
    struct world *w = context;
    uint64_t offset = address - RV64_EXTERNAL_BASE;
    (void)caller;
    if (offset > sizeof w->words - size) {
        snprintf(reason, DPK_FAULT_REASON_MAX, "beyond four words");
        return NULL;
    }
    *pinned = &w->found;
    w->found++;
    w->written += write;
    return (uint8_t *)w->words + offset;
}

static void release(void *context, void *pinned)
{
    struct world *w = context;
    w->released += pinned == &w->found;
}

static void device_reaches_what_is_outside(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct world w = {.words = {11, 22, 33, 44}};
    dpk_process_set_external_memory(
        p, &(struct dpk_external_memory){.find = find, .release = release, .context = &w});
    assert_int_equal(rpc(p, "load", RV64_EXTERNAL_BASE + 8, 0), 22);
    rpc(p, "store", RV64_EXTERNAL_BASE + 24, 55);
    assert_int_equal(w.words[3], 55);
    assert_int_equal(rpc(p, "sum", RV64_EXTERNAL_BASE, 32), 11 + 22 + 33 + 55);
    rpc(p, "count", RV64_EXTERNAL_BASE, 1000); /* atomic */
    assert_int_equal(w.words[0], 1011);
    assert_int_equal(w.found, w.released);
    assert_int_equal(w.found, 1 + 1 + 32 + 1000);
    assert_int_equal(w.written, 1 + 1000);
    dpk_process_destroy(p);
}

static void the_rest_outside_faults(void **state)
{
    (void)state;
    struct world w = {0};
    const struct dpk_external_memory outside = {.find = find, .release = release, .context = &w};
    const uint64_t bad[] = {RV64_EXTERNAL_BASE + 32, RV64_EXTERNAL_BASE - 8,
                            RV64_EXTERNAL_BASE + 28, UINT64_MAX - 7};
    for (unsigned i = 0; i < 4; i++) {
        struct dpk_process *p = process();
        dpk_process_set_external_memory(p, &outside);
        assert_int_equal(try_rpc(p, "load", bad[i], 0, 0, NULL, NULL), DPK_ERR_FAULT);
        dpk_process_destroy(p);
        p = process();
        dpk_process_set_external_memory(p, &outside);
        assert_int_equal(try_rpc(p, "jump", RV64_EXTERNAL_BASE, 0, 0, NULL, NULL), DPK_ERR_FAULT);
        dpk_process_destroy(p);
    }
    assert_int_equal(w.found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(no_more_tasks_at_once_than_workers),
        cmocka_unit_test(queue_is_destroyed_with_tasks_in_every_state),
        cmocka_unit_test(failure_ends_tasks),
        cmocka_unit_test(workers_are_1_to_256),
        cmocka_unit_test(failure_makes_its_descriptor_readable),
        cmocka_unit_test(last_words_run_in_the_failed_process),
        cmocka_unit_test(last_words_may_fault_or_never_end),
        cmocka_unit_test(device_reaches_what_is_outside),
        cmocka_unit_test(the_rest_outside_faults),
    };
    return cmocka_run_group_tests_name("proc tasks", tests, NULL, NULL);
}
