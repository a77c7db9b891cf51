/*
 * kinds: the functions of mlxdpa for each kind of file.
 *
 * kinds/NAME.c describes one kind in `const struct kind kind_NAME`. kinds.h declares it, and kinds.c
 * lists it. The commands read a file, find its kind and call the kind's function.
 */
#ifndef DPK_MLXDPA_KINDS_KIND_H
#define DPK_MLXDPA_KINDS_KIND_H

#include <cjson/cJSON.h>

#include "hostfile/hostfile.h"

#include "mlxdpa/mlxdpa.h"
#include "mlxdpa/verification.h"

/* A file that a command was given. */
struct target {
    const char *path;
    const struct kind *kind;
    bool is_read;
    struct dpk_buf file;
    void *opened; /* result of kind->open, or NULL */
    bool locked;  /* other commands cannot change the file before it is closed */
    int lock;     /* see dpk_file_lock */
};
/* Reads the file, whose kind is known, and opens it, unless that was done. */
enum dpk_status kinds_target_read(struct target *t, struct dpk_error *err);
/* The second half of kinds_target_read: opens the file, whose bytes are in t->file. */
enum dpk_status kinds_target_parse(struct target *t, struct dpk_error *err);

/* Output of list: a line or a JSON object for each part of a file. */
struct listing {
    cJSON *json; /* an array; NULL for text */
    unsigned count;
};
/* Adds a part: `size` bytes from `at` in the target's file, or from its start if `at` is NULL. */
void kinds_listing_add(struct listing *l, const struct target *t, const char *name,
                       const uint8_t *at, size_t size, const char *what);

struct tbs_list;

#define KIND_MAGIC_SIZE 16

/* A function is NULL if this kind of file does not support it. */
struct kind {
    const char *name;  /* "certificate container" */
    const char *magic; /* first KIND_MAGIC_SIZE bytes; NULL: `recognise` decides */
    size_t max;        /* maximum size, bytes */

    /* Returns true for a file of this kind. Called only if `magic` is NULL. */
    bool (*recognise)(const struct dpk_buf *file);
    /* Parses the file into t->opened, if all commands need it parsed. */
    enum dpk_status (*open)(struct target *t, struct dpk_error *err);
    void (*close)(void *opened);

    /* Adds the parts of the file. The caller puts the path before the error. */
    enum dpk_status (*list)(const struct target *t, struct listing *l, struct dpk_error *err);
    /* Adds everything that the file says about itself to `o`, without proof. The caller puts the
     * path before the error. */
    enum dpk_status (*show)(const struct target *t, cJSON *o, struct dpk_error *err);

    /* Checks that the options say whom to trust with this file. */
    enum dpk_status (*need_trust)(const struct target *t, const struct mlxdpa_options *o,
                                  struct dpk_error *err);
    /* Adds an outcome for each program or file that is proven or refused. Fails if a check could
     * not be tried. */
    enum dpk_status (*verify)(struct verification *v, struct dpk_error *err);
    bool of_programs; /* its outcomes are about programs, not the file */

    /* The following functions read the target themselves, after they have checked their options. */

    /* Signs the file with -p; `command` is the command's name. */
    enum dpk_status (*sign)(const char *command, struct target *t, const struct mlxdpa_options *o,
                            struct dpk_error *err);
    /* Adds the bytes that another machine signs. */
    enum dpk_status (*tbs)(struct target *t, const struct mlxdpa_options *o, struct tbs_list *l,
                           struct dpk_error *err);
    /* Adds the signatures of --signature to the file. */
    enum dpk_status (*attach)(struct target *t, const struct mlxdpa_options *o,
                              struct dpk_error *err);
    /* Removes the signatures. */
    enum dpk_status (*strip)(struct target *t, const struct mlxdpa_options *o,
                             struct dpk_error *err);
};

#endif
