/* The date of files that a tool makes, and dates as text. */
#include "cli/cli.h"

#include <stdlib.h>
#include <time.h>

#define END_OF_YEAR_9999 253402300799

enum dpk_status dpk_tool_date(int64_t *seconds, struct dpk_error *err)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    *seconds = text ? strtoll(text, &end, 10) : (int64_t)time(NULL);
    if (text && (end == text || *end || *seconds < 0 || *seconds > END_OF_YEAR_9999))
        return dpk_fail(err, DPK_ERR_USAGE, "SOURCE_DATE_EPOCH: '%.40s' is not a date", text);
    return DPK_OK;
}

const char *dpk_tool_time(int64_t seconds, char out[DPK_TOOL_TIME])
{
    const time_t t = (time_t)seconds;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || strftime(out, DPK_TOOL_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(out, DPK_TOOL_TIME, "1970-01-01T00:00:00Z");
    return out;
}
