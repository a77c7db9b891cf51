/* Directories of devices, and checks of their owners and permissions. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"

static const char name_chars[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

static bool valid_name(const char *name)
{
    size_t length = strlen(name);
    return length >= 1 && length <= DPK_DEVICE_NAME_MAX && strspn(name, name_chars) == length &&
           name[0] != '.' && name[0] != '-' && name[0] != '_';
}

enum dpk_status dpk_device_check_name(const char *name, struct dpk_error *err)
{
    if (valid_name(name))
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE,
                    "'%.80s' is not a device name: up to %d letters, digits, '_', '-' and '.', "
                    "starting with a letter or digit",
                    name, DPK_DEVICE_NAME_MAX);
}

enum dpk_status dpk_device_join(const char *a, const char *b, char out[PATH_MAX],
                                struct dpk_error *err)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", a, b);
    if (n < 0 || n >= PATH_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", a);
    return DPK_OK;
}

enum dpk_status dpk_device_root(bool create, char out[PATH_MAX], struct dpk_error *err)
{
    enum dpk_status status = dpk_folder_of_devices(out, err);
    return status == DPK_OK && create ? dpk_folder_make(out, err) : status;
}

enum dpk_status dpk_device_side(enum dpk_side *side, struct dpk_error *err)
{
    const char *word = getenv("DPAKIT_SIDE");
    *side = word && strcmp(word, "dpu") == 0 ? DPK_SIDE_DPU : DPK_SIDE_HOST;
    if (!word || !*word || *side == DPK_SIDE_DPU || strcmp(word, "host") == 0)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_SIDE is '%.80s': there are host and dpu", word);
}

bool dpk_device_is_pair(const char *path)
{
    char below[PATH_MAX];
    struct stat st;
    return dpk_device_join(path, DPK_DPU_DIRECTORY, below, NULL) == DPK_OK &&
           lstat(below, &st) == 0 && S_ISDIR(st.st_mode);
}

enum dpk_status dpk_device_check_owner(const char *path, const struct stat *st,
                                       struct dpk_error *err)
{
    if (dpk_user_is_mine_or_root(st->st_uid))
        return DPK_OK;
    if (!dpk_user_is_known(st->st_uid))
        return dpk_fail(
            err, DPK_ERR_REFUSED,
            "%s: its owner has no number in this user namespace, so it may be anybody's: "
            "map the user (unshare --map-current-user)",
            path);
    return dpk_fail(err, DPK_ERR_REFUSED, "%s: belongs to user %u, who could change it at any time",
                    path, (unsigned)st->st_uid);
}

enum dpk_status dpk_device_check_directory(const char *path, bool shared, struct dpk_error *err)
{
    struct stat st;
    /* The owner of a link determines its target. */
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
        dpk_device_check_owner(path, &st, err) != DPK_OK)
        return DPK_ERR_REFUSED;
    if (stat(path, &st) != 0)
        return dpk_fail_errno(err, "%s", path);
    if (!S_ISDIR(st.st_mode))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: not a directory", path);
    /* With the sticky bit, other users may add files but cannot replace ours. */
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(shared && (st.st_mode & S_ISVTX)))
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s: others may write to it (mode %03o): use chmod go-w", path,
                        (unsigned)(st.st_mode & 0777));
    return dpk_device_check_owner(path, &st, err);
}

static int is_device(const struct dirent *entry)
{
    return valid_name(entry->d_name);
}

enum dpk_status dpk_device_list(struct dpk_names *out, struct dpk_error *err)
{
    char root[PATH_MAX], path[PATH_MAX];
    struct dirent **entries = NULL;
    struct stat st;
    enum dpk_side side;
    *out = (struct dpk_names){0};
    enum dpk_status status = dpk_device_side(&side, err);
    if (status == DPK_OK)
        status = dpk_device_root(false, root, err);
    if (status != DPK_OK)
        return status;
    int count = scandir(root, &entries, is_device, alphasort);
    if (count < 0)
        return errno == ENOENT ? DPK_OK : dpk_fail_errno(err, "%s", root);
    char **names = calloc((size_t)count + 1, sizeof *names);
    if (!names)
        status = dpk_fail_nomem(err);
    for (int i = 0; i < count; i++) {
        /* Aliases are symbolic links and not listed. */
        if (names && dpk_device_join(root, entries[i]->d_name, path, NULL) == DPK_OK &&
            lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
            dpk_device_check_owner(path, &st, NULL) == DPK_OK &&
            (side == DPK_SIDE_HOST || dpk_device_is_pair(path))) {
            names[out->count] = strdup(entries[i]->d_name);
            if (names[out->count])
                out->count++;
            else
                status = dpk_fail_nomem(err);
        }
        free(entries[i]);
    }
    free(entries);
    out->names = names;
    if (status != DPK_OK)
        dpk_names_free(out);
    return status;
}

void dpk_names_free(struct dpk_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct dpk_names){0};
}

