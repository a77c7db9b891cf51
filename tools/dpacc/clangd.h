/* clangd: writes a compilation database for clang's tools. */
#ifndef DPK_DPACC_CLANGD_H
#define DPK_DPACC_CLANGD_H

#include "inputs.h"

/* Adds each source, as compiled for its first target; with -keep also the sources that dpacc
 * generates. */
enum dpk_status dpacc_clangd_tell(struct build *b);

#endif
