/* Trace messages: converts numbers of the device and formats of the host program to text. */
#include <stdlib.h>
#include <string.h>

#include "api/doca/pcc/private.h"
#include "trace/trace.h"

void pcc_trace_init(struct trace *t)
{
    pthread_mutex_init(&t->lock, NULL);
}

static void free_formats(struct trace *t)
{
    for (unsigned i = 0; i < t->count; i++)
        free(t->formats[i]);
    free(t->formats);
    t->formats = NULL;
    t->count = 0;
}

void pcc_trace_free(struct trace *t)
{
    free_formats(t);
    free(t->path);
    pthread_mutex_destroy(&t->lock);
}

/* ---- Writing ---- */

static void write_line(struct trace *t, const char *line, size_t size)
{
    if (t->file) {
        fwrite(line, 1, size, t->file);
    } else if (t->buffer) {
        if (size < t->size - t->used) {
            memcpy(t->buffer + t->used, line, size + 1);
            t->used += (uint32_t)size;
        }
    } else {
        fwrite(line, 1, size, stdout);
    }
}

void pcc_trace_write(struct trace *t, unsigned thread, int format,
                     const uint64_t values[TRACE_VALUES])
{
    char line[DPK_TRACE_LINE];
    pthread_mutex_lock(&t->lock);
    if (t->active && t->handler) {
        struct {
            uint32_t format, number;
            uint64_t thread, values[TRACE_VALUES], zero;
        } report = {(uint32_t)format, t->sent++, (uint64_t)thread << 48, {0}, 0};
        memcpy(report.values, values, sizeof report.values);
        t->handler(t->user, (struct doca_pcc_bin_report *)(void *)&report, 1);
    } else if (t->active && format >= 0 && (unsigned)format < t->count) {
        write_line(t, line, dpk_trace_line(t->formats[format], values, TRACE_VALUES, line));
    } else if (t->active) {
        write_line(t, line, dpk_trace_unknown(format, values, TRACE_VALUES, line));
    }
    pthread_mutex_unlock(&t->lock);
}

void pcc_trace_flush(struct trace *t)
{
    pthread_mutex_lock(&t->lock);
    fflush(t->file ? t->file : stdout);
    pthread_mutex_unlock(&t->lock);
}

doca_error_t pcc_trace_open(struct trace *t)
{
    t->used = 0;
    if (!t->path)
        return DOCA_SUCCESS;
    t->file = fopen(t->path, "we");
    return t->file ? DOCA_SUCCESS
                   : dpk_doca_because(DOCA_ERROR_IO_FAILED, "%s cannot be written: %m", t->path);
}

void pcc_trace_close(struct trace *t)
{
    pthread_mutex_lock(&t->lock);
    const bool failed = t->file && ferror(t->file);
    if (t->file && (fclose(t->file) != 0 || failed))
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "doca_pcc_stop: %s: not all could be written", t->path);
    t->file = NULL;
    pthread_mutex_unlock(&t->lock);
}

/* ---- What programs set ---- */

static doca_error_t copy_formats(struct trace *t, char **formats, unsigned count)
{
    char **copies = calloc(count ? count : 1, sizeof *copies);
    if (!copies)
        return DOCA_ERROR_NO_MEMORY;
    free_formats(t);
    t->formats = copies;
    for (; t->count < count; t->count++)
        if (!(copies[t->count] = strdup(formats[t->count])))
            return DOCA_ERROR_NO_MEMORY;
    t->active = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_set_trace_message(struct doca_pcc *pcc, char **trace_message)
{
    doca_error_t result;
    unsigned count = 0;
    if (!trace_message)
        return dpk_doca_no_object(__func__);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    for (; trace_message[count] && count < TRACE_FORMATS_MAX; count++)
        if (!dpk_trace_is_format(trace_message[count], TRACE_VALUES))
            return dpk_doca_unlock(c, __func__, DOCA_ERROR_INVALID_VALUE,
                                   "format %u takes more than five numbers, or a value that is not "
                                   "an integer: %s",
                                   count, trace_message[count]);
    return dpk_doca_end(pcc, __func__,
                        dpk_object_unlock(c, copy_formats(&c->trace, trace_message, count)));
}

static doca_error_t activate(struct doca_pcc *pcc, bool active)
{
    struct context *c = dpk_object_pin(pcc, &pcc_context_kind);
    if (!c)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&c->trace.lock);
    c->trace.active = active;
    pthread_mutex_unlock(&c->trace.lock);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_pcc_activate_tracer(struct doca_pcc *pcc)
{
    return dpk_doca_end(pcc, __func__, activate(pcc, true));
}

doca_error_t doca_pcc_deactivate_tracer(struct doca_pcc *pcc)
{
    return dpk_doca_end(pcc, __func__, activate(pcc, false));
}

doca_error_t doca_pcc_trace_buf_set(struct doca_pcc *pcc, void *buf_addr, uint32_t buf_size)
{
    doca_error_t result;
    if (!buf_addr || buf_size == 0)
        return dpk_doca_no_object(__func__);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    c->trace.buffer = buf_addr;
    c->trace.size = buf_size;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_pcc_trace_buf_get(struct doca_pcc *pcc, void **buf_addr, uint32_t *buf_size)
{
    struct context *c = buf_addr && buf_size ? dpk_object_lock(pcc, &pcc_context_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    if (!c->trace.buffer)
        return dpk_doca_unlock(c, __func__, DOCA_ERROR_NOT_FOUND, "no buffer was set");
    *buf_addr = c->trace.buffer;
    *buf_size = c->trace.size;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_pcc_trace_file_set(struct doca_pcc *pcc, const char *file_path)
{
    doca_error_t result;
    if (!file_path || !*file_path)
        return dpk_doca_no_object(__func__);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    char *copy = strdup(file_path);
    if (!copy)
        return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_ERROR_NO_MEMORY));
    free(c->trace.path);
    c->trace.path = copy;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_pcc_trace_file_get(struct doca_pcc *pcc, char **file_path,
                                     uint32_t *file_path_len)
{
    struct context *c = file_path && file_path_len ? dpk_object_lock(pcc, &pcc_context_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    if (!c->trace.path)
        return dpk_doca_unlock(c, __func__, DOCA_ERROR_NOT_FOUND, "no path was set");
    *file_path = c->trace.path;
    *file_path_len = (uint32_t)strlen(c->trace.path) + 1;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}

doca_error_t doca_pcc_register_trace_handler(struct doca_pcc *pcc,
                                             doca_pcc_trace_callback_t trace_callback,
                                             void *user_ctx)
{
    doca_error_t result;
    if (!trace_callback)
        return dpk_doca_no_object(__func__);
    struct context *c = pcc_context_begin_set(pcc, &result);
    if (!c)
        return dpk_doca_end(pcc, __func__, result);
    c->trace.handler = trace_callback;
    c->trace.user = user_ctx;
    c->trace.active = true;
    return dpk_doca_end(pcc, __func__, dpk_object_unlock(c, DOCA_SUCCESS));
}
