/*
 * doca_bufpool (DOCA 2.2): pools of buffers of one size; doca_buf_pool of later DOCA
 * (../doca/doca_buf_pool.h).
 *
 *     doca_bufpool_create(NULL, 64, DOCA_BUF_EXTENSION_NONE, 4096, 64, mmap, &pool);
 *     doca_bufpool_start(pool);
 *     doca_bufpool_buf_alloc(pool, &buf);
 */
#ifndef DOCA_2_2_BUFPOOL_H
#define DOCA_2_2_BUFPOOL_H

#include "doca_version.h"

#include "doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_bufpool;
struct doca_mmap;

/* Creates a pool of `num_elements` buffers of `element_size` bytes, at multiples of `element_alignment`
 * bytes, a power of 2. `user_data`: NULL: 0. Errors: also NOT_SUPPORTED if there are extensions. */
doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
                                 uint32_t extensions, size_t element_size, size_t element_alignment,
                                 const struct doca_mmap *mmap, struct doca_bufpool **bufpool);
/* As doca_buf_pool_destroy, and so on, of later DOCA. */
doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool);
doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool);
doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool);
doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool, struct doca_buf **buf);
doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
                                        union doca_data *user_data);
doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
                                           uint32_t *num_elements);
doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
                                                uint32_t *num_free_elements);

#ifdef __cplusplus
}
#endif

#endif
