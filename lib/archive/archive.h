/*
 * archive: the members of archives (ar), whose names are those of System V or of BSD.
 *
 *     struct dpk_archive_walk walk = dpk_archive_walk(bytes, size);
 *     struct dpk_archive_object o;
 *     while (dpk_archive_next_object(&walk, &o))
 *         use(o.name, o.data, o.size);
 *     if (dpk_archive_is_damaged(&walk))
 *         ...
 */
#ifndef DPK_ARCHIVE_ARCHIVE_H
#define DPK_ARCHIVE_ARCHIVE_H

#include "base/base.h"

struct dpk_archive_walk {
    struct dpk_reader file;       /* the whole archive, borrowed */
    uint64_t at;                  /* offset of the next member's header */
    struct dpk_reader long_names; /* content of the member "//" */
};
struct dpk_archive_member {
    const char *name; /* borrowed, without an end; "/" and "//" are of the format itself */
    size_t name_size;
    uint64_t base, size; /* of its content; the size is the header's, and may exceed the archive */
};

/* Returns true if the bytes start like an archive that holds its members. A thin archive, which
 * only names them, does not. */
bool dpk_archive_is(const void *bytes, size_t size);
struct dpk_archive_walk dpk_archive_walk(const void *bytes, size_t size);
/* Gets the next member. Returns false at the end, and where there is no header of a member. */
bool dpk_archive_next(struct dpk_archive_walk *walk, struct dpk_archive_member *out);

struct dpk_archive_object {
    char name[256];      /* cut if it is longer */
    const uint8_t *data; /* borrowed */
    size_t size;
};
/* Gets the next member, without the symbol index and the table of names. Returns false at the end,
 * and where the archive is damaged. */
bool dpk_archive_next_object(struct dpk_archive_walk *walk, struct dpk_archive_object *out);
/* Call this after the walk. Returns true if it ended before the end of the archive, or a member is
 * longer than the archive. */
bool dpk_archive_is_damaged(const struct dpk_archive_walk *walk);
/* Returns the bytes up to the end of the last member: linkers refuse padding after it, which
 * archives in areas may have. Returns `size` for other bytes, and for a damaged archive. */
size_t dpk_archive_length(const void *bytes, size_t size);

#endif
