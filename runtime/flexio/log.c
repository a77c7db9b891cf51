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

#define LINE_MAX_SIZE (sizeof(struct dpk_error) + 128) /* an error's story and who tells it */

void dpk_host_log(flexio_log_lvl level, const char *format, ...)
{
    char text[LINE_MAX_SIZE];
    if (level > atomic_load(&log_level))
        return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    /* Names in it may come from a hostile file: it stays one line and steers no terminal. */
    fprintf(stderr, "-%c- %s\n", "EWID"[level], dpk_text_clean(text));
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
    char text[LINE_MAX_SIZE];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    dpk_host_log(FLEXIO_LOG_LVL_ERR, "%s", text);
    return FLEXIO_STATUS_FAILED;
}

flexio_status flexio_version_set(uint64_t version)
{
    if (version < FLEXIO_VER(24, 1, 0))
        return failed_because("flexio_version_set: 0x%llx is older than any version that is known",
                              (unsigned long long)version);
    return FLEXIO_STATUS_SUCCESS;
}
