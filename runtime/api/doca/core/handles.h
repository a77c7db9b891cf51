/* Arrays of handles that programs get as lists; ended by NULL. */
#ifndef DPK_API_DOCA_CORE_HANDLES_H
#define DPK_API_DOCA_CORE_HANDLES_H

#include "api/doca/core/object.h"

/* An array of `count` NULLs and one more. NULL: out of memory. */
void **handles_new(size_t count, const struct dpk_kind *kind);
/* Frees an array and the objects in it. INVALID_VALUE: it is none, or one of another kind. */
doca_error_t handles_destroy(void **list, const struct dpk_kind *kind);

#endif
