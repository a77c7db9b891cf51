/* Calls of DPA code on RDMA contexts and registered memory (guest/abi/rdma_calls.h). */
#include <inttypes.h>

#include "guest/abi/rdma_calls.h"
#include "rdma.h"

_Static_assert((int)DPA_RDMA_SEND == DPK_RC_SEND && (int)DPA_RDMA_WRITE == DPK_RC_WRITE &&
                   (int)DPA_RDMA_READ == DPK_RC_READ &&
                   (int)DPA_RDMA_FETCH_ADD == DPK_RC_FETCH_ADD &&
                   (int)DPA_RDMA_COMPARE_SWAP == DPK_RC_COMPARE_SWAP &&
                   (int)DPA_RDMA_SIGNAL_ADD == DPK_RC_SIGNAL_ADD &&
                   (int)DPA_RDMA_SIGNAL_SET == DPK_RC_SIGNAL_SET,
               "the device's numbers are the NIC's");

/* ---- Contexts ---- */

/* Returns a context whose data path is on `d`, pinned and locked. */
static struct dpk_rdma *begin(struct dpk_dpa *d, uint64_t handle)
{
    struct dpk_rdma *r = dpk_object_pin(dpk_pointer(handle), &dpk_rdma_kind);
    if (!r)
        return NULL;
    pthread_mutex_lock(&r->ctx.object.lock);
    if (r->end && dpk_rdma_dpa(r) && dpk_dpa_base(dpk_rdma_dpa(r)) == d && r->run == d->run)
        return r;
    pthread_mutex_unlock(&r->ctx.object.lock);
    dpk_object_drop(r);
    return NULL;
}

static void end(struct dpk_rdma *r)
{
    pthread_mutex_unlock(&r->ctx.object.lock);
    dpk_object_drop(r);
}

/* Finds the peer's memory or event for a handle of this process. */
static bool find_remote(const struct dpa_rdma_work *from, struct dpk_rc_work *to)
{
    to->key = from->remote;
    if (from->flags & DPA_RDMA_PEERS_KEY || from->opcode == DPA_RDMA_SEND)
        return true;
    if (from->opcode >= DPA_RDMA_SIGNAL_ADD)
        return dpk_remote_event_of_handle(from->remote, &to->owner, &to->key);
    return from->remote <= UINT32_MAX &&
           dpk_rdma_find_remote((uint32_t)from->remote, &to->owner, &to->key);
}

static bool post(struct dpk_rdma *r, const struct dpa_rdma_work *w, uint64_t *result, char *reason,
                 size_t size)
{
    struct dpk_rc_work work = {
        .opcode = w->opcode,
        .silent = w->flags & DPA_RDMA_SILENT,
        .has_immediate = w->flags & DPA_RDMA_IMMEDIATE,
        .immediate = w->immediate,
        .local = {.key = w->local, .address = w->local_address, .size = w->length},
        .address = w->remote_address,
        .value = w->value};
    if (w->opcode >= DPK_RC_OPCODES)
        return dpk_dpa_call_fails(reason, size, "RDMA: no such operation");
    if (w->connection >= r->count || !r->connections[w->connection]->qp)
        return dpk_dpa_call_fails(reason, size, "RDMA: no such connection");
    if (!find_remote(w, &work))
        return dpk_dpa_call_fails(reason, size, "RDMA: not a handle of the peer's memory or event");
    *result = dpk_rc_post(r->connections[w->connection]->qp, &work);
    return true;
}

static struct dpk_rc_receive receive_of(const uint64_t args[6])
{
    return (struct dpk_rc_receive){
        .buffer = {.key = (uint32_t)args[1], .address = args[2], .size = args[3]}};
}

static bool receive(struct dpk_rdma *r, const uint64_t args[6], char *reason, size_t size)
{
    const struct dpk_rc_receive buffer = receive_of(args);
    if (r->srq)
        return dpk_dpa_call_fails(reason, size,
                                  "RDMA: the context has a shared receive queue, which takes its "
                                  "receives (doca_dpa_dev_rdma_srq_post_receive)");
    return dpk_rc_post_receive(r->end, &buffer) ||
           dpk_dpa_call_fails(reason, size, "RDMA: the receive queue is full");
}

static bool is_idle(const struct dpk_rdma *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->connections[i]->qp && !dpk_rc_qp_is_idle(r->connections[i]->qp))
            return false;
    return true;
}

