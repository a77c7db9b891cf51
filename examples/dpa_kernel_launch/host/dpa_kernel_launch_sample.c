/* The launch itself: a device, a DPA context, two events, one kernel. */
#include "dpa_kernel_launch.h"

#include <doca_dpa.h>
#include <doca_log.h>
#include <doca_sync_event.h>
#include <string.h>

DOCA_LOG_REGISTER(KERNEL_LAUNCH::SAMPLE);

extern struct doca_dpa_app *dpa_sample_app; /* dpacc's --app-name */
extern doca_dpa_func_t hello_world;

struct resources {
    struct doca_dev *dev;
    struct doca_dpa *dpa;
    struct doca_sync_event *count, *done; /* that threads add to; that is set at the end */
};

static int is_wanted(const struct doca_devinfo *info, const char *name)
{
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
    return doca_dpa_cap_is_supported(info) == DOCA_SUCCESS &&
           doca_devinfo_get_ibdev_name(info, found, sizeof found) == DOCA_SUCCESS &&
           (!*name || strcmp(found, name) == 0);
}

static doca_error_t open_device(const char *name, struct doca_dev **dev)
{
    struct doca_devinfo **list = NULL;
    uint32_t count = 0;
    doca_error_t result = doca_devinfo_create_list(&list, &count);
    if (result != DOCA_SUCCESS)
        return result;
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++)
        if (is_wanted(list[i], name))
            result = doca_dev_open(list[i], dev);
    doca_devinfo_destroy_list(list);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("%s: %s", *name ? name : "A device with a DPA", doca_error_get_descr(result));
    return result;
}

static doca_error_t start_dpa(struct resources *r, const struct config *config)
{
    unsigned int most = 0;
    doca_error_t result = doca_dpa_create(r->dev, &r->dpa);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_set_app(r->dpa, dpa_sample_app);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_set_log_level(r->dpa, config->dpa_log_level);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_start(r->dpa);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_get_max_threads_per_kernel(r->dpa, &most);
    if (result == DOCA_SUCCESS && config->threads > most) {
        DOCA_LOG_ERR("A kernel has 1 to %u threads", most);
        result = DOCA_ERROR_INVALID_VALUE;
    }
    return result;
}

/* An event that the DPA updates and the CPU waits for. */
static doca_error_t start_event(const struct resources *r, struct doca_sync_event **event)
{
    doca_error_t result = doca_sync_event_create(event);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_add_publisher_location_dpa(*event, r->dpa);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_add_subscriber_location_cpu(*event, r->dev);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_start(*event);
    return result;
}

static doca_error_t launch(const struct resources *r, unsigned int threads)
{
    doca_dpa_dev_sync_event_t count = 0;
    uint64_t counted = 0;
    doca_error_t result = doca_sync_event_get_dpa_handle(r->count, r->dpa, &count);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_kernel_launch_update_set(r->dpa, NULL, 0, r->done, 1, threads,
                                                   &hello_world, count);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_wait_gt(r->done, 0, UINT64_MAX);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_get(r->count, &counted);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("%lu threads ran", (unsigned long)counted);
    return result;
}

static doca_error_t tear_down(const struct resources *r)
{
    doca_error_t result = DOCA_SUCCESS;
    if (r->done)
        DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(r->done));
    if (r->count)
        DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(r->count));
    if (r->dpa)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_destroy(r->dpa));
    if (r->dev)
        DOCA_ERROR_PROPAGATE(result, doca_dev_close(r->dev));
    return result;
}

doca_error_t kernel_launch(const struct config *config)
{
    struct resources r = {0};
    doca_error_t result = open_device(config->device, &r.dev);
    if (result == DOCA_SUCCESS)
        result = start_dpa(&r, config);
    if (result == DOCA_SUCCESS)
        result = start_event(&r, &r.count);
    if (result == DOCA_SUCCESS)
        result = start_event(&r, &r.done);
    if (result == DOCA_SUCCESS)
        result = launch(&r, config->threads);
    DOCA_ERROR_PROPAGATE(result, tear_down(&r));
    return result;
}
