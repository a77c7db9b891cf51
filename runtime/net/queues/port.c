/* The port: frames that are sent, and frames that wait for receive queues. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"
#include "net/frame/frame.h"
#include "offload.h"

#define LARGE_SEND_MAX (1u << 18) /* bytes of data, the limit of cards (max_tso) */
#define STUCK_MS       1000u      /* waiting time of frames after which a queue is reported */

/* ---- Receiving ---- */

/* Writes a frame to a receive. Returns false if some of its memory does not exist. */
static bool write_receive(const struct dpk_queue *rq, const struct pieces *data,
                          const uint8_t *frame, uint32_t size)
{
    const struct dpk_memory_domain *domain = rq->options.domain;
    const struct dpk_rc_message m = {data->list, data->count};
    /* A single piece is checked when it is written. */
    return (data->count == 1 || dpk_rc_message_has(domain, &m, size, DPK_MEMORY_WRITE)) &&
           dpk_rc_message_write(domain, &m, 0, size, frame);
}

static void count_received(struct dpk_queue *rq, const struct completion *c, size_t size)
{
    if (c->syndrome == DPK_RC_LOCAL_LENGTH) {
        dpk_count(rq->counts, DPK_DROP_TOO_LONG, 1);
    } else if (c->syndrome) {
        dpk_count(rq->counts, DPK_DROP_NO_QUEUE, 1);
    } else {
        dpk_count(rq->counts, DPK_RECEIVED, 1);
        dpk_count(rq->counts, DPK_RECEIVED_BYTES, size);
        if (queues_facts_are_wrong(&c->facts))
            dpk_count(rq->counts, DPK_BAD_CHECKSUM, 1);
    }
}

/* Finds the first piece that cannot be accessed, and describes it for people. */
static enum dpk_rc_status refuse_memory(const struct dpk_queue *q,
                                        const struct dpk_rc_piece *pieces, unsigned count,
                                        unsigned rights, struct why *why)
{
    unsigned i = 0;
    for (; i + 1 < count; i++) {
        const struct dpk_rc_message m = {&pieces[i], 1};
        if (!dpk_rc_message_has(q->options.domain, &m, pieces[i].memory.size, rights))
            break;
    }
    struct dpk_memory_access a = pieces[i].memory;
    char text[DPK_MEMORY_REASON_MAX];
    a.rights = rights;
    a.domain = q->options.domain;
    return queues_wqe_refuse(why, DPK_RC_LOCAL_PROTECTION, "no %s of %llu bytes at 0x%llx: %s",
                             rights == DPK_MEMORY_READ ? "read" : "write",
                             (unsigned long long)a.size, (unsigned long long)a.address,
                             dpk_memory_explain(&a, text));
}

/* Returns the error of a received frame, and reports it. A card goes on with its next receive after
 * a frame that is too long (mlx5e: no recovery from this syndrome), but not after memory that it
 * cannot write. */
static enum dpk_rc_status deliver(struct dpk_queue *rq, const struct receive *r,
                                  const uint8_t *frame, size_t size)
{
    struct why why;
    if (size > r->data.total) {
        if (!rq->told_of_long)
            queue_tell(
                rq,
                "a frame of %zu bytes is longer than its receive of %llu: it is dropped, and its "
                "completion is an error; such frames are counted (too_long)",
                size, (unsigned long long)r->data.total);
        rq->told_of_long = true;
        return DPK_RC_LOCAL_LENGTH;
    }
    if (write_receive(rq, &r->data, frame, (uint32_t)size))
        return DPK_RC_OK;
    refuse_memory(rq, r->data.list, r->data.count, DPK_MEMORY_WRITE, &why);
    queue_warn(rq, "receive %u: %s", r->index, why.text);
    return DPK_RC_LOCAL_PROTECTION;
}

static void receive_frame(struct dpk_queue *rq, const uint8_t *frame, size_t size,
                          const struct frame_facts *facts)
{
    struct receive r;
    enum dpk_rc_taken taken = rq->state == DPK_QP_RTS ? queues_rwqe_take(rq, &r) : DPK_RC_NONE;
    if (taken != DPK_RC_TAKEN) {
        dpk_count(rq->counts, DPK_DROP_NO_QUEUE, 1);
        if (taken == DPK_RC_NEVER)
            queue_fail(rq);
        return;
    }
    struct completion c = {.opcode = CQE_SEND, .facts = queues_facts_of(frame, size, facts)};
    c.bytes = (uint32_t)size;
    c.syndrome = deliver(rq, &r, frame, size);
    count_received(rq, &c, size);
    if (c.syndrome)
        c = (struct completion){.opcode = CQE_RESPONSE_ERROR, .syndrome = c.syndrome};
    const bool completes = queues_rwqe_complete(rq, r.index, &c);
    if (!completes && c.syndrome != DPK_RC_LOCAL_PROTECTION)
        queue_warn(rq, "its CQ 0x%x is in the error state", rq->options.receive_cq->number);
    if (!completes || c.syndrome == DPK_RC_LOCAL_PROTECTION)
        queue_fail(rq);
}

