/* Chooses the wire of a device: from the environment, or from the device's state. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

static const char arrive_name[] = "DPAKIT_PACKETS", sent_name[] = "DPAKIT_PACKETS_SENT";

/* Makes a specification of DPAKIT_PACKETS and DPAKIT_PACKETS_SENT. */
static enum dpk_status captures(const char *in, const char *out, char **spec, struct dpk_error *err)
{
    struct dpk_buf b = {0};
    dpk_put_format(&b, "pcap:");
    wire_put_path(&b, in ? in : "");
    dpk_put_u8(&b, ',');
    wire_put_path(&b, out ? out : "");
    dpk_put_u8(&b, 0);
    if (!b.failed)
        *spec = strdup((const char *)b.data);
    dpk_buf_free(&b);
    return *spec ? DPK_OK : dpk_fail_nomem(err);
}

enum dpk_status dpk_wire_choose(const char *device, const char *kept, char **spec,
                                char origin[DPK_WIRE_ORIGIN_MAX], struct dpk_error *err)
{
    const char *in = getenv(arrive_name), *out = getenv(sent_name);
    snprintf(origin, DPK_WIRE_ORIGIN_MAX, "DPAKIT_WIRE_%s", device);
    for (char *c = origin; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    const char *own = getenv(origin);
    *spec = NULL;
    if (!own && (in || out)) {
        snprintf(origin, DPK_WIRE_ORIGIN_MAX, "%s%s%s", in ? arrive_name : "",
                 in && out ? ", " : "", out ? sent_name : "");
        return captures(in, out, spec, err);
    }
    if (!own)
        snprintf(origin, DPK_WIRE_ORIGIN_MAX, "device %s", device);
    *spec = strdup(own ? own : kept);
    return *spec ? DPK_OK : dpk_fail_nomem(err);
}
