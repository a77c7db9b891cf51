/* Memory maps, for buffers of them. */
#ifndef DPK_HOST_DOCA_MMAP_H
#define DPK_HOST_DOCA_MMAP_H

#include "memory.h"

#define MMAP_DEVS_MAX DPK_MEMORY_DOMAINS_MAX

struct dpk_mmap {
    struct dpk_object object;
    atomic_bool started;                 /* until nothing is in flight any more */
    bool stopping;                       /* waits for what is in flight; with the lock */
    struct dpk_memory memory;            /* what is registered; REMOTE: imported */
    uint32_t permissions;                /* of enum doca_access_flag */
    struct dpk_dpa *dpa;                 /* of DPA memory: a reference */
    uint32_t key;                        /* of this start; 0: none; with the lock */
    struct dpk_dev *devs[MMAP_DEVS_MAX]; /* uses */
    unsigned dev_count;
    struct dpk_buf exports[2]; /* for PCIe and RDMA peers */
};
extern const struct dpk_kind dpk_mmap_kind;

#endif
