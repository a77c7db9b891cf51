/*
 * elf: little-endian ELF64 files that are not checked yet (System V ABI, "Object Files").
 *
 * dpk_elf() reads the file header and finds the program and section header tables. A flaw is not an
 * error here: it is reported, and the caller decides what it means. Each entry is read through a
 * bounds-checked cursor; nothing is copied or allocated. The bytes must stay, unchanged.
 *
 *     struct dpk_elf elf = dpk_elf(bytes, size);
 *     for (size_t i = 0; i < elf.section_count; i++) {
 *         struct dpk_elf_section s = dpk_elf_section(&elf, i);
 *         struct dpk_reader content = dpk_elf_content(&elf, &s);
 *         if (!content.failed)
 *             printf("%s: %zu bytes\n", dpk_elf_name(&elf, &s), dpk_reader_left(&content));
 *     }
 */
#ifndef DPK_ELF_ELF_H
#define DPK_ELF_ELF_H

#include <elf.h>

#include "base/base.h"

/* Flaws of the file header or of one of the two tables. */
enum dpk_elf_flaw {
    DPK_ELF_SOUND,
    DPK_ELF_SHORT,      /* fewer bytes than a file header; if `ident` is NULL: than e_ident */
    DPK_ELF_MAGIC,      /* not an ELF file */
    DPK_ELF_CLASS,      /* not ELFCLASS64 */
    DPK_ELF_BYTE_ORDER, /* not little-endian */
    DPK_ELF_ENTRY_SIZE, /* the size of a table's entries is not the specification's */
    DPK_ELF_OUTSIDE,    /* a table reaches beyond the file */
    DPK_ELF_COUNT,      /* section 0 gives an impossible number of sections */
};

/* An ELF file as its header describes it. Verification and loading take this struct instead of
 * bytes, so both see the same file. */
struct dpk_elf {
    struct dpk_reader file; /* the whole file; its position is not used */
    const uint8_t *ident;   /* e_ident, EI_NIDENT bytes; NULL if there are fewer */
    enum dpk_elf_flaw flaw; /* flaw of the file header; unless SOUND, the members below are not
                             * set */

    /* The file header's fields, without their prefix e_. */
    uint16_t type, machine, ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
    uint32_t version, flags;
    uint64_t entry, phoff, shoff;
    /* True if a number does not fit into the file header (gABI, "extended section numbering",
     * PN_XNUM). */
    bool extended;

    /* Flaws of the tables. A table with a flaw is empty; without flaws, segment_count is `phnum`. */
    enum dpk_elf_flaw segments_flaw, sections_flaw;
    struct dpk_reader segments, sections;
    size_t segment_count, section_count;
    size_t names_index;      /* index of the section with the sections' names; may not exist */
    struct dpk_reader names; /* content of that section; empty if it cannot be read */
};

/* Reads the file header of [bytes, bytes + size), borrowed. It never fails; see `flaw`. */
struct dpk_elf dpk_elf(const void *bytes, size_t size);

/* Returns true if the bytes start like an ELF file for RISC-V, the DPA's machine. It looks at
 * nothing else. */
bool dpk_elf_is_riscv(const void *bytes, size_t size);

/* A program header. */
struct dpk_elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size, alignment;
};
/* Returns entry `index` of the program header table; zeros (PT_NULL) after its end. */
struct dpk_elf_segment dpk_elf_segment(const struct dpk_elf *elf, size_t index);

/* A section header. */
struct dpk_elf_section {
    uint32_t name, type, link, info;
    uint64_t flags, address, offset, size, alignment, entry_size;
};
/* Returns entry `index` of the section header table; zeros (SHT_NULL) after its end. */
struct dpk_elf_section dpk_elf_section(const struct dpk_elf *elf, size_t index);

/* Appends a file header from the fields of `elf`, which must not have a flaw. */
void dpk_elf_put_file_header(struct dpk_buf *out, const struct dpk_elf *elf);
/* Makes the file header say that the section header table has `count` entries at `offset`, and that
 * entry `names_index` has the sections' names. Numbers that do not fit go into `first`, section
 * 0. */
void dpk_elf_set_sections(struct dpk_elf *elf, struct dpk_elf_section *first, uint64_t offset,
                          size_t count, size_t names_index);
/* Appends an entry of a program header table (p_paddr is 0), or of a section header table. */
void dpk_elf_put_segment(struct dpk_buf *table, const struct dpk_elf_segment *segment);
void dpk_elf_put_section(struct dpk_buf *table, const struct dpk_elf_section *section);

/* Returns true if the section can have bytes in the file: its type is neither SHT_NULL nor
 * SHT_NOBITS. */
bool dpk_elf_has_content(const struct dpk_elf_section *section);
/* Returns these bytes as stored, possibly compressed. The reader is `failed` if the section has no
 * content or reaches outside the file. The offset of an empty section does not matter. */
struct dpk_reader dpk_elf_content(const struct dpk_elf *elf, const struct dpk_elf_section *section);
/* Returns the section's name, borrowed, with its NUL. NULL if the name table does not have it. */
const char *dpk_elf_name(const struct dpk_elf *elf, const struct dpk_elf_section *section);
/* Returns the content of the first section `name` that has content; else a `failed` reader. */
struct dpk_reader dpk_elf_find(const struct dpk_elf *elf, const char *name);

/* An entry of a symbol table; `name` is an offset in its string table. */
struct dpk_elf_symbol {
    uint32_t name;
    uint8_t info;
    uint16_t section;
    uint64_t value, size;
};
/* Reads the next symbol. At the end it returns zeros and sets `failed`. */
struct dpk_elf_symbol dpk_elf_read_symbol(struct dpk_reader *table);

/* A note of a PT_NOTE segment. */
struct dpk_elf_note {
    uint32_t type;
    const uint8_t *name; /* borrowed, with its NUL if the writer stored one */
    size_t name_size;
    struct dpk_reader content;
};
/* Reads the next note. Returns false at the end of the segment, or if the rest of it is damaged. */
bool dpk_elf_read_note(struct dpk_reader *segment, struct dpk_elf_note *out);

#endif
