/* Operations of entries that wait for their callbacks. */
#include "flow.h"

static void entry_release(void *object)
{
    free(object);
}
const struct dpk_kind flow_entry_kind = {.release = entry_release};

static void op_free(struct flow_op *op)
{
    dpk_object_drop(op->entry);
    free(op);
}

void flow_ops_end(struct flow_port *port)
{
    for (struct flow_op *op; (op = TAILQ_FIRST(&port->ops));) {
        TAILQ_REMOVE(&port->ops, op, next);
        if (op->op == DOCA_FLOW_ENTRY_OP_DEL)
            dpk_object_destroy(op->entry->object.handle, &flow_entry_kind);
        op_free(op);
    }
}

bool flow_port_tell(struct flow_port *port, struct flow_entry *entry, enum doca_flow_entry_op op,
                    uint16_t queue)
{
    if (!port->settings.callback) {
        atomic_store(&entry->status, DOCA_FLOW_ENTRY_STATUS_SUCCESS);
        if (op == DOCA_FLOW_ENTRY_OP_DEL)
            dpk_object_destroy(entry->object.handle, &flow_entry_kind);
        return true;
    }
    struct flow_op *o = calloc(1, sizeof *o);
    if (!o)
        return false;
    dpk_object_hold(o->entry = entry);
    o->op = op;
    o->queue = queue;
    pthread_mutex_lock(&port->object.lock);
    TAILQ_INSERT_TAIL(&port->ops, o, next);
    pthread_mutex_unlock(&port->object.lock);
    return true;
}

/* Takes the first operation of a queue, or returns NULL. */
static struct flow_op *take_op(struct flow_port *port, uint16_t queue)
{
    struct flow_op *o;
    pthread_mutex_lock(&port->object.lock);
    TAILQ_FOREACH(o, &port->ops, next)
    if (o->queue == queue)
        break;
    if (o)
        TAILQ_REMOVE(&port->ops, o, next);
    pthread_mutex_unlock(&port->object.lock);
    return o;
}

doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries)
{
    (void)timeout;
    struct flow_port *p = dpk_object_pin(port, &flow_port_kind);
    if (!p)
        return dpk_doca_end(port, __func__, DOCA_ERROR_INVALID_VALUE);
    for (uint32_t done = 0; max_processed_entries == 0 || done < max_processed_entries; done++) {
        struct flow_op *o = take_op(p, pipe_queue);
        if (!o)
            break;
        struct flow_entry *e = o->entry;
        atomic_store(&e->status, DOCA_FLOW_ENTRY_STATUS_SUCCESS);
        p->settings.callback(e->object.handle, pipe_queue, DOCA_FLOW_ENTRY_STATUS_SUCCESS, o->op,
                             e->usr_ctx);
        if (o->op == DOCA_FLOW_ENTRY_OP_DEL)
            dpk_object_destroy(e->object.handle, &flow_entry_kind);
        op_free(o);
    }
    const doca_error_t result = pipe_queue < p->settings.queues
                                    ? DOCA_SUCCESS
                                    : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                                       "queue %u, but there are %u "
                                                       "(doca_flow_cfg_set_pipe_queues)",
                                                       pipe_queue, p->settings.queues);
    dpk_object_drop(p);
    return dpk_doca_end(port, __func__, result);
}
