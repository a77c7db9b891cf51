/* dpadev: makes, shows, resets, moves and deletes emulated devices. */
#include <string.h>
#include <sys/stat.h>

#include "dpadev.h"

/* ---- Making and changing devices ---- */

enum { PRODUCTION = 1, DEVELOPMENT };

struct create_options {
    struct dpadev_options shared;
    struct dpk_device_plan plan;
    unsigned life_cycle;
};

static enum dpk_status create(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct create_options *o = options;
    o->plan.name = args->words[0];
    o->plan.development = o->life_cycle == DEVELOPMENT;
    enum dpk_status status = dpk_device_create(&o->plan, err);
    if (status == DPK_OK)
        printf("Device %s created.\n", o->plan.name);
    return status;
}

#define AT(field) offsetof(struct create_options, field)

static const struct dpk_option create_options[] = {
    {"psid", DPK_TEXT, "PSID", AT(plan.psid), .help = "PSID (default MT_0000000884)"},
    {"psid-branch", DPK_TEXT, "TEXT", AT(plan.psid_branch), .help = "PSID branch (default none)"},
    {"part-number", DPK_TEXT, "TEXT", AT(plan.part_number), .help = "part number"},
    {"description", DPK_TEXT, "TEXT", AT(plan.description), .help = "description"},
    {"serial", DPK_TEXT, "TEXT", AT(plan.serial), .help = "serial number (default random)"},
    {"nvidia-key", DPK_FILE, "FILE", AT(plan.nvidia_key), .with = "nvidia-key-uuid",
     .help = "trust this RSA public key (PEM) instead of making a test pair"},
    {"nvidia-key-uuid", DPK_UUID, "UUID", AT(plan.nvidia_uuid), .with = "nvidia-key",
     .help = "its UUID"},
    {"anti-rollback", .at = AT(plan.anti_rollback),
     .help = "refuse older files and removed certificates, for good"},
    {"life-cycle", DPK_CHOICE, "production|development", AT(life_cycle), .standard = "production",
     .help = "for good; in development debuggers may change code"},
    {0},
};

static enum dpk_status reset(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = dpk_device_reset(dev, err);
    if (status == DPK_OK)
        printf("Device %s reset.\n", dpk_device_name(dev));
    dpk_device_close(dev);
    return status;
}

static enum dpk_status delete_device(void *options, const struct dpk_args *args,
                                     struct dpk_error *err)
{
    (void)options;
    enum dpk_status status = dpk_device_delete(args->words[0], err);
    if (status == DPK_OK)
        printf("Device %s deleted.\n", args->words[0]);
    return status;
}

/* ---- Asking devices ---- */

static enum dpk_status list(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct dpadev_options *o = options;
    (void)args;
    return dpadev_list(o->json, err);
}

static enum dpk_status show(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct dpadev_options *o = options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = dpadev_show(dev, o->json, err);
    dpk_device_close(dev);
    return status;
}

struct log_options {
    struct dpadev_options shared;
    unsigned last;
};

static enum dpk_status show_log(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct log_options *o = options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = dpadev_log(dev, o->last, o->shared.json, err);
    dpk_device_close(dev);
    return status;
}

static const struct dpk_option log_options[] = {
    {"n,last", DPK_NUMBER, "N", offsetof(struct log_options, last), 1, 1000000000,
     .help = "only the last N events"},
    {0},
};

struct ps_options {
    struct dpadev_options shared;
    bool threads;
};

static enum dpk_status ps(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct ps_options *o = options;
    return dpadev_ps(args->words[0], o->threads, o->shared.json, err);
}

static const struct dpk_option ps_options[] = {
    {"t,threads", .at = offsetof(struct ps_options, threads), .help = "show threads, too"},
    {0},
};

/* ---- Devices as files ---- */

struct export_options {
    struct dpadev_options shared;
    bool with_factory_keys;
};

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

static enum dpk_status export_device(void *options, const struct dpk_args *args,
                                     struct dpk_error *err)
{
    const struct export_options *o = options;
    const char *path = args->words[1];
    struct dpk_device *dev = NULL;
    struct dpk_buf archive = {0};
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK && o->with_factory_keys)
        status = check_private(path, err);
    if (status == DPK_OK)
        status = dpk_device_export(dev, o->with_factory_keys, &archive, err);
    if (status == DPK_OK)
        status = put_archive(dev, &archive, path, o->with_factory_keys, err);
    if (status == DPK_OK)
        fprintf(dpk_file_messages(path), "Device %s exported.\n", dpk_device_name(dev));
    dpk_buf_wipe_free(&archive);
    dpk_device_close(dev);
    return status;
}

static enum dpk_status import_device(void *options, const struct dpk_args *args,
                                     struct dpk_error *err)
{
    (void)options;
    const char *name = args->words[0], *path = args->words[1];
    struct dpk_buf archive = {0};
    enum dpk_status status = dpk_file_read(path, DPK_DEVICE_ARCHIVE_MAX, &archive, err);
    if (status == DPK_OK) {
        status = dpk_device_import(name, archive.data, archive.size, err);
        if (status == DPK_ERR_FORMAT)
            dpk_error_prefix(err, "%s", path);
    }
    if (status == DPK_OK)
        printf("Device %s imported.\n", name);
    dpk_buf_wipe_free(&archive);
    return status;
}

static const struct dpk_option export_options[] = {
    {"with-factory-keys", .at = offsetof(struct export_options, with_factory_keys),
     .help = "with the private key that plays NVIDIA's part"},
    {0},
};

/* ---- The command line ---- */

static const struct dpk_option shared_options[] = {
    {"json", .at = offsetof(struct dpadev_options, json),
     .help = "list, show, log, ps: print JSON"},
    {0},
};
static const struct dpk_command *const commands[] = {
    &(const struct dpk_command){"create", "NAME", "make a device", .options = create_options,
                                .size = sizeof(struct create_options), .run = create},
    &(const struct dpk_command){"list", .help = "name the devices there are", .takes = "json",
                                .run = list},
    &(const struct dpk_command){"show", "NAME",
                                "what a device is, whom it trusts, who may load what",
                                .takes = "json", .run = show},
    &(const struct dpk_command){"reset", "NAME", "cold boot: what was set for the next boot counts",
                                .run = reset},
    &(const struct dpk_command){"delete", "NAME", "delete a device with its keys",
                                .run = delete_device},
    &(const struct dpk_command){"log", "NAME", "what happened to a device", .takes = "json",
                                .options = log_options, .size = sizeof(struct log_options),
                                .run = show_log},
    &(const struct dpk_command){"export", "NAME FILE", "write a device into one file",
                                .options = export_options, .size = sizeof(struct export_options),
                                .run = export_device},
    &(const struct dpk_command){"import", "NAME FILE", "make a device from such a file",
                                .run = import_device},
    &(const struct dpk_command){"ps", "[NAME]", "DPA processes that run now", .takes = "json",
                                .options = ps_options, .size = sizeof(struct ps_options),
                                .run = ps},
    NULL,
};
static const struct dpk_tool tool = {
    .name = "dpadev",
    .usage = "dpadev [OPTIONS] COMMAND [NAME]",
    .about = "Manages emulated devices.",
    .commands = commands,
    .options = shared_options,
    .size = sizeof(struct dpadev_options),
    .start = dpk_device_sweep,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
