/* dpadev: makes, shows, resets, moves and deletes emulated devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dpadev.h"

struct dpadev_options {
    struct dpk_device_plan plan;
    const char *nvidia_uuid, *life_cycle;
    unsigned last;
    bool json, with_factory_keys, threads;
};

/* Words behind a command. */
struct names {
    const char *device, *file;
};

static enum dpk_status create(const struct dpadev_options *o, const struct names *names,
                              struct dpk_error *err)
{
    struct dpk_device_plan plan = o->plan;
    plan.name = names->device;
    if (!plan.nvidia_key != !o->nvidia_uuid)
        return dpk_fail(err, DPK_ERR_USAGE, "--nvidia-key and --nvidia-key-uuid go together");
    plan.development = o->life_cycle && strcmp(o->life_cycle, "development") == 0;
    if (o->life_cycle && !plan.development && strcmp(o->life_cycle, "production") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "--life-cycle: '%s' is not production or development",
                        o->life_cycle);
    enum dpk_status status = DPK_OK;
    if (o->nvidia_uuid)
        status = dpk_uuid_option("--nvidia-key-uuid", o->nvidia_uuid, &plan.nvidia_uuid, err);
    if (status == DPK_OK)
        status = dpk_device_create(&plan, err);
    if (status == DPK_OK)
        printf("Device %s created.\n", names->device);
    return status;
}

static enum dpk_status list(const struct dpadev_options *o, const struct names *names,
                            struct dpk_error *err)
{
    (void)names;
    return dpadev_list(o->json, err);
}

static enum dpk_status show(const struct dpadev_options *o, const struct names *names,
                            struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(names->device, &dev, err);
    if (status == DPK_OK)
        status = dpadev_show(dev, o->json, err);
    dpk_device_close(dev);
    return status;
}

static enum dpk_status reset(const struct dpadev_options *o, const struct names *names,
                             struct dpk_error *err)
{
    (void)o;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(names->device, &dev, err);
    if (status == DPK_OK)
        status = dpk_device_reset(dev, err);
    if (status == DPK_OK)
        printf("Device %s reset.\n", dpk_device_name(dev));
    dpk_device_close(dev);
    return status;
}

static enum dpk_status delete_device(const struct dpadev_options *o, const struct names *names,
                                     struct dpk_error *err)
{
    (void)o;
    enum dpk_status status = dpk_device_delete(names->device, err);
    if (status == DPK_OK)
        printf("Device %s deleted.\n", names->device);
    return status;
}

static enum dpk_status show_log(const struct dpadev_options *o, const struct names *names,
                                struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(names->device, &dev, err);
    if (status == DPK_OK)
        status = dpadev_log(dev, o->last, o->json, err);
    dpk_device_close(dev);
    return status;
}

/* A file that is there keeps its permissions, and must not show a private key to others. */
static enum dpk_status check_private(const char *path, struct dpk_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s: others have rights to it (mode %03o), and private keys would be in it",
                        path, (unsigned)(st.st_mode & 0777));
    return DPK_OK;
}

/* The log tells of it before the archive is there, and the archive needs no more space then:
 * neither is there without the other, but by a power cut between the two. */
