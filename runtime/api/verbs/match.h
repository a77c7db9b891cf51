/* Matches of steering rules: struct fte_match_param of the ConnectX PRM. Private to verbs. */
#ifndef DPK_API_VERBS_MATCH_H
#define DPK_API_VERBS_MATCH_H

#include <infiniband/mlx5dv.h>

#include "net/queues/queues.h"

/* Prints "-E- CALL: ..." to the standard error. Returns `why`. */
int verbs_match_refuse(int why, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the mask of a matcher. `criteria`: one bit for each used part. Returns an errno, or 0 if the
 * mask is supported. */
int verbs_match_mask(uint8_t criteria, const struct mlx5dv_flow_match_parameters *mask,
                     uint8_t out[DPK_MATCH_BYTES]);
/* Reads the value of a rule. Only bits of the mask may be set. */
int verbs_match_value(uint8_t criteria, const uint8_t mask[DPK_MATCH_BYTES],
                      const struct mlx5dv_flow_match_parameters *value, struct dpk_match *out);

#endif
