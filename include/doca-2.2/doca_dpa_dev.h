/*
 * doca_dpa_dev: the device side of DOCA DPA, for kernels (DPA subsystem guide 2.2.1, section 3.4).
 *
 *     __dpa_global__ void hello_world_kernel(void)
 *     {
 *         doca_dpa_dev_printf("Hello from thread %u\n", doca_dpa_dev_thread_rank());
 *     }
 */
#ifndef DOCA_DPA_DEV_H
#define DOCA_DPA_DEV_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* dpacc defines these; host compilers that see the same headers need nothing. */
#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An address in the DPA's memory. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/* Rank of the calling thread in its kernel launch, from 0. */
unsigned int doca_dpa_dev_thread_rank(void);
/* Threads that run the current kernel. */
unsigned int doca_dpa_dev_num_threads(void);
/* Lets other threads use the execution unit. */
void doca_dpa_dev_yield(void);
/* Prints on the host application's standard output; no floating point. Returns the length. */
int doca_dpa_dev_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
