#include "rdma_common.h"

#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(DPA_COMMON::RDMA);

#define COMPLETION_QUEUE_SIZE 128
#define RECV_QUEUE_SIZE       128
#define PERMISSIONS                                                                                \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE)

static doca_error_t thread_init(struct dpa_resources *resources, doca_dpa_func_t *func,
                                size_t arg_size, doca_dpa_dev_uintptr_t tls,
                                struct dpa_rdma_obj *obj)
{
    doca_error_t result = doca_dpa_thread_create(resources->pf_doca_dpa, &obj->thread);
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_mem_alloc(resources->pf_doca_dpa, arg_size, &obj->thread_arg));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_set_func_arg(obj->thread, func, obj->thread_arg));
    if (tls)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_set_local_storage(obj->thread, tls));
    if (resources->next_affinity < resources->num_affinities)
        DOCA_ERROR_PROPAGATE(result,
                             doca_dpa_thread_set_affinity(
                                 obj->thread, resources->affinities[resources->next_affinity++]));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_start(obj->thread));
    return result;
}

static doca_error_t rdma_init(struct dpa_resources *resources, struct dpa_rdma_obj *obj)
{
    if (doca_rdma_cap_task_send_is_supported(doca_dev_as_devinfo(resources->rdma_doca_device)) !=
        DOCA_SUCCESS)
        return DOCA_ERROR_NOT_SUPPORTED;
    doca_error_t result = doca_rdma_create(resources->rdma_doca_device, &obj->rdma);
    if (result != DOCA_SUCCESS)
        return result;
    obj->ctx = doca_rdma_as_ctx(obj->rdma);
    DOCA_ERROR_PROPAGATE(result, doca_rdma_set_permissions(obj->rdma, PERMISSIONS));
    DOCA_ERROR_PROPAGATE(result, doca_rdma_set_grh_enabled(obj->rdma, true));
    DOCA_ERROR_PROPAGATE(result, doca_rdma_set_recv_queue_size(obj->rdma, RECV_QUEUE_SIZE));
    DOCA_ERROR_PROPAGATE(result, doca_rdma_task_receive_set_dst_buf_list_len(obj->rdma, 1));
    DOCA_ERROR_PROPAGATE(
        result, doca_rdma_set_max_num_connections(obj->rdma, (uint16_t)obj->num_connections));
    DOCA_ERROR_PROPAGATE(result, doca_ctx_set_datapath_on_dpa(obj->ctx, resources->rdma_doca_dpa));
    DOCA_ERROR_PROPAGATE(result, doca_rdma_dpa_completion_attach(obj->rdma, obj->comp));
    DOCA_ERROR_PROPAGATE(result, doca_ctx_start(obj->ctx));
    DOCA_ERROR_PROPAGATE(result, doca_rdma_get_dpa_handle(obj->rdma, &obj->rdma_handle));
    for (uint32_t i = 0; i < obj->num_connections; i++) {
        DOCA_ERROR_PROPAGATE(result, doca_rdma_export(obj->rdma, &obj->details[i],
                                                      &obj->details_size[i], &obj->connection[i]));
        DOCA_ERROR_PROPAGATE(
            result, doca_rdma_connection_get_id(obj->connection[i], &obj->connection_id[i]));
    }
    return result;
}

doca_error_t rdma_obj_init(struct dpa_resources *resources, doca_dpa_func_t *func, size_t arg_size,
                           doca_dpa_dev_uintptr_t tls, uint32_t num_connections,
                           struct dpa_rdma_obj *obj)
{
    doca_error_t result = DOCA_SUCCESS;
    obj->num_connections = num_connections;
    if (func)
        result = thread_init(resources, func, arg_size, tls, obj);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_completion_create(resources->rdma_doca_dpa,
                                                            COMPLETION_QUEUE_SIZE, &obj->comp));
    if (func)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_completion_set_thread(obj->comp, obj->thread));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_completion_start(obj->comp));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_completion_get_dpa_handle(obj->comp, &obj->comp_handle));
    DOCA_ERROR_PROPAGATE(result, rdma_init(resources, obj));
    return result;
}

