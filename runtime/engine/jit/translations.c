/* Places translated code in memory that is never writable and executable at the same time. */
#include "engine/jit/translations.h"

#include "engine/jit/counts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __aarch64__
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Limit of guest code. Larger programs stay interpreted. */
#define CODE_MAX (UINT64_C(64) << 20)

struct code {
    struct code *older;
    void *at;
    size_t size;
};

/* ---- Functions for translated code ---- */

/* Returns whether the access is aligned and allowed. */
static bool is_good(const struct rv64_core *core, uint64_t address, uint32_t log2, unsigned need)
{
    return address < core->mem->size && address % (UINT64_C(1) << log2) == 0 &&
           (rv64_page_access(core->mem, address) & need) == need;
}

/* Loads 1 << log2 bytes. The hart's fault tells whether that failed. */
static uint64_t slow_load(struct rv64_core *core, struct rv64_hart *hart, uint64_t address,
                          uint32_t log2, uint64_t unused)
{
    uint64_t value = 0;
    (void)unused;
    if (!is_good(core, address, log2, RV64_R)) {
        (void)rv64_load_split(core, hart, address, log2, &value);
        return value;
    }
    const uint8_t *at = core->mem->base + address;
    switch (log2) {
    case 0:
        return __atomic_load_n(at, __ATOMIC_RELAXED);
    case 1:
        return __atomic_load_n((const rv64_u16 *)at, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const rv64_u32 *)at, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const rv64_u64 *)at, __ATOMIC_RELAXED);
    }
}

