/* Workers: host threads that run blocks, and jobs of streams. */
#include "private.h"

#include "gpu/memory/memory.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WORKERS_MAX = 64, SPINS = 2000 };

struct job {
    void (*run)(void *);
    void *context;
    struct job *after;
};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct dpk_grid *grids, **grids_end = &grids;
static struct job *jobs, **jobs_end = &jobs;
static _Atomic unsigned waiting; /* number of grids and jobs in the lists */
static _Atomic unsigned running; /* number of grids that have started and not ended */
static unsigned asleep;
static unsigned workers_running;
static _Thread_local struct worker *own;

bool dpk_blocks_inside(void)
{
    return own != NULL;
}

unsigned dpk_blocks_workers(void)
{
    static _Atomic unsigned known;
    unsigned n = atomic_load(&known);
    uint64_t asked = 0;
    if (n)
        return n;
    const char *text = getenv("DPAKIT_GPU_WORKERS");
    n = dpk_cores() < 8 ? dpk_cores() : 8;
    if (text && dpk_number(text, 1, WORKERS_MAX, &asked))
        n = (unsigned)asked;
    atomic_store(&known, n);
    return n;
}

/* ---- Blocks ---- */

static struct block *get_block(struct worker *w)
{
    struct block *b = w->free_blocks;
    if (b) {
        w->free_blocks = b->next;
        return b;
    }
    b = calloc(1, sizeof *b);
    char *shared = b ? mmap(NULL, DPK_BLOCK_SHARED_MAX + 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : MAP_FAILED;
    if (shared == MAP_FAILED) {
        free(b);
        return NULL;
    }
    b->shared = shared;
    return b;
}

static void prepare(struct block *b, struct worker *w, struct dpk_grid *g, uint64_t index)
{
    b->grid = g;
    b->worker = w;
    b->threads = b->live = g->threads[0] * g->threads[1] * g->threads[2];
    b->started = 0;
    b->failed = false;
    b->entry = block_thread_main;
    b->settle = block_warp_settle;
    b->ready.first = b->polling.first = b->fibers = NULL;
    b->at[0] = (uint32_t)(index % g->blocks[0]);
    b->at[1] = (uint32_t)(index / g->blocks[0] % g->blocks[1]);
    b->at[2] = (uint32_t)(index / g->blocks[0] / g->blocks[1]);
    block_check_begin(b);
    block_address_begin(b);
    if (!g->kernel->whole) {
        for (unsigned i = 0; i < BARRIERS; i++)
            b->barriers[i] = (struct barrier){0};
        block_warp_begin(b);
    }
}

static void grid_left(struct dpk_grid *g, uint64_t blocks)
{
    if (atomic_fetch_sub(&g->left, blocks) != blocks)
        return;
    if (atomic_fetch_sub(&running, 1) == 1)
        dpk_gpu_memory_hide();
    block_check_grid_end(g);
    g->ended(g);
}

bool dpk_blocks_run(void)
{
    return atomic_load(&running) > 0;
}

/* Takes the next block of the first grid. The caller holds the lock. */
static struct dpk_grid *take(uint64_t *index, uint64_t *dropped)
{
    struct dpk_grid *g = grids;
    *dropped = 0;
    if (!g)
        return NULL;
    *index = g->next++;
    if (atomic_load(&g->failure)) { /* after a failure, the remaining blocks do not run */
        *dropped = g->total - *index;
        g->next = g->total;
    }
    if (g->next == g->total) {
        grids = g->after;
        if (!grids)
            grids_end = &grids;
        atomic_fetch_sub(&waiting, 1);
    }
    return g;
}

/* Starts a block on the worker, or runs a job. Returns false if no block and no job waits. */
static bool take_work(struct worker *w)
{
    uint64_t index = 0, dropped = 0;
    if (!atomic_load_explicit(&waiting, memory_order_acquire))
        return false;
    pthread_mutex_lock(&gate);
    struct job *job = jobs;
    struct dpk_grid *g = NULL;
    if (job) {
        jobs = job->after;
        if (!jobs)
            jobs_end = &jobs;
        atomic_fetch_sub(&waiting, 1);
    } else if (w->active_count < DPK_BLOCKS_RESIDENT) {
        g = take(&index, &dropped);
    }
    pthread_mutex_unlock(&gate);
    if (job) {
        job->run(job->context);
        free(job);
        return true;
    }
    if (!g)
        return false;
    struct block *b = dropped ? NULL : get_block(w);
    if (!b) {
        if (!dropped)
            atomic_store(&g->failure, DPK_BLOCK_NO_MEMORY);
        grid_left(g, dropped ? dropped : 1);
        return true;
    }
    prepare(b, w, g, index);
    b->next = NULL;
    *w->active_end = b;
    w->active_end = &b->next;
    w->active_count++;
    return true;
}

static void end_block(struct worker *w, struct block *b)
{
    struct dpk_grid *g = b->grid;
    block_give_fibers(b);
    block_check_end(b);
    b->next = w->free_blocks;
    w->free_blocks = b;
    w->active_count--;
    grid_left(g, 1);
}

/* Runs each block of the worker for a slice. Returns true if one of them has ended. */
static bool run_active(struct worker *w)
{
    struct block *list = w->active;
    bool ended = false;
    w->active = NULL;
    w->active_end = &w->active;
    for (struct block *b = list, *next; b; b = next) {
        next = b->next;
        if (atomic_load(&b->grid->failure))
            b->failed = true;
        else
            block_slice(b);
        if (w->fault.signal || w->failure.kind) {
            struct dpk_gpu_thread *self = dpk_gpu_self;
            dpk_gpu_self = NULL;
            block_fail_report(b, (struct fiber *)self);
        }
        if (b->failed || !b->live) {
            end_block(w, b);
            ended = true;
            continue;
        }
        b->next = NULL;
        *w->active_end = b;
        w->active_end = &b->next;
    }
    return ended;
}

static void sleep_until_news(void)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&waiting, memory_order_relaxed))
            return;
        dpk_pause();
    }
    pthread_mutex_lock(&gate);
    asleep++;
    while (!grids && !jobs)
        pthread_cond_wait(&news, &gate);
    asleep--;
    pthread_mutex_unlock(&gate);
}

