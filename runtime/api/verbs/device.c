/* Emulated devices in the list of RDMA devices. The types are those of rdma-core's
 * <infiniband/verbs.h>. */
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "api/verbs/verbs.h"
#include "context.h"
#include "cq.h"
#include "device/state/state.h"
#include "domains.h"
#include "link.h"
#include "net/queues/queues.h"
#include "qp.h"
#include "srq.h"

/* Referenced by `known`, by lists, and by each context that was opened from it. */
struct device {
    struct ibv_device ib; /* first: programs hold a pointer to it */
    atomic_uint references;
    LIST_ENTRY(device) next;
    bool listed; /* in the current call of dpk_verbs_get_device_list */
    /* rdma-core's libraries look for driver data after the struct. It is zero. */
    uint64_t no_driver[16];
};

/* Devices of the last list. As in rdma-core, programs may open a device whose list was freed, and a
 * device has the same address in each list. */
static LIST_HEAD(, device) known = LIST_HEAD_INITIALIZER(known);
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static void device_release(struct ibv_device *ib)
{
    struct device *d = (struct device *)ib;
    if (atomic_fetch_sub(&d->references, 1) == 1)
        free(d);
}

/* The name of its file in /dev/infiniband (api/sysfs), from the number of its alias. */
static void set_dev_name(struct ibv_device *ib)
{
    struct dpk_device_info info;
    if (dpk_device_info_by_name(ib->name, &info, NULL) == DPK_OK)
        snprintf(ib->dev_name, sizeof ib->dev_name, "uverbs%u", info.number);
}

/* Returns a device with a reference for the caller. Call this with the lock. */
static struct ibv_device *device_named(const char *name)
{
    struct device *d;
    LIST_FOREACH(d, &known, next)
    if (strcmp(d->ib.name, name) == 0)
        break;
    if (d) {
        d->listed = true;
        atomic_fetch_add(&d->references, 1);
        return &d->ib;
    }
    if (!(d = calloc(1, sizeof *d)))
        return NULL;
    atomic_init(&d->references, 2);
    d->listed = true;
    LIST_INSERT_HEAD(&known, d, next);
    d->ib.node_type = IBV_NODE_CA;
    d->ib.transport_type = IBV_TRANSPORT_IB;
    memcpy(d->ib.name, name, strlen(name) + 1);
    set_dev_name(&d->ib);
    snprintf(d->ib.dev_path, sizeof d->ib.dev_path, DPK_EMULATED_PATH "%s", name);
    snprintf(d->ib.ibdev_path, sizeof d->ib.ibdev_path, DPK_EMULATED_PATH "%s", name);
    return &d->ib;
}

/* Forgets devices that no longer exist. Call this with the lock. */
static void forget_unlisted(void)
{
    struct device *d = LIST_FIRST(&known), *next;
    for (; d; d = next) {
        next = LIST_NEXT(d, next);
        if (!d->listed) {
            LIST_REMOVE(d, next);
            device_release(&d->ib);
        } else {
            d->listed = false;
        }
    }
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

/* Reports once why no device is found, because programs often do not. */
static void tell_once(const char *tag, const char *why)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        fprintf(stderr, "-%s- %s\n", tag, why);
}

struct ibv_device **dpk_verbs_get_device_list(int *num_devices)
{
    struct dpk_names names = {0};
    if (num_devices)
        *num_devices = 0;
    struct dpk_error err = {0};
    errno = 0;
    enum dpk_status status = dpk_device_list(&names, &err);
    if (status != DPK_OK) {
        const int why = status == DPK_ERR_IO && errno != 0 ? errno : errno_of(status);
        tell_once("E", err.message);
        errno = why;
        return NULL;
    }
    if (names.count == 0)
        tell_once("W", DPK_NO_DEVICE);
    int count = 0;
    struct ibv_device **list = calloc(names.count + 1, sizeof(struct ibv_device *));
    pthread_mutex_lock(&known_lock);
    for (size_t i = 0; list && i < names.count; i++) {
        if (strlen(names.names[i]) >= sizeof list[0]->name)
            continue; /* the name is too long for an RDMA device */
        if (!(list[count] = device_named(names.names[i]))) {
            dpk_verbs_free_device_list(list);
            list = NULL;
        } else {
            count++;
        }
    }
    forget_unlisted();
    pthread_mutex_unlock(&known_lock);
    dpk_names_free(&names);
    if (!list)
        errno = ENOMEM;
    else if (num_devices)
        *num_devices = count;
    return list;
}

void dpk_verbs_free_device_list(struct ibv_device **list)
{
    for (size_t i = 0; list && list[i]; i++)
        device_release(list[i]);
    free(list);
}

