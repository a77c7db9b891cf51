/* Domains: workers of several programs learn each other's addresses. Each program describes its
 * workers and buffers; the programs exchange the sizes of these texts, then the texts, padded to the
 * longest, by the function of the program. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define MEMBERS_MAX 1024u

enum step { ADDRESSES, SIZES, TEXTS, JOINING, JOINED };

struct member {
    struct urom_worker *worker; /* a use */
    uint64_t id;
    struct urom_join join;
    bool joins; /* the join is in the worker's list */
};

struct domain {
    struct dpk_ctx ctx;
    struct doca_urom_domain_oob_coll oob;
    bool has_oob;
    struct member *members;
    size_t member_count, buffer_count, buffers_max;
    struct dpk_buf buffers; /* buffers that were added, in the form that is sent */
    /* While it starts and runs: */
    enum step step;
    bool failed;
    uint64_t cookie;
    void *request; /* request of the exchange; valid while `asked` is set */
    bool asked;
    struct dpk_buf text; /* the text of this program */
    uint64_t *sizes;     /* this program's size, to send; then the sizes of all texts */
    uint8_t *texts;
    size_t width;
};

/* ---- Start ---- */

static void end_request(struct domain *d)
{
    if (d->asked)
        d->oob.req_free(d->request);
    d->asked = false;
}

/* Removes the domain from the lists of its workers, and informs the workers. */
static void leave(struct domain *d)
{
    for (size_t i = 0; i < d->member_count; i++) {
        struct member *m = &d->members[i];
        if (!m->joins)
            continue;
        pthread_mutex_lock(&m->worker->ctx.object.lock);
        struct urom_join **at = &m->worker->joins;
        while (*at && *at != &m->join)
            at = &(*at)->next;
        if (*at)
            *at = m->join.next;
        if (!m->worker->lost && m->worker->entered) {
            dpk_put_le64(dpk_urom_begin(&m->worker->channel, DPK_UROM_LEAVE), d->cookie);
            dpk_urom_end(&m->worker->channel);
        }
        pthread_mutex_unlock(&m->worker->ctx.object.lock);
        m->joins = false;
    }
}

static void forget_exchange(struct domain *d)
{
    end_request(d);
    dpk_buf_free(&d->text);
    free(d->sizes);
    free(d->texts);
    d->sizes = NULL;
    d->texts = NULL;
}

static doca_error_t domain_start(struct dpk_ctx *ctx)
{
    static atomic_ullong cookies;
    struct domain *d = (struct domain *)ctx;
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the UROM domain has no progress engine");
    if (!d->has_oob || d->member_count == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the UROM domain has no %s",
                                d->has_oob ? "workers (doca_urom_domain_set_workers)"
                                           : "exchange (doca_urom_domain_set_oob)");
    for (size_t i = 0; i < d->member_count; i++)
        if (!dpk_ctx_is_running(&d->members[i].worker->ctx))
            return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                    "a worker of the UROM domain is %s, and must run",
                                    dpk_ctx_state_name(&d->members[i].worker->ctx));
    d->cookie = atomic_fetch_add(&cookies, 1) + 1;
    d->step = ADDRESSES;
    d->failed = false;
    return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t domain_stop(struct dpk_ctx *ctx)
{
    struct domain *d = (struct domain *)ctx;
    leave(d);
    forget_exchange(d);
    return DOCA_SUCCESS;
}

/* ---- Steps ---- */

static bool fail(struct domain *d, const char *why)
{
    if (!d->failed)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "urom: the domain failed: %s", why);
    d->failed = true;
    return true;
}

/* Starts an exchange: each program contributes `size` bytes. */
static bool ask(struct domain *d, void *from, void *to, size_t size)
{
    d->request = NULL;
    if (d->oob.allgather(from, to, size, d->oob.coll_info, &d->request) != DOCA_SUCCESS)
        return fail(d, "the program's allgather failed");
    d->asked = true;
    return true;
}

