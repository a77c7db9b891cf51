/*
 * doca_buf_array: buffers of one memory map, all of one size, for DPA code (doca_dpa_dev_buf.h).
 *
 *     struct doca_buf_arr *array;  doca_dpa_dev_buf_arr_t handle;
 *     doca_buf_arr_create(16, &array);
 *     doca_buf_arr_set_params(array, mmap, 4096, 0);   // buffer i begins 4096 * i behind the map's
 *     doca_buf_arr_set_target_dpa(array, dpa);
 *     doca_buf_arr_start(array);
 *     doca_buf_arr_get_dpa_handle(array, &handle);     // for a kernel's argument
 *     doca_buf_arr_destroy(array);
 *
 * Its table is in the memory of the DPA context. The map stays the caller's: when it is stopped, the
 * buffers are void. Setters are for an array that is not started: else BAD_STATE. Every function
 * gives INVALID_VALUE for NULL, for an object that is gone, and for one of another kind (DOCA Core
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
struct doca_mmap;

/* Makes an array of `num_elem` buffers, to be given back with doca_buf_arr_destroy. INVALID_VALUE:
 * also 0, or more than 2^24. NO_MEMORY. */
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);
/* Stops it if it is started. */
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/* Which memory: buffers of `elem_size` bytes, the first of them `start_offset` bytes behind the
 * beginning of the map. INVALID_VALUE: also an element size of 0. */
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset);
/* Whose code uses it. */
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa);

/* BAD_CONFIG: parameters or target were not set. INVALID_VALUE: also more buffers than the map has
 * memory for. BAD_STATE: started already, or the map or the context is not. NO_MEMORY. */
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);
/* Its handle is void from here on. BAD_STATE: not started. */
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/* What DPA code calls it; valid until it, or its DPA context, is stopped. BAD_STATE: not started. */
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif
