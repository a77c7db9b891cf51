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

/* With a device of its own for RDMA: a context that extends the other. Else both are the same. */
struct dpa_resources {
    struct doca_dev *pf_doca_device;
    struct doca_dpa *pf_doca_dpa;
    struct doca_dev *rdma_doca_device;
    struct doca_dpa *rdma_doca_dpa;
    doca_dpa_dev_t rdma_dpa_handle;
    struct doca_dpa_eu_affinity **affinities; /* of the units in the resources file */
    uint32_t num_affinities, next_affinity;
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
/* An event that peers update, and what their kernels call it. */
doca_error_t create_doca_remote_net_sync_event(struct doca_dpa *dpa, struct doca_sync_event **event,
                                               const uint8_t **export_data, size_t *export_size);
doca_error_t import_doca_remote_net_sync_event(struct doca_dev *rdma_dev, struct doca_dpa *rdma_dpa,
                                               const uint8_t *data, size_t size,
                                               struct doca_sync_event_remote_net **remote_event,
                                               doca_dpa_dev_sync_event_remote_net_t *handle);

#endif
