/*
 * graph: graphs of DOCA. Internally a graph is a context, and its instances are tasks of the context.
 * An instance progresses as its nodes end.
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

/* A node of a graph, freed with the graph. */
struct node {
    struct dpk_object object;
    const struct graph *graph; /* only for comparisons; the graph may be freed */
    size_t index;              /* in its nodes */
    enum node_kind kind;
    struct dpk_ctx *ctx; /* the context of its tasks, or of `sub`; a reference */
    struct graph *sub;   /* GRAPH: the graph that the node runs */
    doca_graph_user_node_cb_t call;
    struct node **after; /* the nodes that wait for it */
    size_t after_count;
    size_t before; /* number of nodes that it waits for */
};

struct graph {
    struct dpk_ctx ctx;
    struct dpk_task_pool instances;
    struct node **nodes;
    size_t count;
};

extern const struct dpk_kind graph_kind, graph_node_kind;
extern const struct dpk_task_type graph_instance_type;
/* Guards nodes and edges of all graphs, since a graph can be part of another. */
extern pthread_mutex_t graphs_lock;

#endif
