/* Representors: a host sees none, so there is never a handle of one. */
#include "doca/core/core.h"
#include "handles.h"

static const struct dpk_kind rep_kind; /* of no object */

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
{
    if (dev_list_rep)
        *dev_list_rep = NULL;
    if (nb_devs_rep)
        *nb_devs_rep = 0;
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    dpk_object_drop(d);
    if (!d || !dev_list_rep || !nb_devs_rep)
        return DOCA_ERROR_INVALID_VALUE;
    if (filter != DOCA_DEVINFO_REP_FILTER_ALL)
        return DOCA_ERROR_NOT_SUPPORTED;
    void **list = handles_new(0, &rep_kind);
    *dev_list_rep = (struct doca_devinfo_rep **)list;
    return list ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
    return handles_destroy((void **)dev_list_rep, &rep_kind);
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size)
{
    (void)devinfo_rep;
    (void)rep_vuid;
    (void)size;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str)
{
    (void)devinfo_rep;
    (void)pci_addr_str;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type)
{
    (void)devinfo_rep;
    (void)pci_func_type;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug)
{
    (void)devinfo_rep;
    (void)is_hotplug;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size)
{
    (void)devinfo_rep;
    (void)iface_name;
    (void)size;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id)
{
    (void)devinfo_rep;
    (void)vhca_id;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal)
{
    (void)devinfo_rep;
    (void)pci_addr_str;
    if (is_equal)
        *is_equal = 0;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo_rep, struct doca_dev_rep **dev_rep)
{
    (void)devinfo_rep;
    if (dev_rep)
        *dev_rep = NULL;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev_rep)
{
    (void)dev_rep;
    return DOCA_ERROR_INVALID_VALUE;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
    (void)dev_rep;
    return NULL;
}
