/* Instances of graphs: tasks of the graph's context that carry out its nodes. */
#include "graph.h"

/* A node in an instance. */
struct step {
    struct dpk_task *task; /* CTX, GRAPH: its task; a reference, GRAPH: a use */
    void *cookie;          /* USER */
    size_t missing;        /* nodes that must end before it */
    bool begun;
};

struct instance {
    struct dpk_task task;
    struct step *steps; /* for each node; with the lock of its graph's context */
    size_t count, left; /* left: steps that have not ended */
    size_t under_way;   /* tasks of steps that have started and not ended */
    bool running;       /* true from its first call of `run` to its last */
    doca_error_t failure;
};

static struct graph *graph_of(const struct instance *v)
{
    return (struct graph *)v->task.ctx;
}

static const struct node *node_of(const struct instance *v, size_t i)
{
    return graph_of(v)->nodes[i]; /* graphs with instances cannot change */
}

static void drop_step(const struct instance *v, size_t i)
{
    if (!v->steps[i].task)
        return;
    if (node_of(v, i)->kind == NODE_GRAPH)
        dpk_object_unuse(v->steps[i].task);
    else
        dpk_object_drop(v->steps[i].task);
}

static void instance_left(void *object)
{
    const struct instance *v = object;
    for (size_t i = 0; i < v->count; i++)
        drop_step(v, i);
    dpk_task_left(object);
}

static void instance_clear(struct dpk_task *task)
{
    free(((struct instance *)task)->steps);
}

static const struct dpk_kind instance_kind = {.left = instance_left, .release = dpk_task_release};

/* ---- Running ---- */

static void lock(const struct instance *v)
{
    pthread_mutex_lock(&v->task.ctx->object.lock);
}

static void unlock(const struct instance *v)
{
    pthread_mutex_unlock(&v->task.ctx->object.lock);
}

/* Returns the error of an instance. AGAIN and IN_PROGRESS would not end its task. */
static doca_error_t failure_of(doca_error_t status)
{
    return status == DOCA_ERROR_AGAIN || status == DOCA_ERROR_IN_PROGRESS ? DOCA_ERROR_UNEXPECTED
                                                                          : status;
}

/* Ends a step. Call this with the lock. */
static void end_step(struct instance *v, size_t index, doca_error_t status)
{
    const struct node *n = node_of(v, index);
    v->left--;
    if (status != DOCA_SUCCESS && v->failure == DOCA_SUCCESS)
        v->failure = failure_of(status);
    for (size_t i = 0; i < n->after_count; i++)
        v->steps[n->after[i]->index].missing--;
}

/* Called when the task of a step has ended. */
static void step_ended(void *owner, struct dpk_task *task)
{
    struct instance *v = owner;
    lock(v);
    for (size_t i = 0; i < v->count; i++)
        if (v->steps[i].task == task && v->steps[i].begun) {
            v->under_way--;
            end_step(v, i, task->status);
            break;
        }
    unlock(v);
    dpk_task_retry(&v->task);
    dpk_object_drop(v);
}

/* Returns the next step that can start, or `count` if there is none. Call this with the lock. */
static size_t take_step(struct instance *v)
{
    size_t i = 0;
    if (v->failure != DOCA_SUCCESS)
        return v->count;
    while (i < v->count && (v->steps[i].begun || v->steps[i].missing > 0))
        i++;
    if (i < v->count)
        v->steps[i].begun = true;
    return i;
}

/* Call this without the lock: a function of the program may call any function. */
static void begin_step(struct instance *v, size_t i)
{
    const struct node *n = node_of(v, i);
    struct step *s = &v->steps[i];
    doca_error_t status = DOCA_SUCCESS;
    if (n->kind == NODE_USER) {
        status = n->call(s->cookie);
    } else {
        lock(v);
        v->under_way++;
        unlock(v);
        dpk_object_hold(v); /* until step_ended */
        if ((status = dpk_task_submit(s->task, true, step_ended, v)) == DOCA_SUCCESS)
            return;
        dpk_object_drop(v);
        lock(v);
        v->under_way--;
        unlock(v);
    }
    lock(v);
    end_step(v, i, status);
    unlock(v);
}

/* Call this with the lock. */
static void begin_run(struct instance *v)
{
    v->running = true;
    v->failure = DOCA_SUCCESS;
    v->left = v->count;
    v->under_way = 0;
    for (size_t i = 0; i < v->count; i++) {
        v->steps[i].begun = false;
        v->steps[i].missing = node_of(v, i)->before;
    }
}

static doca_error_t instance_run(struct dpk_task *task)
{
    struct instance *v = (struct instance *)task;
    bool begun = false;
    lock(v);
    if (!v->running)
        begin_run(v);
    for (size_t i; (i = take_step(v)) < v->count; begun = true) {
        unlock(v);
        begin_step(v, i);
        lock(v);
    }
    const bool ended = v->under_way == 0 && (v->left == 0 || v->failure != DOCA_SUCCESS);
    doca_error_t result = ended ? v->failure : begun ? DOCA_ERROR_AGAIN : DOCA_ERROR_IN_PROGRESS;
    v->running = !ended;
    unlock(v);
    return result;
}

static void instance_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                          union doca_data ctx_data)
{
    ((doca_graph_completion_cb_t)callback)(task, task_data, ctx_data);
}

const struct dpk_task_type graph_instance_type = {.kind = &instance_kind,
                                                  .size = sizeof(struct instance),
                                                  .run = instance_run,
                                                  .release = instance_clear,
                                                  .tell = instance_tell};

/* ---- Instances ---- */

