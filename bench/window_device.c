/* Kernels of bench/window.sh: the device loads and stores host memory through a window. */
#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

static volatile uint64_t *window(uint64_t id, uint64_t mkey, uint64_t address)
{
    struct flexio_dev_thread_ctx *context;
    flexio_uintptr_t at = 0;
    flexio_dev_get_thread_ctx(&context);
    flexio_dev_window_config(context, (uint16_t)id, (uint32_t)mkey);
    flexio_dev_window_ptr_acquire(context, address, &at);
    return (volatile uint64_t *)at;
}

__dpa_rpc__ uint64_t load_words(uint64_t id, uint64_t mkey, uint64_t address, uint64_t times)
{
    volatile uint64_t *word = window(id, mkey, address);
    uint64_t sum = 0;
    while (times--)
        sum += *word;
    return sum;
}

__dpa_rpc__ uint64_t store_words(uint64_t id, uint64_t mkey, uint64_t address, uint64_t times)
{
    volatile uint64_t *word = window(id, mkey, address);
    while (times--)
        *word = times;
    return 0;
}

__dpa_rpc__ uint64_t copy_pages(uint64_t id, uint64_t mkey, uint64_t address, uint64_t times)
{
    static uint64_t page[512];
    struct flexio_dev_thread_ctx *context;
    window(id, mkey, address);
    flexio_dev_get_thread_ctx(&context);
    while (times--)
        flexio_dev_window_copy_from_host(context, page, address, sizeof page);
    return page[0];
}
