/* Private to sysfs. */
#ifndef DPK_API_SYSFS_PRIVATE_H
#define DPK_API_SYSFS_PRIVATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "sysfs.h"

/* ---- answers.c ---- */

/* Forgets what is written, so that the next answer writes it again. */
void sysfs_answers_renew(const struct dpk_emulated *(*verbs)(void));
/* Returns the path to use for a program's path: `out`, with a file of the tree, or `path`. Keeps
 * errno. */
const char *sysfs_answer(const char *path, char out[PATH_MAX]);
/* Returns the part of a resolved path that a program may see. */
const char *sysfs_answer_shown(const char *resolved);

/* ---- slots.c ---- */

struct sysfs_call {
    const char *name; /* of a function of the C library */
    void *ours;
};
/* Redirects the calls of all loaded objects to these functions, except calls of this library, of
 * dpakit's other libraries, and of rdma-core, which would take the files for those of a card. */
void sysfs_slots_redirect(const struct sysfs_call *calls, size_t count);

#endif
