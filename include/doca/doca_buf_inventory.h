/*
 * doca_buf_inventory: a bound on how many buffers there may be.
 *
 *     struct doca_buf_inventory *inventory;
 *     doca_buf_inventory_create(2, &inventory);
 *     doca_buf_inventory_start(inventory);
 *     doca_buf_inventory_buf_get_by_addr(inventory, mmap, address, size, &buf);
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for one of another
 * kind (DOCA Core programming guide, "DOCA Buffer Inventory").
 */
#ifndef DOCA_BUF_INVENTORY_H
#define DOCA_BUF_INVENTORY_H

#include "doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_inventory;

/* An inventory of at most `num_elements` buffers, not started. INVALID_VALUE: 0. NO_MEMORY. */
doca_error_t doca_buf_inventory_create(size_t num_elements,
                                       struct doca_buf_inventory **buf_inventory);
/* IN_USE: a buffer of it is still held; it stays. */
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/* BAD_STATE: started already, not started. IN_USE: a buffer of it is still held. */
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/* How many buffers there may be, and how many more. */
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/* So many buffers more, while it is started too (DOCA 3). INVALID_VALUE: also 0. */
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

/* Whatever the program wants to find again. */
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/*
 * Makes a buffer of `len` bytes of a started map: without data (_by_addr), all data (_by_data), or
 * with data somewhere in it (_by_args).
 *   buf  [out]  with one holder; NULL on failure
 * INVALID_VALUE: also bytes outside of the map, or data outside of the bytes. BAD_STATE: inventory or
 * map is not started. NO_MEMORY: also if no buffer is left.
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

/* Describes the memory of a buffer, and where its data is, once more; with all that is chained behind
 * it. The bytes are not copied. *dst_buf has one holder, and is NULL on failure. NOT_PERMITTED: it is
 * chained behind another. BAD_STATE: its map or the inventory is not started. NO_MEMORY: also if too
 * few buffers are left. */
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

#ifdef __cplusplus
}
#endif

#endif
