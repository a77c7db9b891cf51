/* Device code that sends trace messages; tracer_cases.c is its host. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev_tracer.h>

/* One message with each number of values, then one of a format that is not there. */
__dpa_rpc__ uint64_t trace_all(uint64_t stream)
{
    const uint8_t id = (uint8_t)stream;
    const flexio_msg_dev_level level = FLEXIO_MSG_DEV_INFO;
    flexio_dev_trace_0(id, level, 0);
    flexio_dev_trace_1(id, level, 1, 1);
    flexio_dev_trace_2(id, level, 2, 1, 0xff);
    flexio_dev_trace_3(id, level, 3, 1, (uint64_t)-2, 3);
    flexio_dev_trace_4(id, level, 4, 1, 2, 3, 4);
    flexio_dev_trace_5(id, level, 5, 1, 2, 3, 4, 5);
    flexio_dev_trace_6(id, level, 6, 1, 2, 3, 4, 5, 6);
    flexio_dev_trace_2(id, level, 99, 7, 8);
    flexio_dev_trace_0(id, FLEXIO_MSG_DEV_DEBUG, 0);
    return 0;
}

__dpa_rpc__ uint64_t trace_many(uint64_t stream, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        flexio_dev_trace_1((uint8_t)stream, FLEXIO_MSG_DEV_INFO, 1, i);
    return 0;
}

__dpa_rpc__ uint64_t trace_flush(uint64_t stream, uint64_t notify)
{
    if (notify)
        flexio_dev_tracer_notify_host((uint8_t)stream, 1);
    else
        flexio_dev_tracer_flush((uint8_t)stream);
    return 0;
}
