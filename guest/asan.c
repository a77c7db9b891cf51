/*
 * What code that is compiled with -fsanitize=address calls: before each access, whether the bytes may be
 * accessed, which a byte of shadow memory tells for each 8 bytes; and to mark variables of the stack
 * that begin or end. The engine marks variables and the heap, and reports what is wrong (engine/proc/asan.c).
 * The functions are those of compiler-rt/lib/asan/asan_interface_internal.h, and the meaning of shadow
 * bytes is that of "AddressSanitizerAlgorithm", its documentation.
 */
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

/* Whether a byte may not be accessed: of a granule with a positive shadow only so many bytes may. */
static inline bool is_bad_byte(uint64_t at)
{
    const int8_t shadow = *shadow_of(at);
    return shadow != 0 && (int8_t)(at % GRANULE) >= shadow;
}

/* Memory of the host, which windows show, is not watched: it lies above 4 GiB. */
static inline bool is_bad(uint64_t at, uint64_t size)
{
    return at >> 32 == 0 && (is_bad_byte(at + size - 1) || (size > 1 && is_bad_byte(at)));
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

/* ---- Variables of the stack ---- */

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

/* Arrays of variable length have 32 bytes before them, and what fills up to 32 bytes and 32 more
 * behind. */
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

/* ---- What programs call themselves: <sanitizer/asan_interface.h> ---- */

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

/* ---- What has nothing to do ---- Constructors do not run: the engine finds global variables by their
 * section. It marks a stack as empty when a thread begins, so nothing is to be done before it ends. */

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
