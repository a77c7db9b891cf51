/* Messages of the library on stderr. */
#include "private.h"

_Static_assert((int)FLEXIO_LOG_LVL_ERR == DPK_HOST_LOG_ERROR &&
                   (int)FLEXIO_LOG_LVL_WARN == DPK_HOST_LOG_WARNING &&
                   (int)FLEXIO_LOG_LVL_INFO == DPK_HOST_LOG_INFO &&
                   (int)FLEXIO_LOG_LVL_DBG == DPK_HOST_LOG_DEBUG,
               "FlexIO's levels are the log's");

flexio_log_lvl flexio_log_lvl_set(flexio_log_lvl lvl)
{
    return (flexio_log_lvl)dpk_host_log_set_level((enum dpk_host_log_level)lvl);
}

flexio_status libflexio_failed(const char *call, const struct dpk_error *err)
{
    dpk_host_log(DPK_HOST_LOG_ERROR, "%s: %s", call, err->message);
    if (err->status == DPK_ERR_FAULT)
        return FLEXIO_STATUS_FATAL_ERR;
    return err->status == DPK_ERR_TIMEOUT ? FLEXIO_STATUS_TIMEOUT : FLEXIO_STATUS_FAILED;
}

flexio_status libflexio_failed_because(const char *format, ...)
{
    char text[sizeof(struct dpk_error) + 128];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    dpk_host_log(DPK_HOST_LOG_ERROR, "%s", text);
    return FLEXIO_STATUS_FAILED;
}

flexio_status flexio_version_set(uint64_t version)
{
    if (version < FLEXIO_VER(24, 1, 0) || version >> 16 > FLEXIO_VER_LATEST >> 16)
        return libflexio_failed_because(
            "flexio_version_set: 0x%llx is not a version from 24.1 to 26.4",
            (unsigned long long)version);
    return FLEXIO_STATUS_SUCCESS;
}
