/* clang: dpacc under the name dpa-clang is the device compiler alone, as NVIDIA's tree has it. */
#ifndef DPK_DPACC_CLANG_H
#define DPK_DPACC_CLANG_H

#include <stdbool.h>

bool clang_is_asked_for(const char *program);
/* Becomes clang with what dpacc gives it, -mcpu=nv-dpa-X translated and all else as it is; returns
 * the exit code if it cannot. */
int clang_run(int argc, char **argv);

#endif
