/* Messages in several pieces of memory: checks and copies of any part of them. */
#include <string.h>

#include "pairs.h"

uint64_t dpk_rc_message_size(const struct dpk_rc_message *m)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < m->count; i++)
        size += m->pieces[i].memory.size;
    return size;
}

/* A walk through `left` bytes of a message. The bytes start `at` bytes after the start of piece
 * `next`. */
struct walk {
    const struct dpk_memory_domain *domain;
    const struct dpk_rc_message *message;
    unsigned rights, next;
    uint64_t at, left;
};

/* Gives the part of the next piece that belongs to the walk. Returns false if the walk has ended.
 * If bytes are still `left` then, the message is too short. */
static bool next_part(struct walk *w, struct dpk_rc_piece *part)
{
    const struct dpk_rc_message *m = w->message;
    while (w->next < m->count && w->at >= m->pieces[w->next].memory.size)
        w->at -= m->pieces[w->next++].memory.size;
    if (w->next == m->count || w->left == 0)
        return false;
    *part = m->pieces[w->next++];
    part->memory.size -= w->at;
    if (part->memory.size > w->left)
        part->memory.size = w->left;
    part->memory.address += w->at;
    part->memory.rights = w->rights;
    part->memory.domain = w->domain;
    if (part->bytes)
        part->bytes += w->at;
    w->left -= part->memory.size;
    w->at = 0;
    return true;
}

/* Returns whether all parts of the walk exist. *part is the last part that was checked. */
static bool walk_all(struct walk *w, struct dpk_rc_piece *part)
{
    while (next_part(w, part))
        if (!part->bytes && !dpk_memory_is_there(&part->memory))
            return false;
    return true;
}

bool dpk_rc_message_has(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                        uint64_t size, unsigned rights)
{
    struct dpk_rc_piece part;
    struct walk w = {domain, m, rights, 0, 0, size};
    return walk_all(&w, &part) && w.left == 0;
}

bool dpk_rc_message_refused(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                            uint64_t size, unsigned rights, struct dpk_memory_access *out)
{
    struct dpk_rc_piece part;
    struct walk w = {domain, m, rights, 0, 0, size};
    const bool refused = !walk_all(&w, &part);
    if (refused)
        *out = part.memory;
    return refused;
}

bool dpk_rc_message_read(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                         uint64_t at, uint32_t size, uint8_t *to)
{
    struct dpk_rc_piece part;
    struct walk w = {domain, m, DPK_MEMORY_READ, 0, at, size};
    for (; next_part(&w, &part); to += part.memory.size)
        if (part.bytes)
            memcpy(to, part.bytes, (size_t)part.memory.size);
        else if (!dpk_memory_read(&part.memory, to))
            return false;
    return w.left == 0;
}

bool dpk_rc_message_write(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                          uint64_t at, uint32_t size, const uint8_t *from)
{
    struct dpk_rc_piece part;
    struct walk w = {domain, m, DPK_MEMORY_WRITE, 0, at, size};
    for (; next_part(&w, &part); from += part.memory.size)
        if (part.bytes || !dpk_memory_write(&part.memory, from))
            return false;
    return w.left == 0;
}

bool dpk_rc_message_fetch(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                          uint64_t at, uint32_t size, const struct dpk_import *from,
                          uint64_t address)
{
    struct dpk_rc_piece part;
    struct walk w = {domain, m, DPK_MEMORY_WRITE, 0, at, size};
    for (; next_part(&w, &part); address += part.memory.size)
        if (part.bytes || !dpk_memory_fetch(&part.memory, from, address))
            return false;
    return w.left == 0;
}
