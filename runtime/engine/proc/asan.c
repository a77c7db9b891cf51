#include "engine/proc/asan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/proc/callers.h"
#include "engine/proc/finding.h"
#include "engine/proc/heap.h"
#include "engine/proc/recorded.h"

enum { A0 = 10, A1, A2, A3 };

/* Shadow bytes: a value below GRANULE is the number of accessible bytes, where 0 means all 8.
 * Clang's own marks are the same in all releases (llvm/lib/Transforms/Instrumentation). */
enum { GRANULE = 8 };
enum {
    HEAP_ZONE = 0xfa,
    HEAP_FREED = 0xfd,
    STACK_LEFT = 0xf1,
    STACK_MIDDLE = 0xf2,
    STACK_RIGHT = 0xf3,
    STACK_RETURNED = 0xf5,
    USER = 0xf7,
    STACK_OUT_OF_SCOPE = 0xf8,
    GLOBAL_ZONE = 0xf9,
    ALLOCA_LEFT = 0xca,
    ALLOCA_RIGHT = 0xcb,
};

/* A record of section asan_globals has addresses and sizes of 8 bytes each. */
enum { GLOBAL_RECORD = 64, GLOBALS_MAX = 1 << 20, TEXT_MAX = 120 };
struct global {
    uint64_t begin, size, with_zone, name, file;
};

enum { TOLD_MAX = 256 };
struct asan {
    uint8_t *shadow; /* shadow of guest address 0 */
    uint64_t globals;
    size_t global_count;
    pthread_mutex_t lock;
    uint64_t told[TOLD_MAX]; /* places of programs that continue: each is reported once */
    size_t told_count;
};

/* ---- Marks ---- */

/* Marks all granules that contain a byte of the range. */
static void mark(const struct dpk_process *p, uint64_t address, uint64_t size, uint8_t value)
{
    const uint64_t begin = address / GRANULE, end = (address + size + GRANULE - 1) / GRANULE;
    proc_recorded_write_begin(p);
    memset(p->asan->shadow + begin, value, end - begin);
    proc_recorded_write_end(p, DPA_SHADOW_BASE + begin, end - begin);
}

/* Marks accessible bytes. `address` is a multiple of GRANULE. */
static void mark_good(const struct dpk_process *p, uint64_t address, uint64_t size)
{
    mark(p, address, size, 0);
    if (size % GRANULE)
        mark(p, address + size, 1, size % GRANULE);
}

void proc_asan_stack_is_empty(const struct hart *h)
{
    if (h->process->asan)
        mark(h->process, hart_stack(h), STACK_SIZE, 0);
}

void proc_asan_heap_grew(struct dpk_process *p, uint64_t address, uint64_t size)
{
    if (p->asan)
        mark(p, address, size, HEAP_ZONE);
}

void proc_asan_allocated(struct dpk_process *p, uint64_t address, uint64_t size)
{
    if (!p->asan)
        return;
    mark(p, address, size + HEAP_ALIGN, HEAP_ZONE);
    mark_good(p, address, size);
}

void proc_asan_freed(struct dpk_process *p, uint64_t address, uint64_t size)
{
    if (p->asan)
        mark(p, address, size, HEAP_FREED);
}

/* ---- Global variables ---- */

static bool read_global(const struct dpk_process *p, size_t index, struct global *out)
{
    const void *at =
        rv64_memory_at(p->memory, p->asan->globals + index * GLOBAL_RECORD, GLOBAL_RECORD, RV64_R);
    if (!at)
        return false;
    struct dpk_reader r = dpk_reader(at, GLOBAL_RECORD);
    out->begin = dpk_read_le64(&r);
    out->size = dpk_read_le64(&r);
    out->with_zone = dpk_read_le64(&r);
    out->name = dpk_read_le64(&r);
    out->file = dpk_read_le64(&r);
    return out->size <= out->with_zone && out->begin % GRANULE == 0 && out->with_zone != 0 &&
           rv64_memory_at(p->memory, out->begin, out->with_zone, 0) != NULL;
}

static void mark_globals(struct dpk_process *p)
{
    for (size_t i = 0; i < p->asan->global_count; i++) {
        struct global g;
        if (!read_global(p, i, &g))
            continue;
        mark(p, g.begin, g.with_zone, GLOBAL_ZONE);
        mark_good(p, g.begin, g.size);
    }
}

