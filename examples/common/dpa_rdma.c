#include "dpa_rdma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_SIZE  128
#define PERMISSIONS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE)

void give_up(const char *call, doca_error_t result)
{
    fprintf(stderr, "%.*s: %s\n", (int)strcspn(call, "("), call, doca_error_get_descr(result));
    exit(1);
}

/* ---- The device and its DPA ---- */

static struct doca_dev *open_device(const char *wanted)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t count = 0;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    MUST(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], name, sizeof name) == DOCA_SUCCESS &&
            strcmp(name, wanted) == 0 && doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
            MUST(doca_dev_open(list[i], &dev));
    MUST(doca_devinfo_destroy_list(list));
    if (!dev)
        give_up(wanted, DOCA_ERROR_NOT_FOUND);
    return dev;
}

void dpa_open(struct dpa *d, const char *device, struct doca_dpa_app *app)
{
    d->dev = open_device(device);
    MUST(doca_dpa_create(d->dev, &d->dpa));
    MUST(doca_dpa_set_app(d->dpa, app));
    MUST(doca_dpa_start(d->dpa));
    MUST(doca_dpa_get_dpa_handle(d->dpa, &d->handle));
}

void dpa_close(struct dpa *d)
{
    MUST(doca_dpa_destroy(d->dpa));
    MUST(doca_dev_close(d->dev));
}

/* ---- Ends ---- */

static void open_queue(struct end *e, const struct dpa *d)
{
    MUST(doca_dpa_completion_create(d->dpa, QUEUE_SIZE, &e->completion));
    if (e->thread)
        MUST(doca_dpa_completion_set_thread(e->completion, e->thread));
    MUST(doca_dpa_completion_start(e->completion));
    MUST(doca_dpa_completion_get_dpa_handle(e->completion, &e->completion_handle));
}

static void open_rdma(struct end *e, const struct dpa *d, uint16_t connections)
{
    struct doca_ctx *ctx;
    MUST(doca_rdma_create(d->dev, &e->rdma));
    MUST(doca_rdma_set_permissions(e->rdma, PERMISSIONS));
    MUST(doca_rdma_set_grh_enabled(e->rdma, 1));
    MUST(doca_rdma_set_max_num_connections(e->rdma, connections));
    ctx = doca_rdma_as_ctx(e->rdma);
    MUST(doca_ctx_set_datapath_on_dpa(ctx, d->dpa));
    MUST(doca_rdma_dpa_completion_attach(e->rdma, e->completion));
    MUST(doca_ctx_start(ctx));
    MUST(doca_rdma_get_dpa_handle(e->rdma, &e->rdma_handle));
}

void end_open(struct end *e, const struct dpa *d, doca_dpa_func_t *func, uint64_t arg,
              doca_dpa_dev_uintptr_t local_storage, uint16_t connections)
{
    *e = (struct end){0};
    if (func) {
        MUST(doca_dpa_thread_create(d->dpa, &e->thread));
        MUST(doca_dpa_thread_set_func_arg(e->thread, func, arg));
        if (local_storage)
            MUST(doca_dpa_thread_set_local_storage(e->thread, local_storage));
        MUST(doca_dpa_thread_start(e->thread));
    }
    open_queue(e, d);
    open_rdma(e, d, connections);
}

void end_close(struct end *e)
{
    MUST(doca_ctx_stop(doca_rdma_as_ctx(e->rdma)));
    MUST(doca_rdma_destroy(e->rdma));
    MUST(doca_dpa_completion_destroy(e->completion));
    if (e->thread)
        MUST(doca_dpa_thread_destroy(e->thread));
}

void end_connect(struct end *a, struct end *b)
{
    struct doca_rdma_connection *from, *to;
    const void *of_a, *of_b;
    size_t size_a, size_b;
    MUST(doca_rdma_export(a->rdma, &of_a, &size_a, &from));
    MUST(doca_rdma_export(b->rdma, &of_b, &size_b, &to));
    MUST(doca_rdma_connect(a->rdma, of_b, size_b, from));
    MUST(doca_rdma_connect(b->rdma, of_a, size_a, to));
}

/* ---- Memory and events ---- */

static struct doca_mmap *map(const struct dpa *d, void *host, doca_dpa_dev_uintptr_t address,
                             size_t size, doca_dpa_dev_mmap_t *handle)
{
    struct doca_mmap *m;
    MUST(doca_mmap_create(&m));
    MUST(doca_mmap_set_permissions(m, PERMISSIONS));
    if (host)
        MUST(doca_mmap_set_memrange(m, host, size));
    else
        MUST(doca_mmap_set_dpa_memrange(m, d->dpa, address, size));
    MUST(doca_mmap_add_dev(m, d->dev));
    MUST(doca_mmap_start(m));
    MUST(doca_mmap_dev_get_dpa_handle(m, d->dev, handle));
    return m;
}

struct doca_mmap *map_dpa(const struct dpa *d, doca_dpa_dev_uintptr_t address, size_t size,
                          doca_dpa_dev_mmap_t *handle)
{
    return map(d, NULL, address, size, handle);
}

struct doca_mmap *map_host(const struct dpa *d, void *address, size_t size,
                           doca_dpa_dev_mmap_t *handle)
{
    return map(d, address, 0, size, handle);
}

struct doca_sync_event *event_open(const struct dpa *d, doca_dpa_dev_sync_event_t *handle)
{
    struct doca_sync_event *e;
    MUST(doca_sync_event_create(&e));
    MUST(doca_sync_event_add_publisher_location_dpa(e, d->dpa));
    MUST(doca_sync_event_add_subscriber_location_cpu(e, d->dev));
    MUST(doca_sync_event_start(e));
    MUST(doca_sync_event_get_dpa_handle(e, d->dpa, handle));
    return e;
}
