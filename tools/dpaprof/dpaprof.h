/* Shared by the files of dpaprof. */
#ifndef DPK_DPAPROF_DPAPROF_H
#define DPK_DPAPROF_DPAPROF_H

#include "cli/cli.h"

struct options {
    const char *app, *exact, *source;
};

/* annotate.c */
enum dpk_status dpaprof_annotate(void *options, const struct dpk_args *args, struct dpk_error *err);

#endif
