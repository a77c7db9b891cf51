/* embed: C code that puts bytes into a section of a host object, and C code that registers a
 * program. The generated code needs no other file. */
#ifndef DPK_DPACC_EMBED_H
#define DPK_DPACC_EMBED_H

#include "common/words.h"

#define EMBED_ROOM_SIZE                                                                            \
    65536 /* bytes for the crypto data of one target; in areas behind its size */

/* Contents of a program's sections (signing(7)). */
struct embedded {
    struct dpk_buf program, room;
    struct dpk_buf attributes; /* may be empty */
};

/* Writes C code for a section. `array` is the name of the bytes in C, or NULL. `allocated`: the
 * section is loaded; otherwise it is only for tools. */
void dpacc_embed_bytes(const char *section, const char *array, bool allocated,
                       const struct dpk_buf *bytes, struct dpk_buf *out);
/* Writes a constant of C code, `_dpacc_NAME_WHAT_len`. */
void dpacc_embed_length(const char *name, const char *what, uint64_t size, struct dpk_buf *out);
/* Writes the sections of a program. */
void dpacc_embed_program(const char *app, const struct embedded *program, struct dpk_buf *out);
/* Writes the program's variable, and the constructor and destructor that register `hosts`: "k.f" for
 * the function f of the source k. */
void dpacc_embed_meta(const char *app, size_t count, char *const *hosts, struct dpk_buf *out);

#endif
