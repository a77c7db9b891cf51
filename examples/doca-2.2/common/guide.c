#include "guide.h"

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(GUIDE);

struct options {
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE]; /* "": the first with a DPA */
};

/* Logs which step went wrong; passes its result on. */
static doca_error_t logged(doca_error_t result, const char *step)
{
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("%s: %s", step, doca_error_get_descr(result));
    return result;
}

/* ---- Options ---- */

static doca_error_t set_device(void *param, void *config)
{
    struct options *options = config;
    const char *name = param;
    if (strlen(name) >= sizeof options->device) {
        DOCA_LOG_ERR("The name of a device has at most %zu letters", sizeof options->device - 1);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(options->device, name, strlen(name) + 1);
    return DOCA_SUCCESS;
}

static doca_error_t read_options(int argc, char **argv)
{
    struct doca_argp_param *param = NULL;
    doca_error_t result = doca_argp_param_create(&param);
    if (result != DOCA_SUCCESS)
        return logged(result, "Create an option");
    doca_argp_param_set_short_name(param, "d");
    doca_argp_param_set_long_name(param, "device");
    doca_argp_param_set_arguments(param, "<IB device name>");
    doca_argp_param_set_description(param, "Device with a DPA; default: the first one");
    doca_argp_param_set_callback(param, set_device);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    result = doca_argp_register_param(param);
    if (result != DOCA_SUCCESS)
        return logged(result, "Register an option");
    return doca_argp_start(argc, argv);
}

/* ---- The device ---- */

static int is_wanted(const struct doca_devinfo *info, const char *name)
{
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
    return doca_devinfo_get_is_dpa_supported(info) == DOCA_SUCCESS &&
           doca_devinfo_get_ibdev_name(info, found, sizeof found) == DOCA_SUCCESS &&
           (!*name || strcmp(found, name) == 0);
}

static doca_error_t open_device(const char *name, struct doca_dev **dev)
{
    struct doca_devinfo **list = NULL;
    uint32_t count = 0;
    doca_error_t result = doca_devinfo_create_list(&list, &count);
    if (result != DOCA_SUCCESS)
        return logged(result, "List the devices");
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++)
        if (is_wanted(list[i], name))
            result = doca_dev_open(list[i], dev);
    doca_devinfo_destroy_list(list);
    return logged(result, *name ? name : "A device with a DPA");
}

/* ---- Events ---- */

static doca_error_t set_sides(struct guide *g, struct doca_sync_event *e, unsigned publishers,
                              unsigned subscribers)
{
    doca_error_t result = DOCA_SUCCESS;
    if (publishers & GUIDE_CPU)
        result = doca_sync_event_publisher_add_location_cpu(e, g->dev);
    if (result == DOCA_SUCCESS && publishers & GUIDE_DPA)
        result = doca_sync_event_publisher_add_location_dpa(e, g->dpa);
    if (result == DOCA_SUCCESS && subscribers & GUIDE_CPU)
        result = doca_sync_event_subscriber_add_location_cpu(e, g->dev);
    if (result == DOCA_SUCCESS && subscribers & GUIDE_DPA)
        result = doca_sync_event_subscriber_add_location_dpa(e, g->dpa);
    return result;
}

doca_error_t guide_event(struct guide *g, unsigned publishers, unsigned subscribers,
                         struct doca_sync_event **event)
{
    if (g->count == GUIDE_EVENTS_MAX)
        return logged(DOCA_ERROR_FULL, "Create an event");
    doca_error_t result = doca_sync_event_create(event);
    if (result != DOCA_SUCCESS)
        return logged(result, "Create an event");
    g->events[g->count++] = *event;
    result = set_sides(g, *event, publishers, subscribers);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_start(*event);
    return logged(result, "Start an event");
}

doca_error_t guide_wait(struct doca_sync_event *event, uint64_t threshold)
{
    return logged(doca_sync_event_wait_gt(event, threshold, UINT64_MAX), "Wait for an event");
}

/* ---- The frame of each program ---- */

static doca_error_t with_context(const char *device, doca_dpa_app_t app,
                                 doca_error_t (*sample)(struct guide *g))
{
    struct guide g = {.count = 0};
    doca_error_t result = open_device(device, &g.dev);
    if (result != DOCA_SUCCESS)
        return result;
    result = logged(doca_dpa_create(g.dev, app, &g.dpa, 0), "Create the DPA context");
    if (result == DOCA_SUCCESS) {
        result = logged(sample(&g), "The sample");
        while (g.count > 0)
            DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(g.events[--g.count]));
        DOCA_ERROR_PROPAGATE(result, doca_dpa_destroy(g.dpa));
    }
    DOCA_ERROR_PROPAGATE(result, doca_dev_close(g.dev));
    return result;
}

int guide_main(int argc, char **argv, const char *name, doca_dpa_app_t app,
               doca_error_t (*sample)(struct guide *g))
{
    struct options options = {.device = ""};
    doca_error_t result = doca_log_backend_create_standard();
    if (result == DOCA_SUCCESS)
        result = doca_argp_init(name, &options);
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    result = read_options(argc, argv);
    doca_argp_destroy();
    if (result == DOCA_SUCCESS)
        result = with_context(options.device, app, sample);
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    DOCA_LOG_INFO("Done");
    return EXIT_SUCCESS;
}
