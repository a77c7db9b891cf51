/* clangd: tells tools of clang how what this run compiles is compiled. */
#ifndef DPK_DPACC_CLANGD_H
#define DPK_DPACC_CLANGD_H

#include "inputs.h"

/* Each source as its first target compiles it; with -keep what dpacc makes of it, too. */
enum dpk_status clangd_tell(struct build *b);

#endif
