/* Graphs: nodes, and their dependencies. */
#include "graph.h"

#define INSTANCES_MAX 65536u

pthread_mutex_t graphs_lock = PTHREAD_MUTEX_INITIALIZER;

static void node_release(void *object)
{
    struct node *n = object;
    dpk_object_drop(n->ctx);
    free(n->after);
    free(n);
}
const struct dpk_kind graph_node_kind = {.release = node_release};

static void graph_left(void *object)
{
    struct graph *g = object;
    dpk_ctx_left(&g->ctx);
    for (size_t i = 0; i < g->count; i++)
        dpk_object_destroy(g->nodes[i]->object.handle, &graph_node_kind);
}

static void graph_release(void *object)
{
    struct graph *g = object;
    for (size_t i = 0; i < g->count; i++)
        dpk_object_drop(g->nodes[i]);
    dpk_ctx_clear(&g->ctx);
    free(g->nodes);
    free(g);
}
const struct dpk_kind graph_kind = {.left = graph_left, .release = graph_release};

/* Call this with the lock of the graph's context. */
static doca_error_t start(struct dpk_ctx *ctx)
{
    const struct graph *g = (struct graph *)ctx;
    size_t contexts = 0;
    const char *lacks =
        g->instances.max == 0 ? "no number of instances (doca_graph_set_conf)" : NULL;
    pthread_mutex_lock(&graphs_lock);
    for (size_t i = 0; i < g->count && !lacks; i++) {
        const struct node *n = g->nodes[i];
        contexts += n->kind == NODE_CTX;
        if (n->kind != NODE_USER && !dpk_ctx_is_running(n->ctx))
            lacks = "a node whose context or graph is not running";
    }
    pthread_mutex_unlock(&graphs_lock);
    if (!lacks && contexts == 0)
        lacks = "no node of a context (doca_graph_node_create_from_ctx)";
    return lacks ? dpk_doca_because(DOCA_ERROR_BAD_STATE, "the graph has %s", lacks) : DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {.start = start};

doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
{
    if (!graph)
        return dpk_doca_end(pe, __func__, DOCA_ERROR_INVALID_VALUE);
    *graph = NULL;
    struct graph *g = calloc(1, sizeof *g);
    if (!g)
        return dpk_doca_end(pe, __func__, DOCA_ERROR_NO_MEMORY);
    dpk_ctx_init(&g->ctx, &ops);
    void *handle = dpk_object_enter(g, &graph_kind);
    if (!handle)
        return dpk_doca_end(pe, __func__, DOCA_ERROR_NO_MEMORY);
    doca_error_t result = dpk_ctx_connect(&g->ctx, pe);
    if (result == DOCA_SUCCESS)
        *graph = handle;
    else
        dpk_object_destroy(handle, &graph_kind);
    return dpk_doca_end(pe, __func__, result);
}

/* Returns the graph, pinned, if it can be changed now. */
static struct graph *begin_change(const struct doca_graph *graph, doca_error_t *result)
{
    struct graph *g = dpk_object_pin(graph, &graph_kind);
    *result = !g                                                  ? DOCA_ERROR_INVALID_VALUE
              : atomic_load(&g->ctx.state) == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS
                                                                  : DOCA_ERROR_BAD_STATE;
    if (*result == DOCA_SUCCESS)
        return g;
    if (g)
        dpk_doca_because(*result, "the graph is %s, and must be idle", dpk_ctx_state_name(&g->ctx));
    dpk_object_drop(g);
    return NULL;
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
    doca_error_t result;
    struct graph *g = begin_change(graph, &result);
    if (g)
        result = dpk_object_destroy(graph, &graph_kind);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, result);
}

doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances)
{
    if (!graph_completion_cb || !graph_error_cb || num_instances == 0 ||
        num_instances > INSTANCES_MAX) {
        dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                         "a callback is NULL, or the number of instances, %u, is not 1 to %u",
                         num_instances, INSTANCES_MAX);
        return dpk_doca_end(graph, __func__, DOCA_ERROR_INVALID_VALUE);
    }
    struct graph *g = dpk_object_pin(graph, &graph_kind);
    if (!g)
        return dpk_doca_end(graph, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = dpk_task_pool_set(&g->ctx, &g->instances, &graph_instance_type,
                                            (dpk_task_callback)graph_completion_cb,
                                            (dpk_task_callback)graph_error_cb, num_instances);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, result);
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data)
{
    doca_error_t result;
    struct graph *g = begin_change(graph, &result);
    if (!g)
        return dpk_doca_end(graph, __func__, result);
    pthread_mutex_lock(&g->ctx.object.lock);
    g->ctx.user_data = user_data;
    pthread_mutex_unlock(&g->ctx.object.lock);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, DOCA_SUCCESS);
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data)
{
    struct graph *g = user_data ? dpk_object_pin(graph, &graph_kind) : NULL;
    if (!g)
        return dpk_doca_end(graph, __func__, DOCA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&g->ctx.object.lock);
    *user_data = g->ctx.user_data;
    pthread_mutex_unlock(&g->ctx.object.lock);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, DOCA_SUCCESS);
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
    struct graph *g = dpk_object_pin(graph, &graph_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (g)
        result = dpk_ctx_is_running(&g->ctx) ? DOCA_SUCCESS : dpk_ctx_start(&g->ctx);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, result);
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
    struct graph *g = dpk_object_pin(graph, &graph_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (g)
        result = atomic_load(&g->ctx.tasks) > 0
                     ? dpk_doca_because(DOCA_ERROR_IN_USE, "%zu instances of the graph exist",
                                        atomic_load(&g->ctx.tasks))
                     : dpk_ctx_stop(&g->ctx);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, result);
}

