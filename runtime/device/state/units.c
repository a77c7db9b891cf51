/* Execution units: partitions and groups of a card.
 *
 * The table "meta" has them as text, with a line for each: "partition ID GROUPS VHCAS UNITS" or
 * "group ID PARTITION UNITS NAME". */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define TEXT_MAX 65536

/* ---- From text ---- */

/* Reads the next word of a line, a number from 0 to `most`. */
static bool next_number(char **line, unsigned most, unsigned *out)
{
    const char *word = strsep(line, " ");
    uint64_t n;
    if (!word || !dpk_number(word, 0, most, &n))
        return false;
    *out = (unsigned)n;
    return true;
}

static bool next_units(char **line, struct dpk_units *out)
{
    const char *word = strsep(line, " ");
    return word && dpk_units_parse(word, out);
}

static bool next_vhcas(char **line, struct dpk_partition *p)
{
    char *list = strsep(line, " ");
    for (char *word; list && (word = strsep(&list, ","));) {
        unsigned n;
        if (p->vhca_count == DPK_PARTITION_VHCAS_MAX || !next_number(&word, UINT16_MAX, &n))
            return false;
        p->vhcas[p->vhca_count++] = (uint16_t)n;
    }
    return p->vhca_count > 0;
}

static bool read_partition(char *line, struct dpk_partitions *out)
{
    struct dpk_partition p = {0};
    return out->count < DPK_PARTITIONS_MAX && next_number(&line, DPK_PARTITIONS_MAX, &p.id) &&
           next_number(&line, DPK_EU_GROUPS_MAX, &p.groups_max) && next_vhcas(&line, &p) &&
           next_units(&line, &p.units) && !line && (out->partitions[out->count++] = p, true);
}

static bool read_group(char *line, struct dpk_partitions *out)
{
    struct dpk_eu_group g = {0};
    if (out->group_count == DPK_EU_GROUPS_MAX || !next_number(&line, DPK_EU_GROUPS_MAX, &g.id) ||
        !next_number(&line, DPK_PARTITIONS_MAX, &g.partition) || !next_units(&line, &g.units) ||
        !line || strlen(line) >= sizeof g.name)
        return false;
    snprintf(g.name, sizeof g.name, "%s", line);
    dpk_text_clean(g.name);
    out->groups[out->group_count++] = g;
    return true;
}

static bool read_line(char *line, struct dpk_partitions *out)
{
    const char *kind = strsep(&line, " ");
    if (!line)
        return false;
    return strcmp(kind, "partition") == 0 ? read_partition(line, out)
                                          : strcmp(kind, "group") == 0 && read_group(line, out);
}

enum dpk_status dpk_partitions_read(sqlite3 *db, struct dpk_partitions *out, struct dpk_error *err)
{
    bool found = false, good = true;
    char *text = calloc(1, TEXT_MAX);
    *out = (struct dpk_partitions){0};
    if (!text)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_db_find_meta(db, DPK_PARTITIONS_KEY, text, TEXT_MAX, &found, err);
    char *rest = text;
    for (char *line; status == DPK_OK && good && (line = strsep(&rest, "\n"));)
        good = *line == 0 || read_line(line, out);
    free(text);
    if (status == DPK_OK && !good)
        status = dpk_db_damaged(db, err, "partitions of execution units");
    return status;
}

/* ---- To text ---- */

enum dpk_status dpk_partitions_write(sqlite3 *db, const struct dpk_partitions *p,
                                     struct dpk_error *err)
{
    struct dpk_buf b = {0};
    if (p->count == 0 && p->group_count == 0) /* empty, as on a new device */
        return dpk_db_exec(db, "DELETE FROM meta WHERE key = '" DPK_PARTITIONS_KEY "'", err);
    for (size_t i = 0; i < p->count; i++) {
        const struct dpk_partition *one = &p->partitions[i];
        dpk_put_format(&b, "partition %u %u ", one->id, one->groups_max);
        for (size_t k = 0; k < one->vhca_count; k++)
            dpk_put_format(&b, k ? ",%u" : "%u", one->vhcas[k]);
        dpk_put_format(&b, " ");
        dpk_units_put(&b, &one->units, true);
        dpk_put_format(&b, "\n");
    }
    for (size_t i = 0; i < p->group_count; i++) {
        dpk_put_format(&b, "group %u %u ", p->groups[i].id, p->groups[i].partition);
        dpk_units_put(&b, &p->groups[i].units, true);
        dpk_put_format(&b, " %s\n", p->groups[i].name);
    }
    dpk_put_u8(&b, 0);
    enum dpk_status status =
        b.failed ? dpk_fail_nomem(err)
                 : dpk_db_put_meta(db, DPK_PARTITIONS_KEY, (const char *)b.data, err);
    dpk_buf_free(&b);
    return status;
}

/* ---- Units of a device ---- */

enum dpk_status dpk_device_partitions(struct dpk_device *dev, struct dpk_partitions *out,
                                      struct dpk_error *err)
{
    return dpk_partitions_read(dev->db, out, err);
}

static bool is_of(const struct dpk_partition *p, unsigned vhca)
{
    for (size_t i = 0; i < p->vhca_count; i++)
        if (p->vhcas[i] == vhca)
            return true;
    return false;
}

void dpk_device_units_of(const struct dpk_device *dev, unsigned vhca,
                         const struct dpk_partitions *all, struct dpk_device_units *out)
{
    *out = (struct dpk_device_units){.vhca = vhca};
    if (dpk_device_manages(dev)) {
        out->any = true;
        dpk_units_add_range(&out->units, 0, DPK_UNITS_MAX - 1);
        for (size_t i = 0; i < all->count; i++)
            dpk_units_subtract(&out->units, &all->partitions[i].units);
        return;
    }
    for (size_t i = 0; i < all->count; i++)
        if (is_of(&all->partitions[i], vhca))
            *out = (struct dpk_device_units){.vhca = vhca,
                                             .any = true,
                                             .partition = all->partitions[i].id,
                                             .units = all->partitions[i].units,
                                             .renumbered = true};
}
