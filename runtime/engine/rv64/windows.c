/* Keeps runs of pages that get most accesses: the program's image, for reading and for writing, and
 * the heap. Each hart has these runs, and that of its stack, as windows: translated code compares
 * an address with the limits of a window before it reads a table of pages. */
#include "memory.h"

enum { STACK_PAGES_MAX = 256 }; /* on each side of the stack pointer */

/* ---- Runs ---- */

struct run {
    uint32_t begin, end; /* pages; equal if the run is empty */
};

/* A run is a single word, because harts read it while it changes. */
static struct run get_run(const struct rv64_memory *mem, unsigned i)
{
    const uint64_t word = atomic_load_explicit(&mem->run[i], memory_order_relaxed);
    return (struct run){(uint32_t)(word >> 32), (uint32_t)word};
}

static void put_run(struct rv64_memory *mem, unsigned i, struct run run)
{
    atomic_store_explicit(&mem->run[i], (uint64_t)run.begin << 32 | run.end, memory_order_relaxed);
}

static bool allows(const struct rv64_memory *mem, uint32_t page, unsigned bit)
{
    return (__atomic_load_n(&mem->access[page], __ATOMIC_RELAXED) & bit) != 0;
}

/* Widens a run by adjacent pages that allow `bit`, at most `most` on each side. */
static struct run widen(const struct rv64_memory *mem, struct run run, unsigned bit, uint32_t most)
{
    const uint32_t first = run.begin > most ? run.begin - most : 0;
    const uint32_t last = RV64_PAGES - run.end > most ? run.end + most : RV64_PAGES;
    while (run.begin > first && allows(mem, run.begin - 1, bit))
        run.begin--;
    while (run.end < last && allows(mem, run.end, bit))
        run.end++;
    return run;
}

static bool is_none(struct run run)
{
    return run.begin == run.end;
}

/* Returns the rest of a run without the pages of `gone`: only one part. */
static struct run without(struct run run, struct run gone, bool highest)
{
    const struct run low = {run.begin, gone.begin > run.begin ? gone.begin : run.begin};
    const struct run high = {gone.end < run.end ? gone.end : run.end, run.end};
    if (gone.end <= run.begin || gone.begin >= run.end)
        return run;
    return is_none(low) || (highest && !is_none(high)) ? high : low;
}

/* Updates the lowest or highest known run of pages that allow `bit`, after the access of `pages`
 * has changed. */
static void update(struct rv64_memory *mem, unsigned i, struct run pages, unsigned bit,
                   bool highest)
{
    struct run run = without(get_run(mem, i), pages, highest);
    if (allows(mem, pages.begin, bit)) {
        struct run at = pages;
        if (!is_none(run) && run.end == at.begin)
            at.begin = run.begin;
        if (!is_none(run) && run.begin == at.end)
            at.end = run.end;
        at = widen(mem, at, bit, RV64_PAGES);
        if (is_none(run) || (highest ? at.end >= run.end : at.begin <= run.begin))
            run = at;
    }
    put_run(mem, i, run);
}

void rv64_windows_map(struct rv64_memory *mem, uint64_t first, uint64_t end)
{
    const struct run pages = {(uint32_t)first, (uint32_t)end};
    update(mem, RV64_WINDOW_IMAGE, pages, RV64_R, false);
    update(mem, RV64_WINDOW_DATA, pages, RV64_RW, false);
    update(mem, RV64_WINDOW_HEAP, pages, RV64_RW, true);
    static _Atomic uint64_t layouts;
    atomic_store_explicit(&mem->layout, atomic_fetch_add(&layouts, 1) + 1, memory_order_release);
}

/* ---- Windows ---- */

static void set_window(struct rv64_window *window, struct run run)
{
    const uint64_t size = (uint64_t)(run.end - run.begin) * RV64_PAGE;
    window->begin = (uint64_t)run.begin * RV64_PAGE;
    for (unsigned log2 = 0; log2 < 4; log2++)
        window->limit[log2] = size == 0 ? 0 : ((size - RV64_NEAR) >> log2) + 1;
}

bool rv64_window_has(const struct rv64_window *window, uint64_t address)
{
    return address - window->begin < window->limit[0];
}

void rv64_windows_find(const struct rv64_memory *mem, uint64_t stack_pointer,
                       struct rv64_window out[RV64_WINDOWS])
{
    const uint64_t page = stack_pointer >> RV64_PAGE_SHIFT;
    struct run stack = {0};
    if (page < RV64_PAGES && allows(mem, (uint32_t)page, RV64_RW))
        stack =
            widen(mem, (struct run){(uint32_t)page, (uint32_t)page + 1}, RV64_RW, STACK_PAGES_MAX);
    for (unsigned i = 0; i < RV64_WINDOWS; i++)
        set_window(&out[i], i == RV64_WINDOW_STACK ? stack : get_run(mem, i));
}

void rv64_windows_refresh(const struct rv64_memory *mem, struct rv64_hart *hart)
{
    const uint64_t layout = atomic_load_explicit(&mem->layout, memory_order_acquire);
    if (hart->layout == layout && rv64_window_has(&hart->window[RV64_WINDOW_STACK], hart->x[2]))
        return;
    rv64_windows_find(mem, hart->x[2], hart->window);
    hart->layout = layout;
}
