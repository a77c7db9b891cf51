/* Queue pairs of the DPA: a front end of rc. DPA code fills their rings with calls
 * (guest/abi/verbs_calls.h). The lock of rc guards them. */
#include <errno.h>

#include "api/doca/memory/memory.h"
#include "dpa_queues.h"

#include <doca_dpa_dev.h>

#define AT_ONCE    64u  /* works that rc carries out concurrently */
#define WQE_BLOCK  64u  /* a WQE consists of such blocks */
#define INLINE_AT  36u  /* start of inline data in a WQE, after other segments */
#define INLINE_MAX 960u /* maximum bytes of inline data in a WQE */

struct dpa_qp {
    struct dpk_object object;
    struct ibv_context *context;
    struct dpk_rc *rc;
    struct dpk_rc_end *end;
    struct dpk_rc_qp *pair;
    struct dpk_dpa *base; /* a reference */
    uint64_t run;
    struct dpa_memory memory;
    struct dpk_dpa_completion *send_queue, *receive_queue; /* uses */
    struct ring sends, receives;
    struct dpa_srq *shared; /* NULL: it has its own receives */
    struct dpa_srq_user user;
    uint32_t reads; /* number of taken reads that have not ended */
    uint32_t user_index;
    enum ibv_qp_state state;
    struct ibv_qp_attr attr;
};

static void dpa_qp_left(void *object);
static void dpa_qp_release(void *object);
static const struct dpk_kind dpa_qp_kind = {.left = dpa_qp_left, .release = dpa_qp_release};

/* ---- Callbacks of rc ---- */

static bool next_work(void *context, struct dpk_rc_work *out)
{
    struct dpa_qp *q = context;
    struct ring *r = &q->sends;
    const struct entry *e = &r->entries[ring_at(r, r->taken)];
    if (r->taken == r->committed || (q->state != IBV_QPS_RTS && q->state != IBV_QPS_ERR) ||
        (q->state == IBV_QPS_RTS && e->fence && q->reads > 0))
        return false;
    *out = e->work;
    q->reads += e->reads;
    r->taken++;
    return true;
}

static enum dpk_rc_taken next_receive(void *context, struct dpk_rc_receive *out)
{
    struct dpa_qp *q = context;
    struct ring *r = &q->receives;
    if (q->shared && q->state == IBV_QPS_ERR)
        return DPK_RC_NEVER;
    if (q->shared)
        return verbs_dpa_srq_take(q->shared, &q->user, out);
    if (r->taken == r->committed)
        return DPK_RC_NONE;
    *out = (struct dpk_rc_receive){.pieces = ring_pieces_at(r, r->taken),
                                   .count = r->entries[ring_at(r, r->taken)].count,
                                   .index = r->taken};
    r->taken++;
    return DPK_RC_TAKEN;
}

static void tell(struct dpa_qp *q, const char *what, enum dpk_rc_status status,
                 const struct dpk_rc_why *why)
{
    char reason[DPK_RC_REASON_MAX];
    if (why)
        dpk_doca_tell(q, dpk_rc_kind(status, why), DOCA_LOG_LEVEL_WARNING,
                      "QP 0x%x of the DPA is in the error state: %s%s", dpk_rc_qp_number(q->pair),
                      what, dpk_rc_reason(status, why, reason));
}

static void failed(void *context, enum dpk_rc_status refused, const struct dpk_rc_why *why)
{
    tell(context, "it refused its peer's ", refused, why);
    ((struct dpa_qp *)context)->state = IBV_QPS_ERR;
}

static bool sent(struct dpa_qp *q, const struct dpk_rc_completion *c)
{
    const struct entry *e = c->user;
    const bool silent = c->event == DPK_RC_DONE && e->work.silent;
    q->reads -= e->reads;
    q->sends.done++;
    tell(q, "", c->status, c->why);
    if (!silent)
        dpk_completion_post(q->send_queue,
                            &(struct dpk_completion){.type = c->event == DPK_RC_DONE
                                                                 ? DOCA_DPA_DEV_COMP_SEND
                                                                 : DOCA_DPA_DEV_COMP_SEND_ERR,
                                                     .user_data = q->user_index,
                                                     .wqe_counter = q->sends.done,
                                                     .bytes = (uint32_t)c->bytes,
                                                     .syndrome = c->status,
                                                     .queue = dpk_rc_qp_number(q->pair),
                                                     .opcode = verbs_ring_opcode(&e->work)});
    return true;
}

