/*
 * database: how files are compiled, for clangd and other tools of clang: a "JSON Compilation Database"
 * as clang's manual describes it, compile_commands.json. Other builds may have entries in it.
 *
 *     [{"directory": "/src", "file": "k.c", "output": "p.a", "arguments": ["clang", ...]}]
 */
#ifndef DPK_DPACC_DATABASE_H
#define DPK_DPACC_DATABASE_H

#include "words.h"

/* One compile; paths are relative to the directory of the run. */
struct database_entry {
    char *file, *output;
    struct words arguments;
};

/* Puts entries into the text of a database, each in the place of one with the same file and output,
 * else at the end. Nothing at all is an empty database. What is no database stays as it is:
 * DPK_ERR_FORMAT. */
enum dpk_status database_put(const struct database_entry *entries, size_t count,
                             const char *directory, struct dpk_buf *text, struct dpk_error *err);

/* The same for a file, which is made if there is none. Others who do this at the same time lose
 * nothing. */
enum dpk_status database_add(const char *path, const struct database_entry *entries, size_t count,
                             struct dpk_error *err);

#endif
