/* Functions of later DOCA versions, for programs that use the headers of DOCA 2.2. */
#include <doca_buf_inventory.h>
#include <doca_dpa.h>
#include <doca_mmap.h>

#include "later.h"

doca_error_t generation_later_dpa_is_supported(const struct doca_devinfo *devinfo)
{
    return doca_dpa_cap_is_supported(devinfo);
}

doca_error_t generation_later_dpa_app_name(struct doca_dpa_app *app, char *name, uint32_t *name_len)
{
    return doca_dpa_app_get_name(app, name, name_len);
}

doca_error_t generation_later_dpa_create_started(struct doca_dev *dev, struct doca_dpa_app *app,
                                                 struct doca_dpa **dpa)
{
    doca_error_t result = doca_dpa_create(dev, dpa);
    if (result != DOCA_SUCCESS)
        return result;
    if ((result = doca_dpa_set_app(*dpa, app)) == DOCA_SUCCESS)
        result = doca_dpa_start(*dpa);
    if (result == DOCA_SUCCESS)
        return result;
    doca_dpa_destroy(*dpa);
    *dpa = NULL;
    return result;
}

doca_error_t generation_later_mmap_create(struct doca_mmap **mmap)
{
    return doca_mmap_create(mmap);
}

doca_error_t generation_later_inventory_create(size_t num_elements,
                                               struct doca_buf_inventory **inventory)
{
    return doca_buf_inventory_create(num_elements, inventory);
}

doca_error_t generation_later_mmap_set_dmabuf(struct doca_mmap *mmap, int dmabuf_fd, size_t offset,
                                              size_t len)
{
    char any;
    return doca_mmap_set_dmabuf_memrange(mmap, dmabuf_fd, &any, offset, len);
}