/* Returns true when the exchange has ended. */
static bool has_answer(struct domain *d)
{
    const doca_error_t result = d->oob.req_test(d->request);
    if (result == DOCA_ERROR_IN_PROGRESS)
        return false;
    end_request(d);
    if (result != DOCA_SUCCESS)
        fail(d, "the program's allgather failed");
    return true;
}

static bool describe(struct domain *d)
{
    dpk_put_le32(&d->text, (uint32_t)d->member_count);
    for (size_t i = 0; i < d->member_count; i++) {
        struct urom_worker *w = d->members[i].worker;
        pthread_mutex_lock(&w->ctx.object.lock);
        dpk_put_le64(&d->text, d->members[i].id);
        dpk_urom_put_text(&d->text, w->addresses.data, w->addresses.size);
        pthread_mutex_unlock(&w->ctx.object.lock);
    }
    dpk_put_le32(&d->text, (uint32_t)d->buffer_count);
    if (d->buffers.size > 0)
        dpk_put(&d->text, d->buffers.data, d->buffers.size);
    d->sizes = calloc(d->oob.n_oob_indexes + (size_t)1, sizeof *d->sizes);
    if (d->text.failed || !d->sizes)
        return fail(d, "out of memory");
    d->sizes[0] = d->text.size;
    d->step = SIZES;
    return ask(d, d->sizes, d->sizes + 1, sizeof *d->sizes);
}

static bool exchange_texts(struct domain *d)
{
    if (!has_answer(d))
        return false;
    if (d->failed)
        return true;
    d->width = d->text.size;
    for (uint32_t i = 1; i <= d->oob.n_oob_indexes; i++)
        if (d->sizes[i] > d->width)
            d->width = d->sizes[i] <= DPK_UROM_MESSAGE_MAX ? (size_t)d->sizes[i] : SIZE_MAX;
    if (d->width > DPK_UROM_MESSAGE_MAX / d->oob.n_oob_indexes)
        return fail(d, "all programs together describe more than 1 MiB");
    const size_t width = d->width;
    dpk_put_fill(&d->text, 0, width - d->text.size);
    d->texts = calloc(d->oob.n_oob_indexes, width);
    if (!d->texts || d->text.failed)
        return fail(d, "out of memory");
    d->step = TEXTS;
    return ask(d, d->text.data, d->texts, width);
}

static bool join(struct domain *d, struct member *m)
{
    pthread_mutex_lock(&m->worker->ctx.object.lock);
    m->join = (struct urom_join){.next = m->worker->joins, .cookie = d->cookie};
    m->worker->joins = &m->join;
    m->joins = true;
    struct dpk_buf *b = dpk_urom_begin(&m->worker->channel, DPK_UROM_JOIN);
    dpk_put_le64(b, d->cookie);
    dpk_put_le32(b, d->oob.n_oob_indexes);
    for (uint32_t i = 0; i < d->oob.n_oob_indexes; i++)
        dpk_urom_put_text(b, d->texts + i * d->width, (size_t)d->sizes[i + 1]);
    const bool good = !m->worker->lost && dpk_urom_end(&m->worker->channel);
    pthread_mutex_unlock(&m->worker->ctx.object.lock);
    return good || fail(d, "a worker has ended");
}

static bool tell_workers(struct domain *d)
{
    if (!has_answer(d))
        return false;
    for (size_t i = 0; !d->failed && i < d->member_count; i++)
        join(d, &d->members[i]);
    d->step = JOINING;
    return true;
}

/* Returns true when all workers have answered, or a worker of the domain has ended. */
static bool look_at_workers(struct domain *d)
{
    bool all = true;
    for (size_t i = 0; i < d->member_count; i++) {
        struct member *m = &d->members[i];
        pthread_mutex_lock(&m->worker->ctx.object.lock);
        const bool ended = m->join.ended;
        const bool bad = (ended && m->join.status != DOCA_SUCCESS) || m->worker->lost;
        pthread_mutex_unlock(&m->worker->ctx.object.lock);
        all = all && ended;
        if (bad)
            return fail(d, "a worker has ended, or does not understand what it was told");
    }
    return all && d->step == JOINING;
}