static bool call_on_context(struct dpk_dpa *d, unsigned call, const uint64_t args[6],
                            uint64_t *result, char *reason, size_t size)
{
    struct dpa_rdma_work work;
    bool good = true;
    if (call == DPA_RDMA_POST &&
        dpk_copy_out(d->process->dpa, &work, args[1], sizeof work, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "RDMA: no memory where the operation is described");
    struct dpk_rdma *r = begin(d, args[0]);
    if (!r)
        return dpk_dpa_call_fails(reason, size, "RDMA: not a handle, or not started");
    if (call == DPA_RDMA_POST)
        good = post(r, &work, result, reason, size);
    else if (call == DPA_RDMA_RECEIVE)
        good = receive(r, args, reason, size);
    else if (call == DPA_RDMA_IS_IDLE)
        *result = is_idle(r);
    else
        good = dpk_dpa_call_unknown(reason, size, call);
    end(r);
    return good;
}

/* ---- Shared receive queues ---- */

static bool shared_receive(const struct dpk_dpa *d, const uint64_t args[6], char *reason,
                           size_t size)
{
    struct dpk_rdma_srq *s = dpk_object_lock(dpk_pointer(args[0]), &dpk_rdma_srq_kind);
    const struct dpk_rc_receive buffer = receive_of(args);
    bool good;
    if (!s)
        return dpk_dpa_call_fails(reason, size, "RDMA: not a handle of a shared receive queue");
    if (!s->rc || dpk_dpa_base(s->base.ctx.datapath) != d || s->run != d->run)
        good = dpk_dpa_call_fails(reason, size, "RDMA: the shared receive queue is not started");
    else
        good = dpk_rdma_srq_post(s, &buffer) ||
               dpk_dpa_call_fails(reason, size, "RDMA: the shared receive queue is full");
    dpk_object_unlock(s, DOCA_SUCCESS);
    return good;
}

/* ---- Memory ---- */

static bool is_matrix(const struct dpa_memory_copy *c)
{
    uint64_t matrix;
    return !__builtin_mul_overflow(c->columns, c->rows, &matrix) &&
           !__builtin_mul_overflow(matrix, c->element_size, &matrix) && matrix == c->length;
}

/* Copies and transposes a matrix of elements. */
static bool transpose(const struct dpa_memory_copy *c, const struct dpk_memory_access *to,
                      const struct dpk_memory_access *from)
{
    struct dpk_memory_access source = *from, target = *to;
    if (c->length == 0)
        return true;
    if (!is_matrix(c))
        return false;
    source.size = target.size = c->element_size;
    for (uint64_t row = 0; row < c->rows; row++)
        for (uint64_t column = 0; column < c->columns; column++) {
            source.address = from->address + (row * c->columns + column) * c->element_size;
            target.address = to->address + (column * c->rows + row) * c->element_size;
            if (!dpk_memory_copy(&target, &source))
                return false;
        }
    return true;
}

static bool copy(struct dpk_dpa *d, const struct dpk_memory_domain *domain, uint64_t address,
                 char *reason, size_t size)
{
    struct dpa_memory_copy c;
    char why[DPK_MEMORY_REASON_MAX];
    if (dpk_copy_out(d->process->dpa, &c, address, sizeof c, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "memcpy: no memory where it is described");
    const struct dpk_memory_access to = {c.to, DPK_MEMORY_WRITE, c.to_address, c.length, domain},
                                   from = {c.from, DPK_MEMORY_READ, c.from_address, c.length,
                                           domain};
    if (c.element_size > 0 ? transpose(&c, &to, &from) : dpk_memory_copy(&to, &from))
        return true;
    if (c.element_size > 0 && !is_matrix(&c))
        return dpk_dpa_call_fails(reason, size,
                                  "memcpy: elements, columns and rows are not its length");
    snprintf(reason, size, "memcpy of %" PRIu64 " bytes from 0x%" PRIx64 " to 0x%" PRIx64 ": %s",
             c.length, c.from_address, c.to_address, dpk_memory_explain_copy(&to, &from, why));
    return false;
}

static bool rdma_call(void *context, struct dpk_caller *caller, unsigned call,
                      const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    if (call == DPA_MEMORY_COPY)
        return copy(d, dpk_dpa_domain(d, caller), args[0], reason, size);
    return call == DPA_RDMA_SHARED_RECEIVE ? shared_receive(d, args, reason, size)
                                           : call_on_context(d, call, args, result, reason, size);
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_RDMA, .call = rdma_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
