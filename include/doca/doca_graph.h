/*
 * doca_graph: tasks of contexts, and functions of the program, that wait for each other.
 *
 *     struct doca_graph *graph;  struct doca_graph_node *copy, *look;
 *     doca_graph_create(pe, &graph);
 *     doca_graph_node_create_from_ctx(graph, dma_ctx, &copy);
 *     doca_graph_node_create_from_user(graph, function, &look);
 *     doca_graph_add_dependency(graph, copy, look);             // look is after copy
 *     doca_graph_set_conf(graph, done, failed, 1);
 *     doca_graph_start(graph);
 *
 *     struct doca_graph_instance *instance;                     // one run of it
 *     doca_graph_instance_create(graph, &instance);
 *     doca_graph_instance_set_ctx_node_data(instance, copy, task);
 *     doca_graph_instance_set_user_node_data(instance, look, cookie);
 *     doca_graph_instance_submit(instance);
 *     while (!finished)
 *         doca_pe_progress(pe);                                 // calls function(cookie), then done
 *
 * The nodes that are after none begin. A node that fails (a task, or a function that does not return
 * DOCA_SUCCESS) lets no further node begin, and when those that have begun have ended the instance has
 * failed. The callbacks of tasks in nodes are not called, nor those of instances in nodes. Contexts may
 * be of other progress engines than the graph. An instance that has ended may be submitted again. A
 * graph is for one thread at a time.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (API reference, "DOCA Graph").
 */
#ifndef DOCA_GRAPH_H
#define DOCA_GRAPH_H

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;

struct doca_graph;
struct doca_graph_node;
struct doca_graph_instance;

/* Called by doca_pe_progress when an instance has ended; it may submit it again, or destroy it. */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
                                           union doca_data instance_user_data,
                                           union doca_data graph_user_data);
/* What a user node does, in doca_pe_progress. */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/* ---- Graphs: changed while stopped, else BAD_STATE ---- */

/* Makes a graph without nodes, connected to a progress engine. NO_MEMORY. */
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);
/* With its nodes. BAD_STATE: it is started. */
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/* Who is told of instances that succeed, and fail; how many there may be. INVALID_VALUE: also 0, or
 * more than 65536. */
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances);
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/*
 * Adds a node for a task of a context, a function, or an instance of another graph.
 *   node  [out]  the graph's; NULL on failure
 * NO_MEMORY. BAD_STATE: also a sub-graph that is not started. NOT_PERMITTED: the graph is its own
 * sub-graph, or a part of it.
 */
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node);
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node);
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node);

/* `to` begins when `from` has ended. INVALID_VALUE: also nodes of another graph. NOT_PERMITTED: it
 * would wait for itself. NO_MEMORY. */
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to);

/* A graph that is started stays so. BAD_STATE: no node is for a context, such a context does not
 * run, or doca_graph_set_conf was not called. */
doca_error_t doca_graph_start(struct doca_graph *graph);
/* A graph that is stopped stays so. IN_USE: it has instances. */
doca_error_t doca_graph_stop(struct doca_graph *graph);

/* ---- Instances: changed while not submitted ---- */

/* BAD_STATE: the graph is not started. NO_MEMORY: also if there are as many as there may be. */
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance);
/* IN_USE: it is submitted, or in a node of another instance. */
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/* What the callbacks get. IN_USE: it is submitted. */
doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data);
doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data);

/* What a node does in this instance: a task of its context; an instance of its graph; what its
 * function gets, NULL at first. Task and instance stay the caller's, and must stay. BAD_STATE: it is
 * submitted. NOT_PERMITTED: the node is another graph's, or another kind of node, or what it shall
 * do is of another context or graph. */
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task);
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance);
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie);

/* Runs it, in doca_pe_progress. INVALID_VALUE: also if a node for a task or an instance has none.
 * IN_USE: it is submitted already. BAD_STATE: a context of a first node does not run. */
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif
