/*
 * Private to llvm: the window to which each register probably points, so that a check tries this
 * window first. A wrong hint only costs time.
 */
#ifndef DPK_ENGINE_LLVM_HINTS_H
#define DPK_ENGINE_LLVM_HINTS_H

#include "engine/jit/region.h"

enum { HINT_NONE = 0 }; /* other hints: an RV64_WINDOW_ plus 1 */

/* Finds the hint of each register at the start of each block. */
void llvm_hints_find(const struct jit_region *region, uint8_t (*at)[32]);

/* Fills out[k]: the hint for rs1 of instruction k of the block. `at`: the hints at the start of the
 * block. */
void llvm_hints_of_block(const struct jit_region *region, const struct jit_block *block,
                         const uint8_t at[32], uint8_t out[RV64_BLOCK_MAX]);

/* Returns the hint for an access that needs these permissions. */
uint8_t llvm_hint_for(uint8_t hint, unsigned need);

#endif
