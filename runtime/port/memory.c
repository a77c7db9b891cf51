/* Receives in pieces: checked, then written to. */
#include "model.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool pieces_write(const struct dpk_queue *q, const struct pieces *p, const uint8_t *bytes,
                  size_t size)
{
    const struct dpk_queues *nic = q->nic;
    size_t left = size;
    for (unsigned i = 0; i < p->count && left > 0; i++) {
        const struct dpk_rc_range *r = &p->list[i].range;
        size_t n = (size_t)smaller(r->size, left);
        if (!nic->ops->has(nic->context, q->options.domain, r->key, r->address, n,
                           DPK_QUEUE_LOCAL_WRITE))
            return false;
        left -= n;
    }
    for (unsigned i = 0; i < p->count && size > 0; i++) {
        const struct dpk_rc_range *r = &p->list[i].range;
        size_t n = (size_t)smaller(r->size, size);
        if (!nic->ops->write(nic->context, q->options.domain, r->key, r->address, bytes, n,
                             DPK_QUEUE_LOCAL_WRITE))
            return false;
        bytes += n;
        size -= n;
    }
    return size == 0;
}
