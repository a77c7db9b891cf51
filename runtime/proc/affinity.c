#include "proc/affinity.h"

#include <stdlib.h>
#include <string.h>

static struct {
    unsigned count; /* 0: not read yet */
    struct group {
        uint32_t id;
        unsigned first, last;
    } groups[DPK_EUS_MAX];
    unsigned group_count;
} units;

unsigned units_count(void)
{
    return units.count;
}

unsigned dpk_eu_count(void)
{
    sched_lock();
    unsigned count = units.count;
    sched_unlock();
    return count;
}

/* ---- Configuration ---- */

/* A decimal number below DPK_EUS_MAX at *text, which moves behind it. */
static bool read_number(const char **text, unsigned max, unsigned *value)
{
    unsigned n = 0, digits = 0;
    for (; **text >= '0' && **text <= '9' && digits < 9; digits++)
        n = n * 10 + (unsigned)(*(*text)++ - '0');
    *value = n;
    return digits > 0 && n <= max;
}

/* "FIRST-LAST". */
static bool read_range(const char **text, unsigned max, unsigned *first, unsigned *last)
{
    return read_number(text, max, first) && *(*text)++ == '-' && read_number(text, max, last) &&
           *first <= *last;
}

static bool read_units(const char *text)
{
    const char *range = text;
    unsigned first = 0, last = 0;
    if (strchr(text, '-')) {
        if (!read_range(&range, DPK_EUS_MAX - 1, &first, &last) || *range)
            return false;
    } else if (!read_number(&range, DPK_EUS_MAX, &last) || *range || last-- == 0) {
        return false;
    }
    units.count = last - first + 1;
    return true;
}

/* "ID=FIRST-LAST[,...]". */
static bool read_groups(const char *text)
{
    do {
        struct group g;
        if (units.group_count == DPK_EUS_MAX || !read_number(&text, 999999999, &g.id) ||
            *text++ != '=' || !read_range(&text, units.count - 1, &g.first, &g.last))
            return false;
        units.groups[units.group_count++] = g;
    } while (*text == ',' && text++);
    return *text == '\0';
}

enum dpk_status units_read(struct dpk_error *err)
{
    const char *list = getenv("DPAKIT_EUS"), *groups = getenv("DPAKIT_EU_GROUPS");
    units.count = DPK_EUS_MAX;
    units.group_count = 0;
    if (list && *list && !read_units(list))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_EUS=%s is neither a number from 1 to %d nor a range within 0-%d",
                        list, DPK_EUS_MAX, DPK_EUS_MAX - 1);
    if (groups && *groups && !read_groups(groups))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_EU_GROUPS=%s is not a list of ID=FIRST-LAST within 0-%u", groups,
                        units.count - 1);
    return DPK_OK;
}

/* ---- Affinities ---- */

struct sched_units units_of(const struct dpk_affinity *affinity)
{
    if (affinity->kind == DPK_AFFINITY_NONE)
        return (struct sched_units){0, units.count};
    if (affinity->kind == DPK_AFFINITY_STRICT && affinity->id < units.count)
        return (struct sched_units){affinity->id, affinity->id + 1};
    for (unsigned i = 0; affinity->kind == DPK_AFFINITY_GROUP && i < units.group_count; i++)
        if (units.groups[i].id == affinity->id)
            return (struct sched_units){units.groups[i].first, units.groups[i].last + 1};
    return (struct sched_units){0};
}

bool dpk_eu_exists(const struct dpk_affinity *affinity)
{
    struct sched_units allowed = units_of(affinity);
    return allowed.first < allowed.end;
}
