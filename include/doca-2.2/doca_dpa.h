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
 * This is the API of the DPA subsystem guide 2.2.1, chapter 3. ../doca/doca_dpa.h describes the
 * functions that later DOCA also has, with their errors; this file describes the differences: a context
 * is started from its creation to its end. Names that later DOCA uses with other arguments have their
 * own symbols here (DOCA_DPA_2_2), so that programs of both generations link with the same library. A
 * line on stderr reports an error of a DPA program, or the reason why it is refused. Every function
 * returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another kind.
 */
#ifndef DOCA_2_2_DPA_H
#define DOCA_2_2_DPA_H

#include "doca_version.h"

#include "../doca/doca_dpa_types.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function whose signature differs in later DOCA has the symbol NAME_v2_2. */

/* A program of DOCA 3 that uses these headers gets an error that names the right headers. */
#ifdef __has_attribute
#if __has_attribute(unavailable)
doca_error_t dpakit_this_is_doca_3(void) __attribute__((
    unavailable("this program is for DOCA 3: use its headers (make install-compat DOCA=3, "
                "pkg-config doca-dpa, or -I PREFIX/include/doca)")));
#define doca_dpa_set_app(dpa, app) dpakit_this_is_doca_3()
#define doca_dpa_start(dpa)        dpakit_this_is_doca_3()
#endif
#endif

/* A DPA context: one DPA process on one device. */
typedef struct doca_dpa *doca_dpa_t;

/* A DPA program: the variable with the name of dpacc's --app-name. */
typedef struct doca_dpa_app *doca_dpa_app_t;

/* The host's stub of a kernel: only its address is used, and it is never called. */
typedef void(doca_dpa_func_t)(void);

/* Largest threshold of a kernel's wait event (guide, 3.4.8.1). */
#define DOCA_DPA_WAIT_THRESHOLD_MAX 254

/* doca_dpa_cap_is_supported of later DOCA. */
doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo);

/*
 * Creates a context of a program and starts it: doca_dpa_create, doca_dpa_set_app and doca_dpa_start of
 * later DOCA.
 *   dpa    [out]  free it with doca_dpa_destroy; NULL on failure
 *   flags  [in]   must be 0: else INVALID_VALUE
 */
doca_error_t doca_dpa_create(struct doca_dev *dev, doca_dpa_app_t app, doca_dpa_t *dpa,
                             unsigned int flags) __asm__("doca_dpa_create_v2_2");

/* Gets the name that dpacc gave a program. `name_len` holds the size of the buffer, and receives the size
 * of the name with the NUL. Errors: INVALID_VALUE also if the buffer is too small or `app` is not a
 * program. */
doca_error_t doca_dpa_app_name_get(doca_dpa_app_t app, char *name, int *name_len);

/* As in later DOCA. */
doca_error_t doca_dpa_destroy(doca_dpa_t dpa);
doca_error_t doca_dpa_get_max_threads_per_kernel(doca_dpa_t dpa, unsigned int *value);
doca_error_t doca_dpa_get_kernel_max_run_time(doca_dpa_t dpa, unsigned long long *value);

/*
 * As in later DOCA, except
 *   dev_ptr  [out]  an address that is unique among all contexts
 * BAD_STATE: the context is in the error state.
 */
doca_error_t doca_dpa_mem_alloc(doca_dpa_t dpa, size_t size,
                                doca_dpa_dev_uintptr_t *dev_ptr) __asm__("doca_dpa_mem_alloc_v2_2");

/* As in later DOCA, for an address of any context. Errors: INVALID_VALUE if doca_dpa_mem_alloc did not
 * return the address, or it is already freed. A call may also have the context before the address, as in
 * later DOCA: the guide of this release has the one form, and its header the other. */
doca_error_t doca_dpa_mem_free(doca_dpa_dev_uintptr_t dev_ptr) __asm__("doca_dpa_mem_free_v2_2");

static inline doca_error_t dpk_dpa_mem_free_2(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr)
{
    return dpa ? doca_dpa_mem_free(dev_ptr) : DOCA_ERROR_INVALID_VALUE;
}
#define DPK_DPA_3RD(_1, _2, name, ...) name
#define doca_dpa_mem_free(...)                                                                     \
    DPK_DPA_3RD(__VA_ARGS__, dpk_dpa_mem_free_2, doca_dpa_mem_free, )(__VA_ARGS__)

/* As in later DOCA. */
doca_error_t doca_dpa_h2d_memcpy(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr, void *src_ptr,
                                 size_t size);
doca_error_t doca_dpa_memset(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size);
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
doca_error_t doca_dpa_peek_at_last_error(const doca_dpa_t dpa);

/* ---- Memory of the host ---- */

/* Bits of `access` below. */
#define DOCA_ACCESS_LOCAL_READ_ONLY  DOCA_ACCESS_FLAG_LOCAL_READ_ONLY
#define DOCA_ACCESS_LOCAL_READ_WRITE DOCA_ACCESS_FLAG_LOCAL_READ_WRITE
#define DOCA_ACCESS_RDMA_READ        DOCA_ACCESS_FLAG_RDMA_READ
#define DOCA_ACCESS_RDMA_WRITE       DOCA_ACCESS_FLAG_RDMA_WRITE
#define DOCA_ACCESS_RDMA_ATOMIC      DOCA_ACCESS_FLAG_RDMA_ATOMIC

