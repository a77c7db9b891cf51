/* Arrays of buffers in DOCA 2.5: made from a map, and their number is set later. */
#include <doca-2.5/doca_buf_array.h>

#include "api/doca/memory/memory.h"

doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr)
{
    if (buf_arr)
        *buf_arr = NULL;
    if (!buf_arr || !dpk_is_mmap(mmap))
        return dpk_doca_no_object(__func__);
    return dpk_buf_array_new(__func__, mmap, 0, buf_arr);
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t elem_size,
                                     uint32_t num_elem, uint32_t start_offset)
{
    if (num_elem == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "the array has 0 elements");
    return dpk_buf_array_set(__func__, buf_arr, NULL, num_elem, elem_size, start_offset);
}
