/* Virtual functions belong to physical functions that a card has by itself. Emulated cards have none: all their
 * functions are made and removed by programs. */
#include "private.h"

/* What there is to say of such a function. */
static doca_error_t refuse(const struct doca_devemu_pci_dev *pci_dev, bool has_result, bool runs)
{
    doca_error_t result;
    struct pci_dev *d = !has_result ? NULL
                        : runs      ? pci_dev_lock_running(pci_dev, NULL, &result)
                                    : pci_dev_lock_idle(pci_dev, &result);
    if (!has_result)
        return DOCA_ERROR_INVALID_VALUE;
    return d ? dpk_object_unlock(d, DOCA_ERROR_NOT_PERMITTED) : result;
}

doca_error_t
doca_devemu_pci_dev_event_sriov_register(struct doca_devemu_pci_dev *pci_dev,
                                         doca_devemu_pci_dev_event_sriov_handler_cb_t handler,
                                         union doca_data user_data)
{
    (void)user_data;
    return refuse(pci_dev, handler != NULL, false);
}

doca_error_t doca_devemu_pci_dev_reset_msix(struct doca_devemu_pci_dev *pci_dev, uint8_t reset)
{
    (void)reset;
    return refuse(pci_dev, true, false);
}

doca_error_t doca_devemu_pci_dev_reset_db(struct doca_devemu_pci_dev *pci_dev, uint8_t reset)
{
    (void)reset;
    return refuse(pci_dev, true, false);
}

doca_error_t doca_devemu_pci_dev_get_total_vfs(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *total_vfs)
{
    return refuse(pci_dev, total_vfs != NULL, true);
}

doca_error_t doca_devemu_pci_dev_get_num_vfs(const struct doca_devemu_pci_dev *pci_dev,
                                             uint16_t *num_vfs)
{
    struct pci_dev *d = num_vfs ? dpk_object_lock(pci_dev, &pci_dev_kind) : NULL;
    return dpk_object_unlock(d, DOCA_ERROR_NOT_PERMITTED);
}

doca_error_t
doca_devemu_pci_dev_get_num_free_dynamic_vf_msix(const struct doca_devemu_pci_dev *pci_dev,
                                                 uint16_t *num_free_msix)
{
    return refuse(pci_dev, num_free_msix != NULL, true);
}

doca_error_t
doca_devemu_pci_dev_get_num_free_dynamic_vf_db(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *num_free_db)
{
    return refuse(pci_dev, num_free_db != NULL, true);
}
