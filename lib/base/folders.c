/* The folders of a user's devices, cache and running processes. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static enum dpk_status put_path(const char *folder, const char *below, char out[PATH_MAX],
                                struct dpk_error *err)
{
    int n = snprintf(out, PATH_MAX, "%s%s", folder, below);
    if (n < 0 || n >= PATH_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", folder);
    return DPK_OK;
}

static const char *given(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

enum dpk_status dpk_folder_of_devices(char out[PATH_MAX], struct dpk_error *err)
{
    const char *devices = given("DPAKIT_DEVICES"), *state = given("XDG_STATE_HOME");
    const char *home = given("HOME");
    if (devices)
        return put_path(devices, "", out, err);
    if (state)
        return put_path(state, "/dpakit", out, err);
    if (home)
        return put_path(home, "/.local/state/dpakit", out, err);
    return dpk_fail(err, DPK_ERR_NOT_FOUND,
                    "no place for devices: set DPAKIT_DEVICES, XDG_STATE_HOME or HOME");
}

enum dpk_status dpk_folder_of_cache(char out[PATH_MAX], struct dpk_error *err)
{
    const char *cache = given("XDG_CACHE_HOME"), *home = given("HOME");
    if (cache && *cache == '/') /* "all paths must be absolute" (XDG Base Directory 0.8) */
        return put_path(cache, "/dpakit", out, err);
    if (home)
        return put_path(home, "/.cache/dpakit", out, err);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "no place for a cache: set XDG_CACHE_HOME or HOME");
}

enum dpk_status dpk_folder_make(const char *path, struct dpk_error *err)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return dpk_fail_errno(err, "%s", part);
    }
    return DPK_OK;
}

static bool name_runtime(char *out, size_t size)
{
    const char *set = given("DPAKIT_RUNTIME"), *base = getenv("XDG_RUNTIME_DIR");
    int n;
    if (set)
        n = snprintf(out, size, "%s", set);
    else if (base && *base == '/')
        n = snprintf(out, size, "%s/dpakit", base);
    else
        n = snprintf(out, size, "/tmp/dpakit-%lu", (unsigned long)geteuid());
    return n > 0 && (size_t)n < size;
}

enum dpk_status dpk_runtime_directory(char *out, size_t size, struct dpk_error *err)
{
    struct stat s;
    if (!name_runtime(out, size))
        return dpk_fail(err, DPK_ERR_RANGE, "the name of the runtime directory is too long");
    if (mkdir(out, 0700) != 0 && errno != EEXIST)
        return dpk_fail_errno(err, "%s", out);
    if (lstat(out, &s) != 0)
        return dpk_fail_errno(err, "%s", out);
    if (!dpk_user_is_mine(s.st_uid))
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s: belongs to user %lu, not to you: set DPAKIT_RUNTIME or "
                        "XDG_RUNTIME_DIR to a directory of yours",
                        out, (unsigned long)s.st_uid);
    if (!S_ISDIR(s.st_mode) || s.st_mode & 077)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s: not a directory that only this user may use (mode 0700)", out);
    return DPK_OK;
}
