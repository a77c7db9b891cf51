/* Representors of emulated functions. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

doca_error_t devemu_no_rep(const char *call, doca_error_t result)
{
    return dpk_doca_refuse_call(
        NULL, result, call,
        "the representor is NULL, was closed, or is not of an emulated function");
}

/* Copies a started type. */
static doca_error_t ask(const char *call, const struct doca_devemu_pci_type *pci_type,
                        struct pci_type *copy)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    const bool started = t && t->started;
    if (started) {
        copy->card = t->card;
        copy->config = t->config;
    }
    return dpk_doca_unlock(t, call, started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the type is not started");
}

/* Returns the properties of a function's representor. */
static struct dpk_device_info name(const struct dpk_device_info *card, const struct dpk_pci *f)
{
    struct dpk_device_info info = *card;
    snprintf(info.vuid, sizeof info.vuid, "%.80sE%u", card->vuid, dpk_pci_number(f));
    info.pci = (struct dpk_pci_address){0};
    if (dpk_pci_state_of(f) == DPK_PCI_ON)
        info.pci = (struct dpk_pci_address){.domain = DPK_PCI_ADDRESS_DOMAIN(dpk_pci_bus(f)),
                                            .bus = dpk_pci_number(f)};
    return info;
}

/* ---- New functions ---- */

static doca_error_t make(const struct pci_type *t, struct doca_dev_rep **dev_rep)
{
    unsigned number;
    struct dpk_pci *f;
    struct dpk_error err = {0};
    const struct dpk_pci_place place = {t->card.path, t->card.pci.bus};
    if (dpk_pci_make(&place, &t->config, &number, &err) != DPK_OK)
        return devemu_failed(&err);
    if (dpk_pci_open(place.folder, number, &f, &err) != DPK_OK) {
        dpk_pci_remove(place.folder, number, NULL);
        return devemu_failed(&err);
    }
    const struct dpk_device_info info = name(&t->card, f);
    dpk_pci_close(f);
    const doca_error_t result = dpk_emulated_rep_open(&info, number, dev_rep);
    if (result != DOCA_SUCCESS)
        dpk_pci_remove(place.folder, number, &err);
    return result;
}

doca_error_t doca_devemu_pci_type_create_rep(struct doca_devemu_pci_type *pci_type,
                                             struct doca_dev_rep **dev_rep)
{
    struct pci_type t;
    if (dev_rep)
        *dev_rep = NULL;
    const doca_error_t result = ask(__func__, dev_rep ? pci_type : NULL, &t);
    return result == DOCA_SUCCESS ? dpk_doca_end(pci_type, __func__, make(&t, dev_rep)) : result;
}

doca_error_t doca_devemu_pci_type_destroy_rep(struct doca_dev_rep *dev_rep)
{
    unsigned number;
    struct dpk_device_info card;
    struct dpk_error err = {0};
    const doca_error_t result = dpk_emulated_rep_ask(dev_rep, &card, &number);
    if (result != DOCA_SUCCESS)
        return devemu_no_rep(__func__, result);
    const enum dpk_status status = dpk_pci_remove(card.path, number, &err);
    if (status != DPK_OK && status != DPK_ERR_NOT_FOUND)
        return dpk_doca_end(dev_rep, __func__, devemu_failed(&err));
    return dpk_doca_end(dev_rep, __func__, dpk_doca_inner(doca_dev_rep_close(dev_rep)));
}

/* Earlier names. */
doca_error_t doca_devemu_pci_dev_create_rep(const struct doca_devemu_pci_type *pci_type,
                                            struct doca_dev_rep **dev_rep)
{
    struct doca_devemu_pci_type *type = (struct doca_devemu_pci_type *)(uintptr_t)pci_type;
    return dpk_doca_end(pci_type, __func__,
                        dpk_doca_inner(doca_devemu_pci_type_create_rep(type, dev_rep)));
}

doca_error_t doca_devemu_pci_dev_destroy_rep(struct doca_dev_rep *dev_rep)
{
    return dpk_doca_end(dev_rep, __func__,
                        dpk_doca_inner(doca_devemu_pci_type_destroy_rep(dev_rep)));
}

/* ---- Listing ---- */

static uint32_t find_all(const struct pci_type *t, struct dpk_device_info *infos, unsigned *numbers)
{
    uint32_t count = 0;
    for (unsigned i = 1; i <= DPK_PCI_FUNCTIONS; i++) {
        struct dpk_pci *f;
        struct dpk_error err = {0};
        if (dpk_pci_open(t->card.path, i, &f, &err) != DPK_OK)
            continue;
        if (dpk_pci_equal(dpk_pci_config_of(f), &t->config)) {
            infos[count] = name(&t->card, f);
            numbers[count++] = i;
        }
        dpk_pci_close(f);
    }
    return count;
}

static doca_error_t list(const struct pci_type *t, struct doca_devinfo_rep ***out, uint32_t *count)
{
    unsigned numbers[DPK_PCI_FUNCTIONS];
    struct dpk_device_info *infos = calloc(DPK_PCI_FUNCTIONS, sizeof *infos);
    if (!infos)
        return DOCA_ERROR_NO_MEMORY;
    const uint32_t found = find_all(t, infos, numbers);
    const doca_error_t result = dpk_emulated_rep_list(infos, numbers, found, out);
    free(infos);
    if (result == DOCA_SUCCESS)
        *count = found;
    return result;
}

doca_error_t doca_devemu_pci_type_create_rep_list(struct doca_devemu_pci_type *pci_type,
                                                  struct doca_devinfo_rep ***dev_list_rep,
                                                  uint32_t *nb_devs_rep)
{
    struct pci_type t;
    if (dev_list_rep)
        *dev_list_rep = NULL;
    if (nb_devs_rep)
        *nb_devs_rep = 0;
    const doca_error_t result = ask(__func__, dev_list_rep && nb_devs_rep ? pci_type : NULL, &t);
    return result == DOCA_SUCCESS
               ? dpk_doca_end(pci_type, __func__, list(&t, dev_list_rep, nb_devs_rep))
               : result;
}

doca_error_t doca_devemu_pci_rep_get_hotplug_state(struct doca_dev_rep *rep_dev,
                                                   enum doca_devemu_pci_hotplug_state *state)
{
    unsigned number;
    uint8_t hotplug = 0;
    struct dpk_device_info card;
    struct dpk_error err = {0};
    struct dpk_pci *f;
    doca_error_t result = state ? dpk_doca_inner(doca_devinfo_rep_get_is_hotplug(
                                      doca_dev_rep_as_devinfo(rep_dev), &hotplug))
                                : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        result = hotplug ? dpk_emulated_rep_ask(rep_dev, &card, &number) : DOCA_ERROR_NOT_PERMITTED;
    if (result != DOCA_SUCCESS)
        return devemu_no_rep(__func__, result);
    if (dpk_pci_open(card.path, number, &f, &err) != DPK_OK)
        return dpk_doca_end(rep_dev, __func__, devemu_failed(&err));
    *state = (enum doca_devemu_pci_hotplug_state)dpk_pci_state_of(f);
    dpk_pci_close(f);
    return DOCA_SUCCESS;
}
