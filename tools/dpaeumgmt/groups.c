/* dpaeumgmt eu_group. */
#include "dpaeumgmt.h"

#include <string.h>

/* ---- Looking ---- */

/* Gets all groups of the card, and the units of the device's function. */
static enum dpk_status look(struct dpk_device *dev, struct dpk_partitions *all,
                            struct dpk_device_units *mine, struct dpk_error *err)
{
    enum dpk_status status = dpk_device_partitions(dev, all, err);
    if (status == DPK_OK)
        dpk_device_units_of(dev, dpk_device_vhca(dev), all, mine);
    return status;
}

static enum dpk_status print_group(const struct dpk_device_units *mine,
                                   const struct dpk_eu_group *g, struct dpk_error *err)
{
    const struct dpk_units units = dpk_group_units(mine, g);
    printf("EU group ID: %u\nEU group name: %s\n", g->id, g->name);
    return dpaeumgmt_print_units("Member EUs are", &units, err);
}

static enum dpk_status print_groups(const struct dpk_partitions *all,
                                    const struct dpk_device_units *mine, struct dpk_error *err)
{
    unsigned count = 0;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < all->group_count && status == DPK_OK; i++) {
        if (all->groups[i].partition != mine->partition)
            continue;
        printf("%u) ", ++count);
        status = print_group(mine, &all->groups[i], err);
        putchar('\n');
    }
    printf("In total there are %u EU groups configured.\n", count);
    return status;
}

/* The group that -g or -n names, or NULL. */
static const struct dpk_eu_group *find_group(const struct eu_options *o,
                                             const struct dpk_partitions *all,
                                             const struct dpk_device_units *mine,
                                             struct dpk_error *err)
{
    for (size_t i = 0; i < all->group_count; i++) {
        const struct dpk_eu_group *g = &all->groups[i];
        if (g->partition == mine->partition && (!o->group || g->id == o->group) &&
            (!o->name || strcmp(g->name, o->name) == 0))
            return g;
    }
    if (o->group)
        dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no EU group %u%s%s", o->group,
                 o->name ? " with the name " : "", o->name ? o->name : "");
    else
        dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no EU group with the name %s", o->name);
    return NULL;
}

static enum dpk_status info(const struct eu_options *o, struct dpk_device *dev,
                            struct dpk_error *err)
{
    struct dpk_partitions all;
    struct dpk_device_units mine;
    (void)o;
    enum dpk_status status = look(dev, &all, &mine, err);
    if (status != DPK_OK)
        return status;
    const unsigned units = dpk_units_count(&mine.units);
    printf("Max number of DPA EU groups: %d\n"
           "Max number of DPA EUs in one DPA EU group: %u\n"
           "Max DPA EU number available to use: %u\n"
           "Max EU group name length is %d chars\n",
           DPK_EU_GROUPS_MAX, units, units, DPK_EU_GROUP_NAME - 1);
    return DPK_OK;
}

static enum dpk_status query(const struct eu_options *o, struct dpk_device *dev,
                             struct dpk_error *err)
{
    struct dpk_partitions all;
    struct dpk_device_units mine;
    enum dpk_status status = look(dev, &all, &mine, err);
    if (status != DPK_OK)
        return status;
    if (!o->group && !o->name)
        return print_groups(&all, &mine, err);
    const struct dpk_eu_group *g = find_group(o, &all, &mine, err);
    return g ? print_group(&mine, g, err) : DPK_ERR_NOT_FOUND;
}

/* ---- Changing ---- */

static const struct dpk_eu_group *by_id(const struct dpk_partitions *all, unsigned id)
{
    size_t i = 0;
    while (all->groups[i].id != id)
        i++;
    return &all->groups[i];
}

static enum dpk_status create(const struct eu_options *o, struct dpk_device *dev,
                              struct dpk_error *err)
{
    struct dpk_units_change c;
    struct dpk_units units;
    char detail[64];
    unsigned id = 0;
    enum dpk_status status = dpaeumgmt_read_units(o->range, &units, err);
    if (status == DPK_OK)
        status = dpk_units_begin(dev, &c, err);
    if (status != DPK_OK)
        return status;
    status = dpk_group_add(&c, o->name, &units, &id, err);
    snprintf(detail, sizeof detail, "EU group %u (%.15s) created", id, o->name);
    status = dpk_units_end(&c, status, detail, err);
    if (status != DPK_OK)
        return status;
    puts("Group created successfully-");
    return print_group(&c.mine, by_id(&c.all, id), err);
}

static enum dpk_status destroy(const struct eu_options *o, struct dpk_device *dev,
                               struct dpk_error *err)
{
    struct dpk_units_change c;
    char detail[64] = "";
    enum dpk_status status = dpk_units_begin(dev, &c, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_eu_group *g = find_group(o, &c.all, &c.mine, err);
    const unsigned id = g ? g->id : 0;
    status = g ? dpk_group_remove(&c, id, err) : DPK_ERR_NOT_FOUND;
    snprintf(detail, sizeof detail, "EU group %u destroyed", id);
    status = dpk_units_end(&c, status, detail, err);
    if (status == DPK_OK)
        printf("Group with group id: %u, was destroyed successfully\n", id);
    return status;
}

/* Adds {"eu_groups": [{"name": "hg1", "range": "178-180"}]}. */
static enum dpk_status add_all(struct dpk_units_change *c, const cJSON *list, struct dpk_error *err)
{
    const cJSON *entry;
    struct dpk_units units;
    unsigned id;
    cJSON_ArrayForEach(entry, list)
    {
        const char *name = dpaeumgmt_text(entry, "name", err),
                   *range = name ? dpaeumgmt_text(entry, "range", err) : NULL;
        if (!range)
            return DPK_ERR_FORMAT;
        enum dpk_status status = dpaeumgmt_read_units(range, &units, err);
        if (status == DPK_OK)
            status = dpk_group_add(c, name, &units, &id, err);
        if (status != DPK_OK)
            return status == DPK_ERR_USAGE ? DPK_ERR_FORMAT : status;
    }
    return DPK_OK;
}

static enum dpk_status apply(const struct eu_options *o, struct dpk_device *dev,
                             struct dpk_error *err)
{
    struct dpk_units_change c;
    cJSON *root;
    const cJSON *list;
    enum dpk_status status = dpaeumgmt_read_file(o->file, "eu_groups", &root, &list, err);
    if (status == DPK_OK)
        status = dpk_units_begin(dev, &c, err);
    if (status == DPK_OK) {
        dpk_groups_clear(&c);
        status = add_all(&c, list, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", o->file);
        status = dpk_units_end(&c, status, "EU groups of a file applied", err);
        if (status == DPK_OK)
            status = print_groups(&c.all, &c.mine, err);
    }
    cJSON_Delete(root);
    return status;
}

static bool has_new(const struct eu_options *o)
{
    return o->name && o->range;
}

static bool has_which(const struct eu_options *o)
{
    return o->name || o->group;
}

static bool has_file(const struct eu_options *o)
{
    return o->file;
}

const struct eu_verb dpaeumgmt_group_verbs[] = {
    {"info", info, NULL, NULL},
    {"create", create, "-n NAME and -r EUS", has_new},
    {"destroy", destroy, "-g ID or -n NAME", has_which},
    {"query", query, NULL, NULL},
    {"apply", apply, "--file_groups FILE", has_file},
    {0},
};
