/* Fibers of a block: chooses the fiber that runs next. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

_Thread_local struct dpk_gpu_thread *dpk_gpu_self;

enum { POLLS = 32 }; /* polls of a thread before it yields */
/* Turns of threads in a slice of a block: so many, and so many for each thread. */
enum { TURNS = 512, TURNS_EACH = 4 };

static _Atomic size_t stack_bytes = (size_t)64 << 10;

bool dpk_blocks_set_stack(size_t bytes)
{
    if (bytes > (size_t)64 << 20)
        return false;
    if (dpk_gpu_poison_is_there() && bytes < LARGE_STACK)
        bytes =
            LARGE_STACK; /* AddressSanitizer makes variables larger, and reports on this stack */
    /* Functions of the runtime, such as printf, run on this stack, too. */
    atomic_store(&stack_bytes, bytes + ((size_t)60 << 10));
    return true;
}

size_t dpk_blocks_stack(void)
{
    return atomic_load(&stack_bytes) - ((size_t)60 << 10);
}

void block_queue_put(struct queue *q, struct fiber *f)
{
    f->next = NULL;
    if (q->first)
        q->last->next = f;
    else
        q->first = f;
    q->last = f;
}

static struct fiber *queue_take(struct queue *q)
{
    struct fiber *f = q->first;
    if (f)
        q->first = f->next;
    return f;
}

/* Stacks start at different offsets of their pages. Otherwise all stacks would share the same few
 * lines of the processor's cache. */
enum { COLOURS = 13, COLOUR = 5 * 64 };

static struct fiber *new_fiber(void)
{
    static _Atomic unsigned number;
    const size_t colour = atomic_fetch_add(&number, 1) % COLOURS * COLOUR;
    struct dpk_fiber_stack stack;
    if (!dpk_fiber_stack_map(&stack,
                             atomic_load(&stack_bytes) + sizeof(struct fiber) + COLOURS * COLOUR))
        return NULL;
    const uintptr_t at = ((uintptr_t)stack.top - colour - sizeof(struct fiber)) & ~(uintptr_t)63;
    struct fiber *f = (struct fiber *)at;
    f->stack = stack;
    return f;
}

/* Returns the worker's next free fiber whose stack is large enough, or a new one. */
static struct fiber *get_fiber(struct worker *w)
{
    const size_t wanted = atomic_load(&stack_bytes);
    struct fiber *f;
    while ((f = w->free)) {
        w->free = f->next;
        if ((size_t)(f->stack.top - f->stack.low) >= wanted)
            return f;
        struct dpk_fiber_stack stack = f->stack;
        dpk_gpu_unpoison(stack.low, (size_t)(stack.top - stack.low));
        dpk_fiber_stack_unmap(&stack);
    }
    return new_fiber();
}

static void fail_block(struct block *b, enum dpk_block_failure failure)
{
    b->failed = true;
    b->worker->failure.kind = failure;
    b->worker->failure.fiber = NULL;
}

static void begin_fiber(void *fiber)
{
    struct fiber *f = fiber;
    dpk_gpu_poison_enter(NULL);
    f->block->entry(f);
}

/* Makes a fiber for the next threads of the block. */
static struct fiber *start_fiber(struct block *b)
{
    struct fiber *f = get_fiber(b->worker);
    if (!f) {
        fail_block(b, DPK_BLOCK_NO_MEMORY);
        return NULL;
    }
    struct dpk_grid *g = b->grid;
    const struct dpk_fiber_stack stack = f->stack;
    memset(f, 0, sizeof *f);
    f->stack = stack;
    f->block = b;
    f->other = b->fibers;
    b->fibers = f;
    for (unsigned i = 0; i < 3; i++) {
        f->self.ntid[i] = g->threads[i];
        f->self.ctaid[i] = b->at[i];
        f->self.nctaid[i] = g->blocks[i];
    }
    f->self.sm = b->worker->number;
    f->self.sms = b->worker->count;
    f->self.shared = (uintptr_t)b->shared;
    f->self.dynamic = f->self.shared + ((g->kernel->shared + 127u) & ~127u);
    f->self.dynamic_size = g->dynamic;
    f->self.grid = g->number;
    /* A thread that failed has left marks on its stack. */
    dpk_gpu_unpoison(stack.low, (size_t)((char *)f - stack.low));
    f->sp = dpk_fiber_prepare(f, begin_fiber, f);
    return f;
}

