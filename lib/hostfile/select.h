/* Selection of a host file's programs; private to this room. */
#ifndef DPK_HOSTFILE_SELECT_H
#define DPK_HOSTFILE_SELECT_H

#include "host.h"

/* Returns one flag for each program, to be freed. `apps` NULL selects all. Errors: the file has no
 * program, or no program with one of the names. */
enum dpk_status hostfile_select_programs(const struct dpk_hostfile *host, const char *const *apps,
                                         size_t count, bool **out, struct dpk_error *err);

#endif
