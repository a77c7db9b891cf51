/* mlx5dv_devx_obj_create and its kin: commands about queues and capabilities. Commands about steering are those of
 * api/verbs. */
#include <errno.h>

#include "queue.h"

struct mlx5dv_devx_obj *dpk_mlx5_devx_obj_create(struct ibv_context *context, const void *in,
                                                 size_t inlen, void *out, size_t outlen)
{
    return dpk_verbs_devx_create(context, in, inlen, out, outlen);
}

int dpk_mlx5_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                             size_t outlen)
{
    return dpk_verbs_devx_modify(obj, in, inlen, out, outlen);
}

int dpk_mlx5_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                            size_t outlen)
{
    return dpk_verbs_devx_query(obj, in, inlen, out, outlen);
}

int dpk_mlx5_devx_general_cmd(struct ibv_context *context, const void *in, size_t inlen, void *out,
                              size_t outlen)
{
    struct devx_command c;
    const int why = devx_begin(&c, "mlx5dv_devx_general_cmd", in, inlen, out, outlen);
    if (why || !context)
        return why ? why : EINVAL;
    switch (c.opcode) {
    case DEVX_QUERY_HCA_CAP:
        return devx_query_caps(&c, context);
    case DEVX_QUERY_ROCE_ADDRESS:
        return devx_query_roce_address(&c, context);
    default:
        return devx_refuse(&c, DEVX_BAD_OPERATION, "emulated devices have no such general command");
    }
}

int dpk_mlx5_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
    return dpk_verbs_devx_destroy(obj);
}
