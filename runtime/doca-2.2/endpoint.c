/* Registered memory, workers and endpoints of DOCA 2.2, on memory maps and RDMA contexts. */
#include <doca-2.2/doca_dpa.h>
#include <doca_mmap.h>

#include "doca/rdma/rdma.h"
#include "doca/dpa/context.h"

#define PERMISSIONS                                                                                \
    (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE |               \
     DOCA_ACCESS_RDMA_ATOMIC)

/* ---- Memory ---------------------------------------------------------------------------------- */

static doca_error_t start_map(struct doca_mmap *map, struct doca_dev *dev, void *addr,
                              size_t length, unsigned int access)
{
    doca_error_t result = doca_mmap_set_memrange(map, addr, length);
    DOCA_ERROR_PROPAGATE(result, doca_mmap_set_permissions(map, access));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_add_dev(map, dev));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_start(map));
    return result;
}

doca_error_t doca_dpa_mem_host_register(doca_dpa_t dpa, void *addr, size_t length,
                                        unsigned int access, doca_dpa_mem_t *mem,
                                        unsigned int flags)
{
    struct dpa_call c;
    struct doca_mmap *map = NULL;
    if (mem)
        *mem = NULL;
    if (!mem || !addr || flags != 0 || (access & ~(unsigned)PERMISSIONS) != 0)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = dpa_begin(dpa, &c);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_create(&map);
    if (result == DOCA_SUCCESS)
        result = start_map(map, c.dpa->dev->object.handle, addr, length, access);
    dpk_doca_set_calls(dpk_rdma_call);
    dpa_end(&c);
    if (result == DOCA_SUCCESS)
        *mem = map;
    else
        doca_mmap_destroy(map);
    return result;
}

doca_error_t doca_dpa_mem_unregister(doca_dpa_mem_t mem)
{
    return doca_mmap_destroy(mem);
}

doca_error_t doca_dpa_mem_dev_export(doca_dpa_mem_t mem, doca_dpa_dev_mem_t *handle)
{
    uint32_t key;
    doca_error_t result = handle ? dpk_mmap_key(mem, NULL, &key) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *handle = key;
    return result;
}

/* ---- Workers --------------------------------------------------------------------------------- */

struct worker {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
};

static void worker_release(void *object)
{
    struct worker *w = object;
    dpk_object_drop(w->dpa);
    free(w);
}
static const struct dpk_kind worker_kind = {.release = worker_release};

doca_error_t doca_dpa_worker_create(doca_dpa_t dpa, doca_dpa_worker_t *worker, unsigned int flags)
{
    struct dpa_call c;
    if (worker)
        *worker = NULL;
    if (!worker || flags != 0)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = dpa_begin(dpa, &c);
    struct worker *w = result == DOCA_SUCCESS ? calloc(1, sizeof *w) : NULL;
    if (w) {
        dpk_object_hold(w->dpa = c.dpa);
        *worker = dpk_object_enter(w, &worker_kind);
    }
    if (result == DOCA_SUCCESS && !*worker)
        result = DOCA_ERROR_NO_MEMORY;
    dpa_end(&c);
    return result;
}

doca_error_t doca_dpa_worker_destroy(doca_dpa_worker_t worker)
{
    return dpk_object_destroy(worker, &worker_kind);
}

/* ---- Endpoints ------------------------------------------------------------------------------- */

/* An RDMA context with one connection, without a completion queue. */
static doca_error_t open_endpoint(struct worker *w, unsigned int access, doca_dpa_ep_t *ep)
{
    struct dpk_rdma_connection *connection;
    struct dpk_rdma *r = dpk_rdma_new(w->dpa->dev);
    if (!r)
        return DOCA_ERROR_NO_MEMORY;
    dpk_object_hold(r->ctx.dpa = w->dpa);
    r->permissions = access;
    r->receives = 0;
    dpk_object_use(r->worker = &w->object);
    doca_error_t result = dpk_ctx_start(&r->ctx);
    if (result == DOCA_SUCCESS)
        result = dpk_rdma_connection_new(r, &connection);
    if (result == DOCA_SUCCESS)
        *ep = r->ctx.object.handle;
    else
        dpk_rdma_destroy(r->ctx.object.handle);
    return result;
}

doca_error_t doca_dpa_ep_create(doca_dpa_worker_t worker, unsigned int access, doca_dpa_ep_t *ep)
{
    if (ep)
        *ep = NULL;
    if (!ep || (access & ~(unsigned)PERMISSIONS) != 0)
        return DOCA_ERROR_INVALID_VALUE;
    struct worker *w = dpk_object_pin(worker, &worker_kind);
    doca_error_t result = w ? open_endpoint(w, access, ep) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(w);
    return result;
}

doca_error_t doca_dpa_ep_destroy(doca_dpa_ep_t ep)
{
    return dpk_rdma_destroy(ep);
}

/* The endpoint's connection, pinned; NULL: it is no endpoint. */
static struct dpk_rdma_connection *connection_of(doca_dpa_ep_t ep)
{
    struct dpk_rdma_connection *c = NULL;
    struct dpk_rdma *r = dpk_object_pin(ep, &dpk_rdma_kind);
    if (!r)
        return NULL;
    pthread_mutex_lock(&r->ctx.object.lock);
    if (r->worker && r->count == 1)
        dpk_object_hold(c = r->connections[0]);
    pthread_mutex_unlock(&r->ctx.object.lock);
    dpk_object_drop(r);
    return c;
}

doca_error_t doca_dpa_ep_addr_get(doca_dpa_ep_t ep, doca_dpa_ep_addr_t *addr, size_t *addr_length)
{
    if (addr)
        *addr = NULL;
    struct dpk_rdma_connection *c = addr && addr_length ? connection_of(ep) : NULL;
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    if ((*addr = malloc(c->details.size))) {
        memcpy(*addr, c->details.data, c->details.size);
        *addr_length = c->details.size;
    }
    dpk_object_drop(c);
    return *addr ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_dpa_ep_addr_free(doca_dpa_ep_addr_t addr)
{
    free(addr);
    return addr ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dpa_ep_connect(doca_dpa_ep_t ep, doca_dpa_ep_addr_t addr)
{
    struct dpk_rdma_connection *c = addr ? connection_of(ep) : NULL;
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    /* The API does not say how many bytes there are: addresses of one version have one size. They
     * begin with a mark and the version; without these nothing behind them is read. */
    doca_error_t result = dpk_rdma_connect(c, addr, DPK_RC_ADDRESS_SIZE);
    dpk_object_drop(c);
    return result;
}

doca_error_t doca_dpa_ep_dev_export(doca_dpa_ep_t ep, doca_dpa_dev_ep_t *handle)
{
    struct dpk_rdma_connection *c = handle ? connection_of(ep) : NULL;
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    *handle = (uintptr_t)ep;
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}
