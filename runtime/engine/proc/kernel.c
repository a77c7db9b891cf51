#include "engine/proc/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "engine/proc/launch.h"
#include "engine/proc/stall.h"
#include "engine/proc/trace.h"

struct kernel {
    struct launch launch;
    uint64_t number; /* number within the process, from 1 */
    struct sched_wait wait;
    struct stall stall;
    struct dpk_event *wait_event, *complete;
    bool complete_adds;
    uint64_t complete_count;
};

static struct kernel *kernel_of(struct launch *l)
{
    return owner_of(l, struct kernel, launch);
}

static void kernel_free(struct kernel *k)
{
    if (tracing())
        proc_trace_launch(&k->launch, 'e');
    list_remove(&k->launch.in_process);
    proc_launch_forget(&k->launch);
    list_remove(&k->wait.node);
    proc_stall_end(&k->stall);
    proc_event_unref(k->wait_event);
    proc_event_unref(k->complete);
    free(k->launch.args);
    free(k);
}

static struct kernel *first_of(const struct dpk_process *p)
{
    return kernel_of(owner_of(p->launches.next, struct launch, in_process));
}

/* Lets a kernel start, or wait for its event. */
static void start(struct kernel *k)
{
    const struct dpk_event *e = k->wait_event;
    if (!e || sched_counter_exceeds(&e->counter, k->wait.threshold, k->wait.mask)) {
        proc_launch_start(&k->launch);
        return;
    }
    sched_wait_begin(&k->wait, &k->wait_event->counter);
    proc_stall_begin(&k->stall, k->launch.process, e, k->wait.threshold, k->wait.mask, k->number);
}

static void event_came(struct sched_wait *w)
{
    struct kernel *k = owner_of(w, struct kernel, wait);
    proc_stall_end(&k->stall);
    proc_launch_start(&k->launch);
}

static void kernel_ended(struct launch *l, uint64_t result)
{
    struct kernel *k = kernel_of(l);
    struct dpk_process *p = l->process;
    (void)result;
    list_remove(&l->in_process);
    if (p->failed == DPK_OK && k->complete)
        proc_event_set(k->complete,
                       k->complete_count + (k->complete_adds ? dpk_event_get(k->complete) : 0));
    kernel_free(k);
}

void proc_kernels_forget(struct dpk_process *p)
{
    for (struct list *n = p->launches.next, *next; n != &p->launches; n = next) {
        struct launch *l = owner_of(n, struct launch, in_process);
        next = n->next;
        if (!l->started)
            kernel_free(kernel_of(l));
    }
}

/* ---- Host calls ---- */

/* Copies the arguments. Returns NULL if memory is exhausted. */
static struct kernel *kernel_create(struct dpk_process *p, const struct dpk_launch *launch)
{
    struct kernel *k = malloc(sizeof *k); /* faster than calloc */
    void *args = launch->args_size ? malloc(launch->args_size) : NULL;
    if (!k || (launch->args_size && !args)) {
        free(args);
        free(k);
        return NULL;
    }
    if (args)
        memcpy(args, launch->args, launch->args_size);
    *k = (struct kernel){.complete_adds = launch->complete_adds,
                         .complete_count = launch->complete_count};
    proc_launch_init(&k->launch, p, &launch->call, kernel_ended);
    k->launch.threads = launch->threads;
    k->launch.args = args;
    k->launch.args_size = launch->args_size;
    sched_wait_init(&k->wait, event_came);
    k->wait.threshold = launch->wait_threshold;
    k->wait.mask = UINT64_MAX;
    return k;
}

/* A kernel without others before it runs for a moment here. */
static void append(struct dpk_process *p, struct kernel *k, const struct dpk_launch *launch)
{
    if ((k->wait_event = launch->wait))
        proc_event_ref(k->wait_event);
    if ((k->complete = launch->complete))
        proc_event_ref(k->complete);
    const bool only = list_empty(&p->launches);
    list_append(&p->launches, &k->launch.in_process);
    k->number = ++p->launches_made;
    if (tracing())
        proc_trace_launch(&k->launch, 'b');
    start(k);
    if (only)
        sched_run_moment(&p->group);
}

enum dpk_status dpk_process_launch(struct dpk_process *p, const struct dpk_launch *launch,
                                   struct dpk_error *err)
{
    if (launch->threads < 1 || launch->threads > DPK_THREADS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a launch of %u threads, not 1 to %d", launch->threads,
                        DPK_THREADS_MAX);
    enum dpk_status status = proc_launch_check(&launch->call, launch->args_size, err);
    if (status != DPK_OK)
        return status;
    struct kernel *k = kernel_create(p, launch);
    if (!k)
        return dpk_fail_nomem(err);
    sched_lock();
    status = proc_process_state(p, err);
    const unsigned units = dpk_units_count(&p->units.ungrouped);
    if (status == DPK_OK && launch->threads > units)
        status = dpk_fail(err, DPK_ERR_RANGE,
                          "a launch of %u threads, there are %u execution units%s", launch->threads,
                          units, p->units.group_count ? " that are in no EU group" : "");
    if (status == DPK_OK)
        status = proc_process_start_workers(err);
    if (status == DPK_OK)
        append(p, k, launch);
    else
        kernel_free(k);
    sched_unlock();
    return status;
}

enum dpk_status dpk_process_drain(struct dpk_process *p, struct dpk_error *err)
{
    struct sched_waiter w;
    sched_lock();
    sched_waiter_begin(&w, &p->group);
    const uint64_t last = p->launches_made;
    enum dpk_status status;
    while ((status = proc_process_state(p, err)) == DPK_OK && !list_empty(&p->launches) &&
           first_of(p)->number <= last)
        sched_waiter_work(&w);
    sched_waiter_end(&w);
    sched_unlock();
    return status;
}
