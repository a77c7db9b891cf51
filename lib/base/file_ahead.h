/* Private to base: content written ahead, for the code that puts the file in its place (file.c). */
#ifndef DPK_BASE_FILE_AHEAD_H
#define DPK_BASE_FILE_AHEAD_H

#include "base/base.h"

/* Waits for the background write, and makes its content that of the new file. Returns false, and
 * leaves the file as it is, on failure. `a` may be NULL. */
bool base_ahead_take(struct dpk_ahead *a, struct dpk_new_file *f);
/* Returns true if this piece, whose place in the file is `at`, is written already. */
bool base_ahead_has(const struct dpk_ahead *a, size_t at, const struct dpk_piece *piece);

#endif
