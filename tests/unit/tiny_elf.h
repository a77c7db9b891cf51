/* What tests of the loader share: a small executable of known layout, of which fields can be put
 * wrong. */
#ifndef DPK_TEST_TINY_ELF_H
#define DPK_TEST_TINY_ELF_H

#include "dpa.h"

#include <elf.h>

enum {
    TEXT = 0x100, /* file offsets */
    DATA = 0x200,
    SYMTAB = 0x300,
    STRTAB = 0x378,
    SHDRS = 0x3a0,
    SIZE = SHDRS + 3 * 64,
    PHDR = 64,
    SHDR = SHDRS,
};

struct tiny {
    uint8_t bytes[SIZE];
};

static inline void put(struct tiny *t, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        t->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static inline void put_segment(struct tiny *t, unsigned n, uint32_t flags, uint64_t offset,
                               uint64_t vaddr, uint64_t filesz, uint64_t memsz)
{
    size_t at = PHDR + n * 56u;
    put(t, at, 4, PT_LOAD);
    put(t, at + 4, 4, flags);
    put(t, at + 8, 8, offset);
    put(t, at + 16, 8, vaddr);
    put(t, at + 24, 8, vaddr);
    put(t, at + 32, 8, filesz);
    put(t, at + 40, 8, memsz);
    put(t, at + 48, 8, 0x100);
}

static inline void put_symbol(struct tiny *t, unsigned n, uint32_t name, unsigned bind,
                              unsigned type, uint64_t value, uint64_t size)
{
    size_t at = SYMTAB + n * 24u;
    put(t, at, 4, name);
    put(t, at + 4, 1, ELF64_ST_INFO(bind, type));
    put(t, at + 6, 2, 1);
    put(t, at + 8, 8, value);
    put(t, at + 16, 8, size);
}

static inline void put_section(struct tiny *t, unsigned n, uint32_t type, uint64_t offset,
                               uint64_t size, uint32_t link, uint64_t entsize)
{
    size_t at = SHDR + n * 64u;
    put(t, at + 4, 4, type);
    put(t, at + 24, 8, offset);
    put(t, at + 32, 8, size);
    put(t, at + 40, 4, link);
    put(t, at + 56, 8, entsize);
}

static inline struct tiny tiny(void)
{
    static const char names[] = "\0first\0second\0datum\0local";
    struct tiny t = {0};
    memcpy(t.bytes, ELFMAG, 4);
    t.bytes[EI_CLASS] = ELFCLASS64;
    t.bytes[EI_DATA] = ELFDATA2LSB;
    t.bytes[EI_VERSION] = EV_CURRENT;
    put(&t, 16, 2, ET_EXEC);
    put(&t, 18, 2, EM_RISCV);
    put(&t, 20, 4, EV_CURRENT);
    put(&t, 24, 8, 0x10004); /* e_entry */
    put(&t, 32, 8, PHDR);
    put(&t, 40, 8, SHDRS);
    put(&t, 48, 4, 1); /* e_flags: RVC */
    put(&t, 52, 2, 64);
    put(&t, 54, 2, 56);
    put(&t, 56, 2, 2);
    put(&t, 58, 2, 64);
    put(&t, 60, 2, 3);
    /* Higher address first: the image sorts them. */
    put_segment(&t, 0, PF_R | PF_W, DATA, 0x11000, 8, 0x2000);
    put_segment(&t, 1, PF_R | PF_X, TEXT, 0x10000, 0x20, 0x20);
    memset(t.bytes + TEXT, 0x13, 0x20);
    memset(t.bytes + DATA, 0xda, 8);
    put_symbol(&t, 1, 20, STB_LOCAL, STT_FUNC, 0x10018, 8);
    put_symbol(&t, 2, 7, STB_GLOBAL, STT_FUNC, 0x10010, 8);
    put_symbol(&t, 3, 1, STB_GLOBAL, STT_FUNC, 0x10004, 8);
    put_symbol(&t, 4, 14, STB_WEAK, STT_OBJECT, 0x11000, 8);
    memcpy(t.bytes + STRTAB, names, sizeof names);
    put_section(&t, 1, SHT_SYMTAB, SYMTAB, 5 * 24, 2, 24);
    put_section(&t, 2, SHT_STRTAB, STRTAB, sizeof names, 0, 0);
    return t;
}

/* An image of exactly these bytes, in memory of exactly that size. */
static inline enum dpk_status image_of(const void *bytes, size_t size, struct dpk_image **out,
                                       struct dpk_error *err)
{
    struct dpk_image *image = loader_image_create("tiny");
    uint8_t *copy = malloc(size ? size : 1);
    assert_true(image && copy);
    memcpy(copy, bytes, size);
    const struct dpk_elf elf = dpk_elf(copy, size);
    enum dpk_status status = loader_image_fill(image, &copy, &elf, err);
    if (status != DPK_OK) {
        dpk_image_free(image);
        image = NULL;
    }
    *out = image;
    return status;
}

#endif
