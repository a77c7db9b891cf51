/* How a device ELF was made: entry functions, compilers, libraries, instruction set. The ELF itself
 * says so, without proof. A stripped ELF says little. */
#ifndef DPK_MLXDPA_MAKING_H
#define DPK_MLXDPA_MAKING_H

#include <cjson/cJSON.h>

#include "elfcrypto/elfcrypto.h"

/* Returns the names that compilers and linker left in .comment: a new array of texts. */
cJSON *mlxdpa_making_compilers(const struct dpk_elf *elf);

/* Sets found[i] if the ELF's symbol table has a function of device library i. */
#define MAKING_LIBRARIES 6
extern const char *const mlxdpa_making_library_names[MAKING_LIBRARIES];
void mlxdpa_making_libraries(const struct dpk_elf *elf, bool found[MAKING_LIBRARIES]);

/* Adds entry_functions, targets_possible, instruction_set, compilers and libraries to `o`, without
 * targets_possible if `for_target` (the caller knows the target). */
void mlxdpa_making_show(const struct dpk_elf *elf, bool for_target, cJSON *o);

#endif
