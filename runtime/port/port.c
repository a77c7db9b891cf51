/* The port: frames, and the steering rules that deliver them to receive queues. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define ETHERNET_HEADER 14u

/* ---- Rules ---- */

static bool matches(const struct dpk_rule *rule, const uint8_t *frame, size_t size)
{
    for (size_t i = 0; i < DPK_MATCH_BYTES; i++)
        if (rule->mask[i] && (i >= size || (frame[i] ^ rule->value[i]) & rule->mask[i]))
            return false;
    return true;
}

static struct dpk_queue *receiver(const struct dpk_queues *nic, const uint8_t *frame, size_t size)
{
    const struct rule *r;
    TAILQ_FOREACH(r, &nic->rules, in_nic)
    if (matches(&r->match, frame, size))
        return r->rq;
    return NULL;
}

uint64_t dpk_rule_add(struct dpk_queue *rq, const struct dpk_rule *rule)
{
    struct dpk_queues *nic = rq->nic;
    struct rule *r = calloc(1, sizeof *r), *after = NULL, *i;
    if (!r)
        return 0;
    queues_lock(nic);
    uint64_t id = ++nic->last_rule;
    *r = (struct rule){.id = id, .rq = rq, .match = *rule};
    TAILQ_FOREACH(i, &nic->rules, in_nic)
    if (i->match.priority <= rule->priority)
        after = i;
    if (after)
        TAILQ_INSERT_AFTER(&nic->rules, after, r, in_nic);
    else
        TAILQ_INSERT_HEAD(&nic->rules, r, in_nic);
    queues_unlock(nic);
    return id;
}

void dpk_rule_remove(struct dpk_queues *nic, uint64_t rule)
{
    struct rule *r;
    dpk_rc_lock(nic->rc);
    TAILQ_FOREACH(r, &nic->rules, in_nic)
    if (r->id == rule)
        break;
    if (r)
        TAILQ_REMOVE(&nic->rules, r, in_nic);
    dpk_rc_unlock(nic->rc);
    free(r);
}

void rules_forget(struct dpk_queue *rq)
{
    for (struct rule *r = TAILQ_FIRST(&rq->nic->rules), *next; r; r = next) {
        next = TAILQ_NEXT(r, in_nic);
        if (r->rq != rq)
            continue;
        TAILQ_REMOVE(&rq->nic->rules, r, in_nic);
        free(r);
    }
}

/* ---- Frames ---- */

/* Checks what a card checks of a frame: the header checksum of IPv4. */
static uint8_t checks_of(const uint8_t *frame, size_t size)
{
    struct dpk_reader r = dpk_reader(frame, size);
    dpk_read_skip(&r, 12);
    uint16_t type = dpk_read_be16(&r);
    size_t words = (dpk_read_u8(&r) & (size_t)15) * 2;
    struct dpk_reader header = dpk_reader_slice(&r, ETHERNET_HEADER, words * 2);
    uint32_t sum = 0;
    if (type != 0x0800 || words < 10)
        return CHECKED_L2;
    while (dpk_reader_left(&header) > 0)
        sum += dpk_read_be16(&header);
    sum = (sum & 0xffff) + (sum >> 16);
    return !header.failed && sum == 0xffff ? CHECKED_L2 | CHECKED_L3 : CHECKED_L2;
}

/* Writes a frame to a receive. False: not all of its memory is there. */
static bool write_receive(const struct dpk_queue *rq, const struct pieces *data,
                          const uint8_t *frame, uint32_t size)
{
    const struct dpk_rc_message m = {data->list, data->count};
    return dpk_rc_message_has(rq->options.domain, &m, size, DPK_MEMORY_WRITE) &&
           dpk_rc_message_write(rq->options.domain, &m, 0, size, frame);
}