/* ---- Waiting ---- */

static struct frame *take_first(struct frames *frames)
{
    struct frame *f = STAILQ_FIRST(frames);
    if (f)
        STAILQ_REMOVE_HEAD(frames, next);
    return f;
}

/* Reuses a spare buffer if possible. Returns NULL if `most` frames wait or memory is exhausted. */
static struct frame *frame_new(struct dpk_queues *nic, const uint8_t *bytes, size_t size,
                               uint64_t most)
{
    const bool large = size > FRAME_SMALL;
    if (nic->waiting >= most)
        return NULL;
    struct frame *f = take_first(large ? &nic->spare_large : &nic->spare);
    if (!f && !(f = malloc(sizeof *f + (large ? DPK_FRAME_MAX : FRAME_SMALL))))
        return NULL;
    f->size = size;
    memcpy(f->bytes, bytes, size);
    nic->waiting++;
    return f;
}

static void frame_done(struct dpk_queues *nic, struct frame *f)
{
    struct frames *spare = f->size > FRAME_SMALL ? &nic->spare_large : &nic->spare;
    STAILQ_INSERT_HEAD(spare, f, next);
    nic->waiting--;
}

void queues_frames_free(struct dpk_queues *nic)
{
    struct frames *const all[] = {&nic->frames, &nic->spare, &nic->spare_large};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (struct frame *f; (f = take_first(all[i]));)
            free(f);
}

/* It is the last one of those whose frames wait. */
static void enter_waiting(struct dpk_queue *rq)
{
    TAILQ_INSERT_TAIL(&rq->nic->waiting_queues, rq, in_waiting);
    TAILQ_INSERT_TAIL(&rq->options.receive_cq->receivers, rq, in_cq);
}

static void leave_waiting(struct dpk_queue *rq)
{
    TAILQ_REMOVE(&rq->nic->waiting_queues, rq, in_waiting);
    TAILQ_REMOVE(&rq->options.receive_cq->receivers, rq, in_cq);
}

void queues_frames_forget(struct dpk_queue *rq)
{
    if (!STAILQ_EMPTY(&rq->frames))
        leave_waiting(rq);
    for (struct frame *f; (f = take_first(&rq->frames)); frame_done(rq->nic, f))
        dpk_count(rq->counts, DPK_DROP_NO_QUEUE, 1);
}

/* Returns whether the next frame has to wait. A failed queue drops it at once. */
static bool must_wait(const struct dpk_queue *rq)
{
    return rq->state == DPK_QP_RTS &&
           (!queues_rwqe_is_posted(rq) || queues_cq_is_full(rq->options.receive_cq));
}

/* A program that never updates the consumer index waits forever. The report tells it why. */
static void tell_if_stuck(struct dpk_queue *rq)
{
    const struct dpk_queue *cq = rq->options.receive_cq;
    const uint64_t ms = dpk_now_ms();
    if (!queues_cq_is_full(cq) || rq->stuck_since == 0)
        rq->stuck_since = queues_cq_is_full(cq) ? ms : 0;
    if (rq->told_of_stuck || rq->stuck_since == 0 || ms - rq->stuck_since < STUCK_MS)
        return;
    rq->told_of_stuck = true;
    queue_tell(rq,
               "frames wait for room in CQ 0x%x; its doorbell record does not say that completions "
               "were consumed",
               cq->number);
}

/* Returns whether a program listens. Asks once per turn. */
static bool is_heard(struct dpk_queue *rq)
{
    const struct dpk_queues *nic = rq->nic;
    if (rq->heard != nic->turn && nic->ops->listens(rq->options.receive_cq->options.user))
        rq->heard = nic->turn;
    return rq->heard == nic->turn;
}

/* Returns whether a frame still waits for a receive or for room. */
static bool run_waiting(struct dpk_queue *rq)
{
    for (struct frame *f; (f = STAILQ_FIRST(&rq->frames)); frame_done(rq->nic, f)) {
        if (rq->state == DPK_QP_RTS && !is_heard(rq))
            return false;
        if (must_wait(rq)) {
            tell_if_stuck(rq);
            return true;
        }
        STAILQ_REMOVE_HEAD(&rq->frames, next);
        rq->stuck_since = 0;
        receive_frame(rq, f->bytes, f->size, &f->facts);
    }
    return false;
}

