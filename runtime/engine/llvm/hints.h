/*
 * Private to llvm: where registers are likely to point to, so that a check looks first whether the address
 * is there. A wrong hint costs time alone.
 */
#ifndef DPK_ENGINE_LLVM_HINTS_H
#define DPK_ENGINE_LLVM_HINTS_H

#include "engine/jit/region.h"

enum { HINT_NONE = 0 }; /* else an RV64_WINDOW_ and 1 */

/* Of each register where each block begins. */
void hints_find(const struct jit_region *region, uint8_t (*at)[32]);

/* Fills out[k]: the hint for what rs1 of instruction k of the block holds. `at`: where it begins. */
void hints_of_block(const struct jit_region *region, const struct jit_block *block,
                    const uint8_t at[32], uint8_t out[RV64_BLOCK_MAX]);

/* The hint for an access that needs these permissions. */
uint8_t hint_for(uint8_t hint, unsigned need);

#endif
