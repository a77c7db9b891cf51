/*
 * doca_pcc_dev_utils: fixed-point arithmetic with 16 fractional bits, fences and timers for programs of
 * congestion control.
 *
 *     rate = doca_pcc_dev_fxp_mult(rate, 58982);                     // 0.9 of it
 *     uint32_t share = doca_pcc_dev_fxp_recip(flows << 16);          // 1 / flows
 */
#ifndef DOCA_PCC_DEV_UTILS_H
#define DOCA_PCC_DEV_UTILS_H

#ifndef DOCA_DPA_DEVICE
#define DOCA_DPA_DEVICE
#endif

#include <stdint.h>
#ifdef __riscv
#include <dpaintrin.h>
#else /* a host compiler that only needs the types */
uint64_t __dpa_thread_time(void);
#endif

#include "doca_pcc_dev_services.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers are Q16.16 (dpaintrin.h): 1/a, 2^a, and the logarithm of an integer. */
#define doca_pcc_dev_fxp_recip(a_fp)  __dpa_fxp_rcp(a_fp)
#define doca_pcc_dev_fxp_power2(a_fp) __dpa_fxp_pow2(a_fp)
#define doca_pcc_dev_fxp_log2(a_fp)   __dpa_fxp_log2(a_fp)

/* Returns the number of the highest set bit, from 1; `a` must not be 0. */
#define doca_pcc_dev_fls(a) (32 - __builtin_clz(a))

/* The whole product of two 32-bit numbers, and that of two Q16.16 numbers, cut to 32 bits. */
#define doca_pcc_dev_mult(a, b)     ((uint64_t)(a) * (uint64_t)(b))
#define doca_pcc_dev_fxp_mult(a, b) ((uint32_t)((doca_pcc_dev_mult((a), (b)) >> 16) & 0xffffffff))

/* Fences: everything; memory; the NIC and the host; stores before loads of memory. */
#define doca_pcc_dev_fence_all()    __dpa_thread_fence(__DPA_SYSTEM, __DPA_RW, __DPA_RW)
#define doca_pcc_dev_fence_memory() __dpa_thread_fence(__DPA_MEMORY, __DPA_RW, __DPA_RW)
#define doca_pcc_dev_fence_io()     __dpa_thread_fence(__DPA_MMIO, __DPA_RW, __DPA_RW)
#define doca_pcc_dev_fence_w_r()    __dpa_thread_fence(__DPA_MEMORY, __DPA_W, __DPA_R)

/* Microseconds since an arbitrary start. */
#define doca_pcc_dev_get_thread_time() __dpa_thread_time()
FORCE_INLINE uint32_t doca_pcc_dev_get_timer_lo(void)
{
    return (uint32_t)__dpa_thread_time();
}
FORCE_INLINE uint64_t doca_pcc_dev_get_timer(void)
{
    return __dpa_thread_time();
}

#ifdef __cplusplus
}
#endif

#endif
