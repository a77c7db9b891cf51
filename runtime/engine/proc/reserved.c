/* Execution units that the card's own threads occupy. The emulator has no code for these
 * threads. */
#include <stdlib.h>

#include "engine/proc/hart.h"
#include "engine/proc/launch.h"
#include "engine/proc/reserved.h"

struct dpk_reserved {
    unsigned count;
    struct hart *harts[];
};

/* Call this with the lock. */
static void vacate(struct hart *h)
{
    sched_hart_vacate(&h->sched);
    h->reserved = false;
}

static void vacate_all(struct dpk_reserved *r)
{
    while (r->count > 0)
        vacate(r->harts[--r->count]);
    proc_launches_admit();
}

/* Call this with the lock. */
static enum dpk_status take_unit(struct dpk_process *p, struct dpk_reserved *r,
                                 struct dpk_error *err)
{
    struct hart *h = proc_hart_take(p);
    if (!h)
        return dpk_fail_nomem(err);
    if (!sched_hart_occupy(&h->sched, &p->units.ungrouped))
        return dpk_fail(err, DPK_ERR_NOMEM, "only %u execution units are free", r->count);
    h->reserved = true;
    r->harts[r->count++] = h;
    return DPK_OK;
}

enum dpk_status dpk_units_reserve(struct dpk_process *p, unsigned count, struct dpk_reserved **out,
                                  struct dpk_error *err)
{
    struct dpk_reserved *r = calloc(1, sizeof *r + count * sizeof r->harts[0]);
    *out = NULL;
    if (!r)
        return dpk_fail_nomem(err);
    sched_lock();
    enum dpk_status status = proc_process_state(p, err);
    while (status == DPK_OK && r->count < count)
        status = take_unit(p, r, err);
    if (status != DPK_OK)
        vacate_all(r);
    sched_unlock();
    if (status == DPK_OK)
        *out = r;
    else
        free(r);
    return status;
}

void dpk_reserved_return(struct dpk_reserved *r, bool lives)
{
    if (!r)
        return;
    sched_lock();
    if (lives)
        vacate_all(r);
    sched_unlock();
    free(r);
}

void proc_reserved_leave(struct dpk_process *p)
{
    sched_lock();
    for (unsigned i = 0; i < HARTS_MAX; i++)
        if (p->harts[i] && p->harts[i]->reserved)
            vacate(p->harts[i]);
    proc_launches_admit();
    sched_unlock();
}
