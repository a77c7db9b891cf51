/*
 * flexio_dev: the DPA side of FlexIO: threads, messages, spin locks.
 *
 *     __dpa_rpc__ uint64_t rpc_calculate(uint64_t a, uint64_t b)
 *     {
 *         flexio_dev_print("%lu + %lu\n", a, b);
 *         return a + b;
 *     }
 */
#ifndef FLEXIO_DEV_H
#define FLEXIO_DEV_H

#include <stddef.h>
#include <stdint.h>

#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

#ifndef __unused
#define __unused __attribute__((__unused__))
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* so that a fault in one of these is told with the line that calls it */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

typedef enum {
    FLEXIO_DEV_STATUS_SUCCESS = 0,
    FLEXIO_DEV_STATUS_FAILED = 1,
} flexio_dev_status_t;

typedef uint64_t flexio_uintptr_t;

struct flexio_dev_thread_ctx;

/* Function types, for declarations such as `flexio_dev_rpc_handler_t f;`. */
typedef uint64_t(flexio_dev_rpc_handler_t)(uint64_t arg);
typedef void(flexio_dev_event_handler_t)(uint64_t arg);
typedef void(flexio_dev_async_rpc_handler_t)(uint64_t arg);
typedef uint64_t(flexio_dev_arg_unpack_func_t)(void *argbuf, void *func);

/* ---- Threads ---- */

/* Stores the calling thread's context in `*dtctx`; returns 0. */
int flexio_dev_get_thread_ctx(struct flexio_dev_thread_ctx **dtctx);
/* The thread's number, as in the prefix of its messages. */
uint32_t flexio_dev_get_thread_id(struct flexio_dev_thread_ctx *dtctx);
/* Address of the thread's local storage, 0 if it has none. */
flexio_uintptr_t flexio_dev_get_thread_local_storage(struct flexio_dev_thread_ctx *dtctx);
/* End the activation, for good or until the next event. */
__attribute__((noreturn)) void flexio_dev_thread_finish(void);
__attribute__((noreturn)) void flexio_dev_thread_reschedule(void);
/* Ends the activation; the next begins at once. */
__attribute__((noreturn)) void flexio_dev_thread_retrigger(void);
/* Ends the process, which the host sees as FLEXIO_ERR_STATUS_USER. */
__attribute__((noreturn)) void flexio_dev_process_finish(void);
/* Ends the activation. A continuable event handler goes on behind the call with its next event;
 * for any other the next event begins anew, and the call does not return. */
void flexio_dev_yield(struct flexio_dev_thread_ctx *dtctx);
/* Older names of flexio_dev_thread_reschedule and flexio_dev_thread_finish. */
__attribute__((noreturn)) void flexio_dev_reschedule(void);
__attribute__((noreturn)) void flexio_dev_finish(void);

/* ---- Windows: host memory ----
 *
 *     uint64_t *p;
 *     flexio_dev_window_config(dtctx, window_id, mkey);
 *     flexio_dev_window_ptr_acquire(dtctx, host_address, (flexio_uintptr_t *)&p);
 *     *p = 7;
 *
 * A configuration holds for the activation or call. Programs that define FLEXIO_DEV_VER_USED as
 * 24.10 or later say FLEXIO_DEV_WINDOW_ENTITY_WINDOW in place of dtctx. An access that the key does
 * not allow faults. */

flexio_dev_status_t _flexio_dev_window_config(uint16_t window_id, uint32_t mkey);
flexio_dev_status_t _flexio_dev_window_mkey_config(uint32_t mkey);
flexio_dev_status_t _flexio_dev_window_ptr_acquire(uint64_t haddr, flexio_uintptr_t *daddr);
flexio_dev_status_t _flexio_dev_window_copy_from_host(void *daddr, uint64_t haddr, uint32_t size);
flexio_dev_status_t _flexio_dev_window_copy_to_host(uint64_t haddr, const void *daddr,
                                                    uint32_t size);

#if defined(FLEXIO_DEV_VER_USED) && FLEXIO_DEV_VER_USED >= (24 << 24 | 10 << 16)
enum flexio_window_entity {
    FLEXIO_DEV_WINDOW_ENTITY_WINDOW = 0,
};
#define FLEXIO_DEV_WINDOW_FIRST enum flexio_window_entity entity
#define FLEXIO_DEV_WINDOW_USE   (void)entity
#else
#define FLEXIO_DEV_WINDOW_FIRST struct flexio_dev_thread_ctx *dtctx
#define FLEXIO_DEV_WINDOW_USE   (void)dtctx
#endif

/* Chooses a window and the key of the memory behind it. FAILED: no such window. */
static inline flexio_dev_status_t flexio_dev_window_config(FLEXIO_DEV_WINDOW_FIRST,
                                                           uint16_t window_id, uint32_t mkey)
{
    FLEXIO_DEV_WINDOW_USE;
    return _flexio_dev_window_config(window_id, mkey);
}

/* Another key for the window that is configured. FAILED: none is. */
static inline flexio_dev_status_t flexio_dev_window_mkey_config(FLEXIO_DEV_WINDOW_FIRST,
                                                                uint32_t mkey)
{
    FLEXIO_DEV_WINDOW_USE;
    return _flexio_dev_window_mkey_config(mkey);
}

