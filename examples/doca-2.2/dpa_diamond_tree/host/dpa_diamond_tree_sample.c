/*
 * Four kernels; B and C wait for A, D waits for both of them:
 *
 *         A
 *       B   C
 *         D
 */
#include "../../common/guide.h"

extern doca_dpa_app_t dpa_sample_app;
doca_dpa_func_t diamond_kernel;

enum { A, B, C, D, NODES };

static doca_error_t sample(struct guide *g)
{
    struct doca_sync_event *top = NULL, *sides = NULL, *bottom = NULL;
    doca_dpa_dev_uintptr_t paths = 0;
    doca_error_t result = guide_event(g, GUIDE_DPA, GUIDE_DPA, &top);
    if (result == DOCA_SUCCESS)
        result = guide_event(g, GUIDE_DPA, GUIDE_DPA, &sides);
    if (result == DOCA_SUCCESS)
        result = guide_event(g, GUIDE_DPA, GUIDE_CPU, &bottom);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_mem_alloc(g->dpa, NODES * sizeof(uint64_t), &paths);
    if (result != DOCA_SUCCESS)
        return result;

    /* Both sides add to one event: it is above 1 when both have ended. */
    const struct {
        struct doca_sync_event *wait;
        uint64_t threshold;
        struct doca_sync_event *ended;
        uint64_t parent, other;
    } nodes[NODES] = {
        [A] = {NULL, 0, top, A, A},
        [B] = {top, 0, sides, A, A},
        [C] = {top, 0, sides, A, A},
        [D] = {sides, 1, bottom, B, C},
    };
    for (uint64_t i = 0; i < NODES && result == DOCA_SUCCESS; i++)
        result = doca_dpa_kernel_launch_update_add(g->dpa, nodes[i].wait, nodes[i].threshold,
                                                   nodes[i].ended, 1, 1, &diamond_kernel, paths, i,
                                                   nodes[i].parent, nodes[i].other);
    if (result == DOCA_SUCCESS)
        result = guide_wait(bottom, 0);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(paths));
    return result;
}

int main(int argc, char **argv)
{
    return guide_main(argc, argv, "doca_dpa_diamond_tree", dpa_sample_app, sample);
}
