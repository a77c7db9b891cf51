/*
 * Private to jit and llvm: the interface of libdpakit-llvm.so, which makes host code for a region.
 * This is a separate library because it needs libLLVM. It is loaded for the first hot code.
 *
 *     struct dpk_buf image = {0};
 *     if (dpk_jit_translate(&region, JIT_STRICT, &image, &err) == DPK_OK)
 *         ... jit_code_place ...
 *
 * An image is a struct jit_image, then its relocations, then its code. An image does not depend on
 * the process that made it.
 */
#ifndef DPK_ENGINE_JIT_TRANSLATE_H
#define DPK_ENGINE_JIT_TRANSLATE_H

#include "base/base.h"
#include "engine/jit/region.h"

#define DPK_JIT_LIBRARY "libdpakit-llvm.so.1"

/* Increase this when the images' format, or the code's contract with its process, changes. */
enum { JIT_IMAGE_VERSION = 7 };

/* Symbols in relocations. */
enum jit_symbol {
    JIT_CODE,  /* the code's own first byte */
    JIT_BASE,  /* host address of guest address 0; rv64_memory's tables are below */
    JIT_SLOTS, /* rv64_entries.at */
    JIT_LOAD,  /* slow_load of translations.c */
    JIT_STORE, /* slow_store */
    JIT_CORE,
    JIT_SYMBOLS,
};

/* Forms of relocations. */
enum jit_form {
    JIT_WORD, /* a word of 64 bits */
    JIT_MOV0, /* the immediate of an AArch64 MOVZ or MOVK: bits 0 to 15 of the value */
    JIT_MOV1, /* bits 16 to 31 */
    JIT_MOV2,
    JIT_MOV3,
    JIT_FORMS,
};

/* Stores the symbol's address plus `addend` at `offset` of the code. */
struct jit_relocation {
    uint32_t offset;
    uint16_t symbol, form; /* jit_symbol, jit_form */
    uint64_t addend;
};

struct jit_image {
    uint32_t version, code_size, relocation_count;
    uint32_t entry; /* offset of the first instruction */
    uint32_t draft; /* 1: made quickly; a second translation would be faster */
};

struct jit_options {
    uint64_t begin, size; /* range of the rv64_entries */
    bool uneven;          /* misaligned loads and stores are executed without leaving the code */
    bool every_block; /* check the budget at every block; else at backward jumps and calls */
    bool quick;       /* check every turn of loops, for a shorter translation time */
};

/* Errors: DPK_ERR_UNSUPPORTED if LLVM does not know the host or refuses the code. */
typedef enum dpk_status jit_translate_fn(const struct jit_region *region,
                                         const struct jit_options *options, struct dpk_buf *image,
                                         struct dpk_error *err);
jit_translate_fn dpk_jit_translate;

/* Fills `key` with a digest (SHA-256) of everything that the image of a region depends on: its
 * code, the options, the host's processor, and the translator. Returns false if there is no
 * translator or no memory. */
enum { JIT_KEY = 32 };
bool jit_key(const struct jit_region *region, const struct jit_options *options,
             uint8_t key[JIT_KEY]);

#endif
