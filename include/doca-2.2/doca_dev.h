/*
 * doca_dev (DOCA 2.2): devices and representors. Later DOCA has other names for the functions that list
 * them and for capabilities; all else is the same.
 *
 *     struct doca_devinfo **list;  uint32_t n;
 *     doca_devinfo_list_create(&list, &n);
 *     doca_dev_open(list[0], &dev);
 *     doca_devinfo_list_destroy(list);
 */
#ifndef DOCA_2_2_DEV_H
#define DOCA_2_2_DEV_H

#include "doca_version.h"

#include "../doca/doca_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibv_pd;

/* Values of later DOCA under their names of that release. */
enum doca_dev_rep_filter {
    DOCA_DEV_REP_FILTER_ALL = DOCA_DEVINFO_REP_FILTER_ALL,
    DOCA_DEV_REP_FILTER_NET = DOCA_DEVINFO_REP_FILTER_NET,
    DOCA_DEV_REP_FILTER_EMULATED = DOCA_DEVINFO_REP_FILTER_EMULATED,
};
enum {
    DOCA_PCI_FUNC_PF = DOCA_PCI_FUNC_TYPE_PF,
    DOCA_PCI_FUNC_VF = DOCA_PCI_FUNC_TYPE_VF,
    DOCA_PCI_FUNC_SF = DOCA_PCI_FUNC_TYPE_SF,
};

/* doca_devinfo_create_list, and so on, of later DOCA. */
doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list);
doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
                                                const char *pci_addr, uint8_t *is_equal);
doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);
doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep);
doca_error_t doca_devinfo_rep_get_is_pci_addr_equal(const struct doca_devinfo_rep *devinfo_rep,
                                                    const char *pci_addr, uint8_t *is_equal);
doca_error_t doca_devinfo_get_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);
doca_error_t doca_devinfo_rep_get_is_list_all_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *is_supported);
doca_error_t doca_devinfo_rep_get_is_list_net_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *is_supported);
doca_error_t doca_devinfo_rep_get_is_list_emulated_supported(const struct doca_devinfo *devinfo,
                                                             uint8_t *is_supported);
doca_error_t doca_devinfo_get_is_mmap_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_supported);
doca_error_t doca_devinfo_get_is_mmap_from_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                                uint8_t *is_supported);
/* doca_rdma_bridge_get_dev_pd and doca_rdma_bridge_open_dev_from_pd of later DOCA. */
doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd);
doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

#ifdef __cplusplus
}
#endif

#endif
