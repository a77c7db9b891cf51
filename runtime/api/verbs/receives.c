/* Queues of receives. */
#include "receives.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool verbs_receives_new(struct receives *r, uint32_t receives, uint32_t sges)
{
    *r = (struct receives){.sges = sges ? sges : 1};
    if (receives == 0)
        return true;
    for (r->size = 1; r->size < receives;)
        r->size *= 2;
    r->most = r->size;
    r->ring = calloc(r->size, sizeof *r->ring);
    r->pieces = calloc(r->size, r->sges * sizeof *r->pieces);
    if (r->ring && r->pieces)
        return true;
    verbs_receives_free(r);
    return false;
}

void verbs_receives_free(struct receives *r)
{
    free(r->ring);
    free(r->pieces);
    *r = (struct receives){0};
}

static struct dpk_rc_piece *pieces_at(const struct receives *r, uint32_t at)
{
    return &r->pieces[(size_t)(at & (r->size - 1)) * r->sges];
}

bool verbs_receives_are_full(const struct receives *r)
{
    return r->posted - atomic_load(&r->freed) >= r->most;
}

void verbs_receives_drop(struct receives *r)
{
    r->taken = r->posted;
    atomic_store(&r->freed, r->posted);
}

int verbs_receives_post(struct receives *r, const struct ibv_recv_wr *wr)
{
    if (wr->num_sge < 0 || (uint32_t)wr->num_sge > r->sges || (wr->num_sge > 0 && !wr->sg_list))
        return EINVAL;
    if (verbs_receives_are_full(r))
        return ENOMEM;
    struct dpk_rc_piece *to = pieces_at(r, r->posted);
    for (int i = 0; i < wr->num_sge; i++)
        to[i] = piece_of(&wr->sg_list[i]);
    r->ring[r->posted & (r->size - 1)] =
        (struct receive){.wr_id = wr->wr_id, .count = (unsigned)wr->num_sge};
    r->posted++;
    return 0;
}

bool verbs_receives_take(struct receives *r, struct receive *out, struct dpk_rc_piece *pieces)
{
    if (receives_left(r) == 0)
        return false;
    *out = r->ring[r->taken & (r->size - 1)];
    memcpy(pieces, pieces_at(r, r->taken), out->count * sizeof *pieces);
    r->taken++;
    return true;
}
