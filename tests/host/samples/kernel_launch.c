/* Launches a kernel that waits for an event, which another host thread sets. */
#include <doca_argp.h>
#include <doca_log.h>
#include <pthread.h>
#include <unistd.h>

#include "dpa_common.h"

DOCA_LOG_REGISTER(KERNEL_LAUNCH::MAIN);

extern struct doca_dpa_app *dpa_sample_app;
doca_dpa_func_t hello_world;

struct thread_args {
    struct doca_sync_event *wait_event;
    uint64_t wait_event_val;
};

static void *wait_event_update_thread(void *args)
{
    struct thread_args *a = args;
    usleep(50 * 1000);
    if (doca_sync_event_update_set(a->wait_event, a->wait_event_val) != DOCA_SUCCESS)
        return a;
    return NULL;
}

static doca_error_t kernel_launch(struct dpa_resources *resources)
{
    struct doca_sync_event *wait_event = NULL, *comp_event = NULL;
    const uint64_t wait_thresh = 4, comp_event_val = 10;
    const unsigned int num_dpa_threads = 1;
    pthread_t tid = 0;
    doca_error_t result, tmp_result;

    result = create_doca_dpa_wait_sync_event(resources->pf_doca_dpa, resources->pf_doca_device,
                                             &wait_event);
    if (result != DOCA_SUCCESS)
        return result;
    result = create_doca_dpa_completion_sync_event(resources->pf_doca_dpa,
                                                   resources->pf_doca_device, &comp_event, NULL);
    if (result != DOCA_SUCCESS)
        goto destroy_wait_event;
    struct thread_args args = {.wait_event = wait_event, .wait_event_val = wait_thresh + 1};
    if (pthread_create(&tid, NULL, wait_event_update_thread, &args) != 0) {
        result = DOCA_ERROR_OPERATING_SYSTEM;
        goto destroy_comp_event;
    }
    DOCA_LOG_INFO("All DPA resources have been created");
    result = doca_dpa_kernel_launch_update_set(resources->pf_doca_dpa, wait_event, wait_thresh,
                                               comp_event, comp_event_val, num_dpa_threads,
                                               &hello_world);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_wait_gt(comp_event, comp_event_val - 1, 0xFFFFFFFFFFFFFFFF);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to launch kernel: %s", doca_error_get_descr(result));
    pthread_join(tid, NULL); /* its call keeps the device in use for as long as it lasts */
destroy_comp_event:
    tmp_result = doca_sync_event_destroy(comp_event);
    DOCA_ERROR_PROPAGATE(result, tmp_result);
destroy_wait_event:
    tmp_result = doca_sync_event_destroy(wait_event);
    DOCA_ERROR_PROPAGATE(result, tmp_result);
    return result;
}

int main(int argc, char **argv)
{
    struct dpa_config cfg = {.pf_device_name = DEVICE_DEFAULT_NAME,
                             .rdma_device_name = DEVICE_DEFAULT_NAME};
    struct dpa_resources resources = {0};
    struct doca_log_backend *sdk_log;
    int exit_status = EXIT_FAILURE;
    doca_error_t result = doca_log_backend_create_standard();
    if (result != DOCA_SUCCESS)
        goto sample_exit;
    result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
    if (result != DOCA_SUCCESS)
        goto sample_exit;
    result = doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
    if (result != DOCA_SUCCESS)
        goto sample_exit;
    DOCA_LOG_INFO("Starting the sample");
    result = doca_argp_init(NULL, &cfg);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to init ARGP resources: %s", doca_error_get_descr(result));
        goto sample_exit;
    }
    result = register_dpa_params();
    if (result != DOCA_SUCCESS)
        goto argp_cleanup;
    result = doca_argp_start(argc, argv);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to parse sample input: %s", doca_error_get_descr(result));
        goto argp_cleanup;
    }
    DOCA_LOG_DBG("gid %d, resources '%s', key '%s', rdma %s", cfg.gid_index, cfg.dpa_resources_file,
                 cfg.dpa_app_key, cfg.rdma_device_name);
    result = allocate_dpa_resources(dpa_sample_app, &cfg, &resources);
    if (result != DOCA_SUCCESS)
        goto argp_cleanup;
    result = kernel_launch(&resources);
    DOCA_ERROR_PROPAGATE(result, destroy_dpa_resources(&resources));
    if (result == DOCA_SUCCESS)
        exit_status = EXIT_SUCCESS;
argp_cleanup:
    doca_argp_destroy();
sample_exit:
    if (exit_status == EXIT_SUCCESS)
        DOCA_LOG_INFO("Sample finished successfully");
    else
        DOCA_LOG_INFO("Sample finished with errors");
    return exit_status;
}
