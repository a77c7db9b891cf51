/*
 * abi: the contract between device code that dpacu compiled and the emulated GPU. dpacu reads
 * members of struct dpk_gpu_thread by their offsets: increase DPK_GPU_ABI when a structure of this
 * file changes.
 *
 *     static const struct dpk_gpu_module module = {DPK_GPU_ABI, "id", kernels, 1, NULL, 0};
 *     dpk_gpu_module_add(&module);              // a constructor of each device object
 */
#ifndef DPK_GPU_ABI_ABI_H
#define DPK_GPU_ABI_ABI_H

#include <stdint.h>

#define DPK_GPU_ABI 1u

/* A thread of a block. The code of the thread reads these members. */
struct dpk_gpu_thread {
    uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
    uint32_t lane, warp; /* lane: number in the warp; warp: number in the block */
    uint32_t sm, sms;
    uint64_t shared;       /* address of the block's shared memory */
    uint64_t dynamic;      /* address of its dynamic part */
    uint32_t dynamic_size; /* bytes */
    int32_t polls;         /* polls that are left until the thread yields */
    uint64_t grid;         /* number of the grid */
};

/* Runs one thread, or all threads of a block one after the other. `args` points to the arguments,
 * as for cudaLaunchKernel. */
typedef void dpk_gpu_code(struct dpk_gpu_thread *self, void **args);

enum { DPK_GPU_KERNEL_RACES = 1 }; /* it calls dpk_gpu_check_* at its accesses */

struct dpk_gpu_kernel {
    const char *name;      /* mangled */
    dpk_gpu_code *run;     /* runs one thread */
    dpk_gpu_code *whole;   /* runs all threads; NULL if the threads wait for each other */
    const uint32_t *sizes; /* bytes of each parameter */
    uint32_t parameters;
    uint32_t shared;      /* bytes of static shared memory */
    uint32_t max_threads; /* __launch_bounds__, or 0 */
    uint32_t flags;       /* DPK_GPU_KERNEL_* */
};

/* Kinds of accesses and fences, as code with DPK_GPU_KERNEL_RACES reports them. */
enum {
    DPK_GPU_CHECK_WRITES = 1,
    DPK_GPU_CHECK_READS = 2,
    DPK_GPU_CHECK_RELEASES = 4,
    DPK_GPU_CHECK_ACQUIRES = 8,
};

struct dpk_gpu_variable {
    const char *name; /* mangled */
    void *address;
    uint64_t size;
};

/* Device code of one object. */
struct dpk_gpu_module {
    uint32_t abi;
    const char *id; /* content of the object's fat binary */
    const struct dpk_gpu_kernel *kernels;
    uint64_t kernel_count;
    const struct dpk_gpu_variable *variables;
    uint64_t variable_count;
};

#endif
