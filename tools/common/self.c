#include "self.h"

#include <string.h>
#include <unistd.h>

enum dpk_status dpk_self_path(char out[PATH_MAX], struct dpk_error *err)
{
    const ssize_t size = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (size < 0)
        return dpk_fail_errno(err, "/proc/self/exe");
    out[size] = 0;
    return DPK_OK;
}

enum dpk_status dpk_self_root(char out[PATH_MAX], struct dpk_error *err)
{
    const enum dpk_status status = dpk_self_path(out, err);
    for (int up = 0; status == DPK_OK && up < 2; up++) { /* from bin/TOOL */
        char *slash = strrchr(out, '/');
        if (slash)
            *slash = 0;
    }
    return status;
}

enum dpk_status dpk_self_beside(const char *below, char out[PATH_MAX], struct dpk_error *err)
{
    char root[PATH_MAX];
    const enum dpk_status status = dpk_self_root(root, err);
    if (status != DPK_OK)
        return status;
    const int size = snprintf(out, PATH_MAX, "%s/%s", root, below);
    return size >= 0 && size < PATH_MAX
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", root);
}
