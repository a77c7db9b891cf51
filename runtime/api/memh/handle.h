/* The bytes of an exported memory handle. */
#ifndef DPK_API_MEMH_HANDLE_H
#define DPK_API_MEMH_HANDLE_H

#include "bus/exports/exports.h"

/* Size of a handle in bytes. All handles have it. */
#define MEMH_HANDLE_SIZE 60u

struct memh_handle {
    struct dpk_exporter who;
    struct dpk_export what;
};

void memh_handle_write(const struct memh_handle *h, struct dpk_buf *out);
/* Returns false if the bytes are no handle of this room. */
bool memh_handle_read(struct dpk_reader *r, struct memh_handle *out);

#endif
