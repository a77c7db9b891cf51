#include "message.h"
#include "syscall.h"

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>
#include <libflexio-dev/flexio_dev.h>

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

void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t event, uint64_t value, uint64_t mask)
{
    dpa_call3(DPA_SYS_EVENT_WAIT_GT, event, value, mask);
}
