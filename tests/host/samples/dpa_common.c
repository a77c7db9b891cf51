#include "dpa_common.h"

#include <doca_argp.h>
#include <doca_log.h>

#define FLEXIO_VER_USED FLEXIO_VER(25, 4, 0)
#include <libflexio/flexio.h>
#include <libflexio/flexio_ver.h>

DOCA_LOG_REGISTER(DPA_COMMON);

static doca_error_t copy_name(char *to, size_t size, const char *name)
{
    if (strnlen(name, size) == size) {
        DOCA_LOG_ERR("Entered name exceeding the maximum size of %zu", size - 1);
        return DOCA_ERROR_INVALID_VALUE;
    }
    strcpy(to, name);
    return DOCA_SUCCESS;
}

static doca_error_t pf_device_name_param_callback(void *param, void *config)
{
    struct dpa_config *cfg = (struct dpa_config *)config;
    return copy_name(cfg->pf_device_name, sizeof(cfg->pf_device_name), (const char *)param);
}

static doca_error_t rdma_device_name_param_callback(void *param, void *config)
{
    struct dpa_config *cfg = (struct dpa_config *)config;
    if (strcmp(cfg->pf_device_name, (const char *)param) == 0) {
        DOCA_LOG_ERR("RDMA device must differ from the PF device");
        return DOCA_ERROR_INVALID_VALUE;
    }
    return copy_name(cfg->rdma_device_name, sizeof(cfg->rdma_device_name), (const char *)param);
}

static doca_error_t resources_param_callback(void *param, void *config)
{
    struct dpa_config *cfg = (struct dpa_config *)config;
    return copy_name(cfg->dpa_resources_file, sizeof(cfg->dpa_resources_file), (const char *)param);
}

static doca_error_t app_key_param_callback(void *param, void *config)
{
    struct dpa_config *cfg = (struct dpa_config *)config;
    return copy_name(cfg->dpa_app_key, sizeof(cfg->dpa_app_key), (const char *)param);
}

static doca_error_t gid_index_param_callback(void *param, void *config)
{
    struct dpa_config *cfg = (struct dpa_config *)config;
    const int gid_index = *(int *)param;
    if (gid_index < 0) {
        DOCA_LOG_ERR("GID index must not be negative");
        return DOCA_ERROR_INVALID_VALUE;
    }
    cfg->gid_index = gid_index;
    return DOCA_SUCCESS;
}

static doca_error_t register_param(const char *short_name, const char *long_name,
                                   const char *arguments, const char *description,
                                   doca_argp_param_cb_t callback, enum doca_argp_type type)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to create ARGP param: %s", doca_error_get_descr(result));
        return result;
    }
    if (short_name)
        doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_arguments(param, arguments);
    doca_argp_param_set_description(param, description);
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    result = doca_argp_register_param(param);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to register param: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t register_dpa_params(void)
{
    doca_error_t result = DOCA_SUCCESS;
    DOCA_ERROR_PROPAGATE(result,
                         register_param("pf_dev", "pf-device", "<PF DOCA device name>",
                                        "PF device name that supports DPA",
                                        pf_device_name_param_callback, DOCA_ARGP_TYPE_STRING));
    DOCA_ERROR_PROPAGATE(result, register_param(NULL, "dpa-resources", "<DPA resources file>",
                                                "DPA resources file", resources_param_callback,
                                                DOCA_ARGP_TYPE_STRING));
    DOCA_ERROR_PROPAGATE(result, register_param(NULL, "dpa-app-key", "<DPA application key>",
                                                "Key of the application in the resources file",
                                                app_key_param_callback, DOCA_ARGP_TYPE_STRING));
    DOCA_ERROR_PROPAGATE(result, register_param("rdma_dev", "rdma-device", "<RDMA device name>",
                                                "Device for RDMA", rdma_device_name_param_callback,
                                                DOCA_ARGP_TYPE_STRING));
    DOCA_ERROR_PROPAGATE(result, register_param("g", "gid-index", "<GID index>", "GID index",
                                                gid_index_param_callback, DOCA_ARGP_TYPE_INT));
    return result;
}

