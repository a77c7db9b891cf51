/*
 * doca_ctx: what objects with a data path have in common: they are configured while idle, started,
 * used, stopped, and tell when their state changes.
 *
 *     struct doca_ctx *ctx = doca_rdma_as_ctx(rdma);
 *     doca_ctx_set_datapath_on_dpa(ctx, dpa);       // kernels will use it
 *     doca_ctx_start(ctx);
 *     ...
 *     while (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
 *         doca_pe_progress(pe);
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for what is no
 * context (DOCA Core programming guide, "DOCA Context").
 */
#ifndef DOCA_CTX_H
#define DOCA_CTX_H

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dpa;
struct doca_gpu;
struct doca_devinfo;

enum doca_ctx_states {
    DOCA_CTX_STATE_IDLE = 0,
    DOCA_CTX_STATE_STARTING = 1,
    DOCA_CTX_STATE_RUNNING = 2,
    DOCA_CTX_STATE_STOPPING = 3,
};

/* Called after a change of state, on the thread that made it happen: in doca_ctx_start,
 * doca_ctx_stop or doca_pe_progress. */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/* Starts a context. BAD_STATE: it is not idle. BAD_CONFIG: what it needs is not set. */
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/* Stops a context; one that is idle stays so. IN_PROGRESS: tasks of it are not freed: those that
 * are submitted fail in doca_pe_progress, which makes it idle when all are freed, as asking again
 * does. */
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/* How many of its tasks are submitted and have not ended. */
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/* Hands over what doca_task_submit_ex held back: nothing, here. */
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/* What callbacks of the context get. */
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/* Who is told of changes of state; NULL: nobody. */
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);

/* Puts the data path on the DPA of a context. BAD_STATE: the context is not idle. NOT_SUPPORTED:
 * not for this kind of context. */
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);
/* NOT_SUPPORTED: emulated devices have no GPU beside them. */
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/* How many completion vectors (interrupts) contexts of a device may be spread over: one. */
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors);
/* Which one a context has; 0 to begin with. INVALID_VALUE: also if there are not so many. BAD_STATE: the
 * context is not idle. */
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

#ifdef __cplusplus
}
#endif

#endif
