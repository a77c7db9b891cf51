/* The device side of the DOCA 3.x tests; compiled by dpacc. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>
#include <doca_sync_event.h> /* the host's, as programs for the real thing include it */
#include <dpaintrin.h>
#include <stddef.h>

#include "doca3.h"

static uint64_t activations; /* one for each context */

/* ---- Kernels ---- */

__dpa_global__ void hello_world(void)
{
    DOCA_DPA_DEV_LOG_INFO("Hello from kernel\n");
}

__dpa_global__ void log_levels(void)
{
    DOCA_DPA_DEV_LOG_CRIT("critical %d\n", 1);
    DOCA_DPA_DEV_LOG_ERR("error %u\n", 2u);
    DOCA_DPA_DEV_LOG_WARN("warning %s\n", "three");
    DOCA_DPA_DEV_LOG_INFO("info %lu\n", 4ul);
    DOCA_DPA_DEV_LOG_DBG("debug\n");
    doca_dpa_dev_printf("printed\n");
}

__dpa_rpc__ uint64_t log_and_trace(void)
{
    DOCA_DPA_DEV_LOG_INFO("to the log\n");
    doca_dpa_dev_printf("printed\n");
    doca_dpa_dev_trace(1, 2, 3, 4, UINT64_MAX);
    doca_dpa_dev_trace_flush();
    doca_dpa_dev_trace(5, 0, 0, 0, 0);
    return 0;
}

__dpa_global__ void add_to_event(doca_dpa_dev_sync_event_t event, uint64_t value)
{
    doca_dpa_dev_sync_event_update_add(event, value);
}

/* event = event * 10 + digit, so that order shows. */
__dpa_global__ void append_digit(doca_dpa_dev_sync_event_t event, uint64_t digit)
{
    uint64_t value = 0;
    doca_dpa_dev_sync_event_get(event, &value);
    doca_dpa_dev_sync_event_update_set(event, value * 10 + digit);
}

__dpa_global__ void wait_then_add(doca_dpa_dev_sync_event_t wait, uint64_t above,
                                  doca_dpa_dev_sync_event_t add)
{
    doca_dpa_dev_sync_event_wait_gt(wait, above, UINT64_MAX);
    doca_dpa_dev_sync_event_update_add(add, 1);
}

__dpa_global__ void touch(uint64_t address)
{
    *(volatile uint64_t *)address = 1;
}

__dpa_global__ void spin(void)
{
    while (1)
        __dpa_compiler_barrier();
}

__dpa_global__ void many_arguments(doca_dpa_dev_uintptr_t out, uint64_t a, uint64_t b, uint32_t c,
                                   uint64_t d, uint64_t e, int f, uint64_t g, uint64_t h,
                                   uint64_t i, uint64_t j, uint64_t k, uint64_t l)
{
    *(uint64_t *)out = a + 2 * b + 3 * c + 4 * d + 5 * e + (uint64_t)(6 * f) + 7 * g + 8 * h +
                       9 * i + 10 * j + 11 * k + 12 * l;
}

/* ---- RPCs ---- */

__dpa_rpc__ uint64_t no_arguments(void)
{
    return 42;
}

/* Half slots: what is in their upper halves does not count. */
__dpa_rpc__ uint64_t small_arguments(uint64_t a, uint32_t b, int c, uint32_t d)
{
    return a + b + (uint64_t)(int64_t)c + d;
}

__dpa_rpc__ uint64_t two_structures(doca_dpa_dev_t dpa, struct big one, struct big two)
{
    return dpa + one.first + one.small + one.bytes[59] + two.last * 1000 + two.bytes[0];
}

__dpa_rpc__ uint64_t notify(doca_dpa_dev_notification_completion_t h, uint64_t times)
{
    while (times-- > 0)
        doca_dpa_dev_thread_notify(h);
    return 0;
}

__dpa_rpc__ uint64_t count_activations(void)
{
    return *(volatile uint64_t *)&activations;
}

__dpa_rpc__ uint64_t set_device(doca_dpa_dev_t dpa)
{
    doca_dpa_dev_device_set(dpa);
    return 1;
}

/* What a table gives for a key, 0 if it has none, after `add` values from 1 on were put under keys that
 * follow each other from 0 on, and every third one was taken away again. */
