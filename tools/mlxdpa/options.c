/* Options that several commands read in the same way. */
#include <sys/stat.h>

#include "mlxdpa.h"

enum dpk_status mlxdpa_need(const char *command, const char *option, const char *value,
                            struct dpk_error *err)
{
    if (value)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "%s needs %s", command, option);
}

enum dpk_status mlxdpa_output(const struct mlxdpa_options *o, const char *input, const char **out,
                              struct dpk_error *err)
{
    struct stat st;
    *out = o->output ? o->output : input;
    if (!o->output && stat(input, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return dpk_fail(err, DPK_ERR_USAGE, "%s: not a regular file: give -o too", input);
    return DPK_OK;
}

enum dpk_status mlxdpa_priority(const char *command, const struct mlxdpa_options *options,
                                enum dpk_lifecycle *out, struct dpk_error *err)
{
    if (options->nvidia_signed_oem && !options->priority) {
        *out = DPK_LIFECYCLE_OEM;
        return DPK_OK;
    }
    enum dpk_status status = mlxdpa_need(command, "--life_cycle_priority", options->priority, err);
    return status == DPK_OK ? dpk_lifecycle_parse(options->priority, out, err) : status;
}
