/*
 * Private to llvm: words that the guest reads byte by byte, as from the headers of packets, whose byte order
 * is not its own, or where they are not aligned. It shifts the bytes and joins them by OR. The host reads
 * such a word once, where the guest reads its first byte; the guest's bytes are parts of it.
 */
#ifndef DPK_ENGINE_LLVM_WORDS_H
#define DPK_ENGINE_LLVM_WORDS_H

#include "engine/llvm/groups.h"

enum { WORDS_MAX = RV64_BLOCK_MAX / 2 };

struct word {
    uint32_t first;   /* the load that comes first */
    uint8_t size;     /* 2, 4 or 8 bytes */
    bool big;         /* big-endian */
    bool is_signed;   /* what it is joined to is extended by its sign */
    uint8_t shift;    /* what it is joined to is shifted left by so many bits */
    int64_t distance; /* from the address of its first load to its own */
};

struct words {
    struct word word[WORDS_MAX];
    uint32_t count;
    /* Of each instruction of the block: */
    uint8_t of[RV64_BLOCK_MAX];     /* the word that it loads a byte of, and 1; 0: none */
    uint8_t byte[RV64_BLOCK_MAX];   /* which one, from the lowest address */
    uint8_t joined[RV64_BLOCK_MAX]; /* the word that is complete with it, and 1; 0: none */
};

/* `groups`: those of the block. */
void words_find(const struct jit_region *region, const struct jit_block *block,
                const struct groups *groups, struct words *out);

#endif
