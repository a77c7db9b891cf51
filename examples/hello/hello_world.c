/*
 * The host program: opens a device by name, loads the DPA program that dpacc embedded in this
 * executable, launches its kernel and waits for it.
 *
 *     hello_world mlx5_0
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_sync_event.h>

#include "doca_dpa.h"

/* The DPA program: dpacc makes this variable, its name is what --app-name said. */
extern doca_dpa_app_t dpa_hello_world_app;

/* The kernel: dpacc makes a function of this name to stand for it. */
doca_dpa_func_t hello_world_kernel;

/* Everything that the program holds; what is NULL is not there yet. */
struct hello {
    struct doca_dev *dev;
    doca_dpa_t dpa;
    struct doca_sync_event *done;
};

/* Says which step went wrong; false, so that a step can return it. */
static int check(doca_error_t result, const char *step)
{
    if (result == DOCA_SUCCESS)
        return 1;
    fprintf(stderr, "%s: %s\n", step, doca_error_get_descr(result));
    return 0;
}

static int open_device(struct hello *h, const char *name)
{
    struct doca_devinfo **list = NULL;
    uint32_t count = 0;
    if (!check(doca_devinfo_create_list(&list, &count), "List the devices"))
        return 0;

    doca_error_t result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++) {
        char found[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
        if (doca_devinfo_get_ibdev_name(list[i], found, sizeof found) != DOCA_SUCCESS ||
            strcmp(found, name) != 0)
            continue;
        result = doca_devinfo_get_is_dpa_supported(list[i]);
        if (result == DOCA_SUCCESS)
            result = doca_dev_open(list[i], &h->dev);
    }
    doca_devinfo_destroy_list(list);
    return check(result, name);
}

static int create_event(struct hello *h)
{
    return check(doca_sync_event_create(&h->done), "Create the event") &&
           check(doca_sync_event_publisher_add_location_dpa(h->done, h->dpa),
                 "Let the DPA publish the event") &&
           check(doca_sync_event_subscriber_add_location_cpu(h->done, h->dev),
                 "Let the CPU subscribe to the event") &&
           check(doca_sync_event_start(h->done), "Start the event");
}

static int run(struct hello *h, const char *device)
{
    printf("\n----> Open DOCA device\n");
    if (!open_device(h, device))
        return 0;

    printf("\n----> Create DOCA DPA context\n");
    if (!check(doca_dpa_create(h->dev, dpa_hello_world_app, &h->dpa, 0), "Create the DPA context"))
        return 0;

    printf("\n----> Create DOCA Sync event\n");
    if (!create_event(h))
        return 0;

    printf("\n----> Launch hello_world_kernel\n");
    /* No event to wait for; after its one thread has ended, `done` is set to 1. */
    if (!check(
            doca_dpa_kernel_launch_update_set(h->dpa, NULL, 0, h->done, 1, 1, &hello_world_kernel),
            "Launch the kernel"))
        return 0;

    printf("\n----> Waiting for hello_world_kernel to finish\n");
    return check(doca_sync_event_wait_gt(h->done, 0, UINT64_MAX), "Wait for the kernel");
}

static int tear_down(struct hello *h)
{
    int ok = 1;
    if (h->done) {
        printf("\n----> Destroy DOCA Sync event\n");
        ok &= check(doca_sync_event_destroy(h->done), "Destroy the event");
    }
    if (h->dpa) {
        printf("\n----> Destroy DOCA DPA context\n");
        ok &= check(doca_dpa_destroy(h->dpa), "Destroy the DPA context");
    }
    if (h->dev) {
        printf("\n----> Destroy DOCA device\n");
        ok &= check(doca_dev_close(h->dev), "Close the device");
    }
    return ok;
}

int main(int argc, char **argv)
{
    struct hello h = {NULL, NULL, NULL};
    if (argc != 2) {
        fprintf(stderr, "Usage: %s DEVICE\n", argv[0]);
        return 2;
    }
    printf("\n"
           "***********************************************\n"
           "********** Hello World Example **********\n"
           "***********************************************\n");

    int ok = run(&h, argv[1]);
    ok &= tear_down(&h);
    if (!ok)
        return 1;
    printf("\n----> DONE!\n");
    return 0;
}
