/*
 * host: the public host libraries, thin over proc. This header is what they share: libflexio.so
 * implements it, libdoca_common.so and libdoca_dpa.a stand on it. Their users see the headers under
 * include/ only.
 *
 *     struct flexio_process *p = NULL;
 *     dpk_host_process_create("mlx5_0", app, &p, &err);
 *     struct dpk_call call;  void *args = NULL;
 *     dpk_host_pack(p, &hello_kernel, ap, &call, &args, &err);
 *     ... dpk_process_launch(dpk_host_process(p), ...) ...
 *     free(args);
 */
#ifndef DPK_HOST_H
#define DPK_HOST_H

#include <libflexio/flexio.h>

#include "proc/proc.h"

/* Loads `app` on the device named `device`, which decides first, and makes a process of it. Errors
 * are those of dpk_device_open, dpk_load (DPK_ERR_REFUSED) and dpk_process_create. A wrong
 * signature that the device does not mind is logged as a warning. End it with
 * flexio_process_destroy. */
enum dpk_status dpk_host_process_create(const char *device, struct flexio_app *app,
                                        struct flexio_process **out, struct dpk_error *err);

/* The process behind it; borrowed. */
struct dpk_process *dpk_host_process(struct flexio_process *process);

/* The DPA thread behind an event handler's; borrowed. */
struct dpk_thread *dpk_host_thread(struct flexio_thread *thread);

/* Finds the DPA function that a stub stands for and packs its arguments, taken from `ap`, into a
 * new buffer of call->argument_size bytes (free it). DPK_ERR_NOT_FOUND: not a function of the
 * process's program. */
enum dpk_status dpk_host_pack(const struct flexio_process *process, flexio_func_t *stub, va_list ap,
                              struct dpk_call *call, void **args, struct dpk_error *err);

/* Finds the DPA function that a stub stands for, to be called with an argument buffer of the
 * caller's. DPK_ERR_NOT_FOUND as above. */
enum dpk_status dpk_host_function(const struct flexio_process *process, flexio_func_t *stub,
                                  struct dpk_call *call, struct dpk_error *err);

/* ---- Memory that is found by its address alone (DOCA 2.2, FlexIO 2.2) ---- */

/* Whose an allocation is. */
struct dpk_address_owner {
    const void *object;
    uint64_t run; /* tells lives of one object */
};
/* All such memory of one API. */
struct dpk_addresses {
    pthread_mutex_t lock;
    void *tree;                   /* of tsearch(3) */
    struct dpk_allocation *first; /* of all */
    /* NULL, or whether an owner still has its memory; asked with the lock. Who has not loses the
     * address to the next who gets it. */
    bool (*lives)(const void *object, uint64_t run);
};
/* Allocates `size` bytes in `p` at an address that no other owner has. *address is unchanged on
 * failure. DPK_ERR_NOMEM, or what dpk_heap_alloc says. */
enum dpk_status dpk_address_new(struct dpk_addresses *all, const struct dpk_address_owner *owner,
                                struct dpk_process *p, uint64_t size, uint64_t *address,
                                struct dpk_error *err);
/* Forgets an allocation, which the caller frees, and says whose it was. False: not an address of
 * any. */
bool dpk_address_leave(struct dpk_addresses *all, uint64_t address,
                       struct dpk_address_owner *owner);
/* Forgets those of an owner. */
void dpk_addresses_forget(struct dpk_addresses *all, const void *object);

/* One line on stderr, "-E- ..." for FLEXIO_LOG_LVL_ERR, if flexio_log_lvl_set lets it through. */
void dpk_host_log(flexio_log_lvl level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
