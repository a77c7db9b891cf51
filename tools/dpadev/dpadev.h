/* dpadev: what its files share. */
#ifndef DPADEV_H
#define DPADEV_H

#include "device/device.h"

/* Texts and JSON about devices, on standard output. */
enum dpk_status dpadev_list(bool json, struct dpk_error *err);
enum dpk_status dpadev_show(struct dpk_device *dev, bool json, struct dpk_error *err);
enum dpk_status dpadev_log(struct dpk_device *dev, unsigned last, bool json, struct dpk_error *err);

#endif
