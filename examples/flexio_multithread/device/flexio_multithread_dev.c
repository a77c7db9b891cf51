/* The DPA side: each task computes one cell and writes it to the host's matrix. */
#include "../multithread_com.h"

#include <libflexio-dev/flexio_dev.h>

__dpa_rpc__ uint64_t multiply_cell(uint64_t arg)
{
    const struct task *task = (const struct task *)arg;
    struct matrices *m = (struct matrices *)task->matrices;
    struct flexio_dev_thread_ctx *ctx;
    uint64_t sum = 0;

    for (int k = 0; k < SIDE; k++)
        sum += m->a[task->row][k] * m->b[k][task->column];

    flexio_dev_get_thread_ctx(&ctx);
    flexio_dev_window_config(ctx, (uint16_t)m->window_id, m->mkey);
    flexio_dev_window_copy_to_host(ctx, m->result + (task->row * SIDE + task->column) * sizeof sum,
                                   &sum, sizeof sum);

    struct spinlock_s *lock = (struct spinlock_s *)&m->lock;
    spin_lock(lock);
    m->done++;
    spin_unlock(lock);
    return 0;
}

__dpa_rpc__ uint64_t cells_done(uint64_t matrices)
{
    return ((const struct matrices *)matrices)->done;
}
