/*
 * database: compile commands for clangd and other clang tools in a "JSON Compilation Database"
 * (clang's manual), compile_commands.json. Other builds may have entries in the file.
 *
 *     [{"directory": "/src", "file": "k.c", "output": "p.a", "arguments": ["clang", ...]}]
 */
#ifndef DPK_DPACC_DATABASE_H
#define DPK_DPACC_DATABASE_H

#include "common/words.h"

/* One compile; paths are relative to the current directory. */
struct database_entry {
    char *file, *output;
    struct words arguments;
};

/* Adds entries to the text of a database. An entry replaces the entry with the same file and
 * output, else it is appended. An empty text is an empty database. Errors: DPK_ERR_FORMAT if the
 * text is not a database; it stays unchanged. */
enum dpk_status dpacc_database_put(const struct database_entry *entries, size_t count,
                                   const char *directory, struct dpk_buf *text,
                                   struct dpk_error *err);

/* Same for a file, which is made if it is absent. Concurrent calls lose no entries. */
enum dpk_status dpacc_database_add(const char *path, const struct database_entry *entries,
                                   size_t count, struct dpk_error *err);

#endif
