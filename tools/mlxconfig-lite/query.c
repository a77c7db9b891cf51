/* The command query: prints the values of parameters by default, now and at the next boot. */
#include <stdlib.h>
#include <string.h>

#include "mlxconfig.h"
#include "shown.h"

#define VIEWS 3

/* One line of the table. `text` is indexed by enum dpk_device_view. */
struct row {
    const char *name; /* borrowed */
    struct dpk_buf text[VIEWS];
    bool read_only, changes;
};

struct table {
    struct row *rows;
    size_t count;
};

static void free_table(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (size_t view = 0; view < VIEWS; view++)
            dpk_buf_free(&table->rows[i].text[view]);
    free(table->rows);
}

/* Where a value does not count, the default does. */
static bool counts(const struct dpk_nv_name *name, const uint8_t *data)
{
    const struct dpk_nv_param *bit = dpk_nv_valid_bit(name->base, &name->param);
    return !bit || dpk_nv_value_number(bit, data) != 0;
}

static bool same_value(const struct dpk_nv_param *param, const uint8_t *a, const uint8_t *b)
{
    bool same = true;
    for (size_t i = 0; same && i < (param->count ? param->count : 1); i++) {
        struct dpk_nv_param one = dpk_nv_param_element(param, i);
        struct dpk_buf texts[2] = {0};
        dpk_nv_value_format(&one, a, DPK_NV_STYLE_XML, &texts[0]);
        dpk_nv_value_format(&one, b, DPK_NV_STYLE_XML, &texts[1]);
        same = texts[0].size == texts[1].size &&
               (texts[0].size == 0 || memcmp(texts[0].data, texts[1].data, texts[0].size) == 0);
        dpk_buf_free(&texts[0]);
        dpk_buf_free(&texts[1]);
    }
    return same;
}

static enum dpk_status read_row(struct dpk_device *dev, const struct dpk_nv_name *name,
                                struct row *row, struct dpk_error *err)
{
    struct dpk_device_value values[VIEWS];
    row->name = name->text;
    for (size_t view = 0; view < VIEWS; view++) {
        struct dpk_device_value *value = &values[view];
        enum dpk_status status =
            dpk_device_get(dev, (enum dpk_device_view)view, &name->def, value, err);
        if (status != DPK_OK)
            return status;
        if (!counts(name, value->data))
            memcpy(value->data, values[DPK_VIEW_DEFAULT].data, sizeof value->data);
        if (value->hidden)
            dpk_put_format(&row->text[view], "hidden");
        else
            dpk_nv_value_format(&name->param, value->data, DPK_NV_STYLE_QUERY, &row->text[view]);
        dpk_put_u8(&row->text[view], 0);
        if (row->text[view].failed)
            return dpk_fail_nomem(err);
    }
    const struct dpk_device_value *current = &values[DPK_VIEW_CURRENT],
                                  *next = &values[DPK_VIEW_NEXT];
    row->read_only = next->read_only || name->base->capability;
    row->changes =
        current->hidden != next->hidden || !same_value(&name->param, current->data, next->data);
    return DPK_OK;
}

/* Reads every view of every parameter in one transaction: with a reboot or a writer between two
 * reads the views would not belong together. Parameters that were not `named` are left out if the
 * device does not support them. */
static enum dpk_status read_table(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                                  const struct shown *shown, bool named, struct table *out,
                                  struct dpk_error *err)
{
    static const uint8_t zeros[DPK_NV_DATA_MAX];
    out->rows = calloc(shown->count + 1, sizeof *out->rows);
    if (!out->rows)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_device_begin_looking(dev, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < shown->count && status == DPK_OK; i++) {
        struct dpk_nv_rules rules = {.defs = defs,
                                     .def = shown->names[i].base,
                                     .data = zeros,
                                     .look = dpk_device_look,
                                     .context = dev};
        if (named || dpk_nv_rules_depend(&rules, &shown->names[i].param))
            status = read_row(dev, &shown->names[i], &out->rows[out->count++], err);
    }
    dpk_device_end_looking(dev);
    return status;
}

/* Prints values that do not fit in a column on lines of their own. */
#define COLUMN_MAX 32

static void print_row(const struct mlxconfig_options *options, const struct row *row)
{
    static const char *const views[] = {"Default", "Current", "Next Boot"};
    bool wide = false;
    for (size_t i = 0; i < VIEWS; i++)
        wide = wide || row->text[i].size > COLUMN_MAX + 1;
    printf("%-8s%-*s", row->read_only ? "RO" : row->changes ? "*" : "", wide ? 0 : 44, row->name);
    if (wide) {
        printf("\n");
        for (size_t i = options->show_default ? 0 : 2; i < VIEWS; i++)
            printf("        %-10s %s\n", views[i], (const char *)row->text[i].data);
        return;
    }
    if (options->show_default)
        printf("%-15s %-15s ", (const char *)row->text[DPK_VIEW_DEFAULT].data,
               (const char *)row->text[DPK_VIEW_CURRENT].data);
    printf("%s\n", (const char *)row->text[DPK_VIEW_NEXT].data);
}

static enum dpk_status print_table(const struct mlxconfig_options *options, struct dpk_device *dev,
                                   const struct table *table, struct dpk_error *err)
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

static enum dpk_status print_json(const struct table *table, struct dpk_error *err)
{
    static const char *const keys[] = {"default", "current", "next_boot"};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(list, o);
        dpk_json_text(o, "name", row->name);
        for (size_t view = 0; view < VIEWS; view++)
            dpk_json_text(o, keys[view], (const char *)row->text[view].data);
        cJSON_AddBoolToObject(o, "read_only", row->read_only);
    }
    return dpk_json_print(list, err);
}

/* Parameters that cannot be set are listed only if asked for, by name or by --read_only. */
static void drop_read_only(struct table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct row row = table->rows[i];
        if (row.read_only) {
            for (size_t view = 0; view < VIEWS; view++)
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
    struct shown shown = {0};
    struct table table = {0};
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = shown_choose(defs, args->words, args->count, options->json, &shown, err);
    if (status == DPK_OK)
        status = read_table(dev, defs, &shown, args->count > 0, &table, err);
    if (status == DPK_OK && args->count == 0 && !options->read_only)
        drop_read_only(&table);
    if (status == DPK_OK)
        status = options->json ? print_json(&table, err) : print_table(options, dev, &table, err);
    free_table(&table);
    shown_free(&shown);
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
