/* Execution units: which there are, and who occupies them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proc/engine.h"

static struct engine *const engine = &the_engine;

unsigned dpk_eu_count(void)
{
    engine_lock();
    unsigned count = engine->eu_count;
    engine_unlock();
    return count;
}

/* ---- Configuration -------------------------------------------------------------------------- */

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
    engine->eu_first = first;
    engine->eu_count = last - first + 1;
    return true;
}

/* "ID=FIRST-LAST[,...]". */
static bool read_groups(const char *text)
{
    do {
        struct eu_group g;
        if (engine->eu_group_count == DPK_EUS_MAX || !read_number(&text, 999999999, &g.id) ||
            *text++ != '=' || !read_range(&text, engine->eu_count - 1, &g.first, &g.last))
            return false;
        engine->eu_groups[engine->eu_group_count++] = g;
    } while (*text == ',' && text++);
    return *text == '\0';
}

enum dpk_status eu_configure(struct dpk_error *err)
{
    const char *units = getenv("DPAKIT_EUS"), *groups = getenv("DPAKIT_EU_GROUPS");
    engine->eu_first = 0;
    engine->eu_count = DPK_EUS_MAX;
    engine->eu_group_count = 0;
    if (units && *units && !read_units(units))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_EUS=%s is neither a number from 1 to %d nor a range within 0-%d",
                        units, DPK_EUS_MAX, DPK_EUS_MAX - 1);
    if (groups && *groups && !read_groups(groups))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "DPAKIT_EU_GROUPS=%s is not a list of ID=FIRST-LAST within 0-%u", groups,
                        engine->eu_count - 1);
    engine->eus_free = engine->eu_count;
    return DPK_OK;
}

/* ---- Occupation ----------------------------------------------------------------------------- */

/* The units that an affinity allows, [*first, *end). False: there are none. */
static bool allowed(const struct dpk_affinity *affinity, unsigned *first, unsigned *end)
{
    *first = 0;
    *end = engine->eu_count;
    if (affinity->kind == DPK_AFFINITY_NONE)
        return true;
    if (affinity->kind == DPK_AFFINITY_STRICT) {
        *first = affinity->id;
        *end = affinity->id + 1;
        return affinity->id < engine->eu_count;
    }
    for (unsigned i = 0; i < engine->eu_group_count; i++) {
        *first = engine->eu_groups[i].first;
        *end = engine->eu_groups[i].last + 1;
        if (engine->eu_groups[i].id == affinity->id)
            return true;
    }
    return false;
}

bool dpk_eu_exists(const struct dpk_affinity *affinity)
{
    unsigned first, end;
    return allowed(affinity, &first, &end);
}

unsigned eus_free(void)
{
    return engine->eus_free;
}

/* From the highest number down: threads that want one of their own mostly begin with the low ones.
 */
bool eu_take(struct thread *t, const struct dpk_affinity *affinity)
{
    unsigned first, eu;
    if (engine->eus_free == 0 || !allowed(affinity, &first, &eu))
        return false;
    while (eu-- > first) {
        if (engine->eus[eu])
            continue;
        engine->eus[eu] = t;
        engine->eus_free--;
        t->eu = eu;
        return true;
    }
    return false;
}

void eu_wait(struct thread *t)
{
    if (eu_take(t, &t->object->options.affinity)) {
        engine_enqueue(t);
    } else {
        t->state = THREAD_WAITING;
        list_append(&engine->no_eu, &t->queued);
    }
}

void eu_give(struct thread *t)
{
    if (t->eu == NO_EU)
        return;
    engine->eus[t->eu] = NULL;
    engine->eus_free++;
    t->eu = NO_EU;
    for (struct list *n = engine->no_eu.next; n != &engine->no_eu; n = n->next) {
        struct thread *next = owner_of(n, struct thread, queued);
        if (!eu_take(next, &next->object->options.affinity))
            continue;
        list_remove(n);
        engine_enqueue(next);
        return;
    }
}
