/* Services: the connection of a program to urom-service, and questions about groups of workers. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/memh/memh.h"
#include "private.h"

#define WORKERS_MAX     1024u
#define WORKERS_DEFAULT 32u
#define SIZE_LEAST      1024u
#define SIZE_DEFAULT    65536u
#define QUERIES_MAX     64u
#define PATIENCE_MS     10000u

struct urom_query {
    struct dpk_task task;
    struct urom_query *next;
    uint64_t cookie;
    uint32_t gid;
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb;
    uint64_t *ids;
    size_t count;
};

/* ---- The connection ---- */

static doca_error_t bad_answer(void)
{
    return dpk_doca_because(DOCA_ERROR_CONNECTION_ABORTED,
                            "the service sent a message that this library does not know");
}

/* Reads a refusal of the service, and stores its reason. */
static doca_error_t refused(struct dpk_reader *body)
{
    char text[256];
    size_t size;
    const doca_error_t result = (doca_error_t)dpk_read_le32(body);
    const uint8_t *why = dpk_urom_read_text(body, sizeof text - 1, &size);
    if (!why || result == DOCA_SUCCESS)
        return bad_answer();
    snprintf(text, sizeof text, "%.*s", (int)size, (const char *)why);
    return dpk_doca_because(result, "the service refused: %s", dpk_text_clean(text));
}

static doca_error_t read_plugins(struct urom_service *s, struct dpk_reader *body)
{
    const uint32_t count = dpk_read_le32(body);
    if (body->failed || count > DPK_UROM_PLUGINS_MAX)
        return bad_answer();
    s->plugins = calloc(count + 1, sizeof *s->plugins);
    if (!s->plugins)
        return DOCA_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        struct doca_urom_service_plugin_info *p = &s->plugins[i];
        size_t size;
        p->id = dpk_read_le64(body);
        p->version = dpk_read_le64(body);
        const uint8_t *name = dpk_urom_read_text(body, sizeof p->plugin_name - 1, &size);
        if (name)
            memcpy(p->plugin_name, name, size);
    }
    s->plugin_count = count;
    return body->failed ? bad_answer() : DOCA_SUCCESS;
}

static doca_error_t welcome(struct urom_service *s, struct dpk_reader *body)
{
    const uint32_t version = dpk_read_le32(body);
    const uint8_t *cpus = dpk_read_bytes(body, sizeof s->cpus);
    if (!cpus)
        return bad_answer();
    if (version != DPK_UROM_VERSION)
        return dpk_doca_because(DOCA_ERROR_UNSUPPORTED_VERSION,
                                "the service speaks version %u, and this library version %u",
                                version, DPK_UROM_VERSION);
    memcpy(s->cpus, cpus, sizeof s->cpus);
    return read_plugins(s, body);
}

/* Waits for the service's first message. */
static doca_error_t await_welcome(struct urom_service *s)
{
    const uint64_t until = dpk_now_ms() + PATIENCE_MS;
    for (;;) {
        struct dpk_urom_message m;
        const enum dpk_comch_heard heard = dpk_urom_hear(&s->channel, &m);
        if (heard == DPK_COMCH_HEARD)
            return m.kind == DPK_UROM_WELCOME   ? welcome(s, &m.body)
                   : m.kind == DPK_UROM_REFUSED ? refused(&m.body)
                                                : bad_answer();
        if (heard == DPK_COMCH_BROKEN)
            return bad_answer();
        if (heard == DPK_COMCH_HUNG_UP)
            return dpk_doca_because(DOCA_ERROR_CONNECTION_RESET, "the service has hung up");
        const uint64_t now = dpk_now_ms();
        if (now >= until)
            return dpk_doca_because(DOCA_ERROR_TIME_OUT,
                                    "the service did not answer for %u seconds",
                                    PATIENCE_MS / 1000);
        struct pollfd p = {.fd = s->channel.fd, .events = POLLIN};
        poll(&p, 1, (int)(until - now));
    }
}

static doca_error_t call(struct urom_service *s, int *fd)
{
    struct dpk_error err = {0};
    const enum dpk_status status = dpk_comch_call(s->folder, DPK_UROM_SERVER, fd, &err);
    if (status == DPK_ERR_NOT_FOUND)
        return dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                "no service runs for this device (urom-service on the DPU's "
                                "side)");
    return status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err);
}

static void forget_service(struct urom_service *s)
{
    dpk_urom_close(&s->channel);
    free(s->plugins);
    s->plugins = NULL;
    s->plugin_count = 0;
}

/* Call this with the lock. */
static doca_error_t service_start(struct dpk_ctx *ctx)
{
    struct urom_service *s = (struct urom_service *)ctx;
    int fd;
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the UROM service has no progress engine");
    if (!s->dev)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the UROM service has no device "
                                                       "(doca_urom_service_set_dev)");
    doca_error_t result = call(s, &fd);
    if (result != DOCA_SUCCESS)
        return result;
    dpk_urom_open(&s->channel, fd);
    s->lost = false;
    dpk_put_le32(dpk_urom_begin(&s->channel, DPK_UROM_HELLO), DPK_UROM_VERSION);
    dpk_urom_end(&s->channel); /* a failure is noticed later as a hang-up */
    result = await_welcome(s);
    if (result != DOCA_SUCCESS)
        forget_service(s);
    return result;
}

static doca_error_t service_stop(struct dpk_ctx *ctx)
{
    struct urom_service *s = (struct urom_service *)ctx;
    if (s->workers > 0)
        return dpk_doca_because(DOCA_ERROR_IN_USE, "%u workers of the service are not idle",
                                s->workers);
    forget_service(s);
    return DOCA_SUCCESS;
}

doca_error_t urom_service_enter(struct urom_service *s, int *fd)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&s->ctx.object.lock);
    if (!dpk_ctx_is_running(&s->ctx))
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the worker's service does not run");
    else if (s->workers >= s->max_workers)
        result = dpk_doca_because(DOCA_ERROR_FULL,
                                  "the service has %u workers, as many as were allowed "
                                  "(doca_urom_service_set_max_workers)",
                                  s->workers);
    else
        result = call(s, fd);
    s->workers += result == DOCA_SUCCESS;
    pthread_mutex_unlock(&s->ctx.object.lock);
    return result;
}

void urom_service_leave(struct urom_service *s)
{
    pthread_mutex_lock(&s->ctx.object.lock);
    s->workers--;
    pthread_mutex_unlock(&s->ctx.object.lock);
}

bool urom_service_has_plugins(struct urom_service *s, uint64_t plugins)
{
    uint64_t all = 0;
    pthread_mutex_lock(&s->ctx.object.lock);
    for (uint32_t i = 0; i < s->plugin_count; i++)
        all |= s->plugins[i].id;
    pthread_mutex_unlock(&s->ctx.object.lock);
    return plugins != 0 && !(plugins & ~all);
}

/* ---- Progress ---- */

static struct urom_query *find_query(struct urom_service *s, uint64_t cookie)
{
    for (struct urom_query **at = &s->waiting; *at; at = &(*at)->next) {
        struct urom_query *q = *at;
        if (q->cookie == cookie) {
            *at = q->next;
            return q;
        }
    }
    return NULL;
}

/* Reads an answer into its query. Returns the query, or NULL. */
static struct urom_query *answered(struct urom_service *s, struct dpk_reader *body)
{
    const uint64_t cookie = dpk_read_le64(body);
    const uint32_t count = dpk_read_le32(body);
    if (body->failed || dpk_reader_left(body) != (size_t)count * sizeof(uint64_t))
        return NULL;
    struct urom_query *q = find_query(s, cookie);
    if (!q)
        return NULL;
    q->ids = calloc(count + (size_t)1, sizeof *q->ids);
    for (uint32_t i = 0; q->ids && i < count; i++)
        q->ids[i] = dpk_read_le64(body);
    q->count = q->ids ? count : 0;
    return q;
}

/* Looks for a message. Call this with the lock. Returns the query that ends, with its result in
 * *status, or NULL. */
