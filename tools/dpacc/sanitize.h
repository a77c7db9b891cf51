/*
 * sanitize: -fsanitize=address and -fsanitize=thread for the DPA. The driver of clang refuses both for
 * this target, but its compiler makes such code for any. So these words become options of the compiler,
 * which makes a call of each check; the device library has the functions (guest/asan.c, guest/tsan.c).
 */
#ifndef DPK_DPACC_SANITIZE_H
#define DPK_DPACC_SANITIZE_H

#include "words.h"

/* Changes words for the device compiler. `root`: the tree that dpacc is part of. DPK_ERR_USAGE: address
 * and thread together. */
enum dpk_status sanitize_edit(struct words *words, const char *root, struct dpk_error *err);

#endif
