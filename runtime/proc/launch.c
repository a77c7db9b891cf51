/* Kernels and RPCs: from a call of the host to DPA threads and back; what runs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/engine.h"

static struct engine *const engine = &the_engine;

/* ---- Threads -------------------------------------------------------------------------------- */

static struct thread *thread_create(struct dpk_process *p, unsigned slot)
{
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
    t->caller.thread_id = slot;
    t->eu = NO_EU;
    t->wait.who = WAIT_THREAD;
    list_init(&t->wait.node);
    list_init(&t->wait.untold);
    list_init(&t->queued);
    list_init(&t->timed);
    p->slots[slot] = t;
    return t;
}

struct thread *thread_take(struct dpk_process *p)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        struct thread *t = p->slots[slot];
        if (!t)
            return thread_create(p, slot);
        if (t->state == THREAD_IDLE && !t->object && !t->failed)
            return t;
    }
    return NULL;
}

void thread_reset(struct thread *t, const struct dpk_call *call, const void *args, size_t size)
{
    uint64_t top = STACKS_BASE + t->slot * STACK_STRIDE + STACK_GUARD + STACK_SIZE;
    uint64_t at = top - (size + 15) / 16 * 16;
    if (size)
        rv64_memory_store(t->process->memory, at, args, size);
    uint64_t retired = t->hart.instret;
    t->hart = (struct rv64_hart){.pc = dpk_image_entry(t->process->image), .instret = retired};
    t->hart.x[2] = at; /* sp */
    t->hart.x[10] = at;
    t->hart.x[11] = call->function;
    t->hart.x[12] = call->unpack;
    t->begun = false;
    t->ran = 0;
    t->rank = 0;
    t->peers = 1;
    t->for_workers = false;
    t->called = false;
    t->rpc = false;
    t->function = call->function;
    t->stopping = false;
    memset(t->caller.state, 0, sizeof t->caller.state);
    debug_started(t);
}

