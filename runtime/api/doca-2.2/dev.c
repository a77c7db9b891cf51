/* Devices and representors in DOCA 2.2: functions of later DOCA by their names of that release. */
#include <doca-2.2/doca_dev.h>
#include <doca_mmap.h>
#include <doca_rdma_bridge.h>

doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    return doca_devinfo_create_list(dev_list, nb_devs);
}

doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list)
{
    return doca_devinfo_destroy_list(dev_list);
}

doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
                                                const char *pci_addr, uint8_t *is_equal)
{
    return doca_devinfo_is_equal_pci_addr(devinfo, pci_addr, is_equal);
}

doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
{
    return doca_devinfo_rep_create_list(dev, filter, dev_list_rep, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep)
{
    return doca_devinfo_rep_destroy_list(dev_list_rep);
}

doca_error_t doca_devinfo_rep_get_is_pci_addr_equal(const struct doca_devinfo_rep *devinfo_rep,
                                                    const char *pci_addr, uint8_t *is_equal)
{
    return doca_devinfo_rep_is_equal_pci_addr(devinfo_rep, pci_addr, is_equal);
}

doca_error_t doca_devinfo_get_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager)
{
    return doca_devinfo_cap_is_hotplug_manager_supported(devinfo, is_hotplug_manager);
}

doca_error_t doca_devinfo_rep_get_is_list_all_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *is_supported)
{
    return doca_devinfo_rep_cap_is_filter_all_supported(devinfo, is_supported);
}

doca_error_t doca_devinfo_rep_get_is_list_net_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *is_supported)
{
    return doca_devinfo_rep_cap_is_filter_net_supported(devinfo, is_supported);
}

doca_error_t doca_devinfo_rep_get_is_list_emulated_supported(const struct doca_devinfo *devinfo,
                                                             uint8_t *is_supported)
{
    return doca_devinfo_rep_cap_is_filter_emulated_supported(devinfo, is_supported);
}

doca_error_t doca_devinfo_get_is_mmap_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_supported)
{
    return doca_mmap_cap_is_export_pci_supported(devinfo, is_supported);
}

doca_error_t doca_devinfo_get_is_mmap_from_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                                uint8_t *is_supported)
{
    return doca_mmap_cap_is_create_from_export_pci_supported(devinfo, is_supported);
}

doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
    return doca_rdma_bridge_get_dev_pd(dev, pd);
}

doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
    return doca_rdma_bridge_open_dev_from_pd(pd, dev);
}
