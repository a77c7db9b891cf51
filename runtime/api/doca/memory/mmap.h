/* Memory maps, for their properties and for buffers of them. */
#ifndef DPK_API_DOCA_MEMORY_MMAP_H
#define DPK_API_DOCA_MEMORY_MMAP_H

#include <doca_mmap.h>

#include "memory.h"

#define MMAP_DEVS_MAX DPK_MEMORY_DOMAINS_MAX

/* What permits exports. */
#define PCI_PERMISSIONS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)
#define RDMA_PERMISSIONS                                                                           \
    (DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

struct dpk_mmap {
    struct dpk_object object;
    atomic_bool started;                 /* until nothing is in flight any more */
    bool stopping;                       /* waits for what is in flight; with the lock */
    struct dpk_memory memory;            /* what is registered; REMOTE: imported */
    uint32_t permissions;                /* of enum doca_access_flag */
    struct dpk_dpa *dpa;                 /* of DPA memory: a reference */
    void *behind;                        /* whose bus memory.bus is: a use; NULL: nobody's */
    uint32_t key;                        /* of this start; 0: none; with the lock */
    struct dpk_dev *devs[MMAP_DEVS_MAX]; /* uses */
    unsigned dev_count;
    uint32_t max_devs;         /* as the program wants it; MMAP_DEVS_MAX counts too */
    bool was_started;          /* once at least */
    bool thread_safe;          /* buffers are no uses of it */
    struct dpk_buf exports[2]; /* for PCIe and RDMA peers */
    union doca_data user_data;
    doca_mmap_memrange_free_cb_t *free_cb; /* NULL: none */
    void *free_cookie;
    bool free_cb_counts; /* it was set before the last start */
};
extern const struct dpk_kind dpk_mmap_kind;

/* The map, locked, if it can be changed now, else *result says why not. dpk_object_unlock ends it;
 * NULL: it is none. */
struct dpk_mmap *dpk_mmap_begin_change(struct doca_mmap *mmap, doca_error_t *result);
/* The map, if it is started and (with `dev`) of that device; else NULL, and *result says why. */
struct dpk_mmap *dpk_mmap_pin_started(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                      doca_error_t *result);

/* What permissions of DOCA are as rights of a key. */
unsigned dpk_mmap_rights(uint32_t permissions);
/* Whether what others export over PCIe is imported there: not on the host's side of a card. */
bool dpk_mmap_imports_pci(const struct dpk_device_info *info);
/* Whether there is such a range of addresses. */
bool dpk_mmap_is_range(uint64_t address, uint64_t size);
/* These are for a map that nobody else has, or with its lock. The first adds a device as
 * doca_mmap_add_dev, the second registers the memory: FULL, BAD_STATE, DRIVER, NO_MEMORY; and of an
 * import what doca_mmap_create_from_export says. */
doca_error_t dpk_mmap_put_dev(struct dpk_mmap *m, struct dpk_dev *d);
doca_error_t dpk_mmap_make_key(struct dpk_mmap *m);

#endif
