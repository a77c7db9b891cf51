/* Shared by the files of dpa-resource-mgmt. main.c has the commands, apply.c assigns units as in a
 * file, show.c shows their owners. */
#ifndef DPK_DPA_RESOURCE_MGMT_RESOURCES_H
#define DPK_DPA_RESOURCE_MGMT_RESOURCES_H

#include "cli/cli.h"
#include "device/admin/admin.h"

struct resource_options {
    const char *device; /* -d */
    const char *file;   /* -f: input file of apply, output file of show */
    const char *output; /* -o */
    unsigned type;      /* -t: from 1 */
    bool yaml, verbose;
};

enum dpk_status resource_mgmt_apply(const struct resource_options *o, struct dpk_device *dev,
                                    struct dpk_error *err);
enum dpk_status resource_mgmt_destroy(const struct resource_options *o, struct dpk_device *dev,
                                      struct dpk_error *err);
enum dpk_status resource_mgmt_show(const struct resource_options *o, struct dpk_device *dev,
                                   struct dpk_error *err);

#endif