void queues_frame_received(struct dpk_queue *rq, const uint8_t *frame, size_t size,
                           const struct frame_facts *facts, const struct passage *passage)
{
    struct dpk_queues *nic = rq->nic;
    const bool first = STAILQ_EMPTY(&rq->frames);
    if (first && !must_wait(rq) && (!passage->held || rq->state != DPK_QP_RTS || is_heard(rq))) {
        receive_frame(rq, frame, size, facts);
        return;
    }
    struct frame *f = frame_new(nic, frame, size, FRAMES_MAX);
    if (!f) {
        dpk_count(rq->counts, DPK_DROP_OUT_OF_BUFFER, 1);
        return;
    }
    f->facts = *facts;
    STAILQ_INSERT_TAIL(&rq->frames, f, next);
    if (first)
        enter_waiting(rq);
}

static const struct passage held = {.held = true};

/* Steers frames that arrived before a program listened. */
static void steer(struct dpk_queues *nic)
{
    for (struct frame *f; (f = take_first(&nic->frames)); frame_done(nic, f))
        queues_steering_pass(nic, f->bytes, f->size, &held);
}

/* Queues take turns: a queue whose frames still wait goes to the end of the list. */
bool queues_frames_run(struct dpk_queues *nic, unsigned queues)
{
    struct dpk_queue *q, *first = NULL;
    bool waits = false;
    if (nic->waiting == 0)
        return false;
    atomic_thread_fence(memory_order_seq_cst); /* with dpk_queues_kick */
    if (!STAILQ_EMPTY(&nic->frames) && queues_steering_is_heard(nic->steering))
        steer(nic);
    while (queues-- > 0 && (q = TAILQ_FIRST(&nic->waiting_queues)) && q != first) {
        waits = run_waiting(q) || waits;
        leave_waiting(q);
        if (STAILQ_EMPTY(&q->frames))
            continue;
        enter_waiting(q);
        first = first ? first : q;
    }
    return waits;
}

void queues_frames_run_first(struct dpk_queues *nic, const struct dpk_queue *cq)
{
    struct dpk_queue *q = TAILQ_FIRST(&cq->receivers);
    if (!q)
        return;
    TAILQ_REMOVE(&nic->waiting_queues, q, in_waiting);
    TAILQ_INSERT_HEAD(&nic->waiting_queues, q, in_waiting);
}

/* ---- Sending ---- */

static bool is_frame(uint64_t size)
{
    return size >= DPK_FRAME_MIN && size <= DPK_FRAME_MAX;
}

/* Sends a complete frame where the rules say. */
static void transmit(struct dpk_queue *sq, const struct wqe *wqe, const uint8_t *frame, size_t size)
{
    const struct passage sent = {.sent = true, .metadata = wqe->metadata};
    sq->nic->moved += size;
    dpk_count(sq->counts, DPK_SENT, 1);
    dpk_count(sq->counts, DPK_SENT_BYTES, size);
    queues_steering_pass(sq->nic, frame, size, &sent);
}

static enum dpk_rc_status refuse_size(uint64_t size, struct why *why)
{
    return queues_wqe_refuse(why, DPK_RC_LOCAL_LENGTH, "a frame of %llu bytes, not %u to %u",
                             (unsigned long long)size, DPK_FRAME_MIN, DPK_FRAME_MAX);
}

/* Sends the pieces as one frame. */
static enum dpk_rc_status send_one(struct dpk_queue *sq, const struct wqe *wqe,
                                   const struct dpk_rc_piece *pieces, unsigned count, uint64_t all,
                                   struct why *why)
{
    uint8_t frame[DPK_FRAME_MAX];
    const struct dpk_rc_message message = {pieces, count};
    if (!is_frame(all) || !is_frame(all + (wqe->has_tag ? VLAN_TAG : 0)))
        return refuse_size(all, why);
    uint32_t size = (uint32_t)all;
    if (!dpk_rc_message_read(sq->options.domain, &message, 0, size, frame))
        return refuse_memory(sq, pieces, count, DPK_MEMORY_READ, why);
    if (wqe->has_tag)
        queues_offload_tag(frame, &size, wqe);
    queues_offload_checksums(frame, size, wqe->checksums);
    transmit(sq, wqe, frame, size);
    return DPK_RC_OK;
}

