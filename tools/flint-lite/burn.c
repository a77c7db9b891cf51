/* The command that burns a container into a device. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "flint.h"

/* Asks on the terminal. The end of the input counts as no. */
static bool confirmed(const struct flint_options *o)
{
    char answer[16];
    if (o->yes)
        return true;
    printf("\n Do you want to burn %s into %s ? (y/n) [n] : ", o->image, o->device);
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin)) {
        printf("\n");
        return false;
    }
    answer[strcspn(answer, "\r\n")] = 0;
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

/* Prints the progress bar of NVIDIA's tool. The transfer takes no time, so the bar does not
 * wait. */
static void show_progress(const char *what)
{
    for (int percent = 0; percent <= 100 && isatty(STDOUT_FILENO); percent += 25) {
        printf("\r%s - %3d%%", what, percent);
        fflush(stdout);
    }
    printf("%s%s -   OK\n", isatty(STDOUT_FILENO) ? "\r" : "", what);
}

static enum dpk_status burn(const struct flint_options *o, struct dpk_device *dev,
                            struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct dpk_container container;
    char writing[64] = "Writing component";
    enum dpk_status status = dpk_file_read(o->image, DPK_CONTAINER_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    /* Parses the container only for the component's name; the device checks the container
     * itself. */
    if (dpk_container_parse(file.data, file.size, &container, NULL) == DPK_OK)
        snprintf(writing, sizeof writing, "Writing %s component", flint_component_name(&container));
    if (!confirmed(o)) {
        status = dpk_fail(err, DPK_ERR_REFUSED, "%s: not burned, the answer was no", o->image);
        goto out;
    }
    printf("-I- Downloading FW ...\n");
    status = dpk_device_burn(dev, file.data, file.size, NULL, err);
    if (status == DPK_OK) {
        show_progress("FSMST_INITIALIZE");
        show_progress(writing);
        printf("-I- Component FW burn finished successfully.\n");
    } else if (status == DPK_ERR_REFUSED) {
        dpk_error_prefix(err, "%s: burning failed", o->image);
    }
out:
    dpk_buf_free(&file);
    return status;
}

static enum dpk_status run_burn(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct flint_options *o = options;
    (void)args;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = burn(o, dev, err);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command flint_burn_command = {.names = "burn,b",
                                               .help = "burn the container (-d -i)",
                                               .needs = "d,i",
                                               .takes = "y",
                                               .run = run_burn};
