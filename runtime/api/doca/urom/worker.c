/* Workers: processes of the DPU. A program starts them, sends them commands, and ends them. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define TASKS_MAX     4096u
#define TASKS_DEFAULT 64u
#define PATIENCE_MS   10000u /* time that a worker has to end, after it was asked */

/* ---- Start and stop ---- */

static bool say_wish(struct urom_worker *w)
{
    struct dpk_urom_wish wish = {.version = DPK_UROM_VERSION,
                                 .id = w->wanted,
                                 .has_gid = w->has_gid,
                                 .has_cpus = w->has_cpus,
                                 .gid = w->gid,
                                 .max_size = w->max_size,
                                 .plugins = w->plugins,
                                 .env = w->env.data,
                                 .env_size = w->env.size};
    memcpy(wish.cpus, w->cpus, sizeof wish.cpus);
    dpk_urom_put_wish(dpk_urom_begin(&w->channel, DPK_UROM_WORKER), &wish);
    return dpk_urom_end(&w->channel);
}

static void forget_process(struct urom_worker *w)
{
    dpk_urom_close(&w->channel);
    dpk_buf_free(&w->addresses);
    urom_commands_end(w);
    if (w->entered)
        urom_service_leave(w->service);
    w->entered = false;
}

/* Call this with the lock. */
static doca_error_t worker_start(struct dpk_ctx *ctx)
{
    struct urom_worker *w = (struct urom_worker *)ctx;
    int fd;
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the UROM worker has no progress engine");
    if (!w->service)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the UROM worker has no service "
                                                       "(doca_urom_worker_set_service)");
    doca_error_t result = urom_service_enter(w->service, &fd);
    if (result != DOCA_SUCCESS)
        return result;
    dpk_urom_open(&w->channel, fd);
    w->entered = true;
    w->said_bye = w->lost = false;
    w->max_size = w->service->max_size;
    if (!urom_service_has_plugins(w->service, w->plugins))
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                  "the service does not have the plugins "
                                  "0x%llx (doca_urom_worker_set_plugins)",
                                  (unsigned long long)w->plugins);
    if (result == DOCA_SUCCESS)
        result = urom_commands_begin(w);
    if (result == DOCA_SUCCESS && !say_wish(w))
        result = DOCA_ERROR_CONNECTION_RESET;
    if (result != DOCA_SUCCESS)
        forget_process(w);
    return result == DOCA_SUCCESS ? DOCA_ERROR_IN_PROGRESS : result;
}

/* Asks the process to end, and returns IN_PROGRESS until it has. */
static doca_error_t worker_stop(struct dpk_ctx *ctx)
{
    struct urom_worker *w = (struct urom_worker *)ctx;
    if (w->ended || w->first)
        return DOCA_ERROR_IN_PROGRESS;
    if (!w->lost && !w->said_bye) {
        w->said_bye = true;
        w->bye_at = dpk_now_ms();
        dpk_urom_begin(&w->channel, DPK_UROM_BYE);
        w->lost = !dpk_urom_end(&w->channel);
    }
    if (!w->lost)
        return DOCA_ERROR_IN_PROGRESS;
    forget_process(w);
    return DOCA_SUCCESS;
}

/* ---- Progress ---- */

enum event { NOTHING, SOMETHING, RUNS, ENDS };

static void log_text(const char *what, const struct urom_worker *w, struct dpk_reader *body)
{
    char text[256];
    size_t size;
    const uint8_t *why = dpk_urom_read_text(body, sizeof text - 1, &size);
    snprintf(text, sizeof text, "%.*s", (int)size, why ? (const char *)why : "");
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "urom: worker %lld: %s: %s", (long long)w->id, what,
                 dpk_text_clean(text));
}

static bool read_ready(struct urom_worker *w, struct dpk_reader *body)
{
    w->id = dpk_read_le64(body);
    const size_t size = dpk_reader_left(body);
    const uint8_t *bytes = dpk_read_bytes(body, size);
    w->addresses.size = 0;
    if (bytes)
        dpk_put(&w->addresses, bytes, size);
    return bytes && !w->addresses.failed;
}

