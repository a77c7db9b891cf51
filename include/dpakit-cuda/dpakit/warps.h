/*
 * warps: functions that several threads of a warp call together. Each takes the mask of the lanes
 * that take part, and ignores lanes that have ended. Part of cuda_runtime.h.
 */
#ifndef DPAKIT_CUDA_WARPS_H
#define DPAKIT_CUDA_WARPS_H

#include "threads.h"

DPAKIT_CUDA_DEVICE void __syncwarp(unsigned mask = 0xffffffffu)
{
    dpk_gpu_warp(0, mask, 0, 0);
}
/* Return the lanes whose value is not 0, whether all lanes have such a value, and whether any lane
 * has. */
DPAKIT_CUDA_DEVICE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return (unsigned)dpk_gpu_warp(2, mask, predicate != 0, 0);
}
DPAKIT_CUDA_DEVICE int __all_sync(unsigned mask, int predicate)
{
    return (int)dpk_gpu_warp(3, mask, predicate != 0, 0);
}
DPAKIT_CUDA_DEVICE int __any_sync(unsigned mask, int predicate)
{
    return (int)dpk_gpu_warp(4, mask, predicate != 0, 0);
}
/* Returns the lanes that call it at the same place of the program. */
DPAKIT_CUDA_DEVICE unsigned __activemask(void)
{
    return dpk_gpu_active();
}
DPAKIT_CUDA_DEVICE unsigned __lane_id(void)
{
    return __dpk_gpu_u32_48();
}

/* Convert a value of up to 8 bytes to bits, and back. */
template <class T> DPAKIT_CUDA_DEVICE unsigned long long dpakit_cuda_bits(T value)
{
    static_assert(sizeof(T) <= 8, "values of 8 bytes at most");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> DPAKIT_CUDA_DEVICE T dpakit_cuda_value(unsigned long long bits)
{
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* Return the value of another lane. Lanes are counted within groups of `width`, a power of two. If
 * the other lane is outside of the group, a thread gets its own value. */
template <class T>
DPAKIT_CUDA_DEVICE T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    const unsigned own = __lane_id(), group = own & ~(unsigned)(width - 1);
    const unsigned source = group | ((unsigned)lane & (unsigned)(width - 1));
    return dpakit_cuda_value<T>(dpk_gpu_warp(1, mask, dpakit_cuda_bits(value), source));
}
template <class T>
DPAKIT_CUDA_DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const unsigned own = __lane_id(), place = own & (unsigned)(width - 1);
    const unsigned source = delta > place ? own : own - delta;
    return dpakit_cuda_value<T>(dpk_gpu_warp(1, mask, dpakit_cuda_bits(value), source));
}
template <class T>
DPAKIT_CUDA_DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const unsigned own = __lane_id(), place = own & (unsigned)(width - 1);
    const unsigned source = delta >= (unsigned)width - place ? own : own + delta;
    return dpakit_cuda_value<T>(dpk_gpu_warp(1, mask, dpakit_cuda_bits(value), source));
}
template <class T>
DPAKIT_CUDA_DEVICE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    const unsigned own = __lane_id(), other = own ^ (unsigned)lanes;
    const unsigned source =
        (other & ~(unsigned)(width - 1)) > (own & ~(unsigned)(width - 1)) ? own : other;
    return dpakit_cuda_value<T>(dpk_gpu_warp(1, mask, dpakit_cuda_bits(value), source));
}

/* Return the lanes with the same value as this lane, and the mask of all lanes if all have the same
 * value, else 0. */
template <class T> DPAKIT_CUDA_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
    return (unsigned)dpk_gpu_warp(5, mask, dpakit_cuda_bits(value), 0);
}
template <class T> DPAKIT_CUDA_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *same)
{
    const unsigned lanes = (unsigned)dpk_gpu_warp(6, mask, dpakit_cuda_bits(value), 0);
    *same = lanes != 0;
    return lanes;
}

/* Return the sum, minimum, maximum and so on of the lanes' values. */
DPAKIT_CUDA_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned value)
{
    return (unsigned)dpk_gpu_warp(7, mask, value, 0);
}
DPAKIT_CUDA_DEVICE int __reduce_add_sync(unsigned mask, int value)
{
    return (int)dpk_gpu_warp(7, mask, (unsigned)value, 0);
}
DPAKIT_CUDA_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned value)
{
    return (unsigned)dpk_gpu_warp(8, mask, value, 0);
}
DPAKIT_CUDA_DEVICE int __reduce_min_sync(unsigned mask, int value)
{
    return (int)dpk_gpu_warp(10, mask, (unsigned long long)(long long)value, 0);
}
DPAKIT_CUDA_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned value)
{
    return (unsigned)dpk_gpu_warp(9, mask, value, 0);
}
DPAKIT_CUDA_DEVICE int __reduce_max_sync(unsigned mask, int value)
{
    return (int)dpk_gpu_warp(11, mask, (unsigned long long)(long long)value, 0);
}
DPAKIT_CUDA_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned value)
{
    return (unsigned)dpk_gpu_warp(12, mask, value, 0);
}
DPAKIT_CUDA_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
    return (unsigned)dpk_gpu_warp(13, mask, value, 0);
}
DPAKIT_CUDA_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned value)
{
    return (unsigned)dpk_gpu_warp(14, mask, value, 0);
}

#endif
