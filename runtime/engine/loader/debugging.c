/* Debuggers of a program: their rights on its device, and the log of their actions. */
#include "engine/loader/loader.h"

#include "engine/loader/image.h"

enum dpk_status dpk_debug_ask(const struct dpk_image *image, struct dpk_debug_permit *out,
                              struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    struct dpk_error why = {0};
    *out = (struct dpk_debug_permit){.rights = DPK_DEBUG_ALL};
    if (!image->device[0])
        return DPK_OK;
    *out = (struct dpk_debug_permit){.rights = DPK_DEBUG_NONE, .locked = true};
    enum dpk_status status = dpk_device_open(image->device, &device, &why);
    if (status == DPK_OK)
        status = dpk_device_dpa_authentication(device, DPK_VIEW_CURRENT, &out->locked, &why);
    if (status == DPK_OK)
        status = dpk_device_debug_rights(device, DPK_VIEW_CURRENT, &out->rights, &why);
    dpk_device_close(device);
    if (status == DPK_OK && out->rights != DPK_DEBUG_NONE)
        return DPK_OK;
    if (status == DPK_OK)
        dpk_fail(&why, DPK_ERR_REFUSED,
                 "%s allows no debuggers: it has DPA_AUTHENTICATION on and DPAKIT_DPA_DEBUG "
                 "DISABLED",
                 image->device);
    out->rights = DPK_DEBUG_NONE;
    return dpk_fail(err, DPK_ERR_REFUSED, "%s", why.message);
}

enum dpk_status dpk_debug_record(const struct dpk_image *image,
                                 const struct dpk_debug_permit *permit, const char *action,
                                 const char *result, const char *detail, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    struct dpk_error why = {0};
    char text[600];
    if (!image->device[0])
        return DPK_OK;
    snprintf(text, sizeof text, "app %s%s%s", image->app, *detail ? ": " : "", detail);
    enum dpk_status status = dpk_device_open(image->device, &device, &why);
    if (status == DPK_OK)
        status = dpk_device_log(device, action, result, text, &why);
    dpk_device_close(device);
    if (status == DPK_OK || !permit->locked)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_REFUSED, "cannot write the event log of %s: %s", image->device,
                    why.message);
}

const char *dpk_image_target(const struct dpk_image *image)
{
    return dpk_target_name(image->target);
}

bool dpk_image_has_zba(const struct dpk_image *image)
{
    return dpk_target_has_zba(image->target);
}

const char *dpk_image_device(const struct dpk_image *image)
{
    return image->device;
}
