/* dpa-resource-mgmt: gives the execution units of an emulated device to functions and programs. */
#include "common/device.h"

#include "resources.h"

typedef enum dpk_status action(const struct resource_options *o, struct dpk_device *dev,
                               struct dpk_error *err);

static enum dpk_status with_device(const struct resource_options *o, action *run,
                                   struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = run(o, dev, err);
    dpk_device_close(dev);
    return status;
}

static enum dpk_status apply(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    (void)args;
    return with_device(o, resource_mgmt_apply, err);
}

static enum dpk_status destroy(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    (void)args;
    return with_device(o, resource_mgmt_destroy, err);
}

static enum dpk_status show(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    (void)args;
    return with_device(o, resource_mgmt_show, err);
}

static enum dpk_status version(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    (void)o, (void)args, (void)err;
    printf("dpa-resource-mgmt dpakit %s\n", dpk_version);
    return DPK_OK;
}

#define AT(field) offsetof(struct resource_options, field)
static const struct dpk_option options[] = {
    {"d,device", DPK_TEXT, "DEVICE", AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"f,filename", DPK_FILE, "FILE", AT(file),
     .help = "YAML file to apply, or output file of show"},
    {"v,verbose", .at = AT(verbose), .help = "print commands of dpaeumgmt that do the same"},
    {0},
};
static const struct dpk_option apply_options[] = {
    {"o,output", DPK_FILE, "DIR", AT(output), .help = "directory for programs' files (default: .)"},
    {0},
};
static const struct dpk_option show_options[] = {
    {"t,type", DPK_CHOICE, "chip|vhca|resources", AT(type), .help = "the kind of data to show"},
    {"y,yaml-format", .at = AT(yaml), .help = "print YAML"},
    {0},
};
static const struct dpk_command apply_command = {.names = "apply",
                                                 .help = "assign units as in a file",
                                                 .needs = "d,f",
                                                 .takes = "d,f,v",
                                                 .options = apply_options,
                                                 .run = apply};
static const struct dpk_command show_command = {.names = "show,query",
                                                .help = "show units and their owners",
                                                .needs = "d,t",
                                                .takes = "d,f,v",
                                                .options = show_options,
                                                .run = show};
static const struct dpk_command destroy_command = {.names = "destroy,clear",
                                                   .help = "remove all partitions and groups",
                                                   .needs = "d",
                                                   .takes = "d,v",
                                                   .run = destroy};
static const struct dpk_command version_command = {
    .names = "version", .help = "the version", .run = version};
static const struct dpk_command *const commands[] = {&apply_command, &show_command,
                                                     &destroy_command, &version_command, NULL};
static const struct dpk_tool tool = {
    .name = "dpa-resource-mgmt",
    .usage = "dpa-resource-mgmt apply [-d DEVICE] -f FILE [-o DIR] [-v]\n"
             "       dpa-resource-mgmt show [-d DEVICE] -t chip|vhca|resources [-f FILE] [-y] [-v]\n"
             "       dpa-resource-mgmt destroy [-d DEVICE] [-v]",
    .about = "Assigns the execution units of an emulated device to functions and their programs.",
    .commands = commands,
    .options = options,
    .size = sizeof(struct resource_options),
    .large_version = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
