/* Changes of partitions and groups of execution units. */
#include <stdlib.h>
#include <string.h>

#include "device/running/running.h"
#include "private.h"

/* ---- Changes ---- */

static enum dpk_status begin(struct dpk_units_change *c, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_begin(c->dev->db, err);
    if (status != DPK_OK)
        return status;
    status = dpk_partitions_read(c->dev->db, &c->all, err);
    if (status != DPK_OK)
        return dpk_db_end(c->dev->db, status, err);
    dpk_device_units_of(c->dev, dpk_device_vhca(c->dev), &c->all, &c->mine);
    return DPK_OK;
}

enum dpk_status dpk_units_begin(struct dpk_device *dev, struct dpk_units_change *c,
                                struct dpk_error *err)
{
    char directory[PATH_MAX];
    size_t live = 0;
    struct dpk_live_pause pause = {.fd = -1};
    *c = (struct dpk_units_change){.dev = dev};
    enum dpk_status status = dpk_device_card_directory(dev, directory, err);
    if (status == DPK_OK)
        status = dpk_live_still(directory, &pause, &live, err);
    if (status == DPK_OK && live > 0)
        status = dpk_fail(err, DPK_ERR_REFUSED,
                          "%zu DPA process%s on the card; units change only while there is none",
                          live, live == 1 ? " runs" : "es run");
    if (status == DPK_OK)
        status = begin(c, err);
    if (status != DPK_OK)
        dpk_live_moves(&pause);
    c->pause = pause.fd;
    return status;
}

enum dpk_status dpk_units_end(struct dpk_units_change *c, enum dpk_status status,
                              const char *detail, struct dpk_error *err)
{
    struct dpk_live_pause pause = {.fd = c->pause};
    if (status == DPK_OK)
        status = dpk_partitions_write(c->dev->db, &c->all, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(c->dev->db, "units", "OK", detail, err);
    status = dpk_db_end(c->dev->db, status, err);
    dpk_live_moves(&pause);
    return status;
}

enum dpk_status dpk_units_turn_to(struct dpk_units_change *c, unsigned partition,
                                  struct dpk_error *err)
{
    if (partition == DPK_PARTITION_DEFAULT) {
        dpk_device_units_of(c->dev, c->mine.vhca, &c->all, &c->mine);
        return DPK_OK;
    }
    for (size_t i = 0; i < c->all.count; i++) {
        if (c->all.partitions[i].id != partition)
            continue;
        c->mine = (struct dpk_device_units){.vhca = c->mine.vhca,
                                            .any = true,
                                            .partition = partition,
                                            .units = c->all.partitions[i].units,
                                            .renumbered = true};
        return DPK_OK;
    }
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no partition %u", partition);
}

/* ---- Partitions ---- */

static enum dpk_status check_manager(const struct dpk_units_change *c, struct dpk_error *err)
{
    return dpk_device_manages(c->dev)
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_REFUSED,
                          "%s does not manage the partitions of its card; its function on the "
                          "DPU's side does",
                          dpk_device_name(c->dev));
}

/* A card has room for the groups that partitions reserve and the groups of the default
 * partition. */
static unsigned groups_reserved(const struct dpk_partitions *all)
{
    unsigned count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->partitions[i].groups_max;
    for (size_t i = 0; i < all->group_count; i++)
        count += all->groups[i].partition == DPK_PARTITION_DEFAULT;
    return count;
}

/* A card with two sides has exactly two functions. For a lone device, any vHCA is accepted. */
static enum dpk_status check_exists(const struct dpk_units_change *c, unsigned vhca,
                                    struct dpk_error *err)
{
    struct dpk_device_info info;
    enum dpk_status status = dpk_device_info(c->dev, &info, err);
    if (status != DPK_OK || !info.pair)
        return status;
    const unsigned host = dpk_vhca_id(&info, DPK_SIDE_HOST), dpu = dpk_vhca_id(&info, DPK_SIDE_DPU);
    if (vhca == host || vhca == dpu)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_NOT_FOUND,
                    "the card has no vHCA %u; it has %u and %u (dpaeumgmt info vhca -d %s)", vhca,
                    host, dpu, dpk_device_name(c->dev));
}

static enum dpk_status check_vhcas(const struct dpk_units_change *c, const struct dpk_partition *p,
                                   struct dpk_error *err)
{
    if (p->vhca_count == 0)
        return dpk_fail(err, DPK_ERR_RANGE, "a partition needs a vHCA");
    for (size_t i = 0; i < p->vhca_count; i++) {
        if (p->vhcas[i] == c->mine.vhca)
            return dpk_fail(err, DPK_ERR_REFUSED,
                            "vHCA %u manages the partitions, and has the default partition",
                            p->vhcas[i]);
        enum dpk_status status = check_exists(c, p->vhcas[i], err);
        if (status != DPK_OK)
            return status;
        for (size_t k = 0; k < c->all.count; k++)
            for (size_t n = 0; n < c->all.partitions[k].vhca_count; n++)
                if (c->all.partitions[k].vhcas[n] == p->vhcas[i])
                    return dpk_fail(err, DPK_ERR_REFUSED, "vHCA %u is in partition %u already",
                                    p->vhcas[i], c->all.partitions[k].id);
    }
    return DPK_OK;
}

