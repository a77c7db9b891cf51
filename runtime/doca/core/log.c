/* Lines of the log, and who says them. */
#include <doca_log.h>
#include <stdarg.h>

#include "doca/core/core.h"
#include "log.h"

#define TEXT_MAX 4096 /* bytes of a line's text; more is cut */

/* Numbers of sources that are registered: bits would do, but there is no limit to their number. */
static struct {
    pthread_mutex_t lock;
    bool *taken;
    int count;
} sources = {.lock = PTHREAD_MUTEX_INITIALIZER};

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!source_name || !source)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&sources.lock);
    int i = 0;
    while (i < sources.count && sources.taken[i])
        i++;
    if (i == sources.count) {
        bool *more = reallocarray(sources.taken, (size_t)i + 1, sizeof *more);
        if (more) {
            sources.taken = more;
            sources.count++;
        } else {
            result = DOCA_ERROR_NO_MEMORY;
        }
    }
    if (result == DOCA_SUCCESS) {
        sources.taken[i] = true;
        *source = i;
    }
    pthread_mutex_unlock(&sources.lock);
    return result;
}

doca_error_t doca_log_unregister_source(int source)
{
    doca_error_t result = DOCA_ERROR_NOT_FOUND;
    pthread_mutex_lock(&sources.lock);
    if (source >= 0 && source < sources.count && sources.taken[source]) {
        sources.taken[source] = false;
        result = DOCA_SUCCESS;
        while (sources.count > 0 && !sources.taken[sources.count - 1])
            sources.count--;
        if (sources.count == 0) {
            free(sources.taken);
            sources.taken = NULL;
        }
    }
    pthread_mutex_unlock(&sources.lock);
    return result;
}

doca_error_t doca_log(uint32_t level, int source, const char *file, int line, const char *function,
                      const char *format, ...)
{
    char text[TEXT_MAX];
    (void)source;
    if (!file || !function || !format)
        return DOCA_ERROR_INVALID_VALUE;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    backends_write(false, &(struct line){level, file, function, line, text});
    return DOCA_SUCCESS;
}

/* ---- The libraries' own ---- */

void dpk_doca_log_at(uint32_t level, const char *file, int line, const char *function,
                     const char *format, ...)
{
    char text[sizeof(struct dpk_error) + 128];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    /* Names in it may come from a hostile file: it stays one line and steers no terminal. */
    dpk_text_clean(text);
    if (backends_write(true, &(struct line){level, file, function, line, text}))
        return;
    dpk_host_log(level <= DOCA_LOG_LEVEL_ERROR     ? DPK_HOST_LOG_ERROR
                 : level <= DOCA_LOG_LEVEL_WARNING ? DPK_HOST_LOG_WARNING
                 : level <= DOCA_LOG_LEVEL_INFO    ? DPK_HOST_LOG_INFO
                                                   : DPK_HOST_LOG_DEBUG,
                 "%s", text);
}

doca_error_t dpk_doca_failed(const char *call, const struct dpk_error *err)
{
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "%s: %s", call, err->message);
    return dpk_doca_error(err->status);
}