static bool read_joined(struct urom_worker *w, struct dpk_reader *body)
{
    const uint64_t cookie = dpk_read_le64(body);
    const doca_error_t status = (doca_error_t)dpk_read_le32(body);
    for (struct urom_join *j = w->joins; j && !body->failed; j = j->next)
        if (j->cookie == cookie) {
            j->status = status;
            j->ended = true;
        }
    return !body->failed;
}

/* Handles a message, with the lock. */
static enum event handle(struct urom_worker *w, struct dpk_urom_message *m)
{
    const bool starts = atomic_load(&w->ctx.state) == DOCA_CTX_STATE_STARTING;
    switch (m->kind) {
    case DPK_UROM_READY:
        return read_ready(w, &m->body) ? RUNS : ENDS;
    case DPK_UROM_NOTIFY:
        return urom_command_answered(w, &m->body) || !dpk_ctx_is_running(&w->ctx) ? SOMETHING
                                                                                  : ENDS;
    case DPK_UROM_JOINED:
        return read_joined(w, &m->body) ? SOMETHING : ENDS;
    case DPK_UROM_REFUSED:
        dpk_read_le32(&m->body);
        log_text(starts ? "refused" : "failed", w, &m->body);
        return ENDS;
    case DPK_UROM_EXITED:
        if (!w->said_bye)
            log_text("its process has ended", w, &m->body);
        return ENDS;
    default:
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "urom: worker %lld: unknown message %u",
                     (long long)w->id, (unsigned)m->kind);
        return ENDS;
    }
}

/* The process is gone: no command gets an answer. Call this with the lock. */
static void lose(struct urom_worker *w)
{
    w->lost = true;
    urom_commands_fail(w, DOCA_ERROR_CONNECTION_RESET);
    for (struct urom_join *j = w->joins; j; j = j->next)
        if (!j->ended) {
            j->ended = true;
            j->status = DOCA_ERROR_CONNECTION_RESET;
        }
}

static enum event look(struct urom_worker *w)
{
    struct dpk_urom_message m;
    if (w->lost)
        return NOTHING;
    bool good = dpk_urom_flush(&w->channel);
    const enum dpk_comch_heard heard = dpk_urom_hear(&w->channel, &m);
    if (heard == DPK_COMCH_HEARD)
        return handle(w, &m);
    if (heard == DPK_COMCH_NOTHING && good)
        return w->said_bye && dpk_now_ms() - w->bye_at > PATIENCE_MS ? ENDS : NOTHING;
    if (!w->said_bye)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                     "urom: worker %lld: the service has ended, or the connection is broken",
                     (long long)w->id);
    return ENDS;
}

static bool worker_progress(struct dpk_ctx *ctx)
{
    struct urom_worker *w = (struct urom_worker *)ctx;
    pthread_mutex_lock(&ctx->object.lock);
    const enum event event = w->entered ? look(w) : NOTHING;
    if (event == ENDS)
        lose(w);
    if (atomic_load(&ctx->state) == DOCA_CTX_STATE_STOPPING)
        urom_commands_fail(w, DOCA_ERROR_BAD_STATE);
    pthread_mutex_unlock(&ctx->object.lock);
    if (event == RUNS)
        dpk_ctx_begin_run(ctx);
    if (event == ENDS)
        dpk_ctx_begin_stop(ctx);
    return urom_commands_tell(w) || event == RUNS;
}

static bool worker_is_ready(const struct dpk_ctx *ctx)
{
    const struct urom_worker *w = (const struct urom_worker *)ctx;
    struct pollfd p = {.fd = w->channel.fd, .events = POLLIN};
    return w->lost || w->said_bye || (p.fd >= 0 && poll(&p, 1, 0) > 0);
}

static const struct dpk_ctx_ops ops = {.start = worker_start,
                                       .stop = worker_stop,
                                       .progress = worker_progress,
                                       .is_ready = worker_is_ready};

