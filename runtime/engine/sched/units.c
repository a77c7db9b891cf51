#include "engine/sched/units.h"

#define RETRY_NS 1000000u

/* Searches from the highest number down, because harts with an affinity mostly name low units. */
bool sched_unit_take(struct sched_hart *h)
{
    struct sched_pool *pool = h->group->pool;
    for (unsigned i = DPK_UNITS_MAX / 64; i-- > 0;) {
        uint64_t open = h->units.bits[i] & ~pool->taken.bits[i];
        while (open) {
            const unsigned bit = 63 - (unsigned)__builtin_clzll(open), unit = i * 64 + bit;
            open &= ~(UINT64_C(1) << bit);
            if (pool->sharing && !pool->sharing->claim(h, unit))
                continue;
            dpk_units_add(&pool->taken, unit);
            pool->occupied[unit] = h;
            h->unit = unit;
            return true;
        }
    }
    return false;
}

static bool others_have_some(const struct sched_pool *pool)
{
    const struct dpk_units unclaimed = pool->sharing->free(pool);
    return dpk_units_count(&unclaimed) < DPK_UNITS_MAX;
}

void sched_unit_await(struct sched_hart *h)
{
    struct sched_pool *pool = h->group->pool;
    h->state = HART_WAITS_UNIT;
    list_append(&pool->line, &h->queued);
    sched_pool_await(pool);
}

struct sched_hart *sched_unit_next(struct sched_pool *pool)
{
    for (struct list *n = pool->line.next; n != &pool->line; n = n->next) {
        struct sched_hart *next = owner_of(n, struct sched_hart, queued);
        if (!sched_unit_take(next))
            continue;
        list_remove(n);
        return next;
    }
    return NULL;
}

struct sched_hart *sched_unit_give(struct sched_hart *h)
{
    struct sched_pool *pool = h->group->pool;
    if (h->unit == SCHED_NO_UNIT)
        return NULL;
    if (pool->sharing)
        pool->sharing->give(h, h->unit);
    dpk_units_remove(&pool->taken, h->unit);
    pool->occupied[h->unit] = NULL;
    h->unit = SCHED_NO_UNIT;
    struct sched_hart *next = sched_unit_next(pool);
    if (!list_empty(&pool->line))
        sched_pool_await(pool);
    return next;
}

unsigned sched_units_free(const struct sched_pool *pool, const struct dpk_units *units)
{
    struct dpk_units open = *units;
    const struct dpk_units unclaimed = pool->sharing ? pool->sharing->free(pool) : *units;
    for (unsigned i = 0; i < DPK_UNITS_MAX / 64; i++)
        open.bits[i] &= ~pool->taken.bits[i] & unclaimed.bits[i];
    return dpk_units_count(&open);
}

/* Other processes do not report units that they release, so a timer looks for them. */
void sched_pool_await(struct sched_pool *pool)
{
    if (pool->sharing && list_empty(&pool->timer.node) && others_have_some(pool))
        (void)sched_timer_start(&pool->timer, dpk_now_ns() + RETRY_NS);
}
