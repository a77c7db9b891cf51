/*
 * doca_dev: finding and opening devices. Here: the emulated devices that `dpadev create` made. Each
 * is one physical function of a BlueField-3, as a host sees it; or as its own processors do, if
 * DPAKIT_SIDE is "dpu": then there are those of cards that were made with --pair (dpadev(1)).
 *
 *     struct doca_devinfo **list;  uint32_t count;  struct doca_dev *dev = NULL;
 *     doca_devinfo_create_list(&list, &count);
 *     for (uint32_t i = 0; i < count && !dev; i++)
 *         if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
 *             doca_dev_open(list[i], &dev);
 *     doca_devinfo_destroy_list(list);        // dev stays open
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for what is none;
 * the errors named below come on top. Any thread may call them.
 */
#ifndef DOCA_DEV_H
#define DOCA_DEV_H

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;         /* an open device */
struct doca_devinfo;     /* a device that could be opened */
struct doca_dev_rep;     /* an open representor */
struct doca_devinfo_rep; /* a representor that could be opened */

/* Bytes of buffers for the texts below, NUL included, and of a MAC address. */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE   64
#define DOCA_DEVINFO_IFACE_NAME_SIZE   256
#define DOCA_DEVINFO_PCI_ADDR_SIZE     13 /* "0000:03:00.0" */
#define DOCA_DEVINFO_PCI_BDF_SIZE      8  /* "03:00.0" */
#define DOCA_DEVINFO_MAC_ADDR_SIZE     6
#define DOCA_DEVINFO_IPV4_ADDR_SIZE    4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE    16
#define DOCA_DEVINFO_VUID_SIZE         128
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE  8
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13
#define DOCA_DEVINFO_REP_VUID_SIZE     128

/* Kinds of representors to list; bits. */
enum doca_devinfo_rep_filter {
    DOCA_DEVINFO_REP_FILTER_ALL = 0,
    DOCA_DEVINFO_REP_FILTER_NET = 1 << 1,
    DOCA_DEVINFO_REP_FILTER_EMULATED = 1 << 2,
};

/* ---- Devices ---- */

/*
 * Lists the devices.
 *   dev_list  [out]  array of *nb_devs, sorted by name, NULL after the last; to be given back with
 *                    doca_devinfo_destroy_list; NULL on failure
 *   nb_devs   [out]  how many, may be 0
 * NO_MEMORY. NOT_FOUND: the devices' directory cannot be read.
 */
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/* Frees a list with its entries; devices that were opened from it stay open. */
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/* The device's RDMA name, "mlx5_0". `size`: bytes of the buffer, at least
 * DOCA_DEVINFO_IBDEV_NAME_SIZE, else INVALID_VALUE; the same for the functions that follow. */
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/* The name of its network interface: what an mlx5 driver would call it, "ens3f0np0", and on the DPU
 * that of the uplink, "p0". */
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/* Its MAC address, DOCA_DEVINFO_MAC_ADDR_SIZE bytes as they go over the wire. */
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);

/* Its PCI address with the domain; a buffer of DOCA_DEVINFO_PCI_ADDR_SIZE bytes. */
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/* Sets *is_equal to 1 if the text is its PCI address, with domain or without ("03:00.0"), else to
 * 0. INVALID_VALUE: not a PCI address. */
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/* What kind of function it is: always a physical one. */
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);

/* NOT_SUPPORTED: the device is no sub-function. */
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/* The IP addresses of its interface, as bytes in their order; buffers of at least
 * DOCA_DEVINFO_IPV4_ADDR_SIZE, DOCA_DEVINFO_IPV6_ADDR_SIZE bytes. NOT_FOUND: always, as the interface is
 * none of the system's. */
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

/* The LID of its port. NOT_SUPPORTED: the link is Ethernet. */
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/* The rate of its port, in bits per second. */
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);

/* A number that no other device of this machine has. */
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/* What it can do besides: 1 or 0. All are 0. */
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim);

/*
 * Opens a device.
 *   dev  [out]  to be given back with doca_dev_close; NULL on failure
 * NO_MEMORY. NOT_CONNECTED: the device is gone or damaged.
 */
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/* Closes a device; NULL is fine. IN_USE: a DPA context, sync event, mmap, ... still stands on it; it
 * stays open. */
doca_error_t doca_dev_close(struct doca_dev *dev);

/* Gives back what the device has faster once it is closed. NOT_SUPPORTED: there is nothing slow to give
 * back. */
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/* The device's information; valid until it is closed, owned by it. NULL for what is no device. */
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/* ---- Representors: the DPU sees one for each function of the host, hosts see none ---- */

/* Whether representors of that kind can be listed on the device, 1 or 0: all of them; on the DPU those of
 * network functions, too; not those of emulated ones. */
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);

/*
 * Lists the representors of a device that pass the filter (DOCA_DEVINFO_REP_FILTER_*).
 *   dev_list_rep  [out]  to be given back with doca_devinfo_rep_destroy_list; NULL on failure
 *   nb_devs_rep   [out]  how many: 1 on the DPU, 0 on the host
 * NO_MEMORY. NOT_SUPPORTED: the filter is not for this device, as that of emulated functions, and on
 * the host that of network functions.
 */
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/* What a representor is, as doca_devinfo_... for devices: the function of the host that it stands for,
 * but its own interface, "pf0hpf". It is no hotplug function. `size`: at least
 * DOCA_DEVINFO_IFACE_NAME_SIZE, DOCA_DEVINFO_REP_VUID_SIZE, else INVALID_VALUE. */
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug);
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size);
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id);
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal);

/* Opens and closes a representor; it stays open when the list is destroyed. NO_MEMORY. */
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo_rep, struct doca_dev_rep **dev_rep);
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev_rep);
/* NULL: it is none. */
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

#ifdef __cplusplus
}
#endif

#endif