static void worker_left(void *object)
{
    struct urom_worker *w = object;
    if (dpk_ctx_stop(&w->ctx) == DOCA_ERROR_IN_PROGRESS) { /* the context still runs */
        pthread_mutex_lock(&w->ctx.object.lock);
        lose(w);
        pthread_mutex_unlock(&w->ctx.object.lock);
        dpk_ctx_stop(&w->ctx);
    }
    dpk_ctx_left(&w->ctx);
    if (w->service)
        dpk_object_end_use(w->service);
}

static void worker_release(void *object)
{
    struct urom_worker *w = object;
    dpk_ctx_clear(&w->ctx);
    dpk_buf_free(&w->env);
    dpk_object_drop(w->service);
    free(w);
}
const struct dpk_kind urom_worker_kind = {
    .left = worker_left, .release = worker_release, .is_ctx = true};

/* ---- The public side ---- */

static void no_callback(void)
{
}

doca_error_t doca_urom_worker_create(struct doca_urom_worker **worker_ctx)
{
    if (!worker_ctx)
        return dpk_doca_no_object(__func__);
    *worker_ctx = NULL;
    struct urom_worker *w = calloc(1, sizeof *w);
    if (!w)
        return DOCA_ERROR_NO_MEMORY;
    dpk_ctx_init(&w->ctx, &ops);
    dpk_urom_open(&w->channel, -1);
    w->wanted = (uint64_t)DOCA_UROM_WORKER_ID_ANY;
    w->commands = (struct dpk_task_pool){.type = &urom_command_type,
                                         .completed = no_callback,
                                         .failed = no_callback,
                                         .max = TASKS_DEFAULT};
    *worker_ctx = dpk_object_enter(w, &urom_worker_kind);
    return *worker_ctx ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx)
{
    return dpk_doca_destroy(worker_ctx, &urom_worker_kind, __func__);
}

struct doca_ctx *doca_urom_worker_as_ctx(struct doca_urom_worker *worker_ctx)
{
    return dpk_ctx_of(worker_ctx, &urom_worker_kind);
}

/* Returns the worker, locked, if it is idle; else NULL, with the error in *result. */
static struct urom_worker *begin_change(const char *call, struct doca_urom_worker *handle,
                                        doca_error_t *result)
{
    struct urom_worker *w = dpk_object_lock(handle, &urom_worker_kind);
    *result = DOCA_SUCCESS;
    if (w && atomic_load(&w->ctx.state) == DOCA_CTX_STATE_IDLE)
        return w;
    *result = dpk_doca_unlock(w, call, DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                              w ? dpk_ctx_state_name(&w->ctx) : "");
    return NULL;
}

doca_error_t doca_urom_worker_set_service(struct doca_urom_worker *worker_ctx,
                                          struct doca_urom_service *service_ctx)
{
    doca_error_t result;
    struct urom_service *s = dpk_object_pin(service_ctx, &urom_service_kind), *before = NULL;
    if (!s)
        return dpk_doca_no_object(__func__);
    struct urom_worker *w = begin_change(__func__, worker_ctx, &result);
    if (w) {
        before = w->service;
        dpk_object_use(w->service = s);
        dpk_object_unlock(w, DOCA_SUCCESS);
    }
    if (before)
        dpk_object_unuse(before);
    dpk_object_drop(s);
    return result;
}

doca_error_t doca_urom_worker_set_id(struct doca_urom_worker *worker_ctx, uint64_t worker_id)
{
    doca_error_t result;
    struct urom_worker *w = begin_change(__func__, worker_ctx, &result);
    if (!w)
        return result;
    w->wanted = worker_id;
    return dpk_object_unlock(w, DOCA_SUCCESS);
}

doca_error_t doca_urom_worker_set_gid(struct doca_urom_worker *worker_ctx, uint32_t gid)
{
    doca_error_t result;
    struct urom_worker *w = begin_change(__func__, worker_ctx, &result);
    if (!w)
        return result;
    w->gid = gid;
    w->has_gid = true;
    return dpk_object_unlock(w, DOCA_SUCCESS);
}