/* Programs for this checker were linked by somebody's own script, if they lie in its shadow. */
static enum dpk_status check_apart(const struct dpk_image *image, struct dpk_error *err)
{
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        if (s->address < DPA_SHADOW_BASE + (uint64_t)DPA_SHADOW_SIZE &&
            s->address + s->memory_size > DPA_SHADOW_BASE)
            return dpk_fail(err, DPK_ERR_RANGE,
                            "the program's segment at 0x%llx, 0x%llx bytes, lies in the shadow "
                            "memory of -fsanitize=address: 0x%x to 0x%x",
                            (unsigned long long)s->address, (unsigned long long)s->memory_size,
                            DPA_SHADOW_BASE, DPA_SHADOW_BASE + DPA_SHADOW_SIZE);
    }
    return DPK_OK;
}

enum dpk_status proc_asan_enter(struct dpk_process *p, struct dpk_error *err)
{
    uint64_t at, size;
    if (!dpk_image_symbol(p->image, "__asan_init", &at, NULL))
        return DPK_OK;
    enum dpk_status status = check_apart(p->image, err);
    if (status != DPK_OK)
        return status;
    struct asan *a = calloc(1, sizeof *a);
    if (!a || !proc_recorded_map(p, DPA_SHADOW_BASE, DPA_SHADOW_SIZE, RV64_R | RV64_W)) {
        free(a);
        return dpk_fail_nomem(err);
    }
    a->shadow = rv64_memory_at(p->memory, DPA_SHADOW_BASE, DPA_SHADOW_SIZE, 0);
    pthread_mutex_init(&a->lock, NULL);
    p->asan = a;
    proc_heap_guard(p->heap);
    if (dpk_image_section_range(p->image, "asan_globals", &at, &size) &&
        size / GLOBAL_RECORD <= GLOBALS_MAX) {
        a->globals = at;
        a->global_count = size / GLOBAL_RECORD;
        mark_globals(p);
    }
    return DPK_OK;
}

void proc_asan_leave(struct dpk_process *p)
{
    if (p->asan)
        pthread_mutex_destroy(&p->asan->lock);
    free(p->asan);
    p->asan = NULL;
}

/* ---- Finding errors ---- */

/* Returns the first address from `at` up to `end` whose granule is not wholly accessible, or
 * `end`. */
static uint64_t skip_good(const struct asan *a, uint64_t at, uint64_t end)
{
    uint64_t marks;
    while (at < end && a->shadow[at / GRANULE] == 0) {
        at = (at / GRANULE + 1) * GRANULE;
        while (at < end && end - at >= sizeof marks * GRANULE &&
               (memcpy(&marks, a->shadow + at / GRANULE, sizeof marks), marks == 0))
            at += sizeof marks * GRANULE;
    }
    return at;
}

/* Finds the first inaccessible byte of a range. Returns false if there is none. */
static bool find_bad(const struct asan *a, uint64_t address, uint64_t size, uint64_t *out)
{
    const uint64_t end = size < GUEST_SIZE - address ? address + size : GUEST_SIZE;
    for (uint64_t at = skip_good(a, address, end); at < end;
         at = skip_good(a, (at / GRANULE + 1) * GRANULE, end)) {
        const uint8_t shadow = a->shadow[at / GRANULE];
        const uint64_t first = shadow < GRANULE ? at / GRANULE * GRANULE + shadow : at;
        if (shadow == 0 || first >= end || first >= (at / GRANULE + 1) * GRANULE)
            continue;
        *out = first > at ? first : at;
        return true;
    }
    return false;
}

/* Returns the shadow byte with the reason: after the last bytes of a variable it is the next
 * byte. */
static uint8_t reason_at(const struct asan *a, uint64_t bad)
{
    const uint8_t shadow = a->shadow[bad / GRANULE];
    return shadow < GRANULE && bad / GRANULE + 1 < GUEST_SIZE / GRANULE
               ? a->shadow[bad / GRANULE + 1]
               : shadow;
}

