/*
 * doca_mmap: memory that devices can access: a range of host or DPA memory, with permissions. Kernels
 * name it by a handle, peers by an exported descriptor.
 *
 *     struct doca_mmap *mmap;  doca_dpa_dev_mmap_t handle;
 *     doca_mmap_create(&mmap);
 *     doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
 *                                     DOCA_ACCESS_FLAG_RDMA_WRITE);
 *     doca_mmap_set_memrange(mmap, buffer, size);
 *     doca_mmap_add_dev(mmap, dev);
 *     doca_mmap_start(mmap);
 *     doca_mmap_dev_get_dpa_handle(mmap, dev, &handle);        // for a kernel's argument
 *     doca_mmap_export_rdma(mmap, dev, &descriptor, &length);  // for a peer
 *
 * Setters return BAD_STATE if the map is started. Every function returns INVALID_VALUE for NULL, for a
 * destroyed object, and for an object of another kind (DOCA Core programming guide, "DOCA Memory Map").
 */
#ifndef DOCA_MMAP_H
#define DOCA_MMAP_H

#include "doca_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_dpa;

/* The handle of a map on one device, for DPA code. */
typedef uint32_t doca_dpa_dev_mmap_t;

/* Creates a map without memory, with the permission DOCA_ACCESS_FLAG_LOCAL_READ_WRITE. Errors:
 * NO_MEMORY. */
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/* Destroys the map; waits as doca_mmap_stop does. Errors: IN_USE if one of its buffers is still held;
 * nothing changes then. */
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/* Starts the map: registers the memory with the devices. Errors: BAD_STATE if the map is started, or
 * its DPA memory is of a context that is not, BAD_CONFIG if there is no memory, or host memory without
 * a device, FULL if it has 8 devices without the device of the DPA memory, DRIVER if the process or the
 * DPA does not have all of the memory, or may not write it although the permissions include writes,
 * NO_MEMORY. */
doca_error_t doca_mmap_start(struct doca_mmap *mmap);
/* Stops the map. Its exported descriptors and handles become invalid. A map made from an export cannot
 * be started again. The call waits for copies that access the memory; the rest of their tasks fails.
 * When this function or doca_mmap_destroy returns, no device accesses the memory. Errors: BAD_STATE if
 * the map is not started, IN_USE if one of its buffers is still held. */
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/* Adds a device that can access the memory. Errors: ALREADY_EXIST, NO_MEMORY if there are 8 devices, or
 * as many as doca_mmap_set_max_num_devices permits. */
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);
/* Removes a device. Errors: NOT_FOUND. */
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Sets bits of enum doca_access_flag, with at most one of the two PCI flags. Errors: INVALID_VALUE for
 * other bits. */
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/* Sets the memory: `len` bytes of host memory, which the caller keeps, or of a DPA context's memory,
 * which is on the context's device without doca_mmap_add_dev. The last call counts. Errors:
 * INVALID_VALUE if there are no bytes, or the range exceeds the address space. */
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);

/* Sets memory of a GPU: `len` bytes from `dmabuf_offset` of the descriptor, which doca_gpu_dmabuf_fd
 * gave. Devices name them by addresses from `addr`. The map keeps the memory after the program closes
 * the descriptor or frees the memory. Errors: NOT_SUPPORTED if the descriptor is not of memory,
 * INVALID_VALUE if there are no bytes, the range exceeds the address space or the file is too short;
 * NO_MEMORY. */
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len);

/* Gets the memory that was set; for an imported map, the owner's addresses. Errors: BAD_STATE if no
 * memory was set. */
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/* Called with the memory of a map during its destruction, when no device accesses the memory any
 * more. */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);
/* Sets the function that frees the memory. doca_mmap_destroy calls `free_cb` with `opaque` as its
 * cookie, if the map was started after this call. NULL (default): the memory is not freed. */
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/* A value for the program's own use; 0 by default. */
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/* Largest number of devices; 8 by default and at most. Errors: INVALID_VALUE also if the number is 0 or
 * less than the number of devices of the map, NOT_PERMITTED if the map was ever started. */
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/* Permits stopping and destroying the map while its buffers are held; such buffers become useless.
 * Threads may call all functions concurrently also without this call. Errors: NOT_PERMITTED if the map
 * is started. */
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/* Gets the number of its buffers that are held; 0 after doca_mmap_enable_thread_safety. */
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);
/* Get 1 if the map was exported since its start, or was made from an export, else 0. */
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/* Get 1 if a device can export maps over PCIe, or import them: always 1 for emulated devices. */
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/*
 * Gets the handle of the map on that device for DPA code. The handle is valid until the map is stopped.
 * Errors: BAD_STATE if the map is not started, NOT_FOUND if it does not have the device.
 */
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap);

/* Gets the same number as the memory key for work queue elements (DOCA 3), in host byte order. Errors
 * as for doca_mmap_dev_get_dpa_handle. */
doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *mkey);

/*
 * Export a started map to a peer: to a device on the same PCIe bus (another process of this user), or
 * for RDMA. Only this process can use DPA memory that is exported over PCIe.
 *   export_desc      [out]  the descriptor; it belongs to the map and is valid until the map is stopped
 *   export_desc_len  [out]  bytes of the descriptor
 * Errors: BAD_STATE if the map is not started or is imported, NOT_FOUND if it does not have the device,
 * NOT_PERMITTED if no permission is for this kind of peer, NO_MEMORY also if 4096 maps are exported
 * over PCIe.
 */
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/*
 * Creates a started map of a peer's memory. An RDMA peer without a map but with a memory key (a queue
 * pair of libflexio) describes its memory in 24 bytes, all big-endian: "DPKM", the key (4 bytes), the
 * first address (8) and the number of bytes (8). The key holds the permissions; only connections to
 * that peer can access the memory.
 *   user_data  [in]  for doca_mmap_get_user_data; may be NULL
 *   mmap       [out] free it with doca_mmap_destroy; NULL on failure
 * Errors: INVALID_VALUE also if the descriptor is damaged or its memory is impossible,
 * UNSUPPORTED_VERSION, NO_MEMORY. For memory that another process exported over PCIe, with a line in
 * the log: NOT_FOUND if the process has ended or stopped the export, NOT_PERMITTED if the process is
 * another user's, or its memory must not be read.
 */
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

#ifdef __cplusplus
}
#endif

#endif
