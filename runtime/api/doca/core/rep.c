/* Representors: on the DPU's side there is one for each function of the card that the host sees.
 * The host sees none. Those of emulated functions are made by who knows them. */
#include <stdlib.h>
#include <string.h>

#include "api/doca/core/core.h"
#include "handles.h"

/* A representor that can be opened. */
struct rep_info {
    struct dpk_object object;
    struct dpk_device_info card; /* with the address and VUID of the function */
    unsigned emulated;           /* the number of an emulated function; 0: not emulated */
};

#define EMULATED_VHCA 0x4000u /* plus the number of an emulated function */

struct rep {
    struct dpk_object object;
    struct rep_info *info; /* a reference; doca_dev_rep_as_devinfo returns its handle */
};

static void rep_info_release(void *object)
{
    free(object);
}
static const struct dpk_kind rep_info_kind = {.release = rep_info_release};

static void rep_left(void *object)
{
    struct rep *r = object;
    dpk_object_destroy(r->info->object.handle, &rep_info_kind);
}

static void rep_release(void *object)
{
    struct rep *r = object;
    dpk_object_drop(r->info);
    free(r);
}
static const struct dpk_kind rep_kind = {.left = rep_left, .release = rep_release};

/* ---- Listing ---- */

static bool sees_representors(const struct dpk_device_info *info)
{
    return info->pair && info->side == DPK_SIDE_DPU;
}

/* Returns true if a filter is supported. Emulated cards have only network functions. */
static bool is_listed(const struct dpk_device_info *info, int filter)
{
    return filter == DOCA_DEVINFO_REP_FILTER_ALL ||
           (filter == DOCA_DEVINFO_REP_FILTER_NET && sees_representors(info));
}

static doca_error_t answer(const struct doca_devinfo *devinfo, int filter, uint8_t *supported)
{
    struct dpk_device_info info;
    const doca_error_t result =
        supported ? dpk_devinfo_ask(devinfo, &info) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *supported = is_listed(&info, filter);
    return result;
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported)
{
    return dpk_doca_end(devinfo, __func__,
                        answer(devinfo, DOCA_DEVINFO_REP_FILTER_ALL, filter_all_supported));
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported)
{
    return dpk_doca_end(devinfo, __func__,
                        answer(devinfo, DOCA_DEVINFO_REP_FILTER_NET, filter_net_supported));
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported)
{
    return dpk_doca_end(
        devinfo, __func__,
        answer(devinfo, DOCA_DEVINFO_REP_FILTER_EMULATED, filter_emulated_supported));
}

static void *rep_info_new(const struct dpk_device_info *card, unsigned emulated)
{
    struct rep_info *info = calloc(1, sizeof *info);
    if (!info)
        return NULL;
    info->card = *card;
    info->emulated = emulated;
    return dpk_object_enter(info, &rep_info_kind);
}

static doca_error_t list(const struct dpk_device_info *card,
                         struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep)
{
    const uint32_t count = sees_representors(card);
    void **all = core_handles_new(count, &rep_info_kind);
    if (all && count > 0 && !(all[0] = rep_info_new(card, 0))) {
        core_handles_destroy(all, &rep_info_kind);
        all = NULL;
    }
    if (!all)
        return DOCA_ERROR_NO_MEMORY;
    *dev_list_rep = (struct doca_devinfo_rep **)all;
    *nb_devs_rep = count;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
{
    struct dpk_device_info card;
    if (dev_list_rep)
        *dev_list_rep = NULL;
    if (nb_devs_rep)
        *nb_devs_rep = 0;
    if (!dev_list_rep || !nb_devs_rep)
        return dpk_doca_no_object(__func__);
    const doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dev, __func__, result);
    return dpk_doca_end(dev, __func__,
                        is_listed(&card, filter)
                            ? list(&card, dev_list_rep, nb_devs_rep)
                            : dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                               "the device has no representors for filter 0x%x",
                                               (unsigned)filter));
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
    return dpk_doca_end(NULL, __func__,
                        core_handles_destroy((void **)dev_list_rep, &rep_info_kind));
}

/* ---- Properties ---- */

/* Returns the representor, pinned. NULL: the handle is not a representor, or `out` is NULL. */
static struct rep_info *ask(const struct doca_devinfo_rep *devinfo_rep, const void *out)
{
    return out ? dpk_object_pin(devinfo_rep, &rep_info_kind) : NULL;
}

