/* Arrays of handles that programs get as lists. The last entry is NULL. */
#ifndef DPK_API_DOCA_CORE_HANDLES_H
#define DPK_API_DOCA_CORE_HANDLES_H

#include "api/doca/core/object.h"

/* Returns an array of `count` + 1 NULLs, or NULL if memory is exhausted. */
void **core_handles_new(size_t count, const struct dpk_kind *kind);
/* Frees an array and its objects. Errors: INVALID_VALUE if the argument is not an array of that
 * kind. */
doca_error_t core_handles_destroy(void **list, const struct dpk_kind *kind);

#endif
