/* Receives in pieces: checked, then written to. */
#include "model.h"

/* What a piece takes of `left` bytes. */
static struct dpk_memory_access part_of(const struct dpk_queue *q, const struct dpk_rc_piece *piece,
                                        uint64_t left)
{
    const struct dpk_memory_access *m = &piece->memory;
    return (struct dpk_memory_access){m->key, DPK_MEMORY_WRITE, m->address,
                                      m->size < left ? m->size : left, q->options.domain};
}

bool pieces_write(const struct dpk_queue *q, const struct pieces *p, const uint8_t *bytes,
                  size_t size)
{
    size_t left = size;
    for (unsigned i = 0; i < p->count && left > 0; i++) {
        const struct dpk_memory_access a = part_of(q, &p->list[i], left);
        if (!dpk_memory_is_there(&a))
            return false;
        left -= (size_t)a.size;
    }
    for (unsigned i = 0; i < p->count && size > 0; i++) {
        const struct dpk_memory_access a = part_of(q, &p->list[i], size);
        if (!dpk_memory_write(&a, bytes))
            return false;
        bytes += a.size;
        size -= (size_t)a.size;
    }
    return size == 0;
}
