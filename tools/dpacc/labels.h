/* labels: symbols of a device executable that nobody needs after the link. */
#ifndef DPK_DPACC_LABELS_H
#define DPK_DPACC_LABELS_H

#include "base/base.h"

/* Removes symbols without a name, which compilers leave for RISC-V, and symbols whose name begins
 * with `prefix`. The symbol table and the sections after it, which are not loaded, are written
 * again. A file with another layout than a linker's stays as it is, and so does a file whose
 * relocations use the table. */
void dpacc_labels_remove(struct dpk_buf *executable, const char *prefix);

#endif
