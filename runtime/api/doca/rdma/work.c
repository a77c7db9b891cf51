/* Tasks of the host: their conversion to works and receives of rc, and their ends. */
#include <endian.h>
#include <inttypes.h>

#include "rdma.h"

#define WORD sizeof(uint64_t) /* bytes of atomic operands, and of an event's value */

/* ---- Submitting ---- */

static doca_error_t find_local(struct dpk_rdma_work *w, bool room)
{
    struct dpk_memory_access places[DPK_RDMA_LIST_MAX];
    const struct dpk_rdma *r = (struct dpk_rdma *)w->task.ctx;
    doca_error_t result = DOCA_SUCCESS;
    w->count = 0;
    if (w->local)
        result = dpk_buf_list_places(w->local, room, r->dev->domain, places, DPK_RDMA_LIST_MAX,
                                     &w->count);
    for (unsigned i = 0; i < w->count; i++)
        w->pieces[i] = (struct dpk_rc_piece){.memory = places[i]};
    return result;
}

/* Limits local memory to the first `size` bytes. Errors: INVALID_VALUE if there are fewer bytes. */
static doca_error_t cut(struct dpk_rdma_work *w, uint64_t size)
{
    unsigned i = 0;
    for (; size > 0 && i < w->count; i++) {
        struct dpk_memory_access *m = &w->pieces[i].memory;
        if (m->size > size)
            m->size = size;
        size -= m->size;
    }
    w->count = i;
    return size == 0 ? DOCA_SUCCESS
                     : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                        "the local buffers lack %" PRIu64 " bytes of room", size);
}

static uint64_t local_size(const struct dpk_rdma_work *w)
{
    return dpk_rc_message_size(&(struct dpk_rc_message){w->pieces, w->count});
}

/* Sets the work's remote memory to the data of the remote buffer. */
static doca_error_t find_remote(const struct dpk_rdma_work *w, struct dpk_buf_remote *remote,
                                struct dpk_rc_work *out)
{
    const doca_error_t result = dpk_buf_find_remote(w->remote, remote);
    if (result == DOCA_SUCCESS) {
        out->owner = remote->owner;
        out->key = remote->key;
        out->address = remote->address;
    }
    return result;
}

/* Finds local memory for `size` bytes from the peer. */
static doca_error_t find_target(struct dpk_rdma_work *w, uint64_t size)
{
    const doca_error_t result = find_local(w, true);
    return result == DOCA_SUCCESS ? cut(w, size) : result;
}

static doca_error_t describe_read(struct dpk_rdma_work *w, struct dpk_rc_work *out)
{
    struct dpk_buf_remote remote;
    const doca_error_t result = find_remote(w, &remote, out);
    return result == DOCA_SUCCESS ? find_target(w, remote.data_len) : result;
}

/* A write appends to the data of the remote buffer. */
static doca_error_t describe_write(struct dpk_rdma_work *w, struct dpk_rc_work *out)
{
    struct dpk_buf_remote remote;
    doca_error_t result = find_remote(w, &remote, out);
    if (result == DOCA_SUCCESS)
        result = find_local(w, false);
    if (result != DOCA_SUCCESS)
        return result;
    out->address += remote.data_len;
    return local_size(w) <= remote.room
               ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "write of %" PRIu64
                                  " bytes: the remote buffer has room for %" PRIu64,
                                  local_size(w), remote.room);
}

static doca_error_t describe_atomic(struct dpk_rdma_work *w, struct dpk_rc_work *out)
{
    struct dpk_buf_remote remote;
    const doca_error_t result = find_remote(w, &remote, out);
    return result == DOCA_SUCCESS ? find_target(w, WORD) : result;
}

static doca_error_t describe_event(struct dpk_rdma_work *w, struct dpk_rc_work *out)
{
    const struct dpk_rdma *r = (struct dpk_rdma *)w->task.ctx;
    out->owner = w->event_owner;
    out->key = w->event_key;
    if (w->kind != DPK_RDMA_EVENT_SET)
        return find_target(w, WORD);
    w->count = 0;
    return dpk_buf_list_read(w->local, 0, &out->value, WORD, r->dev->domain);
}

static doca_error_t describe(struct dpk_rdma_work *w, struct dpk_rc_work *out)
{
    static const enum dpk_rc_opcode opcodes[] = {
        [DPK_RDMA_SEND] = DPK_RC_SEND,
        [DPK_RDMA_SEND_IMM] = DPK_RC_SEND,
        [DPK_RDMA_READ] = DPK_RC_READ,
        [DPK_RDMA_WRITE] = DPK_RC_WRITE,
        [DPK_RDMA_WRITE_IMM] = DPK_RC_WRITE,
        [DPK_RDMA_COMPARE_SWAP] = DPK_RC_COMPARE_SWAP,
        [DPK_RDMA_FETCH_ADD] = DPK_RC_FETCH_ADD,
        [DPK_RDMA_EVENT_GET] = DPK_RC_SIGNAL_ADD, /* adds 0 */
        [DPK_RDMA_EVENT_SET] = DPK_RC_SIGNAL_SET,
        [DPK_RDMA_EVENT_ADD] = DPK_RC_SIGNAL_ADD,
    };
    *out = (struct dpk_rc_work){.opcode = opcodes[w->kind],
                                .has_immediate =
                                    w->kind == DPK_RDMA_SEND_IMM || w->kind == DPK_RDMA_WRITE_IMM,
                                .immediate = be32toh(w->immediate),
                                .user = w,
                                .value = w->value,
                                .compare = w->compare};
    switch (w->kind) {
    case DPK_RDMA_READ:
        return describe_read(w, out);
    case DPK_RDMA_WRITE:
    case DPK_RDMA_WRITE_IMM:
        return describe_write(w, out);
    case DPK_RDMA_COMPARE_SWAP:
    case DPK_RDMA_FETCH_ADD:
        return describe_atomic(w, out);
    case DPK_RDMA_EVENT_GET:
    case DPK_RDMA_EVENT_SET:
    case DPK_RDMA_EVENT_ADD:
        return describe_event(w, out);
    default:
        return find_local(w, false);
    }
}

static doca_error_t post(struct dpk_rdma_work *w)
{
    struct dpk_rc_work work;
    if (!w->connection->qp)
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "the connection is not connected, or was "
                                                          "disconnected");
    const doca_error_t result = describe(w, &work);
    if (result != DOCA_SUCCESS)
        return result;
    work.pieces = w->pieces;
    work.count = w->count;
    return dpk_rc_post(w->connection->qp, &work)
               ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_NO_MEMORY, "the send queue is full");
}

static doca_error_t post_receive(struct dpk_rdma *r, struct dpk_rdma_work *w)
{
    const doca_error_t result = find_local(w, true);
    if (result != DOCA_SUCCESS)
        return result;
    const struct dpk_rc_receive receive = {.pieces = w->pieces, .count = w->count, .user = w};
    return dpk_rc_post_receive(r->end, &receive) ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t dpk_rdma_work_take(struct dpk_task *task, bool flush)
{
    (void)flush; /* nothing is held back to be flushed */
    struct dpk_rdma *r = (struct dpk_rdma *)task->ctx;
    struct dpk_rdma_work *w = (struct dpk_rdma_work *)task;
    if (dpk_rdma_dpa(r))
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "the data path is on the DPA, whose code posts, and not the host");
    if (dpk_rdma_gpu(r))
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "the data path is on a GPU, whose kernels post, and not the host");
    if (!r->end)
        return DOCA_ERROR_BAD_STATE;
    return w->connection ? post(w) : post_receive(r, w);
}

void dpk_rdma_work_release(struct dpk_task *task)
{
    dpk_object_drop(((struct dpk_rdma_work *)task)->connection);
}

/* ---- Ending ---- */

static doca_error_t status_of(const struct dpk_rc_completion *c)
{
    switch (c->status) {
    case DPK_RC_OK:
        return DOCA_SUCCESS;
    case DPK_RC_FLUSHED:
        return DOCA_ERROR_BAD_STATE;
    case DPK_RC_RETRY_EXCEEDED:
        return DOCA_ERROR_CONNECTION_ABORTED;
    case DPK_RC_REMOTE_ACCESS:
    case DPK_RC_LOCAL_PROTECTION:
        return DOCA_ERROR_NOT_PERMITTED;
    default:
        return DOCA_ERROR_IO_FAILED;
    }
}

/* Extends the data of the buffers of a successful task. */
static void grow(const struct dpk_rdma_work *w)
{
    const uint64_t bytes = w->completion.bytes;
    switch (w->kind) {
    case DPK_RDMA_RECEIVE:
        if (w->completion.event != DPK_RC_WRITTEN_IMMEDIATE)
            dpk_buf_list_grow(w->local, bytes);
        break;
    case DPK_RDMA_WRITE:
    case DPK_RDMA_WRITE_IMM:
        dpk_buf_list_grow((struct doca_buf *)w->remote, bytes);
        break;
    case DPK_RDMA_SEND:
    case DPK_RDMA_SEND_IMM:
    case DPK_RDMA_EVENT_SET:
        break;
    default:
        dpk_buf_list_grow(w->local, bytes);
    }
}

static void tell(struct dpk_rdma_work *w)
{
    const doca_error_t status = status_of(&w->completion);
    char reason[DPK_RC_REASON_MAX];
    if (status == DOCA_SUCCESS)
        grow(w);
    else if (w->completion.status != DPK_RC_FLUSHED)
        dpk_doca_tell(w->task.ctx, dpk_rc_kind(w->completion.status, &w->why), DOCA_LOG_LEVEL_ERROR,
                      "doca_rdma: a task failed: %s%s",
                      w->kind == DPK_RDMA_RECEIVE ? "receive: " : "",
                      dpk_rc_reason(w->completion.status, &w->why, reason));
    dpk_task_end(&w->task, status);
}

/* Returns the next ended task, or NULL. Call this with the lock. */
static struct dpk_rdma_work *take_ended(struct dpk_rdma *r)
{
    struct dpk_rdma_work *w = NULL;
    if (atomic_load(&r->ended_count) == 0)
        return NULL;
    dpk_rc_lock(r->rc);
    if ((w = STAILQ_FIRST(&r->ended))) {
        STAILQ_REMOVE_HEAD(&r->ended, link);
        atomic_fetch_sub(&r->ended_count, 1);
    }
    dpk_rc_unlock(r->rc);
    if (w && w->kind == DPK_RDMA_RECEIVE && w->completion.connection < r->count)
        w->from = r->connections[w->completion.connection]->object.handle;
    return w;
}

/* Call this with the lock. */
static struct dpk_rdma_work *next_ended(struct dpk_rdma *r)
{
    if (!r->rc || dpk_rdma_dpa(r))
        return NULL;
    if (atomic_load(&r->ctx.state) == DOCA_CTX_STATE_STOPPING)
        dpk_rdma_close(r);
    if (atomic_load(&r->ended_count) == 0)
        dpk_rc_poll(r->rc);
    return take_ended(r);
}

static void tell_event(const struct dpk_rdma_event *e)
{
    if (e->request)
        e->request(e->connection, e->ctx_user_data);
    else if (e->told)
        e->told(e->connection, e->connection_user_data, e->ctx_user_data);
}

bool dpk_rdma_progress(struct dpk_ctx *ctx)
{
    struct dpk_rdma *r = (struct dpk_rdma *)ctx;
    struct dpk_rdma_event event = {0};
    pthread_mutex_lock(&ctx->object.lock);
    struct dpk_rdma_work *w = next_ended(r);
    const bool any = w ? w->kind == DPK_RDMA_RECEIVE && w->completion.status == DPK_RC_OK &&
                             dpk_rdma_cm_heard(r, w->completion.connection, &event)
                       : dpk_rdma_cm_next(r, &event);
    const bool tells = w || any;
    r->telling += tells;
    pthread_mutex_unlock(&ctx->object.lock);
    if (any)
        tell_event(&event);
    if (w)
        tell(w);
    pthread_mutex_lock(&ctx->object.lock);
    r->telling -= tells && r->telling > 0;
    pthread_mutex_unlock(&ctx->object.lock);
    return tells;
}

bool dpk_rdma_is_ready(const struct dpk_ctx *ctx)
{
    const struct dpk_rdma *r = (const struct dpk_rdma *)ctx;
    return atomic_load(&r->ended_count) > 0 || dpk_rdma_cm_is_ready(r);
}

void dpk_rdma_poll(struct dpk_ctx *ctx)
{
    const struct dpk_rdma *r = (const struct dpk_rdma *)ctx;
    pthread_mutex_lock(&ctx->object.lock);
    if (r->rc)
        dpk_rc_poll(r->rc);
    pthread_mutex_unlock(&ctx->object.lock);
}

int dpk_rdma_rest(struct dpk_ctx *ctx, const struct dpk_pe *pe)
{
    const struct dpk_rdma *r = (const struct dpk_rdma *)ctx;
    pthread_mutex_lock(&ctx->object.lock);
    const int fd = r->rc && !dpk_rdma_dpa(r) ? dpk_rc_rest(r->rc, pe) : -1;
    pthread_mutex_unlock(&ctx->object.lock);
    return fd;
}
