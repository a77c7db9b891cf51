/* device: the device that a command line does not name, because there is only one. */
#ifndef DPK_COMMON_DEVICE_H
#define DPK_COMMON_DEVICE_H

#include "base/base.h"

/* The name of the only device, for option tables (`absent` of -d): `out` is a const char *, whose text
 * stays until the next call. DPK_ERR_NOT_FOUND: there is none. DPK_ERR_USAGE, with their names: there are
 * several to choose from. */
enum dpk_status dpk_only_device(void *out, struct dpk_error *err);

#endif
