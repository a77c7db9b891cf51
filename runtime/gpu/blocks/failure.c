/* Reports failures of device code. Each report is a line that names kernel, block, thread and
 * source line. */
#include "private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void block_kernel_name(const struct dpk_grid *g, char *out, size_t size)
{
    typedef char *demangle(const char *, char *, size_t *, int *);
    const char *name = g->kernel->name;
    int status = -1;
    demangle *readable = NULL;
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&readable, &found, sizeof readable);
    char *text = readable ? readable(name, NULL, NULL, &status) : NULL;
    snprintf(out, size, "%s", text && status == 0 ? text : name);
    free(text);
}

struct large {
    void (*report)(void *);
    void *context, *here, *fiber;
};

static void run_large(void *context)
{
    struct large *l = context;
    l->report(l->context);
    dpk_fiber_switch(&l->fiber, l->here);
}

void block_on_large_stack(void (*report)(void *), void *context)
{
    struct dpk_fiber_stack stack;
    if (dpk_gpu_poison_is_there()) { /* then stacks are large */
        report(context);
        return;
    }
    struct large l = {.report = report, .context = context};
    if (!dpk_fiber_stack_map(&stack, LARGE_STACK))
        return;
    l.fiber = dpk_fiber_prepare(stack.top, run_large, &l);
    dpk_fiber_switch(&l.here, l.fiber);
    dpk_fiber_stack_unmap(&stack);
}

static void report_at(const struct block *b, const char *threads, const char *line,
                      const char *what)
{
    char kernel[256];
    block_kernel_name(b->grid, kernel, sizeof kernel);
    fprintf(stderr, "dpakit: GPU: kernel %s, block (%u,%u,%u), %s, %s: %s\n", kernel, b->at[0],
            b->at[1], b->at[2], threads, line, what);
}

static void report(const struct block *b, const char *threads, const void *pc, const char *what)
{
    char line[320];
    block_line(pc, line, sizeof line);
    report_at(b, threads, line, what);
}

enum { THREAD = 80 };

static const char *thread_name(const struct fiber *f, char out[THREAD])
{
    const uint32_t *t = f->self.tid;
    snprintf(out, THREAD, "thread (%u,%u,%u)", t[0], t[1], t[2]);
    return out;
}

void block_report_thread(const struct fiber *f, const char *line, const char *what)
{
    char thread[THREAD];
    report_at(f->block, thread_name(f, thread), line, what);
}

/* Returns true for the first failure of a grid. */
static bool fail_grid(struct block *b, enum dpk_block_failure failure)
{
    int none = DPK_BLOCK_FINE;
    b->failed = true;
    return atomic_compare_exchange_strong(&b->grid->failure, &none, (int)failure);
}

static void fail_thread(struct fiber *f, enum dpk_block_failure failure, const void *pc,
                        const char *what)
{
    char thread[THREAD];
    if (fail_grid(f->block, failure))
        report(f->block, thread_name(f, thread), pc, what);
}

/* ---- Deadlocks ---- */

static const char *awaited(const struct fiber *f, char out[64])
{
    if (f->wait == WAIT_BARRIER && f->barrier)
        snprintf(out, 64, "barrier %u", f->barrier);
    else if (f->wait == WAIT_BARRIER)
        snprintf(out, 64, "__syncthreads");
    else
        snprintf(out, 64, "a function of a warp (mask 0x%08x)", f->mask);
    return out;
}

static bool wait_alike(const struct fiber *a, const struct fiber *b)
{
    return a->wait == b->wait && a->site == b->site && a->barrier == b->barrier &&
           (a->wait != WAIT_WARP || a->mask == b->mask);
}

/* Reports all threads that wait for the same as `f`, in one line. */
static void report_alike(const struct block *b, struct fiber *f)
{
    char threads[80], what[64], text[160];
    uint32_t count = 0, first = UINT32_MAX, last = 0;
    for (struct fiber *o = b->fibers; o; o = o->other) {
        if (o->wait == WAIT_NONE || !wait_alike(o, f))
            continue;
        count++;
        first = o->index < first ? o->index : first;
        last = o->index > last ? o->index : last;
        if (o != f)
            o->wait = WAIT_NONE;
    }
    if (count == 1)
        snprintf(threads, sizeof threads, "thread %u", first);
    else
        snprintf(threads, sizeof threads, "%u threads from %u to %u", count, first, last);
    snprintf(text, sizeof text, "waits for ever at %s, where %u of %u threads are",
             awaited(f, what), count, b->live);
    report(b, threads, f->site, text);
    f->wait = WAIT_NONE;
}

static void report_deadlock(struct block *b)
{
    unsigned kinds = 0;
    for (struct fiber *f = b->fibers; f && kinds < 8; f = f->other) {
        if (f->wait == WAIT_NONE)
            continue;
        report_alike(b, f);
        kinds++;
    }
}

/* ---- Faults ---- */

static void report_fault(struct fiber *f)
{
    struct worker *w = f->block->worker;
    const int number = w->fault.signal;
    enum dpk_block_failure failure = DPK_BLOCK_BAD_ADDRESS;
    char what[128];
    w->fault.signal = 0;
    if (dpk_fiber_stack_overflowed(&f->stack, w->fault.address)) {
        failure = DPK_BLOCK_STACK;
        snprintf(what, sizeof what, "the thread's stack of %zu bytes is too small",
                 dpk_blocks_stack());
    } else if (number == SIGSEGV || number == SIGBUS) {
        snprintf(what, sizeof what, "%s address %p, which is not memory that it may %s",
                 w->fault.written ? "writes" : "reads", w->fault.address,
                 w->fault.written ? "write" : "read");
    } else {
        failure = DPK_BLOCK_ARITHMETIC;
        snprintf(what, sizeof what, "%s",
                 number == SIGFPE ? "divides an integer by zero" : "executes a bad instruction");
    }
    fail_thread(f, failure, (const char *)w->fault.pc + 1, what);
}

void block_fail_report(struct block *b, struct fiber *f)
{
    struct worker *w = b->worker;
    const enum dpk_block_failure kind = w->failure.kind;
    w->failure.kind = DPK_BLOCK_FINE;
    if (w->fault.signal)
        report_fault(f);
    else if (kind && w->failure.fiber)
        fail_thread(w->failure.fiber, kind, w->failure.pc, w->failure.what);
    else if (kind && fail_grid(b, kind) && kind == DPK_BLOCK_DEADLOCK)
        report_deadlock(b);
    else if (kind == DPK_BLOCK_NO_MEMORY)
        fprintf(stderr, "dpakit: GPU: no memory for the stacks of a block's threads\n");
}
