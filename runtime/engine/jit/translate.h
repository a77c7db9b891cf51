/*
 * Private to jit and llvm: what libdpakit-llvm.so does. It makes code of the host for a region. It
 * is a library of its own since it needs libLLVM; it is loaded with the first code that is hot.
 *
 *     struct dpk_buf image = {0};
 *     if (dpk_jit_translate(&region, JIT_STRICT, &image, &err) == DPK_OK)
 *         ... jit_code_place ...
 *
 * An image is a struct jit_image, then its relocations, then its code. Nothing in it depends on the
 * process it was made in.
 */
#ifndef DPK_ENGINE_JIT_TRANSLATE_H
#define DPK_ENGINE_JIT_TRANSLATE_H

#include "base/base.h"
#include "engine/jit/region.h"

#define DPK_JIT_LIBRARY "libdpakit-llvm.so.1"

/* Counts changes of the images' format and of the code's contract with its process. */
enum { JIT_IMAGE_VERSION = 7 };

/* What the code refers to. */
enum jit_symbol {
    JIT_CODE,  /* its own first byte */
    JIT_BASE,  /* host address of guest address 0; rv64_memory's tables are below */
    JIT_SLOTS, /* rv64_entries.at */
    JIT_LOAD,  /* slow_load of translations.c */
    JIT_STORE, /* slow_store */
    JIT_CORE,
    JIT_SYMBOLS,
};

/* What a relocation changes. */
enum jit_form {
    JIT_WORD, /* a word of 64 bits */
    JIT_MOV0, /* the immediate of an AArch64 MOVZ or MOVK: bits 0 to 15 of the value */
    JIT_MOV1, /* bits 16 to 31 */
    JIT_MOV2,
    JIT_MOV3,
    JIT_FORMS,
};

/* At `offset` of the code goes the symbol's address plus `addend`. */
struct jit_relocation {
    uint32_t offset;
    uint16_t symbol, form; /* jit_symbol, jit_form */
    uint64_t addend;
};

struct jit_image {
    uint32_t version, code_size, relocation_count;
    uint32_t entry; /* offset of the first instruction */
    uint32_t draft; /* 1: it is quick, and would be faster if it were not */
};

struct jit_options {
    uint64_t begin, size; /* of the rv64_entries */
    bool uneven;          /* misaligned loads and stores are carried out without leaving */
    bool every_block; /* the budget is checked at every block; if not, at jumps back and calls */
    bool quick;       /* every turn of a loop is checked, which is translated in less time */
};

/* DPK_ERR_UNSUPPORTED: LLVM does not know the host, or refuses the code. */
typedef enum dpk_status jit_translate_fn(const struct jit_region *region,
                                         const struct jit_options *options, struct dpk_buf *image,
                                         struct dpk_error *err);
jit_translate_fn dpk_jit_translate;

/* Fills `key` with a digest (SHA-256) of all that the image of a region depends on: its code, the
 * options, the host's processor, and what translates. False: nothing does, or no memory. */
enum { JIT_KEY = 32 };
bool jit_key(const struct jit_region *region, const struct jit_options *options,
             uint8_t key[JIT_KEY]);

#endif