static enum dpk_status check_units(const struct dpk_units_change *c, const struct dpk_units *units,
                                   struct dpk_error *err)
{
    if (dpk_units_none(units))
        return dpk_fail(err, DPK_ERR_RANGE, "a partition needs an execution unit");
    for (size_t i = 0; i < c->all.count; i++)
        if (dpk_units_meet(units, &c->all.partitions[i].units))
            return dpk_fail(err, DPK_ERR_REFUSED, "units of them are in partition %u already",
                            c->all.partitions[i].id);
    for (size_t i = 0; i < c->all.group_count; i++)
        if (c->all.groups[i].partition == DPK_PARTITION_DEFAULT &&
            dpk_units_meet(units, &c->all.groups[i].units))
            return dpk_fail(err, DPK_ERR_REFUSED, "units of them are in EU group %u (%s)",
                            c->all.groups[i].id, c->all.groups[i].name);
    return DPK_OK;
}

enum dpk_status dpk_vhcas_parse(const char *text, struct dpk_partition *out, struct dpk_error *err)
{
    const char *at = text;
    do {
        char *end;
        if (*at < '0' || *at > '9')
            break;
        const unsigned long first = strtoul(at, &end, 0);
        unsigned long last = first;
        if (*end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoul(end + 1, &end, 0);
        if (last > UINT16_MAX || last < first)
            break;
        if (last - first >= DPK_PARTITION_VHCAS_MAX - out->vhca_count)
            return dpk_fail(err, DPK_ERR_USAGE, "more than %d vHCAs", DPK_PARTITION_VHCAS_MAX);
        for (unsigned long n = first; n <= last; n++)
            out->vhcas[out->vhca_count++] = (uint16_t)n;
        at = end;
        if (!*at)
            return DPK_OK;
    } while (*at++ == ',');
    return dpk_fail(err, DPK_ERR_USAGE, "'%.100s' is not a list of vHCAs like 1,2", text);
}

/* Finds the place of the lowest free number, starting with 1, among items sorted by id. */
#define FREE_NUMBER(items, count, at)                                                              \
    do                                                                                             \
        for ((at) = 0; (at) < (count) && (items)[at].id == (at) + 1; (at)++)                       \
            ;                                                                                      \
    while (0)

enum dpk_status dpk_partition_add(struct dpk_units_change *c, const struct dpk_partition *wanted,
                                  unsigned *id, struct dpk_error *err)
{
    struct dpk_partitions *all = &c->all;
    unsigned at;
    enum dpk_status status = check_manager(c, err);
    if (status == DPK_OK && all->count == DPK_PARTITIONS_MAX)
        status =
            dpk_fail(err, DPK_ERR_RANGE, "there are %d partitions already", DPK_PARTITIONS_MAX);
    if (status == DPK_OK)
        status = check_vhcas(c, wanted, err);
    if (status == DPK_OK)
        status = check_units(c, &wanted->units, err);
    if (status == DPK_OK && wanted->groups_max + groups_reserved(all) > DPK_EU_GROUPS_MAX)
        status = dpk_fail(err, DPK_ERR_RANGE, "room for %u EU groups, and %u of %d are left",
                          wanted->groups_max, DPK_EU_GROUPS_MAX - groups_reserved(all),
                          DPK_EU_GROUPS_MAX);
    if (status != DPK_OK)
        return status;
    FREE_NUMBER(all->partitions, all->count, at);
    memmove(&all->partitions[at + 1], &all->partitions[at],
            (all->count - at) * sizeof all->partitions[0]);
    all->partitions[at] = *wanted;
    all->partitions[at].id = *id = at + 1;
    all->count++;
    return DPK_OK;
}

/* Removes the groups of a partition. */
static void remove_groups(struct dpk_partitions *all, unsigned partition)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->group_count; i++)
        if (all->groups[i].partition != partition)
            all->groups[kept++] = all->groups[i];
    all->group_count = kept;
}

enum dpk_status dpk_partition_remove(struct dpk_units_change *c, unsigned id, struct dpk_error *err)
{
    struct dpk_partitions *all = &c->all;
    enum dpk_status status = check_manager(c, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < all->count; i++) {
        if (all->partitions[i].id != id)
            continue;
        memmove(&all->partitions[i], &all->partitions[i + 1],
                (--all->count - i) * sizeof all->partitions[0]);
        remove_groups(all, id);
        return DPK_OK;
    }
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no partition %u", id);
}

