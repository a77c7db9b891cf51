/* dpa-resource-mgmt show. */
#include "resources.h"

#include "device/running/running.h"
#include "engine/proc/proc.h"

#define UNITS_PER_CORE 16

enum { CHIP = 1, VHCA, RESOURCES };

static void put_chip(struct dpk_buf *b)
{
    dpk_put_format(b,
                   "num_cores: %d\neu_num: %d\nmax_threads_per_process: %d\nmax_processes: %d\n"
                   "max_partitions: %d\nmax_eu_groups: %d\n",
                   DPK_UNITS_MAX / UNITS_PER_CORE, UNITS_PER_CORE, DPK_THREADS_OF_PROCESS,
                   DPK_LIVE_PROCESSES, DPK_PARTITIONS_MAX, DPK_EU_GROUPS_MAX);
}

static void put_vhca(struct dpk_buf *b, unsigned id, const char *side, bool yaml)
{
    dpk_put_format(b, yaml ? "  - {vhca_id: %u, side: %s}\n" : "vhca_id: %u side: %s\n", id, side);
}

static enum dpk_status put_vhcas(struct dpk_buf *b, struct dpk_device *dev, bool yaml,
                                 struct dpk_error *err)
{
    struct dpk_device_info info;
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status != DPK_OK)
        return status;
    if (yaml)
        dpk_put_format(b, "vhcas:\n");
    if (!info.pair) {
        put_vhca(b, dpk_device_vhca(dev), "host", yaml);
        return DPK_OK;
    }
    put_vhca(b, dpk_vhca_id(&info, DPK_SIDE_HOST), "host", yaml);
    put_vhca(b, dpk_vhca_id(&info, DPK_SIDE_DPU), "dpu", yaml);
    return DPK_OK;
}

/* ---- Resources ---- */

/* Returns a group's units as the functions of its partition number them. */
static struct dpk_units seen_units(const struct dpk_partitions *all, const struct dpk_eu_group *g)
{
    struct dpk_device_units view = {.renumbered = false};
    for (size_t i = 0; i < all->count; i++)
        if (all->partitions[i].id == g->partition)
            view = (struct dpk_device_units){.units = all->partitions[i].units, .renumbered = true};
    return dpk_group_units(&view, g);
}

/* Appends a quoted name, which contains only printable characters. */
static void put_quoted(struct dpk_buf *b, const char *name)
{
    dpk_put_u8(b, '"');
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            dpk_put_u8(b, '\\');
        dpk_put_u8(b, (uint8_t)*name);
    }
    dpk_put_u8(b, '"');
}

static void put_groups(struct dpk_buf *b, const struct dpk_partitions *all, unsigned partition,
                       bool yaml)
{
    const char *head = "    eu_groups:\n";
    for (size_t i = 0; i < all->group_count; i++) {
        const struct dpk_eu_group *g = &all->groups[i];
        const struct dpk_units units = seen_units(all, g);
        if (g->partition != partition)
            continue;
        if (yaml)
            dpk_put_format(b, "%s      - {name: ", head);
        else
            dpk_put_format(b, "    EU group %u ", g->id);
        put_quoted(b, g->name);
        dpk_put_format(b, yaml ? ", range: \"" : ": EUs ");
        dpk_units_put(b, &units, true);
        dpk_put_format(b, yaml ? "\"}\n" : "\n");
        head = "";
    }
}

static bool has_default_groups(const struct dpk_partitions *all)
{
    for (size_t i = 0; i < all->group_count; i++)
        if (all->groups[i].partition == DPK_PARTITION_DEFAULT)
            return true;
    return false;
}

static void put_partition(struct dpk_buf *b, const struct dpk_partition *p, bool yaml)
{
    dpk_put_format(b, yaml ? "  - name: partition_%u\n    vhca_list: \"" : "Partition %u: vHCAs ",
                   p->id);
    for (size_t i = 0; i < p->vhca_count; i++)
        dpk_put_format(b, i ? ",%u" : "%u", p->vhcas[i]);
    dpk_put_format(b, yaml ? "\"\n    range_eus: \"" : ", EUs ");
    dpk_units_put(b, &p->units, true);
    dpk_put_format(b, yaml ? "\"\n    max_num_eu_group: %u\n" : ", room for %u EU groups\n",
                   p->groups_max);
}

/* Prints the resources in the format that `apply` reads. */
static enum dpk_status put_resources(struct dpk_buf *b, struct dpk_device *dev, bool yaml,
                                     struct dpk_error *err)
{
    struct dpk_partitions all;
    enum dpk_status status = dpk_device_partitions(dev, &all, err);
    if (status != DPK_OK)
        return status;
    const bool rest = has_default_groups(&all);
    if (yaml)
        dpk_put_format(b, all.count || rest ? "partitions:\n" : "partitions: []\n");
    for (size_t i = 0; i < all.count; i++) {
        put_partition(b, &all.partitions[i], yaml);
        put_groups(b, &all, all.partitions[i].id, yaml);
    }
    if (rest || !yaml)
        dpk_put_format(b, yaml ? "  - name: default\n" : "Default partition\n");
    put_groups(b, &all, DPK_PARTITION_DEFAULT, yaml);
    return DPK_OK;
}

enum dpk_status resource_mgmt_show(const struct resource_options *o, struct dpk_device *dev,
                                   struct dpk_error *err)
{
    struct dpk_buf b = {0};
    enum dpk_status status = DPK_OK;
    if (o->type == CHIP)
        put_chip(&b);
    else
        status = o->type == VHCA ? put_vhcas(&b, dev, o->yaml, err)
                                 : put_resources(&b, dev, o->yaml, err);
    if (status == DPK_OK && b.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && o->file)
        status = dpk_file_replace(o->file, b.data, b.size, 0644, err);
    else if (status == DPK_OK)
        printf("%.*s", (int)b.size, (const char *)b.data);
    if (status == DPK_OK && o->verbose) {
        static const char *const same[] = {"info chip", "info vhca", "partition query"};
        fprintf(stderr, "dpaeumgmt %s -d %s\n", same[o->type - 1], o->device);
    }
    dpk_buf_free(&b);
    return status;
}
