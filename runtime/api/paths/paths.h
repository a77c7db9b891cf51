/*
 * paths: gives the calls of loaded objects other functions than those of the C library, so that a
 * program finds files of an emulated device at paths where the kernel has those of a card. An object
 * reaches the C library through entries of its own, which are redirected (slots.c). All calls that
 * name a path get the path of `answer` (calls.c).
 *
 *     static const struct paths_answers answers = {.answer = find, .shown = hide};
 *     paths_redirect(&answers, NULL, 0);
 *     open("/sys/class/infiniband/mlx5_0/ports/1/state", O_RDONLY); // the file that find() names
 */
#ifndef DPK_API_PATHS_PATHS_H
#define DPK_API_PATHS_PATHS_H

#include <limits.h>
#include <stddef.h>

struct paths_answers {
    /* Returns the path to use for a program's path: `out`, or `path` itself, which may be NULL or a
     * bad pointer. Keeps errno. Any thread. */
    const char *(*answer)(const char *path, char out[PATH_MAX]);
    /* Returns the part of a resolved path that a program may see. */
    const char *(*shown)(const char *resolved);
};

struct paths_call {
    const char *name; /* of a function of the C library */
    void *ours;
};

/* Redirects the calls of all objects that are loaded now, except calls of dpakit's libraries and of
 * rdma-core, which would take the files for those of a card: calls with a path, and the `count`
 * calls of `more`, which must live as long as the process. Call it again, with the same arguments,
 * after objects were loaded. Any thread. */
void paths_redirect(const struct paths_answers *answers, const struct paths_call *more,
                    size_t count);

/* Redirects the `count` calls of `calls` only, which may be of any library. A program or library
 * links one of the two functions. */
void paths_redirect_calls(const struct paths_call *calls, size_t count);

#endif
