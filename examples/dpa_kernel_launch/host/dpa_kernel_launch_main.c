/*
 * Options and logs of the kernel launch.
 *
 *     doca_dpa_kernel_launch -d mlx5_0 -n 16 --dpa-log-level 60
 */
#include <doca_argp.h>
#include <doca_log.h>
#include <stdlib.h>
#include <string.h>

#include "dpa_kernel_launch.h"

DOCA_LOG_REGISTER(KERNEL_LAUNCH::MAIN);

static doca_error_t set_device(void *param, void *config)
{
    struct config *c = config;
    if (strlen(param) >= sizeof c->device) {
        DOCA_LOG_ERR("The name of a device has at most %zu letters", sizeof c->device - 1);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(c->device, param, strlen(param) + 1);
    return DOCA_SUCCESS;
}

static doca_error_t set_threads(void *param, void *config)
{
    const int threads = *(int *)param;
    if (threads < 1) {
        DOCA_LOG_ERR("A kernel has at least one thread");
        return DOCA_ERROR_INVALID_VALUE;
    }
    ((struct config *)config)->threads = (unsigned int)threads;
    return DOCA_SUCCESS;
}

static doca_error_t set_dpa_log_level(void *param, void *config)
{
    ((struct config *)config)->dpa_log_level = *(enum doca_dpa_dev_log_level *)param;
    return DOCA_SUCCESS;
}

static const struct option {
    const char *short_name, *long_name, *arguments, *description;
    doca_argp_param_cb_t callback;
    enum doca_argp_type type;
} options[] = {
    {"d", "device", "<name>", "Device with a DPA; default: the first one", set_device,
     DOCA_ARGP_TYPE_STRING},
    {"pf_dev", "pf-device", "<name>", "The same, as samples of DOCA 3 name it", set_device,
     DOCA_ARGP_TYPE_STRING},
    {"n", "threads", "<number>", "Threads of the kernel; default: 4", set_threads,
     DOCA_ARGP_TYPE_INT},
    {NULL, "dpa-log-level", "<level>", "Level of the DPA's messages, 10 to 60; default: 50",
     set_dpa_log_level, DOCA_ARGP_TYPE_INT},
};

static doca_error_t register_option(const struct option *o)
{
    struct doca_argp_param *param = NULL;
    doca_error_t result = doca_argp_param_create(&param);
    if (result != DOCA_SUCCESS)
        return result;
    if (o->short_name)
        doca_argp_param_set_short_name(param, o->short_name);
    doca_argp_param_set_long_name(param, o->long_name);
    doca_argp_param_set_arguments(param, o->arguments);
    doca_argp_param_set_description(param, o->description);
    doca_argp_param_set_callback(param, o->callback);
    doca_argp_param_set_type(param, o->type);
    return doca_argp_register_param(param);
}

/* The program's lines on stdout and stderr, the library's on stderr. */
static doca_error_t open_logs(void)
{
    struct doca_log_backend *sdk = NULL;
    doca_error_t result = doca_log_backend_create_standard();
    if (result == DOCA_SUCCESS)
        result = doca_log_backend_create_with_file_sdk(stderr, &sdk);
    if (result == DOCA_SUCCESS)
        result = doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
    return result;
}

int main(int argc, char **argv)
{
    struct config config = {.threads = 4, .dpa_log_level = DOCA_DPA_DEV_LOG_LEVEL_INFO};
    doca_error_t result = open_logs();
    if (result == DOCA_SUCCESS)
        result = doca_argp_init("doca_dpa_kernel_launch", &config);
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof options / sizeof *options && result == DOCA_SUCCESS; i++)
        result = register_option(&options[i]);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = kernel_launch(&config);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Kernel launch failed: %s", doca_error_get_descr(result));
    doca_argp_destroy();
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
