#include "engine/proc/affinity.h"

#include <stdlib.h>
#include <string.h>

/* The settings of the environment for a run. */
static struct {
    bool given; /* DPAKIT_EUS */
    unsigned first, count;
    unsigned group_count; /* DPAKIT_EU_GROUPS */
    struct group {
        uint32_t id;
        unsigned first, last;
    } groups[DPK_EUS_MAX];
} wanted;

/* ---- The environment ---- */

/* Reads a decimal number up to `max` at *text, and moves *text after it. */
static bool read_number(const char **text, unsigned max, unsigned *value)
{
    uint64_t n;
    if (!dpk_take_number(text, max, &n))
        return false;
    *value = (unsigned)n;
    return true;
}

/* Reads "FIRST-LAST". */
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
    wanted.given = true;
    wanted.first = first;
    wanted.count = last - first + 1;
    return true;
}

/* Reads "ID=FIRST-LAST[,...]". */
static bool read_groups(const char *text)
{
    do {
        struct group g;
        if (wanted.group_count == DPK_EUS_MAX || !read_number(&text, 999999999, &g.id) ||
            *text++ != '=' || !read_range(&text, wanted.count - 1, &g.first, &g.last))
            return false;
        wanted.groups[wanted.group_count++] = g;
    } while (*text == ',' && text++);
    return *text == '\0';
}

enum dpk_status proc_units_read(struct dpk_error *err)
{
    const char *list = getenv("DPAKIT_EUS"), *groups = getenv("DPAKIT_EU_GROUPS");
    wanted.given = false;
    wanted.first = 0;
    wanted.count = DPK_EUS_MAX;
    wanted.group_count = 0;
    if (list && *list && !read_units(list))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_EUS=%s is neither a number from 1 to %d nor a range within 0-%d",
                        list, DPK_EUS_MAX, DPK_EUS_MAX - 1);
    if (groups && *groups && !read_groups(groups))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_EU_GROUPS=%s is not a list of ID=FIRST-LAST within 0-%u", groups,
                        wanted.count - 1);
    return DPK_OK;
}

bool proc_units_are_given(void)
{
    return wanted.given;
}

/* ---- The units of a process ---- */

/* Returns the card's unit for a number of the program, or DPK_UNITS_MAX. */
static unsigned real_unit(const struct process_units *u, unsigned number)
{
    if (u->renumbered)
        return dpk_units_member(&u->all, number);
    return dpk_units_have(&u->all, number) ? number : DPK_UNITS_MAX;
}

static void fill_wanted_groups(struct process_units *u)
{
    for (unsigned i = 0; i < wanted.group_count; i++) {
        struct process_group *g = &u->groups[u->group_count++];
        g->id = wanted.groups[i].id;
        for (unsigned n = wanted.groups[i].first; n <= wanted.groups[i].last; n++) {
            const unsigned real = real_unit(u, n);
            if (real < DPK_UNITS_MAX)
                dpk_units_add(&g->units, real);
        }
    }
}

static void fill_device_groups(struct process_units *u, unsigned partition,
                               const struct dpk_partitions *all)
{
    for (size_t i = 0; i < all->group_count; i++)
        if (all->groups[i].partition == partition)
            u->groups[u->group_count++] =
                (struct process_group){all->groups[i].id, all->groups[i].units};
}

void proc_units_fill(struct dpk_process *p, const struct dpk_device_units *device,
                     const struct dpk_partitions *all)
{
    struct process_units *u = &p->units;
    *u = (struct process_units){0};
    if (device && !wanted.given) {
        u->all = device->units;
        u->renumbered = device->renumbered;
    } else {
        dpk_units_add_range(&u->all, wanted.first, wanted.first + wanted.count - 1);
        u->renumbered = true;
    }
    if (wanted.group_count || wanted.given || !device)
        fill_wanted_groups(u);
    else
        fill_device_groups(u, device->partition, all);
    u->ungrouped = u->all;
    for (unsigned i = 0; i < u->group_count; i++)
        dpk_units_subtract(&u->ungrouped, &u->groups[i].units);
}

unsigned dpk_eu_count(const struct dpk_process *p)
{
    return dpk_units_count(&p->units.all);
}

/* ---- Affinities ---- */

struct dpk_units proc_units_of(const struct dpk_process *p, const struct dpk_affinity *affinity)
{
    const struct process_units *u = &p->units;
    struct dpk_units one = {0};
    if (affinity->kind == DPK_AFFINITY_NONE)
        return u->ungrouped;
    if (affinity->kind == DPK_AFFINITY_STRICT) {
        const unsigned real = real_unit(u, affinity->id);
        if (real < DPK_UNITS_MAX)
            dpk_units_add(&one, real);
        return one;
    }
    for (unsigned i = 0; i < u->group_count; i++)
        if (u->groups[i].id == affinity->id)
            return u->groups[i].units;
    return one;
}

bool dpk_eu_exists(const struct dpk_process *p, const struct dpk_affinity *affinity)
{
    const struct dpk_units allowed = proc_units_of(p, affinity);
    return !dpk_units_none(&allowed);
}

uint64_t proc_unit_of(const struct hart *h)
{
    const struct process_units *u = &h->process->units;
    const unsigned unit = h->sched.unit;
    if (unit == SCHED_NO_UNIT)
        return UINT64_MAX;
    return u->renumbered ? dpk_units_rank(&u->all, unit) : unit;
}
