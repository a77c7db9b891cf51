/* Opening the files that commands are given. */
#ifndef DPK_MLXDPA_TARGET_H
#define DPK_MLXDPA_TARGET_H

#include "kinds/kind.h"

#define TARGETS_MAX 5
struct targets {
    struct target list[TARGETS_MAX];
    size_t count; /* at least 1 */
};

/* A file that the command line names. */
struct target_name {
    const char *path;
    const struct kind *kind; /* which the option says; NULL: found by its content */
};
/* Which files options name: up to TARGETS_MAX, in the order of their kinds. Returns how many. */
size_t targets_by_option(const struct mlxdpa_options *o, struct target_name out[TARGETS_MAX]);
/* DPK_ERR_USAGE: no file is named, or files are named by options and also as words. */
enum dpk_status targets_named(const char *command, size_t by_option, size_t words, const char *word,
                              struct dpk_error *err);

/* Opens what -e, --cert_container, -s, --nv_config and FILE name. An option says the kind of its
 * file; the kind of FILE is found by its content. `command` stands in the error when there is none.
 * Release with targets_close, after a failure too. */
enum dpk_status targets_open(const char *command, const struct mlxdpa_options *o,
                             struct targets *out, struct dpk_error *err);
void targets_close(struct targets *t);

/* Starts with the file at `path`, which is of `kind`. NULL: reads it and finds its kind. Release
 * with target_close, after a failure too. */
enum dpk_status target_open(const char *path, const struct kind *kind, struct target *t,
                            struct dpk_error *err);
/* The same for a command that changes the file, and writes to -o or in place: then whoever else
 * does so waits until target_close, so that no change is lost. Warns of hard links, which are not
 * followed: a file is replaced, so that it is whole at any time. */
enum dpk_status target_open_to_change(const char *path, const struct kind *kind,
                                      const struct mlxdpa_options *o, struct target *t,
                                      struct dpk_error *err);
void target_close(struct target *t);

/* Unless the target's kind `can`: DPK_ERR_NOT_FOUND "FILE: a KIND <lacks>: KINDS", those that can.
 */
enum dpk_status target_needs(const struct target *t, bool (*can)(const struct kind *k),
                             const char *lacks, struct dpk_error *err);

#endif
