/* embed: bytes as C that puts them into a section of a host object, and the code that registers a
 * program. Nothing that is generated needs another file. */
#ifndef DPK_DPACC_EMBED_H
#define DPK_DPACC_EMBED_H

#include "words.h"

#define EMBED_ROOM_SIZE 65536 /* bytes for the crypto data of one target */

/* What the sections of a program hold (signing(7)). */
struct embedded {
    struct dpk_buf program, room;
    struct dpk_buf attributes; /* empty: none */
};

/* `array` is the name of the bytes in C; NULL: only the section. `allocated`: part of what is
 * loaded, else for tools only. */
void embed_bytes(const char *section, const char *array, bool allocated,
                 const struct dpk_buf *bytes, struct dpk_buf *out);
/* The sections of a program. */
void embed_program(const char *app, const struct embedded *program, struct dpk_buf *out);
/* The program's variable, its constructor and destructor, which register `entries`. */
void embed_meta(const char *app, size_t count, char *const *entries, struct dpk_buf *out);

#endif
