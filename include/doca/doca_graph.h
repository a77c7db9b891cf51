/*
 * doca_graph: tasks of contexts and functions of the program, with dependencies between them.
 *
 *     struct doca_graph *graph;  struct doca_graph_node *copy, *look;
 *     doca_graph_create(pe, &graph);
 *     doca_graph_node_create_from_ctx(graph, dma_ctx, &copy);
 *     doca_graph_node_create_from_user(graph, function, &look);
 *     doca_graph_add_dependency(graph, copy, look);             // look starts after copy
 *     doca_graph_set_conf(graph, done, failed, 1);
 *     doca_graph_start(graph);
 *
 *     struct doca_graph_instance *instance;                     // one run of the graph
 *     doca_graph_instance_create(graph, &instance);
 *     doca_graph_instance_set_ctx_node_data(instance, copy, task);
 *     doca_graph_instance_set_user_node_data(instance, look, cookie);
 *     doca_graph_instance_submit(instance);
 *     while (!finished)
 *         doca_pe_progress(pe);                                 // calls function(cookie), then done
 *
 * An instance starts with the nodes without dependencies. A node fails if its task fails, or if its
 * function does not return DOCA_SUCCESS. After a failure no further node starts, and the instance fails
 * once the started nodes have ended. Callbacks of tasks and instances in nodes are not called. Contexts
 * may have another progress engine than the graph. An ended instance may be submitted again. One thread
 * at a time may use a graph.
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

/* Called by doca_pe_progress when an instance has ended. The callback may submit or destroy the
 * instance. */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
                                           union doca_data instance_user_data,
                                           union doca_data graph_user_data);
/* The function of a user node. doca_pe_progress calls it. */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/* ---- Graphs: changing a started graph returns BAD_STATE ---- */

/* Creates a graph without nodes, connected to a progress engine. Errors: NO_MEMORY. */
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);
/* Destroys a graph with its nodes. Errors: BAD_STATE if it is started. */
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/* Sets the callbacks of successful and failed instances, and the largest number of instances. Errors:
 * INVALID_VALUE also if the number is 0 or more than 65536. */
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances);
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/*
 * Adds a node for a task of a context, a function, or an instance of another graph.
 *   node  [out]  the node, which belongs to the graph; NULL on failure
 * Errors: NO_MEMORY, BAD_STATE also if the sub-graph is not started, NOT_PERMITTED if the graph would
 * contain itself.
 */
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node);
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node);
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node);

/* Lets `to` start after `from` has ended. Errors: INVALID_VALUE also if a node is of another graph,
 * NOT_PERMITTED if `to` would wait for itself, NO_MEMORY. */
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to);

/* Starts a graph. A started graph stays started. Errors: BAD_STATE if no node is for a context, a
 * context of a node does not run, or doca_graph_set_conf was not called. */
doca_error_t doca_graph_start(struct doca_graph *graph);
/* Stops a graph. A stopped graph stays stopped. Errors: IN_USE if it has instances. */
doca_error_t doca_graph_stop(struct doca_graph *graph);

/* ---- Instances: changing a submitted instance fails ---- */

/* Creates an instance. Errors: BAD_STATE if the graph is not started, NO_MEMORY also if all configured
 * instances exist. */
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance);
/* Destroys an instance. Errors: IN_USE if it is submitted, or is in a node of another instance. */
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/* Sets the user data for the callbacks. Errors: IN_USE if the instance is submitted. */
doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data);
doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data);

/* Set the work of a node in this instance: a task of the node's context; an instance of its graph; the
 * argument of its function (NULL by default). The caller keeps the task or instance and must not free
 * it before the end. Errors: BAD_STATE if the instance is submitted, NOT_PERMITTED if the node is of
 * another graph or kind, or the work is of another context or graph. */
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task);
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance);
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie);

/* Submits an instance, which doca_pe_progress runs. Errors: INVALID_VALUE also if a node lacks its task
 * or instance, IN_USE if the instance is already submitted, BAD_STATE if a context of a first node does
 * not run. */
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif
