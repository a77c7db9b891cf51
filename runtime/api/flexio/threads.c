/* Event handlers and command queues: DPA threads that the host creates. */
#include "private.h"

/* ---- Event handlers ---- */

struct flexio_thread {
    struct dpk_thread *dpa;
};

struct flexio_event_handler {
    struct flexio_event_handler *next; /* in the process's list */
    struct flexio_thread thread;
    struct flexio_process *process;
};

static void remember(struct flexio_event_handler *eh)
{
    pthread_mutex_lock(&eh->process->objects_lock);
    eh->next = eh->process->handlers;
    eh->process->handlers = eh;
    pthread_mutex_unlock(&eh->process->objects_lock);
}

static void forget(struct flexio_event_handler *eh)
{
    pthread_mutex_lock(&eh->process->objects_lock);
    struct flexio_event_handler **at = &eh->process->handlers;
    while (*at != eh)
        at = &(*at)->next;
    *at = eh->next;
    pthread_mutex_unlock(&eh->process->objects_lock);
}

bool libflexio_event_handler_activate(struct flexio_process *p, uint64_t id)
{
    pthread_mutex_lock(&p->objects_lock);
    struct flexio_event_handler *eh = p->handlers;
    while (eh && dpk_thread_id(eh->thread.dpa) != id)
        eh = eh->next;
    if (eh)
        dpk_thread_activate(eh->thread.dpa);
    pthread_mutex_unlock(&p->objects_lock);
    return eh != NULL;
}

bool libflexio_affinity_of(const struct flexio_affinity *from, struct dpk_affinity *to)
{
    *to = (struct dpk_affinity){.id = from->id};
    switch (from->type) {
    case FLEXIO_AFFINITY_NONE:
        to->kind = DPK_AFFINITY_NONE;
        return true;
    case FLEXIO_AFFINITY_STRICT:
        to->kind = DPK_AFFINITY_STRICT;
        return true;
    case FLEXIO_AFFINITY_GROUP:
        to->kind = DPK_AFFINITY_GROUP;
        return true;
    }
    return false;
}

flexio_status libflexio_event_handler_new(struct flexio_process *process,
                                          const struct flexio_event_handler_attr *attr,
                                          struct dpk_thread_options *options,
                                          struct flexio_event_handler **event_handler)
{
    static const char call[] = "flexio_event_handler_create";
    struct dpk_error err = {0};
    if (event_handler)
        *event_handler = NULL;
    if (!process || !attr || !attr->host_stub_func || !event_handler)
        return libflexio_failed_because(
            "%s: no process, attributes or function, or nowhere to put the event "
            "handler",
            call);
    options->argument = attr->arg;
    options->local_storage = attr->thread_local_storage_daddr;
    options->continuable = attr->continuable != 0;
    if (!libflexio_affinity_of(&attr->affinity, &options->affinity))
        return libflexio_failed_because("%s: no such affinity", call);
    struct flexio_event_handler *eh = calloc(1, sizeof *eh);
    if (!eh)
        return libflexio_failed_because("%s: out of memory", call);
    eh->process = process;
    enum dpk_status status =
        dpk_host_process_function(process->host, attr->host_stub_func, &options->call, &err);
    if (status == DPK_OK)
        status = dpk_thread_create(process->dpa, options, &eh->thread.dpa, &err);
    if (status == DPK_OK)
        status = dpk_thread_start(eh->thread.dpa, &err);
    if (status == DPK_OK) {
        remember(eh);
        *event_handler = eh;
        return FLEXIO_STATUS_SUCCESS;
    }
    dpk_thread_destroy(eh->thread.dpa);
    free(eh);
    return libflexio_failed(call, &err);
}

flexio_status flexio_event_handler_create(struct flexio_process *process,
                                          struct flexio_event_handler_attr *attr,
                                          struct flexio_event_handler **event_handler)
{
    struct dpk_thread_options options = {0};
    return libflexio_event_handler_new(process, attr, &options, event_handler);
}

flexio_status flexio_event_handler_destroy(struct flexio_event_handler *event_handler)
{
    if (event_handler) {
        forget(event_handler);
        dpk_thread_destroy(event_handler->thread.dpa);
    }
    free(event_handler);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status libflexio_event_handler_run(struct flexio_event_handler *event_handler,
                                          const uint64_t *arg)
{
    struct dpk_error err = {0};
    if (!event_handler)
        return libflexio_failed_because("flexio_event_handler_run: no event handler");
    if (dpk_thread_run(event_handler->thread.dpa, arg, &err) != DPK_OK)
        return libflexio_failed("flexio_event_handler_run", &err);
    libflexio_queues_kick(event_handler->process);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_event_handler_run(struct flexio_event_handler *event_handler,
                                       uint64_t user_arg)
{
    return libflexio_event_handler_run(event_handler, &user_arg);
}

struct flexio_thread *flexio_event_handler_get_thread(struct flexio_event_handler *event_handler)
{
    return event_handler ? &event_handler->thread : NULL;
}

uint32_t flexio_event_handler_get_id(struct flexio_event_handler *event_handler)
{
    return event_handler ? dpk_thread_id(event_handler->thread.dpa) : UINT32_MAX;
}

uint32_t flexio_event_handler_get_obj_id(struct flexio_event_handler *event_handler)
{
    return flexio_event_handler_get_id(event_handler);
}

struct dpk_thread *libflexio_thread_of(struct flexio_thread *thread)
{
    return thread->dpa;
}

/* ---- Command queues ---- */

struct flexio_cmdq {
    struct flexio_process *process;
    struct dpk_tasks *tasks;
};

flexio_status flexio_cmdq_create(struct flexio_process *process, struct flexio_cmdq_attr *attr,
                                 struct flexio_cmdq **cmdq)
{
    static const char call[] = "flexio_cmdq_create";
    struct dpk_error err = {0};
    if (cmdq)
        *cmdq = NULL;
    if (!process || !attr || !cmdq)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    if (attr->workers < 1 || attr->batch_size < 1 ||
        (attr->state != FLEXIO_CMDQ_STATE_PENDING && attr->state != FLEXIO_CMDQ_STATE_RUNNING))
        return libflexio_failed_because(
            "%s: workers and batch_size must be at least 1, the state pending or "
            "running",
            call);
    struct flexio_cmdq *q = calloc(1, sizeof *q);
    if (!q)
        return libflexio_failed_because("%s: out of memory", call);
    q->process = process;
    enum dpk_status status =
        dpk_tasks_create(process->dpa, (unsigned)attr->workers, &q->tasks, &err);
    if (status == DPK_OK && attr->state == FLEXIO_CMDQ_STATE_RUNNING)
        status = dpk_tasks_run(q->tasks, &err);
    if (status == DPK_OK) {
        *cmdq = q;
        return FLEXIO_STATUS_SUCCESS;
    }
    dpk_tasks_destroy(q->tasks);
    free(q);
    return libflexio_failed(call, &err);
}

flexio_status flexio_cmdq_task_add(struct flexio_cmdq *cmdq, flexio_func_t *host_func, uint64_t arg)
{
    struct dpk_error err = {0};
    struct dpk_call call;
    if (!cmdq || !host_func)
        return libflexio_failed_because("flexio_cmdq_task_add: no queue or function");
    enum dpk_status status = dpk_host_process_function(cmdq->process->host, host_func, &call, &err);
    if (status == DPK_OK)
        status = dpk_tasks_add(cmdq->tasks, &call, arg, &err);
    return status == DPK_OK ? FLEXIO_STATUS_SUCCESS
                            : libflexio_failed("flexio_cmdq_task_add", &err);
}

flexio_status flexio_cmdq_state_running(struct flexio_cmdq *cmdq)
{
    struct dpk_error err = {0};
    if (!cmdq)
        return libflexio_failed_because("flexio_cmdq_state_running: no queue");
    if (dpk_tasks_run(cmdq->tasks, &err) != DPK_OK)
        return libflexio_failed("flexio_cmdq_state_running", &err);
    return FLEXIO_STATUS_SUCCESS;
}

int flexio_cmdq_is_empty(struct flexio_cmdq *cmdq)
{
    struct dpk_error err = {0};
    if (!cmdq || dpk_process_state(cmdq->process->dpa, &err) != DPK_OK) {
        libflexio_failed_because("flexio_cmdq_is_empty: %s", cmdq ? err.message : "no queue");
        return -1;
    }
    return dpk_tasks_empty(cmdq->tasks);
}

flexio_status flexio_cmdq_destroy(struct flexio_cmdq *cmdq)
{
    if (cmdq)
        dpk_tasks_destroy(cmdq->tasks);
    free(cmdq);
    return FLEXIO_STATUS_SUCCESS;
}
