/* Backends of the log: the destinations of lines. */
#include <errno.h>
#include <fcntl.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "api/doca/core/core.h"
#include "base/base.h"
#include "log.h"

#define LINE_MAX_SIZE 5120 /* text, and the fields before it */

struct backend {
    struct dpk_object object;
    struct backend *next;
    void (*write)(struct backend *b, const struct line *line, const char *text, size_t size);
    bool sdk, strict, upper_is_strict;
    uint32_t lower; /* 0: the global limit */
    uint32_t upper;
    FILE *file;
    int fd;
    char *buffer;
    size_t capacity, used;
    log_flush_callback flush;
    char *name;
};

static void backend_release(void *object)
{
    struct backend *b = object;
    free(b->name);
    free(b);
}
static const struct dpk_kind backend_kind = {.release = backend_release};

/* All backends, because the API has no object that could hold them. The lock also keeps lines
 * whole. */
static struct {
    pthread_mutex_t lock;
    struct backend *first;
    uint32_t global, global_upper, global_sdk;
    bool standard;
} backends = {.lock = PTHREAD_MUTEX_INITIALIZER,
              .global = DOCA_LOG_LEVEL_INFO,
              .global_upper = DOCA_LOG_LEVEL_CRIT,
              .global_sdk = DOCA_LOG_LEVEL_WARNING};

/* ---- Writing ---- */

static bool wants(const struct backend *b, const struct line *line)
{
    uint32_t lower = b->lower;
    if (!b->sdk && !b->strict && lower < backends.global)
        lower = backends.global;
    uint32_t upper = b->upper;
    if (!b->sdk && !b->upper_is_strict && upper < backends.global_upper)
        upper = backends.global_upper;
    return line->level <= lower && line->level >= upper;
}

static const char *tag_of(uint32_t level)
{
    static const char *const tags[] = {"CRT", "ERR", "WRN", "INF", "DBG", "TRC"};
    uint32_t i = level / 10;
    return tags[i < 2 ? 0 : i > 7 ? 5 : i - 2];
}

/* Writes the whole line with its newline. Returns its length. */
static size_t format_line(const struct line *l, char *out, size_t size)
{
    struct timespec now;
    struct tm t;
    const char *base = strrchr(l->file, '/');
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &t);
    int n = snprintf(out, size, "[%02d:%02d:%02d:%06ld][%d][DOCA][%s][%s:%d][%s] %s\n", t.tm_hour,
                     t.tm_min, t.tm_sec, now.tv_nsec / 1000, (int)gettid(), tag_of(l->level),
                     base ? base + 1 : l->file, l->line, l->function, l->text);
    if (n < 0)
        return 0;
    if ((size_t)n < size)
        return (size_t)n;
    out[size - 2] = '\n';
    return size - 1;
}

bool core_backends_write(bool sdk, const struct line *line)
{
    char text[LINE_MAX_SIZE];
    size_t size = 0;
    bool any = false;
    int error = errno; /* callers log first and use errno afterwards */
    pthread_mutex_lock(&backends.lock);
    for (struct backend *b = backends.first; b; b = b->next) {
        any |= b->sdk == sdk;
        if (b->sdk != sdk || !wants(b, line))
            continue;
        if (size == 0)
            size = format_line(line, text, sizeof text);
        b->write(b, line, text, size);
    }
    pthread_mutex_unlock(&backends.lock);
    errno = error;
    return any;
}

static void write_file(struct backend *b, const struct line *line, const char *text, size_t size)
{
    (void)line;
    fwrite(text, 1, size, b->file);
    fflush(b->file);
}

static void write_fd(struct backend *b, const struct line *line, const char *text, size_t size)
{
    (void)line;
    (void)dpk_write_all(b->fd, text, size);
}

static void write_buffer(struct backend *b, const struct line *line, const char *text, size_t size)
{
    (void)line;
    if (b->used > 0 && size > b->capacity - 1 - b->used) {
        b->flush(b->buffer);
        b->used = 0;
    }
    if (size > b->capacity - 1)
        size = b->capacity - 1;
    memcpy(b->buffer + b->used, text, size);
    b->used += size;
    b->buffer[b->used] = '\0';
}

