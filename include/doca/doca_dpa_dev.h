/*
 * doca_dpa_dev: the device side of DOCA DPA: the functions that kernels, RPCs and threads call.
 *
 *     __dpa_global__ void thread_kernel(uint64_t arg)
 *     {
 *         struct state *s = (struct state *)doca_dpa_dev_thread_get_local_storage();
 *         DOCA_DPA_DEV_LOG_INFO("activation %u\n", ++s->count);
 *         doca_dpa_dev_thread_notify(s->peer);      // wakes another thread
 *         doca_dpa_dev_thread_reschedule();         // this one waits for its next event
 *     }
 *
 * DPA subsystem guide 2.2.1, section 3.4, and DOCA DPA 3. A bad handle or address faults the thread,
 * which puts its context into the error state.
 */
#ifndef DOCA_DPA_DEV_H
#define DOCA_DPA_DEV_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_dpa_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Kernels ---- */

/* Returns the rank of the calling thread in its kernel launch, from 0. */
unsigned int doca_dpa_dev_thread_rank(void);
/* Returns the number of threads that run the current kernel. */
unsigned int doca_dpa_dev_num_threads(void);
/* Lets other threads use the execution unit. */
void doca_dpa_dev_yield(void);

/* ---- Messages ---- */

/* Prints on the host application's standard output; no floating point. Returns the length. */
int doca_dpa_dev_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a message after its level, if doca_dpa_set_log_level permits the level. The text must end with
 * a newline. */
void doca_dpa_dev_log(enum doca_dpa_dev_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define DOCA_DPA_DEV_LOG_CRIT(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_ERR(...)  doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_DBG(...)  doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* doca_dpa_dev_trace writes a line with these numbers to the file of doca_dpa_trace_file_set_path, or
 * to stdout without a file. The format of the line is specific to dpakit. The other function flushes
 * buffered lines. */
void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);
void doca_dpa_dev_trace_flush(void);

/* ---- Threads ---- */

/* Returns the address of the thread's local storage, 0 if it has none. */
doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);
/* End this activation: for good, or until the thread's next event. They do not return. */
__attribute__((noreturn)) void doca_dpa_dev_thread_finish(void);
__attribute__((noreturn)) void doca_dpa_dev_thread_reschedule(void);
/* Ends this activation; the next activation starts at once, without an event. Does not return. */
__attribute__((noreturn)) void doca_dpa_dev_thread_retrigger(void);

/* Sends one event to the thread of a notification completion. */
void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t h);

/* Switches the calling thread to the resources of that context's device. A context that extends another
 * has its own resources. */
void doca_dpa_dev_device_set(doca_dpa_dev_t h);

/* ---- Completions ---- */

enum doca_dpa_dev_completion_type {
    DOCA_DPA_DEV_COMP_SEND = 0, /* a send, write, read or atomic operation has ended */
    DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 1, /* a peer's write with an immediate arrived */
    DOCA_DPA_DEV_COMP_RECV_SEND = 2,           /* a message arrived */
    DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 3,       /* a message with an immediate arrived */
    DOCA_DPA_DEV_COMP_SEND_ERR = 0xd,          /* a posted operation failed */
    DOCA_DPA_DEV_COMP_RECV_ERR = 0xe,
};

typedef enum doca_dpa_dev_completion_type doca_dpa_dev_completion_type_t;

/* Flags of posted operations (doca_dpa_dev_rdma.h, doca_dpa_dev_buf.h). Without FLUSH an operation may
 * wait for the next operation; here it never waits. OPTIMIZE_REPORTS: success is not reported. */
enum doca_dpa_dev_submit_flag {
    DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = 1u << 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1u << 1,
};

/* One completion, which is valid until it is acknowledged. Use the functions below to read it. */
typedef uint64_t doca_dpa_dev_completion_element_t;

/* Takes the next completion of a queue. Returns 1, or 0 if there is no completion. */
int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t h, doca_dpa_dev_completion_element_t *e);

/* Return the contents of a completion: its type (enum doca_dpa_dev_completion_type); the user data of
 * the posted operation or of the connection; the received immediate; the index of the operation in its
 * queue; the time in nanoseconds. */
doca_dpa_dev_completion_type_t
doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_completion_element_get_wqe_counter(doca_dpa_dev_completion_element_t e);
uint64_t doca_dpa_dev_completion_element_get_timestamp(doca_dpa_dev_completion_element_t e);
/* Return the size of the received message in bytes; the reason of a failure, as a number of the card's
 * completions (MLX5_CQE_SYNDROME_* of libmlx5), or 0 without a failure. */
uint32_t doca_dpa_dev_completion_element_get_received_bytes(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_completion_element_get_error_syndrome(doca_dpa_dev_completion_element_t e);
/* Returns the vendor's number of that reason: always 0, as emulated devices have no other reasons. */
uint32_t
doca_dpa_dev_completion_element_get_vendor_error_syndrome(doca_dpa_dev_completion_element_t e);
/* Return, for queues of DOCA Verbs: the number of the queue pair or Ethernet queue, the number of the
 * shared receive queue (0: its receives are its own), and the opcode of a send (enum
 * doca_dpa_dev_verbs_send_wr_opcode, or that of the raw element). 0 for other objects. */
uint32_t doca_dpa_dev_completion_element_get_qpn(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_completion_element_get_srqn(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_completion_element_get_swqe_opcode(doca_dpa_dev_completion_element_t e);

/* Acknowledges the oldest `num_comp` completions that were taken: the queue can use their room
 * again. */
void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t h, uint64_t num_comp);

/* Requests that the next completion wakes the queue's thread: at once if a completion was not taken
 * yet. A request counts for one wake-up. */
void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t h);

/* Tables of doca_dpa_hash_table_create. Threads may use them concurrently. _add sets the value of a
 * key; a key too many ends the DPA process. _remove ignores a key that is not in the table. _find
 * returns 1 and the key's value, or 0 if the key is not in the table. */
void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value);
void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key);
int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key,
                                 uint64_t *value);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
