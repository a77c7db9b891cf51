/*
 * rdmo: requests of remote direct memory operations, as an initiator sends them: read and checked,
 * before anything is done. Nothing here needs UCX.
 *
 *     struct rdmo_request r;
 *     enum rdmo_refusal no = rdmo_read_header(header, size, &r);
 *     if (no == RDMO_GOOD && r.op == UROM_RDMO_OP_SCATTER)
 *         no = rdmo_read_scatter(payload, length, r.count, &pieces, &count);
 */
#ifndef DPK_API_UROM_RDMO_RDMO_H
#define DPK_API_UROM_RDMO_RDMO_H

#include <doca_urom_rdmo.h>

#include "base/base.h"

/* Why a request is refused. */
enum rdmo_refusal {
    RDMO_GOOD,
    RDMO_FORM,       /* header of another size, unknown operation or flag */
    RDMO_CONNECTION, /* not from a receive queue */
    RDMO_CLIENT,     /* the connection is of another target, or there is none of that id */
    RDMO_KEY,        /* no memory of that key */
    RDMO_BOUNDS,     /* outside of the memory, or a pointer that is not aligned */
    RDMO_COUNT,      /* more pieces than the payload has room for, or bytes behind them */
    RDMO_OVERLAP,    /* pieces that overlap */
    RDMO_TOO_BIG,    /* more than the worker takes */
    RDMO_FAILED,     /* a transfer failed: an end of it is gone */
    RDMO_REFUSALS
};
/* Returns the reason in words. */
const char *rdmo_refusal_text(enum rdmo_refusal no);

struct rdmo_request {
    uint64_t client;
    uint32_t op, flags;
    union {
        uint64_t flush_id, count;
        struct {
            uint64_t ptr_addr, ptr_rkey, data_rkey;
        };
    };
};
/* Reads the two headers. */
enum rdmo_refusal rdmo_read_header(const void *header, size_t size, struct rdmo_request *out);

struct rdmo_piece {
    uint64_t addr, rkey;
    size_t len, at; /* its bytes begin at payload + at */
};
/* Reads the pieces of a scatter. The caller frees *out. No two pieces have an address in common. */
enum rdmo_refusal rdmo_read_scatter(const void *payload, size_t size, uint64_t count,
                                    struct rdmo_piece **out, size_t *pieces);

/* Returns true if `len` bytes at `addr` are inside of `size` bytes at `va`. */
bool rdmo_fits(uint64_t addr, uint64_t len, uint64_t va, uint64_t size);

#endif
