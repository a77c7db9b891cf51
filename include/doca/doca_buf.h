/*
 * doca_buf: a piece of a memory map, with data somewhere in it; pieces can be chained.
 *
 *     |<-------------- len --------------->|
 *     |         |<--- data_len --->|       |
 *     head      data
 *
 *     struct doca_buf *buf;
 *     doca_buf_inventory_buf_get_by_addr(inventory, mmap, address, size, &buf);
 *     doca_buf_set_data(buf, address, 100);
 *     ...
 *     doca_buf_dec_refcount(buf, NULL);       // the last holder frees it
 *
 * Every function returns INVALID_VALUE for NULL, for a freed buffer, and for an object that is not a
 * buffer (DOCA Core programming guide, "DOCA Buffer").
 */
#ifndef DOCA_BUF_H
#define DOCA_BUF_H

#include "doca_mmap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/* Add a holder, remove a holder. Removing the last holder frees the buffer and the buffers chained
 * after it.
 *   refcount  [out]  NULL, or the number of holders before the call */
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/* Get the address and length of the piece, and of its data. */
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/* Sets the address and length of the data. Errors: INVALID_VALUE if the data is not inside the
 * piece. */
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);
/* Sets the length of the data and keeps its address. Errors: INVALID_VALUE if the data would end after
 * the piece. */
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);
/* Sets the length of the data to 0 and keeps its address. */
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/* Appends list2 to list1; both are the first buffers of whole lists. Afterwards list2 is part of list1
 * and is freed with it. Errors: INVALID_VALUE if both are the same buffer, or if one is inside another
 * list. */
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);
/* As doca_buf_chain_list, for a caller that knows the last buffer of list1. Errors: also INVALID_VALUE
 * if list1_tail is not that buffer. */
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);
/* Splits the whole list list1 before its buffer list2. Afterwards list2 is a list of its own, with one
 * holder. Errors: INVALID_VALUE if list2 is not in the list, or is its first buffer. */
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);
/* Gets the next buffer of a list, or NULL after the last buffer. */
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next);
/* Gets the last buffer of the list that `buf` is in. A buffer outside of lists is a list of one. */
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last);
/* Set their result to 1 or 0. They return 1 if the buffer is the last of its list, the first of its
 * list, or in a list with other buffers. */
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

#ifdef __cplusplus
}
#endif

#endif
