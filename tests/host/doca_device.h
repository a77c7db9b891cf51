/* Opens a device by its name, among two devices; for both generations of DOCA. */
#ifndef TESTS_HOST_DOCA_DEVICE_H
#define TESTS_HOST_DOCA_DEVICE_H

#include <doca_dev.h>
#include <string.h>

#include "check.h"

static inline struct doca_dev *open_device(const char *name)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *d = NULL;
    uint32_t n = 0;
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    CHECK(doca_devinfo_create_list(&list, &n) == DOCA_SUCCESS && n == 2);
    for (uint32_t i = 0; i < n && !d; i++) {
        CHECK(doca_devinfo_get_ibdev_name(list[i], found, sizeof found) == DOCA_SUCCESS);
        if (strcmp(found, name) == 0)
            CHECK(doca_dev_open(list[i], &d) == DOCA_SUCCESS);
    }
    CHECK(d && doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
    return d;
}

#endif
