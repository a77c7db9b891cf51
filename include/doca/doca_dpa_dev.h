/*
 * doca_dpa_dev: the device side of DOCA DPA: what kernels, RPCs and threads call.
 *
 *     __dpa_global__ void thread_kernel(uint64_t arg)
 *     {
 *         struct state *s = (struct state *)doca_dpa_dev_thread_get_local_storage();
 *         DOCA_DPA_DEV_LOG_INFO("activation %u\n", ++s->count);
 *         doca_dpa_dev_thread_notify(s->peer);      // another thread runs
 *         doca_dpa_dev_thread_reschedule();         // this one waits for its next event
 *     }
 *
 * DPA subsystem guide 2.2.1, section 3.4, and DOCA DPA of today. A bad handle or address faults the
 * thread, which puts its context into the error state.
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
#ifdef __clang__ /* so that a fault in one of these is told with the line that calls it */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Kernels ---- */

/* Rank of the calling thread in its kernel launch, from 0. */
unsigned int doca_dpa_dev_thread_rank(void);
/* Threads that run the current kernel. */
unsigned int doca_dpa_dev_num_threads(void);
/* Lets other threads use the execution unit. */
void doca_dpa_dev_yield(void);

/* ---- Messages ---- */

/* Prints on the host application's standard output; no floating point. Returns the length. */
int doca_dpa_dev_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, behind its level, if doca_dpa_set_log_level lets it through. The text brings its own
 * newline. */
void doca_dpa_dev_log(enum doca_dpa_dev_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define DOCA_DPA_DEV_LOG_CRIT(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_ERR(...)  doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_DBG(...)  doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Writes a line with these numbers to the file of doca_dpa_trace_file_set_path, else to stdout; the
 * line's form is dpakit's own. The other writes out what is buffered of such lines. */
void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);
void doca_dpa_dev_trace_flush(void);

/* ---- Threads ---- */

/* Address of the thread's local storage, 0 if it has none. */
doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);
/* End this activation: for good, or until the thread's next event. They do not return. */
__attribute__((noreturn)) void doca_dpa_dev_thread_finish(void);
__attribute__((noreturn)) void doca_dpa_dev_thread_reschedule(void);
/* The same, and the next activation comes at once, without an event. */
__attribute__((noreturn)) void doca_dpa_dev_thread_retrigger(void);

/* One event for the thread of a notification completion. */
void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t h);

/* From here on the calling thread uses resources of that context's device: a context that extends
 * another names resources of its own. */
void doca_dpa_dev_device_set(doca_dpa_dev_t h);

/* ---- Completions ---- */

enum doca_dpa_dev_completion_type {
    DOCA_DPA_DEV_COMP_SEND = 0, /* a send, write, read or atomic operation has ended */
    DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 1, /* a peer wrote, and an immediate came with it */
    DOCA_DPA_DEV_COMP_RECV_SEND = 2,           /* a message came */
    DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 3,       /* the same, with an immediate */
    DOCA_DPA_DEV_COMP_SEND_ERR = 0xd,          /* what was posted failed */
    DOCA_DPA_DEV_COMP_RECV_ERR = 0xe,
};

typedef enum doca_dpa_dev_completion_type doca_dpa_dev_completion_type_t;

/* How operations are posted (doca_dpa_dev_rdma.h, doca_dpa_dev_buf.h). Without FLUSH one may wait for
 * the next; here none does. OPTIMIZE_REPORTS: success is not reported. */
enum doca_dpa_dev_submit_flag {
    DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = 1u << 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1u << 1,
};

/* One completion. Its contents are for the functions below. */
typedef struct doca_dpa_dev_completion_element {
    uint32_t type, user_data, immediate, wqe_counter;
    uint64_t timestamp;
    uint32_t bytes, syndrome;
} doca_dpa_dev_completion_element_t;

/* Takes the next completion of a queue; 1, or 0 if there is none. */
int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t h, doca_dpa_dev_completion_element_t *e);

/* What it tells: of enum doca_dpa_dev_completion_type; the user data of the posted operation or of
 * the connection; the immediate that came; which operation of its queue it was; when, in
 * nanoseconds. */
doca_dpa_dev_completion_type_t
doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_completion_element_get_wqe_counter(doca_dpa_dev_completion_element_t e);
uint64_t doca_dpa_dev_completion_element_get_timestamp(doca_dpa_dev_completion_element_t e);
/* Bytes of the message that came; why an operation failed, by the numbers that completions of the
 * card have (MLX5_CQE_SYNDROME_* of libmlx5), 0 if it did not. */
uint32_t doca_dpa_dev_completion_element_get_received_bytes(doca_dpa_dev_completion_element_t e);
uint32_t doca_dpa_dev_completion_element_get_error_syndrome(doca_dpa_dev_completion_element_t e);

/* Gives the room of the oldest `num_comp` completions that were taken back to the queue. */
void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t h, uint64_t num_comp);

/* The next completion wakes the queue's thread: at once if there is one that was not taken. Only
 * one: then it must be asked for again. */
void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t h);

/* Tables of doca_dpa_hash_table_create, which any threads may use at once. _add: the key has this
 * value now; one key more than the table has room for ends the DPA process. _remove: one that is not
 * there is ignored. _find: 1, and its value; 0 if it is not there. */
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
