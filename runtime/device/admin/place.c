/* Creates and deletes directories of devices, completely or not at all, and removes remains of
 * killed programs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "private.h"

#define ALIASES_MAX 1000
#define NEW_PREFIX  ".new-"
#define OLD_PREFIX  ".del-"

/* Removes an entry. A missing entry is not an error, because two programs may remove the same
 * remains. */
static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

static int remove_tree(const char *path)
{
    struct stat st;
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0)
        return 0;
    return lstat(path, &st) != 0 && errno == ENOENT ? 0 : -1;
}

/* ---- Sweeping ---- */

static int is_remains(const struct dirent *entry)
{
    return strncmp(entry->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) == 0 ||
           strncmp(entry->d_name, OLD_PREFIX, strlen(OLD_PREFIX)) == 0;
}

/* Removes a directory if it can be locked, because no program uses it then. Directories of other
 * users are left alone, because they may change meanwhile. */
static void sweep_remains(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && dpk_user_is_mine(st.st_uid) && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)remove_tree(path);
    close(fd);
}

static int is_alias(const struct dirent *entry)
{
    return (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) &&
           dpk_device_check_name(entry->d_name, NULL) == DPK_OK;
}

bool dpk_device_is_function(const char *name)
{
    const size_t prefix = strlen(DPK_FUNCTION_PREFIX);
    return strncmp(name, DPK_FUNCTION_PREFIX, prefix) == 0 && name[prefix] != 0 &&
           name[prefix + strspn(name + prefix, "0123456789")] == 0;
}

/* Locks the directory of devices. A program that adds a device shares the lock while it makes the
 * alias and the device. A program that removes aliases without a device needs the exclusive lock,
 * or leaves them to the next program. Returns a descriptor with the lock, or -1 if another program
 * kept the lock for too long. */
static int lock_place(const char *root, int how)
{
    static const struct timespec pause = {.tv_nsec = 10000000};
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int tries = how == LOCK_SH ? 100 : 1;
    while (fd >= 0 && flock(fd, how | LOCK_NB) != 0) {
        if (--tries == 0) {
            close(fd);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return fd;
}

static void unlock_place(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* Removes a dangling link if its name is an alias of a type, or its target a function's name. */
static void sweep_alias(const char *root, const char *alias, const char *path)
{
    char target[PATH_MAX], device[PATH_MAX];
    struct stat st;
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n <= 0 || lstat(path, &st) != 0 || !dpk_user_is_mine(st.st_uid))
        return;
    target[n] = 0;
    if ((dpk_alias_number(alias) || dpk_device_is_function(target)) &&
        dpk_device_check_name(target, NULL) == DPK_OK &&
        dpk_device_join(root, target, device, NULL) == DPK_OK && lstat(device, &st) != 0 &&
        errno == ENOENT)
        (void)unlink(path);
}

static void sweep(const char *root)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, is_remains, NULL);
    for (int i = 0; i < count; i++) {
        if (dpk_device_join(root, entries[i]->d_name, path, NULL) == DPK_OK)
            sweep_remains(path);
        free(entries[i]);
    }
    free(entries);
    entries = NULL;
    int lock = lock_place(root, LOCK_EX);
    if (lock < 0)
        return;
    count = scandir(root, &entries, is_alias, NULL);
    for (int i = 0; i < count; i++) {
        if (dpk_device_join(root, entries[i]->d_name, path, NULL) == DPK_OK)
            sweep_alias(root, entries[i]->d_name, path);
        free(entries[i]);
    }
    free(entries);
    unlock_place(lock);
}

void dpk_device_sweep(void)
{
    char root[PATH_MAX];
    if (dpk_device_root(false, root, NULL) == DPK_OK)
        sweep(root);
}

/* ---- Creating ---- */

/* Makes a directory that no sweep removes. Returns its descriptor, which holds the lock, or -1 with
 * errno. */
static int make_staging(const char *root, char path[PATH_MAX])
{
    struct stat mine, named;
    for (int tries = 0; tries < 16; tries++) {
        if (snprintf(path, PATH_MAX, "%s/" NEW_PREFIX "XXXXXX", root) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (!mkdtemp(path))
            return -1;
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        /* Another program may have removed it before it was locked. */
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &mine) == 0 &&
            lstat(path, &named) == 0 && mine.st_ino == named.st_ino)
            return fd;
        if (fd >= 0)
            close(fd);
    }
    errno = EBUSY;
    return -1;
}

/* Makes the alias of that type with the first free number. If that fails, `path` is "" and the
 * device has no alias. If two programs give one number to two types at once, at least one of them
 * sees the other's alias and takes the next number. */
static void make_alias(const char *root, const char *name, const struct dpk_device_type *type,
                       char path[PATH_MAX])
{
    for (unsigned i = 0; i < ALIASES_MAX; i++) {
        char alias[DPK_DEVICE_NAME_MAX + 1];
        (void)dpk_alias_format(type, i, alias, sizeof alias);
        if (strcmp(alias, name) == 0 || dpk_alias_number_taken(root, type, i))
            continue;
        if (dpk_device_join(root, alias, path, NULL) != DPK_OK)
            break;
        const bool made = symlink(name, path) == 0;
        if (made && !dpk_alias_number_taken(root, type, i))
            return;
        if (made ? unlink(path) != 0 : errno != EEXIST)
            break;
    }
    path[0] = 0;
}