static bool completed(void *context, const struct dpk_rc_completion *c)
{
    struct dpa_qp *q = context;
    if (c->event == DPK_RC_DONE || c->event == DPK_RC_FAILED)
        return sent(q, c);
    tell(q, "receive: ", c->status, c->why);
    const uint32_t counter =
        q->shared ? verbs_dpa_srq_ended(q->shared, c->user) : ++q->receives.done;
    dpk_completion_post(
        q->receive_queue,
        &(struct dpk_completion){
            .type = c->event == DPK_RC_RECEIVED             ? DOCA_DPA_DEV_COMP_RECV_SEND
                    : c->event == DPK_RC_RECEIVED_IMMEDIATE ? DOCA_DPA_DEV_COMP_RECV_SEND_IMM
                    : c->event == DPK_RC_WRITTEN_IMMEDIATE  ? DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM
                                                            : DOCA_DPA_DEV_COMP_RECV_ERR,
            .user_data = q->user_index,
            .immediate = c->immediate,
            .wqe_counter = counter,
            .bytes = (uint32_t)c->bytes,
            .syndrome = c->status,
            .queue = dpk_rc_qp_number(q->pair),
            .shared_queue = q->shared ? verbs_dpa_srq_number(q->shared) : 0});
    return true;
}

static const struct dpk_rc_ops ops = {
    .complete = completed, .next = next_work, .receive = next_receive, .failed = failed};

/* ---- Life ---- */

static void dpa_qp_release(void *object)
{
    struct dpa_qp *q = object;
    verbs_ring_free(&q->sends);
    verbs_ring_free(&q->receives);
    dpk_object_drop(q->base);
    free(q);
}

/* Finds the memory of the rings: of the context, or of the program. */
static bool find_memory(struct dpa_qp *q, const struct qp_init_attr *a)
{
    const uint64_t blocks = (INLINE_AT + a->max_inline_data + WQE_BLOCK - 1) / WQE_BLOCK;
    const uint64_t receives = a->rq_wr && !q->shared ? (uint64_t)q->receives.size *
                                                           verbs_receive_size(q->receives.segments)
                                                     : 0;
    const uint64_t sends = a->sq_wr ? (uint64_t)q->sends.size * blocks * WQE_BLOCK : 0;
    if (!a->dpa)
        return dpk_is_uar(a->external_uar) &&
               verbs_memory_find(&q->memory, receives, sends, a->external_umem,
                                 a->external_umem_offset, a->external_dbr_umem,
                                 a->external_dbr_umem_offset);
    struct dpk_dpa *d = dpk_object_pin(a->dpa, &dpk_dpa_kind);
    const bool same = d && dpk_dpa_base(d) == q->base;
    dpk_object_drop(d);
    return same && !a->external_umem && !a->external_dbr_umem && !a->external_uar &&
           verbs_memory_new(&q->memory, receives, sends);
}

