/*
 * memory: registered memory of DOCA (maps) and buffers of it, for the rooms above.
 *
 *     struct dpk_memory m;  void *access;
 *     if (dpk_memory_of_key(key, &m, &access)) {   // false: no started map has that number
 *         ... m.address, m.size ...                // it stays the program's until
 *         dpk_memory_release(access);
 *     }
 */
#ifndef DPK_DOCA_MEMORY_H
#define DPK_DOCA_MEMORY_H

#include <doca_buf.h>

#include "doca/dpa/dpa.h"

/* A piece of memory that a DPA program may name: in this process, in the memory of a DPA context,
 * or in another process that exported it. */
struct dpk_memory {
    enum dpk_memory_place { DPK_MEMORY_HOST, DPK_MEMORY_DPA, DPK_MEMORY_REMOTE } place;
    uint64_t address, size;
    uint32_t permissions;  /* of enum doca_access_flag */
    struct dpk_dpa *dpa;   /* DPK_MEMORY_DPA: whose; borrowed from the map */
    uint32_t key;          /* its number where it is */
    struct dpk_uuid owner; /* process where it is */
};

/* The number of a started map, doca_dpa_dev_mmap_t: it is another one at each start. `dev`: a
 * device that it is to be on, NULL: any. INVALID_VALUE, BAD_STATE: not started, NOT_FOUND: not on
 * `dev`. */
doca_error_t dpk_mmap_key(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *key);
/* Finds a started map by its number and begins an access to it: until dpk_mmap_leave(*access)
 * the memory stays the program's, and who stops or destroys the map waits. So an access is short:
 * parts of what is large have one each. False: there is none. */
bool dpk_memory_of_key(uint32_t key, struct dpk_memory *out, void **access);
void dpk_mmap_leave(void *access);
/* Whether the map of an access was given to the device, however often that is open. */
bool dpk_memory_is_on(void *access, const struct dpk_dev *dev);

/* ---- Buffers --------------------------------------------------------------------------------- */

/* Copies the data of a list of buffers behind that of another list. */
doca_error_t dpk_buf_list_copy(const struct doca_buf *from, struct doca_buf *to);
/* Whether it is a buffer. */
bool dpk_is_buf(const struct doca_buf *buf);

#endif
