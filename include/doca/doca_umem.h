/*
 * doca_umem: memory that a device may have its rings in.
 *
 *     struct doca_umem *umem;
 *     doca_umem_dpa_create(dpa, address, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &umem);
 *     doca_verbs_qp_init_attr_set_external_umem(init, umem, 0);
 *
 * Every function returns INVALID_VALUE for NULL, for an object that is gone, and for what is none.
 */
#ifndef DOCA_UMEM_H
#define DOCA_UMEM_H

#include "doca_dev.h"
#include "doca_dpa_types.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;
struct doca_gpu;
struct doca_umem;

/* Memory of this process. `access_flags`: of enum doca_access_flag. INVALID_VALUE: also a size of 0.
 * DRIVER: it cannot be registered. */
doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem);
/* Memory of the DPA (doca_dpa_mem_alloc). BAD_STATE: the DPA does not run. INVALID_VALUE: also memory
 * that is not there. */
doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem);
/* Memory of a GPU. NOT_SUPPORTED: there is none beside an emulated device. */
doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem);
/* The memory stays the program's. */
doca_error_t doca_umem_destroy(struct doca_umem *umem);
/* Its number on the device: 0 of memory of the DPA. */
doca_error_t doca_umem_get_id(const struct doca_umem *umem, uint32_t *umem_id);
/* Where it is, and how many bytes it has. TOO_BIG: more than 32 bits can tell. */
doca_error_t doca_umem_get_address(const struct doca_umem *umem, void **address);
doca_error_t doca_umem_get_size(const struct doca_umem *umem, uint32_t *size);

#ifdef __cplusplus
}
#endif

#endif
