/* Functions that code compiled with -fsanitize=address calls before each access, which check the
 * shadow byte of each 8 bytes, and at the start and end of stack variables. The engine marks global
 * variables and the heap, and reports errors (engine/proc/asan.c). The functions are those of
 * compiler-rt/lib/asan/asan_interface_internal.h; "AddressSanitizerAlgorithm" describes shadow
 * bytes. */
#include "asan.h"
#include "guest/abi/syscall.h"

#include <stdbool.h>
#include <string.h>

enum { GRANULE = 8, ALLOCA_ZONE = 32 };
enum { STACK_LEFT = 0xf1, STACK_RIGHT = 0xf3, USER = 0xf7, OUT_OF_SCOPE = 0xf8 };
enum { ALLOCA_LEFT = 0xca, ALLOCA_RIGHT = 0xcb };

static int8_t *shadow_of(uint64_t at)
{
    return (int8_t *)(DPA_SHADOW_BASE + at / GRANULE);
}

/* Returns true if a byte is poisoned. In a granule with shadow n > 0, only the first n bytes are
 * valid. */
static inline bool is_bad_byte(uint64_t at)
{
    const int8_t shadow = *shadow_of(at);
    return shadow != 0 && (int8_t)(at % GRANULE) >= shadow;
}

/* Host memory in windows is above 4 GiB and is not checked. */
static inline bool is_bad(uint64_t at, uint64_t size)
{
    if (at >> 32 != 0)
        return false;
    return (at + size - 1) >> 32 != 0 || is_bad_byte(at + size - 1) ||
           (size > 1 && is_bad_byte(at));
}

static bool is_bad_range(uint64_t at, uint64_t size)
{
    if (size == 0 || at >> 32 != 0)
        return false;
    if (size >> 32 != 0 || (at + size - 1) >> 32 != 0)
        return true;
    for (uint64_t g = at; g < at + size; g = (g / GRANULE + 1) * GRANULE)
        if (is_bad_byte(g))
            return true;
    return is_bad_byte(at + size - 1);
}

static inline void report(uint64_t at, uint64_t size, uint64_t how, const void *from)
{
    dpa_call4(DPA_SYS_BAD_ACCESS, at, size, how, (uint64_t)from);
}

/* ---- Accesses ---- */

#define ACCESS(name, bytes, how)                                                                   \
    void __asan_##name##bytes(uint64_t at);                                                        \
    void __asan_##name##bytes##_noabort(uint64_t at);                                              \
    void __asan_##name##bytes(uint64_t at)                                                         \
    {                                                                                              \
        if (is_bad(at, bytes))                                                                     \
            report(at, bytes, how, __builtin_return_address(0));                                   \
    }                                                                                              \
    void __asan_##name##bytes##_noabort(uint64_t at)                                               \
    {                                                                                              \
        if (is_bad(at, bytes))                                                                     \
            report(at, bytes, (how) | DPA_ACCESS_GOES_ON, __builtin_return_address(0));            \
    }
#define ACCESSES(bytes) ACCESS(load, bytes, 0) ACCESS(store, bytes, DPA_ACCESS_WRITES)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define ACCESS_N(name, how)                                                                        \
    void __asan_##name##N(uint64_t at, uint64_t size);                                             \
    void __asan_##name##N_noabort(uint64_t at, uint64_t size);                                     \
    void __asan_##name##N(uint64_t at, uint64_t size)                                              \
    {                                                                                              \
        if (is_bad_range(at, size))                                                                \
            report(at, size, how, __builtin_return_address(0));                                    \
    }                                                                                              \
    void __asan_##name##N_noabort(uint64_t at, uint64_t size)                                      \
    {                                                                                              \
        if (is_bad_range(at, size))                                                                \
            report(at, size, (how) | DPA_ACCESS_GOES_ON, __builtin_return_address(0));             \
    }
ACCESS_N(load, 0)
ACCESS_N(store, DPA_ACCESS_WRITES)

void _dpa_asan_check(uint64_t at, uint64_t size, uint64_t how, const void *from)
{
    if (is_bad_range(at, size))
        report(at, size, how, from);
}

/* ---- Stack variables ---- */

/* Marks whole granules. */
static void mark(uint64_t at, uint64_t size, int value)
{
    memset(shadow_of(at), value, size / GRANULE);
}

/* Marks shadow bytes: `at` is in shadow memory. */
#define SET_SHADOW(name, value)                                                                    \
    void __asan_set_shadow_##name(void *at, size_t size);                                          \
    void __asan_set_shadow_##name(void *at, size_t size)                                           \
    {                                                                                              \
        memset(at, value, size);                                                                   \
    }
SET_SHADOW(00, 0)
SET_SHADOW(01, 1)
SET_SHADOW(02, 2)
SET_SHADOW(03, 3)
SET_SHADOW(04, 4)
SET_SHADOW(05, 5)
SET_SHADOW(06, 6)
SET_SHADOW(07, 7)
SET_SHADOW(f1, STACK_LEFT)
SET_SHADOW(f2, 0xf2)
SET_SHADOW(f3, STACK_RIGHT)
SET_SHADOW(f5, 0xf5)
SET_SHADOW(f8, OUT_OF_SCOPE)

void __asan_poison_stack_memory(uint64_t at, uint64_t size);
void __asan_poison_stack_memory(uint64_t at, uint64_t size)
{
    mark(at, (size + GRANULE - 1) / GRANULE * GRANULE, OUT_OF_SCOPE);
}

void __asan_unpoison_stack_memory(uint64_t at, uint64_t size);
void __asan_unpoison_stack_memory(uint64_t at, uint64_t size)
{
    mark(at, size / GRANULE * GRANULE, 0);
    if (size % GRANULE)
        *shadow_of(at + size) = (int8_t)(size % GRANULE);
}

/* Poisons the 32 bytes before a variable-length array, the padding to a multiple of 32 bytes after
 * it, and 32 more bytes. */
void __asan_alloca_poison(uint64_t at, uint64_t size);
void __asan_alloca_poison(uint64_t at, uint64_t size)
{
    const uint64_t end = at + size, right = (end + ALLOCA_ZONE - 1) / ALLOCA_ZONE * ALLOCA_ZONE;
    const uint64_t partial = end / GRANULE * GRANULE;
    mark(at - ALLOCA_ZONE, ALLOCA_ZONE, ALLOCA_LEFT);
    mark(partial, right + ALLOCA_ZONE - partial, ALLOCA_RIGHT);
    if (end % GRANULE)
        *shadow_of(end) = (int8_t)(end % GRANULE);
}

void __asan_allocas_unpoison(uint64_t top, uint64_t bottom);
void __asan_allocas_unpoison(uint64_t top, uint64_t bottom)
{
    if (top != 0 && top <= bottom)
        mark(top, bottom - top, 0);
}

/* ---- Functions for programs: <sanitizer/asan_interface.h> ---- */

void __asan_poison_memory_region(const volatile void *at, size_t size);
void __asan_poison_memory_region(const volatile void *at, size_t size)
{
    const uint64_t begin = ((uint64_t)at + GRANULE - 1) / GRANULE * GRANULE;
    const uint64_t end = ((uint64_t)at + size) / GRANULE * GRANULE;
    if (end >> 32 == 0 && begin < end)
        mark(begin, end - begin, USER);
}

void __asan_unpoison_memory_region(const volatile void *at, size_t size);
void __asan_unpoison_memory_region(const volatile void *at, size_t size)
{
    const uint64_t begin = (uint64_t)at / GRANULE * GRANULE, end = (uint64_t)at + size;
    if (end >> 32 == 0)
        __asan_unpoison_stack_memory(begin, end - begin);
}

/* ---- Functions without an effect ----
 *
 * Constructors do not run, because the engine finds global variables by their section. The engine
 * marks a stack as valid when a thread starts, so the end of a thread needs no action. */

void __asan_init(void);
void __asan_init(void)
{
}
void __asan_version_mismatch_check_v8(void);
void __asan_version_mismatch_check_v8(void)
{
}
void __asan_register_elf_globals(uint64_t flag, uint64_t begin, uint64_t end);
void __asan_register_elf_globals(uint64_t flag, uint64_t begin, uint64_t end)
{
    (void)flag, (void)begin, (void)end;
}
void __asan_unregister_elf_globals(uint64_t flag, uint64_t begin, uint64_t end);
void __asan_unregister_elf_globals(uint64_t flag, uint64_t begin, uint64_t end)
{
    (void)flag, (void)begin, (void)end;
}
void __asan_handle_no_return(void);
void __asan_handle_no_return(void)
{
}
