#include "engine/proc/place.h"

#include <stdlib.h>
#include <string.h>

#include "engine/proc/affinity.h"
#include "engine/proc/launch.h"
#include "engine/proc/memory.h"

_Static_assert(HARTS_MAX <= DPK_LIVE_THREADS, "every hart has a row");

/* A card, or the place without a card (""). It exists as long as a process of this program is
 * there. */
struct device_share {
    struct list in_places;
    char directory[PATH_MAX];
    struct sched_pool pool;
    struct list processes; /* those seen by other programs, linked by in_place */
    unsigned users;
};

static struct list places = {&places, &places};

static struct device_share *place_of(const struct sched_pool *pool)
{
    return owner_of((struct sched_pool *)pool, struct device_share, pool);
}

/* ---- Sharing units with other programs ---- */

/* Reports to observers that a hart has got a unit, or leaves it. */
static void trace(const struct sched_hart *sched, unsigned unit, bool in)
{
    const struct hart *h = hart_of((struct sched_hart *)sched);
    if (dpk_live_traces(h->process->live))
        dpk_live_trace(h->process->live, h->id, unit, in, h->regs.instret);
}

static bool claim(const struct sched_hart *h, unsigned unit)
{
    const struct dpk_process *p = process_of(h->group);
    if (p->live && !dpk_live_claim(p->live, unit))
        return false;
    trace(h, unit, true);
    return true;
}

static void give(const struct sched_hart *h, unsigned unit)
{
    const struct dpk_process *p = process_of(h->group);
    if (!p->live)
        return;
    trace(h, unit, false);
    dpk_live_give(p->live, unit);
}

/* Finds free units. Any process of this program sees the units of other programs. */
static struct dpk_units look(const struct sched_pool *pool, bool sweep)
{
    struct device_share *place = place_of(pool);
    struct dpk_units all = {0};
    dpk_units_add_range(&all, 0, DPK_UNITS_MAX - 1);
    if (list_empty(&place->processes))
        return all;
    struct dpk_process *p = owner_of(place->processes.next, struct dpk_process, in_place);
    struct dpk_units out = dpk_live_free(p->live, sweep);
    for (unsigned i = 0; i < DPK_UNITS_MAX / 64; i++)
        out.bits[i] |= pool->taken.bits[i]; /* units of this program's harts */
    return out;
}

static struct dpk_units free_units(const struct sched_pool *pool)
{
    return look(pool, false);
}

static void retry(struct sched_pool *pool)
{
    (void)look(pool, true);
    proc_launches_admit();
}

static const struct sched_sharing sharing = {
    .claim = claim, .give = give, .free = free_units, .retry = retry};

/* ---- Places ---- */

/* Call this with the lock. */
static struct device_share *take_place(const char *directory)
{
    for (struct list *n = places.next; n != &places; n = n->next) {
        struct device_share *place = owner_of(n, struct device_share, in_places);
        if (strcmp(place->directory, directory) == 0) {
            place->users++;
            return place;
        }
    }
    struct device_share *place = calloc(1, sizeof *place);
    if (!place)
        return NULL;
    snprintf(place->directory, sizeof place->directory, "%s", directory);
    sched_pool_init(&place->pool, *directory ? &sharing : NULL);
    list_init(&place->processes);
    list_append(&places, &place->in_places);
    place->users = 1;
    return place;
}

static enum dpk_status settle(struct dpk_process *p, const char *directory, struct dpk_error *err)
{
    sched_lock();
    p->place = take_place(directory);
    if (p->place) {
        p->group.pool = &p->place->pool;
        if (p->live)
            list_append(&p->place->processes, &p->in_place);
    }
    sched_unlock();
    return p->place ? DPK_OK : dpk_fail_nomem(err);
}

/* A process that cannot use the folder, for example of a read-only device, runs by itself. */
static enum dpk_status enter_card(struct dpk_process *p, const char *directory, unsigned vhca,
                                  void (*warn)(const char *text), struct dpk_error *err)
{
    struct dpk_error why = {0};
    char text[sizeof why.message + 80];
    const struct dpk_live_program me = {.name = dpk_image_app(p->image), .vhca = vhca};
    enum dpk_status status = dpk_live_enter(directory, &me, &p->live, &why);
    if (status == DPK_OK)
        return DPK_OK;
    if (status == DPK_ERR_NOMEM)
        return dpk_fail(err, status, "%s", why.message);
    snprintf(text, sizeof text, "other programs do not see this one on the card: %s", why.message);
    if (warn)
        warn(text);
    return DPK_OK;
}

static enum dpk_status ask_device(struct dpk_process *p, struct dpk_error *err)
{
    struct dpk_device_units units;
    struct dpk_partitions all;
    enum dpk_status status = dpk_image_units(p->image, &units, &all, err);
    if (status != DPK_OK)
        return status;
    if (!units.any)
        return dpk_fail(
            err, DPK_ERR_MISMATCH,
            "%s has no partition of execution units, which function %u of the card "
            "needs: DPAKIT_SIDE=dpu dpaeumgmt partition create -d %s -v %u -r 0-15 -m 1",
            dpk_image_device(p->image), units.vhca, dpk_image_device(p->image), units.vhca);
    proc_units_fill(p, &units, &all);
    return DPK_OK;
}

enum dpk_status proc_place_enter(struct dpk_process *p, void (*warn)(const char *text),
                                 struct dpk_error *err)
{
    unsigned vhca;
    const char *directory = dpk_image_card(p->image, &vhca);
    enum dpk_status status = directory ? enter_card(p, directory, vhca, warn, err) : DPK_OK;
    if (status == DPK_OK && directory && !proc_units_are_given())
        status = ask_device(p, err);
    else
        proc_units_fill(p, NULL, NULL);
    dpk_live_entered(p->live);
    return status == DPK_OK ? settle(p, directory ? directory : "", err) : status;
}

void proc_place_leave(struct dpk_process *p)
{
    struct device_share *place = p->place;
    sched_lock();
    list_remove(&p->in_place);
    if (place && --place->users == 0) {
        sched_pool_end(&place->pool);
        list_remove(&place->in_places);
        free(place);
    }
    sched_unlock();
    dpk_live_leave(p->live);
    p->live = NULL;
    p->place = NULL;
}

void proc_place_forked(struct dpk_process *p)
{
    proc_memory_not_in_flight(p);
    dpk_live_forked(p->live);
}
