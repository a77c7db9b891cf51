#include "engine/proc/launch.h"

#include "engine/proc/failure.h"

static struct {
    struct list kernels;   /* launches that wait for execution units */
    struct list calls;     /* RPCs that wait until another of DPK_CALLS_MAX ends */
    unsigned calls_active; /* RPCs that have a hart */
} line = {.kernels = {&line.kernels, &line.kernels}, .calls = {&line.calls, &line.calls}};

static void caught_up(struct sched_wait *w);

void proc_launch_init(struct launch *l, struct dpk_process *p, const struct dpk_call *call,
                      void (*ended)(struct launch *l, uint64_t result))
{
    *l = (struct launch){.process = p, .call = *call, .threads = 1, .ended = ended};
    list_init(&l->in_process);
    list_init(&l->pending);
    sched_wait_init(&l->head_starts, caught_up);
}

void proc_launch_forget(struct launch *l)
{
    list_remove(&l->pending);
    list_remove(&l->head_starts.node);
}

enum dpk_status proc_launch_check(const struct dpk_call *call, size_t size, struct dpk_error *err)
{
    if (size != call->argument_size || size > ARGUMENTS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes of arguments, the function takes %llu", size,
                        (unsigned long long)call->argument_size);
    return DPK_OK;
}

struct hart *proc_launch_hart(struct launch *l, unsigned rank)
{
    struct hart *h = proc_hart_take(l->process);
    if (!h)
        return NULL;
    proc_hart_reset(h, &l->call, l->args, l->args_size);
    h->launch = l;
    h->sched.share = &l->ran;
    h->rpc = l->rpc;
    h->rank = rank;
    h->peers = l->threads;
    line.calls_active += l->rpc;
    l->started = true;
    l->remaining++;
    return h;
}

/* RPCs need no execution unit: a kernel that occupies a unit may poll until an RPC has run. */
bool proc_launch_fits(const struct launch *l)
{
    return l->rpc ? line.calls_active < DPK_CALLS_MAX
                  : l->threads <=
                        sched_units_free(l->process->group.pool, &l->process->units.ungrouped);
}

static void start_harts(struct launch *l)
{
    struct dpk_process *p = l->process;
    const struct dpk_units units = l->rpc ? (struct dpk_units){0} : p->units.ungrouped;
    for (unsigned rank = 0, threads = l->threads; rank < threads; rank++) {
        struct hart *h = proc_launch_hart(l, rank);
        if (!h) {
            proc_process_fail(p, DPK_ERR_NOMEM, "out of memory for the threads of a launch");
            return;
        }
        sched_hart_start(&h->sched, units);
    }
}

static void line_up(struct launch *l)
{
    struct list *queue = l->rpc ? &line.calls : &line.kernels;
    if (proc_launch_fits(l) && list_empty(queue))
        start_harts(l);
    else
        list_append(queue, &l->pending);
    if (!l->rpc && !list_empty(&l->pending))
        sched_pool_await(l->process->group.pool);
}

static void caught_up(struct sched_wait *w)
{
    struct launch *l = owner_of(w, struct launch, head_starts);
    if (l->process->failed == DPK_OK) /* otherwise its caller learns of the failure soon */
        line_up(l);
}

/* Threads that an event has woken start first, as on a card. */
void proc_launch_start(struct launch *l)
{
    if (!sched_follow(&l->head_starts))
        line_up(l);
}

static void admit(struct list *queue)
{
    while (!list_empty(queue)) {
        struct launch *l = owner_of(queue->next, struct launch, pending);
        bool dead = l->process->failed != DPK_OK; /* its caller learns of the failure soon */
        if (!dead && !proc_launch_fits(l)) {
            if (!l->rpc)
                sched_pool_await(l->process->group.pool);
            return;
        }
        list_remove(&l->pending);
        if (!dead)
            start_harts(l);
    }
}

void proc_launches_admit(void)
{
    admit(&line.kernels);
    admit(&line.calls);
}

void proc_launch_hart_ended(struct launch *l, uint64_t result)
{
    struct dpk_process *p = l->process;
    line.calls_active -= l->rpc;
    if (--l->remaining > 0)
        return;
    l->ended(l, result);
    sched_group_wake(&p->group);
}