static void write_syslog(struct backend *b, const struct line *line, const char *text, size_t size)
{
    static const int priorities[] = {LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    uint32_t i = line->level / 10;
    (void)text;
    (void)size;
    syslog(LOG_USER | priorities[i < 2   ? 0
                                 : i > 6 ? 4
                                         : i - 2],
           "%s: [%s] %s", b->name, line->function, line->text);
}

/* ---- Making them ---- */

/* Enters a copy of `plan`. With the lock held. */
static struct backend *backend_add(const struct backend *plan, bool sdk)
{
    struct backend *b = malloc(sizeof *b);
    if (!b) {
        free(plan->name);
        return NULL;
    }
    *b = *plan;
    b->sdk = sdk;
    if (sdk)
        b->lower = backends.global_sdk;
    if (!dpk_object_enter(b, &backend_kind))
        return NULL;
    struct backend **last = &backends.first;
    while (*last)
        last = &(*last)->next;
    *last = b;
    return b;
}

static doca_error_t backend_create(const struct backend *plan, bool sdk,
                                   struct doca_log_backend **backend)
{
    pthread_mutex_lock(&backends.lock);
    struct backend *b = backend_add(plan, sdk);
    *backend = b ? b->object.handle : NULL;
    pthread_mutex_unlock(&backends.lock);
    return b ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_log_backend_create_standard(void)
{
    const struct backend out = {.write = write_file, .file = stdout, .upper = DOCA_LOG_LEVEL_INFO},
                         err = {.write = write_file,
                                .file = stderr,
                                .lower = DOCA_LOG_LEVEL_WARNING,
                                .strict = true};
    doca_error_t result;
    pthread_mutex_lock(&backends.lock);
    if (backends.standard) {
        result =
            dpk_doca_because(DOCA_ERROR_ALREADY_EXIST, "the standard backends were made already");
    } else {
        backends.standard = backend_add(&out, false) && backend_add(&err, false);
        result = backends.standard ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    pthread_mutex_unlock(&backends.lock);
    return dpk_doca_end(NULL, __func__, result);
}

static doca_error_t with_file(FILE *file, bool sdk, struct doca_log_backend **backend)
{
    if (backend)
        *backend = NULL;
    if (!file || !backend)
        return DOCA_ERROR_INVALID_VALUE;
    return backend_create(&(struct backend){.write = write_file, .file = file}, sdk, backend);
}

static doca_error_t with_fd(int fd, bool sdk, struct doca_log_backend **backend)
{
    if (backend)
        *backend = NULL;
    if (backend && fcntl(fd, F_GETFD) < 0)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%d is not an open descriptor", fd);
    if (!backend)
        return DOCA_ERROR_INVALID_VALUE;
    return backend_create(&(struct backend){.write = write_fd, .fd = fd}, sdk, backend);
}

static doca_error_t with_buffer(char *buffer, size_t capacity, log_flush_callback flush, bool sdk,
                                struct doca_log_backend **backend)
{
    if (backend)
        *backend = NULL;
    if (!buffer || !flush || !backend)
        return DOCA_ERROR_INVALID_VALUE;
    if (capacity < 2)
        return dpk_doca_too_small("the buffer", capacity, 2);
    buffer[0] = '\0';
    return backend_create(
        &(struct backend){
            .write = write_buffer, .buffer = buffer, .capacity = capacity, .flush = flush},
        sdk, backend);
}

static doca_error_t with_syslog(const char *name, bool sdk, struct doca_log_backend **backend)
{
    if (backend)
        *backend = NULL;
    if (!name || !backend)
        return DOCA_ERROR_INVALID_VALUE;
    char *copy = strdup(name);
    if (!copy)
        return DOCA_ERROR_NO_MEMORY;
    doca_error_t result =
        backend_create(&(struct backend){.write = write_syslog, .name = copy}, sdk, backend);
    return result;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_file(fptr, false, backend));
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_file(fptr, true, backend));
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_fd(fd, false, backend));
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_fd(fd, true, backend));
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_buffer(buf, capacity, handler, false, backend));
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_buffer(buf, capacity, handler, true, backend));
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_syslog(name, false, backend));
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend)
{
    return dpk_doca_end(NULL, __func__, with_syslog(name, true, backend));
}

