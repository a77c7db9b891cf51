/*
 * Private to llvm: which loads read what may become an address, or where an indirect jump leads. Such a
 * word is checked after it was read, and another hart may change it meanwhile; so LLVM must not read it
 * again. It may do so with others, and join several to one.
 */
#ifndef DPK_ENGINE_LLVM_ADDRESSES_H
#define DPK_ENGINE_LLVM_ADDRESSES_H

#include "engine/jit/region.h"

/* Fills at_end[i] with a bit for each register whose value at the end of block i may become an address
 * within the region. */
void addresses_find(const struct jit_region *region, uint32_t *at_end);

/* Fills leads[k]: whether what instruction k of the block reads may become an address. */
void addresses_of_block(const struct jit_region *region, const struct jit_block *block,
                        uint32_t at_end, bool leads[RV64_BLOCK_MAX]);

#endif
