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
 *     doca_buf_dec_refcount(buf, NULL);       // the last one gives it back
 *
 * Every function gives INVALID_VALUE for NULL, for a buffer that is gone, and for what is none
 * (DOCA Core programming guide, "DOCA Buffer").
 */
#ifndef DOCA_BUF_H
#define DOCA_BUF_H

#include "doca_mmap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/* One holder more, one less; the last one gives the buffer, and those chained behind it, back.
 *   refcount  [out]  NULL, or the number of holders before */
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/* Where the piece is, and its data. */
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/* Says where the data is. INVALID_VALUE: not inside the piece. */
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);
/* How much data there is, where it is. INVALID_VALUE: more than there is room for from there on. */
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);
/* No data any more, where it was. */
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/* Appends list2, a whole list, to list1, a whole list: its first buffer is no list by itself any
 * more and goes with the first of list1. INVALID_VALUE: they are the same, or one is inside another
 * list. */
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);
/* The same for a caller who knows the last buffer of list1. INVALID_VALUE: also if it is not that. */
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);
/* Splits list1, a whole list, before list2, a buffer in it, which is a list by itself from then on,
 * with one holder. INVALID_VALUE: it is not in that list, or its first buffer. */
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);
/* The next buffer of a list, NULL behind the last. */
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next);
/* The last buffer of a list, from any buffer of it on; a buffer that is in no list is its own. */
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last);
/* Whether nothing is behind it, before it; whether it is chained to others: 1 or 0. */
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

#ifdef __cplusplus
}
#endif

#endif
