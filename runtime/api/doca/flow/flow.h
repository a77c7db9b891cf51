/*
 * flow: pipes of doca_flow, which are tables of the device's steering (queues.h).
 */
#ifndef DPK_API_DOCA_FLOW_FLOW_H
#define DPK_API_DOCA_FLOW_FLOW_H

#include <doca_flow.h>

#include "api/doca/core/core.h"
#include "net/queues/queues.h"

struct flow_port {
    struct dpk_object object;
    struct dpk_dev *dev; /* a use */
    struct dpk_steering *steering;
};
extern const struct dpk_kind flow_port_kind;

struct flow_pipe {
    struct dpk_object object;
    struct flow_port *port; /* a use */
    struct dpk_flow_table *table;
    size_t actions; /* that entries choose from */
    bool has_fwd;
    struct doca_flow_fwd fwd; /* of entries that have none; its list is the pipe's */
    struct flow_way *miss;    /* of other frames; NULL: they are dropped */
    struct flow_entry *entries;
};
extern const struct dpk_kind flow_pipe_kind;

/* ---- way.c: where frames go ---- */

/* Rules of a table that send all of its frames somewhere: by RSS there are several. */
struct flow_way;
/* Whether it can be, of a port. NOT_SUPPORTED: the log says why. NOT_FOUND: of a receive queue. */
doca_error_t flow_way_check(struct flow_port *port, const struct doca_flow_fwd *fwd);
/* Puts the rules into a table. `metadata` NULL: it is left as it is. `last`: behind all others. */
doca_error_t flow_way_new(struct flow_pipe *pipe, const struct doca_flow_fwd *fwd,
                          const uint32_t *metadata, bool last, struct flow_way **out);
/* NULL is ignored. */
void flow_way_free(struct flow_way *way);

/* NOT_SUPPORTED, with a line of the log. */
doca_error_t flow_cannot(const char *what);

#endif
