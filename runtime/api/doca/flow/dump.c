/* All pipes of a port: written for the program, and destroyed, alone or with the port. */
#include <inttypes.h>

#include "flow.h"

void doca_flow_pipe_dump(struct doca_flow_pipe *pipe, FILE *f)
{
    static const char *const types[] = {[DOCA_FLOW_PIPE_BASIC] = "basic",
                                        [DOCA_FLOW_PIPE_CONTROL] = "control",
                                        [DOCA_FLOW_PIPE_LPM] = "LPM",
                                        [DOCA_FLOW_PIPE_ACL] = "ACL",
                                        [DOCA_FLOW_PIPE_HASH] = "hash"};
    struct flow_pipe *p = f ? dpk_object_lock(pipe, &flow_pipe_kind) : NULL;
    const struct flow_entry *e;
    if (p) {
        const struct flow_pipe_settings *s = &p->settings;
        fprintf(f, "pipe \"%s\": %s, %s, %sport %u, %" PRIu32 " entries\n", s->name, types[s->type],
                s->sent ? "sent frames" : "received frames", s->is_root ? "root, " : "",
                p->port->id, p->entry_count);
        LIST_FOREACH(e, &p->entries, in_pipe)
        if (e->counter)
            fprintf(f, "  entry of priority %u: %" PRIu64 " frames, %" PRIu64 " bytes\n",
                    e->priority, (uint64_t)e->counter->packets, (uint64_t)e->counter->octets);
    }
    dpk_object_unlock(p, DOCA_SUCCESS);
}

void doca_flow_port_pipes_dump(struct doca_flow_port *port, FILE *f)
{
    struct flow_port *p = f ? dpk_object_pin(port, &flow_port_kind) : NULL;
    size_t count = 0;
    struct doca_flow_pipe **handles = p ? flow_port_pipes(p, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        doca_flow_pipe_dump(handles[i], f);
    free(handles);
    dpk_object_drop(p);
}

/* Destroys all pipes of a port, but those that lead to each other in a circle. */
static void flush(struct flow_port *port)
{
    size_t count = 0, before;
    /* A pipe that another pipe leads to is destroyed in a later round. */
    do {
        before = count;
        struct doca_flow_pipe **handles = flow_port_pipes(port, &count);
        for (size_t i = 0; i < count; i++)
            dpk_object_destroy(handles[i], &flow_pipe_kind);
        free(handles);
    } while (count > 0 && count != before);
}

void doca_flow_port_pipes_flush(struct doca_flow_port *port)
{
    struct flow_port *p = dpk_object_pin(port, &flow_port_kind);
    if (p)
        flush(p);
    dpk_object_drop(p);
}

doca_error_t doca_flow_port_stop(struct doca_flow_port *port)
{
    struct flow_port *p = dpk_object_pin(port, &flow_port_kind);
    if (p)
        flush(p);
    dpk_object_drop(p);
    return dpk_doca_destroy(port, &flow_port_kind, __func__);
}
