/* Launches a kernel with a completion event, and waits for that. */
#include "../../common/guide.h"

extern doca_dpa_app_t dpa_sample_app;
doca_dpa_func_t hello_world;

static doca_error_t sample(struct guide *g)
{
    struct doca_sync_event *done = NULL;
    doca_error_t result = guide_event(g, GUIDE_DPA, GUIDE_CPU, &done);
    if (result != DOCA_SUCCESS)
        return result;
    /* Nothing to wait for; when its one thread has ended, `done` is set to 10. */
    result = doca_dpa_kernel_launch_update_set(g->dpa, NULL, 0, done, 10, 1, &hello_world);
    return result == DOCA_SUCCESS ? guide_wait(done, 9) : result;
}

int main(int argc, char **argv)
{
    return guide_main(argc, argv, "doca_dpa_kernel_launch", dpa_sample_app, sample);
}
