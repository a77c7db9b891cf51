/* Signing on another machine: the files of bytes to sign, and of their signatures. */
#ifndef DPK_MLXDPA_TBS_H
#define DPK_MLXDPA_TBS_H

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

/* PREFIX.APP.TARGET.suffix, without APP or TARGET if `tbs` has none: the file of bytes to sign or
 * of their signature. Any character of the application's name besides letters, digits, '-', '_' and
 * '.', and a leading '.', becomes %XX. To be freed; NULL when out of memory. */
char *mlxdpa_signing_path(const char *prefix, const struct dpk_tbs *tbs, const char *suffix);

/* What is to be signed of a file. */
struct tbs_item {
    char *path;           /* of the file to write */
    struct dpk_buf bytes; /* its content */
};
struct tbs_list {
    const struct mlxdpa_options *options;
    struct tbs_item *items;
    size_t count;
    char note[80]; /* printed after the names of the files; "": nothing */
};
/* Adds bytes that are to be signed: they are copied, or with --digest hashed. */
enum dpk_status mlxdpa_tbs_add(struct tbs_list *l, const struct dpk_tbs *tbs,
                               struct dpk_error *err);
void mlxdpa_tbs_free(struct tbs_list *l);

/* Reads a signature. DPK_ERR_FORMAT: it does not have the size of RSA-4096, unless `any_size`. */
enum dpk_status mlxdpa_signature_read_file(const char *path, bool any_size, struct dpk_buf *out,
                                           struct dpk_error *err);
/* Reads the signature of `tbs` by --signature. DPK_ERR_FORMAT: it does not have the size of
 * RSA-4096. */
enum dpk_status mlxdpa_signature_read(const struct mlxdpa_options *o, const struct dpk_tbs *tbs,
                                      struct dpk_buf *signature, struct dpk_error *err);

#endif
