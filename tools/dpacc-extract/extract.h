/*
 * dpacc-extract: what its files share. source.c has the programs of the input, list.c prints them,
 * extract.c has the command and takes one out. area.c does the same with device libraries.
 */
#ifndef DPK_DPACC_EXTRACT_EXTRACT_H
#define DPK_DPACC_EXTRACT_EXTRACT_H

#include "cli/cli.h"
#include "core.h"
#include "fat/fat.h"
#include "hostfile/hostfile.h"

struct extract_options {
    const char *output;    /* -o */
    const char *app;       /* --app-name */
    const char *mcpu;      /* -mcpu */
    const char *signature; /* --signature */
    bool list;             /* --list */
    bool json;             /* --json */
    uint32_t target;       /* the target that mcpu names */
};

extern const struct dpk_command extract_command;

/* The programs of the input: a host file or a core file. */
struct source {
    struct dpk_buf file;
    struct dpk_fat area;       /* a bare area, most often a device library; else empty */
    struct dpk_hostfile *host; /* NULL: a core file, or an area */
    struct core core;
    struct dpk_program *of_core; /* programs of a core file, with allocated `subjects` */
};

/* Release `s` with extract_source_close, also after failures. */
enum dpk_status extract_source_open(const char *path, struct source *s, struct dpk_error *err);
void extract_source_close(struct source *s);

size_t extract_source_count(const struct source *s);
const struct dpk_program *extract_source_program(const struct source *s, size_t index);
/* Finds the program `app`, or the only program if `app` is NULL. Errors about a core file start
 * with `input`. */
enum dpk_status extract_source_find(const struct source *s, const char *input, const char *app,
                                    const struct dpk_program **out, struct dpk_error *err);

/* Writes "nv-dpa-bf3", or "-" for a program without an area, which does not name its target. Returns
 * `out`. */
#define EXTRACT_TARGET_TEXT (DPK_TARGET_TEXT + 8)
const char *extract_target_name(const struct dpk_subject *s, char out[EXTRACT_TARGET_TEXT]);

/* Prints the programs, as a table or as JSON. */
enum dpk_status extract_list_programs(const struct source *s, bool json, struct dpk_error *err);

/* The same for a bare area, whose members are of targets, not programs. */
enum dpk_status extract_area_list(const struct source *s, bool json, struct dpk_error *err);
enum dpk_status extract_area_extract(const struct extract_options *o, const char *input,
                                     const struct source *s, struct dpk_error *err);

#endif
