/* The world's graph with an instance while it runs, its clock, and its advice; DOCA 3.x only. */
#include "matrix_world.h"

static void on_end(struct doca_graph_instance *instance, union doca_data instance_data,
                   union doca_data graph_data)
{
    (void)instance;
    (void)instance_data;
    (void)graph_data;
}

static void on_advised(struct doca_mmap_advise_task_invalidate_cache *task,
                       union doca_data task_data, union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
}

void make_graph(struct world *w, struct doca_dev *dev)
{
    struct doca_graph *graph = NULL;
    struct doca_mmap_advise *advise = NULL;
    CHECK(doca_graph_create(w->dma_pe, &graph) == OK);
    CHECK(doca_graph_node_create_from_ctx(graph, doca_dma_as_ctx(w->objects[DMA]),
                                          (struct doca_graph_node **)&w->objects[NODE]) == OK);
    CHECK(doca_graph_set_conf(graph, on_end, on_end, 2) == OK); /* one is the row's */
    CHECK(doca_clock_create(dev, (struct doca_clock **)&w->objects[CLOCK]) == OK);
    CHECK(doca_mmap_advise_create(dev, &advise) == OK);
    CHECK(doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_advised, on_advised, 2) == OK);
    CHECK(doca_pe_connect_ctx(w->dma_pe, doca_mmap_advise_as_ctx(advise)) == OK);
    w->objects[GRAPH] = graph;
    w->objects[ADVISE] = advise;
}

void start_graph(struct world *w)
{
    struct doca_graph_instance *instance = NULL;
    CHECK(doca_graph_start(w->objects[GRAPH]) == OK);
    CHECK(doca_graph_instance_create(w->objects[GRAPH], &instance) == OK);
    CHECK(doca_graph_instance_set_ctx_node_data(
              instance, w->objects[NODE], doca_dma_task_memcpy_as_task(w->objects[TASK])) == OK);
    w->objects[INSTANCE] = instance;
    CHECK(doca_ctx_start(doca_mmap_advise_as_ctx(w->objects[ADVISE])) == OK);
    CHECK(doca_mmap_advise_task_invalidate_cache_alloc_init(
              w->objects[ADVISE], w->objects[BUF], (union doca_data){0},
              (struct doca_mmap_advise_task_invalidate_cache **)&w->objects[ADVICE]) == OK);
}

/* Rows may have submitted them, or done some of this. */
void stop_graph(struct world *w)
{
    doca_task_free(doca_mmap_advise_task_invalidate_cache_as_doca_task(w->objects[ADVICE]));
    while (doca_pe_progress(w->dma_pe))
        ;
    doca_ctx_stop(doca_mmap_advise_as_ctx(w->objects[ADVISE]));
    doca_graph_instance_destroy(w->objects[INSTANCE]);
    doca_graph_stop(w->objects[GRAPH]);
}

void destroy_graph_object(void *object)
{
    if (!object)
        return;
    doca_graph_instance_destroy(object);
    doca_graph_destroy(object);
    doca_clock_destroy(object);
    doca_task_free(doca_mmap_advise_task_invalidate_cache_as_doca_task(object));
    doca_mmap_advise_destroy(object);
}

void destroy_graph(struct world *w)
{
    stop_graph(w);
    destroy_graph_object(w->objects[GRAPH]);
    destroy_graph_object(w->objects[CLOCK]);
    destroy_graph_object(w->objects[ADVISE]);
}
