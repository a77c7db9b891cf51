/* Prints properties of devices and their representors, as reported by libdoca_common. */
#include "doca_caps.h"

#include "device/state/state.h"

#include <arpa/inet.h>

#define ASK(function) LIBRARY_FUNCTION("common", function)

static void put(const char *name, const char *value)
{
    printf("\t%-25s %s\n", name, value);
}

static const char *function_type(enum doca_pci_func_type type)
{
    return type == DOCA_PCI_FUNC_TYPE_PF   ? "PF"
           : type == DOCA_PCI_FUNC_TYPE_VF ? "VF"
           : type == DOCA_PCI_FUNC_TYPE_SF ? "SF"
                                           : "unknown";
}

void caps_device_print_address(const struct doca_devinfo *info)
{
    char address[DOCA_DEVINFO_PCI_ADDR_SIZE] = "?";
    (void)ASK(doca_devinfo_get_pci_addr_str)(info, address);
    printf("PCI: %s\n", address);
}

static void put_mac(const struct doca_devinfo *info)
{
    uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
    char text[20];
    if (ASK(doca_devinfo_get_mac_addr)(info, mac, sizeof mac) != DOCA_SUCCESS)
        return;
    snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
             mac[4], mac[5]);
    put("mac_addr", text);
}

/* An interface without an address prints the zero address. */
static void put_addresses(const struct doca_devinfo *info)
{
    uint8_t v4[DOCA_DEVINFO_IPV4_ADDR_SIZE] = {0}, v6[DOCA_DEVINFO_IPV6_ADDR_SIZE] = {0};
    char text[INET6_ADDRSTRLEN];
    (void)ASK(doca_devinfo_get_ipv4_addr)(info, v4, sizeof v4);
    put("ipv4_addr", inet_ntop(AF_INET, v4, text, sizeof text));
    (void)ASK(doca_devinfo_get_ipv6_addr)(info, v6, sizeof v6);
    put("ipv6_addr", inet_ntop(AF_INET6, v6, text, sizeof text));
}

/* Prints the DPA's target, for which DOCA has no function. */
static void put_target(const char *device)
{
    struct dpk_device_info info;
    char text[sizeof "nv-dpa-" + sizeof info.hw_target];
    if (dpk_device_info_by_name(device, &info, NULL) != DPK_OK)
        return;
    snprintf(text, sizeof text, "nv-dpa-%s", info.hw_target);
    put("dpa_target", text);
}

void caps_device_print(const struct doca_devinfo *info)
{
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE] = "";
    enum doca_pci_func_type type;
    caps_device_print_address(info);
    if (ASK(doca_devinfo_get_ibdev_name)(info, name, DOCA_DEVINFO_IBDEV_NAME_SIZE) == DOCA_SUCCESS)
        put("ibdev_name", name);
    put_target(name);
    if (ASK(doca_devinfo_get_iface_name)(info, name, sizeof name) == DOCA_SUCCESS)
        put("iface_name", name);
    if (ASK(doca_devinfo_get_pci_func_type)(info, &type) == DOCA_SUCCESS)
        put("pci_func_type", function_type(type));
    put_mac(info);
    put_addresses(info);
}

/* ---- Representors ---- */

static void put_representor(const struct doca_devinfo_rep *rep)
{
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    enum doca_pci_func_type type;
    uint8_t hotplug;
    if (ASK(doca_devinfo_rep_get_pci_addr_str)(rep, text) == DOCA_SUCCESS)
        printf("\tRepresentor PCI: %s\n", text);
    if (ASK(doca_devinfo_rep_get_pci_func_type)(rep, &type) == DOCA_SUCCESS)
        printf("\t\t%-25s %s\n", "pci_func_type", function_type(type));
    if (ASK(doca_devinfo_rep_get_is_hotplug)(rep, &hotplug) == DOCA_SUCCESS)
        printf("\t\t%-25s %s\n", "hotplug", hotplug ? "yes" : "no");
    if (ASK(doca_devinfo_rep_get_vuid)(rep, text, DOCA_DEVINFO_REP_VUID_SIZE) == DOCA_SUCCESS)
        printf("\t\t%-25s %s\n", "vuid", text);
    if (ASK(doca_devinfo_rep_get_iface_name)(rep, text, sizeof text) == DOCA_SUCCESS)
        printf("\t\t%-25s %s\n", "iface_name", text);
}

enum dpk_status caps_device_print_representors(struct doca_devinfo *info, struct dpk_error *err)
{
    struct doca_dev *dev = NULL;
    struct doca_devinfo_rep **list = NULL;
    uint32_t count = 0;
    caps_device_print_address(info);
    doca_error_t result = ASK(doca_dev_open)(info, &dev);
    if (result == DOCA_SUCCESS)
        result = ASK(doca_devinfo_rep_create_list)(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count);
    for (uint32_t i = 0; result == DOCA_SUCCESS && i < count; i++)
        put_representor(list[i]);
    if (list)
        (void)ASK(doca_devinfo_rep_destroy_list)(list);
    if (dev)
        (void)ASK(doca_dev_close)(dev);
    return result == DOCA_SUCCESS ? DPK_OK
                                  : dpk_fail(err, DPK_ERR_IO, "representors cannot be listed: %s",
                                             ASK(doca_error_get_descr)(result));
}