static doca_error_t open_doca_device(const char *name, struct doca_dev **device)
{
    struct doca_devinfo **dev_list;
    uint32_t nb_devs = 0;
    doca_error_t result = doca_devinfo_create_list(&dev_list, &nb_devs);
    if (result != DOCA_SUCCESS)
        return result;
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < nb_devs; i++) {
        char ibdev_name[DOCA_DEVINFO_IBDEV_NAME_SIZE] = {0};
        enum doca_pci_func_type type;
        uint8_t filter_net = 1;
        if (doca_dpa_cap_is_supported(dev_list[i]) != DOCA_SUCCESS ||
            doca_devinfo_get_pci_func_type(dev_list[i], &type) != DOCA_SUCCESS ||
            type != DOCA_PCI_FUNC_TYPE_PF)
            continue;
        if (doca_devinfo_rep_cap_is_filter_net_supported(dev_list[i], &filter_net) !=
                DOCA_SUCCESS ||
            filter_net != 0)
            continue;
        if (doca_devinfo_get_ibdev_name(dev_list[i], ibdev_name, sizeof(ibdev_name)) !=
                DOCA_SUCCESS ||
            (strcmp(name, DEVICE_DEFAULT_NAME) != 0 && strcmp(name, ibdev_name) != 0))
            continue;
        result = doca_dev_open(dev_list[i], device);
        DOCA_LOG_INFO("Device: %s", ibdev_name);
        break;
    }
    doca_devinfo_destroy_list(dev_list);
    return result;
}

/* The resources file, which may not be there: threads run on any unit then. */
static size_t read_resources_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    size_t length = fread(text, 1, size, file);
    fclose(file);
    return length;
}

static doca_error_t make_affinities(struct flexio_resource *units, struct dpa_resources *resources)
{
    const uint32_t *eus = flexio_resources_get_eus(units);
    const uint32_t count = flexio_resources_get_eus_num(units);
    doca_error_t result = DOCA_SUCCESS;
    if (flexio_resources_get_eugs_num(units) != 0)
        return DOCA_ERROR_NOT_SUPPORTED;
    resources->affinities = calloc(count + 1, sizeof(*resources->affinities));
    if (resources->affinities == NULL)
        return DOCA_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < count && result == DOCA_SUCCESS; i++) {
        result = doca_dpa_eu_affinity_create(resources->pf_doca_dpa, &resources->affinities[i]);
        if (result == DOCA_SUCCESS)
            resources->num_affinities++;
        DOCA_ERROR_PROPAGATE(result, doca_dpa_eu_affinity_set(resources->affinities[i], eus[i]));
    }
    DOCA_LOG_INFO("Threads have %u units", count);
    return result;
}

static doca_error_t read_resources(const struct dpa_config *cfg, struct dpa_resources *resources)
{
    char text[4096];
    struct flexio_resource *units = NULL;
    size_t length = read_resources_file(cfg->dpa_resources_file, text, sizeof(text));
    if (length == 0)
        return DOCA_SUCCESS;
    if (flexio_resources_create(cfg->dpa_app_key, text, length, &units) != FLEXIO_STATUS_SUCCESS)
        return DOCA_ERROR_BAD_CONFIG;
    doca_error_t result = make_affinities(units, resources);
    flexio_resources_destroy(units);
    return result;
}

static doca_error_t destroy_affinities(struct dpa_resources *resources)
{
    doca_error_t result = DOCA_SUCCESS;
    for (uint32_t i = 0; i < resources->num_affinities; i++)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_eu_affinity_destroy(resources->affinities[i]));
    free(resources->affinities);
    return result;
}

static doca_error_t open_rdma_device(const struct dpa_config *cfg, struct dpa_resources *resources)
{
    doca_error_t result = DOCA_SUCCESS;
    if (strcmp(cfg->rdma_device_name, DEVICE_DEFAULT_NAME) == 0) {
        resources->rdma_doca_device = resources->pf_doca_device;
        resources->rdma_doca_dpa = resources->pf_doca_dpa;
    } else {
        result = open_doca_device(cfg->rdma_device_name, &resources->rdma_doca_device);
        if (result != DOCA_SUCCESS)
            return result;
        result = doca_dpa_device_extend(resources->pf_doca_dpa, resources->rdma_doca_device,
                                        &resources->rdma_doca_dpa);
        if (result != DOCA_SUCCESS) {
            doca_dev_close(resources->rdma_doca_device);
            return result;
        }
    }
    DOCA_ERROR_PROPAGATE(
        result, doca_dpa_get_dpa_handle(resources->rdma_doca_dpa, &resources->rdma_dpa_handle));
    return result;
}

