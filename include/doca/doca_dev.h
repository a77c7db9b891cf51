/*
 * doca_dev: finding and opening devices. Here: the emulated devices that `dpadev create` made. Each
 * device is one physical function of a BlueField-3, as a host sees it. If DPAKIT_SIDE is "dpu", the
 * program sees the devices as the processors of the BlueField do, and only those of cards made with
 * --pair (dpadev(1)).
 *
 *     struct doca_devinfo **list;  uint32_t count;  struct doca_dev *dev = NULL;
 *     doca_devinfo_create_list(&list, &count);
 *     for (uint32_t i = 0; i < count && !dev; i++)
 *         if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
 *             doca_dev_open(list[i], &dev);
 *     doca_devinfo_destroy_list(list);        // dev stays open
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind, besides the errors named below. Any thread may call these functions.
 */
#ifndef DOCA_DEV_H
#define DOCA_DEV_H

#include "doca_error.h"
#include "doca_types.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;         /* an open device */
struct doca_devinfo;     /* a device that could be opened */
struct doca_dev_rep;     /* an open representor */
struct doca_devinfo_rep; /* a representor that could be opened */

/* Sizes in bytes of buffers for the texts below, with the NUL, and of a MAC address. */
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

/* Kinds of representors to list, as bits. */
enum doca_devinfo_rep_filter {
    DOCA_DEVINFO_REP_FILTER_ALL = 0,
    DOCA_DEVINFO_REP_FILTER_NET = 1 << 1,
    DOCA_DEVINFO_REP_FILTER_EMULATED = 1 << 2,
};

/* ---- Devices ---- */

/*
 * Lists the devices.
 *   dev_list  [out]  array of *nb_devs devices, sorted by name, with NULL after the last; free it with
 *                    doca_devinfo_destroy_list; NULL on failure
 *   nb_devs   [out]  the number of devices, may be 0
 * Errors: NO_MEMORY, NOT_FOUND if the devices' directory cannot be read.
 */
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/* Frees a list with its entries; devices that were opened from it stay open. */
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/* Gets the device's RDMA name, as "mlx5_0". `size`: bytes of the buffer. Errors: INVALID_VALUE if the
 * size is less than DOCA_DEVINFO_IBDEV_NAME_SIZE. The functions that follow treat `size` in the same
 * way. */
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/* Gets the name of the device's network interface: the name that an mlx5 driver would give it, as
 * "ens3f0np0", and on the DPU the name of the uplink, as "p0". */
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/* Gets the MAC address, DOCA_DEVINFO_MAC_ADDR_SIZE bytes in network byte order. */
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);

/* Gets the PCI address with the domain. The buffer has DOCA_DEVINFO_PCI_ADDR_SIZE bytes. */
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/* Sets *is_equal to 1 if the text is the device's PCI address, with or without the domain ("03:00.0"),
 * else to 0. Errors: INVALID_VALUE if the text is not a PCI address. */
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/* Gets the kind of PCI function: always a physical function. */
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);

/* Always returns NOT_SUPPORTED: no device is a sub-function. */
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/* Get the IP addresses of the interface, in network byte order. The buffers have at least
 * DOCA_DEVINFO_IPV4_ADDR_SIZE or DOCA_DEVINFO_IPV6_ADDR_SIZE bytes. Always return NOT_FOUND: the
 * interface is not an interface of the system. */
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

/* Gets the LID of the port. Always returns NOT_SUPPORTED: the link is Ethernet. */
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
/* Gets the rate of the port, in Gb/s. */
doca_error_t
doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                             double *active_rate) __asm__("doca_devinfo_get_active_rate_v2_5");
#else
/* Gets the rate of the port, in bits per second. */
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);
#endif

/* Gets a number that is unique among the devices of this machine. */
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/* Further capabilities, 1 or 0. All are 0. */
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim);

/*
 * Opens a device.
 *   dev  [out]  an open device; close it with doca_dev_close; NULL on failure
 * Errors: NO_MEMORY, NOT_CONNECTED if the device is removed or damaged.
 */
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/* Closes a device. NULL is ignored. Memory for rings (doca_umem.h) and UARs may outlive it. Errors: IN_USE
 * if a DPA context, sync event, memory map or other object uses the device; the device then stays open. */
doca_error_t doca_dev_close(struct doca_dev *dev);

/* Asks for a faster release of resources when the device is closed. Always returns NOT_SUPPORTED: the
 * release is fast already. */
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/* Returns the device's information, which belongs to the device and is valid until the device is
 * closed. NULL if `dev` is not a device. */
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/* ---- Representors: the DPU has a representor for each function of the host; the host has none
 * ---- */

/* Get 1 if representors of the kind can be listed on the device, else 0. The result is 1 for "all",
 * and on the DPU for network functions; it is 0 for emulated functions. */
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);

/*
 * Lists the representors of a device that pass the filter (DOCA_DEVINFO_REP_FILTER_*).
 *   dev_list_rep  [out]  free it with doca_devinfo_rep_destroy_list; NULL on failure
 *   nb_devs_rep   [out]  the number: 1 on the DPU, 0 on the host
 * Errors: NO_MEMORY, NOT_SUPPORTED if the device does not support the filter: the filter for emulated
 * functions, and on the host the filter for network functions.
 */
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/* Properties of a representor, as the functions doca_devinfo_... for devices. The values are those of
 * the host function that it represents, except its own interface, as "pf0hpf". It is not a hotplug
 * function. Errors: INVALID_VALUE if `size` is less than DOCA_DEVINFO_IFACE_NAME_SIZE or
 * DOCA_DEVINFO_REP_VUID_SIZE. */
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

/* Open and close a representor. It stays open when the list is destroyed. Errors: NO_MEMORY. */
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo_rep, struct doca_dev_rep **dev_rep);
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev_rep);
/* Returns NULL if `dev_rep` is not an open representor. */
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

#ifdef __cplusplus
}
#endif

#endif
