/* The calls of the guide's hello world (DPA subsystem guide 2.2.1, 3.5.2) unchanged:
 * results ignored, no header for sync events, the kernel declared without extern. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_dev.h>
#include <doca_error.h>

#include "doca_dpa.h"

extern doca_dpa_app_t dpa_hello_world_app;
doca_dpa_func_t hello_world_kernel;

int main(int argc, char **argv)
{
    struct doca_devinfo **list;
    struct doca_dev *doca_dev = NULL;
    doca_dpa_t doca_dpa;
    struct doca_sync_event *cpu_event;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint32_t count, i;

    doca_devinfo_create_list(&list, &count);
    for (i = 0; i < count; i++) {
        doca_devinfo_get_ibdev_name(list[i], name, sizeof(name));
        if (argc > 1 && strcmp(name, argv[1]) == 0)
            doca_dev_open(list[i], &doca_dev);
    }
    doca_devinfo_destroy_list(list);

    doca_dpa_create(doca_dev, dpa_hello_world_app, &doca_dpa, 0);
    doca_sync_event_create(&cpu_event);
    doca_sync_event_publisher_add_location_dpa(cpu_event, doca_dpa);
    doca_sync_event_subscriber_add_location_cpu(cpu_event, doca_dev);
    doca_sync_event_start(cpu_event);
    doca_dpa_kernel_launch_update_set(doca_dpa, NULL, 0, cpu_event, 1, 1, &hello_world_kernel);
    doca_sync_event_wait_gt(cpu_event, 0, 0xFFFFFFFFFFFFFFFF);
    doca_sync_event_destroy(cpu_event);
    doca_dpa_destroy(doca_dpa);
    doca_dev_close(doca_dev);
    printf("DONE!\n");
    return 0;
}
