/*
 * Seven kernels, each with an event of its own that says it has ended; each but the first is
 * launched with its parent's event to wait for:
 *
 *            0
 *        1       2
 *      3   4   5   6
 */
#include "../../common/guide.h"

extern doca_dpa_app_t dpa_sample_app;
doca_dpa_func_t binary_tree_kernel;

#define NODES 7

static doca_error_t sample(struct guide *g)
{
    struct doca_sync_event *ended[NODES];
    doca_error_t result = DOCA_SUCCESS;
    for (int i = 0; i < NODES && result == DOCA_SUCCESS; i++)
        result = guide_event(g, GUIDE_DPA, GUIDE_DPA | GUIDE_CPU, &ended[i]);
    for (uint64_t i = 0; i < NODES && result == DOCA_SUCCESS; i++)
        result = doca_dpa_kernel_launch_update_set(g->dpa, i == 0 ? NULL : ended[(i - 1) / 2], 0,
                                                   ended[i], 1, 1, &binary_tree_kernel, i);
    for (int i = 0; i < NODES && result == DOCA_SUCCESS; i++)
        result = guide_wait(ended[i], 0);
    return result;
}

int main(int argc, char **argv)
{
    return guide_main(argc, argv, "doca_dpa_binary_tree", dpa_sample_app, sample);
}
