/* Commands that export a device to a file and import it. */
#include <string.h>
#include <sys/stat.h>

#include "dpadev.h"

struct export_options {
    struct dpadev_options shared;
    bool with_factory_keys;
};

/* An existing file keeps its permissions, so it must not be readable by others if it gets private
 * keys. */
static enum dpk_status check_private(const char *path, struct dpk_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s: others have rights to it (mode %03o), and private keys would be in it",
                        path, (unsigned)(st.st_mode & 0777));
    return DPK_OK;
}

/* Logs the export before the archive appears; the archive then needs no more space. So both exist
 * or neither, except after a power cut in between. */
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
     .help = "include the private key that plays NVIDIA's part"},
    {0},
};

const struct dpk_command dpadev_export = {"export",
                                          "NAME FILE",
                                          "write a device into one file",
                                          .options = export_options,
                                          .size = sizeof(struct export_options),
                                          .run = export_device};
const struct dpk_command dpadev_import = {"import", "NAME FILE", "make a device from an archive",
                                          .run = import_device};
