/* Lines of the log, and their sources. */
#include <doca_log.h>
#include <stdarg.h>
#include <string.h>

#include "api/doca/core/core.h"
#include "log.h"

#define TEXT_MAX 4096 /* bytes of a line's text; more is cut */

/* Numbers of registered sources. There is no limit to their number. */
static struct {
    pthread_mutex_t lock;
    bool *taken;
    int count;
} sources = {.lock = PTHREAD_MUTEX_INITIALIZER};

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!source_name || !source)
        return dpk_doca_no_object(__func__);
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
    return dpk_doca_end(NULL, __func__, result);
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
    return dpk_doca_end(NULL, __func__, result);
}

doca_error_t doca_log(uint32_t level, int source, const char *file, int line, const char *function,
                      const char *format, ...)
{
    char text[TEXT_MAX];
    (void)source;
    if (!file || !function || !format)
        return dpk_doca_no_object(__func__);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    core_backends_write(false, &(struct line){level, file, function, line, text});
    return DOCA_SUCCESS;
}

/* ---- Lines of the libraries ---- */

/* Without a backend for lines of the SDK, writes to stderr: each line if `told` is NULL, else only
 * the first of its kind. */
__attribute__((format(printf, 4, 0))) static void
write_own(struct dpk_told *told, unsigned kind, struct line *line, const char *format, va_list ap)
{
    char text[sizeof(struct dpk_error) + 128];
    vsnprintf(text, sizeof text, format, ap);
    /* Names in the text may come from a hostile file. Cleaning keeps the text on one line, without
     * terminal escapes. */
    line->text = dpk_text_clean(text);
    if (core_backends_write(true, line) || (told && !dpk_first(told, kind)))
        return;
    dpk_host_log(line->level <= DOCA_LOG_LEVEL_ERROR     ? DPK_HOST_LOG_ERROR
                 : line->level <= DOCA_LOG_LEVEL_WARNING ? DPK_HOST_LOG_WARNING
                 : line->level <= DOCA_LOG_LEVEL_INFO    ? DPK_HOST_LOG_INFO
                                                         : DPK_HOST_LOG_DEBUG,
                 "%s", text);
}

void dpk_doca_log_at(uint32_t level, const char *file, int line, const char *function,
                     const char *format, ...)
{
    struct line l = {.level = level, .file = file, .function = function, .line = line};
    va_list ap;
    va_start(ap, format);
    write_own(NULL, 0, &l, format, ap);
    va_end(ap);
}

void dpk_doca_tell_at(struct dpk_told *told, unsigned kind, uint32_t level, const char *file,
                      int line, const char *function, const char *format, ...)
{
    struct line l = {.level = level, .file = file, .function = function, .line = line};
    va_list ap;
    va_start(ap, format);
    write_own(told, kind, &l, format, ap);
    va_end(ap);
}

/* ---- Reasons ---- */

static _Thread_local char noted[sizeof(struct dpk_error)];
static _Thread_local doca_error_t noted_for;
static _Thread_local unsigned
    inner; /* public functions called by a library that this thread is in */

void dpk_doca_inner_begin(void)
{
    inner++;
}

doca_error_t dpk_doca_inner_end(doca_error_t result)
{
    inner--;
    return result;
}

void dpk_doca_forget_reason(void)
{
    noted[0] = '\0';
}

doca_error_t dpk_doca_because(doca_error_t result, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(noted, sizeof noted, format, ap);
    va_end(ap);
    noted_for = result;
    return result;
}

/* Returns a number for a reason, which does not depend on its addresses, sizes and keys. */
static unsigned kind_of(const char *reason)
{
    unsigned hash = 5381;
    for (const char *c = reason; *c; c++) {
        if (*c >= '0' && *c <= '9')
            c += strspn(c, "0123456789abcdefx") - 1;
        else
            hash = hash * 33 + (unsigned char)*c;
    }
    return hash >> 6;
}

doca_error_t dpk_doca_tell_reason(void *object, const char *what, doca_error_t result)
{
    char reason[sizeof noted];
    if (result == DOCA_SUCCESS || !noted[0])
        return result;
    memcpy(reason, noted, sizeof reason); /* log callbacks of the program may call DOCA */
    noted[0] = '\0';
    dpk_doca_tell_at(&((struct dpk_object *)object)->failed, kind_of(reason), DOCA_LOG_LEVEL_ERROR,
                     __FILE__, __LINE__, __func__, "%s: %s (%s)", what, reason,
                     doca_error_get_name(result));
    return result;
}

