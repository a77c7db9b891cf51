/* The link of a device's port. */
#ifndef DPK_API_VERBS_LINK_H
#define DPK_API_VERBS_LINK_H

#include <infiniband/verbs.h>

#include "verbs.h"

/* Map the settings of the port of a device, whose directory and wire are known, and unmap them. A
 * device without write permission has none. */
void verbs_link_open(struct dpk_verbs_device *device);
void verbs_link_close(struct dpk_verbs_device *device);
/* Fills in the attributes of a port that depend on its link. */
void verbs_link_describe(const struct dpk_verbs_device *device, struct ibv_port_attr *out);
/* Writes the rate as files in /sys do: "100 Gb/sec (4X EDR)". */
#define VERBS_LINK_RATE_MAX 32
void verbs_link_rate(const struct dpk_verbs_device *device, char out[VERBS_LINK_RATE_MAX]);

#endif
