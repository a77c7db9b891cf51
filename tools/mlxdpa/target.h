/* Opens the files of commands. */
#ifndef DPK_MLXDPA_TARGET_H
#define DPK_MLXDPA_TARGET_H

#include "kinds/kind.h"

#define TARGETS_MAX 5
struct targets {
    struct target list[TARGETS_MAX];
    size_t count; /* at least 1 */
};

/* A file on the command line. */
struct target_name {
    const char *path;
    const struct kind *kind; /* the kind of the option; NULL: the content says it */
};
/* Sets `out` to the files that options name, in the order of their kinds. Returns their number, at
 * most TARGETS_MAX. */
size_t mlxdpa_targets_by_option(const struct mlxdpa_options *o,
                                struct target_name out[TARGETS_MAX]);
/* Errors: DPK_ERR_USAGE if no file is named, or if both options and words name files. */
enum dpk_status mlxdpa_targets_named(const char *command, size_t by_option, size_t words,
                                     const char *word, struct dpk_error *err);

/* Opens the files that -e, --cert_container, -s, --nv_config and FILE name. An option says the kind
 * of its file; the content of FILE says its kind. If no file is named, the error names `command`.
 * Release with mlxdpa_targets_close, after a failure too. */
enum dpk_status mlxdpa_targets_open(const char *command, const struct mlxdpa_options *o,
                                    struct targets *out, struct dpk_error *err);
void mlxdpa_targets_close(struct targets *t);

/* Starts with the file `path` of `kind`. If `kind` is NULL, it reads the file and finds its kind.
 * Release with mlxdpa_target_close, also after failures. */
enum dpk_status mlxdpa_target_open(const char *path, const struct kind *kind, struct target *t,
                                   struct dpk_error *err);
/* The same for a command that changes the file, and writes to -o or in place. In place, other
 * programs that change the file wait until mlxdpa_target_close, so that no change is lost. Warns about
 * hard links: a file is replaced, so its other names keep the old content. */
enum dpk_status mlxdpa_target_open_to_change(const char *path, const struct kind *kind,
                                             const struct mlxdpa_options *o, struct target *t,
                                             struct dpk_error *err);
void mlxdpa_target_close(struct target *t);

/* Fails unless can(the target's kind): DPK_ERR_NOT_FOUND "FILE: a KIND <lacks>: KINDS", with the
 * kinds that can. */
enum dpk_status mlxdpa_target_needs(const struct target *t, bool (*can)(const struct kind *k),
                                    const char *lacks, struct dpk_error *err);

#endif
