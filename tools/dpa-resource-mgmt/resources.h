/* dpa-resource-mgmt: what its files share. main.c lists the commands; apply.c gives units as a file
 * says; show.c tells who has them. */
#ifndef DPK_DPA_RESOURCE_MGMT_RESOURCES_H
#define DPK_DPA_RESOURCE_MGMT_RESOURCES_H

#include "cli/cli.h"
#include "device/admin/admin.h"

struct resource_options {
    const char *device; /* -d */
    const char *file;   /* -f: what to read, or where to write */
    const char *output; /* -o */
    unsigned type;      /* -t: from 1 */
    bool yaml, verbose;
};

enum dpk_status resources_apply(const struct resource_options *o, struct dpk_device *dev,
                                struct dpk_error *err);
enum dpk_status resources_destroy(const struct resource_options *o, struct dpk_device *dev,
                                  struct dpk_error *err);
enum dpk_status resources_show(const struct resource_options *o, struct dpk_device *dev,
                               struct dpk_error *err);

#endif
