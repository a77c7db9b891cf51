/* Quantiles of weighted values. */
#include <stdlib.h>

#include "histogram.h"

void model_histogram_free(struct histogram *h)
{
    free(h->bins);
    *h = (struct histogram){0};
}

static bool open_bins(struct histogram *h)
{
    if (!h->failed && !h->bins)
        h->bins = calloc(HISTOGRAM_BINS, sizeof *h->bins);
    h->failed = !h->bins;
    return !h->failed;
}

void model_histogram_flush(struct histogram *h)
{
    if (h->pending && open_bins(h))
        h->bins[h->last] += h->pending;
    h->pending = 0;
}

void model_histogram_add_all(struct histogram *h, struct histogram *other)
{
    model_histogram_flush(other);
    if (!other->bins || !open_bins(h))
        return;
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
        h->bins[i] += other->bins[i];
    h->total += other->total;
    h->sum += other->sum;
    if (other->max > h->max)
        h->max = other->max;
}

/* Returns the greatest value of a bin. */
static uint64_t end_of(uint32_t bin)
{
    if (bin < 256)
        return bin;
    const unsigned shift = (bin >> 7) - 1;
    return (((uint64_t)(bin - (shift << 7)) + 1) << shift) - 1;
}

/* Returns the least value that `hundredths` of the weight do not exceed. */
static uint64_t quantile(const struct histogram *h, unsigned hundredths)
{
    const uint64_t wanted = h->total - h->total / 100 * (100 - hundredths);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
        if ((sum += h->bins[i]) >= wanted)
            return end_of(i) < h->max ? end_of(i) : h->max;
    return h->max;
}

struct cc_quantiles model_histogram_quantiles(struct histogram *h)
{
    model_histogram_flush(h);
    if (!h->bins)
        return (struct cc_quantiles){0};
    return (struct cc_quantiles){quantile(h, 50), quantile(h, 95), quantile(h, 99), h->max,
                                 h->sum / (double)h->total};
}