/* ---- Limits ---- */

static doca_error_t check_level(uint32_t level)
{
    if (level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0)
        return DOCA_SUCCESS;
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                            "%u is not a level: levels are %u, %u and so on up to %u", level,
                            DOCA_LOG_LEVEL_DISABLE, DOCA_LOG_LEVEL_CRIT, DOCA_LOG_LEVEL_TRACE);
}

static doca_error_t wrong_lines(bool sdk)
{
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the backend is for lines of %s",
                            sdk ? "the SDK" : "the program");
}

/* Sets a limit of a backend for that kind of lines. */
static doca_error_t set_limit(struct doca_log_backend *backend, bool sdk, bool is_upper,
                              uint32_t level)
{
    struct backend *b = dpk_object_pin(backend, &backend_kind);
    const doca_error_t result = !b              ? DOCA_ERROR_INVALID_VALUE
                                : b->sdk != sdk ? wrong_lines(b->sdk)
                                                : check_level(level);
    pthread_mutex_lock(&backends.lock);
    if (result == DOCA_SUCCESS)
        *(is_upper ? &b->upper : &b->lower) = level;
    pthread_mutex_unlock(&backends.lock);
    dpk_object_drop(b);
    return result;
}

/* Makes a backend of the program's lines ignore global limits from now on. */
static doca_error_t make_strict(struct doca_log_backend *backend, bool is_upper)
{
    struct backend *b = dpk_object_pin(backend, &backend_kind);
    const doca_error_t result = !b       ? DOCA_ERROR_INVALID_VALUE
                                : b->sdk ? wrong_lines(true)
                                         : DOCA_SUCCESS;
    pthread_mutex_lock(&backends.lock);
    if (result == DOCA_SUCCESS)
        *(is_upper ? &b->upper_is_strict : &b->strict) = true;
    pthread_mutex_unlock(&backends.lock);
    dpk_object_drop(b);
    return result;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level)
{
    return dpk_doca_end(backend, __func__, set_limit(backend, false, false, level));
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
    return dpk_doca_end(backend, __func__, make_strict(backend, false));
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t level)
{
    return dpk_doca_end(backend, __func__, set_limit(backend, false, true, level));
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
    return dpk_doca_end(backend, __func__, make_strict(backend, true));
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *logger, uint32_t level)
{
    return dpk_doca_end(logger, __func__, set_limit(logger, true, false, level));
}

static uint32_t get_global(const uint32_t *limit)
{
    pthread_mutex_lock(&backends.lock);
    const uint32_t level = *limit;
    pthread_mutex_unlock(&backends.lock);
    return level;
}

static doca_error_t set_global(uint32_t *limit, uint32_t level)
{
    const doca_error_t result = check_level(level);
    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&backends.lock);
    *limit = level;
    pthread_mutex_unlock(&backends.lock);
    return DOCA_SUCCESS;
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
    return dpk_doca_end(NULL, __func__, set_global(&backends.global, level));
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
    return get_global(&backends.global);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
    return dpk_doca_end(NULL, __func__, set_global(&backends.global_upper, upper_limit));
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
    return get_global(&backends.global_upper);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
    if (check_level(level) != DOCA_SUCCESS)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&backends.lock);
    for (struct backend *b = backends.first; b; b = b->next)
        if (b->sdk)
            b->lower = level;
    backends.global_sdk = level;
    pthread_mutex_unlock(&backends.lock);
    return DOCA_SUCCESS;
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
    return get_global(&backends.global_sdk);
}
