/* Producers of message queues on the DPA, and the calls of DPA code on either side of a queue
 * (guest/abi/comch_calls.h). */
#include <doca_dpa_dev.h>
#include <string.h>

#include "guest/abi/comch_calls.h"
#include "private.h"

#define LOCAL_PROTECTION 0x04 /* MLX5_CQE_SYNDROME_LOCAL_PROT_ERR */
#define REMOTE_INVALID   0x12 /* MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR */

/* ---- Producers ---- */

doca_error_t comch_dpa_producer_check(struct producer *p)
{
    const doca_error_t result =
        comch_dpa_side_check(p->base.ctx.datapath, p->c->producer_dpa, &p->run);
    if (result == DOCA_SUCCESS && p->queue &&
        dpk_dpa_base(p->queue->dpa) != dpk_dpa_base(p->c->producer_dpa))
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the completion queue of the producer is of another DPA context");
    p->sent = 0;
    return result;
}

/* Unlocks a producer after a change and reports why it failed. */
static doca_error_t refuse_change(const char *call, struct producer *p, doca_error_t result)
{
    if (result == DOCA_ERROR_NOT_SUPPORTED)
        return dpk_doca_unlock(p, call, result,
                               "the producer is of a connection between processes, and not of a "
                               "message queue");
    return dpk_doca_unlock(p, call, result, "the producer is %s, and must be idle",
                           p ? dpk_ctx_state_name(&p->base.ctx) : "");
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp)
{
    struct dpk_dpa_completion *before = NULL, *q = dpk_object_pin(dpa_comp, &dpk_completion_kind);
    struct producer *p = q ? dpk_object_lock(producer, &comch_producer_kind) : NULL;
    doca_error_t result = DOCA_SUCCESS;
    if (p && !p->msgq) {
        result = DOCA_ERROR_NOT_SUPPORTED;
    } else if (p && atomic_load(&p->base.ctx.state) != DOCA_CTX_STATE_IDLE) {
        result = DOCA_ERROR_BAD_STATE;
    } else if (p) {
        before = p->queue;
        dpk_object_hold(p->queue = q);
    }
    result = refuse_change(__func__, p, result);
    dpk_object_drop(before);
    dpk_object_drop(q);
    return result;
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send)
{
    if (dev_num_send == 0 || dev_num_send > DPK_PIPE_POSTS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u sends are not within 1 to %u", dev_num_send,
                                    DPK_PIPE_POSTS_MAX);
    struct producer *p = dpk_object_lock(producer, &comch_producer_kind);
    const bool idle = p && atomic_load(&p->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    return refuse_change(__func__, p,
                         p && !p->msgq ? DOCA_ERROR_NOT_SUPPORTED
                         : idle        ? DOCA_SUCCESS
                                       : DOCA_ERROR_BAD_STATE);
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer)
{
    struct producer *p = dpa_producer ? dpk_object_lock(producer, &comch_producer_kind) : NULL;
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    if (p && !p->msgq)
        result = DOCA_ERROR_NOT_SUPPORTED;
    if (p && p->entered && p->c->producer_dpa) {
        *dpa_producer = (uintptr_t)p->base.ctx.object.handle;
        result = DOCA_SUCCESS;
    }
    return dpk_doca_unlock(p, __func__, result,
                           "the producer is %s, and has a handle while it is running on the DPA",
                           p ? dpk_ctx_state_name(&p->base.ctx) : "");
}

/* ---- Sends ---- */

/* Returns the producer of a handle, pinned and locked; end with dpk_object_unlock. */
static struct producer *begin(struct dpk_dpa *d, uint64_t handle)
{
    struct producer *p = dpk_object_lock(dpk_pointer(handle), &comch_producer_kind);
    if (p && p->entered && p->c->producer_dpa && p->run == d->run &&
        dpk_dpa_base(p->c->producer_dpa) == d)
        return p;
    dpk_object_unlock(p, DOCA_SUCCESS);
    return NULL;
}

static struct dpk_memory_access write_of(const struct dpa_comch_send *s,
                                         const struct dpk_memory_domain *domain)
{
    return (struct dpk_memory_access){s->to, DPK_MEMORY_WRITE, s->to_address, s->length, domain};
}

static struct dpk_memory_access read_of(const struct dpa_comch_send *s,
                                        const struct dpk_memory_domain *domain)
{
    return (struct dpk_memory_access){s->from, DPK_MEMORY_READ, s->from_address, s->length, domain};
}

static bool copy(const struct dpa_comch_send *s, const struct dpk_memory_domain *domain)
{
    const struct dpk_memory_access to = write_of(s, domain), from = read_of(s, domain);
    return s->length == 0 || dpk_memory_copy(&to, &from);
}

/* Sends to a consumer. Returns 0, the number of an error, or -1 if the consumer has no receive. */
static int send_to(struct producer *p, struct remote *r, const struct dpa_comch_send *s)
{
    uint32_t posted;
    enum ring_state state;
    int error = -1;
    const struct dpk_pipe_head h = {
        .producer = p->id, .imm_size = (uint8_t)s->imm_size, .flags = DPK_PIPE_LAST};
    if (s->imm_size > r->imm_room)
        return REMOTE_INVALID;
    pthread_mutex_lock(&r->lock);
    if (atomic_load(&r->gone)) {
        error = REMOTE_INVALID;
    } else if (dpk_pipe_posted(&r->rings, &posted) == RING_GOOD &&
               dpk_pipe_room(&r->rings, &h, &state)) {
        error = copy(s, p->base.dev->domain) ? 0 : LOCAL_PROTECTION;
        if (error == 0) {
            dpk_pipe_use_post(&r->rings);
            dpk_pipe_put(&r->rings, &h, s->imm);
        }
    }
    pthread_mutex_unlock(&r->lock);
    return error;
}

static void tell(struct producer *p, uint32_t report, uint32_t error)
{
    const struct dpk_completion c = {.type = error ? DOCA_DPA_DEV_COMP_SEND_ERR
                                                   : DOCA_DPA_DEV_COMP_SEND,
                                     .user_data = p->id,
                                     .wqe_counter = p->sent++,
                                     .syndrome = error};
    if (!p->queue || (!error && report == DPA_COMCH_SILENT))
        return;
    if (!error && report == DPA_COMCH_REPORT_IF_ROOM)
        dpk_completion_offer(p->queue, &c);
    else
        dpk_completion_post(p->queue, &c);
}

/* Reports why a send of DPA code ends with an error. `r`: NULL if there is no such consumer. */
static void explain(struct producer *p, const struct dpa_comch_send *s, const struct remote *r,
                    uint32_t error)
{
    const char *call = "send of DPA code";
    const uint32_t most = r ? r->imm_room : DPA_COMCH_IMM_MAX;
    if (s->imm_size > most) {
        dpk_doca_refuse_call(p, DOCA_ERROR_INVALID_VALUE, call,
                             "%u bytes of immediate data to consumer %u, which takes %u",
                             s->imm_size, s->consumer, most);
    } else if (error == LOCAL_PROTECTION) {
        const struct dpk_memory_access to = write_of(s, p->base.dev->domain),
                                       from = read_of(s, p->base.dev->domain);
        char why[DPK_MEMORY_REASON_MAX];
        dpk_doca_refuse_call(
            p, DOCA_ERROR_NOT_PERMITTED, call, "copy of %llu bytes from 0x%llx to 0x%llx: %s",
            (unsigned long long)s->length, (unsigned long long)s->from_address,
            (unsigned long long)s->to_address, dpk_memory_explain_copy(&to, &from, why));
    } else {
        dpk_doca_refuse_call(p, DOCA_ERROR_NOT_FOUND, call,
                             "the queue has no consumer %u, or it was stopped", s->consumer);
    }
}

/* Returns false if the consumer has no receive now. */
static bool send(struct producer *p, const struct dpa_comch_send *s)
{
    struct remote *r =
        s->imm_size <= DPA_COMCH_IMM_MAX ? comch_connection_find_remote(p->c, s->consumer) : NULL;
    const int error = r ? send_to(p, r, s) : REMOTE_INVALID;
    if (error > 0)
        explain(p, s, r, (uint32_t)error);
    comch_remote_drop(r);
    if (error >= 0)
        tell(p, s->report, (uint32_t)error);
    return error >= 0;
}

static bool has_no_receive(struct producer *p, uint32_t id)
{
    uint32_t posted;
    struct remote *r = comch_connection_find_remote(p->c, id);
    if (!r)
        return true;
    pthread_mutex_lock(&r->lock);
    const bool none = dpk_pipe_posted(&r->rings, &posted) != RING_GOOD;
    pthread_mutex_unlock(&r->lock);
    comch_remote_drop(r);
    return none;
}

/* ---- Calls ---- */

static bool producer_call(struct dpk_dpa *d, struct dpk_caller *caller, unsigned call,
                          const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpa_comch_send s = {0};
    if (call == DPA_COMCH_SEND &&
        dpk_copy_out(d->process->dpa, &s, args[1], sizeof s, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "comch: no memory where the send is described");
    struct producer *p = begin(d, args[0]);
    if (!p)
        return dpk_dpa_call_fails(reason, size,
                                  "comch: not a handle of a producer, or not started");
    *result = call == DPA_COMCH_SEND ? send(p, &s) : has_no_receive(p, (uint32_t)args[1]);
    caller->polls = *result == (call == DPA_COMCH_IS_EMPTY);
    dpk_object_unlock(p, DOCA_SUCCESS);
    return true;
}

static bool comch_call(void *context, struct dpk_caller *caller, unsigned call,
                       const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    switch (call) {
    case DPA_COMCH_RECEIVE:
        return comch_dpa_consumer_receive(d, args[0], args[1], reason, size);
    case DPA_COMCH_IS_EMPTY:
    case DPA_COMCH_SEND:
        return producer_call(d, caller, call, args, result, reason, size);
    default:
        return dpk_dpa_call_unknown(reason, size, call);
    }
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_COMCH, .call = comch_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
