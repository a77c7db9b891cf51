/* Writes large files in the background while their last changes are still being made. */
#include "base/file_ahead.h"
#include "base/base.h"
#include "base/file_named.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORTH_IT ((size_t)16 << 20) /* bytes; smaller files are written fast */
#define CHUNK    ((size_t)1 << 20)

struct dpk_ahead {
    int fd;
    const uint8_t *data;
    size_t size;
    pthread_t thread;
    atomic_bool unwanted;
    bool whole, joined;
};

static void *write_it(void *argument)
{
    struct dpk_ahead *a = argument;
    size_t at = 0;
    while (at < a->size && !atomic_load(&a->unwanted)) {
        ssize_t put = write(a->fd, a->data + at, a->size - at > CHUNK ? CHUNK : a->size - at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break; /* the final write meets and reports this error */
        at += (size_t)put;
    }
    a->whole = at == a->size;
    if (a->whole) /* starts the slow part */
        (void)sync_file_range(a->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    return NULL;
}

/* Opens a file without a name in the real directory of `path`. -1: the file system has no such
 * files, or the file at the path cannot be replaced. */
static int open_beside(const char *path)
{
    struct stat st;
    char *real = NULL;
    int named = base_named_open(path, &st);
    if (named >= 0) {
        real = S_ISREG(st.st_mode) ? base_named_path(named, path, &st) : NULL;
        close(named);
        if (!real)
            return -1;
    }
    const char *name = real ? real : path, *slash = strrchr(name, '/');
    char *directory = slash ? strndup(name, (size_t)(slash + 1 - name)) : strdup(".");
    int fd = directory ? open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
    free(directory);
    free(real);
    return fd;
}

struct dpk_ahead *dpk_ahead_begin(const char *path, const void *data, size_t size)
{
    struct dpk_ahead *a = size < WORTH_IT ? NULL : calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->data = data;
    a->size = size;
    a->fd = open_beside(path);
    if (a->fd >= 0 && dpk_pthread_start(&a->thread, write_it, a) == 0)
        return a;
    if (a->fd >= 0)
        close(a->fd);
    free(a);
    return NULL;
}

void dpk_ahead_end(struct dpk_ahead *a)
{
    if (!a)
        return;
    atomic_store(&a->unwanted, true);
    if (!a->joined)
        pthread_join(a->thread, NULL);
    close(a->fd);
    free(a);
}

bool base_ahead_take(struct dpk_ahead *a, struct dpk_new_file *f)
{
    struct stat mine, theirs;
    if (!a || f->temp[0])
        return false;
    if (!a->joined)
        pthread_join(a->thread, NULL);
    a->joined = true;
    /* The file must match the new file: same file system, mode by the umask, locked against
     * sweeps. */
    return a->whole && fstat(a->fd, &mine) == 0 && fstat(f->fd, &theirs) == 0 &&
           mine.st_dev == theirs.st_dev && mine.st_gid == theirs.st_gid &&
           fchmod(a->fd, theirs.st_mode & 07777) == 0 && flock(a->fd, LOCK_EX | LOCK_NB) == 0 &&
           dup3(a->fd, f->fd, O_CLOEXEC) == f->fd;
}

bool base_ahead_has(const struct dpk_ahead *a, size_t at, const struct dpk_piece *piece)
{
    return at <= a->size && piece->size <= a->size - at && piece->data == a->data + at;
}
