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

/* The memory key of a started map, doca_dpa_dev_mmap_t: it is another one at each start. `dev`: a
 * device that it is to be on, NULL: any. INVALID_VALUE, BAD_STATE: not started, NOT_FOUND: not on
 * `dev`. */
doca_error_t dpk_mmap_key(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *key);

/* A map as doca_mmap_create makes them, of memory that only those functions copy; `object` is what they
 * get, and the map is a use of it. NULL, NULL: of the program's own. NO_MEMORY. */
doca_error_t dpk_mmap_new_behind(const struct dpk_memory_bus *bus, void *object,
                                 struct doca_mmap **mmap);

/* Whether it is a map. */
bool dpk_is_mmap(const struct doca_mmap *mmap);

/* ---- Buffers ---- */

struct doca_buf_arr;

/* An array of buffers for DPA code; `mmap` NULL, `count` 0: to be set. NO_MEMORY. */
doca_error_t dpk_buf_array_new(struct doca_mmap *mmap, size_t count, struct doca_buf_arr **out);
/* Which buffers an array has; `mmap` NULL, `count` 0: as they are. INVALID_VALUE. BAD_STATE:
 * started. */
doca_error_t dpk_buf_array_set(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap, size_t count,
                               size_t element_size, uint64_t offset);

/* Whether a list has no more than `count` buffers with `size` bytes of data. False: it is none. */
bool dpk_buf_list_fits(const struct doca_buf *list, uint32_t count, uint64_t size);
/* Copies the data of a list of buffers behind that of another list, as a device does whose domain
 * that is. EMPTY: there is no data. */
doca_error_t dpk_buf_list_copy(const struct doca_buf *from, struct doca_buf *to,
                               const struct dpk_memory_domain *domain);
/* What that would return for the lists as they are now; copies nothing. */
doca_error_t dpk_buf_list_check(const struct doca_buf *from, struct doca_buf *to,
                                const struct dpk_memory_domain *domain);
/* The bytes of data in a list of buffers, and how many buffers it has. INVALID_VALUE: it is none. */
doca_error_t dpk_buf_list_size(const struct doca_buf *list, uint64_t *size, uint32_t *count);
/* Copies `size` bytes of its data, from an offset on, as a device does whose domain that is.
 * INVALID_VALUE: there are not so many; else as dpk_buf_list_copy. Memory that another process
 * exported is NOT_PERMITTED or IO_FAILED. */
doca_error_t dpk_buf_list_read(const struct doca_buf *list, uint64_t offset, void *to, size_t size,
                               const struct dpk_memory_domain *domain);
/* Appends bytes to its data, where the peers of a device may write, too. INVALID_VALUE: they do not
 * fit. *appended grows by what was appended, also on failure. */
doca_error_t dpk_buf_list_append(struct doca_buf *list, const void *from, size_t size,
                                 const struct dpk_memory_domain *domain, uint64_t *appended);
/* Takes the last bytes of its data away again. */
void dpk_buf_list_shrink(struct doca_buf *list, uint64_t by);
/* Where a device whose domain that is finds the data of a list (`room`: writes what comes behind it):
 * *count accesses of host memory, at most `most`, that are not empty. INVALID_VALUE: no buffer, or a
 * longer list. NOT_PERMITTED, IO_FAILED, NOT_SUPPORTED: as tasks of doca_dma.h say of memory. */
doca_error_t dpk_buf_list_places(const struct doca_buf *list, bool room,
                                 const struct dpk_memory_domain *domain,
                                 struct dpk_memory_access *out, unsigned most, unsigned *count);
/* Where the peer of a connection finds a buffer, which is of a map that it exported, or of this
 * process: the key that its owner has. */
struct dpk_buf_remote {
    struct dpk_uuid owner;
    uint32_t key;
    uint64_t address, data_len; /* of its data */
    uint64_t room;              /* bytes behind it */
};
/* INVALID_VALUE: no buffer. IO_FAILED: its memory is gone. */
doca_error_t dpk_buf_find_remote(const struct doca_buf *buf, struct dpk_buf_remote *out);
/* The first `size` bytes behind the data of a list have become data. */
void dpk_buf_list_grow(struct doca_buf *list, uint64_t size);
/* Before a pool is started: the part of its map that it has. */
struct doca_buf_pool;
doca_error_t dpk_buf_pool_set_stretch(struct doca_buf_pool *buf_pool, uint64_t offset,
                                      uint64_t size);
/* Whether `size` bytes of memory for rings, from an offset on, are there, of the DPA context whose base
 * that is; and whether it is a page of doorbells. */
struct doca_uar;
struct doca_umem;
bool dpk_umem_has(const struct doca_umem *umem, const struct dpk_dpa *base, uint64_t offset,
                  uint64_t size);
/* The base of the DPA context that it is of, held; NULL: none. */
struct dpk_dpa *dpk_umem_base(const struct doca_umem *umem);
bool dpk_is_uar(const struct doca_uar *uar);
/* Whether it is a buffer. */
bool dpk_is_buf(const struct doca_buf *buf);

#endif
