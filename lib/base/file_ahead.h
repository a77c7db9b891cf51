/* Private to base: what was written ahead, for whoever puts the file in its place (file.c). */
#ifndef DPK_BASE_FILE_AHEAD_H
#define DPK_BASE_FILE_AHEAD_H

#include "base/base.h"

/* Waits for what is written ahead, and makes it the content of the new file. False: the file stays
 * as it is; `a` may be NULL. */
bool ahead_take(struct dpk_ahead *a, struct dpk_new_file *f);
/* Is this piece, whose place in the file is `at`, there already? */
bool ahead_has(const struct dpk_ahead *a, size_t at, const struct dpk_piece *piece);

#endif
