/* The commands set and reset. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/admin/admin.h"
#include "mlxconfig.h"

/* Settings of one command line. `list` points into `names`, so `names` must be complete before
 * `list` is made. */
struct settings {
    struct dpk_nv_name *names;
    const char **values;
    size_t count, capacity;
    struct dpk_device_setting *list;
    size_t list_count;
};

static void free_settings(struct settings *s)
{
    free(s->names);
    free(s->values);
    free(s->list);
}

/* Adds a setting. `in_range`: a range of an array may name elements that are set already, and its
 * value counts, as in NVIDIA's mstconfig. */
static enum dpk_status add(struct settings *s, const struct dpk_nv_name *name, const char *value,
                           bool in_range, struct dpk_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i].text, name->text) != 0)
            continue;
        if (!in_range)
            return dpk_fail(err, DPK_ERR_USAGE, "%s is set twice", name->text);
        s->values[i] = value;
        return DPK_OK;
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 16;
        struct dpk_nv_name *names = reallocarray(s->names, capacity, sizeof *names);
        if (names)
            s->names = names;
        const char **values = reallocarray(s->values, capacity, sizeof *values);
        if (values)
            s->values = values;
        if (!names || !values)
            return dpk_fail_nomem(err);
        s->capacity = capacity;
    }
    s->names[s->count] = *name;
    s->values[s->count++] = value;
    return DPK_OK;
}

static enum dpk_status check_value(const struct dpk_nv_name *name, const char *value,
                                   struct dpk_error *err)
{
    uint8_t scratch[DPK_NV_DATA_MAX] = {0};
    if (name->base->capability)
        return dpk_fail(err, DPK_ERR_REFUSED, "%s describes what a device can do: it cannot be set",
                        name->text);
    enum dpk_status status = dpk_nv_value_parse(&name->param, value, scratch, err);
    return status == DPK_OK ? DPK_OK : dpk_error_prefix(err, "%s", name->text);
}

/* Parses NAME=VALUE. NAME may be a range of an array, which gives several settings. `word` is a
 * copy, and is cut at '='. */
static enum dpk_status add_word(const struct dpk_nv_defs *defs, char *word, struct settings *s,
                                struct dpk_error *err)
{
    struct dpk_nv_name name;
    char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return dpk_fail(err, DPK_ERR_USAGE, "set: '%s' is not NAME=VALUE", word);
    *equals = 0;
    enum dpk_status status = dpk_nv_name_parse(defs, word, &name, err);
    if (status == DPK_OK && name.param.count && !name.indexed)
        status = dpk_fail(err, DPK_ERR_USAGE, "%s is an array: set %s[0] to %s[%zu], or [0..%zu]",
                          name.text, name.text, name.text, name.last, name.last);
    for (size_t i = name.first; status == DPK_OK && i <= name.last; i++) {
        struct dpk_nv_name one = dpk_nv_name_element(&name, i);
        status = check_value(&one, equals + 1, err);
        if (status == DPK_OK)
            status = add(s, &one, equals + 1, name.first != name.last, err);
    }
    return status;
}

/* Makes the settings for the device, with definitions and names bound to the target, and with the
 * valid bits. */
static enum dpk_status make_list(const struct mlxconfig_options *options, struct settings *s,
                                 struct dpk_error *err)
{
    s->list = calloc(3 * s->count + 1, sizeof *s->list);
    if (!s->list)
        return dpk_fail_nomem(err);
    /* First remove all user settings of these TLVs. */
    for (size_t i = 0; i < s->count && options->with_default; i++)
        s->list[s->list_count++] = (struct dpk_device_setting){.def = &s->names[i].def};
    for (size_t i = 0; i < s->count; i++) {
        struct dpk_nv_name *name = &s->names[i];
        const struct dpk_nv_param *valid = dpk_nv_valid_bit(name->base, &name->param);
        name->param.config_name = name->text;
        s->list[s->list_count++] = (struct dpk_device_setting){
            .def = &name->def, .param = &name->param, .value = s->values[i]};
        if (valid)
            s->list[s->list_count++] =
                (struct dpk_device_setting){.def = &name->def, .param = valid, .value = "1"};
    }
    return DPK_OK;
}

static enum dpk_status print_change(struct dpk_device *dev, const struct dpk_nv_name *name,
                                    const char *new_value, struct dpk_error *err)
{
    struct dpk_device_value value;
    struct dpk_buf text = {0};
    uint8_t data[DPK_NV_DATA_MAX] = {0};
    enum dpk_status status = dpk_device_get(dev, DPK_VIEW_NEXT, &name->def, &value, err);
    if (status == DPK_OK)
        status = dpk_nv_value_parse(&name->param, new_value, data, err);
    if (status != DPK_OK)
        return status;
    if (value.hidden)
        dpk_put_format(&text, "hidden");
    else
        dpk_nv_value_format(&name->param, value.data, DPK_NV_STYLE_QUERY, &text);
    printf("%-8s%-44s%-15.*s ", "", name->text, (int)text.size,
           text.data ? (const char *)text.data : "");
    text.size = 0;
    dpk_nv_value_format(&name->param, data, DPK_NV_STYLE_QUERY, &text);
    printf("%.*s\n", (int)text.size, text.data ? (const char *)text.data : "");
    status = text.failed ? dpk_fail_nomem(err) : DPK_OK;
    dpk_buf_free(&text);
    return status;
}

static enum dpk_status print_changes(struct dpk_device *dev, const struct settings *s,
                                     struct dpk_error *err)
{
    enum dpk_status status = mlxconfig_print_device(dev, 1, err);
    if (status == DPK_OK)
        printf("%-53s%-16sNew\n", "Configurations:", "Next Boot");
    for (size_t i = 0; i < s->count && status == DPK_OK; i++)
        status = print_change(dev, &s->names[i], s->values[i], err);
    return status;
}

