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
    struct doca_flow_fwd fwd; /* of entries without their own; the pipe owns its list */
    struct flow_way *miss;    /* of frames that do not match; NULL: they are dropped */
    struct flow_entry *entries;
};
extern const struct dpk_kind flow_pipe_kind;

/* ---- way.c: where frames go ---- */

/* The rules of a table that send all of its frames to a destination; RSS needs several rules. */
struct flow_way;
/* Checks a destination of a port. Errors: NOT_SUPPORTED with the reason in the log, NOT_FOUND if a
 * receive queue does not exist. */
doca_error_t flow_way_check(struct flow_port *port, const struct doca_flow_fwd *fwd);
/* Puts the rules into a table. `metadata` NULL: unchanged. `last`: after all other rules. */
doca_error_t flow_way_new(struct flow_pipe *pipe, const struct doca_flow_fwd *fwd,
                          const uint32_t *metadata, bool last, struct flow_way **out);
/* NULL is ignored. */
void flow_way_free(struct flow_way *way);

/* Returns NOT_SUPPORTED and logs a line. */
doca_error_t flow_cannot(const char *what);

#endif
