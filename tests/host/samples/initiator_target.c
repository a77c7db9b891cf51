/* Four messages with immediates over two connections, to a target with one receive at a time. */
#include "initiator_target_defs.h"
#include "rdma_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(INITIATOR_TARGET::MAIN);

#define EXPECTED_SUM (1 + 2 + 3 + 4)

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t thread1_kernel;
extern doca_dpa_func_t thread2_kernel;
extern doca_dpa_func_t rdma_post_receive_rpc;
extern doca_dpa_func_t rdma_post_send_imm_rpc;

_Static_assert(sizeof(struct thread1_arg) == 56 && offsetof(struct thread1_arg, length) == 44 &&
                   sizeof(struct thread2_arg) == 16,
               "as in the sample");

struct target {
    struct dpa_rdma_obj rdma;
    struct dpa_mmap_obj map;
    struct doca_dpa_thread *thread2;
    struct doca_dpa_notification_completion *notify_comp;
    struct doca_sync_event *event;
    doca_dpa_dev_uintptr_t thread2_arg, buffer;
};

static doca_error_t thread2_init(struct dpa_resources *res, doca_dpa_dev_t dpa, struct target *t)
{
    struct thread2_arg arg = {.dpa_ctx_handle = dpa};
    doca_dpa_dev_sync_event_t event = 0;
    doca_error_t result = create_doca_dpa_completion_sync_event(
        res->pf_doca_dpa, res->pf_doca_device, &t->event, &event);
    arg.sync_event_handle = event;
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_mem_alloc(res->pf_doca_dpa, sizeof(arg), &t->thread2_arg));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_h2d_memcpy(res->pf_doca_dpa, t->thread2_arg, &arg, sizeof(arg)));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_create(res->pf_doca_dpa, &t->thread2));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_thread_set_func_arg(t->thread2, &thread2_kernel, t->thread2_arg));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_start(t->thread2));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_notification_completion_create(
                                     res->pf_doca_dpa, t->thread2, &t->notify_comp));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_notification_completion_start(t->notify_comp));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_run(t->thread2));
    return result;
}

static doca_error_t target_init(struct dpa_resources *res, doca_dpa_dev_t dpa, struct target *t)
{
    doca_dpa_dev_notification_completion_t notification = 0;
    doca_error_t result = thread2_init(res, dpa, t);
    DOCA_ERROR_PROPAGATE(
        result, doca_dpa_notification_completion_get_dpa_handle(t->notify_comp, &notification));
    DOCA_ERROR_PROPAGATE(result,
                         doca_dpa_mem_alloc(res->pf_doca_dpa, sizeof(uint64_t), &t->buffer));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_memset(res->pf_doca_dpa, t->buffer, 0, sizeof(uint64_t)));
    DOCA_ERROR_PROPAGATE(result, mmap_obj_init(res, NULL, t->buffer, sizeof(uint64_t), &t->map));
    DOCA_ERROR_PROPAGATE(
        result, rdma_obj_init(res, &thread1_kernel, sizeof(struct thread1_arg), 0, 2, &t->rdma));
    struct thread1_arg arg = {.dpa_ctx_handle = dpa,
                              .rdma_handle = t->rdma.rdma_handle,
                              .dpa_comp_handle = t->rdma.comp_handle,
                              .notification_comp_handle = notification,
                              .local_buf_addr = t->buffer,
                              .local_buf_mmap_handle = t->map.handle,
                              .length = sizeof(uint64_t)};
    DOCA_ERROR_PROPAGATE(result, rdma_obj_run(res, &t->rdma, &arg, sizeof(arg)));
    return result;
}

static doca_error_t target_destroy(struct dpa_resources *res, struct target *t)
{
    doca_error_t result = rdma_obj_destroy(res, &t->rdma);
    DOCA_ERROR_PROPAGATE(result, doca_dpa_notification_completion_destroy(t->notify_comp));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_thread_destroy(t->thread2));
    DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(t->map.mmap));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, t->thread2_arg));
    DOCA_ERROR_PROPAGATE(result, doca_dpa_mem_free(res->pf_doca_dpa, t->buffer));
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_destroy(t->event));
    return result;
}

/* All sends are posted before the second receive can be: they wait. */
static doca_error_t transfer(struct dpa_resources *res, doca_dpa_dev_t dpa,
                             struct dpa_rdma_obj *initiator, struct target *t)
{
    uint64_t send_val = 7, retval = 0;
    struct dpa_mmap_obj map = {0};
    doca_error_t result = mmap_obj_init(res, &send_val, 0, sizeof(send_val), &map);
    for (uint32_t i = 0; i < EXPECTED_NUM_RECEIVES && result == DOCA_SUCCESS; i++) {
        uint32_t immediate = i + 1;
        result = doca_dpa_rpc(res->pf_doca_dpa, &rdma_post_send_imm_rpc, &retval, dpa,
                              initiator->rdma_handle, initiator->connection_id[i % 2], &send_val,
                              map.handle, sizeof(send_val), immediate);
    }
    if (result == DOCA_SUCCESS)
        result = doca_dpa_rpc(res->pf_doca_dpa, &rdma_post_receive_rpc, &retval, dpa,
                              t->rdma.rdma_handle, t->buffer, t->map.handle, sizeof(uint64_t));
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_wait_gt(t->event, 0, 0xFFFFFFFFFFFFFFFF);
    if (map.mmap)
        DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(map.mmap));
    return result;
}

static doca_error_t initiator_target(struct dpa_resources *res, doca_dpa_dev_t dpa)
{
    struct dpa_rdma_obj initiator = {0};
    struct target target = {0};
    uint64_t value = 0;
    doca_error_t result = target_init(res, dpa, &target);
    DOCA_ERROR_PROPAGATE(result, rdma_obj_init(res, NULL, 0, 0, 2, &initiator));
    DOCA_ERROR_PROPAGATE(result, rdma_obj_connect(&initiator, &target.rdma));
    if (result != DOCA_SUCCESS)
        return result;
    result = transfer(res, dpa, &initiator, &target);
    DOCA_ERROR_PROPAGATE(result, doca_sync_event_get(target.event, &value));
    DOCA_LOG_INFO("Event has %lu", value);
    if (result == DOCA_SUCCESS && value != EXPECTED_SUM)
        result = DOCA_ERROR_UNEXPECTED;
    DOCA_ERROR_PROPAGATE(result, rdma_obj_destroy(res, &initiator));
    DOCA_ERROR_PROPAGATE(result, target_destroy(res, &target));
    return result;
}

int main(int argc, char **argv)
{
    return sample_main(argc, argv, dpa_sample_app, initiator_target);
}
