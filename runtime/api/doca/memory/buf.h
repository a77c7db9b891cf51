/* Buffers, for the files that copy between them and that have pools of them. */
#ifndef DPK_API_DOCA_MEMORY_BUF_H
#define DPK_API_DOCA_MEMORY_BUF_H

#include <doca_buf.h>

#include "mmap.h"

/* The first member of sources of buffers: inventories and pools. */
struct dpk_buf_source {
    struct dpk_object object;
    union doca_data user_data;
    size_t count, taken; /* largest and current number of buffers */
    bool started;
    /* Of a started pool: addresses of free buffers; the last is taken next. */
    uint64_t *free_ones;
};

/* A doca_buf. */
struct dpk_doca_buf {
    struct dpk_object object;
    struct dpk_buf_source *source; /* a use */
    struct dpk_mmap *mmap;         /* a reference */
    bool uses_mmap;                /* it is a use */
    uint64_t head, len, data, data_len;
    uint16_t holders;          /* 0: the buffer is freed, and `next` may be invalid */
    struct dpk_doca_buf *next; /* in its list */
    bool chained;              /* not the first of its list */
};
extern const struct dpk_kind dpk_buf_kind;

/* Locks and returns the buffer, or returns NULL if the argument is not a buffer, or was just freed.
 * dpk_buf_end unlocks, and returns the result of a DOCA function. */
struct dpk_doca_buf *dpk_buf_begin(const struct doca_buf *buf);
doca_error_t dpk_buf_end(struct dpk_doca_buf *b, doca_error_t result);

/* The place of a buffer and of its data. */
struct dpk_buf_place {
    uint64_t head, len, data, data_len;
};

/* Creates a buffer of a started map; a pool determines its place. *buf is NULL on failure. Errors:
 * INVALID_VALUE if it is not inside the map, BAD_STATE if the source or the map is not started,
 * NO_MEMORY also if an inventory has no buffers left, EMPTY if a pool has no buffers left. */
doca_error_t dpk_buf_new(struct dpk_buf_source *source, struct dpk_mmap *m,
                         struct dpk_buf_place place, struct doca_buf **buf);
/* Starts or stops a locked source and unlocks it. `prepare` is called before, with the lock; it may be
 * NULL. Errors: INVALID_VALUE for NULL, BAD_STATE if the source is already in that state, IN_USE if its
 * buffers are held. */
doca_error_t dpk_buf_source_switch(struct dpk_buf_source *s, bool on,
                                   doca_error_t (*prepare)(struct dpk_buf_source *s));
/* Gets the largest number of buffers, or the number of free buffers, of a locked source, and unlocks
 * it. Errors: INVALID_VALUE for NULL. */
doca_error_t dpk_buf_source_count(struct dpk_buf_source *s, bool free_ones, uint32_t *out);

/* Sets key, rights and domain of an access to a buffer's memory by a device with that domain. Errors:
 * NOT_PERMITTED if the map does not permit it, or is not on the device, IO_FAILED if the memory is
 * gone, NOT_SUPPORTED if another process exported the memory only for RDMA. */
doca_error_t dpk_buf_memory(const struct dpk_doca_buf *b, bool write,
                            const struct dpk_memory_domain *domain, struct dpk_memory_access *a);

/* Lists can span inventories, so all buffers share one lock. */
extern pthread_mutex_t dpk_bufs_lock;

#endif
