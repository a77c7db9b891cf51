/* The programs that a caller means; private to this room. */
#ifndef DPK_HOSTFILE_SELECT_H
#define DPK_HOSTFILE_SELECT_H

#include "host.h"

/* One flag for each program, to be freed; `apps` NULL: all. Errors: no program in the file, none of
 * a name. */
enum dpk_status select_programs(const struct dpk_hostfile *host, const char *const *apps,
                                size_t count, bool **out, struct dpk_error *err);

#endif
