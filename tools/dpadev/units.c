/* dpadev show: partitions and groups of execution units. */
#include "dpadev.h"

#define LIST_MAX 1024 /* a list of units has at most 256 numbers of 3 digits */

/* Writes "0-63". */
static void list_units(const struct dpk_units *units, char out[LIST_MAX])
{
    struct dpk_buf text = {0};
    dpk_units_put(&text, units, true);
    snprintf(out, LIST_MAX, "%.*s", (int)text.size, text.failed ? "" : (const char *)text.data);
    dpk_buf_free(&text);
}

static void list_vhcas(const struct dpk_partition *p, char out[LIST_MAX])
{
    size_t used = 0;
    for (size_t i = 0; i < p->vhca_count; i++)
        used += (size_t)snprintf(out + used, LIST_MAX - used, i ? ",%u" : "%u", p->vhcas[i]);
}

void dpadev_tree_units(struct dpadev_tree *tree, const struct dpk_partitions *all)
{
    char units[LIST_MAX], vhcas[LIST_MAX];
    if (all->count + all->group_count == 0)
        return;
    dpadev_tree_add(tree, 1, "Execution units");
    for (size_t i = 0; i < all->count; i++) {
        list_units(&all->partitions[i].units, units);
        list_vhcas(&all->partitions[i], vhcas);
        dpadev_tree_add(tree, 2, "Partition %u: units %s, of vHCA %s", all->partitions[i].id, units,
                        vhcas);
    }
    for (size_t i = 0; i < all->group_count; i++) {
        list_units(&all->groups[i].units, units);
        dpadev_tree_add(tree, 2, "EU group %u: %s, units %s", all->groups[i].id,
                        all->groups[i].name, units);
    }
}

void dpadev_json_units(cJSON *o, const struct dpk_partitions *all)
{
    char units[LIST_MAX];
    cJSON *partitions = cJSON_AddArrayToObject(o, "partitions");
    cJSON *groups = cJSON_AddArrayToObject(o, "eu_groups");
    for (size_t i = 0; i < all->count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(partitions, item);
        cJSON_AddNumberToObject(item, "id", all->partitions[i].id);
        cJSON_AddNumberToObject(item, "max_num_eu_group", all->partitions[i].groups_max);
        list_units(&all->partitions[i].units, units);
        cJSON_AddStringToObject(item, "units", units);
        cJSON *vhcas = cJSON_AddArrayToObject(item, "vhcas");
        for (size_t k = 0; k < all->partitions[i].vhca_count; k++)
            cJSON_AddItemToArray(vhcas, cJSON_CreateNumber(all->partitions[i].vhcas[k]));
    }
    for (size_t i = 0; i < all->group_count; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(groups, item);
        cJSON_AddNumberToObject(item, "id", all->groups[i].id);
        cJSON_AddNumberToObject(item, "partition", all->groups[i].partition);
        dpk_json_text(item, "name", all->groups[i].name);
        list_units(&all->groups[i].units, units);
        cJSON_AddStringToObject(item, "units", units);
    }
}
