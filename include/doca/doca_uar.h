/*
 * doca_uar: the page of a device through which the doorbells of queues are rung. Queues of emulated
 * devices accept a page and do not use it; a queue pair of a GPU gives its address to kernels, and its
 * doorbell record counts.
 *
 *     struct doca_uar *uar;
 *     doca_uar_create(dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &uar);
 *     doca_verbs_qp_init_attr_set_external_uar(init, uar);
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind.
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

/* Creates a page. Errors: NO_MEMORY if all 256 pages of the device are in use, INVALID_VALUE also for
 * an invalid type. */
doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar);
/* Creates a page for queues that DPA code rings. */
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);
/* Destroys the page. Errors: IN_USE if a queue uses it. */
doca_error_t doca_uar_destroy(struct doca_uar *uar);
/* Gets the page's number on the device. */
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);
/* Get the addresses of the page, and of its doorbell register, in this process. Stores to them have no
 * effect. Errors: NOT_SUPPORTED for a page of the DPA. */
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif
