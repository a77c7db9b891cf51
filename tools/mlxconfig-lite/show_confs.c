/* The command show_confs. */
#include "device/admin/admin.h"
#include "mlxconfig.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- show_confs ---- */

#define NAME_COLUMN 20
#define TEXT_COLUMN 60

/* Prints the title; for a definition without a title, "DPA AUTH" of nv_dpa_auth. */
static void print_title(const struct dpk_nv_def *def)
{
    const char *name = strncmp(def->name, "nv_", 3) == 0 ? def->name + 3 : def->name;
    printf("\t\t");
    for (const char *c = def->title ? def->title : name; *c; c++)
        putchar(*c == '_' ? ' ' : toupper((unsigned char)*c));
}

static void put_values(struct dpk_buf *out, const struct dpk_nv_param *p)
{
    switch (p->type) {
    case DPK_NV_BOOL:
        dpk_put_format(out, "False|True");
        break;
    case DPK_NV_ENUM:
        for (size_t i = 0; i < p->choice_count; i++)
            dpk_put_format(out, "%s%s", i ? "|" : "", p->choices[i].name);
        break;
    case DPK_NV_STRING:
        dpk_put_format(out, "STRING");
        break;
    case DPK_NV_BYTES:
        dpk_put_format(out, "BYTES");
        break;
    case DPK_NV_BINARY:
        dpk_put_format(out, "BINARY");
        break;
    case DPK_NV_UNSIGNED:
    case DPK_NV_INTEGER:
        dpk_put_format(out, "NUM");
        break;
    }
}

/* Prints a description. "\;" in it separates lines. */
static void print_description(const char *text, int column)
{
    char *copy = strdup(text ? text : "");
    for (char *at = copy; at;) {
        char *end = strstr(at, "\\;");
        if (end)
            *end = 0;
        printf("%*s%s\n", at == copy ? 0 : column, "", dpk_text_clean(at));
        at = end ? end + 2 : NULL;
    }
    if (!copy)
        printf("\n");
    free(copy);
}

static enum dpk_status print_name(const struct dpk_nv_name *name, struct dpk_error *err)
{
    struct dpk_buf line = {0};
    dpk_put_format(&line, "%s", name->text);
    if (name->param.count)
        dpk_put_format(&line, "[0..%zu]", name->param.count - 1);
    dpk_put_format(&line, "=<");
    put_values(&line, &name->param);
    dpk_put_format(&line, ">");
    if (!line.failed) {
        printf("%*s%-*.*s ", NAME_COLUMN, "", TEXT_COLUMN - NAME_COLUMN - 1, (int)line.size,
               (const char *)line.data);
        print_description(name->param.description, TEXT_COLUMN);
    }
    enum dpk_status status = line.failed ? dpk_fail_nomem(err) : DPK_OK;
    dpk_buf_free(&line);
    return status;
}

static enum dpk_status print_confs(const struct dpk_shown *shown, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    const struct dpk_nv_def *last = NULL;
    for (size_t i = 0; i < shown->count && status == DPK_OK; i++) {
        const struct dpk_nv_name *name = &shown->names[i];
        if (name->base->capability)
            continue;
        if (name->base != last) {
            print_title(name->base);
            printf(":");
            print_description(name->base->description, NAME_COLUMN);
        }
        last = name->base;
        status = print_name(name, err);
    }
    return status;
}

static enum dpk_status run_show_confs(void *given, const struct dpk_args *args,
                                      struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    (void)args;
    struct dpk_device *dev = NULL;
    struct dpk_nv_defs *defs = NULL;
    struct dpk_shown shown = {0};
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = dpk_shown_choose(defs, NULL, 0, false, &shown, err);
    if (status == DPK_OK) {
        printf("\nList of configurations the device %s may support:\n", dpk_device_name(dev));
        status = print_confs(&shown, err);
    }
    dpk_shown_free(&shown);
    dpk_nv_defs_free(defs);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command mlxconfig_show_confs_command = {
    .names = "show_confs,i",
    .help = "list parameters and their values (-d)",
    .needs = "d",
    .takes = "b",
    .run = run_show_confs};
