#include "mlxdpa.h"

enum dpk_status cmd_create_cert_container(const struct mlxdpa_options *options,
                                          struct dpk_error *err)
{
    (void)options;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "create_cert_container is not in this build");
}

enum dpk_status cmd_sign_cert_container(const struct mlxdpa_options *options, struct dpk_error *err)
{
    (void)options;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "sign_cert_container is not in this build");
}