static bool step(struct domain *d)
{
    switch (d->step) {
    case ADDRESSES:
        return describe(d);
    case SIZES:
        return exchange_texts(d);
    case TEXTS:
        return tell_workers(d);
    default:
        return look_at_workers(d);
    }
}

static bool domain_progress(struct dpk_ctx *ctx)
{
    struct domain *d = (struct domain *)ctx;
    const enum doca_ctx_states state = atomic_load(&ctx->state);
    if ((state != DOCA_CTX_STATE_STARTING && state != DOCA_CTX_STATE_RUNNING) || !step(d))
        return false;
    if (d->failed) {
        dpk_ctx_begin_stop(ctx);
    } else if (d->step == JOINING) {
        bool all = true;
        for (size_t i = 0; i < d->member_count; i++)
            all = all && d->members[i].join.ended;
        if (!all)
            return true;
        d->step = JOINED;
        dpk_ctx_begin_run(ctx);
    }
    return true;
}

static bool domain_is_ready(const struct dpk_ctx *ctx)
{
    return atomic_load(&ctx->state) == DOCA_CTX_STATE_STARTING;
}

static const struct dpk_ctx_ops ops = {.start = domain_start,
                                       .stop = domain_stop,
                                       .progress = domain_progress,
                                       .is_ready = domain_is_ready};

/* ---- Life ---- */

static void domain_left(void *object)
{
    struct domain *d = object;
    dpk_ctx_stop(&d->ctx);
    dpk_ctx_left(&d->ctx);
    for (size_t i = 0; i < d->member_count; i++)
        dpk_object_end_use(d->members[i].worker);
}

static void domain_release(void *object)
{
    struct domain *d = object;
    dpk_ctx_clear(&d->ctx);
    for (size_t i = 0; i < d->member_count; i++)
        dpk_object_drop(d->members[i].worker);
    free(d->members);
    dpk_buf_free(&d->buffers);
    free(d);
}
static const struct dpk_kind domain_kind = {
    .left = domain_left, .release = domain_release, .is_ctx = true};

/* ---- The public side ---- */

doca_error_t doca_urom_domain_create(struct doca_urom_domain **domain_ctx)
{
    if (!domain_ctx)
        return dpk_doca_no_object(__func__);
    *domain_ctx = NULL;
    struct domain *d = calloc(1, sizeof *d);
    if (!d)
        return DOCA_ERROR_NO_MEMORY;
    dpk_ctx_init(&d->ctx, &ops);
    *domain_ctx = dpk_object_enter(d, &domain_kind);
    return *domain_ctx ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx)
{
    return dpk_doca_destroy(domain_ctx, &domain_kind, __func__);
}

struct doca_ctx *doca_urom_domain_as_ctx(struct doca_urom_domain *domain_ctx)
{
    return dpk_ctx_of(domain_ctx, &domain_kind);
}

/* Returns the domain, locked, if it is idle; else NULL, with the error in *result. */
static struct domain *begin_change(const char *call, struct doca_urom_domain *handle,
                                   doca_error_t *result)
{
    struct domain *d = dpk_object_lock(handle, &domain_kind);
    *result = DOCA_SUCCESS;
    if (d && atomic_load(&d->ctx.state) == DOCA_CTX_STATE_IDLE)
        return d;
    *result = dpk_doca_unlock(d, call, DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                              d ? dpk_ctx_state_name(&d->ctx) : "");
    return NULL;
}

static void drop_members(struct member *members, size_t count)
{
    for (size_t i = 0; members && i < count; i++)
        if (members[i].worker)
            dpk_object_unuse(members[i].worker);
    free(members);
}

