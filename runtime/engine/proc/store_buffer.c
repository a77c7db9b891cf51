#include "engine/proc/store_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "engine/proc/finding.h"
#include "engine/proc/layout.h"

/* Bit of the set of earlier operations in a FENCE instruction. */
enum { FENCE_WRITE = 1 };
enum { LINE = 64, CHAINS = 256, PLACES = 16, RA = 1 };
/* Limit of lines of a thread. The NIC sees stores to further lines at once. */
#define LINES_MAX 16384u

struct line {
    uint64_t address; /* a multiple of LINE */
    uint64_t stored;  /* a bit for each byte that the NIC does not see yet */
    uint64_t pc;      /* pc of the last store */
    unsigned next;    /* index + 1 of the next line in its chain, or 0 */
    uint8_t before[LINE];
};

struct store_buffer {
    struct line *lines;
    unsigned count, capacity;
    unsigned chains[CHAINS]; /* index + 1 of the first line, or 0 */
    /* Doorbells that came before the bytes of stores. Further pairs are not reported. */
    struct early {
        uint64_t store, doorbell;
    } early[PLACES];
    unsigned early_count;
};

/* The hart whose doorbell this host thread carries out. */
static _Thread_local struct hart *ringing;

static unsigned *chain_of(struct store_buffer *b, uint64_t address)
{
    return &b->chains[address / LINE % CHAINS];
}

static struct line *find_line(struct store_buffer *b, uint64_t address)
{
    unsigned i = *chain_of(b, address);
    while (i != 0 && b->lines[i - 1].address != address)
        i = b->lines[i - 1].next;
    return i != 0 ? &b->lines[i - 1] : NULL;
}

static bool has_room(struct store_buffer *b)
{
    if (b->count < b->capacity)
        return true;
    if (b->count == LINES_MAX)
        return false;
    const unsigned more = b->capacity ? 2 * b->capacity : 16;
    struct line *lines = reallocarray(b->lines, more, sizeof *lines);
    if (!lines)
        return false;
    b->lines = lines;
    b->capacity = more;
    return true;
}

/* Returns the line of an address, or NULL if there are too many lines or memory is exhausted. */
static struct line *line_of(struct store_buffer *b, uint64_t address)
{
    struct line *l = find_line(b, address);
    if (l || !has_room(b))
        return l;
    l = &b->lines[b->count++];
    *l = (struct line){.address = address, .next = *chain_of(b, address)};
    *chain_of(b, address) = b->count;
    return l;
}

/* Keeps the old value of a byte that is about to be stored. */
static void keep(struct hart *h, uint64_t address)
{
    const uint64_t bit = UINT64_C(1) << address % LINE;
    const uint8_t *now = rv64_memory_at(h->process->memory, address, 1, RV64_W);
    struct line *l = now ? line_of(h->stores, address & ~(uint64_t)(LINE - 1)) : NULL;
    if (!l)
        return;
    if (!(l->stored & bit))
        l->before[address % LINE] = __atomic_load_n(now, __ATOMIC_RELAXED);
    l->stored |= bit;
    l->pc = h->regs.pc;
}

/* Keeps the bytes that the instruction at pc will store. No NIC reads a thread's own stack. */
static void keep_next(struct hart *h)
{
    uint64_t address, size;
    const uint64_t stack = hart_stack(h);
    if (!rv64_next_store(h->process->core, &h->regs, &address, &size) ||
        (address >= stack && address - stack < STACK_SIZE))
        return;
    if (!h->stores && !(h->stores = calloc(1, sizeof *h->stores)))
        return;
    for (uint64_t i = 0; i < size; i++)
        keep(h, address + i);
}

static void write_back(struct store_buffer *b)
{
    b->count = 0;
    memset(b->chains, 0, sizeof b->chains);
}

