/* Kernels and RPCs: from a call of the host to DPA threads and back. */
#include <stdlib.h>
#include <string.h>

#include "dpaos/engine.h"

static struct engine *const engine = &dpaos_engine;

/* ---- Threads -------------------------------------------------------------------------------- */

/* Kernels and calls wait for threads apart: a kernel that polls for ever may wait for a call. */
static struct line *line_of(const struct launch *l)
{
    return l->rpc ? &engine->calls : &engine->kernels;
}

/* A thread of the process that is idle; made, with its stack, if there is none yet. */
static struct thread *idle_thread(struct dpk_process *p)
{
    unsigned slot = 0;
    while (slot < SLOTS && p->slots[slot] && p->slots[slot]->state != THREAD_IDLE)
        slot++;
    if (slot == SLOTS)
        return NULL;
    if (p->slots[slot])
        return p->slots[slot];
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    uint64_t stack = STACKS_BASE + slot * STACK_STRIDE + STACK_GUARD;
    if (!rv64_memory_map(p->memory, stack, STACK_SIZE, RV64_R | RV64_W)) {
        free(t);
        return NULL;
    }
    t->process = p;
    t->slot = slot;
    t->wait.who = WAIT_THREAD;
    list_init(&t->wait.node);
    list_init(&t->queued);
    list_init(&t->active);
    p->slots[slot] = t;
    return t;
}

/* Starts one thread as dpa_abi.h says; it has no place to run yet. NULL: out of memory. */
static struct thread *start_thread(struct launch *l, unsigned rank)
{
    struct dpk_process *p = l->process;
    struct thread *t = idle_thread(p);
    if (!t)
        return NULL;
    uint64_t top = STACKS_BASE + t->slot * STACK_STRIDE + STACK_GUARD + STACK_SIZE;
    uint64_t args = top - (l->args_size + 15) / 16 * 16;
    if (l->args_size)
        rv64_memory_store(p->memory, args, l->args, l->args_size);
    uint64_t retired = t->hart.instret;
    t->hart = (struct rv64_hart){.pc = dpk_image_entry(p->image), .instret = retired};
    t->hart.x[2] = args; /* sp */
    t->hart.x[10] = args;
    t->hart.x[11] = l->call.function;
    t->hart.x[12] = l->call.unpack;
    t->launch = l;
    t->rank = rank;
    t->deadline = engine_now() + p->limit;
    t->state = THREAD_RUNNING; /* until the caller queues it */
    if (t->deadline < engine->next_deadline)
        engine->next_deadline = t->deadline;
    list_append(&engine->active, &t->active);
    line_of(l)->active++;
    l->started = true;
    l->remaining++;
    return t;
}

/* ---- Launches ------------------------------------------------------------------------------- */

static bool fits(const struct launch *l)
{
    return line_of(l)->active + l->threads <= line_of(l)->max;
}

static void launch_threads(struct launch *l)
{
    struct dpk_process *p = l->process;
    for (unsigned rank = 0; rank < l->threads; rank++) {
        struct thread *t = start_thread(l, rank);
        if (!t) {
            process_fail(p, DPK_ERR_NOMEM, "out of memory for the threads of a launch");
            return;
        }
        engine_enqueue(t);
    }
}

void launch_ready(struct launch *l)
{
    if (fits(l) && list_empty(&line_of(l)->pending))
        launch_threads(l);
    else
        list_append(&line_of(l)->pending, &l->pending);
}

static void admit_pending(struct line *line)
{
    while (!list_empty(&line->pending)) {
        struct launch *l = owner_of(line->pending.next, struct launch, pending);
        bool dead = l->process->failed != DPK_OK; /* its caller is about to learn it */
        if (!dead && !fits(l))
            return;
        list_remove(&l->pending);
        if (!dead)
            launch_threads(l);
    }
}

/* Lets the first kernel of the process start, or wait for its event. */
static void launch_first(struct dpk_process *p)
{
    if (p->failed != DPK_OK || list_empty(&p->launches))
        return;
    struct launch *l = owner_of(p->launches.next, struct launch, in_process);
    if (l->wait_event && !event_satisfies(l->wait_event, l->wait.threshold, l->wait.mask))
        list_append(&l->wait_event->waits, &l->wait.node);
    else
        launch_ready(l);
}

static void kernel_free(struct launch *l)
{
    list_remove(&l->in_process);
    list_remove(&l->pending);
    list_remove(&l->wait.node);
    event_unref(l->wait_event);
    event_unref(l->complete);
    free(l->args);
    free(l);
}

static void kernel_end(struct launch *l)
{
    struct dpk_process *p = l->process;
    list_remove(&l->in_process);
    p->launches_ended++;
    if (p->failed == DPK_OK && l->complete)
        event_update(l->complete,
                     l->complete_count + (l->complete_adds ? dpk_event_get(l->complete) : 0));
    kernel_free(l);
    launch_first(p);
}

void thread_end(struct thread *t, uint64_t result)
{
    struct launch *l = t->launch;
    struct dpk_process *p = t->process;
    struct line *line = line_of(l);
    t->state = THREAD_IDLE;
    t->launch = NULL;
    list_remove(&t->active);
    list_remove(&t->queued);
    list_remove(&t->wait.node);
    line->active--;
    if (--l->remaining == 0) {
        if (l->rpc) {
            l->result = result;
            l->done = true;
        } else {
            kernel_end(l);
        }
        process_wake_hosts(p);
    }
    admit_pending(line);
}

