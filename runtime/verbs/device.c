/*
 * The emulated devices, listed, opened and asked as RDMA devices are. The types are those of
 * rdma-core's <infiniband/verbs.h>. Send and receive queues are libflexio's: there are none of the host here.
 */
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "context.h"
#include "port/port.h"
#include "verbs/verbs.h"

/* Held by the list it is in and by every context that was opened from it. */
struct device {
    struct ibv_device ib; /* first: programs hold a pointer to it */
    atomic_uint references;
    /* rdma-core's libraries look behind a device for its driver, and find none. */
    uint64_t no_driver[16];
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
    snprintf(d->ib.dev_path, sizeof d->ib.dev_path, DPK_EMULATED_PATH "%s", name);
    snprintf(d->ib.ibdev_path, sizeof d->ib.ibdev_path, DPK_EMULATED_PATH "%s", name);
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

/* Who starts a program of the DPA without a device would otherwise only see that it finds none. */
static void tell_once(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        fprintf(stderr, "-W- %s\n", DPK_NO_DEVICE);
}

struct ibv_device **dpk_verbs_get_device_list(int *num_devices)
{
    struct dpk_names names = {0};
    if (num_devices)
        *num_devices = 0;
    enum dpk_status status = dpk_device_list(&names, NULL);
    if (status != DPK_OK) {
        errno = errno_of(status);
        return NULL;
    }
    if (names.count == 0)
        tell_once();
    int count = 0;
    struct ibv_device **list = calloc(names.count + 1, sizeof(struct ibv_device *));
    for (size_t i = 0; list && i < names.count; i++) {
        if (strlen(names.names[i]) >= sizeof list[0]->name)
            continue; /* not a name that an RDMA device can have */
        if (!(list[count] = device_new(names.names[i]))) {
            dpk_verbs_free_device_list(list);
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

void dpk_verbs_free_device_list(struct ibv_device **list)
{
    for (size_t i = 0; list && list[i]; i++)
        device_release(list[i]);
    free(list);
}

/* Takes from the state of a device what queues need of it. */
static enum dpk_status look(const char *name, struct dpk_verbs_device *out)
{
    struct dpk_device *state = NULL;
    char wire[DPK_DEVICE_WIRE_MAX];
    enum dpk_status status = dpk_device_open(name, &state, NULL);
    if (status != DPK_OK)
        return status;
    if (dpk_device_directory(state, out->directory, NULL) != DPK_OK)
        out->directory[0] = 0;
    status = dpk_device_wire(state, wire, NULL);
    dpk_device_close(state);
    if (status == DPK_OK && !(out->wire = strdup(wire)))
        status = DPK_ERR_NOMEM;
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
    if (status != DPK_OK) {
        if (c)
            free(c->device.wire);
        free(c);
        errno = errno_of(status);
        return NULL;
    }
    struct ibv_context *context = &c->ib;
    atomic_fetch_add(&((struct device *)device)->references, 1);
    context->device = device;
    context->cmd_fd = -1;
    context->async_fd = -1;
    context->num_comp_vectors = 1;
    context->ops.poll_cq = cq_poll;
    context->ops.req_notify_cq = cq_arm;
    pthread_mutex_init(&context->mutex, NULL);
    return context;
}

int dpk_verbs_close_device(struct ibv_context *context)
{
    if (!context)
        return EINVAL;
    struct context *c = context_of(context);
    if (c->attached)
        c->end_attached(c->attached);
    dpk_steering_free(c->device.steering);
    free(c->device.wire);
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
    pthread_mutex_lock(&c->ib.mutex);
    if (!c->attached) {
        c->attached = make(context);
        c->end_attached = end;
    }
    void *attached = c->attached;
    pthread_mutex_unlock(&c->ib.mutex);
    return attached;
}

/* ---- What it is ---- */

#define MELLANOX         0x15b3
#define BLUEFIELD_3      41692
#define LOCAL_PREFIX     UINT64_C(0xfe80000000000000)
#define LINK_LAYER_SPEED 32 /* 25 Gb/s a lane */

/* The same for a name at every start; locally administered. */
static uint64_t card_guid_of(const struct ibv_device *device)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *c = device->name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    return (hash & ~(UINT64_C(3) << 56)) | UINT64_C(2) << 56;
}

/* Both functions of a card have one. */
static uint64_t guid_of(const struct ibv_device *device)
{
    enum dpk_side side = DPK_SIDE_HOST;
    (void)dpk_device_side(&side, NULL);
    return card_guid_of(device) ^ (side == DPK_SIDE_DPU ? UINT64_C(1) << 48 : 0);
}

__be64 dpk_verbs_get_device_guid(struct ibv_device *device)
{
    return device ? htobe64(guid_of(device)) : 0;
}

int dpk_verbs_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr)
{
    if (!context || !device_attr)
        return EINVAL;
    *device_attr = (struct ibv_device_attr){
        .fw_ver = "dpakit",
        .node_guid = htobe64(guid_of(context->device)),
        .sys_image_guid = htobe64(card_guid_of(context->device)),
        .max_mr_size = UINT64_MAX,
        .page_size_cap = 4096,
        .vendor_id = MELLANOX,
        .vendor_part_id = BLUEFIELD_3,
        .max_mr = (1 << 20) - 2,
        .max_pd = 1 << 24,
        .max_cq = 1 << 21,
        .max_cqe = (1 << 22) - 1,
        .phys_port_cnt = 1,
    };
    return 0;
}

int dpk_verbs_query_port(struct ibv_context *context, uint8_t port_num,
                         struct _compat_ibv_port_attr *port_attr)
{
    const struct ibv_port_attr attr = {
        .state = IBV_PORT_ACTIVE,
        .max_mtu = IBV_MTU_4096,
        .active_mtu = IBV_MTU_1024,
        .gid_tbl_len = 1,
        .max_msg_sz = 1u << 30,
        .pkey_tbl_len = 1,
        .active_width = 2,
        .active_speed = LINK_LAYER_SPEED,
        .phys_state = 5,
        .link_layer = IBV_LINK_LAYER_ETHERNET,
    };
    if (!context || !port_attr || port_num != 1)
        return EINVAL;
    /* What callers of old know of it ends before port_cap_flags2. */
    memcpy(port_attr, &attr, offsetof(struct ibv_port_attr, port_cap_flags2));
    return 0;
}

int dpk_verbs_query_gid(struct ibv_context *context, uint8_t port_num, int index,
                        union ibv_gid *gid)
{
    if (!context || !gid || port_num != 1 || index != 0) {
        errno = EINVAL;
        return -1;
    }
    gid->global.subnet_prefix = htobe64(LOCAL_PREFIX);
    gid->global.interface_id = htobe64(guid_of(context->device));
    return 0;
}

#define DEFAULT_PKEY 0xffff

int dpk_verbs_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
    if (!context || !pkey || port_num != 1 || index != 0) {
        errno = EINVAL;
        return -1;
    }
    *pkey = htobe16(DEFAULT_PKEY);
    return 0;
}
