/* Commands that work on a device. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "device/device.h"
#include "mlxconfig.h"

#define REBOOT_HINT "-I- Please reboot machine to load new configurations.\n"

static enum dpk_status need_device(const char *command, const struct mlxconfig_options *options,
                                   struct dpk_device **out, struct dpk_error *err)
{
    if (!options->device)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs -d DEVICE", command);
    return dpk_device_open(options->device, out, err);
}

/* Asks on the terminal. No answer is no. */
static bool confirmed(const struct mlxconfig_options *options, const char *question)
{
    char answer[16];
    printf("\n %s (y/n) [n] : ", question);
    fflush(stdout);
    if (options->yes) {
        printf("y\n");
        return true;
    }
    if (!fgets(answer, sizeof answer, stdin)) {
        printf("\n");
        return false;
    }
    answer[strcspn(answer, "\r\n")] = 0;
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

static enum dpk_status print_head(struct dpk_device *dev, struct dpk_error *err)
{
    struct dpk_device_info info;
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status != DPK_OK)
        return status;
    printf("\nDevice #1:\n----------\n\n");
    printf("Device type:    BlueField3\n");
    printf("Name:           %s\n", info.part_number);
    printf("Description:    %s\n", info.description);
    printf("Device:         %s\n\n", dpk_device_name(dev));
    return DPK_OK;
}

/* ---- apply ----------------------------------------------------------------------------------- */

enum dpk_status cmd_apply(const struct mlxconfig_options *options, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    struct dpk_buf file = {0};
    enum dpk_status status = need_device("apply", options, &dev, err);
    if (status != DPK_OK)
        return status;
    status = dpk_file_read(options->words[0], DPK_NV_FILE_BYTES_MAX, &file, err);
    if (status == DPK_OK) {
        status = dpk_device_apply(dev, file.data, file.size, NULL, err);
        if (status == DPK_ERR_REFUSED)
            dpk_error_prefix(err, "%s: the device refuses it", options->words[0]);
    }
    if (status == DPK_OK)
        printf("Saving output...\nDone!\n");
    dpk_buf_free(&file);
    dpk_device_close(dev);
    return status;
}

/* ---- query ----------------------------------------------------------------------------------- */

struct shown {
    const struct dpk_nv_def *def;
    const struct dpk_nv_param *param;
};

