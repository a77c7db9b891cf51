/*
 * flow: what DOCA 2.5 and 2.6 give to DOCA Flow in structures, as later functions take it. The sources of
 * these releases include this header, which has no structure of DOCA Flow, because the structures differ.
 */
#ifndef DPK_API_DOCA_2_5_FLOW_H
#define DPK_API_DOCA_2_5_FLOW_H

#include <doca_error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_layout;
extern const struct flow_layout *const generation_flow_2_7;  /* of DOCA 2.7 and 2.8 */
extern const struct flow_layout *const generation_flow_2_10; /* of DOCA 2.9 and 2.10 */

/* Each call refuses NULL for a structure or for the result (INVALID_VALUE). `call`: its name in messages.
 * `refused`: the name of a field that is set and not emulated, or NULL. */

/* What doca_flow_init got. */
struct generation_flow_library {
    const char *mode_args, *refused;
    const void *callback; /* the address of a doca_flow_entry_process_cb, which may be NULL */
    uint16_t queues;
    uint32_t shared_counters, shared_others;
};
doca_error_t generation_flow_begin(const char *call, const struct generation_flow_library *library,
                                   const struct flow_layout *layout);

/* What doca_flow_port_start got. */
struct generation_flow_port {
    uint16_t id, priv_size;
    void *dev;
    const char *devargs, *refused;
};
doca_error_t generation_flow_port(const char *call, const struct generation_flow_port *settings,
                                  void **port);

/* What doca_flow_pipe_create got. The arrays and structures have the layout of the program's release. */
struct generation_flow_pipe {
    const char *name, *refused;
    unsigned type, domain;
    bool is_root, counts_misses;
    uint32_t entries;
    uint8_t action_count;
    void *port, *match, *mask, *actions, *masks, *descs, *monitor;
    const void *fwd, *miss;
};
doca_error_t generation_flow_pipe(const char *call, const struct generation_flow_pipe *settings,
                                  void **pipe);

#endif
