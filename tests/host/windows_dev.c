/* The device side of windows_cases.c, built by dpacc with the real libraries. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

static struct flexio_dev_thread_ctx *context(void)
{
    struct flexio_dev_thread_ctx *c;
    flexio_dev_get_thread_ctx(&c);
    return c;
}

static volatile uint64_t *window(uint64_t id, uint64_t mkey, uint64_t address)
{
    flexio_uintptr_t at = 0;
    flexio_dev_window_config(context(), (uint16_t)id, (uint32_t)mkey);
    flexio_dev_window_ptr_acquire(context(), address, &at);
    return (volatile uint64_t *)at;
}

__dpa_rpc__ uint64_t window_load(uint64_t id, uint64_t mkey, uint64_t address)
{
    return *window(id, mkey, address);
}

__dpa_rpc__ uint64_t window_store(uint64_t id, uint64_t mkey, uint64_t address, uint64_t value)
{
    *window(id, mkey, address) = value;
    return 0;
}

__dpa_rpc__ uint64_t window_add(uint64_t id, uint64_t mkey, uint64_t address, uint64_t times)
{
    uint64_t *at = (uint64_t *)window(id, mkey, address);
    while (times--)
        __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Stores `count` words; `back`: and writes them back. */
__dpa_rpc__ uint64_t window_stores(uint64_t id, uint64_t mkey, uint64_t address, uint64_t count,
                                   uint64_t back)
{
    volatile uint64_t *at = window(id, mkey, address);
    for (uint64_t i = 0; i < count; i++)
        at[i] = 100 + i; /* STORES */
    __dpa_thread_memory_writeback();
    __dpa_thread_window_read_inv();
    if (back)
        __dpa_thread_window_writeback();
    return at[0];
}

/* How much a word has grown that is written by way of the other window; `inv`: after a fence. */
__dpa_rpc__ uint64_t window_sees(uint64_t id, uint64_t mkey, uint64_t address, uint64_t inv)
{
    flexio_uintptr_t other = 0;
    volatile uint64_t *at = window(id, mkey, address);
    flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_1, (uint16_t)id, (uint32_t)mkey);
    flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_1, address, &other);
    const uint64_t before = *at;
    *(volatile uint64_t *)other = before + 1;
    __dpa_thread_window_writeback();
    if (inv)
        __dpa_thread_window_read_inv();
    return *at - before; /* SEES */
}

static uint64_t room[64];

/* There and back, each word plus one. */
__dpa_rpc__ uint64_t window_copy(uint64_t id, uint64_t mkey, uint64_t address, uint64_t size)
{
    flexio_dev_window_config(context(), (uint16_t)id, (uint32_t)mkey);
    flexio_dev_window_copy_from_host(context(), room, address, (uint32_t)size);
    for (uint64_t i = 0; i < size / 8; i++)
        room[i]++;
    return flexio_dev_window_copy_to_host(context(), address, room, (uint32_t)size);
}

/* Two windows at a time, each with a key and an address of its own. */
__dpa_rpc__ uint64_t window_exchange(uint64_t id, uint64_t key_a, uint64_t a, uint64_t key_b,
                                     uint64_t b)
{
    flexio_uintptr_t at, bt;
    flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_0, (uint16_t)id, (uint32_t)key_a);
    flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_1, (uint16_t)id, (uint32_t)key_b);
    flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_0, a, &at);
    flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_1, b, &bt);
    for (int i = 0; i < 4; i++) {
        uint64_t word = ((volatile uint64_t *)at)[i];
        ((volatile uint64_t *)at)[i] = ((volatile uint64_t *)bt)[i];
        ((volatile uint64_t *)bt)[i] = word;
    }
    flexio_dev_window_copy_from_host(FLEXIO_DEV_WINDOW_ENTITY_1, room, b, 64);
    return flexio_dev_window_copy_to_host(FLEXIO_DEV_WINDOW_ENTITY_0, a + 64, room, 64);
}

/* Through the window that was not configured for it. */
__dpa_rpc__ uint64_t window_mistaken(uint64_t id, uint64_t key_a, uint64_t key_b, uint64_t b)
{
    flexio_uintptr_t bt;
    flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_0, (uint16_t)id, (uint32_t)key_a);
    flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_1, (uint16_t)id, (uint32_t)key_b);
    flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_0, b, &bt);
    return *(volatile uint64_t *)bt;
}

/* Which of the steps fail, a bit each. */
__dpa_rpc__ uint64_t failing_steps(uint64_t window_id, uint64_t outbox, uint64_t uar)
{
    flexio_uintptr_t at;
    uint64_t failed = 0;
    failed |= (uint64_t)flexio_dev_window_ptr_acquire(context(), 4096, &at) << 0;
    failed |= (uint64_t)flexio_dev_window_mkey_config(context(), 1) << 1;
    failed |= (uint64_t)flexio_dev_outbox_config_uar_extension(context(), (uint32_t)uar) << 2;
    failed |= (uint64_t)flexio_dev_window_config(context(), (uint16_t)window_id, 1) << 3;
    failed |= (uint64_t)flexio_dev_window_ptr_acquire(context(), 4096, &at) << 4;
    failed |= (uint64_t)flexio_dev_window_mkey_config(context(), 2) << 5;
    failed |= (uint64_t)flexio_dev_outbox_config(context(), (uint16_t)outbox) << 6;
    failed |= (uint64_t)flexio_dev_outbox_config_uar_extension(context(), (uint32_t)uar) << 7;
    failed |= (uint64_t)flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_NUM, 1, 1) << 8;
    failed |= (uint64_t)flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_NUM, 1, &at) << 9;
    failed |= (uint64_t)flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_1, 1, &at) << 10;
    return failed;
}

__dpa_rpc__ uint64_t end_process(void)
{
    flexio_dev_process_finish();
}

static uint64_t handled;

__dpa_global__ void handler(uint64_t arg)
{
    handled += arg;
    flexio_dev_thread_reschedule();
}

static uint64_t rounds;

/* Its variables live on from round to round, of which one event leads to three. */
__dpa_global__ void counts_rounds(uint64_t step)
{
    for (uint64_t mine = step;; mine += step) {
        __atomic_store_n(&rounds, mine, __ATOMIC_RELEASE);
        if (mine / step % 3 == 0)
            flexio_dev_yield(context());
        else
            flexio_dev_yield_and_retrigger();
    }
}

/* The handler runs until `expected` is there. */
__dpa_rpc__ uint64_t activate(uint64_t id, uint64_t expected)
{
    flexio_dev_event_handler_activate((uint32_t)id);
    while (expected && __atomic_load_n(&rounds, __ATOMIC_ACQUIRE) != expected)
        ;
    return rounds;
}

__dpa_global__ void on_error(uint64_t arg)
{
    flexio_dev_print("last words %lu\n", arg);
}

__dpa_rpc__ uint64_t crash(void)
{
    *(volatile uint64_t *)8 = 1;
    return 0;
}