/* Registered memory. */
typedef struct doca_mmap *doca_dpa_mem_t;

/*
 * Registers host memory, which the caller keeps, for kernels and for peers.
 *   addr, length  [in]   the memory, at least 1 byte
 *   access        [in]   bits of DOCA_ACCESS_...
 *   mem           [out]  free it with doca_dpa_mem_unregister; NULL on failure
 *   flags         [in]   must be 0
 * Errors: INVALID_VALUE for NULL, no bytes or unknown bits, BAD_STATE if the context has ended,
 * NO_MEMORY.
 */
doca_error_t doca_dpa_mem_host_register(doca_dpa_t dpa, void *addr, size_t length,
                                        unsigned int access, doca_dpa_mem_t *mem,
                                        unsigned int flags);
/* Waits for accesses to the memory, then ends the registration: afterwards no kernel or peer accesses
 * the memory. Errors: INVALID_VALUE if `mem` is not registered memory. */
doca_error_t doca_dpa_mem_unregister(doca_dpa_mem_t mem);

/* Gets the handle for kernels (doca_dpa_dev.h). Errors: INVALID_VALUE for NULL, or if `mem` is not
 * registered memory. */
doca_error_t doca_dpa_mem_dev_export(doca_dpa_mem_t mem, doca_dpa_dev_mem_t *handle);
/* doca_dpa_mem_handle_export is the same function with its name of section 1.3.3.4 of the guide. The
 * others get the key of doca_dpa_dev_mem_rkey_get, for a host that passes it to its peer; doca_dpa_mem_rkey
 * is the name in that section. */
doca_error_t doca_dpa_mem_handle_export(doca_dpa_mem_t mem, doca_dpa_dev_mem_t *handle);
doca_error_t doca_dpa_mem_rkey_get(doca_dpa_mem_t mem, uint32_t *rkey);
doca_error_t doca_dpa_mem_rkey(doca_dpa_mem_t mem, uint32_t *rkey);

/* ---- Endpoints ---- An endpoint is one side of a connection. Kernels write through it to the
 * peer's memory (guide, 3.4.7). An error of an endpoint, also the end of its peer, puts the context
 * into the error state. */

/* A worker manages endpoints. One worker for a process is enough. */
typedef struct doca_dpa_worker *doca_dpa_worker_t;
typedef struct doca_dpa_ep *doca_dpa_ep_t;
/* Bytes for the peer. The program chooses how to send them. */
typedef void *doca_dpa_ep_addr_t;

/* Errors: INVALID_VALUE for a NULL argument, or flags other than 0; BAD_STATE if the context has
 * ended; NO_MEMORY. */
doca_error_t doca_dpa_worker_create(doca_dpa_t dpa, doca_dpa_worker_t *worker, unsigned int flags);
/* Errors: IN_USE if the worker has endpoints. */
doca_error_t doca_dpa_worker_destroy(doca_dpa_worker_t worker);

/* `access`: the accesses that the peer may have, as far as memory permits them: bits of
 * DOCA_ACCESS_... Errors: INVALID_VALUE for a NULL argument or unknown bits; BAD_STATE if the
 * context has ended; NO_MEMORY; IO_FAILED if other processes cannot reach this process. */
doca_error_t doca_dpa_ep_create(doca_dpa_worker_t worker, unsigned int access, doca_dpa_ep_t *ep);
/* Destroys the endpoint. Its operations in flight fail. */
doca_error_t doca_dpa_ep_destroy(doca_dpa_ep_t ep);

/* Gets its address; free it with doca_dpa_ep_addr_free. Errors: INVALID_VALUE, NO_MEMORY. */
doca_error_t doca_dpa_ep_addr_get(doca_dpa_ep_t ep, doca_dpa_ep_addr_t *addr, size_t *addr_length);
doca_error_t doca_dpa_ep_addr_free(doca_dpa_ep_addr_t addr);

/* Connects to the endpoint with that address, which must be connected to this one. The call does not
 * have the length of the address: `addr` must have all the bytes that doca_dpa_ep_addr_get gave the
 * peer. Errors: INVALID_VALUE if an argument is not an endpoint or an address, or the address is
 * damaged, BAD_STATE if the endpoint is connected, UNSUPPORTED_VERSION if the address is from another
 * version of dpakit, CONNECTION_ABORTED if the peer is gone. */
doca_error_t doca_dpa_ep_connect(doca_dpa_ep_t ep, doca_dpa_ep_addr_t addr);

/* Gets the handle for kernels. Errors: INVALID_VALUE. */
doca_error_t doca_dpa_ep_dev_export(doca_dpa_ep_t ep, doca_dpa_dev_ep_t *handle);
/* The same function with its name of section 1.3.3.4 of the guide. The functions
 * doca_dpa_worker_address and doca_dpa_mem_register of that section lack necessary arguments: use
 * doca_dpa_ep_addr_get and doca_dpa_mem_host_register of chapter 3. */
doca_error_t doca_dpa_ep_handle_export(doca_dpa_ep_t ep, doca_dpa_dev_ep_t *handle);

#ifdef __cplusplus
}
#endif

#endif
