/*
 * doca_log: log messages of programs and of the libraries.
 *
 *     DOCA_LOG_REGISTER(MY_PROGRAM::MAIN);
 *
 *     struct doca_log_backend *sdk;
 *     doca_log_backend_create_standard();                    // the program's lines
 *     doca_log_backend_create_with_file_sdk(stderr, &sdk);   // the libraries' lines
 *     doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
 *     DOCA_LOG_INFO("%d devices", count);
 *
 * A line is "[HH:MM:SS:microseconds][thread][DOCA][INF][file.c:12][function] text". A line of the
 * program goes to the backends of the program, a line of the libraries (the SDK) to the backends of the
 * SDK, if their limits permit its level. Backends live as long as the program. Lines of several threads
 * do not mix (DOCA Log programming guide).
 */
#ifndef DOCA_LOG_H
#define DOCA_LOG_H

#include "doca_error.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

enum doca_log_level {
    DOCA_LOG_LEVEL_DISABLE = 10, /* as a limit: no lines */
    DOCA_LOG_LEVEL_CRIT = 20,
    DOCA_LOG_LEVEL_ERROR = 30,
    DOCA_LOG_LEVEL_WARNING = 40,
    DOCA_LOG_LEVEL_INFO = 50,
    DOCA_LOG_LEVEL_DEBUG = 60,
    DOCA_LOG_LEVEL_TRACE = 70,
};

struct doca_log_backend;

/* ---- Writing lines ---- */

/*
 * Logs one line of the program.
 *   level   [in]  of enum doca_log_level
 *   source  [in]  the source, from doca_log_register_source
 *   file, line, function, format, ...  [in]  the place and the text, without a newline
 * Errors: INVALID_VALUE if a text is NULL.
 */
doca_error_t doca_log(uint32_t level, int source, const char *file, int line, const char *function,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Registers a part of the program and gets its number. Errors: INVALID_VALUE for NULL, NO_MEMORY. */
doca_error_t doca_log_register_source(const char *source_name, int *source);
/* Unregisters a source. Errors: NOT_FOUND if the number is not a source. */
doca_error_t doca_log_unregister_source(int source);

/* Use this once in a file, before it logs. The name is any text, not only an identifier. */
#define DOCA_LOG_REGISTER(name)                                                                    \
    static int doca_log_source_;                                                                   \
    __attribute__((constructor(65535))) static void doca_log_source_enter_(void)                   \
    {                                                                                              \
        doca_log_register_source(#name, &doca_log_source_);                                        \
    }                                                                                              \
    __attribute__((destructor(65535))) static void doca_log_source_leave_(void)                    \
    {                                                                                              \
        doca_log_unregister_source(doca_log_source_);                                              \
    }

#define DOCA_LOG(level, ...)                                                                       \
    doca_log((level), doca_log_source_, __FILE__, __LINE__, __func__, __VA_ARGS__)
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...)  DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...)  DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)
#define DOCA_LOG_TRC(...)  DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)

/* ---- Destinations ---- */

/* Sends lines of the program to stderr for WARNING and worse, and to stdout for INFO and less. Errors:
 * ALREADY_EXIST if this backend exists, NO_MEMORY. */
doca_error_t doca_log_backend_create_standard(void);

/* Send lines to an open file. The caller keeps the file and must not close it. Errors: INVALID_VALUE
 * for NULL or a closed descriptor, NO_MEMORY. */
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/* Collect lines in a NUL-terminated buffer of `capacity` bytes. If a line does not fit, `handler` first
 * receives the buffer, and the line goes to its start. A line longer than the buffer is truncated.
 * Errors: INVALID_VALUE for NULL or capacity < 2, NO_MEMORY. */
typedef void (*log_flush_callback)(char *buffer);
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);

#if DOCA_VERSION_MAJOR == 2 && DOCA_VERSION_MINOR == 5
/* The names that DOCA 2.5 has for them. */
doca_error_t doca_log_backend_create_with_buffer(char *buf, size_t capacity,
                                                 log_flush_callback handler,
                                                 struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_buffer_sdk(char *buf, size_t capacity,
                                                     log_flush_callback handler,
                                                     struct doca_log_backend **backend);
#endif

/* Send lines to syslog(3), which puts `name` before each line. Errors: INVALID_VALUE for NULL,
 * NO_MEMORY. */
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/* ---- Limits ---- */

/* Limits of one backend: it writes lines with upper <= level <= lower. If the global lower limit
 * permits more lines, it replaces the backend's limit; if the global upper limit permits fewer lines,
 * it replaces the backend's limit. A strict limit ignores the global limit. Errors: INVALID_VALUE if
 * the argument is not a backend of the program's lines, or the level is invalid. */
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t level);
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/* The limit of a backend of the SDK's lines; WARNING by default. Errors: INVALID_VALUE if the argument
 * is not a backend of the SDK's lines, or the level is invalid. */
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *logger, uint32_t level);

/* The global lower limit of the program's lines; INFO by default. Every backend without a strict limit
 * writes lines up to it. For the SDK's lines each backend has its own limit: the setter sets it for all
 * existing and future backends. Errors: INVALID_VALUE if the level is invalid. */
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);
uint32_t doca_log_level_get_global_lower_limit(void);
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);
uint32_t doca_log_level_get_global_sdk_limit(void);

/* The global upper limit of the program's lines; CRIT by default. A backend without a strict upper
 * limit writes no lines above it. Errors: INVALID_VALUE if the level is invalid. */
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);
uint32_t doca_log_level_get_global_upper_limit(void);

#ifdef __cplusplus
}
#endif

#endif
