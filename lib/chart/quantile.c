#include <math.h>
#include <stdlib.h>

#include "chart/chart.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t chart_sort(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    if (kept)
        qsort(values, kept, sizeof *values, compare);
    return kept;
}

double chart_quantile(const double *sorted, size_t count, double q)
{
    if (count == 0)
        return NAN;
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - (double)below);
}
