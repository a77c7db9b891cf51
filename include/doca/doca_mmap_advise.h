/*
 * doca_mmap_advise: advice on memory of maps, as tasks of a context. The one piece of advice is that
 * what a processor's cache holds of a buffer is not needed any more.
 *
 *     struct doca_mmap_advise *advise;  struct doca_mmap_advise_task_invalidate_cache *task;
 *     doca_mmap_advise_create(dev, &advise);
 *     doca_mmap_advise_task_invalidate_cache_set_conf(advise, done, failed, 1);
 *     doca_pe_connect_ctx(pe, doca_mmap_advise_as_ctx(advise));
 *     doca_ctx_start(doca_mmap_advise_as_ctx(advise));
 *     doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, data, &task);
 *     doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
 *
 * On a BlueField the cache is that of its cores in front of their memory, and the data is undefined
 * after that. An emulated device has the host's memory and no cache: a task checks its buffer as a
 * device does and changes nothing. Its status: INVALID_VALUE: the buffer is gone, is one of a list, has
 * no data, or more than a device takes. NOT_PERMITTED: its map is not on the device. IO_FAILED: the
 * memory is gone. BAD_STATE: the context was stopped.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Mmap Advise programming guide; API reference, "DOCA MMAP Advise").
 */
#ifndef DOCA_MMAP_ADVISE_H
#define DOCA_MMAP_ADVISE_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap_advise;
struct doca_mmap_advise_task_invalidate_cache;

/* Called by doca_pe_progress when a task has ended. */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
    struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* DOCA_SUCCESS: there are such tasks. */
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);
/* Bytes of a buffer, at most. */
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size);

/* Makes an idle context on a device. NO_MEMORY. */
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);
/* Stops it if it runs. Errors: IN_USE if it has a task that is not freed; nothing changes then. */
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);
/* Returns the object as a context. NULL if the argument is not an object of this kind. It starts when
 * its tasks were set up and it is connected to a progress engine: else BAD_CONFIG. */
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/* Sets up how many tasks there may be at once, and who is told of them. INVALID_VALUE: also 0, or
 * more than 65536. BAD_STATE: it is not idle. */
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/* Makes a task, to be given back with doca_task_free. The buffer stays the caller's. BAD_STATE: the
 * context does not run. NO_MEMORY: also if there are as many as were set up. */
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task);

/* Returns the object as a task. NULL if the argument is not a task of this kind. */
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task);

/* Its buffer, for the next time that it is submitted; NULL for what is no such task. */
void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif
