/* dpa-resource-mgmt apply and destroy. */
#include "resources.h"

#include <string.h>

#include "yaml/yaml.h"

#define FILE_MAX_BYTES   (1u << 20)
#define APPLICATIONS_MAX 64 /* of one partition */

/* Everything made from the file. It takes effect only if the whole file is valid. */
struct work {
    const struct resource_options *o;
    yaml_document_t file;
    struct dpk_units_change change;
    struct output {
        char name[64];
        struct dpk_buf text;
    } outputs[DPK_PARTITIONS_MAX + 1];
    size_t output_count;
    struct dpk_buf commands; /* equivalent dpaeumgmt commands */
};

enum partition_key { NAME, VHCAS, UNITS, GROUPS_MAX, GROUPS, APPLICATIONS, PARTITION_KEYS };
static const char *const partition_keys[] = {
    "name", "vhca_list", "range_eus", "max_num_eu_group", "eu_groups", "applications", NULL};

/* Returns a text. NULL after an error, which says that `what` must be a text. */
static const char *text_of(const yaml_node_t *n, const char *what, struct dpk_error *err)
{
    const char *text = dpk_yaml_text(n);
    if (!text)
        dpk_yaml_at(n, dpk_fail(err, DPK_ERR_FORMAT, n ? "%s is a text" : "no %s", what), err);
    return text;
}

static enum dpk_status read_units(const yaml_node_t *n, const char *what, struct dpk_units *out,
                                  struct dpk_error *err)
{
    const char *text = text_of(n, what, err);
    if (!text)
        return DPK_ERR_FORMAT;
    return dpk_units_parse(text, out)
               ? DPK_OK
               : dpk_yaml_at(n,
                             dpk_fail(err, DPK_ERR_FORMAT,
                                      "%s is not a list of execution units like 6-8,16,55", what),
                             err);
}

/* ---- Groups ---- */

static enum dpk_status add_group(struct work *w, const yaml_node_t *n, struct dpk_error *err)
{
    static const char *const keys[] = {"name", "range", NULL};
    const yaml_node_t *values[2];
    struct dpk_units units;
    unsigned id;
    enum dpk_status status = dpk_yaml_mapping(&w->file, n, keys, values, err);
    if (status != DPK_OK)
        return status;
    const char *name = text_of(values[0], "name", err);
    if (!name)
        return dpk_yaml_at(n, DPK_ERR_FORMAT, err);
    status = read_units(values[1], "range", &units, err);
    if (status == DPK_OK)
        status = dpk_group_add(&w->change, name, &units, &id, err);
    if (status != DPK_OK)
        return dpk_yaml_at(n, status, err);
    dpk_put_format(&w->commands, "dpaeumgmt eu_group create -d %s -n \"%s\" -r %s\n", w->o->device,
                   name, (const char *)values[1]->data.scalar.value);
    return DPK_OK;
}

static const struct dpk_eu_group *find_group(const struct work *w, const char *name)
{
    const struct dpk_partitions *all = &w->change.all;
    for (size_t i = 0; i < all->group_count; i++)
        if (all->groups[i].partition == w->change.mine.partition &&
            strcmp(all->groups[i].name, name) == 0)
            return &all->groups[i];
    return NULL;
}

/* ---- Applications ---- */

/* A key of YAML, and the name of a file: plain in either. */
static bool is_sound_name(const char *name)
{
    const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return *name && strlen(name) < 60 && strspn(name, plain) == strlen(name);
}

static enum dpk_status put_groups(struct work *w, const yaml_node_t *list, struct dpk_buf *out,
                                  struct dpk_error *err)
{
    const yaml_node_t *n;
    for (size_t i = 0; (n = dpk_yaml_entry(&w->file, list, i)); i++) {
        const char *name = text_of(n, "an EU group", err);
        const struct dpk_eu_group *g = name ? find_group(w, name) : NULL;
        if (name && !g)
            return dpk_yaml_at(
                n, dpk_fail(err, DPK_ERR_FORMAT, "the partition has no such EU group"), err);
        if (!g)
            return DPK_ERR_FORMAT;
        dpk_put_format(out, i ? ", %u" : "%u", g->id);
    }
    return DPK_OK;
}

/* `free` has the units that no earlier application has. */
static enum dpk_status add_application(struct work *w, const yaml_node_t *n, struct dpk_units *free,
                                       struct dpk_buf *out, struct dpk_error *err)
{
    static const char *const keys[] = {"name", "eus", "eu_groups", NULL};
    const yaml_node_t *values[3];
    struct dpk_units units = {0}, beyond;
    enum dpk_status status = dpk_yaml_mapping(&w->file, n, keys, values, err);
    if (status != DPK_OK)
        return status;
    const char *name = text_of(values[0], "name", err);
    if (name && !is_sound_name(name))
        dpk_fail(err, DPK_ERR_FORMAT, "the name of an application is 1 to 59 of A-Z a-z 0-9 _ -");
    if (!name || !is_sound_name(name))
        return dpk_yaml_at(n, DPK_ERR_FORMAT, err);
    if (values[1] && (status = read_units(values[1], "eus", &units, err)) != DPK_OK)
        return status;
    beyond = units;
    dpk_units_subtract(&beyond, free);
    if (!dpk_units_none(&beyond))
        return dpk_yaml_at(n,
                           dpk_fail(err, DPK_ERR_RANGE,
                                    "%s: the partition does not have all of these execution units, "
                                    "or gives them to an application before",
                                    name),
                           err);
    dpk_units_subtract(free, &units);
    dpk_put_format(out, "%s:\n    eus: [", name);
    dpk_units_put(out, &units, false);
    dpk_put_format(out, "]\n    eu_groups: [");
    status = put_groups(w, values[2], out, err);
    dpk_put_format(out, "]\n");
    return status;
}

static enum dpk_status add_applications(struct work *w, const yaml_node_t *list, const char *name,
                                        struct dpk_error *err)
{
    const yaml_node_t *n;
    struct output *out = &w->outputs[w->output_count++];
    struct dpk_units free = w->change.mine.units;
    enum dpk_status status = DPK_OK;
    snprintf(out->name, sizeof out->name, "%s", name);
    for (size_t i = 0; i + 1 < w->output_count; i++)
        if (strcmp(w->outputs[i].name, name) == 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "two partitions with the name %s", name);
    if (w->change.mine.renumbered) {
        free = (struct dpk_units){0};
        dpk_units_add_range(&free, 0, dpk_units_count(&w->change.mine.units) - 1);
    }
    for (size_t i = 0; status == DPK_OK && (n = dpk_yaml_entry(&w->file, list, i)); i++)
        status = i < APPLICATIONS_MAX
                     ? add_application(w, n, &free, &out->text, err)
                     : dpk_fail(err, DPK_ERR_RANGE, "more than %d applications", APPLICATIONS_MAX);
    return status;
}

/* ---- Partitions ---- */

static enum dpk_status read_count(const yaml_node_t *n, unsigned standard, unsigned *out,
                                  struct dpk_error *err)
{
    struct dpk_units number;
    *out = standard;
    if (!n)
        return DPK_OK;
    enum dpk_status status = read_units(n, "max_num_eu_group", &number, err);
    if (status != DPK_OK)
        return status;
    *out = dpk_units_member(&number, 0);
    return dpk_units_count(&number) == 1 && *out >= 1 && *out <= DPK_EU_GROUPS_MAX
               ? DPK_OK
               : dpk_yaml_at(n,
                             dpk_fail(err, DPK_ERR_FORMAT, "max_num_eu_group is 1 to %d",
                                      DPK_EU_GROUPS_MAX),
                             err);
}

/* Makes the partition and selects it. The default partition always exists. */
static enum dpk_status make_partition(struct work *w, const yaml_node_t *n,
                                      const yaml_node_t *const *values, struct dpk_error *err)
{
    struct dpk_partition wanted = {0};
    unsigned id = DPK_PARTITION_DEFAULT, groups = 0;
    if (!values[VHCAS]) {
        if (values[UNITS] || values[GROUPS_MAX])
            return dpk_yaml_at(n,
                               dpk_fail(err, DPK_ERR_FORMAT,
                                        "a partition without vhca_list is the default partition, "
                                        "which has the units that are left"),
                               err);
        return dpk_units_turn_to(&w->change, id, err);
    }
    while (dpk_yaml_entry(&w->file, values[GROUPS], groups))
        groups++;
    const char *vhcas = text_of(values[VHCAS], "vhca_list", err);
    enum dpk_status status = vhcas ? dpk_vhcas_parse(vhcas, &wanted, err) : DPK_ERR_FORMAT;
    if (status == DPK_OK)
        status = read_units(values[UNITS], "range_eus", &wanted.units, err);
    if (status == DPK_OK)
        status = read_count(values[GROUPS_MAX], groups ? groups : 1, &wanted.groups_max, err);
    if (status == DPK_OK)
        status = dpk_partition_add(&w->change, &wanted, &id, err);
    if (status != DPK_OK)
        return dpk_yaml_at(n, status == DPK_ERR_USAGE ? DPK_ERR_FORMAT : status, err);
    dpk_put_format(&w->commands, "dpaeumgmt partition create -d %s -v %s -r %s -m %u\n",
                   w->o->device, vhcas, (const char *)values[UNITS]->data.scalar.value,
                   wanted.groups_max);
    return dpk_units_turn_to(&w->change, id, err);
}

static enum dpk_status add_partition(struct work *w, const yaml_node_t *n, struct dpk_error *err)
{
    const yaml_node_t *values[PARTITION_KEYS], *group;
    enum dpk_status status = dpk_yaml_mapping(&w->file, n, partition_keys, values, err);
    if (status != DPK_OK)
        return status;
    const char *name = text_of(values[NAME], "name", err);
    if (name && !is_sound_name(name))
        dpk_fail(err, DPK_ERR_FORMAT, "the name of a partition is 1 to 59 of A-Z a-z 0-9 _ -");
    if (!name || !is_sound_name(name))
        return dpk_yaml_at(n, DPK_ERR_FORMAT, err);
    status = make_partition(w, n, values, err);
    for (size_t i = 0; status == DPK_OK && (group = dpk_yaml_entry(&w->file, values[GROUPS], i));
         i++)
        status = add_group(w, group, err);
    return status == DPK_OK ? add_applications(w, values[APPLICATIONS], name, err) : status;
}

/* Makes partitions with vHCAs first, because the default partition gets the remaining units. */
static enum dpk_status add_all(struct work *w, struct dpk_error *err)
{
    static const char *const keys[] = {"partitions", NULL};
    const yaml_node_t *list, *n;
    enum dpk_status status =
        dpk_yaml_mapping(&w->file, yaml_document_get_root_node(&w->file), keys, &list, err);
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; status == DPK_OK && (n = dpk_yaml_entry(&w->file, list, i)); i++) {
            const yaml_node_t *values[PARTITION_KEYS];
            status = dpk_yaml_mapping(&w->file, n, partition_keys, values, err);
            if (status == DPK_OK && w->output_count > DPK_PARTITIONS_MAX)
                status = dpk_fail(err, DPK_ERR_RANGE, "there are too many partitions");
            if (status == DPK_OK && (values[VHCAS] == NULL) == (turn == 1))
                status = add_partition(w, n, err);
        }
    return status;
}

/* ---- Commands ---- */

static enum dpk_status remove_all(struct dpk_units_change *c, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    while (status == DPK_OK && c->all.count > 0)
        status = dpk_partition_remove(c, c->all.partitions[0].id, err);
    dpk_groups_clear(c);
    return status;
}

static enum dpk_status write_outputs(struct work *w, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; status == DPK_OK && i < w->output_count; i++) {
        struct output *out = &w->outputs[i];
        char path[PATH_MAX];
        if (out->text.size == 0 && !out->text.failed)
            continue;
        if (snprintf(path, sizeof path, "%s/%s.yaml", w->o->output ? w->o->output : ".",
                     out->name) >= (int)sizeof path)
            return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", w->o->output);
        status = out->text.failed
                     ? dpk_fail_nomem(err)
                     : dpk_file_replace(path, out->text.data, out->text.size, 0644, err);
    }
    return status;
}

static enum dpk_status apply(struct work *w, struct dpk_device *dev, struct dpk_error *err)
{
    enum dpk_status status = dpk_units_begin(dev, &w->change, err);
    if (status != DPK_OK)
        return status;
    status = remove_all(&w->change, err);
    if (status == DPK_OK && (status = add_all(w, err)) != DPK_OK)
        dpk_error_prefix(err, "%s", w->o->file);
    if (status == DPK_OK)
        status = write_outputs(w, err);
    status = dpk_units_end(&w->change, status, "resources of a file applied", err);
    if (status == DPK_OK && w->o->verbose)
        printf("%.*s", (int)w->commands.size, (const char *)w->commands.data);
    if (status == DPK_OK)
        printf("%zu partitions and %zu EU groups created\n", w->change.all.count,
               w->change.all.group_count);
    return status;
}

enum dpk_status resource_mgmt_apply(const struct resource_options *o, struct dpk_device *dev,
                                    struct dpk_error *err)
{
    struct work w = {.o = o};
    struct dpk_buf bytes = {0};
    enum dpk_status status = dpk_file_read(o->file, FILE_MAX_BYTES, &bytes, err);
    if (status != DPK_OK)
        return status;
    status = dpk_yaml_read(bytes.data, bytes.size, &w.file, err);
    dpk_buf_free(&bytes);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s", o->file);
    status = apply(&w, dev, err);
    for (size_t i = 0; i < w.output_count; i++)
        dpk_buf_free(&w.outputs[i].text);
    dpk_buf_free(&w.commands);
    yaml_document_delete(&w.file);
    return status;
}

enum dpk_status resource_mgmt_destroy(const struct resource_options *o, struct dpk_device *dev,
                                      struct dpk_error *err)
{
    struct dpk_units_change c;
    enum dpk_status status = dpk_units_begin(dev, &c, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_partitions before = c.all;
    status = dpk_units_end(&c, remove_all(&c, err), "partitions and EU groups destroyed", err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; o->verbose && i < before.count; i++)
        printf("dpaeumgmt partition destroy -d %s -p %u\n", o->device, before.partitions[i].id);
    printf("%zu partitions and %zu EU groups destroyed\n", before.count,
           before.group_count - c.all.group_count);
    return DPK_OK;
}
