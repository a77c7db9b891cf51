/* Means and confidence intervals. */
#include <math.h>

#include "sweep.h"

double dpapcc_student_t(size_t degrees)
{
    static const double table[] = {0,      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646,
                                   2.3060, 2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314,
                                   2.1199, 2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687,
                                   2.0639, 2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    if (degrees < sizeof table / sizeof *table)
        return degrees ? table[degrees] : NAN;
    /* Abramowitz and Stegun, 26.7.5: from the quantile of the normal distribution. */
    const double z = 1.959963985, n = (double)degrees, z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

struct estimate dpapcc_estimate_of(const double *values, size_t count)
{
    struct estimate e = {.mean = NAN, .half = NAN, .least = NAN, .most = NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        e.least = e.count ? fmin(e.least, values[i]) : values[i];
        e.most = e.count ? fmax(e.most, values[i]) : values[i];
        sum += values[i];
        e.count++;
    }
    if (!e.count)
        return e;
    e.mean = sum / (double)e.count;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            squares += (values[i] - e.mean) * (values[i] - e.mean);
    if (e.count > 1)
        e.half =
            dpapcc_student_t(e.count - 1) * sqrt(squares / (double)(e.count - 1) / (double)e.count);
    return e;
}