/* Returns the fiber that runs next, or NULL if the slice is over. Threads that meet at barriers again and again
 * are always ready: the number of turns ends their slice. */
static struct fiber *pick(struct block *b)
{
    if (b->failed || b->turns == 0)
        return NULL;
    b->turns--;
    for (;;) {
        struct fiber *f = queue_take(&b->ready);
        if (!f && b->started < b->threads)
            return start_fiber(b);
        if (!f && b->polls && (f = queue_take(&b->polling)))
            b->polls--;
        if (f || b->polling.first || !b->live)
            return f;
        if (!b->settle(b)) {
            fail_block(b, DPK_BLOCK_DEADLOCK);
            return NULL;
        }
    }
}

void block_back_to_worker(const struct worker *w)
{
    dpk_gpu_poison_leave(NULL, w->stack.low, (size_t)(w->stack.top - w->stack.low));
}

/* Continues `next`, or the worker. The stack that is left is kept in *from and *kept; `kept` is NULL
 * if it ends. */
static void go_on(struct fiber *next, void **from, void **kept, const struct worker *w)
{
    const bool watched = w->watched;
    if (watched) {
        const struct dpk_fiber_stack *stack = next ? &next->stack : &w->stack;
        dpk_gpu_poison_leave(kept, stack->low, (size_t)(stack->top - stack->low));
    }
    if (next)
        next->self.polls = POLLS;
    dpk_gpu_self = next ? &next->self : NULL;
    dpk_fiber_switch(from, next ? next->sp : w->sp);
    if (watched)
        dpk_gpu_poison_enter(kept ? *kept : NULL);
}

void block_leave(struct fiber *f)
{
    struct fiber *next = pick(f->block);
    if (next == f)
        f->self.polls = POLLS;
    else
        go_on(next, &f->sp, &f->kept, f->block->worker);
}

void block_leave_forever(struct fiber *f)
{
    go_on(pick(f->block), &f->sp, NULL, f->block->worker);
    abort(); /* no fiber continues a fiber that has ended */
}

void block_fail(enum dpk_block_failure failure, const void *pc, const char *what)
{
    struct fiber *f = block_here();
    struct worker *w = f->block->worker;
    f->block->failed = true;
    w->failure.kind = failure;
    w->failure.fiber = f;
    w->failure.pc = pc;
    snprintf(w->failure.what, sizeof w->failure.what, "%s", what);
    block_leave_forever(f);
}

/* Gives fibers that poll, and a thread that has not begun, a turn among those that are ready. */
static void mix(struct block *b)
{
    struct fiber *f = b->started < b->threads ? start_fiber(b) : NULL;
    if (f)
        block_queue_put(&b->ready, f);
    while ((f = queue_take(&b->polling)))
        block_queue_put(&b->ready, f);
}

void block_slice(struct block *b)
{
    if (b->ready.first) /* the slice before ended by its turns */
        mix(b);
    b->polls = 0;
    b->turns = TURNS + TURNS_EACH * b->threads;
    for (const struct fiber *f = b->polling.first; f; f = f->next)
        b->polls++;
    struct fiber *next = pick(b);
    if (next)
        go_on(next, &b->worker->sp, &b->worker->kept, b->worker);
}

void block_give_fibers(struct block *b)
{
    struct worker *w = b->worker;
    for (struct fiber *f = b->fibers, *other; f; f = other) {
        other = f->other;
        f->next = w->free;
        w->free = f;
    }
    b->fibers = NULL;
}