doca_error_t rdma_obj_run(struct dpa_resources *resources, struct dpa_rdma_obj *obj, void *arg,
                          size_t arg_size)
{
    doca_error_t result =
        doca_dpa_h2d_memcpy(resources->pf_doca_dpa, obj->thread_arg, arg, arg_size);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_run(obj->thread));
    return result;
}

doca_error_t rdma_obj_connect(struct dpa_rdma_obj *a, struct dpa_rdma_obj *b)
{
    doca_error_t result = DOCA_SUCCESS;
    for (uint32_t i = 0; i < a->num_connections; i++) {
        DOCA_ERROR_PROPAGATE(result, doca_rdma_connect(a->rdma, b->details[i], b->details_size[i],
                                                       a->connection[i]));
        DOCA_ERROR_PROPAGATE(result, doca_rdma_connect(b->rdma, a->details[i], a->details_size[i],
                                                       b->connection[i]));
    }
    return result;
}

doca_error_t rdma_obj_destroy(struct dpa_resources *resources, struct dpa_rdma_obj *obj)
{
    doca_error_t result = DOCA_SUCCESS;
    if (obj->rdma) {
        DOCA_ERROR_PROPAGATE(result, doca_ctx_stop(obj->ctx));
        DOCA_ERROR_PROPAGATE(result, doca_rdma_destroy(obj->rdma));
    }
    if (obj->comp)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_completion_destroy(obj->comp));
    if (obj->thread)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_destroy(obj->thread));
    if (obj->thread_arg)
        DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(resources->pf_doca_dpa, obj->thread_arg));
    return result;
}

doca_error_t mmap_obj_init(struct dpa_resources *resources, void *host,
                           doca_dpa_dev_uintptr_t dev_ptr, size_t size, struct dpa_mmap_obj *obj)
{
    doca_error_t result = doca_mmap_create(&obj->mmap);
    DOCA_ERROR_PROPAGATE(result, doca_mmap_set_permissions(obj->mmap, PERMISSIONS));
    DOCA_ERROR_PROPAGATE(result, host ? doca_mmap_set_memrange(obj->mmap, host, size)
                                      : doca_mmap_set_dpa_memrange(
                                            obj->mmap, resources->pf_doca_dpa, dev_ptr, size));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_add_dev(obj->mmap, resources->rdma_doca_device));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_start(obj->mmap));
    DOCA_ERROR_PROPAGATE(
        result, doca_mmap_dev_get_dpa_handle(obj->mmap, resources->rdma_doca_device, &obj->handle));
    return result;
}

int sample_main(int argc, char **argv, struct doca_dpa_app *app,
                doca_error_t (*sample)(struct dpa_resources *resources, doca_dpa_dev_t dpa))
{
    struct dpa_config cfg = {.pf_device_name = DEVICE_DEFAULT_NAME,
                             .rdma_device_name = DEVICE_DEFAULT_NAME};
    struct dpa_resources resources = {0};
    doca_error_t result = doca_log_backend_create_standard();
    DOCA_ERROR_PROPAGATE(result, doca_argp_init(NULL, &cfg));
    DOCA_ERROR_PROPAGATE(result, register_dpa_params());
    DOCA_ERROR_PROPAGATE(result, doca_argp_start(argc, argv));
    if (result == DOCA_SUCCESS)
        result = allocate_dpa_resources(app, &cfg, &resources);
    if (result == DOCA_SUCCESS) {
        result = sample(&resources, resources.rdma_dpa_handle);
        DOCA_ERROR_PROPAGATE(result, destroy_dpa_resources(&resources));
    }
    doca_argp_destroy();
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Sample finished with errors: %s", doca_error_get_descr(result));
    else
        DOCA_LOG_INFO("Sample finished successfully");
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