static enum dpk_status make_card(const char *root, const char *card, const char *name,
                                 char path[PATH_MAX], struct dpk_error *err)
{
    path[0] = 0;
    enum dpk_status status = card ? dpk_device_join(root, card, path, err) : DPK_OK;
    if (status != DPK_OK || !card || symlink(name, path) == 0)
        return status;
    status = errno == EEXIST ? dpk_fail(err, DPK_ERR_EXISTS,
                                        "%s: there is a device (or alias) of that name", card)
                             : dpk_fail_errno(err, "%s", path);
    path[0] = 0;
    return status;
}

/* Makes the aliases, then the device. A program that is killed in between can leave an alias
 * without a device, which is removed later, but never a device without an alias. */
static enum dpk_status put_in_place(const char *root, const char *path,
                                    const struct dpk_device_names *names, const char *staging,
                                    struct dpk_error *err)
{
    char alias[PATH_MAX], other[PATH_MAX];
    int lock = lock_place(root, LOCK_SH);
    enum dpk_status status = make_card(root, names->card, names->name, other, err);
    make_alias(root, names->name, names->type, alias);
    if (status == DPK_OK && rename(staging, path) != 0)
        status =
            errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
                ? dpk_fail(err, DPK_ERR_EXISTS, "%s: there is a device of that name", names->name)
                : dpk_fail_errno(err, "%s", path);
    if (status != DPK_OK && *alias)
        (void)unlink(alias);
    if (status != DPK_OK && *other)
        (void)unlink(other);
    unlock_place(lock);
    return status;
}

static void sync_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static enum dpk_status build(const char *root, const char *path,
                             const struct dpk_device_names *names, dpk_device_filler *fill,
                             void *context, struct dpk_error *err)
{
    char staging[PATH_MAX];
    int fd = make_staging(root, staging);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", root);
    enum dpk_status status = fill(context, staging, err);
    if (status == DPK_OK && fsync(fd) != 0)
        status = dpk_fail_errno(err, "%s", staging);
    if (status == DPK_OK)
        status = put_in_place(root, path, names, staging, err);
    if (status == DPK_OK)
        sync_directory(root);
    else
        remove_tree(staging);
    close(fd);
    return status;
}

enum dpk_status dpk_device_make_pair(const char *staging, struct dpk_error *err)
{
    char path[PATH_MAX];
    enum dpk_status status = dpk_device_join(staging, DPK_DPU_DIRECTORY, path, err);
    if (status == DPK_OK && mkdir(path, 0700) != 0)
        status = dpk_fail_errno(err, "%s", path);
    return status;
}

enum dpk_status dpk_device_build(const struct dpk_device_names *names, dpk_device_filler *fill,
                                 void *context, struct dpk_error *err)
{
    const char *name = names->name;
    char root[PATH_MAX], path[PATH_MAX];
    struct stat st;
    sigset_t signals;
    enum dpk_status status = dpk_device_check_name(name, err);
    if (status == DPK_OK)
        status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = dpk_device_root(true, root, err);
    if (status == DPK_OK)
        status = dpk_device_check_directory(root, true, err);
    if (status == DPK_OK)
        status = dpk_device_join(root, name, path, err);
    if (status != DPK_OK)
        return status;
    sweep(root);
    if (lstat(path, &st) == 0 && (status = dpk_device_check_owner(path, &st, err)) != DPK_OK)
        return status;
    if (lstat(path, &st) == 0)
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: there is a device (or alias) of that name", name);
    /* The staging directory may contain a private key, so no signal may end the program before the
     * directory is in place or removed. */
    dpk_signals_hold(&signals);
    status = build(root, path, names, fill, context, err);
    dpk_signals_release(&signals);
    return status;
}

/* ---- Deleting ---- */

static void remove_aliases(const char *root, const char *name, bool cards)
{
    char alias[DPK_DEVICE_NAME_MAX + 1], path[PATH_MAX];
    for (unsigned i = 0; i < ALIASES_MAX; i++) {
        dpk_device_alias_of(root, name, cards, alias, sizeof alias);
        if (!*alias || dpk_device_join(root, alias, path, NULL) != DPK_OK || unlink(path) != 0)
            return;
    }
}

enum dpk_status dpk_device_delete(const char *word, struct dpk_error *err)
{
    char name[DPK_DEVICE_NAME_MAX + 1], root[PATH_MAX], path[PATH_MAX], grave[PATH_MAX];
    enum dpk_status status = dpk_device_resolve(word, name, path, err);
    if (status == DPK_OK)
        status = dpk_device_root(false, root, err);
    if (status == DPK_OK)
        status = dpk_device_join(root, OLD_PREFIX "XXXXXX", grave, err);
    if (status != DPK_OK)
        return status;
    /* Renamed first, so that it is deleted at once or not at all. */
    if (!mkdtemp(grave) || rename(path, grave) != 0) {
        status = dpk_fail_errno(err, "%s", path);
        rmdir(grave);
        return status;
    }
    remove_aliases(root, name, false);
    remove_aliases(root, name, true);
    if (remove_tree(grave) != 0)
        return dpk_fail_errno(err, "%s is deleted, but its remains are not: %s", name, grave);
    return DPK_OK;
}
