/* Memory maps, for buffers of them. */
#ifndef DPK_HOST_DOCA_MMAP_H
#define DPK_HOST_DOCA_MMAP_H

#include "memory.h"

#define MMAP_DEVS_MAX 8

struct dpk_mmap {
    struct dpk_object object;
    atomic_bool started; /* until nothing is in flight any more */
    struct key *key;     /* of this start: a reference; with the lock */
    bool imported;
    bool stopping;                       /* waits for what is in flight; with the lock */
    struct dpk_memory memory;            /* its dpa: a reference */
    struct dpk_dev *devs[MMAP_DEVS_MAX]; /* uses */
    unsigned dev_count;
    struct dpk_buf exports[2]; /* for PCIe and RDMA peers */
};
extern const struct dpk_kind dpk_mmap_kind;

#endif
