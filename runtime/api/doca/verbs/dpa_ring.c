/* Rings of queue pairs of the DPA, and posts of DPA code. */
#include "dpa_queues.h"

#include <string.h>

#define SEGMENTS_LEAST 1u

bool verbs_ring_new(struct ring *r, uint32_t size, uint32_t segments, uint32_t room)
{
    r->segments = segments > SEGMENTS_LEAST ? segments : SEGMENTS_LEAST;
    uint32_t places = 1;
    while (places < size)
        places *= 2;
    r->size = size ? places : 0; /* a ring without entries is always full */
    r->entries = calloc(places, sizeof *r->entries);
    r->pieces = calloc(places, r->segments * sizeof *r->pieces);
    r->room = room;
    r->inlined = room ? calloc(places, room) : NULL;
    return r->entries && r->pieces && (r->inlined || !room);
}

void verbs_ring_free(struct ring *r)
{
    free(r->entries);
    free(r->pieces);
    free(r->inlined);
}

bool verbs_read_segments(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from, uint32_t count)
{
    struct dpa_verbs_segment all[DPA_VERBS_SEGMENTS_MAX];
    if (count == 0)
        return true;
    if (dpk_copy_out(d->process->dpa, all, from, count * sizeof *all, NULL) != DPK_OK)
        return false;
    for (uint32_t i = 0; i < count; i++)
        to[i] = (struct dpk_rc_piece){
            .memory = {.key = all[i].key, .address = all[i].address, .size = all[i].length}};
    return true;
}

bool verbs_read_receive(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from, uint32_t count,
                        uint32_t *left)
{
    if (!verbs_read_segments(d, to, from, count))
        return false;
    for (*left = 0; *left < count && to[*left].memory.key != DPA_VERBS_LIST_END;)
        ++*left;
    return true;
}

bool verbs_read_raw_receive(struct dpk_dpa *d, struct dpk_rc_piece *to, uint64_t from,
                            uint64_t size, uint32_t *left)
{
    uint8_t bytes[DPA_VERBS_SEGMENTS_MAX * WQE_SEGMENT];
    if (size > sizeof bytes ||
        (size > 0 && dpk_copy_out(d->process->dpa, bytes, from, size, NULL) != DPK_OK))
        return false;
    struct dpk_reader r = dpk_reader(bytes, size);
    for (*left = 0; dpk_reader_left(&r) >= WQE_SEGMENT; ++*left) {
        struct dpk_memory_access at = {.size = dpk_read_be32(&r)};
        at.key = dpk_read_be32(&r);
        at.address = dpk_read_be64(&r);
        if (at.key == DPA_VERBS_LIST_END)
            break;
        to[*left] = (struct dpk_rc_piece){.memory = at};
    }
    return true;
}

/* ---- Posts ---- */

uint32_t verbs_ring_opcode(const struct dpk_rc_work *work)
{
    switch (work->opcode) {
    case DPK_RC_SEND:
        return work->has_immediate ? DPA_VERBS_SEND_IMMEDIATE : DPA_VERBS_SEND;
    case DPK_RC_WRITE:
        return work->has_immediate ? DPA_VERBS_WRITE_IMMEDIATE : DPA_VERBS_WRITE;
    case DPK_RC_READ:
        return DPA_VERBS_READ;
    case DPK_RC_COMPARE_SWAP:
        return DPA_VERBS_COMPARE_SWAP;
    case DPK_RC_FETCH_ADD:
        return DPA_VERBS_FETCH_ADD;
    default:
        return 0; /* MLX5_OPCODE_NOP */
    }
}

/* Returns false if the opcode is invalid. */
static bool operation_of(const struct dpa_verbs_work *w, struct dpk_rc_work *out)
{
    out->key = w->remote_key;
    out->address = w->remote_address;
    out->immediate = w->immediate;
    switch (w->opcode) {
    case DPA_VERBS_SEND_IMMEDIATE:
    case DPA_VERBS_SEND:
        out->opcode = DPK_RC_SEND;
        out->has_immediate = w->opcode == DPA_VERBS_SEND_IMMEDIATE;
        return true;
    case DPA_VERBS_WRITE_IMMEDIATE:
    case DPA_VERBS_WRITE:
        out->opcode = DPK_RC_WRITE;
        out->has_immediate = w->opcode == DPA_VERBS_WRITE_IMMEDIATE;
        return true;
    case DPA_VERBS_READ:
        out->opcode = DPK_RC_READ;
        return true;
    case DPA_VERBS_FETCH_ADD:
        out->opcode = DPK_RC_FETCH_ADD;
        out->value = w->add;
        return true;
    case DPA_VERBS_COMPARE_SWAP:
        out->opcode = DPK_RC_COMPARE_SWAP;
        out->compare = w->add;
        out->value = w->swap;
        return true;
    default:
        return false;
    }
}

static bool reads(const struct dpk_rc_work *w)
{
    return w->opcode == DPK_RC_READ || w->opcode == DPK_RC_FETCH_ADD ||
           w->opcode == DPK_RC_COMPARE_SWAP;
}

