/* The DPA's side: the first message, and the two threads that return it. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "../common/ping_pong.h"

static void listen(const struct player *p)
{
    doca_dpa_dev_rdma_post_receive(p->rdma, p->receive_map, p->receive_address, p->size);
}

/* Nobody looks for completions of sends: they are not to be reported. */
static void hit(const struct player *p, uint64_t ball)
{
    *(uint64_t *)p->send_address = ball;
    doca_dpa_dev_rdma_post_send(p->rdma, p->connection, p->send_map, p->send_address, p->size,
                                DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH |
                                    DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
}

/* Each receive of a thread wakes it once; from then on it polls until the last round. */
__dpa_global__ void thread_kernel(uint64_t arg)
{
    const struct player *p = (const struct player *)arg;
    struct score *score = (struct score *)doca_dpa_dev_thread_get_local_storage();
    doca_dpa_dev_completion_element_t element;
    doca_dpa_dev_device_set(p->dpa);
    while (1) {
        if (!doca_dpa_dev_get_completion(p->completion, &element))
            continue;
        doca_dpa_dev_completion_ack(p->completion, 1);
        uint64_t ball = *(const uint64_t *)p->receive_address;
        if (doca_dpa_dev_get_completion_type(element) != DOCA_DPA_DEV_COMP_RECV_SEND ||
            ball <= score->last) {
            doca_dpa_dev_sync_event_update_set(p->over, FAILED);
            doca_dpa_dev_thread_finish();
        }
        score->last = ball;
        score->rounds++;
        listen(p);
        hit(p, ball + 1);
        if (score->rounds == p->rounds) {
            doca_dpa_dev_sync_event_update_add(p->over, 1);
            doca_dpa_dev_thread_finish();
        }
    }
}

__dpa_rpc__ uint64_t trigger_first_iteration_rpc(doca_dpa_dev_t dpa, struct player first,
                                                 struct player second)
{
    doca_dpa_dev_device_set(dpa);
    listen(&first);
    listen(&second);
    hit(&first, 1);
    return 0;
}
