/* The check of races: device code of dpacu -fsanitize=thread reports its accesses here, and blocks report
 * the barriers that order accesses. Both reach the room `races`. DPAKIT_GPU_CHECK turns the check off (0), wants it for each
 * kernel (1), or ends the program after the first race (end). */
#include "device.h"
#include "private.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool off, wanted, ends;
} setting;

static void read_setting(void)
{
    const char *text = getenv("DPAKIT_GPU_CHECK");
    if (!text || !*text)
        return;
    setting.off = strcmp(text, "0") == 0;
    setting.ends = strcmp(text, "end") == 0;
    setting.wanted = !setting.off;
    if (setting.wanted && !setting.ends && strcmp(text, "1") != 0)
        fprintf(stderr, "dpakit: GPU: DPAKIT_GPU_CHECK: %s is not 0, 1 or end; it is taken for 1\n",
                text);
}

/* Tells once for each kernel that no check is made. */
static void tell_unchecked(const struct dpk_grid *g)
{
    enum { KERNELS = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const struct dpk_gpu_kernel *told[KERNELS];
    char name[256];
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < KERNELS && told[i] && told[i] != g->kernel)
        i++;
    const bool is_new = i < KERNELS && !told[i];
    if (is_new)
        told[i] = g->kernel;
    pthread_mutex_unlock(&lock);
    if (!is_new)
        return;
    block_kernel_name(g, name, sizeof name);
    fprintf(stderr,
            "dpakit: GPU: kernel %s: races are not found, because its code was compiled without "
            "dpacu -fsanitize=thread\n",
            name);
}

/* Tells once that memory has run out. */
static void tell_memory(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        fprintf(stderr, "dpakit: GPU: the check of races has no memory left: it may miss races\n");
}

void block_check_grid(struct dpk_grid *g)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_setting);
    g->races = NULL;
    if (setting.off)
        return;
    if (!(g->kernel->flags & DPK_GPU_KERNEL_RACES)) {
        if (setting.wanted)
            tell_unchecked(g);
    } else if (!(g->races = dpk_gpu_races_new())) {
        tell_memory();
    }
}

void block_check_grid_end(struct dpk_grid *g)
{
    if (g->races && dpk_gpu_races_is_partial(g->races))
        tell_memory();
    dpk_gpu_races_free(g->races);
    g->races = NULL;
}

void block_check_begin(struct block *b)
{
    const struct dpk_grid *g = b->grid;
    const uint64_t rows = (uint64_t)b->at[2] * g->blocks[1] + b->at[1];
    const struct dpk_gpu_races_where where = {
        .block = rows * g->blocks[0] + b->at[0],
        .threads = b->threads,
        .shared = (uintptr_t)b->shared,
        .shared_size = DPK_BLOCK_SHARED_MAX,
    };
    b->races = g->races ? dpk_gpu_races_begin(g->races, &where) : NULL;
}

void block_check_end(struct block *b)
{
    dpk_gpu_races_end(b->races);
    b->races = NULL;
}

/* ---- Order ---- */

void block_check_lanes(struct block *b, const struct warp *w, uint32_t lanes)
{
    uint32_t threads[DPK_BLOCK_WARP], count = 0;
    for (uint32_t left = lanes; b->races && left; left &= left - 1)
        threads[count++] = w->lane[__builtin_ctz(left)]->index;
    if (b->races)
        dpk_gpu_races_meet(b->races, threads, count);
}

void block_check_barrier(struct block *b)
{
    if (b->races)
        dpk_gpu_races_barrier(b->races);
}

void block_check_grid_arrive(struct block *b)
{
    if (b->races)
        dpk_gpu_races_grid_arrive(b->races);
}

void block_check_grid_meet(struct block *b)
{
    if (b->races)
        dpk_gpu_races_grid_meet(b->races);
}

void block_check_grid_leave(struct block *b)
{
    if (b->races)
        dpk_gpu_races_grid_leave(b->races);
}

void block_check_release(struct fiber *f, uintptr_t object)
{
    if (f->block->races)
        dpk_gpu_races_store(f->block->races, f->index, object, true);
}

void block_check_acquire(struct fiber *f, uintptr_t object)
{
    if (f->block->races)
        dpk_gpu_races_load(f->block->races, f->index, object, true);
}

/* ---- Accesses ---- */

static void check(struct fiber *f, const struct dpk_gpu_races_access *access)
{
    struct dpk_gpu_race race;
    const uintptr_t stack = (uintptr_t)f->stack.low;
    if (access->address - stack < (uintptr_t)f->stack.top - stack) /* the thread's own */
        return;
    if (dpk_gpu_races_access(f->block->races, access, &race) &&
        block_race_report(f->block, &race) && setting.ends)
        _exit(1);
}

void dpk_gpu_check_access(const void *at, uint64_t size, uint32_t how)
{
    struct fiber *f = block_here();
    if (f->block->races)
        check(f, &(struct dpk_gpu_races_access){
                     .thread = f->index,
                     .how = how & DPK_GPU_CHECK_WRITES ? DPK_GPU_RACES_WRITES : 0,
                     .address = (uintptr_t)at,
                     .size = size,
                     .place = __builtin_return_address(0)});
}

void dpk_gpu_check_atomic(const void *at, uint64_t size, uint32_t how)
{
    struct fiber *f = block_here();
    struct dpk_gpu_races_block *races = f->block->races;
    const bool writes = how & DPK_GPU_CHECK_WRITES;
    if (!races)
        return;
    check(f, &(struct dpk_gpu_races_access){.thread = f->index,
                                            .how = DPK_GPU_RACES_ATOMIC |
                                                   (writes ? DPK_GPU_RACES_WRITES : 0),
                                            .address = (uintptr_t)at,
                                            .size = size,
                                            .place = __builtin_return_address(0)});
    if (writes)
        dpk_gpu_races_store(races, f->index, (uintptr_t)at, how & DPK_GPU_CHECK_RELEASES);
    if (how & DPK_GPU_CHECK_READS && !(how & DPK_GPU_CHECK_ACQUIRES))
        dpk_gpu_races_load(races, f->index, (uintptr_t)at, false);
}

void dpk_gpu_check_acquired(const void *at)
{
    block_check_acquire(block_here(), (uintptr_t)at);
}

void dpk_gpu_check_fence(uint32_t how)
{
    struct fiber *f = block_here();
    if (f->block->races)
        dpk_gpu_races_fence(f->block->races, f->index, how & DPK_GPU_CHECK_RELEASES,
                            how & DPK_GPU_CHECK_ACQUIRES);
}

void dpk_gpu_check_freed(void *at)
{
    struct fiber *f = block_here();
    if (f->block->races && at)
        dpk_gpu_races_forget(f->block->races, (uintptr_t)at, malloc_usable_size(at));
}
