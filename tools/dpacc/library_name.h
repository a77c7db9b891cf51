/* library_name: objects of libraries that hold no code, but the library's name. */
#ifndef DPK_DPACC_LIBRARY_NAME_H
#define DPK_DPACC_LIBRARY_NAME_H

#include "base/base.h"

/* Appends a device object with the library's name and the target's id (dpk_target). */
void dpacc_library_name_object(const char *library, uint32_t target, struct dpk_buf *out);
/* Appends the source of the host object with the library's name. */
void dpacc_library_name_source(const char *library, struct dpk_buf *out);

#endif
