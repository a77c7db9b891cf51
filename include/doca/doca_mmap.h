/*
 * doca_mmap: memory that devices may reach: a range of host or DPA memory, with permissions, that
 * kernels name by a handle and peers by what was exported.
 *
 *     struct doca_mmap *mmap;  doca_dpa_dev_mmap_t handle;
 *     doca_mmap_create(&mmap);
 *     doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
 * DOCA_ACCESS_FLAG_RDMA_WRITE); doca_mmap_set_memrange(mmap, buffer, size); doca_mmap_add_dev(mmap,
 * dev); doca_mmap_start(mmap); doca_mmap_dev_get_dpa_handle(mmap, dev, &handle); // for a kernel's
 * argument doca_mmap_export_rdma(mmap, dev, &descriptor, &length); // for a peer
 *
 * Setters are for a map that is not started: else BAD_STATE. Every function returns INVALID_VALUE for
 * NULL, for a destroyed object, and for an object of another kind (DOCA Core programming guide, "DOCA
 * Memory Map").
 */
#ifndef DOCA_MMAP_H
#define DOCA_MMAP_H

#include "doca_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_dpa;

/* What DPA code calls a map on one device. */
typedef uint32_t doca_dpa_dev_mmap_t;

/* Makes a map without memory, with permissions DOCA_ACCESS_FLAG_LOCAL_READ_WRITE. NO_MEMORY. */
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/* Errors: IN_USE if one of its buffers is still held; nothing changes then. Else it waits as
 * doca_mmap_stop does. */
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/* Registers the memory with the devices. BAD_STATE: started already, or DPA memory of a context
 * that is not. BAD_CONFIG: no memory, or host memory without a device. FULL: 8 devices, and none of
 * them is that of the DPA memory. DRIVER: the process, or the DPA, does not have
 * all of the memory, or may not write it as the permissions say. NO_MEMORY. */
doca_error_t doca_mmap_start(struct doca_mmap *mmap);
/* One that was made from an export never starts again. BAD_STATE: not started. IN_USE if one of its
 * buffers is still held. What was exported or given to kernels is void from here on. Copies that are in
 * the midst of its memory are waited for, and the rest of what they are part of fails: when it returns,
 * or doca_mmap_destroy, the memory is the program's alone. */
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/* Adds a device that may reach the memory. ALREADY_EXIST. NO_MEMORY: there are 8 already, or as many
 * as doca_mmap_set_max_num_devices says. */
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);
/* Takes a device away again. NOT_FOUND. */
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Bits of enum doca_access_flag; of the two PCI flags at most one. INVALID_VALUE: other bits. */
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/* The memory: `len` bytes of the host's, which stay the caller's, or of a DPA context's, which is on
 * the device of that context without doca_mmap_add_dev. The one that is set last counts. INVALID_VALUE: no bytes, or beyond the end of addresses. */
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);

/* Memory behind a file descriptor of a GPU's driver. NOT_SUPPORTED: emulated devices have no peers on
 * their bus. INVALID_VALUE: also no bytes, or beyond the end of addresses. */
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len);

/* The memory that was set; of an imported map, as its owner sees it. BAD_STATE: none was. */
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/* Is called with the memory of a map while that is destroyed, when no device reaches it any more. */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);
/* Who frees the memory: `free_cb` is called by doca_mmap_destroy, with `opaque` as its cookie, if the
 * map was started since this was set. NULL: nobody, as before. */
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/* Whatever the program wants to find again; 0 until it is set. */
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/* How many devices may be added: 8 until it is set, and never more. INVALID_VALUE: also 0, or fewer than
 * there are. NOT_PERMITTED: the map was started once. */
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/* Lets the map be stopped and destroyed while buffers of it are held, of which there is no use then. All
 * functions may be called from several threads without this, too. NOT_PERMITTED: it is started. */
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/* How many buffers of it are held; 0 with doca_mmap_enable_thread_safety. */
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);
/* Whether it was exported since it was started, and whether it was made from an export: 1 or 0. */
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/* Whether a device can export maps over PCIe, and import them: 1 for all emulated ones. */
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/*
 * What kernels call the map on that device; valid until the map is stopped. BAD_STATE: not started.
 * NOT_FOUND: not a device of the map.
 */
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap);

/* The same number, as the memory key of work queue elements (DOCA 3), in the byte order of the host.
 * The errors are the same. */
doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *mkey);

/*
 * Describes a started map for a peer: for a device behind the same PCIe bus, which is another process
 * of this user, or for RDMA. DPA memory that is exported over PCIe is for this process alone.
 *   export_desc      [out]  owned by the map, valid until it is stopped
 *   export_desc_len  [out]  bytes of it
 * BAD_STATE: not started, or itself imported. NOT_FOUND: not a device of the map. NOT_PERMITTED:
 * none of the permissions is for such a peer. NO_MEMORY: also if 4096 maps are exported over PCIe.
 */
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/*
 * Makes a started map of a peer's memory. A peer of RDMA that has no map, but a memory key (a queue
 * pair of libflexio), names its memory in 24 bytes, all big endian: "DPKM", the key (4 bytes), the
 * first address (8) and how many bytes (8). Its key says what RDMA may do with them; only
 * connections to that peer reach them.
 *   user_data  [in]  for doca_mmap_get_user_data; may be NULL
 *   mmap       [out] to be given back with doca_mmap_destroy; NULL on failure
 * INVALID_VALUE: also a descriptor that is damaged, or of memory that cannot be.
 * UNSUPPORTED_VERSION. NO_MEMORY. Of memory that another process exported over PCIe, with a line in the
 * log: NOT_FOUND: the process is gone, or does not export it any more. NOT_PERMITTED: it is another
 * user's, or may not be looked into.
 */
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

#ifdef __cplusplus
}
#endif

#endif