/* Returns NULL if a handle is not a worker, or two ids are equal. */
static struct member *new_members(const uint64_t *ids, struct doca_urom_worker *const *workers,
                                  size_t count)
{
    struct member *members = calloc(count, sizeof *members);
    bool good = members != NULL;
    for (size_t i = 0; good && i < count; i++) {
        struct urom_worker *w = dpk_object_pin(workers[i], &urom_worker_kind);
        good = w != NULL;
        for (size_t k = 0; k < i; k++)
            good = good && ids[k] != ids[i] && members[k].worker != w;
        if (w)
            dpk_object_use(members[i].worker = w);
        members[i].id = ids[i];
        dpk_object_drop(w);
    }
    if (good)
        return members;
    drop_members(members, count);
    return NULL;
}

doca_error_t doca_urom_domain_set_workers(struct doca_urom_domain *domain_ctx,
                                          uint64_t *domain_worker_ids,
                                          struct doca_urom_worker **workers, size_t workers_cnt)
{
    doca_error_t result;
    struct member *members = NULL;
    if (domain_worker_ids && workers && workers_cnt > 0 && workers_cnt <= MEMBERS_MAX)
        members = new_members(domain_worker_ids, workers, workers_cnt);
    if (!members)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "these are not 1 to %u different workers with different ids",
                                    MEMBERS_MAX);
    size_t count = workers_cnt;
    struct domain *d = begin_change(__func__, domain_ctx, &result);
    if (d) {
        struct member *before = d->members;
        const size_t before_count = d->member_count;
        d->members = members;
        d->member_count = workers_cnt;
        members = before;
        count = before_count;
        dpk_object_unlock(d, DOCA_SUCCESS);
    }
    drop_members(members, count);
    return result;
}

doca_error_t doca_urom_domain_set_oob(struct doca_urom_domain *domain_ctx,
                                      struct doca_urom_domain_oob_coll *oob)
{
    doca_error_t result;
    if (!oob || !oob->allgather || !oob->req_test || !oob->req_free ||
        oob->n_oob_indexes > MEMBERS_MAX || oob->oob_index >= oob->n_oob_indexes)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "a function is NULL, there are more than %u programs, or the "
                                    "index is not one of them",
                                    MEMBERS_MAX);
    struct domain *d = begin_change(__func__, domain_ctx, &result);
    if (!d)
        return result;
    d->oob = *oob;
    d->has_oob = true;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t doca_urom_domain_set_buffers_count(struct doca_urom_domain *domain_ctx,
                                                size_t buffers_cnt)
{
    doca_error_t result;
    if (buffers_cnt > MEMBERS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__, "%zu is more than %u",
                                    buffers_cnt, MEMBERS_MAX);
    struct domain *d = begin_change(__func__, domain_ctx, &result);
    if (!d)
        return result;
    dpk_buf_free(&d->buffers);
    d->buffer_count = 0;
    d->buffers_max = buffers_cnt;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t doca_urom_domain_add_buffer(struct doca_urom_domain *domain_ctx, void *buffer,
                                         size_t buf_len, void *memh, size_t memh_len, void *mkey,
                                         size_t mkey_len)
{
    doca_error_t result;
    if (!buffer || buf_len == 0 || (!memh && memh_len > 0) || (!mkey && mkey_len > 0) ||
        memh_len > DPK_UROM_ENV_MAX || mkey_len > DPK_UROM_ENV_MAX)
        return dpk_doca_no_object(__func__);
    struct domain *d = begin_change(__func__, domain_ctx, &result);
    if (!d)
        return result;
    const bool full = d->buffer_count >= d->buffers_max;
    if (!full) {
        dpk_put_le64(&d->buffers, (uintptr_t)buffer);
        dpk_put_le64(&d->buffers, buf_len);
        dpk_urom_put_text(&d->buffers, memh, memh_len);
        dpk_urom_put_text(&d->buffers, mkey, mkey_len);
        d->buffer_count++;
    }
    const bool failed = d->buffers.failed;
    return dpk_doca_unlock(d, __func__,
                           failed ? DOCA_ERROR_NO_MEMORY
                           : full ? DOCA_ERROR_FULL
                                  : DOCA_SUCCESS,
                           failed ? "out of memory"
                                  : "all buffers of doca_urom_domain_set_buffers_count were added");
}
