/*
 * doca_dpa (DOCA 2.2): running kernels on the DPA of a device.
 *
 *     extern doca_dpa_app_t my_app;      // made by dpacc --app-name="my_app"
 *     doca_dpa_func_t my_kernel;         // __dpa_global__ void my_kernel(uint64_t, uint32_t)
 *     doca_dpa_t dpa;
 *     doca_dpa_create(dev, my_app, &dpa, 0);
 *     doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 16, &my_kernel, address, 7u);
 *     doca_sync_event_wait_gt(done, 0, UINT64_MAX);
 *     doca_dpa_destroy(dpa);
 *
 * This is the API of the DPA subsystem guide 2.2.1, chapter 3. Later DOCA uses some of the names
 * with other arguments; such functions have their own symbols here (DOCA_DPA_2_2), so that programs
 * of either generation link with the same library. What goes wrong in a DPA program (and why one is
 * refused) is told in one line on stderr. Contexts are not for concurrent use by several threads.
 */
#ifndef DOCA_DPA_H
#define DOCA_DPA_H

#include <stddef.h>
#include <stdint.h>

#include "doca_dev.h"
#include "doca_error.h"
#include "doca_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What annotates DPA functions means nothing to the host compiler. */
#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

/* The symbol of a function whose name has another signature in later DOCA. */
#define DOCA_DPA_2_2(name) __asm__(#name "_v2_2")

/* A DPA context: one DPA process on one device. */
typedef struct doca_dpa *doca_dpa_t;

/* A DPA program: the variable that dpacc names after --app-name. */
typedef struct doca_dpa_app *doca_dpa_app_t;

/* The host's name of a kernel: only its address counts, it is never called. */
typedef void(doca_dpa_func_t)(void);

/* An address in the memory of a DPA process. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/* Greatest threshold of a kernel's wait event (guide, 3.4.8.1). */
#define DOCA_DPA_WAIT_THRESHOLD_MAX 254

/*
 * Whether kernels run on a device: DOCA_SUCCESS if so.
 * INVALID_VALUE: NULL. NOT_SUPPORTED: they do not.
 */
doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo);

/*
 * Makes a DPA context: the device verifies the program as its policy says, and loads it.
 *   app    [in]   program
 *   dpa    [out]  to be given back with doca_dpa_destroy; NULL on failure
 *   flags  [in]   must be 0
 * INVALID_VALUE: a NULL argument, or flags. AUTHENTICATION: the device refuses the program.
 * NOT_SUPPORTED: not a program for this DPA. NOT_FOUND: the device is gone. NO_MEMORY. DRIVER: the
 * program or the device's state is damaged.
 */
doca_error_t doca_dpa_create(struct doca_dev *dev, doca_dpa_app_t app, doca_dpa_t *dpa,
                             unsigned int flags) DOCA_DPA_2_2(doca_dpa_create);

/*
 * Ends the kernels of a context, wherever they are, prints the messages that are left and frees the
 * context with its DPA memory. Sync events with a location there can still be read and destroyed.
 * INVALID_VALUE: NULL.
 */
doca_error_t doca_dpa_destroy(doca_dpa_t dpa);

/*
 * Greatest number of threads that may run one kernel.
 * INVALID_VALUE: a NULL argument.
 */
doca_error_t doca_dpa_get_max_threads_per_kernel(doca_dpa_t dpa, unsigned int *value);

/*
 * Seconds that a kernel may run; one that takes longer puts the context into the error state.
 * INVALID_VALUE: a NULL argument.
 */
doca_error_t doca_dpa_get_kernel_max_run_time(doca_dpa_t dpa, unsigned long long *value);

/*
 * Allocates DPA memory, aligned to 64 bytes, with undefined content.
 *   size     [in]   bytes, at least 1
 *   dev_ptr  [out]  its DPA address, unique among all contexts; 0 on failure
 * INVALID_VALUE: a NULL argument, or size 0. NO_MEMORY. BAD_STATE: the context is in the error
 * state.
 */
doca_error_t doca_dpa_mem_alloc(doca_dpa_t dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/*
 * Frees DPA memory.
 * INVALID_VALUE: not an address that doca_dpa_mem_alloc returned, or freed already.
 */
doca_error_t doca_dpa_mem_free(doca_dpa_dev_uintptr_t dev_ptr) DOCA_DPA_2_2(doca_dpa_mem_free);

/*
 * Copies host memory to DPA memory.
 * INVALID_VALUE: a NULL argument, or any byte outside of the context's writable memory (nothing is
 * written then). BAD_STATE: the context is in the error state.
 */
doca_error_t doca_dpa_h2d_memcpy(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr, void *src_ptr,
                                 size_t size);

/*
 * Sets bytes of DPA memory to `value`, taken as an unsigned char. Errors as doca_dpa_h2d_memcpy.
 */
doca_error_t doca_dpa_memset(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size);

/*
 * Starts a kernel and returns without waiting for it. Kernels of one context run in the order of
 * their launches.
 *   wait_event      [in]  NULL, or the kernel starts only when this event's value is greater than
 *   wait_threshold  [in]  this, 0 to DOCA_DPA_WAIT_THRESHOLD_MAX
 *   comp_event      [in]  NULL, or the event that gets
 *   comp_count      [in]  this, added (_add) or set (_set), after the last thread has ended
 *   num_threads     [in]  1 to doca_dpa_get_max_threads_per_kernel()
 *   func            [in]  stub of a __dpa_global__ function of the context's program
 *   ...                   its arguments, with the types of the DPA function
 * INVALID_VALUE: no context or function, not a function of this program, threshold or number of
 * threads out of range. BAD_STATE: an event that is not started, or the context is in the error
 * state. NO_MEMORY: out of memory or of DPA threads.
 */
doca_error_t doca_dpa_kernel_launch_update_add(doca_dpa_t dpa, struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...);
doca_error_t doca_dpa_kernel_launch_update_set(doca_dpa_t dpa, struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...);

/*
 * Whether the DPA had an error, without waiting: DOCA_SUCCESS if not.
 * INVALID_VALUE: NULL. BAD_STATE: a kernel faulted or ran too long; the context can only be
 * destroyed.
 */
doca_error_t doca_dpa_peek_at_last_error(const doca_dpa_t dpa);

#ifdef __cplusplus
}
#endif

#endif
