/* Ethernet queues of the DPA: what DPA code does with them (guest/abi/verbs_calls.h). */
#include <string.h>

#include "eth_queues.h"

enum { CONTROL = 16, ETHERNET = 16, FLAGS_AT = 11, ALWAYS_COMPLETES = 2 << 2, SOLICITED = 2 };
#define WQE_BYTES_MAX (CONTROL + ETHERNET + DPA_VERBS_SEGMENTS_MAX * WQE_SEGMENT + DPK_WQEBB)

static uint8_t *put_segments(uint8_t *at, const struct dpk_rc_piece *pieces, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, at += WQE_SEGMENT) {
        dpk_store_be32(at, (uint32_t)pieces[i].memory.size);
        dpk_store_be32(at + 4, pieces[i].memory.key);
        dpk_store_be64(at + 8, pieces[i].memory.address);
    }
    return at;
}

/* ---- Sending ---- */

static bool has_room(const struct eth_queue *q, unsigned blocks)
{
    return (uint32_t)(uint16_t)(q->blocks - q->sent) + blocks <= 1u << q->log_depth;
}

static bool write_send(struct eth_queue *q, const struct dpa_verbs_work *w,
                       const struct dpk_rc_piece *pieces, uint64_t *result)
{
    uint8_t wqe[WQE_BYTES_MAX] = {0};
    const uint8_t *end = put_segments(wqe + CONTROL + ETHERNET, pieces, w->count);
    const unsigned segments = (unsigned)(end - wqe) / WQE_SEGMENT;
    const unsigned blocks = (segments * WQE_SEGMENT + DPK_WQEBB - 1) / DPK_WQEBB;
    if (!has_room(q, blocks))
        return true; /* *result is 0: the queue is full */
    dpk_store_be32(wqe, (uint32_t)q->blocks << 8 | DPA_VERBS_SEND);
    dpk_store_be32(wqe + 4, dpk_queue_number(q->queue) << 8 | segments);
    wqe[FLAGS_AT] =
        (uint8_t)((w->flags & DPA_VERBS_SIGNALED || q->all_signaled ? ALWAYS_COMPLETES : 0) |
                  (w->flags & DPA_VERBS_SOLICITED ? SOLICITED : 0));
    if (!verbs_eth_store(q, q->blocks, wqe, (size_t)blocks * DPK_WQEBB))
        return false;
    *result = ++q->posted;
    q->counts[q->blocks & ((1u << q->log_depth) - 1)] = q->posted;
    q->blocks = (uint16_t)(q->blocks + blocks);
    return true;
}

