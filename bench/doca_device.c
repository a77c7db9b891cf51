/* Kernels and threads of the measurements in doca.sh. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>

__dpa_global__ void empty(void)
{
}

__dpa_global__ void add(doca_dpa_dev_sync_event_t event, uint64_t value)
{
    doca_dpa_dev_sync_event_update_add(event, value);
}

struct player {
    uint64_t peer;   /* its notification completion */
    uint64_t rounds; /* still to play */
    uint64_t event;  /* told when there are none */
};

/* Every activation answers by waking the other player. */
__dpa_global__ void player_kernel(uint64_t arg)
{
    struct player *p = (struct player *)arg;
    if (p->rounds == 0) {
        doca_dpa_dev_sync_event_update_add(p->event, 1);
    } else {
        p->rounds--;
        doca_dpa_dev_thread_notify(p->peer);
    }
    doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t serve(uint64_t notification)
{
    doca_dpa_dev_thread_notify(notification);
    return 0;
}
