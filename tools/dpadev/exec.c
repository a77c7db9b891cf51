/* The command exec: runs a program of NVIDIA's with an emulated device in place of a card. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/self.h"
#include "dpadev.h"

#define LIBRARY "libdpakit-mst.so.1"

static enum dpk_status find_library(char out[PATH_MAX], struct dpk_error *err)
{
    const enum dpk_status status = dpk_self_beside("lib/" LIBRARY, out, err);
    if (status == DPK_OK && access(out, R_OK) != 0)
        return dpk_fail_errno(err, "%s, which exec loads before the program", out);
    return status;
}

const char *dpadev_packaged_database(void)
{
    static const char path[] = "/usr/share/mstflint/mlxconfig_dbs/mlxconfig_host.db";
    return access(path, R_OK) == 0 ? path : NULL;
}

static enum dpk_status set_variable(const char *name, const char *value, struct dpk_error *err)
{
    return setenv(name, value, 1) == 0 ? DPK_OK : dpk_fail_errno(err, "%s", name);
}

/* Puts the library before those that are loaded already, such as a sanitizer's. */
static enum dpk_status preload(const char *library, struct dpk_error *err)
{
    const char *before = getenv("LD_PRELOAD");
    struct dpk_buf value = {0};
    dpk_put_format(&value, "%s%s%s", before && *before ? before : "", before && *before ? ":" : "",
                   library);
    dpk_put_u8(&value, 0);
    enum dpk_status status = value.failed
                                 ? dpk_fail_nomem(err)
                                 : set_variable("LD_PRELOAD", (const char *)value.data, err);
    dpk_buf_free(&value);
    return status;
}

/* Makes the file, so that its path is absolute: the program may change its folder. */
static enum dpk_status set_trace(const char *path, struct dpk_error *err)
{
    char absolute[PATH_MAX];
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", path);
    close(fd);
    return realpath(path, absolute) ? set_variable("DPAKIT_MST_TRACE", absolute, err)
                                    : dpk_fail_errno(err, "%s", path);
}

static enum dpk_status exec(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct dpadev_card_options *options = given;
    char library[PATH_MAX], database[PATH_MAX];
    const char *chosen = options->database ? options->database : dpadev_packaged_database();
    struct dpk_nv_defs *defs = NULL;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = set_variable("DPAKIT_MST_DEVICE", dpk_device_name(dev), err);
    dpk_device_close(dev);
    if (status == DPK_OK)
        status = find_library(library, err);
    if (status == DPK_OK && options->database)
        status = dpk_nv_defs_load_db(options->database, &defs, err);
    dpk_nv_defs_free(defs);
    if (status == DPK_OK && chosen && !realpath(chosen, database))
        status = dpk_fail_errno(err, "%s", chosen);
    if (status == DPK_OK && chosen)
        status = set_variable("DPAKIT_MST_DATABASE", database, err);
    if (status == DPK_OK && options->trace)
        status = set_trace(options->trace, err);
    if (status == DPK_OK)
        status = preload(library, err);
    if (status != DPK_OK)
        return status;
    execvp(args->words[1], (char *const *)&args->words[1]);
    return dpk_fail_errno(err, "%s", args->words[1]);
}

#define AT(member) offsetof(struct dpadev_card_options, member)
const struct dpk_option dpadev_card_options[] = {
    {"b,db", DPK_FILE, "DB", AT(database),
     .help = "TLVs that the card supports: a database of NVIDIA's tools"},
    {"trace", DPK_FILE, "FILE", AT(trace), .help = "append a line for each access of a register"},
    {0},
};
const struct dpk_command dpadev_exec = {"exec",
                                        "NAME COMMAND...",
                                        "run one of NVIDIA's tools with the device as its card",
                                        .options = dpadev_card_options,
                                        .size = sizeof(struct dpadev_card_options),
                                        .run = exec};
