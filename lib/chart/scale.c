/* Axes: round marks, unit prefixes, and conversion of values to pixels. */
#include <math.h>
#include <string.h>

#include "chart/inside.h"

static const struct {
    double value;
    const char *name;
} prefixes[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},       {1e3, "k"},
                {1, ""},     {1e-3, "m"}, {1e-6, "\u00b5"}, {1e-9, "n"}};

enum { PREFIXES = sizeof prefixes / sizeof *prefixes, NO_PREFIX = 4 };

/* Returns the largest prefix that is not greater than `value`. */
static unsigned prefix_of(double value, const char *unit)
{
    if (!unit || !*unit || *unit == '%' || !(value > 0))
        return NO_PREFIX;
    unsigned i = 0;
    /* Bytes and bits have no fractions. */
    unsigned last = unit[0] == 'B' || unit[0] == 'b' ? NO_PREFIX : PREFIXES - 1;
    while (i < last && value < prefixes[i].value * 0.9999)
        i++;
    return i;
}

/* Returns the smallest round number (1, 2 or 5 times a power of ten) that is at least `least`. */
static double round_step(double least)
{
    double power = 1;
    while (power > least)
        power /= 10;
    while (power * 10 <= least)
        power *= 10;
    return power >= least       ? power
           : power * 2 >= least ? power * 2
           : power * 5 >= least ? power * 5
                                : power * 10;
}

/* Returns the largest power of ten that is not above `value`, which is above 0. */
static double power_below(double value)
{
    double power = 1;
    while (power > value * 1.0001)
        power /= 10;
    while (power * 10 <= value * 1.0001)
        power *= 10;
    return power;
}

/* Returns the next mark of 1, 2, 5, 10, 20 ... */
static double mark_behind(double mark)
{
    double power = power_below(mark), first = mark / power;
    return power * (first < 1.5 ? 2 : first < 4 ? 5 : 10);
}

/* Long axes have marks only at powers of ten. */
static bool is_far(double low, double high)
{
    return high / low > 2e4;
}

static struct scale scale_logarithmic(const struct chart_axis *axis, double high)
{
    const double least = axis->least > 1e-15 ? axis->least : 1;
    const double low = axis->least > 1e-15 ? power_below(least) : 1;
    struct scale s = {.low = low, .high = 2 * low, .logarithmic = true, .unit = 1, .prefix = ""};
    const bool far = axis->least > 1e-15 && is_far(low, high);
    while ((s.high < high * 0.9999 || (far && s.high > power_below(s.high) * 1.5)) &&
           s.high < low * 1e18)
        s.high = mark_behind(s.high);
    s.step = far ? 10 : 0;
    if (axis->least > 1e-15) {
        const unsigned prefix = prefix_of(s.high, axis->unit);
        s.unit = prefixes[prefix].value;
        s.prefix = prefixes[prefix].name;
    }
    return s;
}

struct scale chart_scale_make(const struct chart_axis *axis, double low, double high,
                              unsigned marks)
{
    if (axis->most > high)
        high = axis->most;
    if (axis->logarithmic)
        return scale_logarithmic(axis, high);
    /* A constant value still needs an axis. */
    if (!(high > low))
        high = low + (low != 0 ? fabs(low) : 1);
    double step = round_step((high - low) / marks);
    struct scale s = {.low = floor(low / step + 1e-9) * step, .step = step};
    s.high = ceil(high / step - 1e-9) * step;
    unsigned prefix = prefix_of(fmax(fabs(s.low), fabs(s.high)), axis->unit);
    s.unit = prefixes[prefix].value;
    s.prefix = prefixes[prefix].name;
    return s;
}

double chart_scale_at(const struct scale *s, double value)
{
    double part = s->logarithmic ? log10(fmax(value, s->low) / s->low) / log10(s->high / s->low)
                                 : (value - s->low) / (s->high - s->low);
    return s->begin + fmin(fmax(part, -0.01), 1.02) * s->size;
}

bool chart_scale_next(const struct scale *s, double *mark)
{
    if (isnan(*mark))
        *mark = s->low;
    else if (s->logarithmic)
        *mark = s->step > 0 ? *mark * 10 : mark_behind(*mark);
    else
        *mark = s->low + (floor((*mark - s->low) / s->step + 0.5) + 1) * s->step;
    return *mark <= (s->logarithmic ? s->high * 1.0001 : s->high + s->step * 1e-6);
}

void chart_scale_put(const struct scale *s, double mark, struct dpk_buf *out)
{
    if (s->logarithmic) {
        dpk_put_format(out, "%.3g", mark / s->unit);
        return;
    }
    int digits = 0;
    double step = s->step / s->unit;
    for (; digits < 6 && step < 0.99999; digits++)
        step *= 10;
    double shown = mark / s->unit;
    dpk_put_format(out, "%.*f", digits, fabs(shown) < s->step / s->unit / 2 ? 0.0 : shown);
}

void chart_put_value(struct dpk_buf *out, double value, const char *unit)
{
    if (!isfinite(value)) {
        dpk_put_format(out, "\u2013");
        return;
    }
    unsigned prefix = prefix_of(fabs(value) * 1.0005, unit);
    double shown = value / prefixes[prefix].value, size = fabs(shown);
    bool whole = shown == floor(shown) && size < 1000;
    int digits = whole || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    dpk_put_format(out, "%.*f", digits, shown);
    if (unit && *unit)
        dpk_put_format(out, " %s%s", prefixes[prefix].name, unit);
}
