/* Messages in pieces: checked, then copied. */
#include <string.h>

#include "model.h"

#define CHUNK 4096u

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool pieces_are_there(const struct dpk_queues *nic, void *domain, const struct pieces *p,
                      uint64_t size, unsigned access)
{
    for (unsigned i = 0; i < p->count && size > 0; i++) {
        const struct piece *piece = &p->list[i];
        uint64_t n = smaller(piece->size, size);
        if (!piece->bytes &&
            !nic->ops->has(nic->context, domain, piece->key, piece->address, n, access))
            return false;
        size -= n;
    }
    return size == 0;
}

struct cursor {
    unsigned piece;
    uint32_t offset;
};

/* The piece that the cursor is in; NULL at the end. */
static const struct piece *current(const struct side *s, struct cursor *c)
{
    while (c->piece < s->pieces->count && c->offset == s->pieces->list[c->piece].size) {
        c->piece++;
        c->offset = 0;
    }
    return c->piece < s->pieces->count ? &s->pieces->list[c->piece] : NULL;
}

bool pieces_copy(struct dpk_queues *nic, const struct side *from, const struct side *to,
                 uint64_t size)
{
    uint8_t chunk[CHUNK];
    struct cursor at = {0}, into = {0};
    nic->moved += size;
    while (size > 0) {
        const struct piece *source = current(from, &at), *target = current(to, &into);
        if (!source || !target || target->bytes)
            return false;
        uint64_t n = smaller(smaller(source->size - at.offset, target->size - into.offset),
                             smaller(size, CHUNK));
        const uint8_t *bytes = source->bytes ? source->bytes + at.offset : chunk;
        if (!source->bytes &&
            !nic->ops->read(nic->context, from->domain, source->key, source->address + at.offset,
                            chunk, (size_t)n, from->access))
            return false;
        if (!nic->ops->write(nic->context, to->domain, target->key, target->address + into.offset,
                             bytes, (size_t)n, to->access))
            return false;
        at.offset += (uint32_t)n;
        into.offset += (uint32_t)n;
        size -= n;
    }
    return true;
}
