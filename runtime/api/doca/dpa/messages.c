/* Messages of DPA code: output, logs and traces. */
#include <doca_dpa.h>
#include <errno.h>
#include <limits.h>

#include "guest/abi/doca_calls.h"
#include "private.h"

#define MESSAGES_BSIZE 4096u /* capacity for device messages */

/* ---- Streams and files of a process ---- */

static enum dpk_status open_files(struct dpk_dpa *d, struct dpk_error *err)
{
    for (size_t i = 0; i < DPK_DPA_FILES; i++) {
        struct dpk_dpa_file *f = &d->files[i];
        f->out = f->path ? fopen(f->path, "we") : stdout;
        if (!f->out)
            return dpk_fail_errno(err, "doca_dpa_start: %s", f->path);
    }
    return DPK_OK;
}

/* Closes a file. Returns false, with errno, if this or an earlier write failed, for example on a
 * full disk. */
static bool closes_well(FILE *f)
{
    const bool failed = ferror(f);
    if (fclose(f) != 0)
        return false;
    if (failed)
        errno = EIO; /* the reason of an earlier failure is unknown */
    return !failed;
}

void dpa_messages_close(struct dpk_dpa *d)
{
    d->log = NULL;
    for (size_t i = 0; i < DPK_DPA_FILES; i++) {
        if (d->files[i].path && d->files[i].out && !closes_well(d->files[i].out))
            dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "%s: not all could be written: %m",
                         d->files[i].path);
        d->files[i].out = NULL;
    }
}

/* The device libraries rely on the numbers of these streams, 0 and 1. */
enum dpk_status dpa_messages_open(struct dpk_dpa *d, struct dpk_error *err)
{
    struct dpk_host_stream *printed;
    struct dpk_host_stream_options options = {.out = stdout,
                                              .mode = DPK_HOST_STREAM_SYNC,
                                              .capacity = MESSAGES_BSIZE,
                                              .level = DPK_HOST_STREAM_DEBUG};
    enum dpk_status status = open_files(d, err);
    if (status == DPK_OK)
        status = dpk_host_stream_create(d->process, &options, &printed, err);
    options.level = d->log_level;
    options.out = d->files[DPK_DPA_LOG].out;
    return status == DPK_OK ? dpk_host_stream_create(d->process, &options, &d->log, err) : status;
}

/* ---- Settings ---- */

doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level log_level)
{
    unsigned level = (unsigned)log_level;
    if (level < DOCA_DPA_DEV_LOG_LEVEL_DISABLE || level > DOCA_DPA_DEV_LOG_LEVEL_DEBUG ||
        level % 10 != 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u is not a level: levels are %u, %u and so on up to %u",
                                    level, DOCA_DPA_DEV_LOG_LEVEL_DISABLE,
                                    DOCA_DPA_DEV_LOG_LEVEL_CRIT, DOCA_DPA_DEV_LOG_LEVEL_DEBUG);
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return dpk_doca_no_object(__func__);
    struct dpk_dpa *b = dpk_dpa_base(d);
    pthread_mutex_lock(&b->object.lock);
    b->log_level = level / 10 - 1;
    if (b->log)
        atomic_store(&b->log->level, b->log_level);
    pthread_mutex_unlock(&b->object.lock);
    dpk_object_drop(d);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level *log_level)
{
    struct dpk_dpa *d = log_level ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct dpk_dpa *b = dpk_dpa_base(d);
    pthread_mutex_lock(&b->object.lock);
    *log_level = (enum doca_dpa_dev_log_level)((b->log_level + 1) * 10);
    pthread_mutex_unlock(&b->object.lock);
    dpk_object_drop(d);
    return DOCA_SUCCESS;
}

static doca_error_t set_path(struct doca_dpa *dpa, enum dpk_dpa_file_kind kind, const char *path)
{
    const size_t length = path ? strnlen(path, PATH_MAX) : 0;
    struct dpk_dpa *d = path ? dpk_object_lock(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    if (length == 0 || length >= PATH_MAX)
        return dpk_object_unlock(d, dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                                     "the path is empty or longer than %d bytes",
                                                     PATH_MAX - 1));
    if (d->base || atomic_load(&d->started) || d->process)
        return dpk_object_unlock(
            d, dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context is started, or extends another one"));
    char *copy = strdup(path);
    if (copy) {
        free(d->files[kind].path);
        d->files[kind].path = copy;
    }
    return dpk_object_unlock(d, copy ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
    return dpk_doca_end(dpa, __func__, set_path(dpa, DPK_DPA_LOG, file_path));
}

doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
    return dpk_doca_end(dpa, __func__, set_path(dpa, DPK_DPA_TRACE, file_path));
}

static doca_error_t get_path(const struct doca_dpa *dpa, enum dpk_dpa_file_kind kind, char *out,
                             uint32_t *size)
{
    struct dpk_dpa *d = out && size ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_dpa *b = dpk_dpa_base(d);
    pthread_mutex_lock(&b->object.lock);
    const char *path = b->files[kind].path;
    const doca_error_t result = path ? dpa_tell_text(path, out, size)
                                     : dpk_doca_because(DOCA_ERROR_NOT_FOUND, "no path was set");
    pthread_mutex_unlock(&b->object.lock);
    dpk_object_drop(d);
    return result;
}

doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *path_len)
{
    return dpk_doca_end(dpa, __func__, get_path(dpa, DPK_DPA_LOG, file_path, path_len));
}

doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *path_len)
{
    return dpk_doca_end(dpa, __func__, get_path(dpa, DPK_DPA_TRACE, file_path, path_len));
}

/* ---- Traces ---- */

static bool call_trace(void *context, struct dpk_caller *caller, unsigned call,
                       const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    FILE *out = d->files[DPK_DPA_TRACE].out;
    uint64_t v[DPA_DOCA_TRACE_VALUES];
    (void)caller;
    (void)result;
    if (call == DPA_DOCA_TRACE_FLUSH)
        return fflush(out) == 0 || dpk_dpa_call_fails(reason, size, "trace: it cannot be written");
    if (call != DPA_DOCA_TRACE)
        return dpk_dpa_call_unknown(reason, size, call);
    if (dpk_copy_out(d->process->dpa, v, args[0], sizeof v, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "trace: no memory where its numbers are");
    fprintf(out, "[DOCA][DPA TRACE] 0x%jx 0x%jx 0x%jx 0x%jx 0x%jx\n", (uintmax_t)v[0],
            (uintmax_t)v[1], (uintmax_t)v[2], (uintmax_t)v[3], (uintmax_t)v[4]);
    return true;
}

static struct dpk_dpa_calls calls = {
    .room = DPA_ROOM_TRACE, .call = call_trace};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}

doca_error_t dpa_tell_text(const char *text, char *out, uint32_t *size)
{
    const size_t takes = strlen(text) + 1;
    if (!out || !size || takes > UINT32_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    const uint32_t has = *size;
    const bool fits = takes <= has;
    *size = (uint32_t)takes;
    if (fits)
        memcpy(out, text, takes);
    return fits ? DOCA_SUCCESS : dpk_doca_too_small("the text", has, takes);
}
