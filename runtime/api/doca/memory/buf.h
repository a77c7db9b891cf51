/* Buffers, for the files that copy between them and that have pools of them. */
#ifndef DPK_API_DOCA_MEMORY_BUF_H
#define DPK_API_DOCA_MEMORY_BUF_H

#include <doca_buf.h>

#include "mmap.h"

/* The first member of what buffers come from: of an inventory and of a pool. */
struct dpk_buf_source {
    struct dpk_object object;
    union doca_data user_data;
    size_t count, taken; /* how many buffers there may be, and how many there are */
    bool started;
    /* Of a pool that was started: where buffers that are not taken are, the next one last. */
    uint64_t *free_ones;
};

/* A doca_buf. */
struct dpk_doca_buf {
    struct dpk_object object;
    struct dpk_buf_source *source; /* a use */
    struct dpk_mmap *mmap;         /* a reference */
    bool uses_mmap;                /* it is a use */
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

/* Where a buffer is, and its data. */
struct dpk_buf_place {
    uint64_t head, len, data, data_len;
};

/* Makes a buffer of a started map; a pool says where it is. *buf is NULL on failure. INVALID_VALUE:
 * not inside the map. BAD_STATE: source or map is not started. NO_MEMORY: an inventory has no more,
 * too. EMPTY: a pool has no more. */
doca_error_t dpk_buf_new(struct dpk_buf_source *source, struct dpk_mmap *m,
                         struct dpk_buf_place place, struct doca_buf **buf);
/* Starts or stops a locked source and unlocks it. NULL: INVALID_VALUE. BAD_STATE: it is so already.
 * IN_USE: buffers are out. `prepare` is called before that, with the lock; or it is NULL. */
doca_error_t dpk_buf_source_switch(struct dpk_buf_source *s, bool on,
                                   doca_error_t (*prepare)(struct dpk_buf_source *s));
/* How many buffers there may be, or how many more, of a locked source, which it unlocks. NULL:
 * INVALID_VALUE. */
doca_error_t dpk_buf_source_count(struct dpk_buf_source *s, bool free_ones, uint32_t *out);

/* Where a buffer's memory is: sets key, rights and domain of an access that a device with that
 * domain makes. NOT_PERMITTED: the map does not permit it, or is not on the device. IO_FAILED: the
 * memory is gone. NOT_SUPPORTED: it is another process's, which exported it for RDMA alone. */
doca_error_t dpk_buf_memory(const struct dpk_doca_buf *b, bool write,
                            const struct dpk_memory_domain *domain, struct dpk_memory_access *a);

/* Lists go across inventories, so one lock is for all of them. */
extern pthread_mutex_t dpk_bufs_lock;

#endif
