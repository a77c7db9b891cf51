/*
 * atomics: atomic functions of CUDA, for the device, the block (_block) and the whole machine
 * (_system), which is the same here. Each returns the former value. Part of cuda_runtime.h.
 */
#ifndef DPAKIT_CUDA_ATOMICS_H
#define DPAKIT_CUDA_ATOMICS_H

#include "threads.h"

/* The integer of a size. */
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

/* Repeats until nobody has changed the value meanwhile. */
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
DPAKIT_CUDA_DEVICE int atomicAdd(int *at, int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicSub(int *at, int value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicAnd(int *at, int value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicOr(int *at, int value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicXor(int *at, int value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicMin(int *at, int value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicMax(int *at, int value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicExch(int *at, int value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicAdd(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicSub(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicAnd(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicOr(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicXor(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicMin(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicMax(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicExch(unsigned int *at, unsigned int value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicAdd(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicSub(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicAnd(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicOr(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicXor(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicMin(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicMax(unsigned long long *at, unsigned long long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicExch(unsigned long long *at, unsigned long long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicAdd(long long *at, long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicSub(long long *at, long long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicAnd(long long *at, long long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicOr(long long *at, long long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicXor(long long *at, long long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicMin(long long *at, long long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicMax(long long *at, long long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicExch(long long *at, long long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicAdd(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicSub(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicAnd(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicOr(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicXor(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicMin(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicMax(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicExch(unsigned long *at, unsigned long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicAdd(long *at, long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicSub(long *at, long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicAnd(long *at, long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicOr(long *at, long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicXor(long *at, long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicMin(long *at, long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicMax(long *at, long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicExch(long *at, long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicCAS(int *at, int compare, int value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned int atomicCAS(unsigned int *at, unsigned int compare,
                                          unsigned int value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned long long atomicCAS(unsigned long long *at, unsigned long long compare,
                                                unsigned long long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE long long atomicCAS(long long *at, long long compare, long long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned long atomicCAS(unsigned long *at, unsigned long compare,
                                           unsigned long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE long atomicCAS(long *at, long compare, long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned short atomicCAS(unsigned short *at, unsigned short compare,
                                            unsigned short value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE float atomicAdd(float *at, float value)
{
    return dpakit_cuda_change(at, [=](float old) { return old + value; });
}
DPAKIT_CUDA_DEVICE double atomicAdd(double *at, double value)
{
    return dpakit_cuda_change(at, [=](double old) { return old + value; });
}
DPAKIT_CUDA_DEVICE float atomicExch(float *at, float value)
{
    return dpakit_cuda_change(at, [=](float) { return value; });
}
DPAKIT_CUDA_DEVICE unsigned int atomicInc(unsigned int *at, unsigned int most)
{
    return dpakit_cuda_change(at, [=](unsigned int old) { return old >= most ? 0u : old + 1; });
}
DPAKIT_CUDA_DEVICE unsigned int atomicDec(unsigned int *at, unsigned int most)
{
    return dpakit_cuda_change(
        at, [=](unsigned int old) { return old == 0 || old > most ? most : old - 1; });
}
DPAKIT_CUDA_DEVICE int atomicAdd_block(int *at, int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicSub_block(int *at, int value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicAnd_block(int *at, int value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicOr_block(int *at, int value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicXor_block(int *at, int value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicMin_block(int *at, int value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicMax_block(int *at, int value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicExch_block(int *at, int value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicAdd_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicSub_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicAnd_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicOr_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicXor_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicMin_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicMax_block(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicExch_block(unsigned int *at, unsigned int value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicAdd_block(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicSub_block(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicAnd_block(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicOr_block(unsigned long long *at,
                                                     unsigned long long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicXor_block(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicMin_block(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicMax_block(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicExch_block(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicAdd_block(long long *at, long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicSub_block(long long *at, long long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicAnd_block(long long *at, long long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicOr_block(long long *at, long long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicXor_block(long long *at, long long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicMin_block(long long *at, long long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicMax_block(long long *at, long long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicExch_block(long long *at, long long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicAdd_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicSub_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicAnd_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicOr_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicXor_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicMin_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicMax_block(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicExch_block(unsigned long *at, unsigned long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicAdd_block(long *at, long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicSub_block(long *at, long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicAnd_block(long *at, long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicOr_block(long *at, long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicXor_block(long *at, long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicMin_block(long *at, long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicMax_block(long *at, long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicExch_block(long *at, long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicCAS_block(int *at, int compare, int value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned int atomicCAS_block(unsigned int *at, unsigned int compare,
                                                unsigned int value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned long long
atomicCAS_block(unsigned long long *at, unsigned long long compare, unsigned long long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE long long atomicCAS_block(long long *at, long long compare, long long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned long atomicCAS_block(unsigned long *at, unsigned long compare,
                                                 unsigned long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE long atomicCAS_block(long *at, long compare, long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned short atomicCAS_block(unsigned short *at, unsigned short compare,
                                                  unsigned short value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE float atomicAdd_block(float *at, float value)
{
    return dpakit_cuda_change(at, [=](float old) { return old + value; });
}
DPAKIT_CUDA_DEVICE double atomicAdd_block(double *at, double value)
{
    return dpakit_cuda_change(at, [=](double old) { return old + value; });
}
DPAKIT_CUDA_DEVICE float atomicExch_block(float *at, float value)
{
    return dpakit_cuda_change(at, [=](float) { return value; });
}
DPAKIT_CUDA_DEVICE unsigned int atomicInc_block(unsigned int *at, unsigned int most)
{
    return dpakit_cuda_change(at, [=](unsigned int old) { return old >= most ? 0u : old + 1; });
}
DPAKIT_CUDA_DEVICE unsigned int atomicDec_block(unsigned int *at, unsigned int most)
{
    return dpakit_cuda_change(
        at, [=](unsigned int old) { return old == 0 || old > most ? most : old - 1; });
}
DPAKIT_CUDA_DEVICE int atomicAdd_system(int *at, int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicSub_system(int *at, int value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicAnd_system(int *at, int value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicOr_system(int *at, int value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicXor_system(int *at, int value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicMin_system(int *at, int value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicMax_system(int *at, int value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicExch_system(int *at, int value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicAdd_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicSub_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicAnd_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicOr_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicXor_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicMin_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicMax_system(unsigned int *at, unsigned int value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned int atomicExch_system(unsigned int *at, unsigned int value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicAdd_system(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicSub_system(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicAnd_system(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicOr_system(unsigned long long *at,
                                                      unsigned long long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicXor_system(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicMin_system(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicMax_system(unsigned long long *at,
                                                       unsigned long long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long long atomicExch_system(unsigned long long *at,
                                                        unsigned long long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicAdd_system(long long *at, long long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicSub_system(long long *at, long long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicAnd_system(long long *at, long long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicOr_system(long long *at, long long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicXor_system(long long *at, long long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicMin_system(long long *at, long long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicMax_system(long long *at, long long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long long atomicExch_system(long long *at, long long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicAdd_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicSub_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicAnd_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicOr_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicXor_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicMin_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicMax_system(unsigned long *at, unsigned long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE unsigned long atomicExch_system(unsigned long *at, unsigned long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicAdd_system(long *at, long value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicSub_system(long *at, long value)
{
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicAnd_system(long *at, long value)
{
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicOr_system(long *at, long value)
{
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicXor_system(long *at, long value)
{
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicMin_system(long *at, long value)
{
    return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicMax_system(long *at, long value)
{
    return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE long atomicExch_system(long *at, long value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
DPAKIT_CUDA_DEVICE int atomicCAS_system(int *at, int compare, int value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned int atomicCAS_system(unsigned int *at, unsigned int compare,
                                                 unsigned int value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned long long
atomicCAS_system(unsigned long long *at, unsigned long long compare, unsigned long long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE long long atomicCAS_system(long long *at, long long compare, long long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned long atomicCAS_system(unsigned long *at, unsigned long compare,
                                                  unsigned long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE long atomicCAS_system(long *at, long compare, long value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE unsigned short atomicCAS_system(unsigned short *at, unsigned short compare,
                                                   unsigned short value)
{
    __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}
DPAKIT_CUDA_DEVICE float atomicAdd_system(float *at, float value)
{
    return dpakit_cuda_change(at, [=](float old) { return old + value; });
}
DPAKIT_CUDA_DEVICE double atomicAdd_system(double *at, double value)
{
    return dpakit_cuda_change(at, [=](double old) { return old + value; });
}
DPAKIT_CUDA_DEVICE float atomicExch_system(float *at, float value)
{
    return dpakit_cuda_change(at, [=](float) { return value; });
}
DPAKIT_CUDA_DEVICE unsigned int atomicInc_system(unsigned int *at, unsigned int most)
{
    return dpakit_cuda_change(at, [=](unsigned int old) { return old >= most ? 0u : old + 1; });
}
DPAKIT_CUDA_DEVICE unsigned int atomicDec_system(unsigned int *at, unsigned int most)
{
    return dpakit_cuda_change(
        at, [=](unsigned int old) { return old == 0 || old > most ? most : old - 1; });
}
/* 16 bytes, aligned to 16. */
template <class T> DPAKIT_CUDA_DEVICE T atomicCAS128(T *at, T compare, T value)
{
    static_assert(sizeof(T) == 16, "16 bytes");
    dpk_gpu_cas128(at, &compare, &value);
    return compare;
}

#endif
