/* dpadev wire: shows or sets the wire of a device's port. */
#include <string.h>

#include "dpadev.h"

#include "net/wire/wire.h"

_Static_assert(DPK_WIRE_SPEC_MAX == DPK_DEVICE_WIRE_MAX, "a device keeps any wire");

static const char cable[] = "dev:";

static enum dpk_status show(struct dpk_device *dev, struct dpk_error *err)
{
    char wire[DPK_DEVICE_WIRE_MAX];
    enum dpk_status status = dpk_device_wire(dev, wire, err);
    if (status == DPK_OK)
        printf("%s\n", dpk_text_clean(wire));
    return status;
}

/* Plugs the other end of a cable into `dev`, and puts the other device's own name into `wire`,
 * because the user may have given an alias. */
static enum dpk_status plug_other_end(struct dpk_device *dev, char wire[DPK_WIRE_SPEC_MAX],
                                      struct dpk_error *err)
{
    char back[DPK_WIRE_SPEC_MAX];
    struct dpk_device *other = NULL;
    enum dpk_status status = dpk_device_open(wire + strlen(cable), &other, err);
    if (status == DPK_OK && strcmp(dpk_device_name(other), dpk_device_name(dev)) == 0)
        status = dpk_fail(err, DPK_ERR_USAGE, "a device has no cable to itself: use loop");
    if (status == DPK_OK) {
        snprintf(wire, DPK_WIRE_SPEC_MAX, "%s%s", cable, dpk_device_name(other));
        snprintf(back, sizeof back, "%s%s", cable, dpk_device_name(dev));
        status = dpk_device_set_wire(other, back, err);
    }
    if (status == DPK_OK)
        printf("Device %s: wire %s\n", dpk_device_name(other), back);
    dpk_device_close(other);
    return status;
}

/* A wire may be set before it works: an interface or a permission may come later. */
static enum dpk_status plug(struct dpk_device *dev, const char *spec, struct dpk_error *err)
{
    char wire[DPK_WIRE_SPEC_MAX];
    struct dpk_error later;
    enum dpk_status status = dpk_wire_check(spec, wire, err);
    if (status == DPK_OK && strncmp(wire, cable, strlen(cable)) == 0)
        status = plug_other_end(dev, wire, err);
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