doca_error_t doca_urom_worker_set_plugins(struct doca_urom_worker *worker_ctx, uint64_t plugins)
{
    doca_error_t result;
    struct urom_worker *w = begin_change(__func__, worker_ctx, &result);
    if (!w)
        return result;
    w->plugins = plugins;
    return dpk_object_unlock(w, DOCA_SUCCESS);
}

/* Returns the texts one after the other, each with its NUL. */
static doca_error_t copy_env(const char *call, char *const env[], size_t count, struct dpk_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        const size_t size = env[i] ? strnlen(env[i], DPK_UROM_ENV_MAX) : 0;
        if (size == 0 || size >= DPK_UROM_ENV_MAX - out->size || !dpk_urom_env_allowed(env[i]))
            return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                        "text %zu is not NAME=VALUE, belongs to the DPU (PATH, "
                                        "LD_...), or all are longer than %u bytes",
                                        i, DPK_UROM_ENV_MAX);
        dpk_put(out, env[i], size + 1);
    }
    return out->failed ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_env(struct doca_urom_worker *worker_ctx, char *const env[],
                                      size_t count)
{
    struct dpk_buf copy = {0};
    if (!env && count > 0)
        return dpk_doca_no_object(__func__);
    doca_error_t result = copy_env(__func__, env, count, &copy);
    struct urom_worker *w =
        result == DOCA_SUCCESS ? begin_change(__func__, worker_ctx, &result) : NULL;
    if (w) {
        const struct dpk_buf before = w->env;
        w->env = copy;
        copy = before;
        dpk_object_unlock(w, DOCA_SUCCESS);
    }
    dpk_buf_free(&copy);
    return result;
}

doca_error_t doca_urom_worker_set_cpuset(struct doca_urom_worker *worker_ctx, doca_cpu_set_t cpuset)
{
    doca_error_t result;
    static const doca_cpu_set_t empty;
    if (memcmp(&cpuset, &empty, sizeof empty) == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__, "the set is empty");
    struct urom_worker *w = begin_change(__func__, worker_ctx, &result);
    if (!w)
        return result;
    memcpy(w->cpus, &cpuset, sizeof w->cpus);
    w->has_cpus = true;
    return dpk_object_unlock(w, DOCA_SUCCESS);
}

doca_error_t doca_urom_worker_set_max_inflight_tasks(struct doca_urom_worker *worker_ctx,
                                                     uint32_t max_tasks)
{
    doca_error_t result;
    if (max_tasks == 0 || max_tasks > TASKS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u is not within 1 to %u", max_tasks, TASKS_MAX);
    struct urom_worker *w = begin_change(__func__, worker_ctx, &result);
    if (!w)
        return result;
    w->commands.max = max_tasks;
    return dpk_object_unlock(w, DOCA_SUCCESS);
}

doca_error_t doca_urom_worker_get_id(struct doca_urom_worker *worker_ctx, uint64_t *worker_id)
{
    struct urom_worker *w = worker_id ? dpk_object_lock(worker_ctx, &urom_worker_kind) : NULL;
    const bool runs = w && dpk_ctx_is_running(&w->ctx);
    if (runs)
        *worker_id = w->id;
    return dpk_doca_unlock(w, __func__, runs ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the context is %s, and must run", w ? dpk_ctx_state_name(&w->ctx) : "");
}

doca_error_t doca_urom_worker_get_gid(struct doca_urom_worker *worker_ctx, uint32_t *worker_gid)
{
    struct urom_worker *w = worker_gid ? dpk_object_lock(worker_ctx, &urom_worker_kind) : NULL;
    const bool has = w && w->has_gid;
    if (has)
        *worker_gid = w->gid;
    return dpk_doca_unlock(w, __func__, has ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "no group was set (doca_urom_worker_set_gid)");
}
