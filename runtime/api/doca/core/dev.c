/* Devices: emulated devices with DOCA's names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_rdma_bridge.h>

#include "api/doca/core/core.h"
#include "api/verbs/verbs.h"
#include "handles.h"

static void devinfo_release(void *object)
{
    free(object);
}
const struct dpk_kind dpk_devinfo_kind = {.release = devinfo_release};

static void dev_release(void *object)
{
    struct dpk_dev *d = object;
    if (d->borrows)
        dpk_verbs_leave_pd(d->pd);
    if (d->pd && !d->borrows)
        dpk_emulated_11.dealloc_pd(d->pd);
    if (d->context && !d->borrows)
        dpk_emulated_11.close_device(d->context);
    dpk_object_drop(d->owner);
    dpk_object_drop(d->info);
    free(d);
}
const struct dpk_kind dpk_dev_kind = {.release = dev_release};

/* ---- Listing ---- */

static void *devinfo_new(const char *name)
{
    struct dpk_devinfo *info = calloc(1, sizeof *info);
    if (!info)
        return NULL;
    snprintf(info->name, sizeof info->name, "%s", name);
    return dpk_object_enter(info, &dpk_devinfo_kind);
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    if (dev_list)
        *dev_list = NULL;
    if (nb_devs)
        *nb_devs = 0;
    if (!dev_list || !nb_devs)
        return dpk_doca_no_object(__func__);
    int count = 0;
    struct ibv_device **devices = dpk_emulated_11.get_device_list(&count);
    if (!devices) {
        const doca_error_t why = errno == ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_NOT_FOUND;
        dpk_doca_because(why, "the devices cannot be listed: %m");
        return dpk_doca_end(NULL, __func__, why);
    }
    void **list = core_handles_new((size_t)count, &dpk_devinfo_kind);
    for (int i = 0; list && i < count; i++)
        if (!(list[i] = devinfo_new(devices[i]->name))) {
            core_handles_destroy(list, &dpk_devinfo_kind);
            list = NULL;
        }
    dpk_emulated_11.free_device_list(devices);
    if (!list)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_NO_MEMORY);
    *dev_list = (struct doca_devinfo **)list;
    *nb_devs = (uint32_t)count;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
    return dpk_doca_end(NULL, __func__, core_handles_destroy((void **)dev_list, &dpk_devinfo_kind));
}

/* ---- Properties ---- */

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size)
{
    struct dpk_devinfo *info = ibdev_name ? dpk_object_pin(devinfo, &dpk_devinfo_kind) : NULL;
    if (!info)
        return dpk_doca_no_object(__func__);
    const doca_error_t result = size < sizeof info->name
                                    ? dpk_doca_too_small("the name", size, sizeof info->name)
                                    : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        memcpy(ibdev_name, info->name, sizeof info->name);
    dpk_object_drop(info);
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t dpk_devinfo_ask(const struct doca_devinfo *devinfo, struct dpk_device_info *info)
{
    struct dpk_error err = {0};
    struct dpk_devinfo *d = dpk_object_pin(devinfo, &dpk_devinfo_kind);
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    enum dpk_status status = dpk_device_info_by_name(d->name, info, &err);
    dpk_object_drop(d);
    return status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err);
}

/* As dpk_devinfo_ask, for a function that writes to `out`, which has `size` bytes. */
static doca_error_t ask_for(const struct doca_devinfo *devinfo, const void *out, uint32_t size,
                            uint32_t least, struct dpk_device_info *info)
{
    const doca_error_t result = out ? dpk_devinfo_ask(devinfo, info) : DOCA_ERROR_INVALID_VALUE;
    return result == DOCA_SUCCESS && size < least ? dpk_doca_too_small("the result", size, least)
                                                  : result;
}

