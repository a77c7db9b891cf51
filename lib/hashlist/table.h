/* The hash list table in memory; private to this room. */
#ifndef DPK_HASHLIST_TABLE_H
#define DPK_HASHLIST_TABLE_H

#include "hashlist/hashlist.h"

#define HASH_SIZE          32  /* SHA-256 */
#define HASHES_MAX         255 /* limit of the 8-bit counts (signing(7)) */
#define COMPACT_EXTENSIONS 2   /* hashes of app metadata and manifest */

struct hash {
    uint8_t bytes[HASH_SIZE];
};

/* The section of a hash, for messages; only tables built from an ELF have labels. */
struct section_label {
    unsigned number; /* index in the section header table */
    char name[40];
};

struct dpk_hashlist {
    enum dpk_hash_profile profile;
    unsigned segment_count, section_count; /* 2 and 0 in the compact profile */
    struct hash whole, elf_header, program_headers, section_headers;
    struct hash segments[HASHES_MAX]; /* compact: app metadata, manifest; zeros if absent */
    struct hash sections[HASHES_MAX];
    struct section_label *labels; /* section_count labels, or NULL */
};

#endif
