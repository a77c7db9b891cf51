/* Walks through all files in a folder and its subfolders. */
#ifndef DPK_MLXDPA_WALK_H
#define DPK_MLXDPA_WALK_H

#include "base/base.h"

/* Gets a file, and up to WALK_HEAD of its first bytes, or no bytes if it is not a regular file:
 * such a file is not opened. An error ends the walk. */
#define WALK_HEAD 16
typedef enum dpk_status walk_fn(void *context, const char *path, const uint8_t *head,
                                size_t head_size, struct dpk_error *err);
/* Calls `found` for each file, in the order of names. Links to files are followed; links to folders
 * are not, with a warning. */
enum dpk_status mlxdpa_walk_folder(const char *path, walk_fn *found, void *context,
                                   struct dpk_error *err);

#endif
