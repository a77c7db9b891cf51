/*
 * graph: graphs of DOCA. A graph is a context that programs do not see as one, and its instances
 * are tasks of it: each is carried out piece by piece as its nodes end.
 *
 *     struct graph *g;  dpk_ctx_start(&g->ctx);
 *     struct dpk_task *t = dpk_task_new(&g->ctx, &g->instances, data, &result);
 */
#ifndef DPK_API_DOCA_GRAPH_GRAPH_H
#define DPK_API_DOCA_GRAPH_GRAPH_H

#include <doca_graph.h>

#include "api/doca/core/core.h"

struct graph;

enum node_kind { NODE_CTX, NODE_USER, NODE_GRAPH };

/* Of a graph: it is given back with it. */
struct node {
    struct dpk_object object;
    const struct graph *graph; /* to compare with; it may be gone */
    size_t index;              /* in its nodes */
    enum node_kind kind;
    struct dpk_ctx *ctx; /* CTX: whose task it is; GRAPH: the graph's; a reference */
    struct graph *sub;   /* GRAPH: the same */
    doca_graph_user_node_cb_t call;
    struct node **after; /* the nodes that wait for it */
    size_t after_count;
    size_t before; /* how many nodes it waits for */
};

struct graph {
    struct dpk_ctx ctx;
    struct dpk_task_pool instances;
    struct node **nodes;
    size_t count;
};

extern const struct dpk_kind graph_kind, graph_node_kind;
extern const struct dpk_task_type graph_instance_type;
/* For nodes and edges of all graphs, as graphs are parts of graphs. */
extern pthread_mutex_t graphs_lock;

#endif
