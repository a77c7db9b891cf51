/* Reports of data races: a line that names the kernel, the memory, and of both accesses the block, the
 * thread and the source line. */
#include "private.h"

#include "gpu/memory/memory.h"

#include <string.h>

/* More races than this are not reported. */
enum { PAIRS_MAX = 256 };

struct pair {
    uintptr_t low, high; /* places in the code, or hashes of source lines */
};
struct pairs {
    struct pair at[PAIRS_MAX];
    size_t count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pairs places, lines;

/* Adds a pair. Returns false if the list has the pair, or is full. */
static bool add(struct pairs *list, uintptr_t a, uintptr_t b)
{
    const struct pair one = {.low = a < b ? a : b, .high = a < b ? b : a};
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < list->count && (list->at[i].low != one.low || list->at[i].high != one.high))
        i++;
    const bool is_new = i == list->count && i < PAIRS_MAX;
    if (is_new)
        list->at[list->count++] = one;
    pthread_mutex_unlock(&lock);
    return is_new;
}

static uintptr_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (uintptr_t)hash;
}

enum { LINE = 320, TEXT = 512 };

struct report {
    const struct block *block;
    const struct dpk_gpu_race *race;
    char now[LINE], before[LINE];
    bool is_new;
};

/* Writes "thread (1,0,0) of block (0,0,0)". */
static void name_thread(const struct dpk_grid *g, const struct dpk_gpu_races_access *a,
                        char out[TEXT])
{
    const uint32_t *n = g->threads, *m = g->blocks;
    snprintf(out, TEXT, "thread (%u,%u,%u) of block (%u,%u,%u)", a->thread % n[0],
             a->thread / n[0] % n[1], a->thread / n[0] / n[1], (unsigned)(a->block % m[0]),
             (unsigned)(a->block / m[0] % m[1]), (unsigned)(a->block / m[0] / m[1]));
}

static void name_memory(const struct report *r, char out[TEXT])
{
    const struct dpk_gpu_races_access *a = &r->race->now;
    struct dpk_gpu_memory m;
    if (r->race->shared)
        snprintf(out, TEXT, "shared memory (offset %zu)",
                 (size_t)(a->address - (uintptr_t)r->block->shared));
    else if (dpk_gpu_memory_find((const void *)a->address, &m))
        snprintf(out, TEXT, "global memory (offset %zu of %zu bytes at %p)",
                 (size_t)(a->address - m.base), m.size, (void *)m.base);
    else
        snprintf(out, TEXT, "global memory (at %p)", (void *)a->address);
}

static const char *verb(const struct dpk_gpu_races_access *a, bool past)
{
    static const char *const words[2][4] = {
        {"reads", "writes", "reads atomically", "writes atomically"},
        {"read", "wrote", "read atomically", "wrote atomically"}};
    return words[past][a->how & (DPK_GPU_RACES_WRITES | DPK_GPU_RACES_ATOMIC)];
}

static void print(void *context)
{
    struct report *r = context;
    const struct dpk_gpu_race *race = r->race;
    char kernel[256], now[TEXT], before[TEXT], memory[TEXT];
    block_line(race->now.place, r->now, sizeof r->now);
    block_line(race->before.place, r->before, sizeof r->before);
    r->is_new = add(&lines, hash_of(r->now), hash_of(r->before));
    if (!r->is_new)
        return;
    block_kernel_name(r->block->grid, kernel, sizeof kernel);
    name_thread(r->block->grid, &race->now, now);
    name_thread(r->block->grid, &race->before, before);
    name_memory(r, memory);
    fprintf(stderr,
            "dpakit: GPU: kernel %s: data race on %zu bytes of %s: %s %s at %s; before, %s "
            "%s at %s; no barrier and no fence with an atomic variable is between them\n",
            kernel, race->now.size, memory, now, verb(&race->now, false), r->now, before,
            verb(&race->before, true), r->before);
}

bool block_race_report(const struct block *b, const struct dpk_gpu_race *race)
{
    struct report r = {.block = b, .race = race};
    if (!add(&places, (uintptr_t)race->now.place, (uintptr_t)race->before.place))
        return false;
    block_on_large_stack(print, &r);
    return r.is_new;
}
