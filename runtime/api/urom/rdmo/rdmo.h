/*
 * rdmo: reads and checks requests of remote direct memory operations, as an initiator sends them.
 * These functions do not need UCX.
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
    RDMO_FORM,       /* wrong size of the header, or an unknown operation or flag */
    RDMO_CONNECTION, /* the request is not from a receive queue */
    RDMO_CLIENT,     /* no target has the id, or the connection has another target */
    RDMO_KEY,        /* no memory has this key */
    RDMO_BOUNDS,     /* the address is outside of the memory, or the pointer is not aligned */
    RDMO_COUNT,      /* the payload has fewer or more bytes than its pieces */
    RDMO_OVERLAP,    /* pieces overlap */
    RDMO_TOO_BIG,    /* the request is larger than the worker permits */
    RDMO_FAILED,     /* a transfer failed, because a process is gone */
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
    size_t len, at; /* size of its bytes, which start at payload + at */
};
/* Reads the pieces of a scatter. The caller frees *out. No two pieces have an address in common. */
enum rdmo_refusal rdmo_read_scatter(const void *payload, size_t size, uint64_t count,
                                    struct rdmo_piece **out, size_t *pieces);

/* Returns true if `len` bytes at `addr` are inside of `size` bytes at `va`. */
bool rdmo_fits(uint64_t addr, uint64_t len, uint64_t va, uint64_t size);

#endif
