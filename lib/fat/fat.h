/*
 * fat: fat programs (signing(7)): a device ELF for each of several targets in one file, and their
 * crypto data.
 *
 *     struct dpk_fat fat;
 *     if (dpk_fat_is(bytes, size) && dpk_fat_parse(bytes, size, &fat, &err) == DPK_OK)
 *         for (size_t i = 0; i < fat.count; i++)
 *             dpk_fat_elf(&fat.members[i], &elf, &err);
 */
#ifndef DPK_FAT_H
#define DPK_FAT_H

#include "base/base.h"

/* Target ids as they stand in fat files. */
enum dpk_target {
    DPK_TARGET_GENERIC = 0,
    DPK_TARGET_CX7 = 1,
    DPK_TARGET_BF3 = 2,
    DPK_TARGET_CX8 = 3,
    DPK_TARGET_CX9 = 4,
};
/* "bf3"; NULL for an id that is not one of them. */
const char *dpk_target_name(uint32_t target);
/* The id of "bf3"; false if there is no such target. */
bool dpk_target_find(const char *name, uint32_t *target);

#define DPK_FAT_MAX 16 /* members */

struct dpk_fat_member {
    uint32_t target;
    bool compressed;
    const uint8_t *stored; /* borrowed from the file */
    size_t stored_size;    /* bytes in the file */
    size_t elf_size;       /* bytes of the device ELF */
};
struct dpk_fat {
    struct dpk_fat_member members[DPK_FAT_MAX]; /* in the file's order, no target twice */
    size_t count;                               /* at least 1 */
};

/* Does it begin with the magic of a fat file of ours? */
bool dpk_fat_is(const uint8_t *bytes, size_t size);
/* Reads the table of a fat file; contents are borrowed, nothing to free. DPK_ERR_FORMAT with the
 * member's number: tables or contents outside the file or overlapping, impossible sizes, a target
 * twice. DPK_ERR_UNSUPPORTED: another version, or NVIDIA's fat files (their layout is not public).
 */
enum dpk_status dpk_fat_parse(const uint8_t *bytes, size_t size, struct dpk_fat *out,
                              struct dpk_error *err);
/* The member for `target`, borrowed from `fat`; DPK_ERR_NOT_FOUND. */
enum dpk_status dpk_fat_find(const struct dpk_fat *fat, uint32_t target,
                             const struct dpk_fat_member **out, struct dpk_error *err);
/* Appends a member's device ELF to `out`, decompressed: exactly `elf_size` bytes, or an error. */
enum dpk_status dpk_fat_elf(const struct dpk_fat_member *member, struct dpk_buf *out,
                            struct dpk_error *err);

struct dpk_fat_input {
    uint32_t target;
    const uint8_t *elf; /* borrowed */
    size_t size;
};
/* Appends a fat file of the members, in their order, to `out`. `compressed`: with zlib, where that
 * makes a member smaller. Errors: no member, too many, a target twice, an empty one. */
enum dpk_status dpk_fat_build(const struct dpk_fat_input *in, size_t count, bool compressed,
                              struct dpk_buf *out, struct dpk_error *err);

/* True if the bytes begin with the magic of NVIDIA's fat files, which nobody else can read. */
bool dpk_fat_is_foreign(const uint8_t *bytes, size_t size);

/* Begins the crypto data of a fat program of `count` members, appended to `out`; then each member's
 * crypto data is put, in their order. */
void dpk_fat_sigs_begin(struct dpk_buf *out, size_t count);
void dpk_fat_sigs_put(struct dpk_buf *out, uint32_t target, const void *crypto, size_t size);

/* Is it the crypto data of a fat program: one for each member? */
bool dpk_fat_sigs_is(const uint8_t *crypto, size_t size);
/* The crypto data for one target (borrowed) out of that of a fat program: what dpk_verify takes
 * next to the member's ELF. DPK_ERR_NOT_FOUND: none for this target. */
enum dpk_status dpk_fat_crypto(const uint8_t *crypto, size_t size, uint32_t target,
                               const uint8_t **out, size_t *out_size, struct dpk_error *err);

#endif
