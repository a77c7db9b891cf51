#include "engine/proc/window_cache.h"

#include <stdlib.h>
#include <string.h>

#include "engine/proc/finding.h"

/* Bits of the set of earlier operations in a FENCE instruction. */
enum { FENCE_OUTPUT = 4, FENCE_INPUT = 8 };
enum { LINE = 64, PLACES = 16 };

struct line {
    uint64_t address;      /* a multiple of LINE */
    uint64_t valid, dirty; /* a bit for each byte */
    uint64_t loaded;       /* pc of the last load that found bytes here, or 0 */
    struct dpk_caller caller; /* the caller that reaches the memory */
    uint8_t bytes[LINE];
};

struct window_cache {
    struct line *lines;
    size_t count, capacity, last; /* `last`: index of the last line found */
    /* Stores that are not written back, by instruction. Further places are not reported. */
    struct store_site {
        uint64_t pc;
        unsigned stores;
    } places[PLACES];
    unsigned place_count;
};

static uint64_t bits_of(uint64_t address, unsigned width)
{
    const uint64_t all = width == LINE ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    return all << address % LINE;
}

/* Copies from the memory of a line into `to`, or from `from` into it. With neither it only checks
 * the access. */
static bool reach(const struct hart *h, const struct dpk_caller *caller, uint64_t address,
                  unsigned width, void *to, const void *from, bool stores, char *reason)
{
    char unread[DPK_FAULT_REASON_MAX];
    const struct dpk_external_memory *m = &h->process->external;
    void *pinned = NULL, *at = m->find(m->context, caller, address, width, stores, &pinned,
                                       reason ? reason : unread);
    if (!at)
        return false;
    if (to)
        memcpy(to, at, width);
    else if (from)
        memcpy(at, from, width);
    m->release(m->context, pinned);
    return true;
}

static bool is_line(const struct line *l, const struct hart *h, uint64_t address)
{
    return l->address == address &&
           memcmp(l->caller.state, h->caller.state, sizeof l->caller.state) == 0;
}

/* Returns the line of an address, or NULL if memory is exhausted. */
static struct line *line_of(struct hart *h, uint64_t address)
{
    struct window_cache *c = h->windows;
    if (!c && !(c = h->windows = calloc(1, sizeof *c)))
        return NULL;
    for (size_t i = 0; i < c->count; i++) {
        const size_t at = (c->last + i) % c->count;
        if (is_line(&c->lines[at], h, address))
            return &c->lines[c->last = at];
    }
    if (c->count == c->capacity) {
        const size_t more = c->capacity ? 2 * c->capacity : 16;
        struct line *lines = reallocarray(c->lines, more, sizeof *lines);
        if (!lines)
            return NULL;
        c->lines = lines;
        c->capacity = more;
    }
    c->last = c->count++;
    c->lines[c->last] = (struct line){.address = address, .caller = h->caller};
    return &c->lines[c->last];
}

static void count_store(struct window_cache *c, uint64_t pc)
{
    unsigned i = 0;
    while (i < c->place_count && c->places[i].pc != pc)
        i++;
    if (i == PLACES)
        return;
    c->place_count += i == c->place_count;
    c->places[i].pc = pc;
    c->places[i].stores++;
}

void *proc_window_cache_at(struct hart *h, uint64_t address, unsigned width, bool stores,
                           char *reason)
{
    proc_window_cache_settle(h);
    struct line *l = line_of(h, address & ~(uint64_t)(LINE - 1));
    const uint64_t bits = bits_of(address, width);
    if (!l)
        return NULL;
    uint8_t *at = l->bytes + address % LINE;
    if (stores) {
        if (!reach(h, &h->caller, address, width, NULL, NULL, true, reason))
            return NULL;
        l->valid |= bits;
        l->dirty |= bits;
        count_store(h->windows, h->regs.pc);
        return at;
    }
    if ((l->valid & bits) == bits) {
        l->loaded = h->regs.pc;
        return at;
    }
    uint8_t fresh[8];
    if (!reach(h, &h->caller, address, width, fresh, NULL, false, reason))
        return NULL;
    for (unsigned i = 0; i < width; i++)
        if (!(l->dirty & bits_of(address + i, 1)))
            at[i] = fresh[i];
    l->valid |= bits;
    return at;
}

