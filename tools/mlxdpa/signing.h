/* What the commands that sign, export, attach and strip programs share. */
#ifndef MLXDPA_SIGNING_H
#define MLXDPA_SIGNING_H

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

/* Options of signing as the library has them. */
enum dpk_status apps_sign_options(const struct mlxdpa_options *o, struct dpk_sign_options *out,
                                  struct dpk_error *err);

/* The chain of -c, its count checked; with --force a chain out of its dates is a warning. */
enum dpk_status apps_load_chain(const struct mlxdpa_options *o, struct dpk_certchain **out,
                                struct dpk_error *err);

/* May this chain sign, by this signer or (NULL) by signatures that are brought? Messages name the
 * files. */
enum dpk_status apps_check_chain(const struct mlxdpa_options *o, const struct dpk_certchain *chain,
                                 const struct dpk_signer *signer, struct dpk_error *err);

/* Opens the host file of -e; a bare device ELF, or a file without programs, is told apart. */
enum dpk_status apps_open_host(const struct mlxdpa_options *o, struct dpk_hostfile **out,
                               struct dpk_error *err);

/* Writes the changed host file, by default as executable as it was. */
enum dpk_status apps_write(const struct mlxdpa_options *o, const char *output,
                           const struct dpk_edited *edited, struct dpk_error *err);

/* PREFIX.APP.suffix, or PREFIX.APP.TARGET.suffix: the file of one program's bytes or signature.
 * What is no letter, digit, '-', '_' or '.' in an application's name, and a '.' at its begin,
 * becomes %XX. To be freed; NULL when out of memory. */
char *apps_file_name(const char *prefix, const struct dpk_tbs *tbs, const char *suffix);

#endif
