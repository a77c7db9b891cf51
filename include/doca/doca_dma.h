/*
 * doca_dma: copies between buffers, carried out and told of by doca_pe_progress.
 *
 *     static void done(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
 *                      union doca_data ctx_user_data) { ... }
 *
 *     struct doca_dma *dma;  struct doca_dma_task_memcpy *copy;
 *     doca_dma_create(dev, &dma);
 *     doca_dma_task_memcpy_set_conf(dma, done, failed, 16);    // at most 16 tasks at once
 *     doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma));
 *     doca_ctx_start(doca_dma_as_ctx(dma));
 *     doca_dma_task_memcpy_alloc_init(dma, from, to, data, &copy);
 *     doca_task_submit(doca_dma_task_memcpy_as_task(copy));
 *     while (!finished)
 *         doca_pe_progress(pe);                                // calls done, or failed
 *     doca_task_free(doca_dma_task_memcpy_as_task(copy));
 *
 * The data of the source, and of the buffers chained to it, is appended to that of the destination,
 * which grows by it; what does not fit into the destination goes on in those chained to it. A task that
 * fails leaves the data of both as they were; its status (doca_task_get_status) says why:
 * INVALID_VALUE: a buffer is gone, a list or its data is longer than devices take, the data does not
 * fit, or a stretch of it overlaps with where it goes, in the same map. Other overlaps are not seen;
 * what is copied then is not defined. NOT_PERMITTED: a map is not on the device of the context; that of
 * the destination has no LOCAL_READ_WRITE; of one that was made from an export, its owner did not give
 * the PCI flag. IO_FAILED: there is no data, or the memory is gone, as that of a process that has
 * ended. NOT_SUPPORTED: memory that another process exported for RDMA. BAD_STATE: the context was
 * stopped. doca_task_try_submit says these at once, and INVALID_VALUE if there is no data.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA DMA programming guide).
 */
#ifndef DOCA_DMA_H
#define DOCA_DMA_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dma;
struct doca_dma_task_memcpy;
struct doca_gpu_dma; /* a context, as programs of a GPU see it */

/* Called by doca_pe_progress when a copy has ended; it may submit the task again, or free it. */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/* ---- What devices can do ---- */

/* DOCA_SUCCESS: copies are possible. */
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);
/* Bytes of one copy, and buffers in a list, at most. */
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size);
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len);
/* Tasks that a context may be set up for. */
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/* ---- Contexts ---- */

/* Makes an idle context on a device. NO_MEMORY. */
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/* Stops it if it runs. Errors: IN_USE if it has a task that is not freed; nothing changes then. */
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/* Returns the object as a context. NULL if the argument is not an object of this kind. It starts when
 * copies were set up and it is connected to a progress engine (else BAD_CONFIG), and has stopped when
 * all its tasks are freed: until then stopping is IN_PROGRESS, and what is submitted fails in
 * doca_pe_progress. */
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/* The context for a GPU, which would carry out its copies. NOT_SUPPORTED: emulated devices have none
 * beside them; nor has a context a data path on a GPU, or on the DPA (doca_ctx_set_datapath_on_gpu,
 * doca_ctx_set_datapath_on_dpa: NOT_SUPPORTED). *gpu_dma is NULL then. */
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

/*
 * Sets copies up.
 *   task_completion_cb, task_error_cb  [in]  who is told of those that succeed, and fail
 *   num_memcpy_tasks                   [in]  how many there may be at once
 * INVALID_VALUE: also 0, or more than doca_dma_cap_get_max_num_tasks. BAD_STATE: it is not idle.
 */
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks);

/* ---- Copies ---- */

/*
 * Makes a copy, to be given back with doca_task_free.
 *   src, dst   [in]   stay the caller's, and must stay until it has ended
 *   user_data  [in]   for the callbacks
 *   task       [out]  NULL on failure
 * BAD_STATE: the context does not run. NO_MEMORY: also if there are as many as were set up.
 */
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task);

/* The buffers of a copy, for the next time that it is submitted; one that is submitted keeps its own,
 * and NULL changes nothing. They are NULL for what is no copy. */
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/* Returns the object as a task. NULL if the argument is not a task of this kind. */
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

#ifdef __cplusplus
}
#endif

#endif
