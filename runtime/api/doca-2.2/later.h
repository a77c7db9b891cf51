/* Functions of later DOCA that the headers of DOCA 2.2 declare differently or do not declare. */
#ifndef DPK_API_DOCA_2_2_LATER_H
#define DPK_API_DOCA_2_2_LATER_H

#include <doca_error.h>
#include <stddef.h>
#include <stdint.h>

struct doca_devinfo;
struct doca_dev;
struct doca_dpa;
struct doca_dpa_app;
struct doca_mmap;
struct doca_buf_inventory;

/* doca_dpa_cap_is_supported */
doca_error_t generation_later_dpa_is_supported(const struct doca_devinfo *devinfo);
/* doca_dpa_app_get_name */
doca_error_t generation_later_dpa_app_name(struct doca_dpa_app *app, char *name,
                                           uint32_t *name_len);
/* doca_dpa_create, doca_dpa_set_app, doca_dpa_start; *dpa: NULL on failure. */
doca_error_t generation_later_dpa_create_started(struct doca_dev *dev, struct doca_dpa_app *app,
                                                 struct doca_dpa **dpa);
/* doca_mmap_set_dmabuf_memrange, with any address */
doca_error_t generation_later_mmap_set_dmabuf(struct doca_mmap *mmap, int dmabuf_fd, size_t offset,
                                              size_t len);
/* doca_mmap_create, doca_buf_inventory_create */
doca_error_t generation_later_mmap_create(struct doca_mmap **mmap);
doca_error_t generation_later_inventory_create(size_t num_elements,
                                               struct doca_buf_inventory **inventory);

#endif
