/* Published distributions of flow sizes: cumulative shares in hundredths of a percent, with linear
 * interpolation. */
#include "sim.h"

struct point {
    uint32_t bytes, share;
};
#define ALL 10000

/* WebSearch: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, from the HPCC artifact
 * (github.com/alibaba-edu/High-Precision-Congestion-Control, traffic_gen). Mean 1.71 MB. */
static const struct point websearch[] = {
    {0, 0},          {10000, 1500},   {20000, 2000},    {30000, 3000},
    {50000, 4000},   {80000, 5300},   {200000, 6000},   {1000000, 7000},
    {2000000, 8000}, {5000000, 9000}, {10000000, 9700}, {30000000, ALL},
};

/* FB_Hadoop: Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015, from the
 * same artifact. Mean 0.12 MB. */
static const struct point hadoop[] = {
    {0, 0},         {100, 100},     {200, 200},      {300, 500},      {350, 1500},
    {400, 2000},    {500, 3000},    {600, 4000},     {700, 5000},     {1000, 6000},
    {2000, 6700},   {7000, 7000},   {30000, 7200},   {50000, 8200},   {80000, 8700},
    {120000, 9000}, {300000, 9500}, {1000000, 9750}, {2000000, 9900}, {10000000, ALL},
};

static const struct point *const tables[] = {[CC_WEBSEARCH] = websearch, [CC_HADOOP] = hadoop};

__extension__ typedef unsigned __int128 wide;

/* Draws a size from a table of a file, which has finer shares. */
static uint64_t draw_point(const struct cc_work *w, struct cc_random *r)
{
    const wide share =
        ((wide)model_cc_random_next(r) * CC_SHARE_ALL) >> 32; /* 32 fractional bits */
    uint32_t low = 1, high = w->point_count - 1;
    while (low < high) { /* finds the first point above the share */
        const uint32_t middle = low + (high - low) / 2;
        if ((wide)w->points[middle].share << 32 <= share)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cc_point *p = &w->points[low];
    const wide part = share - ((wide)p[-1].share << 32), whole = p->share - p[-1].share;
    const uint64_t more = (uint64_t)((wide)(p->bytes - p[-1].bytes) * part / (whole << 32));
    return p[-1].bytes + more ? p[-1].bytes + more : 1;
}

static uint64_t mean_of_points(const struct cc_work *w)
{
    wide sum = 0;
    for (uint32_t i = 1; i < w->point_count; i++)
        sum += (wide)(w->points[i].share - w->points[i - 1].share) *
               (w->points[i].bytes + w->points[i - 1].bytes) / 2;
    const uint64_t mean = (uint64_t)(sum / CC_SHARE_ALL);
    return mean ? mean : 1;
}

static uint64_t draw(enum cc_sizes sizes, struct cc_random *r)
{
    const uint64_t one = (uint64_t)1 << 32; /* fixed-point shares with 32 fractional bits */
    const uint64_t share =
        (uint64_t)model_cc_random_below(r, ALL) << 32 | (model_cc_random_next(r) >> 32);
    const struct point *p = tables[sizes] + 1;
    while (p->share * one <= share)
        p++;
    const uint64_t part = share - p[-1].share * one, whole = p->share - p[-1].share;
    const uint64_t bytes = p[-1].bytes + (p->bytes - p[-1].bytes) * (part >> 8) / (whole << 24);
    return bytes ? bytes : 1;
}

static uint64_t mean(enum cc_sizes sizes)
{
    uint64_t sum = 0;
    const struct point *p = tables[sizes];
    do {
        p++;
        sum += (uint64_t)(p->share - p[-1].share) * ((uint64_t)p->bytes + p[-1].bytes) / 2;
    } while (p->share < ALL);
    return sum / ALL;
}

uint64_t model_sizes_draw(const struct cc_work *w, struct cc_random *r)
{
    return w->sizes == CC_SIZES_FILE ? draw_point(w, r) : draw(w->sizes, r);
}

uint64_t model_sizes_mean(const struct cc_work *w)
{
    return w->sizes == CC_SIZES_FILE ? mean_of_points(w) : mean(w->sizes);
}