static enum dpk_status value_text(struct dpk_device *dev, enum dpk_device_view view,
                                  const struct shown *what, struct dpk_device_value *value,
                                  struct dpk_buf *out, struct dpk_error *err)
{
    enum dpk_status status = dpk_device_get(dev, view, what->def, value, err);
    if (status != DPK_OK)
        return status;
    out->size = 0;
    if (value->hidden)
        dpk_put_format(out, "hidden");
    else
        dpk_nv_value_format(what->param, value->data, DPK_NV_STYLE_QUERY, out);
    dpk_put_u8(out, 0);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

struct row {
    struct dpk_buf text[3]; /* by enum dpk_device_view */
    bool read_only, changes;
};

static enum dpk_status read_row(struct dpk_device *dev, const struct shown *what, struct row *row,
                                struct dpk_error *err)
{
    struct dpk_device_value value;
    for (int view = DPK_VIEW_DEFAULT; view <= DPK_VIEW_NEXT; view++) {
        enum dpk_status status =
            value_text(dev, (enum dpk_device_view)view, what, &value, &row->text[view], err);
        if (status != DPK_OK)
            return status;
    }
    row->read_only = value.read_only;
    row->changes = strcmp((char *)row->text[DPK_VIEW_CURRENT].data,
                          (char *)row->text[DPK_VIEW_NEXT].data) != 0;
    return DPK_OK;
}

/* Values that do not fit in a column get lines of their own. */
#define COLUMN_MAX 32

static void print_row(const struct mlxconfig_options *options, const char *name,
                      const struct row *row)
{
    static const char *const views[] = {"Default", "Current", "Next Boot"};
    bool wide = false;
    for (size_t i = 0; i < 3; i++)
        wide = wide || row->text[i].size > COLUMN_MAX + 1;
    printf("%-4s %-40s", row->read_only ? "RO" : row->changes ? "*" : "", name);
    if (wide) {
        printf("\n");
        for (size_t i = options->show_default ? 0 : 2; i < 3; i++)
            printf("     %-10s %s\n", views[i], row->text[i].data);
        return;
    }
    if (options->show_default)
        printf("%-15s %-15s ", row->text[DPK_VIEW_DEFAULT].data, row->text[DPK_VIEW_CURRENT].data);
    printf("%s\n", row->text[DPK_VIEW_NEXT].data);
}

static bool json_row(cJSON *list, const char *name, const struct row *row)
{
    static const char *const keys[] = {"default", "current", "next_boot"};
    cJSON *o = cJSON_CreateObject();
    bool ok = o && cJSON_AddItemToArray(list, o) && cJSON_AddStringToObject(o, "name", name);
    for (size_t i = 0; ok && i < 3; i++)
        ok = cJSON_AddStringToObject(o, keys[i], (const char *)row->text[i].data);
    return ok && cJSON_AddBoolToObject(o, "read_only", row->read_only);
}

/* The parameters named, or all that have a name. */
static enum dpk_status choose(const struct mlxconfig_options *options,
                              const struct dpk_nv_defs *defs, struct shown **out, size_t *count,
                              struct dpk_error *err)
{
    size_t room = options->word_count;
    for (size_t i = 0; i < dpk_nv_defs_count(defs); i++)
        room += dpk_nv_defs_at(defs, i)->param_count;
    struct shown *list = calloc(room + 1, sizeof *list);
    if (!list)
        return dpk_fail_nomem(err);
    *out = list;
    *count = 0;
    for (size_t i = 0; i < options->word_count; i++) {
        enum dpk_status status = dpk_nv_defs_find_config(defs, options->words[i], &list[*count].def,
                                                         &list[*count].param, err);
        if (status != DPK_OK)
            return status;
        ++*count;
    }
    for (size_t i = 0; options->word_count == 0 && i < dpk_nv_defs_count(defs); i++) {
        const struct dpk_nv_def *def = dpk_nv_defs_at(defs, i);
        for (size_t j = 0; j < def->param_count; j++)
            if (def->params[j].config_name)
                list[(*count)++] = (struct shown){.def = def, .param = &def->params[j]};
    }
    return DPK_OK;
}

static void print_table_head(const struct mlxconfig_options *options)
{
    printf("%-45s", "Configurations:");
    if (options->show_default)
        printf("%-15s %-15s ", "Default", "Current");
    printf("Next Boot\n");
}

static enum dpk_status print_rows(const struct mlxconfig_options *options, struct dpk_device *dev,
                                  const struct shown *list, size_t count, cJSON *json,
                                  struct dpk_error *err)
{
    bool changes = false;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        struct row row = {0};
        status = read_row(dev, &list[i], &row, err);
        /* What nobody can set is listed when asked for. */
        bool wanted = options->word_count || options->read_only || !row.read_only;
        if (status == DPK_OK && wanted && json && !json_row(json, list[i].param->config_name, &row))
            status = dpk_fail_nomem(err);
        if (status == DPK_OK && wanted && !json)
            print_row(options, list[i].param->config_name, &row);
        changes = changes || (wanted && row.changes);
        for (size_t k = 0; k < 3; k++)
            dpk_buf_free(&row.text[k]);
    }
    if (status == DPK_OK && changes && !json)
        printf("The '*' shows parameters with next value different from current value.\n");
    return status;
}

static enum dpk_status print_json(cJSON *json, struct dpk_error *err)
{
    char *text = cJSON_Print(json);
    if (!text)
        return dpk_fail_nomem(err);
    printf("%s\n", text);
    free(text);
    return DPK_OK;
}

enum dpk_status cmd_query(const struct mlxconfig_options *options, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    struct dpk_nv_defs *defs = NULL;
    struct shown *list = NULL;
    size_t count = 0;
    cJSON *json = NULL;
    enum dpk_status status = need_device("query", options, &dev, err);
    if (status == DPK_OK)
        status = dpk_nv_defs_load(NULL, &defs, err);
    if (status == DPK_OK)
        status = choose(options, defs, &list, &count, err);
    if (status == DPK_OK && options->json && !(json = cJSON_CreateArray()))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && !json)
        status = print_head(dev, err);
    if (status == DPK_OK && !json)
        print_table_head(options);
    if (status == DPK_OK)
        status = print_rows(options, dev, list, count, json, err);
    if (status == DPK_OK && json)
        status = print_json(json, err);
    cJSON_Delete(json);
    free(list);
    dpk_nv_defs_free(defs);
    dpk_device_close(dev);
    return status;
}

