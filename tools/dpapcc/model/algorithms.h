/* Reference algorithms, one in each file. */
#ifndef DPK_DPAPCC_MODEL_ALGORITHMS_H
#define DPK_DPAPCC_MODEL_ALGORITHMS_H

#include "dpapcc/model/model.h"

extern const struct cc_algorithm model_cc_dcqcn, model_cc_swift, model_cc_hpcc;

/* Converts a rate in Mb/s to a fraction of the port's rate, within the limits of a result. */
static inline uint32_t rate_of(double mbps, double port_mbps)
{
    const double rate = mbps / port_mbps * CC_RATE_ONE;
    return rate >= CC_RATE_ONE ? CC_RATE_ONE : rate < 1 ? 1 : (uint32_t)rate;
}

#endif
