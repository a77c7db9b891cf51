/*
 * doca_dma: copies between buffers. doca_pe_progress performs and reports them.
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
 * A copy appends the data of the source, and of the buffers chained to it, to the data of the
 * destination. Bytes that do not fit into the destination go to the buffers chained to it. A failed
 * task leaves the data of both unchanged. Its status (doca_task_get_status) is INVALID_VALUE if a
 * buffer is freed, a list or its data is too long, the data does not fit, or source and destination
 * overlap in one map (other overlaps are not detected, and the copied bytes are then undefined);
 * NOT_PERMITTED if a map is not on the context's device, the destination's map has no LOCAL_READ_WRITE,
 * or the owner of an exported map did not give the PCI flag; IO_FAILED if there is no data or the
 * memory is gone, for example because its process has ended; NOT_SUPPORTED for memory that another
 * process exported for RDMA; BAD_STATE if the context was stopped. doca_task_try_submit returns these
 * errors at once, and INVALID_VALUE if there is no data.
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
struct doca_gpu_dma; /* the handle of a context for a GPU */

/* Called by doca_pe_progress when a copy has ended; it may submit the task again, or free it. */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/* ---- Capabilities of devices ---- */

/* Returns DOCA_SUCCESS if the device supports copies. */
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);
/* Largest size of a copy in bytes, and largest number of buffers in a list. */
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size);
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len);
/* Largest number of tasks of a context. */
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/* ---- Contexts ---- */

/* Creates an idle context on a device. Errors: NO_MEMORY. */
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/* Stops the context if it runs, and destroys it. Errors: IN_USE if it has a task that is not freed;
 * nothing changes then. */
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/* Returns the object as a context. NULL if the argument is not an object of this kind. doca_ctx_start
 * returns BAD_CONFIG without a configuration of copies or a progress engine, and, if the data path is on a GPU,
 * with a configuration of copies. No context has its data path on the DPA. doca_ctx_stop returns
 * IN_PROGRESS until all tasks are freed; submitted tasks fail in doca_pe_progress. */
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/* Gets the handle for kernels (doca_gpunetio_dev_dma.cuh), which is valid until the context is stopped. The stop
 * waits for the copies that kernels have committed. Errors, with NULL in *gpu_dma: NOT_SUPPORTED if the data path
 * is not on a GPU (doca_ctx_set_datapath_on_gpu), BAD_STATE if the context does not run. */
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

/*
 * Configures copies.
 *   task_completion_cb, task_error_cb  [in]  callbacks of successful and failed copies
 *   num_memcpy_tasks                   [in]  the largest number of tasks
 * Errors: INVALID_VALUE also if the number is 0 or more than doca_dma_cap_get_max_num_tasks, BAD_STATE
 * if the context is not idle.
 */
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks);

/* ---- Copies ---- */

/*
 * Creates a copy task. Free it with doca_task_free.
 *   src, dst   [in]   the buffers; the caller keeps them until the copy has ended
 *   user_data  [in]   for the callbacks
 *   task       [out]  NULL on failure
 * Errors: BAD_STATE if the context does not run, NO_MEMORY also if all configured tasks exist.
 */
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task);

/* Set and get the buffers. New buffers count from the next submission; NULL is ignored. The getters
 * return NULL if the argument is not a copy task. */
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
