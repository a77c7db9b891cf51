/*
 * doca_buf_pool: buffers of one size, side by side in a memory map. Taking a buffer is cheap; a freed
 * buffer can be taken again.
 *
 *     struct doca_buf_pool *pool;  struct doca_buf *buf;
 *     doca_buf_pool_create(64, 4096, mmap, &pool);
 *     doca_buf_pool_start(pool);                    // the map is started
 *     doca_buf_pool_buf_alloc(pool, &buf);          // 4096 bytes, no data in them
 *     doca_buf_dec_refcount(buf, NULL);             // the last holder frees it
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Libraries API, "DOCA Buffer Pool").
 */
#ifndef DOCA_BUF_POOL_H
#define DOCA_BUF_POOL_H

#include "doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_pool;

/* Creates a pool of `num_elements` buffers of `element_size` bytes each. It is not started. The caller
 * keeps the map. Errors: INVALID_VALUE also if a number is 0, NO_MEMORY. */
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);
/* Destroys the pool. Errors: IN_USE if one of its buffers is still held; nothing changes then. */
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/* Lays the buffers out in the memory of the map. Errors: BAD_STATE if the map is not started or the
 * pool is, INITIALIZATION if the map is too small for the buffers, IN_USE, NO_MEMORY. */
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);
/* Stops the pool. Errors: BAD_STATE if it is not started, IN_USE if one of its buffers is still
 * held. */
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/* Takes a buffer; *buf has one holder, and is NULL on failure. Errors: BAD_STATE if the pool or the map
 * is not started, EMPTY if all buffers are taken, NO_MEMORY. */
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/* Setters return BAD_STATE if the pool is started. */

/* A value for the program's own use; 0 by default. */
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data);

/* The alignment of each buffer's address in bytes; 1 by default. Errors: INVALID_VALUE also if the
 * alignment is not a power of 2. */
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment);
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment);

/* Get the number of buffers, and the number of free buffers. */
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements);
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements);

#ifdef __cplusplus
}
#endif

#endif
