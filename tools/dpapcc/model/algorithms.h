/* The reference algorithms; each is a file. */
#ifndef DPK_DPAPCC_MODEL_ALGORITHMS_H
#define DPK_DPAPCC_MODEL_ALGORITHMS_H

#include "dpapcc/model/model.h"

extern const struct cc_algorithm cc_dcqcn, cc_swift, cc_hpcc;

/* A rate in Mb/s as a fraction of the port's, within what a result may have. */
static inline uint32_t rate_of(double mbps, double port_mbps)
{
    const double rate = mbps / port_mbps * CC_RATE_ONE;
    return rate >= CC_RATE_ONE ? CC_RATE_ONE : rate < 1 ? 1 : (uint32_t)rate;
}

#endif