static struct urom_query *look(struct urom_service *s, doca_error_t *status)
{
    struct dpk_urom_message m;
    if (s->lost || atomic_load(&s->ctx.state) != DOCA_CTX_STATE_RUNNING) {
        struct urom_query *q = s->waiting;
        *status = s->lost ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_BAD_STATE;
        s->waiting = q ? q->next : NULL;
        return q;
    }
    bool good = dpk_urom_flush(&s->channel);
    struct urom_query *q = NULL;
    const enum dpk_comch_heard heard = dpk_urom_hear(&s->channel, &m);
    if (heard == DPK_COMCH_HEARD) {
        q = m.kind == DPK_UROM_ANSWER ? answered(s, &m.body) : NULL;
        good = q != NULL;
    }
    *status = q && q->ids ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    s->lost = !good || heard == DPK_COMCH_HUNG_UP || heard == DPK_COMCH_BROKEN;
    return q;
}

static bool service_progress(struct dpk_ctx *ctx)
{
    struct urom_service *s = (struct urom_service *)ctx;
    doca_error_t status = DOCA_SUCCESS;
    if (atomic_load(&ctx->state) == DOCA_CTX_STATE_IDLE)
        return false;
    pthread_mutex_lock(&ctx->object.lock);
    const bool was_lost = s->lost;
    struct urom_query *q = look(s, &status);
    const bool is_lost = s->lost && !was_lost;
    pthread_mutex_unlock(&ctx->object.lock);
    if (is_lost) {
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                     "urom: the service has ended, or the connection to it is broken");
        dpk_comch_tidy(s->folder, DPK_UROM_SERVER);
        dpk_ctx_begin_stop(ctx);
    }
    if (q)
        dpk_task_end(&q->task, status);
    return q || is_lost;
}

static bool service_is_ready(const struct dpk_ctx *ctx)
{
    const struct urom_service *s = (const struct urom_service *)ctx;
    struct pollfd p = {.fd = s->channel.fd, .events = POLLIN};
    return s->lost || (p.fd >= 0 && poll(&p, 1, 0) > 0);
}

static const struct dpk_ctx_ops ops = {.start = service_start,
                                       .stop = service_stop,
                                       .progress = service_progress,
                                       .is_ready = service_is_ready};

static void service_left(void *object)
{
    struct urom_service *s = object;
    dpk_ctx_stop(&s->ctx);
    dpk_ctx_left(&s->ctx);
    if (s->dev)
        dpk_object_end_use(s->dev);
}

static void service_release(void *object)
{
    struct urom_service *s = object;
    dpk_ctx_clear(&s->ctx);
    forget_service(s);
    dpk_object_drop(s->dev);
    free(s);
}
const struct dpk_kind urom_service_kind = {
    .left = service_left, .release = service_release, .is_ctx = true};

/* ---- Questions about groups ---- */

static doca_error_t query_take(struct dpk_task *task, bool flush)
{
    (void)flush; /* queries are sent at once, without a flush */
    static atomic_ullong cookies;
    struct urom_service *s = (struct urom_service *)task->ctx;
    struct urom_query *q = (struct urom_query *)task;
    if (s->lost)
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "urom: the service has ended");
    q->cookie = atomic_fetch_add(&cookies, 1) + 1;
    free(q->ids);
    q->ids = NULL;
    q->count = 0;
    struct dpk_buf *b = dpk_urom_begin(&s->channel, DPK_UROM_QUERY);
    dpk_put_le64(b, q->cookie);
    dpk_put_le32(b, q->gid);
    if (!dpk_urom_end(&s->channel))
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "urom: the service has ended");
    q->next = s->waiting;
    s->waiting = q;
    return DOCA_SUCCESS;
}

static void query_release(struct dpk_task *task)
{
    free(((struct urom_query *)task)->ids);
}

static const struct dpk_task_type query_type;

static void query_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct urom_query *q = (struct urom_query *)dpk_task_pin(task, &query_type);
    (void)callback;
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb = q ? q->cb : NULL;
    dpk_object_drop(q);
    if (cb)
        cb(task, task_data, ctx_data);
}

static const struct dpk_task_type query_type = {.size = sizeof(struct urom_query),
                                                .take = query_take,
                                                .release = query_release,
                                                .tell = query_tell};

