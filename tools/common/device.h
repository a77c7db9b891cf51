/* The device that a command line does not name, because there is only one. */
#ifndef DPK_COMMON_DEVICE_H
#define DPK_COMMON_DEVICE_H

#include "base/base.h"

/* Gets the name of the only device, for option tables (`absent` of -d). `out` is a const char *;
 * its text stays until the next call. Errors: DPK_ERR_NOT_FOUND if there is no device,
 * DPK_ERR_USAGE, with their names, if there are several. */
enum dpk_status dpk_only_device(void *out, struct dpk_error *err);

#endif
