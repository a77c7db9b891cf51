/*
 * doca_uar: the page of a device through which the doorbells of queues are rung. Queues of emulated
 * devices take one and do not use it.
 *
 *     struct doca_uar *uar;
 *     doca_uar_create(dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &uar);
 *     doca_verbs_qp_init_attr_set_external_uar(init, uar);
 *
 * Every function returns INVALID_VALUE for NULL, for an object that is gone, and for what is none.
 */
#ifndef DOCA_UAR_H
#define DOCA_UAR_H

#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;
struct doca_uar;

/* How the page is mapped. */
enum doca_uar_allocation_type {
    DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME = 0,
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE,
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED,
};

/* NO_MEMORY: a device has 256. INVALID_VALUE: also a type that is none. */
doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar);
/* One for queues that DPA code rings. */
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);
/* IN_USE: a queue has it. */
doca_error_t doca_uar_destroy(struct doca_uar *uar);
/* Its number on the device. */
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);
/* Where the page, and the register of doorbells in it, are in this process; nothing listens to what is
 * stored there. NOT_SUPPORTED: a page of the DPA. */
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif
