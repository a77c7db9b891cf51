/*
 * doca_buf (DOCA 2.2): buffers in the memory of maps. Later DOCA has other names for holders and lists;
 * all else is the same (../doca/doca_buf.h).
 *
 *     doca_buf_list_chain(first, second);
 *     doca_buf_list_num_elements(first, &n);
 *     doca_buf_refcount_rm(first, NULL);
 */
#ifndef DOCA_2_2_BUF_H
#define DOCA_2_2_BUF_H

#include <stdbool.h>

#include "doca_version.h"

#include "doca_mmap.h"

#include "../doca/doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;

/* doca_buf_inc_refcount and doca_buf_dec_refcount of later DOCA. */
doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount);
doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount);

/* doca_buf_chain_list, and so on, of later DOCA. */
doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);
doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2);
doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf);
doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf);
doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last);
doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first);
doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf, uint32_t *num_elements);

/* Gets the memory key of the buffer's map on a device. */
doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif
