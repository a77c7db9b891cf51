/*
 * libflexio as the DPA subsystem guide 2.2.1 has it (sections 1.3.2, 2.4 to 2.7): the functions that
 * differ in FlexIO 24.01, and those that it does not have. All else is from FlexIO 24.01.
 *
 *     extern struct flexio_app *my_app;      // made by dpacc --app-name="my_app"
 *     flexio_func_t add;                     // __dpa_rpc__ uint64_t add(uint64_t, uint64_t)
 *     struct flexio_process *process;
 *     uint64_t sum;
 *     flexio_process_create(ibv_ctx, my_app, &process);
 *     flexio_process_call(process, add, 44, 55, &sum);
 *     flexio_process_destroy(process);
 *
 * A build chooses this generation with -I .../include/flexio-2.2 before -I .../include, or by
 * -DFLEXIO_VER_USED="FLEXIO_VER(2, 2, 1)" (FLEXIO_VER_2_2). Functions whose name has another signature
 * in FlexIO 24.01 have their own symbols (FLEXIO_2_2), so programs of both link with the same library,
 * and one program may have files of both.
 *
 * Some examples of the guide call a function with fewer arguments than others, or pass a number in
 * place of a pointer. These names are also macros that accept both.
 */
#ifndef LIBFLEXIO_2_2_FLEXIO_H
#define LIBFLEXIO_2_2_FLEXIO_H

#ifdef LIBFLEXIO_FLEXIO_H
#error "another generation of <libflexio/flexio.h> is included already"
#endif

#include "flexio_ver.h"

#ifndef FLEXIO_VER_USED
#define FLEXIO_VER_USED FLEXIO_VER_2_2
#elif FLEXIO_VER_USED > FLEXIO_VER_2_2
#error "FLEXIO_VER_USED is a later generation: take include/flexio-2.2 out of the search path"
#endif

/* The names of the functions of 24.01 whose signature differs. */
#define flexio_process_create       flexio_process_create_24
#define flexio_process_call         flexio_process_call_24
#define flexio_event_handler_create flexio_event_handler_create_24
#define flexio_event_handler_run    flexio_event_handler_run_24
#define flexio_buf_dev_alloc        flexio_buf_dev_alloc_24
#define flexio_buf_dev_free         flexio_buf_dev_free_24
#define flexio_copy_from_host       flexio_copy_from_host_24
#define flexio_window_create        flexio_window_create_24
#define flexio_outbox_create        flexio_outbox_create_24
#define flexio_cq_create            flexio_cq_create_24
#define flexio_sq_create            flexio_sq_create_24
#include "../../libflexio/flexio.h"
#undef flexio_process_create
#undef flexio_process_call
#undef flexio_event_handler_create
#undef flexio_event_handler_run
#undef flexio_buf_dev_alloc
#undef flexio_buf_dev_free
#undef flexio_copy_from_host
#undef flexio_window_create
#undef flexio_outbox_create
#undef flexio_cq_create
#undef flexio_sq_create

#include "flexio_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function whose signature differs in FlexIO 24.01 has the symbol NAME_v2_2. */

/* ---- Processes (1.3.2.1) ---- */

/*
 * Loads a program into a new DPA process on a device, as the device's policy permits.
 *   device       [in]   opened device
 *   process_ptr  [out]  free it with flexio_process_destroy; NULL on failure
 */
flexio_status flexio_process_create(struct ibv_context *device, struct flexio_app *app,
                                    struct flexio_process **process_ptr)
    __asm__("flexio_process_create_v2_2");

/*
 * flexio_process_call(process, function, argument ..., &result): calls a DPA function and waits for its
 * result. At most 8 arguments. Integers are passed as 64 bits, an outbox or a window as its number, a
 * struct ibv_mr as its local key. A macro (flexio_call.h).
 */

/* The error state of a process, as in FlexIO 24.01. */
enum flexio_err_status
flexio_err_status(struct flexio_process *process) __asm__("flexio_err_status_get");

/* ---- DPA memory (2.5) ---- */

/* As in FlexIO 24.01, but the addresses are unique among all processes that use these functions. */
flexio_status flexio_buf_dev_alloc(struct flexio_process *process, size_t buff_bsize,
                                   flexio_uintptr_t *dest_daddr_p) __asm__("flexio_buf_dev_alloc_v2_2");
flexio_status flexio_copy_from_host(struct flexio_process *process, void *src_haddr,
                                    size_t buff_bsize, flexio_uintptr_t *dest_daddr_p)
    __asm__("flexio_copy_from_host_v2_2");

/* Frees the memory of these functions. 0 is ignored. FAILED: the address is not from these
 * functions. */
flexio_status flexio_buf_dev_free(flexio_uintptr_t daddr_p) __asm__("flexio_buf_dev_free_v2_2");

/* The source is a pointer (2.5), or the number of an address (2.4.1). */
#define flexio_host2dev_memcpy(process, src_haddr, buff_bsize, dest_daddr)                         \
    flexio_host2dev_memcpy(process, (void *)(uintptr_t)(src_haddr), buff_bsize, dest_daddr)

/* ---- UARs, windows, outboxes (1.3.2.2, 1.3.2.3) ---- */

