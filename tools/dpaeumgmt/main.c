/* dpaeumgmt: partitions and groups of the execution units of an emulated device. */
#include "common/device.h"

#include "dpaeumgmt.h"

#include <string.h>

static enum dpk_status run_verb(const struct eu_verb *verbs, const struct eu_options *o,
                                const struct dpk_args *args, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    const struct eu_verb *v = verbs;
    while (v->name && strcmp(v->name, args->words[0]) != 0)
        v++;
    if (!v->name)
        return dpk_fail(err, DPK_ERR_USAGE, "%s %s: no such command; see dpaeumgmt --help",
                        args->command, args->words[0]);
    if (v->has && !v->has(o))
        return dpk_fail(err, DPK_ERR_USAGE, "%s %s needs %s", args->command, v->name, v->needs);
    enum dpk_status status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = v->run(o, dev, err);
    dpk_device_close(dev);
    return status;
}

static enum dpk_status group(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    return run_verb(dpaeumgmt_group_verbs, o, args, err);
}

static enum dpk_status partition(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    return run_verb(dpaeumgmt_partition_verbs, o, args, err);
}

static enum dpk_status info(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    return run_verb(dpaeumgmt_info_verbs, o, args, err);
}

static enum dpk_status version(void *o, const struct dpk_args *args, struct dpk_error *err)
{
    (void)o, (void)args, (void)err;
    printf("dpaeumgmt dpakit %s\n", dpk_version);
    return DPK_OK;
}

#define AT(field) offsetof(struct eu_options, field)
static const struct dpk_option options[] = {
    {"d,dpa_device", DPK_TEXT, "DEVICE", AT(device), .absent = dpk_only_device,
     .help = "name or path of a device (default: the only one there is)"},
    {"n,name_group", DPK_TEXT, "NAME", AT(name),
     .help = "name of an EU group, at most 15 characters"},
    {"g,id_group", DPK_NUMBER, "ID", AT(group), 1, DPK_EU_GROUPS_MAX,
     .help = "number of an EU group"},
    {"r,range_eus", DPK_TEXT, "EUS", AT(range), .help = "execution units: \"6-8,16,55\""},
    {"p,id_partition", DPK_NUMBER, "ID", AT(partition), 1, DPK_PARTITIONS_MAX,
     .help = "number of a partition"},
    {"v,vhca_list", DPK_TEXT, "VHCAS", AT(vhcas), .help = "functions of the card: \"1,2\""},
    {"m,max_num_eu_group", DPK_NUMBER, "N", AT(groups_max), 1, DPK_EU_GROUPS_MAX,
     .help = "number of EU groups that the partition may have"},
    {"f,file_groups,file_partitions", DPK_FILE, "FILE", AT(file),
     .help = "JSON file of EU groups, or of partitions"},
    {0},
};
static const struct dpk_command group_command = {.names = "eu_group",
                                                 .words = "info|create|destroy|query|apply",
                                                 .help = "groups of units, for affinities",
                                                 .needs = "d",
                                                 .takes = "d,n,g,r,f",
                                                 .run = group};
static const struct dpk_command partition_command = {.names = "partition",
                                                     .words = "info|create|destroy|query|apply",
                                                     .help = "units of functions",
                                                     .needs = "d",
                                                     .takes = "d,p,v,r,m,f",
                                                     .run = partition};
static const struct dpk_command info_command = {.names = "info",
                                                .words = "chip|status|vhca",
                                                .help = "the card's properties, and what runs on "
                                                        "it",
                                                .needs = "d",
                                                .takes = "d",
                                                .run = info};
static const struct dpk_command version_command = {
    .names = "version", .help = "the version", .run = version};
static const struct dpk_command *const commands[] = {&group_command, &partition_command,
                                                     &info_command, &version_command, NULL};
static const struct dpk_tool tool = {
    .name = "dpaeumgmt",
    .usage = "dpaeumgmt eu_group info|create|destroy|query|apply [-d DEVICE] [OPTIONS]\n"
             "       dpaeumgmt partition info|create|destroy|query|apply [-d DEVICE] [OPTIONS]\n"
             "       dpaeumgmt info chip|status|vhca [-d DEVICE]",
    .about = "Assigns the execution units of an emulated device to functions, and groups them.",
    .commands = commands,
    .options = options,
    .size = sizeof(struct eu_options),
    .large_version = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
