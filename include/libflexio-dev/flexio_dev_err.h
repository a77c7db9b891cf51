/*
 * Errors of the DPA side: flexio_dev_status_t of flexio_dev.h. Programs include this header together
 * with flexio_dev.h. Any other error of a call faults its thread.
 */
#ifndef FLEXIO_DEV_ERR_H
#define FLEXIO_DEV_ERR_H

#include <libflexio-dev/flexio_dev.h>

/* The error of a thread that failed a call. The functions return 0, since no thread outlives such a
 * failure. */
static inline uint64_t flexio_dev_get_errno(struct flexio_dev_thread_ctx *dtctx)
{
    (void)dtctx;
    return 0;
}
static inline void flexio_dev_rst_errno(struct flexio_dev_thread_ctx *dtctx)
{
    (void)dtctx;
}
static inline uint64_t flexio_dev_get_and_rst_errno(struct flexio_dev_thread_ctx *dtctx)
{
    (void)dtctx;
    return 0;
}

/* The number of an error that has none. */
enum flexio_dev_errors {
    FLEXIO_DEV_ERROR_ILLEGAL_ERR = 0x42,
};
typedef enum flexio_dev_errors flexio_dev_error_t;

/* Ends the process with an error: as any fault, with a message that has the number. */
static inline void flexio_dev_error(uint8_t error)
{
    flexio_dev_msg_dflt(FLEXIO_MSG_DEV_ERROR, "flexio_dev_error: %u\n", error);
    __builtin_trap();
}

#endif