doca_error_t allocate_dpa_resources(struct doca_dpa_app *app, const struct dpa_config *cfg,
                                    struct dpa_resources *resources)
{
    doca_error_t result = open_doca_device(cfg->pf_device_name, &resources->pf_doca_device);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to open DOCA device: %s", doca_error_get_descr(result));
        return result;
    }
    result = doca_dpa_create(resources->pf_doca_device, &resources->pf_doca_dpa);
    if (result != DOCA_SUCCESS)
        goto close_doca_dev;
    result = doca_dpa_set_app(resources->pf_doca_dpa, app);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_start(resources->pf_doca_dpa);
    if (result == DOCA_SUCCESS)
        result = read_resources(cfg, resources);
    if (result == DOCA_SUCCESS)
        result = open_rdma_device(cfg, resources);
    if (result == DOCA_SUCCESS)
        return result;
    destroy_affinities(resources);
    DOCA_LOG_ERR("Failed to start DOCA DPA context: %s", doca_error_get_descr(result));
    doca_dpa_destroy(resources->pf_doca_dpa);
close_doca_dev:
    doca_dev_close(resources->pf_doca_device);
    return result;
}

doca_error_t destroy_dpa_resources(struct dpa_resources *resources)
{
    doca_error_t result = destroy_affinities(resources);
    if (resources->rdma_doca_device != resources->pf_doca_device) {
        DOCA_ERROR_PROPAGATE(result, doca_dpa_destroy(resources->rdma_doca_dpa));
        DOCA_ERROR_PROPAGATE(result, doca_dev_close(resources->rdma_doca_device));
    }
    DOCA_ERROR_PROPAGATE(result, doca_dpa_destroy(resources->pf_doca_dpa));
    DOCA_ERROR_PROPAGATE(result, doca_dev_close(resources->pf_doca_device));
    return result;
}

doca_error_t create_doca_dpa_wait_sync_event(struct doca_dpa *dpa, struct doca_dev *dev,
                                             struct doca_sync_event **event)
{
    doca_error_t result = doca_sync_event_create(event);
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_add_publisher_location_cpu(*event, dev));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_add_subscriber_location_dpa(*event, dpa));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_start(*event));
    return result;
}

doca_error_t create_doca_dpa_completion_sync_event(struct doca_dpa *dpa, struct doca_dev *dev,
                                                   struct doca_sync_event **event,
                                                   doca_dpa_dev_sync_event_t *handle)
{
    doca_error_t result = doca_sync_event_create(event);
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_add_publisher_location_dpa(*event, dpa));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_add_subscriber_location_cpu(*event, dev));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_start(*event));
    if (handle != NULL)
        DOCA_ERROR_PROPAGATE(result, doca_sync_event_get_dpa_handle(*event, dpa, handle));
    return result;
}

doca_error_t create_doca_remote_net_sync_event(struct doca_dpa *dpa, struct doca_sync_event **event,
                                               const uint8_t **export_data, size_t *export_size)
{
    doca_error_t result = doca_sync_event_create(event);
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_add_publisher_location_remote_net(*event));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_add_subscriber_location_dpa(*event, dpa));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_start(*event));
    DOCA_ERROR_PROPAGATE(result,
                         doca_sync_event_export_to_remote_net(*event, export_data, export_size));
    return result;
}

doca_error_t import_doca_remote_net_sync_event(struct doca_dev *rdma_dev, struct doca_dpa *rdma_dpa,
                                               const uint8_t *data, size_t size,
                                               struct doca_sync_event_remote_net **remote_event,
                                               doca_dpa_dev_sync_event_remote_net_t *handle)
{
    doca_error_t result =
        doca_sync_event_remote_net_create_from_export(rdma_dev, data, size, remote_event);
    DOCA_ERROR_PROPAGATE(
        result, doca_sync_event_remote_net_get_dpa_handle(*remote_event, rdma_dpa, handle));
    return result;
}
