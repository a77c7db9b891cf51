/* Memory maps, for their properties and for buffers of them. */
#ifndef DPK_API_DOCA_MEMORY_MMAP_H
#define DPK_API_DOCA_MEMORY_MMAP_H

#include <doca_mmap.h>

#include "memory.h"

#define MMAP_DEVS_MAX DPK_MEMORY_DOMAINS_MAX

/* Permissions that exports need. */
#define PCI_PERMISSIONS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)
#define RDMA_PERMISSIONS                                                                           \
    (DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* A mapping of a file whose bytes are the memory of a map. */
struct mmap_view {
    void *at;    /* NULL: none */
    size_t size; /* bytes at `at` */
    size_t skip; /* bytes before the map's memory */
};

struct dpk_mmap {
    struct dpk_object object;
    atomic_bool started;                 /* until no access is in flight any more */
    bool stopping;                       /* waits for accesses in flight; with the lock */
    struct dpk_memory memory;            /* the registered memory; REMOTE: imported */
    uint32_t permissions;                /* of enum doca_access_flag */
    struct dpk_dpa *dpa;                 /* of DPA memory: a reference */
    struct mmap_view view;               /* of a file's memory: where devices reach it */
    void *behind;                        /* the object that provides memory.bus: a use; or NULL */
    uint32_t key;                        /* of this start, or 0; guarded by the lock */
    struct dpk_dev *devs[MMAP_DEVS_MAX]; /* uses */
    unsigned dev_count;
    uint32_t max_devs;         /* limit set by the program, besides MMAP_DEVS_MAX */
    bool was_started;          /* was started at least once */
    bool thread_safe;          /* its buffers are not uses */
    struct dpk_buf exports[2]; /* for PCIe and RDMA peers */
    union doca_data user_data;
    doca_mmap_memrange_free_cb_t *free_cb; /* NULL: none */
    void *free_cookie;
    bool free_cb_counts; /* it was set before the last start */
};
extern const struct dpk_kind dpk_mmap_kind;

/* Returns the map, locked, if it can be changed now, else sets *result. Unlock it with
 * dpk_object_unlock. Returns NULL if the handle is not a map. */
struct dpk_mmap *dpk_mmap_begin_change(struct doca_mmap *mmap, doca_error_t *result);
/* Returns the map if it is started and (with `dev`) on that device. Otherwise returns NULL with the
 * reason in *result. */
struct dpk_mmap *dpk_mmap_pin_started(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                      doca_error_t *result);

/* Sets the memory of a map that is not started: of `dpa`, if it is not NULL, or at a `view`, which the
 * map frees, or of the program. Errors: INVALID_VALUE, BAD_STATE; the view is freed then. */
doca_error_t dpk_mmap_set_range(struct doca_mmap *mmap, struct dpk_dpa *dpa, uint64_t address,
                                uint64_t size, struct mmap_view view);
/* Returns the rights of a key for DOCA permissions. */
unsigned dpk_mmap_rights(uint32_t permissions);
/* Returns true if the device imports PCIe exports: false on the host side of a card. */
bool dpk_mmap_imports_pci(const struct dpk_device_info *info);
/* Returns true if the range does not exceed the address space. */
bool dpk_mmap_is_range(uint64_t address, uint64_t size);
/* Call these with the map's lock, or for a map that no other thread has. The first adds a device as
 * doca_mmap_add_dev. The second registers the memory. Errors: FULL, BAD_STATE, DRIVER, NO_MEMORY; for
 * an import as of doca_mmap_create_from_export. */
doca_error_t dpk_mmap_put_dev(struct dpk_mmap *m, struct dpk_dev *d);
doca_error_t dpk_mmap_make_key(struct dpk_mmap *m);

#endif
