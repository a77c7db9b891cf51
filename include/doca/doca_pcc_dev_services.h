/*
 * doca_pcc_dev_services: what programs of congestion control tell the host and hear from it.
 *
 *     doca_pcc_dev_printf("port %u is up\n", port);            // on the host's standard output
 *     doca_pcc_dev_trace_5(0, port, rate, 0, 0, 0);            // by format 0 of the host program
 *     doca_pcc_dev_trace_flush();
 */
#ifndef DOCA_PCC_DEV_SERVICES_H
#define DOCA_PCC_DEV_SERVICES_H

#ifndef DOCA_DPA_DEVICE
#define DOCA_DPA_DEVICE
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions of this library, and those that the program gives it, return. */
typedef enum {
    DOCA_PCC_DEV_STATUS_OK = 0,
    DOCA_PCC_DEV_STATUS_FAIL = 1,
} doca_pcc_dev_error_t;

#define ALWAYS_INLINE __attribute__((always_inline))
#define FORCE_INLINE  static inline ALWAYS_INLINE

/* Implemented by the program, if it likes: carries out a request that the host sent by
 * doca_pcc_mailbox_send(). `response` has room for `max_response_size` bytes; *response_size, 0
 * before, is how many were written. What it returns reaches the host. */
doca_pcc_dev_error_t doca_pcc_dev_user_mailbox_handle(void *request, uint32_t request_size,
                                                      uint32_t max_response_size, void *response,
                                                      uint32_t *response_size)
    __attribute__((weak));

/* Prints on the host program's standard output; no floating point. Any thread may print. */
void doca_pcc_dev_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Traces five numbers by the format with that number, which the host program has set. */
void doca_pcc_dev_trace_5(int format_id, uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4,
                          uint64_t arg5);
/* Lets the host see what was traced. */
void doca_pcc_dev_trace_flush(void);

/* The calling thread's number among those of this program, from 0. */
unsigned int doca_pcc_dev_thread_rank(void);

#ifdef __cplusplus
}
#endif

#endif
