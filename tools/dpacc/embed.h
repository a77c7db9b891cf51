/* embed: bytes as C that puts them into a section of a host object, and the code that registers a
 * program. Nothing that is generated needs another file. */
#ifndef DPACC_EMBED_H
#define DPACC_EMBED_H

#include "words.h"

#define EMBED_SIGNATURE_SIZE 65536

/* `array` is the name of the bytes in C; NULL: only the section. `allocated`: part of what is
 * loaded, else for tools only. */
void embed_bytes(const char *section, const char *array, bool allocated,
                 const struct dpk_buf *bytes, struct dpk_buf *out);
/* Device executable, room for its crypto data, attributes if there are any. */
void embed_program(const char *app, const struct dpk_buf *elf, const struct dpk_buf *attributes,
                   struct dpk_buf *out);
/* The program's variable, its constructor and destructor, which register `entries`. */
void embed_meta(const char *app, size_t count, char *const *entries, struct dpk_buf *out);

#endif
