/* line: the words of nvcc's command line, before their options are read. */
#ifndef DPK_DPACU_LINE_H
#define DPK_DPACU_LINE_H

#include "common/words.h"

/* Makes the words that the options are read from: with the words of NVCC_PREPEND_FLAGS and
 * NVCC_APPEND_FLAGS, with those of options files (-optf) in their place, and with unknown options
 * for the host's compiler if the line has -forward-unknown-to-host-compiler. Errors: USAGE if a
 * file includes itself, or a quote is not closed; those of reading a file. */
enum dpk_status dpacu_line_make(int argc, char *const *argv, struct words *out,
                                struct dpk_error *err);

#endif
