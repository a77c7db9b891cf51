/*
 * doca_dev (DOCA 2.2): finding and opening devices. Here: the emulated devices that `dpadev create`
 * made.
 *
 *     struct doca_devinfo **list;  uint32_t count;  struct doca_dev *dev = NULL;
 *     doca_devinfo_create_list(&list, &count);
 *     for (uint32_t i = 0; i < count && !dev; i++) {
 *         char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
 *         doca_devinfo_get_ibdev_name(list[i], name, sizeof name);
 *         if (strcmp(name, "mlx5_0") == 0)
 *             doca_dev_open(list[i], &dev);
 *     }
 *     doca_devinfo_destroy_list(list);        // dev stays open
 */
#ifndef DOCA_DEV_H
#define DOCA_DEV_H

#include <stdint.h>

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;     /* an open device */
struct doca_devinfo; /* a device that could be opened */

/* Bytes of a buffer for a device's name, NUL included. */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64

/*
 * Lists the devices.
 *   dev_list  [out]  array of *nb_devs, sorted by name, to be given back with
 *                    doca_devinfo_destroy_list; NULL on failure
 *   nb_devs   [out]  how many, may be 0
 * INVALID_VALUE: a NULL argument. NO_MEMORY. NOT_FOUND: the devices' directory cannot be read.
 */
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/*
 * Frees a list with its entries; devices that were opened from it stay open.
 * INVALID_VALUE: NULL.
 */
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/*
 * The device's name, "mlx5_0".
 *   ibdev_name  [out]  NUL-terminated
 *   size        [in]   bytes of it, at least DOCA_DEVINFO_IBDEV_NAME_SIZE
 * INVALID_VALUE: a NULL argument, or too small a buffer.
 */
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/*
 * Opens a device.
 *   dev  [out]  to be given back with doca_dev_close; NULL on failure
 * INVALID_VALUE: a NULL argument. NO_MEMORY. NOT_CONNECTED: the device is gone or damaged.
 */
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/*
 * Closes a device.
 * INVALID_VALUE: NULL. IN_USE: a DPA context or a sync event still stands on it; it stays open.
 */
doca_error_t doca_dev_close(struct doca_dev *dev);

/* The device's information; valid until it is closed. NULL for NULL. */
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

#ifdef __cplusplus
}
#endif

#endif
