/* Work that is deferred while other DPA threads are ready. */
#include <stdlib.h>

#include "engine/proc/proc.h"
#include "engine/sched/sched.h"

struct dpk_deferred {
    struct sched_deferred sched;
    void (*run)(void *context);
    void *context;
};

static void run(struct sched_deferred *sched)
{
    const struct dpk_deferred *d = owner_of(sched, struct dpk_deferred, sched);
    d->run(d->context);
}

struct dpk_deferred *dpk_deferred_new(void (*carry_out)(void *context), void *context)
{
    struct dpk_deferred *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    sched_deferred_init(&d->sched, run);
    d->run = carry_out;
    d->context = context;
    return d;
}

bool dpk_defer(struct dpk_deferred *d)
{
    return sched_defer(&d->sched);
}

void dpk_deferred_free(struct dpk_deferred *d)
{
    if (d)
        sched_deferred_cancel(&d->sched);
    free(d);
}