bool verbs_ring_post(struct dpk_dpa *d, struct ring *r, uint64_t address, uint64_t *result,
                     char *reason, size_t size)
{
    struct dpa_verbs_work w;
    struct entry *e = &r->entries[ring_at(r, r->posted)];
    if (dpk_copy_out(d->process->dpa, &w, address, sizeof w, NULL) != DPK_OK)
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the work is described");
    if (r->posted - r->done >= r->size || w.count > r->segments)
        return true; /* *result is 0: the ring is full */
    if (!verbs_read_segments(d, ring_pieces_at(r, r->posted), w.segments, w.count))
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the segments are");
    *e = (struct entry){.fence = w.flags & DPA_VERBS_FENCE};
    if (!operation_of(&w, &e->work))
        return dpk_dpa_call_fails(reason, size, "Verbs: no such operation");
    e->reads = reads(&e->work);
    e->work.silent = !(w.flags & DPA_VERBS_SIGNALED);
    e->work.solicited = w.flags & DPA_VERBS_SOLICITED;
    e->work.pieces = ring_pieces_at(r, r->posted);
    e->work.count = w.count;
    e->work.user = e;
    *result = ++r->posted;
    return true;
}

/* Moves the pieces of a WQE and its inline data to the next place. Returns false if there is no
 * room. */
static bool keep_pieces(struct ring *r, const struct dpk_wqe_work *w)
{
    struct dpk_rc_piece *to = ring_pieces_at(r, r->posted);
    uint8_t *at = r->room ? r->inlined + (size_t)ring_at(r, r->posted) * r->room : NULL;
    uint64_t left = r->room;
    if (w->work.count > r->segments)
        return false;
    for (unsigned i = 0; i < w->work.count; i++) {
        to[i] = w->pieces[i];
        if (!to[i].bytes)
            continue;
        if (!at || to[i].memory.size > left)
            return false;
        memcpy(at, to[i].bytes, to[i].memory.size);
        to[i].bytes = at;
        at += to[i].memory.size;
        left -= to[i].memory.size;
    }
    return true;
}

bool verbs_ring_post_raw(struct dpk_dpa *d, struct ring *r, uint64_t address, uint64_t *result,
                         char *reason, size_t size)
{
    uint8_t bytes[DPK_WQE_MAX];
    struct dpk_wqe_work w;
    struct entry *e = &r->entries[ring_at(r, r->posted)];
    bool there = dpk_copy_out(d->process->dpa, bytes, address, DPK_WQE_CONTROL, NULL) == DPK_OK;
    const size_t n = there ? dpk_wqe_size(bytes) : 0;
    if (there && n > DPK_WQE_CONTROL)
        there = dpk_copy_out(d->process->dpa, bytes, address, n, NULL) == DPK_OK;
    if (!there)
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the work is described");
    /* Its size may have changed between the two reads. */
    dpk_wqe_describe(bytes, n, &w);
    if (r->posted - r->done >= r->size || !keep_pieces(r, &w))
        return true; /* *result is 0: the ring is full */
    *e = (struct entry){.work = w.work, .fence = w.waits, .reads = reads(&w.work)};
    e->work.pieces = ring_pieces_at(r, r->posted);
    e->work.user = e;
    *result = ++r->posted;
    return true;
}

#define RECEIVE_MAX ((DPA_VERBS_SEGMENTS_MAX + 2) * WQE_SEGMENT) /* bytes; a power of two */

/* The place of the next receive in the ring. */
static uint64_t next_at(const struct ring *r)
{
    return r->at + (uint64_t)ring_at(r, r->posted) * verbs_receive_size(r->segments);
}

/* Counts a receive, whose pieces are in their place, and writes it to the ring. */
static void receive_posted(struct dpk_dpa *d, struct ring *r, uint64_t *result)
{
    uint8_t wqe[RECEIVE_MAX];
    const uint32_t size = verbs_receive_size(r->segments);
    verbs_write_receive(wqe, size, ring_pieces_at(r, r->posted),
                        r->entries[ring_at(r, r->posted)].count);
    dpk_copy_in(d->process->dpa, next_at(r), wqe, size, NULL);
    *result = ++r->posted;
}

bool verbs_ring_receive(struct dpk_dpa *d, struct ring *r, const uint64_t args[6], uint64_t *result,
                        char *reason, size_t size)
{
    struct entry *e = &r->entries[ring_at(r, r->posted)];
    if (r->posted - r->done >= r->size || args[2] > r->segments)
        return true;
    if (!verbs_read_receive(d, ring_pieces_at(r, r->posted), args[1], (uint32_t)args[2], &e->count))
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the segments are");
    receive_posted(d, r, result);
    return true;
}

bool verbs_ring_receive_raw(struct dpk_dpa *d, struct ring *r, const uint64_t args[6],
                            uint64_t *result, char *reason, size_t size)
{
    struct entry *e = &r->entries[ring_at(r, r->posted)];
    if (r->posted - r->done >= r->size || args[2] > (uint64_t)r->segments * WQE_SEGMENT)
        return true; /* *result is 0: the ring is full */
    if (!verbs_read_raw_receive(d, ring_pieces_at(r, r->posted), args[1], args[2], &e->count))
        return dpk_dpa_call_fails(reason, size, "Verbs: no memory where the receive is described");
    receive_posted(d, r, result);
    return true;
}

bool verbs_ring_ack(struct dpk_dpa *d, struct ring *r, uint64_t count, uint64_t *result,
                    char *reason, size_t size)
{
    if (count > r->size - (r->posted - r->done))
        return true; /* *result is 0: the ring is full */
    for (; count > 0; count--) {
        if (!verbs_read_raw_receive(d, ring_pieces_at(r, r->posted), next_at(r),
                                    (uint64_t)r->segments * WQE_SEGMENT,
                                    &r->entries[ring_at(r, r->posted)].count))
            return dpk_dpa_call_fails(reason, size, "Verbs: the memory of the ring is gone");
        *result = ++r->posted;
    }
    return true;
}
