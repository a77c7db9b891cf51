/* Reads requests: their headers and pieces. The initiator is not trusted. */
#include <stdlib.h>
#include <string.h>

#include "rdmo.h"

#define IOV_SIZE  sizeof(struct urom_rdmo_scatter_iov)
#define IOV_BYTES 18u /* bytes of members; the rest is padding */

const char *rdmo_refusal_text(enum rdmo_refusal no)
{
    static const char *const texts[RDMO_REFUSALS] = {
        [RDMO_GOOD] = "good",
        [RDMO_FORM] = "damaged header",
        [RDMO_CONNECTION] = "no receive queue",
        [RDMO_CLIENT] = "wrong client",
        [RDMO_KEY] = "wrong key",
        [RDMO_BOUNDS] = "outside of the memory",
        [RDMO_COUNT] = "wrong count of pieces",
        [RDMO_OVERLAP] = "pieces overlap",
        [RDMO_TOO_BIG] = "too big",
        [RDMO_FAILED] = "failed transfer",
    };
    return no < RDMO_REFUSALS ? texts[no] : "unknown";
}

enum rdmo_refusal rdmo_read_header(const void *header, size_t size, struct rdmo_request *out)
{
    struct dpk_reader r = dpk_reader(header, size);
    memset(out, 0, sizeof *out);
    out->client = dpk_read_le64(&r);
    out->op = dpk_read_le32(&r);
    out->flags = dpk_read_le32(&r);
    switch (out->op) {
    case UROM_RDMO_OP_FLUSH:
        out->flush_id = dpk_read_le64(&r);
        break;
    case UROM_RDMO_OP_APPEND:
        out->ptr_addr = dpk_read_le64(&r);
        out->ptr_rkey = dpk_read_le64(&r);
        out->data_rkey = dpk_read_le64(&r);
        break;
    case UROM_RDMO_OP_SCATTER:
        out->count = dpk_read_le64(&r);
        break;
    default:
        return RDMO_FORM;
    }
    return !r.failed && dpk_reader_left(&r) == 0 &&
                   !(out->flags & ~(uint32_t)UROM_RDMO_REQ_FLAG_FENCE)
               ? RDMO_GOOD
               : RDMO_FORM;
}

bool rdmo_fits(uint64_t addr, uint64_t len, uint64_t va, uint64_t size)
{
    return addr >= va && addr - va <= size && len <= size - (addr - va);
}

static int compare(const void *a, const void *b)
{
    const struct rdmo_piece *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Sorts the pieces by address. The order of writing does not matter, because pieces may not
 * overlap. */
static enum rdmo_refusal sort(struct rdmo_piece *pieces, size_t count)
{
    qsort(pieces, count, sizeof *pieces, compare);
    for (size_t i = 1; i < count; i++)
        if (pieces[i].addr - pieces[i - 1].addr < pieces[i - 1].len)
            return RDMO_OVERLAP;
    return RDMO_GOOD;
}

/* Reads a piece. A piece without bytes is skipped. */
static enum rdmo_refusal read_piece(struct dpk_reader *r, struct rdmo_piece *pieces, size_t *count)
{
    struct rdmo_piece p = {.addr = dpk_read_le64(r), .rkey = dpk_read_le64(r)};
    p.len = dpk_read_le16(r);
    dpk_read_skip(r, IOV_SIZE - IOV_BYTES);
    p.at = dpk_reader_offset(r);
    dpk_read_skip(r, p.len);
    if (r->failed)
        return RDMO_COUNT;
    if (p.addr > UINT64_MAX - p.len)
        return RDMO_BOUNDS;
    if (p.len > 0)
        pieces[(*count)++] = p;
    return RDMO_GOOD;
}

enum rdmo_refusal rdmo_read_scatter(const void *payload, size_t size, uint64_t count,
                                    struct rdmo_piece **out, size_t *pieces)
{
    struct dpk_reader r = dpk_reader(payload, size);
    *out = NULL;
    *pieces = 0;
    if (count > size / IOV_SIZE)
        return RDMO_COUNT;
    *out = calloc((size_t)count + 1, sizeof **out);
    enum rdmo_refusal no = *out ? RDMO_GOOD : RDMO_TOO_BIG;
    for (uint64_t i = 0; no == RDMO_GOOD && i < count; i++)
        no = read_piece(&r, *out, pieces);
    if (no == RDMO_GOOD && dpk_reader_left(&r) > 0)
        no = RDMO_COUNT;
    if (no == RDMO_GOOD)
        no = sort(*out, *pieces);
    return no;
}
