/* Functions of several commands, and the command apply. */
#include <string.h>

#include "mlxconfig.h"

enum dpk_status mlxconfig_defs(const struct mlxconfig_options *options, struct dpk_nv_defs **out,
                               struct dpk_error *err)
{
    return options->database ? dpk_nv_defs_load_db(options->database, out, err)
                             : dpk_nv_defs_load(NULL, out, err);
}

enum dpk_status mlxconfig_device(const struct mlxconfig_options *options, struct dpk_device **out,
                                 struct dpk_error *err)
{
    return dpk_device_open(options->device, out, err);
}

const char *mlxconfig_raw_file(const struct mlxconfig_options *options, const struct dpk_args *args,
                               struct dpk_error *err)
{
    if (options->file && args->count == 0)
        return options->file;
    if (args->count == 1 && !options->file)
        return args->words[0];
    dpk_fail(err, DPK_ERR_USAGE, "%s needs %s file: -f RAW, or RAW after it", args->command,
             options->file ? "one" : "a");
    return NULL;
}

enum dpk_status mlxconfig_confirm(const struct mlxconfig_options *options, const char *question,
                                  struct dpk_error *err)
{
    char answer[16] = "";
    printf("\n %s (y/n) [n] : ", question);
    fflush(stdout);
    if (options->yes) {
        printf("y\n");
        return DPK_OK;
    }
    if (!fgets(answer, sizeof answer, stdin))
        printf("\n");
    answer[strcspn(answer, "\r\n")] = 0;
    if (strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_REFUSED, "nothing was changed: the answer was no");
}

const char *mlxconfig_device_type(const struct dpk_device_info *info)
{
    const struct dpk_device_type *type = dpk_device_type_find(info->hw_target);
    return type ? type->name : info->hw_target;
}

enum dpk_status mlxconfig_print_device(struct dpk_device *dev, size_t number, struct dpk_error *err)
{
    struct dpk_device_info info;
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status != DPK_OK)
        return status;
    printf("\nDevice #%zu:\n----------\n\n", number);
    printf("Device type:    %s\n", mlxconfig_device_type(&info));
    printf("Name:           %s\n", info.part_number);
    printf("Description:    %s\n", info.description);
    printf("Device:         %s\n\n", dpk_device_name(dev));
    return DPK_OK;
}

void mlxconfig_print_saved(const char *path)
{
    fprintf(path ? dpk_file_messages(path) : stdout, "Saving output...\nDone!\n");
}

void mlxconfig_print_applied(void)
{
    printf("Applying... Done!\n-I- Please reboot machine to load new configurations.\n");
}

static enum dpk_status run_apply(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    struct dpk_device *dev = NULL;
    struct dpk_buf file = {0};
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status != DPK_OK)
        return status;
    status = dpk_file_read(args->words[0], DPK_NV_FILE_BYTES_MAX, &file, err);
    if (status == DPK_OK) {
        status = dpk_device_apply(dev, file.data, file.size, NULL, err);
        if (status == DPK_ERR_REFUSED)
            dpk_error_prefix(err, "%s: the device refuses it", args->words[0]);
    }
    if (status == DPK_OK)
        mlxconfig_print_saved(NULL);
    dpk_buf_free(&file);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command mlxconfig_apply_command = {.names = "apply",
                                                    .words = "BIN",
                                                    .help = "apply a file to a device (-d)",
                                                    .needs = "d",
                                                    .run = run_apply};
