#include "common/device.h"

#include "device/state/state.h"

static enum dpk_status choose_only(const struct dpk_names *names, char out[PATH_MAX],
                                   struct dpk_error *err)
{
    struct dpk_buf list = {0};
    if (names->count == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, DPK_NO_DEVICE);
    if (names->count == 1) {
        snprintf(out, PATH_MAX, "%s", names->names[0]);
        return DPK_OK;
    }
    for (size_t i = 0; i < names->count; i++)
        dpk_put_format(&list, "%s%s", i ? ", " : "", names->names[i]);
    dpk_fail(err, DPK_ERR_USAGE, "there are %zu devices (%.*s); choose one with -d", names->count,
             list.size < 700 ? (int)list.size : 700, list.data ? (const char *)list.data : "");
    dpk_buf_free(&list);
    return DPK_ERR_USAGE;
}

enum dpk_status dpk_only_device(void *out, struct dpk_error *err)
{
    static char name[PATH_MAX];
    struct dpk_names names = {0};
    enum dpk_status status = dpk_device_list(&names, err);
    if (status == DPK_OK)
        status = choose_only(&names, name, err);
    dpk_names_free(&names);
    *(const char **)out = status == DPK_OK ? name : NULL;
    return status;
}
