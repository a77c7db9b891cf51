/* One message from the host's stack to memory of the DPA, which wakes a thread once. */
#include "basic_initiator_target_defs.h"
#include "rdma_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(BASIC_INITIATOR_TARGET::MAIN);

_Static_assert(sizeof(struct thread_arg) == 32, "as in the sample");

#define SEND_VALUE 10

extern struct doca_dpa_app *dpa_sample_app;
doca_dpa_func_t thread_kernel;
doca_dpa_func_t rdma_post_receive_rpc;
doca_dpa_func_t rdma_post_send_rpc;

/* Both RPCs as the sample calls them: `&send_val` is a pointer, the handle of a map has 32 bits. */
static doca_error_t transfer(struct dpa_resources *res, doca_dpa_dev_t dpa,
                             struct dpa_rdma_obj *initiator, struct dpa_rdma_obj *target,
                             doca_dpa_dev_uintptr_t recv_addr, struct dpa_mmap_obj *target_map,
                             struct doca_sync_event *event)
{
    uint64_t send_val = SEND_VALUE, retval = 0;
    struct dpa_mmap_obj map = {0};
    doca_error_t result =
        doca_dpa_rpc(res->pf_doca_dpa, &rdma_post_receive_rpc, &retval, dpa, target->rdma_handle,
                     recv_addr, target_map->handle, sizeof(uint64_t));
    DOCA_ERROR_PROPAGATE(result, mmap_obj_init(res, &send_val, 0, sizeof(send_val), &map));
    if (result == DOCA_SUCCESS)
        result = doca_dpa_rpc(res->pf_doca_dpa, &rdma_post_send_rpc, &retval, dpa,
                              initiator->rdma_handle, &send_val, map.handle, sizeof(uint64_t));
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_wait_gt(event, SEND_VALUE - 1, 0xFFFFFFFFFFFFFFFF);
    if (map.mmap)
        DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(map.mmap));
    return result;
}

static doca_error_t basic_initiator_target(struct dpa_resources *res, doca_dpa_dev_t dpa)
{
    struct dpa_rdma_obj initiator = {0}, target = {0};
    struct dpa_mmap_obj map = {0};
    struct doca_sync_event *event = NULL;
    struct thread_arg arg = {.dpa_ctx_handle = dpa};
    doca_dpa_dev_sync_event_t event_handle = 0;
    doca_dpa_dev_uintptr_t recv_addr = 0;
    uint64_t value = 0;
    doca_error_t result = create_doca_dpa_completion_sync_event(
        res->pf_doca_dpa, res->pf_doca_device, &event, &event_handle);
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_mem_alloc(res->pf_doca_dpa, sizeof(uint64_t), &recv_addr));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_memset(res->pf_doca_dpa, recv_addr, 0, sizeof(uint64_t)));
    DOCA_ERROR_PROPAGATE(result, mmap_obj_init(res, NULL, recv_addr, sizeof(uint64_t), &map));
    DOCA_ERROR_PROPAGATE(result, rdma_obj_init(res, NULL, 0, 0, 1, &initiator));
    DOCA_ERROR_PROPAGATE(result, rdma_obj_init(res, &thread_kernel, sizeof(arg), 0, 1, &target));
    if (result != DOCA_SUCCESS)
        return result;
    arg.dpa_comp_handle = target.comp_handle;
    arg.sync_event_handle = event_handle;
    arg.recv_addr = recv_addr;
    result = rdma_obj_run(res, &target, &arg, sizeof(arg));
    DOCA_ERROR_PROPAGATE(result, rdma_obj_connect(&initiator, &target));
    DOCA_ERROR_PROPAGATE(result, transfer(res, dpa, &initiator, &target, recv_addr, &map, event));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_get(event, &value));
    DOCA_LOG_INFO("Event has %lu", value);
    DOCA_ERROR_PROPAGATE(result, rdma_obj_destroy(res, &initiator));
    DOCA_ERROR_PROPAGATE(result, rdma_obj_destroy(res, &target));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(map.mmap));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, recv_addr));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(event));
    return result;
}

int main(int argc, char **argv)
{
    return sample_main(argc, argv, dpa_sample_app, basic_initiator_target);
}