static doca_error_t begin(struct dpa_qp *q, struct ibv_pd *pd, const struct qp_init_attr *a)
{
    struct dpk_error err = {0};
    const struct dpk_rc_end_options options = {.ops = &ops,
                                               .context = q,
                                               .domain = dpk_verbs_domain(pd),
                                               .sends = AT_ONCE,
                                               .outlives_peers = true};
    if (!verbs_ring_new(&q->sends, a->sq_wr, a->send_max_sges, a->max_inline_data) ||
        !verbs_ring_new(&q->receives, q->shared ? 0 : a->rq_wr, a->receive_max_sges, 0))
        return DOCA_ERROR_NO_MEMORY;
    dpk_object_hold(q->base = dpk_dpa_base(q->send_queue->dpa));
    if (dpk_dpa_base(q->receive_queue->dpa) != q->base)
        return DOCA_ERROR_INVALID_VALUE;
    if (!dpk_dpa_enter(q->base, 0))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the DPA context is not started");
    q->run = q->base->run;
    q->memory.base = q->base;
    q->memory.run = q->run;
    const bool fits = find_memory(q, a) && (!q->shared || verbs_dpa_srq_is_of(q->shared, q->base));
    dpk_dpa_leave(q->base);
    if (!fits)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the memory of the rings or the shared receive queue does not fit");
    q->receives.at = q->memory.receives;
    if (dpk_rc_enter(&q->rc, &err) != DPK_OK ||
        dpk_rc_end_create(q->rc, &options, &q->end, &err) != DPK_OK ||
        dpk_rc_qp_create(q->end, 0, &q->pair, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    q->user.end = q->end;
    return DOCA_SUCCESS;
}

/* Ends the parts that DPA code may reach. */
static void end(struct dpa_qp *q)
{
    if (q->end)
        dpk_rc_end_destroy(q->end);
    if (q->rc) {
        dpk_rc_lock(q->rc);
        if (q->shared)
            verbs_dpa_srq_leave(q->shared, &q->user);
        dpk_rc_unlock(q->rc);
        dpk_rc_leave(q->rc);
    }
    q->end = NULL;
    verbs_memory_free(&q->memory);
    verbs_unuse(q->send_queue);
    verbs_unuse(q->receive_queue);
}

static void dpa_qp_left(void *object)
{
    struct dpa_qp *q = object;
    pthread_mutex_lock(&q->object.lock); /* a call of DPA code holds the lock */
    end(q);
    pthread_mutex_unlock(&q->object.lock);
}

doca_error_t verbs_dpa_qp_new(struct ibv_pd *pd, const struct qp_init_attr *init,
                              struct dpa_srq *shared, struct dpa_qp **out)
{
    if (init->sq_wr > WORKS_MAX || init->rq_wr > WORKS_MAX || init->max_inline_data > INLINE_MAX ||
        init->send_max_sges > DPA_VERBS_SEGMENTS_MAX ||
        init->receive_max_sges > DPA_VERBS_SEGMENTS_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a queue pair of the DPA has at most %u works a queue, %u segments "
                                "a work and %u bytes of inline data",
                                (unsigned)WORKS_MAX, (unsigned)DPA_VERBS_SEGMENTS_MAX,
                                (unsigned)INLINE_MAX);
    struct dpa_qp *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    q->context = pd->context;
    q->user_index = init->user_index;
    q->shared = shared;
    q->send_queue = verbs_use(init->send_dpa_completion, &dpk_completion_kind);
    q->receive_queue = verbs_use(init->receive_dpa_completion, &dpk_completion_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (q->send_queue && q->receive_queue)
        result = begin(q, pd, init);
    else
        dpk_doca_because(result, "a queue pair of the DPA has two DPA completions");
    if (result == DOCA_SUCCESS) {
        if (dpk_object_enter(q, &dpa_qp_kind)) {
            *out = q;
            return result;
        }
        return DOCA_ERROR_NO_MEMORY; /* dpk_object_enter ended and released it */
    }
    end(q);
    dpa_qp_release(q);
    return result;
}

void verbs_dpa_qp_free(struct dpa_qp *q)
{
    if (q)
        dpk_object_destroy(q->object.handle, &dpa_qp_kind);
}

uint32_t verbs_dpa_qp_number(const struct dpa_qp *q)
{
    return dpk_rc_qp_number(q->pair);
}

doca_error_t verbs_dpa_handle(const struct dpk_object *object, const struct dpk_dpa *base,
                              const struct doca_dpa *dpa, uint64_t *handle)
{
    struct dpk_dpa_call c;
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return result;
    if (dpk_dpa_base(c.dpa) != base)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the object is of another DPA context");
    else
        *handle = (uintptr_t)object->handle;
    dpk_dpa_end(&c);
    return result;
}

doca_error_t verbs_dpa_qp_handle(const struct dpa_qp *q, const struct doca_dpa *dpa,
                                 uint64_t *handle)
{
    return verbs_dpa_handle(&q->object, q->base, dpa, handle);
}

/* ---- States ---- */

static unsigned permits(const struct ibv_qp_attr *a)
{
    return (a->qp_access_flags & IBV_ACCESS_REMOTE_READ ? DPK_MEMORY_REMOTE_READ : 0) |
           (a->qp_access_flags & IBV_ACCESS_REMOTE_WRITE ? DPK_MEMORY_REMOTE_WRITE : 0) |
           (a->qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC ? DPK_MEMORY_REMOTE_ATOMIC : 0);
}

/* Call this with the lock of rc. */
static void enter(struct dpa_qp *q, enum ibv_qp_state to)
{
    if (to == IBV_QPS_RESET) {
        dpk_rc_qp_reset(q->pair);
        ring_drop(&q->sends);
        ring_drop(&q->receives);
        if (q->shared)
            verbs_dpa_srq_leave(q->shared, &q->user);
        q->reads = 0;
        q->attr = (struct ibv_qp_attr){0};
    } else if (to == IBV_QPS_ERR && q->state != IBV_QPS_RESET) {
        dpk_rc_qp_fail(q->pair);
    }
    q->state = to;
    dpk_rc_qp_kick(q->pair);
}

doca_error_t verbs_dpa_qp_modify(struct dpa_qp *q, const struct ibv_qp_attr *a, int mask)
{
    dpk_rc_lock(q->rc);
    const enum ibv_qp_state from = q->state, to = mask & IBV_QP_STATE ? a->qp_state : from;
    const int why = dpk_verbs_check_change(q->context, IBV_QPT_RC, from, a, mask);
    if (!why) {
        dpk_verbs_keep_change(&q->attr, a, mask);
        dpk_rc_end_permit(q->end, permits(&q->attr));
        dpk_verbs_set_patience(q->pair, &q->attr);
    }
    dpk_rc_unlock(q->rc);
    if (why)
        return verbs_error_of(why);
    /* The lock is not held, because this may wait for the peer's process. */
    if (from == IBV_QPS_INIT && to == IBV_QPS_RTR &&
        dpk_verbs_connect(q->context, IBV_QPT_RC, q->pair, a, NULL) != DPK_OK)
        return DOCA_ERROR_NO_MEMORY;
    if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
        dpk_rc_qp_expose(q->pair);
    dpk_rc_lock(q->rc);
    if (q->state == from)
        enter(q, to);
    dpk_rc_unlock(q->rc);
    return DOCA_SUCCESS;
}

/* ---- Calls of DPA code ---- */

static void commit(const struct dpk_dpa *d, struct dpa_qp *q, bool receives)
{
    struct ring *r = receives ? &q->receives : &q->sends;
    r->committed = r->posted;
    verbs_write_record(d, q->memory.record + (receives ? 0 : RECORD / 2), r->posted & UINT16_MAX);
    if (receives)
        dpk_rc_end_resume(q->end);
    else
        dpk_rc_qp_kick(q->pair);
}

static uint64_t tell_number(const struct dpa_qp *q, uint64_t what)
{
    switch (what) {
    case DPA_VERBS_NUMBER:
        return verbs_dpa_qp_number(q);
    case DPA_VERBS_USER_INDEX:
        return q->user_index;
    case DPA_VERBS_SENDS_AT:
        return q->memory.sends;
    case DPA_VERBS_SEND_ENTRIES:
        return q->sends.size;
    case DPA_VERBS_RECEIVES_AT:
        return q->memory.receives;
    case DPA_VERBS_RECEIVE_ENTRIES:
        return q->receives.size;
    case DPA_VERBS_RECEIVE_SIZE:
        return verbs_receive_size(q->receives.segments);
    default:
        return q->memory.record;
    }
}

/* Call this with the lock of rc. */
static bool acknowledge(struct dpk_dpa *d, struct dpa_qp *q, uint64_t count, uint64_t *result,
                        char *reason, size_t size)
{
    if (q->shared || !verbs_ring_ack(d, &q->receives, count, result, reason, size))
        return q->shared != NULL;
    if (*result)
        commit(d, q, true);
    return true;
}

/* Call this with the lock of rc. */
static bool call_on(struct dpk_dpa *d, struct dpa_qp *q, unsigned call, const uint64_t args[6],
                    uint64_t *result, char *reason, size_t size)
{
    switch (call) {
    case DPA_VERBS_POST:
        return verbs_ring_post(d, &q->sends, args[1], result, reason, size);
    case DPA_VERBS_RAW:
        return verbs_ring_post_raw(d, &q->sends, args[1], result, reason, size);
    case DPA_VERBS_RECEIVE:
        return q->shared || verbs_ring_receive(d, &q->receives, args, result, reason, size);
    case DPA_VERBS_RAW_RECEIVE:
        return q->shared || verbs_ring_receive_raw(d, &q->receives, args, result, reason, size);
    case DPA_VERBS_ACK:
        return acknowledge(d, q, args[1], result, reason, size);
    case DPA_VERBS_COMMIT:
        commit(d, q, args[1]);
        return true;
    case DPA_VERBS_TELL:
        *result = tell_number(q, args[1]);
        return true;
    default:
        return dpk_dpa_call_unknown(reason, size, call);
    }
}

static bool verbs_call(void *context, struct dpk_caller *caller, unsigned call,
                       const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    (void)caller;
    bool good = false;
    struct dpa_qp *q = dpk_object_lock(dpk_pointer(args[0]), &dpa_qp_kind);
    if (q && q->end && q->base == d && q->run == d->run) {
        dpk_rc_lock(q->rc);
        good = call_on(d, q, call, args, result, reason, size);
        dpk_rc_unlock(q->rc);
    } else {
        dpk_dpa_call_fails(reason, size, "Verbs: not a queue pair of this process");
    }
    dpk_object_unlock(q, DOCA_SUCCESS);
    return good;
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_VERBS, .call = verbs_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
