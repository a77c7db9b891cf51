/* Devices: what libibverbs lists, with DOCA's names. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "host/doca_common/doca_common.h"

struct doca_dev {
    struct doca_devinfo info;
    struct ibv_context *context;
    atomic_uint users;
};

static struct doca_devinfo *devinfo_new(const char *name)
{
    struct doca_devinfo *info = calloc(1, sizeof *info);
    if (info)
        snprintf(info->name, sizeof info->name, "%s", name);
    return info;
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    if (dev_list)
        *dev_list = NULL;
    if (!dev_list || !nb_devs)
        return DOCA_ERROR_INVALID_VALUE;
    *nb_devs = 0;
    int count = 0;
    struct ibv_device **devices = ibv_get_device_list(&count);
    if (!devices)
        return errno == ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_NOT_FOUND;
    struct doca_devinfo **list = calloc((size_t)count + 1, sizeof(struct doca_devinfo *));
    for (int i = 0; list && i < count; i++) {
        if (!(list[i] = devinfo_new(ibv_get_device_name(devices[i])))) {
            doca_devinfo_destroy_list(list);
            list = NULL;
        }
    }
    ibv_free_device_list(devices);
    if (!list)
        return DOCA_ERROR_NO_MEMORY;
    *dev_list = list;
    *nb_devs = (uint32_t)count;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
    if (!dev_list)
        return DOCA_ERROR_INVALID_VALUE;
    for (size_t i = 0; dev_list[i]; i++)
        free(dev_list[i]);
    free(dev_list);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size)
{
    if (!devinfo || !ibdev_name || size < DOCA_DEVINFO_IBDEV_NAME_SIZE)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(ibdev_name, devinfo->name, sizeof devinfo->name);
    return DOCA_SUCCESS;
}

static struct ibv_context *open_by_name(const char *name)
{
    struct ibv_context *context = NULL;
    struct ibv_device **devices = ibv_get_device_list(NULL);
    for (size_t i = 0; devices && devices[i] && !context; i++)
        if (strcmp(ibv_get_device_name(devices[i]), name) == 0)
            context = ibv_open_device(devices[i]);
    ibv_free_device_list(devices);
    return context;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
    if (dev)
        *dev = NULL;
    if (!devinfo || !dev)
        return DOCA_ERROR_INVALID_VALUE;
    struct doca_dev *d = calloc(1, sizeof *d);
    if (!d)
        return DOCA_ERROR_NO_MEMORY;
    d->info = *devinfo;
    atomic_init(&d->users, 0);
    if (!(d->context = open_by_name(devinfo->name))) {
        free(d);
        return DOCA_ERROR_NOT_CONNECTED;
    }
    *dev = d;
    return DOCA_SUCCESS;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
    if (!dev)
        return DOCA_ERROR_INVALID_VALUE;
    if (atomic_load(&dev->users) != 0)
        return DOCA_ERROR_IN_USE;
    ibv_close_device(dev->context);
    free(dev);
    return DOCA_SUCCESS;
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
    return dev ? (struct doca_devinfo *)&dev->info : NULL;
}

const char *dpk_doca_dev_name(const struct doca_dev *dev)
{
    return dev->info.name;
}

void dpk_doca_dev_hold(struct doca_dev *dev)
{
    atomic_fetch_add(&dev->users, 1);
}

void dpk_doca_dev_release(struct doca_dev *dev)
{
    if (dev)
        atomic_fetch_sub(&dev->users, 1);
}

void dpk_doca_dpa_hold(struct doca_dpa *dpa)
{
    atomic_fetch_add(&dpa->references, 1);
}

void dpk_doca_dpa_release(struct doca_dpa *dpa)
{
    if (dpa && atomic_fetch_sub(&dpa->references, 1) == 1)
        free(dpa);
}