static doca_error_t answered(struct rep_info *info)
{
    dpk_object_drop(info);
    return info ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size)
{
    struct rep_info *info = ask(devinfo_rep, rep_vuid);
    const bool fits = size >= DOCA_DEVINFO_REP_VUID_SIZE;
    if (info && !fits)
        dpk_doca_too_small("the VUID", size, DOCA_DEVINFO_REP_VUID_SIZE);
    else if (info)
        snprintf(rep_vuid, size, "%s", info->card.vuid);
    const doca_error_t result = answered(info);
    return dpk_doca_end(devinfo_rep, __func__, fits ? result : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str)
{
    struct rep_info *info = ask(devinfo_rep, pci_addr_str);
    if (info)
        dpk_pci_address_format(&info->card.pci, pci_addr_str);
    return dpk_doca_end(devinfo_rep, __func__, answered(info));
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type)
{
    struct rep_info *info = ask(devinfo_rep, pci_func_type);
    if (info)
        *pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
    return dpk_doca_end(devinfo_rep, __func__, answered(info));
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug)
{
    struct rep_info *info = ask(devinfo_rep, is_hotplug);
    if (info)
        *is_hotplug = info->emulated != 0;
    return dpk_doca_end(devinfo_rep, __func__, answered(info));
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size)
{
    struct rep_info *info = ask(devinfo_rep, iface_name);
    doca_error_t result = info ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (info && size < DOCA_DEVINFO_IFACE_NAME_SIZE)
        result = dpk_doca_too_small("the name", size, DOCA_DEVINFO_IFACE_NAME_SIZE);
    else if (info && info->emulated)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "an emulated function has no network interface");
    else if (info)
        snprintf(iface_name, size, "pf%uhpf", info->card.number);
    dpk_object_drop(info);
    return dpk_doca_end(devinfo_rep, __func__, result);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id)
{
    struct rep_info *info = ask(devinfo_rep, vhca_id);
    if (info)
        *vhca_id = info->emulated ? (uint16_t)(EMULATED_VHCA + info->emulated)
                                  : dpk_vhca_id(&info->card, DPK_SIDE_HOST);
    return dpk_doca_end(devinfo_rep, __func__, answered(info));
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal)
{
    if (is_equal)
        *is_equal = 0;
    struct rep_info *info = ask(devinfo_rep, is_equal);
    const doca_error_t result =
        info && pci_addr_str ? dpk_pci_address_compare(pci_addr_str, &info->card.pci, is_equal)
                             : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(info);
    return dpk_doca_end(devinfo_rep, __func__, result);
}

/* ---- Opening ---- */

static doca_error_t open_rep(const struct dpk_device_info *card, unsigned emulated,
                             struct doca_dev_rep **dev_rep)
{
    struct rep *r = calloc(1, sizeof *r);
    void *own = r ? rep_info_new(card, emulated) : NULL;
    if (!own) {
        free(r);
        return DOCA_ERROR_NO_MEMORY;
    }
    r->info = dpk_object_pin(own, &rep_info_kind);
    *dev_rep = dpk_object_enter(r, &rep_kind);
    return *dev_rep ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo_rep, struct doca_dev_rep **dev_rep)
{
    if (dev_rep)
        *dev_rep = NULL;
    struct rep_info *info = ask(devinfo_rep, dev_rep);
    const doca_error_t result =
        info ? open_rep(&info->card, info->emulated, dev_rep) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(info);
    return dpk_doca_end(devinfo_rep, __func__, result);
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev_rep)
{
    return dpk_doca_destroy(dev_rep, &rep_kind, __func__);
}

doca_error_t dpk_dev_rep_ask(const struct doca_dev_rep *dev_rep, struct dpk_device_info *info)
{
    struct rep *r = dpk_object_pin(dev_rep, &rep_kind);
    const bool good = r && !r->info->emulated;
    if (good)
        *info = r->info->card;
    dpk_object_drop(r);
    return good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* ---- Representors of emulated functions ---- */

doca_error_t dpk_emulated_rep_list(const struct dpk_device_info *cards, const unsigned *numbers,
                                   uint32_t count, struct doca_devinfo_rep ***list)
{
    void **all = core_handles_new(count, &rep_info_kind);
    for (uint32_t i = 0; all && i < count; i++)
        if (!(all[i] = rep_info_new(&cards[i], numbers[i]))) {
            core_handles_destroy(all, &rep_info_kind);
            all = NULL;
        }
    *list = (struct doca_devinfo_rep **)all;
    return all ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t dpk_emulated_rep_open(const struct dpk_device_info *card, unsigned number,
                                   struct doca_dev_rep **rep)
{
    return open_rep(card, number, rep);
}

doca_error_t dpk_emulated_rep_ask(const struct doca_dev_rep *rep, struct dpk_device_info *card,
                                  unsigned *number)
{
    struct rep *r = dpk_object_pin(rep, &rep_kind);
    const bool good = r && r->info->emulated;
    if (good) {
        *card = r->info->card;
        *number = r->info->emulated;
    }
    dpk_object_drop(r);
    return good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
    struct rep *r = dpk_object_pin(dev_rep, &rep_kind);
    struct doca_devinfo_rep *info = r ? r->info->object.handle : NULL;
    dpk_object_drop(r);
    return info;
}
