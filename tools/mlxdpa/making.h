/* Facts about a device ELF's build: entry functions, compilers, libraries, instruction set. They
 * are not verified, and a stripped ELF has few of them. */
#ifndef DPK_MLXDPA_MAKING_H
#define DPK_MLXDPA_MAKING_H

#include <cjson/cJSON.h>

#include "elfcrypto/elfcrypto.h"

/* Returns a new array of the compilers and linkers in .comment. */
cJSON *making_compilers(const struct dpk_elf *elf);

/* Finds the device libraries that have a function in the ELF's symbol table. */
#define MAKING_LIBRARIES 6
extern const char *const making_library_names[MAKING_LIBRARIES];
void making_libraries(const struct dpk_elf *elf, bool found[MAKING_LIBRARIES]);

/* Adds entry_functions, targets_possible, instruction_set, compilers and libraries to `o`. With
 * `for_target` it omits targets_possible, because the target is known. */
void making_show(const struct dpk_elf *elf, bool for_target, cJSON *o);

#endif
