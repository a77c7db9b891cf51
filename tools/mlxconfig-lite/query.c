/* The command query: prints the values of parameters by default, now and at the next boot. */
#include <stdlib.h>
#include <string.h>

#include "mlxconfig.h"
#include "views/views.h"

/* Prints values that do not fit in a column on lines of their own. */
#define COLUMN_MAX 32

static void print_row(const struct mlxconfig_options *options, const struct dpk_view_row *row)
{
    static const char *const views[] = {"Default", "Current", "Next Boot"};
    bool wide = false;
    for (size_t i = 0; i < DPK_VIEWS; i++)
        wide = wide || row->text[i].size > COLUMN_MAX + 1;
    printf("%-8s%-*s", row->read_only ? "RO" : row->changes ? "*" : "", wide ? 0 : 44, row->name);
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
                                   const struct dpk_views *table, struct dpk_error *err)
{
    bool changes = false;
    enum dpk_status status = mlxconfig_print_device(dev, err);
    if (status != DPK_OK)
        return status;
    printf("%-53s", "Configurations:");
    if (options->show_default)
        printf("%-15s %-15s ", "Default", "Current");
    printf("Next Boot\n");
    for (size_t i = 0; i < table->count; i++) {
        print_row(options, &table->rows[i]);
        changes = changes || table->rows[i].changes;
    }
    if (changes)
        printf("The '*' shows parameters with next value different from current value.\n");
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

/* Parameters that cannot be set are listed only if asked for, by name or by --read_only. */
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

static enum dpk_status run_query(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    struct dpk_device *dev = NULL;
    struct dpk_nv_defs *defs = NULL;
    struct dpk_shown shown = {0};
    struct dpk_views table = {0};
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = dpk_shown_choose(defs, args->words, args->count, options->json, &shown, err);
    if (status == DPK_OK)
        status = dpk_views_read(dev, defs, &shown, args->count > 0, &table, err);
    if (status == DPK_OK && args->count == 0 && !options->read_only)
        drop_read_only(&table);
    if (status == DPK_OK)
        status = options->json ? print_json(&table, err) : print_table(options, dev, &table, err);
    dpk_views_free(&table);
    dpk_shown_free(&shown);
    dpk_nv_defs_free(defs);
    dpk_device_close(dev);
    return status;
}

static const struct dpk_option query_options[] = {
    {"e,show_default", .at = MLXCONFIG_AT(show_default),
     .help = "show Default and Current next to Next Boot"},
    {"read_only", .at = MLXCONFIG_AT(read_only), .help = "list read-only parameters too"},
    {"json", .at = MLXCONFIG_AT(json), .help = "print JSON"},
    {0},
};

const struct dpk_command query_command = {.names = "query,q",
                                          .words = "[NAME...]",
                                          .help = "show a device's parameters (-d)",
                                          .needs = "d",
                                          .takes = "b",
                                          .options = query_options,
                                          .run = run_query};