/* Starts one thread of a launch; it has no place to run yet. NULL: out of memory. */
static struct thread *start_thread(struct launch *l, unsigned rank)
{
    static const struct dpk_affinity any = {.kind = DPK_AFFINITY_NONE};
    struct thread *t = thread_take(l->process);
    if (!t)
        return NULL;
    thread_reset(t, &l->call, l->args, l->args_size);
    t->launch = l;
    t->rpc = l->rpc;
    t->rank = rank;
    t->peers = l->threads;
    t->state = THREAD_RUNNING; /* until the caller queues it */
    if (l->rpc)
        engine->calls_active++;
    else
        eu_take(t, &any); /* there is one: see fits() */
    l->started = true;
    l->remaining++;
    return t;
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* Calls need no execution unit: a kernel that polls for ever may wait for a call. */
static bool fits(const struct launch *l)
{
    return l->rpc ? engine->calls_active < DPK_CALLS_MAX : l->threads <= eus_free();
}

static struct list *line_of(const struct launch *l)
{
    return l->rpc ? &engine->calls : &engine->kernels;
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
    if (fits(l) && list_empty(line_of(l)))
        launch_threads(l);
    else
        list_append(line_of(l), &l->pending);
}

static void admit(struct list *line)
{
    while (!list_empty(line)) {
        struct launch *l = owner_of(line->next, struct launch, pending);
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
    if (l->wait_event && !event_satisfies(l->wait_event, l->wait.threshold, l->wait.mask)) {
        list_append(&l->wait_event->waits, &l->wait.node);
        notice_begin(&l->wait);
    } else {
        launch_ready(l);
    }
}

static void kernel_free(struct launch *l)
{
    if (tracing())
        trace_launch(l, 'e');
    list_remove(&l->in_process);
    list_remove(&l->pending);
    list_remove(&l->wait.node);
    list_remove(&l->wait.untold);
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

static void launch_thread_end(struct launch *l, uint64_t result)
{
    struct dpk_process *p = l->process;
    if (l->rpc)
        engine->calls_active--;
    if (--l->remaining > 0)
        return;
    if (l->rpc) {
        l->result = result;
        l->done = true;
    } else if (l->tasks) {
        task_end(l);
    } else {
        kernel_end(l);
    }
    process_wake_hosts(p);
}

void thread_end(struct thread *t, enum end how, uint64_t result)
{
    struct launch *l = t->launch;
    struct dpk_process *p = t->process;
    t->state = THREAD_IDLE;
    t->failed = p->failed != DPK_OK && !t->last_words;
    t->last_words = false;
    t->launch = NULL;
    list_remove(&t->queued);
    list_remove(&t->timed);
    list_remove(&t->wait.node);
    eu_give(t);
    if (t->stopping)
        process_wake_hosts(p);
    if (t->object) {
        activation_end(t->object, how);
    } else if (l) {
        launch_thread_end(l, result);
    }
    admit(&engine->kernels);
    admit(&engine->calls);
}

/* ---- Failure -------------------------------------------------------------------------------- */

bool thread_is_doomed(const struct thread *t)
{
    return t->process->failed != DPK_OK && !t->last_words;
}

static void last_words(struct dpk_process *p)
{
    const uint64_t zero = 0, one = 1;
    if (p->failure_fd >= 0)
        (void)!write(p->failure_fd, &one, sizeof one); /* if not, it is readable already */
    struct thread *t = p->last_words.function ? thread_take(p) : NULL;
    if (!t)
        return;
    thread_reset(t, &p->last_words, &zero, p->last_words.argument_size);
    t->last_words = true;
    engine_enqueue(t);
}

void last_words_end(struct dpk_process *p)
{
    p->last_words.function = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = p->slots[i];
        if (t && t->last_words && t->state != THREAD_RUNNING)
            thread_end(t, END_FINISH, 0);
        else if (t && t->last_words)
            t->stopping = true;
    }
}

void process_fail(struct dpk_process *p, enum dpk_status status, const char *story)
{
    if (p->failed != DPK_OK)
        return;
    p->failed = status;
    snprintf(p->failure, sizeof p->failure, "%s", story);
    dpk_text_clean(p->failure); /* there are names of the program in it */
    if (tracing() && (p->culprit || status == DPK_ERR_NOMEM))
        trace_failure(p);
    for (struct list *n = p->launches.next, *next; n != &p->launches; n = next) {
        struct launch *l = owner_of(n, struct launch, in_process);
        next = n->next;
        if (!l->started)
            kernel_free(l);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = p->slots[i];
        if (t && t->state != THREAD_IDLE && t->state != THREAD_RUNNING)
            thread_end(t, END_FINISH, 0);
    }
    last_words(p);
    admit(&engine->kernels); /* one of these may have been the first in the line */
    process_wake_hosts(p);
    debug_failed(p);
}

void dpk_process_end(struct dpk_process *p, const char *story)
{
    engine_lock();
    if (!engine->forked) /* whom it would wake is not in this process */
        process_fail(p, DPK_ERR_FAULT, story);
    engine_unlock();
}

/* ---- Calls of the host ---------------------------------------------------------------------- */

static enum dpk_status check_args(const struct dpk_call *call, size_t size, struct dpk_error *err)
{
    if (size != call->argument_size || size > ARGUMENTS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%zu bytes of arguments, the function takes %llu", size,
                        (unsigned long long)call->argument_size);
    return DPK_OK;
}

void launch_init(struct launch *l, struct dpk_process *p, const struct dpk_call *call)
{
    *l = (struct launch){.process = p, .call = *call, .threads = 1};
    l->wait.who = WAIT_LAUNCH;
    list_init(&l->wait.node);
    list_init(&l->wait.untold);
    list_init(&l->in_process);
    list_init(&l->pending);
}

/* Runs the call on the caller's own thread if that is free to do so, else queues it. */
static void rpc_start(struct launch *l, struct host_wait *w)
{
    struct dpk_process *p = l->process;
    if (engine_may_run() && fits(l) && p->holds == 0) {
        struct thread *t = start_thread(l, 0);
        w->own = t;
        if (t)
            engine_run(t, w);
        else
            process_fail(p, DPK_ERR_NOMEM, "out of memory for the thread of a call");
    } else {
        launch_ready(l);
    }
    if (!l->done && !engine_start_workers())
        process_fail(p, DPK_ERR_NOMEM, "the host gives no thread to run on");
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
        if (tracing())
            trace_launch(&l, 'b');
        rpc_start(&l, &w);
        while (!l.done && (p->failed == DPK_OK || l.started))
            host_wait_work(&w);
        list_remove(&l.pending);
        if (tracing())
            trace_launch(&l, 'e');
        status = process_state(p, err);
        if (result)
            *result = status == DPK_OK ? l.result : 0;
        host_wait_end(&w);
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
    if (status == DPK_OK && launch->threads > engine->eu_count)
        status =
            dpk_fail(err, DPK_ERR_RANGE, "a launch of %u threads, there are %u execution units",
                     launch->threads, engine->eu_count);
    if (status == DPK_OK && !engine_start_workers())
        status = dpk_fail(err, DPK_ERR_NOMEM, "the host gives no thread to run on");
    if (status == DPK_OK) {
        if ((l->wait_event = launch->wait))
            launch->wait->references++;
        if ((l->complete = launch->complete))
            launch->complete->references++;
        bool first = list_empty(&p->launches);
        list_append(&p->launches, &l->in_process);
        l->number = ++p->launches_made;
        if (tracing())
            trace_launch(l, 'b');
        bool here = first && engine_takes(p);
        if (first)
            launch_first(p);
        if (here)
            engine_run_taken();
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
        host_wait_work(&w);
    host_wait_end(&w);
    engine_unlock();
    return status;
}
