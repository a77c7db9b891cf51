/* Lines on stderr. */
#include "host.h"

/* One level for the whole program: the APIs have no object to hang it on. */
static _Atomic(enum dpk_host_log_level) log_level = DPK_HOST_LOG_WARNING;

enum dpk_host_log_level dpk_host_log_set_level(enum dpk_host_log_level level)
{
    if ((int)level < DPK_HOST_LOG_ERROR || (int)level > DPK_HOST_LOG_DEBUG)
        return atomic_load(&log_level);
    return atomic_exchange(&log_level, level);
}

void dpk_host_log(enum dpk_host_log_level level, const char *format, ...)
{
    char text[sizeof(struct dpk_error) + 128]; /* the text of an error and whose it is */
    if (level > atomic_load(&log_level))
        return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    /* Names in it may come from a hostile file: it stays one line and steers no terminal. */
    fprintf(stderr, "-%c- %s\n", "EWID"[level], dpk_text_clean(text));
}
