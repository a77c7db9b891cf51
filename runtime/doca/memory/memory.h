/*
 * memory: memory maps of DOCA, which are keys of runtime/memory, and buffers of them, for the rooms
 * above.
 *
 *     uint32_t key;
 *     if (dpk_mmap_key(mmap, NULL, &key) == DOCA_SUCCESS)
 *         ... dpk_memory_acquire(&(struct dpk_memory_access){key, ..., dev->domain}) ...
 */
#ifndef DPK_DOCA_MEMORY_H
#define DPK_DOCA_MEMORY_H

#include <doca_buf.h>

#include "doca/dpa/dpa.h"

/* The memory key of a started map, doca_dpa_dev_mmap_t: it is another one at each start. `dev`: a
 * device that it is to be on, NULL: any. INVALID_VALUE, BAD_STATE: not started, NOT_FOUND: not on
 * `dev`. */
doca_error_t dpk_mmap_key(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *key);

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
/* Whether it is a buffer. */
bool dpk_is_buf(const struct doca_buf *buf);

#endif
