/*
 * kinds: what mlxdpa can do with each kind of file.
 *
 * kinds/NAME.c describes one kind in `const struct kind kind_NAME`. The build makes the table
 * `kinds` of these files, so a new kind is one new file here: FILE behind a command finds it by its
 * content. The commands read a file, find its kind and call the kind's function.
 */
#ifndef DPK_MLXDPA_KINDS_KIND_H
#define DPK_MLXDPA_KINDS_KIND_H

#include <cjson/cJSON.h>

#include "hostfile/hostfile.h"

#include "mlxdpa/mlxdpa.h"
#include "mlxdpa/verification.h"

/* One file that a command was given. */
struct target {
    const char *path;
    const struct kind *kind;
    bool is_read;
    struct dpk_buf file;
    void *opened; /* what kind->open made of it, else NULL */
    bool locked;  /* nobody else may change it before it is closed */
    int lock;     /* see dpk_file_lock */
};
/* Reads and opens the file, unless that was done. */
enum dpk_status target_read(struct target *t, struct dpk_error *err);

/* The output of list: one line, or one object of JSON, for each part of a file. */
struct listing {
    cJSON *json; /* an array; NULL: text */
    unsigned count;
};
/* Adds a part: `size` bytes from `at`, which lies in the target's file; NULL stands for its
 * beginning. */
void listing_add(struct listing *l, const struct target *t, const char *name, const uint8_t *at,
                 size_t size, const char *what);

/* What is to be signed of a file. */
struct tbs_item {
    char *path;           /* of the file to write */
    struct dpk_buf bytes; /* its content */
};
struct tbs_list {
    const struct mlxdpa_options *options;
    struct tbs_item *items;
    size_t count;
    char note[80]; /* printed behind the names of the files; "": nothing */
};
/* Adds bytes that are to be signed: they are copied, or with --digest hashed. */
enum dpk_status tbs_add(struct tbs_list *l, const struct dpk_tbs *tbs, struct dpk_error *err);

#define KIND_MAGIC_SIZE 16

/* A function that is NULL stands for what this kind of file does not have. */
struct kind {
    const char *name;  /* "certificate container" */
    const char *magic; /* its first KIND_MAGIC_SIZE bytes; NULL: `recognise` decides */
    size_t max;        /* bytes; a larger file is refused */

    /* Is it a file of this kind? Only where `magic` is NULL. */
    bool (*recognise)(const struct dpk_buf *file);
    /* Parses the file into t->opened, for files that all commands need parsed. */
    enum dpk_status (*open)(struct target *t, struct dpk_error *err);
    void (*close)(void *opened);

    /* Adds the parts of the file. The caller puts the path before the error. */
    enum dpk_status (*list)(const struct target *t, struct listing *l, struct dpk_error *err);
    /* Adds everything that the file says of itself to `o`; nothing is proven by it. The caller puts
     * the path before the error. */
    enum dpk_status (*show)(const struct target *t, cJSON *o, struct dpk_error *err);

    /* Were the options given that say whom to trust with this file? */
    enum dpk_status (*need_trust)(const struct target *t, const struct mlxdpa_options *o,
                                  struct dpk_error *err);
    /* Adds an outcome for each thing that is proven or refused. An error stands for what could not
     * be tried. */
    enum dpk_status (*verify)(struct verification *v, struct dpk_error *err);
    bool of_programs; /* its outcomes are of programs, not of the file */

    /* The following read the target themselves, after they have asked for the options they need. */

    /* Signs the file by -p; `command` is the command's name. */
    enum dpk_status (*sign)(const char *command, struct target *t, const struct mlxdpa_options *o,
                            struct dpk_error *err);
    /* Adds what is to be signed elsewhere. */
    enum dpk_status (*tbs)(struct target *t, const struct mlxdpa_options *o, struct tbs_list *l,
                           struct dpk_error *err);
    /* Puts the signatures of --signature into the file. */
    enum dpk_status (*attach)(struct target *t, const struct mlxdpa_options *o,
                              struct dpk_error *err);
    /* Takes the signatures out again. */
    enum dpk_status (*strip)(struct target *t, const struct mlxdpa_options *o,
                             struct dpk_error *err);
};

/* Every kind, in the order of the files' names; NULL ends it. */
extern const struct kind *const kinds[];

/* The kinds that options name. A file that no kind recognises is read as a host file. */
extern const struct kind kind_app, kind_cert_container, kind_host, kind_nv_config;

#endif
