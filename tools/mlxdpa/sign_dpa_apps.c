#include "mlxdpa.h"

enum dpk_status cmd_sign_dpa_apps(const struct mlxdpa_options *options, struct dpk_error *err)
{
    (void)options;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "sign_dpa_apps is not in this build");
}
