/*
 * Shared by the commands of flint-lite. burn.c, query.c and verify.c have the commands with their
 * options; main.c lists them.
 */
#ifndef DPK_FLINT_LITE_FLINT_H
#define DPK_FLINT_LITE_FLINT_H

#include "cli/cli.h"
#include "device/admin/admin.h"

struct flint_options {
    const char *device; /* -d */
    const char *image;  /* -i */
    bool yes;           /* -y */
    bool json;          /* --json */
};

/* A command. On failure it has written no file and changed no device. */
extern const struct dpk_command flint_burn_command;
extern const struct dpk_command flint_query_command;
extern const struct dpk_command flint_query_components_command;
extern const struct dpk_command flint_verify_command;

/* Returns the container's component, as named by NVIDIA's tool. */
const char *flint_component_name(const struct dpk_container *c);

#endif
