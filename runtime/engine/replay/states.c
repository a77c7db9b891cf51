/* Copies of earlier states, from which a debugger can go to any tick. A page that is equal in two
 * states is kept once. When there are too many states, every second state is dropped, and later
 * states are further apart. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { STATES_MAX = 64 };
#define EVERY_FIRST UINT64_C(4000000) /* ticks */

struct page {
    unsigned users;
    uint8_t bytes[RV64_PAGE];
};

/* A mapped page. */
struct kept {
    uint64_t address;
    unsigned access;
    struct page *page; /* NULL for zeros */
};

struct state {
    uint64_t tick, done;
    size_t run, applied;
    struct kept *pages; /* by address */
    size_t page_count;
    struct thread *threads;
    size_t thread_count;
};

struct states {
    uint64_t every;
    struct state list[STATES_MAX];
    unsigned count;
};

static void state_free(struct state *s)
{
    for (size_t i = 0; i < s->page_count; i++)
        if (s->pages[i].page && --s->pages[i].page->users == 0)
            free(s->pages[i].page);
    free(s->pages);
    free(s->threads);
    *s = (struct state){0};
}

/* ---- Keeping ---- */

static size_t count_pages(const struct rv64_memory *memory)
{
    uint64_t at = 0, size;
    unsigned access;
    size_t count = 0;
    for (; rv64_memory_next(memory, at, &at, &size, &access); at += size)
        count += size / RV64_PAGE;
    return count;
}

/* Returns the page at an address in the previous state. Pages are searched in order. */
static struct page *page_before(const struct state *before, size_t *next, uint64_t address)
{
    while (before && *next < before->page_count && before->pages[*next].address < address)
        ++*next;
    return before && *next < before->page_count && before->pages[*next].address == address
               ? before->pages[*next].page
               : NULL;
}

/* Returns false if memory is exhausted. */
static bool keep_page(struct state *s, const struct state *before, size_t *next, uint64_t address,
                      unsigned access, const uint8_t *bytes)
{
    static const uint8_t zeros[RV64_PAGE];
    struct page *page = page_before(before, next, address);
    if (memcmp(bytes, zeros, RV64_PAGE) == 0) {
        page = NULL;
    } else if (!page || memcmp(page->bytes, bytes, RV64_PAGE) != 0) {
        page = malloc(sizeof *page);
        if (!page)
            return false;
        page->users = 0;
        memcpy(page->bytes, bytes, RV64_PAGE);
    }
    if (page)
        page->users++;
    s->pages[s->page_count++] = (struct kept){address, access, page};
    return true;
}

static bool keep_memory(const struct dpk_replay *r, struct state *s, const struct state *before)
{
    uint64_t at = 0, size;
    unsigned access;
    size_t next = 0;
    s->pages = calloc(count_pages(r->memory) + 1, sizeof *s->pages);
    if (!s->pages)
        return false;
    for (; rv64_memory_next(r->memory, at, &at, &size, &access); at += size)
        for (uint64_t page = at; page < at + size; page += RV64_PAGE)
            if (!keep_page(s, before, &next, page, access,
                           rv64_memory_at(r->memory, page, RV64_PAGE, 0)))
                return false;
    return true;
}

static bool keep(const struct dpk_replay *r, struct state *s, const struct state *before)
{
    *s = (struct state){.tick = machine_tick(r),
                        .done = r->done,
                        .run = r->run,
                        .applied = r->applied,
                        .thread_count = DPK_RECORD_THREADS_MAX};
    while (s->thread_count > 0 && !r->threads[s->thread_count - 1].there)
        s->thread_count--;
    s->threads = calloc(s->thread_count + 1, sizeof *s->threads);
    if (s->threads)
        memcpy(s->threads, r->threads, s->thread_count * sizeof *s->threads);
    if (s->threads && keep_memory(r, s, before))
        return true;
    state_free(s);
    return false;
}

static void thin_out(struct states *all)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < all->count; i++)
        if (i % 2 == 0)
            all->list[kept++] = all->list[i];
        else
            state_free(&all->list[i]);
    all->count = kept;
    all->every *= 2;
}

/* If memory is exhausted, no copy is made, and going back takes longer. */
void replay_states_keep(struct dpk_replay *r)
{
    struct states *all = r->states;
    const struct state *last = &all->list[all->count - 1];
    if (machine_at_end(r) || machine_tick(r) < last->tick + all->every)
        return;
    if (all->count == STATES_MAX) {
        thin_out(all);
        return;
    }
    if (keep(r, &all->list[all->count], last))
        all->count++;
}

bool replay_states_begin(struct dpk_replay *r)
{
    r->states = calloc(1, sizeof *r->states);
    if (!r->states)
        return false;
    r->states->every = EVERY_FIRST;
    r->states->count = 1;
    return keep(r, &r->states->list[0], NULL);
}

void replay_states_end(struct dpk_replay *r)
{
    if (!r->states)
        return;
    for (unsigned i = 0; i < r->states->count; i++)
        state_free(&r->states->list[i]);
    free(r->states);
    r->states = NULL;
}

/* ---- Going back ---- */

static bool restore_memory(struct dpk_replay *r, const struct state *s)
{
    uint64_t at = 0, size;
    unsigned access;
    bool good = true;
    for (; good && rv64_memory_next(r->memory, at, &at, &size, &access); at += size)
        good = rv64_memory_map(r->memory, at, size, 0);
    for (size_t i = 0, end; good && i < s->page_count; i = end) {
        const struct kept *first = &s->pages[i];
        for (end = i + 1; end < s->page_count && s->pages[end].access == first->access &&
                          s->pages[end].address == first->address + (end - i) * RV64_PAGE;)
            end++;
        good = rv64_memory_map(r->memory, first->address, (end - i) * RV64_PAGE, first->access);
    }
    for (size_t i = 0; good && i < s->page_count; i++)
        good = !s->pages[i].page || rv64_memory_store(r->memory, s->pages[i].address,
                                                      s->pages[i].page->bytes, RV64_PAGE);
    return good;
}

/* Finds the record of the run, which was checked when the file was opened. */
static bool find_record(struct dpk_replay *r)
{
    size_t at = machine_at_end(r) ? r->file.size : r->runs[r->run].at;
    bool cut;
    return machine_at_end(r) ||
           dpk_records_next(r->file.data, r->file.size, &at, &r->record, &cut, NULL);
}

bool replay_states_restore(struct dpk_replay *r, uint64_t tick, uint64_t *at)
{
    unsigned i = r->states->count - 1;
    while (i > 0 && r->states->list[i].tick > tick)
        i--;
    const struct state *s = &r->states->list[i];
    memset(r->threads, 0, DPK_RECORD_THREADS_MAX * sizeof *r->threads);
    memcpy(r->threads, s->threads, s->thread_count * sizeof *s->threads);
    r->run = s->run;
    r->applied = s->applied;
    r->done = s->done;
    *at = s->tick;
    r->failure = (struct dpk_error){0};
    if (restore_memory(r, s) && find_record(r))
        return true;
    dpk_fail_nomem(&r->failure);
    return false;
}
