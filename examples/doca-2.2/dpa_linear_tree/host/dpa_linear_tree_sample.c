/*
 * A chain of kernels, A - B - C. The first is launched with an event to wait for, so that the host
 * starts them all at once; the others wait on the DPA, for events that they know by handles.
 */
#include <stdio.h>

#include "../../common/guide.h"

extern doca_dpa_app_t dpa_sample_app;
doca_dpa_func_t linear_kernel;

#define KERNELS 3

static doca_error_t sample(struct guide *g)
{
    struct doca_sync_event *go = NULL, *ended[KERNELS];
    doca_dpa_dev_sync_event_t handles[KERNELS], before = 0;
    doca_error_t result = guide_event(g, GUIDE_CPU, GUIDE_DPA, &go);
    for (int i = 0; i < KERNELS && result == DOCA_SUCCESS; i++) {
        result = guide_event(g, GUIDE_DPA, i == KERNELS - 1 ? GUIDE_CPU : GUIDE_DPA, &ended[i]);
        if (result == DOCA_SUCCESS)
            result = doca_sync_event_export_to_dpa(ended[i], g->dpa, &handles[i]);
    }
    for (uint64_t i = 0; i < KERNELS && result == DOCA_SUCCESS; i++) {
        result = doca_dpa_kernel_launch_update_add(g->dpa, i == 0 ? go : NULL, 0, NULL, 0, 1,
                                                   &linear_kernel, i, before, handles[i]);
        before = handles[i];
    }
    if (result != DOCA_SUCCESS)
        return result;
    printf("Go\n");
    fflush(stdout);
    result = doca_sync_event_update_set(go, 1);
    return result == DOCA_SUCCESS ? guide_wait(ended[KERNELS - 1], 0) : result;
}

int main(int argc, char **argv)
{
    return guide_main(argc, argv, "doca_dpa_linear_tree", dpa_sample_app, sample);
}
