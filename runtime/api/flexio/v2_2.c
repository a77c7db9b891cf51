/* Functions whose names or arguments differ in the DPA subsystem guide 2.2.1. */
#include <flexio-2.2/libflexio/flexio.h>

#include <inttypes.h>
#include <string.h>

#include "api/addresses/addresses.h"
#include "queue.h"

/* Functions of FlexIO 24.01, which carry out the older calls. */
#define LATER(name) extern __typeof__(name##_24) name##_24 __asm__(#name)
LATER(flexio_process_create);
LATER(flexio_window_create);
LATER(flexio_cq_create);
LATER(flexio_sq_create);

#undef flexio_event_handler_create
#undef flexio_host2dev_memcpy

flexio_status flexio_process_create(struct ibv_context *device, struct flexio_app *app,
                                    struct flexio_process **process_ptr)
{
    return flexio_process_create_24(device, app, NULL, process_ptr);
}

/* ---- DPA memory ---- */

/* All allocations by address, because flexio_buf_dev_free gets only an address. */
static struct dpk_addresses addresses = {.lock = PTHREAD_MUTEX_INITIALIZER};

void libflexio_allocations_forget(struct flexio_process *p)
{
    dpk_addresses_forget(&addresses, p);
}

flexio_status flexio_buf_dev_alloc(struct flexio_process *process, size_t buff_bsize,
                                   flexio_uintptr_t *dest_daddr)
{
    struct dpk_error err = {0};
    uint64_t address = 0;
    if (dest_daddr)
        *dest_daddr = 0;
    if (!process || !dest_daddr)
        return libflexio_failed_because(
            "flexio_buf_dev_alloc: no process, or nowhere to put the address");
    if (dpk_address_new(&addresses, &(struct dpk_address_owner){process, 0}, process->dpa,
                        buff_bsize, &address, &err) != DPK_OK)
        return libflexio_failed("flexio_buf_dev_alloc", &err);
    *dest_daddr = address;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_buf_dev_free(flexio_uintptr_t daddr)
{
    struct dpk_error err = {0};
    if (daddr == 0)
        return FLEXIO_STATUS_SUCCESS;
    struct dpk_address_owner owner;
    if (!dpk_address_leave(&addresses, daddr, &owner))
        return libflexio_failed_because(
            "flexio_buf_dev_free: 0x%" PRIx64 " is not memory of any process", daddr);
    if (dpk_heap_free(((const struct flexio_process *)owner.object)->dpa, daddr, &err) != DPK_OK)
        return libflexio_failed("flexio_buf_dev_free", &err);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_copy_from_host(struct flexio_process *process, void *src_haddr,
                                    size_t buff_bsize, flexio_uintptr_t *dest_daddr)
{
    flexio_status status = flexio_buf_dev_alloc(process, buff_bsize, dest_daddr);
    if (status != FLEXIO_STATUS_SUCCESS)
        return status;
    status = flexio_host2dev_memcpy(process, src_haddr, buff_bsize, *dest_daddr);
    if (status != FLEXIO_STATUS_SUCCESS) {
        flexio_buf_dev_free(*dest_daddr);
        *dest_daddr = 0;
    }
    return status;
}

/* ---- UARs, windows, outboxes ---- */

struct ibv_uar {
    struct ibv_context *context;
    struct mlx5dv_devx_uar *devx;
};

struct ibv_uar *ibv_alloc_uar(struct ibv_context *ibv_ctx)
{
    struct ibv_uar *uar = ibv_ctx ? calloc(1, sizeof *uar) : NULL;
    if (!uar)
        return NULL;
    uar->context = ibv_ctx;
    uar->devx = dpk_emulated_11.devx_alloc_uar(ibv_ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
    if (uar->devx)
        return uar;
    free(uar);
    return NULL;
}

int ibv_free_uar(struct ibv_uar *uar)
{
    if (uar)
        dpk_emulated_11.devx_free_uar(uar->devx);
    free(uar);
    return 0;
}

static bool uar_is_of(const char *call, const struct ibv_uar *uar, const struct flexio_process *p)
{
    if (p && uar && uar->context == p->context)
        return true;
    libflexio_failed_because("%s: no process, or no UAR of its device", call);
    return false;
}

flexio_status flexio_window_create(struct flexio_process *process, struct ibv_pd *pd,
                                   struct ibv_mr *mkey, struct flexio_window **window)
{
    if (window)
        *window = NULL;
    if (!mkey || mkey->pd != pd)
        return libflexio_failed_because("flexio_window_create: no memory of the protection domain");
    return flexio_window_create_24(process, pd, window);
}

flexio_status flexio_outbox_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                   struct ibv_uar *uar, struct flexio_outbox **outbox)
{
    static const char call[] = "flexio_outbox_create";
    if (outbox)
        *outbox = NULL;
    if (!outbox)
        return libflexio_failed_because("%s: nowhere to put the outbox", call);
    if (!uar_is_of(call, uar, process))
        return FLEXIO_STATUS_FAILED;
    if (ibv_ctx && ibv_ctx != process->context)
        return libflexio_failed_because("%s: the process is on another device", call);
    return libflexio_outbox_new(process, process->uar, uar->devx->page_id, outbox);
}

/* ---- Event handlers ---- */

flexio_status flexio_event_handler_create(struct flexio_process *process, flexio_func_t *host_func,
                                          uint64_t arg, struct flexio_window *window,
                                          struct flexio_outbox *outbox,
                                          struct flexio_event_handler **event_handler)
{
    struct flexio_event_handler_attr attr = {.host_stub_func = host_func, .arg = arg};
    struct dpk_thread_options options = {0};
    if (event_handler)
        *event_handler = NULL;
    if (process && !libflexio_defaults_of(process, window, outbox, options.state))
        return libflexio_failed_because(
            "flexio_event_handler_create: the window or outbox is of another "
            "process");
    return libflexio_event_handler_new(process, &attr, &options, event_handler);
}

flexio_status flexio_event_handler_run(struct flexio_event_handler *event_handler)
{
    return libflexio_event_handler_run(event_handler, NULL);
}

/* ---- Queues ---- */

/* Makes a structure with a queue's numbers for the program; freed with the queue. */
static void *shown_new(size_t size, const void *content)
{
    void *shown = malloc(size);
    if (shown)
        memcpy(shown, content, size);
    return shown;
}

flexio_status flexio_cq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct ibv_uar *uar, const struct flexio_cq_attr *fattr,
                               struct flexio_cq **cq)
{
    static const char call[] = "flexio_cq_create";
    if (cq)
        *cq = NULL;
    if (!fattr || !uar_is_of(call, uar, process))
        return fattr ? FLEXIO_STATUS_FAILED : libflexio_failed_because("%s: no attributes", call);
    struct flexio_cq_attr attr = *fattr;
    attr.uar_id = uar->devx->page_id;
    flexio_status status = flexio_cq_create_24(process, ibv_ctx, &attr, cq);
    if (status != FLEXIO_STATUS_SUCCESS)
        return status;
    const struct flexio_hw_cq hw = {.cq_num = flexio_cq_get_cq_num(*cq),
                                    .log_cq_depth = attr.log_cq_depth,
                                    .cq_ring_addr = attr.cq_ring_qmem.daddr,
                                    .cq_dbr_addr = attr.cq_dbr_daddr};
    if ((libflexio_queue_of_cq(*cq)->shown = shown_new(sizeof hw, &hw)))
        return FLEXIO_STATUS_SUCCESS;
    flexio_cq_destroy(*cq);
    *cq = NULL;
    return libflexio_failed_because("%s: out of memory", call);
}

flexio_status flexio_sq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_cq *cq, struct ibv_uar *uar,
                               const struct flexio_wq_attr *fattr, struct flexio_sq **sq)
{
    static const char call[] = "flexio_sq_create";
    if (sq)
        *sq = NULL;
    if (!cq || !fattr)
        return libflexio_failed_because("%s: no completion queue or attributes", call);
    if (!uar_is_of(call, uar, process))
        return FLEXIO_STATUS_FAILED;
    struct flexio_wq_attr attr = *fattr;
    attr.uar_id = uar->devx->page_id;
    flexio_status status =
        flexio_sq_create_24(process, ibv_ctx, flexio_cq_get_cq_num(cq), &attr, sq);
    if (status != FLEXIO_STATUS_SUCCESS)
        return status;
    const struct flexio_hw_sq hw = {.sq_num = flexio_sq_get_wq_num(*sq),
                                    .log_wq_depth = attr.log_wq_depth,
                                    .sq_ring_addr = attr.wq_ring_qmem.daddr,
                                    .sq_dbr_addr = attr.wq_dbr_qmem.daddr};
    if ((libflexio_queue_of_sq(*sq)->shown = shown_new(sizeof hw, &hw)))
        return FLEXIO_STATUS_SUCCESS;
    flexio_sq_destroy(*sq);
    *sq = NULL;
    return libflexio_failed_because("%s: out of memory", call);
}

struct flexio_hw_cq *flexio_cq_get_hw_cq(struct flexio_cq *cq)
{
    return cq ? libflexio_queue_of_cq(cq)->shown : NULL;
}

struct flexio_hw_sq *flexio_sq_get_hw_sq(struct flexio_sq *sq)
{
    return sq ? libflexio_queue_of_sq(sq)->shown : NULL;
}