/* ---- Groups ---- */

/* Converts units to the card's numbers. Returns false if the function does not have one of them. */
static bool real_units(const struct dpk_device_units *mine, const struct dpk_units *seen,
                       struct dpk_units *out)
{
    *out = (struct dpk_units){0};
    for (unsigned n = 0; n < DPK_UNITS_MAX; n++) {
        if (!dpk_units_have(seen, n))
            continue;
        const unsigned real = mine->renumbered ? dpk_units_member(&mine->units, n) : n;
        if (!dpk_units_have(&mine->units, real))
            return false;
        dpk_units_add(out, real);
    }
    return !dpk_units_none(out);
}

struct dpk_units dpk_group_units(const struct dpk_device_units *mine,
                                 const struct dpk_eu_group *group)
{
    struct dpk_units out = {0};
    for (unsigned n = 0; n < DPK_UNITS_MAX; n++)
        if (dpk_units_have(&group->units, n))
            dpk_units_add(&out, mine->renumbered ? dpk_units_rank(&mine->units, n) : n);
    return out;
}

static enum dpk_status check_name(const struct dpk_units_change *c, const char *name,
                                  struct dpk_error *err)
{
    if (!*name || strlen(name) >= DPK_EU_GROUP_NAME)
        return dpk_fail(err, DPK_ERR_RANGE, "the name of an EU group has 1 to %d characters",
                        DPK_EU_GROUP_NAME - 1);
    for (const char *at = name; *at; at++)
        if (*at < ' ' || *at > '~')
            return dpk_fail(err, DPK_ERR_RANGE, "the name of an EU group is printable ASCII");
    for (size_t i = 0; i < c->all.group_count; i++)
        if (c->all.groups[i].partition == c->mine.partition &&
            strcmp(c->all.groups[i].name, name) == 0)
            return dpk_fail(err, DPK_ERR_EXISTS, "EU group %u has the name %s", c->all.groups[i].id,
                            name);
    return DPK_OK;
}

static enum dpk_status check_room(const struct dpk_units_change *c, struct dpk_error *err)
{
    unsigned count = 0, most = DPK_EU_GROUPS_MAX;
    for (size_t i = 0; i < c->all.group_count; i++)
        count += c->all.groups[i].partition == c->mine.partition;
    for (size_t i = 0; i < c->all.count; i++)
        if (c->all.partitions[i].id == c->mine.partition)
            most = c->all.partitions[i].groups_max;
    if (c->mine.partition == DPK_PARTITION_DEFAULT)
        count = groups_reserved(&c->all);
    return count < most
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_RANGE, "there is no room for more than %u EU groups", most);
}

enum dpk_status dpk_group_add(struct dpk_units_change *c, const char *name,
                              const struct dpk_units *units, unsigned *id, struct dpk_error *err)
{
    struct dpk_partitions *all = &c->all;
    struct dpk_eu_group group = {.partition = c->mine.partition};
    unsigned at;
    enum dpk_status status =
        c->mine.any
            ? check_name(c, name, err)
            : dpk_fail(err, DPK_ERR_REFUSED, "there is no partition for vHCA %u", c->mine.vhca);
    if (status == DPK_OK)
        status = check_room(c, err);
    if (status == DPK_OK && !real_units(&c->mine, units, &group.units))
        status = dpk_fail(err, DPK_ERR_RANGE,
                          "EU group %s: %s does not have all of these execution units", name,
                          dpk_device_name(c->dev));
    if (status != DPK_OK)
        return status;
    FREE_NUMBER(all->groups, all->group_count, at);
    memmove(&all->groups[at + 1], &all->groups[at], (all->group_count - at) * sizeof group);
    group.id = *id = at + 1;
    snprintf(group.name, sizeof group.name, "%s", name);
    all->groups[at] = group;
    all->group_count++;
    return DPK_OK;
}

enum dpk_status dpk_group_remove(struct dpk_units_change *c, unsigned id, struct dpk_error *err)
{
    struct dpk_partitions *all = &c->all;
    for (size_t i = 0; i < all->group_count; i++) {
        if (all->groups[i].id != id || all->groups[i].partition != c->mine.partition)
            continue;
        memmove(&all->groups[i], &all->groups[i + 1],
                (--all->group_count - i) * sizeof all->groups[0]);
        return DPK_OK;
    }
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no EU group %u in the partition", id);
}

void dpk_groups_clear(struct dpk_units_change *c)
{
    remove_groups(&c->all, c->mine.partition);
}
