/* A histogram of values, weighted by number or by time. Bins are exact below 256; above, they are
 * at most 1/128 of their value wide. */
#ifndef DPK_DPAPCC_MODEL_HISTOGRAM_H
#define DPK_DPAPCC_MODEL_HISTOGRAM_H

#include "dpapcc/model/model.h"

#define HISTOGRAM_BINS (26 * 128) /* for 32 bits */

struct histogram {
    uint64_t *bins; /* NULL if all are 0 */
    /* The last additions, all to one bin, are not in `bins` yet: values often repeat. */
    uint64_t pending;
    uint32_t last;
    uint64_t total, max;
    double sum;
    bool failed; /* there was no memory; nothing is counted */
};

void model_histogram_free(struct histogram *h);
void model_histogram_flush(struct histogram *h);
/* Adds the counts of another histogram. */
void model_histogram_add_all(struct histogram *h, struct histogram *other);
struct cc_quantiles model_histogram_quantiles(struct histogram *h);

static inline uint32_t histogram_bin(uint32_t value)
{
    if (value < 256)
        return value;
    const unsigned shift = 24 - (unsigned)__builtin_clz(value);
    return (shift << 7) + (value >> shift);
}

static inline void histogram_add(struct histogram *h, uint32_t value, uint64_t weight)
{
    const uint32_t bin = histogram_bin(value);
    if (bin != h->last) {
        model_histogram_flush(h);
        h->last = bin;
    }
    h->pending += weight;
    h->total += weight;
    h->sum += (double)value * (double)weight;
    if (value > h->max)
        h->max = value;
}

#endif
