/* Barriers of a block. */
#include "device.h"
#include "private.h"

/* A barrier of some threads is an object that they release, and acquire. */
static uintptr_t object_of(const struct barrier *bar)
{
    return (uintptr_t)bar;
}

static void release(struct block *b, struct barrier *bar)
{
    const uint32_t sum = bar->sum;
    struct fiber *f = bar->waiting.first;
    if (!bar->needed)
        block_check_barrier(b);
    bar->waiting.first = NULL;
    bar->arrived = bar->sum = 0;
    for (struct fiber *next; f; f = next) {
        next = f->next;
        f->result = sum;
        f->wait = WAIT_NONE;
        if (bar->needed)
            block_check_acquire(f, object_of(bar));
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
    if (needed)
        block_check_release(f, object_of(bar));
    if (is_complete(b, bar)) {
        const uint32_t sum = bar->sum;
        release(b, bar);
        if (needed && waits)
            block_check_acquire(f, object_of(bar));
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