__dpa_rpc__ uint64_t look_up(doca_dpa_dev_hash_table_t table, uint32_t add, uint32_t key)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < add; i++)
        doca_dpa_dev_hash_table_add(table, i, i + UINT64_C(1));
    for (uint32_t i = 0; i < add; i += 3)
        doca_dpa_dev_hash_table_remove(table, i);
    return doca_dpa_dev_hash_table_find(table, key, &value) ? value : 0;
}

__dpa_rpc__ uint64_t acknowledge(doca_dpa_dev_completion_t queue, uint64_t count)
{
    doca_dpa_dev_completion_ack(queue, count);
    return 0;
}

__dpa_rpc__ uint64_t request(doca_dpa_dev_completion_t queue)
{
    doca_dpa_dev_completion_request_notification(queue);
    return 0;
}

__dpa_rpc__ uint64_t fault_rpc(void)
{
    return *(volatile uint64_t *)8;
}

/* ---- Threads ---- */

static void poll(const struct thread_arg *a)
{
    doca_dpa_dev_completion_element_t e;
    while (doca_dpa_dev_get_completion(a->queue, &e) == 1) {
        doca_dpa_dev_sync_event_update_add(a->event, 1 + doca_dpa_dev_get_completion_user_data(e));
        doca_dpa_dev_completion_ack(a->queue, 1);
    }
    doca_dpa_dev_completion_request_notification(a->queue);
    doca_dpa_dev_sync_event_update_add(a->asked, 1);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void thread_kernel(uint64_t arg)
{
    const struct thread_arg *a = (const struct thread_arg *)arg;
    __atomic_fetch_add(&activations, 1, __ATOMIC_RELAXED);
    if (a->kind == THEN_POLL)
        poll(a);
    doca_dpa_dev_sync_event_update_add(a->event, 1);
    if (a->kind == THEN_RETURN)
        return;
    if (a->kind == THEN_RETRIGGER && __atomic_load_n(&activations, __ATOMIC_RELAXED) % 5 != 0)
        doca_dpa_dev_thread_retrigger();
    if (a->kind == THEN_NOTIFY)
        doca_dpa_dev_thread_notify(a->notify);
    if (a->kind == THEN_FINISH)
        doca_dpa_dev_thread_finish();
    doca_dpa_dev_thread_reschedule();
    doca_dpa_dev_sync_event_update_add(a->event, 1000); /* never */
}

/* Its state is in the thread's local storage: an event, and how often it ran. */
__dpa_global__ void storage_kernel(void)
{
    uint64_t *s = (uint64_t *)doca_dpa_dev_thread_get_local_storage();
    s[1]++;
    doca_dpa_dev_sync_event_update_add(s[0], 1);
    doca_dpa_dev_thread_reschedule();
}

/* Adds 1000 * threads of the group + rank to its event. */
__dpa_global__ void rank_kernel(uint64_t event)
{
    doca_dpa_dev_sync_event_update_add(event, 1000 * doca_dpa_dev_num_threads() +
                                                  doca_dpa_dev_thread_rank());
    doca_dpa_dev_thread_finish();
}

/* ---- RDMA ---- */

__dpa_rpc__ uint64_t rdma_one(uint64_t rdma, uint32_t what, uint32_t local, uint64_t local_address,
                              uint64_t remote, uint64_t remote_address, uint64_t size,
                              uint32_t flags)
{
    switch (what) {
    case RDMA_RECEIVE:
        doca_dpa_dev_rdma_post_receive(rdma, local, local_address, size);
        break;
    case RDMA_SEND:
        doca_dpa_dev_rdma_post_send(rdma, 0, local, local_address, size, flags);
        break;
    case RDMA_WRITE_IMMEDIATE:
        doca_dpa_dev_rdma_post_write_imm(rdma, 0, (uint32_t)remote, remote_address, local,
                                         local_address, size, 99, flags);
        break;
    case RDMA_WRITE:
        doca_dpa_dev_rdma_post_write(rdma, 0, (uint32_t)remote, remote_address, local,
                                     local_address, size, flags);
        break;
    case RDMA_READ:
        doca_dpa_dev_rdma_post_read(rdma, 0, local, local_address, (uint32_t)remote, remote_address,
                                    size, flags);
        break;
    case RDMA_ADD:
        doca_dpa_dev_rdma_post_atomic_fetch_add(rdma, 0, (uint32_t)remote, remote_address, size,
                                                flags);
        break;
    case RDMA_SIGNAL_ADD:
        doca_dpa_dev_rdma_signal_add(rdma, 0, remote, size);
        break;
    default:
        doca_dpa_dev_rdma_signal_set(rdma, 0, remote, size);
    }
    return 0;
}

static doca_dpa_dev_completion_element_t e; /* the last completion */

__dpa_rpc__ uint64_t bytes_and_syndrome(void)
{
    return (uint64_t)doca_dpa_dev_completion_element_get_received_bytes(e) << 32 |
           doca_dpa_dev_completion_element_get_error_syndrome(e);
}

/* Type of the next completion and its immediate above; UINT64_MAX: none came. */
__dpa_rpc__ uint64_t rdma_next(uint64_t queue)
{
    for (int i = 0; i < 1000; i++)
        if (doca_dpa_dev_get_completion(queue, &e)) {
            doca_dpa_dev_completion_ack(queue, 1);
            return (uint64_t)doca_dpa_dev_get_completion_immediate(e) << 32 |
                   (uint32_t)doca_dpa_dev_get_completion_type(e);
        }
    return UINT64_MAX;
}

/* The same calls as DOCA 2.7 to 2.9 have them: without a connection. */
__dpa_rpc__ uint64_t rdma_2_7(uint64_t rdma, uint32_t what, uint32_t local, uint64_t local_address,
                              uint64_t remote, uint64_t remote_address, uint64_t size,
                              uint32_t completion_requested)
{
    switch (what) {
    case RDMA_SEND:
        doca_dpa_dev_rdma_post_send(rdma, local, local_address, size, completion_requested);
        break;
    case RDMA_SEND_IMMEDIATE:
        doca_dpa_dev_rdma_post_send_imm(rdma, local, local_address, size, 98, completion_requested);
        break;
    case RDMA_WRITE_IMMEDIATE:
        doca_dpa_dev_rdma_post_write_imm(rdma, (uint32_t)remote, remote_address, local,
                                         local_address, size, 99, completion_requested);
        break;
    case RDMA_WRITE:
        doca_dpa_dev_rdma_post_write(rdma, (uint32_t)remote, remote_address, local, local_address,
                                     size, completion_requested);
        break;
    case RDMA_READ:
        doca_dpa_dev_rdma_post_read(rdma, local, local_address, (uint32_t)remote, remote_address,
                                    size, completion_requested);
        break;
    case RDMA_ADD:
        doca_dpa_dev_rdma_post_atomic_fetch_add(rdma, (uint32_t)remote, remote_address, size,
                                                completion_requested);
        break;
    case RDMA_SIGNAL_ADD:
        doca_dpa_dev_rdma_signal_add(rdma, remote, size);
        break;
    default:
        doca_dpa_dev_rdma_signal_set(rdma, remote, size);
    }
    doca_dpa_dev_rdma_synchronize(rdma);
    return 0;
}

/* ---- Buffers: `array` and `peers` are arrays, `i` is a buffer of both ---- */

static void buf_2_7(uint64_t rdma, uint32_t what, uint64_t mine, uint64_t theirs)
{
    switch (what) {
    case RDMA_RECEIVE:
        doca_dpa_dev_rdma_post_buf_receive(rdma, mine);
        break;
    case RDMA_SEND:
        doca_dpa_dev_rdma_post_buf_send(rdma, mine, 1);
        break;
    case RDMA_SEND_IMMEDIATE:
        doca_dpa_dev_rdma_post_buf_send_imm(rdma, mine, 98, 1);
        break;
    case RDMA_WRITE_IMMEDIATE:
        doca_dpa_dev_rdma_post_buf_write_imm(rdma, theirs, mine, 99, 1);
        break;
    case RDMA_WRITE:
        doca_dpa_dev_rdma_post_buf_write(rdma, theirs, mine, 1);
        break;
    case RDMA_READ:
        doca_dpa_dev_rdma_post_buf_read(rdma, mine, theirs, 1);
        break;
    default:
        doca_dpa_dev_rdma_post_buf_atomic_fetch_add(rdma, theirs, 37, 1);
    }
}

static void buf_3(uint64_t rdma, uint32_t what, uint64_t mine, uint64_t theirs)
{
    const uint32_t flags = DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH;
    switch (what) {
    case RDMA_RECEIVE:
        doca_dpa_dev_rdma_post_buf_receive(rdma, mine);
        break;
    case RDMA_SEND:
        doca_dpa_dev_rdma_post_buf_send(rdma, 0, mine, flags);
        break;
    case RDMA_SEND_IMMEDIATE:
        doca_dpa_dev_rdma_post_buf_send_imm(rdma, 0, mine, 98, flags);
        break;
    case RDMA_WRITE_IMMEDIATE:
        doca_dpa_dev_rdma_post_buf_write_imm(rdma, 0, theirs, mine, 99, flags);
        break;
    case RDMA_WRITE:
        doca_dpa_dev_rdma_post_buf_write(rdma, 0, theirs, mine, flags);
        break;
    case RDMA_READ:
        doca_dpa_dev_rdma_post_buf_read(rdma, 0, mine, theirs, flags);
        break;
    default:
        doca_dpa_dev_rdma_post_buf_atomic_fetch_add(rdma, 0, theirs, 37, flags);
    }
}

__dpa_rpc__ uint64_t rdma_buf(uint64_t rdma, uint32_t what, uint32_t generation, uint64_t array,
                              uint64_t peers, uint64_t i)
{
    const doca_dpa_dev_buf_t mine = doca_dpa_dev_buf_array_get_buf(array, i),
                             theirs = doca_dpa_dev_buf_array_get_buf(peers, i);
    (generation == 3 ? buf_3 : buf_2_7)(rdma, what, mine, theirs);
    doca_dpa_dev_rdma_synchronize(rdma);
    doca_dpa_dev_rdma_receive_ack(rdma, 0);
    return 0;
}

/* Adds the words of buffer `i`, and makes each one more, at the address that loads and stores need.
 */
__dpa_rpc__ uint64_t sum_buf(uint64_t array, uint64_t i)
{
    const doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(array, i);
    uint64_t *words = (uint64_t *)doca_dpa_dev_buf_get_external_ptr(buf);
    uint64_t sum = 0;
    for (uint64_t w = 0; w < doca_dpa_dev_buf_get_len(buf) / 8; w++)
        sum += words[w]++;
    return sum;
}

/* Address, length and map of a buffer become those of another; the sum of both afterwards. */
__dpa_rpc__ uint64_t move_buf(uint64_t array, uint64_t i, uint64_t address, uint64_t length,
                              uint32_t map)
{
    const doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(array, i);
    doca_dpa_dev_buf_set_addr(buf, address);
    doca_dpa_dev_buf_set_len(buf, length);
    doca_dpa_dev_buf_set_mmap(buf, map);
    return doca_dpa_dev_buf_get_addr(buf) == address && doca_dpa_dev_buf_get_len(buf) == length &&
           doca_dpa_dev_buf_get_mmap(buf) == map;
}

/* `device`: 0, or what the caller's memory is on. */
__dpa_rpc__ uint64_t load_external(doca_dpa_dev_t device, uint32_t map, uint64_t address)
{
    if (device)
        doca_dpa_dev_device_set(device);
    return *(volatile uint64_t *)doca_dpa_dev_mmap_get_external_ptr(map, address);
}

__dpa_rpc__ uint64_t copy_memory(uint64_t ops, uint32_t to_map, uint64_t to, uint32_t from_map,
                                 uint64_t from, uint64_t length, uint32_t flags)
{
    doca_dpa_dev_post_memcpy(ops, to_map, to, from_map, from, length, flags);
    return 0;
}

__dpa_rpc__ uint64_t wait_for_event(uint64_t ops, doca_dpa_dev_sync_event_t event, uint64_t value,
                                    unsigned differs)
{
    if (differs)
        doca_dpa_dev_sync_event_post_wait_ne(ops, event, value);
    else
        doca_dpa_dev_sync_event_post_wait_gt(ops, event, value);
    return 0;
}

__dpa_rpc__ uint64_t copy_buf(uint64_t ops, uint64_t array, uint64_t to, uint64_t from,
                              uint32_t flags)
{
    doca_dpa_dev_post_buf_memcpy(ops, doca_dpa_dev_buf_array_get_buf(array, to),
                                 doca_dpa_dev_buf_array_get_buf(array, from), flags);
    return 0;
}

/* Type of the next completion, its user data, and which operation it was; UINT64_MAX: none. */
__dpa_rpc__ uint64_t next_of(uint64_t queue)
{
    doca_dpa_dev_completion_element_t e;
    if (!doca_dpa_dev_get_completion(queue, &e))
        return UINT64_MAX;
    doca_dpa_dev_completion_ack(queue, 1);
    return (uint64_t)doca_dpa_dev_get_completion_type(e) << 56 |
           (uint64_t)doca_dpa_dev_rdma_completion_get_wr_index(e) << 32 |
           doca_dpa_dev_get_completion_user_data(e);
}
