/* Address handles. Private to verbs. */
#ifndef DPK_API_VERBS_AH_H
#define DPK_API_VERBS_AH_H

#include <infiniband/mlx5dv.h>

#include "context.h"

struct ah {
    struct ibv_ah ib; /* first: programs hold a pointer to it */
    struct ibv_ah_attr attr;
    union ibv_gid from;
    struct mlx5_wqe_av vector;
    bool is_far; /* the peer is on another machine */
};

/* Returns an errno if no peer at that address is reachable; 0 if it is or was reachable. Unreliable connections
 * (UC) do not reach devices of other machines. */
int verbs_path_check(struct ibv_context *context, enum ibv_qp_type type,
                     const struct ibv_ah_attr *attr);
/* Returns the address vector of mlx5dv_init_obj. */
struct mlx5_wqe_av *verbs_ah_vector(struct ibv_ah *ah);
/* Writes the header (GRH) in front of a received datagram of `payload` bytes. Between two IPv4
 * addresses it is an IPv4 header, in the last 20 of the 40 bytes. */
void verbs_ah_write_header(const struct ah *a, uint64_t payload, struct ibv_grh *out);
/* Returns the service level that a received datagram has in its completion. On RoCE it names the kind
 * of the header, as on a card: bit 3 for UDP (RoCE v2), and 2 for IPv4, 1 for IPv6. */
uint8_t verbs_ah_level(const struct ah *a);

#endif
