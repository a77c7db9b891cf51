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

#include <libflexio-dev/flexio_dev_ver.h>

/* The available forms of functions that lost their first argument in 24.10 (flexio_dev_ver.h): bit 0
 * the older form, bit 1 the newer form. Only clang's C, and C++, can have both. */
#ifndef FLEXIO_DEV_VER_USED
#define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER_LATEST
#if defined(__clang__) || defined(__cplusplus)
#define FLEXIO_DEV_FORMS 3
#else
#define FLEXIO_DEV_FORMS 2
#endif
#elif FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER(24, 10, 0)
#define FLEXIO_DEV_FORMS 1
#else
#define FLEXIO_DEV_FORMS 2
#endif
#if FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER(24, 1, 0) ||                                              \
    FLEXIO_DEV_VER_USED >> 16 > FLEXIO_DEV_VER_LATEST >> 16
#error "FLEXIO_DEV_VER_USED: there is FLEXIO_DEV_VER(24, 1, 0) to FLEXIO_DEV_VER(26, 4, 0)"
#endif

#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

#ifndef __unused
#define __unused __attribute__((__unused__))
#endif

/* Older build files put a program's entry points between these; __dpa_rpc__ and __dpa_global__ are
 * enough. */
#define __FLEXIO_ENTRY_POINT_START
#define __FLEXIO_ENTRY_POINT_END

/* Markers of FlexIO's functions. Here they are empty; no function is experimental. */
#define FLEXIO_DEV_STABLE
#define FLEXIO_DEV_EXPERIMENTAL
#ifndef FLEXIO_DEV_ALWAYS_INLINE
#define FLEXIO_DEV_ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

typedef enum {
    FLEXIO_DEV_STATUS_SUCCESS = 0,
    FLEXIO_DEV_STATUS_FAILED = 1,
} flexio_dev_status_t;

typedef uint64_t flexio_uintptr_t;
/* The number of a UAR on another device: flexio_uar_get_extended_id. */
typedef uint32_t flexio_uar_device_id;

struct flexio_dev_thread_ctx;

/* Function types, for declarations such as `flexio_dev_rpc_handler_t f;`. */
typedef uint64_t(flexio_dev_rpc_handler_t)(uint64_t arg);
typedef void(flexio_dev_event_handler_t)(uint64_t arg);
typedef void(flexio_dev_async_rpc_handler_t)(uint64_t arg);
typedef uint64_t(flexio_dev_arg_unpack_func_t)(void *argbuf, void *func);

/* ---- Threads ---- */

/* Stores the calling thread's context in `*dtctx`; returns 0. */
int flexio_dev_get_thread_ctx(struct flexio_dev_thread_ctx **dtctx);
/* Returns the thread's number, which also precedes its messages. */
uint32_t flexio_dev_get_thread_id(struct flexio_dev_thread_ctx *dtctx);
/* Returns the address of the thread's local storage, or 0 if the thread has none. */
flexio_uintptr_t flexio_dev_get_thread_local_storage(struct flexio_dev_thread_ctx *dtctx);
/* Returns the calling thread's name: the name of the function that the host started, of which 63
 * characters count. Empty if the program has no symbols, or if the process has called this in 64 others. */
const char *flexio_dev_get_current_thread_name(void);
/* End the activation: _finish forever, _reschedule until the next event. */
__attribute__((noreturn)) void flexio_dev_thread_finish(void);
__attribute__((noreturn)) void flexio_dev_thread_reschedule(void);
/* Ends the activation; the next begins at once. */
__attribute__((noreturn)) void flexio_dev_thread_retrigger(void);
/* Ends the process, which the host sees as FLEXIO_DEV_USER_ERROR. */
__attribute__((noreturn)) void flexio_dev_process_finish(void);
/* Ends the activation. A continuable event handler continues after the call with its next event. Any
 * other event handler starts from its beginning, and the call does not return. */
void flexio_dev_yield(struct flexio_dev_thread_ctx *dtctx);
/* As flexio_dev_yield, with an immediate event: other threads run, then a continuable event handler
 * continues after the call. */
void flexio_dev_yield_and_retrigger(void);
/* Sends an event to the event handler with this number (flexio_event_handler_get_id of the host).
 * Faults if the process has no such event handler. */
void flexio_dev_event_handler_activate(uint32_t activation_id);
/* Older names of flexio_dev_thread_reschedule (two) and flexio_dev_process_finish. */
__attribute__((noreturn)) void flexio_dev_reschedule(void);
__attribute__((noreturn)) void flexio_dev_return(void);
__attribute__((noreturn)) void flexio_dev_finish(void);

/* ---- Windows: host memory ----
 *
 *     uint64_t *p;
 *     flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_0, window_id, mkey);
 *     flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_0, host_address,
 *                                   (flexio_uintptr_t *)&p);
 *     *p = 7;
 *
 * A thread has two windows at a time, its entities. A configuration lasts for the activation or call.
 * Before 24.10 these functions have the thread's context in place of the entity, and use the first
 * entity. An access that the key does not permit faults. */

