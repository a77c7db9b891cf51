/*
 * sanitize: -fsanitize=address and -fsanitize=thread for the DPA. Clang's driver refuses both for
 * this target, but cc1 supports them for every target. So these words become options of cc1, which
 * makes a call for each check; the device library has the functions (guest/asan.c, guest/tsan.c).
 */
#ifndef DPK_DPACC_SANITIZE_H
#define DPK_DPACC_SANITIZE_H

#include "common/words.h"

/* Edits words for the device compiler. `root` is the root folder of dpacc's installation. Errors:
 * DPK_ERR_USAGE for address and thread together. */
enum dpk_status dpacc_sanitize_edit(struct words *words, const char *root, struct dpk_error *err);

#endif
