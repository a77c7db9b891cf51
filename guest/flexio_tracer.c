/* Trace messages. The host makes their text. */
#include "guest/abi/flexio_abi.h"
#include "guest/abi/syscall.h"

#include <libflexio-dev/flexio_dev_tracer.h>

static void trace(uint8_t stream, flexio_msg_dev_level level, int format, const uint64_t *values,
                  uint64_t count)
{
    dpa_call4(DPA_FLEXIO_CALL(DPA_FLEXIO_TRACE), stream | (uint64_t)level << 8, (uint32_t)format,
              (uint64_t)(uintptr_t)values, count);
}

#define TRACE(...)                                                                                 \
    const uint64_t values[] = {__VA_ARGS__};                                                       \
    trace(tracer_id, level, format_id, values, sizeof values / sizeof values[0])

void flexio_dev_trace_0(uint8_t tracer_id, flexio_msg_dev_level level, int format_id)
{
    trace(tracer_id, level, format_id, NULL, 0);
}

void flexio_dev_trace_1(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0)
{
    TRACE(arg0);
}

void flexio_dev_trace_2(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1)
{
    TRACE(arg0, arg1);
}

void flexio_dev_trace_3(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2)
{
    TRACE(arg0, arg1, arg2);
}

void flexio_dev_trace_4(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
    TRACE(arg0, arg1, arg2, arg3);
}

void flexio_dev_trace_5(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4)
{
    TRACE(arg0, arg1, arg2, arg3, arg4);
}

void flexio_dev_trace_6(uint8_t tracer_id, flexio_msg_dev_level level, int format_id, uint64_t arg0,
                        uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
    TRACE(arg0, arg1, arg2, arg3, arg4, arg5);
}

void flexio_dev_tracer_flush(uint8_t tracer_id)
{
    dpa_call4(DPA_FLEXIO_CALL(DPA_FLEXIO_TRACE_FLUSH), tracer_id, 0, 0, 0);
}

void flexio_dev_tracer_notify_host(uint8_t tracer_id, uint32_t num_msg)
{
    (void)num_msg;
    flexio_dev_tracer_flush(tracer_id);
}