static enum dpk_status put_archive(struct dpk_device *dev, const struct dpk_buf *archive,
                                   const char *path, bool secret, struct dpk_error *err)
{
    const struct dpk_piece whole = {archive->data, archive->size};
    struct dpk_staged *staged = NULL;
    enum dpk_status status = dpk_file_stage(path, &whole, 1, secret ? 0600 : 0644, &staged, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_log(dev, "export", "OK", secret ? "with factory keys" : "", err);
    if (status != DPK_OK) {
        dpk_staged_drop(staged);
        return status;
    }
    status = dpk_staged_put(staged, err);
    if (status != DPK_OK)
        (void)dpk_device_log(dev, "export", "FAILED", err->message, NULL);
    return status;
}

static enum dpk_status export_device(const struct dpadev_options *o, const struct names *names,
                                     struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    struct dpk_buf archive = {0};
    enum dpk_status status = dpk_device_open(names->device, &dev, err);
    if (status == DPK_OK && o->with_factory_keys)
        status = check_private(names->file, err);
    if (status == DPK_OK)
        status = dpk_device_export(dev, o->with_factory_keys, &archive, err);
    if (status == DPK_OK)
        status = put_archive(dev, &archive, names->file, o->with_factory_keys, err);
    if (status == DPK_OK)
        fprintf(dpk_file_messages(names->file), "Device %s exported.\n", dpk_device_name(dev));
    dpk_buf_wipe_free(&archive);
    dpk_device_close(dev);
    return status;
}

static enum dpk_status import_device(const struct dpadev_options *o, const struct names *names,
                                     struct dpk_error *err)
{
    (void)o;
    struct dpk_buf archive = {0};
    enum dpk_status status = dpk_file_read(names->file, DPK_DEVICE_ARCHIVE_MAX, &archive, err);
    if (status == DPK_OK) {
        status = dpk_device_import(names->device, archive.data, archive.size, err);
        if (status == DPK_ERR_FORMAT)
            dpk_error_prefix(err, "%s", names->file);
    }
    if (status == DPK_OK)
        printf("Device %s imported.\n", names->device);
    dpk_buf_wipe_free(&archive);
    return status;
}

static enum dpk_status ps(const struct dpadev_options *o, const struct names *names,
                          struct dpk_error *err)
{
    return dpadev_ps(names->device, o->threads, o->json, err);
}

static const struct command {
    const char *name;
    enum dpk_status (*run)(const struct dpadev_options *o, const struct names *names,
                           struct dpk_error *err);
    const char *words; /* what it takes */
    const char *help;
} commands[] = {
    {"create", create, "NAME", "make a device"},
    {"list", list, "", "name the devices there are"},
    {"show", show, "NAME", "what a device is, whom it trusts, who may load what"},
    {"reset", reset, "NAME", "cold boot: what was set for the next boot counts"},
    {"delete", delete_device, "NAME", "delete a device with its keys"},
    {"log", show_log, "NAME", "what happened to a device"},
    {"export", export_device, "NAME FILE", "write a device into one file"},
    {"import", import_device, "NAME FILE", "make a device from such a file"},
    {"ps", ps, "[NAME]", "DPA processes that run now"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static enum dpk_status run(const struct dpadev_options *o, const struct dpk_args *args,
                           struct dpk_error *err)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    const struct command *command = NULL;
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command; see dpadev --help");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(commands[i].name, args->words[0]) == 0)
            command = &commands[i];
    }
    if (!command)
        return dpk_fail_command(err, "dpadev", args->words[0], names);
    size_t want = !*command->words ? 1 : strchr(command->words, ' ') ? 3 : 2;
    bool optional = command->words[0] == '[' && args->count == 1;
    if (args->count != want && !optional)
        return dpk_fail(err, DPK_ERR_USAGE, "usage: dpadev %s%s%s", command->name,
                        *command->words ? " " : "", command->words);
    struct names given = {.device = args->count > 1 ? args->words[1] : NULL,
                          .file = want > 2 ? args->words[2] : NULL};
    const struct dpk_device_plan *p = &o->plan;
    if (command->run != create &&
        (p->psid || p->psid_branch || p->part_number || p->description || p->serial ||
         p->nvidia_key || o->nvidia_uuid || p->anti_rollback || o->life_cycle))
        return dpk_fail(err, DPK_ERR_USAGE, "%s takes none of the options of create",
                        command->name);
    if (command->run != ps && o->threads)
        return dpk_fail(err, DPK_ERR_USAGE, "--threads is for ps");
    if (command->run != export_device && o->with_factory_keys)
        return dpk_fail(err, DPK_ERR_USAGE, "--with-factory-keys is for export");
    dpk_device_sweep();
    return command->run(o, &given, err);
}

static enum dpk_status parse_last(void *context, const char *arg, struct dpk_error *err)
{
    unsigned *last = context;
    char *end = NULL;
    errno = 0;
    unsigned long n = strtoul(arg, &end, 10);
    if (errno || end == arg || *end || arg[0] == '-' || n < 1 || n > 1000000000)
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not a number of events", arg);
    *last = (unsigned)n;
    return DPK_OK;
}

static void print_help(const struct dpk_option *options)
{
    printf("Usage: dpadev [OPTIONS] COMMAND [NAME]\n\nManages emulated devices.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-7s %-10s %s\n", commands[i].name, commands[i].words, commands[i].help);
    printf("\nOptions:\n");
    dpk_options_help(options, stdout);
}

int main(int argc, char **argv)
{
    struct dpadev_options o = {0};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    bool help = false, version = false;
    const struct dpk_option options[] = {
        {.names = "psid",
         .arg = "PSID",
         .value = &o.plan.psid,
         .help = "create: PSID (default MT_0000000884)"},
        {.names = "psid-branch",
         .arg = "TEXT",
         .value = &o.plan.psid_branch,
         .help = "create: PSID branch (default none)"},
        {.names = "part-number",
         .arg = "TEXT",
         .value = &o.plan.part_number,
         .help = "create: part number"},
        {.names = "description",
         .arg = "TEXT",
         .value = &o.plan.description,
         .help = "create: description"},
        {.names = "serial",
         .arg = "TEXT",
         .value = &o.plan.serial,
         .help = "create: serial number (default random)"},
        {.names = "nvidia-key",
         .arg = "FILE",
         .value = &o.plan.nvidia_key,
         .help = "create: trust this RSA public key (PEM) instead of making a test pair"},
        {.names = "nvidia-key-uuid",
         .arg = "UUID",
         .value = &o.nvidia_uuid,
         .help = "create: its UUID"},
        {.names = "anti-rollback",
         .flag = &o.plan.anti_rollback,
         .help = "create: refuse older files and removed certificates, for good"},
        {.names = "life-cycle",
         .arg = "NAME",
         .value = &o.life_cycle,
         .help = "create: production (default) or development, where debuggers may change code"},
        {.names = "n,last",
         .arg = "N",
         .parse = parse_last,
         .context = &o.last,
         .help = "log: only the last N events"},
        {.names = "with-factory-keys",
         .flag = &o.with_factory_keys,
         .help = "export: with the private key that plays NVIDIA's part"},
        {.names = "t,threads", .flag = &o.threads, .help = "ps: show threads, too"},
        {.names = "json", .flag = &o.json, .help = "list, show, log, ps: print JSON"},
        {.names = "h,help", .flag = &help, .help = "show this text"},
        {.names = "v,version", .flag = &version, .help = "show the version"},
        {0},
    };
    enum dpk_status status = dpk_options_parse(options, false, argc, argv, &args, &err);
    if (status == DPK_OK && help)
        print_help(options);
    else if (status == DPK_OK && version)
        printf("dpadev dpakit %s\n", dpk_version);
    else if (status == DPK_OK)
        status = run(&o, &args, &err);
    free(args.words);
    return dpk_tool_end(status, &err);
}
