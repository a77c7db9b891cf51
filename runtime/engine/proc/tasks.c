/* Task queues: calls that run concurrently, up to a limit. */
#include <stdlib.h>

#include "engine/proc/launch.h"

struct task {
    struct launch launch;
    struct dpk_tasks *queue;
};

struct dpk_tasks {
    struct dpk_process *process;
    struct list waiting, started; /* launches */
    unsigned workers, active;
    bool running;
};

static struct task *task_at(struct list *node)
{
    return owner_of(node, struct task, launch.in_process);
}

static void start_tasks(struct dpk_tasks *q)
{
    while (q->running && q->active < q->workers && !list_empty(&q->waiting) &&
           q->process->failed == DPK_OK) {
        struct task *t = task_at(q->waiting.next);
        list_remove(&t->launch.in_process);
        list_append(&q->started, &t->launch.in_process);
        q->active++;
        proc_launch_start(&t->launch);
    }
}

static void task_free(struct task *t)
{
    list_remove(&t->launch.in_process);
    proc_launch_forget(&t->launch);
    free(t->launch.args);
    free(t);
}

static void task_ended(struct launch *l, uint64_t result)
{
    struct task *t = owner_of(l, struct task, launch);
    struct dpk_tasks *q = t->queue;
    (void)result;
    task_free(t);
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
    struct task *t = malloc(sizeof *t);
    uint64_t *args = malloc(sizeof *args);
    if (!t || !args) {
        free(args);
        free(t);
        return dpk_fail_nomem(err);
    }
    *args = argument;
    t->queue = q;
    proc_launch_init(&t->launch, q->process, call, task_ended);
    t->launch.args = args;
    t->launch.args_size = (size_t)call->argument_size;
    sched_lock();
    enum dpk_status status = proc_process_state(q->process, err);
    if (status == DPK_OK) {
        list_append(&q->waiting, &t->launch.in_process);
        start_tasks(q);
    } else {
        task_free(t);
    }
    sched_unlock();
    return status;
}

enum dpk_status dpk_tasks_run(struct dpk_tasks *q, struct dpk_error *err)
{
    sched_lock();
    enum dpk_status status = proc_process_state(q->process, err);
    if (status == DPK_OK)
        status = proc_process_start_workers(err);
    if (status == DPK_OK) {
        q->running = true;
        start_tasks(q);
    }
    sched_unlock();
    return status;
}

bool dpk_tasks_empty(struct dpk_tasks *q)
{
    sched_lock();
    bool empty = list_empty(&q->waiting) && list_empty(&q->started);
    sched_unlock();
    return empty;
}

/* Ends the harts of the queue's tasks. Running harts end with their slice. */
static void end_harts(struct dpk_tasks *q)
{
    for (unsigned i = 0; i < HARTS_MAX; i++) {
        struct hart *h = q->process->harts[i];
        if (h && h->launch && h->launch->ended == task_ended &&
            owner_of(h->launch, struct task, launch)->queue == q)
            sched_hart_stop(&h->sched);
    }
}

static bool any_started(const struct dpk_tasks *q)
{
    for (struct list *n = q->started.next; n != &q->started; n = n->next)
        if (task_at(n)->launch.started)
            return true;
    return false;
}

void dpk_tasks_destroy(struct dpk_tasks *q)
{
    struct sched_waiter w;
    if (!q)
        return;
    sched_lock();
    if (sched_is_forked()) {
        sched_unlock();
        return;
    }
    q->running = false;
    sched_waiter_begin(&w, &q->process->group);
    end_harts(q);
    while (any_started(q))
        sched_waiter_sleep(&w);
    sched_waiter_end(&w);
    while (!list_empty(&q->started))
        task_free(task_at(q->started.next));
    while (!list_empty(&q->waiting))
        task_free(task_at(q->waiting.next));
    sched_unlock();
    free(q);
}