/* The system tells where the stack of the calling thread is. */
static void note_stack(struct worker *w)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0)
        w->stack = (struct dpk_fiber_stack){.low = low, .top = (char *)low + size};
    pthread_attr_destroy(&attributes);
}

static void *work(void *context)
{
    struct worker *w = context;
    own = w;
    w->watched = dpk_gpu_poison_is_there();
    note_stack(w);
    block_fault_stack();
    for (;;) {
        const bool took = take_work(w);
        const bool ended = w->active && run_active(w);
        if (!w->active && !took)
            sleep_until_news();
        else if (w->active && !took && !ended)
            sched_yield(); /* threads poll, or meet for long */
    }
    return NULL;
}

/* ---- Beginning ---- */

static bool start_worker(unsigned number)
{
    struct worker *w = calloc(1, sizeof *w);
    pthread_t thread;
    if (!w)
        return false;
    w->number = number;
    w->count = dpk_blocks_workers();
    w->active_end = &w->active;
    if (dpk_pthread_start(&thread, work, w) != 0) {
        free(w);
        return false;
    }
    pthread_detach(thread);
    return true;
}

static void begin(void)
{
    dpk_blocks_catch_faults();
    block_address_watch();
    for (unsigned i = 0; i < dpk_blocks_workers(); i++)
        workers_running += start_worker(i);
}

static bool have_workers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    return workers_running > 0;
}

static void tell(uint64_t tasks)
{
    atomic_fetch_add(&waiting, 1);
    if (asleep) {
        if (tasks > 1)
            pthread_cond_broadcast(&news);
        else
            pthread_cond_signal(&news);
    }
}

bool dpk_blocks_start(struct dpk_grid *grid)
{
    static _Atomic uint64_t number;
    grid->number = atomic_fetch_add(&number, 1) + 1;
    grid->total = (uint64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    grid->next = 0;
    grid->after = NULL;
    atomic_store(&grid->left, grid->total);
    atomic_store(&grid->failure, DPK_BLOCK_FINE);
    atomic_store(&grid->sync_arrived, 0);
    atomic_store(&grid->sync_round, 0);
    if (!have_workers())
        return false;
    block_check_grid(grid);
    atomic_fetch_add(&running, 1);
    pthread_mutex_lock(&gate);
    *grids_end = grid;
    grids_end = &grid->after;
    tell(grid->total);
    pthread_mutex_unlock(&gate);
    return true;
}

bool dpk_blocks_job(void (*run)(void *), void *context)
{
    struct job *job = have_workers() ? malloc(sizeof *job) : NULL;
    if (!job)
        return false;
    *job = (struct job){.run = run, .context = context};
    pthread_mutex_lock(&gate);
    *jobs_end = job;
    jobs_end = &job->after;
    tell(1);
    pthread_mutex_unlock(&gate);
    return true;
}
