/* Address handles. Private to verbs. */
#ifndef DPK_VERBS_AH_H
#define DPK_VERBS_AH_H

#include "context.h"

struct ah {
    struct ibv_ah ib; /* first: programs hold a pointer to it */
    struct ibv_ah_attr attr;
};

/* Why there is no peer at that address; 0: there is one, or was. */
int path_check(const struct ibv_ah_attr *attr);
/* The header (GRH) that stands before a datagram of so many bytes where it is received. */
void ah_write_header(const struct ah *a, uint64_t payload, struct ibv_grh *out);

#endif