static struct instance *pin(const struct doca_graph_instance *graph_instance)
{
    return (struct instance *)dpk_task_pin(graph_instance, &graph_instance_type);
}

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (graph_instance)
        *graph_instance = NULL;
    struct graph *g = graph_instance ? dpk_object_pin(graph, &graph_kind) : NULL;
    struct instance *v = NULL;
    if (g)
        v = (struct instance *)dpk_task_new(&g->ctx, &g->instances, (union doca_data){0}, &result);
    if (v) {
        pthread_mutex_lock(&graphs_lock);
        v->steps = calloc(g->count, sizeof *v->steps);
        v->count = v->steps ? g->count : 0;
        pthread_mutex_unlock(&graphs_lock);
    }
    if (v && !v->steps) {
        dpk_task_free(&v->task);
        result = DOCA_ERROR_NO_MEMORY;
    } else if (v) {
        *graph_instance = v->task.object.handle;
    }
    dpk_object_drop(v);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, result);
}

static doca_error_t submitted(void)
{
    return dpk_doca_because(DOCA_ERROR_IN_USE,
                            "the instance is submitted, or is part of another instance");
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
    struct instance *v = pin(graph_instance);
    doca_error_t result = v ? submitted() : DOCA_ERROR_INVALID_VALUE;
    if (v && atomic_load(&v->task.object.users) == 0 && dpk_task_begin_change(&v->task)) {
        dpk_task_end_change(&v->task);
        dpk_task_free(&v->task);
        result = DOCA_SUCCESS;
    }
    dpk_object_drop(v);
    return dpk_doca_end(graph_instance, __func__, result);
}

doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data)
{
    struct instance *v = pin(graph_instance);
    doca_error_t result = v ? submitted() : DOCA_ERROR_INVALID_VALUE;
    if (v && dpk_task_begin_change(&v->task)) {
        v->task.user_data = user_data;
        dpk_task_end_change(&v->task);
        result = DOCA_SUCCESS;
    }
    dpk_object_drop(v);
    return dpk_doca_end(graph_instance, __func__, result);
}

doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data)
{
    struct instance *v = user_data ? pin(graph_instance) : NULL;
    if (!v)
        return dpk_doca_end(graph_instance, __func__, DOCA_ERROR_INVALID_VALUE);
    lock(v);
    *user_data = v->task.user_data;
    unlock(v);
    dpk_object_drop(v);
    return dpk_doca_end(graph_instance, __func__, DOCA_SUCCESS);
}

/* ---- Data of nodes ---- */

/* Sets the data of a node of that kind: a cookie for a user node, else a task. */
static doca_error_t set_step(struct instance *v, const struct node *n, enum node_kind kind,
                             struct dpk_task *task, void *cookie)
{
    const char *wrong = n->graph != graph_of(v)       ? "the node is of another graph"
                        : n->kind != kind             ? "the node is of another kind"
                        : task && task->ctx != n->ctx ? "the task is not of the node's context"
                        : task == &v->task            ? "an instance cannot contain itself"
                                                      : NULL;
    if (wrong)
        return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED, "%s", wrong);
    if (!dpk_task_begin_change(&v->task))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the instance is submitted");
    struct step before = v->steps[n->index];
    if (task && kind == NODE_GRAPH)
        dpk_object_use(task);
    else if (task)
        dpk_object_hold(task);
    v->steps[n->index] = (struct step){.task = task, .cookie = cookie};
    dpk_task_end_change(&v->task);
    if (before.task && kind == NODE_GRAPH)
        dpk_object_end_use(before.task);
    dpk_object_drop(before.task);
    return DOCA_SUCCESS;
}

static doca_error_t set_data(struct doca_graph_instance *graph_instance,
                             struct doca_graph_node *node, enum node_kind kind,
                             struct dpk_task *task, void *cookie)
{
    struct instance *v = pin(graph_instance);
    struct node *n = dpk_object_pin(node, &graph_node_kind);
    doca_error_t result = v && n && (task || kind == NODE_USER) ? set_step(v, n, kind, task, cookie)
                                                                : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(n);
    dpk_object_drop(v);
    return result;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    doca_error_t result = set_data(graph_instance, node, NODE_CTX, t, NULL);
    dpk_object_drop(t);
    return dpk_doca_end(graph_instance, __func__, result);
}

doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance)
{
    struct instance *sub = pin(sub_graph_instance);
    doca_error_t result = set_data(graph_instance, node, NODE_GRAPH, sub ? &sub->task : NULL, NULL);
    dpk_object_drop(sub);
    return dpk_doca_end(graph_instance, __func__, result);
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie)
{
    return dpk_doca_end(graph_instance, __func__,
                        set_data(graph_instance, node, NODE_USER, NULL, cookie));
}

/* ---- Submitting ---- */

/* Checks that each node has its data, and that contexts of the first nodes run. Call this with the
 * lock. */
static doca_error_t is_complete(const struct instance *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct node *n = node_of(v, i);
        if (n->kind != NODE_USER && !v->steps[i].task)
            return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "node %zu has no task or sub-graph",
                                    i);
        if (n->kind != NODE_USER && n->before == 0 && !dpk_ctx_is_running(n->ctx))
            return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                    "the context of node %zu is %s, and must be running", i,
                                    dpk_ctx_state_name(n->ctx));
    }
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance)
{
    struct instance *v = pin(graph_instance);
    doca_error_t result = v ? submitted() : DOCA_ERROR_INVALID_VALUE;
    if (v && dpk_task_begin_change(&v->task)) {
        result = is_complete(v);
        dpk_task_end_change(&v->task);
        if (result == DOCA_SUCCESS)
            result = dpk_task_submit(&v->task, true, NULL, NULL);
    }
    dpk_object_drop(v);
    return dpk_doca_end(graph_instance, __func__, result);
}
