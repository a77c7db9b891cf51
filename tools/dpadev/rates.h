/* Congestion control in `dpadev stats`. */
#ifndef DPK_DPADEV_RATES_H
#define DPK_DPADEV_RATES_H

#include <cjson/cJSON.h>

#include "rdma/pacing/pacing.h"

/* Appends nothing if no process sets rates. */
void dpadev_rates_put(struct dpk_buf *out, const struct dpk_rates_seen *seen);
cJSON *dpadev_rates_json(const struct dpk_rates_seen *seen);

#endif
