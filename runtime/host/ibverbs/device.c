/*
 * A stand-in for libibverbs: the emulated devices, listed and opened as RDMA devices are. The types
 * are those of rdma-core's <infiniband/verbs.h>. Only names and contexts are real: there are no
 * queues yet, so no other function of libibverbs is here.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* Held by the list it is in and by every context that was opened from it. */
struct device {
    struct ibv_device ib; /* first: programs hold a pointer to it */
    atomic_uint references;
};

static void device_release(struct ibv_device *ib)
{
    struct device *d = (struct device *)ib;
    if (atomic_fetch_sub(&d->references, 1) == 1)
        free(d);
}

static struct ibv_device *device_new(const char *name)
{
    struct device *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    atomic_init(&d->references, 1);
    d->ib.node_type = IBV_NODE_CA;
    d->ib.transport_type = IBV_TRANSPORT_IB;
    memcpy(d->ib.name, name, strlen(name) + 1);
    /* No file of /sys stands behind it; libmlx5 knows the device by this. */
    snprintf(d->ib.dev_path, sizeof d->ib.dev_path, "dpakit/%s", name);
    snprintf(d->ib.ibdev_path, sizeof d->ib.ibdev_path, "dpakit/%s", name);
    return &d->ib;
}

static int errno_of(enum dpk_status status)
{
    switch (status) {
    case DPK_ERR_NOMEM:
        return ENOMEM;
    case DPK_ERR_NOT_FOUND:
        return ENODEV;
    default:
        return EIO;
    }
}

struct ibv_device **ibv_get_device_list(int *num_devices)
{
    struct dpk_names names = {0};
    if (num_devices)
        *num_devices = 0;
    enum dpk_status status = dpk_device_list(&names, NULL);
    if (status != DPK_OK) {
        errno = errno_of(status);
        return NULL;
    }
    int count = 0;
    struct ibv_device **list = calloc(names.count + 1, sizeof(struct ibv_device *));
    for (size_t i = 0; list && i < names.count; i++) {
        if (strlen(names.names[i]) >= sizeof list[0]->name)
            continue; /* not a name that an RDMA device can have */
        if (!(list[count] = device_new(names.names[i]))) {
            ibv_free_device_list(list);
            list = NULL;
        } else {
            count++;
        }
    }
    dpk_names_free(&names);
    if (!list)
        errno = ENOMEM;
    else if (num_devices)
        *num_devices = count;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    for (size_t i = 0; list && list[i]; i++)
        device_release(list[i]);
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
    return device ? device->name : NULL;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    struct dpk_device *state = NULL;
    if (!device) {
        errno = EINVAL;
        return NULL;
    }
    enum dpk_status status = dpk_device_open(device->name, &state, NULL);
    if (status != DPK_OK) {
        errno = errno_of(status);
        return NULL;
    }
    dpk_device_close(state);
    struct ibv_context *context = calloc(1, sizeof *context);
    if (!context) {
        errno = ENOMEM;
        return NULL;
    }
    atomic_fetch_add(&((struct device *)device)->references, 1);
    context->device = device;
    context->cmd_fd = -1;
    context->async_fd = -1;
    context->num_comp_vectors = 1;
    pthread_mutex_init(&context->mutex, NULL);
    return context;
}

int ibv_close_device(struct ibv_context *context)
{
    if (!context)
        return EINVAL;
    pthread_mutex_destroy(&context->mutex);
    device_release(context->device);
    free(context);
    return 0;
}