/* ---- Failure -------------------------------------------------------------------------------- */

void process_fail(struct dpk_process *p, enum dpk_status status, const char *story)
{
    if (p->failed != DPK_OK)
        return;
    p->failed = status;
    snprintf(p->failure, sizeof p->failure, "%s", story);
    for (struct list *n = p->launches.next, *next; n != &p->launches; n = next) {
        struct launch *l = owner_of(n, struct launch, in_process);
        next = n->next;
        if (!l->started)
            kernel_free(l);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = p->slots[i];
        if (t && (t->state == THREAD_QUEUED || t->state == THREAD_BLOCKED))
            thread_end(t, 0);
    }
    admit_pending(&engine->kernels); /* one of these may have been the first in the line */
    process_wake_hosts(p);
}

/* ---- Calls of the host ---------------------------------------------------------------------- */

static enum dpk_status check_args(const struct dpk_call *call, size_t size, struct dpk_error *err)
{
    if (size != call->argument_size || size > ARGUMENTS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes of arguments, the function takes %llu", size,
                        (unsigned long long)call->argument_size);
    return DPK_OK;
}

static void launch_init(struct launch *l, struct dpk_process *p, const struct dpk_call *call)
{
    *l = (struct launch){.process = p, .call = *call, .threads = 1};
    l->wait.who = WAIT_LAUNCH;
    list_init(&l->wait.node);
    list_init(&l->in_process);
    list_init(&l->pending);
}

/* Runs the call on the caller's own thread if that is free to do so, else queues it. */
static void rpc_start(struct launch *l)
{
    struct dpk_process *p = l->process;
    if (engine_may_run() && fits(l)) {
        struct thread *t = start_thread(l, 0);
        if (t)
            engine_run(t, true);
        else
            process_fail(p, DPK_ERR_NOMEM, "out of memory for the thread of a call");
    } else {
        launch_ready(l);
    }
    if (!l->done && !engine_start_workers())
        process_fail(p, DPK_ERR_NOMEM, "the host gives no thread to run on");
    /* Whoever sleeps on the queue learns of the new deadline. */
    if (!l->done)
        pthread_cond_signal(&engine->work);
}

enum dpk_status dpk_process_call(struct dpk_process *p, const struct dpk_call *call,
                                 const void *args, size_t size, uint64_t *result,
                                 struct dpk_error *err)
{
    enum dpk_status status = check_args(call, size, err);
    if (status != DPK_OK)
        return status;
    struct launch l;
    struct host_wait w = {0};
    launch_init(&l, p, call);
    l.rpc = true;
    l.args = (void *)args; /* only read */
    l.args_size = size;
    engine_lock();
    status = process_state(p, err);
    if (status == DPK_OK) {
        host_wait_begin(&w, p);
        rpc_start(&l);
        while (!l.done && (p->failed == DPK_OK || l.started))
            host_wait_sleep(&w, 0);
        list_remove(&l.pending);
        status = process_state(p, err);
        if (result)
            *result = status == DPK_OK ? l.result : 0;
        host_wait_end(&w, p);
    }
    engine_unlock();
    return status;
}

/* A kernel with a copy of the arguments; NULL: out of memory. */
static struct launch *kernel_create(struct dpk_process *p, const struct dpk_launch *launch)
{
    struct launch *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    launch_init(l, p, &launch->call);
    l->threads = launch->threads;
    l->wait.threshold = launch->wait_threshold;
    l->wait.mask = UINT64_MAX;
    l->complete_adds = launch->complete_adds;
    l->complete_count = launch->complete_count;
    l->args_size = launch->args_size;
    if (l->args_size == 0)
        return l;
    l->args = malloc(l->args_size);
    if (!l->args) {
        free(l);
        return NULL;
    }
    memcpy(l->args, launch->args, l->args_size);
    return l;
}

enum dpk_status dpk_process_launch(struct dpk_process *p, const struct dpk_launch *launch,
                                   struct dpk_error *err)
{
    if (launch->threads < 1 || launch->threads > DPK_THREADS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a launch of %u threads, not 1 to %d", launch->threads,
                        DPK_THREADS_MAX);
    enum dpk_status status = check_args(&launch->call, launch->args_size, err);
    if (status != DPK_OK)
        return status;
    struct launch *l = kernel_create(p, launch);
    if (!l)
        return dpk_fail_nomem(err);
    engine_lock();
    status = process_state(p, err);
    if (status == DPK_OK && !engine_start_workers())
        status = dpk_fail(err, DPK_ERR_NOMEM, "the host gives no thread to run on");
    if (status == DPK_OK) {
        if ((l->wait_event = launch->wait))
            launch->wait->references++;
        if ((l->complete = launch->complete))
            launch->complete->references++;
        bool first = list_empty(&p->launches);
        list_append(&p->launches, &l->in_process);
        p->launches_made++;
        if (first)
            launch_first(p);
    } else {
        kernel_free(l);
    }
    engine_unlock();
    return status;
}

enum dpk_status dpk_process_drain(struct dpk_process *p, struct dpk_error *err)
{
    struct host_wait w = {0};
    engine_lock();
    host_wait_begin(&w, p);
    uint64_t target = p->launches_made;
    enum dpk_status status;
    while ((status = process_state(p, err)) == DPK_OK && p->launches_ended < target)
        host_wait_sleep(&w, 0);
    host_wait_end(&w, p);
    engine_unlock();
    return status;
}
