/* Task queues: calls that run side by side, a limited number at once. */
#include <stdlib.h>
#include <string.h>

#include "proc/engine.h"

struct dpk_tasks {
    struct dpk_process *process;
    struct list waiting, started; /* launches */
    unsigned workers, active;
    bool running;
};

static void start_tasks(struct dpk_tasks *q)
{
    while (q->running && q->active < q->workers && !list_empty(&q->waiting) &&
           q->process->failed == DPK_OK) {
        struct launch *l = owner_of(q->waiting.next, struct launch, in_process);
        list_remove(&l->in_process);
        list_append(&q->started, &l->in_process);
        q->active++;
        launch_ready(l);
    }
}

static void task_free(struct launch *l)
{
    list_remove(&l->in_process);
    list_remove(&l->pending);
    free(l->args);
    free(l);
}

void task_end(struct launch *l)
{
    struct dpk_tasks *q = l->tasks;
    task_free(l);
    q->active--;
    start_tasks(q);
}

enum dpk_status dpk_tasks_create(struct dpk_process *p, unsigned workers, struct dpk_tasks **out,
                                 struct dpk_error *err)
{
    *out = NULL;
    if (workers < 1 || workers > DPK_EUS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a task queue of %u workers, not 1 to %d", workers,
                        DPK_EUS_MAX);
    enum dpk_status status = dpk_process_state(p, err);
    if (status != DPK_OK)
        return status;
    struct dpk_tasks *q = calloc(1, sizeof *q);
    if (!q)
        return dpk_fail_nomem(err);
    q->process = p;
    q->workers = workers;
    list_init(&q->waiting);
    list_init(&q->started);
    *out = q;
    return DPK_OK;
}

enum dpk_status dpk_tasks_add(struct dpk_tasks *q, const struct dpk_call *call, uint64_t argument,
                              struct dpk_error *err)
{
    if (call->argument_size > sizeof argument)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "the function of a task takes one argument of 8 bytes, not %llu bytes",
                        (unsigned long long)call->argument_size);
    struct launch *l = malloc(sizeof *l);
    uint64_t *args = malloc(sizeof *args);
    if (!l || !args) {
        free(args);
        free(l);
        return dpk_fail_nomem(err);
    }
    *args = argument;
    launch_init(l, q->process, call);
    l->args = args;
    l->args_size = (size_t)call->argument_size;
    l->tasks = q;
    engine_lock();
    enum dpk_status status = process_state(q->process, err);
    if (status == DPK_OK) {
        list_append(&q->waiting, &l->in_process);
        start_tasks(q);
    } else {
        task_free(l);
    }
    engine_unlock();
    return status;
}

enum dpk_status dpk_tasks_run(struct dpk_tasks *q, struct dpk_error *err)
{
    engine_lock();
    enum dpk_status status = process_state(q->process, err);
    if (status == DPK_OK && !engine_start_workers())
        status = dpk_fail(err, DPK_ERR_NOMEM, "the host gives no thread to run on");
    if (status == DPK_OK) {
        q->running = true;
        start_tasks(q);
    }
    engine_unlock();
    return status;
}

bool dpk_tasks_empty(struct dpk_tasks *q)
{
    engine_lock();
    bool empty = list_empty(&q->waiting) && list_empty(&q->started);
    engine_unlock();
    return empty;
}

/* Ends the threads of its tasks; those that have one in a turn end with that. */
static void end_threads(struct dpk_tasks *q)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = q->process->slots[i];
        if (!t || !t->launch || t->launch->tasks != q)
            continue;
        if (t->state == THREAD_RUNNING)
            t->stopping = true;
        else
            thread_end(t, END_FINISH, 0);
    }
}

static bool any_started(const struct dpk_tasks *q)
{
    for (struct list *n = q->started.next; n != &q->started; n = n->next)
        if (owner_of(n, struct launch, in_process)->started)
            return true;
    return false;
}

void dpk_tasks_destroy(struct dpk_tasks *q)
{
    struct host_wait w;
    if (!q)
        return;
    engine_lock();
    if (the_engine.forked) {
        engine_unlock();
        return;
    }
    q->running = false;
    host_wait_begin(&w, q->process);
    end_threads(q);
    while (any_started(q))
        host_wait_sleep(&w);
    host_wait_end(&w);
    while (!list_empty(&q->started))
        task_free(owner_of(q->started.next, struct launch, in_process));
    while (!list_empty(&q->waiting))
        task_free(owner_of(q->waiting.next, struct launch, in_process));
    engine_unlock();
    free(q);
}
