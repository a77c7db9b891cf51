/*
 * threads: what a thread knows about itself, barriers, fences, time, printf, assertions. Part of
 * cuda_runtime.h.
 */
#ifndef DPAKIT_CUDA_THREADS_H
#define DPAKIT_CUDA_THREADS_H

/* These functions have no lines of their own, so that reports name the line of the caller. */
#define DPAKIT_CUDA_DEVICE                                                                         \
    static __inline__ __attribute__((always_inline)) __attribute__((nodebug))                      \
    __attribute__((device))
#define DPAKIT_CUDA_RUNTIME  extern "C" __attribute__((device)) __attribute__((convergent))
#define DPAKIT_CUDA_REGISTER extern "C" __attribute__((device)) __attribute__((const))

/* Get members of the running thread (struct dpk_gpu_thread), by their offset in bytes. */
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_0(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_4(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_8(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_12(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_16(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_20(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_24(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_28(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_32(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_36(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_40(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_44(void);
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_48(void);           /* lane */
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_52(void);           /* warp */
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_56(void);           /* multiprocessor */
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_60(void);           /* their number */
DPAKIT_CUDA_REGISTER unsigned __dpk_gpu_u32_80(void);           /* bytes of dynamic shared memory */
DPAKIT_CUDA_REGISTER unsigned long long __dpk_gpu_u64_64(void); /* shared memory */
DPAKIT_CUDA_REGISTER unsigned long long __dpk_gpu_u64_72(void); /* its dynamic part */
DPAKIT_CUDA_REGISTER unsigned long long __dpk_gpu_u64_96(void); /* number of the launch */

#define DPAKIT_CUDA_BUILTIN(type, a, b, c, vector)                                                 \
    struct type {                                                                                  \
        __declspec(property(get = get_x)) unsigned x;                                              \
        __declspec(property(get = get_y)) unsigned y;                                              \
        __declspec(property(get = get_z)) unsigned z;                                              \
        static __inline__ __attribute__((always_inline)) __attribute__((device)) unsigned get_x()  \
        {                                                                                          \
            return __dpk_gpu_u32_##a();                                                            \
        }                                                                                          \
        static __inline__ __attribute__((always_inline)) __attribute__((device)) unsigned get_y()  \
        {                                                                                          \
            return __dpk_gpu_u32_##b();                                                            \
        }                                                                                          \
        static __inline__ __attribute__((always_inline)) __attribute__((device)) unsigned get_z()  \
        {                                                                                          \
            return __dpk_gpu_u32_##c();                                                            \
        }                                                                                          \
        __attribute__((device)) operator dim3() const                                              \
        {                                                                                          \
            return dim3(get_x(), get_y(), get_z());                                                \
        }                                                                                          \
        __attribute__((device)) operator uint3() const                                             \
        {                                                                                          \
            return uint3{get_x(), get_y(), get_z()};                                               \
        }                                                                                          \
    }
DPAKIT_CUDA_BUILTIN(dpakit_cuda_tid, 0, 4, 8, uint3);
DPAKIT_CUDA_BUILTIN(dpakit_cuda_ntid, 12, 16, 20, dim3);
DPAKIT_CUDA_BUILTIN(dpakit_cuda_ctaid, 24, 28, 32, uint3);
DPAKIT_CUDA_BUILTIN(dpakit_cuda_nctaid, 36, 40, 44, dim3);
#undef DPAKIT_CUDA_BUILTIN

/* The position of the thread in its block and of the block in the grid, and the sizes of block and
 * grid. */
extern const __attribute__((device)) __attribute__((weak)) dpakit_cuda_tid threadIdx;
extern const __attribute__((device)) __attribute__((weak)) dpakit_cuda_ntid blockDim;
extern const __attribute__((device)) __attribute__((weak)) dpakit_cuda_ctaid blockIdx;
extern const __attribute__((device)) __attribute__((weak)) dpakit_cuda_nctaid gridDim;
__attribute__((device)) const int warpSize = 32;

/* ---- Functions of the emulated GPU ---- */

DPAKIT_CUDA_RUNTIME unsigned dpk_gpu_barrier(unsigned value);
DPAKIT_CUDA_RUNTIME void dpk_gpu_barrier_named(unsigned number, unsigned threads);
DPAKIT_CUDA_RUNTIME void dpk_gpu_barrier_arrive(unsigned number, unsigned threads);
DPAKIT_CUDA_RUNTIME void dpk_gpu_barrier_grid(void);
DPAKIT_CUDA_RUNTIME unsigned long long dpk_gpu_warp(unsigned operation, unsigned mask,
                                                    unsigned long long value, unsigned source);
DPAKIT_CUDA_RUNTIME unsigned dpk_gpu_active(void);
DPAKIT_CUDA_RUNTIME void dpk_gpu_yield(void);
DPAKIT_CUDA_RUNTIME void dpk_gpu_sleep(unsigned nanoseconds);
DPAKIT_CUDA_RUNTIME unsigned long long dpk_gpu_clock(void);
DPAKIT_CUDA_RUNTIME unsigned long long dpk_gpu_globaltimer(void);
DPAKIT_CUDA_RUNTIME __attribute__((noreturn)) void dpk_gpu_trap(void);
DPAKIT_CUDA_RUNTIME void dpk_gpu_cas128(void *at, void *expected, const void *desired);

/* Waits for all threads of the block that have not ended. If the threads of a block wait for each
 * other forever, the block ends with an error that names the lines. */
DPAKIT_CUDA_DEVICE void dpakit_cuda_syncthreads(void)
{
    dpk_gpu_barrier(0);
}
#define __syncthreads() dpakit_cuda_syncthreads() /* clang has a function of this name */
/* Do the same. They return the number of threads whose value is not 0, whether all values are not
 * 0, and whether any is not 0. */
DPAKIT_CUDA_DEVICE int __syncthreads_count(int predicate)
{
    return (int)dpk_gpu_barrier(predicate != 0);
}
DPAKIT_CUDA_DEVICE int __syncthreads_and(int predicate)
{
    return dpk_gpu_barrier(predicate == 0) == 0;
}
DPAKIT_CUDA_DEVICE int __syncthreads_or(int predicate)
{
    return dpk_gpu_barrier(predicate != 0) != 0;
}

/* Fences: other threads see the writes before the fence before they see the writes after it. They
 * order writes for the block, for the device, and for the whole machine. */
DPAKIT_CUDA_DEVICE void __threadfence_block(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
DPAKIT_CUDA_DEVICE void __threadfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
DPAKIT_CUDA_DEVICE void __threadfence_system(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Return the cycles of a counter, and nanoseconds since 1970. */
DPAKIT_CUDA_DEVICE long long clock64(void)
{
    return (long long)dpk_gpu_clock();
}
DPAKIT_CUDA_DEVICE long clock(void)
{
    return (long)dpk_gpu_clock();
}
DPAKIT_CUDA_DEVICE unsigned long long __globaltimer(void)
{
    return dpk_gpu_globaltimer();
}
/* Waits at least this long, while other threads run. */
DPAKIT_CUDA_DEVICE void __nanosleep(unsigned nanoseconds)
{
    dpk_gpu_sleep(nanoseconds);
}
/* Ends the grid with cudaErrorLaunchFailure. */
DPAKIT_CUDA_DEVICE void __trap(void)
{
    dpk_gpu_trap();
}
DPAKIT_CUDA_DEVICE void __brkpt(void)
{
    dpk_gpu_trap();
}

/* Functions of the C library for the device. */
extern "C" __attribute__((device)) int printf(const char *format, ...);
extern "C" __attribute__((device)) int vprintf(const char *format, void *arguments);
extern "C" __attribute__((device)) void *malloc(size_t size);
extern "C" __attribute__((device)) void free(void *at);
extern "C" __attribute__((device)) void *memcpy(void *to, const void *from, size_t size);
extern "C" __attribute__((device)) void *memmove(void *to, const void *from, size_t size);
extern "C" __attribute__((device)) void *memset(void *at, int value, size_t size);
extern "C" __attribute__((device)) int memcmp(const void *a, const void *b, size_t size);
extern "C" __attribute__((device)) size_t strlen(const char *text);
extern "C" __attribute__((device)) int strcmp(const char *a, const char *b);
extern "C" __attribute__((device)) int strncmp(const char *a, const char *b, size_t size);
extern "C" __attribute__((device)) char *strcpy(char *to, const char *from);
extern "C" __attribute__((device)) char *strncpy(char *to, const char *from, size_t size);
extern "C" __attribute__((device)) __attribute__((noreturn)) void
__assert_fail(const char *what, const char *file, unsigned line, const char *function);

/* Loads that a GPU caches in different ways. Here they are plain loads. */
#define DPAKIT_CUDA_LOAD(name, T)                                                                  \
    template <class T> DPAKIT_CUDA_DEVICE T name(const T *at)                                      \
    {                                                                                              \
        return *at;                                                                                \
    }
DPAKIT_CUDA_LOAD(__ldg, T)
DPAKIT_CUDA_LOAD(__ldca, T)
DPAKIT_CUDA_LOAD(__ldcs, T)
DPAKIT_CUDA_LOAD(__ldcg, T)
DPAKIT_CUDA_LOAD(__ldlu, T)
#undef DPAKIT_CUDA_LOAD
template <class T> DPAKIT_CUDA_DEVICE T __ldcv(const T *at)
{
    return *(const volatile T *)at;
}
#define DPAKIT_CUDA_STORE(name, T)                                                                 \
    template <class T> DPAKIT_CUDA_DEVICE void name(T *at, T value)                                \
    {                                                                                              \
        *at = value;                                                                               \
    }
DPAKIT_CUDA_STORE(__stwb, T)
DPAKIT_CUDA_STORE(__stcg, T)
DPAKIT_CUDA_STORE(__stcs, T)
DPAKIT_CUDA_STORE(__stwt, T)
#undef DPAKIT_CUDA_STORE

/* Conversions of addresses. Here all kinds of memory have the same addresses. */
DPAKIT_CUDA_DEVICE size_t __cvta_generic_to_shared(const void *at)
{
    return (size_t)at;
}
DPAKIT_CUDA_DEVICE void *__cvta_shared_to_generic(size_t at)
{
    return (void *)at;
}
DPAKIT_CUDA_DEVICE size_t __cvta_generic_to_global(const void *at)
{
    return (size_t)at;
}
DPAKIT_CUDA_DEVICE unsigned __isShared(const void *at)
{
    return (unsigned long long)at - __dpk_gpu_u64_64() < 232448u;
}
DPAKIT_CUDA_DEVICE unsigned __isGlobal(const void *at)
{
    return !__isShared(at);
}

#endif