static doca_error_t new_query(const char *name, struct doca_urom_service *handle,
                              struct doca_urom_service_get_workers_by_gid_task **task, uint32_t gid,
                              doca_urom_service_get_workers_by_gid_task_completion_cb_t cb)
{
    if (task)
        *task = NULL;
    struct urom_service *s = task ? dpk_object_pin(handle, &urom_service_kind) : NULL;
    if (!s)
        return dpk_doca_no_object(name);
    doca_error_t result;
    struct urom_query *q =
        (struct urom_query *)dpk_task_new(&s->ctx, &s->queries, (union doca_data){0}, &result);
    if (q) {
        q->gid = gid;
        q->cb = cb;
        *task = q->task.object.handle;
    }
    dpk_object_drop(q);
    dpk_doca_end(handle, name, result);
    dpk_object_drop(s);
    return result;
}

doca_error_t doca_urom_service_get_workers_by_gid_task_allocate(
    struct doca_urom_service *service_ctx, struct doca_urom_service_get_workers_by_gid_task **task)
{
    return new_query(__func__, service_ctx, task, 0, NULL);
}

doca_error_t doca_urom_service_get_workers_by_gid_task_allocate_init(
    struct doca_urom_service *service_ctx, uint32_t gid,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb,
    struct doca_urom_service_get_workers_by_gid_task **task)
{
    return new_query(__func__, service_ctx, task, gid, cb);
}

doca_error_t doca_urom_service_get_workers_by_gid_task_release(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    struct dpk_task *t = dpk_task_pin(task, &query_type);
    if (!t)
        return dpk_doca_no_object(__func__);
    dpk_task_free(t);
    dpk_object_drop(t);
    return DOCA_SUCCESS;
}

void doca_urom_service_get_workers_by_gid_task_set_gid(
    struct doca_urom_service_get_workers_by_gid_task *task, uint32_t gid)
{
    struct urom_query *q = (struct urom_query *)dpk_task_pin(task, &query_type);
    if (q && dpk_task_begin_change(&q->task)) {
        q->gid = gid;
        dpk_task_end_change(&q->task);
    }
    dpk_object_drop(q);
}

void doca_urom_service_get_workers_by_gid_task_set_cb(
    struct doca_urom_service_get_workers_by_gid_task *task,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb)
{
    struct urom_query *q = (struct urom_query *)dpk_task_pin(task, &query_type);
    if (q && dpk_task_begin_change(&q->task)) {
        q->cb = cb;
        dpk_task_end_change(&q->task);
    }
    dpk_object_drop(q);
}

size_t doca_urom_service_get_workers_by_gid_task_get_workers_count(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    struct urom_query *q = (struct urom_query *)dpk_task_pin(task, &query_type);
    const size_t count = q ? q->count : 0;
    dpk_object_drop(q);
    return count;
}

const uint64_t *doca_urom_service_get_workers_by_gid_task_get_worker_ids(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    struct urom_query *q = (struct urom_query *)dpk_task_pin(task, &query_type);
    const uint64_t *ids = q ? q->ids : NULL;
    dpk_object_drop(q);
    return ids;
}

struct doca_task *doca_urom_service_get_workers_by_gid_task_as_task(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    return dpk_task_handle(task, &query_type);
}

/* ---- The public side ---- */

static void no_callback(void)
{
}

