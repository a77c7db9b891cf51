/*
 * doca_buf_array (DOCA 2.5): buffers of one memory map for DPA code. An array is created from a map,
 * and its number of buffers is set later; all else is as in later DOCA (../doca/doca_buf_array.h).
 *
 *     struct doca_buf_arr *array;  struct doca_dpa_dev_buf_arr *handle;
 *     doca_buf_arr_create(mmap, &array);
 *     doca_buf_arr_set_params(array, 4096, 16, 0);
 *     doca_buf_arr_set_target_dpa(array, dpa);
 *     doca_buf_arr_start(array);
 *     doca_buf_arr_get_dpa_handle(array, &handle);     // for a kernel's argument
 */
#ifndef DOCA_2_5_BUF_ARRAY_H
#define DOCA_2_5_BUF_ARRAY_H

#include "doca_2_5.h"

#include "../doca/doca_dpa_types.h"
#include "../doca/doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;
struct doca_dpa;
struct doca_mmap;

/* Creates an empty array of buffers of a map. Errors: INVALID_VALUE if `mmap` is not a map,
 * NO_MEMORY. */
doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr)
    __asm__("doca_buf_arr_create_v2_5");

/* `num_elem` buffers of `elem_size` bytes, the first buffer `start_offset` bytes after the start of the
 * map. Errors: INVALID_VALUE also if a number is 0, or there are more than 2^24 buffers, BAD_STATE if
 * the array is started. */
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t elem_size,
                                     uint32_t num_elem, uint32_t start_offset)
    __asm__("doca_buf_arr_set_params_v2_5");

/* As in later DOCA. */
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa);
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif
