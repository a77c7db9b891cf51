/*
 * fat: sections of a program for several targets (signing(7)). Such a section is an area with a
 * part for each target. Device ELFs, rooms for crypto data, and attributes come in areas.
 *
 *     struct dpk_fat fat;
 *     if (dpk_fat_is(bytes, size) && dpk_fat_parse(bytes, size, &fat, &err) == DPK_OK)
 *         for (size_t i = 0; i < fat.count; i++)
 *             use(fat.members[i].target, fat.members[i].data, fat.members[i].size);
 */
#ifndef DPK_FAT_FAT_H
#define DPK_FAT_FAT_H

#include "base/base.h"

/* Target ids in files. */
enum dpk_target {
    DPK_TARGET_GENERIC = 0,
    DPK_TARGET_CX7 = 1,
    DPK_TARGET_BF3 = 2,
    DPK_TARGET_CX8 = 3,
    DPK_TARGET_CX9 = 4,
};
/* Returns "bf3", or NULL for an unknown id. */
const char *dpk_target_name(uint32_t target);
/* Gets the id of "bf3". Returns false if there is no such target. */
bool dpk_target_find(const char *name, uint32_t *target);
/* Returns true if the target's DPA has the instructions of Zba, as cx8, cx9 and the generic target
 * (dpacc(1)). */
bool dpk_target_has_zba(uint32_t target);
/* Writes a name for any id: "bf3", or "target7". Returns `out`. */
#define DPK_TARGET_TEXT 20
const char *dpk_target_text(uint32_t target, char out[DPK_TARGET_TEXT]);

/* ---- Areas ---- */

#define DPK_FAT_MAX 16 /* members */

/* Kinds of members in files. Others exist in none that is known, and are read like these. */
enum dpk_fat_kind {
    DPK_FAT_PROGRAM = 0, /* a device ELF; also attributes */
    DPK_FAT_ARCHIVE = 1, /* a device library's archive for this target */
    DPK_FAT_ROOM = 3,    /* room for crypto data */
};
struct dpk_fat_member {
    uint32_t target;
    const uint8_t *data; /* borrowed */
    size_t size;         /* bytes, may be 0 */
    uint32_t kind;       /* enum dpk_fat_kind, or another number */
};
struct dpk_fat {
    struct dpk_fat_member members[DPK_FAT_MAX]; /* in the file's order; each target once */
    size_t count;                               /* at least 1 */
};

/* Returns true if the bytes start like an area. */
bool dpk_fat_is(const void *bytes, size_t size);
/* Returns true for an area that parses and whose first member is an archive: a device library. */
bool dpk_fat_is_library(const void *bytes, size_t size);
/* Reads the table of an area. Contents are borrowed; there is nothing to free. Errors:
 * DPK_ERR_FORMAT with the member's number if the table or a member is outside the area, if members
 * overlap, if a target occurs twice, or if there are no members or too many;
 * DPK_ERR_UNSUPPORTED for another version. On failure `out` is empty. */
enum dpk_status dpk_fat_parse(const void *bytes, size_t size, struct dpk_fat *out,
                              struct dpk_error *err);
/* Returns the member for `target`, borrowed from `fat`, or NULL. */
const struct dpk_fat_member *dpk_fat_find(const struct dpk_fat *fat, uint32_t target);
/* Appends an area of the members, in their order, to `out`. A member with `data` NULL is `size`
 * bytes of zero. Members start at multiples of 8, except after archives, which follow each other
 * without padding. Errors: no member, too many, a target twice. */
enum dpk_status dpk_fat_build(const struct dpk_fat_member *members, size_t count,
                              struct dpk_buf *out, struct dpk_error *err);

/* ---- Contents of members ---- */

/* size of the length (u64) before crypto data in a room */
#define DPK_ROOM_PREFIX 8

/* Gets the crypto data in a room, borrowed. NULL if the length is 0 or there is no room. Errors:
 * DPK_ERR_FORMAT if the length exceeds the room, or does not fit into it. */
enum dpk_status dpk_room_read(const uint8_t *room, size_t room_size, const uint8_t **crypto,
                              size_t *size, struct dpk_error *err);

/* Gets the data of a member of the area of attributes, borrowed. NULL if the length is 0. Errors:
 * DPK_ERR_FORMAT if the length exceeds the member. */
enum dpk_status dpk_attributes_read(const struct dpk_fat_member *member, const uint8_t **data,
                                    size_t *size, struct dpk_error *err);
/* Appends an area of attributes with the same data for each of the targets. */
enum dpk_status dpk_attributes_build(const uint32_t *targets, size_t count, const void *data,
                                     size_t size, struct dpk_buf *out, struct dpk_error *err);

#endif
