/* Pipes: one ring has parts of messages. The other ring has a byte for each message that the
 * consumer has room for. */
#include <string.h>

#include "comch.h"

#define PIPE_RING ((uint32_t)1 << 18) /* bytes of one direction */
#define ALIGN     8u

_Static_assert(sizeof(struct dpk_pipe_head) == 16, "no padding");
_Static_assert(DPK_PIPE_POSTS_MAX <= PIPE_RING, "a byte each");
_Static_assert(2 * (DPK_PIPE_PART_MAX + 64) <= PIPE_RING, "one is read while one is written");

int dpk_pipe_new(struct rings *r)
{
    return rings_new(r, PIPE_RING);
}

bool dpk_pipe_open(struct rings *r, int fd)
{
    return rings_open(r, fd, PIPE_RING);
}

static uint32_t place_of(const struct dpk_pipe_head *h)
{
    return ((uint32_t)sizeof *h + h->size + h->imm_size + ALIGN - 1) & ~(ALIGN - 1);
}

/* ---- The consumer ---- */

void dpk_pipe_post(struct rings *r, uint32_t count)
{
    ring_wrote(&r->out, count);
}

static bool is_part(const struct dpk_pipe_head *h)
{
    static const uint8_t zero[sizeof h->zero];
    return h->size <= DPK_PIPE_PART_MAX && h->imm_size <= DPK_PIPE_IMM_MAX &&
           !(h->flags & ~(DPK_PIPE_LAST | DPK_PIPE_ABANDON)) &&
           (h->flags & DPK_PIPE_LAST || (h->flags == 0 && h->imm_size == 0 && h->size > 0)) &&
           memcmp(h->zero, zero, sizeof zero) == 0;
}

enum ring_state dpk_pipe_next(struct rings *r, struct dpk_pipe_part *part)
{
    uint32_t filled;
    struct ring *in = &r->in;
    const enum ring_state state = ring_known_filled(in, &filled);
    if (state != RING_GOOD)
        return state;
    if (filled < sizeof part->head)
        return RING_BAD;
    ring_copy(in, &part->head, sizeof part->head);
    if (!is_part(&part->head))
        return RING_BAD;
    part->place = place_of(&part->head);
    if (part->place > filled)
        return RING_BAD;
    memcpy(part->imm, ring_here(in) + sizeof part->head, part->head.imm_size);
    part->data = ring_here(in) + sizeof part->head + part->head.imm_size;
    return RING_GOOD;
}

void dpk_pipe_took(struct rings *r, const struct dpk_pipe_part *part)
{
    ring_read(&r->in, part->place);
}

bool dpk_pipe_has_part(const struct rings *r)
{
    const struct ring_shared *shared = r->in.shared;
    return atomic_load(&shared->written) != atomic_load(&shared->read);
}

/* ---- Producers ---- */

enum ring_state dpk_pipe_posted(struct rings *r, uint32_t *count)
{
    return ring_known_filled(&r->in, count);
}

void dpk_pipe_use_post(struct rings *r)
{
    ring_read(&r->in, 1);
}

uint8_t *dpk_pipe_room(struct rings *r, const struct dpk_pipe_head *head, enum ring_state *state)
{
    *state = ring_known_room(&r->out, place_of(head));
    return *state == RING_GOOD ? ring_here(&r->out) + sizeof *head + head->imm_size : NULL;
}

void dpk_pipe_put(struct rings *r, const struct dpk_pipe_head *head, const uint8_t *imm)
{
    memcpy(ring_here(&r->out), head, sizeof *head);
    if (head->imm_size > 0)
        memcpy(ring_here(&r->out) + sizeof *head, imm, head->imm_size);
    ring_wrote(&r->out, place_of(head));
}
