/* dpadev fabric: shows or sets the fabric by which a device's RDMA reaches other machines. */
#include <string.h>

#include "dpadev.h"

#include "rdma/fabric/fabric.h"

_Static_assert(DPK_FABRIC_TEXT_MAX == DPK_DEVICE_FABRIC_MAX, "a device keeps any fabric");

static enum dpk_status show(struct dpk_device *dev, struct dpk_error *err)
{
    char fabric[DPK_DEVICE_FABRIC_MAX];
    enum dpk_status status = dpk_device_fabric(dev, fabric, err);
    if (status == DPK_OK)
        printf("%s\n", dpk_text_clean(fabric));
    return status;
}

/* Warns if a program could not use the fabric now. */
static void try_it(const char *spec)
{
    struct dpk_error why = {0};
    struct dpk_fabric *fabric;
    if (dpk_fabric_open(spec, &(struct dpk_fabric_options){0}, &fabric, &why) == DPK_OK)
        dpk_fabric_close(fabric);
    else
        fprintf(stderr, "-W- %s\n", dpk_text_clean(why.message));
}

/* A fabric may be set before it works: an address or a package may come later. */
static enum dpk_status set(struct dpk_device *dev, const char *spec, struct dpk_error *err)
{
    struct dpk_fabric_place place;
    const bool off = strcmp(spec, "off") == 0;
    enum dpk_status status = off ? DPK_OK : dpk_fabric_parse(spec, &place, err);
    if (status == DPK_OK)
        status = dpk_device_set_fabric(dev, spec, err);
    if (status != DPK_OK)
        return status;
    if (!off)
        try_it(spec);
    printf("Device %s: fabric %s\n", dpk_device_name(dev), spec);
    return DPK_OK;
}

static enum dpk_status fabric(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options;
    const char *spec = args->count > 1 ? args->words[1] : NULL;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = spec ? set(dev, spec, err) : show(dev, err);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command dpadev_fabric = {
    "fabric", "NAME [FABRIC]",
    "let RDMA reach other machines by ucx:ADDRESS, or off (or say what is set)", .run = fabric};
