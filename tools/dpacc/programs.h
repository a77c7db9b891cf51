/* programs: where the compilers and tools that dpacc runs are. */
#ifndef DPK_DPACC_PROGRAMS_H
#define DPK_DPACC_PROGRAMS_H

#include <limits.h>
#include <stdbool.h>

/* Finds a program, given by its path or by a name on PATH, as execvp does. Returns false if no
 * such file can be executed. */
bool dpacc_programs_find(const char *program, char path[PATH_MAX]);

/* Finds the directory of clang's own headers (clang -print-resource-dir) without a run of clang,
 * which takes a tenth of a second: it is ../lib/clang/VERSION beside the file of clang. Returns NULL
 * if that is not certain: the program is a wrapper, or there are several versions. The caller frees
 * the path. */
char *dpacc_programs_resources(const char *clang);

#endif
