/* Signing on another machine: bytes to sign, and signatures of them, as files. */
#ifndef MLXDPA_TBS_H
#define MLXDPA_TBS_H

#include <limits.h>

#include "mlxdpa.h"

/* "PREFIX.ending" */
enum dpk_status tbs_path(const char *prefix, const char *ending, char out[PATH_MAX],
                         struct dpk_error *err);
/* What the file of bytes to sign ends in: they are there as they are, or as a bare SHA-512. */
const char *tbs_ending(const struct mlxdpa_options *o);
/* Writes it, and prints its name. */
enum dpk_status tbs_write(const struct mlxdpa_options *o, const char *path, const uint8_t *bytes,
                          size_t size, struct dpk_error *err);
/* Reads a signature of RSA-4096; DPK_ERR_FORMAT: one of another size. */
enum dpk_status tbs_read_signature(const char *path, struct dpk_buf *signature,
                                   struct dpk_error *err);

/* A container whose signature is checked under a public key alone (--key). */
struct tbs_attachment {
    const char *input; /* its file */
    size_t input_max;  /* bytes */
    enum dpk_status (*read_signature)(const char *path, struct dpk_buf *signature,
                                      struct dpk_error *err);
    /* Appends the signed container to `made`, or refuses. */
    enum dpk_status (*attach)(const void *how, const struct dpk_buf *file,
                              const struct dpk_buf *signature, EVP_PKEY *key, struct dpk_buf *made,
                              struct dpk_error *err);
    const void *how;
};
/* Reads container, --signature and --key, and writes what comes of them to -o. */
enum dpk_status tbs_attach_under_key(const struct mlxdpa_options *o, const struct tbs_attachment *a,
                                     struct dpk_error *err);

/* export_tbs and attach_signature of --cert_container, of -s, and of --dpa_app_removal_container.
 */
enum dpk_status tbs_export_container(const struct mlxdpa_options *o, struct dpk_error *err);
enum dpk_status tbs_attach_container(const struct mlxdpa_options *o, struct dpk_error *err);
enum dpk_status tbs_export_app(const struct mlxdpa_options *o, struct dpk_error *err);
enum dpk_status tbs_attach_app(const struct mlxdpa_options *o, struct dpk_error *err);
enum dpk_status tbs_attach_removal(const struct mlxdpa_options *o, struct dpk_error *err);

#endif
