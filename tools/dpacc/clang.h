/* clang: under the name dpa-clang, dpacc is only the device compiler, as in NVIDIA's tree. */
#ifndef DPK_DPACC_CLANG_H
#define DPK_DPACC_CLANG_H

#include <stdbool.h>

bool dpacc_clang_is_asked_for(const char *program);
/* Executes clang with dpacc's options for the device; -mcpu=nv-dpa-X is translated, all other words
 * are unchanged. Returns an exit code if it fails. */
int dpacc_clang_run(int argc, char **argv);

#endif
