/*
 * doca_mmap_advise: advice on memory of maps, as tasks of a context. The only advice is that the cached
 * bytes of a buffer are no longer needed.
 *
 *     struct doca_mmap_advise *advise;  struct doca_mmap_advise_task_invalidate_cache *task;
 *     doca_mmap_advise_create(dev, &advise);
 *     doca_mmap_advise_task_invalidate_cache_set_conf(advise, done, failed, 1);
 *     doca_pe_connect_ctx(pe, doca_mmap_advise_as_ctx(advise));
 *     doca_ctx_start(doca_mmap_advise_as_ctx(advise));
 *     doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, data, &task);
 *     doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
 *
 * On a BlueField this is the cache of its cores, and the data is undefined afterwards. An emulated
 * device has host memory without a cache: a task checks its buffer as a device does, and changes
 * nothing. Its status is INVALID_VALUE if the buffer is freed, is in a list, has no data, or too much
 * data; NOT_PERMITTED if its map is not on the device; IO_FAILED if the memory is gone; BAD_STATE if
 * the context was stopped.
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

/* Returns DOCA_SUCCESS if the device supports these tasks. */
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);
/* Largest size of a buffer in bytes. */
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size);

/* Creates an idle context on a device. Errors: NO_MEMORY. */
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);
/* Stops the context if it runs, and destroys it. Errors: IN_USE if it has a task that is not freed;
 * nothing changes then. */
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);
/* Returns the object as a context. NULL if the argument is not an object of this kind. doca_ctx_start
 * returns BAD_CONFIG without a configuration of tasks or a progress engine. */
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/* Sets the callbacks and the largest number of tasks. Errors: INVALID_VALUE also if the number is 0 or
 * more than 65536, BAD_STATE if the context is not idle. */
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/* Creates a task. Free it with doca_task_free. The caller keeps the buffer. Errors: BAD_STATE if the
 * context does not run, NO_MEMORY also if all configured tasks exist. */
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task);

/* Returns the object as a task. NULL if the argument is not a task of this kind. */
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task);

/* Set and get the buffer. A new buffer counts from the next submission. The getter returns NULL if the
 * argument is not such a task. */
void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif
