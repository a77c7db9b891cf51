/* The DPA side: overwrites host memory through a window. */
#include "../window_com.h"

#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>

/* Makes every word of the host's buffer its own number, squared; returns their sum before. */
__dpa_rpc__ uint64_t overwrite(uint64_t arg)
{
    const struct window_arg *host = (const struct window_arg *)arg;
    struct flexio_dev_thread_ctx *ctx;
    flexio_uintptr_t at;
    uint64_t sum = 0;

    flexio_dev_get_thread_ctx(&ctx);
    if (flexio_dev_window_config(ctx, (uint16_t)host->window_id, host->mkey) !=
            FLEXIO_DEV_STATUS_SUCCESS ||
        flexio_dev_window_ptr_acquire(ctx, host->address, &at) != FLEXIO_DEV_STATUS_SUCCESS)
        return UINT64_MAX;

    volatile uint64_t *words = (volatile uint64_t *)at;
    for (uint64_t i = 0; i < host->words; i++) {
        sum += words[i];
        words[i] = i * i;
    }
    __dpa_thread_window_writeback();
    return sum;
}
