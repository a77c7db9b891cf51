/* Files in a device's folder `live`. */
#include "device/running/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNITS_MAGIC   UINT64_C(0x325354494e554b44) /* "DKUNITS2" */
#define PROCESS_MAGIC UINT64_C(0x32434f52504b44)   /* "DKPROC2" */

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "counters are for several processes");

/* ---- The folder ---- */

enum dpk_status running_folder_open(const char *directory, bool make, int *out,
                                    struct dpk_error *err)
{
    char path[PATH_MAX];
    struct stat st;
    const int n = snprintf(path, sizeof path, "%s/live", directory);
    *out = -1;
    if (n < 0 || n >= (int)sizeof path)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", directory);
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        return dpk_fail_errno(err, "%s", path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: not there", path);
    if (fd < 0 || fstat(fd, &st) != 0) {
        enum dpk_status status = dpk_fail_errno(err, "%s", path);
        if (fd >= 0)
            close(fd);
        return status;
    }
    if (!dpk_user_is_mine(st.st_uid) || (st.st_mode & 022)) {
        close(fd);
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: not a folder of this user alone", path);
    }
    *out = fd;
    return DPK_OK;
}

/* ---- Mapped files ---- */

/* Maps a file of that size and magic. Returns NULL if the file is different. */
static void *map(int fd, size_t size, uint64_t magic)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !dpk_user_is_mine(st.st_uid) ||
        st.st_size != (off_t)size)
        return NULL;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    uint64_t found;
    memcpy(&found, at, sizeof found);
    if (found == magic)
        return at;
    munmap(at, size);
    return NULL;
}

/* Allocates an empty file. The magic is written last. */
static enum dpk_status fill(int fd, size_t size, uint64_t magic, struct dpk_error *err)
{
    errno = posix_fallocate(fd, 0, (off_t)size);
    if (errno != 0 || dpk_pwrite_all(fd, &magic, sizeof magic, 0) != 0)
        return dpk_fail_errno(err, "the folder live of the device");
    return DPK_OK;
}

/* ---- The file of all units ---- */

static enum dpk_status take_lock(int fd, bool wait, struct dpk_error *err)
{
    while (flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return dpk_fail(err, DPK_ERR_TIMEOUT, "another program is changing the device");
        if (errno != EINTR)
            return dpk_fail_errno(err, "the folder live of the device");
    }
    return DPK_OK;
}

enum dpk_status running_units_lock(int folder, bool wait, struct units_lock *out,
                                   struct dpk_error *err)
{
    struct stat st;
    *out = (struct units_lock){
        .fd =
            openat(folder, "units", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600)};
    if (out->fd < 0)
        return dpk_fail_errno(err, "the folder live of the device");
    enum dpk_status status = take_lock(out->fd, wait, err);
    /* A killed program may have left an incomplete file, which no program has mapped, so it is
     * filled again. */
    if (status == DPK_OK && fstat(out->fd, &st) == 0 && st.st_size < (off_t)sizeof *out->file)
        status = fill(out->fd, sizeof *out->file, UNITS_MAGIC, err);
    if (status == DPK_OK && !(out->file = map(out->fd, sizeof *out->file, UNITS_MAGIC)))
        status = dpk_fail(err, DPK_ERR_FORMAT,
                          "live/units of the device is not a table of units; remove it");
    if (status != DPK_OK)
        close(out->fd);
    return status;
}

/* Unlocks before closing, because a child of fork() may have the descriptor, too. */
void running_units_release(int *fd)
{
    if (*fd < 0)
        return;
    flock(*fd, LOCK_UN);
    close(*fd);
    *fd = -1;
}

void running_units_unlock(struct units_lock *lock)
{
    munmap(lock->file, sizeof *lock->file);
    running_units_release(&lock->fd);
}

/* ---- Files of processes ---- */

struct file_name {
    char text[12];
};

static const char *name_of(unsigned number, struct file_name *out)
{
    snprintf(out->text, sizeof out->text, "%u", number);
    return out->text;
}

/* Locks the open file until its last descriptor is closed, however the process ends. */
static bool put_lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

static bool has_lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &whole) != 0 || whole.l_type != F_UNLCK;
}

enum dpk_status running_process_make(int folder, unsigned number, int *out,
                                     struct process_file **file, struct dpk_error *err)
{
    struct file_name name;
    int fd = openat(folder, name_of(number, &name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    *file = NULL;
    *out = fd;
    if (fd < 0)
        return dpk_fail_errno(err, "the folder live of the device");
    enum dpk_status status = put_lock(fd) ? fill(fd, sizeof **file, PROCESS_MAGIC, err)
                                          : dpk_fail_errno(err, "the folder live of the device");
    if (status == DPK_OK && !(*file = map(fd, sizeof **file, PROCESS_MAGIC)))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        return DPK_OK;
    unlinkat(folder, name.text, 0);
    close(fd);
    *out = -1;
    return status;
}

bool running_process_map(int folder, unsigned number, struct process_file **out)
{
    struct file_name name;
    int fd = openat(folder, name_of(number, &name), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    *out = NULL;
    if (fd < 0)
        return false;
    if (has_lock(fd))
        *out = map(fd, sizeof **out, PROCESS_MAGIC);
    close(fd);
    return *out != NULL;
}

bool running_process_is_dead(int folder, unsigned number)
{
    struct file_name name;
    int fd = openat(folder, name_of(number, &name), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno != ENOENT && errno != EMFILE && errno != ENFILE;
    bool dead = !has_lock(fd);
    close(fd);
    return dead;
}

void running_process_bury(int folder, unsigned number, struct units_file *units)
{
    struct file_name name;
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++) {
        unsigned owner = number + 1;
        (void)atomic_compare_exchange_strong(&units->owners[i], &owner, 0);
    }
    unlinkat(folder, name_of(number, &name), 0);
}
