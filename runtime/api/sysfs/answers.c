/* Which file a path of the program means. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/paths/paths.h"
#include "api/sysfs/sysfs.h"
#include "api/verbs/verbs.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct dpk_emulated *(*source)(void);
static bool written;        /* or failed, since the last call of dpk_sysfs_show */
static char root[PATH_MAX]; /* empty: there is no tree */

/* Folders with files of emulated devices. */
static const char *const folders[] = {"/dev/infiniband", "/sys/class/infiniband",
                                      "/sys/devices/dpakit"};

static bool is_named(const char *path)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && (path[length] == 0 || path[length] == '/'))
            return true;
    }
    return false;
}

static bool exists(const char *path)
{
    return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Returns false if there is no such tree or path. */
static bool find(const char *path, char out[PATH_MAX])
{
    pthread_mutex_lock(&lock);
    const struct dpk_emulated *(*const verbs)(void) = written ? NULL : source;
    pthread_mutex_unlock(&lock);
    /* This may load a library, whose constructors may ask for a path. */
    const struct dpk_emulated *loaded = verbs ? verbs() : NULL;
    pthread_mutex_lock(&lock);
    if (!written && loaded) {
        written = true;
        if (!loaded->write_files(root))
            root[0] = 0;
    }
    const int n = root[0] ? snprintf(out, PATH_MAX, "%s%s", root, path) : -1;
    pthread_mutex_unlock(&lock);
    return n > 0 && n < PATH_MAX && exists(out);
}

/* Returns `out`, with a file of the tree, or `path`. */
static const char *answer(const char *path, char out[PATH_MAX])
{
    const int before = errno;
    const char *to_use = path;
    /* The kernel reads the path first: the program's pointer may be bad. */
    if (path && !exists(path) && errno != EFAULT && is_named(path) && find(path, out))
        to_use = out;
    errno = before;
    return to_use;
}

static const char *shown(const char *resolved)
{
    pthread_mutex_lock(&lock);
    const size_t length = strlen(root);
    const bool inside =
        length > 0 && strncmp(resolved, root, length) == 0 && resolved[length] == '/';
    pthread_mutex_unlock(&lock);
    return inside ? resolved + length : resolved;
}

void dpk_sysfs_show(const struct dpk_emulated *(*verbs)(void))
{
    static const struct paths_answers answers = {.answer = answer, .shown = shown};
    pthread_mutex_lock(&lock);
    source = verbs;
    written = false; /* the next answer writes it again */
    pthread_mutex_unlock(&lock);
    paths_redirect(&answers, NULL, 0);
}
