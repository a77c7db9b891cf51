/* The command query: prints the default, current and next-boot values of parameters. */
#include <stdlib.h>
#include <string.h>

#include "device/admin/admin.h"
#include "mlxconfig.h"

/* Longer values are printed on separate lines. */
#define COLUMN_MAX 32

/* Returns true if the value at the next boot differs from the default or the current value. */
static bool is_modified(const struct dpk_view_row *row)
{
    const char *next = (const char *)row->text[DPK_VIEW_NEXT].data;
    return row->changes || strcmp(next, (const char *)row->text[DPK_VIEW_DEFAULT].data) != 0;
}

static const char *mark_of(const struct mlxconfig_options *options, const struct dpk_view_row *row)
{
    if (row->read_only)
        return "RO";
    return options->show_default && is_modified(row) ? "*" : "";
}

static void print_row(const struct mlxconfig_options *options, const struct dpk_view_row *row)
{
    static const char *const views[] = {"Default", "Current", "Next Boot"};
    bool wide = false;
    for (size_t i = 0; i < DPK_VIEWS; i++)
        wide = wide || row->text[i].size > COLUMN_MAX + 1;
    printf("%-8s%-*s", mark_of(options, row), wide ? 0 : 44, row->name);
    if (wide) {
        printf("\n");
        for (size_t i = options->show_default ? 0 : 2; i < DPK_VIEWS; i++)
            printf("        %-10s %s\n", views[i], (const char *)row->text[i].data);
        return;
    }
    if (options->show_default)
        printf("%-15s %-15s ", (const char *)row->text[DPK_VIEW_DEFAULT].data,
               (const char *)row->text[DPK_VIEW_CURRENT].data);
    printf("%s\n", (const char *)row->text[DPK_VIEW_NEXT].data);
}

static enum dpk_status print_table(const struct mlxconfig_options *options, struct dpk_device *dev,
                                   size_t number, const struct dpk_views *table,
                                   struct dpk_error *err)
{
    bool differs = false;
    enum dpk_status status = mlxconfig_print_device(dev, number, err);
    if (status != DPK_OK)
        return status;
    printf("%-53s", "Configurations:");
    if (options->show_default)
        printf("%-15s %-15s ", "Default", "Current");
    printf("Next Boot\n");
    for (size_t i = 0; i < table->count; i++) {
        print_row(options, &table->rows[i]);
        differs = differs || *mark_of(options, &table->rows[i]) == '*';
    }
    if (differs)
        printf("The '*' shows parameters with next value different from default/current value.\n");
    return DPK_OK;
}

static enum dpk_status print_json(const struct dpk_views *table, struct dpk_error *err)
{
    static const char *const keys[] = {"default", "current", "next_boot"};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < table->count; i++) {
        const struct dpk_view_row *row = &table->rows[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(list, o);
        dpk_json_text(o, "name", row->name);
        for (size_t view = 0; view < DPK_VIEWS; view++)
            dpk_json_text(o, keys[view], (const char *)row->text[view].data);
        cJSON_AddBoolToObject(o, "read_only", row->read_only);
    }
    return dpk_json_print(list, err);
}

/* Read-only parameters are listed only if requested by name or by --read_only. */
static void drop_read_only(struct dpk_views *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct dpk_view_row row = table->rows[i];
        if (row.read_only) {
            for (size_t view = 0; view < DPK_VIEWS; view++)
                dpk_buf_free(&row.text[view]);
            continue;
        }
        table->rows[kept++] = row;
    }
    table->count = kept;
}

/* Adds a value as NVIDIA's tool writes it in JSON: plain numbers as numbers, others as text. */
static void put_value(cJSON *o, const char *name, const char *text)
{
    size_t length = strlen(text);
    bool number = length > 0 && length <= 10 && strspn(text, "0123456789") == length &&
                  (text[0] != '0' || length == 1);
    if (number)
        cJSON_AddNumberToObject(o, name, strtod(text, NULL));
    else
        dpk_json_text(o, name, text);
}

