/* What a device ELF says of its making: entry functions, compilers, libraries, instruction set. Nothing
 * of it is proven, and a stripped ELF says little. */
#ifndef DPK_MLXDPA_MAKING_H
#define DPK_MLXDPA_MAKING_H

#include <cjson/cJSON.h>

#include "elfcrypto/elfcrypto.h"

/* Compilers and linker, as they sign in .comment: a new array of texts. */
cJSON *making_compilers(const struct dpk_elf *elf);

/* Which device libraries have a function in the ELF's symbol table. */
#define MAKING_LIBRARIES 6
extern const char *const making_library_names[MAKING_LIBRARIES];
void making_libraries(const struct dpk_elf *elf, bool found[MAKING_LIBRARIES]);

/* Adds entry_functions, targets_possible, instruction_set, compilers and libraries to `o`. `for_target`:
 * the target is known otherwise. */
void making_show(const struct dpk_elf *elf, bool for_target, cJSON *o);

#endif
