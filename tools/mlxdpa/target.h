/* What list, show and verify look at: files of every kind, and the programs in them. */
#ifndef MLXDPA_TARGET_H
#define MLXDPA_TARGET_H

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

enum target_kind {
    TARGET_HOST,      /* host file with programs, or an archive of such */
    TARGET_CONTAINER, /* certificate container */
    TARGET_APP,       /* single-program container */
    TARGET_NV,        /* NV configuration file */
    TARGET_DEVICE_ELF /* bare device ELF, or a fat file of them */
};
const char *target_kind_name(enum target_kind kind); /* "certificate container" */

struct target {
    const char *path;
    enum target_kind kind;
    struct dpk_buf file;       /* all but host files */
    struct dpk_hostfile *host; /* host files */
};
#define TARGETS_MAX 5
struct targets {
    struct target list[TARGETS_MAX];
    size_t count; /* at least 1 */
};

/* Opens what -e, --cert_container, -s, --nv_config and FILE name, FILE by its content. `command`
 * stands in the error when there is none. Release with targets_close, after a failure too. */
enum dpk_status targets_open(const char *command, const struct mlxdpa_options *o,
                             struct targets *out, struct dpk_error *err);
void targets_close(struct targets *t);

/* Told of a device ELF with its crypto data and manifest: a program, `target` NULL, or what a fat
 * one has for one target. */
typedef enum dpk_status unit_fn(void *context, const char *target, const struct dpk_program *unit,
                                struct dpk_error *err);
/* Calls `each` for the units of a program until one call fails. A fat file that is damaged is one
 * unit, as it stands. */
enum dpk_status units_of(const struct dpk_program *p, unit_fn *each, void *context,
                         struct dpk_error *err);

#endif
