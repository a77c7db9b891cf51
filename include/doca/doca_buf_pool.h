/*
 * doca_buf_pool: buffers that lie side by side in a memory map, all of one size. Taking one costs no
 * more than naming it, and a buffer that is given back is free again.
 *
 *     struct doca_buf_pool *pool;  struct doca_buf *buf;
 *     doca_buf_pool_create(64, 4096, mmap, &pool);
 *     doca_buf_pool_start(pool);                    // the map is started
 *     doca_buf_pool_buf_alloc(pool, &buf);          // 4096 bytes, no data in them
 *     doca_buf_dec_refcount(buf, NULL);             // the last one gives it back
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for one of another
 * kind (DOCA Libraries API, "DOCA Buffer Pool").
 */
#ifndef DOCA_BUF_POOL_H
#define DOCA_BUF_POOL_H

#include "doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_pool;

/* A pool of `num_elements` buffers of `element_size` bytes each, not started. The map stays the
 * caller's. INVALID_VALUE: also 0. NO_MEMORY. */
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);
/* IN_USE: a buffer of it is still held; it stays. */
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/* Lays the buffers out in the memory of the map. BAD_STATE: the map is not started, or the pool is.
 * INITIALIZATION: the map is too small for them. IN_USE, NO_MEMORY. */
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);
/* BAD_STATE: not started. IN_USE: a buffer of it is still held. */
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/* Takes a buffer; *buf has one holder, and is NULL on failure. BAD_STATE: pool or map is not
 * started. EMPTY: all are taken. NO_MEMORY. */
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/* Setters are for a pool that is not started: else BAD_STATE. */

/* Whatever the program wants to find again; 0 until it is set. */
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data);

/* Of what the address of each buffer is a multiple: bytes, 1 until it is set. INVALID_VALUE: also
 * what is no power of 2. */
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment);
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment);

/* How many buffers there are, and how many of them are free. */
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements);
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements);

#ifdef __cplusplus
}
#endif

#endif
