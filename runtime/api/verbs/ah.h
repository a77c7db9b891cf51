/* Address handles. Private to verbs. */
#ifndef DPK_API_VERBS_AH_H
#define DPK_API_VERBS_AH_H

#include "context.h"

struct ah {
    struct ibv_ah ib; /* first: programs hold a pointer to it */
    struct ibv_ah_attr attr;
    union ibv_gid from;
};

/* Why there is no way to a peer at that address; 0: there is one, or was. */
int path_check(struct ibv_context *context, const struct ibv_ah_attr *attr);
/* The header (GRH) that stands before a datagram of so many bytes where it is received. Between two IPv4
 * addresses it is theirs, in the last 20 of the 40 bytes. */
void ah_write_header(const struct ah *a, uint64_t payload, struct ibv_grh *out);

#endif