/* Reads the properties that queues need from the state of a device. */
static enum dpk_status look(const char *name, struct dpk_verbs_device *out)
{
    struct dpk_device *state = NULL;
    struct dpk_device_info info;
    char wire[DPK_DEVICE_WIRE_MAX], fabric[DPK_DEVICE_FABRIC_MAX];
    enum dpk_status status = dpk_device_open(name, &state, NULL);
    if (status != DPK_OK)
        return status;
    if (dpk_device_directory(state, out->directory, NULL) != DPK_OK)
        out->directory[0] = 0;
    status = dpk_device_wire(state, wire, NULL);
    if (status == DPK_OK && (status = dpk_device_info(state, &info, NULL)) == DPK_OK) {
        const struct dpk_device_type *type = dpk_device_type_find(info.hw_target);
        out->id = type ? type->id : 0;
    }
    if (status == DPK_OK)
        status = dpk_device_dma_max(state, &out->dma_max, NULL);
    if (status == DPK_OK)
        status = dpk_device_fabric(state, fabric, NULL);
    dpk_device_close(state);
    if (status == DPK_OK && !(out->wire = strdup(wire)))
        status = DPK_ERR_NOMEM;
    if (status == DPK_OK && strcmp(fabric, "off") != 0 && !(out->fabric = strdup(fabric)))
        status = DPK_ERR_NOMEM;
    if (status == DPK_OK)
        verbs_link_open(out);
    return status;
}

struct ibv_context *dpk_verbs_open_device(struct ibv_device *device)
{
    if (!device) {
        errno = EINVAL;
        return NULL;
    }
    struct context *c = calloc(1, sizeof *c);
    enum dpk_status status = c ? look(device->name, &c->device) : DPK_ERR_NOMEM;
    if (status == DPK_OK && !(c->device.steering = dpk_steering_new()))
        status = DPK_ERR_NOMEM;
    if (status == DPK_OK && !verbs_async_open(&c->async))
        status = DPK_ERR_IO;
    if (status != DPK_OK) {
        if (c) {
            dpk_steering_free(c->device.steering);
            verbs_link_close(&c->device);
            free(c->device.wire);
            free(c->device.fabric);
        }
        free(c);
        errno = errno_of(status);
        return NULL;
    }
    struct ibv_context *context = &c->extended.context;
    atomic_fetch_add(&((struct device *)device)->references, 1);
    c->extended.sz = sizeof c->extended;
    c->extended.query_port = verbs_query_port_ex;
    c->extended.query_device_ex = verbs_query_device_ex;
    c->extended.create_cq_ex = verbs_cq_create_ex;
    c->extended.create_qp_ex = verbs_qp_create_ex;
    c->extended.alloc_td = verbs_domain_new_thread;
    c->extended.dealloc_td = verbs_domain_free_thread;
    c->extended.alloc_parent_domain = verbs_domain_new_parent;
    *context = (struct ibv_context){.device = device,
                                    .cmd_fd = -1,
                                    .async_fd = c->async.fd,
                                    .num_comp_vectors = 1,
                                    .abi_compat = __VERBS_ABI_IS_EXTENDED,
                                    .ops = {.poll_cq = verbs_cq_poll,
                                            .req_notify_cq = verbs_cq_arm,
                                            .post_send = verbs_qp_post_send,
                                            .post_recv = verbs_qp_post_recv,
                                            .post_srq_recv = verbs_srq_post_recv}};
    pthread_mutex_init(&context->mutex, NULL);
    return context;
}

int dpk_verbs_close_device(struct ibv_context *context)
{
    if (!context)
        return EINVAL;
    struct context *c = context_of(context);
    verbs_qps_abandon(c);
    if (c->attached)
        c->end_attached(c->attached);
    dpk_steering_free(c->device.steering);
    verbs_link_close(&c->device);
    free(c->device.wire);
    free(c->device.fabric);
    verbs_async_close(&c->async);
    pthread_mutex_destroy(&context->mutex);
    device_release(context->device);
    free(c);
    return 0;
}

const struct dpk_verbs_device *dpk_verbs_device(struct ibv_context *context)
{
    return &context_of(context)->device;
}

void *dpk_verbs_attached(struct ibv_context *context, void *(*make)(struct ibv_context *context),
                         void (*end)(void *attached))
{
    struct context *c = context_of(context);
    pthread_mutex_lock(&context->mutex);
    if (!c->attached) {
        c->attached = make(context);
        c->end_attached = end;
    }
    void *attached = c->attached;
    pthread_mutex_unlock(&context->mutex);
    return attached;
}
