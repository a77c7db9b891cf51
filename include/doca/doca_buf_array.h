/*
 * doca_buf_array: buffers of one memory map, all of one size, for DPA code (doca_dpa_dev_buf.h), or for kernels
 * of a GPU (doca_gpunetio_dev_buf.cuh).
 *
 *     struct doca_buf_arr *array;  doca_dpa_dev_buf_arr_t handle;
 *     doca_buf_arr_create(16, &array);
 *     doca_buf_arr_set_params(array, mmap, 4096, 0);   // buffer i is at the map's start + 4096 * i
 *     doca_buf_arr_set_target_dpa(array, dpa);
 *     doca_buf_arr_start(array);
 *     doca_buf_arr_get_dpa_handle(array, &handle);     // for a kernel's argument
 *     doca_buf_arr_destroy(array);
 *
 * The array's table is in the memory of the DPA context or GPU. The caller keeps the map: when the map is
 * stopped, the buffers become invalid. Setters return BAD_STATE if the array is started. Every function
 * returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another kind (DOCA Core
 * programming guide, "DOCA Buf Array").
 */
#ifndef DOCA_BUF_ARRAY_H
#define DOCA_BUF_ARRAY_H

#include "doca_dpa_types.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;
struct doca_dpa;
struct doca_gpu;
struct doca_gpu_buf_arr;
struct doca_mmap;

/* Creates an array of `num_elem` buffers. Free it with doca_buf_arr_destroy. Errors: INVALID_VALUE also
 * if num_elem is 0 or more than 2^24, NO_MEMORY. */
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);
/* Stops the object if it is started, then destroys it. */
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/* Sets the memory of the array: buffers of `elem_size` bytes; the first buffer is `start_offset` bytes
 * after the start of the map. Errors: INVALID_VALUE also if elem_size is 0. */
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset);
/* Sets the DPA context whose code uses the array, in place of another target. */
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa);
/* Sets the GPU whose kernels use the array, in place of another target. */
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
                                         struct doca_gpu *gpu_handler);

/* Starts the array. Errors: BAD_CONFIG if parameters or target are not set, INVALID_VALUE also if the
 * map is too small for the buffers, BAD_STATE if the array is started, or the map or the context is not
 * started, NO_MEMORY. */
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);
/* Stops the array. Its handle is invalid afterwards. Errors: BAD_STATE if the array is not started. */
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/* Gets the handle for DPA code, which is valid until the array or its DPA context is stopped. Errors:
 * BAD_STATE if the array is not started. */
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr);
/* Gets the handle for kernels, which is valid until the array is stopped. Errors: BAD_STATE if the array is not
 * started, or its target is not a GPU. */
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr);

#ifdef __cplusplus
}
#endif

#endif
