/* Copies between buffers and the memory of the DPA. */
#include <doca_dpa.h>

#include "api/doca/dpa/dpa.h"
#include "memory.h"

#define PIECE 16384u /* bytes per copy */

doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                     struct doca_buf *src_buf, size_t size)
{
    uint8_t bytes[PIECE];
    uint64_t has = 0;
    uint32_t count = 0;
    struct dpk_dpa_call c;
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    result = dpk_buf_list_size(src_buf, &has, &count);
    if (result == DOCA_SUCCESS && size > has)
        result = dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "%zu bytes are more than the %" PRIu64 " bytes of data of the buffers", size, has);
    for (size_t at = 0, now; at < size && result == DOCA_SUCCESS; at += now) {
        struct dpk_error err = {0};
        now = size - at < PIECE ? size - at : PIECE;
        result = dpk_buf_list_read(src_buf, at, bytes, now, c.dpa->dev->domain);
        if (result == DOCA_SUCCESS &&
            dpk_copy_in(c.process, dst_ptr + at, bytes, now, &err) != DPK_OK)
            result = dpk_doca_error_of(&err);
    }
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *dst_buf,
                                     doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
    uint8_t bytes[PIECE];
    uint64_t appended = 0;
    struct dpk_dpa_call c;
    doca_error_t result = dpk_is_buf(dst_buf) ? dpk_dpa_begin(dpa, &c) : DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    for (size_t at = 0, now; at < size && result == DOCA_SUCCESS; at += now) {
        struct dpk_error err = {0};
        now = size - at < PIECE ? size - at : PIECE;
        if (dpk_copy_out(c.process, bytes, src_ptr + at, now, &err) != DPK_OK)
            result = dpk_doca_error_of(&err);
        else
            result = dpk_buf_list_append(dst_buf, bytes, now, c.dpa->dev->domain, &appended);
    }
    if (result != DOCA_SUCCESS)
        dpk_buf_list_shrink(dst_buf, appended);
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, result);
}
