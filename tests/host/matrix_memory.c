/* The world's array of buffers, queue of copies and group of threads; DOCA 3.x and 2.5. */
#include "matrix_world.h"

void make_memory(struct world *w)
{
    struct doca_buf_arr *a = NULL;
#ifdef DOCA_2_5
    CHECK(doca_buf_arr_create(w->helper_map, &a) == OK);
    CHECK(doca_buf_arr_set_params(a, 64, 4, 0) == OK);
#else
    CHECK(doca_buf_arr_create(4, &a) == OK);
    CHECK(doca_buf_arr_set_params(a, w->helper_map, 64, 0) == OK);
#endif
    CHECK(doca_buf_arr_set_target_dpa(a, w->objects[DPA]) == OK);
    w->objects[BUF_ARR] = a;
    CHECK(doca_dpa_async_ops_create(w->objects[DPA], 8, 0,
                                    (struct doca_dpa_async_ops **)&w->objects[ASYNC_OPS]) == OK);
    CHECK(doca_dpa_thread_group_create(w->objects[DPA], 2,
                                       (struct doca_dpa_tg **)&w->objects[GROUP]) == OK);
    CHECK(doca_dpa_async_ops_attach(w->objects[ASYNC_OPS], w->rdma_queue) == OK);
}

void start_memory(struct world *w)
{
    CHECK(doca_dpa_hash_table_create(w->objects[DPA], 4,
                                     (struct doca_dpa_hash_table **)&w->objects[HASH_TABLE]) == OK);
    CHECK(doca_buf_arr_start(w->objects[BUF_ARR]) == OK);
    CHECK(doca_dpa_async_ops_start(w->objects[ASYNC_OPS]) == OK);
}

void stop_memory(struct world *w)
{
    CHECK(doca_dpa_async_ops_stop(w->objects[ASYNC_OPS]) == OK);
    CHECK(doca_buf_arr_stop(w->objects[BUF_ARR]) == OK);
}

void destroy_memory(struct world *w)
{
    doca_dpa_async_ops_destroy(w->objects[ASYNC_OPS]); /* the row may have done so */
    doca_buf_arr_destroy(w->objects[BUF_ARR]);
    doca_dpa_thread_group_destroy(w->objects[GROUP]);
    doca_dpa_hash_table_destroy(w->objects[HASH_TABLE]);
}