uint32_t dpk_dev_dma_max(const struct dpk_dev *dev)
{
    return dpk_verbs_device(dev->context)->dma_max;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size)
{
    struct dpk_device_info info = {0};
    doca_error_t result = ask_for(devinfo, iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE, &info);
    const struct dpk_pci_address *at = &info.pci;
    if (result == DOCA_SUCCESS && info.side == DPK_SIDE_DPU)
        snprintf(iface_name, size, "p%u", info.number); /* name of the uplink */
    else if (result == DOCA_SUCCESS && at->domain)
        snprintf(iface_name, size, "enP%up%us0f%unp%u", at->domain, at->bus, at->function,
                 at->function);
    else if (result == DOCA_SUCCESS)
        snprintf(iface_name, size, "enp%us0f%unp%u", at->bus, at->function, at->function);
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size)
{
    struct dpk_device_info info = {0};
    doca_error_t result = ask_for(devinfo, mac_addr, size, DOCA_DEVINFO_MAC_ADDR_SIZE, &info);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(devinfo, __func__, result);
    uint32_t hash = 2166136261u; /* FNV-1a of the serial number, which differs between machines */
    for (const char *c = info.serial; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    const uint8_t first = info.side == DPK_SIDE_DPU ? 0x06 : 0x02; /* locally administered */
    const uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE] = {
        first,         (uint8_t)(hash >> 16), (uint8_t)(hash >> 8),
        (uint8_t)hash, (uint8_t)info.pci.bus, (uint8_t)info.pci.function};
    memcpy(mac_addr, mac, sizeof mac);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
    struct dpk_device_info info = {0};
    if (!pci_addr_str)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_devinfo_ask(devinfo, &info);
    if (result == DOCA_SUCCESS)
        dpk_pci_address_format(&info.pci, pci_addr_str);
    return dpk_doca_end(devinfo, __func__, result);
}

/* Returns true if a text has the form of `form`, where x is any hexadecimal digit. */
static bool has_form(const char *text, const char *form)
{
    for (; *form && *text; form++, text++)
        if (*form == 'x' ? !strchr("0123456789abcdefABCDEF", *text) : *form != *text)
            return false;
    return !*form && !*text;
}

doca_error_t dpk_pci_address_compare(const char *text, const struct dpk_pci_address *pci,
                                     uint8_t *is_equal)
{
    char address[DOCA_DEVINFO_PCI_ADDR_SIZE];
    const bool whole = has_form(text, "xxxx:xx:xx.x");
    if (!whole && !has_form(text, "xx:xx.x"))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "\"%.40s\" is not a PCI address, as 03:00.0 or 0000:03:00.0", text);
    dpk_pci_address_format(pci, address);
    *is_equal = strcasecmp(text, address + (whole ? 0 : 5)) == 0;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal)
{
    struct dpk_device_info info = {0};
    if (is_equal)
        *is_equal = 0;
    doca_error_t result =
        pci_addr_str && is_equal ? dpk_devinfo_ask(devinfo, &info) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        result = dpk_pci_address_compare(pci_addr_str, &info.pci, is_equal);
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t dpk_devinfo_answer(const struct doca_devinfo *devinfo, doca_error_t answer)
{
    struct dpk_devinfo *info = dpk_object_pin(devinfo, &dpk_devinfo_kind);
    dpk_object_drop(info);
    return info ? answer : DOCA_ERROR_INVALID_VALUE;
}

/* Checks the arguments of a function that writes to *out. */
static doca_error_t devinfo_check(const struct doca_devinfo *devinfo, const void *out)
{
    return dpk_devinfo_answer(devinfo, out ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type)
{
    doca_error_t result = devinfo_check(devinfo, pci_func_type);
    if (result == DOCA_SUCCESS)
        *pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
    doca_error_t result = devinfo_check(devinfo, sf_index);
    if (result == DOCA_SUCCESS)
        result =
            dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED, "the device is not a scalable function");
    return dpk_doca_end(devinfo, __func__, result);
}

/* Answers that a device has no address, because it has no network interface. */
static doca_error_t no_address(const struct doca_devinfo *devinfo, const uint8_t *address,
                               uint32_t size, uint32_t least)
{
    const doca_error_t result = devinfo_check(devinfo, address);
    if (result == DOCA_SUCCESS && size < least)
        return dpk_doca_too_small("the address", size, least);
    return result == DOCA_SUCCESS
               ? dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                  "emulated devices have no network interface with an address")
               : result;
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size)
{
    return dpk_doca_end(devinfo, __func__,
                        no_address(devinfo, ipv4_addr, size, DOCA_DEVINFO_IPV4_ADDR_SIZE));
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size)
{
    return dpk_doca_end(devinfo, __func__,
                        no_address(devinfo, ipv6_addr, size, DOCA_DEVINFO_IPV6_ADDR_SIZE));
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
    doca_error_t result = devinfo_check(devinfo, lid);
    if (result == DOCA_SUCCESS)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "the device's port is of Ethernet, and has no LID");
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
    struct ibv_context *context = NULL;
    doca_error_t result = devinfo_check(devinfo, active_rate);
    if (result == DOCA_SUCCESS)
        result = dpk_dev_open_context(devinfo, &context);
    if (result == DOCA_SUCCESS) {
        const struct dpk_verbs_device *device = dpk_verbs_device(context);
        *active_rate = device->rate(device);
        dpk_emulated_11.close_device(context);
    }
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
    struct dpk_device_info info = {0};
    if (!vhca_id)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_devinfo_ask(devinfo, &info);
    if (result == DOCA_SUCCESS)
        *vhca_id = dpk_vhca_id(&info, info.side);
    return dpk_doca_end(devinfo, __func__, result);
}

