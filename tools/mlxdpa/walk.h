/* Walks through all files in a folder and its subfolders. */
#ifndef DPK_MLXDPA_WALK_H
#define DPK_MLXDPA_WALK_H

#include "base/base.h"

/* Callback for a file, with up to WALK_HEAD bytes of its start. Files that are not regular are not
 * opened and have no bytes. An error ends the walk. */
#define WALK_HEAD 16
typedef enum dpk_status walk_fn(void *context, const char *path, const uint8_t *head,
                                size_t head_size, struct dpk_error *err);
/* Calls `found` for each file, sorted by name. Links to files are followed; links to folders cause
 * a warning and are not followed. */
enum dpk_status walk_folder(const char *path, walk_fn *found, void *context, struct dpk_error *err);

#endif
