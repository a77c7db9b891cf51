/*
 * doca_buf_inventory (DOCA 2.2): buffers for the memory of any map. An inventory gets the program's data
 * when it is created, and buffers come by other names; all else is as in later DOCA.
 *
 *     doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory);
 *     doca_buf_inventory_start(inventory);
 *     doca_buf_inventory_buf_by_addr(inventory, mmap, address, size, &buf);
 */
#ifndef DOCA_2_2_BUF_INVENTORY_H
#define DOCA_2_2_BUF_INVENTORY_H

#include "doca_version.h"

#include "doca_mmap.h"

#define doca_buf_inventory_create doca_buf_inventory_create_later_ /* another one in this release */
#include "../doca/doca_buf_inventory.h"
#undef doca_buf_inventory_create

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DOCA_BUF_EXTENSION_NONE = 0,
};

/* `user_data`: for doca_buf_inventory_get_user_data; NULL: 0. Errors: also NOT_SUPPORTED if there are
 * extensions. */
doca_error_t doca_buf_inventory_create(
    const union doca_data *user_data, size_t num_elements, uint32_t extensions,
    struct doca_buf_inventory **inventory) __asm__("doca_buf_inventory_create_v2_2");
/* doca_buf_inventory_buf_get_by_addr, and so on, of later DOCA. */
doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            struct doca_buf **buf);
doca_error_t doca_buf_inventory_buf_by_data(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *data, size_t data_len,
                                            struct doca_buf **buf);
doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
                                            struct doca_mmap *mmap, void *addr, size_t len,
                                            void *data, size_t data_len, struct doca_buf **buf);

#ifdef __cplusplus
}
#endif

#endif
