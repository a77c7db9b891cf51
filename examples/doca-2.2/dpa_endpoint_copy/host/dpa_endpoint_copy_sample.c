/* A kernel writes a number of the main thread into memory of another thread, through connected
 * endpoints, and signals an event of that thread (guide, 3.6.3.5). */
#include <inttypes.h>
#include <pthread.h>

#include "../../common/guide.h"

DOCA_LOG_REGISTER(ENDPOINT_COPY);

extern doca_dpa_app_t dpa_sample_app;
doca_dpa_func_t dpa_endpoint_copy_kernel;

#define ACCESS (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_WRITE)

/* One end: an endpoint with its worker, and a number in registered memory. */
struct end {
    doca_dpa_worker_t worker;
    doca_dpa_ep_t ep;
    doca_dpa_ep_addr_t address;
    uint64_t number;
    doca_dpa_mem_t mem;
    doca_dpa_dev_mem_t mem_handle;
};

static doca_error_t end_open(struct end *e, doca_dpa_t dpa)
{
    size_t length;
    doca_error_t result = doca_dpa_worker_create(dpa, &e->worker, 0);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_ep_create(e->worker, ACCESS, &e->ep);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_ep_addr_get(e->ep, &e->address, &length);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_mem_host_register(dpa, &e->number, sizeof e->number, ACCESS, &e->mem, 0);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_mem_dev_export(e->mem, &e->mem_handle);
    return result;
}

static void end_close(struct end *e)
{
    if (e->mem)
        doca_dpa_mem_unregister(e->mem);
    if (e->address)
        doca_dpa_ep_addr_free(e->address);
    if (e->ep)
        doca_dpa_ep_destroy(e->ep);
    if (e->worker)
        doca_dpa_worker_destroy(e->worker);
}

/* What both threads know. */
struct copy {
    doca_dpa_t dpa;
    struct end local, remote;
    struct doca_sync_event *ready;   /* counts ends that are there, then the remote's connection */
    struct doca_sync_event *arrived; /* of the remote thread: the kernel's write is there */
    doca_error_t remote_result;
};

static doca_error_t be_remote(struct copy *c)
{
    doca_error_t result = end_open(&c->remote, c->dpa);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_update_add(c->ready, 1, NULL);
    if (result == DOCA_SUCCESS)
        result = guide_wait(c->ready, 1); /* both are there */
    if (result == DOCA_SUCCESS)
        result = doca_dpa_ep_connect(c->remote.ep, c->local.address);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_update_add(c->ready, 1, NULL);
    if (result == DOCA_SUCCESS)
        result = guide_wait(c->arrived, 0);
    return result;
}

static void *remote_thread(void *context)
{
    struct copy *c = context;
    c->remote_result = be_remote(c);
    if (c->remote_result != DOCA_SUCCESS)
        doca_sync_event_update_set(c->ready, 100); /* nobody is to wait for this thread */
    return NULL;
}

static doca_error_t launch(struct guide *g, struct copy *c, struct doca_sync_event *done)
{
    doca_dpa_dev_ep_t ep;
    doca_sync_event_remote_t arrived;
    doca_error_t result = doca_dpa_ep_dev_export(c->local.ep, &ep);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_export_remote(c->arrived, &arrived);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_kernel_launch_update_set(
            g->dpa, NULL, 0, done, 1, 1, &dpa_endpoint_copy_kernel, ep,
            (uint64_t)(uintptr_t)&c->local.number, c->local.mem_handle,
            (uint64_t)sizeof c->local.number, (uint64_t)(uintptr_t)&c->remote.number,
            c->remote.mem_handle, arrived);
    if (result == DOCA_SUCCESS)
        result = guide_wait(done, 0);
    return result;
}

static doca_error_t be_local(struct guide *g, struct copy *c, struct doca_sync_event *done)
{
    doca_error_t result = end_open(&c->local, c->dpa);
    c->local.number = 42;
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_update_add(c->ready, 1, NULL);
    if (result == DOCA_SUCCESS)
        result = guide_wait(c->ready, 2); /* the remote thread has connected */
    if (result == DOCA_SUCCESS)
        result = doca_dpa_ep_connect(c->local.ep, c->remote.address);
    if (result == DOCA_SUCCESS)
        result = launch(g, c, done);
    return result;
}

static doca_error_t endpoint_copy(struct guide *g)
{
    struct copy c = {.dpa = g->dpa};
    struct doca_sync_event *done;
    pthread_t thread;
    doca_error_t result = guide_event(g, GUIDE_DPA, GUIDE_CPU, &done);
    if (result == DOCA_SUCCESS)
        result = guide_event(g, GUIDE_CPU, GUIDE_CPU, &c.ready);
    if (result == DOCA_SUCCESS)
        result = guide_event(g, GUIDE_DPA | GUIDE_CPU, GUIDE_CPU, &c.arrived);
    if (result != DOCA_SUCCESS)
        return result;
    if (pthread_create(&thread, NULL, remote_thread, &c) != 0)
        return DOCA_ERROR_OPERATING_SYSTEM;
    result = be_local(g, &c, done);
    if (result != DOCA_SUCCESS) { /* the remote thread must not wait for this one */
        doca_sync_event_update_set(c.ready, 100);
        doca_sync_event_update_set(c.arrived, 1);
    }
    pthread_join(thread, NULL);
    DOCA_ERROR_PROPAGATE(result, c.remote_result);
    DOCA_LOG_INFO("The remote thread has %" PRIu64, c.remote.number);
    if (result == DOCA_SUCCESS && c.remote.number != c.local.number)
        result = DOCA_ERROR_UNEXPECTED;
    end_close(&c.local);
    end_close(&c.remote);
    return result;
}

int main(int argc, char **argv)
{
    return guide_main(argc, argv, "doca_dpa_endpoint_copy", dpa_sample_app, endpoint_copy);
}
