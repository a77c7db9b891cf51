/*
 * doca_buf_inventory: creates buffers, up to a maximum number.
 *
 *     struct doca_buf_inventory *inventory;
 *     doca_buf_inventory_create(2, &inventory);
 *     doca_buf_inventory_start(inventory);
 *     doca_buf_inventory_buf_get_by_addr(inventory, mmap, address, size, &buf);
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Core programming guide, "DOCA Buffer Inventory").
 */
#ifndef DOCA_BUF_INVENTORY_H
#define DOCA_BUF_INVENTORY_H

#include "doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_inventory;

/* Creates an inventory of at most `num_elements` buffers. It is not started. Errors: INVALID_VALUE also
 * if num_elements is 0, NO_MEMORY. */
doca_error_t doca_buf_inventory_create(size_t num_elements,
                                       struct doca_buf_inventory **buf_inventory);
/* Destroys the inventory. Errors: IN_USE if one of its buffers is still held; nothing changes then. */
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/* Start and stop the inventory. Errors: BAD_STATE if it is already started, or for stop, not started;
 * IN_USE if one of its buffers is still held. */
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/* Get the maximum number of buffers, and the number of buffers that can still be created. */
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/* Raises the maximum by `num_elements` buffers (DOCA 3). The inventory may be started. Errors:
 * INVALID_VALUE also if num_elements is 0. */
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

/* A value for the program's own use. */
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/*
 * Create a buffer of `len` bytes of a started map: without data (_by_addr), with data in all bytes
 * (_by_data), or with data in a part (_by_args).
 *   buf  [out]  with one holder; NULL on failure
 * Errors: INVALID_VALUE also if the bytes are not inside the map, or the data is not inside the bytes,
 * BAD_STATE if the inventory or the map is not started, NO_MEMORY also if the inventory has no buffer
 * left.
 */
doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                struct doca_buf **buf);
doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *data, size_t data_len,
                                                struct doca_buf **buf);
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf);

/* Creates a second buffer for the same memory and data, and one for each buffer chained after it. The
 * bytes are not copied. *dst_buf has one holder, and is NULL on failure. Errors: NOT_PERMITTED if the
 * buffer is chained after another buffer, BAD_STATE if its map or the inventory is not started,
 * NO_MEMORY also if the inventory has too few buffers left. */
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

#ifdef __cplusplus
}
#endif

#endif