enum flexio_window_entity {
    FLEXIO_DEV_WINDOW_ENTITY_0 = 0,
    FLEXIO_DEV_WINDOW_ENTITY_1 = 1,
    FLEXIO_DEV_WINDOW_ENTITY_NUM = 2, /* the number of entities */
};

/* Chooses a window and the key of the memory that it shows. FAILED: the window or entity does not
 * exist. */
flexio_dev_status_t flexio_dev_multi_window_config(enum flexio_window_entity win_entity,
                                                   uint16_t window_config_id, uint32_t mkey);
/* Changes the key of the configured window. FAILED: no window is configured. */
flexio_dev_status_t flexio_dev_multi_window_mkey_config(enum flexio_window_entity win_entity,
                                                        uint32_t mkey);
/* Gets a pointer for loads and stores to host address `haddr`. FAILED: no window is configured. */
flexio_dev_status_t flexio_dev_multi_window_ptr_acquire(enum flexio_window_entity win_entity,
                                                        uint64_t haddr, flexio_uintptr_t *daddr);
/* Copies `size` bytes. Faults on an address that is not accessible. */
flexio_dev_status_t flexio_dev_multi_window_copy_from_host(enum flexio_window_entity win_entity,
                                                           void *daddr, uint64_t haddr,
                                                           uint32_t size);
flexio_dev_status_t flexio_dev_multi_window_copy_to_host(enum flexio_window_entity win_entity,
                                                         uint64_t haddr, const void *daddr,
                                                         uint32_t size);

/* Functions that may have both forms. In C, too, clang chooses a form by the arguments. */
#ifdef __cplusplus
extern "C++" {
#endif
#if FLEXIO_DEV_FORMS == 3 && !defined(__cplusplus)
#define FLEXIO_DEV_FORM static inline __attribute__((overloadable))
#else
#define FLEXIO_DEV_FORM static inline
#endif
#define FLEXIO_DEV_WINDOW_FORM(first, entity, name, parameters, ...)                               \
    FLEXIO_DEV_FORM flexio_dev_status_t flexio_dev_window_##name(first,                            \
                                                                 FLEXIO_DEV_UNPACK parameters)     \
    {                                                                                              \
        return flexio_dev_multi_window_##name(entity, __VA_ARGS__);                                \
    }
#define FLEXIO_DEV_UNPACK(...) __VA_ARGS__
#if FLEXIO_DEV_FORMS & 1
#define FLEXIO_DEV_WINDOW_BEFORE(...)                                                              \
    FLEXIO_DEV_WINDOW_FORM(__attribute__((unused)) struct flexio_dev_thread_ctx *dtctx,            \
                           FLEXIO_DEV_WINDOW_ENTITY_0, __VA_ARGS__)
#else
#define FLEXIO_DEV_WINDOW_BEFORE(...)
#endif
#if FLEXIO_DEV_FORMS & 2
#define FLEXIO_DEV_WINDOW_SINCE(...)                                                               \
    FLEXIO_DEV_WINDOW_FORM(enum flexio_window_entity win_entity, win_entity, __VA_ARGS__)
#else
#define FLEXIO_DEV_WINDOW_SINCE(...)
#endif
#if FLEXIO_DEV_FORMS == 3 /* an enumerator is an int in C */
#define FLEXIO_DEV_WINDOW_INT(...)                                                                 \
    FLEXIO_DEV_WINDOW_FORM(int win_entity, (enum flexio_window_entity)win_entity, __VA_ARGS__)
#else
#define FLEXIO_DEV_WINDOW_INT(...)
#endif
#define FLEXIO_DEV_WINDOW(...)                                                                     \
    FLEXIO_DEV_WINDOW_BEFORE(__VA_ARGS__)                                                          \
    FLEXIO_DEV_WINDOW_SINCE(__VA_ARGS__)                                                           \
    FLEXIO_DEV_WINDOW_INT(__VA_ARGS__)

/* flexio_dev_window_config, _mkey_config, _ptr_acquire, _copy_from_host, _copy_to_host: see
 * flexio_dev_multi_window_*. */
FLEXIO_DEV_WINDOW(config, (uint16_t window_config_id, uint32_t mkey), window_config_id, mkey)
FLEXIO_DEV_WINDOW(mkey_config, (uint32_t mkey), mkey)
FLEXIO_DEV_WINDOW(ptr_acquire, (uint64_t haddr, flexio_uintptr_t *daddr), haddr, daddr)
FLEXIO_DEV_WINDOW(copy_from_host, (void *daddr, uint64_t haddr, uint32_t size), daddr, haddr, size)
FLEXIO_DEV_WINDOW(copy_to_host, (uint64_t haddr, const void *daddr, uint32_t size), haddr, daddr,
                  size)
#ifdef __cplusplus
}
#endif

/* ---- Outboxes ---- */

/* Selects the outbox of this activation or call. Doorbells through it reach the queues that the host
 * created with its UAR. The default is the outbox of the process's UAR (flexio_process_get_uar).
 * FAILED: the outbox does not exist. */
flexio_dev_status_t flexio_dev_outbox_config(struct flexio_dev_thread_ctx *dtctx,
                                             uint16_t outbox_config_id);
