#include "format.h"
#include "guest/abi/syscall.h"
#include "message.h"

#include <libflexio-dev/flexio_dev.h>
#include <string.h>

#define MESSAGE_MAX 1024

/* Threads get their properties from the runtime, so all threads share one context. */
struct flexio_dev_thread_ctx {
    uint64_t unused;
};
static struct flexio_dev_thread_ctx the_context;

int flexio_dev_get_thread_ctx(struct flexio_dev_thread_ctx **dtctx)
{
    *dtctx = &the_context;
    return 0;
}

uint32_t flexio_dev_get_thread_id(struct flexio_dev_thread_ctx *dtctx)
{
    (void)dtctx;
    return (uint32_t)dpa_call0(DPA_SYS_THREAD_ID);
}

flexio_uintptr_t flexio_dev_get_thread_local_storage(struct flexio_dev_thread_ctx *dtctx)
{
    (void)dtctx;
    return dpa_call0(DPA_SYS_LOCAL_STORAGE);
}

void flexio_dev_thread_finish(void)
{
    dpa_call_noreturn(DPA_SYS_FINISH);
}

void flexio_dev_thread_reschedule(void)
{
    dpa_call_noreturn(DPA_SYS_RESCHEDULE);
}

void flexio_dev_thread_retrigger(void)
{
    dpa_call_noreturn(DPA_SYS_RETRIGGER);
}

void flexio_dev_process_finish(void)
{
    dpa_call_noreturn(DPA_SYS_END_PROCESS);
}

void flexio_dev_yield(struct flexio_dev_thread_ctx *dtctx)
{
    (void)dtctx;
    dpa_call0(DPA_SYS_PARK);
}

void flexio_dev_yield_and_retrigger(void)
{
    dpa_call0(DPA_SYS_PARK_RETRIGGER);
}

void flexio_dev_reschedule(void)
{
    flexio_dev_thread_reschedule();
}

void flexio_dev_return(void)
{
    flexio_dev_thread_reschedule();
}

void flexio_dev_finish(void)
{
    flexio_dev_process_finish();
}

static void send(int stream, unsigned level, const char *text, size_t length)
{
    dpa_call4(DPA_SYS_MSG, (uint64_t)stream, level, (uint64_t)(uintptr_t)text, length);
}

int _dpa_vmessage(int stream, unsigned level, const char *format, va_list values)
{
    char text[MESSAGE_MAX];
    int length = _dpa_format_marked(text, sizeof text, format, values);
    send(stream, level, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    return length;
}

int flexio_dev_msg(int stream_id, flexio_msg_dev_level level, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = _dpa_vmessage(stream_id, level, format, values);
    va_end(values);
    return length;
}

int flexio_dev_puts(struct flexio_dev_thread_ctx *dtctx, char *str)
{
    (void)dtctx;
    size_t length = strlen(str);
    send(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, FLEXIO_MSG_DEV_INFO, str, length);
    return (int)length;
}
