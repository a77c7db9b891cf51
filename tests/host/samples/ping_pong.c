/* Two threads of the DPA send each other a value that grows, and poll for the answer. */
#include "ping_pong_defs.h"
#include "rdma_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PING_PONG::MAIN);

extern struct doca_dpa_app *dpa_sample_app;
doca_dpa_func_t thread_kernel;
doca_dpa_func_t trigger_first_iteration_rpc;

_Static_assert(sizeof(struct dpa_thread_arg) == 80 && sizeof(struct dpa_tls) == 16,
               "as in the sample");

struct side {
    struct dpa_rdma_obj rdma;
    struct dpa_mmap_obj recv, send;
    struct doca_sync_event *event;
    doca_dpa_dev_uintptr_t tls;
    struct dpa_thread_arg arg;
};

static doca_error_t buffer_init(struct dpa_resources *res, doca_dpa_dev_uintptr_t *address,
                                struct dpa_mmap_obj *map)
{
    doca_error_t result = doca_dpa_mem_alloc(res->pf_doca_dpa, sizeof(uint64_t), address);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_memset(res->pf_doca_dpa, *address, 0, sizeof(uint64_t)));
    DOCA_ERROR_PROPAGATE(result, mmap_obj_init(res, NULL, *address, sizeof(uint64_t), map));
    return result;
}

static doca_error_t side_init(struct dpa_resources *res, doca_dpa_dev_t dpa, struct side *s)
{
    doca_error_t result = create_doca_dpa_completion_sync_event(
        res->pf_doca_dpa, res->pf_doca_device, &s->event, &s->arg.sync_event_handle);
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_mem_alloc(res->pf_doca_dpa, sizeof(struct dpa_tls), &s->tls));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_memset(res->pf_doca_dpa, s->tls, 0, sizeof(struct dpa_tls)));
    DOCA_ERROR_PROPAGATE(result, buffer_init(res, &s->arg.recv_addr, &s->recv));
    DOCA_ERROR_PROPAGATE(result, buffer_init(res, &s->arg.send_addr, &s->send));
    DOCA_ERROR_PROPAGATE(result,
                         rdma_obj_init(res, &thread_kernel, sizeof(s->arg), s->tls, 1, &s->rdma));
    s->arg.comp_handle = s->rdma.comp_handle;
    s->arg.rdma_handle = s->rdma.rdma_handle;
    s->arg.connection_id = s->rdma.connection_id[0];
    s->arg.recv_mmap_handle = s->recv.handle;
    s->arg.send_mmap_handle = s->send.handle;
    s->arg.length = sizeof(uint64_t);
    s->arg.dpa_ctx_handle = dpa;
    DOCA_ERROR_PROPAGATE(result, rdma_obj_run(res, &s->rdma, &s->arg, sizeof(s->arg)));
    return result;
}

static doca_error_t side_destroy(struct dpa_resources *res, struct side *s)
{
    doca_error_t result = rdma_obj_destroy(res, &s->rdma);
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(s->recv.mmap));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(s->send.mmap));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, s->arg.recv_addr));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, s->arg.send_addr));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, s->tls));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(s->event));
    return result;
}

static doca_error_t ping_pong(struct dpa_resources *res, doca_dpa_dev_t dpa)
{
    struct side ping = {0}, pong = {0};
    uint64_t retval = 0, to_pong = 0, to_ping = 0;
    doca_error_t result = side_init(res, dpa, &ping);
    DOCA_ERROR_PROPAGATE(result, side_init(res, dpa, &pong));
    DOCA_ERROR_PROPAGATE(result, rdma_obj_connect(&ping.rdma, &pong.rdma));
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_dpa_rpc(res->pf_doca_dpa, &trigger_first_iteration_rpc, &retval, dpa, ping.arg,
                          pong.arg);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_wait_gt(pong.event, 0, 0xFFFFFFFFFFFFFFFF);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_wait_gt(ping.event, 0, 0xFFFFFFFFFFFFFFFF);
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_get(pong.event, &to_pong));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_get(ping.event, &to_ping));
    DOCA_LOG_INFO("%d rounds, last values %lu and %lu", NUM_ROUNDS, to_pong, to_ping);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_peek_at_last_error(res->pf_doca_dpa));
    DOCA_ERROR_PROPAGATE(result, side_destroy(res, &ping));
    DOCA_ERROR_PROPAGATE(result, side_destroy(res, &pong));
    return result;
}

int main(int argc, char **argv)
{
    return sample_main(argc, argv, dpa_sample_app, ping_pong);
}
