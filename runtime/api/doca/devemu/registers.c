/* Registers of stateful regions, for the DPU's program. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* ---- Events ---- */

/* An event has no object of its own: programs get the handle of the context. */
struct doca_devemu_pci_dev *doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_pci_dev(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event)
{
    struct pci_dev *d = dpk_object_pin(event, &devemu_pci_dev_kind);
    struct doca_devemu_pci_dev *handle = d ? d->base.ctx.object.handle : NULL;
    dpk_object_drop(d);
    return handle;
}

static struct dpk_pci_region
region_of(const struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event)
{
    struct pci_dev *d = dpk_object_pin(event, &devemu_pci_dev_kind);
    struct dpk_pci_region region = {0};
    if (d)
        region = d->type->config.regions[atomic_load(&d->told)];
    dpk_object_drop(d);
    return region;
}

uint8_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_id(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event)
{
    return (uint8_t)region_of(event).bar;
}

uint64_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_region_start_addr(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event)
{
    return region_of(event).start;
}

/* ---- Registers ---- */

/* Returns the place of bytes in a stateful region, and of their recorded values; NULL if no region
 * has all of them. */
static uint8_t *find_bytes(struct pci_dev *d, unsigned bar, uint64_t start, size_t size,
                           uint8_t **seen)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        uint64_t bar_size;
        if (r->use != DPK_PCI_STATEFUL || r->bar != bar || start < r->start ||
            start - r->start > r->size || size > r->size - (start - r->start))
            continue;
        *seen = d->stateful[i].seen ? d->stateful[i].seen + (start - r->start) : NULL;
        return dpk_pci_bar(d->f, bar, &bar_size) + start;
    }
    return NULL;
}

doca_error_t
doca_devemu_pci_dev_query_bar_stateful_region_values(struct doca_devemu_pci_dev *pci_dev,
                                                     uint8_t id, uint64_t start_addr,
                                                     void *out_values, size_t size)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pci_dev *d = devemu_pci_dev_lock_running(
        __func__, out_values && size > 0 ? pci_dev : NULL, NULL, &result);
    if (!d)
        return result;
    uint8_t *seen, *at = find_bytes(d, id, start_addr, size, &seen);
    if (at)
        memcpy(out_values, at, size);
    return dpk_doca_unlock(d, __func__, at ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND,
                           "no stateful region of BAR %u has the %zu bytes from 0x%llx", id, size,
                           (unsigned long long)start_addr);
}

doca_error_t
doca_devemu_pci_dev_modify_bar_stateful_region_values(struct doca_devemu_pci_dev *pci_dev,
                                                      uint8_t id, uint64_t start_addr,
                                                      void *in_values, size_t size)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pci_dev *d = devemu_pci_dev_lock_running(
        __func__, in_values && size > 0 ? pci_dev : NULL, NULL, &result);
    if (!d)
        return result;
    uint8_t *seen = NULL, *at = find_bytes(d, id, start_addr, size, &seen);
    pthread_mutex_lock(&d->registers);
    if (at)
        memcpy(at, in_values, size);
    if (seen)
        memcpy(seen, in_values, size); /* the DPU's own changes are not reported to it */
    pthread_mutex_unlock(&d->registers);
    return dpk_doca_unlock(d, __func__, at ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND,
                           "no stateful region of BAR %u has the %zu bytes from 0x%llx", id, size,
                           (unsigned long long)start_addr);
}

doca_error_t
doca_devemu_pci_dev_modify_bar_stateful_region_default_values(struct doca_devemu_pci_dev *pci_dev,
                                                              uint8_t id, uint64_t start_addr,
                                                              void *default_values, uint64_t size)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pci_dev *d = devemu_pci_dev_lock_running(
        __func__, default_values && id < DPK_PCI_BARS ? pci_dev : NULL, NULL, &result);
    if (!d)
        return result;
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    const int i = dpk_pci_find(c, DPK_PCI_STATEFUL, id, start_addr);
    if (i < 0)
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_NOT_FOUND,
                               "no stateful region of BAR %u begins at 0x%llx", id,
                               (unsigned long long)start_addr);
    if (size < c->regions[i].size)
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_INVALID_VALUE,
                               "%llu bytes are fewer than the %llu of the region",
                               (unsigned long long)size, (unsigned long long)c->regions[i].size);
    pthread_mutex_lock(&d->registers);
    struct stateful *s = &d->stateful[i];
    if (!s->defaults)
        s->defaults = malloc(c->regions[i].size);
    if (s->defaults)
        memcpy(s->defaults, default_values, c->regions[i].size);
    else
        result = DOCA_ERROR_NO_MEMORY;
    pthread_mutex_unlock(&d->registers);
    return dpk_object_unlock(d, result);
}
