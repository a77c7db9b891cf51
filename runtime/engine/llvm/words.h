/*
 * Private to llvm: words that the guest reads byte by byte, because they are unaligned or have the
 * other byte order, as in headers of packets. The guest shifts the bytes and joins them by OR. The
 * translated code reads such a word once, where the guest reads its first byte, and takes the other
 * bytes from this value.
 */
#ifndef DPK_ENGINE_LLVM_WORDS_H
#define DPK_ENGINE_LLVM_WORDS_H

#include "engine/llvm/groups.h"

enum { WORDS_MAX = RV64_BLOCK_MAX / 2 };

struct word {
    uint32_t first;   /* first load of the word */
    uint8_t size;     /* 2, 4 or 8 bytes */
    bool big;         /* big-endian */
    bool is_signed;   /* the joined value is sign-extended */
    uint8_t shift;    /* the joined value is shifted left by this number of bits */
    int64_t distance; /* from the address of its first load to the word's address */
};

struct words {
    struct word word[WORDS_MAX];
    uint32_t count;
    /* For each instruction of the block: */
    uint8_t of[RV64_BLOCK_MAX];     /* index + 1 of the word of which it loads a byte; 0: no word */
    uint8_t byte[RV64_BLOCK_MAX];   /* index of the byte in the word, from the lowest address */
    uint8_t joined[RV64_BLOCK_MAX]; /* index + 1 of the word that it completes; 0: no word */
};

/* Finds the words of a block. `groups`: the groups of the block. */
void llvm_words_find(const struct jit_region *region, const struct jit_block *block,
                     const struct groups *groups, struct words *out);

#endif