char *dpk_doca_take_reason(void)
{
    char *reason = noted[0] ? strdup(noted) : NULL;
    noted[0] = '\0';
    return reason;
}

/* Reported failures of calls, by object, call and text. The table is large because a collision
 * keeps the second failure off stderr. */
#define REFUSALS 65536u
static struct dpk_told refusals[REFUSALS / DPK_TOLD_KINDS];

static unsigned place_of(const void *handle, const char *call, const char *reason)
{
    uint64_t hash = (uintptr_t)handle;
    hash = (hash * 31 + kind_of(call)) * 31 + kind_of(reason);
    return (unsigned)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 48) % REFUSALS;
}

static void report(const void *handle, doca_error_t result, const char *call, const char *reason)
{
    const unsigned place = place_of(handle, call, reason);
    if (inner > 0) {
        dpk_doca_because(result, "%s", reason);
        return;
    }
    noted[0] = '\0';
    dpk_doca_tell_at(&refusals[place / DPK_TOLD_KINDS], place % DPK_TOLD_KINDS,
                     DOCA_LOG_LEVEL_ERROR, __FILE__, __LINE__, __func__, "%s: %s (%s)", call,
                     reason, doca_error_get_name(result));
}

/* `object`: NULL if the call has no living object. */
__attribute__((format(printf, 4, 0))) static void refuse(const struct dpk_object *object,
                                                         doca_error_t result, const char *call,
                                                         const char *format, va_list ap)
{
    char reason[sizeof noted];
    vsnprintf(reason, sizeof reason, format, ap);
    report(object ? object->handle : NULL, result, call, reason);
}

doca_error_t dpk_doca_refuse_call(void *object, doca_error_t result, const char *call,
                                  const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    refuse(object, result, call, format, ap);
    va_end(ap);
    return result;
}

static const char no_object[] =
    "an argument is NULL, or an object was destroyed or is of another kind";

doca_error_t dpk_doca_no_object(const char *call)
{
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call, "%s", no_object);
}

static const char *general_reason(doca_error_t result)
{
    return result == DOCA_ERROR_INVALID_VALUE   ? no_object
           : result == DOCA_ERROR_NO_MEMORY     ? "memory is exhausted"
           : result == DOCA_ERROR_IN_USE        ? "other objects or tasks use the object"
           : result == DOCA_ERROR_NOT_SUPPORTED ? "emulated devices do not support this"
                                                : doca_error_get_descr(result);
}

static bool is_stored(doca_error_t result)
{
    return noted[0] && noted_for == result;
}

static bool asks_for_support(const char *call)
{
    static const char end[] = "_supported";
    const size_t length = strlen(call);
    return strstr(call, "_cap_") ||
           (length >= sizeof end && strcmp(call + length + 1 - sizeof end, end) == 0);
}

static bool is_failure(const char *call, doca_error_t result)
{
    return result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS &&
           result != DOCA_ERROR_AGAIN &&
           !(result == DOCA_ERROR_NOT_SUPPORTED && asks_for_support(call));
}

doca_error_t dpk_doca_end(const void *handle, const char *call, doca_error_t result)
{
    char reason[sizeof noted];
    if (is_failure(call, result)) { /* a copy: log callbacks of the program may call DOCA */
        snprintf(reason, sizeof reason, "%s", is_stored(result) ? noted : general_reason(result));
        report(handle, result, call, reason);
    } else if (inner == 0) {
        noted[0] = '\0';
    }
    return result;
}

doca_error_t dpk_doca_unlock(void *object, const char *call, doca_error_t result,
                             const char *format, ...)
{
    struct dpk_object *o = object;
    if (!o)
        return dpk_doca_no_object(call);
    pthread_mutex_unlock(&o->lock);
    if (result != DOCA_SUCCESS && !is_stored(result)) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(noted, sizeof noted, format, ap);
        va_end(ap);
        noted_for = result;
    }
    dpk_doca_end(o->handle, call, result); /* without the lock: log callbacks may call DOCA */
    dpk_object_drop(o);
    return result;
}

doca_error_t dpk_doca_destroy(const void *handle, const struct dpk_kind *kind, const char *call)
{
    return dpk_doca_end(handle, call, dpk_object_destroy(handle, kind));
}

doca_error_t dpk_doca_error_of(const struct dpk_error *err)
{
    return dpk_doca_because(dpk_doca_error(err->status), "%s", err->message);
}

doca_error_t dpk_doca_too_small(const char *name, size_t size, size_t least)
{
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                            "%s has %zu bytes, and must have at least %zu", name, size, least);
}