/* ---- set, reset ------------------------------------------------------------------------------ */

/* NAME=VALUE, checked against the definition. `name` is the word's copy, cut at the '='. */
static enum dpk_status parse_setting(const struct dpk_nv_defs *defs, char *name,
                                     struct dpk_device_setting *out, struct dpk_error *err)
{
    uint8_t scratch[DPK_NV_DATA_MAX] = {0};
    char *equals = strchr(name, '=');
    if (!equals || equals == name)
        return dpk_fail(err, DPK_ERR_USAGE, "set: '%s' is not NAME=VALUE", name);
    *equals = 0;
    out->value = equals + 1;
    enum dpk_status status = dpk_nv_defs_find_config(defs, name, &out->def, &out->param, err);
    if (status != DPK_OK)
        return status;
    status = dpk_nv_value_parse(out->param, out->value, scratch, err);
    return status == DPK_OK ? DPK_OK : dpk_error_prefix(err, "%s", out->param->config_name);
}

static enum dpk_status print_changes(struct dpk_device *dev,
                                     const struct dpk_device_setting *settings, size_t count,
                                     struct dpk_error *err)
{
    struct dpk_buf text = {0};
    enum dpk_status status = print_head(dev, err);
    if (status == DPK_OK)
        printf("%-45s%-15s New\n", "Configurations:", "Next Boot");
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        struct dpk_device_value value;
        struct shown what = {.def = settings[i].def, .param = settings[i].param};
        uint8_t data[DPK_NV_DATA_MAX] = {0};
        status = value_text(dev, DPK_VIEW_NEXT, &what, &value, &text, err);
        if (status != DPK_OK)
            break;
        printf("%-4s %-40s%-15s ", "", what.param->config_name, (const char *)text.data);
        text.size = 0;
        status = dpk_nv_value_parse(what.param, settings[i].value, data, err);
        dpk_nv_value_format(what.param, data, DPK_NV_STYLE_QUERY, &text);
        printf("%.*s\n", (int)text.size, text.data ? (const char *)text.data : "");
    }
    dpk_buf_free(&text);
    return status;
}

enum dpk_status cmd_set(const struct mlxconfig_options *options, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    struct dpk_nv_defs *defs = NULL;
    size_t count = options->word_count;
    struct dpk_device_setting *settings = calloc(count + 1, sizeof *settings);
    char **words = calloc(count + 1, sizeof *words);
    enum dpk_status status =
        settings && words ? need_device("set", options, &dev, err) : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_nv_defs_load(NULL, &defs, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        words[i] = strdup(options->words[i]);
        status = words[i] ? parse_setting(defs, words[i], &settings[i], err) : dpk_fail_nomem(err);
    }
    if (status == DPK_OK)
        status = print_changes(dev, settings, count, err);
    if (status == DPK_OK && !confirmed(options, "Apply new Configuration?"))
        status = dpk_fail(err, DPK_ERR_REFUSED, "nothing was changed: the answer was no");
    if (status == DPK_OK) {
        status = dpk_device_set(dev, NULL, settings, count, err);
        if (status == DPK_OK)
            printf("Applying... Done!\n" REBOOT_HINT);
    }
    for (size_t i = 0; words && i < count; i++)
        free(words[i]);
    free(words);
    free(settings);
    dpk_nv_defs_free(defs);
    dpk_device_close(dev);
    return status;
}

enum dpk_status cmd_reset(const struct mlxconfig_options *options, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    char question[128];
    enum dpk_status status = need_device("reset", options, &dev, err);
    if (status != DPK_OK)
        return status;
    snprintf(question, sizeof question, "Reset configuration for device %s?", dpk_device_name(dev));
    if (!confirmed(options, question))
        status = dpk_fail(err, DPK_ERR_REFUSED, "nothing was changed: the answer was no");
    if (status == DPK_OK)
        status = dpk_device_drop_user_settings(dev, err);
    if (status == DPK_OK)
        printf("Applying... Done!\n" REBOOT_HINT);
    dpk_device_close(dev);
    return status;
}
