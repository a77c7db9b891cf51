/*
 * doca_log (DOCA 2.2): log messages. Later DOCA has other names for backends and limits; all else is the
 * same (../doca/doca_log.h).
 *
 *     doca_log_create_standard_backend();
 *     doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG);
 */
#ifndef DOCA_2_2_LOG_H
#define DOCA_2_2_LOG_H

#include <stdio.h>

#include "doca_version.h"

#include "../doca/doca_log.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_logger_backend; /* doca_log_backend of later DOCA */

/* doca_log_register_source and doca_log_unregister_source of later DOCA. */
doca_error_t doca_log_source_register(const char *source_name, int *source);
doca_error_t doca_log_source_destroy(int source);

/* doca_log_backend_create_standard, and so on, of later DOCA. */
doca_error_t doca_log_create_standard_backend(void);
doca_error_t doca_log_create_file_backend(FILE *fptr, struct doca_logger_backend **backend);
doca_error_t doca_log_create_fd_backend(int fd, struct doca_logger_backend **backend);
doca_error_t doca_log_create_buffer_backend(char *buf, size_t capacity, log_flush_callback handler,
                                            struct doca_logger_backend **backend);
doca_error_t doca_log_create_syslog_backend(const char *name, struct doca_logger_backend **backend);

/* The lower and the upper limit of all backends and of one, and limits that ignore the global ones:
 * doca_log_level_set_global_lower_limit, doca_log_backend_set_level_lower_limit_strict, and so on, of
 * later DOCA. */
doca_error_t doca_log_global_level_set(uint32_t level);
uint32_t doca_log_global_level_get(void);
doca_error_t doca_log_global_set_upper_level_limit(uint32_t upper_limit);
doca_error_t doca_log_backend_level_set(struct doca_logger_backend *backend, uint32_t level);
doca_error_t doca_log_backend_set_upper_level_limit(struct doca_logger_backend *backend,
                                                    uint32_t level);
doca_error_t doca_log_backend_set_lower_level_immutable(struct doca_logger_backend *backend);
doca_error_t doca_log_backend_set_upper_level_immutable(struct doca_logger_backend *backend);

/* Logs a line of a source, without its file and function. Errors: INVALID_VALUE if the format is
 * NULL. */
doca_error_t doca_log_developer(uint32_t level, int source, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Logs like doca_log_developer, but at most as many lines of a bucket as the quantity in each period of
 * the bucket time; other lines are dropped. The quantity is 20 lines, the bucket time 1 second, unless
 * they are set; 0 lines: no limit. A program has 1024 buckets at most. Errors: NOT_FOUND for an unknown
 * bucket, and FULL for one too many. */
doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));
doca_error_t doca_log_rate_bucket_register(int source, int *bucket);
uint16_t doca_log_get_bucket_time(void);
void doca_log_set_bucket_time(uint16_t bucket_time);
uint16_t doca_log_get_quantity(void);
void doca_log_set_quantity(uint16_t quantity);

#ifdef __cplusplus
}
#endif

#endif
