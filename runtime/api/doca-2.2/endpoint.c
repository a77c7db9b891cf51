/* Registered memory, workers and endpoints of DOCA 2.2, made from memory maps and RDMA contexts. */
#include <doca-2.2/doca_dpa.h>
#include <doca_mmap.h>

#include "api/doca/rdma/rdma.h"

#define PERMISSIONS                                                                                \
    (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE |               \
     DOCA_ACCESS_RDMA_ATOMIC)

#define INVALID(call, ...) dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, (call), __VA_ARGS__)

static doca_error_t no_memory(void)
{
    return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no memory for the object");
}

/* ---- Memory ---- */

static doca_error_t start_map(struct doca_mmap *map, struct doca_dev *dev, void *addr,
                              size_t length, unsigned int access)
{
    doca_error_t result = dpk_doca_inner(doca_mmap_set_memrange(map, addr, length));
    if (result != DOCA_SUCCESS)
        return dpk_doca_because(result,
                                "%zu bytes at %p are not memory: 0 bytes, or they end after the "
                                "last address",
                                length, addr);
    result = dpk_doca_inner(doca_mmap_set_permissions(map, access));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_mmap_add_dev(map, dev));
    return result == DOCA_SUCCESS ? dpk_doca_inner(doca_mmap_start(map)) : result;
}

doca_error_t doca_dpa_mem_host_register(doca_dpa_t dpa, void *addr, size_t length,
                                        unsigned int access, doca_dpa_mem_t *mem,
                                        unsigned int flags)
{
    struct dpk_dpa_call c;
    struct doca_mmap *map = NULL;
    if (mem)
        *mem = NULL;
    if (!mem || !addr || flags != 0)
        return INVALID(__func__, "no address, nowhere to put the memory, or flags that are not 0");
    if ((access & ~(unsigned)PERMISSIONS) != 0)
        return INVALID(__func__, "access 0x%x is not one of DOCA_ACCESS_...", access);
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_mmap_create(&map));
    if (result == DOCA_SUCCESS)
        result = start_map(map, c.dpa->dev->object.handle, addr, length, access);
    dpk_dpa_end(&c);
    if (result == DOCA_SUCCESS)
        *mem = map;
    else if (map)
        (void)dpk_doca_inner(doca_mmap_destroy(map));
    return dpk_doca_end(dpa, __func__, result);
}

static doca_error_t of_memory(const char *call, doca_error_t result)
{
    if (result == DOCA_SUCCESS)
        return result;
    return dpk_doca_refuse_call(
        NULL, result, call,
        "the memory is not registered (any more), is in use, or the result has no place");
}

doca_error_t doca_dpa_mem_unregister(doca_dpa_mem_t mem)
{
    return of_memory(__func__, dpk_doca_inner(doca_mmap_destroy(mem)));
}

doca_error_t doca_dpa_mem_dev_export(doca_dpa_mem_t mem, doca_dpa_dev_mem_t *handle)
{
    uint32_t key;
    doca_error_t result = handle ? dpk_mmap_key(mem, NULL, &key) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *handle = key;
    return of_memory(__func__, result);
}

doca_error_t doca_dpa_mem_handle_export(doca_dpa_mem_t mem, doca_dpa_dev_mem_t *handle)
{
    return doca_dpa_mem_dev_export(mem, handle);
}

doca_error_t doca_dpa_mem_rkey_get(doca_dpa_mem_t mem, uint32_t *rkey)
{
    return doca_dpa_mem_rkey(mem, rkey);
}

doca_error_t doca_dpa_mem_rkey(doca_dpa_mem_t mem, uint32_t *rkey)
{
    return of_memory(__func__, rkey ? dpk_mmap_key(mem, NULL, rkey) : DOCA_ERROR_INVALID_VALUE);
}

/* ---- Workers ---- */

/* Execution units that a worker takes from those of kernels (guide 2.2.1, 3.4.8, limitations). */
#define WORKER_THREADS 16

struct worker {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint64_t run;        /* run of the context that has the units */
    struct dpk_reserved *units;
};

static void worker_release(void *object)
{
    struct worker *w = object;
    const bool lives = dpk_dpa_enter(w->dpa, w->run) != NULL;
    dpk_reserved_return(w->units, lives);
    if (lives)
        dpk_dpa_leave(w->dpa);
    dpk_object_drop(w->dpa);
    free(w);
}
static const struct dpk_kind worker_kind = {.release = worker_release};

doca_error_t doca_dpa_worker_create(doca_dpa_t dpa, doca_dpa_worker_t *worker, unsigned int flags)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    if (worker)
        *worker = NULL;
    if (!worker || flags != 0)
        return INVALID(__func__, "nowhere to put the worker, or flags that are not 0");
    const doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    struct worker *w = calloc(1, sizeof *w);
    enum dpk_status status =
        w ? dpk_units_reserve(c.process, WORKER_THREADS, &w->units, &err) : dpk_fail_nomem(&err);
    if (status == DPK_OK) {
        dpk_object_hold(w->dpa = c.dpa);
        w->run = dpk_dpa_base(c.dpa)->run;
        *worker = dpk_object_enter(w, &worker_kind);
        status = *worker ? DPK_OK : dpk_fail_nomem(&err);
    } else {
        free(w);
    }
    dpk_dpa_end(&c);
    dpk_error_prefix(&err, "its %d threads need an execution unit each", WORKER_THREADS);
    return dpk_doca_end(dpa, __func__, status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err));
}

doca_error_t doca_dpa_worker_destroy(doca_dpa_worker_t worker)
{
    const doca_error_t result = dpk_object_destroy(worker, &worker_kind);
    return result == DOCA_SUCCESS
               ? result
               : dpk_doca_refuse_call(NULL, result, __func__,
                                      "the worker is invalid, or endpoints use it");
}