static const char *kind_of(uint8_t reason)
{
    switch (reason) {
    case HEAP_ZONE:
        return "heap-buffer-overflow";
    case HEAP_FREED:
        return "heap-use-after-free";
    case STACK_LEFT:
        return "stack-buffer-underflow";
    case STACK_MIDDLE:
    case STACK_RIGHT:
        return "stack-buffer-overflow";
    case STACK_RETURNED:
        return "stack-use-after-return";
    case STACK_OUT_OF_SCOPE:
        return "stack-use-after-scope";
    case GLOBAL_ZONE:
        return "global-buffer-overflow";
    case ALLOCA_LEFT:
    case ALLOCA_RIGHT:
        return "dynamic-stack-buffer-overflow";
    case USER:
        return "use-after-poison";
    default:
        return "unknown-crash";
    }
}

/* "4 bytes after", "in", "8 bytes before" an object. */
static void put_relation(uint64_t bad, uint64_t begin, uint64_t size, char *out, size_t room)
{
    if (bad < begin)
        snprintf(out, room, "%" PRIu64 " bytes before", begin - bad);
    else if (bad < begin + size)
        snprintf(out, room, "%" PRIu64 " bytes into", bad - begin);
    else
        snprintf(out, room, "%" PRIu64 " bytes after", bad - begin - size);
}

/* Copies a string of the guest, or returns "?". */
static const char *text_at(const struct dpk_process *p, uint64_t address, char out[TEXT_MAX])
{
    size_t n = 0;
    const char *c;
    while (n + 1 < TEXT_MAX && (c = rv64_memory_at(p->memory, address + n, 1, RV64_R)) && *c)
        out[n++] = *c;
    out[n] = '\0';
    return n ? out : "?";
}

static uint64_t distance(uint64_t bad, uint64_t begin, uint64_t size)
{
    return bad < begin ? begin - bad : bad < begin + size ? 0 : bad - begin - size + 1;
}

static void put_global(const struct dpk_process *p, uint64_t bad, char *out, size_t size)
{
    struct global nearest = {0}, g;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < p->asan->global_count; i++)
        if (read_global(p, i, &g) && distance(bad, g.begin, g.size) < least) {
            least = distance(bad, g.begin, g.size);
            nearest = g;
        }
    char name[TEXT_MAX], file[TEXT_MAX], where[60];
    if (least == UINT64_MAX)
        return;
    put_relation(bad, nearest.begin, nearest.size, where, sizeof where);
    snprintf(out, size, ", %s variable %s of %s (%" PRIu64 " bytes)", where,
             text_at(p, nearest.name, name), text_at(p, nearest.file, file), nearest.size);
}

/* Reads clang's description of a frame: "n", then "offset size length name" for each variable. */
static void put_variable(const char *text, uint64_t offset, char *out, size_t size)
{
    char *at, where[60];
    uint64_t count = strtoull(text, &at, 10), least = UINT64_MAX;
    for (; count > 0 && *at == ' '; count--) {
        const uint64_t begin = strtoull(at, &at, 10), bytes = strtoull(at, &at, 10);
        const uint64_t length = strtoull(at, &at, 10);
        if (*at++ != ' ' || length > strlen(at))
            return;
        if (distance(offset, begin, bytes) < least) {
            least = distance(offset, begin, bytes);
            put_relation(offset, begin, bytes, where, sizeof where);
            const char *colon = memchr(at, ':', length);
            const int name = (int)(colon ? colon - at : (ptrdiff_t)length);
            snprintf(out, size, ", %s variable %.*s%s%.*s (%" PRIu64 " bytes)", where, name, at,
                     colon ? " of line " : "", colon ? (int)length - name - 1 : 0,
                     colon ? colon + 1 : "", bytes);
        }
        at += length;
    }
}

/* The frame begins at the left-most marks before its variables, with a magic number and the address
 * of its description. */
static void put_stack_variable(const struct dpk_process *p, uint64_t bad, char *out, size_t size)
{
    const uint8_t *shadow = p->asan->shadow;
    uint64_t at = bad / GRANULE, words[2];
    const uint64_t lowest = at > STACK_SIZE / GRANULE ? at - STACK_SIZE / GRANULE : 0;
    while (at > lowest && shadow[at] != STACK_LEFT)
        at--;
    while (at > lowest && shadow[at - 1] == STACK_LEFT)
        at--;
    const void *frame = rv64_memory_at(p->memory, at * GRANULE, sizeof words, RV64_R);
    if (!frame)
        return;
    memcpy(words, frame, sizeof words);
    char text[512];
    size_t n = 0;
    const char *c;
    while (n + 1 < sizeof text && (c = rv64_memory_at(p->memory, words[1] + n, 1, RV64_R)) && *c)
        text[n++] = *c;
    text[n] = '\0';
    if (words[0] == 0x41b58ab3)
        put_variable(text, bad - at * GRANULE, out, size);
}

