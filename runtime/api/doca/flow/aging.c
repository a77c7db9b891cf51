/* Entries without frames for some time. */
#include "flow.h"

#define SECOND 1000000000 /* nanoseconds */

/* Returns whether the entry has aged just now. */
static bool ages(struct flow_entry *e, int64_t now)
{
    if (!e->aging || e->aged)
        return false;
    const uint64_t packets = e->counter->packets;
    if (packets != e->seen) {
        e->seen = packets;
        e->since = now;
        return false;
    }
    e->aged = now - e->since >= (int64_t)e->aging * SECOND;
    return e->aged;
}

/* Returns an entry of a pipe's queue that has aged, with a reference, or NULL. */
static struct flow_entry *aged_in(const struct doca_flow_pipe *pipe, uint16_t queue, int64_t now)
{
    struct flow_pipe *p = dpk_object_lock(pipe, &flow_pipe_kind);
    struct flow_entry *e = NULL;
    if (p)
        e = LIST_FIRST(&p->entries);
    while (e && !(e->queue == queue && ages(e, now)))
        e = LIST_NEXT(e, in_pipe);
    if (e)
        dpk_object_hold(e);
    dpk_object_unlock(p, DOCA_SUCCESS);
    return e;
}

int doca_flow_aging_handle(struct doca_flow_port *port, uint16_t queue, uint64_t quota,
                           uint64_t max_entries)
{
    struct flow_port *p = dpk_object_pin(port, &flow_port_kind);
    const uint64_t begin = dpk_now_ns();
    size_t count = 0, i = 0;
    int aged = 0;
    if (!p)
        return -1;
    struct doca_flow_pipe **pipes = flow_port_pipes(p, &count);
    while (i < count && (max_entries == 0 || (uint64_t)aged < max_entries) &&
           (quota == 0 || (dpk_now_ns() - begin) / 1000 <= quota)) {
        struct flow_entry *e = aged_in(pipes[i], queue, (int64_t)dpk_now_ns());
        if (!e) {
            i++;
            continue;
        }
        aged++;
        if (p->settings.callback)
            p->settings.callback(e->object.handle, queue, DOCA_FLOW_ENTRY_STATUS_SUCCESS,
                                 DOCA_FLOW_ENTRY_OP_AGED, e->usr_ctx);
        dpk_object_drop(e);
    }
    free(pipes);
    dpk_object_drop(p);
    return aged > 0 ? aged : -1;
}