/* Delivers a frame to the next receive, which is posted. */
static void receive_frame(struct dpk_queue *rq, const uint8_t *frame, size_t size)
{
    struct receive r;
    enum dpk_rc_taken taken = rq->state == DPK_QP_RTS ? rwqe_take(rq, &r) : DPK_RC_NONE;
    if (taken != DPK_RC_TAKEN) {
        rq->nic->counters.no_room++;
        if (taken == DPK_RC_NEVER)
            queue_fail(rq);
        return;
    }
    struct completion c = {
        .opcode = CQE_SEND, .bytes = (uint32_t)size, .checks = checks_of(frame, size)};
    if (size > r.data.total)
        c.syndrome = DPK_RC_LOCAL_LENGTH;
    else if (!write_receive(rq, &r.data, frame, (uint32_t)size))
        c.syndrome = DPK_RC_LOCAL_PROTECTION;
    else
        rq->nic->counters.received++;
    if (c.syndrome)
        c = (struct completion){.opcode = CQE_RESPONSE_ERROR, .syndrome = c.syndrome};
    if (!rwqe_complete(rq, r.index, &c) || c.syndrome)
        queue_fail(rq);
}

enum dpk_rc_status frame_send(struct dpk_queue *sq, const struct wqe *wqe)
{
    uint8_t frame[DPK_FRAME_MAX];
    struct dpk_queues *nic = sq->nic;
    const struct pieces *data = &wqe->data;
    if (data->total > DPK_FRAME_MAX || data->total < ETHERNET_HEADER)
        return DPK_RC_LOCAL_LENGTH;
    if (wqe->mss != 0)
        return DPK_RC_LOCAL_OPERATION;
    const struct dpk_rc_message message = {data->list, data->count};
    const uint32_t size = (uint32_t)data->total;
    if (!dpk_rc_message_read(sq->options.domain, &message, 0, size, frame))
        return DPK_RC_LOCAL_PROTECTION;
    nic->moved += size;
    nic->counters.sent++;
    if (nic->ops->leaves(nic->context, frame, size))
        return DPK_RC_OK;
    struct dpk_queue *rq = receiver(nic, frame, size);
    if (rq)
        receive_frame(rq, frame, size);
    else
        nic->counters.unwanted++;
    return DPK_RC_OK;
}

bool frames_run(struct dpk_queues *nic)
{
    struct frame *f;
    while (!TAILQ_EMPTY(&nic->rules) && (f = STAILQ_FIRST(&nic->frames))) {
        struct dpk_queue *rq = receiver(nic, f->bytes, f->size);
        if (rq && rq->state == DPK_QP_RTS) {
            if (!nic->ops->listens(rq->options.receive_cq->options.user))
                return false;
            if (!rwqe_is_posted(rq))
                return true;
        }
        STAILQ_REMOVE_HEAD(&nic->frames, in_nic);
        nic->counters.waiting--;
        if (rq)
            receive_frame(rq, f->bytes, f->size);
        else
            nic->counters.unwanted++;
        free(f);
    }
    return false;
}

enum dpk_status dpk_frame_arrives(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                                  struct dpk_error *err)
{
    if (size < ETHERNET_HEADER || size > DPK_FRAME_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a frame of %zu bytes, not %u to %u", size,
                        ETHERNET_HEADER, DPK_FRAME_MAX);
    struct frame *f = malloc(sizeof *f + size);
    if (!f)
        return dpk_fail_nomem(err);
    f->size = size;
    memcpy(f->bytes, frame, size);
    queues_lock(nic);
    bool room = nic->counters.waiting < FRAMES_MAX;
    if (room) {
        STAILQ_INSERT_TAIL(&nic->frames, f, in_nic);
        nic->counters.waiting++;
    }
    queues_unlock(nic);
    if (room)
        return DPK_OK;
    free(f);
    return dpk_fail(err, DPK_ERR_NOMEM, "%u frames wait already", FRAMES_MAX);
}

void dpk_port_counters(struct dpk_queues *nic, struct dpk_port_counters *out)
{
    dpk_rc_lock(nic->rc);
    *out = nic->counters;
    dpk_rc_unlock(nic->rc);
}
