/* Pools of execution units. */
#include "engine/sched/hart.h"
#include "engine/sched/units.h"

static void retry(struct sched_timer *t)
{
    struct sched_pool *pool = owner_of(t, struct sched_pool, timer);
    struct sched_hart *next;
    pool->sharing->retry(pool);
    while ((next = sched_unit_next(pool)))
        sched_hart_ready(next, HART_NEW);
    if (!list_empty(&pool->line))
        sched_pool_await(pool);
}

void sched_pool_init(struct sched_pool *pool, const struct sched_sharing *sharing)
{
    *pool = (struct sched_pool){.sharing = sharing};
    list_init(&pool->line);
    sched_timer_init(&pool->timer, retry);
}

void sched_pool_end(struct sched_pool *pool)
{
    sched_timer_stop(&pool->timer);
}
