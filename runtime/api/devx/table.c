/* The table of functions that libibverbs.so.1 and libmlx5.so.1 call for emulated devices. */
#include "api/verbs/verbs.h"

const struct dpk_emulated dpk_emulated_11 = {
#define ENTRY(name) .name = dpk_verbs_##name,
    DPK_EMULATED_VERBS(ENTRY)
#undef ENTRY
#define ENTRY(name) .name = dpk_mlx5_##name,
        DPK_EMULATED_MLX5(ENTRY)
#undef ENTRY
};
