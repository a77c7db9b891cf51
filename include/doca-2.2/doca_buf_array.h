/* doca_buf_array (DOCA 2.2): as in DOCA 2.5 (../doca-2.5/doca_buf_array.h), without handles for the DPA.
 *
 *     doca_buf_arr_create(mmap, &array);
 *     doca_buf_arr_set_params(array, 4096, 16, 0);
 */
#ifndef DOCA_2_2_BUF_ARRAY_H
#define DOCA_2_2_BUF_ARRAY_H

#include "doca_version.h"

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;
struct doca_mmap;

doca_error_t doca_buf_arr_create(struct doca_mmap *mmap,
                                 struct doca_buf_arr **buf_arr) __asm__("doca_buf_arr_create_v2_5");
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t elem_size,
                                     uint32_t num_elem,
                                     uint32_t start_offset) __asm__("doca_buf_arr_set_params_v2_5");
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

#ifdef __cplusplus
}
#endif

#endif