/* ---- Endpoints ---- */

/* An RDMA context with one connection, without a completion queue. */
struct endpoint {
    struct dpk_object object;
    struct worker *worker;                  /* a use */
    struct dpk_rdma *rdma;                  /* a reference */
    struct dpk_rdma_connection *connection; /* a reference */
};

static void endpoint_left(void *object)
{
    struct endpoint *e = object;
    if (e->rdma)
        dpk_rdma_destroy(e->rdma->ctx.object.handle);
    dpk_object_end_use(e->worker);
}

static void endpoint_release(void *object)
{
    struct endpoint *e = object;
    dpk_object_drop(e->connection);
    dpk_object_drop(e->rdma);
    dpk_object_drop(e->worker);
    free(e);
}
static const struct dpk_kind endpoint_kind = {.left = endpoint_left, .release = endpoint_release};

static doca_error_t open_endpoint(struct endpoint *e, unsigned int access)
{
    struct dpk_dpa *d = e->worker->dpa;
    struct dpk_rdma *r = dpk_rdma_new(d->dev);
    if (!r)
        return no_memory();
    dpk_object_hold(e->rdma = r);
    r->permissions = access;
    r->receives = 0;
    doca_error_t result = dpk_ctx_set_datapath(&r->ctx, d);
    if (result == DOCA_SUCCESS && (result = dpk_ctx_start(&r->ctx)) == DOCA_ERROR_BAD_STATE)
        dpk_doca_because(result, "the DPA context is not started, or was stopped");
    if (result == DOCA_SUCCESS)
        result = dpk_rdma_connection_new(r, &e->connection);
    if (result == DOCA_SUCCESS)
        dpk_object_hold(e->connection);
    return result;
}

doca_error_t doca_dpa_ep_create(doca_dpa_worker_t worker, unsigned int access, doca_dpa_ep_t *ep)
{
    if (ep)
        *ep = NULL;
    if (!ep || (access & ~(unsigned)PERMISSIONS) != 0)
        return INVALID(__func__,
                       "nowhere to put the endpoint, or access 0x%x is not one of DOCA_ACCESS_...",
                       access);
    struct worker *w = dpk_object_pin(worker, &worker_kind);
    if (!w)
        return INVALID(__func__, "the worker is invalid, or was destroyed");
    doca_error_t result;
    struct endpoint *e = calloc(1, sizeof *e);
    if (!e) {
        result = no_memory();
    } else {
        dpk_object_use(e->worker = w);
        result = open_endpoint(e, access);
        if (result != DOCA_SUCCESS) {
            endpoint_left(e);
            endpoint_release(e);
        } else if (!(*ep = dpk_object_enter(e, &endpoint_kind))) {
            result = no_memory();
        }
    }
    dpk_object_drop(w);
    return dpk_doca_end(worker, __func__, result);
}

static doca_error_t no_endpoint(const char *call)
{
    return INVALID(call, "the endpoint is invalid, or was destroyed, or an argument is NULL");
}

doca_error_t doca_dpa_ep_destroy(doca_dpa_ep_t ep)
{
    const doca_error_t result = dpk_object_destroy(ep, &endpoint_kind);
    if (result == DOCA_ERROR_IN_USE)
        return dpk_doca_refuse_call(NULL, result, __func__, "other objects use the endpoint");
    return result == DOCA_SUCCESS ? result : no_endpoint(__func__);
}

doca_error_t doca_dpa_ep_addr_get(doca_dpa_ep_t ep, doca_dpa_ep_addr_t *addr, size_t *addr_length)
{
    if (addr)
        *addr = NULL;
    struct endpoint *e = addr && addr_length ? dpk_object_pin(ep, &endpoint_kind) : NULL;
    if (!e)
        return no_endpoint(__func__);
    const struct dpk_buf *details = &e->connection->details;
    if ((*addr = malloc(details->size))) {
        memcpy(*addr, details->data, details->size);
        *addr_length = details->size;
    }
    dpk_object_drop(e);
    return dpk_doca_end(ep, __func__, *addr ? DOCA_SUCCESS : no_memory());
}

doca_error_t doca_dpa_ep_addr_free(doca_dpa_ep_addr_t addr)
{
    free(addr);
    return addr ? DOCA_SUCCESS : dpk_doca_no_object(__func__);
}

doca_error_t doca_dpa_ep_connect(doca_dpa_ep_t ep, doca_dpa_ep_addr_t addr)
{
    struct endpoint *e = addr ? dpk_object_pin(ep, &endpoint_kind) : NULL;
    if (!e)
        return no_endpoint(__func__);
    /* The API does not pass the size. All addresses of a version have the same size, and start with
     * a mark and the version; the rest is read only if both are right. */
    const doca_error_t result =
        dpk_rdma_connect(e->connection, addr, dpk_rc_address_size(addr));
    dpk_object_drop(e);
    return dpk_doca_end(ep, __func__, result);
}

doca_error_t doca_dpa_ep_dev_export(doca_dpa_ep_t ep, doca_dpa_dev_ep_t *handle)
{
    struct endpoint *e = handle ? dpk_object_pin(ep, &endpoint_kind) : NULL;
    if (!e)
        return no_endpoint(__func__);
    *handle = (uintptr_t)e->rdma->ctx.object.handle; /* DPA code posts to an RDMA context */
    dpk_object_drop(e);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_ep_handle_export(doca_dpa_ep_t ep, doca_dpa_dev_ep_t *handle)
{
    return doca_dpa_ep_dev_export(ep, handle);
}
