/* Runs threads of a block on a fiber. */
#include "private.h"

static void number_thread(struct fiber *f, uint32_t index)
{
    struct dpk_gpu_thread *t = &f->self;
    f->index = index;
    f->wait = WAIT_NONE;
    t->tid[0] = index % t->ntid[0];
    t->tid[1] = index / t->ntid[0] % t->ntid[1];
    t->tid[2] = index / t->ntid[0] / t->ntid[1];
    t->lane = index % DPK_BLOCK_WARP;
    t->warp = index / DPK_BLOCK_WARP;
}

void block_thread_main(void *fiber)
{
    struct fiber *f = fiber;
    struct block *b = f->block;
    const struct dpk_gpu_kernel *kernel = b->grid->kernel;
    if (kernel->whole && b->started == 0) {
        b->started = b->threads;
        number_thread(f, 0);
        kernel->whole(&f->self, b->grid->args);
        b->live = 0;
        block_leave_forever(f);
    }
    while (b->started < b->threads) {
        number_thread(f, b->started++);
        kernel->run(&f->self, b->grid->args);
        b->live--;
        block_warp_ended(f);
        block_barrier_ended(b);
    }
    block_leave_forever(f);
}
