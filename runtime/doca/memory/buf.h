/* Buffers, for the file that copies between them. */
#ifndef DPK_HOST_DOCA_BUF_H
#define DPK_HOST_DOCA_BUF_H

#include <doca_buf.h>

#include "mmap.h"

struct inventory;

/* A doca_buf. */
struct dpk_doca_buf {
    struct dpk_object object;
    struct inventory *inventory; /* a use */
    struct dpk_mmap *mmap;       /* a use */
    uint64_t head, len, data, data_len;
    uint16_t holders;          /* 0: it is given back, what is behind `next` may be gone */
    struct dpk_doca_buf *next; /* in its list */
    bool chained;              /* not the first of its list */
};
extern const struct dpk_kind dpk_buf_kind;

/* The buffer, with the lock; NULL: it is none, or somebody has just given it back. dpk_buf_end gives
 * back the lock, and says what a DOCA function returns. */
struct dpk_doca_buf *dpk_buf_begin(const struct doca_buf *buf);
doca_error_t dpk_buf_end(struct dpk_doca_buf *b, doca_error_t result);

/* Where a buffer's memory is: sets key, rights and domain of an access that a device with that
 * domain makes. NOT_PERMITTED: the map does not permit it, or is not on the device. IO_FAILED: the
 * memory is gone. NOT_SUPPORTED: it is another process's. */
doca_error_t dpk_buf_memory(const struct dpk_doca_buf *b, bool write,
                            const struct dpk_memory_domain *domain, struct dpk_memory_access *a);

/* Lists go across inventories, so one lock is for all of them. */
extern pthread_mutex_t dpk_bufs_lock;

#endif