doca_error_t doca_urom_service_create(struct doca_urom_service **service_ctx)
{
    if (!service_ctx)
        return dpk_doca_no_object(__func__);
    *service_ctx = NULL;
    struct urom_service *s = calloc(1, sizeof *s);
    if (!s)
        return DOCA_ERROR_NO_MEMORY;
    dpk_ctx_init(&s->ctx, &ops);
    dpk_urom_open(&s->channel, -1);
    memh_redirect(); /* the program may pack handles of its memory for workers */
    s->max_workers = WORKERS_DEFAULT;
    s->max_size = SIZE_DEFAULT;
    s->queries = (struct dpk_task_pool){
        .type = &query_type, .completed = no_callback, .failed = no_callback, .max = QUERIES_MAX};
    *service_ctx = dpk_object_enter(s, &urom_service_kind);
    return *service_ctx ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_urom_service_destroy(struct doca_urom_service *service_ctx)
{
    return dpk_doca_destroy(service_ctx, &urom_service_kind, __func__);
}

struct doca_ctx *doca_urom_service_as_ctx(struct doca_urom_service *service_ctx)
{
    return dpk_ctx_of(service_ctx, &urom_service_kind);
}

/* Returns the service, locked, if it is idle; else NULL, with the error in *result. */
static struct urom_service *begin_change(const char *name, struct doca_urom_service *handle,
                                         doca_error_t *result)
{
    struct urom_service *s = dpk_object_lock(handle, &urom_service_kind);
    if (s && atomic_load(&s->ctx.state) == DOCA_CTX_STATE_IDLE)
        return s;
    *result = dpk_doca_unlock(s, name, DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                              s ? dpk_ctx_state_name(&s->ctx) : "");
    return NULL;
}

doca_error_t doca_urom_service_set_dev(struct doca_urom_service *service_ctx, struct doca_dev *dev)
{
    struct dpk_device_info card;
    doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card);
    if (result != DOCA_SUCCESS)
        return dpk_doca_no_object(__func__);
    if (!card.pair || card.side != DPK_SIDE_HOST)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_SUPPORTED, __func__,
                                    card.pair ? "programs of the DPU have no UROM service "
                                                "(DPAKIT_SIDE=host)"
                                              : "the device has no DPU's side: dpadev create NAME "
                                                "--pair");
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind), *before = NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct urom_service *s = begin_change(__func__, service_ctx, &result);
    if (s) {
        before = s->dev;
        dpk_object_use(s->dev = d);
        snprintf(s->folder, sizeof s->folder, "%s", card.path);
        dpk_object_unlock(s, DOCA_SUCCESS);
    }
    if (before)
        dpk_object_unuse(before);
    dpk_object_drop(d);
    return result;
}

static doca_error_t set_number(const char *name, struct doca_urom_service *handle, bool is_size,
                               size_t value, size_t least, size_t most)
{
    doca_error_t result = DOCA_SUCCESS;
    if (value < least || value > most)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, name,
                                    "%zu is not within %zu to %zu", value, least, most);
    struct urom_service *s = begin_change(name, handle, &result);
    if (!s)
        return result;
    if (is_size)
        s->max_size = (uint32_t)value;
    else
        s->max_workers = (uint32_t)value;
    return dpk_object_unlock(s, DOCA_SUCCESS);
}

doca_error_t doca_urom_service_set_max_workers(struct doca_urom_service *service_ctx,
                                               uint32_t max_workers)
{
    return set_number(__func__, service_ctx, false, max_workers, 1, WORKERS_MAX);
}

doca_error_t doca_urom_service_set_max_comm_msg_size(struct doca_urom_service *service_ctx,
                                                     size_t msg_size)
{
    return set_number(__func__, service_ctx, true, msg_size, SIZE_LEAST, DPK_UROM_MESSAGE_MAX);
}

/* Returns the service, locked, if it runs; else NULL, with the error in *result. */
static struct urom_service *begin_look(const char *name, struct doca_urom_service *handle,
                                       doca_error_t *result)
{
    struct urom_service *s = dpk_object_lock(handle, &urom_service_kind);
    if (s && dpk_ctx_is_running(&s->ctx))
        return s;
    *result = dpk_doca_unlock(s, name, DOCA_ERROR_BAD_STATE, "the context is %s, and must run",
                              s ? dpk_ctx_state_name(&s->ctx) : "");
    return NULL;
}

doca_error_t
doca_urom_service_get_plugins_list(struct doca_urom_service *service_ctx,
                                   const struct doca_urom_service_plugin_info **plugins,
                                   size_t *plugins_count)
{
    doca_error_t result;
    if (!plugins || !plugins_count)
        return dpk_doca_no_object(__func__);
    struct urom_service *s = begin_look(__func__, service_ctx, &result);
    if (!s)
        return result;
    *plugins = s->plugins;
    *plugins_count = s->plugin_count;
    return dpk_object_unlock(s, DOCA_SUCCESS);
}

doca_error_t doca_urom_service_get_cpuset(struct doca_urom_service *service_ctx,
                                          doca_cpu_set_t *cpuset)
{
    doca_error_t result;
    _Static_assert(sizeof *cpuset == DPK_UROM_CPUS, "one bit for each processor");
    if (!cpuset)
        return dpk_doca_no_object(__func__);
    struct urom_service *s = begin_look(__func__, service_ctx, &result);
    if (!s)
        return result;
    memcpy(cpuset, s->cpus, sizeof s->cpus);
    return dpk_object_unlock(s, DOCA_SUCCESS);
}
