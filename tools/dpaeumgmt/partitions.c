/* dpaeumgmt partition. */
#include "dpaeumgmt.h"

/* ---- Looking ---- */

static enum dpk_status print_partition(const struct dpk_partition *p, struct dpk_error *err)
{
    printf("EU Partition ID: %u\nMaximal number of groups: %u\n"
           "The partition has a total of %zu associated VHCA IDs, namely: ",
           p->id, p->groups_max, p->vhca_count);
    for (size_t i = 0; i < p->vhca_count; i++)
        printf(i ? ",%u" : "%u", p->vhcas[i]);
    putchar('\n');
    return dpaeumgmt_print_units("Partition's member EUs are", &p->units, err);
}

static enum dpk_status print_partitions(const struct dpk_partitions *all, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < all->count && status == DPK_OK; i++) {
        printf("%zu) ", i + 1);
        status = print_partition(&all->partitions[i], err);
        putchar('\n');
    }
    printf("In total there are %zu EU partitions configured.\n", all->count);
    return status;
}

static enum dpk_status info(const struct eu_options *o, struct dpk_device *dev,
                            struct dpk_error *err)
{
    (void)o, (void)dev, (void)err;
    printf("Max number of DPA EU partitions: %d\n"
           "Max number of VHCAs associated with a single partition: %d\n"
           "Max number of DPA EU groups: %d\n"
           "Note- an allocation of a partition consumes from the number of DPA EU *groups* "
           "available to create\n"
           "Max number of DPA EUs available to use: %d\n",
           DPK_PARTITIONS_MAX, DPK_PARTITION_VHCAS_MAX, DPK_EU_GROUPS_MAX, DPK_UNITS_MAX);
    return DPK_OK;
}

static const struct dpk_partition *by_id(const struct dpk_partitions *all, unsigned id)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->partitions[i].id == id)
            return &all->partitions[i];
    return NULL;
}

/* A function that does not manage partitions sees only its own partition, with units numbered from
 * 0 (guide 000, "EU Partitions"). */
static void show_own(struct dpk_device *dev, struct dpk_partitions *all)
{
    struct dpk_device_units mine;
    if (dpk_device_manages(dev))
        return;
    dpk_device_units_of(dev, dpk_device_vhca(dev), all, &mine);
    const struct dpk_partition *p = mine.any ? by_id(all, mine.partition) : NULL;
    if (p) {
        all->partitions[0] = *p;
        all->partitions[0].units = (struct dpk_units){0};
        dpk_units_add_range(&all->partitions[0].units, 0, dpk_units_count(&mine.units) - 1);
    }
    all->count = p != NULL;
}

static enum dpk_status query(const struct eu_options *o, struct dpk_device *dev,
                             struct dpk_error *err)
{
    struct dpk_partitions all;
    enum dpk_status status = dpk_device_partitions(dev, &all, err);
    if (status != DPK_OK)
        return status;
    show_own(dev, &all);
    if (!o->partition)
        return print_partitions(&all, err);
    const struct dpk_partition *p = by_id(&all, o->partition);
    return p ? print_partition(p, err)
             : dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no partition %u", o->partition);
}

/* ---- Changing ---- */

static enum dpk_status read_partition(const char *vhcas, const char *units, unsigned groups_max,
                                      struct dpk_partition *out, struct dpk_error *err)
{
    *out = (struct dpk_partition){.groups_max = groups_max};
    enum dpk_status status = dpk_vhcas_parse(vhcas, out, err);
    return status == DPK_OK ? dpaeumgmt_read_units(units, &out->units, err) : status;
}

static enum dpk_status create(const struct eu_options *o, struct dpk_device *dev,
                              struct dpk_error *err)
{
    struct dpk_units_change c;
    struct dpk_partition wanted;
    char detail[64];
    unsigned id = 0;
    enum dpk_status status = read_partition(o->vhcas, o->range, o->groups_max, &wanted, err);
    if (status == DPK_OK)
        status = dpk_units_begin(dev, &c, err);
    if (status != DPK_OK)
        return status;
    status = dpk_partition_add(&c, &wanted, &id, err);
    snprintf(detail, sizeof detail, "partition %u created", id);
    status = dpk_units_end(&c, status, detail, err);
    if (status != DPK_OK)
        return status;
    puts("Partition created successfully-");
    return print_partition(by_id(&c.all, id), err);
}

static enum dpk_status destroy(const struct eu_options *o, struct dpk_device *dev,
                               struct dpk_error *err)
{
    struct dpk_units_change c;
    char detail[64];
    enum dpk_status status = dpk_units_begin(dev, &c, err);
    if (status != DPK_OK)
        return status;
    status = dpk_partition_remove(&c, o->partition, err);
    snprintf(detail, sizeof detail, "partition %u destroyed", o->partition);
    status = dpk_units_end(&c, status, detail, err);
    if (status == DPK_OK)
        printf("Partition with partition id: %u, was destroyed successfully\n", o->partition);
    return status;
}

/* Adds {"eu_partitions": [{"vhca_list": "1", "range_eus": "10-20", "max_num_eu_group": 1}]}. */
static enum dpk_status add_all(struct dpk_units_change *c, const cJSON *list, struct dpk_error *err)
{
    const cJSON *entry;
    struct dpk_partition wanted;
    unsigned id;
    cJSON_ArrayForEach(entry, list)
    {
        const cJSON *most = cJSON_GetObjectItemCaseSensitive(entry, "max_num_eu_group");
        const char *vhcas = dpaeumgmt_text(entry, "vhca_list", err);
        const char *units = vhcas ? dpaeumgmt_text(entry, "range_eus", err) : NULL;
        if (!units)
            return DPK_ERR_FORMAT;
        if (!cJSON_IsNumber(most) || most->valuedouble < 1 || most->valuedouble > DPK_EU_GROUPS_MAX)
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "an entry has no \"max_num_eu_group\" from 1 to %d", DPK_EU_GROUPS_MAX);
        enum dpk_status status =
            read_partition(vhcas, units, (unsigned)most->valuedouble, &wanted, err);
        if (status == DPK_OK)
            status = dpk_partition_add(c, &wanted, &id, err);
        if (status != DPK_OK)
            return status == DPK_ERR_USAGE ? DPK_ERR_FORMAT : status;
    }
    return DPK_OK;
}

static enum dpk_status remove_all(struct dpk_units_change *c, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    while (status == DPK_OK && c->all.count > 0)
        status = dpk_partition_remove(c, c->all.partitions[0].id, err);
    return status;
}

static enum dpk_status apply(const struct eu_options *o, struct dpk_device *dev,
                             struct dpk_error *err)
{
    struct dpk_units_change c;
    cJSON *root;
    const cJSON *list;
    enum dpk_status status = dpaeumgmt_read_file(o->file, "eu_partitions", &root, &list, err);
    if (status == DPK_OK)
        status = dpk_units_begin(dev, &c, err);
    if (status == DPK_OK) {
        status = remove_all(&c, err);
        if (status == DPK_OK)
            status = add_all(&c, list, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", o->file);
        status = dpk_units_end(&c, status, "partitions of a file applied", err);
        if (status == DPK_OK)
            status = print_partitions(&c.all, err);
    }
    cJSON_Delete(root);
    return status;
}

static bool has_new(const struct eu_options *o)
{
    return o->vhcas && o->range && o->groups_max;
}

static bool has_which(const struct eu_options *o)
{
    return o->partition;
}

static bool has_file(const struct eu_options *o)
{
    return o->file;
}

const struct eu_verb dpaeumgmt_partition_verbs[] = {
    {"info", info, NULL, NULL},
    {"create", create, "-v VHCAS, -r EUS and -m N", has_new},
    {"destroy", destroy, "-p ID", has_which},
    {"query", query, NULL, NULL},
    {"apply", apply, "--file_partitions FILE", has_file},
    {0},
};
