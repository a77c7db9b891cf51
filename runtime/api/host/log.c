/* Lines on stderr. */
#include "host.h"

/* The whole program has one level, because the APIs have no object that could hold it. */
static _Atomic(enum dpk_host_log_level) log_level = DPK_HOST_LOG_WARNING;

enum dpk_host_log_level dpk_host_log_set_level(enum dpk_host_log_level level)
{
    if ((int)level < DPK_HOST_LOG_ERROR || (int)level > DPK_HOST_LOG_DEBUG)
        return atomic_load(&log_level);
    return atomic_exchange(&log_level, level);
}

void dpk_host_log(enum dpk_host_log_level level, const char *format, ...)
{
    char text[sizeof(struct dpk_error) + 128]; /* for an error's text and the name of the call */
    if (level > atomic_load(&log_level))
        return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    /* Names in the text may come from a hostile file. Cleaning keeps the text on one line, without
     * terminal escapes. */
    fprintf(stderr, "-%c- %s\n", "EWID"[level], dpk_text_clean(text));
}
