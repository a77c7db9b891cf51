/* A turn is the time between lock and unlock. At its end waiting work is tried again and
 * completions are reported. Also the reports of queues and the port. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "model.h"

/* ---- Reports ---- */

const char *queue_kind(const struct dpk_queue *q)
{
    static const char *const names[] = {"CQ", "RQ", "RMP", "SQ", "QP", "EQ"};
    return names[q->options.kind];
}

void queue_count(const struct dpk_queue *q, enum dpk_counter counter)
{
    dpk_count(q->counts ? q->counts : dpk_counters_port(q->nic->counters), counter, 1);
}

__attribute__((format(printf, 3, 0))) static void tell(const struct dpk_queue *q, const char *what,
                                                       const char *format, va_list ap)
{
    char reason[DPK_RC_REASON_MAX + 20], text[sizeof reason + 60];
    vsnprintf(reason, sizeof reason, format, ap);
    snprintf(text, sizeof text, "%s 0x%x%s: %s", queue_kind(q), q->number, what, reason);
    q->nic->ops->warn(q->nic->context, text);
}

void queue_tell(const struct dpk_queue *q, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    tell(q, "", format, ap);
    va_end(ap);
}

void queue_warn(const struct dpk_queue *q, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    tell(q, " is in the error state", format, ap);
    va_end(ap);
    queue_count(q, DPK_QUEUE_ERRORS);
}

/* Counts an event that belongs to no queue. */
void queues_port_count(struct dpk_queues *nic, enum dpk_counter counter, uint64_t more)
{
    if (more > 0)
        dpk_count(dpk_counters_port(nic->counters), counter, more);
}

/* ---- Turns ---- */

void queues_lock(struct dpk_queues *nic)
{
    dpk_rc_lock(nic->rc);
    nic->turn++;
    nic->in_turn = true;
    nic->now = 0;
}

static void unlock(struct dpk_queues *nic, const struct dpk_queue *cq, unsigned queues)
{
    nic->settle(nic, cq, queues);
    const bool left = nic->left && nic->ops->left;
    nic->left = false;
    nic->in_turn = false;
    dpk_rc_unlock(nic->rc);
    if (left)
        nic->ops->left(nic->context);
}

void queues_unlock(struct dpk_queues *nic)
{
    unlock(nic, NULL, LOOKED_AT);
}

void dpk_queues_kick(struct dpk_queues *nic, const struct dpk_queue *cq)
{
    /* A thread that makes a frame wait counts it, then looks for its receive again. */
    atomic_thread_fence(memory_order_seq_cst);
    if (nic->waiting == 0 && !nic->pairs_wait)
        return;
    queues_lock(nic);
    unlock(nic, cq, cq ? LOOKED_AT : UINT_MAX);
}

bool queues_frame_leaves(struct dpk_queues *nic, const uint8_t *frame, size_t size)
{
    nic->left = true;
    return nic->ops->leaves(nic->context, frame, size);
}
