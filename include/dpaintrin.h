/*
 * dpaintrin: operations of a DPA thread that C cannot express: fences, cache control, counters and
 * fixed-point arithmetic (DPA development guide, "Memory Model" and "DPA-specific Operations").
 */
#ifndef DPAINTRIN_H
#define DPAINTRIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DPA_INTRIN_VERSION(major, minor) ((major)*1000 + (minor))
#define DPA_INTRIN_VERSION_LATEST        DPA_INTRIN_VERSION(1, 3)
#ifndef DPA_INTRIN_VERSION_USED
#define DPA_INTRIN_VERSION_USED DPA_INTRIN_VERSION(1, 3)
#endif
#if DPA_INTRIN_VERSION_USED > DPA_INTRIN_VERSION_LATEST
#error "DPA_INTRIN_VERSION_USED: this dpaintrin.h knows versions up to 1.3"
#endif

/* Memory spaces. */
#define __DPA_HEAP   1
#define __DPA_MEMORY 2
#define __DPA_MMIO   4
#define __DPA_SYSTEM 8
/* Kinds of operations before and after a fence. */
#define __DPA_R  1
#define __DPA_W  2
#define __DPA_RW 3

/* The compiler moves no memory access across this barrier; the processor may. */
#define __dpa_compiler_barrier() __asm__ volatile("" ::: "memory")

/* Code compiled with -fsanitize=thread reports its fences to the engine. */
#define __dpa_tell_fence(pred, succ) ((void)(pred), (void)(succ))
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#undef __dpa_tell_fence
#define __dpa_tell_fence(pred, succ) __tsan_dpa_fence(pred, succ)
#endif
#endif
void __tsan_dpa_fence(int pred, int succ);

/* Operations of kind `pred` before it are visible to DPA threads, host, NIC and peers before those of
 * kind `succ` after it, in that memory space. Here each fence orders all spaces and kinds. The
 * instruction holds the requested spaces and kinds for DPAKIT_STRICT=memory (dparun(1)): input and
 * output are loads and stores of windows. */
static inline void __dpa_thread_fence(int space, int pred, int succ)
{
    if (space == __DPA_HEAP || space == __DPA_MEMORY)
        __asm__ volatile("fence rw, iorw" ::: "memory");
    else if (space == __DPA_MMIO && pred == __DPA_W)
        __asm__ volatile("fence orw, iorw" ::: "memory");
    else if (space == __DPA_MMIO && pred == __DPA_R)
        __asm__ volatile("fence irw, iorw" ::: "memory");
    else
        __asm__ volatile("fence iorw, iorw" ::: "memory");
    __dpa_tell_fence(pred, succ);
}

#define __dpa_thread_memory_fence(pred, succ) __dpa_thread_fence(__DPA_MEMORY, (pred), (succ))
#define __dpa_thread_outbox_fence(pred, succ) __dpa_thread_fence(__DPA_MMIO, (pred), (succ))
#define __dpa_thread_window_fence(pred, succ) __dpa_thread_fence(__DPA_MMIO, (pred), (succ))
#define __dpa_thread_system_fence()           __dpa_thread_fence(__DPA_SYSTEM, __DPA_RW, __DPA_RW)
#define __dpa_thread_window_read_inv()        __dpa_thread_fence(__DPA_MMIO, __DPA_R, __DPA_R)
#define __dpa_thread_window_writeback()       __dpa_thread_fence(__DPA_MMIO, __DPA_W, __DPA_W)
#define __dpa_thread_memory_writeback()       __dpa_thread_fence(__DPA_MEMORY, __DPA_W, __DPA_W)
#define __dpa_thread_writeback_memory()       __dpa_thread_memory_writeback() /* also in the guide */

/* A hint: the contents of the cache line at `address` are no longer needed. */
#define __dpa_data_ignore(address)                                                                 \
    do {                                                                                           \
        (void)(address);                                                                           \
        __dpa_compiler_barrier();                                                                  \
    } while (0)

/* Cycles of the execution unit that the thread is on. */
static inline uint64_t __dpa_thread_cycles(void)
{
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

/* Instructions retired by the execution unit that the thread is on. */
static inline uint64_t __dpa_thread_inst_ret(void)
{
    uint64_t value;
    __asm__ volatile("rdinstret %0" : "=r"(value)::"memory");
    return value;
}

/* Microseconds since an arbitrary start. */
uint64_t __dpa_thread_time(void);

/* ConnectX-8 and later. The first-level cache goes back to memory. */
#if defined(__NV_DPA) && __NV_DPA >= __NV_DPA_CX8
static inline void __dpa_thread_l1_flush(void)
{
    __dpa_thread_fence(__DPA_MEMORY, __DPA_RW, __DPA_RW);
}

/* Atomic compare-exchange that other DPAs see too: as GCC's __atomic_compare_exchange_n, true if
 * `*(ptr)` was `*(expected)` and is `desired` now. Orders are GCC's __ATOMIC_ constants. */
#define __dpa_remote_atomic_compare_exchange(ptr, expected, desired, success, failure)             \
    __atomic_compare_exchange_n((ptr), (expected), (desired), 0, (success), (failure))
#endif

/* Base-2 logarithm of an integer, as Q16.16; of 0: the smallest int. */
int __dpa_fxp_log2(unsigned int x);
/* 1/x, both Q16.16, rounded to nearest; saturates. */
int __dpa_fxp_rcp(int x);
/* 2^x, both Q16.16, rounded to nearest; saturates. */
int __dpa_fxp_pow2(int x);

#ifdef __cplusplus
}
#endif

#endif
