#include "mlxdpa.h"

enum dpk_status cmd_verify(const struct mlxdpa_options *options, struct dpk_error *err)
{
    (void)options;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "verify is not in this build");
}
