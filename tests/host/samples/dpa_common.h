/* What the samples share: command line, device, context. Own re-creation of the calls that NVIDIA's
 * DPA samples make, in their order and with their types. */
#ifndef TESTS_SAMPLES_DPA_COMMON_H
#define TESTS_SAMPLES_DPA_COMMON_H

#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_error.h>
#include <doca_sync_event.h>

#define DEVICE_DEFAULT_NAME "NOT_SET"

struct dpa_config {
    char pf_device_name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    char rdma_device_name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    char dpa_resources_file[256];
    char dpa_app_key[256];
    int gid_index;
};

struct dpa_resources {
    struct doca_dev *pf_doca_device;
    struct doca_dpa *pf_doca_dpa;
};

doca_error_t register_dpa_params(void);
doca_error_t allocate_dpa_resources(struct doca_dpa_app *app, const struct dpa_config *cfg,
                                    struct dpa_resources *resources);
doca_error_t destroy_dpa_resources(struct dpa_resources *resources);
doca_error_t create_doca_dpa_wait_sync_event(struct doca_dpa *dpa, struct doca_dev *dev,
                                             struct doca_sync_event **event);
doca_error_t create_doca_dpa_completion_sync_event(struct doca_dpa *dpa, struct doca_dev *dev,
                                                   struct doca_sync_event **event,
                                                   doca_dpa_dev_sync_event_t *handle);

#endif
