/*
 * doca_umem: memory for a device's rings.
 *
 *     struct doca_umem *umem;
 *     doca_umem_dpa_create(dpa, address, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &umem);
 *     doca_verbs_qp_init_attr_set_external_umem(init, umem, 0);
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind.
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

/* Registers memory of this process. `access_flags`: of enum doca_access_flag. Errors: INVALID_VALUE
 * also if the size is 0, DRIVER if the memory cannot be registered. */
doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem);
/* Registers memory of the DPA (doca_dpa_mem_alloc). Errors: BAD_STATE if the DPA does not run,
 * INVALID_VALUE also if the memory does not exist. */
doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem);
/* Registers memory of the emulated GPU (doca_gpu_mem_alloc, cudaMalloc) by its address for kernels. The memory
 * must not be freed before the umem. Errors: INVALID_VALUE also if the range is not inside one allocation. */
doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem);
/* Ends the registration. The program keeps the memory. */
doca_error_t doca_umem_destroy(struct doca_umem *umem);
/* Gets the number on the device: 0 for DPA memory. */
doca_error_t doca_umem_get_id(const struct doca_umem *umem, uint32_t *umem_id);
/* Get the address and the size in bytes. Errors: TOO_BIG if a value exceeds 32 bits. */
doca_error_t doca_umem_get_address(const struct doca_umem *umem, void **address);
doca_error_t doca_umem_get_size(const struct doca_umem *umem, uint32_t *size);

#ifdef __cplusplus
}
#endif

#endif