/* Where loads and stores reach host address `haddr`. FAILED: no window is configured. */
static inline flexio_dev_status_t flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_FIRST,
                                                                uint64_t haddr,
                                                                flexio_uintptr_t *daddr)
{
    FLEXIO_DEV_WINDOW_USE;
    return _flexio_dev_window_ptr_acquire(haddr, daddr);
}

/* Copies `size` bytes; faults where it cannot. */
static inline flexio_dev_status_t
flexio_dev_window_copy_from_host(FLEXIO_DEV_WINDOW_FIRST, void *daddr, uint64_t haddr,
                                 uint32_t size)
{
    FLEXIO_DEV_WINDOW_USE;
    return _flexio_dev_window_copy_from_host(daddr, haddr, size);
}

static inline flexio_dev_status_t
flexio_dev_window_copy_to_host(FLEXIO_DEV_WINDOW_FIRST, uint64_t haddr, const void *daddr,
                               uint32_t size)
{
    FLEXIO_DEV_WINDOW_USE;
    return _flexio_dev_window_copy_to_host(haddr, daddr, size);
}

/* ---- Outboxes ---- */

/* Chooses the outbox of this activation or call. FAILED: no such outbox. */
flexio_dev_status_t flexio_dev_outbox_config(struct flexio_dev_thread_ctx *dtctx,
                                             uint16_t outbox_config_id);
/* The same without a word about it. */
void flexio_dev_outbox_config_fast(struct flexio_dev_thread_ctx *dtctx, uint16_t outbox_config_id);
/* Chooses the UAR that the outbox goes to. FAILED: no outbox is configured, or no such UAR. */
flexio_dev_status_t flexio_dev_outbox_config_uar_extension(struct flexio_dev_thread_ctx *dtctx,
                                                           uint32_t device_id);

/* ---- Messages ---- */

typedef uint8_t flexio_msg_dev_level;
#define FLEXIO_MSG_DEV_NO_PRINT 0
#define FLEXIO_MSG_DEV_ALWAYS_PRINT 1
#define FLEXIO_MSG_DEV_ERROR 2
#define FLEXIO_MSG_DEV_WARN 3
#define FLEXIO_MSG_DEV_INFO 4
#define FLEXIO_MSG_DEV_DEBUG 5
#define FLEXIO_MSG_DEV_DEFAULT_STREAM_ID 0
#define FLEXIO_MSG_DEV_BROADCAST_ID 0xff
#define FLEXIO_MSG_DEV_BROADCAST_STREAM FLEXIO_MSG_DEV_BROADCAST_ID

/* Sends one message to a stream. Formats: c s d i u x X o p %, lengths hh h l ll z, flags - + # 0,
 * width, precision, '*'; no floating point. Returns the length of the text; what exceeds 1023
 * bytes is cut. */
int flexio_dev_msg(int stream_id, flexio_msg_dev_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends a string to the default stream, as it is. */
int flexio_dev_puts(struct flexio_dev_thread_ctx *dtctx, char *str);

#define flexio_dev_msg_err(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_ERROR, __VA_ARGS__)
#define flexio_dev_msg_warn(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_WARN, __VA_ARGS__)
#define flexio_dev_msg_info(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_INFO, __VA_ARGS__)
#define flexio_dev_msg_dbg(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_DEBUG, __VA_ARGS__)
#define flexio_dev_msg_dflt(level, ...)                                                            \
    flexio_dev_msg(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, level, __VA_ARGS__)
#define flexio_dev_msg_broadcast(level, ...)                                                       \
    flexio_dev_msg(FLEXIO_MSG_DEV_BROADCAST_ID, level, __VA_ARGS__)
#define flexio_dev_print(...) flexio_dev_msg_dflt(FLEXIO_MSG_DEV_INFO, __VA_ARGS__)

/* ---- Hardware that is not emulated ----
 *
 * Counters of the port and tables of congestion control: each of these calls faults, as do some of
 * flexio_dev_queue_access.h. */

enum _flexio_dev_missing {
    _FLEXIO_DEV_NO_EQ,
    _FLEXIO_DEV_NO_EMULATION,
    _FLEXIO_DEV_NO_CC,
    _FLEXIO_DEV_NO_MSIX,
    _FLEXIO_DEV_NO_COUNTERS,
};
__attribute__((noreturn)) void _flexio_dev_no_hardware(enum _flexio_dev_missing what);

__attribute__((noreturn)) static inline void
flexio_dev_nic_counters_config(uint32_t *values, uint32_t *counter_ids, uint32_t num_counters)
{
    (void)values, (void)counter_ids, (void)num_counters;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_COUNTERS);
}

__attribute__((noreturn)) static inline void flexio_dev_nic_counters_sample(void)
{
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_COUNTERS);
}

__attribute__((noreturn)) static inline uint64_t flexio_dev_get_pcc_table_base(uint16_t gvmi)
{
    (void)gvmi;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_CC);
}

/* ---- Spin locks ---- */

struct spinlock_s {
    uint32_t locked;
};
#define spin_init(lock) __atomic_store_n(&(lock)->locked, 0, __ATOMIC_SEQ_CST)
#define spin_lock(lock)                                                                            \
    do {                                                                                           \
    } while (__atomic_exchange_n(&(lock)->locked, 1, __ATOMIC_ACQUIRE))
#define spin_unlock(lock) __atomic_store_n(&(lock)->locked, 0, __ATOMIC_RELEASE)
/* 0: taken. */
#define spin_trylock(lock) __atomic_exchange_n(&(lock)->locked, 1, __ATOMIC_ACQUIRE)

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
