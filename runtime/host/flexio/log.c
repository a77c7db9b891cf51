/* What the library says of itself on stderr. */
#include <stdatomic.h>

#include "private.h"

/* One level for the whole program: the API has no object to hang it on. */
static _Atomic(flexio_log_lvl) log_level = FLEXIO_LOG_LVL_WARN;

flexio_log_lvl flexio_log_lvl_set(flexio_log_lvl lvl)
{
    if ((int)lvl < FLEXIO_LOG_LVL_ERR || (int)lvl > FLEXIO_LOG_LVL_DBG)
        return atomic_load(&log_level);
    return atomic_exchange(&log_level, lvl);
}

static void log_line(flexio_log_lvl level, const char *format, va_list ap)
{
    if (level > atomic_load(&log_level))
        return;
    char text[sizeof(struct dpk_error) + 128];
    vsnprintf(text, sizeof text, format, ap);
    fprintf(stderr, "-%c- %s\n", "EWID"[level], text);
}

void dpk_host_log(flexio_log_lvl level, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    log_line(level, format, ap);
    va_end(ap);
}

flexio_status failed(const char *call, const struct dpk_error *err)
{
    dpk_host_log(FLEXIO_LOG_LVL_ERR, "%s: %s", call, err->message);
    if (err->status == DPK_ERR_FAULT)
        return FLEXIO_STATUS_FATAL_ERR;
    return err->status == DPK_ERR_TIMEOUT ? FLEXIO_STATUS_TIMEOUT : FLEXIO_STATUS_FAILED;
}

flexio_status failed_because(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    log_line(FLEXIO_LOG_LVL_ERR, format, ap);
    va_end(ap);
    return FLEXIO_STATUS_FAILED;
}