static bool send(struct dpk_dpa *d, struct eth_queue *q, uint64_t address, uint64_t *result,
                 char *reason, size_t size)
{
    struct dpa_verbs_work w;
    struct dpk_rc_piece pieces[DPA_VERBS_SEGMENTS_MAX];
    if (dpk_copy_out(d->process->dpa, &w, address, sizeof w, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the work is described");
    if (w.opcode != DPA_VERBS_SEND)
        return dpk_dpa_call_fails(reason, size, "Verbs: an Ethernet queue only sends");
    if (w.count > q->segments)
        return true;
    if (!verbs_read_segments(d, pieces, w.segments, w.count))
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the segments are");
    return write_send(q, &w, pieces, result) ||
           dpk_dpa_call_fails(reason, size, "Verbs: the memory of the ring is gone");
}

/* ---- Receiving ---- */

static uint32_t room(const struct eth_queue *q)
{
    return (1u << q->log_depth) - (q->posted - atomic_load(&q->done));
}

static bool receive(struct dpk_dpa *d, struct eth_queue *q, const uint64_t args[6],
                    uint64_t *result, char *reason, size_t size)
{
    struct dpk_rc_piece pieces[DPA_VERBS_SEGMENTS_MAX];
    uint8_t wqe[(DPA_VERBS_SEGMENTS_MAX + 2) * WQE_SEGMENT];
    uint32_t count;
    if (room(q) == 0 || args[2] > q->segments)
        return true; /* *result is 0: the queue is full */
    if (!verbs_read_receive(d, pieces, args[1], (uint32_t)args[2], &count))
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the segments are");
    verbs_write_receive(wqe, (size_t)1 << q->log_size, pieces, count);
    if (!verbs_eth_store(q, q->posted, wqe, (size_t)1 << q->log_size))
        return dpk_dpa_call_fails(reason, size, "Verbs: the memory of the ring is gone");
    *result = ++q->posted;
    return true;
}

static void release(struct eth_queue *q)
{
    verbs_eth_release(q);
    dpk_queues_kick(q->nic, q->cq);
}

/* ---- Both kinds ---- */

static void commit(struct eth_queue *q, struct dpk_caller *caller)
{
    dpk_doorbell_begin(caller);
    if (!q->sends) {
        release(q);
    } else if (q->sent != q->blocks) {
        dpk_queue_ring(q->queue, q->blocks);
        q->sent = q->blocks; /* all were carried out, or flushed */
    }
    dpk_doorbell_end();
}

static uint64_t tell(const struct eth_queue *q, uint64_t what)
{
    switch (what) {
    case DPA_VERBS_NUMBER:
        return dpk_queue_number(q->queue);
    case DPA_VERBS_USER_INDEX:
        return q->user_index;
    case DPA_VERBS_SENDS_AT:
    case DPA_VERBS_RECEIVES_AT:
        return q->ring;
    case DPA_VERBS_SEND_ENTRIES:
    case DPA_VERBS_RECEIVE_ENTRIES:
        return UINT64_C(1) << q->log_depth;
    case DPA_VERBS_RECEIVE_SIZE:
        return UINT64_C(1) << q->log_size;
    default:
        return q->record;
    }
}

/* Calls of both kinds of queues, and of one kind. */
static bool call_on(struct dpk_dpa *d, struct dpk_caller *caller, struct eth_queue *q,
                    unsigned call, const uint64_t args[6], uint64_t *result, char *reason,
                    size_t size)
{
    switch (call) {
    case DPA_ETH_SEND:
        return send(d, q, args[1], result, reason, size);
    case DPA_ETH_RECEIVE:
        return receive(d, q, args, result, reason, size);
    case DPA_ETH_ACK:
        if (args[1] > 0 && args[1] <= room(q)) {
            q->posted += (uint32_t)args[1];
            commit(q, caller);
            *result = q->posted;
        }
        return true;
    case DPA_ETH_SEND_COMMIT:
    case DPA_ETH_RECEIVE_COMMIT:
        commit(q, caller);
        return true;
    case DPA_ETH_SEND_TELL:
    case DPA_ETH_RECEIVE_TELL:
        *result = tell(q, args[1]);
        return true;
    default:
        return dpk_dpa_call_unknown(reason, size, call);
    }
}

static bool eth_call(void *context, struct dpk_caller *caller, unsigned call,
                     const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    struct dpk_dpa *d = context;
    bool good = false;
    const bool sends =
        call == DPA_ETH_SEND || call == DPA_ETH_SEND_COMMIT || call == DPA_ETH_SEND_TELL;
    struct eth_queue *q =
        dpk_object_lock(dpk_pointer(args[0]), sends ? &verbs_eth_sq_kind : &verbs_eth_rq_kind);
    if (q && q->queue && q->memory.base == d && q->memory.run == d->run)
        good = call_on(d, caller, q, call, args, result, reason, size);
    else
        dpk_dpa_call_fails(reason, size,
                           sends ? "Verbs: not an Ethernet send queue of this process"
                                 : "Verbs: not an Ethernet receive queue of this process");
    dpk_object_unlock(q, DOCA_SUCCESS);
    return good;
}

static struct dpk_dpa_calls calls = {.room = DPA_ROOM_ETH, .call = eth_call};

__attribute__((constructor)) static void register_calls(void)
{
    dpk_dpa_register_calls(&calls);
}