enum rv64_stop proc_store_buffer_run(struct hart *h, uint64_t budget)
{
    unsigned fences = h->regs.fences;
    enum rv64_stop why = RV64_STOP_BUDGET;
    for (uint64_t i = 0; i < budget && why == RV64_STOP_BUDGET; i++) {
        keep_next(h);
        h->regs.fences = 0;
        why = rv64_step(h->process->core, &h->regs);
        if (h->stores && h->regs.fences & FENCE_WRITE)
            write_back(h->stores);
        fences |= h->regs.fences;
    }
    h->regs.fences = (uint8_t)fences; /* proc_window_cache_settle needs them, too */
    return why;
}

/* ---- Doorbells ---- */

void dpk_process_has_doorbells(struct dpk_process *p)
{
    atomic_store(&p->has_doorbells, true);
}

bool dpk_process_buffers_stores(const struct dpk_process *p)
{
    return p->strict.memory;
}

void dpk_doorbell_begin(struct dpk_caller *caller)
{
    struct hart *h = owner_of(caller, struct hart, caller);
    ringing = h->process->strict.memory ? h : NULL;
}

void dpk_doorbell_end(void)
{
    ringing = NULL;
}

static void note(const struct hart *h, uint64_t store)
{
    struct store_buffer *b = h->stores;
    struct dpk_line unused;
    /* Doorbells are functions of the device's library, which has no lines. */
    const bool known = dpk_line_find(h->process->image, h->regs.pc, &unused);
    const uint64_t doorbell = known ? h->regs.pc : h->regs.x[RA] - 1;
    unsigned i = 0;
    while (i < b->early_count && (b->early[i].store != store || b->early[i].doorbell != doorbell))
        i++;
    if (i == PLACES)
        return;
    b->early[i] = (struct early){store, doorbell};
    b->early_count += i == b->early_count;
}

void proc_store_buffer_hide(const struct dpk_process *p, uint64_t address, void *to, uint64_t size)
{
    const struct hart *h = ringing;
    if (!h || h->process != p || !h->stores)
        return;
    for (unsigned i = 0; i < h->stores->count; i++) {
        const struct line *l = &h->stores->lines[i];
        bool hidden = false;
        for (unsigned at = 0; at < LINE; at++) {
            const uint64_t offset = l->address + at - address; /* huge if it is before `address` */
            if (offset >= size || !(l->stored >> at & 1))
                continue;
            hidden |= ((uint8_t *)to)[offset] != l->before[at];
            ((uint8_t *)to)[offset] = l->before[at];
        }
        if (hidden)
            note(h, l->pc);
    }
}

/* ---- The end ---- */

/* Each pair is reported once, because a thread may be activated a million times. Returns false if
 * the pair was reported, or too many pairs were. */
static bool is_news(struct dpk_process *p, const struct early *e)
{
    const uint64_t pair = e->store << 32 ^ e->doorbell; /* addresses of code have 32 bits */
    for (size_t i = 0; i < sizeof p->told_early / sizeof *p->told_early; i++) {
        uint64_t is = 0;
        if (atomic_compare_exchange_strong(&p->told_early[i], &is, pair))
            return true;
        if (is == pair)
            return false;
    }
    return false;
}

static void tell(const struct hart *h, const struct early *e)
{
    char store[100], doorbell[100], text[400];
    if (!is_news(h->process, e))
        return;
    proc_finding_place(h->process, e->store, store, sizeof store);
    proc_finding_place(h->process, e->doorbell, doorbell, sizeof doorbell);
    snprintf(text, sizeof text,
             "thread %u: the doorbell at %s was not fenced after the store at %s: "
             "__dpa_thread_memory_writeback() is missing",
             h->id, doorbell, store);
    proc_finding_tell(h->process, text);
}

void proc_store_buffer_end(struct hart *h)
{
    if (!h->stores)
        return;
    for (unsigned i = 0; i < h->stores->early_count; i++)
        tell(h, &h->stores->early[i]);
    proc_store_buffer_free(h);
}

void proc_store_buffer_free(struct hart *h)
{
    if (!h || !h->stores)
        return;
    free(h->stores->lines);
    free(h->stores);
    h->stores = NULL;
}
