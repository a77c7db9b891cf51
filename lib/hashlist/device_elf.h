/* The tables of a device ELF, every offset checked; private to this room. */
#ifndef HASHLIST_DEVICE_ELF_H
#define HASHLIST_DEVICE_ELF_H

#include "base/base.h"

struct span {
    const uint8_t *data; /* NULL with size 0 */
    size_t size;
};

struct device_elf {
    struct dpk_reader file;
    bool extended; /* numbers that do not fit into its header: no tables here, too large for ours */
    struct span header, program_headers, section_headers;
    unsigned segment_count, section_count; /* of the tables */
    struct span section_names;
};

/* 64-bit little-endian ELF of any machine. Errors: no ELF, another class or byte order, entry sizes
 * that are not the specification's, tables outside the file. */
enum dpk_status device_elf_open(const uint8_t *elf, size_t size, struct device_elf *out,
                                struct dpk_error *err);

/* File bytes of segment `index`. */
enum dpk_status device_elf_segment(const struct device_elf *e, unsigned index, struct span *out,
                                   struct dpk_error *err);

struct device_section {
    bool hashed;      /* neither NULL nor NOBITS */
    struct span data; /* of a hashed section */
    struct span name; /* without NUL; empty if the string table does not have it */
};
enum dpk_status device_elf_section(const struct device_elf *e, unsigned index,
                                   struct device_section *out, struct dpk_error *err);

#endif