/* Writes a line in the largest aligned pieces. Memory that is gone meanwhile is skipped. */
static void write_line(const struct hart *h, struct line *l)
{
    for (unsigned i = 0, width; l->dirty && i < LINE; i += width) {
        width = 8;
        while (width > 1 && (i % width != 0 || (l->dirty & bits_of(i, width)) != bits_of(i, width)))
            width /= 2;
        if (l->dirty & bits_of(i, 1))
            (void)reach(h, &l->caller, l->address + i, width, NULL, l->bytes + i, true, NULL);
    }
    l->dirty = 0;
}

static void write_back(struct hart *h)
{
    struct window_cache *c = h->windows;
    for (size_t i = 0; i < c->count; i++)
        write_line(h, &c->lines[i]);
    c->place_count = 0;
    memset(c->places, 0, sizeof c->places);
}

static void invalidate(struct window_cache *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct line *l = &c->lines[i];
        l->valid = l->dirty;
        l->loaded = 0;
        if (l->dirty)
            c->lines[kept++] = *l;
    }
    c->count = kept;
    c->last = 0;
}

void proc_window_cache_settle(struct hart *h)
{
    const unsigned passed = h->regs.fences;
    h->regs.fences = 0;
    if (h->windows && passed & FENCE_OUTPUT)
        write_back(h);
    if (h->windows && passed & FENCE_INPUT)
        invalidate(h->windows);
}

void proc_window_cache_empty(struct hart *h)
{
    h->regs.fences = FENCE_OUTPUT | FENCE_INPUT;
    proc_window_cache_settle(h);
}

/* ---- The end ---- */

static void tell_stores(const struct hart *h, const struct store_site *at)
{
    char place[100], text[300];
    proc_finding_place(h->process, at->pc, place, sizeof place);
    snprintf(text, sizeof text,
             "thread %u: %u store%s at %s %s never written back: "
             "__dpa_thread_window_writeback() is missing",
             h->id, at->stores, at->stores == 1 ? "" : "s", place,
             at->stores == 1 ? "was" : "were");
    proc_finding_tell(h->process, text);
}

/* Returns whether the memory now has other bytes than the loads found. */
static bool is_stale(const struct hart *h, const struct line *l)
{
    const uint64_t clean = l->valid & ~l->dirty;
    uint8_t now;
    for (unsigned i = 0; l->loaded && i < LINE; i++)
        if (clean & bits_of(i, 1) &&
            reach(h, &l->caller, l->address + i, 1, &now, NULL, false, NULL) && now != l->bytes[i])
            return true;
    return false;
}

static void tell_loads(const struct hart *h, uint64_t pc)
{
    char place[100], text[300];
    proc_finding_place(h->process, pc, place, sizeof place);
    snprintf(text, sizeof text,
             "thread %u: loads at %s did not see later writes: "
             "__dpa_thread_window_read_inv() is missing",
             h->id, place);
    proc_finding_tell(h->process, text);
}

void proc_window_cache_end(struct hart *h)
{
    struct window_cache *c = h->windows;
    uint64_t told = 0;
    if (!c)
        return;
    proc_window_cache_settle(h);
    for (unsigned i = 0; i < c->place_count; i++)
        tell_stores(h, &c->places[i]);
    for (size_t i = 0; i < c->count; i++)
        if (is_stale(h, &c->lines[i]) && c->lines[i].loaded != told) {
            told = c->lines[i].loaded;
            tell_loads(h, told);
        }
    proc_window_cache_free(h);
}

void proc_window_cache_free(struct hart *h)
{
    if (!h || !h->windows)
        return;
    free(h->windows->lines);
    free(h->windows);
    h->windows = NULL;
}
