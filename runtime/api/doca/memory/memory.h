/*
 * memory: memory maps of DOCA, which are keys of runtime/rdma/registered, and buffers of them, for the rooms
 * above.
 *
 *     uint32_t key;
 *     if (dpk_mmap_key(mmap, NULL, &key) == DOCA_SUCCESS)
 *         ... dpk_memory_acquire(&(struct dpk_memory_access){key, ..., dev->domain}) ...
 */
#ifndef DPK_API_DOCA_MEMORY_MEMORY_H
#define DPK_API_DOCA_MEMORY_MEMORY_H

#include <doca_buf.h>

#include "api/doca/dpa/dpa.h"

/* Gets the memory key of a started map, doca_dpa_dev_mmap_t. Each start has a new key. `dev`: a
 * required device, or NULL. Errors: INVALID_VALUE, BAD_STATE if the map is not started, NOT_FOUND if it
 * is not on `dev`. */
doca_error_t dpk_mmap_key(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *key);

/* Sets key, rights and domain of a copy's access to the memory of a map, by its key, as a device with that domain
 * has it. Errors: as of tasks of doca_dma.h; `why` tells the reason: "its map ...". */
#define DPK_MMAP_WHY_MAX 100
doca_error_t dpk_mmap_access(uint32_t key, bool write, const struct dpk_memory_domain *domain,
                             struct dpk_memory_access *a, char why[DPK_MMAP_WHY_MAX]);

/* Creates a map, as doca_mmap_create, of memory that only the functions of `bus` copy. They receive
 * `object`, and the map is a use of it. NULL, NULL: the program's own memory. Errors: NO_MEMORY. */
doca_error_t dpk_mmap_new_behind(const struct dpk_memory_bus *bus, void *object,
                                 struct doca_mmap **mmap);

/* Returns true if the handle is a map. */
bool dpk_is_mmap(const struct doca_mmap *mmap);

/* ---- Buffers ---- */

struct doca_buf_arr;

/* Creates an array of buffers for DPA code. A NULL `mmap` and a `count` of 0 are set later. Failures are
 * reported with `call`. Errors: NO_MEMORY. */
doca_error_t dpk_buf_array_new(const char *call, struct doca_mmap *mmap, size_t count,
                               struct doca_buf_arr **out);
/* Sets the buffers of an array. A NULL `mmap` and a `count` of 0 change nothing. Failures are reported with
 * `call`. Errors: INVALID_VALUE, BAD_STATE if the array is started. */
doca_error_t dpk_buf_array_set(const char *call, struct doca_buf_arr *buf_arr,
                               struct doca_mmap *mmap, size_t count, size_t element_size,
                               uint64_t offset);

/* Returns true if the argument is a list of at most `count` buffers with at most `size` bytes of
 * data. */
bool dpk_buf_list_fits(const struct doca_buf *list, uint32_t count, uint64_t size);
/* Appends the data of a list of buffers to the data of another list, as a device with that domain does.
 * Errors: EMPTY if there is no data. */
doca_error_t dpk_buf_list_copy(const struct doca_buf *from, struct doca_buf *to,
                               const struct dpk_memory_domain *domain);
/* Returns the result that dpk_buf_list_copy would have now, without a copy. */
doca_error_t dpk_buf_list_check(const struct doca_buf *from, struct doca_buf *to,
                                const struct dpk_memory_domain *domain);
/* Gets the bytes of data in a list of buffers, and its number of buffers. Errors: INVALID_VALUE if the
 * argument is not a list. */
doca_error_t dpk_buf_list_size(const struct doca_buf *list, uint64_t *size, uint32_t *count);
/* Copies `size` bytes of its data from an offset, as a device with that domain does. Errors:
 * INVALID_VALUE if there is less data, NOT_PERMITTED or IO_FAILED for memory that another process
 * exported; others as of dpk_buf_list_copy. */
doca_error_t dpk_buf_list_read(const struct doca_buf *list, uint64_t offset, void *to, size_t size,
                               const struct dpk_memory_domain *domain);
/* Appends bytes to its data; the peers of a device may write there, too. *appended grows by the number
 * of appended bytes, also on failure. Errors: INVALID_VALUE if the bytes do not fit. */
doca_error_t dpk_buf_list_append(struct doca_buf *list, const void *from, size_t size,
                                 const struct dpk_memory_domain *domain, uint64_t *appended);
/* Removes the last bytes of its data. */
void dpk_buf_list_shrink(struct doca_buf *list, uint64_t by);
/* Gets the accesses of a device with that domain to the data of a list, or to the room after the data
 * (`room`): *count non-empty accesses of host memory, at most `most`. Errors: INVALID_VALUE if the
 * argument is not a buffer, or the list is too long; NOT_PERMITTED, IO_FAILED and NOT_SUPPORTED as for
 * tasks of doca_dma.h. */
doca_error_t dpk_buf_list_places(const struct doca_buf *list, bool room,
                                 const struct dpk_memory_domain *domain,
                                 struct dpk_memory_access *out, unsigned most, unsigned *count);
/* The place of a buffer for the peer of a connection, with the owner's key. The buffer is of a map that
 * the peer exported, or of this process. */
struct dpk_buf_remote {
    struct dpk_uuid owner;
    uint32_t key;
    uint64_t address, data_len; /* of its data */
    uint64_t room;              /* bytes after the data */
};
/* Errors: INVALID_VALUE if the argument is not a buffer, IO_FAILED if its memory is gone. */
doca_error_t dpk_buf_find_remote(const struct doca_buf *buf, struct dpk_buf_remote *out);
/* Extends the data of a list by `size` bytes that were written after it. */
void dpk_buf_list_grow(struct doca_buf *list, uint64_t size);
/* Sets the part of the map for a pool. Call this before its start. */
struct doca_buf_pool;
doca_error_t dpk_buf_pool_set_stretch(struct doca_buf_pool *buf_pool, uint64_t offset,
                                      uint64_t size);
/* dpk_umem_has returns true if `size` bytes of ring memory exist from an offset, on the DPA context
 * with that base. dpk_is_uar returns true if the handle is a page of doorbells. */
struct doca_uar;
struct doca_umem;
bool dpk_umem_has(const struct doca_umem *umem, const struct dpk_dpa *base, uint64_t offset,
                  uint64_t size);
/* A range of ring memory of this process or of a GPU. It must not be freed before the umem. */
struct dpk_umem_place {
    uint64_t address; /* as the program, or its kernels, name it */
    uint8_t *bytes;   /* the same, for this library */
};
/* Returns false if the handle is not such memory, or the range is not inside of it. */
bool dpk_umem_find(const struct doca_umem *umem, uint64_t offset, uint64_t size,
                   struct dpk_umem_place *out);
/* Returns the base of its DPA context, with a reference, or NULL. */
struct dpk_dpa *dpk_umem_base(const struct doca_umem *umem);
bool dpk_is_uar(const struct doca_uar *uar);
/* Makes a use of a page of this process, which dpk_object_unuse ends, and gets the address of its doorbell register.
 * Returns the object, or NULL if the handle is not such a page. */
void *dpk_uar_use(const struct doca_uar *uar, void **reg);
/* Returns true if the handle is a buffer. */
bool dpk_is_buf(const struct doca_buf *buf);

#endif
