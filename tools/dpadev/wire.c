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

/* Opens the other device of a cable, and puts its own name into `wire`, because the user may have
 * given an alias. */
static enum dpk_status open_other_end(const struct dpk_device *dev, char wire[DPK_WIRE_SPEC_MAX],
                                      struct dpk_device **other, struct dpk_error *err)
{
    enum dpk_status status = dpk_device_open(wire + strlen(cable), other, err);
    if (status == DPK_OK && strcmp(dpk_device_name(*other), dpk_device_name(dev)) == 0)
        status = dpk_fail(err, DPK_ERR_USAGE, "a device has no cable to itself: use loop");
    if (status == DPK_OK)
        snprintf(wire, DPK_WIRE_SPEC_MAX, "%s%s", cable, dpk_device_name(*other));
    return status;
}

/* Plugs a cable into both devices, or into none of them. */
static enum dpk_status plug_cable(struct dpk_device *dev, const char *wire,
                                  struct dpk_device *other, struct dpk_error *err)
{
    char back[DPK_WIRE_SPEC_MAX], before[DPK_DEVICE_WIRE_MAX];
    struct dpk_error why = {0};
    snprintf(back, sizeof back, "%s%s", cable, dpk_device_name(dev));
    enum dpk_status status = dpk_device_wire(other, before, err);
    if (status == DPK_OK)
        status = dpk_device_set_wire(other, back, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_set_wire(dev, wire, err);
    if (status == DPK_OK)
        printf("Device %s: wire %s\n", dpk_device_name(other), back);
    else if (dpk_device_set_wire(other, before, &why) != DPK_OK)
        dpk_error_prefix(err, "device %s has wire %s now (%.200s)", dpk_device_name(other), back,
                         why.message);
    return status;
}

/* A wire may be set before it works: an interface or a permission may come later. */
static enum dpk_status plug(struct dpk_device *dev, const char *spec, struct dpk_error *err)
{
    char wire[DPK_WIRE_SPEC_MAX];
    struct dpk_error later;
    struct dpk_device *other = NULL;
    enum dpk_status status = dpk_wire_check(spec, wire, err);
    if (status == DPK_OK && strncmp(wire, cable, strlen(cable)) == 0)
        status = open_other_end(dev, wire, &other, err);
    if (status == DPK_OK)
        status = other ? plug_cable(dev, wire, other, err) : dpk_device_set_wire(dev, wire, err);
    dpk_device_close(other);
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