static void put_heap(struct dpk_process *p, uint64_t bad, char *out, size_t size)
{
    struct heap_place place;
    char where[60];
    pthread_mutex_lock(&p->heap_lock);
    const bool found = proc_heap_find(p->heap, bad, &place);
    pthread_mutex_unlock(&p->heap_lock);
    if (!found)
        return;
    put_relation(bad, place.address, place.size, where, sizeof where);
    snprintf(out, size, ", %s heap memory of %" PRIu64 " bytes at 0x%" PRIx64 "%s", where,
             place.size, place.address, place.freed ? ", which was freed" : "");
}

static void put_object(struct dpk_process *p, uint64_t bad, uint8_t reason, char *out, size_t size)
{
    *out = '\0';
    if (reason == HEAP_ZONE || reason == HEAP_FREED)
        put_heap(p, bad, out, size);
    else if (reason == GLOBAL_ZONE)
        put_global(p, bad, out, size);
    else if (reason == STACK_LEFT || reason == STACK_MIDDLE || reason == STACK_RIGHT ||
             reason == STACK_OUT_OF_SCOPE)
        put_stack_variable(p, bad, out, size);
}

/* ---- Reports ---- */

static void describe(struct hart *h, char *out, size_t size)
{
    struct dpk_process *p = h->process;
    const uint64_t *x = h->regs.x, from = x[A3];
    uint64_t bad = x[A0];
    char object[300], callers[300], line[100] = "";
    struct dpk_line at;
    (void)find_bad(p->asan, x[A0], x[A1], &bad);
    dpk_call_worked((bad > x[A0]          ? bad - x[A0]
                     : x[A1] < GUEST_SIZE ? x[A1]
                                          : GUEST_SIZE) /
                    GRANULE);
    const uint8_t reason = reason_at(p->asan, bad);
    put_object(p, bad, reason, object, sizeof object);
    proc_callers_put(h, from, callers, sizeof callers);
    const char *function = dpk_image_function_at(p->image, from - 1, NULL);
    if (dpk_line_find(p->image, from - 1, &at))
        snprintf(line, sizeof line, " (%.80s:%u)", at.file, at.line);
    snprintf(out, size,
             "thread %u: %s: %s of %" PRIu64 " bytes at address 0x%" PRIx64 "%s, in %.60s%s%s",
             h->id, kind_of(reason), x[A2] & DPA_ACCESS_WRITES ? "write" : "read", x[A1], x[A0],
             object, function ? function : "?", line, callers);
}

/* Returns whether a place was reported already, and marks it as reported. */
static bool is_told(struct asan *a, uint64_t place)
{
    size_t i = 0;
    pthread_mutex_lock(&a->lock);
    while (i < a->told_count && a->told[i] != place)
        i++;
    const bool told = i < a->told_count || i == TOLD_MAX;
    if (!told)
        a->told[a->told_count++] = place;
    pthread_mutex_unlock(&a->lock);
    return told;
}

bool proc_asan_report(struct hart *h, struct slice *s)
{
    struct dpk_process *p = h->process;
    const uint64_t *x = h->regs.x;
    char text[sizeof h->report];
    if (!p->asan || x[A0] >= GUEST_SIZE)
        return false;
    if (x[A2] & DPA_ACCESS_GOES_ON) {
        if (!is_told(p->asan, x[A3])) {
            describe(h, text, sizeof text);
            proc_finding_tell(p, text);
        }
        return false;
    }
    h->regs.pc -= 4; /* back on the ECALL */
    describe(h, h->report, sizeof h->report);
    s->end = SLICE_FAULT;
    h->cause = CAUSE_BAD_ACCESS;
    return true;
}

bool proc_asan_allows(struct dpk_process *p, uint64_t address, uint64_t size, struct dpk_error *err)
{
    uint64_t bad;
    char object[300];
    if (!p->asan || !find_bad(p->asan, address, size, &bad))
        return true;
    const uint8_t reason = reason_at(p->asan, bad);
    put_object(p, bad, reason, object, sizeof object);
    dpk_fail(err, DPK_ERR_RANGE, "0x%" PRIx64 ", %" PRIu64 " bytes: %s%s", address, size,
             kind_of(reason), object);
    return false;
}