static enum dpk_status set(const struct mlxconfig_options *options, struct dpk_device *dev,
                           const struct dpk_nv_defs *defs, struct settings *s,
                           struct dpk_error *err)
{
    enum dpk_status status = make_list(options, s, err);
    /* Check before asking the user. */
    if (status == DPK_OK)
        status = dpk_device_try_set(dev, defs, s->list, s->list_count, err);
    if (status == DPK_OK)
        status = print_changes(dev, s, err);
    if (status == DPK_OK)
        status = mlxconfig_confirm(options, "Apply new Configuration?", err);
    if (status == DPK_OK)
        status = dpk_device_set(dev, defs, s->list, s->list_count, err);
    if (status == DPK_OK)
        mlxconfig_print_applied();
    return status;
}

static enum dpk_status run_set(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    struct dpk_device *dev = NULL;
    struct dpk_nv_defs *defs = NULL;
    struct settings s = {0};
    char **words = calloc(args->count + 1, sizeof *words);
    enum dpk_status status = words ? mlxconfig_device(options, &dev, err) : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    for (size_t i = 0; i < args->count && status == DPK_OK; i++) {
        words[i] = strdup(args->words[i]);
        status = words[i] ? add_word(defs, words[i], &s, err) : dpk_fail_nomem(err);
    }
    if (status == DPK_OK)
        status = set(options, dev, defs, &s, err);
    for (size_t i = 0; words && i < args->count; i++)
        free(words[i]);
    free(words);
    free_settings(&s);
    dpk_nv_defs_free(defs);
    dpk_device_close(dev);
    return status;
}

static const struct dpk_option set_options[] = {
    {"with_default", .at = MLXCONFIG_AT(with_default),
     .help = "reset the other parameters of the same TLVs to their defaults"},
    {0},
};

const struct dpk_command mlxconfig_set_command = {.names = "set,s",
                                                  .words = "NAME=VALUE...",
                                                  .help = "set parameters of a device (-d)",
                                                  .needs = "d",
                                                  .takes = "b,y,host_id,pf_index",
                                                  .options = set_options,
                                                  .run = run_set};

/* Finds a TLV by its name, in any case, and adds it to `s` for each port and module. */
static enum dpk_status add_tlv(const struct dpk_nv_defs *defs, const struct dpk_shown *all,
                               const char *word, struct settings *s, struct dpk_error *err)
{
    char name[80];
    size_t length = 0, before = s->count;
    for (; word[length] && length < sizeof name - 1; length++)
        name[length] = (char)tolower((unsigned char)word[length]);
    name[length] = 0;
    const struct dpk_nv_def *def = word[length] ? NULL : dpk_nv_defs_find(defs, name);
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < all->count && def && status == DPK_OK; i++)
        if (all->names[i].base == def)
            status = add(s, &all->names[i], NULL, false, err);
    if (status == DPK_OK && s->count == before)
        return dpk_fail(
            err, DPK_ERR_NOT_FOUND,
            "no TLV %.78s whose parameters can be set; gen_tlvs_file lists TLVs, with -b "
            "those of NVIDIA's database",
            word);
    return status;
}

/* Removes the user settings of the TLVs in `words`. */
static enum dpk_status reset_tlvs(const struct mlxconfig_options *options, struct dpk_device *dev,
                                  const struct dpk_args *words, struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_shown all = {0};
    struct settings s = {0};
    enum dpk_status status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = dpk_shown_choose(defs, NULL, 0, false, &all, err);
    for (size_t i = 0; i < words->count && status == DPK_OK; i++)
        status = add_tlv(defs, &all, words->words[i], &s, err);
    s.list = status == DPK_OK ? calloc(s.count, sizeof *s.list) : NULL;
    if (status == DPK_OK && !s.list)
        status = dpk_fail_nomem(err);
    for (size_t i = 0; i < s.count && s.list; i++)
        if (i == 0 || s.names[i].def.class_id != s.names[i - 1].def.class_id ||
            s.names[i].def.index != s.names[i - 1].def.index)
            s.list[s.list_count++] = (struct dpk_device_setting){.def = &s.names[i].def};
    if (status == DPK_OK)
        status = dpk_device_try_set(dev, defs, s.list, s.list_count, err);
    if (status == DPK_OK)
        status = mlxconfig_confirm(options, "Reset configuration of these TLVs?", err);
    if (status == DPK_OK)
        status = dpk_device_set(dev, defs, s.list, s.list_count, err);
    free_settings(&s);
    dpk_shown_free(&all);
    dpk_nv_defs_free(defs);
    return status;
}

static enum dpk_status reset_all(const struct mlxconfig_options *options, struct dpk_device *dev,
                                 struct dpk_error *err)
{
    char question[128];
    snprintf(question, sizeof question, "Reset configuration for device %s?", dpk_device_name(dev));
    enum dpk_status status = mlxconfig_confirm(options, question, err);
    return status == DPK_OK ? dpk_device_drop_user_settings(dev, err) : status;
}

static enum dpk_status run_reset(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    struct dpk_device *dev = NULL;
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = args->count ? reset_tlvs(options, dev, args, err) : reset_all(options, dev, err);
    if (status == DPK_OK)
        mlxconfig_print_applied();
    dpk_device_close(dev);
    return status;
}

const struct dpk_command mlxconfig_reset_command = {.names = "reset,r",
                                                    .words = "[TLV...]",
                                                    .help =
                                                        "reset the values that users have set on a "
                                                        "device (-d)",
                                                    .needs = "d",
                                                    .takes = "b,y",
                                                    .run = run_reset};