#define CAP(name, value)                                                                           \
    doca_error_t name(const struct doca_devinfo *devinfo, uint8_t *supported)                      \
    {                                                                                              \
        doca_error_t result = devinfo_check(devinfo, supported);                                   \
        if (result == DOCA_SUCCESS)                                                                \
            *supported = (value);                                                                  \
        return dpk_doca_end(devinfo, __func__, result);                                            \
    }

CAP(doca_devinfo_cap_is_hotplug_manager_supported, 0)
CAP(doca_devinfo_cap_is_notification_moderation_supported, 0)
CAP(doca_devinfo_cap_is_accelerate_resource_reclaim_supported, 0)

/* ---- Opening ---- */

static struct ibv_context *open_by_name(const char *name)
{
    struct ibv_context *context = NULL;
    struct ibv_device **devices = dpk_emulated_11.get_device_list(NULL);
    for (size_t i = 0; devices && devices[i] && !context; i++)
        if (strcmp(devices[i]->name, name) == 0)
            context = dpk_emulated_11.open_device(devices[i]);
    dpk_emulated_11.free_device_list(devices);
    return context;
}

/* Returns the domain of the device with that name, or NULL if there is no memory. Domains are never
 * freed, because keys of memory may refer to them until the process ends. */
static struct dpk_memory_domain *domain_of(const char *name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct named {
        struct named *next;
        struct dpk_memory_domain domain;
        char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    } * first;
    pthread_mutex_lock(&lock);
    struct named *n = first;
    while (n && strcmp(n->name, name) != 0)
        n = n->next;
    if (!n && (n = calloc(1, sizeof *n))) {
        snprintf(n->name, sizeof n->name, "%s", name);
        n->next = first;
        first = n;
    }
    pthread_mutex_unlock(&lock);
    return n ? &n->domain : NULL;
}

/* Sets the names of a domain once, because it outlives the context. Without memory there are no
 * names. */
static void name_device(struct dpk_memory_domain *domain, struct ibv_context *context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *directory = dpk_verbs_device(context)->directory;
    const char *fabric = dpk_verbs_device(context)->fabric;
    pthread_mutex_lock(&lock);
    if (!domain->device && *directory)
        domain->device = strdup(directory);
    if (!domain->fabric && fabric)
        domain->fabric = strdup(fabric);
    pthread_mutex_unlock(&lock);
}

doca_error_t dpk_dev_open_context(const struct doca_devinfo *devinfo, struct ibv_context **context)
{
    struct dpk_devinfo *info = dpk_object_pin(devinfo, &dpk_devinfo_kind);
    if (!info)
        return DOCA_ERROR_INVALID_VALUE;
    *context = open_by_name(info->name);
    dpk_object_drop(info);
    return *context ? DOCA_SUCCESS
                    : dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "the device cannot be opened");
}

doca_error_t dpk_devinfo_gids(const struct doca_devinfo *devinfo, uint32_t first, uint32_t count,
                              uint8_t gids[][DOCA_GID_BYTE_LENGTH])
{
    struct ibv_context *context = NULL;
    union ibv_gid found;
    doca_error_t result = dpk_dev_open_context(devinfo, &context);
    if (result != DOCA_SUCCESS)
        return result;
    for (uint32_t i = 0; result == DOCA_SUCCESS && i < count; i++)
        if (dpk_emulated_11.query_gid(context, 1, (int)(first + i), &found) == 0)
            memcpy(gids[i], found.raw, sizeof found.raw);
        else
            result = DOCA_ERROR_DRIVER;
    dpk_emulated_11.close_device(context);
    return result;
}

