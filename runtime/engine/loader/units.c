/* The execution units that the device gives to a program. */
#include "engine/loader/image.h"

const char *dpk_image_card(const struct dpk_image *image, unsigned *vhca)
{
    *vhca = image->vhca;
    return image->card[0] ? image->card : NULL;
}

enum dpk_status dpk_image_units(const struct dpk_image *image, struct dpk_device_units *out,
                                struct dpk_partitions *all, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    enum dpk_status status = dpk_device_open(image->device, &device, err);
    if (status == DPK_OK)
        status = dpk_device_partitions(device, all, err);
    if (status == DPK_OK)
        dpk_device_units_of(device, image->vhca, all, out);
    dpk_device_close(device);
    return status;
}
