/* The log in DOCA 2.2: other names for backends and limits, and lines whose rate is limited. */
#include <doca-2.2/doca_log.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "api/doca/core/core.h"

#define BUCKETS_MAX 1024

#define LATER(backend) ((struct doca_log_backend *)(backend))

/* ---- Names ---- */

doca_error_t doca_log_source_register(const char *source_name, int *source)
{
    return doca_log_register_source(source_name, source);
}

doca_error_t doca_log_source_destroy(int source)
{
    return doca_log_unregister_source(source);
}

doca_error_t doca_log_create_standard_backend(void)
{
    return doca_log_backend_create_standard();
}

doca_error_t doca_log_create_file_backend(FILE *fptr, struct doca_logger_backend **backend)
{
    return doca_log_backend_create_with_file(fptr, (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_fd_backend(int fd, struct doca_logger_backend **backend)
{
    return doca_log_backend_create_with_fd(fd, (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_buffer_backend(char *buf, size_t capacity, log_flush_callback handler,
                                            struct doca_logger_backend **backend)
{
    return doca_log_backend_create_with_buf(buf, capacity, handler,
                                            (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_syslog_backend(const char *name, struct doca_logger_backend **backend)
{
    return doca_log_backend_create_with_syslog(name, (struct doca_log_backend **)backend);
}

doca_error_t doca_log_global_level_set(uint32_t level)
{
    return doca_log_level_set_global_lower_limit(level);
}

uint32_t doca_log_global_level_get(void)
{
    return doca_log_level_get_global_lower_limit();
}

doca_error_t doca_log_global_set_upper_level_limit(uint32_t upper_limit)
{
    return doca_log_level_set_global_upper_limit(upper_limit);
}

doca_error_t doca_log_backend_level_set(struct doca_logger_backend *backend, uint32_t level)
{
    return doca_log_backend_set_level_lower_limit(LATER(backend), level);
}

doca_error_t doca_log_backend_set_upper_level_limit(struct doca_logger_backend *backend,
                                                    uint32_t level)
{
    return doca_log_backend_set_level_upper_limit(LATER(backend), level);
}

doca_error_t doca_log_backend_set_lower_level_immutable(struct doca_logger_backend *backend)
{
    return doca_log_backend_set_level_lower_limit_strict(LATER(backend));
}

doca_error_t doca_log_backend_set_upper_level_immutable(struct doca_logger_backend *backend)
{
    return doca_log_backend_set_level_upper_limit_strict(LATER(backend));
}

/* ---- Lines without a place ---- */

static doca_error_t log_line(uint32_t level, int source, int line, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = doca_log(level, source, "", line, "", "%s", text);
    free(text);
    return result;
}

doca_error_t doca_log_developer(uint32_t level, int source, int line, const char *format, ...)
{
    va_list args;
    if (!format)
        return DOCA_ERROR_INVALID_VALUE;
    va_start(args, format);
    const doca_error_t result = log_line(level, source, line, format, args);
    va_end(args);
    return result;
}

/* ---- Buckets ---- */

static struct {
    pthread_mutex_t lock;
    uint16_t quantity, seconds;
    int count;
    struct {
        time_t since;
        unsigned lines;
    } of[BUCKETS_MAX];
} buckets = {.lock = PTHREAD_MUTEX_INITIALIZER, .quantity = 20, .seconds = 1};

doca_error_t doca_log_rate_bucket_register(int source, int *bucket)
{
    (void)source;
    if (!bucket)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&buckets.lock);
    const bool full = buckets.count == BUCKETS_MAX;
    *bucket = full ? -1 : buckets.count++;
    pthread_mutex_unlock(&buckets.lock);
    return full ? DOCA_ERROR_FULL : DOCA_SUCCESS;
}

/* Counts a line of a bucket. Errors: NOT_FOUND, AGAIN if the bucket is full. */
static doca_error_t count_line(int bucket)
{
    const time_t now = (time_t)(dpk_now_ms() / 1000);
    doca_error_t result = DOCA_ERROR_NOT_FOUND;
    pthread_mutex_lock(&buckets.lock);
    if (bucket >= 0 && bucket < buckets.count) {
        if (now - buckets.of[bucket].since >= buckets.seconds) {
            buckets.of[bucket].since = now;
            buckets.of[bucket].lines = 0;
        }
        const bool full = buckets.quantity && buckets.of[bucket].lines >= buckets.quantity;
        buckets.of[bucket].lines += !full;
        result = full ? DOCA_ERROR_AGAIN : DOCA_SUCCESS;
    }
    pthread_mutex_unlock(&buckets.lock);
    return result;
}

doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
                                 const char *format, ...)
{
    va_list args;
    if (!format)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = count_line(bucket);
    if (result != DOCA_SUCCESS)
        return result == DOCA_ERROR_AGAIN ? DOCA_SUCCESS : result;
    va_start(args, format);
    result = log_line(level, source, line, format, args);
    va_end(args);
    return result;
}

/* Gets a number, and replaces it unless `value` is NULL. */
static uint16_t exchange(uint16_t *number, const uint16_t *value)
{
    pthread_mutex_lock(&buckets.lock);
    const uint16_t before = *number;
    if (value)
        *number = *value;
    pthread_mutex_unlock(&buckets.lock);
    return before;
}

uint16_t doca_log_get_bucket_time(void)
{
    return exchange(&buckets.seconds, NULL);
}

void doca_log_set_bucket_time(uint16_t bucket_time)
{
    exchange(&buckets.seconds, &bucket_time);
}

uint16_t doca_log_get_quantity(void)
{
    return exchange(&buckets.quantity, NULL);
}

void doca_log_set_quantity(uint16_t quantity)
{
    exchange(&buckets.quantity, &quantity);
}
