/*
 * doca_ctx: the common base of objects with a data path. A context is configured while idle, then
 * started, used and stopped. A callback reports changes of its state.
 *
 *     struct doca_ctx *ctx = doca_rdma_as_ctx(rdma);
 *     doca_ctx_set_datapath_on_dpa(ctx, dpa);       // kernels will use it
 *     doca_ctx_start(ctx);
 *     ...
 *     while (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
 *         doca_pe_progress(pe);
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object that is not
 * a context (DOCA Core programming guide, "DOCA Context").
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

/* Called after a change of state, on the thread that caused it, within doca_ctx_start, doca_ctx_stop or
 * doca_pe_progress. */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/* Starts a context. Errors: BAD_STATE if the context is not idle, BAD_CONFIG if a required setting is
 * missing. */
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/* Stops a context. An idle context stays idle. Returns IN_PROGRESS if the context has tasks that are
 * not freed. Submitted tasks then fail in doca_pe_progress. Once all tasks are freed, doca_pe_progress
 * or another call of doca_ctx_stop makes the context idle. */
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/* Gets the number of submitted tasks that have not ended. */
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/* Passes on tasks that doca_task_submit_ex held back. Here no task is held back, so this does
 * nothing. */
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/* Sets the user data that callbacks of the context receive. */
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/* Sets the callback for changes of state. NULL: no callback. */
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);

/* Puts the data path on the DPA of a DPA context. Errors: BAD_STATE if the context is not idle,
 * NOT_SUPPORTED if its kind cannot run on the DPA. */
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);
/* Puts the data path on a GPU (doca_gpunetio.h). Errors: BAD_STATE if the context is not idle,
 * NOT_SUPPORTED if its kind cannot run on a GPU: only receive and send queues of doca_eth can. */
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/* Gets the number of completion vectors (interrupts) for the contexts of a device: always 1. */
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors);
/* Set and get the completion vector of a context; 0 by default. Errors: INVALID_VALUE also if the
 * device has too few vectors, BAD_STATE if the context is not idle. */
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

#ifdef __cplusplus
}
#endif

#endif
