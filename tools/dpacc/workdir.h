/* workdir: the working directory of a build, and the names of its files. */
#ifndef DPK_DPACC_WORKDIR_H
#define DPK_DPACC_WORKDIR_H

#include "commands.h"
#include "common/run.h"

/* Gives each unit a unique name. */
enum dpk_status dpacc_workdir_names(const struct config *config, struct paths *paths,
                                    struct dpk_error *err);
/* Makes the working directory; with -dryrun, a temporary directory for examining the inputs. */
enum dpk_status dpacc_workdir_make(const struct config *config, struct run *run,
                                   struct paths *paths, struct dpk_error *err);
/* With -dryrun: sets the directory that the printed commands use. */
enum dpk_status dpacc_workdir_pretend(const struct config *config, const struct run *run,
                                      struct paths *paths, struct dpk_error *err);
void dpacc_workdir_free(struct paths *paths);

#endif