/* Adds a device to the document of -j, with the member names of NVIDIA's tool. */
static enum dpk_status add_device(const struct mlxconfig_options *options, struct dpk_device *dev,
                                  size_t number, const struct dpk_views *table, cJSON *document,
                                  struct dpk_error *err)
{
    char name[32];
    struct dpk_device_info info;
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status != DPK_OK)
        return status;
    snprintf(name, sizeof name, "Device #%zu", number);
    cJSON *o = cJSON_AddObjectToObject(document, name);
    dpk_json_text(o, "description", info.description);
    dpk_json_text(o, "device", dpk_device_name(dev));
    dpk_json_text(o, "device_type", mlxconfig_device_type(&info));
    dpk_json_text(o, "name", info.part_number);
    cJSON *all = cJSON_AddObjectToObject(o, "tlv_configuration");
    for (size_t i = 0; i < table->count; i++) {
        const struct dpk_view_row *row = &table->rows[i];
        cJSON *one = cJSON_AddObjectToObject(all, row->name);
        if (options->show_default) {
            put_value(one, "current_value", (const char *)row->text[DPK_VIEW_CURRENT].data);
            put_value(one, "default_value", (const char *)row->text[DPK_VIEW_DEFAULT].data);
            cJSON_AddBoolToObject(one, "modified", is_modified(row));
        }
        put_value(one, "next_value", (const char *)row->text[DPK_VIEW_NEXT].data);
        cJSON_AddBoolToObject(one, "read_only", row->read_only);
    }
    return DPK_OK;
}

static enum dpk_status save(const char *path, const cJSON *document, struct dpk_error *err)
{
    char *text = cJSON_Print(document);
    struct dpk_buf out = {0};
    if (text)
        dpk_put_format(&out, "%s\n", text);
    cJSON_free(text);
    enum dpk_status status = text && !out.failed
                                 ? dpk_file_replace(path, out.data, out.size, 0644, err)
                                 : dpk_fail_nomem(err);
    dpk_buf_free(&out);
    return status;
}

static enum dpk_status query_device(const struct mlxconfig_options *options,
                                    const struct dpk_args *args, const struct dpk_nv_defs *defs,
                                    const char *name, size_t number, cJSON *document,
                                    struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    struct dpk_shown shown = {0};
    struct dpk_views table = {0};
    enum dpk_status status = dpk_device_open(name, &dev, err);
    if (status == DPK_OK)
        status = dpk_shown_choose(defs, args->words, args->count, options->json, &shown, err);
    if (status == DPK_OK)
        status = dpk_views_read(dev, defs, &shown, args->count > 0, &table, err);
    if (status == DPK_OK && args->count == 0 && !options->read_only)
        drop_read_only(&table);
    if (status == DPK_OK && options->json_file)
        status = add_device(options, dev, number, &table, document, err);
    if (status == DPK_OK)
        status = options->json ? print_json(&table, err)
                               : print_table(options, dev, number, &table, err);
    dpk_views_free(&table);
    dpk_shown_free(&shown);
    dpk_device_close(dev);
    return status;
}

/* Queries every device, if there is no -d. */
static enum dpk_status query_all(const struct mlxconfig_options *options,
                                 const struct dpk_args *args, const struct dpk_nv_defs *defs,
                                 cJSON *document, struct dpk_error *err)
{
    struct dpk_names names = {0};
    enum dpk_status status = dpk_device_list(&names, err);
    if (status == DPK_OK && names.count == 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, DPK_NO_DEVICE);
    if (status == DPK_OK && options->json && names.count > 1)
        status = dpk_fail(err, DPK_ERR_USAGE,
                          "--json prints one device: name it with -d, or write all with -j FILE");
    for (size_t i = 0; i < names.count && status == DPK_OK; i++)
        status = query_device(options, args, defs, names.names[i], i + 1, document, err);
    dpk_names_free(&names);
    return status;
}

static enum dpk_status run_query(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    cJSON *document = options->json_file ? cJSON_CreateObject() : NULL;
    struct dpk_nv_defs *defs = NULL;
    enum dpk_status status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = options->device
                     ? query_device(options, args, defs, options->device, 1, document, err)
                     : query_all(options, args, defs, document, err);
    if (status == DPK_OK && document)
        status = save(options->json_file, document, err);
    dpk_nv_defs_free(defs);
    cJSON_Delete(document);
    return status;
}

static const struct dpk_option query_options[] = {
    {"e,show_default,enable_verbosity", .at = MLXCONFIG_AT(show_default),
     .help = "show Default and Current next to Next Boot"},
    {"read_only", .at = MLXCONFIG_AT(read_only), .help = "list read-only parameters too"},
    {"json", .at = MLXCONFIG_AT(json), .help = "print JSON"},
    {"j,json_format", DPK_FILE, "FILE", MLXCONFIG_AT(json_file),
     .help = "also write JSON, in the format of NVIDIA's tool, to a file"},
    {0},
};

const struct dpk_command mlxconfig_query_command = {
    .names = "query,q",
    .words = "[NAME...]",
    .help = "show the parameters of a device (-d), or of all",
    .takes = "d,b,a,host_id,pf_index",
    .options = query_options,
    .run = run_query};
