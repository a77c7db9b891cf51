/*
 * doca_log: what programs and the libraries say.
 *
 *     DOCA_LOG_REGISTER(MY_PROGRAM::MAIN);
 *
 *     struct doca_log_backend *sdk;
 *     doca_log_backend_create_standard();                    // the program's lines
 *     doca_log_backend_create_with_file_sdk(stderr, &sdk);   // the libraries' lines
 *     doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
 *     DOCA_LOG_INFO("%d devices", count);
 *
 * A line is "[HH:MM:SS:microseconds][thread][DOCA][INF][file.c:12][function] text". It goes to
 * every backend of its sort (of the program, or of the SDK, that is, the libraries) whose limits
 * let it through. Backends live as long as the program. Lines from several threads do not mix (DOCA
 * Log programming guide).
 */
#ifndef DOCA_LOG_H
#define DOCA_LOG_H

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum doca_log_level {
    DOCA_LOG_LEVEL_DISABLE = 10, /* as a limit: nothing */
    DOCA_LOG_LEVEL_CRIT = 20,
    DOCA_LOG_LEVEL_ERROR = 30,
    DOCA_LOG_LEVEL_WARNING = 40,
    DOCA_LOG_LEVEL_INFO = 50,
    DOCA_LOG_LEVEL_DEBUG = 60,
    DOCA_LOG_LEVEL_TRACE = 70,
};

struct doca_log_backend;

/* ---- Saying something ---- */

/*
 * Says one line of the program.
 *   level   [in]  of enum doca_log_level
 *   source  [in]  who says it: what doca_log_register_source gave
 *   file, line, function, format, ...  [in]  where, and what, without a newline
 * INVALID_VALUE: a text that is NULL.
 */
doca_error_t doca_log(uint32_t level, int source, const char *file, int line, const char *function,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Gives a part of the program a number. INVALID_VALUE: NULL. NO_MEMORY. */
doca_error_t doca_log_register_source(const char *source_name, int *source);
/* NOT_FOUND: not a source. */
doca_error_t doca_log_unregister_source(int source);

/* Once in a file, before it logs. The name is any text: it need not be an identifier. */
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

/* ---- Where it goes ---- */

/* Lines of the program up to INFO go to stdout, from WARNING on to stderr. ALREADY_EXIST: they do
 * already. NO_MEMORY. */
doca_error_t doca_log_backend_create_standard(void);

/* Lines go to an open file, which stays the caller's and must stay open. INVALID_VALUE: NULL, or no
 * open descriptor. NO_MEMORY. */
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/* Lines are collected in a buffer of `capacity` bytes, NUL-terminated; before one does not fit any
 * more, `handler` gets the buffer and the next one is at its start. A line that is too long for the
 * whole buffer is cut. INVALID_VALUE: NULL, or capacity < 2. NO_MEMORY. */
typedef void (*log_flush_callback)(char *buffer);
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);

/* Lines go to syslog(3), which puts `name` before them. INVALID_VALUE: NULL. NO_MEMORY. */
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/* ---- How much of it ---- */

/* Limits of one backend: lines of levels from `upper` to `lower` go through, that is upper <= level
 * <= lower. The lower limit widens to the global one where that lets more through, the upper one
 * narrows where that lets less through, until it is made strict: then only these functions move it.
 * INVALID_VALUE: no backend, a backend of the SDK's lines, or no level. */
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t level);
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/* The limit of a backend of the SDK's lines; WARNING to begin with. INVALID_VALUE: no backend, one
 * of the program's lines, or no level. */
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *logger, uint32_t level);

/* The global limit of the program's lines (INFO to begin with), which every backend without a
 * strict limit lets through. That of the SDK's lines is each backend's own: the setter sets it for
 * every backend there is, and for those to come. INVALID_VALUE: no level. */
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);
uint32_t doca_log_level_get_global_lower_limit(void);
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);
uint32_t doca_log_level_get_global_sdk_limit(void);

/* The global upper limit of the program's lines, CRIT to begin with: no backend without a strict one
 * lets lines above it through. INVALID_VALUE: no level. */
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);
uint32_t doca_log_level_get_global_upper_limit(void);

#ifdef __cplusplus
}
#endif

#endif
