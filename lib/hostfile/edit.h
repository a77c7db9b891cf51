/*
 * A host file changed without copying it: bytes overwritten in place, and new ends of its objects
 * where sections come or go. Private to this room.
 */
#ifndef DPK_HOSTFILE_EDIT_H
#define DPK_HOSTFILE_EDIT_H

#include "host.h"

/* Bytes of the file that are written anew; `content` is their place in the edit's arena. */
struct patch {
    uint64_t at;
    size_t size, content;
};

/*
 * The end of an object, written anew: contents of added sections, section name table, section
 * header table. Where the old name table and header table are the last things in the object, as
 * linkers leave them, they make room (the layout of objcopy and of NVIDIA's tool); elsewhere the
 * new end goes behind the old one. Nothing else moves, so segments stay what they are. Offsets
 * count from the object's first byte, as they do in its headers.
 */
struct tail {
    const struct object *object;
    const struct section *names;
    uint64_t keep;   /* bytes of the object that stay before the new end */
    bool names_last; /* new headers go before that of the name table, not behind it */
    struct dpk_buf contents, name_table, new_headers;
    struct dpk_elf_section *headers; /* the old ones, changed as needed */
    size_t count;                    /* of them */
    struct dpk_buf bytes;            /* the new end, once finished */
};

struct dpk_edited {
    const struct dpk_hostfile *host;
    struct patch *patches;
    size_t patch_count, patch_capacity;
    struct dpk_buf arena;
    struct tail **tails; /* one for each object, NULL: its end stays */
    struct dpk_piece *pieces;
    size_t piece_count;
};

enum dpk_status edit_open(const struct dpk_hostfile *host, struct dpk_edited **out,
                          struct dpk_error *err);
/* Offsets from the start of the file. Running out of memory shows in edit_finish. */
void edit_put(struct dpk_edited *e, uint64_t at, const void *data, size_t size);
void edit_clear(struct dpk_edited *e, uint64_t at, size_t size);
/* The type of a section of object `index`. */
void edit_set_type(struct dpk_edited *e, size_t index, const struct section *s, uint32_t type);

/* The new end of object `index`, which it now gets. */
enum dpk_status edit_tail(struct dpk_edited *e, size_t index, struct tail **out,
                          struct dpk_error *err);
/* Puts bytes there; their offset. */
uint64_t tail_put_content(struct tail *t, const void *data, size_t size, unsigned alignment);
/* Where a section's content now is; `offset` counts from the start of the object. */
void tail_set_extent(struct tail *t, const struct section *s, uint64_t offset, uint64_t size);
void tail_add_section(struct tail *t, const char *name, uint32_t type, unsigned alignment,
                      const void *data, size_t size);
/* Takes sections out (indices in the section header table, in ascending order): where nothing but
 * the tables lies behind their contents, these go too and the file gets shorter. */
void tail_remove_sections(struct dpk_edited *e, struct tail *t, const size_t *indices,
                          size_t count);

/* After the last change: the pieces of the new file. */
enum dpk_status edit_finish(struct dpk_edited *e, struct dpk_error *err);

/* The changed sizes of an archive's members, in their headers and in the symbol index: patches
 * (archive.c). `sizes`: of each object, new. */
enum dpk_status archive_adjust(struct dpk_edited *e, const uint64_t *sizes, struct dpk_error *err);

#endif
