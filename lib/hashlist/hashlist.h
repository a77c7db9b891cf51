/*
 * hashlist: the hash list table of a device ELF (signing(7); guide, "Hash List Table Layout").
 *
 * The table is built from an ELF, encoded into crypto data, decoded again, and compared. This room
 * does not know keys.
 *
 *     struct dpk_hashlist *now = NULL, *then = NULL;
 *     dpk_hashlist_build(elf, size, DPK_PROFILE_FULL, &now, &err);
 *     dpk_hashlist_decode(&reader, &then, &err);
 *     if (dpk_hashlist_compare(then, now, where, sizeof where) != DPK_OK)
 *         printf("differs: %s\n", where);               // "segment 2", "section 5 .text"
 */
#ifndef DPK_HASHLIST_HASHLIST_H
#define DPK_HASHLIST_HASHLIST_H

#include "base/base.h"
#include "elf/elf.h"

enum dpk_hash_profile {
    DPK_PROFILE_FULL,    /* every header, segment and section (the guide; MFT 4.26) */
    DPK_PROFILE_COMPACT, /* the whole file, metadata, manifest (MFT 4.36) */
};

struct dpk_hashlist;

/* Hashes (SHA-256) a device ELF: 64-bit little-endian, of any machine. Errors: not an ELF, tables
 * or contents outside the file, more than 255 segments or hashed sections (the format has 8-bit
 * counts). */
enum dpk_status dpk_hashlist_build(const uint8_t *bytes, size_t size, enum dpk_hash_profile profile,
                                   struct dpk_hashlist **out, struct dpk_error *err);
/* Same, for a device ELF with a manifest (NULL: none). Only a compact table hashes the manifest. Up
 * to `threads` threads hash (0: one for each core). */
enum dpk_status dpk_hashlist_build_with(const struct dpk_elf *elf, const uint8_t *manifest,
                                        size_t manifest_size, enum dpk_hash_profile profile,
                                        unsigned threads, struct dpk_hashlist **out,
                                        struct dpk_error *err);
/* Parts of a single-program container that its table hashes. */
struct dpk_hashed_parts {
    const uint8_t *stored, *metadata, *manifest; /* metadata and manifest may be NULL */
    size_t stored_size, metadata_size, manifest_size;
};
/* Makes a compact table of the stored bytes (which may be compressed), metadata and manifest of a
 * single-program container. An absent part (NULL) gets a hash of zeros. */
enum dpk_status dpk_hashlist_build_parts(const struct dpk_hashed_parts *parts,
                                         struct dpk_hashlist **out, struct dpk_error *err);
void dpk_hashlist_free(struct dpk_hashlist *h);

enum dpk_hash_profile dpk_hashlist_profile(const struct dpk_hashlist *h);
size_t dpk_hashlist_encoded_size(const struct dpk_hashlist *h); /* bytes; H in signing(7) */
void dpk_hashlist_encode(const struct dpk_hashlist *h, struct dpk_buf *out);

/* Returns the table's hash of the whole device ELF, 32 bytes; for a single-program container, of
 * the stored bytes. */
const uint8_t *dpk_hashlist_whole(const struct dpk_hashlist *h);
/* Writes the SHA-256 of any bytes as 64 hexadecimal digits; "" if OpenSSL fails. */
void dpk_sha256_text(const void *bytes, size_t size, char out[65]);

/* Decodes a table at the reader, which moves past it. */
enum dpk_status dpk_hashlist_decode(struct dpk_reader *r, struct dpk_hashlist **out,
                                    struct dpk_error *err);

/* Returns DPK_OK if both tables are equal. Otherwise it returns DPK_ERR_MISMATCH with the first
 * different entry in `where`: "number of segments", "ELF header", "program header table", "segment
 * 2", "section header table", "section 5 .text", or "whole ELF" if no narrower entry differs.
 * Section names come from the table that was built from an ELF. */
enum dpk_status dpk_hashlist_compare(const struct dpk_hashlist *recorded,
                                     const struct dpk_hashlist *computed, char *where,
                                     size_t where_size);

#endif