static uint64_t slow_store(struct rv64_core *core, struct rv64_hart *hart, uint64_t address,
                           uint32_t log2, uint64_t value)
{
    if (!is_good(core, address, log2, RV64_W)) {
        (void)rv64_store_split(core, hart, address, log2, value);
        return 0;
    }
    uint8_t *at = core->mem->base + address;
    switch (log2) {
    case 0:
        __atomic_store_n(at, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 1:
        __atomic_store_n((rv64_u16 *)at, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((rv64_u32 *)at, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((rv64_u64 *)at, value, __ATOMIC_RELAXED);
    }
    return 0;
}

/* ---- The table ---- */

/* The range of executable pages. */
static bool code_range(const struct rv64_memory *mem, uint64_t *begin, uint64_t *size)
{
    uint64_t at = 0, address, length;
    unsigned access;
    *begin = *size = 0;
    while (rv64_memory_next(mem, at, &address, &length, &access)) {
        at = address + length;
        if (!(access & RV64_X))
            continue;
        if (*size == 0)
            *begin = address;
        *size = at - *begin;
    }
    return *size != 0 && *size <= CODE_MAX;
}

/* Both tables have an element for each halfword of code: a pointer in one table, a byte in the
 * other. */
static uint64_t tables_size(uint64_t code_size)
{
    return code_size * 4 + (code_size + 1) / 2;
}

struct translations *jit_translations_create(struct rv64_core *core, bool exact)
{
    uint64_t begin, size;
    if (!code_range(core->mem, &begin, &size))
        return NULL;
    struct translations *t = calloc(1, sizeof *t);
    uint8_t *table = mmap(NULL, tables_size(size), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == NULL || table == MAP_FAILED || pthread_mutex_init(&t->lock, NULL) != 0) {
        if (table != MAP_FAILED)
            munmap(table, tables_size(size));
        free(t);
        return NULL;
    }
    t->entries = (struct rv64_entries){.begin = begin, .size = size, .at = (void *)table};
    t->places = (void *)(table + size * 4);
    t->exact = exact;
    t->users = 1;
    t->symbols[JIT_BASE] = (uintptr_t)core->mem->base;
    t->symbols[JIT_SLOTS] = (uintptr_t)table;
    t->symbols[JIT_LOAD] = (uintptr_t)slow_load;
    t->symbols[JIT_STORE] = (uintptr_t)slow_store;
    t->symbols[JIT_CORE] = (uintptr_t)core;
    return t;
}

void jit_translations_keep(struct translations *t)
{
    atomic_fetch_add(&t->users, 1);
}

void jit_translations_drop(struct translations *t)
{
    if (atomic_fetch_sub(&t->users, 1) != 1)
        return;
    for (struct code *c = t->code, *older; c != NULL; c = older) {
        older = c->older;
        munmap(c->at, c->size);
        free(c);
    }
    munmap((void *)t->entries.at, tables_size(t->entries.size));
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* ---- Places ---- */

enum { TAKEN = 1, COVERED = 2, PUT_OFF = 4, GOOD = 8 }; /* GOOD: covered, not by a draft */

static _Atomic uint8_t *place_of(const struct translations *t, uint64_t pc)
{
    return &t->places[(pc - t->entries.begin) / 2];
}

bool jit_translations_take(struct translations *t, uint64_t pc, bool insist)
{
    if (!insist && (atomic_load(place_of(t, pc)) & PUT_OFF))
        return false;
    return !(atomic_fetch_or(place_of(t, pc), TAKEN) & TAKEN);
}

void jit_translations_give_back(struct translations *t, uint64_t pc)
{
    atomic_fetch_and(place_of(t, pc), (uint8_t)~TAKEN);
}

bool jit_translations_put_off(struct translations *t, uint64_t pc)
{
    const uint8_t is = atomic_load(place_of(t, pc));
    if (!(is & COVERED) || (is & PUT_OFF))
        return false;
    atomic_fetch_or(place_of(t, pc), PUT_OFF);
    jit_translations_give_back(t, pc);
    return true;
}

bool jit_translations_covered(const struct translations *t, uint64_t pc)
{
    return atomic_load(place_of(t, pc)) & COVERED;
}

/* Returns whether the place of a block has this mark. */
static bool is(const struct translations *t, const struct jit_block *b, uint8_t what)
{
    return b->pc - t->entries.begin < t->entries.size && (atomic_load(place_of(t, b->pc)) & what);
}

uint32_t jit_translations_bare(const struct translations *t, const struct jit_region *region)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < region->block_count; i++)
        if (!is(t, &region->blocks[i], COVERED))
            count += region->blocks[i].count;
    return count;
}

bool jit_translations_has_loops(const struct translations *t, const struct jit_region *region)
{
    bool any = false;
    for (uint32_t i = 1; i < region->block_count; i++)
        any |= is(t, &region->blocks[i], GOOD);
    return any;
}

void jit_translations_set_covered(struct translations *t, const struct jit_region *region,
                                  bool draft)
{
    for (uint32_t i = 0; i < region->block_count; i++)
        if (region->blocks[i].copy == 0 &&
            region->blocks[i].pc - t->entries.begin < t->entries.size)
            atomic_fetch_or(place_of(t, region->blocks[i].pc), draft ? COVERED : COVERED | GOOD);
}

/* ---- Code ---- */

/* Finds the parts of an image: its head, relocations and code. */
static bool read_image(const struct dpk_buf *image, struct jit_image *head,
                       const uint8_t **relocations, const uint8_t **code)
{
    if (image->size < sizeof *head)
        return false;
    memcpy(head, image->data, sizeof *head);
    const uint64_t relocations_size =
        (uint64_t)head->relocation_count * sizeof(struct jit_relocation);
    *relocations = image->data + sizeof *head;
    *code = *relocations + relocations_size;
    return head->version == JIT_IMAGE_VERSION && head->entry < head->code_size &&
           sizeof *head + relocations_size + head->code_size == image->size;
}

bool jit_translations_is_draft(const struct dpk_buf *image)
{
    struct jit_image head;
    const uint8_t *relocations, *code;
    return read_image(image, &head, &relocations, &code) && head.draft != 0;
}

/* Returns false if the place is outside of the code, or the form is unknown. */
static bool put_value(uint8_t *code, uint32_t size, const struct jit_relocation *r, uint64_t value)
{
    const uint32_t width = r->form == JIT_WORD ? 8 : 4;
    uint32_t insn;
    if (r->form >= JIT_FORMS || size < width || r->offset > size - width)
        return false;
    if (r->form == JIT_WORD) {
        memcpy(code + r->offset, &value, sizeof value);
        return true;
    }
    memcpy(&insn, code + r->offset, sizeof insn);
    const uint32_t part = (uint16_t)(value >> 16 * (r->form - JIT_MOV0));
    insn = (insn & ~((uint32_t)UINT16_MAX << 5)) | part << 5;
    memcpy(code + r->offset, &insn, sizeof insn);
    return true;
}

static bool relocate(const struct translations *t, uint8_t *at, const struct jit_image *head,
                     const uint8_t *relocations)
{
    for (uint32_t i = 0; i < head->relocation_count; i++) {
        struct jit_relocation r;
        memcpy(&r, relocations + i * sizeof r, sizeof r);
        if (r.symbol >= JIT_SYMBOLS)
            return false;
        uint64_t value = (r.symbol == JIT_CODE ? (uintptr_t)at : t->symbols[r.symbol]) + r.addend;
        if (!put_value(at, head->code_size, &r, value))
            return false;
    }
    return true;
}

/* After this, no thread runs code that was at this place before. */
static void make_seen(uint8_t *at, size_t size)
{
    __builtin___clear_cache((char *)at, (char *)at + size);
#ifdef __aarch64__
    /* Another core may have fetched old code from here. membarrier(2) makes each core synchronize
     * its instructions with memory, in kernels since 4.16. Registering again costs nothing. */
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
#endif
}

bool jit_translations_enter(struct translations *t, uint64_t pc, const struct dpk_buf *image)
{
    struct jit_image head;
    const uint8_t *relocations, *bytes;
    if (pc - t->entries.begin >= t->entries.size || !read_image(image, &head, &relocations, &bytes))
        return false;
    struct code *c = calloc(1, sizeof *c);
    uint8_t *at =
        mmap(NULL, head.code_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c == NULL || at == MAP_FAILED)
        goto failed;
    memcpy(at, bytes, head.code_size);
    if (!relocate(t, at, &head, relocations) ||
        mprotect(at, head.code_size, PROT_READ | PROT_EXEC) != 0)
        goto failed;
    make_seen(at, head.code_size);
    *c = (struct code){.at = at, .size = head.code_size};
    pthread_mutex_lock(&t->lock);
    c->older = t->code;
    t->code = c;
    pthread_mutex_unlock(&t->lock);
    rv64_code *entry;
    const uint8_t *first = at + head.entry;
    memcpy(&entry, &first, sizeof entry);
    atomic_store_explicit(&t->entries.at[(pc - t->entries.begin) / 2], entry, memory_order_release);
    jit_count_code(head.code_size);
    return true;

failed:
    if (at != MAP_FAILED)
        munmap(at, head.code_size);
    free(c);
    return false;
}
