/* Signing: functions that several kinds of file use. */
#ifndef DPK_MLXDPA_SIGNING_H
#define DPK_MLXDPA_SIGNING_H

#include <limits.h>

#include "hostfile/hostfile.h"

#include "mlxdpa.h"

struct target;

/* ---- Programs, signed with a certificate chain ---- */

/* Makes the options of signing that the library takes. */
struct dpk_sign_options signing_options(const struct mlxdpa_options *o);

/* The chain of -c, its count checked. To be released. */
enum dpk_status signing_chain(const struct mlxdpa_options *o, struct dpk_certchain **out,
                              struct dpk_error *err);

/* May this chain sign, by this signer or (NULL) by signatures that are brought? Messages name the
 * files. With --force a chain out of its dates is a warning. */
enum dpk_status signing_check(const struct mlxdpa_options *o, const struct dpk_certchain *chain,
                              const struct dpk_signer *signer, struct dpk_error *err);

/* What signs the programs of a file, and where the signed file goes. */
struct program_signer {
    const char *output; /* -o, or the file itself */
    struct dpk_certchain *chain;
    struct dpk_signer *signer; /* the key of the chain's leaf */
};

/* Prepares what signs the programs of the file `path`, by -c, which is given: output and chain are
 * checked, and no key is opened. The output is none of the inputs. Release with program_signer_close,
 * after failures too. */
enum dpk_status program_signer_prepare(const struct mlxdpa_options *o, const char *path,
                                       struct program_signer *s, struct dpk_error *err);
/* Opens the key (-p): when all else is known to be right, for a token counts wrong PINs. */
enum dpk_status program_signer_open(const struct mlxdpa_options *o, struct program_signer *s,
                                    struct dpk_error *err);
/* Could the file be written? */
enum dpk_status signing_output(const char *output, struct dpk_error *err);
/* After signing: warns of a leaf that ends within 90 days. */
void program_signer_warn(const struct mlxdpa_options *o, const struct program_signer *s);
void program_signer_close(struct program_signer *s);

/* Several host files, and where each goes. */
struct targets_to_sign {
    struct target *at;
    char (*outputs)[PATH_MAX];
    size_t count;
};
/* Signs them with one login: all are checked before the key is opened, -o names a folder. */
enum dpk_status host_sign_all(struct targets_to_sign *list, const struct mlxdpa_options *o,
                              struct dpk_error *err);

/* ---- Containers, signed by a key alone ---- */

/* Appends the signed container of `file` to `made`; `how` says how. */
typedef enum dpk_status sign_fn(void *how, const struct dpk_buf *file,
                                const struct dpk_signer *signer, struct dpk_buf *made,
                                struct dpk_error *err);
/* Refuses what cannot be signed, without a key. */
typedef enum dpk_status prepare_fn(void *how, const struct dpk_buf *file, struct dpk_error *err);
/* Signs the file by -p, which is opened after `prepare`, and writes it to -o. */
enum dpk_status sign_by_key(struct target *t, const struct mlxdpa_options *o, prepare_fn *prepare,
                            sign_fn *sign, void *how, struct dpk_error *err);

/* Appends the container with a signature that `key` must have made. */
typedef enum dpk_status attach_fn(const void *how, const struct dpk_buf *file,
                                  const struct dpk_buf *signature, EVP_PKEY *key,
                                  struct dpk_buf *made, struct dpk_error *err);
/* Reads the signature of --signature, checks it under the one --key, and writes the container to
 * -o. `any_size`: `attach` says what is wrong with a signature of another size. */
enum dpk_status attach_by_key(struct target *t, const struct mlxdpa_options *o, bool any_size,
                              attach_fn *attach, const void *how, struct dpk_error *err);

/* ---- Signatures made by another machine ---- */

/* PREFIX.APP.TARGET.suffix, without what `tbs` does not name: the file of bytes to sign or of their
 * signature. What is no letter, digit, '-', '_' or '.' in an application's name, and a '.' at its
 * begin, becomes %XX. To be freed; NULL when out of memory. */
char *signing_path(const char *prefix, const struct dpk_tbs *tbs, const char *suffix);

/* Reads the signature of `tbs` by --signature; DPK_ERR_FORMAT: one of another size. */
enum dpk_status signature_read(const struct mlxdpa_options *o, const struct dpk_tbs *tbs,
                               struct dpk_buf *signature, struct dpk_error *err);

#endif