/* As flexio_dev_outbox_config, without a status. */
void flexio_dev_outbox_config_fast(struct flexio_dev_thread_ctx *dtctx, uint16_t outbox_config_id);
/* Selects the UAR whose queues the outbox reaches, in place of the outbox's own UAR. FAILED: no outbox
 * is configured, or the UAR does not exist. */
flexio_dev_status_t flexio_dev_outbox_config_uar_extension(struct flexio_dev_thread_ctx *dtctx,
                                                           flexio_uar_device_id device_id);
/* Rings the doorbell of a queue pair or send queue of another device; `pi` is the number of blocks ever
 * posted. FAILED: the UAR does not exist. Faults if the process has no such queue. */
flexio_dev_status_t flexio_dev_cross_device_ring_db(flexio_uar_device_id device_id, uint32_t qpn,
                                                    uint32_t pi);

/* ---- Messages ---- */

typedef uint8_t flexio_msg_dev_level;
#define FLEXIO_MSG_DEV_NO_PRINT           0
#define FLEXIO_MSG_DEV_ALWAYS_PRINT       1
#define FLEXIO_MSG_DEV_ERROR              2
#define FLEXIO_MSG_DEV_WARN               3
#define FLEXIO_MSG_DEV_INFO               4
#define FLEXIO_MSG_DEV_DEBUG              5
#define FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT 255
#define FLEXIO_MSG_DEV_DEFAULT_STREAM_ID  0
#define FLEXIO_MSG_DEV_BROADCAST_ID       0xff
#define FLEXIO_MSG_DEV_BROADCAST_STREAM   FLEXIO_MSG_DEV_BROADCAST_ID

/* Sends one message to a stream. Formats: c s d i u x X o p %, lengths hh h l ll z, flags - + # 0,
 * width, precision, '*'; no floating point. Returns the length of the text; a message has at most 1023
 * bytes: a longer message is truncated to its start, " [cut]", and the final newline. */
int flexio_dev_msg(int stream_id, flexio_msg_dev_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends a string to the default stream, as it is. */
int flexio_dev_puts(struct flexio_dev_thread_ctx *dtctx, char *str);

#define flexio_dev_msg_err(stream, ...)  flexio_dev_msg(stream, FLEXIO_MSG_DEV_ERROR, __VA_ARGS__)
#define flexio_dev_msg_warn(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_WARN, __VA_ARGS__)
#define flexio_dev_msg_info(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_INFO, __VA_ARGS__)
#define flexio_dev_msg_dbg(stream, ...)  flexio_dev_msg(stream, FLEXIO_MSG_DEV_DEBUG, __VA_ARGS__)
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
    _FLEXIO_DEV_NO_EMULATION,
    _FLEXIO_DEV_NO_CC,
    _FLEXIO_DEV_NO_COUNTERS,
};
__attribute__((noreturn)) void _flexio_dev_no_hardware(enum _flexio_dev_missing what);

/* Counters of a device's ports: received bytes, sent bytes. */
enum flexio_dev_nic_counter_ids {
    FLEXIO_DEV_NIC_COUNTER_PORT0_RX_BYTES = 0x10,
    FLEXIO_DEV_NIC_COUNTER_PORT1_RX_BYTES = 0x11,
    FLEXIO_DEV_NIC_COUNTER_PORT2_RX_BYTES = 0x12,
    FLEXIO_DEV_NIC_COUNTER_PORT3_RX_BYTES = 0x13,
    FLEXIO_DEV_NIC_COUNTER_PORT0_TX_BYTES = 0x20,
    FLEXIO_DEV_NIC_COUNTER_PORT1_TX_BYTES = 0x21,
    FLEXIO_DEV_NIC_COUNTER_PORT2_TX_BYTES = 0x22,
    FLEXIO_DEV_NIC_COUNTER_PORT3_TX_BYTES = 0x23,
};

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

__attribute__((noreturn)) static inline uint64_t flexio_dev_get_pcc_table_base(uint16_t vhca_id)
{
    (void)vhca_id;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_CC);
}

/* ---- Copies ---- */

/* Copy `n` bytes in units of two, four or eight bytes. A remainder is not copied. */
static inline void flexio_dev_memcpy16(uint16_t *dest, const uint16_t *src, uint64_t n)
{
    for (uint64_t i = 0; i < n / sizeof *dest; i++)
        dest[i] = src[i];
}

static inline void flexio_dev_memcpy32(uint32_t *dest, const uint32_t *src, uint64_t n)
{
    for (uint64_t i = 0; i < n / sizeof *dest; i++)
        dest[i] = src[i];
}

static inline void flexio_dev_memcpy64(uint64_t *dest, const uint64_t *src, uint64_t n)
{
    for (uint64_t i = 0; i < n / sizeof *dest; i++)
        dest[i] = src[i];
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
/* Tries to take the lock. The result is 0 if the lock was taken. */
#define spin_trylock(lock) __atomic_exchange_n(&(lock)->locked, 1, __ATOMIC_ACQUIRE)

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
