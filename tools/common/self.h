/*
 * self: where the files of a tool's own tree are. A tool is bin/TOOL of its tree, built or installed.
 *
 *     char path[PATH_MAX];
 *     dpk_self_beside("lib/dpakit/urom", path, &err);
 */
#ifndef DPK_COMMON_SELF_H
#define DPK_COMMON_SELF_H

#include <limits.h>

#include "base/base.h"

/* Gets the path of this program. Errors: IO if the system does not tell it. */
enum dpk_status dpk_self_path(char out[PATH_MAX], struct dpk_error *err);
/* Gets the root of the tree, without a trailing slash. Errors: as of dpk_self_path. */
enum dpk_status dpk_self_root(char out[PATH_MAX], struct dpk_error *err);
/* Gets the path of a file of the tree, which need not exist; `below` is relative to the root. Errors: as of
 * dpk_self_path; RANGE if the path is too long. */
enum dpk_status dpk_self_beside(const char *below, char out[PATH_MAX], struct dpk_error *err);

#endif
