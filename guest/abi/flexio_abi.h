/* flexio_abi: calls of family DPA_SYS_FAMILY_FLEXIO (dpa_abi.h), between libflexio_dev and
 * libflexio.
 * "-> failed" is 0 or 1. */
#ifndef DPK_GUEST_ABI_FLEXIO_ABI_H
#define DPK_GUEST_ABI_FLEXIO_ABI_H

#include "dpa_abi.h"

/* `entity`: the index of the thread's window, less than DPA_FLEXIO_WINDOWS; any other index fails. */
#define DPA_FLEXIO_WINDOWS       2
#define DPA_FLEXIO_WINDOW_CONFIG 0 /* (entity, window, mkey) -> failed: no such window */
#define DPA_FLEXIO_WINDOW_MKEY   1 /* (entity, mkey) -> failed: no window configured */
#define DPA_FLEXIO_WINDOW_POINTER                                                                  \
    2                               /* (entity, host address) -> where loads and stores reach it,  \
                                       0: failed */
#define DPA_FLEXIO_COPY_FROM_HOST 3 /* (entity, to, host address, bytes): faults on failure */
#define DPA_FLEXIO_COPY_TO_HOST   4 /* (entity, host address, from, bytes): faults on failure */
#define DPA_FLEXIO_OUTBOX_CONFIG  5 /* (outbox) -> failed: no such outbox */
#define DPA_FLEXIO_OUTBOX_UAR     6 /* (UAR) -> failed: no outbox configured, or no such UAR */
#define DPA_FLEXIO_RING           7 /* (queue, blocks posted): faults if not a send queue of it */
#define DPA_FLEXIO_ARM            8 /* (CQ, consumed): faults if it is not a CQ of the process */
#define DPA_FLEXIO_POSTED         9 /* (): a doorbell record has changed */
#define DPA_FLEXIO_RING_ACROSS    11 /* (UAR, queue, blocks posted) -> failed: no such UAR */
#define DPA_FLEXIO_COMPLETE       12 /* (CQ): an empty completion; faults if it is not a CQ */
#define DPA_FLEXIO_EQ_CONSUMED    13 /* (EQ, consumed): faults if it is not an EQ of the process */
#define DPA_FLEXIO_ACTIVATE       14 /* (thread id): faults if no event handler has the id */
#define DPA_FLEXIO_TRACE                                                                           \
    15                            /* (stream and level << 8, format, numbers, their count): faults \
                                     if they cannot be read */
#define DPA_FLEXIO_TRACE_FLUSH 16 /* (stream) */
#define DPA_FLEXIO_TRACE_MAX   6  /* numbers of a trace message */
#define DPA_FLEXIO_NO_HARDWARE    10 /* (what): faults: needs hardware that is not emulated */

#define DPA_FLEXIO_CALL(call) DPA_SYS_CALL(DPA_SYS_FAMILY_FLEXIO, call)

#endif
