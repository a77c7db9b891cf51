#include "format.h"
#include "guest/abi/doca_calls.h"
#include "guest/abi/syscall.h"
#include "message.h"

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdio.h>

#define LOG_STREAM 1 /* the host opens it after FlexIO's default stream */
#define LOG_HEAD   "[DOCA][DPA DEVICE][%s] "
#define LOG_MAX    (1024 - sizeof LOG_HEAD) /* so that head and text are one message */

unsigned int doca_dpa_dev_thread_rank(void)
{
    return (unsigned int)dpa_call0(DPA_SYS_THREAD_RANK);
}

unsigned int doca_dpa_dev_num_threads(void)
{
    return (unsigned int)dpa_call0(DPA_SYS_NUM_THREADS);
}

void doca_dpa_dev_yield(void)
{
    dpa_call0(DPA_SYS_YIELD);
}

int doca_dpa_dev_printf(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length =
        _dpa_vmessage(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, FLEXIO_MSG_DEV_INFO, format, values);
    va_end(values);
    return length;
}

void doca_dpa_dev_log(enum doca_dpa_dev_log_level level, const char *format, ...)
{
    static const char *const tags[] = {"CRT", "ERR", "WRN", "INF", "DBG"};
    char text[LOG_MAX];
    unsigned i = level / 10u;
    if (i < 2 || i > 6)
        return;
    va_list values;
    va_start(values, format);
    _dpa_format_marked(text, sizeof text, format, values);
    va_end(values);
    flexio_dev_msg(LOG_STREAM, (flexio_msg_dev_level)(i - 1), LOG_HEAD "%s", tags[i - 2], text);
}

void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
    const uint64_t values[DPA_DOCA_TRACE_VALUES] = {arg1, arg2, arg3, arg4, arg5};
    dpa_call3(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_DOCA_TRACE), (uintptr_t)values, 0, 0);
}

void doca_dpa_dev_trace_flush(void)
{
    dpa_call0(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_DOCA_TRACE_FLUSH));
}

doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void)
{
    return dpa_call0(DPA_SYS_LOCAL_STORAGE);
}

void doca_dpa_dev_thread_finish(void)
{
    dpa_call_noreturn(DPA_SYS_FINISH);
}

void doca_dpa_dev_thread_reschedule(void)
{
    dpa_call_noreturn(DPA_SYS_RESCHEDULE);
}

void doca_dpa_dev_thread_retrigger(void)
{
    dpa_call_noreturn(DPA_SYS_RETRIGGER);
}

void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t h)
{
    dpa_call3(DPA_SYS_NOTIFY, h, 0, 0);
}

static uint64_t doca_call(unsigned call, uint64_t a, uint64_t b)
{
    return dpa_call3(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, call), a, b, 0);
}

void doca_dpa_dev_device_set(doca_dpa_dev_t h)
{
    doca_call(DPA_DOCA_DEVICE_SET, h, 0);
}

static const struct dpa_doca_completion *element_of(doca_dpa_dev_completion_element_t e)
{
    return (const struct dpa_doca_completion *)e;
}

int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t h, doca_dpa_dev_completion_element_t *e)
{
    return (int)doca_call(DPA_DOCA_GET_COMPLETION, h, (uintptr_t)e);
}

doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t e)
{
    return (doca_dpa_dev_completion_type_t)element_of(e)->type;
}

uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->user_data;
}

uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->immediate;
}

uint32_t doca_dpa_dev_completion_element_get_wqe_counter(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->wqe_counter;
}

uint64_t doca_dpa_dev_completion_element_get_timestamp(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->timestamp;
}

uint32_t doca_dpa_dev_completion_element_get_received_bytes(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->bytes;
}

uint32_t doca_dpa_dev_completion_element_get_error_syndrome(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->syndrome;
}

uint32_t
doca_dpa_dev_completion_element_get_vendor_error_syndrome(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->vendor_syndrome;
}

uint32_t doca_dpa_dev_completion_element_get_qpn(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->queue;
}

uint32_t doca_dpa_dev_completion_element_get_srqn(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->shared_queue;
}

uint32_t doca_dpa_dev_completion_element_get_swqe_opcode(doca_dpa_dev_completion_element_t e)
{
    return element_of(e)->opcode;
}

void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t h, uint64_t num_comp)
{
    doca_call(DPA_DOCA_COMPLETION_ACK, h, num_comp);
}

void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t h)
{
    doca_call(DPA_DOCA_REQUEST_NOTIFICATION, h, 0);
}

void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value)
{
    dpa_call3(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_DOCA_HASH_ADD), ht_handle, key, value);
}

void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key)
{
    doca_call(DPA_DOCA_HASH_REMOVE, ht_handle, key);
}

int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value)
{
    return (int)dpa_call3(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_DOCA_HASH_FIND), ht_handle, key,
                          (uintptr_t)value);
}

void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t event, uint64_t *value)
{
    *value = dpa_call3(DPA_SYS_EVENT_GET, event, 0, 0);
}

void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t event, uint64_t value)
{
    dpa_call3(DPA_SYS_EVENT_ADD, event, value, 0);
}

void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t event, uint64_t value)
{
    dpa_call3(DPA_SYS_EVENT_SET, event, value, 0);
}

static void post_wait(doca_dpa_dev_async_ops_t ops, doca_dpa_dev_sync_event_t event, uint64_t value,
                      bool differs)
{
    dpa_call4(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_DOCA_ASYNC_WAIT), ops, event, value, differs);
}

void doca_dpa_dev_sync_event_post_wait_gt(doca_dpa_dev_async_ops_t async_ops_handle,
                                          doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
    post_wait(async_ops_handle, wait_se_handle, value, false);
}

void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
                                          doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
    post_wait(async_ops_handle, wait_se_handle, value, true);
}

void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t event, uint64_t value, uint64_t mask)
{
    dpa_call3(DPA_SYS_EVENT_WAIT_GT, event, value, mask);
}
