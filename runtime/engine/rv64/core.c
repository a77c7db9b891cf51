/* The core: creates, fills and frees caches of decoded blocks. */
#include "block.h"

#include <stdlib.h>
#include <string.h>

/* Memory for blocks is allocated in chunks. A guest that jumps to every halfword of its code needs
 * tens of bytes of cache for each byte of code. So a full cache is replaced with an empty cache. */
enum { CHUNK = 256 << 10, CACHE_MAX = 64 << 20 };

struct rv64_chunk {
    struct rv64_chunk *older;
    uint64_t bytes[]; /* for the alignment of blocks */
};

struct rv64_core *rv64_core_create(struct rv64_memory *mem)
{
    struct rv64_core *core = calloc(1, sizeof *core);
    if (core == NULL)
        return NULL;
    core->mem = mem;
    core->extensions = RV64_ZBA;
    if (pthread_mutex_init(&core->lock, NULL) != 0) {
        free(core);
        return NULL;
    }
    return core;
}

void rv64_core_set_strict(struct rv64_core *core, bool strict)
{
    core->strict = strict;
}

void rv64_core_set_extensions(struct rv64_core *core, unsigned extensions)
{
    core->extensions = extensions;
}

void rv64_core_set_translator(struct rv64_core *core, const struct rv64_translator *translator)
{
    core->translator = translator;
}

/* Call this with the lock, or when no other thread uses the core any more. */
static void cache_drop(const struct rv64_core *core, struct rv64_cache *cache)
{
    if (cache == NULL || --cache->users != 0)
        return;
    struct rv64_entries *entries = atomic_load(&cache->entries);
    if (entries != NULL)
        core->translator->release(entries);
    for (struct rv64_chunk *c = cache->chunks, *older; c != NULL; c = older) {
        older = c->older;
        free(c);
    }
    free(cache);
}

void rv64_core_destroy(struct rv64_core *core)
{
    if (core == NULL)
        return;
    cache_drop(core, core->cache);
    pthread_mutex_destroy(&core->lock);
    free(core);
}

struct rv64_cache *rv64_cache_acquire(struct rv64_core *core)
{
    pthread_mutex_lock(&core->lock);
    uint64_t generation = atomic_load(&core->mem->code_generation);
    struct rv64_cache *cache = core->cache;
    if (cache == NULL || cache->generation != generation || cache->used >= CACHE_MAX) {
        cache_drop(core, cache);
        cache = core->cache = calloc(1, sizeof *cache);
        if (cache != NULL) {
            cache->generation = generation;
            cache->users = 1;
        }
    }
    if (cache != NULL)
        cache->users++;
    pthread_mutex_unlock(&core->lock);
    return cache;
}

void rv64_cache_release(struct rv64_core *core, struct rv64_cache *cache)
{
    pthread_mutex_lock(&core->lock);
    cache_drop(core, cache);
    pthread_mutex_unlock(&core->lock);
}

static void *cache_allocate(struct rv64_cache *cache, size_t size)
{
    if (cache->used >= CACHE_MAX)
        return NULL;
    if (cache->room < size) {
        struct rv64_chunk *chunk = malloc(sizeof *chunk + CHUNK);
        if (chunk == NULL)
            return NULL;
        chunk->older = cache->chunks;
        cache->chunks = chunk;
        cache->room = CHUNK;
        cache->used += CHUNK;
    }
    cache->room -= size;
    return (uint8_t *)cache->chunks->bytes + cache->room;
}

/* Call this with the lock. */
static struct rv64_block *make_block(struct rv64_core *core, struct rv64_cache *cache, uint64_t pc,
                                     const void *const handlers[RUN_COUNT])
{
    union {
        struct rv64_block block;
        uint8_t room[sizeof(struct rv64_block) + (RV64_BLOCK_MAX + 1) * sizeof(struct rv64_run)];
    } draft = {0};
    unsigned n = rv64_translate(core, pc, &draft.block);
    draft.block.backward = core->translator != NULL && draft.block.taken_pc <= pc;
    size_t size = sizeof(struct rv64_block) + n * sizeof(struct rv64_run);
    struct rv64_block *block = cache_allocate(cache, size);
    if (block == NULL)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        draft.block.run[i].handler = handlers[draft.block.run[i].kind];
    memcpy(block, &draft, size);

    _Atomic(struct rv64_block *) *bucket = &cache->buckets[rv64_bucket(pc)];
    block->other = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, block, memory_order_release);
    return block;
}

struct rv64_block *rv64_cache_get(struct rv64_core *core, struct rv64_cache *cache, uint64_t pc,
                                  const void *const handlers[RUN_COUNT])
{
    struct rv64_block *block = rv64_cache_find(cache, pc);
    if (block != NULL)
        return block;
    pthread_mutex_lock(&core->lock);
    block = rv64_cache_find(cache, pc); /* another thread may have made it meanwhile */
    if (block == NULL)
        block = make_block(core, cache, pc, handlers);
    pthread_mutex_unlock(&core->lock);
    return block;
}

/* ---- Translated code ---- */

