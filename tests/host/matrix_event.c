/* The world's event that processes share, with a task of each type: they are there in every state. */
#include "matrix_world.h"

#define ON_END(name)                                                                               \
    static void name##_end(struct doca_sync_event_task_##name *task, union doca_data task_data,    \
                           union doca_data ctx_data)                                               \
    {                                                                                              \
        (void)task;                                                                                \
        (void)task_data;                                                                           \
        (void)ctx_data;                                                                            \
    }
ON_END(get)
ON_END(notify_set)
ON_END(notify_add)
ON_END(wait_eq)
ON_END(wait_neq)
ON_END(wait_gt)

static void start(struct world *w, struct doca_dev *dev)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK && doca_pe_create(&w->helper_pe) == OK);
    CHECK(doca_sync_event_add_publisher_location_remote_pci(e) == OK);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_task_get_set_conf(e, get_end, get_end, 1) == OK);
    CHECK(doca_sync_event_task_notify_set_set_conf(e, notify_set_end, notify_set_end, 1) == OK);
    CHECK(doca_sync_event_task_notify_add_set_conf(e, notify_add_end, notify_add_end, 1) == OK);
    CHECK(doca_sync_event_task_wait_eq_set_conf(e, wait_eq_end, wait_eq_end, 1) == OK);
    CHECK(doca_sync_event_task_wait_neq_set_conf(e, wait_neq_end, wait_neq_end, 1) == OK);
    CHECK(doca_sync_event_task_wait_gt_set_conf(e, wait_gt_end, wait_gt_end, 1) == OK);
    CHECK(doca_pe_connect_ctx(w->helper_pe, doca_sync_event_as_ctx(e)) == OK);
    CHECK(doca_sync_event_start(e) == OK);
    CHECK(doca_sync_event_export_to_remote_pci(e, dev, &w->pci_export, &w->pci_export_size) == OK);
    w->helper_event = e;
}

void make_event_tasks(struct world *w, struct doca_dev *dev)
{
    const union doca_data none = {0};
    struct doca_sync_event_task_get *get = NULL;
    struct doca_sync_event_task_notify_set *set = NULL;
    struct doca_sync_event_task_notify_add *add = NULL;
    struct doca_sync_event_task_wait_eq *eq = NULL;
    struct doca_sync_event_task_wait_neq *neq = NULL;
    struct doca_sync_event_task_wait_gt *gt = NULL;
    start(w, dev);
    struct doca_sync_event *e = w->helper_event;
    CHECK(doca_sync_event_task_get_alloc_init(e, w->scratch, none, &get) == OK);
    CHECK(doca_sync_event_task_notify_set_alloc_init(e, 1, none, &set) == OK);
    CHECK(doca_sync_event_task_notify_add_alloc_init(e, 1, NULL, none, &add) == OK);
    CHECK(doca_sync_event_task_wait_eq_alloc_init(e, 1, 1, none, &eq) == OK);
    CHECK(doca_sync_event_task_wait_neq_alloc_init(e, 1, 1, none, &neq) == OK);
    CHECK(doca_sync_event_task_wait_gt_alloc_init(e, 1, 1, none, &gt) == OK);
    w->objects[TASK_GET] = get;
    w->objects[TASK_SET] = set;
    w->objects[TASK_ADD] = add;
    w->objects[TASK_EQ] = eq;
    w->objects[TASK_NEQ] = neq;
    w->objects[TASK_GT] = gt;
}

void destroy_event_tasks(struct world *w)
{
    doca_task_free(doca_sync_event_task_get_as_doca_task(w->objects[TASK_GET]));
    doca_task_free(doca_sync_event_task_notify_set_as_doca_task(w->objects[TASK_SET]));
    doca_task_free(doca_sync_event_task_notify_add_as_doca_task(w->objects[TASK_ADD]));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(w->objects[TASK_EQ]));
    doca_task_free(doca_sync_event_task_wait_neq_as_doca_task(w->objects[TASK_NEQ]));
    doca_task_free(doca_sync_event_task_wait_gt_as_doca_task(w->objects[TASK_GT]));
    CHECK(doca_sync_event_destroy(w->helper_event) == OK);
    CHECK(doca_pe_destroy(w->helper_pe) == OK);
}
