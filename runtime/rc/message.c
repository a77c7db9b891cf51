/* Messages in pieces: looked up and copied through their owner. */
#include <string.h>

#include "transport.h"

uint64_t message_size(const struct message *m)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < m->count; i++)
        size += m->pieces[i].range.size;
    return size;
}

bool message_has(const struct dpk_rc_end *end, const struct message *m, uint64_t size,
                 enum dpk_rc_access access)
{
    const struct dpk_rc_end_options *o = &end->options;
    for (unsigned i = 0; i < m->count && size > 0; i++) {
        struct dpk_rc_range range = m->pieces[i].range;
        range.size = range.size < size ? range.size : size;
        if (range.size > 0 && !m->pieces[i].bytes && !o->ops->has(o->context, &range, access))
            return false;
        size -= range.size;
    }
    return size == 0;
}

/* The part of `piece` from `at` on, at most `size` bytes. */
static struct dpk_rc_range part_of(const struct dpk_rc_piece *piece, uint64_t at, uint32_t size)
{
    uint64_t left = piece->range.size - at;
    return (struct dpk_rc_range){piece->range.key, piece->range.address + at,
                                 left < size ? left : size};
}

bool message_out(const struct dpk_rc_end *end, const struct message *m, uint64_t at, uint32_t size,
                 enum dpk_rc_access access, uint8_t *to)
{
    const struct dpk_rc_end_options *o = &end->options;
    for (unsigned i = 0; i < m->count && size > 0; i++) {
        const struct dpk_rc_piece *piece = &m->pieces[i];
        if (at >= piece->range.size) {
            at -= piece->range.size;
            continue;
        }
        const struct dpk_rc_range part = part_of(piece, at, size);
        if (piece->bytes)
            memcpy(to, piece->bytes + at, (size_t)part.size);
        else if (!o->ops->copy_out(o->context, &part, access, to))
            return false;
        to += part.size;
        size -= (uint32_t)part.size;
        at = 0;
    }
    return size == 0;
}

bool message_in(const struct dpk_rc_end *end, const struct message *m, uint64_t at, uint32_t size,
                enum dpk_rc_access access, const uint8_t *from)
{
    const struct dpk_rc_end_options *o = &end->options;
    for (unsigned i = 0; i < m->count && size > 0; i++) {
        const struct dpk_rc_piece *piece = &m->pieces[i];
        if (at >= piece->range.size) {
            at -= piece->range.size;
            continue;
        }
        const struct dpk_rc_range part = part_of(piece, at, size);
        if (piece->bytes || !o->ops->copy_in(o->context, &part, access, from))
            return false;
        from += part.size;
        size -= (uint32_t)part.size;
        at = 0;
    }
    return size == 0;
}