/* ---- Nodes ---- */

/* Adds a node that is a copy of `plan`. */
static doca_error_t add_node(struct graph *g, const struct node *plan, struct doca_graph_node **out)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return DOCA_ERROR_NO_MEMORY;
    *n = *plan;
    n->graph = g;
    if (n->ctx)
        dpk_object_hold(n->ctx);
    void *handle = dpk_object_enter(n, &graph_node_kind);
    if (!handle)
        return DOCA_ERROR_NO_MEMORY;
    n = dpk_object_pin(handle, &graph_node_kind); /* the graph's reference */
    pthread_mutex_lock(&graphs_lock);
    struct node **more = n ? reallocarray(g->nodes, g->count + 1, sizeof(struct node *)) : NULL;
    if (more) {
        g->nodes = more;
        n->index = g->count;
        more[g->count++] = n;
    }
    pthread_mutex_unlock(&graphs_lock);
    if (more) {
        *out = handle;
        return DOCA_SUCCESS;
    }
    dpk_object_destroy(handle, &graph_node_kind);
    dpk_object_drop(n);
    return DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (node)
        *node = NULL;
    struct dpk_ctx *c = node ? dpk_object_pin_ctx(ctx) : NULL;
    struct graph *g = c ? begin_change(graph, &result) : NULL;
    if (g)
        result = add_node(g, &(struct node){.kind = NODE_CTX, .ctx = c}, node);
    dpk_object_drop(g);
    dpk_object_drop(c);
    return dpk_doca_end(graph, __func__, result);
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (node)
        *node = NULL;
    struct graph *g = node && cb ? begin_change(graph, &result) : NULL;
    if (g)
        result = add_node(g, &(struct node){.kind = NODE_USER, .call = cb}, node);
    dpk_object_drop(g);
    return dpk_doca_end(graph, __func__, result);
}

/* Returns true if `part` is the graph, or one of its sub-graphs at any depth. No graph contains
 * itself. Call this with the lock. */
static bool contains(const struct graph *g, const struct graph *part)
{
    if (g == part)
        return true;
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->kind == NODE_GRAPH && contains(g->nodes[i]->sub, part))
            return true;
    return false;
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (node)
        *node = NULL;
    struct graph *sub = node ? dpk_object_pin(sub_graph, &graph_kind) : NULL;
    struct graph *g = sub ? begin_change(graph, &result) : NULL;
    if (g) {
        pthread_mutex_lock(&graphs_lock);
        const bool circle = contains(sub, g);
        pthread_mutex_unlock(&graphs_lock);
        if (circle)
            result = dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                      "the sub-graph is the graph itself, or contains it");
        else if (!dpk_ctx_is_running(&sub->ctx))
            result =
                dpk_doca_because(DOCA_ERROR_BAD_STATE, "the sub-graph is %s, and must be running",
                                 dpk_ctx_state_name(&sub->ctx));
        else
            result =
                add_node(g, &(struct node){.kind = NODE_GRAPH, .ctx = &sub->ctx, .sub = sub}, node);
    }
    dpk_object_drop(g);
    dpk_object_drop(sub);
    return dpk_doca_end(graph, __func__, result);
}

/* ---- Dependencies ---- */

/* Returns true if a path leads from one node to another. `marks` has a zero for each node, `stack`
 * has room for each node. Call this with the lock. */
static bool leads_to(const struct node *from, const struct node *to, bool *marks,
                     const struct node **stack)
{
    size_t depth = 0;
    stack[depth++] = from;
    marks[from->index] = true;
    while (depth > 0) {
        const struct node *n = stack[--depth];
        if (n == to)
            return true;
        for (size_t i = 0; i < n->after_count; i++)
            if (!marks[n->after[i]->index]) {
                marks[n->after[i]->index] = true;
                stack[depth++] = n->after[i];
            }
    }
    return false;
}

/* Call this with the lock. */
static doca_error_t add_edge(const struct graph *g, struct node *from, struct node *to)
{
    bool *marks = calloc(g->count, sizeof *marks);
    const struct node **stack = reallocarray(NULL, g->count, sizeof(const struct node *));
    doca_error_t result = DOCA_ERROR_NO_MEMORY;
    if (marks && stack)
        result = leads_to(to, from, marks, stack)
                     ? dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                        "the dependency makes a circle: a path leads from `to` to "
                                        "`from`")
                     : DOCA_SUCCESS;
    struct node **more = result == DOCA_SUCCESS ? reallocarray(from->after, from->after_count + 1,
                                                               sizeof(struct node *))
                                                : NULL;
    if (more) {
        from->after = more;
        more[from->after_count++] = to;
        to->before++;
    } else if (result == DOCA_SUCCESS) {
        result = DOCA_ERROR_NO_MEMORY;
    }
    free(stack);
    free(marks);
    return result;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct node *f = dpk_object_pin(from, &graph_node_kind);
    struct node *t = dpk_object_pin(to, &graph_node_kind);
    struct graph *g = f && t ? begin_change(graph, &result) : NULL;
    if (g && (f->graph != g || t->graph != g)) {
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "a node is of another graph");
    } else if (g) {
        pthread_mutex_lock(&graphs_lock);
        result = add_edge(g, f, t);
        pthread_mutex_unlock(&graphs_lock);
    }
    dpk_object_drop(g);
    dpk_object_drop(t);
    dpk_object_drop(f);
    return dpk_doca_end(graph, __func__, result);
}
