/*
 * doca_pcc_dev_services: messages between programs of congestion control and the host.
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

/* The results of functions of this library, and of functions that the program implements. */
typedef enum {
    DOCA_PCC_DEV_STATUS_OK = 0,
    DOCA_PCC_DEV_STATUS_FAIL = 1,
} doca_pcc_dev_error_t;

#define ALWAYS_INLINE __attribute__((always_inline))
#define FORCE_INLINE  static inline ALWAYS_INLINE

/* Optional function of the program: executes a request of the host's doca_pcc_mailbox_send().
 * `response` has room for `max_response_size` bytes. *response_size is 0 on entry: set it to the number
 * of bytes written. The host receives the result. */
doca_pcc_dev_error_t doca_pcc_dev_user_mailbox_handle(void *request, uint32_t request_size,
                                                      uint32_t max_response_size, void *response,
                                                      uint32_t *response_size)
    __attribute__((weak));

/* Prints on the host program's standard output; no floating point. Any thread may print. */
void doca_pcc_dev_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Traces five numbers with a format that the host program has set. `format_id`: the format's number. */
void doca_pcc_dev_trace_5(int format_id, uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4,
                          uint64_t arg5);
/* Makes the traced messages visible to the host. */
void doca_pcc_dev_trace_flush(void);

/* Returns the number of the calling thread in this program, from 0. */
unsigned int doca_pcc_dev_thread_rank(void);

#ifdef __cplusplus
}
#endif

#endif
