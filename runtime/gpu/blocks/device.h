/* Functions that device code calls. dpacu and the headers of include/dpakit-cuda call them by these
 * names. They run on the stack of the calling thread. */
#ifndef DPK_GPU_BLOCKS_DEVICE_H
#define DPK_GPU_BLOCKS_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* Operations of dpk_gpu_warp; include/dpakit-cuda has the same numbers. */
enum {
    DPK_GPU_WARP_SYNC,
    DPK_GPU_WARP_SHUFFLE,
    DPK_GPU_WARP_BALLOT,
    DPK_GPU_WARP_ALL,
    DPK_GPU_WARP_ANY,
    DPK_GPU_WARP_MATCH,
    DPK_GPU_WARP_MATCH_ALL,
    DPK_GPU_WARP_ADD,
    DPK_GPU_WARP_MIN,
    DPK_GPU_WARP_MAX,
    DPK_GPU_WARP_MIN_SIGNED,
    DPK_GPU_WARP_MAX_SIGNED,
    DPK_GPU_WARP_AND,
    DPK_GPU_WARP_OR,
    DPK_GPU_WARP_XOR,
    DPK_GPU_WARP_ACTIVE,
};

/* Waits for all threads of the block. Returns the sum of their values. */
uint32_t dpk_gpu_barrier(uint32_t value);
/* Wait at barrier `number` for `threads` threads (0: the whole block), or arrive without a wait. */
void dpk_gpu_barrier_named(uint32_t number, uint32_t threads);
void dpk_gpu_barrier_arrive(uint32_t number, uint32_t threads);
/* Waits for all blocks of the grid. Every thread must call it. */
void dpk_gpu_barrier_grid(void);
/* Waits for the threads of `mask`, and does an operation with their values. Returns the result of
 * this thread. `source`: the lane whose value a shuffle returns. */
uint64_t dpk_gpu_warp(uint32_t operation, uint32_t mask, uint64_t value, uint32_t source);
/* Returns the mask of the lanes that call it at the same place of the code. */
uint32_t dpk_gpu_active(void);
/* Lets other threads run. */
void dpk_gpu_yield(void);
void dpk_gpu_sleep(uint32_t nanoseconds);
/* Wakes threads of the host that sleep on a futex at `word`: threads of emulated devices. */
void dpk_gpu_wake(uint32_t *word);
uint64_t dpk_gpu_clock(void);       /* cycles of the processor's counter */
uint64_t dpk_gpu_globaltimer(void); /* nanoseconds */
void dpk_gpu_trap(void) __attribute__((noreturn));
void dpk_gpu_assert(const char *what, const char *file, uint32_t line, const char *function)
    __attribute__((noreturn));
/* Prints arguments that lie in memory, like CUDA's vprintf. */
int32_t dpk_gpu_vprintf(const char *format, const void *arguments);
/* Barriers in memory (mbarrier of PTX), a word of 64 bits each. `init` sets the number of threads of a
 * phase. `arrive` notes threads and bytes that are expected, and returns the word as it was; `expect`
 * and `complete` note bytes alone. `test` returns 1 if the phase of this parity has ended; else it lets
 * other threads run once, and looks again. */
void dpk_gpu_mbarrier_init(uint64_t at, uint32_t count);
uint64_t dpk_gpu_mbarrier_arrive(uint64_t at, uint32_t count, uint32_t bytes);
void dpk_gpu_mbarrier_expect(uint64_t at, uint32_t bytes);
void dpk_gpu_mbarrier_complete(uint64_t at, uint32_t bytes);
uint32_t dpk_gpu_mbarrier_test(uint64_t at, uint32_t parity);
/* Compares and exchanges 16 bytes; `expected` receives the former value. */
void dpk_gpu_cas128(void *at, void *expected, const void *desired);

/* Code of dpacu -fsanitize=address calls it first: pairs of offset and size, of shared memory between
 * variables. */
void dpk_gpu_address_zones(const uint32_t *zones, uint32_t count);

/* ---- The check of races ---- */

/* Code of dpacu -fsanitize=thread calls these functions: before an access, a fence, and free(). `how`
 * has bits of DPK_GPU_CHECK_*. After an atomic access that acquires, the code calls the third. */
void dpk_gpu_check_access(const void *at, uint64_t size, uint32_t how);
void dpk_gpu_check_atomic(const void *at, uint64_t size, uint32_t how);
void dpk_gpu_check_acquired(const void *at);
void dpk_gpu_check_fence(uint32_t how);
void dpk_gpu_check_freed(void *at);

#endif
