/* workdir: where a build works, and what its files are called. */
#ifndef DPK_DPACC_WORKDIR_H
#define DPK_DPACC_WORKDIR_H

#include "commands.h"
#include "run.h"

/* A name for each unit that no other has. */
enum dpk_status workdir_names(const struct config *config, struct paths *paths,
                              struct dpk_error *err);
/* Makes the directory, or with -dryrun a temporary one where names are found out. */
enum dpk_status workdir_make(const struct config *config, struct run *run, struct paths *paths,
                             struct dpk_error *err);
/* With -dryrun: the directory that the commands are printed for. */
enum dpk_status workdir_pretend(const struct config *config, const struct run *run,
                                struct paths *paths, struct dpk_error *err);
void workdir_free(struct paths *paths);

#endif
