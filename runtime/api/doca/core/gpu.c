/* Objects of GPUs. */
#include "api/doca/core/gpu.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "api/doca/core/core.h"
#include "api/verbs/verbs.h"

static const struct dpk_gpu_ops *_Atomic known; /* NULL: no GPU was made */

static void gpu_release(void *object)
{
    free(object);
}
const struct dpk_kind dpk_gpu_kind = {.release = gpu_release};

doca_error_t dpk_gpu_new(const struct dpk_gpu_ops *ops, struct doca_gpu **out)
{
    struct dpk_gpu *g = calloc(1, sizeof *g);
    if (g) {
        g->ops = ops;
        atomic_store(&known, ops);
        dpk_emulated_11.set_gpu(ops->bus);
    }
    *out = g ? dpk_object_enter(g, &dpk_gpu_kind) : NULL;
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

void *dpk_gpu_bus(void *at)
{
    const struct dpk_gpu_ops *ops = atomic_load(&known);
    return ops ? ops->bus(at) : at;
}

bool dpk_gpu_runs(void)
{
    const struct dpk_gpu_ops *ops = atomic_load(&known);
    return ops && ops->runs();
}

doca_error_t dpk_gpu_judge_handle(bool on_gpu, const void *handle, const char *what)
{
    if (!on_gpu)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "the data path is not on a GPU (doca_ctx_set_datapath_on_gpu)");
    return handle ? DOCA_SUCCESS
                  : dpk_doca_because(DOCA_ERROR_BAD_STATE, "the %s is not running", what);
}
