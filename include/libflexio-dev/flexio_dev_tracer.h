/*
 * Trace messages: the number of a format, and numbers. The host makes text of them, so that device code
 * formats nothing. The stream is of mode FLEXIO_MSG_DEV_SYNC_MODE_TRACER, and has the formats
 * (flexio_msg_stream_create, tracer_msg_formats).
 *
 *     flexio_dev_trace_2(stream, FLEXIO_MSG_DEV_INFO, 3, queue, packets);   // "queue %lu: %lu packets\n"
 *     flexio_dev_tracer_flush(stream);
 *
 * Messages are printed when as many bytes have come together as the stream holds, at a flush, and when the
 * host flushes or destroys the stream.
 */
#ifndef FLEXIO_DEV_TRACER_H
#define FLEXIO_DEV_TRACER_H

#include <stdint.h>

#include <libflexio-dev/flexio_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sends a trace message to a stream, with none to six numbers. The stream drops a message above its
 * level. `format_id`: index of the stream's format; a message of a format that the stream does not have
 * shows its numbers. */
void flexio_dev_trace_0(uint8_t tracer_id, flexio_msg_dev_level level, int format_id);
void flexio_dev_trace_1(uint8_t tracer_id, flexio_msg_dev_level level, int format_id,
                        uint64_t arg0);
void flexio_dev_trace_2(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1);
void flexio_dev_trace_3(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2);
void flexio_dev_trace_4(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2, uint64_t arg3);
void flexio_dev_trace_5(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4);
void flexio_dev_trace_6(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/* Prints the messages that the stream holds. */
void flexio_dev_tracer_flush(uint8_t tracer_id);
/* The same, for `num_msg` messages; here always for all. */
void flexio_dev_tracer_notify_host(uint8_t tracer_id, uint32_t num_msg);

#ifdef __cplusplus
}
#endif

#endif