/* Sends each piece as a frame. If one piece is not a valid frame, no frame is sent. */
static enum dpk_rc_status send_many(struct dpk_queue *sq, const struct wqe *wqe, struct why *why)
{
    const struct pieces *data = &wqe->data;
    enum dpk_rc_status wrong = DPK_RC_OK;
    if (!sq->options.multi_sends)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "the queue was not made for WQEs of several frames");
    if (data->count == 0)
        wrong = refuse_size(0, why);
    for (unsigned i = 0; i < data->count; i++)
        if (!is_frame(data->list[i].memory.size))
            wrong = refuse_size(data->list[i].memory.size, why);
    for (unsigned i = 0; wrong == DPK_RC_OK && i < data->count; i++)
        wrong = send_one(sq, wqe, &data->list[i], 1, data->list[i].memory.size, why);
    return wrong;
}

/* Sends data as TCP segments, each in a frame. If the first is not a valid frame, no frame is
 * sent. */
static enum dpk_rc_status send_large(struct dpk_queue *sq, const struct wqe *wqe, struct why *why)
{
    uint8_t frame[DPK_FRAME_MAX];
    const struct pieces *data = &wqe->data;
    const struct dpk_rc_message all = {data->list, data->count};
    struct segments s;
    if (!queues_segments_find(wqe, &s))
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "large send without inline headers of TCP and an MSS");
    if (s.data > LARGE_SEND_MAX)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_LENGTH,
                                 "large send of %llu bytes, not at most %u",
                                 (unsigned long long)s.data, LARGE_SEND_MAX);
    const uint64_t first = s.headers_size + (s.data < s.mss ? s.data : s.mss);
    if (!is_frame(first))
        return refuse_size(first, why);
    if (!dpk_rc_message_has(sq->options.domain, &all, data->total, DPK_MEMORY_READ))
        return refuse_memory(sq, data->list, data->count, DPK_MEMORY_READ, why);
    for (uint64_t i = 0; i < frame_segments_count(&s); i++) {
        const uint64_t at = i * s.mss, left = s.data - at;
        const uint32_t size = left < s.mss ? (uint32_t)left : s.mss;
        frame_segments_header(&s, i, size, frame);
        if (!dpk_rc_message_read(sq->options.domain, &all, s.headers_size + at, size,
                                 frame + s.headers_size))
            return refuse_memory(sq, data->list, data->count, DPK_MEMORY_READ, why);
        queues_offload_checksums(frame, s.headers_size + size, wqe->checksums);
        transmit(sq, wqe, frame, s.headers_size + size);
    }
    return DPK_RC_OK;
}

enum dpk_rc_status queues_frame_send(struct dpk_queue *sq, const struct wqe *wqe, struct why *why)
{
    if (wqe->checksums & CHECKSUM_INNER)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "checksums of headers within tunnels are not emulated");
    if (wqe->control.opcode == WQE_LARGE_SEND)
        return send_large(sq, wqe, why);
    if (wqe->mss != 0)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION, "an MSS of %u without large send",
                                 wqe->mss);
    if (wqe->control.opcode == WQE_MULTI_SEND)
        return send_many(sq, wqe, why);
    return send_one(sq, wqe, wqe->data.list, wqe->data.count, wqe->data.total, why);
}

/* Takes frames from a wire that can keep them, so no frame is dropped for lack of room. */
static size_t take_offered(struct dpk_queues *nic, const struct dpk_frame *frames, size_t count)
{
    const bool heard = STAILQ_EMPTY(&nic->frames) && queues_steering_is_heard(nic->steering);
    size_t taken = 0;
    for (; taken < count && nic->waiting < FRAMES_OFFERED; taken++) {
        const struct dpk_frame *from = &frames[taken];
        struct frame *f = NULL;
        if (heard)
            queues_steering_pass(nic, from->bytes, from->size, &held);
        else if ((f = frame_new(nic, from->bytes, from->size, FRAMES_OFFERED)))
            STAILQ_INSERT_TAIL(&nic->frames, f, next);
        else
            break;
    }
    return taken;
}

size_t dpk_frames_arrive(struct dpk_queues *nic, const struct dpk_frame *frames, size_t count,
                         bool waits)
{
    static const struct passage arrived = {.sent = false};
    queues_lock(nic);
    const size_t taken = waits ? take_offered(nic, frames, count) : count;
    for (size_t i = 0; i < taken && !waits; i++)
        queues_steering_pass(nic, frames[i].bytes, frames[i].size, &arrived);
    queues_unlock(nic);
    return taken;
}

uint64_t dpk_frames_waiting(struct dpk_queues *nic)
{
    dpk_rc_lock(nic->rc);
    const uint64_t waiting = nic->waiting;
    dpk_rc_unlock(nic->rc);
    return waiting;
}
