/*
 * Code that is compiled with -fsanitize=thread calls these functions: at each access to memory that threads
 * may share, and instead of atomic operations, which are carried out here. Each call notifies the engine,
 * which finds races (engine/proc/tsan.c). The functions are those of compiler-rt/lib/tsan/rtl/tsan_interface.h and
 * tsan_interface_atomic.h.
 */
#include "guest/abi/syscall.h"

#include <dpaintrin.h>
#include <stdbool.h>
#include <string.h>

enum { STACK_STRIDE = 0x20000 }; /* each stack is in a separate range (engine/proc/layout.h) */

/* A thread's own stack, and host memory in windows, are not checked. */
static inline bool is_own(uint64_t at)
{
    return at >> 32 != 0 || (at ^ (uint64_t)__builtin_frame_address(0)) < STACK_STRIDE;
}

static inline void tell(uint64_t at, uint64_t size, uint64_t how, const void *from)
{
    if (!is_own(at) && size)
        dpa_call4(DPA_SYS_ACCESS, at, size, how, (uint64_t)from);
}
#define FROM __builtin_return_address(0)

/* ---- Loads and stores ---- */

#define ACCESS(name, bytes, how)                                                                   \
    void __tsan_##name##bytes(uint64_t at);                                                        \
    void __tsan_##name##bytes(uint64_t at)                                                         \
    {                                                                                              \
        tell(at, bytes, how, FROM);                                                                \
    }
#define BOTH(begin, bytes, how)                                                                    \
    ACCESS(begin##read, bytes, how) ACCESS(begin##write, bytes, how | DPA_ACCESS_WRITES)
#define KINDS(bytes)                                                                               \
    BOTH(, bytes, 0)                                                                               \
    BOTH(volatile_, bytes, DPA_ACCESS_ATOMIC)                                                      \
    BOTH(unaligned_, bytes, 0)                                                                     \
    BOTH(unaligned_volatile_, bytes, DPA_ACCESS_ATOMIC)                                            \
    ACCESS(read_write, bytes, DPA_ACCESS_WRITES)                                                   \
    ACCESS(unaligned_read_write, bytes, DPA_ACCESS_WRITES)
KINDS(1)
KINDS(2)
KINDS(4)
KINDS(8)
KINDS(16)

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    tell((uint64_t)from, size, 0, FROM);
    tell((uint64_t)to, size, DPA_ACCESS_WRITES, FROM);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size)
{
    tell((uint64_t)from, size, 0, FROM);
    tell((uint64_t)to, size, DPA_ACCESS_WRITES, FROM);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size);
void *__tsan_memset(void *to, int value, size_t size)
{
    tell((uint64_t)to, size, DPA_ACCESS_WRITES, FROM);
    return memset(to, value, size);
}

int __tsan_memcmp(const void *a, const void *b, size_t size);
int __tsan_memcmp(const void *a, const void *b, size_t size)
{
    tell((uint64_t)a, size, 0, FROM);
    tell((uint64_t)b, size, 0, FROM);
    return memcmp(a, b, size);
}

/* ---- Atomics ---- Orders are those of C11: relaxed, consume, acquire, release, both,
 * sequential. */

static inline uint64_t releases(int order)
{
    return order >= __ATOMIC_RELEASE ? DPA_ACCESS_RELEASES : 0;
}

static inline uint64_t acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE ? DPA_ACCESS_ACQUIRES : 0;
}

/* The engine is informed before a store, so that a reader of the value finds the earlier accesses;
 * and after a load. */
static inline void before_store(uint64_t at, uint64_t size, int order, const void *from)
{
    tell(at, size, DPA_ACCESS_WRITES | DPA_ACCESS_ATOMIC | releases(order), from);
}

static inline void after_load(uint64_t at, uint64_t size, int order, const void *from)
{
    tell(at, size, DPA_ACCESS_ATOMIC | DPA_ACCESS_LOADED | acquires(order), from);
}

static inline void before_exchange(uint64_t at, uint64_t size, int order, const void *from)
{
    tell(at, size, DPA_ACCESS_WRITES | DPA_ACCESS_ATOMIC | releases(order) | acquires(order), from);
}

static inline void after_exchange(uint64_t at, uint64_t size, int order, const void *from)
{
    tell(at, size, DPA_ACCESS_ATOMIC | DPA_ACCESS_LOADED | DPA_ACCESS_TOLD | acquires(order), from);
}

#define EXCHANGE(bits, name, operation)                                                            \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t value,          \
                                                int order);                                        \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t value,          \
                                                int order)                                         \
    {                                                                                              \
        before_exchange((uint64_t)at, bits / 8, order, FROM);                                      \
        const uint##bits##_t old = operation(at, value, __ATOMIC_SEQ_CST);                         \
        after_exchange((uint64_t)at, bits / 8, order, FROM);                                       \
        return old;                                                                                \
    }
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order);                \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order)                 \
    {                                                                                              \
        const uint##bits##_t value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                        \
        after_load((uint64_t)at, bits / 8, order, FROM);                                           \
        return value;                                                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int order);         \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int order)          \
    {                                                                                              \
        before_store((uint64_t)at, bits / 8, order, FROM);                                         \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    EXCHANGE(bits, exchange, __atomic_exchange_n)                                                  \
    EXCHANGE(bits, fetch_add, __atomic_fetch_add)                                                  \
    EXCHANGE(bits, fetch_sub, __atomic_fetch_sub)                                                  \
    EXCHANGE(bits, fetch_and, __atomic_fetch_and)                                                  \
    EXCHANGE(bits, fetch_or, __atomic_fetch_or)                                                    \
    EXCHANGE(bits, fetch_xor, __atomic_fetch_xor)                                                  \
    EXCHANGE(bits, fetch_nand, __atomic_fetch_nand)                                                \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order,              \
        int failure);                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order, int failure) \
    {                                                                                              \
        before_exchange((uint64_t)at, bits / 8, order, FROM);                                      \
        const bool done = __atomic_compare_exchange_n(at, &expected, value, false,                 \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        after_exchange((uint64_t)at, bits / 8, done ? order : failure, FROM);                      \
        return expected;                                                                           \
    }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    dpa_call4(DPA_SYS_FENCE,
              (releases(order) ? DPA_FENCE_RELEASES : 0) |
                  (acquires(order) ? DPA_FENCE_ACQUIRES : 0),
              0, 0, 0);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __asm__ volatile("" ::: "memory");
}

/* __dpa_thread_fence calls this in code compiled with -fsanitize=thread. */
void __tsan_dpa_fence(int before, int behind)
{
    dpa_call4(DPA_SYS_FENCE,
              (behind & __DPA_W ? DPA_FENCE_RELEASES : 0) |
                  (before & __DPA_R ? DPA_FENCE_ACQUIRES : 0),
              0, 0, 0);
}

/* Constructors do not run, so this has no effect. */
void __tsan_init(void);
void __tsan_init(void)
{
}
