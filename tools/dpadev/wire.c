/* dpadev wire: what the port of a device is plugged into. */
#include "dpadev.h"

#include "wire/wire.h"

_Static_assert(DPK_WIRE_SPEC_MAX == DPK_DEVICE_WIRE_MAX, "a device keeps any wire");

static enum dpk_status show(struct dpk_device *dev, struct dpk_error *err)
{
    char wire[DPK_DEVICE_WIRE_MAX];
    enum dpk_status status = dpk_device_wire(dev, wire, err);
    if (status == DPK_OK)
        printf("%s\n", dpk_text_clean(wire));
    return status;
}

/* A wire may be plugged in before it works: an interface may come later, and the permission. */
static enum dpk_status plug(struct dpk_device *dev, const char *spec, struct dpk_error *err)
{
    char wire[DPK_WIRE_SPEC_MAX];
    struct dpk_error later;
    enum dpk_status status = dpk_wire_check(spec, wire, err);
    if (status == DPK_OK)
        status = dpk_device_set_wire(dev, wire, err);
    if (status != DPK_OK)
        return status;
    if (dpk_wire_try(wire, &later) != DPK_OK)
        fprintf(stderr, "-W- %s\n", dpk_text_clean(later.message));
    printf("Device %s: wire %s\n", dpk_device_name(dev), dpk_text_clean(wire));
    return DPK_OK;
}

static enum dpk_status wire(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options;
    const char *spec = args->count > 1 ? args->words[1] : NULL;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = spec ? plug(dev, spec, err) : show(dev, err);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command dpadev_wire = {
    "wire", "NAME [WIRE]",
    "plug the port into tap:NAME, veth:NAME, ... (or say what it is plugged into)", .run = wire};