/* A UAR carries the doorbells of queues and outboxes of all processes on a device. Free it with
 * ibv_free_uar after they are destroyed. An outbox reaches only the queues with its UAR. Without
 * flexio_dev_outbox_config a thread uses the outbox of its event handler's creation. Returns NULL
 * without a device, if memory is exhausted, or if 512 UARs exist. */
struct ibv_uar;
struct ibv_uar *ibv_alloc_uar(struct ibv_context *ibv_ctx) __asm__("flexio_ibv_alloc_uar_v2_2");
/* Returns 0. NULL is ignored. */
int ibv_free_uar(struct ibv_uar *uar) __asm__("flexio_ibv_free_uar_v2_2");

/*
 * Makes a window.
 *   pd    [in]  protection domain of the process's device; must outlive the window
 *   mkey  [in]  memory of that domain that threads will reach through it; they configure the window
 *               with its key, or with that of other memory of the domain
 */
flexio_status flexio_window_create(struct flexio_process *process, struct ibv_pd *pd,
                                   struct ibv_mr *mkey, struct flexio_window **window)
    __asm__("flexio_window_create_v2_2");

/* Makes an outbox. `ibv_ctx`: the process's device, or NULL; `uar`: a UAR of that device. */
flexio_status flexio_outbox_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                   struct ibv_uar *uar, struct flexio_outbox **outbox)
    __asm__("flexio_outbox_create_v2_2");

/* ---- Event handlers (1.3.2.1, 2.4.1, 2.7.1) ---- */

/*
 * Makes an event handler.
 *   host_func  [in]  stub of a function with one uint64_t parameter, or none
 *   arg        [in]  its argument
 *   window     [in]  the window that each activation starts with, as if the thread had configured it;
 *                    but without a memory key (flexio_dev_window_mkey_config); NULL: none
 *   outbox     [in]  the same; NULL: none
 * Both are of the process and outlive the event handler.
 *
 * Without window and outbox: flexio_event_handler_create(process, host_func, arg, &event_handler). With
 * an affinity, as FlexIO 24.01 has it: flexio_event_handler_create(process, &attr, &event_handler).
 */
flexio_status flexio_event_handler_create(struct flexio_process *process, flexio_func_t *host_func,
                                          uint64_t arg, struct flexio_window *window,
                                          struct flexio_outbox *outbox,
                                          struct flexio_event_handler **event_handler)
    __asm__("flexio_event_handler_create_v2_2");
flexio_status flexio_event_handler_create_24(
    struct flexio_process *process, struct flexio_event_handler_attr *attr,
    struct flexio_event_handler **event_handler) __asm__("flexio_event_handler_create");
#define flexio_event_handler_create(process, ...)                                                  \
    FLEXIO_2_2_PICK6(__VA_ARGS__, , FLEXIO_2_2_EH6, , FLEXIO_2_2_EH4, FLEXIO_2_2_EH3, , )          \
    (process, __VA_ARGS__)
#define FLEXIO_2_2_PICK6(a, b, c, d, e, f, name, ...) name
#define FLEXIO_2_2_EH3(process, attr, eh)             flexio_event_handler_create_24(process, attr, eh)
#define FLEXIO_2_2_EH4(process, func, arg, eh)                                                     \
    flexio_event_handler_create(process, func, arg, NULL, NULL, eh)
#define FLEXIO_2_2_EH6(process, func, arg, window, outbox, eh)                                     \
    flexio_event_handler_create(process, func, arg, window, outbox, eh)

/* From now on events start runs, with the argument of the creation. FAILED: the event handler runs. */
flexio_status flexio_event_handler_run(struct flexio_event_handler *event_handler)
    __asm__("flexio_event_handler_run_v2_2");

/* ---- Queues (1.3.2.3, 2.5.1) ---- */

/* Make a completion queue, and an Ethernet send queue with its completions there. `uar`: a UAR of the
 * process's device; it replaces the UAR in the attributes. All else as in FlexIO 24.01. */
flexio_status flexio_cq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct ibv_uar *uar, const struct flexio_cq_attr *fattr,
                               struct flexio_cq **cq) __asm__("flexio_cq_create_v2_2");
flexio_status flexio_sq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_cq *cq, struct ibv_uar *uar,
                               const struct flexio_wq_attr *fattr, struct flexio_sq **sq)
    __asm__("flexio_sq_create_v2_2");

/* The numbers of a queue for the DPA side. */
struct flexio_hw_cq {
    uint32_t cq_num;
    uint32_t log_cq_depth;
    flexio_uintptr_t cq_ring_addr, cq_dbr_addr;
};
struct flexio_hw_sq {
    uint32_t sq_num;
    uint32_t log_wq_depth;
    flexio_uintptr_t sq_ring_addr, sq_dbr_addr;
};
/* Returns the numbers, which live as long as the queue. NULL for NULL, and for a queue that a function
 * of FlexIO 24.01 created. */
struct flexio_hw_cq *flexio_cq_get_hw_cq(struct flexio_cq *cq) __asm__("flexio_cq_get_hw_cq_v2_2");
struct flexio_hw_sq *flexio_sq_get_hw_sq(struct flexio_sq *sq) __asm__("flexio_sq_get_hw_sq_v2_2");

#ifdef __cplusplus
}
#endif

#endif