void dpk_device_alias_of(const char *root, const char *name, bool card, char *out, size_t size)
{
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, is_device, alphasort);
    snprintf(out, size, "%s", "");
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX], target[PATH_MAX];
        struct stat st;
        if (!*out && (dpk_alias_number(entries[i]->d_name) == NULL) == card &&
            dpk_device_join(root, entries[i]->d_name, path, NULL) == DPK_OK &&
            lstat(path, &st) == 0 && dpk_device_check_owner(path, &st, NULL) == DPK_OK) {
            ssize_t n = readlink(path, target, sizeof target - 1);
            if (n > 0) {
                target[n] = 0;
                if (strcmp(target, name) == 0)
                    snprintf(out, size, "%s", entries[i]->d_name);
            }
        }
        free(entries[i]);
    }
    free(entries);
}

static enum dpk_status no_such_device(const char *name, struct dpk_error *err)
{
    struct dpk_names names = {0};
    char list[600] = "";
    size_t used = 0;
    if (dpk_device_list(&names, NULL) == DPK_OK) {
        for (size_t i = 0; i < names.count && used < sizeof list - DPK_DEVICE_NAME_MAX - 3; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                     names.names[i]);
    }
    enum dpk_status status =
        names.count ? dpk_fail(err, DPK_ERR_NOT_FOUND, "no device %.80s; there are: %s", name, list)
                    : dpk_fail(err, DPK_ERR_NOT_FOUND,
                               "no device %.80s, nor any other; make it: dpadev create %.80s", name,
                               valid_name(name) ? name : "mlx5_0");
    dpk_names_free(&names);
    return status;
}

/* Reads one to four hexadecimal digits before the character `end`. */
static bool take_hex(const char **text, char end, unsigned *out)
{
    size_t length = strspn(*text, "0123456789abcdefABCDEF");
    if (length < 1 || length > 4 || (*text)[length] != end)
        return false;
    *out = (unsigned)strtoul(*text, NULL, 16);
    *text += length + (end != 0);
    return true;
}

/* The inverse of put_place (card.c): gets the number of an address, "03:00.0" or "0000:03:00.0", or
 * of a card's function as NVIDIA's driver names it, "mt41692_pciconf0.1". UINT_MAX: no device has
 * the address. */
static bool take_address(const char *word, unsigned *number)
{
    unsigned domain = 0, bus, slot, function;
    const char *digits = dpk_alias_number(word), *at = word, *colon = strchr(word, ':');
    if (digits) {
        const size_t length = strspn(digits, "0123456789");
        if (length < 1 || length > 6 || digits[length] != '.' ||
            (strcmp(digits + length, ".0") != 0 && strcmp(digits + length, ".1") != 0))
            return false;
        *number = (unsigned)strtoul(digits, NULL, 10) / 2 * 2 + (digits[length + 1] == '1');
        return true;
    }
    if (colon && strchr(colon + 1, ':') && !take_hex(&at, ':', &domain))
        return false;
    if (!take_hex(&at, ':', &bus) || !take_hex(&at, '.', &slot) || !take_hex(&at, 0, &function))
        return false;
    *number = bus < 3 || bus > 252 || slot || function > 1 ? UINT_MAX
                                                           : domain * 500 + (bus - 3) * 2 + function;
    return true;
}

enum dpk_status dpk_device_resolve(const char *word, char name[DPK_DEVICE_NAME_MAX + 1],
                                   char path[PATH_MAX], struct dpk_error *err)
{
    char root[PATH_MAX], target[PATH_MAX];
    struct stat st;
    const char *slash = strrchr(word, '/');
    const char *last = slash ? slash + 1 : word;
    char alias[DPK_DEVICE_NAME_MAX + 1] = "";
    unsigned number;
    enum dpk_side side;
    const bool address = take_address(last, &number);
    enum dpk_status status = address ? DPK_OK : dpk_device_check_name(last, err);
    if (status == DPK_OK)
        status = dpk_device_side(&side, err);
    if (status == DPK_OK)
        status = dpk_device_root(false, root, err);
    if (status == DPK_OK && address) {
        if (!dpk_alias_find(root, number, alias, sizeof alias))
            return no_such_device(word, err);
        last = alias;
    }
    if (status == DPK_OK)
        status = dpk_device_join(root, last, path, err);
    if (status != DPK_OK)
        return status;
    if (lstat(path, &st) == 0 && (status = dpk_device_check_owner(path, &st, err)) != DPK_OK)
        return status;
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n > 0) {
        target[n] = 0;
        if (!valid_name(target))
            return dpk_fail(err, DPK_ERR_FORMAT, "%s: points out of %s", path, root);
        status = dpk_device_join(root, target, path, err);
        if (status != DPK_OK)
            return status;
        last = target;
    }
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? no_such_device(last, err) : dpk_fail_errno(err, "%s", path);
    if (!S_ISDIR(st.st_mode))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: not a device: it is not a directory", path);
    status = dpk_device_check_directory(root, true, err);
    if (status == DPK_OK)
        status = dpk_device_check_directory(path, false, err);
    if (status == DPK_OK && side == DPK_SIDE_DPU && !dpk_device_is_pair(path))
        status = dpk_fail(err, DPK_ERR_NOT_FOUND,
                          "%.80s is on the host alone: dpadev create NAME --pair makes both sides",
                          last);
    snprintf(name, DPK_DEVICE_NAME_MAX + 1, "%.*s", DPK_DEVICE_NAME_MAX, last);
    return status;
}
