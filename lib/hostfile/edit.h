/*
 * A host file changed without copying it: bytes are overwritten in place, and objects get a new end
 * if sections are added or removed. Private to this room.
 */
#ifndef DPK_HOSTFILE_EDIT_H
#define DPK_HOSTFILE_EDIT_H

#include "host.h"

/* Bytes of the file to overwrite. `content` is their place in the edit's arena. */
struct patch {
    uint64_t at;
    size_t size, content;
};

/* The new end of an object: contents of added sections, section name table, section header table.
 * If the old name table and header table are last in the object, as linkers place them, the new end
 * replaces them (the layout of objcopy and of NVIDIA's tool); otherwise it follows the old end.
 * Nothing else moves, so segments do not change. Offsets count from the object's first byte, as in
 * its headers. */
struct tail {
    const struct object *object;
    const struct section *names;
    uint64_t keep;   /* bytes of the object before the new end */
    bool names_last; /* new headers go before the name table's header, not after it */
    struct dpk_buf contents, name_table, new_headers;
    struct dpk_elf_section *headers; /* the old headers, changed as needed */
    size_t count;                    /* number of headers */
    struct dpk_buf bytes;            /* the new end, once it is finished */
};

struct dpk_edited {
    const struct dpk_hostfile *host;
    struct patch *patches;
    size_t patch_count, patch_capacity;
    struct dpk_buf arena;
    struct tail **tails; /* one for each object; NULL if its end does not change */
    struct dpk_piece *pieces;
    size_t piece_count;
};

enum dpk_status hostfile_edit_open(const struct dpk_hostfile *host, struct dpk_edited **out,
                                   struct dpk_error *err);
/* Overwrites bytes at an offset from the start of the file. hostfile_edit_finish reports lack of memory. */
void hostfile_edit_put(struct dpk_edited *e, uint64_t at, const void *data, size_t size);
void hostfile_edit_clear(struct dpk_edited *e, uint64_t at, size_t size);
/* Sets the type of a section of object `index`. */
void hostfile_edit_set_type(struct dpk_edited *e, size_t index, const struct section *s,
                            uint32_t type);

/* Gets the new end of object `index`, and makes it at the first call. */
enum dpk_status hostfile_edit_tail(struct dpk_edited *e, size_t index, struct tail **out,
                                   struct dpk_error *err);
/* Appends bytes to the new end. Returns their offset. */
uint64_t hostfile_tail_put_content(struct tail *t, const void *data, size_t size,
                                   unsigned alignment);
/* Sets the extent of a section's content; `offset` counts from the start of the object. */
void hostfile_tail_set_extent(struct tail *t, const struct section *s, uint64_t offset,
                              uint64_t size);
void hostfile_tail_add_section(struct tail *t, const char *name, uint32_t type, unsigned alignment,
                               const void *data, size_t size);
/* Removes sections (indices in the section header table, in ascending order). If only the tables
 * follow their contents, the contents go too, and the file gets shorter. */
void hostfile_tail_remove_sections(struct dpk_edited *e, struct tail *t, const size_t *indices,
                                   size_t count);

/* Makes the pieces of the new file. Call this after the last change. */
enum dpk_status hostfile_edit_finish(struct dpk_edited *e, struct dpk_error *err);

/* Patches the changed sizes of an archive's members, in their headers and in the symbol index
 * (archive.c). `sizes`: new size of each object. */
enum dpk_status hostfile_archive_adjust(struct dpk_edited *e, const uint64_t *sizes,
                                        struct dpk_error *err);

#endif
