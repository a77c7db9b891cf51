/*
 * Private to llvm: finds loads whose value may become an address or the target of an indirect jump.
 * Such a value is checked after it is read, and another hart may change the memory meanwhile; so
 * LLVM must not read it again. LLVM may repeat or join other loads.
 */
#ifndef DPK_ENGINE_LLVM_ADDRESSES_H
#define DPK_ENGINE_LLVM_ADDRESSES_H

#include "engine/jit/region.h"

/* Fills at_end[i]: one bit for each register whose value at the end of block i may become an
 * address within the region. */
void llvm_addresses_find(const struct jit_region *region, uint32_t *at_end);

/* Fills leads[k]: true if the value that instruction k of the block reads may become an address. */
void llvm_addresses_of_block(const struct jit_region *region, const struct jit_block *block,
                             uint32_t at_end, bool leads[RV64_BLOCK_MAX]);

#endif
