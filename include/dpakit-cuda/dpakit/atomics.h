/*
 * atomics: atomic functions of CUDA, for the device, the block (_block) and the whole machine
 * (_system), which is the same here. Each returns the former value. Part of cuda_runtime.h.
 */
#ifndef DPAKIT_CUDA_ATOMICS_H
#define DPAKIT_CUDA_ATOMICS_H

#include "threads.h"

/* The integer type of a size in bytes. */
template <unsigned Size> struct dpakit_cuda_word;
template <> struct dpakit_cuda_word<1> {
    typedef unsigned char type;
};
template <> struct dpakit_cuda_word<2> {
    typedef unsigned short type;
};
template <> struct dpakit_cuda_word<4> {
    typedef unsigned int type;
};
template <> struct dpakit_cuda_word<8> {
    typedef unsigned long long type;
};

/* Computes a new value, and repeats this until no other thread has changed the value meanwhile. */
template <class T, class Change> DPAKIT_CUDA_DEVICE T dpakit_cuda_change(T *at, Change change)
{
    typedef typename dpakit_cuda_word<sizeof(T)>::type word;
    word *place = (word *)at;
    word old = __atomic_load_n(place, __ATOMIC_RELAXED);
    for (;;) {
        T value;
        __builtin_memcpy(&value, &old, sizeof value);
        const T changed = change(value);
        word next;
        __builtin_memcpy(&next, &changed, sizeof next);
        if (__atomic_compare_exchange_n(place, &old, next, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return value;
    }
}

/* ---- Integers ---- */

#define DPAKIT_CUDA_FETCH(name, T, builtin)                                                        \
    DPAKIT_CUDA_DEVICE T name(T *at, T value)                                                      \
    {                                                                                              \
        return builtin(at, value, __ATOMIC_RELAXED);                                               \
    }
#define DPAKIT_CUDA_FETCH_EACH(name, builtin)                                                      \
    DPAKIT_CUDA_FETCH(name, int, builtin)                                                          \
    DPAKIT_CUDA_FETCH(name, unsigned int, builtin)                                                 \
    DPAKIT_CUDA_FETCH(name, unsigned long long, builtin)                                           \
    DPAKIT_CUDA_FETCH(name, long long, builtin)                                                    \
    DPAKIT_CUDA_FETCH(name, unsigned long, builtin)                                                \
    DPAKIT_CUDA_FETCH(name, long, builtin)
DPAKIT_CUDA_FETCH_EACH(atomicAdd, __atomic_fetch_add)
DPAKIT_CUDA_FETCH_EACH(atomicAdd_block, __atomic_fetch_add)
DPAKIT_CUDA_FETCH_EACH(atomicAdd_system, __atomic_fetch_add)
DPAKIT_CUDA_FETCH_EACH(atomicSub, __atomic_fetch_sub)
DPAKIT_CUDA_FETCH_EACH(atomicSub_block, __atomic_fetch_sub)
DPAKIT_CUDA_FETCH_EACH(atomicSub_system, __atomic_fetch_sub)
DPAKIT_CUDA_FETCH_EACH(atomicAnd, __atomic_fetch_and)
DPAKIT_CUDA_FETCH_EACH(atomicAnd_block, __atomic_fetch_and)
DPAKIT_CUDA_FETCH_EACH(atomicAnd_system, __atomic_fetch_and)
DPAKIT_CUDA_FETCH_EACH(atomicOr, __atomic_fetch_or)
DPAKIT_CUDA_FETCH_EACH(atomicOr_block, __atomic_fetch_or)
DPAKIT_CUDA_FETCH_EACH(atomicOr_system, __atomic_fetch_or)
DPAKIT_CUDA_FETCH_EACH(atomicXor, __atomic_fetch_xor)
DPAKIT_CUDA_FETCH_EACH(atomicXor_block, __atomic_fetch_xor)
DPAKIT_CUDA_FETCH_EACH(atomicXor_system, __atomic_fetch_xor)
DPAKIT_CUDA_FETCH_EACH(atomicMin, __atomic_fetch_min)
DPAKIT_CUDA_FETCH_EACH(atomicMin_block, __atomic_fetch_min)
DPAKIT_CUDA_FETCH_EACH(atomicMin_system, __atomic_fetch_min)
DPAKIT_CUDA_FETCH_EACH(atomicMax, __atomic_fetch_max)
DPAKIT_CUDA_FETCH_EACH(atomicMax_block, __atomic_fetch_max)
DPAKIT_CUDA_FETCH_EACH(atomicMax_system, __atomic_fetch_max)
DPAKIT_CUDA_FETCH_EACH(atomicExch, __atomic_exchange_n)
DPAKIT_CUDA_FETCH_EACH(atomicExch_block, __atomic_exchange_n)
DPAKIT_CUDA_FETCH_EACH(atomicExch_system, __atomic_exchange_n)

#define DPAKIT_CUDA_CAS(name, T)                                                                   \
    DPAKIT_CUDA_DEVICE T name(T *at, T compare, T value)                                           \
    {                                                                                              \
        __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST,                  \
                                    __ATOMIC_SEQ_CST);                                             \
        return compare;                                                                            \
    }
#define DPAKIT_CUDA_CAS_EACH(name)                                                                 \
    DPAKIT_CUDA_CAS(name, int)                                                                     \
    DPAKIT_CUDA_CAS(name, unsigned int)                                                            \
    DPAKIT_CUDA_CAS(name, unsigned long long)                                                      \
    DPAKIT_CUDA_CAS(name, long long)                                                               \
    DPAKIT_CUDA_CAS(name, unsigned long)                                                           \
    DPAKIT_CUDA_CAS(name, long)                                                                    \
    DPAKIT_CUDA_CAS(name, unsigned short)
DPAKIT_CUDA_CAS_EACH(atomicCAS)
DPAKIT_CUDA_CAS_EACH(atomicCAS_block)
DPAKIT_CUDA_CAS_EACH(atomicCAS_system)

/* ---- Changes that no instruction makes ---- */

/* `changed` is the new value, made of `old` and `value`. */
#define DPAKIT_CUDA_CHANGE(name, T, changed)                                                       \
    DPAKIT_CUDA_DEVICE T name(T *at, T value)                                                      \
    {                                                                                              \
        return dpakit_cuda_change(at, [=](T old) { return changed; });                             \
    }
DPAKIT_CUDA_CHANGE(atomicAdd, float, old + value)
DPAKIT_CUDA_CHANGE(atomicAdd_block, float, old + value)
DPAKIT_CUDA_CHANGE(atomicAdd_system, float, old + value)
DPAKIT_CUDA_CHANGE(atomicAdd, double, old + value)
DPAKIT_CUDA_CHANGE(atomicAdd_block, double, old + value)
DPAKIT_CUDA_CHANGE(atomicAdd_system, double, old + value)
DPAKIT_CUDA_CHANGE(atomicExch, float, ((void)old, value))
DPAKIT_CUDA_CHANGE(atomicExch_block, float, ((void)old, value))
DPAKIT_CUDA_CHANGE(atomicExch_system, float, ((void)old, value))
/* Count up and down, and wrap at `value`. */
DPAKIT_CUDA_CHANGE(atomicInc, unsigned int, old >= value ? 0u : old + 1)
DPAKIT_CUDA_CHANGE(atomicInc_block, unsigned int, old >= value ? 0u : old + 1)
DPAKIT_CUDA_CHANGE(atomicInc_system, unsigned int, old >= value ? 0u : old + 1)
DPAKIT_CUDA_CHANGE(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
DPAKIT_CUDA_CHANGE(atomicDec_block, unsigned int, old == 0 || old > value ? value : old - 1)
DPAKIT_CUDA_CHANGE(atomicDec_system, unsigned int, old == 0 || old > value ? value : old - 1)

#undef DPAKIT_CUDA_FETCH
#undef DPAKIT_CUDA_FETCH_EACH
#undef DPAKIT_CUDA_CAS
#undef DPAKIT_CUDA_CAS_EACH
#undef DPAKIT_CUDA_CHANGE

/* 16 bytes, aligned to 16. */
template <class T> DPAKIT_CUDA_DEVICE T atomicCAS128(T *at, T compare, T value)
{
    static_assert(sizeof(T) == 16, "16 bytes");
    dpk_gpu_cas128(at, &compare, &value);
    return compare;
}

#endif
