/* The command attach: the device as character devices of this machine, for NVIDIA's tools. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "api/mst/mst.h"
#include "dpadev.h"

#define CUSE         "/dev/cuse"
#define FWCTL_MAX    64 /* numbers that are tried */
#define NAME_MAXIMUM 64

/* What becomes one character device. */
struct door {
    int cuse;
    char name[NAME_MAXIMUM]; /* in /dev */
};
struct attached {
    const char *device;
    struct mst_attach *attach;
    char address[NAME_MAXIMUM]; /* of the PCI function */
    struct door doors[MST_DOORS];
};

static bool exists(const char *folder, const char *name)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n < 0 || n >= PATH_MAX || access(path, F_OK) == 0;
}

/* Refuses what would hide another device: tools would take the emulated card for the real one. */
static enum dpk_status choose_names(struct attached *a, struct dpk_error *err)
{
    struct door *pci = &a->doors[MST_DOOR_PCI], *fwctl = &a->doors[MST_DOOR_FWCTL];
    snprintf(pci->name, sizeof pci->name, "%s", mst_attach_name(a->attach));
    snprintf(a->address, sizeof a->address, "%.*s", (int)strcspn(pci->name, "_"), pci->name);
    if (exists("/sys/bus/pci/devices", a->address))
        return dpk_fail(err, DPK_ERR_EXISTS,
                        "this machine has a device at the PCI address %s: create %s under another "
                        "number (mlx5_N)",
                        a->address, a->device);
    if (exists("/dev", pci->name))
        return dpk_fail(err, DPK_ERR_EXISTS, "/dev/%s exists: the device is attached already",
                        pci->name);
    for (unsigned i = 0; i < FWCTL_MAX; i++) {
        snprintf(fwctl->name, sizeof fwctl->name, "fwctl/fwctl%u", i);
        if (!exists("/dev", fwctl->name) && !exists("/sys/class", fwctl->name))
            return DPK_OK;
    }
    return dpk_fail(err, DPK_ERR_EXISTS, "/dev/fwctl has %u devices", FWCTL_MAX);
}

static enum dpk_status open_cuse(int *out, struct dpk_error *err)
{
    *out = open(CUSE, O_RDWR | O_CLOEXEC);
    if (*out >= 0)
        return DPK_OK;
    if (errno == ENOENT || errno == ENODEV)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        CUSE " is missing, which makes character devices: load the kernel's "
                             "module cuse (modprobe cuse), or use dpadev exec");
    if (errno == EACCES || errno == EPERM)
        return dpk_fail(
            err, DPK_ERR_IO,
            CUSE
            ": %s: attach needs root, because it makes character devices; dpadev exec does not",
            strerror(errno));
    return dpk_fail_errno(err, CUSE);
}

static void tell(void *context)
{
    const struct attached *a = context;
    printf("Device %s is attached until this is interrupted: /dev/%s (mstconfig -d %s), /dev/%s "
           "(mstconfig -d %s).\n",
           a->device, a->doors[MST_DOOR_PCI].name, a->address, a->doors[MST_DOOR_FWCTL].name,
           strchr(a->doors[MST_DOOR_FWCTL].name, '/') + 1);
    fflush(stdout);
}

static enum dpk_status run(struct attached *a, struct dpk_error *err)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const int stop = signalfd(-1, &signals, SFD_CLOEXEC);
    enum dpk_status status = stop >= 0 ? DPK_OK : dpk_fail_errno(err, "signalfd");
    for (size_t i = 0; i < MST_DOORS && status == DPK_OK; i++) {
        status = open_cuse(&a->doors[i].cuse, err);
        if (status == DPK_OK)
            status = mst_attach_add(a->attach, (enum mst_door)i, a->doors[i].cuse, a->doors[i].name,
                                    err);
    }
    if (status == DPK_OK)
        status = mst_attach_run(a->attach, stop, tell, a, err);
    if (stop >= 0)
        close(stop);
    return status;
}

static enum dpk_status open_trace(const char *path, int *out, struct dpk_error *err)
{
    *out = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    return path && *out < 0 ? dpk_fail_errno(err, "%s", path) : DPK_OK;
}

static enum dpk_status attach(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct dpadev_card_options *options = given;
    struct attached a = {.device = args->words[0],
                         .doors = {[MST_DOOR_PCI] = {.cuse = -1}, [MST_DOOR_FWCTL] = {.cuse = -1}}};
    struct mst_attach_source source = {.registers = {.device = a.device,
                                                     .database = options->database
                                                                     ? options->database
                                                                     : dpadev_packaged_database()},
                                       .trace = -1};
    struct dpk_nv_defs *defs = NULL;
    enum dpk_status status =
        options->database ? dpk_nv_defs_load_db(options->database, &defs, err) : DPK_OK;
    dpk_nv_defs_free(defs);
    if (status == DPK_OK)
        status = open_trace(options->trace, &source.trace, err);
    if (status == DPK_OK)
        status = mst_attach_open(&source, &a.attach, err);
    if (status == DPK_OK)
        status = choose_names(&a, err);
    if (status == DPK_OK)
        status = run(&a, err);
    mst_attach_close(a.attach);
    for (size_t i = 0; i < MST_DOORS; i++)
        if (a.doors[i].cuse >= 0)
            close(a.doors[i].cuse);
    if (source.trace >= 0)
        close(source.trace);
    return status;
}

const struct dpk_command dpadev_attach = {"attach",
                                          "NAME",
                                          "make character devices for NVIDIA's tools (root)",
                                          .options = dpadev_card_options,
                                          .size = sizeof(struct dpadev_card_options),
                                          .run = attach};
