/* Virtual functions belong to physical functions of the card itself. Emulated cards have none:
 * programs make and remove all of their functions. */
#include "private.h"

static doca_error_t no_virtual(const char *call, struct pci_dev *d)
{
    return dpk_doca_unlock(d, call, DOCA_ERROR_NOT_PERMITTED,
                           "emulated functions have no virtual functions");
}

/* Refuses a valid call because emulated functions have no virtual functions. */
static doca_error_t refuse(const char *call, const struct doca_devemu_pci_dev *pci_dev,
                           bool has_result, bool runs)
{
    doca_error_t result;
    const void *handle = has_result ? pci_dev : NULL;
    struct pci_dev *d = runs ? devemu_pci_dev_lock_running(call, handle, NULL, &result)
                             : devemu_pci_dev_lock_idle(call, handle, &result);
    return d ? no_virtual(call, d) : result;
}

doca_error_t
doca_devemu_pci_dev_event_sriov_register(struct doca_devemu_pci_dev *pci_dev,
                                         doca_devemu_pci_dev_event_sriov_handler_cb_t handler,
                                         union doca_data user_data)
{
    (void)user_data;
    return refuse(__func__, pci_dev, handler != NULL, false);
}

doca_error_t doca_devemu_pci_dev_reset_msix(struct doca_devemu_pci_dev *pci_dev, uint8_t reset)
{
    (void)reset;
    return refuse(__func__, pci_dev, true, false);
}

doca_error_t doca_devemu_pci_dev_reset_db(struct doca_devemu_pci_dev *pci_dev, uint8_t reset)
{
    (void)reset;
    return refuse(__func__, pci_dev, true, false);
}

doca_error_t doca_devemu_pci_dev_get_total_vfs(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *total_vfs)
{
    return refuse(__func__, pci_dev, total_vfs != NULL, true);
}

doca_error_t doca_devemu_pci_dev_get_num_vfs(const struct doca_devemu_pci_dev *pci_dev,
                                             uint16_t *num_vfs)
{
    struct pci_dev *d = num_vfs ? dpk_object_lock(pci_dev, &devemu_pci_dev_kind) : NULL;
    return no_virtual(__func__, d);
}

doca_error_t
doca_devemu_pci_dev_get_num_free_dynamic_vf_msix(const struct doca_devemu_pci_dev *pci_dev,
                                                 uint16_t *num_free_msix)
{
    return refuse(__func__, pci_dev, num_free_msix != NULL, true);
}

doca_error_t
doca_devemu_pci_dev_get_num_free_dynamic_vf_db(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *num_free_db)
{
    return refuse(__func__, pci_dev, num_free_db != NULL, true);
}
