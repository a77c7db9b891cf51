/*
 * doca_mmap (DOCA 2.2): memory for devices and peers. A map gets the program's data when it is created,
 * and some functions have other names; all else is as in later DOCA (../doca/doca_mmap.h).
 *
 *     doca_mmap_create(NULL, &mmap);
 *     doca_mmap_dev_add(mmap, dev);
 *     doca_mmap_set_permissions(mmap, DOCA_ACCESS_DPU_READ_WRITE);
 *     doca_mmap_set_memrange(mmap, address, size);
 *     doca_mmap_start(mmap);
 *     doca_mmap_export_dpu(mmap, dev, &descriptor, &length);
 */
#ifndef DOCA_2_2_MMAP_H
#define DOCA_2_2_MMAP_H

#include "doca_version.h"

/* Other functions in this release. */
#define doca_mmap_create              doca_mmap_create_later_
#define doca_mmap_set_dmabuf_memrange doca_mmap_set_dmabuf_memrange_later_
#include "../doca/doca_mmap.h"
#undef doca_mmap_create
#undef doca_mmap_set_dmabuf_memrange

#ifdef __cplusplus
extern "C" {
#endif

/* DOCA_ACCESS_FLAG_PCI_READ_ONLY and DOCA_ACCESS_FLAG_PCI_READ_WRITE of later DOCA. */
enum {
    DOCA_ACCESS_DPU_READ_ONLY = 1 << 4,
    DOCA_ACCESS_DPU_READ_WRITE = 1 << 5,
};

/* `user_data`: for doca_mmap_get_user_data; NULL: 0. */
doca_error_t doca_mmap_create(const union doca_data *user_data,
                              struct doca_mmap **mmap) __asm__("doca_mmap_create_v2_2");
/* Always fails: NOT_SUPPORTED, since emulated devices have no such memory. */
doca_error_t
doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, size_t dmabuf_offset,
                              size_t len) __asm__("doca_mmap_set_dmabuf_memrange_v2_2");
/* doca_mmap_add_dev, doca_mmap_rm_dev and doca_mmap_export_pci of later DOCA. */
doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);

#ifdef __cplusplus
}
#endif

#endif