struct ibv_pd *dpk_dev_alloc_pd(struct ibv_context *context)
{
    struct dpk_memory_domain *domain = domain_of(context->device->name);
    struct ibv_pd *pd = domain ? dpk_emulated_11.alloc_pd(context) : NULL;
    if (!pd)
        return NULL;
    name_device(domain, context);
    dpk_verbs_join_domain(pd, domain);
    return pd;
}

/* `pd`: NULL, or the protection domain whose device and keys are used. */
static doca_error_t dev_open(const char *name, struct ibv_pd *pd, void *owner,
                             struct doca_dev **dev)
{
    struct dpk_dev *d = calloc(1, sizeof *d);
    if (d)
        d->domain = pd ? dpk_verbs_domain(pd) : domain_of(name);
    void *own = d && d->domain ? devinfo_new(name) : NULL;
    if (!own) {
        free(d);
        return DOCA_ERROR_NO_MEMORY;
    }
    d->info = dpk_object_pin(own, &dpk_devinfo_kind);
    d->context = pd ? pd->context : open_by_name(name);
    d->pd = pd;
    if ((d->borrows = pd != NULL))
        dpk_verbs_use_pd(pd);
    if ((d->owner = owner))
        dpk_object_use(owner);
    if (d->context && !pd)
        name_device(d->domain, d->context);
    doca_error_t result =
        d->context ? DOCA_SUCCESS
                   : dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "device %s cannot be opened", name);
    if (result == DOCA_SUCCESS) {
        if (!(*dev = dpk_object_enter(d, &dpk_dev_kind)))
            result = DOCA_ERROR_NO_MEMORY;
    } else {
        dev_release(d);
    }
    if (result != DOCA_SUCCESS)
        dpk_object_destroy(own, &dpk_devinfo_kind);
    return result;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
    if (dev)
        *dev = NULL;
    struct dpk_devinfo *info = dpk_object_pin(devinfo, &dpk_devinfo_kind);
    doca_error_t result =
        info && dev ? dev_open(info->name, NULL, NULL, dev) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(info);
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t dpk_dev_borrow(struct ibv_pd *pd, void *owner, struct doca_dev **dev)
{
    return dev_open(pd->context->device->name, pd, owner, dev);
}

/* Opens the device of a protection domain whose keys all devices of the process share: that of DOCA Verbs. The
 * device needs nothing of it, so programs may destroy it before they close the device. */
static doca_error_t open_beside(struct ibv_pd *pd, struct doca_dev **dev)
{
    const doca_error_t result = dev_open(pd->context->device->name, NULL, NULL, dev);
    struct dpk_dev *d = result == DOCA_SUCCESS ? dpk_object_lock(*dev, &dpk_dev_kind) : NULL;
    if (d)
        d->beside = pd;
    dpk_object_unlock(d, DOCA_SUCCESS);
    return result;
}

static doca_error_t open_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
    const char *name = pd->context->device->name;
    return dpk_verbs_domain(pd) == domain_of(name) ? open_beside(pd, dev)
                                                   : dev_open(name, pd, NULL, dev);
}

doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
    if (dev)
        *dev = NULL;
    const bool good = pd && dev && dpk_context_is_emulated(pd->context);
    if (pd && dev && !good)
        dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                         "the protection domain is not of an emulated device");
    return dpk_doca_end(NULL, __func__, good ? open_from_pd(pd, dev) : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
    if (pd)
        *pd = NULL;
    struct dpk_dev *d = pd ? dpk_object_lock(dev, &dpk_dev_kind) : NULL;
    if (d && !d->pd && !d->beside)
        d->pd = dpk_dev_alloc_pd(d->context);
    if (d)
        *pd = d->beside ? d->beside : d->pd;
    return dpk_doca_end(dev, __func__,
                        dpk_object_unlock(d, d && !*pd ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS));
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
    void *object = NULL;
    if (!dev)
        return DOCA_SUCCESS; /* programs close devices that they did not open */
    doca_error_t result = dpk_object_leave(dev, &dpk_dev_kind, &object);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dev, __func__, result);
    struct dpk_dev *d = object;
    dpk_object_destroy(d->info->object.handle, &dpk_devinfo_kind);
    if (d->owner)
        dpk_object_end_use(d->owner);
    dpk_object_drop(d);
    return DOCA_SUCCESS;
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, d ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE);
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    struct doca_devinfo *info = d ? d->info->object.handle : NULL;
    dpk_object_drop(d);
    return info;
}