/* Returns the table of the cache, which the first caller makes, or NULL. */
static struct rv64_entries *cache_entries(struct rv64_core *core, struct rv64_cache *cache)
{
    struct rv64_entries *entries = atomic_load_explicit(&cache->entries, memory_order_acquire);
    if (entries != NULL)
        return entries;
    pthread_mutex_lock(&core->lock);
    entries = atomic_load_explicit(&cache->entries, memory_order_relaxed);
    if (entries == NULL) {
        entries = core->translator->begin(core->translator->context, core);
        atomic_store_explicit(&cache->entries, entries, memory_order_release);
    }
    pthread_mutex_unlock(&core->lock);
    return entries;
}

/* Returns the entry of the block in the table of its cache, or NULL. */
static _Atomic(rv64_code *) *entry_of(struct rv64_entries *entries, const struct rv64_block *block)
{
    if (entries == NULL || block->pc % 2 != 0 || block->pc - entries->begin >= entries->size)
        return NULL;
    return &entries->at[(block->pc - entries->begin) / 2];
}

rv64_code *rv64_cache_code(struct rv64_core *core, struct rv64_cache *cache,
                           struct rv64_block *block)
{
    _Atomic(rv64_code *) *at = entry_of(cache_entries(core, cache), block);
    return at == NULL ? NULL : atomic_load_explicit(at, memory_order_acquire);
}

rv64_code *rv64_cache_warm(struct rv64_core *core, struct rv64_cache *cache,
                           struct rv64_block *block, const uint64_t *x)
{
    const struct rv64_translator *t = core->translator;
    uint32_t heat = atomic_load_explicit(&block->heat, memory_order_relaxed) + 1;
    atomic_store_explicit(&block->heat, heat, memory_order_relaxed);
    if (heat < t->heat)
        return NULL;
    _Atomic(rv64_code *) *const at = entry_of(cache_entries(core, cache), block);
    if (at == NULL)
        return NULL;
    rv64_code *const code = atomic_load_explicit(at, memory_order_acquire);
    if (code != NULL || (heat != t->heat && (heat & (heat - 1)) != 0))
        return code;
    t->hot(t->context, core, cache_entries(core, cache), block->pc, x, heat);
    return atomic_load_explicit(at, memory_order_acquire);
}

void rv64_cache_uneven(struct rv64_core *core, struct rv64_cache *cache, struct rv64_block *block,
                       const uint64_t *x)
{
    const struct rv64_translator *t = core->translator;
    if (atomic_fetch_add_explicit(&block->uneven, 1, memory_order_relaxed) == t->heat &&
        entry_of(cache_entries(core, cache), block) != NULL)
        t->uneven(t->context, core, cache_entries(core, cache), block->pc, x);
}

/* Notes a jump in a hash table of pairs. A pair that finds no place is not noted. */
void rv64_cache_jump(struct rv64_cache *cache, uint64_t from, uint64_t to)
{
    if (from >> 32 != 0 || to >> 32 != 0)
        return;
    const uint64_t pair = from << 32 | to;
    const size_t first = rv64_jump_hash(from);
    for (size_t i = 0; i < RV64_JUMP_TRIES; i++) {
        _Atomic uint64_t *at = &cache->jumps[(first + i) % RV64_JUMPS];
        uint64_t seen = atomic_load_explicit(at, memory_order_relaxed);
        if (seen == 0)
            atomic_compare_exchange_strong(at, &seen, pair);
        if (seen == 0 || seen == pair)
            return;
    }
}

size_t rv64_core_jumps(struct rv64_core *core, uint64_t from, uint64_t *to, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; core->cache != NULL && i < RV64_JUMP_TRIES && count < max; i++) {
        uint64_t pair = atomic_load_explicit(
            &core->cache->jumps[(rv64_jump_hash(from) + i) % RV64_JUMPS], memory_order_relaxed);
        if (pair != 0 && pair >> 32 == from)
            to[count++] = pair & UINT32_MAX;
    }
    return count;
}

/* Returns the limit of the host's stack for translated code. The rest of the stack is for functions
 * that this code calls. A guest fault must not become a host fault: if the stack is unknown, or not
 * the thread's own (a coroutine), there are no translated calls. */
uint64_t rv64_stack_limit(void)
{
    enum { RESERVE = 64 << 10 };
    static _Thread_local struct {
        bool known;
        uint64_t low, high;
    } stack;
    pthread_attr_t attr;
    void *base;
    size_t size;
    const uint64_t here = (uintptr_t)__builtin_frame_address(0);
    if (!stack.known && pthread_getattr_np(pthread_self(), &attr) == 0) {
        if (pthread_attr_getstack(&attr, &base, &size) == 0) {
            stack.low = (uintptr_t)base;
            stack.high = stack.low + size;
        }
        pthread_attr_destroy(&attr);
    }
    stack.known = true;
    return here > stack.low && here < stack.high ? stack.low + RESERVE : UINT64_MAX;
}

const char *rv64_fault_name(enum rv64_fault fault)
{
    static const char *const names[] = {
        [RV64_FAULT_NONE] = "no fault",
        [RV64_FAULT_FETCH] = "instruction access fault",
        [RV64_FAULT_ILLEGAL] = "illegal instruction",
        [RV64_FAULT_LOAD] = "load access fault",
        [RV64_FAULT_STORE] = "store access fault",
        [RV64_FAULT_MISALIGNED_LOAD] = "misaligned load",
        [RV64_FAULT_MISALIGNED_STORE] = "misaligned store",
    };
    size_t i = (size_t)fault;
    return i < sizeof names / sizeof *names ? names[i] : "unknown fault";
}
