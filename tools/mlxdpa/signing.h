/* Signing functions for several kinds of file. */
#ifndef DPK_MLXDPA_SIGNING_H
#define DPK_MLXDPA_SIGNING_H

#include <limits.h>

#include "hostfile/hostfile.h"

#include "mlxdpa.h"

struct target;

/* ---- Programs, signed with a certificate chain ---- */

/* Returns the signing options for the library. */
struct dpk_sign_options mlxdpa_signing_options(const struct mlxdpa_options *o);

/* Loads the chain of -c and checks its count. Release it with dpk_certchain_free. */
enum dpk_status mlxdpa_signing_chain(const struct mlxdpa_options *o, struct dpk_certchain **out,
                                     struct dpk_error *err);

/* Checks that this chain may sign, by this signer or (NULL) by signatures made elsewhere. Messages
 * name the files. With --force, an expired chain is a warning. */
enum dpk_status mlxdpa_signing_check(const struct mlxdpa_options *o,
                                     const struct dpk_certchain *chain,
                                     const struct dpk_signer *signer, struct dpk_error *err);

/* Signer of a file's programs, and the output. */
struct program_signer {
    const char *output; /* -o, or the file itself */
    struct dpk_certchain *chain;
    struct dpk_signer *signer; /* the key of the chain's leaf */
};

/* Prepares what signs the programs of the file `path`, by -c, which is given: output and chain are
 * checked, and no key is opened. The output is none of the inputs. Release with
 * mlxdpa_program_signer_close, after failures too. */
enum dpk_status mlxdpa_program_signer_prepare(const struct mlxdpa_options *o, const char *path,
                                              struct program_signer *s, struct dpk_error *err);
/* Opens the key (-p). Call this after all other checks: a token counts wrong PINs. */
enum dpk_status mlxdpa_program_signer_open(const struct mlxdpa_options *o, struct program_signer *s,
                                           struct dpk_error *err);
/* Checks that the file can be written. */
enum dpk_status mlxdpa_signing_output(const char *output, struct dpk_error *err);
/* After signing: warns of a leaf that ends within 90 days. */
void mlxdpa_program_signer_warn(const struct program_signer *s);
void mlxdpa_program_signer_close(struct program_signer *s);

/* Several host files, and the output of each. */
struct targets_to_sign {
    struct target *at;
    char (*outputs)[PATH_MAX];
    size_t count;
};
/* Signs them with one login. All files are checked before the key is opened; -o is a folder. */
enum dpk_status kinds_host_sign_all(struct targets_to_sign *list, const struct mlxdpa_options *o,
                                    struct dpk_error *err);

/* ---- Containers, signed with a key only ---- */

/* Appends the signed container of `file` to `made`, with the settings in `how`. */
typedef enum dpk_status sign_fn(void *how, const struct dpk_buf *file,
                                const struct dpk_signer *signer, struct dpk_buf *made,
                                struct dpk_error *err);
/* Refuses a file that cannot be signed, before a key is opened. */
typedef enum dpk_status prepare_fn(void *how, const struct dpk_buf *file, struct dpk_error *err);
/* Signs the file with -p, which is opened after `prepare`, and writes it to -o. */
enum dpk_status mlxdpa_sign_by_key(struct target *t, const struct mlxdpa_options *o,
                                   prepare_fn *prepare, sign_fn *sign, void *how,
                                   struct dpk_error *err);

/* Appends the container with a signature, which must verify with `key`. */
typedef enum dpk_status attach_fn(const void *how, const struct dpk_buf *file,
                                  const struct dpk_buf *signature, EVP_PKEY *key,
                                  struct dpk_buf *made, struct dpk_error *err);
/* Reads the signature of --signature, checks it with the single --key, and writes the container to
 * -o. `any_size`: `attach` reports a wrong size of the signature. */
enum dpk_status mlxdpa_attach_by_key(struct target *t, const struct mlxdpa_options *o,
                                     bool any_size, attach_fn *attach, const void *how,
                                     struct dpk_error *err);

#endif
