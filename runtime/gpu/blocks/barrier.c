/* Barriers of a block. */
#include "device.h"
#include "private.h"

static void release(struct block *b, struct barrier *bar)
{
    const uint32_t sum = bar->sum;
    struct fiber *f = bar->waiting.first;
    bar->waiting.first = NULL;
    bar->arrived = bar->sum = 0;
    for (struct fiber *next; f; f = next) {
        next = f->next;
        f->result = sum;
        f->wait = WAIT_NONE;
        block_queue_put(&b->ready, f);
    }
}

static bool is_complete(const struct block *b, const struct barrier *bar)
{
    return bar->arrived && bar->arrived >= (bar->needed ? bar->needed : b->live);
}

void block_barrier_ended(struct block *b)
{
    for (unsigned i = 0; i < BARRIERS; i++)
        if (is_complete(b, &b->barriers[i]))
            release(b, &b->barriers[i]);
}

static uint32_t arrive(uint32_t number, uint32_t needed, uint32_t value, bool waits,
                       const void *site)
{
    struct fiber *f = block_here();
    struct block *b = f->block;
    if (number >= BARRIERS || needed > b->threads)
        block_fail(DPK_BLOCK_TRAPPED, site, "there are 16 barriers, for at most the block");
    struct barrier *bar = &b->barriers[number];
    bar->needed = needed;
    bar->arrived++;
    bar->sum += value;
    if (is_complete(b, bar)) {
        const uint32_t sum = bar->sum;
        release(b, bar);
        return sum;
    }
    if (!waits)
        return 0;
    f->wait = WAIT_BARRIER;
    f->barrier = number;
    f->site = site;
    block_queue_put(&bar->waiting, f);
    block_leave(f);
    return (uint32_t)f->result;
}

uint32_t dpk_gpu_barrier(uint32_t value)
{
    return arrive(0, 0, value, true, __builtin_return_address(0));
}

void dpk_gpu_barrier_named(uint32_t number, uint32_t threads)
{
    arrive(number, threads, 0, true, __builtin_return_address(0));
}

void dpk_gpu_barrier_arrive(uint32_t number, uint32_t threads)
{
    arrive(number, threads, 0, false, __builtin_return_address(0));
}
