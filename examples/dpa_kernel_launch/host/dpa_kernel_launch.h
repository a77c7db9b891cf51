#ifndef DPA_KERNEL_LAUNCH_H
#define DPA_KERNEL_LAUNCH_H

#include <doca_dev.h>
#include <doca_dpa_types.h>
#include <doca_error.h>

struct config {
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE]; /* "": the first with a DPA */
    unsigned int threads;
    enum doca_dpa_dev_log_level dpa_log_level;
};

/* Launches the kernel on as many threads as the configuration says, and waits for it. */
doca_error_t kernel_launch(const struct config *config);

#endif
